"""How a peer is raced: worker processes, pilot, thinning, budget, and who reaches the final.

Everything here is peer-neutral. A peer brings contenders; a contender builds, inside a worker, a
group of chains that can be advanced.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from benchmarks.ess import Result, Score, per_cell, score
from benchmarks.targets import FloatArray, Target

CHAINS_PER_WORKER = 2
FEWEST_STEPS = 50
"""A chain that cannot make this many steps in its time is not run."""
MOST_NUMBERS = 24_000_000
"""Cap on stored cells, all chains: 200 MB, and an ESS that is computed in seconds."""


class Group(Protocol):
    """Chains of one worker, advanced together."""

    seconds_shared: float
    """Preparation done earlier for another contender (rounding), still owed by this one."""
    note: str

    def advance(self, draws: int, thin: int) -> FloatArray:
        """Next states, (chain, draw, coordinate), keeping every thin-th."""
        ...

    def plans(self, states: FloatArray) -> FloatArray:
        """States to plans; never timed."""
        ...


class Contender(Protocol):
    """One way of using a peer. Has to pickle: it is built where it runs."""

    @property
    def name(self) -> str: ...

    @property
    def family(self) -> str:
        """The best of each family reaches the final."""
        ...

    def build(self, target: Target, seeds: Sequence[int], seconds: float) -> Group: ...


@dataclass(frozen=True)
class Pilot:
    """What burn-in taught: seconds to store a draw, seconds of a step, lag-one correlation."""

    seconds_warmup: float
    overhead: float
    step: float
    log_correlation: float
    """Of the slowest cell, per step."""


_group: Group | None = None
_target: Target | None = None


def _prepare(contender: Contender, target: Target, seeds: Sequence[int], seconds: float) -> Pilot:
    """In the worker: build the chains, burn them in, and learn their speed while at it."""
    global _group, _target
    _group = None  # frees the last contender's matrices before the next one's are made
    began = time.perf_counter()
    group = contender.build(target, seeds, seconds)
    each = _per_draw(group, 1)
    if each * CHAINS_PER_WORKER * FEWEST_STEPS > seconds:
        raise RuntimeError(f"a step takes {1e3 * each:.1f} ms: too slow for {seconds:g} s")
    step = each
    if each < 1e-3:  # a longer step hides what it costs to keep a draw
        step = max((_per_draw(group, 200) - each) / 199, each / 200)
    overhead = max(each - step, 0.0)
    thin = max(1, math.ceil(overhead / step))
    kept: list[FloatArray] = []
    burn_in, batch, clock = 0.2 * seconds, 8, time.perf_counter()
    most = MOST_NUMBERS // (8 * target.n * target.m)
    while (spent := time.perf_counter() - clock) < burn_in:
        kept.append(group.advance(batch, thin))
        if sum(k.shape[1] for k in kept) > most:
            kept = kept[-1:]
        batch = min(2 * batch, most, 1 + int(batch * burn_in / max(spent, 1e-3)))
    warmup = time.perf_counter() - began + group.seconds_shared
    states = np.concatenate(kept, axis=1)
    states = states[:, states.shape[1] // 2 :]
    _group, _target = group, target
    return Pilot(warmup, overhead, step, _log_correlation(group, states, target, thin))


def _per_draw(group: Group, thin: int) -> float:
    """Seconds per draw and chain, over at least 50 ms."""
    draws = 1
    while True:
        began = time.perf_counter()
        states = group.advance(draws, thin)
        spent = time.perf_counter() - began
        if spent > 0.05:
            return spent / (draws * len(states))
        draws *= 4


def _log_correlation(group: Group, states: FloatArray, target: Target, thin: int) -> float:
    """The slowest cell taken as a first-order autoregression, from its ESS per draw."""
    if states.shape[1] < 20:
        return -1e-3 / thin
    cells = group.plans(states)[:, :, target.free].transpose(2, 0, 1)
    ess, _ = per_cell(np.ascontiguousarray(cells))
    share = float(np.clip(ess.min() / states[..., 0].size, 1e-4, 0.98))
    return math.log((1 - share) / (1 + share)) / thin


def _sample(draws: int, thin: int) -> tuple[FloatArray, float, str]:
    """In the worker: the measured run."""
    assert _group is not None
    began = time.perf_counter()
    states = _group.advance(draws, thin)
    seconds = time.perf_counter() - began
    return _group.plans(states), seconds, _group.note


def thinning(pilot: Pilot, seconds: float, target: Target, chains: int) -> tuple[int, int]:
    """Thinning with the most effective draws per second, and how many draws fill the budget.

    Keeping a draw costs ``overhead``: too little thinning spends the time on copies, too much
    throws effective draws away.
    """
    thins = np.unique(np.geomspace(1, 100_000, 400).astype(int))
    cost = pilot.overhead + pilot.step * thins
    correlation = np.exp(pilot.log_correlation * thins)
    worth = (1 - correlation) / (1 + correlation) / cost
    draws = (seconds / (CHAINS_PER_WORKER * cost)).astype(int)
    # Fewer draws than this and neither ESS nor R-hat can be told.
    enough = draws >= min(200, draws[0])
    fits = draws * chains * target.n * target.m <= MOST_NUMBERS
    best = int(np.argmax(np.where(fits & enough, worth, -np.inf)))
    return int(thins[best]), max(20, int(draws[best]))


class Workers:
    """Worker processes that keep their chains between calls; started before anything is timed."""

    def __init__(self, count: int) -> None:
        context = multiprocessing.get_context("spawn")  # the parent may hold JAX's threads
        self._pools = [ProcessPoolExecutor(1, mp_context=context) for _ in range(count)]

    def run(self, contender: Contender, target: Target, seconds: float) -> Result:
        """One contender on every worker at once, two chains each."""
        pilots = self._all(
            _prepare,
            [(contender, target, self._seeds(i), seconds) for i in range(len(self._pools))],
        )
        pilot = Pilot(*np.mean([tuple(vars(p).values()) for p in pilots], axis=0))
        chains = CHAINS_PER_WORKER * len(self._pools)
        thin, draws = thinning(pilot, seconds, target, chains)
        shares = self._all(_sample, [(draws, thin)] * len(self._pools))
        warm = max(p.seconds_warmup for p in pilots)
        sampling = max(seconds for _, seconds, _ in shares)
        return Result(
            draws=np.concatenate([plans for plans, _, _ in shares]),
            seconds_sampling=sampling,
            seconds_total=warm + sampling,
            note=f"thin {thin}, {1e6 * pilot.step:.2f} us/step {shares[0][2]}".strip(),
        )

    @staticmethod
    def _seeds(worker: int) -> list[int]:
        return [1 + CHAINS_PER_WORKER * worker + i for i in range(CHAINS_PER_WORKER)]

    def _all(self, function: Callable[..., Any], arguments: Sequence[tuple]) -> list[Any]:
        futures: list[Future] = [
            pool.submit(function, *a) for pool, a in zip(self._pools, arguments, strict=True)
        ]
        wait_for_all = [f.exception() for f in futures]
        for error in wait_for_all:
            if error is not None:
                raise error
        return [f.result() for f in futures]

    def close(self) -> None:
        for pool in self._pools:
            pool.shutdown()


@contextmanager
def workers(count: int) -> Iterator[Workers]:
    """Workers with one BLAS thread each: two processes with two threads each would only fight."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    team = Workers(count)
    try:
        yield team
    finally:
        team.close()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@dataclass(frozen=True)
class Entry:
    """A contender and what it reached; the score is None when it refused."""

    name: str
    family: str
    score: Score | None
    error: str = ""
    contender: Contender | None = None
    """Of a peer: how to run it again."""
    chains: int | None = None
    """Of ours: the same."""


def race(
    team: Workers, contenders: Sequence[Contender], target: Target, seconds: float
) -> tuple[list[Entry], list[Entry]]:
    """Screen every contender briefly; the best of each family runs for ``seconds``.

    Returns finals, best first, and the screening.
    """
    screening = [_entry(team, c, target, max(0.5, seconds / 10)) for c in contenders]
    finals: list[Entry] = []
    for family in dict.fromkeys(c.family for c in contenders):
        of_family = [
            (e, c) for e, c in zip(screening, contenders, strict=True) if e.family == family
        ]
        best, contender = max(of_family, key=lambda pair: merit(pair[0]))
        if best.score is not None:
            finals.append(_entry(team, contender, target, seconds))
    return sorted(finals, key=merit, reverse=True), screening


def _entry(team: Workers, contender: Contender, target: Target, seconds: float) -> Entry:
    try:
        result = team.run(contender, target, seconds)
    except (ValueError, RuntimeError, np.linalg.LinAlgError) as error:
        # Some proposals refuse some models or transformations; that is an answer too.
        text = str(error).strip().split("\n")[0]
        return Entry(contender.name, contender.family, None, text)
    return Entry(contender.name, contender.family, score(result, target), contender=contender)


def merit(entry: Entry) -> tuple[bool, bool, float]:
    """Valid first, then converged, then effective draws per second."""
    s = entry.score
    if s is None:
        return (False, False, -1.0)
    return (s.valid, s.rhat_max < 1.2, s.rate_sampling)
