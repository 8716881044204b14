"""A prior of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax

from bayesot._x64 import numerically
from bayesot.errors import InputError
from bayesot.priors.base import Prior

__all__ = ["Custom"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Custom(Prior):
    """Any log-density written in JAX.

    Parameters
    ----------
    log_density
        Maps one plan of shape (n, m) to its log-density, a scalar, up to a constant. It has to be
        traceable and differentiable by JAX.

    Examples
    --------
    >>> import bayesot as bo
    >>> import jax.numpy as jnp
    >>> prior = bo.priors.Custom(lambda plan: -jnp.sum(jnp.abs(jnp.diff(plan, axis=1))))
    >>> float(prior.log_density([[0.5, 0.0], [0.0, 0.5]]))
    -1.0

    """

    _leaves = 0

    function: Callable[[Any], Any]

    def __init__(self, log_density: Callable[[Any], Any]) -> None:
        if not callable(log_density):
            raise InputError(
                f"`log_density` must be a function of a plan, got {log_density!r}. "
                "Pass a JAX function that maps an n×m array to a number."
            )
        self._fill((), (log_density,))

    @property
    def separable(self) -> bool:
        return False

    def log_density(self, plan: Any) -> Any:
        def batched(plans: Any) -> Any:
            flat = plans.reshape(-1, *plans.shape[-2:])
            try:
                values = jax.vmap(self.function)(flat)
            except (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError) as e:
                raise InputError(
                    "`log_density` must be written in JAX, got one that wants plain numbers. "
                    "Use `jax.numpy` in place of `numpy`, and neither `float` nor `if` on values."
                ) from e
            if jax.numpy.shape(values) != flat.shape[:1]:
                raise InputError(
                    "`log_density` must return one number for a plan, got an array of shape "
                    f"{jax.numpy.shape(values)[1:]}. Sum it, for instance."
                )
            return values.reshape(plans.shape[:-2])

        return numerically(batched, plan, self)
