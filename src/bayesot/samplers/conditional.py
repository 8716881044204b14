"""Exact draws along a line through the polytope, on which the whole sampler rests.

On a line some cells gain x and the others lose it. Let ``back`` be the least of the gaining cells
and ``ahead`` the least of the losing ones at the current plan: the line meets the boundary where
one of them is used up, so its points are ``x = 0 … back + ahead``, the current one is ``x = back``,
and its other end is at a distance of ``y = back + ahead - x``. Draws give both x and y, the
smaller to full relative precision: a plan near a vertex keeps its tiny entries, and none of them
can become negative, since a gaining cell becomes ``(cell - back) + x`` and a losing one
``(cell - ahead) + y``, sums of parts that are not negative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

__all__ = ["LEAST", "SHRINKS", "Line", "draw_exponential", "draw_slice"]

Array = jax.Array

LEAST = 1e-300
"""Stands for zero in logarithms: the smallest entry that a density is evaluated at."""

SHRINKS = 4
"""Proposals of a slice move. Few, because every lane computes all of them: where none succeeds, in
about one move of ten, standing still leaves the target invariant all the same."""

WIDTH = 6.0
"""Width of the first slice interval in deviations of the logit along the line. An interval that is
wide for the slice costs a proposal; a narrow one makes the chain crawl, which costs more."""


class Line(NamedTuple):
    """A line through the current plan, for a whole array of moves at once."""

    back: Any
    """The least of the gaining cells."""
    ahead: Any
    """The least of the losing cells."""
    rate: Any
    """The likelihood falls along the line as ``exp(-rate x)``."""
    spread: Any = 0.0
    """About the deviation of ``log(x / y)``; any number that is the same all along the line."""


LogPrior = Callable[[Array, Array], Array]
"""Log-prior of the cells on the line as a function of (x, y), up to a constant."""


def draw_exponential(line: Line, log_prior: LogPrior, uniforms: Array) -> tuple[Array, Array]:
    """Draw from the density ``exp(-rate x)`` on the line, by inversion; one uniform each.

    The prior is flat. The end with the greater density is the one to measure from.
    """
    length = line.back + line.ahead
    steep = jnp.abs(line.rate)
    decay = steep * length
    inverted = -jnp.log1p(uniforms[0] * jnp.expm1(-decay)) / jnp.where(steep > 0, steep, 1.0)
    near = jnp.minimum(jnp.where(decay > 1e-12, inverted, uniforms[0] * length), length)
    far = length - near
    forward = line.rate >= 0
    return jnp.where(forward, near, far), jnp.where(forward, far, near)


def draw_slice(line: Line, log_prior: LogPrior, uniforms: Array) -> tuple[Array, Array]:
    """Move on the line by slice sampling in the logit ``v = log(x / y)``; 2 + SHRINKS uniforms.

    In the logit there is no boundary, a power of x becomes an exponential tail, however close to
    zero (concentrations below one), and every sharpness looks alike. The first interval is placed
    at random about the current point and shrinks towards it (Neal 2003, figures 3 and 5).
    """
    length = line.back + line.ahead

    def position(v: Array) -> tuple[Array, Array, Array]:
        tail = jnp.log1p(jnp.exp(-jnp.abs(v)))
        log_x, log_y = jnp.minimum(v, 0) - tail, jnp.minimum(-v, 0) - tail
        return length * jnp.exp(log_x), length * jnp.exp(log_y), log_x + log_y

    def height(v: Array) -> Array:
        x, y, log_jacobian = position(v)
        return log_prior(x, y) - line.rate * x + log_jacobian

    here = jnp.log(jnp.maximum(line.back, LEAST)) - jnp.log(jnp.maximum(line.ahead, LEAST))
    level = height(here) + jnp.log1p(-uniforms[0])
    level = jnp.where(jnp.isfinite(level), level, jnp.inf)  # where density is lost, stand still
    width = WIDTH * line.spread
    low = here - width * uniforms[1]

    high, chosen = low + width, here
    found = jnp.zeros(jnp.shape(here), dtype=bool)
    for uniform in uniforms[2:]:
        trial = low + (high - low) * uniform
        inside = height(trial) >= level
        chosen = jnp.where(~found & inside, trial, chosen)
        found = found | inside
        low = jnp.where(trial < here, trial, low)
        high = jnp.where(trial < here, high, trial)
    x, y, _ = position(chosen)
    return jnp.where(found, x, line.back), jnp.where(found, y, line.ahead)
