"""What the draws are said to be worth."""

from __future__ import annotations

import re

import numpy as np
import pytest
from arviz_stats.base.array import array_stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.draws.examples import make_draws, plans_of

from bayesot.draws import Draws, cells
from bayesot.draws.verdict import ESS_THRESHOLD, RHAT_THRESHOLD
from bayesot.problem import Problem
from bayesot.samplers.base import Composition

SQUARE = Problem({"North": 0.6, "South": 0.4}, {"Mill": 0.5, "Port": 0.5})
CONVERGED = r"converged: R-hat at most 1\.0\d\d and at least \d+ effective draws in every free cell"


def numbers(draws: Draws) -> list[np.ndarray]:
    found = draws.diagnostics
    return [found.rhat, found.ess_bulk, found.ess_tail, found.mcse]


# The arrays


def test_free_cells_have_the_numbers_of_arviz():
    draws = make_draws(plans=plans_of(make_draws().problem, memory=0.8))
    given = np.moveaxis(draws.plans[:, :, :2], (0, 1), (-2, -1))
    expected = [
        array_stats.rhat(given),
        array_stats.ess(given, method="bulk"),
        array_stats.ess(given, method="tail", prob=(0.05, 0.95)),
        array_stats.mcse(given, method="mean"),
    ]
    for found, wanted in zip(numbers(draws), expected, strict=True):
        np.testing.assert_allclose(found[:2], wanted, rtol=1e-10)


def test_determined_cells_need_no_sampling():
    found = make_draws().diagnostics
    assert found.determined.tolist() == [[False] * 3, [False] * 3, [True] * 3]
    assert (found.rhat[2] == 1).all() and (found.mcse[2] == 0).all()
    assert (found.ess_bulk[2] == 2000).all() and (found.ess_tail[2] == 2000).all()
    assert found.max_rhat == found.rhat[:2].max()
    assert found.min_ess_bulk == found.ess_bulk[:2].min()
    assert found.min_ess_tail == found.ess_tail[:2].min()
    assert found.worst is not None and found.worst[0] in ("North", "South")


def test_cells_that_only_rounding_moves_are_determined():
    problem = Problem([1 - 1e-15, 1e-15], [0.3, 0.7])
    found = make_draws(problem, plans=sharing_out(problem)).diagnostics
    assert found.determined.tolist() == [[True, True], [False, False]] and found.converged


def test_tiny_masses_are_free_like_others():
    problem = Problem([1, 1e-100, 1e-100], [0.5, 0.5])
    found = make_draws(problem, plans=sharing_out(problem)).diagnostics
    assert found.determined.tolist() == [[True, True], [False, False], [False, False]]
    assert found.converged and np.isfinite(found.mcse).all()


def sharing_out(problem: Problem) -> np.ndarray:
    """Plans that share out tiny masses, all but the first, to two columns at random."""
    share = np.random.default_rng(0).uniform(0, 1, (4, 500, problem.shape[0]))
    plans = problem.a[:, None] * np.stack([share, 1 - share], axis=-1)
    plans[:, :, 0] = problem.b - plans[:, :, 1:].sum(axis=2)
    return plans


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.just(0.0) | st.floats(1e-12, 1.0), min_size=1, max_size=5),
    st.lists(st.just(0.0) | st.floats(1e-12, 1.0), min_size=1, max_size=5),
    st.integers(1, 3),
    st.integers(1, 12),
)
def test_nothing_is_ever_missing(a, b, chains, length):
    problem = Problem([*a, 1.0], [*b, 1.0], normalise=True)
    draws = Draws(plans=plans_of(problem, chains, length), problem=problem)
    for array in (*numbers(draws), draws.mean, draws.std, draws.quantile(0.3)):
        assert array.shape == problem.shape and not np.isnan(array).any()
    assert draws.diagnostics.margin_error < 1e-3  # relative to a mass of 1e-12, that is 1e-15
    assert draws.diagnostics.verdict


def test_the_margin_error_is_relative_where_there_is_mass():
    plans = np.array(make_draws().plans)
    assert make_draws(plans=plans).diagnostics.margin_error < 1e-14
    plans[1, 7, 0, 0] += 1e-3
    np.testing.assert_allclose(make_draws(plans=plans).diagnostics.margin_error, 4e-3)
    plans[1, 8, 2, 0] += 0.5  # a row without mass
    np.testing.assert_allclose(make_draws(plans=plans).diagnostics.margin_error, 0.5 / 0.375)


def test_the_number_of_cores_changes_nothing(monkeypatch):
    problem = Problem(np.ones(6), np.ones(7), normalise=True)
    plans = plans_of(problem, 3, 200, memory=0.5)
    first = numbers(Draws(plans=plans, problem=problem))
    monkeypatch.setattr(cells, "_cores", lambda: 7)
    second = numbers(Draws(plans=plans, problem=problem))
    monkeypatch.setattr(cells, "_BLOCK", 1)
    third = numbers(Draws(plans=plans, problem=problem))
    for one, two, three in zip(first, second, third, strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, three)


# Components that were sampled apart, and then shuffled


def test_components_that_mixed_badly_are_not_hidden_by_shuffling():
    plain = make_draws(SQUARE)
    rhat, efficiency = np.array([[1.0, 1.2], [1.0, 1.0]]), np.array([[1.0, 0.25], [1.0, 1.0]])
    found = make_draws(SQUARE, composition=Composition(rhat, efficiency)).diagnostics
    assert found.rhat[0, 1] == 1.2 and found.worst == ("North", "Port")
    assert not found.converged and "R-hat 1.200 at North → Port" in found.verdict
    before = plain.diagnostics
    np.testing.assert_array_equal(found.ess_bulk, before.ess_bulk * efficiency)
    np.testing.assert_array_equal(found.ess_tail, before.ess_tail * efficiency)
    np.testing.assert_allclose(found.mcse, before.mcse / np.sqrt(efficiency))
    np.testing.assert_array_equal(found.rhat, np.maximum(before.rhat, rhat))


def test_unknown_mixing_within_components_counts_as_none():
    unknown = np.array([[np.nan, 1.0], [1.0, 1.0]])
    found = make_draws(SQUARE, composition=Composition(unknown, unknown)).diagnostics
    assert found.rhat[0, 0] == found.mcse[0, 0] == np.inf and found.ess_bulk[0, 0] == 0
    assert not found.converged


# The verdict


def test_converged():
    found = make_draws().diagnostics
    assert found.converged and re.fullmatch(CONVERGED, found.verdict)
    assert found.max_rhat <= RHAT_THRESHOLD and found.min_ess_tail >= ESS_THRESHOLD
    assert f"at least {int(min(found.min_ess_bulk, found.min_ess_tail))} effective" in found.verdict


def apart(shift: float, chains: int = 4, draws: int = 500) -> np.ndarray:
    """Chains of the 2 × 2 problem of which the last is elsewhere."""
    x = 0.2 + 0.02 * np.random.default_rng(0).uniform(-1, 1, (chains, draws))
    x[-1] += shift
    return np.stack([x + 0.1, 0.5 - x, 0.4 - x, x], axis=-1).reshape(chains, draws, 2, 2)


@pytest.mark.parametrize(
    ("settings", "verdict"),
    [
        (
            {"plans": apart(0.02)},
            r"not converged: R-hat 1\.\d\d\d at \w+ → \w+; run warmup=1000 or draws=5000",
        ),
        (
            {"plans": apart(0.02), "warmup": 0},
            r"not converged: R-hat 1\.\d\d\d at \w+ → \w+; run draws=5000",
        ),
        (
            {"plans": apart(0.0)[:, :30]},
            r"not converged: (R-hat|only \d+ effective draws at North → \w+; run draws=).*",
        ),
        (
            {"plans": apart(0.0), "divergences": 3},
            "not converged: 3 divergent steps; run warmup=1000 or another sampler",
        ),
        (
            {"plans": apart(0.02), "divergences": 1},
            "not converged: R-hat .*, 1 divergent step; "
            "run warmup=1000 or draws=5000 or another sampler",
        ),
        (
            {"plans": apart(0.0)[:, :1].repeat(50, axis=1)},
            "not converged: stuck at .*; run warmup=1000 or draws=500 or another sampler",
        ),
        (
            {"plans": apart(0.0)[:, :3]},
            "too few draws to tell: 3 a chain, where R-hat takes 4; run draws=1000",
        ),
        (
            {"plans": apart(0.0), "interrupted": True, "requested_draws": 3000},
            CONVERGED + "; stopped early, after 500 of 3000 draws a chain",
        ),
        (
            {"plans": apart(0.0)[:, :60], "interrupted": True, "requested_draws": 3000},
            "not converged: .*draws=3000; stopped early, after 60 of 3000 draws a chain",
        ),
        ({"plans": apart(0.0, 1, 2000)}, CONVERGED + "; a single chain cannot show other modes"),
    ],
)
def test_verdicts(settings, verdict):
    found = make_draws(SQUARE, **settings).diagnostics
    assert re.fullmatch(verdict, found.verdict), found.verdict
    assert found.converged == found.verdict.startswith("converged")
    assert not any(np.isnan(array).any() for array in (found.rhat, found.ess_bulk, found.mcse))


def test_few_effective_draws_are_named_with_enough_more():
    plans = plans_of(SQUARE, 4, 2000, memory=0.95)
    found = make_draws(SQUARE, plans=plans[:, ::10], requested_draws=200).diagnostics
    if found.max_rhat <= RHAT_THRESHOLD:  # else that comes first
        pattern = r"not converged: only (\d+) effective draws at (\w+) → (\w+); run draws=(\d+)"
        match = re.fullmatch(pattern, found.verdict)
        assert match and int(match[1]) < ESS_THRESHOLD and int(match[4]) in range(400, 2001)
        assert (match[2], match[3]) == found.worst


def test_a_single_plan_has_nothing_to_converge():
    problem = Problem([2, 0], [1, 0, 1])
    draws = make_draws(problem, plans=np.broadcast_to(problem.independent, (2, 1, 2, 3)))
    found = draws.diagnostics
    assert found.verdict == "nothing to converge: the margins leave a single plan"
    assert found.converged and found.worst is None
    assert (found.max_rhat, found.min_ess_bulk, found.min_ess_tail) == (1.0, 2.0, 2.0)


def test_repr_starts_with_the_verdict():
    found = make_draws(seconds=1.25, divergences=2).diagnostics
    shown = repr(found)
    assert shown.startswith(f"Diagnostics({found.verdict}\n  max_rhat=1.0")
    assert "divergences=2" in shown and "seconds=1.25" in shown and "margin_error=" in shown


def test_first_draws_that_are_still_on_their_way_are_found_out():
    """A few draws far off hardly change ranks, so R-hat takes them; the mean does not."""
    rng = np.random.default_rng(0)
    problem = Problem([1, 1], [1, 1])
    x = 1e-8 * rng.exponential(size=(8, 2000))
    x[:, :10] = 0.2 * 0.5 ** np.arange(10)
    plans = np.stack([x, 0.5 - x, 0.5 - x, x], -1).reshape(8, 2000, 2, 2)
    short = Draws(plans=plans, problem=problem, warmup=0).diagnostics
    assert short.max_rhat < 1.01 and not short.converged
    assert "the first draws at 0 → 0 are still on their way; run warmup=500" in short.verdict
    assert Draws(plans=plans[:, 100:], problem=problem, warmup=0).diagnostics.converged
