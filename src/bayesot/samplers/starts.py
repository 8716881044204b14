"""Where chains of a mixture start: about how much mass does each of its components have?"""

from __future__ import annotations

import numpy as np

from bayesot._x64 import double_precision
from bayesot.polytope.vertices import optima
from bayesot.samplers.target import Target, log_prior_at

__all__ = ["component_masses"]


def component_masses(target: Target) -> np.ndarray:
    """Guess the integral of every component of the density, shape (K,); the largest is one.

    Near the vertex that is optimal for a component, its density falls exponentially in every cell
    outside the basis, with the reduced cost r as rate, and such a cell reaches up to u. So its
    integral is about ``w e^(o - OT) Π 1 / (r + 1/u)`` times the prior at the cells of that size.
    This is right where the components are sharp, which is where chains cannot cross and a guess
    is needed; its error there is a few nats, and components are often hundreds of nats apart.
    """
    if len(target.costs) == 1:
        return np.ones(1)
    best = optima(target.a, target.b, target.costs)
    reach = np.minimum(target.a[:, None], target.b)
    size = 1.0 / (np.maximum(best.reduced, 0.0) + 1.0 / reach)
    outside = _outside(best.reduced, best.plans)
    with double_precision():
        prior = np.asarray(log_prior_at(target.prior, np.maximum(best.plans, size)))
    prior = np.broadcast_to(prior, size.shape).sum((1, 2))
    logs = target.log_weights + target.offsets - best.values + prior
    logs = logs + np.where(outside, np.log(size), 0.0).sum((1, 2))
    logs = np.where(np.isfinite(logs), logs, -np.inf)
    if not np.isfinite(logs).any():
        return np.exp(target.log_weights)
    return np.exp(logs - logs.max())


def _outside(reduced: np.ndarray, plans: np.ndarray) -> np.ndarray:
    """The (n - 1)(m - 1) cells of every plan that are dearest, or emptiest among equals."""
    count, n, m = plans.shape
    order = np.lexsort((-plans.reshape(count, -1), reduced.reshape(count, -1)), axis=-1)
    outside = np.ones((count, n * m), dtype=bool)
    np.put_along_axis(outside, order[:, : n + m - 1], False, axis=1)
    return outside.reshape(plans.shape)
