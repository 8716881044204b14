"""Draws of the transport plan: the result of sampling, and the questions it answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayesot import _validate as validate
from bayesot._pytree import read_only
from bayesot._tables import in_order
from bayesot._validate import FloatArray
from bayesot.draws import export
from bayesot.draws.cells import per_cell
from bayesot.draws.diagnostics import Diagnostics, diagnose
from bayesot.draws.events import above, happens
from bayesot.errors import InputError
from bayesot.problem import Problem
from bayesot.samplers.base import Composition

__all__ = ["Draws", "Interval"]


class Interval(NamedTuple):
    """An interval per cell."""

    lower: FloatArray
    """Shape (n, m)."""
    upper: FloatArray
    """Shape (n, m)."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Draws:
    """Draws of the plan from the posterior, with all that is needed to read and to repeat them.

    Plans are shares of the total and sum to one: times ``problem.mass``, they are in the units of
    the input. Summaries are (n, m), rows and columns in the order of the problem's labels.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(0.0, 0.5, (4, 1000))  # all plans of a 2 × 2 problem: [[x, ½ - x], …]
    >>> plans = np.stack([x, 0.5 - x, 0.5 - x, x], axis=-1).reshape(4, 1000, 2, 2)
    >>> problem = Problem({"North": 10, "South": 10}, {"Mill": 10, "Port": 10})
    >>> draws = Draws(plans=plans, problem=problem, sampler="Swap()")
    >>> draws
    Draws(4 chains × 1000 draws of 2×2 plans, Swap(), 0 s)
      converged: R-hat at most 1.001 and at least 4012 effective draws in every free cell
    >>> draws.mean.round(2)
    array([[0.25, 0.25],
           [0.25, 0.25]])
    >>> draws.interval(0.8).upper.round(2)[0]
    array([0.45, 0.45])
    >>> round(draws.probability(("North", "Port"), 0.2), 2)
    0.61
    >>> round(draws.probability(lambda plan: plan[..., 0, 0] > 2 * plan[..., 0, 1]), 2)
    0.33
    """

    plans: FloatArray
    """The draws, shape (chain, draw, n, m): float64, read-only, margins exact."""
    problem: Problem
    costs: FloatArray | None = None
    """The cost samples of the likelihood as they came, shape (N, n, m); None without costs."""
    components: NDArray[np.int64] | None = None
    """Which cost sample goes with each draw under their joint law, shape (chain, draw)."""
    sampler: str = ""
    """The sampler, as it would be typed."""
    reason: str = ""
    """Why it was chosen."""
    chains: int = 0
    """How many chains there are; counted if not given."""
    warmup: int = 0
    """Steps per chain before the first draw."""
    thin: int = 1
    """Steps per draw."""
    seed: int = 0
    seconds: float = 0.0
    """Wall-clock time of warm-up and sampling, compilation included."""
    warmup_seconds: float = 0.0
    divergences: int = 0
    interrupted: bool = False
    """Whether it was stopped before ``requested_draws``."""
    requested_draws: int = 0
    """Draws per chain that were asked for; if not given, as many as there are."""
    composition: Composition | None = None
    """How well the components of a composed posterior mixed, each by itself."""

    def __post_init__(self) -> None:
        plans = read_only(np.ascontiguousarray(self.plans, dtype=np.float64))
        if plans.ndim != 4 or plans.shape[2:] != self.problem.shape or plans.size == 0:
            n, m = self.problem.shape
            raise InputError(
                f"`plans` must have shape (chain, draw, {n}, {m}) to go with the problem, got "
                f"{plans.shape}. Put chains first, and zero-mass rows and columns back (`embed`)."
            )
        costs, components = self.costs, self.components
        if (costs is None) != (components is None):
            raise InputError("`costs` and `components` must be given together, or neither of them.")
        if costs is not None and components is not None:
            costs = validate.as_float_array("costs", costs, shape=(len(costs), *plans.shape[2:]))
            components = np.asarray(components, dtype=np.int64)
            in_range = (components >= 0) & (components < len(costs))
            if components.shape != plans.shape[:2] or not in_range.all():
                raise InputError(
                    f"`components` must have shape {plans.shape[:2]} and be at least 0 and below "
                    f"{len(costs)}, got shape {components.shape}. Give one cost sample per draw."
                )
        if self.composition is not None:
            for name in ("rhat", "efficiency"):
                came, shape = np.shape(getattr(self.composition, name)), plans.shape[2:]
                if came != shape:
                    raise InputError(f"`composition.{name}` must have shape {shape}, got {came}.")
        chains, length = plans.shape[:2]
        if self.chains not in (0, chains):
            raise InputError(f"`chains` must be as in `plans`, {chains}, got {self.chains}.")
        arrays = {"plans": plans, "costs": read_only(costs), "components": read_only(components)}
        requested_draws = self.requested_draws or length
        self.__dict__.update(arrays, chains=chains, requested_draws=requested_draws)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Copies and pickles of arrays are writeable, those of draws are not.
        self.__dict__.update({name: read_only(value) for name, value in state.items()})

    @cached_property
    def mean(self) -> FloatArray:
        """The posterior mean, itself a plan; shape (n, m)."""
        return read_only(self.plans.mean(axis=(0, 1)))

    @cached_property
    def std(self) -> FloatArray:
        """The posterior standard deviation of each cell, shape (n, m)."""
        squares = sum(np.square(chain - self.mean).mean(axis=0) for chain in self.plans)
        moves = self.plans.min(axis=(0, 1)) < self.plans.max(axis=(0, 1))
        return read_only(np.where(moves, np.sqrt(squares / self.chains), 0.0))

    def quantile(self, q: ArrayLike) -> FloatArray:
        """Quantiles of each cell: shape (n, m) for one level in [0, 1], (len(q), n, m) for more."""
        levels = validate.as_float_array("q", q, ndim=(0, 1))
        inside = (levels >= 0.0) & (levels <= 1.0)
        validate.all_hold("q", levels, inside, "must be from 0 to 1", "Divide percents by 100.")

        def quantiles(block: FloatArray) -> FloatArray:
            return np.quantile(block.reshape(len(block), -1), np.atleast_1d(levels), axis=1)

        found = per_cell(quantiles, self.plans, np.ones(self.problem.shape, dtype=bool))
        return found.reshape(*levels.shape, *self.problem.shape)

    def interval(self, level: float = 0.9) -> Interval:
        """Equal-tailed interval of each cell, which holds a fraction ``level`` of the draws."""
        level = validate.as_number("level", level)
        if not 0.0 < level <= 1.0:
            raise InputError(f"`level` must be above 0 and at most 1, got {level:g}. Try 0.9.")
        return Interval(*self.quantile([0.5 - level / 2, 0.5 + level / 2]))

    @overload
    def probability(self, event: Callable[[Any], Any]) -> float: ...
    @overload
    def probability(self, event: tuple[Hashable, Hashable], threshold: float) -> float: ...
    def probability(self, event: Any, threshold: float | None = None) -> float:
        """The posterior probability of an event: the fraction of draws in which it happens.

        Parameters
        ----------
        event
            A function of plans that says whether it happens. It gets many at once, of shape
            (…, n, m), and returns booleans of shape (…). A function that only works for one plan
            of shape (n, m) is called for each, which is slower.
            Or a cell ``(row, column)``, by its labels, else by its position.
        threshold
            With a cell: the event is that the cell's share is above this.

        """
        if not callable(event):
            return above(self.problem, self.plans, event, threshold)
        if threshold is not None:
            raise InputError("`threshold` goes with a cell. Put it into the function instead.")
        return happens(event, self.plans)

    def cost(self, C: ArrayLike | None = None) -> FloatArray:
        """The transport cost ``⟨C, G⟩`` of every draw, per unit of mass.

        Parameters
        ----------
        C
            A cost matrix of shape (n, m): the cost of every plan under it, of shape (chain, draw).
            A labelled frame is brought in the order of the problem's labels.
            Several of shape (N, n, m): all pairs, of shape (chain, draw, N). If not given, every
            plan has the cost sample it was drawn with, so that the result is a sample of the
            posterior cost; shape (chain, draw).

        """
        n, m = self.problem.shape
        flat = self.plans.reshape(*self.plans.shape[:2], n * m)
        if C is not None:
            C = in_order("C", C, self.problem.row_labels, self.problem.column_labels)
            costs = validate.as_float_array("C", C, ndim=(2, 3))
            costs = validate.as_float_array("C", costs, shape=(*costs.shape[:-2], n, m))
            return flat @ np.moveaxis(costs.reshape(*costs.shape[:-2], n * m), -1, 0)
        if self.costs is None or self.components is None:
            raise InputError(
                "`C` must be given, because the likelihood of these draws has no costs. "
                f"Pass a cost matrix of shape ({n}, {m}): `draws.cost(C)`."
            )
        total = np.empty(self.components.shape)
        for component in np.unique(self.components):
            chosen = self.components == component
            total[chosen] = flat[chosen] @ self.costs[component].ravel()
        return total

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """R-hat, effective sample sizes and errors of each cell, and a verdict in words."""
        return diagnose(self)

    def summary(self, level: float = 0.9, backend: str | None = None) -> Any:
        """A data frame with one row per cell, in the order of the plan's entries.

        Its columns are the row's label, the column's label, ``mean, sd, lower, upper`` (the
        interval of that level), ``ess_bulk, ess_tail, rhat, mcse_mean`` and ``determined``: whether
        the margins leave the cell no choice. Masses are shares of the total.

        Parameters
        ----------
        level
            As in `interval`.
        backend
            "pandas" or "polars"; what is installed, in this order, if not given.

        """
        return export.to_frame(self, level, backend)

    def to_arviz(self) -> Any:
        """The draws as ArviZ's ``DataTree``: ``plan``, and ``cost`` and ``component`` if any.

        Needs ``pip install bayesot[arviz]``.
        """
        return export.to_arviz(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, which `bayesot.load` reads; an existing one is replaced.

        The name is taken as it is: ``.bayesot`` is a good ending, ``.npz`` works as well, for the
        file is NumPy's ``.npz`` (see `bayesot.draws.storage`). It is never left half-written.
        """
        from bayesot.draws.storage import save  # which needs this module

        save(self, path)

    def __repr__(self) -> str:
        chains, length, n, m = self.plans.shape
        kinds = f"{chains} chain{'s' * (chains != 1)} × {length} draw{'s' * (length != 1)}"
        parts = [f"{kinds} of {n}×{m} plans", *filter(None, [self.sampler])]
        why = f"\n  sampler: {self.reason}" if self.reason else ""
        return f"Draws({', '.join(parts)}, {self.seconds:.2g} s)\n  {self.diagnostics.verdict}{why}"
