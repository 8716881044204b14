"""Swap sweeps: many disjoint 2×2 moves at once.

A swap picks two rows and two columns and moves mass between the four cells where they cross. A
random matching of rows and of columns gives ⌊n/2⌋⌊m/2⌋ swaps that share no cell.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from bayesot.samplers.conditional import Line
from bayesot.samplers.target import Draw, log_prior_at, take

__all__ = ["swap_sweep"]


def swap_sweep(
    plan: jax.Array,
    costs: jax.Array,
    prior: Any,
    spread: jax.Array,
    draw: Draw,
    order: tuple[jax.Array, jax.Array],
    uniforms: jax.Array,
) -> jax.Array:
    """Update all swaps of one matching.

    Parameters
    ----------
    plan
        Shape (n, m, L): L chains side by side, innermost, where vector hardware wants them.
    costs
        Of the plan's cells, shape (n, m, L) or (n, m, 1).
    prior, spread
        The prior, its parameters numbers or of shape (n, m), and the widths of slice moves, (n, m).
    draw
        How to draw along a line.
    order
        Permutations of rows and columns: the first half is matched with the second.
    uniforms
        Shape (U, ⌊n/2⌋, ⌊m/2⌋, L).
    """
    rows, columns = order
    n, m = plan.shape[:2]
    h, w = n // 2, m // 2
    quadrants = ((0, 0), (1, 1), (0, 1), (1, 0))  # gaining twice, losing twice
    where = [(rows[i * h : i * h + h, None], columns[j * w : j * w + w]) for i, j in quadrants]
    cells = [plan[at] for at in where]
    cost = [costs[at] for at in where]
    priors = [take(prior, at) for at in where]
    width = [spread[at][..., None] for at in where]
    line = Line(
        back=jnp.minimum(cells[0], cells[1]),
        ahead=jnp.minimum(cells[2], cells[3]),
        rate=cost[0] + cost[1] - cost[2] - cost[3],
        spread=jnp.where(cells[0] < cells[1], width[0], width[1])
        + jnp.where(cells[2] < cells[3], width[2], width[3]),
    )

    def moved(x: Any, y: Any) -> list[Any]:
        gain, lose = (lambda c: (c - line.back) + x), (lambda c: (c - line.ahead) + y)
        return [gain(cells[0]), gain(cells[1]), lose(cells[2]), lose(cells[3])]

    def log_prior(x: Any, y: Any) -> Any:
        return sum(log_prior_at(g, c) for g, c in zip(priors, moved(x, y), strict=True))

    a, d, b, c = moved(*draw(line, log_prior, uniforms))
    rest_of_rows = plan[rows[:, None], columns[2 * w :]]
    top = jnp.concatenate([a, b, rest_of_rows[:h]], 1)
    bottom = jnp.concatenate([c, d, rest_of_rows[h : 2 * h]], 1)
    arranged = jnp.concatenate([top, bottom, plan[rows[2 * h :, None], columns]], 0)
    return arranged[jnp.argsort(rows)[:, None], jnp.argsort(columns)]
