"""Vertices of the polytope, starting plans, and least costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from bayesot.polytope.vertices import dispersed_plans, optimal_values, random_vertices

quick = settings(deadline=None, max_examples=40)
EPS = np.finfo(float).eps


@st.composite
def margins(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Positive masses over nine orders of magnitude, or multiples of each other."""
    n, m = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    if draw(st.booleans()):
        a, b = 10.0 ** rng.uniform(-9, 0, n), 10.0 ** rng.uniform(-9, 0, m)
    else:  # degenerate: partial sums of rows and columns meet
        a, b = rng.integers(1, 4, n).astype(float), rng.integers(1, 4, m).astype(float)
    return a / a.sum(), b / b.sum()


@quick
@given(margins(), st.integers(0, 10**6))
def test_random_vertices(sides, seed):
    a, b = sides
    plans = random_vertices(np.random.default_rng(seed), a, b, 20)
    assert plans.shape == (20, len(a), len(b)) and plans.min() >= 0
    # entries are differences of partial sums that are at most one
    rounding = 4 * (len(a) + len(b)) * EPS
    np.testing.assert_allclose(plans.sum(2), np.tile(a, (20, 1)), rtol=0, atol=rounding)
    np.testing.assert_allclose(plans.sum(1), np.tile(b, (20, 1)), rtol=0, atol=rounding)
    assert (plans > rounding).sum((1, 2)).max() <= len(a) + len(b) - 1


@quick
@given(margins(), st.integers(0, 10**6))
def test_positive_entries_are_few_enough(sides, seed):
    """Rounding of partial sums does not add entries either, as their order is the same."""
    a, b = sides
    plans = random_vertices(np.random.default_rng(seed), a, b, 20)
    assert (plans > 0).sum((1, 2)).max() <= len(a) + len(b) - 1


def test_vertices_differ_and_reach_everywhere():
    a, b = np.full(4, 0.25), np.array([0.1, 0.2, 0.3, 0.4])
    plans = random_vertices(np.random.default_rng(0), a, b, 500)
    assert np.all(plans.max(0) >= 0.9 * np.minimum.outer(a, b))
    assert np.all(plans.min(0) == 0)
    assert len(np.unique(plans.round(9), axis=0)) > 100


@quick
@given(margins(), st.integers(0, 10**6))
def test_dispersed_plans_are_inside(sides, seed):
    a, b = sides
    plans = dispersed_plans(np.random.default_rng(seed), a, b, 20)
    assert plans.shape == (20, len(a), len(b))
    assert np.all(plans >= 0.05 * np.outer(a, b) * (1 - 4 * EPS))
    rounding = 8 * (len(a) + len(b)) * EPS
    np.testing.assert_allclose(plans.sum(2), np.tile(a, (20, 1)), rtol=0, atol=rounding)
    np.testing.assert_allclose(plans.sum(1), np.tile(b, (20, 1)), rtol=0, atol=rounding)


@pytest.mark.parametrize("draw", [random_vertices, dispersed_plans])
def test_a_seed_fixes_the_plans(draw):
    a, b = [0.2, 0.8], [0.5, 0.3, 0.2]
    one, again, other = (draw(np.random.default_rng(seed), a, b, 5) for seed in (1, 1, 2))
    assert np.array_equal(one, again) and not np.array_equal(one, other)


def least(a: np.ndarray, b: np.ndarray, cost: np.ndarray) -> float:
    n, m = len(a), len(b)
    rows, columns = np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))
    found = linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([a, b]))
    assert found.success
    return float(found.fun)


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (4, 1), (2, 2), (3, 7), (8, 5)], ids=str)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_optimal_values(shape, scale):
    n, m = shape
    rng = np.random.default_rng(n * m)
    a, b = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))
    costs = scale * rng.normal(size=(5, n, m))  # negative costs too
    found = optimal_values(a, b, costs)
    assert found.shape == (5,) and found.dtype == np.float64
    expected = [least(a, b, cost / scale) * scale for cost in costs]
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7 * scale)


def test_optimal_values_are_below_every_plan():
    rng = np.random.default_rng(3)
    a, b = rng.dirichlet(np.ones(5)), rng.dirichlet(np.ones(6))
    costs = rng.gamma(2.0, 1.0, (10, 5, 6))
    plans = random_vertices(rng, a, b, 200)
    reached = np.einsum("kij,pij->kp", costs, plans)
    assert np.all(optimal_values(a, b, costs)[:, None] <= reached + 1e-12)
