"""Questions to draws, and their answers."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.draws.examples import make_draws, plans_of

from bayesot.draws import Draws
from bayesot.errors import InputError
from bayesot.problem import Problem
from bayesot.samplers.base import Composition

COSTS = np.random.default_rng(1).normal(size=(3, 3, 3))
COMPONENTS = np.random.default_rng(2).integers(0, 3, size=(4, 500))


@pytest.fixture(scope="module")
def draws() -> Draws:
    return make_draws(costs=COSTS, components=COMPONENTS)


# Summaries


def test_mean_and_spread_are_those_of_all_draws(draws):
    np.testing.assert_allclose(draws.mean, draws.plans.mean(axis=(0, 1)), rtol=1e-14)
    np.testing.assert_allclose(draws.std, draws.plans.std(axis=(0, 1)), rtol=1e-12, atol=0)
    np.testing.assert_allclose(draws.mean.sum(axis=1), draws.problem.a, rtol=1e-14)
    assert (draws.std[2] == 0).all()
    assert draws.mean is draws.mean and draws.std is draws.std
    assert draws.diagnostics is draws.diagnostics


def test_quantiles(draws):
    expected = np.quantile(draws.plans, [0.0, 0.3, 1.0], axis=(0, 1))
    np.testing.assert_array_equal(draws.quantile([0.0, 0.3, 1.0]), expected)
    np.testing.assert_array_equal(draws.quantile(0.3), expected[1])
    assert draws.quantile([0.5]).shape == (1, 3, 3)


def test_an_interval_leaves_equal_tails(draws):
    lower, upper = interval = draws.interval(0.8)
    np.testing.assert_array_equal(interval.lower, lower)
    np.testing.assert_allclose([lower, upper], draws.quantile([0.1, 0.9]), rtol=1e-12)
    for outside in (draws.plans < lower, draws.plans > upper):
        np.testing.assert_allclose(outside.mean(axis=(0, 1))[:2], 0.1, atol=1e-3)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.tuples(*[st.floats(0, 1)] * 2).map(sorted), st.integers(1, 30))
def test_quantiles_and_intervals_are_ordered(seed, levels, length):
    problem = Problem([0.5, 0.3, 0.0, 0.2], [0.1, 0.9])
    found = Draws(plans=plans_of(problem, 2, length, seed=seed), problem=problem)
    low, high = found.quantile(levels)
    slack = 1e-15
    assert (low <= high + slack).all()
    assert (problem.lower - slack <= low).all() and (high <= problem.upper + slack).all()
    inner, outer = (found.interval(max(level, 1e-6)) for level in levels)
    assert (outer.lower <= inner.lower + slack).all() and (inner.upper <= outer.upper + slack).all()
    assert (inner.lower <= inner.upper).all()


# Probabilities

EVENTS: list[Any] = [
    lambda plan: plan[..., 0, 1] > 0.1,  # of all draws at once
    lambda plan: plan[:, :, 0, 1] > 0.1,  # of nothing else than all draws
    lambda plan: jnp.asarray(plan)[..., 0, 1] > 0.1,
    lambda plan: plan[0, 1] > 0.1,  # of one plan
    lambda plan: bool(plan[0, 1] > 0.1),
    lambda plan: True if plan[0, 1] > 0.1 else False,  # noqa: SIM210
]


@pytest.mark.parametrize("event", EVENTS)
def test_the_probability_of_an_event_is_how_often_it_happens(draws, event):
    expected = np.mean(draws.plans[:, :, 0, 1] > 0.1)
    assert 0.05 < expected < 0.95
    found = draws.probability(event)
    assert found == expected and type(found) is float


@pytest.mark.parametrize("event", EVENTS)
def test_as_many_chains_and_draws_as_rows_and_columns_do_not_confuse(event):
    problem = Problem(np.ones(4), np.ones(6), normalise=True)
    found = Draws(plans=plans_of(problem, 4, 6) * 4, problem=problem)
    assert found.probability(event) == np.mean(found.plans[:, :, 0, 1] > 0.1)


@pytest.mark.parametrize(("chains", "length"), [(4, 2), (4, 3), (4, 12), (4, 18), (2, 6)])
def test_parts_of_the_draws_do_not_confuse_either(chains, length):
    problem = Problem(np.ones(4), np.ones(6), normalise=True)
    found = Draws(plans=plans_of(problem, chains, length) * 4, problem=problem)
    expected = np.mean(found.plans[:, :, 0, 0] > 0.15)
    assert found.probability(lambda plan: plan[0, 0] > 0.15) == expected


def test_numbers_that_are_labels_are_never_positions():
    problem = Problem([1, 1], [1, 1], row_labels=[1, 2], column_labels=[1, 2])
    found = Draws(plans=plans_of(problem, 2, 6), problem=problem)
    assert found.probability((1, 2), 0.1) == np.mean(found.plans[:, :, 0, 1] > 0.1)
    for cell in ((0, 1), (True, 1), ("1", 1)):
        with pytest.raises(InputError, match="`event` must name a cell"):
            found.probability(cell, 0.1)


def test_labels_may_be_of_numpy(draws):
    label, other = draws.problem.row_labels[0], draws.problem.column_labels[1]
    wanted = draws.probability((label, other), 0.1)
    assert draws.probability((np.array([label])[0], np.array([other])[0]), 0.1) == wanted


def test_copies_are_read_only_too(draws):
    for again in (pickle.loads(pickle.dumps(draws)), copy.deepcopy(draws)):
        assert np.array_equal(again.plans, draws.plans)
        assert not again.plans.flags.writeable


def test_the_event_of_a_single_draw():
    problem = Problem([0.5, 0.5], [0.5, 0.5])
    found = Draws(plans=plans_of(problem, 1, 1), problem=problem)
    assert found.probability(lambda plan: plan[0, 0] >= 0) == 1.0
    assert found.probability(lambda plan: plan.sum(axis=(-1, -2)) > 2) == 0.0


@pytest.mark.parametrize("cell", [("North", "Port"), (0, 1), ["North", 1], (np.int64(0), "Port")])
def test_a_cell_goes_by_labels_or_else_by_position(draws, cell):
    assert draws.probability(cell, 0.1) == np.mean(draws.plans[:, :, 0, 1] > 0.1)


def test_labels_come_before_positions():
    problem = Problem([0.2, 0.8], [0.5, 0.5], row_labels=[1, 0], column_labels=[(0, "x"), 7])
    found = make_draws(problem, plans=plans_of(problem))
    assert found.probability((1, (0, "x")), 0.1) == np.mean(found.plans[:, :, 0, 0] > 0.1)
    assert found.probability((1, 0), 0.1) == np.mean(found.plans[:, :, 0, 0] > 0.1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((lambda plan: plan, None), r"`event` must return one boolean per plan, got float64 of"),
        ((lambda plan: plan[..., 0, 0], None), "one boolean per plan, got float64 of shape"),
        ((lambda plan: plan[0] > 0, None), r"one boolean per plan, got bool of shape \(3,\)"),
        ((lambda plan: True, 0.5), "`threshold` goes with a cell"),
        ((("North", "Port"), None), "`threshold` is missing"),
        ((("North", "Port"), "high"), "`threshold` must be real numbers"),
        (("NP", 0.5), r"`event` must be a function of plans or a \(row, column\) pair, got 'NP'"),
        ((("North",), 0.5), "must be a function of plans or a"),
        ((("Nort", "Port"), 0.5), "name a cell, got the row 'Nort'.* as 'North', or .* below 3"),
        ((("North", 3), 0.5), "name a cell, got the column 3"),
        ((("North", -1), 0.5), "name a cell, got the column -1"),
        ((([], "Port"), 0.5), r"name a cell, got the row \[\]"),
    ],
)
def test_odd_events_are_refused(draws, arguments, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        draws.probability(*arguments)


def test_an_error_in_an_event_is_the_users():
    with pytest.raises(ZeroDivisionError):
        make_draws().probability(lambda plan: 1 / 0)


# Costs


def test_costs_of_the_joint_law(draws):
    found = draws.cost()
    expected = np.einsum("cdij,cdij->cd", draws.plans, COSTS[COMPONENTS])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_costs_under_given_matrices(draws):
    everything = draws.cost(COSTS)
    np.testing.assert_allclose(everything, np.einsum("cdij,kij->cdk", draws.plans, COSTS))
    np.testing.assert_allclose(draws.cost(COSTS[1].tolist()), everything[..., 1])


def test_costs_that_cannot_be(draws):
    with pytest.raises(InputError, match=r"`C` must be given, .*no costs.*\(3, 3\)"):
        make_draws().cost()
    with pytest.raises(InputError, match=r"`C` must have shape \(3, 3\), got .*\(3, 2\)"):
        draws.cost(np.zeros((3, 2)))
    with pytest.raises(InputError, match="`C` must be 2-D or 3-D"):
        draws.cost(1.0)
    with pytest.raises(InputError, match="`C` must be finite"):
        draws.cost(np.full((3, 3), np.nan))


# A value


def test_nothing_can_be_changed(draws):
    for array in (draws.plans, draws.costs, draws.components, draws.mean, draws.std):
        assert not array.flags.writeable
    assert not draws.diagnostics.rhat.flags.writeable
    with pytest.raises(AttributeError):
        draws.seed = 1
    assert COSTS.flags.writeable  # what was passed is left alone


def test_plans_come_out_in_double_precision():
    problem = Problem([0.5, 0.5], [1.0])
    plans: Any = np.full((1, 2, 2, 1), 0.5, np.float32)
    found = Draws(plans=plans, problem=problem)
    assert found.plans.dtype == np.float64 and found.chains == 1 and found.requested_draws == 2


def test_repr():
    found = make_draws(seconds=0.4321, reason="every factor of the prior is a sum over cells")
    assert repr(found) == (
        "Draws(4 chains × 500 draws of 3×3 plans, Swap(), 0.43 s)\n"
        f"  {found.diagnostics.verdict}\n"
        "  sampler: every factor of the prior is a sum over cells"
    )
    one = make_draws(plans=found.plans[:1, :1], sampler="")
    assert repr(one).startswith("Draws(1 chain × 1 draw of 3×3 plans, 0 s)\n  too few draws")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"plans": np.zeros((2, 3, 2, 3))}, r"shape \(chain, draw, 3, 3\).* got \(2, 3, 2, 3\)"),
        ({"plans": np.zeros((3, 3))}, r"`plans` must have shape .* got \(3, 3\)"),
        ({"plans": np.zeros((2, 0, 3, 3))}, r"`plans` must have shape .* got \(2, 0, 3, 3\)"),
        ({"costs": COSTS}, "`costs` and `components` must be given together"),
        ({"costs": COSTS[:, :2], "components": COMPONENTS}, r"`costs` must have shape \(3, 3, 3\)"),
        ({"costs": COSTS, "components": COMPONENTS[:2]}, r"`components` .*shape \(4, 500\).*below"),
        ({"costs": COSTS, "components": COMPONENTS + 1}, "at least 0 and below 3"),
        ({"composition": Composition(np.ones((2, 3)), np.ones((3, 3)))}, "`composition.rhat` must"),
        ({"chains": 5}, "`chains` must be as in `plans`, 4, got 5"),
    ],
)
def test_parts_that_do_not_fit_are_refused(settings, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        make_draws(**settings)


@pytest.mark.parametrize("q", [-0.1, 95, [0.5, 1.5], [[0.5]], [], "median"])
def test_odd_quantiles_are_refused(draws, q):
    with pytest.raises(InputError, match="`q` must"):
        draws.quantile(q)


@pytest.mark.parametrize("level", [0, 90, -1, float("nan"), "all"])
def test_odd_levels_are_refused(draws, level):
    for function in (draws.interval, draws.summary):
        with pytest.raises(InputError, match="`level` must"):
            function(level)
