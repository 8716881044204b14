"""BayesOT's side of every measurement: the one file that knows its API."""

from __future__ import annotations

import importlib.util
import time
import warnings
from typing import Any

from benchmarks.ess import Result
from benchmarks.peer import MOST_NUMBERS
from benchmarks.targets import Target

installed = importlib.util.find_spec("bayesot") is not None

MANY = (64, 256)
"""Chains that suit a long run on a small problem."""


def chain_counts(target: Target) -> tuple[int | None, ...]:
    """What the library picks by itself, and many where warming so many up is not the whole run."""
    return (None, *MANY) if target.n * target.m <= 2500 else (None,)


PILOT = 100
"""Draws of the run that tells how many fill the budget."""


def posterior(target: Target) -> Any:
    """The target as a user would write it."""
    import bayesot as bo

    likelihood = (
        bo.likelihoods.ForAll(target.cost, sharpness=target.sharpness)
        if target.sharpness
        else bo.likelihoods.NoCost()
    )
    return bo.Posterior(bo.Problem(target.a, target.b), likelihood=likelihood)


def run(target: Target, seconds: float, chains: int | None = None) -> Result:
    """Sample with `Swap` for about ``seconds``.

    A pilot sets the number of draws; the first run of that length compiles and is not counted
    (what it took longer is reported as compiling), the ones after it are. Draws are capped for
    memory like those of the peers, so a run can be short: it is then repeated to fill the budget
    and the mean time counts.
    """
    model = posterior(target)
    for seed in (0, 1):
        pilot = _sample(model, PILOT, chains, seed)
    per_draw = (pilot.seconds - pilot.warmup_seconds) / PILOT
    most = MOST_NUMBERS // (pilot.plans.size // PILOT)
    draws = max(PILOT, min(int(seconds / per_draw), most))
    began = time.perf_counter()
    first = _sample(model, draws, chains, 2)
    first_seconds = first.seconds
    del first
    runs, last = [], None
    while last is None or (time.perf_counter() - began < 2 * seconds and len(runs) < 10):
        last = _sample(model, draws, chains, 3 + len(runs))
        runs.append((last.seconds, last.warmup_seconds))
    total = sum(r[0] for r in runs) / len(runs)
    warmup = sum(r[1] for r in runs) / len(runs)
    return Result(
        draws=last.plans,
        seconds_sampling=total - warmup,
        seconds_total=total,
        seconds_compile=max(first_seconds - total, 0.0),
        sweeps=draws * last.thin,
        note=f"thin {last.thin}, {len(runs)} runs",
    )


def _sample(model: Any, draws: int, chains: int | None, seed: int) -> Any:
    import bayesot as bo

    with warnings.catch_warnings():
        # Pilots are too short to converge; R-hat has its own column in every table.
        warnings.simplefilter("ignore", bo.errors.ConvergenceWarning)
        return bo.sample(
            model,
            draws=draws,
            chains=chains,
            sampler=bo.samplers.Swap(),
            seed=seed,
            progress=False,
        )
