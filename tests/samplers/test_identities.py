"""Truths at sizes that quadrature cannot reach."""

from __future__ import annotations

import numpy as np
import pytest
from tests import truths
from tests.samplers.contract import check_mean, check_plans

import bayesot as bo

SAMPLERS = [bo.samplers.Swap()]


def random_problem(n, m, seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.dirichlet(np.full(n, 3.0)), rng.dirichlet(np.full(m, 3.0))
    return bo.Problem(a, b), rng.gamma(2.0, 1.0, (n, m))


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
@pytest.mark.parametrize(("n", "m"), [(5, 10), (10, 5), (20, 15), (30, 30)])
def test_excess_cost_of_a_sharp_posterior_is_the_dimension(n, m, sampler):
    """``s (⟨S, G⟩ - OT)`` is a sum of d exponentials of mean one as s grows."""
    problem, cost = random_problem(n, m)
    s = 1e9
    posterior = bo.Posterior(problem, likelihood=bo.likelihoods.ForAll(cost, s))
    draws = bo.sample(posterior, draws=300, chains=8, sampler=sampler, seed=1)
    check_plans(draws.plans, problem)
    from bayesot.polytope.vertices import optimal_values

    excess = s * (draws.cost(cost) - optimal_values(problem.a, problem.b, cost[None])[0])
    d = problem.dimension
    check_mean(excess, np.array(d), slack=1e-6 * d + s * 1e-15)
    check_mean((excess - d) ** 2, np.array(d), slack=1e-2 * d)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
@pytest.mark.parametrize(("n", "m"), [(3, 4), (4, 4)])
def test_sharp_posteriors_agree_with_brions_formula(n, m, sampler):
    problem, cost = random_problem(n, m, seed=3)
    s = 400.0
    posterior = bo.Posterior(problem, likelihood=bo.likelihoods.ForAll(cost, s))
    draws = bo.sample(posterior, draws=1000, chains=16, sampler=sampler, seed=1)
    found = truths.vertex_sum(problem.a, problem.b, cost, s)
    check_mean(draws.plans, found.mean)
    check_mean((draws.plans - found.mean) ** 2, found.std**2)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
def test_birkhoff_polytope_has_the_known_covariance(sampler):
    thirds = np.full(3, 1 / 3)
    draws = bo.sample(bo.Posterior(bo.Problem(thirds, thirds)), sampler=sampler, seed=2)
    deviation = draws.plans - 1 / 9
    products = np.einsum("cdij,cdkl->cdijkl", deviation, deviation)
    check_mean(draws.plans, np.full((3, 3), 1 / 9))
    check_mean(products, truths.birkhoff3_covariance())


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
@pytest.mark.parametrize("prior", [bo.priors.Uniform(), bo.priors.Dirichlet(0.5)], ids=repr)
def test_cells_that_symmetry_exchanges_have_the_same_law(prior, sampler):
    """Equal margins and a cost that only depends on ``j - i``: shifting rows and columns together
    changes nothing, so all cells on a wrapped diagonal are alike."""
    n = 5
    quarter = np.full(n, 1 / n)
    i, j = np.indices((n, n))
    cost = np.array([0.0, 1.0, 3.0, 2.0, 0.5])[(j - i) % n]
    likelihood = bo.likelihoods.ForAll(cost, 3.0)
    draws = bo.sample(
        bo.Posterior(bo.Problem(quarter, quarter), prior, likelihood), seed=3, sampler=sampler
    )
    diagonals = np.stack([draws.plans[..., i[:, 0], (i[:, 0] + k) % n] for k in range(n)], -1)
    for moment in (diagonals, diagonals**2):
        average = moment.mean(2, keepdims=True)
        check_mean(moment - average, np.zeros((n, n)))


@pytest.mark.parametrize("reading", [bo.likelihoods.ForAll, bo.likelihoods.Each])
def test_transposing_the_problem_transposes_the_law(reading):
    problem, cost = random_problem(4, 6, seed=4)
    turned = bo.Problem(problem.b, problem.a)
    one = bo.sample(bo.Posterior(problem, likelihood=reading(cost, 30.0)), seed=1)
    two = bo.sample(bo.Posterior(turned, likelihood=reading(cost.T, 30.0)), seed=2)
    chains = min(one.plans.shape[0], two.plans.shape[0])
    difference = one.plans[:chains] - np.swapaxes(two.plans[:chains], -1, -2)
    check_mean(difference, np.zeros(problem.shape))


def test_stein_identity_for_a_dirichlet_prior():
    """``E[v·∇log π + div v] = 0`` for the field that moves a swap by the product of its cells."""
    problem, cost = random_problem(6, 7, seed=5)
    alpha, s = 2.0, 10.0
    posterior = bo.Posterior(problem, bo.priors.Dirichlet(alpha), bo.likelihoods.ForAll(cost, s))
    draws = bo.sample(posterior, draws=1000, chains=16, seed=6)
    g = draws.plans
    p, q, r, t = g[..., 0, 0], g[..., 1, 1], g[..., 0, 1], g[..., 1, 0]
    sign = np.array([1, 1, -1, -1])
    cells = np.stack([p, q, r, t], -1)
    slope = (sign * ((alpha - 1) / cells)).sum(-1) - s * (
        cost[0, 0] + cost[1, 1] - cost[0, 1] - cost[1, 0]
    )
    field = cells.prod(-1)
    divergence = (sign * field[..., None] / cells).sum(-1)
    scale = np.abs(field * slope).mean()
    check_mean((field * slope + divergence) / scale, np.array(0.0))
