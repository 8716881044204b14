"""Refuse, before the work, a request that cannot fit in memory."""

from __future__ import annotations

import psutil

from bayesot.errors import MemoryRefused
from bayesot.posterior import Posterior
from bayesot.samplers.base import Plan

__all__ = ["check_memory"]

COPIES = 1.5
"""The draws themselves, and what it takes to make and to judge them, as a multiple."""


def check_memory(posterior: Posterior, plan: Plan) -> None:
    """Raise `MemoryRefused` if the draws would take more memory than is free."""
    problem = posterior.problem
    n, m = problem.shape
    copies = COPIES + (problem.shape != problem.support_shape)  # zeros are put back into a copy
    per_draw = copies * 8 * n * m * plan.chains
    per_lane = 40 * n * m + (n - 1) * (m - 1) * (n + m - 1)  # states and sums, a tree's cycles
    count = len(posterior.offsets) if posterior.likelihood.composed else 1
    lanes = per_lane * plan.chains * min(count, plan.draws) if count > 1 else 0
    needed, free = per_draw * plan.draws + lanes, psutil.virtual_memory().available
    if needed <= free:
        return
    fitting = int(min(free / per_draw, free / (per_draw + (lanes / plan.draws))))
    ask = f"`draws={fitting}` or less" if fitting else "fewer `chains`"
    raise MemoryRefused(
        f"`draws={plan.draws}` of {plan.chains} chains of {n}×{m} plans need {_size(needed)}, and "
        f"{_size(free)} are free. Ask for {ask}."
    )


def _size(count: float) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.0f} MiB"
