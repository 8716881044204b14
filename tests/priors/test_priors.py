"""Priors: their densities against SciPy's, what they refuse, and how they behave under JAX."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats
from scipy.special import entr

import bayesot as bo
from bayesot._x64 import double_precision
from bayesot.errors import InputError
from bayesot.priors import Prior, Product, Separable

P = bo.priors
N, M = 3, 4
RNG = np.random.default_rng(4)
PROBLEM = bo.Problem(RNG.dirichlet(np.full(N, 5.0)), RNG.dirichlet(np.full(M, 5.0)))


def plans(count: int, seed: int = 0) -> np.ndarray:
    """Plans inside the polytope: margins are kept by a small move in every 2×2 block."""
    rng = np.random.default_rng(seed)
    plan = np.tile(PROBLEM.independent, (count, 1, 1))
    for i in range(N - 1):
        for j in range(M - 1):
            corners = plan[:, i : i + 2, j : j + 2]
            room = 0.4 * corners.min((1, 2))
            corners += (rng.uniform(-1, 1, count) * room)[:, None, None] * [[1, -1], [-1, 1]]
    return plan


PLANS = plans(5)
Reference = Callable[..., np.ndarray]

# Name, class, parameters, and the logarithm of the density of a cell in SciPy's words.
FAMILIES: list[tuple[str, Callable[..., Prior], dict[str, float], Reference]] = [
    ("Uniform", P.Uniform, {}, lambda x: stats.uniform.logpdf(x)),
    ("Entropy", P.Entropy, {"strength": 2.5}, lambda x, strength: strength * entr(x)),
    (
        "Dirichlet",
        P.Dirichlet,
        {"concentration": 0.7},
        # a Dirichlet law is one of independent gamma variables of the same scale, given their sum
        lambda x, concentration: stats.gamma.logpdf(x, concentration),
    ),
    (
        "Tsallis",
        P.Tsallis,
        {"q": 1.7, "strength": 3.0},
        lambda x, q, strength: -strength * x**q / (q - 1),
    ),
    (
        "Gaussian",
        P.Gaussian,
        {"mean": 0.1, "scale": 0.05},
        lambda x, mean, scale: stats.norm.logpdf(x, mean, scale),
    ),
    (
        "Normal",
        P.Normal,
        {"mean": 0.2, "scale": 0.3},
        lambda x, mean, scale: stats.norm.logpdf(x, mean, scale),
    ),
    (
        "Gamma",
        P.Gamma,
        {"shape": 0.4, "scale": 0.2},
        lambda x, shape, scale: stats.gamma.logpdf(x, shape, scale=scale),
    ),
    (
        "Beta",
        P.Beta,
        {"alpha": 0.6, "beta": 3.0},
        lambda x, alpha, beta: stats.beta.logpdf(x, alpha, beta),
    ),
    ("ChiSquare", P.ChiSquare, {"df": 1.5}, lambda x, df: stats.chi2.logpdf(x, df)),
    (
        "Logistic",
        P.Logistic,
        {"loc": 0.1, "scale": 0.03},
        lambda x, loc, scale: stats.logistic.logpdf(x, loc, scale),
    ),
    (
        "Weibull",
        P.Weibull,
        {"shape": 1.8, "scale": 0.1},
        lambda x, shape, scale: stats.weibull_min.logpdf(x, shape, scale=scale),
    ),
]
NAMES = [name for name, *_ in FAMILIES]
LAYOUTS = {"number": (), "cells": (N, M), "row": (M,), "one row": (1, M), "column": (N, 1)}
EXAMPLES: list[Prior] = [family(**given) for _, family, given, _ in FAMILIES]


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("case", FAMILIES, ids=NAMES)
def test_density_is_that_of_scipy_up_to_a_constant(case, layout):
    _, family, given, reference = case
    rng = np.random.default_rng(1)
    given = {name: value * rng.uniform(0.8, 1.2, layout) for name, value in given.items()}
    prior = family(**given)
    expected = reference(PLANS, **given).sum((1, 2))
    for one in (prior, prior.on(PROBLEM)):
        assert one.separable
        found = one.log_density(PLANS)
        assert found.shape == (5,) and found.dtype == np.float64
        np.testing.assert_allclose(found - found[0], expected - expected[0], rtol=1e-9, atol=1e-9)
        assert one.log_density(PLANS[0].tolist()) == pytest.approx(found[0], rel=1e-14)


@pytest.mark.parametrize("prior", EXAMPLES, ids=repr)
def test_density_is_the_sum_of_elementwise_ones(prior):
    cells = np.asarray(prior.elementwise(PLANS), dtype=float)
    np.testing.assert_allclose(cells.sum((1, 2)), prior.log_density(PLANS), rtol=1e-4)


@pytest.mark.parametrize("prior", EXAMPLES, ids=repr)
def test_any_number_of_leading_axes(prior):
    stacked = np.stack([plans(4, seed) for seed in range(3)])
    found = prior.log_density(stacked)
    assert found.shape == (3, 4)
    one_by_one = [[prior.log_density(plan) for plan in row] for row in stacked]
    np.testing.assert_allclose(found, one_by_one, rtol=1e-13)


def test_only_the_uniform_prior_is_flat():
    flat = [name for name, prior in zip(NAMES, EXAMPLES, strict=True) if getattr(prior, "flat")]  # noqa: B009
    assert flat == ["Uniform"]
    assert (P.Uniform() * P.Uniform()).flat
    assert not (P.Uniform() * P.Entropy(0.0)).flat


# Covariances and functions

ROOT = RNG.normal(size=(N * M, N * M))
COVARIANCE = ROOT @ ROOT.T + 0.1 * np.eye(N * M)
MEAN = RNG.normal(size=(N, M))


def test_gaussian_with_a_covariance():
    prior = P.Gaussian(MEAN, covariance=COVARIANCE)
    law = stats.multivariate_normal(MEAN.ravel(), COVARIANCE)  # pyright: ignore[reportArgumentType]
    expected = law.logpdf(PLANS.reshape(5, -1))
    for one in (prior, prior.on(PROBLEM)):
        assert not one.separable
        found = one.log_density(PLANS)
        assert found.shape == (5,) and found.dtype == np.float64
        np.testing.assert_allclose(found - found[0], expected - expected[0], rtol=1e-9)
        assert one.log_density(PLANS[:4].reshape(2, 2, N, M)).shape == (2, 2)
        assert one.log_density(PLANS[0]) == pytest.approx(found[0], rel=1e-13)


def test_gaussian_mean_broadcasts_with_a_covariance():
    one, all_cells = (P.Gaussian(x, covariance=COVARIANCE) for x in (0.2, np.full((N, M), 0.2)))
    np.testing.assert_allclose(one.log_density(PLANS), all_cells.log_density(PLANS), rtol=1e-13)
    np.testing.assert_allclose(
        one.on(PROBLEM).log_density(PLANS), all_cells.log_density(PLANS), rtol=1e-13
    )


def test_a_diagonal_covariance_is_a_scale():
    scale = RNG.uniform(0.1, 0.3, (N, M))
    by_cell = P.Gaussian(0.1, scale=scale)
    whole = P.Gaussian(0.1, covariance=np.diag(scale.ravel() ** 2))
    np.testing.assert_allclose(by_cell.log_density(PLANS), whole.log_density(PLANS), rtol=1e-12)


def smoothness(plan: Any) -> Any:
    return -50.0 * jnp.sum(jnp.diff(plan, axis=1) ** 2)


def test_custom():
    prior = P.Custom(smoothness)
    assert not prior.separable
    expected = -50.0 * (np.diff(PLANS, axis=-1) ** 2).sum((-2, -1))
    found = prior.log_density(PLANS)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert prior.log_density(PLANS[:4].reshape(2, 2, N, M)).shape == (2, 2)
    assert np.ndim(prior.log_density(PLANS[0])) == 0
    assert prior == P.Custom(smoothness) and prior != P.Custom(lambda plan: 0.0)


# Products


def test_products_add_and_flatten():
    three = P.Dirichlet(2.0) * (P.Entropy(1.5) * P.Normal(0.1, 0.2))
    assert isinstance(three, Product) and len(three.factors) == 3
    expected = sum(factor.log_density(PLANS) for factor in three.factors)
    np.testing.assert_allclose(three.log_density(PLANS), expected, rtol=1e-14)
    assert three.separable
    assert three == (P.Dirichlet(2.0) * P.Entropy(1.5)) * P.Normal(0.1, 0.2)
    assert three != P.Dirichlet(2.0) * P.Entropy(1.5)
    assert repr(three) == (
        "Dirichlet(concentration=2.0) * Entropy(strength=1.5) * Normal(mean=0.1, scale=0.2)"
    )


def test_products_with_a_factor_that_couples_cells():
    for coupled in (P.Custom(smoothness), P.Gaussian(MEAN, covariance=COVARIANCE)):
        product = P.Dirichlet(2.0) * coupled
        assert not product.separable and not product.flat
        expected = P.Dirichlet(2.0).log_density(PLANS) + coupled.log_density(PLANS)
        np.testing.assert_allclose(product.log_density(PLANS), expected, rtol=1e-14)
        with pytest.raises(InputError, match="not a sum over cells"):
            product.elementwise(PLANS)


@pytest.mark.parametrize("other", [2, 2.0, "x", None, bo.likelihoods.NoCost()], ids=repr)
def test_only_priors_multiply_priors(other):
    with pytest.raises(TypeError):
        _ = P.Dirichlet(2.0) * other
    with pytest.raises(TypeError):
        _ = other * P.Dirichlet(2.0)


@pytest.mark.parametrize(
    ("prior", "text"),
    [
        (P.Uniform(), "Uniform()"),
        (P.Dirichlet(2), "Dirichlet(concentration=2.0)"),
        (P.Dirichlet(np.ones((N, M))), "Dirichlet(concentration=<3×4>)"),
        (P.Gaussian(0.1, scale=np.ones(M)), "Gaussian(mean=0.1, scale=<4>)"),
        (P.Gaussian(covariance=np.eye(4)), "Gaussian(mean=0.0, covariance=<4×4>)"),
        (P.Normal(), "Normal(mean=0.0, scale=1.0)"),
        (P.Logistic(), "Logistic(loc=0.0, scale=1.0)"),
    ],
)
def test_repr(prior, text):
    assert repr(prior) == text


# Refusals

NAN, INF = float("nan"), float("inf")
REFUSED: list[tuple[Callable[..., Prior], dict[str, Any], str]] = [
    (P.Entropy, {"strength": -1}, r"`strength` must not be negative, got -1"),
    (P.Entropy, {"strength": NAN}, "`strength` must be finite, got nan"),
    (P.Entropy, {"strength": True}, "`strength` must be real numbers, got True"),
    (P.Entropy, {"strength": "1"}, "`strength` must be real numbers, got '1'"),
    (P.Entropy, {"strength": None}, "`strength` must be real numbers, got None"),
    (P.Entropy, {"strength": []}, "`strength` must not be empty"),
    (P.Entropy, {"strength": [[1, 2], [3]]}, "`strength` must be real numbers"),
    (P.Dirichlet, {"concentration": 0}, "`concentration` must be above zero, got 0"),
    (
        P.Dirichlet,
        {"concentration": [[1, 2], [3, -4]]},
        r"`concentration` must be above zero, got -4 at `concentration\[1, 1\]`",
    ),
    (P.Dirichlet, {"concentration": INF}, "`concentration` must be finite, got inf"),
    (P.Dirichlet, {"concentration": 1j}, "`concentration` must be real numbers"),
    (P.Tsallis, {"q": 1.0}, "`q` must not be one, got 1.*Entropy"),
    (P.Tsallis, {"q": [2.0, 1.0]}, r"`q` must not be one, got 1 at `q\[1\]`"),
    (P.Tsallis, {"q": 0.0}, "`q` must be above zero"),
    (P.Tsallis, {"q": 2.0, "strength": -1}, "`strength` must not be negative"),
    (P.Gaussian, {}, "either `scale` or `covariance`, got neither"),
    (P.Gaussian, {"scale": 1, "covariance": np.eye(2)}, "got both"),
    (P.Gaussian, {"scale": 0}, "`scale` must be above zero"),
    (P.Gaussian, {"mean": NAN, "scale": 1}, "`mean` must be finite"),
    (P.Gaussian, {"covariance": 1.0}, "`covariance` must be 2-D"),
    (P.Gaussian, {"covariance": np.ones((2, 3))}, r"`covariance` must be square.*got \(2, 3\)"),
    (P.Gaussian, {"covariance": [[1, 2], [0, 1]]}, "`covariance` must be symmetric"),
    (P.Gaussian, {"covariance": [[1, 2], [2, 1]]}, "`covariance` must be positive definite.*-1"),
    (P.Gaussian, {"covariance": np.zeros((2, 2))}, "`covariance` must be positive definite"),
    (P.Normal, {"scale": -1}, "`scale` must be above zero"),
    (P.Normal, {"mean": INF}, "`mean` must be finite"),
    (P.Gamma, {"shape": 0}, "`shape` must be above zero"),
    (P.Gamma, {"shape": 1, "scale": 0}, "`scale` must be above zero"),
    (P.Beta, {"alpha": -1, "beta": 1}, "`alpha` must be above zero"),
    (P.Beta, {"alpha": 1, "beta": 0}, "`beta` must be above zero"),
    (P.ChiSquare, {"df": 0}, "`df` must be above zero"),
    (P.Logistic, {"loc": NAN}, "`loc` must be finite"),
    (P.Logistic, {"scale": 0}, "`scale` must be above zero"),
    (P.Weibull, {"shape": 0}, "`shape` must be above zero"),
    (P.Weibull, {"shape": 1, "scale": -2}, "`scale` must be above zero"),
    (P.Custom, {"log_density": 3}, "must be a function of a plan, got 3"),
]


@pytest.mark.parametrize(
    ("family", "given", "message"), REFUSED, ids=[f"{f.__name__}-{g}"[:50] for f, g, _ in REFUSED]
)
def test_bad_parameters_are_refused(family, given, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        family(**given)


def test_traced_parameters_are_refused_with_the_way_out():
    with pytest.raises(InputError, match=r"`concentration` must be known numbers.*outside"):
        jax.jit(lambda alpha: P.Dirichlet(alpha).log_density(PLANS[0]))(2.0)


@pytest.mark.parametrize("shape", [(N,), (M, N), (2, N, M), (M, 1), (1, N, M)], ids=str)
@pytest.mark.parametrize("case", FAMILIES[1:], ids=NAMES[1:])
def test_shapes_that_do_not_belong_to_the_problem_are_refused(case, shape):
    name, family, given, _ = case
    for argument, value in given.items():
        wrong = family(**{**given, argument: np.full(shape, value)})
        for prior in (wrong, P.Uniform() * wrong):
            with pytest.raises(
                InputError, match=rf"`{name}\.{argument}` must broadcast .*\(3, 4\)"
            ):
                bo.Posterior(PROBLEM, prior)


def test_a_covariance_of_other_plans_is_refused():
    prior = P.Gaussian(covariance=np.eye(6))
    with pytest.raises(InputError, match=r"`Gaussian\.covariance` .* \(12, 12\) .*got \(6, 6\)"):
        bo.Posterior(PROBLEM, prior)
    with pytest.raises(InputError, match=r"`Gaussian\.mean` must broadcast"):
        bo.Posterior(PROBLEM, P.Gaussian(np.ones(3), covariance=COVARIANCE))


# Values: fixed, comparable, pytrees

CELLS = np.full((N, M), 2.0)
ALL: list[Prior] = [
    *EXAMPLES,
    P.Dirichlet(CELLS),
    P.Gaussian(MEAN, covariance=COVARIANCE),
    P.Custom(smoothness),
    P.Dirichlet(CELLS) * P.Entropy(1.0) * P.Custom(smoothness),
]
ALL_NAMES = [*NAMES, "by cell", "covariance", "Custom", "product"]


@pytest.mark.parametrize("prior", ALL, ids=ALL_NAMES)
def test_pytree_round_trip(prior):
    leaves, structure = jax.tree.flatten(prior)
    assert all(isinstance(leaf, (np.ndarray, np.generic)) for leaf in leaves)
    for again in (jax.tree.unflatten(structure, leaves), jax.tree.map(lambda x: x, prior)):
        assert type(again) is type(prior) and again == prior and hash(again) == hash(prior)
        assert again.log_density(PLANS[0]) == prior.log_density(PLANS[0])
    for copied in (copy.deepcopy(prior), copy.copy(prior), pickle.loads(pickle.dumps(prior))):
        assert copied == prior
    doubled = jax.tree.map(lambda x: 2 * x, prior)
    assert (doubled == prior) == all(np.all(leaf == 0) for leaf in leaves)


def test_nothing_can_be_changed():
    prior = P.Dirichlet(CELLS)
    with pytest.raises(ValueError, match="read-only"):
        prior.concentration[0, 0] = 5.0
    with pytest.raises(AttributeError):
        prior.concentration = 5.0  # pyright: ignore[reportAttributeAccessIssue]


def test_arrays_that_are_changed_afterwards_do_not_change_the_prior():
    alpha = np.full((N, M), 2.0)
    prior = P.Dirichlet(alpha)
    alpha[:] = 7.0
    assert np.all(prior.concentration == 2.0)


@pytest.mark.parametrize("prior", ALL, ids=ALL_NAMES)
def test_jit_compiles_once_for_new_numbers(prior):
    traces = 0

    @jax.jit
    def density(prior: Prior, plan: Any) -> Any:
        nonlocal traces
        traces += 1
        return prior.log_density(plan)

    with double_precision():
        for factor in (1.0, 1.1, 1.3):
            other = jax.tree.map(lambda x, by=factor: x * by, prior)
            expected = other.log_density(PLANS)
            np.testing.assert_allclose(density(other, PLANS), expected, rtol=1e-12)
    assert traces == 1


@pytest.mark.parametrize("prior", ALL, ids=ALL_NAMES)
def test_gradients_are_finite_inside_and_agree_with_differences(prior):
    direction = PLANS[1] - PLANS[0]
    with double_precision():
        slope = np.asarray(jax.grad(prior.log_density)(jnp.asarray(PLANS[0])))
    assert slope.dtype == np.float64 and np.isfinite(slope).all()
    step = 1e-5
    ends = [prior.log_density(PLANS[0] + sign * step * direction) for sign in (1, -1)]
    difference = (ends[0] - ends[1]) / (2 * step)
    scale = np.abs(slope * direction).sum()  # what cancels in the sum over cells
    assert float((slope * direction).sum()) == pytest.approx(difference, rel=1e-6, abs=1e-6 * scale)


def test_double_precision_without_the_global_flag():
    assert not jax.config.jax_enable_x64  # pyright: ignore[reportAttributeAccessIssue]
    tiny = PLANS[0] * (1 + 1e-12)  # the same in single precision
    for prior in ALL:
        one, two = prior.log_density(PLANS[0]), prior.log_density(tiny)
        assert isinstance(one, np.float64) and (one != two or prior == P.Uniform())
    assert not jax.config.jax_enable_x64  # pyright: ignore[reportAttributeAccessIssue]
    assert jnp.ones(1).dtype == np.float32


def test_single_precision_programs_stay_so():
    for prior in ALL[-4:]:
        assert jax.jit(prior.log_density)(jnp.asarray(PLANS[0])).dtype == np.float32


def test_a_traced_prior_takes_a_plan_of_known_numbers():
    """In a process of its own, since JAX does not recover from what fails inside a trace."""
    code = """
import jax, numpy as np, bayesot as bo
plan = np.array([[0.3, 0.2], [0.1, 0.4]])
prior = bo.priors.Dirichlet(2.0)
value = jax.jit(lambda prior: prior.log_density(plan))(prior)
assert abs(value - np.log(plan).sum()) < 1e-5
slope = jax.grad(lambda prior: prior.log_density(plan))(prior)
assert abs(slope.concentration - np.log(plan).sum()) < 1e-5
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_boundaries_of_the_polytope():
    corner = np.array([[0.5, 0.0], [0.0, 0.5]])
    assert P.Uniform().log_density(corner) == 0.0
    assert P.Entropy(2.0).log_density(corner) == pytest.approx(2 * np.log(2))
    assert P.Dirichlet(1.0).log_density(corner) == 0.0
    assert P.Dirichlet(2.0).log_density(corner) == -np.inf
    assert P.Dirichlet(0.5).log_density(corner) == np.inf
    for prior in (P.Tsallis(0.5), P.Gamma(1.0), P.Beta(1.0, 1.0), P.ChiSquare(2.0), P.Weibull(1.0)):
        assert np.isfinite(prior.log_density(corner))


def test_a_new_separable_prior_is_one_small_class():
    from dataclasses import dataclass

    @dataclass(frozen=True, eq=False, repr=False)
    class Cauchy(Separable):
        _leaves = 1
        scale: Any

        def elementwise(self, x: Any) -> Any:
            return -jnp.log1p((x / self.scale) ** 2)

    prior = Cauchy(np.float64(0.1)) * P.Dirichlet(2.0)
    posterior = bo.Posterior(PROBLEM, prior)
    expected = (stats.cauchy.logpdf(PLANS, 0, 0.1) + np.log(PLANS)).sum((1, 2))
    found = posterior.log_density(PLANS)
    np.testing.assert_allclose(found - found[0], expected - expected[0], rtol=1e-9)
    assert repr(prior) == "Cauchy(scale=0.1) * Dirichlet(concentration=2.0)"
