"""Entropic priors: Shannon's and Tsallis's. Their MAP plans are regularised optimal transport."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import xlogy

from bayesot import _validate as validate
from bayesot.priors.base import Parameter, Separable

__all__ = ["Entropy", "Tsallis"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Entropy(Separable):
    """Entropy prior: ``g(x) = -ε x log x``, so that ``log p(G) = ε H(G)``.

    Parameters
    ----------
    strength
        ``ε ≥ 0``, a number or an array that broadcasts to n×m.

    Examples
    --------
    >>> import bayesot as bo
    >>> float(bo.priors.Entropy(2.0).log_density([[0.5, 0.0], [0.0, 0.5]]))  # 2 log 2
    1.3862943611198906

    """

    _leaves = 1

    strength: Any

    def __init__(self, strength: Parameter = 1.0) -> None:
        strength = validate.as_float_array("strength", strength)
        self._fill((validate.nonnegative("strength", strength),), ())

    def elementwise(self, x: Any) -> Any:
        return -self.strength * xlogy(x, x)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Tsallis(Separable):
    """Tsallis entropy prior: ``log p(G) = ε (1 - Σ G^q) / (q - 1)``; up to a constant per cell,
    ``g(x) = -ε x^q / (q - 1)``.

    Parameters
    ----------
    q
        Order, above zero and not one (the limit at one is `Entropy`).
    strength
        ``ε ≥ 0``. Both are numbers or arrays that broadcast to n×m.

    Examples
    --------
    >>> import bayesot as bo
    >>> float(bo.priors.Tsallis(q=2.0, strength=3.0).log_density([[0.5, 0.0], [0.0, 0.5]]))
    -1.5

    """

    _leaves = 2

    q: Any
    strength: Any

    def __init__(self, q: Parameter, strength: Parameter = 1.0) -> None:
        q = validate.positive("q", validate.as_float_array("q", q))
        remedy = "Use `Entropy(strength)`, which is the limit of Tsallis at one."
        validate.all_hold("q", q, np.abs(q - 1) > 1e-6, "must not be one", remedy)
        strength = validate.as_float_array("strength", strength)
        self._fill((q, validate.nonnegative("strength", strength)), ())

    def elementwise(self, x: Any) -> Any:
        return -self.strength * jnp.power(x, self.q) / (self.q - 1)
