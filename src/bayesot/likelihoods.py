"""Readings of "optimal": how a plan is judged by a sample of cost matrices.

All of them are made of exponentials that are linear in the plan, ``exp(-s (⟨C^k, G⟩ - o_k))``; they
differ in how these are combined. What a sampler needs of a likelihood is its `Tilts`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import logsumexp

from bayesot import _validate as validate
from bayesot._pytree import Record, describe, numpy_of
from bayesot._tables import NO_LABELS, TableLabels, arranged, read_tables
from bayesot._validate import FloatArray
from bayesot._x64 import numerically
from bayesot.errors import InputError, Unsupported
from bayesot.polytope.vertices import optimal_values
from bayesot.problem import Problem

__all__ = ["Each", "Exists", "ForAll", "Likelihood", "NoCost", "Tilts"]


STEEPEST = 1e100
"""Largest exponent that is computed with: beyond, its square would overflow."""


class Tilts(NamedTuple):
    """The components of a likelihood, ``exp(offset_k - ⟨cost_k, G⟩)`` with weight ``w_k``."""

    costs: Any
    """Shape (K, n, m), the sharpness multiplied in."""
    offsets: Any
    """Shape (K,)."""
    log_weights: Any
    """Shape (K,)."""


class Likelihood(Record):
    """What every reading offers."""

    mixed: ClassVar[bool] = False
    """Whether the density is a sum of its components, so that a sampler moves between them."""
    composed: ClassVar[bool] = False
    """Whether every component is normalised by itself, so that each can be sampled by itself."""

    @abstractmethod
    def tilts(self, problem: Problem, offsets: Any) -> Tilts:
        """Return the exponential components on the cells of a problem, given its `offsets`."""

    def on(self, problem: Problem) -> Self:
        """Bring costs in the order of the problem's labels; refuse those that do not belong."""
        return self

    def offsets(self, problem: Problem) -> FloatArray:
        """The constants ``o_k`` in the unit of cost, shape (K,)."""
        return np.zeros(1)

    def log_density(self, plan: Any, tilts: Tilts) -> Any:
        """Log-likelihood of plans of shape (..., n, m), as in the class's formula; shape (...)."""
        costs, offsets, log_weights = tilts

        def value(plans: Any) -> Any:
            exponents = log_weights + offsets - jnp.einsum("kij,...ij->...k", costs, plans)
            return logsumexp(exponents, axis=-1)

        return numerically(value, plan, tilts)

    def __repr__(self) -> str:
        shown = [f"{k}={describe(getattr(self, k))}" for k in self.names() if k != "labels"]
        return f"{type(self).__name__}({', '.join(shown)})"


class _Costly(Likelihood):
    """A reading of cost samples: their checks, once for all."""

    costs: Any
    sharpness: Any
    weights: Any
    labels: TableLabels

    def _read(self, costs: Any, sharpness: Any, weights: Any, static: tuple[Any, ...] = ()) -> None:
        costs, labels = read_tables("costs", costs)
        costs = validate.as_float_array("costs", costs, ndim=(2, 3))
        costs = costs[None] if costs.ndim == 2 else costs
        sharpness = validate.as_float_array("sharpness", sharpness, ndim=0)
        validate.positive("sharpness", sharpness)
        count = len(costs)
        if weights is None:
            weights = np.ones(count)
        else:
            weights = validate.as_float_array("weights", weights, shape=(count,))
            validate.nonnegative("weights", weights)
            if not weights.any():
                raise InputError("`weights` must not all be zero. Give some sample a weight.")
            weights = weights / weights.max()  # first, so that no sum overflows
            weights = weights * (count / weights.sum())
        with np.errstate(over="ignore"):
            steepest = sharpness * np.abs(costs).max() * count
        if not steepest <= STEEPEST:
            raise InputError(
                f"`sharpness` times `costs` must be at most {STEEPEST:g}, got {float(sharpness):g} "
                f"times costs of up to {np.abs(costs).max():g}. Use another unit of cost; for a "
                "forbidden cell, a cost of 1e6 times the others is plenty."
            )
        self._fill((costs, sharpness, weights), (*static, labels))

    def on(self, problem: Problem) -> Self:
        came = self.costs.shape
        if came[1:] != problem.shape:
            n, m = problem.shape
            turned = " They look transposed: pass `costs.swapaxes(-2, -1)`."
            raise InputError(
                f"`costs` must have shape (N, {n}, {m}), or ({n}, {m}) for one exact cost, to go "
                f"with {n} sources and {m} targets, got {came}."
                + (turned if came[1:] == (m, n) else " One row per source, one column per target.")
            )
        costs = arranged(
            "costs", self.costs, self.labels, problem.row_labels, problem.column_labels
        )
        if costs is self.costs:
            return self
        leaves, static = self.tree_flatten()
        return type(self).tree_unflatten(static[:-1] + (NO_LABELS,), (costs, *leaves[1:]))

    def offsets(self, problem: Problem) -> FloatArray:
        return np.zeros(len(self.costs))

    def tilts(self, problem: Problem, offsets: Any) -> Tilts:
        with np.errstate(divide="ignore"):  # weight zero: never chosen
            log_weights = numpy_of(self.weights).log(self.weights)
        return Tilts(self.sharpness * self.costs, self.sharpness * offsets, log_weights)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class ForAll(_Costly):
    """Good for every cost sample: ``log L(G) = -s Σ_k w_k ⟨C^k, G⟩``.

    Parameters
    ----------
    costs
        Samples of the cost matrix, shape (N, n, m), or (n, m) for one exact cost. Finite; negative
        entries are fine. Labelled frames (one, or a list) are brought in the order of the problem's
        labels.
    sharpness
        ``s > 0``, the inverse temperature. Its unit is one over the unit of the total cost.
    weights
        One per sample, at least zero; scaled to sum to N.

    Examples
    --------
    >>> import bayesot as bo
    >>> bo.likelihoods.ForAll([[0.0, 1.0], [1.0, 0.0]], sharpness=10.0)
    ForAll(costs=<1×2×2>, sharpness=10.0, weights=<1>)

    """

    _leaves = 3

    costs: Any
    sharpness: Any
    weights: Any
    labels: TableLabels

    def __init__(self, costs: Any, sharpness: Any = 1.0, weights: Any = None) -> None:
        self._read(costs, sharpness, weights)

    def tilts(self, problem: Problem, offsets: Any) -> Tilts:
        total = self.sharpness * (self.weights[:, None, None] * self.costs).sum(0, keepdims=True)
        return Tilts(total, np.zeros(1), np.zeros(1))


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Exists(_Costly):
    """Good for some cost sample: ``log L(G) = log Σ_k w_k exp(-s (⟨C^k, G⟩ - o_k))``.

    Parameters
    ----------
    costs, sharpness, weights
        As in `ForAll`.
    regret
        Take ``o_k = OT(a, b, C^k)``, the least cost possible under sample k, so that every sample
        has a say; else ``o_k = 0``, and a sharp posterior follows the cheapest samples only.
    """

    _leaves = 3
    mixed: ClassVar[bool] = True

    costs: Any
    sharpness: Any
    weights: Any
    regret: bool
    labels: TableLabels

    def __init__(
        self, costs: Any, sharpness: Any = 1.0, weights: Any = None, regret: bool = False
    ) -> None:
        self._read(costs, sharpness, weights, (validate.as_flag("regret", regret),))

    def offsets(self, problem: Problem) -> FloatArray:
        none = super().offsets(problem)
        if not self.regret:
            return none
        return optimal_values(problem.support_a, problem.support_b, problem.restrict(self.costs))


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Each(_Costly):
    """The law of a plan that is good for a random cost sample: the mixture ``(1/N) Σ_k w_k π_k``
    of the posteriors ``π_k ∝ prior · exp(-s ⟨C^k, G⟩)``, each normalised by itself.

    As ``s`` grows it tends to the law of the optimal plan under a random cost; as ``s`` goes to
    zero, to the prior. Parameters are those of `ForAll`.
    """

    _leaves = 3
    composed: ClassVar[bool] = True

    costs: Any
    sharpness: Any
    weights: Any
    labels: TableLabels

    def __init__(self, costs: Any, sharpness: Any = 1.0, weights: Any = None) -> None:
        self._read(costs, sharpness, weights)

    def log_density(self, plan: Any, tilts: Tilts) -> Any:
        raise Unsupported(
            "The density of `Each` needs the normaliser of every component, which is not computed. "
            "Take `ForAll(costs[k])` for the density of one component, up to a constant."
        )


@dataclass(frozen=True, eq=False, repr=False)
class NoCost(Likelihood):
    """No cost at all, ``log L(G) = 0``: the posterior is the prior on the polytope."""

    _leaves = 0

    def tilts(self, problem: Problem, offsets: Any) -> Tilts:
        return Tilts(np.zeros((1, *problem.shape)), np.zeros(1), np.zeros(1))
