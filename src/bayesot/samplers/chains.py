"""Many Gibbs chains at once: where they are, what they move along, and calls spread over cores."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np

from bayesot._x64 import double_precision
from bayesot.polytope.trees import cycles, maximum_spanning_trees, paths
from bayesot.polytope.vertices import dispersed_plans
from bayesot.samplers.cycles import Forest
from bayesot.samplers.gibbs import Sums, advance
from bayesot.samplers.lanes import Lanes, blocks
from bayesot.samplers.target import Target

__all__ = ["Chains", "Keep", "Moments"]

Keep = Callable[[slice, np.ndarray, np.ndarray], None]
"""Takes the lanes of a call, their kept plans (lane, record, n, m) and the components of these,
(lane, record), in the thread that made them. The arrays are lent for that time only."""

SIDE_BY_SIDE = 24
"""A shared tree with at most this many cells is moved along side by side if the prior is flat, as
is any forest with a tree for each chain; see `bayesot.samplers.cycles`."""

BUFFER = 2**24
"""Bytes of plans that one compiled call keeps, at most (but one plan per chain in any case)."""

ROOM = 256
"""Plans of every lane that one call keeps, at most: calls should be short enough to interrupt."""


class Moments(NamedTuple):
    """What a call measured of every lane, about the centre that it was given."""

    mean: np.ndarray
    """Shape (n, m, L)."""
    square: np.ndarray
    """Mean square, same shape."""
    log_deviation: np.ndarray | None
    """Standard deviation of log entries over steps and lanes, (n, m); None for a flat prior."""


class Chains:
    """The state of all lanes. A context manager: it owns a pool of threads."""

    def __init__(
        self,
        target: Target,
        lanes: Lanes,
        *,
        mixed: bool,
        sweeps: int,
        seed: np.random.SeedSequence,
    ) -> None:
        self.target, self.lanes, self.mixed, self.sweeps = target, lanes, mixed, sweeps
        starts, numbers = seed.spawn(2)
        self._numbers = numbers
        self._blocks = blocks(lanes.count, lanes.most)
        n, m = len(target.a), len(target.b)
        self._room = int(np.clip(BUFFER // (8 * n * m * self._blocks.shape[1]), 1, ROOM))
        rng = np.random.default_rng(starts)
        plans = np.moveaxis(dispersed_plans(rng, target.a, target.b, lanes.count), 0, -1)
        self._plans = [np.ascontiguousarray(plans[..., block]) for block in self._blocks]
        self._components = [lanes.component[block].astype(np.int32) for block in self._blocks]
        self._spread = np.full((n, m), 1.5)
        self._pool = ThreadPoolExecutor(min(len(self._blocks), os.cpu_count() or 1))
        self.lay_trees(lanes.pooled(plans))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    @property
    def room(self) -> int:
        """How many plans of every lane one call can keep."""
        return self._room

    def lay_trees(self, means: np.ndarray) -> None:
        """Move along the greatest spanning trees of the groups' mean plans from now on.

        ``means`` has shape (n, m, groups). These are what sums are taken about, too.
        """
        m = means.shape[1]
        trees = maximum_spanning_trees(np.moveaxis(means, -1, 0))
        edges = trees.roots.shape[2]
        lists = signs = None
        small = edges <= SIDE_BY_SIDE and self.target.prior.flat
        if len(trees.order) == 1 and not small:
            lists = paths(trees, m)
        else:
            signs = np.moveaxis(cycles(trees, m), 0, -1)
        order, roots = trees.order.T, np.moveaxis(trees.roots, 0, -1)
        self._means = means
        self._forests = []
        for block in self._blocks:
            of = self.lanes.group[block] if len(trees.order) > 1 else np.array([0])
            part = None if signs is None else signs[..., of]
            self._forests.append(
                (Forest(order[:, of], roots[..., of], part, lists), means[..., of])
            )

    def learn(self, moments: Moments) -> None:
        """Take trees, centre and widths of moves from what a call measured."""
        means = self.lanes.pooled(self.centre + moments.mean)
        self.lay_trees(means)
        if moments.log_deviation is not None:
            self._spread = np.clip(moments.log_deviation, 1e-3, 1e2)

    @property
    def centre(self) -> np.ndarray:
        """What moments are taken about, shape (n, m, L)."""
        return self._means[..., self.lanes.group]

    def advance(
        self, thin: int, records: int, warmth: float = 1.0, keep: Keep | None = None
    ) -> Moments:
        """Run every lane for ``thin * records`` steps, and give those at their ends to ``keep``.

        Returns
        -------
        The moments of all steps.
        """
        keys = self._numbers.spawn(len(self._blocks))
        jobs = [
            self._pool.submit(self._call, i, key, thin, records, warmth, keep)
            for i, key in enumerate(keys)
        ]
        results = [job.result() for job in jobs]
        count = self.lanes.count
        sums = jax.tree.map(lambda *parts: np.concatenate(parts, -1)[..., :count], *results)
        return _moments(sums, thin * records, self.target.prior.flat)

    def _call(
        self,
        i: int,
        seed: np.random.SeedSequence,
        thin: int,
        records: int,
        warmth: float,
        keep: Keep | None,
    ) -> Sums:
        forest, centre = self._forests[i]
        with double_precision():  # holds for this thread only
            key = jax.random.wrap_key_data(jnp.asarray(seed.generate_state(4)), impl="rbg")
            *state, plans, components, sums = advance(
                self.target, forest, self._spread, centre,
                self._plans[i], self._components[i], key, warmth, thin, records,
                room=self._room, sweeps=self.sweeps, mixed=self.mixed,
            )  # fmt: skip
            self._plans[i], self._components[i] = state
            if keep is not None:
                size = self._blocks.shape[1]
                lanes = slice(i * size, min((i + 1) * size, self.lanes.count))
                own = lanes.stop - lanes.start  # the rest only fills up
                kept = (np.asarray(array)[:records, :own] for array in (plans, components))
                keep(lanes, *(array.swapaxes(0, 1) for array in kept))
            return jax.tree.map(np.asarray, sums)


def _moments(sums: Sums, steps: int, flat: bool) -> Moments:
    log_deviation = None
    if not flat:
        mean = sums.log.mean(-1) / steps
        variance = sums.log_square.mean(-1) / steps - mean**2
        log_deviation = np.sqrt(np.maximum(variance, 0.0))
    return Moments(sums.plan / steps, sums.square / steps, log_deviation)
