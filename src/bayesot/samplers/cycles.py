"""Tree-cycle passes: one move along every cycle of a spanning tree, one after the other.

There are two forms of the same moves. *Side by side*, every chain may have a tree of its own, and a
move touches all cells of the tree: best for small problems and for the many posteriors of `Each`.
*In place*, all chains share one tree, and a move touches only the cells of its cycle: best for
large problems, where cycles are short compared with the tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from bayesot.polytope.trees import Cycles
from bayesot.samplers.conditional import Line, draw_exponential
from bayesot.samplers.target import Draw, log_prior_at

__all__ = ["Forest", "cycle_pass", "reduced_costs"]


class Forest(NamedTuple):
    """Trees as the passes want them, B = 1 for a shared tree, or B = L for one per chain."""

    order: Any
    """Cells, those of the tree first; shape (nm, B)."""
    roots: Any
    """Signed paths to the root, shape (n + m, T, B)."""
    signs: Any
    """Cycles side by side, shape (d, T, B), or None."""
    lists: Any
    """Cycles in place, a `bayesot.polytope.trees.Cycles`, or None; with these, B = 1."""


def cycle_pass(
    plan: jax.Array,
    costs: jax.Array,
    prior: Any,
    spread: jax.Array,
    draw: Draw,
    forest: Forest,
    uniforms: jax.Array,
) -> jax.Array:
    """Move along every cycle. Arguments as in `swap_sweep`; ``uniforms`` has shape (d, U, L)."""
    n, m, lanes = plan.shape
    edges = n + m - 1
    flat = _gather(plan.reshape(n * m, lanes), forest.order)
    cells = jax.tree.map(lambda p: p if jnp.ndim(p) == 0 else p.ravel()[forest.order], prior)
    pass_ = _Pass(
        draw=draw,
        rates=reduced_costs(costs, forest),
        inside=_at(cells, slice(edges)),
        outside=_at(cells, slice(edges, None)),
        spread=spread.ravel()[forest.order],
        uniforms=uniforms,
    )
    if forest.lists is None:
        tree, rest = _side_by_side(pass_, flat[:edges], flat[edges:], forest.signs)
    else:
        tree, rest = _in_place(pass_, flat[:edges], flat[edges:], forest.lists)
    moved = jnp.concatenate([tree, rest])
    return _gather(moved, jnp.argsort(forest.order, axis=0)).reshape(plan.shape)


def reduced_costs(costs: jax.Array, forest: Forest) -> jax.Array:
    """Cost of one unit of mass round every cycle, ``C_ij - f_i - h_j``; shape (d, L or 1)."""
    n, m = costs.shape[:2]
    edges = n + m - 1
    flat = costs.reshape(n * m, -1)
    on_tree = _gather(flat, forest.order[:edges])
    potentials = jnp.sum(forest.roots * on_tree, axis=1)  # (n + m, T, B) with (T, L)
    reduced = costs - potentials[:n, None] - potentials[None, n:]
    return _gather(reduced.reshape(n * m, -1), forest.order[edges:])


class _Pass(NamedTuple):
    """What all moves of a pass have in common. Cells outside the tree come in its order."""

    draw: Draw
    rates: Any
    inside: Any
    outside: Any
    spread: Any
    uniforms: Any


def _side_by_side(
    p: _Pass, tree: jax.Array, rest: jax.Array, signs: jax.Array
) -> tuple[jax.Array, jax.Array]:
    edges = len(tree)
    inside = p.spread[:edges]

    def move(tree: jax.Array, xs: Any) -> tuple[jax.Array, jax.Array]:
        e, cell, uniforms = xs
        gains, loses = signs[e] > 0, signs[e] < 0
        back = jnp.minimum(cell, jnp.min(jnp.where(gains, tree, jnp.inf), axis=0))
        ahead = jnp.min(jnp.where(loses, tree, jnp.inf), axis=0)
        outer, spread = _at(p.outside, e), p.spread[edges + e]
        if p.draw is not draw_exponential:  # the cells that end the line, for their widths
            gained = jnp.min(jnp.where(gains & (tree == back), inside, jnp.inf), axis=0)
            lost = jnp.min(jnp.where(loses & (tree == ahead), inside, jnp.inf), axis=0)
            spread = jnp.where(cell == back, spread, gained) + lost

        def moved(x: Any, y: Any) -> Any:
            return jnp.where(gains, (tree - back) + x, jnp.where(loses, (tree - ahead) + y, tree))

        def log_prior(x: Any, y: Any) -> Any:
            on_tree = jnp.sum(log_prior_at(p.inside, moved(x, y)), axis=0)
            return on_tree + log_prior_at(outer, (cell - back) + x)

        x, y = p.draw(Line(back, ahead, p.rates[e], spread), log_prior, uniforms)
        return moved(x, y), (cell - back) + x

    return lax.scan(move, tree, (jnp.arange(len(rest)), rest, p.uniforms))


def _in_place(
    p: _Pass, tree: jax.Array, rest: jax.Array, lists: Cycles
) -> tuple[jax.Array, jax.Array]:
    edges = len(tree)

    def move(e: Any, state: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        tree, rest = state
        cell, spread = rest[e], p.spread[edges + e]

        def along(cells: Any, count: Any, body: Any, start: Any) -> Any:
            return lax.fori_loop(0, count[e], lambda k, value: body(cells[e, k], value), start)

        def least(t: Any, found: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            smaller = tree[t] < found[0]
            return jnp.where(smaller, tree[t], found[0]), jnp.where(smaller, p.spread[t], found[1])

        back, gained = along(
            lists.gaining, lists.gains, least, (cell, jnp.broadcast_to(spread, cell.shape))
        )
        none = jnp.full_like(cell, jnp.inf)
        ahead, lost = along(lists.losing, lists.losses, least, (none, none))

        def log_prior(x: Any, y: Any) -> Any:
            def add(used: Any, back_again: Any) -> Any:
                return lambda t, total: (
                    total + log_prior_at(_at(p.inside, t), (tree[t] - used) + back_again)
                )

            total = log_prior_at(_at(p.outside, e), (cell - back) + x)
            total = along(lists.gaining, lists.gains, add(back, x), total)
            return along(lists.losing, lists.losses, add(ahead, y), total)

        line = Line(back, ahead, p.rates[e], gained + lost)
        x, y = p.draw(line, log_prior, p.uniforms[e])
        gain = lambda t, cells: cells.at[t].set((cells[t] - back) + x)  # noqa: E731
        lose = lambda t, cells: cells.at[t].set((cells[t] - ahead) + y)  # noqa: E731
        tree = along(lists.gaining, lists.gains, gain, tree)
        tree = along(lists.losing, lists.losses, lose, tree)
        return tree, rest.at[e].set((cell - back) + x)

    return lax.fori_loop(0, len(rest), move, (tree, rest))


def _gather(values: jax.Array, order: jax.Array) -> jax.Array:
    """Rows of (c, L) in an order that is shared, (k, 1), or one per chain, (k, L)."""
    if order.shape[1] == 1:
        return values[order[:, 0]]
    return jnp.take_along_axis(
        jnp.broadcast_to(values, (len(values), order.shape[1])), order, axis=0
    )


def _at(prior: Any, cells: Any) -> Any:
    return jax.tree.map(lambda p: p if jnp.ndim(p) == 0 else p[cells], prior)
