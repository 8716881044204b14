"""hopsy: every proposal that can sample the target, in the coordinates and model that suit it.

Families, from what the documentation shows to what takes some thought:

``given``      theta = G[:-1, :-1] as it comes.
``rounded``    the same through ``hopsy.round``, which keeps its transformation in the problem.
``ordered``    rows and columns ordered so that the largest margins are eliminated.
``unrolled``   the rounding applied by hand, so that hopsy sees a plain problem: no back
               transformation at every step, and proposals that refuse transformations work.
``whitened``   coordinates of unit covariance, from a pilot run in the ordered ones.
``tree``       the maximum spanning tree of the pilot's mean plan is eliminated. It is what BayesOT
               moves along, lent to hopsy: shown, but it is no peer's own way of doing it.

The linear log density is given as a Python model or as hopsy's own ``Gaussian``, so wide that
it is linear to rounding error over the polytope: hopsy then never calls back into Python.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.chart import Chart, theta_chart, tree_chart, whitened
from benchmarks.targets import FloatArray, Target

installed = importlib.util.find_spec("hopsy") is not None


def _hopsy() -> Any:
    """Imported when needed: it may be missing, and takes a second."""
    return importlib.import_module("hopsy")


WIDE = (-4.0, 3.0)
"""Decades of step sizes to tune over."""
SHORT = (-1.5, 1.0)
"""For billiards, where a step costs its number of reflections."""
PIECES = 150
"""Dimension from which hopsy's Gaussian, quadratic in it, costs more than a call into Python."""


class Linear:
    """The target's log density for hopsy: the shortest Python there is."""

    def __init__(self, slope: FloatArray) -> None:
        self.slope = slope

    def log_density(self, x: FloatArray) -> float:
        return -self.slope.dot(x)

    def log_gradient(self, x: FloatArray) -> FloatArray:
        return -self.slope

    def log_curvature(self, x: FloatArray) -> FloatArray:
        return np.zeros((len(x), len(x)))


def wide_gaussian(slope: FloatArray, start: FloatArray, radius: float) -> Any:
    """A Gaussian whose log density is -slope.(x - start) up to a constant and rounding.

    With variance K and mean start - K slope the quadratic term is at most radius^2 / 2K, and
    cancellation loses eps K |slope|^2 / 2; this K makes both about eps^(1/2) |slope| radius.
    """
    hopsy = _hopsy()

    variance = radius / max(float(np.linalg.norm(slope)), 1e-300) / 1.5e-8
    return hopsy.Gaussian(start - variance * slope, variance * np.eye(len(slope)))


def soft_gaussian(slope: FloatArray, start: FloatArray, radius: float) -> Any:
    """The narrowest Gaussian within a hundredth of a nat of linear, for `TruncatedGaussian`.

    That Gibbs sampler inverts normal tails, which fails for the wide one: the polytope would be
    hundreds of deviations from the mean. For steep slopes it fails for this one too, and the
    race sees it by the identity of `identity.py`.
    """
    hopsy = _hopsy()

    variance = radius**2 / 0.02
    return hopsy.Gaussian(start - variance * slope, variance * np.eye(len(slope)))


@dataclass(frozen=True)
class HopsyContender:
    """A proposal, in a family of coordinates, with a model; ``steps`` are decades to tune over."""

    proposal: str
    family: str
    model: str = "none"
    steps: tuple[float, float] | None = None

    @property
    def name(self) -> str:
        tuned = " tuned" if self.steps else ""
        return f"hopsy {self.proposal} ({self.family}, {self.model} model{tuned})"

    def build(self, target: Target, seeds: Sequence[int], seconds: float) -> HopsyGroup:
        began = time.perf_counter()
        owed = 0.0
        starts: Sequence[FloatArray] | None = None
        chart = theta_chart(target, ordered=self.family in ("ordered", "whitened", "tree"))
        transform = shift = None
        if self.family in ("rounded", "unrolled"):
            transform, shift, owed = rounding(target)
            owed = max(0.0, owed - (time.perf_counter() - began))
        if self.family == "unrolled":
            assert transform is not None and shift is not None
            chart, transform, shift = chart.moved(transform, shift, len(chart.start)), None, None
        if self.family in ("whitened", "tree"):
            plans = _pilot(chart, seeds, 0.5 * seconds)
            tree = self.family == "tree"
            chart = tree_chart(target, plans.mean((0, 1))) if tree else whitened(chart, plans)
            starts = list(chart.states(plans[:, -1]))
        group = HopsyGroup(chart, self, seeds, starts, transform, shift, owed)
        if self.steps is not None:
            group.tune(self.steps, 0.2 * seconds)
        return group


class HopsyGroup:
    """Markov chains of one worker."""

    def __init__(
        self,
        chart: Chart,
        contender: HopsyContender,
        seeds: Sequence[int],
        starts: Sequence[FloatArray] | None = None,
        transform: FloatArray | None = None,
        shift: FloatArray | None = None,
        seconds_shared: float = 0.0,
    ) -> None:
        hopsy = _hopsy()

        self.chart = chart
        self.seconds_shared = seconds_shared
        self.note = ""
        start, A, b = chart.start, chart.A, chart.b
        model: Any = None
        if contender.model == "Python":
            model = Linear(chart.slope)
        elif contender.model == "Gaussian":
            shape = soft_gaussian if contender.proposal == "TruncatedGaussian" else wide_gaussian
            model = shape(chart.slope, start, chart.radius)
        extra = {}
        if transform is not None and shift is not None:
            extra = {"transformation": transform, "shift": shift}
            A, b = A @ transform, b - A @ shift
            start = np.linalg.solve(transform, start - shift)
        problem = hopsy.Problem(A, b, model, **extra) if model else hopsy.Problem(A, b, **extra)
        kind = getattr(hopsy, contender.proposal + "Proposal")
        self._chains = [
            hopsy.MarkovChain(problem, kind, starting_point=start if starts is None else starts[i])
            for i in range(len(seeds))
        ]
        self._rngs = [hopsy.RandomNumberGenerator(seed) for seed in seeds]

    def advance(self, draws: int, thin: int) -> FloatArray:
        hopsy = _hopsy()

        return hopsy.sample(self._chains, self._rngs, draws, thinning=thin)[1]

    def plans(self, states: FloatArray) -> FloatArray:
        return self.chart.plans(states)

    def tune(self, steps: tuple[float, float], seconds: float) -> None:
        """hopsy's own tuning, for squared jump distance per second, in about ``seconds``."""
        hopsy = _hopsy()

        began = time.perf_counter()
        while (spent := time.perf_counter() - began) < seconds / 4:
            self.advance(1, 50)
        began = time.perf_counter()
        self.advance(10, 1)
        spent = max((time.perf_counter() - began) / 10, 1e-6)
        rounds = 30
        samples = int(np.clip(seconds / (rounds * spent), 5, 500))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the Gaussian process of the tuning is noisy
            hopsy.tune(
                self._chains,
                self._rngs,
                target="esjd/s",
                n_tuning=rounds * samples,
                n_rounds=rounds,
                lower=steps[0],
                upper=steps[1],
            )
        step = float(np.asarray(self._chains[0].proposal.stepsize).ravel()[0])
        self.note = f"step {step:.3g}"


def _pilot(chart: Chart, seeds: Sequence[int], seconds: float) -> FloatArray:
    """Plans from the second half of a run in theta, a sweep apart."""
    model = "none"
    if chart.slope.any():
        model = "Gaussian" if len(chart.start) < PIECES else "Python"
    contender = HopsyContender("UniformCoordinateHitAndRun", "ordered", model)
    group, d = HopsyGroup(chart, contender, seeds), len(chart.start)
    began, kept = time.perf_counter(), [group.advance(8, d)]
    while time.perf_counter() - began < seconds:
        kept.append(group.advance(min(2 * kept[-1].shape[1], 64), d))
    states = np.concatenate(kept, axis=1)
    return chart.plans(states[:, states.shape[1] // 2 :])


_rounded: dict[str, tuple[FloatArray, FloatArray, float]] = {}


def rounding(target: Target) -> tuple[FloatArray, FloatArray, float]:
    """hopsy.round's transformation and shift, and what it took; once per worker and target."""
    hopsy = _hopsy()

    if target.name not in _rounded:
        began = time.perf_counter()
        chart = theta_chart(target, ordered=False)
        problem = hopsy.round(hopsy.Problem(chart.A, chart.b))
        seconds = time.perf_counter() - began
        _rounded[target.name] = (
            np.asarray(problem.transformation),
            np.asarray(problem.shift),
            seconds,
        )
    return _rounded[target.name]


def contenders(target: Target, quick: bool = False) -> list[HopsyContender]:
    """What is tried. ``quick`` keeps those that have ever won."""
    C = HopsyContender
    python, native = ("Python", "Gaussian") if target.sharpness else ("none", "none")
    short = [
        C("UniformCoordinateHitAndRun", "rounded", python),
        C("BilliardWalk", "rounded", python, SHORT),
        C("UniformCoordinateHitAndRun", "given", python),
        *(
            C("UniformCoordinateHitAndRun", family, model)
            for family in ("ordered", "unrolled", "whitened", "tree")
            for model in dict.fromkeys((python, native))
        ),
        C("BilliardWalk", "unrolled", native, SHORT),
        C("BilliardWalk", "whitened", native, SHORT),
    ]
    if quick:
        return short
    rest = [
        C("UniformHitAndRun", "rounded", python),
        C("GaussianCoordinateHitAndRun", "rounded", python, WIDE),
        C("GaussianHitAndRun", "rounded", python, WIDE),
        C("BallWalk", "rounded", python, WIDE),
        C("DikinWalk", "rounded", python, WIDE),
        C("AdaptiveMetropolis", "rounded", python),
        C("BilliardAdaptiveMetropolis", "rounded", python),
        C("Gaussian", "rounded", python, WIDE),
        C("GaussianCoordinateHitAndRun", "given", python, WIDE),
        C("DikinWalk", "given", python, WIDE),
        C("GaussianCoordinateHitAndRun", "ordered", native, WIDE),
        C("GaussianCoordinateHitAndRun", "whitened", native, WIDE),
        C("UniformHitAndRun", "whitened", native),
        C("GaussianHitAndRun", "whitened", native, WIDE),
        C("BallWalk", "whitened", native, WIDE),
        C("AdaptiveMetropolis", "whitened", native),
    ]
    rest += [
        C("TruncatedGaussian", family, "Gaussian")
        for family in ("given", "ordered", "unrolled", "whitened")
    ]
    if target.sharpness:
        rest += [
            C("CSmMALA", "given", python, WIDE),
            C("CSmMALA", "ordered", native, WIDE),
            C("CSmMALA", "whitened", native, WIDE),
            C("BilliardMALA", "whitened", native, SHORT),
        ]
    return short + rest
