"""R-hat and effective sample sizes of many cells at once, against ArviZ."""

from __future__ import annotations

import numpy as np
import pytest
from arviz_stats.base.array import array_stats
from tests.draws.examples import autoregressive

from bayesot.draws.convergence import mixing


def cells(chains: int, draws: int, memory: float, decimals: int | None) -> np.ndarray:
    rng = np.random.default_rng([chains, draws])
    found = np.stack([autoregressive((chains, draws), memory, rng) for _ in range(6)])
    return found if decimals is None else found.round(decimals)


@pytest.mark.parametrize("decimals", [None, 1, 0], ids=["continuous", "some ties", "many ties"])
@pytest.mark.parametrize("memory", [-0.7, 0.0, 0.6, 0.98])
@pytest.mark.parametrize("draws", [4, 5, 6, 7, 8, 11, 50, 401])
@pytest.mark.parametrize("chains", [1, 2, 5])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of ArviZ, in cells that do not vary
def test_the_numbers_are_those_of_arviz(chains, draws, memory, decimals):
    given = cells(chains, draws, memory, decimals)
    found = mixing(given)
    expected = {
        "rhat": array_stats.rhat(given),
        "ess_bulk": array_stats.ess(given, method="bulk"),
        "ess_tail": array_stats.ess(given, method="tail", prob=(0.05, 0.95)),
        "mcse": array_stats.mcse(given, method="mean"),
    }
    if chains == 1:
        assert np.isnan(expected.pop("rhat")).all()  # ArviZ has none for a single chain
        assert (found.rhat > 0.5).all()
    varies = np.isfinite(found.rhat)
    for name, numbers in expected.items():
        np.testing.assert_allclose(
            getattr(found, name)[varies], numbers[varies], rtol=1e-10, err_msg=name
        )


def test_what_never_moves_is_unknown():
    given = np.stack([np.full((2, 10), 0.3), np.eye(2, 10)])
    found = mixing(given)
    assert found.rhat[0] == found.mcse[0] == np.inf and found.ess_bulk[0] == found.ess_tail[0] == 0
    assert all(np.isfinite(numbers[1]) for numbers in found)


def test_chains_that_stay_where_they_started_have_no_finite_rhat():
    given = np.broadcast_to(np.array([[0.1], [0.2], [0.3]]), (3, 100))[None]
    assert mixing(given).rhat[0] == np.inf


def test_the_odd_draw_in_the_middle_is_not_looked_at():
    given = np.zeros((1, 2, 9))
    given[0, 0, 4] = 1.0
    assert mixing(given).rhat[0] == np.inf  # else 0 / 0


def test_a_single_chain_is_compared_with_itself():
    steady = np.random.default_rng(0).normal(size=(1, 1, 1000))
    drifting = steady + np.linspace(0, 2, 1000)
    assert mixing(steady).rhat[0] < 1.01 < 1.05 < mixing(drifting).rhat[0]


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9])
def test_units_do_not_matter(scale):
    given = cells(4, 200, 0.5, None)
    plain, scaled = mixing(given), mixing(given * scale)
    for one, other, unit in zip(plain, scaled, (1, 1, 1, scale), strict=True):
        np.testing.assert_allclose(one * unit, other, rtol=1e-6)


def test_effective_draws_of_a_known_chain():
    # Of an AR(1) series with correlation r, a draw is worth (1 - r) / (1 + r) independent ones.
    # The estimate has a standard error of about five per cent here, and five of them are allowed.
    given = cells(8, 4000, 0.5, None)
    mean_ess = (given.std(axis=(1, 2)) / mixing(given).mcse) ** 2
    np.testing.assert_allclose(mean_ess, 32000 / 3, rtol=0.25)


def test_cells_do_not_affect_each_other():
    given = cells(3, 100, 0.3, 1)
    together, alone = mixing(given), [mixing(cell[None]) for cell in given]
    for name in together._fields:
        separate = np.concatenate([getattr(one, name) for one in alone])
        np.testing.assert_array_equal(getattr(together, name), separate)
