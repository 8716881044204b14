"""What a sampler is: a small object with hyperparameters that turns a posterior into a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from bayesot.posterior import Posterior
from bayesot.problem import Problem

__all__ = ["WARMUP", "Composition", "Plan", "Report", "Run", "Sampler"]

WARMUP = 500
"""Steps of warm-up unless asked otherwise. A step moves every cell several times, so hundreds are
plenty: R-hat is the judge of what remains."""

Report = Callable[[str, int, int], None]
"""Progress so far: what is being done, how many steps of it, out of how many."""


@dataclass(frozen=True)
class Plan:
    """How long to run: what `bayesot.sample` was asked for, gaps filled in."""

    draws: int
    chains: int
    warmup: int
    seed: int


@dataclass(frozen=True)
class Composition:
    """Diagnostics within the components of a composed posterior (`Each`).

    Draws of different components are shuffled together, so the chains that users see would look
    converged even if the runs behind them were not. These are measured before the shuffling.
    """

    rhat: np.ndarray
    """R-hat within components, pooled over them; shape (n, m)."""
    efficiency: np.ndarray
    """Effective draws per draw within components, at most one; shape (n, m)."""

    def on(self, problem: Problem) -> Composition:
        """Put zero-mass rows and columns back, where all is determined."""
        return Composition(
            rhat=np.where(problem.determined, 1.0, problem.embed(self.rhat)),
            efficiency=np.where(problem.determined, 1.0, problem.embed(self.efficiency)),
        )


@dataclass(frozen=True)
class Run:
    """What came out of a sampler, on all cells of the problem."""

    plans: np.ndarray
    """Shape (chain, draw, n, m), float64."""
    components: np.ndarray | None
    """Which cost sample a draw belongs to, shape (chain, draw); None if draws have none."""
    thin: int
    """Steps of the sampler per draw kept."""
    seconds: float
    """Wall-clock time of warm-up and sampling, compilation included."""
    warmup_seconds: float
    divergences: int = 0
    composition: Composition | None = None
    interrupted: bool = False
    """Whether the user stopped it early: there are fewer draws then than were asked for."""


@runtime_checkable
class Sampler(Protocol):
    """A strategy: frozen hyperparameters and one method."""

    def run(self, posterior: Posterior, plan: Plan, report: Report) -> Run:
        """Sample a posterior on a polytope of at least one dimension."""
        ...

    def supports(self, posterior: Posterior) -> str | None:
        """Return None if it can sample the posterior, else the reason in words."""
        ...
