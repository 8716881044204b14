"""Vertices of the transport polytope: random ones, and those of least cost."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bayesot.errors import BayesOTError

__all__ = ["Optima", "dispersed_plans", "optima", "optimal_values", "random_vertices"]


def random_vertices(rng: np.random.Generator, a: Any, b: Any, count: int) -> np.ndarray:
    """Draw vertices by the north-west corner rule on shuffled rows and columns.

    With the rows and columns in a random order, cell (i, j) gets the overlap of the intervals that
    row i and column j take up in ``[0, 1]``.

    Parameters
    ----------
    rng
        Source of the shuffles.
    a, b
        Margins of shapes (n,) and (m,), of equal sums.
    count
        How many.

    Returns
    -------
    Plans of shape (count, n, m), at most n + m - 1 of whose entries are positive.

    Examples
    --------
    >>> random_vertices(np.random.default_rng(0), [0.5, 0.5], [0.5, 0.5], 1).tolist()
    [[[0.5, 0.0], [0.0, 0.5]]]

    """
    row_end, row_start = _intervals(rng, np.asarray(a, dtype=float), count)
    column_end, column_start = _intervals(rng, np.asarray(b, dtype=float), count)
    ends = np.minimum(row_end[:, :, None], column_end[:, None, :])
    starts = np.maximum(row_start[:, :, None], column_start[:, None, :])
    return np.maximum(ends - starts, 0.0)


def _intervals(rng: np.random.Generator, masses: np.ndarray, count: int) -> tuple[Any, Any]:
    order = np.argsort(rng.random((count, len(masses))), axis=1)
    ends = np.empty_like(order, dtype=float)
    np.put_along_axis(ends, order, np.cumsum(masses[order], axis=1), axis=1)
    return ends, ends - masses


def dispersed_plans(rng: np.random.Generator, a: Any, b: Any, count: int) -> np.ndarray:
    """Draw starting plans that are further apart than the draws of a posterior are.

    Each is a mixture of three random vertices, which reach into the corners of the polytope, and
    of the independent plan, which keeps every entry positive. Shape (count, n, m).
    """
    shares = rng.dirichlet([0.5, 0.5, 0.5], size=count)
    corners = np.zeros((count, len(a), len(b)))
    for share in shares.T:
        corners += share[:, None, None] * random_vertices(rng, a, b, count)
    inside = rng.uniform(0.05, 0.5, size=(count, 1, 1))
    return _balanced((1 - inside) * corners + inside * np.outer(a, b), np.asarray(a), np.asarray(b))


def _balanced(plans: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Make margins exact that are off by rounding, which may be much for very small masses."""
    for _ in range(200):
        plans = plans * (b / plans.sum(1))[:, None, :]
        rows = a / plans.sum(2)
        if np.abs(rows - 1).max() <= 4e-16:
            break
        plans = plans * rows[:, :, None]
    return plans


class Optima(NamedTuple):
    """Optimal plans of several cost matrices."""

    values: np.ndarray
    """Least total costs ``OT(a, b, C^k)``, shape (K,)."""
    plans: np.ndarray
    """Shape (K, n, m): vertices of the polytope."""
    reduced: np.ndarray
    """Reduced costs, shape (K, n, m): what a unit of mass in a cell costs more than the optimum."""


def optima(a: np.ndarray, b: np.ndarray, costs: np.ndarray) -> Optima:
    """Solve the transport problem for every cost matrix, by network simplex.

    ``costs`` has the shape (K, n, m), the margins are positive.

    >>> optima(np.full(2, 0.5), np.full(2, 0.5), np.array([[[0.0, 1.0], [1.0, 0.0]]])).values
    array([0.])
    """
    found = Optima(np.empty(len(costs)), np.empty(costs.shape), np.zeros(costs.shape))
    if min(costs.shape[1:]) == 1:  # one plan only
        found.plans[:] = np.outer(a, b)
        return found._replace(values=np.einsum("kij,i,j->k", costs, a, b))
    import ot  # here, because it takes longer to import than most solves take

    for k, cost in enumerate(costs):
        # The solver wants costs of order one that are not negative; what is taken off a whole row
        # changes the total by a constant.
        floor = cost.min(axis=1)
        above = cost - floor[:, None]
        unit = max(above.max(), np.finfo(float).tiny)
        plan, log = ot.emd(a, b, np.ascontiguousarray(above / unit), numItermax=10**7, log=True)
        if log["warning"]:
            raise BayesOTError(f"No optimal plan was found for `costs[{k}]`: {log['warning']}")
        found.values[k] = unit * np.sum(plan * (above / unit)) + floor @ a
        found.plans[k] = plan
        found.reduced[k] = above - unit * (log["u"][:, None] + log["v"])
    return found


def optimal_values(a: np.ndarray, b: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Least total cost ``OT(a, b, C^k)`` of every cost matrix (K, n, m); shape (K,)."""
    return optima(a, b, costs).values
