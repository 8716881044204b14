"""Did a sampler sample the target? A check that needs no reference sampler.

For a swap direction v (+1 on two cells of a rectangle, -1 on the other two) and the product p of
its four cells, p vanishes on every face that v crosses, so integration by parts gives

    E[ p * (sum_v sign / G  -  slope . v) ] = 0

for density exp(-slope . G) on the polytope and for no other slope.
"""

from __future__ import annotations

import numpy as np
from arviz_stats.base.array import array_stats

from benchmarks.targets import FloatArray, Target

SWAPS = 60
SUSPECT = 6.0
"""Largest of sixty z-scores of a correct sampler: 3 is common, 6 is not chance."""


def largest_z(draws: FloatArray, target: Target) -> float:
    """Largest z-score over rectangles, those with most mass, where the check has most power."""
    rng = np.random.default_rng(0)
    rows = np.argsort(-target.a)[: max(4, target.n // 2)]
    columns = np.argsort(-target.b)[: max(4, target.m // 2)]
    worst = 0.0
    for _ in range(SWAPS):
        i, k = rng.choice(rows, 2, replace=False)
        j, h = rng.choice(columns, 2, replace=False)
        plus, other = draws[:, :, i, j], draws[:, :, k, h]
        minus, last = draws[:, :, i, h], draws[:, :, k, j]
        S = target.slope
        slope = S[i, j] + S[k, h] - S[i, h] - S[k, j]
        # p * (1/x + 1/y - 1/z - 1/w), written without divisions: cells can be zero.
        drift = (plus + other) * minus * last - (minus + last) * plus * other
        series = drift - slope * plus * other * minus * last
        sd = float(series.std())
        if sd > 0:
            ess = float(np.asarray(array_stats.ess(series, method="mean")))
            worst = max(worst, abs(float(series.mean())) / sd * max(ess, 1.0) ** 0.5)
    return worst
