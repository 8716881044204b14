"""Refuse, before the work, a request that cannot fit in memory."""

from __future__ import annotations

import psutil

from bayesot.errors import MemoryRefused
from bayesot.problem import Problem
from bayesot.samplers.base import Plan

__all__ = ["check_memory"]

COPIES = 1.5
"""The draws themselves, and what it takes to make and to judge them, as a multiple."""


def check_memory(problem: Problem, plan: Plan) -> None:
    """Raise `MemoryRefused` if the draws would take more memory than is free."""
    n, m = problem.shape
    per_draw = 8 * n * m * plan.chains
    needed, free = COPIES * per_draw * plan.draws, psutil.virtual_memory().available
    if needed <= free:
        return
    fitting = int(free / (COPIES * per_draw))
    ask = f"`draws={fitting}`" if fitting else "fewer `chains`"
    raise MemoryRefused(
        f"`draws={plan.draws}` of {plan.chains} chains of {n}×{m} plans need {_size(needed)}, and "
        f"{_size(free)} are free. Ask for {ask} or less."
    )


def _size(count: float) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.0f} MiB"
