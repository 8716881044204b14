"""What the Gibbs kernels sample: a separable prior and exponential tilts, on positive margins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from bayesot.errors import InputError
from bayesot.posterior import Posterior
from bayesot.priors import Separable
from bayesot.samplers.conditional import LEAST, Line

__all__ = ["Draw", "Target", "log_prior_at", "lower", "take"]

Draw = Callable[[Line, Callable[[jax.Array, jax.Array], jax.Array], jax.Array], Any]
"""A way to draw along a line: `draw_exponential` or `draw_slice`."""


class Target(NamedTuple):
    """The numbers of a posterior, as the arguments of a compiled program (a JAX pytree)."""

    a: Any
    """Positive margins, shape (n,)."""
    b: Any
    """Shape (m,)."""
    prior: Any
    """A separable prior with parameters that are numbers or of shape (n, m)."""
    costs: Any
    """Shape (K, n, m), sharpness included."""
    offsets: Any
    """Shape (K,)."""
    log_weights: Any
    """Shape (K,)."""


def lower(posterior: Posterior) -> Target:
    """Take out the rows and columns without mass, and leave numbers only."""
    problem = posterior.problem
    prior, tilts = posterior.prior, posterior.tilts
    assert isinstance(prior, Separable), "`Swap.supports` has seen to that"
    if not np.isfinite(prior.log_density_on(problem.independent, problem)):
        raise InputError(
            f"`prior` must have a finite density inside the polytope, and {prior!r} has none at "
            "the independent plan, in float64. Take less extreme parameters: entries are about "
            f"{1 / (len(problem.support_a) * len(problem.support_b)):.1g}."
        )
    return Target(
        a=problem.support_a,
        b=problem.support_b,
        prior=prior.restricted(problem),
        costs=np.ascontiguousarray(problem.restrict(np.asarray(tilts.costs))),
        offsets=tilts.offsets,
        log_weights=tilts.log_weights,
    )


def take(prior: Any, cells: Any) -> Any:
    """Take a prior's parameters at some cells, with an axis for the chains appended."""
    return jax.tree.map(lambda leaf: leaf if jnp.ndim(leaf) == 0 else leaf[cells][..., None], prior)


def log_prior_at(prior: Any, x: Any) -> Any:
    """Elementwise log-prior of entries, none of them below the least positive one."""
    return prior.elementwise(jnp.maximum(x, LEAST))
