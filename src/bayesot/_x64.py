"""Double precision where it is needed, without touching the user's global JAX setting."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

__all__ = ["as_array", "double_precision", "numerically"]


def double_precision() -> AbstractContextManager[Any]:
    """Context in which this thread's JAX arrays are float64: margins hold to rounding error."""
    return jax.enable_x64(True)


def numerically(function: Callable[[Any], Any], plan: Any, *involved: Any) -> Any:
    """Apply a JAX function to a plan: in float64 and back to NumPy, unless JAX is tracing.

    Inside ``jit``, ``grad`` or ``vmap`` the caller's precision rules, and JAX values come back.
    ``involved`` is what the function computes with besides the plan, which may be traced as well.
    """
    # Under ``jit`` even a constant is traced; ``grad`` and ``vmap`` show in what is involved.
    tracing = jax.tree.leaves((plan, involved, jax.numpy.zeros(())))
    if any(isinstance(leaf, Tracer) for leaf in tracing):
        return function(jax.numpy.asarray(plan))
    with double_precision():
        return np.asarray(function(jax.numpy.asarray(np.asarray(plan, dtype=np.float64))))[()]


def as_array(plan: Any) -> Any:
    """A plan as NumPy's float64 array, or as it is if it is one of JAX's."""
    return plan if isinstance(plan, jax.Array) else np.asarray(plan, dtype=np.float64)
