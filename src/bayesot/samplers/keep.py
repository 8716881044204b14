"""From warmed-up lanes to the draws that users see."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bayesot.samplers.base import Composition, Plan, Report
from bayesot.samplers.chains import Chains, Moments

__all__ = ["Kept", "keep_chains", "keep_components"]

MOST_THIN = 32
"""Most steps per draw that are chosen unasked: beyond that, more draws are the user's decision."""

MEMORIES = 300
"""How many autocorrelation times a lane of a composed posterior runs for, at least. Few draws of it
are kept, but R-hat within components, measured over all steps, needs a run of that length."""

WORK = 2e9
"""Moves that all such lanes may make for that purpose, which bounds the length of their runs."""


@dataclass(frozen=True)
class Kept:
    """Draws on the positive part of the problem."""

    plans: np.ndarray
    """Shape (chain, draw, n, m)."""
    components: np.ndarray
    """Shape (chain, draw)."""
    thin: int
    composition: Composition | None = None


def keep_chains(
    chains: Chains, plan: Plan, memory: np.ndarray, thin: int | None, report: Report
) -> Kept:
    """Keep the draws of lanes that are the chains of the output.

    ``memory`` has the autocorrelation times, from which thinning is chosen if it is not given: two
    draws per time lose little, and what lies between them would cost memory and tell nothing.
    """
    thin = thin or int(np.clip(math.ceil(_slowest(memory) / 2), 1, MOST_THIN))
    n, m, lanes = chains.centre.shape
    plans = np.empty((lanes, plan.draws, n, m))
    components = np.empty((lanes, plan.draws), dtype=np.int32)
    done = 0

    def keep(lanes: slice, kept: np.ndarray, of: np.ndarray) -> None:
        records = slice(done, done + kept.shape[1])
        plans[lanes, records], components[lanes, records] = kept, of

    try:
        while done < plan.draws:
            count = min(chains.room, plan.draws - done)
            chains.advance(thin, count, keep=keep)
            done += count
            report("sampling", done, plan.draws)
    except KeyboardInterrupt:
        if done == 0:
            raise
    return Kept(plans[:, :done], components[:, :done], thin)


def _slowest(memory: np.ndarray) -> float:
    """The time of the slowest cells, leaving out those that only look so by the errors of many."""
    return float(np.quantile(memory, 0.99))


def keep_components(
    chains: Chains, plan: Plan, memory: np.ndarray, thin: int | None, report: Report
) -> Kept:
    """Keep the few draws of every component, and put them at their places along the chains."""
    lanes = chains.lanes
    most = lanes.places.shape[1]
    time = _slowest(memory)
    longest = max(WORK / (lanes.count * chains.centre[..., 0].size), 500)
    steps = max(math.ceil(time / 2) * most, min(math.ceil(MEMORIES * time), longest))
    spacing = max(math.ceil(steps / most), 2) if thin is None else thin
    n, m, _ = chains.centre.shape
    plans = np.empty((plan.chains, plan.draws, n, m))
    components = np.empty((plan.chains, plan.draws), dtype=np.int32)
    halves: list[list[Moments]] = [[], []]
    calls = _calls(most, spacing, chains.room)
    draw = 0

    def keep(part: slice, kept: np.ndarray, of: np.ndarray) -> None:
        to = lanes.places[part, draw : draw + kept.shape[1]]
        has = to >= 0
        chain = np.broadcast_to(lanes.chain[part, None], to.shape)
        plans[chain[has], to[has]], components[chain[has], to[has]] = kept[has], of[has]

    for number, call in enumerate(calls):
        moments = chains.advance(call.thin, call.records, keep=keep if call.keeps else None)
        steps = call.thin * call.records
        halves[call.half].append(Moments(moments.mean * steps, moments.square * steps, None))
        draw += call.records if call.keeps else 0
        report("sampling", number + 1, len(calls))
    lengths = [sum(c.thin * c.records for c in calls if c.half == half) for half in (0, 1)]
    return Kept(plans, components, spacing, _composition(chains, halves, lengths, spacing))


def _composition(
    chains: Chains, halves: list[list[Moments]], lengths: list[int], thin: int
) -> Composition:
    """R-hat and efficiency within components, pooled: ``R² = (T - 1) / T + B / W``.

    The pieces compared are the halves of every lane, T steps long; B is the variance between the
    means of pieces of the same component, W the variance within pieces, both averaged over draws.
    """
    lanes = chains.lanes
    shares = (lanes.places >= 0).sum(1) / np.count_nonzero(lanes.places >= 0)
    parts = list(zip(halves, lengths, strict=True))
    means = np.stack([np.sum([m.mean for m in half], axis=0) / n for half, n in parts])
    squares = np.stack([np.sum([m.square for m in half], axis=0) / n for half, n in parts])
    length = min(lengths)
    within = np.maximum(squares - means**2, 0.0).mean(0) @ shares
    about = lanes.pooled(means.mean(0))[..., lanes.group]
    pieces = 2 * np.bincount(lanes.group)[lanes.group]  # of the component, from all of its lanes
    between = ((means - about) ** 2).mean(0) @ (shares * pieces / (pieces - 1))
    ratio = np.full(within.shape, 1.0 / length)  # for cells in which nothing varies
    ratio[between > 0] = np.inf  # and for those that only vary between pieces
    np.divide(between, within, out=ratio, where=within > 0)
    return Composition(
        rhat=np.sqrt((length - 1) / length + ratio),
        efficiency=np.clip(thin / (length * ratio), 1e-6, 1.0),
    )


class _Call(NamedTuple):
    half: int
    thin: int
    records: int
    keeps: bool


def _calls(most: int, thin: int, room: int) -> list[_Call]:
    """The calls that make ``most`` draws in two halves, of nearly the same number of steps."""
    if most == 1:
        return [_Call(0, max(thin // 2, 1), 1, False), _Call(1, max(thin // 2, 1), 1, True)]
    halves = enumerate((-(-most // 2), most // 2))
    return [
        _Call(half, thin, min(room, size - done), True)
        for half, size in halves
        for done in range(0, size, room)
    ]
