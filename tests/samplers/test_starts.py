"""How draws and starts are shared out among components: no component is favoured or missed."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests import truths
from tests.samplers.contract import check_mean

import bayesot as bo
from bayesot.samplers.lanes import chain_lanes, component_lanes
from bayesot.samplers.starts import component_masses
from bayesot.samplers.target import lower

SQUARE = bo.Problem([0.5, 0.5], [0.5, 0.5])
STRAIGHT, CROSSED = np.eye(2), 1 - np.eye(2)


def sample(likelihood, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bo.errors.ConvergenceWarning)
        return bo.sample(bo.Posterior(SQUARE, likelihood=likelihood), **options)


@pytest.mark.parametrize(("count", "draws"), [(400, 1000), (600, 900), (8000, 1000), (80, 1000)])
@pytest.mark.parametrize("seed", [0, 1])
def test_scenarios_by_turns_are_drawn_alike(count, draws, seed):
    """Mornings and evenings by turns: half of the draws are of each, whatever the counts."""
    costs = np.stack([STRAIGHT, CROSSED] * (count // 2))
    found = sample(bo.likelihoods.Each(costs, sharpness=50.0), draws=draws, seed=seed)
    assert found.components is not None
    assert abs(np.mean(found.components % 2) - 0.5) < 5 * 0.5 / np.sqrt(found.components.size)
    check_mean(found.plans, np.full((2, 2), 0.25))


def test_chains_round_independently():
    """A share of 2.5 draws is 2 in some chains and 3 in others, and so it is in all together."""
    lanes = component_lanes(np.random.default_rng(0), 64, 100, np.ones(40))
    counts = np.bincount(lanes.component, (lanes.places >= 0).sum(1))
    assert np.all(np.abs(counts - 160) < 5 * np.sqrt(64 * 0.25))


@pytest.mark.parametrize(
    "likelihood",
    [
        bo.likelihoods.Exists(np.stack([STRAIGHT] * 99 + [CROSSED - 0.4]), 100.0),
        bo.likelihoods.Exists([STRAIGHT, CROSSED - 0.4], 100.0, weights=[0.99, 0.01]),
        bo.likelihoods.Exists([1000 * STRAIGHT] * 99 + [CROSSED], 30.0, regret=True),
    ],
    ids=["one of many", "of small weight", "flatter than the rest"],
)
@pytest.mark.parametrize("seed", range(3))
def test_a_mode_that_dominates_is_not_missed(likelihood, seed):
    """Chains cannot cross here. So a run that has missed the mode must not look converged."""
    found = sample(likelihood, seed=seed)
    assert not found.diagnostics.converged
    assert found.components is not None
    heavy = likelihood.costs.shape[0] - 1
    assert np.mean(found.components == heavy) >= 0.4


def test_chains_that_keep_to_their_component_are_told_so():
    found = sample(bo.likelihoods.Exists([STRAIGHT, CROSSED], 200.0))
    assert "cost samples that they start in; run with a lower sharpness" in str(found.diagnostics)


@pytest.mark.parametrize("regret", [False, True])
def test_masses_are_about_those_of_quadrature(regret):
    rng = np.random.default_rng(4)
    a, b = [0.55, 0.45], [0.2, 0.5, 0.3]
    costs, s = rng.gamma(2.0, 1.0, (6, 2, 3)) + np.arange(6)[:, None, None] / 20, 100.0
    posterior = bo.Posterior(
        bo.Problem(a, b), likelihood=bo.likelihoods.Exists(costs, s, regret=regret)
    )
    logs = np.log(component_masses(lower(posterior)))
    exact = []
    for cost in costs:
        least = truths.optimal_cost(a, b, cost)
        exact.append(_log_integral(a, b, s * (cost - least)) - (0.0 if regret else s * least))
    np.testing.assert_allclose(logs - logs.max(), np.array(exact) - max(exact), atol=1.5)


def _log_integral(a, b, slope):
    """``log ∫ exp(-⟨slope, G⟩)`` over 2×3 plans, up to a constant, by plain Monte Carlo."""
    rng = np.random.default_rng(0)
    draws = rng.random((400_000, 2)) * np.minimum(a[0], b[:2])
    plans = np.empty((len(draws), 2, 3))
    plans[:, 0, :2] = draws
    plans[:, 0, 2] = a[0] - draws.sum(1)
    plans[:, 1] = b - plans[:, 0]
    inside = plans.min((1, 2)) >= 0
    return np.log(np.mean(np.where(inside, np.exp(-(slope * plans).sum((1, 2))), 0.0)))


def test_starts_are_spread_by_mass_and_over_all():
    masses = np.array([1.0, 1e-30, 1e-30, 0.0, 1e-30, 1e-30])
    lanes = chain_lanes(np.random.default_rng(0), 16, 5, masses)
    assert np.count_nonzero(lanes.component == 0) >= 8
    assert set(lanes.component) == {0, 1, 2, 4, 5}
