"""Spanning trees of the bipartite graph of rows and columns, and the cycles that they define.

The n + m - 1 cells of a spanning tree determine a plan once the d = (n - 1)(m - 1) other cells are
given: mass added to a cell outside the tree runs round the one cycle that it closes with the tree,
with alternating signs. Moves along these cycles keep all other cells outside the tree as they are,
which is what a plan near a vertex needs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Cycles", "Tree", "cycles", "maximum_spanning_trees", "paths"]


class Tree(NamedTuple):
    """K spanning trees with T = n + m - 1 cells each."""

    order: np.ndarray
    """All nm cells (row-major), those of the tree first; int32, shape (K, nm)."""
    roots: np.ndarray
    """Signed path from every row and column to the root: int8, shape (K, n + m, T). With the cost
    of the tree's cells c, ``f, h = roots @ c`` are dual potentials: ``f_i + h_j = c_ij`` there."""


def maximum_spanning_trees(weights: np.ndarray) -> Tree:
    """Find the spanning tree of greatest weight, by Prim's algorithm, for K plans at once.

    The greatest spanning tree by any increasing function of the weights is the same, so the sum
    of logarithms (the product of the masses) is maximised as well.

    Parameters
    ----------
    weights
        Mean plans, shape (K, n, m).

    Examples
    --------
    >>> maximum_spanning_trees(np.array([[[0.4, 0.1], [0.2, 0.3]]])).order
    array([[0, 2, 3, 1]], dtype=int32)

    """
    count, n, m = weights.shape
    nodes, edges = n + m, n + m - 1
    each = np.arange(count)
    between = np.full((count, nodes, nodes), -1.0)
    between[:, :n, n:] = weights
    between[:, n:, :n] = weights.swapaxes(1, 2)
    roots = np.zeros((count, nodes, edges), dtype=np.int8)
    cells = np.zeros((count, edges), dtype=np.int64)
    reached = np.zeros((count, nodes), dtype=bool)
    reached[:, 0] = True
    parent = np.zeros((count, nodes), dtype=np.int64)
    best = between[:, 0].copy()  # the heaviest edge from the tree to each node
    for edge in range(edges):
        node = np.where(reached, -2.0, best).argmax(1)
        above = parent[each, node]
        cells[:, edge] = np.minimum(node, above) * m + np.maximum(node, above) - n
        roots[each, node] = -roots[each, above]
        roots[each, node, edge] = 1
        reached[each, node] = True
        heavier = between[each, node] > best
        best = np.where(heavier, between[each, node], best)
        parent = np.where(heavier & ~reached, node[:, None], parent)
    outside = np.ones((count, n * m), dtype=bool)
    np.put_along_axis(outside, cells, False, axis=1)
    rest = np.nonzero(outside)[1].reshape(count, -1)
    return Tree(np.concatenate([cells, rest], 1).astype(np.int32), roots)


def cycles(tree: Tree, columns: int) -> np.ndarray:
    """How the cells of the tree change when a cell outside it gains mass.

    Returns
    -------
    Entries -1, 0 or 1, int8, shape (K, d, T); ``columns`` is m.

    Examples
    --------
    >>> cycles(maximum_spanning_trees(np.array([[[0.4, 0.1], [0.2, 0.3]]])), 2)
    array([[[-1,  1, -1]]], dtype=int8)

    """
    nodes, edges = tree.roots.shape[1:]
    row, column = np.divmod(tree.order[:, edges:], columns)
    each = np.arange(len(tree.order))[:, None]
    return -(tree.roots[each, row] + tree.roots[each, column + nodes - columns])


class Cycles(NamedTuple):
    """The cycles of one tree as lists of its cells, so that a move costs what its cycle is long."""

    gaining: np.ndarray
    """Cells of the tree that gain with the cell outside; int32, shape (d, w), rest unused."""
    losing: np.ndarray
    """Cells that lose; same shape."""
    gains: np.ndarray
    """How many gain; int32, shape (d,)."""
    losses: np.ndarray
    """How many lose; one more than gain."""


def paths(tree: Tree, columns: int) -> Cycles:
    """List the cycles of a single tree. A cycle visits no row or column twice: w = min(n, m)."""
    signs = cycles(tree, columns)[0]
    edges = signs.shape[1]
    width = min(columns, edges + 1 - columns)

    def listed(mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        counts = mask.sum(1)
        cells = np.zeros((len(mask), width), dtype=np.int32)
        row, cell = np.nonzero(mask)
        position = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        cells[row, position] = cell
        return cells, counts.astype(np.int32)

    gaining, gains = listed(signs > 0)
    losing, losses = listed(signs < 0)
    return Cycles(gaining, losing, gains, losses)
