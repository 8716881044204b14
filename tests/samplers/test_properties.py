"""What holds of every draw, whatever the masses, costs and parameters: property-based tests."""

from __future__ import annotations

import warnings

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.samplers.contract import check_plans

import bayesot as bo

quick = settings(deadline=None, max_examples=25)

masses = st.floats(1e-9, 1e9)
costs = st.floats(-1e6, 1e6)
PRIORS = [
    bo.priors.Uniform(),
    bo.priors.Dirichlet(0.2),
    bo.priors.Dirichlet(7.0) * bo.priors.Entropy(3.0),
    bo.priors.Gamma(0.5, 0.1),
]


def vectors(size: int) -> st.SearchStrategy[list[float]]:
    return st.lists(masses, min_size=size, max_size=size)


def matrices(count: int, n: int, m: int) -> st.SearchStrategy[np.ndarray]:
    numbers = st.lists(costs, min_size=count * n * m, max_size=count * n * m)
    return numbers.map(lambda values: np.reshape(values, (count, n, m)))


def sample(posterior: bo.Posterior, seed: int) -> bo.Draws:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bo.errors.ConvergenceWarning)  # short, on purpose
        return bo.sample(posterior, draws=10, chains=4, warmup=40, seed=seed)


# One shape in all examples: a new one would compile a new program.
@quick
@given(
    vectors(3),
    vectors(4),
    matrices(2, 3, 4),
    st.floats(1e-6, 1e6),
    st.sampled_from(PRIORS),
    st.sampled_from([bo.likelihoods.ForAll, bo.likelihoods.Exists, bo.likelihoods.Each]),
    st.integers(0, 2**31),
)
def test_every_draw_is_a_plan(a, b, cost, sharpness, prior, reading, seed):
    problem = bo.Problem(a, b, normalise=True)
    draws = sample(bo.Posterior(problem, prior, reading(cost, sharpness)), seed)
    check_plans(draws.plans, problem)
    assert draws.diagnostics.margin_error <= 1e-12
    assert np.all(draws.plans <= problem.upper * (1 + 1e-12))
    assert not np.isnan(draws.diagnostics.rhat).any()


@quick
@given(vectors(3), st.permutations(range(3)), st.integers(0, 2), st.integers(0, 3))
def test_labels_and_zeros_stay_with_their_masses(a, order, zero_row, zero_column):
    """Zero mass is zero in every draw, wherever it is, and margins go with their labels."""
    a = np.insert([a[i] for i in order], zero_row, 0.0)
    b = np.insert([3.0, 2.0, 1.0], zero_column, 0.0)
    labels = {f"row {i}": mass for i, mass in enumerate(a)}
    draws = sample(bo.Posterior(bo.Problem(labels, list(b), normalise=True)), seed=1)
    assert draws.problem.row_labels == tuple(labels)
    check_plans(draws.plans, draws.problem)
    assert not draws.plans[:, :, zero_row].any()
    assert not draws.plans[..., zero_column].any()


junk = st.deferred(
    lambda: (
        st.none()
        | st.booleans()
        | st.integers(-(2**70), 2**70)
        | st.floats()
        | st.text(max_size=3)
        | st.complex_numbers()
        | st.binary(max_size=3)
        | st.lists(junk, max_size=4)
        | st.dictionaries(st.text(max_size=2), junk, max_size=3)
    )
)


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(["a", "b", "costs", "sharpness", "weights", "concentration"]), junk)
def test_whatever_is_passed_is_taken_or_refused_in_words(name, value):
    """Bad input is a `ValueError` that names the argument: never another error, never a NaN."""
    arguments = {"a": [1.0, 1.0], "b": [1.0, 1.0], "costs": np.eye(2)} | {name: value}

    def build() -> bo.Posterior:
        problem = bo.Problem(arguments["a"], arguments["b"])
        likelihood = bo.likelihoods.Exists(
            arguments["costs"], arguments.get("sharpness", 1.0), arguments.get("weights")
        )
        prior = bo.priors.Dirichlet(arguments.get("concentration", 1.0))
        return bo.Posterior(problem, prior, likelihood)

    try:
        posterior = build()
    except bo.errors.InputError as error:
        words = str(error)
    else:
        words = f"`{name}`"
        assert np.isfinite(posterior.log_density(posterior.problem.independent))
    assert f"`{name}" in words or f".{name}`" in words or f"of {name}`" in words
