"""Lanes: the chains that a vectorised run carries side by side, and how they make up the output.

For most posteriors a lane is a chain. For a composed one (`Each`) every chain of the output visits
many components, and a lane is one component of one chain: a posterior of its own, with a run of its
own, whose few draws go to the places of that component in the chain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Lanes", "blocks", "chain_lanes", "component_lanes"]

BLOCK = 2048
"""Most lanes in one compiled call: enough to keep vector units busy, few enough for the cache."""


@dataclass(frozen=True)
class Lanes:
    """L lanes, in the order of the arrays that go through the sampler."""

    group: np.ndarray
    """Lanes that sample the same thing have the same number, from zero; shape (L,)."""
    component: np.ndarray
    """The component that a lane starts in (and stays in, if composed), shape (L,)."""
    chain: np.ndarray
    """The chain of the output, shape (L,)."""
    places: np.ndarray
    """Where along the chain the lane's draws go, shape (L, most), filled up with -1."""
    most: int
    """How many lanes there could have been: what is compiled must not depend on luck."""

    @property
    def count(self) -> int:
        """L."""
        return len(self.group)

    @property
    def groups(self) -> int:
        """How many different things are sampled."""
        return int(self.group.max()) + 1

    def pooled(self, values: np.ndarray) -> np.ndarray:
        """Average over the lanes of each group: (…, L) to (…, groups)."""
        order = np.argsort(self.group, kind="stable")
        sizes = np.bincount(self.group)
        starts = np.cumsum(sizes) - sizes
        return np.add.reduceat(values[..., order], starts, axis=-1) / sizes


def chain_lanes(rng: np.random.Generator, chains: int, draws: int, masses: np.ndarray) -> Lanes:
    """One lane per chain, starting in components by what mass these are thought to have.

    Every other chain starts in a component by its mass, so that what dominates is not missed. The
    rest are spread alike over all components that do not vanish beside the largest: where chains
    cannot cross from one to another, they disagree, and R-hat sees it.
    """
    component = np.empty(chains, dtype=int)
    alike = (masses > 0).astype(float)
    for first, weights in enumerate((masses, alike)):
        count = len(component[first::2])
        order = rng.permutation(len(weights))
        at = (np.arange(count) + rng.random()) / max(count, 1)
        component[first::2] = order[np.searchsorted(_edges(weights[order]), at, side="right")]
    every = np.broadcast_to(np.arange(draws), (chains, draws))
    return Lanes(np.zeros(chains, dtype=int), component, np.arange(chains), every, chains)


def component_lanes(
    rng: np.random.Generator, chains: int, draws: int, weights: np.ndarray
) -> Lanes:
    """One lane per component and chain, components shared out among draws by systematic sampling.

    A component of weight w gets ``draws * w`` draws of every chain, rounded up or down at random.
    With more components than draws the chains take different ones, evenly spread over all.
    Components are taken in a random order: in that of the user, who may have put mornings and
    evenings by turns, every other one would be rounded up.
    """
    crowded = np.count_nonzero(weights) > draws
    order, shift = rng.permutation(len(weights)), rng.random()
    keys, places = [], []
    for chain in range(chains):
        if not crowded:  # chains round independently, so that they show what rounding does
            order, shift = rng.permutation(len(weights)), rng.random()
        offset = (chain + shift) / chains if crowded else shift
        at = (np.arange(draws) + offset) / draws
        taken = rng.permutation(order[np.searchsorted(_edges(weights[order]), at, side="right")])
        found, counts = np.unique(taken, return_counts=True)
        places += np.split(np.argsort(taken, kind="stable"), np.cumsum(counts)[:-1])
        keys += [(component, chain) for component in found]
    component, chain_of = np.array(keys).T
    table = np.full((len(keys), max(map(len, places))), -1)
    for row, at in zip(table, places, strict=True):
        row[: len(at)] = at
    group = np.unique(component, return_inverse=True)[1]
    return Lanes(
        group, component, chain_of, table, chains * min(draws, int(np.count_nonzero(weights)))
    )


def _edges(weights: np.ndarray) -> np.ndarray:
    """Ends of intervals in [0, 1) that are as long as the components are heavy."""
    edges = np.cumsum(weights / weights.sum())
    edges[np.flatnonzero(weights)[-1] :] = 1.0  # not a bit less, by rounding
    return edges


def blocks(count: int, most: int) -> np.ndarray:
    """Share lanes out among calls of equal size, so that one compilation serves all of them.

    At least two calls, if there are four lanes or more, so that two cores have work; what a seed
    gives must not depend on the machine's cores, so this depends on the lanes only.

    Parameters
    ----------
    count
        How many lanes there are.
    most
        How many there could be: calls are made for as many, the last lane repeated.

    Returns
    -------
    Lane numbers, shape (calls, size).

    Examples
    --------
    >>> blocks(5, 5)
    array([[0, 1, 2],
           [3, 4, 4]])

    """
    calls = max(-(-most // BLOCK), 2 if most >= 4 else 1)
    size = -(-most // calls)
    return np.minimum(np.arange(calls * size), count - 1).reshape(calls, size)
