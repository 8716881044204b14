"""Draws that no sampler made: chains of known memory on the polytope of a problem."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayesot.draws import Draws
from bayesot.problem import Problem

__all__ = ["autoregressive", "make_draws", "plans_of"]


def autoregressive(shape: tuple[int, ...], memory: float, rng: np.random.Generator) -> np.ndarray:
    """Standard normal AR(1) series along axis 1, with lag-one correlation ``memory``."""
    noise = rng.normal(size=shape)
    noise[:, 1:] *= np.sqrt(1 - memory**2)
    for t in range(1, shape[1]):
        noise[:, t] += memory * noise[:, t - 1]
    return noise


def plans_of(
    problem: Problem, chains: int = 4, draws: int = 500, memory: float = 0.0, seed: int = 0
) -> np.ndarray:
    """Random mixtures of vertices of the polytope, of shape (chain, draw, n, m)."""
    rng = np.random.default_rng(seed)
    a, b = problem.support_a, problem.support_b
    vertices = np.stack([_vertex(a, b, rng) for _ in range(2 * (len(a) + len(b)))])
    logits = autoregressive((chains, draws, len(vertices)), memory, rng)
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return problem.embed(np.einsum("cdk,kij->cdij", weights, vertices))


def make_draws(problem: Problem | None = None, **settings: Any) -> Draws:
    """Draws of a small problem with labels and mass; ``plans`` may be given."""
    if problem is None:
        problem = Problem(
            {"North": 10, "South": 30, "Gone": 0}, {"Mill": 15, "Port": 20, "Quay": 5}
        )
    settings = {"plans": plans_of(problem), "sampler": "Swap()", "warmup": 500} | settings
    return Draws(problem=problem, **settings)


def _vertex(a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The north-west corner plan of a random order of rows and columns."""
    rows, columns = rng.permutation(len(a)), rng.permutation(len(b))
    plan, a, b = np.zeros((len(a), len(b))), a.copy(), b.copy()
    i = j = 0
    while i < len(a) and j < len(b):
        row, column = rows[i], columns[j]
        moved = min(a[row], b[column])
        plan[row, column] = moved
        a[row], b[column] = a[row] - moved, b[column] - moved
        if a[row] <= b[column]:
            i += 1
        else:
            j += 1
    return plan
