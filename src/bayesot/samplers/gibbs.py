"""The Gibbs chain: steps of swap sweeps and cycle passes, compiled once per shape."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from bayesot.samplers.conditional import LEAST, SHRINKS, draw_exponential, draw_slice
from bayesot.samplers.cycles import Forest, cycle_pass
from bayesot.samplers.sweeps import swap_sweep
from bayesot.samplers.target import Target

__all__ = ["Sums", "advance"]


class Sums(NamedTuple):
    """Sums over the steps, of which means and widths are made; each of shape (n, m, L)."""

    # Of ``plan - centre`` and its square, and of ``log plan`` and its square.
    plan: Any
    square: Any
    log: Any
    log_square: Any


class _State(NamedTuple):
    plan: jax.Array
    component: jax.Array
    sums: Sums


@partial(jax.jit, static_argnames=("room", "sweeps", "mixed"))
def advance(
    target: Target,
    forest: Forest,
    spread: Any,
    centre: Any,
    plan: Any,
    component: Any,
    key: Any,
    warmth: Any,
    thin: Any,
    records: Any,
    *,
    room: int,
    sweeps: int,
    mixed: bool,
) -> tuple[Any, Any, Any, Any, Sums]:
    """Run L chains side by side for ``thin * records`` steps.

    Parameters
    ----------
    target, forest
        What to sample, and the trees to move along.
    spread
        Deviation of the logarithm of every cell, shape (n, m): the widths of slice moves.
    centre
        What the sums are taken about, shape (n, m, L or 1): near the mean, so that deviations far
        smaller than the entries are not lost to rounding.
    plan, component
        Where the chains are: shapes (n, m, L) and (L,).
    key
        For the random numbers of this call.
    warmth
        Power of the likelihood: one for the posterior, less while warming up.
    thin, records
        Steps between kept plans, and how many to keep, at most ``room``.
    room, sweeps, mixed
        Static: size of the buffer, swap sweeps per step, whether chains move between components.

    Returns
    -------
    Plan and component at the end, the kept plans (room, L, n, m), their components (room, L), and
    the sums over all steps.
    """
    costs = warmth * jnp.asarray(target.costs)
    exponents = jnp.asarray(target.log_weights) + warmth * jnp.asarray(target.offsets)
    lanes = plan.shape[2]
    flat_costs = costs.reshape(len(costs), -1)

    def step(i: Any, state: _State) -> _State:
        plan, component, sums = state
        pick, order, first, second = _numbers(
            jax.random.fold_in(key, i), plan.shape, sweeps, target
        )
        if mixed:
            logits = exponents[:, None] - flat_costs @ plan.reshape(-1, lanes)
            # Chains stay in the component that they start in until the posterior is in force: which
            # ones win while it is annealed says nothing, and all chains would follow them.
            drawn = _categorical(logits, pick)
            component = jnp.where(warmth < 1, component, drawn)
        cost = costs[0][..., None] if len(costs) == 1 else jnp.moveaxis(costs[component], 0, -1)
        draw = draw_exponential if target.prior.flat else draw_slice
        for sweep in range(sweeps):
            shuffled = (order[0][sweep], order[1][sweep])
            plan = swap_sweep(plan, cost, target.prior, spread, draw, shuffled, first[sweep])
        plan = cycle_pass(plan, cost, target.prior, spread, draw, forest, second)
        return _State(plan, component, _add(sums, plan, centre, target.prior.flat))

    def record(r: Any, carry: Any) -> Any:
        state, plans, components = carry
        state = lax.fori_loop(r * thin, (r + 1) * thin, step, state)
        state = state._replace(plan=_polish(state.plan, target))
        return (
            state,
            lax.dynamic_update_index_in_dim(plans, jnp.moveaxis(state.plan, -1, 0), r, 0),
            lax.dynamic_update_index_in_dim(components, state.component, r, 0),
        )

    zeros = jnp.zeros_like(plan)
    unused = zeros[:0] if target.prior.flat else zeros
    start = (
        _State(plan, component, Sums(zeros, zeros, unused, unused)),
        jnp.zeros((room, lanes, *plan.shape[:2])),
        jnp.zeros((room, lanes), component.dtype),
    )
    state, plans, components = lax.fori_loop(0, records, record, start)
    return state.plan, state.component, plans, components, state.sums


def _numbers(key: Any, shape: Any, sweeps: int, target: Target) -> tuple[Any, Any, Any, Any]:
    """Draw all random numbers of a step in one go."""
    n, m, lanes = shape
    per_move = 1 if target.prior.flat else 2 + SHRINKS
    shapes = (
        (lanes,),
        (sweeps, n),
        (sweeps, m),
        (sweeps, per_move, n // 2, m // 2, lanes),
        ((n - 1) * (m - 1), per_move, lanes),
    )
    sizes = [math.prod(shape) for shape in shapes]
    uniforms = _uniforms(key, sum(sizes))
    parts, start = [], 0
    for size, part in zip(sizes, shapes, strict=True):
        parts.append(uniforms[start : start + size].reshape(part))
        start += size
    pick, rows, columns, first, second = parts
    return pick, (jnp.argsort(rows, axis=1), jnp.argsort(columns, axis=1)), first, second


def _uniforms(key: Any, count: int) -> jax.Array:
    """Draw from the midpoints of 2³² intervals of [0, 1]: neither end, and two from 64 bits.

    Making random bits takes as long as everything else about a move that has a closed form.
    """
    bits = jax.random.bits(key, ((count + 1) // 2,), jnp.uint64)
    halves = jnp.concatenate([bits & jnp.uint64(2**32 - 1), bits >> 32])[:count]
    return (halves.astype(jnp.int64).astype(jnp.float64) + 0.5) * 2.0**-32


def _categorical(logits: jax.Array, uniforms: jax.Array) -> jax.Array:
    """Draw an index with probabilities ``softmax(logits)`` along the first axis, by inversion."""
    weights = jnp.exp(logits - jnp.max(logits, axis=0))
    total = jnp.cumsum(weights, axis=0)
    return jnp.sum(total <= uniforms * total[-1], axis=0, dtype=jnp.int32)


def _add(sums: Sums, plan: jax.Array, centre: Any, flat: bool) -> Sums:
    deviation = plan - centre
    plan_sums = sums.plan + deviation, sums.square + deviation**2
    if flat:  # logarithms are for the widths of slice moves only
        return Sums(*plan_sums, sums.log, sums.log_square)
    log = jnp.log(jnp.maximum(plan, LEAST))
    return Sums(*plan_sums, sums.log + log, sums.log_square + log**2)


def _polish(plan: jax.Array, target: Target) -> jax.Array:
    """Undo the drift of the margins by rounding: one scaling of rows, one of columns."""
    plan = plan * (target.a[:, None] / jnp.sum(plan, axis=1))[:, None]
    return plan * (target.b[:, None] / jnp.sum(plan, axis=0))[None]
