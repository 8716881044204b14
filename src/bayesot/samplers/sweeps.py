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
    # Told that indices are sound, XLA neither clamps nor masks; scattering back, rather than
    # putting the plan together again, keeps it from doing each draw once for every cell it moves.
    cells = [plan.at[at].get(mode="promise_in_bounds") for at in where]
    cost = [costs.at[at].get(mode="promise_in_bounds") for at in where]
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

    for at, cell in zip(where, moved(*draw(line, log_prior, uniforms)), strict=True):
        plan = plan.at[at].set(cell, mode="promise_in_bounds", unique_indices=True)
    return plan
