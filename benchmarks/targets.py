"""The targets of every race, in one table.

A target is a posterior with a uniform prior and one exact cost: density proportional to
``exp(-sharpness * <cost, G>)`` on the plans with margins ``a`` and ``b``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.floating]


@dataclass(frozen=True)
class Target:
    """Size, sharpness and seed; margins and cost follow from them.

    ``peers_skip`` is the reason why peers are not asked, or None when they are.
    """

    name: str
    n: int
    m: int
    sharpness: float
    seed: int = 0
    peers_skip: str | None = None

    @cached_property
    def _drawn(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        rng = np.random.default_rng(self.seed)
        a = rng.dirichlet(np.ones(self.n))
        b = rng.dirichlet(np.ones(self.m))
        return a, b, rng.gamma(2.0, 1.0, (self.n, self.m))

    @property
    def a(self) -> FloatArray:
        return self._drawn[0]

    @property
    def b(self) -> FloatArray:
        return self._drawn[1]

    @property
    def cost(self) -> FloatArray:
        """The cost before sharpening."""
        return self._drawn[2]

    @property
    def slope(self) -> FloatArray:
        """Minus the gradient of the log density with respect to the plan."""
        return self.sharpness * self.cost

    @property
    def free(self) -> NDArray[np.bool_]:
        """Cells that the margins leave room to move; only these have an ESS."""
        lower = np.maximum(0.0, self.a[:, None] + self.b - 1.0)
        upper = np.minimum(self.a[:, None], self.b)
        return upper - lower > 1e-12


LARGE = (
    "takes the 10000 x 9801 constraints dense only: 4.8 GB per chain (measured), 19 GB for four; "
    "and the cost of one chain (best proposal, Python model) was still falling after 25 s"
)

TARGETS: tuple[Target, ...] = (
    Target("5x10 s=20", 5, 10, 20.0),
    Target("20x20 s=0", 20, 20, 0.0),
    Target("20x20 s=200", 20, 20, 200.0),
    Target("3x6 s=1", 3, 6, 1.0),
    Target("100x100 s=1e4", 100, 100, 1e4, peers_skip=LARGE),
)


def named(names: Iterable[str]) -> tuple[Target, ...]:
    """Targets by name; the short form "5x10" takes every target of that size."""
    chosen: list[Target] = []
    for name in names:
        found = [t for t in TARGETS if name in (t.name, t.name.split()[0])]
        if not found:
            known = ", ".join(repr(t.name) for t in TARGETS)
            raise ValueError(f"no target named {name!r}: use one of {known}")
        chosen += [t for t in found if t not in chosen]
    return tuple(chosen)
