"""Warm-up of the Gibbs chains: the likelihood is annealed, and trees and widths are learnt.

Chains start far apart and cold ones would stick to the first vertex they meet. So the likelihood
is let in by factors, and after every window the tree is laid anew through the mean plan: the tree
of one temperature serves the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayesot.samplers.base import Report
from bayesot.samplers.chains import Chains, Moments
from bayesot.samplers.target import Target

__all__ = ["Window", "autocorrelation_time", "averaged", "schedule", "warm_up"]

FACTOR = 4.0
"""By how much the likelihood is sharpened from one window to the next."""

BATCHES = 8
"""Batches that the last window is cut into, to measure how slowly the chains forget."""


@dataclass(frozen=True)
class Window:
    """Some steps at one temperature, in equal batches."""

    warmth: float
    steps: int
    batches: int = 1


def schedule(target: Target, warmup: int) -> list[Window]:
    """Share out warm-up steps: 40 % to annealing, 25 % and 35 % to the posterior itself."""
    first = min(1.0, 1.0 / max(_contrast(target), 1e-300))
    count = math.ceil(math.log(1.0 / first) / math.log(FACTOR))
    warmths = [FACTOR ** (k - count) for k in range(count)]
    annealing = [Window(warmth, max(1, round(0.4 * warmup / count))) for warmth in warmths]
    if warmup < count + 2 * BATCHES:  # too few to learn from
        return [Window(1.0, warmup)] if warmup else []
    last = Window(1.0, max(1, round(0.35 * warmup / BATCHES)), BATCHES)
    return [*annealing, Window(1.0, max(1, round(0.25 * warmup))), last]


def _contrast(target: Target) -> float:
    """About how many nats the likelihood varies by when one cell gains or loses its usual mass."""
    costs = np.asarray(target.costs)
    costs = costs - costs.mean(1, keepdims=True)
    costs = costs - costs.mean(2, keepdims=True)  # what margins fix has no effect
    return float(np.sqrt((costs**2).mean((1, 2)).max()) / max(costs.shape[1:]))


def warm_up(chains: Chains, warmup: int, report: Report) -> np.ndarray:
    """Bring the chains to the posterior, and learn the trees and widths that they move by.

    Returns
    -------
    How many steps the chains take to forget, per cell: integrated autocorrelation times, (n, m).
    """
    time = np.ones(chains.centre.shape[:2])
    windows = schedule(chains.target, warmup)
    total, done = sum(w.steps * w.batches for w in windows), 0
    for window in windows:
        batches = []
        for _ in range(window.batches):
            batches.append(chains.advance(window.steps, 1, window.warmth))
            done += window.steps
            report("warm-up", done, total)
        moments = averaged(batches)
        if window.batches > 1:
            time = autocorrelation_time(chains, batches, window.steps)
        chains.learn(moments)
    return time


def averaged(batches: Sequence[Moments]) -> Moments:
    """Moments of equally long batches together (about the same centre)."""
    logs = [batch.log_deviation for batch in batches if batch.log_deviation is not None]
    return Moments(
        mean=np.mean([batch.mean for batch in batches], axis=0),
        square=np.mean([batch.square for batch in batches], axis=0),
        log_deviation=np.mean(logs, axis=0) if logs else None,
    )


def autocorrelation_time(chains: Chains, batches: Sequence[Moments], length: int) -> np.ndarray:
    """Integrated autocorrelation times in steps, from the variance of batch means.

    The variance of the mean of ``length`` steps is ``time / length`` times that of one plan. Both
    are taken within groups of lanes and pooled over all of them; shape (n, m), at least one.
    """
    means = np.stack([batch.mean for batch in batches])
    groups = chains.lanes.pooled(means.mean(0))  # the mean of every group, about the centre
    about = groups[..., chains.lanes.group]
    pieces = len(batches) * chains.lanes.count
    between = ((means - about) ** 2).mean((0, -1)) * pieces / (pieces - chains.lanes.groups)
    within = (averaged(batches).square - about**2).mean(-1)
    varies = within > 0
    return np.maximum(np.where(varies, length * between / np.where(varies, within, 1.0), 1.0), 1.0)
