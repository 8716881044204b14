"""Swap sweeps and cycle passes: they stay in the polytope, and leave the target as it is."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayesot as bo
from bayesot._x64 import double_precision
from bayesot.polytope.trees import cycles, maximum_spanning_trees, paths
from bayesot.polytope.vertices import dispersed_plans, optimal_values, random_vertices
from bayesot.samplers.conditional import SHRINKS, draw_exponential, draw_slice
from bayesot.samplers.cycles import Forest, cycle_pass, reduced_costs
from bayesot.samplers.sweeps import swap_sweep

P = bo.priors
LANES = 12
DRAWS = {"exact": (draw_exponential, 1), "slice": (draw_slice, 2 + SHRINKS)}
KINDS = ("sweep", "side by side", "in place", "a tree each")


def forest(weights: np.ndarray, kind: str) -> Forest:
    """The greatest spanning tree of mean plans (K, n, m), K = 1 if it is shared."""
    m = weights.shape[2]
    trees = maximum_spanning_trees(weights)
    order, roots = trees.order.T, np.moveaxis(trees.roots, 0, -1)
    if kind == "in place":
        return Forest(order, roots, None, paths(trees, m))
    return Forest(order, roots, np.moveaxis(cycles(trees, m), 0, -1), None)


@partial(jax.jit, static_argnames=("draw", "kind"))
def moved(plan, costs, prior, spread, how, uniforms, *, draw: str, kind: str):
    move = swap_sweep if kind == "sweep" else cycle_pass
    return move(plan, costs, prior, spread, DRAWS[draw][0], how, uniforms)


def apply(
    rng: np.random.Generator,
    plans: np.ndarray,
    costs: np.ndarray,
    prior: Any,
    draw: str,
    kind: str,
    spread: Any = 1.5,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """One sweep or pass over plans (n, m, L)."""
    n, m, lanes = plans.shape
    per_move = DRAWS[draw][1]
    if kind == "sweep":
        how: Any = (rng.permutation(n), rng.permutation(m))
        uniforms = rng.random((per_move, n // 2, m // 2, lanes))
    else:
        weights = np.moveaxis(plans, -1, 0) if weights is None else weights
        shared = weights.mean(0, keepdims=True)
        how = forest(weights if kind == "a tree each" else shared, kind)
        uniforms = rng.random(((n - 1) * (m - 1), per_move, lanes))
    spread = np.broadcast_to(spread, (n, m))
    with double_precision():
        found = moved(plans, costs, prior, spread, how, uniforms, draw=draw, kind=kind)
        return np.asarray(found)


def check_inside(plans: np.ndarray, start: np.ndarray) -> None:
    assert plans.shape == start.shape and np.isfinite(plans).all()
    assert plans.min() >= 0
    for axis in (0, 1):
        np.testing.assert_allclose(plans.sum(axis), start.sum(axis), rtol=1e-13, atol=0)


@st.composite
def starts(draw: st.DrawFn, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, Any]:
    """Plans (n, m, L) inside and at vertices, costs, and a source of random numbers."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, m = shape
    if draw(st.booleans()):
        a, b = 10.0 ** rng.uniform(-9, 0, n), 10.0 ** rng.uniform(-9, 0, m)
    else:
        a, b = rng.integers(1, 4, n).astype(float), rng.integers(1, 4, m).astype(float)
    a, b = a / a.sum(), b / b.sum()
    half = LANES // 2
    plans = np.concatenate(
        [dispersed_plans(rng, a, b, half), random_vertices(rng, a, b, LANES - half)]
    )
    scale = draw(st.sampled_from([0.0, 1.0, 1e3, 1e9]))
    costs = scale * rng.normal(size=(n, m, draw(st.sampled_from([1, LANES]))))
    return np.moveaxis(plans, 0, -1).copy(), costs, rng


# Every pair compiles once; between them they have odd and even sides, and all kinds of move.
STAY = [("exact", "sweep", shape) for shape in [(2, 2), (3, 2), (4, 3), (5, 6)]]
STAY += [("exact", "side by side", shape) for shape in [(2, 2), (3, 5)]]
STAY += [("exact", "in place", shape) for shape in [(5, 3), (6, 6)]]
STAY += [("exact", "a tree each", shape) for shape in [(2, 5), (4, 3)]]
STAY += [("slice", "sweep", (5, 4)), ("slice", "side by side", (3, 4))]
STAY += [("slice", "in place", (6, 5)), ("slice", "a tree each", (4, 3))]


@pytest.mark.parametrize(("draw", "kind", "shape"), STAY, ids=str)
@settings(deadline=None, max_examples=15)
@given(st.data())
def test_moves_stay_in_the_polytope(draw, kind, shape, data):
    plans, costs, rng = data.draw(starts(shape))
    prior = P.Uniform() if draw == "exact" else P.Dirichlet(np.full(shape, 0.4))
    found = apply(rng, plans, costs, prior, draw, kind)
    check_inside(found, plans)
    found = apply(rng, found, costs, prior, draw, kind)
    check_inside(found, plans)


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("shape", [(3, 5), (6, 6)], ids=str)
def test_both_forms_of_a_pass_are_the_same_moves(shape, draw):
    prior = P.Uniform() if draw == "exact" else P.Dirichlet(0.5) * P.Entropy(np.full(shape, 2.0))
    for seed in range(5):
        rng = np.random.default_rng(seed)
        a, b = rng.dirichlet(np.ones(shape[0])), rng.dirichlet(np.ones(shape[1]))
        plans = np.moveaxis(dispersed_plans(rng, a, b, LANES), 0, -1).copy()
        costs = 10.0 ** rng.uniform(-1, 3) * rng.normal(size=(*shape, 1))
        spread = rng.uniform(0.2, 3.0, shape)
        one, two, each = (
            apply(
                np.random.default_rng(seed),
                plans,
                costs,
                prior,
                draw,
                kind,
                spread,
                # the same tree for each lane in the third
                np.broadcast_to(plans.mean(-1), (LANES, *shape)),
            )
            for kind in ("side by side", "in place", "a tree each")
        )
        np.testing.assert_allclose(one, two, rtol=1e-8, atol=1e-13)
        np.testing.assert_allclose(one, each, rtol=1e-8, atol=1e-13)


@pytest.mark.parametrize("shape", [(3, 5), (4, 4)], ids=str)
def test_both_forms_are_the_same_from_a_vertex(shape):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        plans = random_vertices(
            rng, np.ones(shape[0]) / shape[0], np.ones(shape[1]) / shape[1], LANES
        )
        plans = np.moveaxis(plans, 0, -1).copy()
        costs = 100.0 * rng.normal(size=(*shape, 1))
        for draw, prior in (("exact", P.Uniform()), ("slice", P.Dirichlet(0.5))):
            one, two = (
                apply(np.random.default_rng(seed), plans, costs, prior, draw, kind, 2.0)
                for kind in ("side by side", "in place")
            )
            np.testing.assert_allclose(one, two, rtol=1e-8, atol=1e-13)


def test_reduced_costs_are_those_of_the_cycles():
    rng = np.random.default_rng(0)
    costs = rng.normal(size=(4, 5, 3))
    weights = rng.random((3, 4, 5))
    for kind, trees in (("side by side", weights[:1]), ("a tree each", weights)):
        how = forest(trees, kind)
        with double_precision():
            found = np.asarray(reduced_costs(jnp.asarray(costs), how))
        assert found.shape == (12, 3)
        for lane in range(3):
            tree = lane if kind == "a tree each" else 0
            cells = costs[..., lane].ravel()[how.order[:, tree]]
            around = cells[8:] + how.signs[..., tree].astype(float) @ cells[:8]
            np.testing.assert_allclose(found[:, lane], around, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_steep_costs_lead_to_the_cheaper_end(kind):
    """On 2×2 there is one line, so one move under an enormous cost finds the optimal plan."""
    a, b = np.array([0.6, 0.4]), np.array([0.7, 0.3])
    rng = np.random.default_rng(0)
    plans = np.moveaxis(dispersed_plans(rng, a, b, LANES), 0, -1).copy()
    for cost in (np.eye(2), 1 - np.eye(2)):
        found = apply(rng, plans, 1e12 * cost[..., None], P.Uniform(), "exact", kind)
        least = optimal_values(a, b, cost[None])[0]
        np.testing.assert_allclose((cost[..., None] * found).sum((0, 1)), least, atol=1e-9)


# One move from exact draws: all moments stay as they are


def exact_draws(rng: np.random.Generator, a: Any, b: Any, count: int) -> np.ndarray:
    """Uniform on 3×3 plans, by rejection; shape (at most count, 3, 3)."""
    top = rng.random((count, 2, 2)) * np.minimum.outer(a[:2], b[:2])
    plans = np.empty((count, 3, 3))
    plans[:, :2, :2] = top
    plans[:, :2, 2] = a[:2] - top.sum(2)
    plans[:, 2] = b - plans[:, :2].sum(1)
    return plans[plans.min((1, 2)) > 0]


A, B = np.array([0.5, 0.3, 0.2]), np.array([0.25, 0.35, 0.4])
THIRDS = np.full(3, 1 / 3)
COSTS = np.array([[0.0, 1.0, 3.0], [2.0, 0.5, 1.0], [1.5, 0.0, 2.0]])


def uniform_draws() -> np.ndarray:
    return exact_draws(np.random.default_rng(0), A, B, 1_000_000)[:40_000]


def tilted_draws(rate: float) -> np.ndarray:
    rng = np.random.default_rng(1)
    plans = exact_draws(rng, A, B, 2_000_000)
    excess = (COSTS * plans).sum((1, 2)) - optimal_values(A, B, COSTS[None])[0]
    return plans[rng.random(len(plans)) < np.exp(-rate * excess)][:40_000]


def dirichlet_draws(rate: float) -> np.ndarray:
    """Dirichlet(2) on equal margins: the product of the cells is greatest where they are equal."""
    rng = np.random.default_rng(2)
    plans = exact_draws(rng, THIRDS, THIRDS, 2_500_000)
    excess = (COSTS * plans).sum((1, 2)) - optimal_values(THIRDS, THIRDS, COSTS[None])[0]
    chance = (9 * plans).prod((1, 2)) * np.exp(-rate * excess)
    return plans[rng.random(len(plans)) < chance][:40_000]


@pytest.fixture(scope="module")
def exact() -> dict[str, tuple[np.ndarray, float, Any, str]]:
    """Draws, rate, prior, and how to move."""
    uniform = uniform_draws()
    return {
        "uniform": (uniform, 0.0, P.Uniform(), "exact"),
        "uniform by slices": (uniform, 0.0, P.Uniform(), "slice"),
        "tilted": (tilted_draws(4.0), 4.0, P.Uniform(), "exact"),
        "dirichlet": (dirichlet_draws(1.0), 1.0, P.Dirichlet(2.0), "slice"),
    }


@pytest.mark.parametrize("kind", KINDS[:3])
@pytest.mark.parametrize("name", ["uniform", "uniform by slices", "tilted", "dirichlet"])
def test_one_move_leaves_the_target_as_it_is(exact, name, kind):
    draws, rate, prior, draw = exact[name]
    assert len(draws) > 8_000
    rng = np.random.default_rng(3)
    before = np.moveaxis(draws, 0, -1).copy()
    spread = rng.uniform(0.5, 2.0, (3, 3))
    after = apply(rng, before, rate * COSTS[..., None], prior, draw, kind, spread)
    check_inside(after, before)
    # Four proposals from widths that fit no cell, so the slice moves stand still now and then
    moving = np.mean(np.abs(after - before).max((0, 1)) > 1e-6)
    assert moving > (0.9 if draw == "exact" else 0.6)

    def moments(plans: np.ndarray) -> np.ndarray:
        cells = plans.reshape(9, -1)
        pairs = cells[:, None] * cells[None]
        logs = np.log(cells)
        tails = [
            cells < q[:, None] for q in np.quantile(before.reshape(9, -1), [0.01, 0.1, 0.5, 0.9], 1)
        ]
        return np.concatenate([cells, pairs.reshape(81, -1), logs, logs**2, *tails])

    # E[f(after)] = E[f(before)], and the difference of the two has less noise than either
    change = moments(after) - moments(before)
    error = change.std(1) / np.sqrt(change.shape[1])
    assert np.all(np.abs(change.mean(1)) <= 5 * error + 1e-15)
