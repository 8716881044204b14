"""Every sampler × (prior, likelihood, size, sharpness), against quadrature."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tests import truths
from tests.samplers.contract import Target, check_against, check_plans

import bayesot as bo

SAMPLERS = [bo.samplers.Swap()]

A2, B2 = [0.6, 0.4], [0.7, 0.3]
COSTS_2X2 = np.array([[[0.0, 2.0], [1.5, 0.2]], [[1.0, 0.3], [0.1, 1.2]], [[0.5, 0.4], [0.2, 0.3]]])
WEIGHTS = [1.0, 2.0, 0.5]

A23, B23 = [0.55, 0.45], [0.2, 0.5, 0.3]
A33, B33 = [0.5, 0.3, 0.2], [0.25, 0.35, 0.4]
RNG = np.random.default_rng(8)
COSTS_2X3 = RNG.gamma(2.0, 1.0, (3, 2, 3))
COSTS_3X3 = RNG.gamma(2.0, 1.0, (3, 3, 3))
EACH_CELL = np.array([[2.0, 0.5], [0.8, 3.0]])

P = bo.priors
PRIORS = {
    "uniform": (P.Uniform(), truths.uniform()),
    "entropy": (P.Entropy(3.0), truths.entropy(3.0)),
    "dirichlet 0.1": (P.Dirichlet(0.1), truths.dirichlet(0.1)),
    "dirichlet 0.5": (P.Dirichlet(0.5), truths.dirichlet(0.5)),
    "dirichlet 1": (P.Dirichlet(1.0), truths.dirichlet(1.0)),
    "dirichlet 5": (P.Dirichlet(5.0), truths.dirichlet(5.0)),
    "dirichlet 500": (P.Dirichlet(500.0), truths.dirichlet(500.0)),
    "dirichlet by cell": (P.Dirichlet(EACH_CELL), truths.dirichlet(EACH_CELL)),
    "tsallis 2": (P.Tsallis(2.0, 4.0), truths.tsallis(2.0, 4.0)),
    "tsallis 0.5": (P.Tsallis(0.5, 2.0), truths.tsallis(0.5, 2.0)),
    "gaussian": (P.Gaussian(0.2, scale=0.07), truths.normal(0.2, 0.07)),
    "normal by cell": (P.Normal(0.2, 0.1 * EACH_CELL), truths.normal(0.2, 0.1 * EACH_CELL)),
    "gamma 3": (P.Gamma(3.0, 0.05), truths.gamma(3.0, 0.05)),
    "gamma 0.5": (P.Gamma(0.5, 0.2), truths.gamma(0.5, 0.2)),
    "beta": (P.Beta(0.6, 3.0), truths.beta(0.6, 3.0)),
    "chi-square": (P.ChiSquare(1.5), truths.chi_square(1.5)),
    "logistic": (P.Logistic(0.2, 0.05), truths.logistic(0.2, 0.05)),
    "weibull 2": (P.Weibull(2.0, 0.2), truths.weibull(2.0, 0.2)),
    "weibull 0.7": (P.Weibull(0.7, 0.2), truths.weibull(0.7, 0.2)),
    "product": (
        P.Dirichlet(2.0) * P.Entropy(1.0) * P.Uniform(),
        truths.product(truths.dirichlet(2.0), truths.entropy(1.0)),
    ),
}

READINGS = ("NoCost", "ForAll", "Exists", "Exists regret", "Each")


def target(name, a, b, prior, costs, reading, s, weights=None) -> Target:
    """A posterior in the library's words and in those of `truths`."""
    ours, theirs = prior
    if reading == "NoCost":
        likelihood, truth = bo.likelihoods.NoCost(), partial(truths.truth, a, b, theirs)
    elif reading == "Each":
        likelihood = bo.likelihoods.Each(costs, s, weights)
        truth = partial(truths.truth_each, a, b, theirs, costs, s, weights)
    elif reading == "ForAll":
        likelihood = bo.likelihoods.ForAll(costs, s, weights)
        truth = partial(truths.truth, a, b, theirs, truths.for_all(costs, s, weights))
    else:
        regret = reading.endswith("regret")
        offsets = [truths.optimal_cost(a, b, c) for c in costs] if regret else 0.0
        likelihood = bo.likelihoods.Exists(costs, s, weights, regret=regret)
        truth = partial(truths.truth, a, b, theirs, truths.exists(costs, s, weights, offsets))
    posterior = bo.Posterior(bo.Problem(a, b), ours, likelihood)
    return Target(f"{name}, {reading}, s={s:g}", posterior, truth)


TABLE = [
    target(f"2x2, {name}", A2, B2, prior, COSTS_2X2, reading, 3.0, WEIGHTS)
    for name, prior in PRIORS.items()
    for reading in READINGS
]
TABLE += [  # sharp: one vertex takes nearly all of the mass
    target(f"2x2, {name}", A2, B2, PRIORS[name], COSTS_2X2[0], "ForAll", s)
    for name in ("uniform", "dirichlet 0.1", "dirichlet 5", "entropy")
    for s in (1e2, 1e4, 1e6)
]
TABLE += [
    target(f"{size}, {name}", a, b, PRIORS[name], costs, reading, s)
    for size, a, b, costs in (("2x3", A23, B23, COSTS_2X3), ("3x3", A33, B33, COSTS_3X3))
    for name in ("uniform", "dirichlet 0.5", "dirichlet 5", "entropy", "product")
    for reading, s in (("NoCost", 1.0), ("ForAll", 2.0), ("Exists regret", 4.0), ("Each", 20.0))
]


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
@pytest.mark.parametrize("case", TABLE, ids=lambda case: case.name)
def test_sampler_agrees_with_quadrature(case: Target, sampler: bo.samplers.Sampler):
    draws = bo.sample(case.posterior, draws=1000, chains=16, sampler=sampler, seed=5)
    check_plans(draws.plans, case.posterior.problem)
    assert draws.diagnostics.converged, draws.diagnostics.verdict
    check_against(draws.plans, case.truth())
