"""PolytopeWalk: uniform targets only; its sparse walkers and its dense ones.

Sparse walkers take the margins as equalities and the plan itself as state. Dense walkers take
``A x <= b``: theta with the largest margins eliminated, and coordinates whitened by a pilot run.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from benchmarks.chart import Chart, theta_chart, whitened
from benchmarks.targets import FloatArray, Target

installed = importlib.util.find_spec("polytopewalk") is not None


def _polytopewalk() -> Any:
    """Imported when needed: it may be missing."""
    return importlib.import_module("polytopewalk")


CHORD = 1e-4
"""Hit-and-run finds the ends of a chord by bisection to this error, relative to the scale of the
coordinates. The default, an absolute 0.01, is wider than most cells of a plan."""


@dataclass(frozen=True)
class WalkContender:
    """A walker and its radius; ``family`` is sparse, dense or whitened."""

    walker: str
    family: str
    radius: float

    @property
    def name(self) -> str:
        return f"PolytopeWalk {self.walker} ({self.family}, r={self.radius:g})"

    def build(self, target: Target, seeds: Sequence[int], seconds: float) -> WalkGroup:
        if self.family == "sparse":
            return SparseGroup(self, target, seeds)
        chart = theta_chart(target, ordered=True)
        if self.family == "dense":
            return DenseGroup(self, chart, seeds)
        # The quickest of the walkers that do not mind the shape of the polytope.
        pilot = SparseGroup(WalkContender("SparseDikinWalk", "sparse", 0.9), target, seeds)
        began, kept = time.perf_counter(), []
        while time.perf_counter() - began < 0.3 * seconds or len(kept) < 4:
            kept.append(pilot.advance(50, 5))
        plans = pilot.plans(np.concatenate(kept[len(kept) // 3 :], axis=1))
        moved = whitened(chart, plans)
        group = DenseGroup(self, moved, seeds)
        group.restart(moved.states(plans[:, -1]))
        return group


class WalkGroup:
    """Chains of one worker: PolytopeWalk keeps no state, so the last point starts the next run."""

    def __init__(self, start: FloatArray, seeds: Sequence[int]) -> None:
        self.seconds_shared = 0.0
        self.note = ""
        self._rngs = [np.random.default_rng(seed) for seed in seeds]
        self.restart([start for _ in seeds])

    def restart(self, starts: Sequence[FloatArray] | FloatArray) -> None:
        self._last = [np.array(start) for start in starts]

    def advance(self, draws: int, thin: int) -> FloatArray:
        runs = []
        for i, rng in enumerate(self._rngs):
            run = self._walk(draws * thin, self._last[i], thin, int(rng.integers(2**31 - 1)))
            self._last[i] = run[-1].copy()
            runs.append(run)
        return np.stack(runs)

    def _walk(self, steps: int, start: FloatArray, thin: int, seed: int) -> FloatArray:
        raise NotImplementedError

    def plans(self, states: FloatArray) -> FloatArray:
        raise NotImplementedError


class SparseGroup(WalkGroup):
    """The plan as state: margins as equalities (one dropped, being implied), cells >= 0."""

    def __init__(self, contender: WalkContender, target: Target, seeds: Sequence[int]) -> None:
        n, m = target.n, target.m
        rows = scipy.sparse.kron(scipy.sparse.eye(n), np.ones((1, m)))
        columns = scipy.sparse.kron(np.ones((1, n)), scipy.sparse.eye(m)).tocsr()[:-1]
        self._A = scipy.sparse.csc_matrix(scipy.sparse.vstack([rows, columns]))
        self._b = np.concatenate([target.a, target.b[:-1]])
        self._shape = (n, m)
        scale = {"err": CHORD / (n * m)} if "HitAndRun" in contender.walker else {}
        radius = contender.radius / (n * m) if scale else contender.radius
        self._walker: Any = getattr(_polytopewalk().sparse, contender.walker)(radius, **scale)
        super().__init__(np.outer(target.a, target.b).ravel(), seeds)

    def _walk(self, steps: int, start: FloatArray, thin: int, seed: int) -> FloatArray:
        return self._walker.generateCompleteWalk(
            steps, start, self._A, self._b, len(start), 0, thin, seed
        )

    def plans(self, states: FloatArray) -> FloatArray:
        return states.reshape(states.shape[:-1] + self._shape)


class DenseGroup(WalkGroup):
    """Reduced coordinates."""

    def __init__(self, contender: WalkContender, chart: Chart, seeds: Sequence[int]) -> None:
        self.chart = chart
        # Whitened coordinates have scale one; theta has the scale of a cell.
        scale = 1.0 if chart.transform is not None else 1.0 / len(chart.start)
        hit = contender.walker == "HitAndRun"
        radius = contender.radius * (scale if hit or contender.walker == "BallWalk" else 1.0)
        extra = {"err": CHORD * scale} if hit else {}
        self._walker: Any = getattr(_polytopewalk().dense, contender.walker)(radius, **extra)
        super().__init__(chart.start, seeds)

    def _walk(self, steps: int, start: FloatArray, thin: int, seed: int) -> FloatArray:
        return self._walker.generateCompleteWalk(
            steps, start, self.chart.A, self.chart.b, 0, thin, seed
        )

    def plans(self, states: FloatArray) -> FloatArray:
        return self.chart.plans(states)


def contenders(target: Target, quick: bool = False) -> list[WalkContender]:
    """Every walker, with radii for those where it is a step size."""
    C = WalkContender
    short = [
        C("HitAndRun", "whitened", 1.0),
        C("SparseDikinWalk", "sparse", 0.9),
        C("DikinWalk", "dense", 0.9),
        C("SparseHitAndRun", "sparse", 1.0),
    ]
    if quick:
        return short
    return [
        *short,
        *(C("SparseDikinWalk", "sparse", r) for r in (0.5, 1.5)),
        *(C("SparseVaidyaWalk", "sparse", r) for r in (0.5, 1.0)),
        C("SparseJohnWalk", "sparse", 0.9),
        C("SparseDikinLSWalk", "sparse", 0.9),
        C("SparseBallWalk", "sparse", 0.01),
        C("HitAndRun", "dense", 1.0),
        *(C("DikinWalk", "dense", r) for r in (0.5, 1.5)),
        *(C("VaidyaWalk", "dense", r) for r in (0.5, 1.0)),
        C("JohnWalk", "dense", 0.9),
        C("BallWalk", "dense", 0.1),
        *(C("BallWalk", "whitened", r) for r in (0.5, 1.0, 2.0)),
    ]
