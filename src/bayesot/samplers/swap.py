"""`Swap`: exact Gibbs sampling of separable posteriors by swaps and tree cycles."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from bayesot import _validate as validate
from bayesot.posterior import Posterior
from bayesot.samplers.base import Plan, Report, Run
from bayesot.samplers.chains import Chains
from bayesot.samplers.keep import keep_chains, keep_components
from bayesot.samplers.lanes import chain_lanes, component_lanes
from bayesot.samplers.starts import component_masses
from bayesot.samplers.target import lower
from bayesot.samplers.warmup import warm_up

__all__ = ["Swap"]


@dataclass(frozen=True)
class Swap:
    """Exact Gibbs sampler for separable priors: swap sweeps and moves along the cycles of a tree.

    Every move draws from the exact conditional along a line: by inversion where it is exponential,
    by slice sampling otherwise. Margins hold to rounding error and nothing becomes negative.

    Parameters
    ----------
    thin
        Steps per draw kept; None measures in warm-up how slowly the chains forget and chooses.
    sweeps
        Swap sweeps per step, besides one move along every cycle of the tree.

    Examples
    --------
    >>> import bayesot as bo
    >>> problem = bo.Problem([0.6, 0.4], [0.5, 0.5])
    >>> draws = bo.sample(bo.Posterior(problem), draws=200, sampler=bo.samplers.Swap(sweeps=2))
    >>> draws.plans.shape[1:]
    (200, 2, 2)

    """

    thin: int | None = None
    sweeps: int = 1

    def __post_init__(self) -> None:
        if self.thin is not None:
            validate.as_count("thin", self.thin)
        validate.as_count("sweeps", self.sweeps)

    def supports(self, posterior: Posterior) -> str | None:
        """Any separable prior, every likelihood."""
        if posterior.prior.separable:
            return None
        return f"`Swap` needs a prior that is a sum over cells, and {posterior.prior!r} is not."

    def run(self, posterior: Posterior, plan: Plan, report: Report) -> Run:
        """Warm up, then keep draws; an interrupt while sampling keeps those already made.

        Not those of a composed posterior, whose components would not all be there.
        """
        started = time.perf_counter()
        likelihood, target = posterior.likelihood, lower(posterior)
        seed, allot = np.random.SeedSequence(plan.seed).spawn(2)
        share_out = component_lanes if likelihood.composed else chain_lanes
        weights = component_masses(target) if likelihood.mixed else np.exp(target.log_weights)
        lanes = share_out(np.random.default_rng(allot), plan.chains, plan.draws, weights)
        with Chains(target, lanes, mixed=likelihood.mixed, sweeps=self.sweeps, seed=seed) as chains:
            memory = warm_up(chains, plan.warmup, report)
            warmed = time.perf_counter()
            keep = keep_components if likelihood.composed else keep_chains
            kept = keep(chains, plan, memory, self.thin, report)
        composition = kept.composition
        if composition is not None:
            composition = composition.on(posterior.problem)
        return Run(
            plans=posterior.problem.embed(kept.plans),
            components=kept.components if len(weights) > 1 else None,
            thin=kept.thin,
            seconds=time.perf_counter() - started,
            warmup_seconds=warmed - started,
            composition=composition,
            interrupted=kept.plans.shape[1] < plan.draws,
        )
