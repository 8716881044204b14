"""How well chains have mixed: R-hat and effective sample sizes, for many cells at once.

The definitions are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-
normalization, folding, and localization", as ArviZ computes them: the tests compare to ten digits.
ArviZ takes one cell at a time in Python, so that threads do not help it: four times as long for a
20×20 plan on two cores, and longer than drawing it takes. Here all cells of a block share each
sort and each Fourier transform.

Arrays are (cell, chain, draw) with at least four draws. A cell that no chain moves, which ArviZ
gives no R-hat or any, gets an infinite one and no effective draws.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri

from bayesot._validate import FloatArray

__all__ = ["MINIMUM_DRAWS", "Mixing", "mixing"]

MINIMUM_DRAWS = 4
"""Draws per chain below which halves of chains have no variance to speak of."""

_TAILS = (0.05, 0.95)


class Mixing(NamedTuple):
    """Four numbers per cell, each of shape (cell,)."""

    rhat: FloatArray
    """The larger of R-hat of the ranks and R-hat of the ranks' distance from the median."""
    ess_bulk: FloatArray
    """Effective draws of the ranks, as for a mean or a median."""
    ess_tail: FloatArray
    """The fewer effective draws of the two events "below the 5 % (95 %) quantile"."""
    mcse: FloatArray
    """Monte Carlo standard error of the mean."""


def mixing(draws: FloatArray) -> Mixing:
    """Diagnose the chains of every cell: (cell, chain, draw) in, four times (cell,) out.

    >>> rng = np.random.default_rng(0)
    >>> rhat, *_ = mixing(rng.normal(size=(1, 4, 1000)) + np.array([[[0], [0], [0], [1]]]))
    >>> rhat.round(2)
    array([1.11])
    """
    halves = _split(draws)
    ranks = _normal_scores(halves)
    quantiles = np.quantile(draws.reshape(len(draws), -1), _TAILS, axis=1)
    tails = [_ess(_split(draws <= q[:, None, None])) for q in quantiles]
    folded = np.abs(halves - np.median(halves, axis=(1, 2), keepdims=True))
    rhat = np.fmax(_rhat(ranks), _rhat(_normal_scores(folded)))  # a constant fold has none
    width = np.ptp(halves, axis=(1, 2))
    scale = np.where(width > 0.0, width, 1.0)[:, None, None]  # squares of tiny shares stay normal
    values = (draws - draws[:, :1, :1]) / scale
    sd = values.std(axis=(1, 2), ddof=1) * scale[:, 0, 0]
    mcse = sd / np.sqrt(_ess(_split(values)))
    found = Mixing(rhat, _ess(ranks), np.minimum(*tails), mcse)
    still = np.ptp(halves, axis=2).max(axis=1) == 0.0
    unknown = Mixing(*map(np.asarray, (np.inf, 0.0, 0.0, np.inf)))
    return Mixing(*(np.where(still, u, f) for u, f in zip(unknown, found, strict=True)))


def _split(draws: NDArray[Any]) -> NDArray[Any]:
    """Halve every chain, leaving out the middle draw of an odd number: (cell, 2 chain, draw // 2).

    Drift within a chain then shows as a difference between chains.
    """
    half = draws.shape[2] // 2
    return np.concatenate((draws[:, :, :half], draws[:, :, -half:]), axis=1)


def _normal_scores(draws: FloatArray) -> FloatArray:
    """Replace values by the normal quantiles of their ranks within the cell, ties averaged."""
    flat = draws.reshape(len(draws), -1)
    size = flat.shape[1]
    place = np.arange(size)
    first = last = place[None]
    ordered = np.sort(flat, axis=1)
    step = np.ones((len(flat), size + 1), dtype=bool)  # between one value and a different one
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=step[:, 1:-1])
    if not step.all():
        first = np.maximum.accumulate(np.where(step[:, :-1], place, 0), axis=1)
        last = np.where(step[:, 1:], place, size)[:, ::-1]
        last = np.minimum.accumulate(last, axis=1)[:, ::-1]
    # The rank, counted from one, is (first + last) / 2 + 1: half-integers, so a table serves all.
    table = ndtri((np.arange(2 * size - 1) / 2 + 1 - 3 / 8) / (size + 1 / 4))
    scores = np.empty_like(flat)
    np.put_along_axis(scores, np.argsort(flat, axis=1), table[first + last], axis=1)
    return scores.reshape(draws.shape)


def _rhat(draws: FloatArray) -> FloatArray:
    """Root of total over within-chain variance; NaN where there is neither."""
    length = draws.shape[2]
    between = draws.mean(axis=2).var(axis=1, ddof=1)
    within = draws.var(axis=2, ddof=1).mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(between / within + (length - 1) / length)


def _ess(draws: NDArray[Any]) -> FloatArray:
    """Effective draws, by Geyer's initial monotone sequence; all draws where they are equal."""
    cells, chains, length = draws.shape
    size = chains * length
    means = draws.mean(axis=2, keepdims=True)
    covariance = _autocovariance(draws - means)
    unbiased = covariance[:, :1] * (length / (length - 1))
    total = covariance[:, :1] + means[:, :, 0].var(axis=1, ddof=1)[:, None]
    still = total[:, 0] <= 0.0
    total[still] = 1.0
    correlation = 1.0 - (unbiased - covariance) / total
    correlation[:, 0] = 1.0

    # Neighbouring lags are added in pairs: these sums are positive and decreasing, in theory. The
    # sequence ends with the first pair that is not positive, of which half is counted, if at all.
    last = max((length - 3) // 2, 0)
    even, odd = correlation[:, : 2 * last + 2 : 2], correlation[:, 1 : 2 * last + 2 : 2]
    pairs = even + odd
    stops = pairs <= 0.0
    stop = np.where(stops.any(axis=1), stops.argmax(axis=1), last)[:, None]
    at_stop = np.take_along_axis(even, stop, axis=1)[:, 0]
    whole = np.take_along_axis(pairs, stop, axis=1)[:, 0] >= 0.0
    decreasing = np.minimum.accumulate(pairs, axis=1)
    summed = np.sum(decreasing, axis=1, where=np.arange(last + 1) < stop)
    time = -1.0 + 2.0 * summed + np.where(whole, at_stop, np.maximum(at_stop, 0.0))
    return np.where(still, size, size / np.maximum(time, 1.0 / np.log10(size)))


def _autocovariance(centred: FloatArray) -> FloatArray:
    """Mean over chains of the autocovariance at every lag, shape (cell, draw)."""
    length = centred.shape[2]
    padded = next_fast_len(2 * length, real=True)
    spectrum: Any = rfft(centred, n=padded, axis=2)
    power = np.mean(spectrum.real**2 + spectrum.imag**2, axis=1)
    covariance: Any = irfft(power, n=padded, axis=1)
    return covariance[:, :length] / length
