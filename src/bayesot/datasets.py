"""Small made-up problems to try things on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesot._validate import FloatArray, as_count
from bayesot.problem import Problem

__all__ = ["Depots", "depots"]

_SUPPLY = {"Northgate": 96, "Harbour": 84, "Airport": 66, "Millbrook": 54}
_DEMAND = {
    "Lakeside": 71,
    "Southpark": 62,
    "Riverside": 53,
    "Station": 47,
    "University": 38,
    "Hillside": 29,
}

# Minutes on free roads from a depot (row) to an outlet (column), and the road taken: through the
# centre, round by the ring road, or local streets that never jam.
_MINUTES = (
    (9, 33, 21, 29, 12, 12),
    (12, 42, 33, 39, 24, 9),
    (27, 36, 16, 31, 20, 31),
    (19, 29, 31, 27, 22, 19),
)
_ROADS = (
    "local  centre ring   centre local  local",
    "local  centre ring   centre ring   local",
    "ring   ring   ring   ring   ring   ring",
    "ring   ring   centre centre centre ring",
)
_JAM = 1.8
_NOISE = 0.05
_DAYS = 100


@dataclass(frozen=True, eq=False)
class Depots:
    """Four depots supply six outlets, and driving times depend on the time of day."""

    problem: Problem
    """The pallets that each depot has and each outlet needs per day; 300 in all."""
    costs: FloatArray
    """Driving times, shape (200, 4, 6): a morning and an evening on each of 100 days."""
    morning: NDArray[np.bool_]
    """Which of the driving times are of a morning, shape (200,)."""
    mass_unit: str = "pallets per day"
    cost_unit: str = "minutes of driving per pallet"
    description: str = (
        "A wholesaler brings 300 pallets a day from 4 depots to 6 outlets. In the morning the "
        "roads through the centre jam, in the evening the ring road."
    )


def depots(seed: int = 0) -> Depots:
    """Make up a delivery problem in which two plans are each the best one half of the time.

    Sample k of the driving time from depot i to outlet j is ``free_ij · jam_kij · exp(0.05 z_kij)``
    minutes, where z is standard normal. ``jam`` is 1.8 in the morning (even k) on routes through
    the centre, 1.8 in the evening (odd k) on routes by the ring road, and 1 otherwise.

    Nearly every morning one plan takes the least driving, nearly every evening another one. The
    two agree on some routes and differ on others. The plan of least driving under the average
    times is a third one, which is the best at no time, and takes 14 % more driving than they do.

    Parameters
    ----------
    seed
        Fixes ``z``. The names, amounts, free times and roads are always the same.

    Examples
    --------
    >>> from bayesot.datasets import depots
    >>> example = depots()
    >>> example.problem
    Problem(4 sources × 6 targets, total mass 300)
    >>> example.costs.shape, example.cost_unit
    ((200, 4, 6), 'minutes of driving per pallet')

    """
    roads = np.array([row.split() for row in _ROADS])
    morning = np.arange(2 * _DAYS) % 2 == 0
    jammed = roads == np.where(morning, "centre", "ring")[:, None, None]
    rng = np.random.default_rng(as_count("seed", seed, minimum=0))
    noise = np.exp(_NOISE * rng.standard_normal(jammed.shape))
    costs = np.array(_MINUTES) * np.where(jammed, _JAM, 1.0) * noise
    for array in (costs, morning):
        array.setflags(write=False)
    return Depots(Problem(_SUPPLY, _DEMAND), costs, morning)
