"""What the diagnostics come to, in words: are the draws fit for use, and if not, what to change?"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesot._validate import FloatArray
from bayesot.draws.convergence import MINIMUM_DRAWS
from bayesot.problem import Problem
from bayesot.samplers.base import WARMUP

if TYPE_CHECKING:
    from bayesot.draws.draws import Draws

__all__ = ["ESS_THRESHOLD", "RHAT_THRESHOLD", "Judgement", "judge"]

RHAT_THRESHOLD = 1.01
"""Largest R-hat that counts as converged; the advice of Vehtari et al. (2021)."""

ESS_THRESHOLD = 400
"""Fewest effective draws, bulk and tail, in all chains together: with fewer, R-hat and the standard
errors are themselves unreliable (Vehtari et al. 2021)."""


VANISHING = 1e-250
"""Entries below this are not told apart reliably."""

MARGIN_THRESHOLD = 1e-9
"""Largest relative error of a margin."""


SHORT = 100
"""Steps of warm-up below which sharp posteriors are not annealed."""


class Judgement(NamedTuple):
    """The verdict on a run."""

    cell: tuple[Hashable, Hashable] | None
    """Labels of the cell that it rests on."""
    converged: bool
    words: str


def judge(
    draws: Draws,
    rhat: FloatArray,
    ess: FloatArray,
    free: NDArray[np.bool_],
    margin_error: float,
) -> Judgement:
    """Judge a run by R-hat and effective draws of its free cells, all of shape (n, m)."""
    length = draws.plans.shape[1]
    early = ""
    if draws.interrupted:
        early = f"; stopped early, after {length} of {draws.requested_draws} draws a chain"
    if not free.any():
        words = "nothing to converge: the margins leave a single plan"
        return Judgement(None, True, words + early)
    if length < MINIMUM_DRAWS:
        words = f"too few draws to tell: {length} a chain, where R-hat takes {MINIMUM_DRAWS}"
        return Judgement(None, False, f"{words}; run draws=1000{early}")

    apart = float(rhat[free].max()) > RHAT_THRESHOLD
    badness = np.where(free, rhat if apart else -ess, -np.inf)
    row, column = divmod(int(badness.argmax()), free.shape[1])
    problem = draws.problem
    cell = problem.row_labels[row], problem.column_labels[column]
    tiny = (draws.plans < VANISHING).mean(axis=(0, 1))
    if (tiny[free] > 0.01).any():
        row, column = divmod(int(np.where(free, tiny, -1.0).argmax()), free.shape[1])
        words = (
            f"not converged: {_named(problem, row, column)} piles up at zero, the "
            "prior being improper there (as a small concentration is where margins tie), or nearly "
            "so; raise its concentration or shape"
        )
        return Judgement((problem.row_labels[row], problem.column_labels[column]), False, words)
    if margin_error > MARGIN_THRESHOLD:
        words = f"not converged: margins are off by {margin_error:.1g}, from rounding tiny masses"
        return Judgement(cell, False, f"{words}; set these to zero{early}")
    if transient := _transient(draws, free):
        words = f"not converged: the first draws at {transient} are still on their way"
        return Judgement(cell, False, f"{words}; run warmup={WARMUP}{early}")
    faults, remedies = _faults(
        draws,
        _named(problem, row, column),
        float(rhat[row, column]),
        float(ess[row, column]),
    )
    if faults:
        advice = f"run {' or '.join(dict.fromkeys(remedies))}"
        return Judgement(cell, False, f"not converged: {', '.join(faults)}; {advice}{early}")
    words = (
        f"converged: R-hat at most {_above(rhat[free].max())} and at least "
        f"{int(ess[free].min())} effective draws in every free cell"
    )
    alone = "; a single chain cannot show other modes" if draws.chains == 1 else ""
    return Judgement(cell, True, words + alone + early)


def _transient(draws: Draws, free: NDArray[np.bool_]) -> str:
    """Name a free cell whose first draws are nothing like the last, or return nothing.

    Ranks, and so R-hat, hardly see a few draws however far off they are; means do.
    """
    length = draws.plans.shape[1]
    if draws.warmup >= SHORT or draws.composition is not None:
        return ""
    early, late = draws.plans[:, : max(1, length // 20)], draws.plans[:, length // 2 :]
    away = np.abs(early.mean((0, 1)) - late.mean((0, 1)))
    spread = late.std((0, 1))
    found = np.argwhere(free & (away > np.maximum(spread, 1e-12 * draws.problem.upper)))
    if not len(found):
        return ""
    return _named(draws.problem, *found[0])


def _named(problem: Problem, row: int, column: int) -> str:
    return f"{problem.row_strings[row]} → {problem.column_strings[column]}"


def _locked(draws: Draws) -> bool:
    """Whether chains stay with the cost sample that they start in, and these differ."""
    components = draws.components
    if components is None or draws.composition is not None:
        return False
    return bool(np.ptp(components) > 0 and np.ptp(components, axis=1).max() == 0)


def _faults(draws: Draws, where: str, rhat: float, ess: float) -> tuple[list[str], list[str]]:
    """List what is wrong, the worst cell being ``where``, and what may help."""
    faults, remedies = [], []
    warmup = [f"warmup={2 * draws.warmup}"] if draws.warmup else []
    if math.isinf(rhat):
        faults.append(f"stuck at {where}")
        remedies += [*warmup, _more_draws(draws, math.inf), "another sampler"]
    elif rhat > RHAT_THRESHOLD:
        faults.append(f"R-hat {_above(rhat)} at {where}")
        # The excess of its square is about one over the effective draws of a chain.
        remedies += [*warmup, _more_draws(draws, (rhat**2 - 1) / (RHAT_THRESHOLD**2 - 1))]
    elif ess < ESS_THRESHOLD:
        faults.append(f"only {int(ess)} effective draws at {where}")
        remedies += [_more_draws(draws, 1.25 * ESS_THRESHOLD / ess if ess else math.inf)]
    if draws.composition is not None and float(draws.composition.rhat.max()) >= rhat:
        # The runs behind a composed posterior are short; thinning is what makes them longer.
        factor = min(max((rhat**2 - 1) / (RHAT_THRESHOLD**2 - 1), 2.0), 10.0)
        remedies = [f"sampler=bayesot.samplers.Swap(thin={math.ceil(draws.thin * factor)})"]
    if _locked(draws):
        faults.append("chains stay with the cost samples that they start in")
        remedies = ["with a lower sharpness"]
    if draws.divergences:
        plural = "s" if draws.divergences > 1 else ""
        faults.append(f"{draws.divergences} divergent step{plural}")
        remedies += [*warmup, "another sampler"]
    return faults, remedies


def _above(rhat: float) -> str:
    """Show R-hat, rounded up: what is above a threshold also looks it."""
    return f"{math.ceil(rhat * 1000) / 1000:.3f}"


def _more_draws(draws: Draws, factor: float) -> str:
    """Suggest a round number of draws: by the factor, but twice to ten times as many."""
    wanted = math.ceil(draws.plans.shape[1] * min(max(factor, 2.0), 10.0))
    unit = 10 ** (len(str(wanted)) - 1)
    return f"draws={max(math.ceil(wanted / unit) * unit, draws.requested_draws)}"
