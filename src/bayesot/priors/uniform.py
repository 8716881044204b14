"""The uniform prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp

from bayesot.priors.base import Separable

__all__ = ["Uniform"]


@dataclass(frozen=True, eq=False, repr=False)
class Uniform(Separable):
    """Every plan alike: ``g(x) = 0``.

    >>> import bayesot as bo
    >>> float(bo.priors.Uniform().log_density([[0.5, 0.0], [0.0, 0.5]]))
    0.0
    """

    _leaves = 0
    flat: ClassVar[bool] = True

    def elementwise(self, x: Any) -> Any:
        return jnp.zeros_like(x)
