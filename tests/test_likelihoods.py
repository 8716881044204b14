"""Readings of cost samples against the formulas that define them, and what is refused."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import logsumexp

import bayesot as bo
from bayesot.errors import InputError, Unsupported
from bayesot.likelihoods import Each, Exists, ForAll, Likelihood, NoCost

K, N, M = 4, 3, 5
RNG = np.random.default_rng(6)
PROBLEM = bo.Problem(RNG.dirichlet(np.full(N, 4.0)), RNG.dirichlet(np.full(M, 4.0)))
COSTS = RNG.normal(1.0, 2.0, (K, N, M))  # some are negative
WEIGHTS = np.array([1.0, 0.0, 2.5, 0.5])
SHARP = 3.0


def plans(count: int) -> np.ndarray:
    """Not quite plans, but densities are formulas."""
    return np.random.default_rng(0).dirichlet(np.ones(N * M), count).reshape(count, N, M)


PLANS = plans(6)


def least_cost(problem: bo.Problem, cost: np.ndarray) -> float:
    """``OT(a, b, C)`` by SciPy's linear programming."""
    n, m = problem.shape
    rows = np.kron(np.eye(n), np.ones(m))
    columns = np.kron(np.ones(n), np.eye(m))
    found = linprog(
        cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([problem.a, problem.b])
    )
    assert found.success
    return float(found.fun)


def density(likelihood: Likelihood, plan: Any = PLANS, problem: bo.Problem = PROBLEM) -> Any:
    return likelihood.log_density(plan, likelihood.tilts(problem, likelihood.offsets(problem)))


def inner(costs: np.ndarray, plans: np.ndarray = PLANS) -> np.ndarray:
    """``⟨C^k, G⟩`` of shape (plans, K)."""
    return (costs[None] * plans[:, None]).sum((-2, -1))


def scaled(weights: np.ndarray | None) -> np.ndarray:
    return np.ones(K) if weights is None else K * weights / weights.sum()


@pytest.mark.parametrize("weights", [None, WEIGHTS, 1e-9 * WEIGHTS], ids=["none", "some", "tiny"])
def test_for_all(weights):
    expected = -SHARP * (scaled(weights) * inner(COSTS)).sum(1)
    found = density(ForAll(COSTS, SHARP, weights))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["none", "some"])
@pytest.mark.parametrize("regret", [False, True])
def test_exists(weights, regret):
    offsets = np.array([least_cost(PROBLEM, c) for c in COSTS]) if regret else np.zeros(K)
    exponents = -SHARP * (inner(COSTS) - offsets)
    expected = np.asarray(logsumexp(exponents, axis=1, b=scaled(weights)))
    found = density(Exists(COSTS, SHARP, weights, regret=regret))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_exists_does_not_overflow():
    for cost in (1e6, -1e6):
        assert density(Exists(np.full((2, N, M), cost), SHARP)) == pytest.approx(
            np.full(6, np.log(2) - SHARP * cost)
        )


def test_no_cost():
    assert np.all(density(NoCost()) == 0.0)
    assert repr(NoCost()) == "NoCost()"
    assert NoCost() == NoCost()


def test_each_has_no_density_but_components():
    each = Each(COSTS, SHARP, WEIGHTS)
    with pytest.raises(Unsupported, match="normaliser of every component.*ForAll"):
        density(each)
    costs, offsets, log_weights = each.tilts(PROBLEM, each.offsets(PROBLEM))
    np.testing.assert_allclose(costs, SHARP * COSTS, rtol=1e-15)
    assert np.all(offsets == 0)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(log_weights, np.log(scaled(WEIGHTS)), rtol=1e-14)
    assert each.composed and not each.mixed


def test_regret_offsets_are_the_least_costs():
    offsets = Exists(COSTS, regret=True).offsets(PROBLEM)
    expected = [least_cost(PROBLEM, cost) for cost in COSTS]
    np.testing.assert_allclose(offsets, expected, rtol=1e-9, atol=1e-12)
    assert np.all(Exists(COSTS).offsets(PROBLEM) == 0)


def test_regret_with_zero_mass():
    whole = bo.Problem([0.3, 0.0, 0.7], [0.2, 0.5, 0.0, 0.3])
    rest = bo.Problem([0.3, 0.7], [0.2, 0.5, 0.3])
    costs = RNG.normal(size=(K, 3, 4))
    offsets = Exists(costs, regret=True).offsets(whole)
    expected = [least_cost(rest, cost) for cost in costs[:, [0, 2]][:, :, [0, 1, 3]]]
    np.testing.assert_allclose(offsets, expected, rtol=1e-9, atol=1e-12)


def test_regret_of_a_single_plan():
    problem = bo.Problem([1.0], [0.25, 0.75])
    assert Exists([[[4.0, 8.0]]], regret=True).offsets(problem) == pytest.approx([7.0])


def test_regret_does_not_depend_on_where_costs_are_zero():
    moved = COSTS + RNG.normal(size=(K, N, 1)) + RNG.normal(size=(K, 1, M))
    plan = PROBLEM.independent
    one, two = (density(Exists(c, SHARP, regret=True), plan) for c in (COSTS, moved))
    assert one == pytest.approx(two, rel=1e-9)


@pytest.mark.parametrize("reading", [ForAll, Exists, Each])
def test_one_exact_cost_is_a_sample_of_one(reading):
    one, many = reading(COSTS[0], SHARP), reading(COSTS[:1], SHARP)
    assert one == many and one.costs.shape == (1, N, M)
    if reading is not Each:
        np.testing.assert_allclose(density(one), -SHARP * inner(COSTS[:1])[:, 0], rtol=1e-12)


@pytest.mark.parametrize("reading", [ForAll, Exists, Each])
def test_weights_are_scaled_to_their_number(reading):
    assert reading(COSTS).weights.tolist() == [1.0] * K
    likelihood = reading(COSTS, weights=WEIGHTS.tolist())
    np.testing.assert_allclose(likelihood.weights, K * WEIGHTS / 4.0, rtol=1e-15)
    assert likelihood == reading(COSTS, weights=WEIGHTS * 8)


@pytest.mark.parametrize("scale", [1e308, 1e-310], ids=str)
def test_weights_of_any_size_are_scaled(scale):
    weights = ForAll(COSTS, weights=np.full(K, scale)).weights
    np.testing.assert_allclose(weights, np.ones(K), rtol=1e-12)


@pytest.mark.parametrize("reading", [ForAll, Exists, Each])
def test_a_sample_of_weight_zero_counts_for_nothing(reading):
    other = COSTS.copy()
    other[1] = 1e3 * RNG.normal(size=(N, M))
    one, two = (reading(c, SHARP, WEIGHTS) for c in (COSTS, other))
    if reading is Each:
        assert np.isneginf(one.tilts(PROBLEM, np.zeros(K)).log_weights[1])
    else:
        np.testing.assert_allclose(density(one), density(two), rtol=1e-12)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"costs": 1.0}, "`costs` must be 2-D or 3-D, got 1"),
    ({"costs": np.ones(4)}, r"`costs` must be 2-D or 3-D, got an array of shape \(4,\)"),
    ({"costs": np.ones((1, 1, 2, 2))}, r"`costs` must be 2-D or 3-D"),
    ({"costs": np.zeros((0, N, M))}, "`costs` must not be empty"),
    ({"costs": "x"}, "`costs` must be real numbers"),
    ({"costs": None}, "`costs` must be real numbers"),
    ({"costs": np.ones((2, 2), bool)}, "`costs` must be real numbers.*bool"),
    ({"costs": [[0.0, np.nan]]}, r"`costs` must be finite, got nan at `costs\[0, 1\]`"),
    ({"costs": [[[0.0, np.inf]]]}, r"`costs` must be finite, got inf at `costs\[0, 0, 1\]`"),
    ({"sharpness": 0}, "`sharpness` must be above zero, got 0"),
    ({"sharpness": -1.0}, "`sharpness` must be above zero, got -1"),
    ({"sharpness": np.nan}, "`sharpness` must be finite"),
    ({"sharpness": True}, "`sharpness` must be real numbers, got True"),
    ({"sharpness": np.True_}, "`sharpness` must be real numbers"),
    ({"sharpness": "1"}, "`sharpness` must be real numbers"),
    ({"sharpness": [1.0, 2.0]}, "`sharpness` must be one number"),
    ({"weights": np.zeros(K)}, "`weights` must not all be zero"),
    ({"weights": [1, 1, -1, 1]}, r"`weights` must not be negative, got -1 at `weights\[2\]`"),
    ({"weights": [1, 1]}, r"`weights` must have shape \(4,\), got an array of shape \(2,\)"),
    ({"weights": 1.0}, r"`weights` must have shape \(4,\)"),
    ({"weights": [1, 1, 1, np.nan]}, "`weights` must be finite"),
    ({"weights": [True] * K}, "`weights` must be real numbers, got True"),
]


@pytest.mark.parametrize("reading", [ForAll, Exists, Each])
@pytest.mark.parametrize(("given", "message"), REFUSED, ids=[str(g)[:40] for g, _ in REFUSED])
def test_bad_input_is_refused(reading, given, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        reading(**{"costs": COSTS, **given})


@pytest.mark.parametrize("reading", [ForAll, Exists, Each])
def test_costs_of_another_problem_are_refused(reading):
    with pytest.raises(InputError, match=r"`costs` must have shape \(N, 3, 5\).*got \(4, 2, 5\)"):
        bo.Posterior(PROBLEM, likelihood=reading(COSTS[:, :2]))
    for turned in (COSTS.swapaxes(1, 2), COSTS[0].T):
        with pytest.raises(InputError, match=r"transposed: pass `costs\.swapaxes\(-2, -1\)`"):
            bo.Posterior(PROBLEM, likelihood=reading(turned))


@pytest.mark.parametrize("reading", [ForAll, Exists, Each])
def test_records(reading):
    likelihood = reading(COSTS, SHARP, WEIGHTS)
    leaves, structure = jax.tree.flatten(likelihood)
    assert len(leaves) == 3
    assert jax.tree.unflatten(structure, leaves) == likelihood
    assert likelihood == reading(COSTS.tolist(), SHARP, WEIGHTS)
    assert likelihood != reading(COSTS, 2 * SHARP, WEIGHTS)
    assert repr(likelihood).startswith(f"{reading.__name__}(costs=<4×3×5>, sharpness=3.0")
    with pytest.raises(ValueError, match="read-only"):
        likelihood.costs[0] = 0.0


def test_regret_is_part_of_the_program():
    assert Exists(COSTS, regret=True) != Exists(COSTS)
    assert repr(Exists(COSTS, regret=True)).endswith("regret=True)")
    assert jax.tree.structure(Exists(COSTS, regret=True)) != jax.tree.structure(Exists(COSTS))


def test_global_precision_is_left_alone():
    density(Exists(COSTS))
    assert jnp.ones(1).dtype == np.float32


@pytest.mark.parametrize("shift", [-1e6, -5.0, 0.0, 1e6, 1e12])
def test_regret_offsets_shift_with_the_cost(shift):
    rng = np.random.default_rng(0)
    problem = bo.Problem(rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(8)))
    costs = rng.gamma(2.0, 1.0, (5, 6, 8))
    plain = bo.Posterior(problem, likelihood=bo.likelihoods.Exists(costs, regret=True))
    moved = bo.Posterior(problem, likelihood=bo.likelihoods.Exists(costs + shift, regret=True))
    assert np.allclose(moved.offsets - shift, plain.offsets, rtol=0, atol=1e-9 + 1e-15 * abs(shift))


def test_labelled_cost_tables_are_brought_in_the_order_of_the_problem():
    import pandas as pd

    problem = bo.Problem(
        pd.Series({"North": 60, "South": 40}), {"Mill": 50, "Quay": 30, "Fort": 20}
    )
    table = pd.DataFrame(
        [[6.0, 5.0, 4.0], [3.0, 2.0, 1.0]], ["South", "North"], ["Fort", "Quay", "Mill"]
    )
    expected = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    for costs in (table, [table, table]):
        matched = bo.likelihoods.ForAll(costs).on(problem)
        assert np.array_equal(matched.costs[0], expected)
        assert bo.Posterior(problem, likelihood=bo.likelihoods.ForAll(costs)).likelihood == matched
    unlabelled = bo.likelihoods.ForAll(table.to_numpy()).on(problem)
    assert np.array_equal(unlabelled.costs[0], table.to_numpy())
    with pytest.raises(ValueError, match="problem's row labels, 'North', 'South', got 'East'"):
        bo.Posterior(problem, likelihood=bo.likelihoods.ForAll(table.rename({"South": "East"})))
    with pytest.raises(ValueError, match="in number 1"):
        bo.likelihoods.ForAll([table, table.iloc[::-1]])


@pytest.mark.parametrize(("cost", "sharpness"), [(1e300, 1e300), (1e200, 1.0), (1.0, 1e200)])
def test_exponents_too_large_for_float64_are_refused(cost, sharpness):
    with pytest.raises(ValueError, match=r"`sharpness` times `costs`.*unit"):
        bo.likelihoods.ForAll(np.full((2, 2), cost), sharpness)
