"""What a run was worth: the least effective sample size over the free cells, per second."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from arviz_stats.base.array import array_stats
from numpy.typing import NDArray

from benchmarks import identity
from benchmarks.targets import FloatArray, Target

CONVERGED = 1.05
"""R-hat above this: the ESS is not an estimate of anything, the row is marked."""

OUTSIDE = -1e-8
"""A cell below this left the polytope by more than rounding; its draws are of something else."""


@dataclass(frozen=True)
class Result:
    """Draws and how long they took, by whatever sampler.

    ``seconds_total`` is sampling with warm-up (tuning, rounding, burn-in); compiling is in
    neither and reported on its own. ``sweeps`` is per chain, where the sampler has such a thing.
    """

    draws: FloatArray
    """(chain, draw, n, m)"""
    seconds_sampling: float
    seconds_total: float
    seconds_compile: float = 0.0
    sweeps: int | None = None
    note: str = ""


@dataclass(frozen=True)
class Score:
    """One row of a table."""

    chains: int
    draws: int
    seconds_sampling: float
    seconds_total: float
    seconds_compile: float
    min_ess: float
    rhat_max: float
    least_cell: float
    identity_z: float
    note: str
    mean: FloatArray
    mcse: FloatArray

    @property
    def rate_total(self) -> float:
        return self.min_ess / self.seconds_total

    @property
    def rate_sampling(self) -> float:
        return self.min_ess / self.seconds_sampling

    @property
    def converged(self) -> bool:
        return bool(self.rhat_max < CONVERGED)

    @property
    def valid(self) -> bool:
        """In the polytope, and not provably of another target (told only of settled chains)."""
        wrong = self.rhat_max < 1.2 and self.identity_z > identity.SUSPECT
        return self.least_cell > OUTSIDE and not wrong

    def asdict(self) -> dict[str, object]:
        """For JSON: everything but the arrays."""
        plain = {k: v for k, v in vars(self).items() if k not in ("mean", "mcse")}
        return plain | {
            "rate_total": self.rate_total,
            "rate_sampling": self.rate_sampling,
            "converged": self.converged,
            "valid": self.valid,
        }


def score(result: Result, target: Target) -> Score:
    """Bulk ESS and rank R-hat of every free cell, all chains; the worst cell counts."""
    cells = np.ascontiguousarray(result.draws[:, :, target.free].transpose(2, 0, 1))
    ess, rhat = per_cell(cells)
    sd = cells.std(axis=(1, 2))
    return Score(
        chains=cells.shape[1],
        draws=cells.shape[2],
        seconds_sampling=result.seconds_sampling,
        seconds_total=result.seconds_total,
        seconds_compile=result.seconds_compile,
        min_ess=float(ess.min()),
        rhat_max=float(rhat.max()),
        least_cell=float(result.draws.min()),
        identity_z=identity.largest_z(result.draws, target),
        note=result.note,
        mean=cells.mean(axis=(1, 2)),
        mcse=sd / np.sqrt(np.maximum(ess, 1.0)),
    )


def per_cell(cells: FloatArray) -> tuple[FloatArray, FloatArray]:
    """ESS and R-hat of each series in ``cells`` (cell, chain, draw).

    A free cell that never moves in some chain has an ESS of zero: ArviZ would give a constant
    series as many effective draws as it has draws, and a stuck chain would win the race.
    """
    ess = np.zeros(len(cells))
    rhat = np.full(len(cells), np.inf)
    moving: NDArray[np.bool_] = (np.ptp(cells, axis=2) > 0).all(axis=1)
    for i in np.flatnonzero(moving):
        ess[i] = array_stats.ess(cells[i], method="bulk")
        rhat[i] = array_stats.rhat(cells[i], method="rank")
    return ess, rhat


def largest_z(one: Score, other: Score) -> float:
    """Largest difference of two mean plans in standard errors: are the targets the same?

    Over a few hundred cells the largest of so many z-scores is 3 to 4 by chance.
    """
    error = np.hypot(one.mcse, other.mcse)
    return float(np.max(np.abs(one.mean - other.mean) / np.maximum(error, 1e-300)))
