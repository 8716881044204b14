"""The made-up problems keep the promises that their documentation and the demo rest on."""

from __future__ import annotations

import numpy as np
import ot
import pytest

from bayesot.datasets import Depots, depots
from bayesot.errors import InputError

SEEDS = (0, 1, 2)


def best_plan(example: Depots, cost: np.ndarray) -> np.ndarray:
    return ot.emd(example.problem.a, example.problem.b, np.ascontiguousarray(cost))


def share_of(plan: np.ndarray, plans: np.ndarray) -> float:
    return float((np.abs(plans - plan).max(axis=(1, 2)) < 1e-9).mean())


@pytest.fixture(params=SEEDS, scope="module")
def solved(request: pytest.FixtureRequest) -> tuple[Depots, np.ndarray]:
    """The example, and the exact optimal plan of each of its driving times."""
    example = depots(request.param)
    return example, np.stack([best_plan(example, cost) for cost in example.costs])


def test_one_plan_is_best_in_the_morning_and_another_in_the_evening(
    solved: tuple[Depots, np.ndarray],
) -> None:
    example, plans = solved
    morning, evening = plans[example.morning], plans[~example.morning]
    a, b = (np.median(part, axis=0) for part in (morning, evening))
    assert share_of(a, morning) >= 0.98
    assert share_of(b, evening) >= 0.9
    assert share_of(a, evening) == share_of(b, morning) == 0
    differs = np.abs(a - b) > 1e-9
    assert differs.sum() == 10
    assert (~differs & (a > 1e-9)).sum() == 3  # used, always the same
    assert (~differs & (a < 1e-9)).sum() == 11  # never used


def test_the_plan_for_average_times_is_best_at_no_time(solved: tuple[Depots, np.ndarray]) -> None:
    example, plans = solved
    average = best_plan(example, example.costs.mean(axis=0))
    assert share_of(average, plans) == 0
    best = (example.costs * plans).sum(axis=(1, 2)).mean()
    assert (example.costs * average).sum(axis=(1, 2)).mean() / best == pytest.approx(1.14, abs=0.01)
    used = plans.max(axis=0) > 1e-9
    assert ((average > 1e-9) & ~used).any()  # it goes where no best plan ever goes


@pytest.mark.parametrize("seed", SEEDS)
def test_the_plan_for_average_times_is_unique(seed: int) -> None:
    example = depots(seed)
    cost = example.costs.mean(axis=0)
    plan, log = ot.emd(example.problem.a, example.problem.b, cost, log=True)
    reduced = cost - log["u"][:, None] - log["v"]
    assert (plan > 1e-9).sum() == sum(example.problem.shape) - 1  # not degenerate
    assert reduced[plan < 1e-9].min() > 0.5  # minutes: any other way is that much worse


def test_costs_follow_the_documented_formula() -> None:
    example = depots(seed=7)
    noise = np.exp(0.05 * np.random.default_rng(7).standard_normal(example.costs.shape))
    times = example.costs / noise
    assert np.allclose(times[example.morning], times[0])
    assert np.allclose(times[~example.morning], times[1])
    free = np.minimum(times[0], times[1])
    assert np.allclose(free, free.round())
    jams = np.stack([times[0], times[1]]) / free
    assert np.allclose(jams[np.abs(jams - 1) > 1e-9], 1.8)
    assert not (jams > 1.1).all(axis=0).any()  # no road jams twice a day


def test_shapes_units_and_names() -> None:
    example = depots()
    assert example.costs.shape == (200, 4, 6)
    assert example.morning.sum() == 100
    assert example.problem.mass == 300
    assert example.problem.row_labels == ("Northgate", "Harbour", "Airport", "Millbrook")
    assert "300 pallets" in example.description
    assert not example.costs.flags.writeable


def test_a_seed_fixes_the_costs() -> None:
    assert np.array_equal(depots(3).costs, depots(3).costs)
    assert not np.array_equal(depots(3).costs, depots(4).costs)
    assert depots(3).problem == depots(4).problem


@pytest.mark.parametrize("seed", [-1, 1.5, "0"])
def test_a_seed_that_is_none_is_refused(seed: object) -> None:
    with pytest.raises(InputError, match="`seed`"):
        depots(seed)  # pyright: ignore[reportArgumentType]
