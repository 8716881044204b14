"""The posterior's density, under JAX's transformations, at boundaries and with zero mass."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import bayesot as bo
from bayesot._x64 import double_precision
from bayesot.errors import InputError, Unsupported

P, L = bo.priors, bo.likelihoods
RNG = np.random.default_rng(2)
PROBLEM = bo.Problem([0.5, 0.3, 0.2], [0.4, 0.6])
COSTS = RNG.gamma(2.0, 1.0, (4, 3, 2))
PLANS = np.array(
    [
        [[0.2, 0.3], [0.1, 0.2], [0.1, 0.1]],
        [[0.1, 0.4], [0.15, 0.15], [0.15, 0.05]],
        [[0.3, 0.2], [0.05, 0.25], [0.05, 0.15]],
    ]
)
PRIORS = {
    "uniform": P.Uniform(),
    "dirichlet": P.Dirichlet(RNG.uniform(0.5, 2.0, (3, 2))),
    "product": P.Entropy(2.0) * P.Normal(0.1, [0.1, 0.2]),
    "covariance": P.Gaussian(0.1, covariance=np.eye(6) + 0.3),
    "custom": P.Custom(lambda plan: -jnp.sum(plan**3)),
}
LIKELIHOODS = {
    "none": L.NoCost(),
    "for all": L.ForAll(COSTS, 3.0),
    "exists": L.Exists(COSTS, 3.0, weights=[1, 0, 2, 1]),
    "regret": L.Exists(COSTS, 3.0, regret=True),
}
every_prior = pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
every_likelihood = pytest.mark.parametrize("likelihood", LIKELIHOODS.values(), ids=LIKELIHOODS)


@every_prior
@every_likelihood
def test_density_is_the_sum(prior, likelihood):
    posterior = bo.Posterior(PROBLEM, prior, likelihood)
    tilts = likelihood.tilts(PROBLEM, likelihood.offsets(PROBLEM))
    expected = prior.log_density(PLANS) + likelihood.log_density(PLANS, tilts)
    found = posterior.log_density(PLANS)
    assert found.shape == (3,) and found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert posterior.log_density(PLANS[0].tolist()) == pytest.approx(found[0], rel=1e-14)
    assert posterior.log_density(PLANS[:, None]).shape == (3, 1)


@every_prior
@every_likelihood
def test_jit_and_grad(prior, likelihood):
    posterior = bo.Posterior(PROBLEM, prior, likelihood)
    with double_precision():
        values = jax.jit(posterior.log_density)(PLANS)
        as_argument = jax.jit(lambda posterior, plan: posterior.log_density(plan))(posterior, PLANS)
        slope = np.asarray(jax.grad(posterior.log_density)(jnp.asarray(PLANS[0])))
    np.testing.assert_allclose(values, posterior.log_density(PLANS), rtol=1e-12)
    np.testing.assert_allclose(as_argument, values, rtol=1e-12)
    direction = PLANS[1] - PLANS[0]
    ends = [posterior.log_density(PLANS[0] + h * direction) for h in (1e-5, -1e-5)]
    assert float((slope * direction).sum()) == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5)


def test_new_numbers_of_the_same_shapes_do_not_compile_again():
    traces = 0

    @jax.jit
    def density(posterior: bo.Posterior, plan: Any) -> Any:
        nonlocal traces
        traces += 1
        return posterior.log_density(plan)

    with double_precision():
        for k in range(3):
            rng = np.random.default_rng(k)
            posterior = bo.Posterior(
                bo.Problem(rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(2))),
                P.Dirichlet(rng.uniform(1, 2)) * P.Entropy(rng.uniform(0, 1)),
                L.Exists(rng.normal(size=(4, 3, 2)), rng.uniform(1, 5), regret=True),
            )
            expected = posterior.log_density(PLANS)
            np.testing.assert_allclose(density(posterior, PLANS), expected, rtol=1e-12)
    assert traces == 1


def test_a_traced_posterior_takes_a_plan_of_known_numbers():
    """In a process of its own, since JAX does not recover from what fails inside a trace."""
    code = """
import jax, numpy as np, bayesot as bo
plan = np.array([[0.3, 0.2], [0.1, 0.4]])
likelihood = bo.likelihoods.ForAll([[1.0, 2.0], [3.0, 1.0]], sharpness=2.0)
posterior = bo.Posterior(bo.Problem([0.5, 0.5], [0.4, 0.6]), likelihood=likelihood)
value = jax.jit(lambda posterior: posterior.log_density(plan))(posterior)
assert abs(value + 2.8) < 1e-5
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_what_is_left_out_is_uniform_and_without_cost():
    posterior = bo.Posterior(PROBLEM)
    assert posterior.prior == P.Uniform() and posterior.likelihood == L.NoCost()
    assert np.all(posterior.log_density(PLANS) == 0)
    assert repr(posterior) == (
        "Posterior(Problem(3 sources × 2 targets, total mass 1), prior=Uniform(), "
        "likelihood=NoCost())"
    )


def test_each_has_no_density():
    with pytest.raises(Unsupported, match="normaliser"):
        bo.Posterior(PROBLEM, likelihood=L.Each(COSTS)).log_density(PLANS)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"problem": ([0.5, 0.5], [0.5, 0.5])}, r"`problem` must be a Problem.*bayesot\.Problem"),
    ({"problem": None}, "`problem` must be a Problem, got None"),
    ({"prior": "uniform"}, r"`prior` must be a Prior, got 'uniform' \(str\).*bayesot\.priors"),
    ({"prior": P.Uniform}, "`prior` must be a Prior, got <class"),
    ({"prior": L.NoCost()}, "`prior` must be a Prior, got NoCost"),
    ({"likelihood": COSTS[0].tolist()}, "`likelihood` must be a Likelihood.*ForAll"),
    ({"likelihood": P.Uniform()}, "`likelihood` must be a Likelihood, got Uniform"),
    ({"likelihood": L.NoCost}, "`likelihood` must be a Likelihood, got <class"),
]


@pytest.mark.parametrize(("given", "message"), WRONG, ids=[str(g)[:40] for g, _ in WRONG])
def test_wrong_types_are_refused(given, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        bo.Posterior(**{"problem": PROBLEM, **given})


# Zero mass: the density is that of the problem without the rows and columns that have none

WHOLE = bo.Problem([0.5, 0.0, 0.3, 0.2], [0.4, 0.6, 0.0])
ROWS, COLUMNS = np.ix_([0, 2, 3], [0, 1])
WHOLE_COSTS = RNG.gamma(2.0, 1.0, (4, 4, 3))
CELLS = RNG.uniform(0.3, 3.0, (4, 3))
ZERO_PRIORS = {
    "uniform": (P.Uniform(), P.Uniform()),
    "entropy": (P.Entropy(2.0), P.Entropy(2.0)),
    "gaussian": (P.Gaussian(0.1, scale=CELLS), P.Gaussian(0.1, scale=CELLS[ROWS, COLUMNS])),
    "dirichlet 2": (P.Dirichlet(2.0), P.Dirichlet(2.0)),
    "dirichlet 0.5": (P.Dirichlet(0.5), P.Dirichlet(0.5)),
    "dirichlet by cell": (P.Dirichlet(CELLS), P.Dirichlet(CELLS[ROWS, COLUMNS])),
    "gamma": (P.Gamma(2.0, 0.1), P.Gamma(2.0, 0.1)),
}


@pytest.mark.parametrize("priors", ZERO_PRIORS.values(), ids=ZERO_PRIORS)
@pytest.mark.parametrize("reading", [None, "ForAll", "Exists"])
def test_zero_mass(priors, reading):
    def likelihood(costs: np.ndarray) -> bo.likelihoods.Likelihood:
        if reading is None:
            return L.NoCost()
        return L.ForAll(costs, 2.0) if reading == "ForAll" else L.Exists(costs, 2.0, regret=True)

    whole = bo.Posterior(WHOLE, priors[0], likelihood(WHOLE_COSTS))
    rest = bo.Posterior(PROBLEM, priors[1], likelihood(WHOLE_COSTS[:, ROWS, COLUMNS]))
    found, expected = whole.log_density(WHOLE.embed(PLANS)), rest.log_density(PLANS)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found - found[0], expected - expected[0], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("prior", [P.Uniform(), P.Entropy(1.0)], ids=repr)
@every_likelihood
def test_no_nan_at_a_vertex(prior, likelihood):
    corner = np.array([[0.4, 0.1], [0.0, 0.3], [0.0, 0.2]])
    posterior = bo.Posterior(PROBLEM, prior, likelihood)
    assert np.isfinite(posterior.log_density(corner))
    with double_precision():
        assert np.isfinite(jax.jit(posterior.log_density)(corner))


# A value


def test_records():
    posterior = bo.Posterior(PROBLEM, PRIORS["product"], LIKELIHOODS["regret"])
    again = jax.tree.map(lambda leaf: leaf, posterior)
    for one in (again, copy.deepcopy(posterior), pickle.loads(pickle.dumps(posterior))):
        assert one == posterior and hash(one) == hash(posterior)
        assert np.array_equal(one.log_density(PLANS), posterior.log_density(PLANS))
    assert posterior != bo.Posterior(PROBLEM, PRIORS["product"], LIKELIHOODS["exists"])
    with pytest.raises(AttributeError):
        posterior.prior = P.Uniform()  # pyright: ignore[reportAttributeAccessIssue]


def test_global_precision_is_left_alone():
    bo.Posterior(PROBLEM, PRIORS["dirichlet"], LIKELIHOODS["regret"]).log_density(PLANS)
    assert jnp.ones(1).dtype == np.float32


def test_densities_are_never_nan():
    """Where one factor is infinite and another vanishes, the plan is at the edge: no density."""
    problem = bo.Problem([1, 1], [1, 1])
    both = bo.priors.Dirichlet(2.0) * bo.priors.Dirichlet(0.5)
    for prior in (both, bo.priors.Dirichlet([[1.0, 2.0], [0.5, 1.0]])):
        assert bo.Posterior(problem, prior).log_density([[0.5, 0.0], [0.0, 0.5]]) == -np.inf
    with pytest.raises(InputError, match="`plan` must be finite"):
        bo.Posterior(problem).log_density([[np.nan, 0.5], [0.5, 0.0]])
    with pytest.raises(InputError, match="`plan` must be real numbers"):
        bo.Posterior(problem).log_density("abc")


@pytest.mark.parametrize("function", [lambda p: np.log(p).sum(), lambda p: float(p[0, 0])])
def test_functions_that_are_not_of_jax_are_refused_in_words(function):
    posterior = bo.Posterior(bo.Problem([1, 1], [1, 1]), bo.priors.Custom(function))
    with pytest.raises(InputError, match="`log_density` must be written in JAX"):
        posterior.log_density([[0.25, 0.25], [0.25, 0.25]])
