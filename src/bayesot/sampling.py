"""`sample`: from a posterior to draws, whatever the sampler."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from bayesot import _validate as validate
from bayesot.draws import Draws
from bayesot.errors import ConvergenceWarning, InputError
from bayesot.posterior import Posterior
from bayesot.samplers.base import Plan, Run, Sampler
from bayesot.samplers.choose import Choice, choose
from bayesot.samplers.memory import check_memory
from bayesot.view.progress import progress as progress_bar

__all__ = ["sample"]


def sample(
    posterior: Posterior,
    draws: int = 1000,
    chains: int | None = None,
    warmup: int | None = None,
    sampler: Sampler | None = None,
    seed: int = 0,
    progress: bool = True,
) -> Draws:
    """Draw transport plans from a posterior.

    Parameters
    ----------
    posterior
        What to sample.
    draws
        Plans to keep of every chain.
    chains
        How many chains, started far apart; None chooses by the size of the problem.
    warmup
        Steps before the first draw, in which the chains find the posterior and the sampler adapts;
        None chooses.
    sampler
        One of `bayesot.samplers`; None picks one and says in ``draws.reason`` why.
    seed
        A whole number. It fixes the result on one machine.
    progress
        Show a bar on a terminal if the run takes longer than a second.

    Returns
    -------
    The draws. Have a look at ``draws.diagnostics.verdict``: a run that has not converged also
    gives a `ConvergenceWarning`.

    Examples
    --------
    >>> import bayesot as bo
    >>> problem = bo.Problem([0.6, 0.4], [0.5, 0.3, 0.2])
    >>> draws = bo.sample(bo.Posterior(problem), draws=500, seed=1)
    >>> draws.diagnostics.converged
    True

    """
    if not isinstance(posterior, Posterior):
        raise InputError(
            f"`posterior` must be a bayesot.Posterior, got {type(posterior).__name__}. "
            "Build it from a problem, a prior and a likelihood: `bo.Posterior(problem, …)`."
        )
    draws = validate.as_count("draws", draws)
    if chains is not None:
        chains = validate.as_count("chains", chains)
    if warmup is not None:
        warmup = validate.as_count("warmup", warmup, minimum=0)
    seed = validate.as_count("seed", seed, minimum=0)
    progress = validate.as_flag("progress", progress)
    choice = choose(posterior, sampler, chains, warmup)
    plan = Plan(draws, choice.chains, choice.warmup, seed)
    check_memory(posterior, plan)
    if posterior.problem.is_single_plan:
        run = _only_plan(posterior, plan)
    else:
        with progress_bar(progress) as report:
            run = choice.sampler.run(posterior, plan, report)
    result = _as_draws(posterior, plan, choice, run)
    if not result.diagnostics.converged:
        warnings.warn(result.diagnostics.verdict, ConvergenceWarning, stacklevel=2)
    return result


def _only_plan(posterior: Posterior, plan: Plan) -> Run:
    """What there is to draw if one row or column has all the mass."""
    shape = (plan.chains, plan.draws, *posterior.problem.shape)
    components = None
    if posterior.likelihood.composed or posterior.likelihood.mixed:
        costs, offsets, log_weights = posterior.tilts
        if posterior.likelihood.composed:
            weights = np.exp(log_weights)
        else:
            exponents = log_weights + offsets
            exponents = exponents - np.einsum("kij,ij->k", costs, posterior.problem.independent)
            weights = np.exp(exponents - exponents.max())
        components = _random_components(weights, plan)
    only = np.broadcast_to(posterior.problem.independent, shape)
    return Run(only, components, thin=1, seconds=0.0, warmup_seconds=0.0)


def _random_components(weights: np.ndarray, plan: Plan) -> np.ndarray:
    rng = np.random.default_rng([plan.seed, 1])
    return rng.choice(len(weights), size=(plan.chains, plan.draws), p=weights / weights.sum())


def _as_draws(posterior: Posterior, plan: Plan, choice: Choice, run: Run) -> Draws:
    costs: Any = getattr(posterior.likelihood, "costs", None)
    components = run.components
    if costs is not None and components is None:
        # Cost and plan are independent given the posterior of `ForAll`: any sample may come along.
        components = _random_components(posterior.likelihood.weights, plan)  # pyright: ignore
        components = components[:, : run.plans.shape[1]]
    return Draws(
        plans=run.plans,
        problem=posterior.problem,
        costs=costs,
        components=components,
        sampler=repr(choice.sampler),
        reason=choice.reason,
        chains=plan.chains,
        warmup=plan.warmup,
        thin=run.thin,
        seed=plan.seed,
        seconds=run.seconds,
        warmup_seconds=run.warmup_seconds,
        divergences=run.divergences,
        interrupted=run.interrupted,
        requested_draws=plan.draws,
        composition=run.composition,
    )
