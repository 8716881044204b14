"""Spanning trees of greatest weight, their potentials, and the cycles that they define."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree

from bayesot.polytope.trees import Tree, cycles, maximum_spanning_trees, paths

quick = settings(deadline=None, max_examples=60)
KINDS = ("distinct", "zeros", "ties", "spread")


def weights_of(kind: str, shape: tuple[int, int, int], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind == "distinct":
        return rng.random(shape)
    if kind == "zeros":
        return rng.random(shape) * (rng.random(shape) < 0.3)
    if kind == "ties":
        return rng.integers(0, 3, shape).astype(float)
    return 10.0 ** rng.uniform(-300, 0, shape)


@st.composite
def weights(draw: st.DrawFn) -> np.ndarray:
    """A few plans, as far as trees are concerned: no entry is negative."""
    shape = draw(st.tuples(st.integers(1, 4), st.integers(1, 7), st.integers(1, 7)))
    return weights_of(draw(st.sampled_from(KINDS)), shape, draw(st.integers(0, 10**6)))


def margins(cells: np.ndarray, n: int, m: int) -> np.ndarray:
    """Which row and which column each cell lies in, shape (n + m, cells)."""
    row, column = np.divmod(cells, m)
    return np.concatenate([row == np.arange(n)[:, None], column == np.arange(m)[:, None]]).astype(
        int
    )


def test_the_smallest_tree():
    tree = maximum_spanning_trees(np.ones((2, 1, 1)))
    assert tree.order.tolist() == [[0], [0]]
    assert cycles(tree, 1).shape == (2, 0, 1)


@quick
@given(weights())
def test_trees_span(plans):
    count, n, m = plans.shape
    tree = maximum_spanning_trees(plans)
    assert tree.order.shape == (count, n * m) and tree.order.dtype == np.int32
    for order in tree.order:
        assert sorted(order) == list(range(n * m))
        # n + m - 1 edges that are independent connect all n + m rows and columns
        assert np.linalg.matrix_rank(margins(order[: n + m - 1], n, m)) == n + m - 1


@quick
@given(weights())
def test_total_weight_is_the_greatest(plans):
    _, n, m = plans.shape
    for plan, order in zip(plans, maximum_spanning_trees(plans).order, strict=True):
        graph = np.zeros((n + m, n + m))
        graph[:n, n:] = plan.max() + 1.0 - plan  # positive, as SciPy takes zero for no edge
        least = minimum_spanning_tree(csr_array(graph)).sum()
        ours = graph[:n, n:].ravel()[order[: n + m - 1]].sum()
        assert ours == pytest.approx(least, rel=1e-12)


@quick
@given(weights())
def test_the_product_of_the_masses_is_the_greatest_too(plans):
    one = maximum_spanning_trees(plans)
    two = maximum_spanning_trees(plans**3 * 5.0)
    for k in range(len(plans)):
        distinct = np.unique(plans[k]).size == plans[k].size == np.unique(plans[k] ** 3).size
        if distinct:
            assert np.array_equal(one.order[k], two.order[k])


@quick
@given(weights())
def test_cycles_keep_the_margins_and_close_on_the_tree(plans):
    _, n, m = plans.shape
    edges = n + m - 1
    tree = maximum_spanning_trees(plans)
    signs = cycles(tree, m)
    assert signs.dtype == np.int8 and signs.shape[1:] == ((n - 1) * (m - 1), edges)
    for order, moves in zip(tree.order, signs.astype(int), strict=True):
        change = margins(order[:edges], n, m) @ moves.T + margins(order[edges:], n, m)
        assert np.all(change == 0)
        assert np.all(np.abs(moves) <= 1)
        assert np.all((moves < 0).sum(1) == (moves > 0).sum(1) + 1)
        # no row or column is visited twice: one cell gains and one loses in each
        visits = margins(order[:edges], n, m) @ np.abs(moves.T) + margins(order[edges:], n, m)
        assert set(np.unique(visits)) <= {0, 2}


@quick
@given(weights(), st.integers(0, 10**6))
def test_roots_give_dual_potentials(plans, seed):
    count, n, m = plans.shape
    edges = n + m - 1
    tree = maximum_spanning_trees(plans)
    assert tree.roots.shape == (count, n + m, edges) and tree.roots.dtype == np.int8
    cost = np.random.default_rng(seed).normal(size=n * m)
    for order, roots, moves in zip(tree.order, tree.roots, cycles(tree, m), strict=True):
        potentials = roots @ cost[order[:edges]]
        f, h = potentials[:n], potentials[n:]
        reduced = (cost.reshape(n, m) - f[:, None] - h).ravel()
        np.testing.assert_allclose(reduced[order[:edges]], 0, atol=1e-12)
        # off the tree it is the cost of a unit of mass round the cycle
        around = cost[order[edges:]] + moves @ cost[order[:edges]]
        np.testing.assert_allclose(reduced[order[edges:]], around, atol=1e-12)


@quick
@given(weights())
def test_trees_of_many_plans_are_those_of_each(plans):
    m = plans.shape[2]
    together = maximum_spanning_trees(plans)
    for k in range(len(plans)):
        alone = maximum_spanning_trees(plans[k : k + 1])
        assert np.array_equal(alone.order[0], together.order[k])
        assert np.array_equal(alone.roots[0], together.roots[k])
        assert np.array_equal(cycles(alone, m)[0], cycles(together, m)[k])


@quick
@given(weights())
@example(np.ones((1, 1, 1)))
@example(np.ones((1, 1, 5)))
def test_paths_are_the_cycles(plans):
    _, n, m = plans.shape
    tree = maximum_spanning_trees(plans[:1])
    lists, signs = paths(tree, m), np.zeros((1, (n - 1) * (m - 1), n + m - 1), dtype=int)
    assert lists.gaining.shape == lists.losing.shape == (signs.shape[1], min(n, m))
    for sign, cells, counts in (
        (1, lists.gaining, lists.gains),
        (-1, lists.losing, lists.losses),
    ):
        for e, count in enumerate(counts):
            assert len(set(cells[e, :count])) == count
            signs[0, e, cells[e, :count]] += sign
    assert np.array_equal(signs, cycles(tree, m))
    assert np.all(lists.losses == lists.gains + 1)


def test_the_tree_of_a_vertex_holds_its_cells():
    rng = np.random.default_rng(0)
    vertex = np.zeros((4, 5))
    vertex[[0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 1, 2, 2, 3, 3, 4]] = rng.random(8)
    tree = maximum_spanning_trees(vertex[None])
    assert isinstance(tree, Tree)
    assert set(tree.order[0, :8]) == set(np.flatnonzero(vertex))
