"""Going through draws cell by cell, in blocks small enough for the cache and over all cores."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from bayesot._validate import FloatArray

__all__ = ["per_cell"]

_BLOCK = 2**17  # numbers in a block: about a megabyte


def per_cell(
    function: Callable[[FloatArray], FloatArray], plans: FloatArray, cells: NDArray[np.bool_]
) -> FloatArray:
    """Apply a function of (cell, chain, draw) that returns (…, cell) to some cells of all plans.

    Blocks do not depend on the number of cores, nor do results.

    >>> plans = np.arange(24.0).reshape(1, 4, 2, 3)
    >>> per_cell(lambda x: x.mean((1, 2)), plans, np.eye(2, 3, dtype=bool))
    array([ 9., 13.])
    """
    flat = plans.reshape(*plans.shape[:2], -1)
    indices = np.flatnonzero(cells)
    size = max(1, _BLOCK // (flat.shape[0] * flat.shape[1]))
    blocks = [indices[start : start + size] for start in range(0, len(indices), size)]

    def work(block: NDArray[np.intp]) -> FloatArray:
        return function(np.ascontiguousarray(np.moveaxis(flat[:, :, block], 2, 0)))

    with ThreadPoolExecutor(_cores()) as pool:
        return np.concatenate(list(pool.map(work, blocks)), axis=-1)


def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
