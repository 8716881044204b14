"""Coordinates of the transport polytope for samplers that take ``A x <= b``."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import minimum_spanning_tree

from benchmarks.targets import FloatArray, Target


@dataclass(frozen=True)
class Chart:
    """The polytope as ``{x : A x <= b}``, the slope of the target in x, and the way back.

    x holds the ``kept`` cells of the plan, or is an affine transform of them. The ``eliminated``
    cells follow from the margins: they are ``offset - incidence @ kept cells``.
    """

    target: Target
    kept: NDArray[np.int64]
    eliminated: NDArray[np.int64]
    offset: FloatArray
    incidence: FloatArray
    A: FloatArray
    b: FloatArray
    slope: FloatArray
    start: FloatArray
    radius: float
    """Bound, or good guess, of how far x can be from the start."""
    transform: FloatArray | None = None
    shift: FloatArray | None = None

    def plans(self, states: FloatArray) -> FloatArray:
        """States (..., d) to plans (..., n, m)."""
        cells = states
        if self.transform is not None and self.shift is not None:
            cells = states @ self.transform.T + self.shift
        n, m = self.target.n, self.target.m
        plans = np.empty((*states.shape[:-1], n * m))
        plans[..., self.kept] = cells
        plans[..., self.eliminated] = self.offset - cells @ self.incidence.T
        return plans.reshape(*states.shape[:-1], n, m)

    def states(self, plans: FloatArray) -> FloatArray:
        """Plans (..., n, m) to states (..., d)."""
        cells = plans.reshape(*plans.shape[:-2], -1)[..., self.kept]
        if self.transform is None or self.shift is None:
            return cells
        flat = (cells - self.shift).reshape(-1, len(self.kept))
        return np.linalg.solve(self.transform, flat.T).T.reshape(cells.shape)

    def moved(self, transform: FloatArray, shift: FloatArray, radius: float) -> Chart:
        """The same polytope in y, where the kept cells are transform @ y + shift."""
        assert self.transform is None
        return replace(
            self,
            A=np.ascontiguousarray(self.A @ transform),
            b=self.b - self.A @ shift,
            slope=transform.T @ self.slope,
            start=np.linalg.solve(transform, self.start - shift),
            radius=radius,
            transform=transform,
            shift=shift,
        )


def theta_chart(target: Target, ordered: bool) -> Chart:
    """theta = G[:-1, :-1]: the last row and column are eliminated; the product plan is the start.

    With ``ordered`` it is the row and column with most mass. A coordinate step moves mass between
    a cell and the eliminated row and column, so small margins there make every step small.
    """
    row = int(np.argmax(target.a)) if ordered else target.n - 1
    column = int(np.argmax(target.b)) if ordered else target.m - 1
    star = np.zeros((target.n, target.m), dtype=bool)
    star[row] = star[:, column] = True
    return _eliminate(target, star)


def tree_chart(target: Target, mean: FloatArray) -> Chart:
    """Coordinates that eliminate the cells of the maximum spanning tree of a mean plan."""
    n, m = target.n, target.m
    weight = np.zeros((n + m, n + m))
    # Zero means "no edge" to SciPy, so weights have to be positive.
    weight[:n, n:] = 1.0 - np.log(mean / mean.max())
    return _eliminate(target, minimum_spanning_tree(weight).toarray()[:n, n:] > 0)


def _eliminate(target: Target, tree: NDArray[np.bool_]) -> Chart:
    eliminated, kept = np.flatnonzero(tree), np.flatnonzero(~tree)
    n, m = target.n, target.m
    # One margin is implied by the others.
    rows, columns = np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))[:-1]
    margins, sums = np.vstack([rows, columns]), np.concatenate([target.a, target.b[:-1]])
    # Exactly 0 or ±1: which cycle each kept cell closes through the tree.
    incidence = np.round(np.linalg.solve(margins[:, eliminated], margins[:, kept])) + 0.0
    offset = np.linalg.solve(margins[:, eliminated], sums)
    slope = target.slope.ravel()
    product = np.outer(target.a, target.b)
    reach = np.minimum(target.a[:, None], target.b).ravel()[kept]
    return Chart(
        target=target,
        kept=kept,
        eliminated=eliminated,
        offset=offset,
        incidence=incidence,
        A=np.vstack([-np.eye(len(kept)), incidence]),
        b=np.concatenate([np.zeros(len(kept)), offset]),
        slope=slope[kept] - incidence.T @ slope[eliminated],
        start=product.ravel()[kept],
        radius=float(np.linalg.norm(reach)),
    )


def whitened(chart: Chart, plans: FloatArray) -> Chart:
    """Coordinates in which the kept cells of pilot ``plans`` have unit covariance.

    A pilot has few effective draws in many dimensions, so its covariance is shrunk a little
    towards its diagonal; any invertible transform leaves the target what it is.
    """
    d = len(chart.kept)
    flat = plans.reshape(-1, chart.target.n * chart.target.m)[:, chart.kept]
    covariance = np.cov(flat.T)
    covariance[np.diag_indices(d)] *= 1.01
    return chart.moved(np.linalg.cholesky(covariance), flat.mean(0), radius=4.0 * d**0.5)
