"""The one place that decides how a posterior is sampled."""

from __future__ import annotations

from dataclasses import dataclass

from bayesot.errors import InputError, Unsupported
from bayesot.posterior import Posterior
from bayesot.samplers.base import WARMUP, Sampler
from bayesot.samplers.swap import Swap

__all__ = ["Choice", "choose"]


@dataclass(frozen=True)
class Choice:
    """A sampler with its settings, and why."""

    sampler: Sampler
    chains: int
    warmup: int
    reason: str


def choose(
    posterior: Posterior, sampler: Sampler | None, chains: int | None, warmup: int | None
) -> Choice:
    """Fill in what the user left open; refuse a sampler that cannot do the posterior."""
    reason = "chosen by the user"
    if sampler is None:
        sampler = Swap()
        reason = "every factor of the prior is a sum over cells, so exact Gibbs moves apply"
    elif isinstance(sampler, type) or not isinstance(sampler, Sampler):
        raise InputError(
            f"`sampler` must be an object from bayesot.samplers, got {sampler!r}. "
            "Pass for instance `bayesot.samplers.Swap()`, or None to have one picked."
        )
    why_not = sampler.supports(posterior)
    if why_not is not None:
        raise Unsupported(why_not)
    return Choice(
        sampler,
        chains=_chains(posterior) if chains is None else chains,
        warmup=WARMUP if warmup is None else warmup,
        reason=reason,
    )


def _chains(posterior: Posterior) -> int:
    """Chains run side by side, so sixteen small ones cost hardly more than one; plans of large ones
    fill memory, and a composed posterior has a run for every component of every chain."""
    n, m = posterior.problem.shape
    if posterior.likelihood.composed:
        return 4
    return 16 if n * m <= 400 else 8 if n * m <= 10_000 else 4
