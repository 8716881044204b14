"""Whether draws can be trusted: the numbers of every cell, and a verdict in words."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bayesot._pytree import read_only
from bayesot._validate import FloatArray
from bayesot.draws.cells import per_cell
from bayesot.draws.convergence import MINIMUM_DRAWS, mixing
from bayesot.draws.verdict import judge
from bayesot.problem import Problem
from bayesot.samplers.base import Composition

if TYPE_CHECKING:
    from bayesot.draws.draws import Draws

__all__ = ["Diagnostics", "diagnose"]

# A cell that can only move by this fraction of its value is determined: rounding of the margins
# moves it as much, so that its draws say nothing.
_RESOLUTION = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics:
    """How well the chains agree, cell by cell and at worst.

    Arrays have shape (n, m), follow ArviZ and hold no NaN. Determined cells need no sampling: their
    R-hat is one, all draws are effective, and they are left out of what is worst. A free cell that
    never moves is *stuck*: its R-hat and standard error are infinite, and no draw is effective.
    """

    rhat: FloatArray
    """Rank-normalised split R-hat."""
    ess_bulk: FloatArray
    """Effective draws for means and medians."""
    ess_tail: FloatArray
    """Effective draws for the 5 % and 95 % quantiles."""
    mcse: FloatArray
    """Monte Carlo standard error of the mean."""
    determined: NDArray[np.bool_]
    """Cells with the same value in every plan, to rounding."""
    margin_error: float
    """Largest error of a row or column sum in any draw, relative to the mass; absolute if zero."""
    divergences: int
    """Divergent steps of the sampler, after warm-up."""
    seconds: float
    """Wall-clock time of the run."""
    worst: tuple[Hashable, Hashable] | None
    """Labels of the cell that the verdict looks at; None without free cells."""
    converged: bool
    """Whether the chains mixed and did not diverge; thresholds are in `bayesot.draws.verdict`."""
    verdict: str
    """That in words, with what to change if it is not so."""

    @property
    def max_rhat(self) -> float:
        """The largest R-hat of a free cell; of any if there is none."""
        return float(self.rhat[self._shown].max())

    @property
    def min_ess_bulk(self) -> float:
        """The fewest effective draws of a free cell, for means and medians."""
        return float(self.ess_bulk[self._shown].min())

    @property
    def min_ess_tail(self) -> float:
        """The fewest effective draws of a free cell, for tails."""
        return float(self.ess_tail[self._shown].min())

    @property
    def _shown(self) -> NDArray[np.bool_]:
        return ~self.determined | self.determined.all()

    def __repr__(self) -> str:
        return (
            f"Diagnostics({self.verdict}\n"
            f"  max_rhat={self.max_rhat:.4g}, min_ess_bulk={self.min_ess_bulk:.4g}, "
            f"min_ess_tail={self.min_ess_tail:.4g}, divergences={self.divergences}, "
            f"margin_error={self.margin_error:.2g}, seconds={self.seconds:.3g})"
        )


def diagnose(draws: Draws) -> Diagnostics:
    """Diagnose draws: a millisecond per cell and core for eight chains of 1000."""
    problem, plans = draws.problem, draws.plans
    chains, length = plans.shape[:2]
    free = _free_cells(problem)
    numbers = np.empty((4, *problem.shape))  # R-hat, bulk, tail, MCSE
    numbers[:, ~free] = np.array([[1.0], [chains * length], [chains * length], [0.0]])
    if length < MINIMUM_DRAWS:
        numbers[:, free] = np.array([[np.inf], [0.0], [0.0], [np.inf]])
    elif free.any():
        numbers[:, free] = per_cell(lambda block: np.stack(mixing(block)), plans, free)
        if draws.composition is not None:
            numbers[:, free] = _composed(numbers[:, free], draws.composition, free)
    rhat, ess_bulk, ess_tail, mcse = read_only(numbers)
    margin_error = _margin_error(problem, plans)
    judgement = judge(draws, rhat, np.minimum(ess_bulk, ess_tail), free, margin_error)
    return Diagnostics(
        rhat=rhat,
        ess_bulk=ess_bulk,
        ess_tail=ess_tail,
        mcse=mcse,
        determined=read_only(~free),
        margin_error=margin_error,
        divergences=draws.divergences,
        seconds=draws.seconds,
        worst=judgement.cell,
        converged=judgement.converged,
        verdict=judgement.words,
    )


def _free_cells(problem: Problem) -> NDArray[np.bool_]:
    """Cells that differ between plans by more than rounding."""
    others = [_rest(side) for side in (problem.a, problem.b)]
    # upper - lower = min(a, b, 1 - a, 1 - b), free of cancellation when written so
    width = np.minimum(problem.upper, np.minimum(others[0][:, None], others[1]))
    return ~problem.determined & (width > _RESOLUTION * problem.upper)


def _rest(shares: FloatArray) -> FloatArray:
    """Return ``1 - shares``, accurately where a share is nearly one."""
    rest, largest = 1.0 - shares, int(np.argmax(shares))
    rest[largest] = math.fsum(np.delete(shares, largest).tolist())
    return rest


def _composed(numbers: FloatArray, composition: Composition, free: NDArray[np.bool_]) -> FloatArray:
    """Take account of how the components mixed before their draws were shuffled together."""
    rhat, ess_bulk, ess_tail, mcse = numbers
    within = np.nan_to_num(composition.rhat[free], nan=np.inf, posinf=np.inf)
    efficiency = np.nan_to_num(composition.efficiency[free], nan=0.0)
    with np.errstate(divide="ignore"):
        mcse = np.where(efficiency > 0.0, mcse / np.sqrt(efficiency), np.inf)
    return np.stack((np.maximum(rhat, within), ess_bulk * efficiency, ess_tail * efficiency, mcse))


def _margin_error(problem: Problem, plans: FloatArray) -> float:
    errors = [0.0]
    for masses, axis in ((problem.a, -1), (problem.b, -2)):
        scale = np.where(masses > 0.0, masses, 1.0)
        errors.append(float(np.max(np.abs(plans.sum(axis=axis) - masses) / scale)))
    return max(errors)
