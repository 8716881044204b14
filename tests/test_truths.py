"""The truths against closed forms, against other software, and against one another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.spatial import ConvexHull
from tests import truths as t

A2, B2 = [0.3, 0.7], [0.6, 0.4]
A3, B3 = [0.37, 0.25, 0.38], [0.2, 0.35, 0.45]
SHAPES = {"2x2": (A2, B2), "2x3": (A2, B3), "3x2": (A3, B2), "3x3": (A3, B3)}
COSTS = np.random.default_rng(0).gamma(2.0, size=(4, 3, 3))

each_shape = pytest.mark.parametrize(("a", "b"), SHAPES.values(), ids=SHAPES.keys())


def costs_for(a: list[float], b: list[float]) -> t.Array:
    return COSTS[:, : len(a), : len(b)]


def volume(a: list[float], b: list[float]) -> float:
    """Volume in the free coordinates, by the hull of the vertices."""
    corners = t.vertices(a, b)[:, :-1, :-1].reshape(-1, (len(a) - 1) * (len(b) - 1))
    return float(np.ptp(corners) if corners.shape[1] == 1 else ConvexHull(corners).volume)


# --- Closed forms -------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.6, 1.0, 2.0, 5.0])
def test_dirichlet_on_equal_marginals_is_beta(alpha: float) -> None:
    """Opposite entries are equal, so that G11^(2α-2) (1/2 - G11)^(2α-2) remains."""
    found = t.truth([0.5, 0.5], [0.5, 0.5], t.dirichlet(alpha))
    law = stats.beta(2 * alpha - 1, 2 * alpha - 1, scale=0.5)
    np.testing.assert_allclose(found.mean, 0.25, rtol=1e-12)
    np.testing.assert_allclose(found.std, law.std(), rtol=1e-12)
    x = np.array([0.001, 0.1, 0.3, 0.499])
    for i, j in np.ndindex(2, 2):
        np.testing.assert_allclose(found.cdf(i, j, x), law.cdf(x), atol=1e-8)
    for p in (0.01, 0.5, 0.8):
        np.testing.assert_allclose(found.quantile(p), law.ppf(p), rtol=1e-6)


@pytest.mark.parametrize("s", [1.0, 50.0, 1e4, 1e6])
def test_uniform_prior_at_2x2_is_a_truncated_exponential(s: float) -> None:
    cost = costs_for(A2, B2)[0]
    rate = s * (cost[0, 0] + cost[1, 1] - cost[0, 1] - cost[1, 0])
    # G11 runs over [0, 0.3]; let y run from the cheap end.
    sign, cheapest = (1, [[0.0, 0.3], [0.6, 0.1]]) if rate > 0 else (-1, [[0.3, 0.0], [0.3, 0.4]])
    law = stats.truncexpon(0.3 * abs(rate), scale=1 / abs(rate))
    found = t.truth(A2, B2, t.uniform(), t.for_all(cost, s))
    move = sign * np.array([[1.0, -1.0], [-1.0, 1.0]])
    error = np.abs(found.mean - cheapest - move * law.mean()).max()
    assert error < 1e-8 * law.std()
    np.testing.assert_allclose(found.std, law.std(), rtol=1e-9)
    mass = -np.expm1(-0.3 * abs(rate)) / (0.3 * abs(rate))
    expected = np.log(mass) - s * np.sum(cost * cheapest)
    np.testing.assert_allclose(found.log_evidence, expected, rtol=1e-13)
    steps = np.abs(found.quantile(0.3) - cheapest)
    quantiles = np.where(move > 0, law.ppf(0.3), law.ppf(0.7))
    assert np.abs(steps - quantiles).max() < 1e-7 * law.std()


@each_shape
def test_vertex_sum_agrees_with_quadrature(a: list[float], b: list[float]) -> None:
    cost = costs_for(a, b)[0]
    found, exact = t.truth(a, b, t.uniform(), t.for_all(cost, 20)), t.vertex_sum(a, b, cost, 20)
    assert np.abs((found.mean - exact.mean) / exact.std).max() < 1e-10
    np.testing.assert_allclose(found.std, exact.std, rtol=1e-10)
    log_integral = found.log_evidence + np.log(volume(a, b))
    np.testing.assert_allclose(log_integral, exact.log_integral, atol=1e-10)


@pytest.mark.parametrize("s", [1e3, 1e6])
def test_sharp_posteriors_at_2x3(s: float) -> None:
    cost = costs_for(A2, B3)[0]
    found, exact = t.truth(A2, B3, t.uniform(), t.for_all(cost, s)), t.vertex_sum(A2, B3, cost, s)
    assert np.abs((found.mean - exact.mean) / exact.std).max() < 1e-7
    np.testing.assert_allclose(found.std, exact.std, rtol=1e-9)
    assert t.virial(found.mean, A2, B3, cost, s) == pytest.approx(2, rel=1e-7)


def test_virial_tends_to_the_dimension_at_other_shapes() -> None:
    rng = np.random.default_rng(1)
    a, b, cost = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4)), rng.gamma(2, size=(4, 4))
    exact = t.vertex_sum(a, b, cost, 1e5)
    assert t.virial(exact.mean, a, b, cost, 1e5) == pytest.approx(9, rel=1e-6)
    np.testing.assert_allclose(exact.mean.sum(0), b, rtol=1e-12)


def test_birkhoff_polytope() -> None:
    found = t.truth(np.ones(3) / 3, np.ones(3) / 3, t.uniform())
    np.testing.assert_allclose(found.mean, 1 / 9, rtol=1e-12)
    deviations = found.plans - found.mean
    covariance = np.einsum("k,kij,kpq->ijpq", found.weights, deviations, deviations, optimize=True)
    np.testing.assert_allclose(covariance, t.birkhoff3_covariance(), atol=1e-14)
    x = np.linspace(0, 1, 11)
    for i, j in [(0, 0), (2, 1)]:
        np.testing.assert_allclose(found.cdf(i, j, x / 3), t.birkhoff3_cdf(x), atol=1e-5)
    assert len(t.vertices(np.ones(3) / 3, np.ones(3) / 3)) == 6


# --- Against other software ---------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.1, 0.5])
def test_singular_dirichlet_against_quadpack(alpha: float) -> None:
    """At 2×2 with ``x = G11`` in [0, 0.3]; QUADPACK takes both end-point powers out exactly."""

    def moment(order: int) -> float:
        def regular(x: float) -> float:
            return x**order * ((0.6 - x) * (0.1 + x)) ** (alpha - 1)

        ends = (alpha - 1, alpha - 1)
        value, _ = integrate.quad(regular, 0, 0.3, weight="alg", wvar=ends, epsabs=0, epsrel=1e-12)
        return value

    found = t.truth(A2, B2, t.dirichlet(alpha))
    mean, second = moment(1) / moment(0), moment(2) / moment(0)
    assert found.mean[0, 0] == pytest.approx(mean, rel=1e-10)
    assert found.std[0, 0] == pytest.approx(np.sqrt(second - mean**2), rel=1e-10)


SCIPY = {
    "normal": (t.normal(0.2, 0.3), stats.norm(0.2, 0.3)),
    "gamma": (t.gamma(2.5, 0.1), stats.gamma(2.5, scale=0.1)),
    "beta": (t.beta(2.0, 3.0), stats.beta(2, 3)),
    "chi_square": (t.chi_square(3.0), stats.chi2(3)),
    "logistic": (t.logistic(0.1, 0.05), stats.logistic(0.1, 0.05)),
    "weibull": (t.weibull(0.8, 0.2), stats.weibull_min(0.8, scale=0.2)),
}


@pytest.mark.parametrize(("prior", "law"), SCIPY.values(), ids=SCIPY.keys())
def test_componentwise_priors_are_those_of_scipy(prior: t.LogDensity, law: Any) -> None:
    plans = np.random.default_rng(0).uniform(size=(5, 2, 3))
    np.testing.assert_allclose(np.ptp(prior(plans) - law.logpdf(plans).sum((1, 2))), 0, atol=1e-12)


def test_other_priors() -> None:
    plans = np.random.default_rng(0).uniform(size=(5, 2, 3))
    scale = np.linspace(0.1, 0.6, 6)
    law = t.gaussian(0.1, np.diag(scale**2))(plans)
    np.testing.assert_allclose(law, t.normal(0.1, scale.reshape(2, 3))(plans))
    entropy = t.entropy(2.0)(plans)
    np.testing.assert_allclose(entropy, -2 * (plans * np.log(plans)).sum((1, 2)))
    near_one = t.tsallis(1 + 2**-23, 2.0)(plans) + 2**24 * plans.sum((1, 2))
    np.testing.assert_allclose(near_one, entropy, rtol=1e-5)  # Tsallis tends to the entropy
    both = t.product(t.dirichlet(3.0), t.entropy(2.0))(plans)
    np.testing.assert_allclose(both, 2 * np.log(plans).sum((1, 2)) + entropy)


# --- Identities ---------------------------------------------------------------------------------

TARGETS = {
    "dirichlet 5": (t.dirichlet(5.0), t.for_all(COSTS, 5), 1e-7),
    "dirichlet 0.5": (t.dirichlet(0.5), t.for_all(COSTS[0], 20), 2e-3),
    "entropy, exists": (t.entropy(3.0), t.exists(COSTS, 20, [1, 2, 3, 4], [0.1, 0, 0, 0.2]), 1e-4),
}


@pytest.mark.parametrize(("prior", "likelihood", "accuracy"), TARGETS.values(), ids=TARGETS.keys())
def test_3x3_does_not_depend_on_the_order_of_filling(
    prior: t.LogDensity, likelihood: t.LogDensity, accuracy: float
) -> None:
    """Reversed and transposed, the problem is cut into altogether different cells."""

    def turn(plans: t.Array) -> t.Array:
        return plans[..., ::-1, ::-1].swapaxes(-1, -2)

    found = t.truth(A3, B3, prior, likelihood)
    turned = t.truth(B3[::-1], A3[::-1], prior, lambda plans: likelihood(turn(plans)))
    assert np.abs((found.mean - turn(turned.mean)) / found.std).max() < accuracy
    np.testing.assert_allclose(found.std, turn(turned.std), rtol=accuracy)
    assert found.log_evidence == pytest.approx(float(turned.log_evidence), abs=accuracy)
    assert (found.error / found.std).max() < accuracy
    x = found.mean[1, 2] + found.std[1, 2] * np.linspace(-1, 2, 7)
    np.testing.assert_allclose(found.cdf(1, 2, x), turned.cdf(0, 1, x), atol=1e-3)


@each_shape
def test_stein_identity(a: list[float], b: list[float]) -> None:
    """``E[f ∂log π + ∂f] = 0`` along swaps, for f the product of the four entries they move."""
    alpha, s, cost = 2.0, 5.0, costs_for(a, b)[0]
    found = t.truth(a, b, t.dirichlet(alpha), t.for_all(cost, s))
    for i, j in np.ndindex(len(a) - 1, len(b) - 1):
        cells = np.ix_(range(len(found.plans)), [i, i + 1], [j, j + 1])
        block, signs = found.plans[cells], np.array([[1.0, -1.0], [-1.0, 1.0]])
        f = block.prod((1, 2))
        slope = ((alpha - 1) / block - s * cost[i : i + 2, j : j + 2]) * signs
        terms = f * slope.sum((1, 2)), f * (signs / block).sum((1, 2))
        assert abs(found.weights @ sum(terms)) < 1e-9 * (found.weights @ abs(terms[0]))


@each_shape
def test_exists_mixes_and_its_evidence_adds_up(a: list[float], b: list[float]) -> None:
    """``exists`` sums likelihoods, hence evidences; ``truth_each`` normalises each before."""
    costs, s, weights = costs_for(a, b)[:2], 10.0, np.array([0.5, 1.5])
    single = [t.truth(a, b, t.dirichlet(2.0), t.for_all(cost, s)) for cost in costs]
    evidence = weights * np.exp([part.log_evidence for part in single])
    means = np.array([part.mean for part in single])
    exists = t.truth(a, b, t.dirichlet(2.0), t.exists(costs, s, 2 * weights))
    assert exists.log_evidence == pytest.approx(np.log(evidence.sum()), abs=1e-7)
    expected = np.tensordot(evidence / evidence.sum(), means, 1)
    np.testing.assert_allclose(exists.mean, expected, atol=1e-7)
    each = t.truth_each(a, b, t.dirichlet(2.0), costs, s, weights)
    np.testing.assert_allclose(each.mean, np.tensordot(weights / 2, means, 1), atol=1e-7)
    np.testing.assert_allclose(np.exp(each.log_evidence), evidence / weights, rtol=1e-6)


def test_each_tends_to_optimal_plans_and_to_the_prior() -> None:
    costs, corners = costs_for(A2, B3), t.vertices(A2, B3)
    best = np.tensordot(costs, corners, ([1, 2], [1, 2])).argmin(1)
    sharp = t.truth_each(A2, B3, t.uniform(), costs, 1e6)
    np.testing.assert_allclose(sharp.mean, corners[best].mean(0), atol=1e-4)
    flat, prior = t.truth_each(A2, B3, t.uniform(), costs, 0), t.truth(A2, B3, t.uniform())
    np.testing.assert_allclose(flat.mean, prior.mean, rtol=1e-12)


def test_regret_offsets_and_optimal_cost() -> None:
    """Shifting a cost by a constant leaves the posterior under regret as it was."""
    costs = costs_for(A2, B2)
    shifted = costs + np.arange(4)[:, None, None]

    def regret(costs: t.Array) -> t.Truth:
        offsets = [t.optimal_cost(A2, B2, cost) for cost in costs]
        return t.truth(A2, B2, t.uniform(), t.exists(costs, 1e3, offsets=offsets))

    np.testing.assert_allclose(regret(shifted).mean, regret(costs).mean, rtol=1e-9)
    np.testing.assert_allclose(regret(shifted).log_evidence, regret(costs).log_evidence, rtol=1e-9)


@pytest.mark.parametrize(("a", "b"), [(A2, B2), (A2, B3), (A3, B2)])
def test_plans_are_plans_and_quantiles_invert_the_cdf(a: list[float], b: list[float]) -> None:
    found = t.truth(a, b, t.dirichlet(2.0))
    assert found.plans.min() > 0
    assert np.ptp(found.plans.sum(2) - a) < 1e-15 > np.ptp(found.plans.sum(1) - b)
    np.testing.assert_equal(found.cdf(1, 1, [-0.1, 1.0]), [0.0, 1.0])
    levels = [0.01, 0.3, 0.5, 0.99]
    x = np.array([found.quantile(p)[1, 1] for p in levels])
    np.testing.assert_allclose(found.cdf(1, 1, x), levels, atol=1e-12)


def test_refuses_what_it_cannot_do() -> None:
    with pytest.raises(ValueError, match="2×2, 2×3, 3×2 and 3×3"):
        t.truth([0.5, 0.5], np.ones(4) / 4, t.uniform())
    with pytest.raises(ValueError, match="degenerate"):
        t.vertex_sum([0.5, 0.5], [0.5, 0.5], np.eye(2), 1e3)
