"""What a prior has to offer: a log-density on plans, and how priors multiply."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
import numpy as np

from bayesot import _validate as validate
from bayesot._pytree import Record, describe
from bayesot._x64 import as_array, numerically
from bayesot.errors import InputError
from bayesot.problem import Problem

__all__ = ["Parameter", "Prior", "Product", "Separable"]

Parameter = Any
"""One number, or an array that broadcasts to the n×m cells of the plan."""


class Prior(Record, ABC):
    """A log-density on plans with respect to Lebesgue measure on the polytope, up to a constant."""

    @property
    @abstractmethod
    def separable(self) -> bool:
        """Whether the log-density is a sum of one function per cell, as `Swap` needs it."""

    @abstractmethod
    def log_density(self, plan: Any) -> Any:
        """Log-density of plans of shape (..., n, m), up to a constant; shape (...)."""

    def log_density_on(self, plan: Any, problem: Problem) -> Any:
        """Log-density of plans of a problem: cells that have to be zero have no say in it."""
        return self.log_density(plan)

    def on(self, problem: Problem) -> Self:
        """Return the prior with its parameters checked against the cells of a problem."""
        return self

    def __repr__(self) -> str:
        given = {k: getattr(self, k) for k in self.names()}
        shown = [f"{k}={describe(v)}" for k, v in given.items() if v is not None]
        return f"{type(self).__name__}({', '.join(shown)})"

    def __mul__(self, other: object) -> Product:
        """Multiply densities, that is, add their logarithms."""
        return Product(self, other) if isinstance(other, Prior) else NotImplemented


class Separable(Prior):
    """A prior that is one function ``g`` per cell: ``log p(G) = Σ_ij g(G_ij)``.

    A new one is a frozen dataclass with its parameters as fields and an `elementwise` method;
    every field is a number or an array that broadcasts to the n×m cells (see CONTRIBUTING).
    """

    flat: ClassVar[bool] = False
    """Whether ``g`` is constant, so that conditionals along a line are exactly exponential."""

    @property
    def separable(self) -> bool:
        return True

    @abstractmethod
    def elementwise(self, x: Any) -> Any:
        """``g(x)`` for every cell; ``x`` broadcasts against the parameters."""

    def log_density(self, plan: Any) -> Any:
        """``Σ_ij g(G_ij)`` for plans of shape (..., n, m); shape (...)."""
        return numerically(lambda g: jnp.sum(self.elementwise(g), axis=(-2, -1)), plan, self)

    def log_density_on(self, plan: Any, problem: Problem) -> Any:
        if not self.separable:
            return self.log_density(plan)
        return self.restricted(problem).log_density(problem.restrict(as_array(plan)))

    def restricted(self, problem: Problem) -> Self:
        """Take out the parameters of rows and columns without mass."""
        return jax.tree.map(lambda p: p if np.ndim(p) == 0 else problem.restrict(p), self)

    def on(self, problem: Problem) -> Self:
        """Broadcast every parameter that is not one number to the n×m cells, or refuse it."""
        leaves, static = self.tree_flatten()
        spread = [
            self._spread(f"{type(self).__name__}.{name}", leaf, problem)
            for name, leaf in zip(self.names(), leaves, strict=False)
        ]
        return type(self).tree_unflatten(static, spread)

    @staticmethod
    def _spread(name: str, value: Any, problem: Problem) -> Any:
        value = validate.broadcastable(name, value, problem.shape)
        return value if value.ndim == 0 else np.broadcast_to(value, problem.shape)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Product(Separable):
    """The product of priors; build it with ``*``.

    >>> import bayesot as bo
    >>> bo.priors.Dirichlet(2.0) * bo.priors.Entropy(1.0)
    Dirichlet(concentration=2.0) * Entropy(strength=1.0)
    """

    _leaves = 1

    factors: tuple[Prior, ...]

    def __init__(self, *factors: Prior) -> None:
        flattened: list[Prior] = []
        for factor in factors:
            if not isinstance(factor, Prior):
                raise InputError(
                    f"`factors` must be priors, got {factor!r}. Multiply objects of bayesot.priors."
                )
            flattened += factor.factors if isinstance(factor, Product) else [factor]
        self._fill((tuple(flattened),), ())

    @property
    def separable(self) -> bool:
        return all(factor.separable for factor in self.factors)

    @property
    def flat(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether every factor is constant."""
        return all(isinstance(f, Separable) and f.flat for f in self.factors)

    def elementwise(self, x: Any) -> Any:
        terms = []
        for factor in self.factors:
            if not (isinstance(factor, Separable) and factor.separable):
                raise InputError(f"{factor!r} is not a sum over cells, so neither is the product.")
            terms.append(factor.elementwise(x))
        return sum(terms)

    def log_density(self, plan: Any) -> Any:
        return sum(factor.log_density(plan) for factor in self.factors)

    def log_density_on(self, plan: Any, problem: Problem) -> Any:
        return sum(factor.log_density_on(plan, problem) for factor in self.factors)

    def on(self, problem: Problem) -> Product:
        return Product(*(factor.on(problem) for factor in self.factors))

    def _key(self) -> tuple[Any, ...]:
        return self.factors

    def __repr__(self) -> str:
        return " * ".join(map(repr, self.factors))
