"""The contract of every sampler: agreement with a truth that was found in another way.

Tolerances are Monte Carlo errors, estimated from the draws themselves, times `Z`; nothing is tuned.
Five deviations fail once in 1.7 million comparisons for a correct sampler, so that of the several
thousand comparisons in the suite none is expected to fail; seeds are fixed, so none fails by turns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from arviz_stats.base.array import array_stats
from tests.truths import Truth

import bayesot as bo

Z = 5.0


@dataclass(frozen=True)
class Target:
    """A posterior and the truth about it, computed when it is first needed."""

    name: str
    posterior: bo.Posterior
    truth: Callable[[], Truth]


def standard_error(series: np.ndarray) -> np.ndarray:
    """Monte Carlo standard error of the mean of series (chain, draw, …), constants included.

    A series that is rarely anything but constant (an indicator of a rare event) has hardly any
    variance in the sample, so the error is never taken below that of one more such event.
    """
    chains, draws = series.shape[:2]
    flat = series.reshape(chains, draws, -1)
    errors = np.zeros(flat.shape[2])
    for k in range(flat.shape[2]):
        if np.ptp(flat[..., k]) > 0:
            ess = array_stats.ess(flat[..., k], chain_axis=0, draw_axis=1, method="mean")
            errors[k] = flat[..., k].std() / np.sqrt(min(float(np.asarray(ess)), chains * draws))
    return errors.reshape(series.shape[2:])


def check_mean(series: np.ndarray, expected: np.ndarray, slack: np.ndarray | float = 0.0) -> None:
    """Assert that the mean of series (chain, draw, …) is as expected, within `Z` errors."""
    mean = series.mean((0, 1))
    tolerance = Z * standard_error(series) + slack + 1e-12 * np.abs(expected)
    worst = np.max(np.abs(mean - expected) / np.maximum(tolerance, 1e-300))
    assert worst <= 1, f"off by {Z * worst:.1f} standard errors:\n{mean}\nfor\n{expected}"


def check_plans(plans: np.ndarray, problem: bo.Problem) -> None:
    """Assert that margins are exact and nothing is negative or lost."""
    assert np.isfinite(plans).all()
    assert plans.min() >= 0
    rows, columns = plans.sum(-1), plans.sum(-2)
    assert np.all(np.abs(rows - problem.a) <= 1e-12 * problem.a)
    assert np.all(np.abs(columns - problem.b) <= 1e-12 * problem.b)


def check_against(plans: np.ndarray, truth: Truth) -> None:
    """Assert means, deviations and quantiles of plans (chain, draw, n, m)."""
    check_mean(plans, truth.mean, Z * truth.error)
    spread = np.where(truth.std > 0, truth.std, 1.0)
    scaled = (plans - truth.mean) / spread
    check_mean(scaled**2, np.where(truth.std > 0, 1.0, 0.0), 1e-3)
    for level in (0.05, 0.5, 0.95):
        # Is a value exceeded as often as it should be? An error in a probability does not depend
        # on how the density behaves there, as an error in a quantile does. The values are nodes of
        # the truth, so that nothing is interpolated: near zero they lie orders of magnitude apart.
        at, below = truth_near(truth, level)
        # Where a cell is as good as its bound, many values round to the same number.
        surely = (plans <= at * (1 - 1e-12)).astype(float)
        perhaps = (plans <= at * (1 + 1e-12)).astype(float)
        assert np.all(surely.mean((0, 1)) <= below + Z * standard_error(surely) + 1e-3)
        assert np.all(perhaps.mean((0, 1)) >= below - Z * standard_error(perhaps) - 1e-3)


def truth_near(truth: Truth, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Values (n, m) near a quantile, and the exact probabilities below them."""
    shape = truth.mean.shape
    at, below = np.empty(shape), np.empty(shape)
    for cell in np.ndindex(shape):
        values, probabilities = truth.marginal(*cell)
        node = np.abs(probabilities - level).argmin()
        at[cell], below[cell] = values[node], probabilities[node]
    return at, below
