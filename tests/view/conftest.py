"""Draws that are put together by hand, so that what a view has to say about them is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bayesot.draws import Draws
from bayesot.problem import Problem

FIRST = np.array([[4.0, 0.0, 2.0], [0.0, 3.0, 1.0]]) / 10
SECOND = np.array([[4.0, 2.0, 0.0], [0.0, 1.0, 3.0]]) / 10


def halves(problem: Problem, chains: int = 2, length: int = 100) -> Draws:
    """Every other draw is one plan, the rest are another; a little of `independent` in each."""
    shares = np.linspace(0, 0.02, chains * length).reshape(chains, length, 1, 1)
    plans = np.where(np.arange(length)[:, None, None] % 2 == 0, FIRST, SECOND)
    return Draws(plans=(1 - shares) * plans + shares * problem.independent, problem=problem)


@pytest.fixture
def draws() -> Draws:
    """Of ten pallets: (x, p) is always 4, (y, p) never used, the others are one of two amounts."""
    return halves(Problem({"x": 6, "y": 4}, {"p": 4, "q": 3, "r": 3}))


@pytest.fixture
def labelled() -> Callable[[list[str], list[str]], Draws]:
    """The same draws under other labels."""

    def make(rows: list[str], columns: list[str]) -> Draws:
        return halves(Problem([6, 4], [4, 3, 3], row_labels=rows, column_labels=columns))

    return make


@pytest.fixture
def many() -> Draws:
    """A plan of 20 × 20 cells."""
    problem = Problem(np.ones(20), np.ones(20))
    return Draws(plans=np.broadcast_to(problem.independent, (1, 4, 20, 20)), problem=problem)
