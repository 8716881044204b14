"""The transport problem: reading marginals, scaling them, taking zero mass out, and refusing."""

from __future__ import annotations

import copy
import math
import os
import pickle
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesot import problem as problem_module
from bayesot._labels import as_labels
from bayesot._validate import (
    as_count,
    as_float_array,
    as_number,
    broadcastable,
    nonnegative,
    positive,
)
from bayesot.errors import BayesOTError, InputError, MemoryRefused, Unsupported
from bayesot.problem import Problem

quick = settings(deadline=None, max_examples=60)

HALF = [0.5, 0.5]


@st.composite
def marginals(draw: st.DrawFn, zeros: bool = True) -> np.ndarray:
    """Masses over many orders of magnitude, at least one of them positive, some of them zero."""
    mass = st.floats(1e-12, 1e12)
    masses = draw(st.lists(st.just(0.0) | mass if zeros else mass, min_size=0, max_size=8))
    position = draw(st.integers(0, len(masses)))
    return np.array([*masses[:position], draw(mass), *masses[position:]])


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    return Problem(draw(marginals()), draw(marginals()), normalise=True)


# Scaling


@quick
@given(marginals(), marginals())
def test_marginals_sum_to_one_exactly_and_keep_their_proportions(a, b):
    problem = Problem(a, b, normalise=True)
    assert math.fsum(problem.a) == 1.0 and math.fsum(problem.b) == 1.0
    np.testing.assert_allclose(problem.a, a / math.fsum(a), rtol=1e-14, atol=0)
    np.testing.assert_allclose(problem.b, b / math.fsum(b), rtol=1e-14, atol=0)
    assert problem.a.dtype == problem.b.dtype == np.float64
    assert problem.mass == 1.0


@quick
@given(problems())
def test_scaling_twice_changes_nothing(problem):
    assert Problem(problem.a, problem.b) == problem


@quick
@given(marginals(zeros=False), st.floats(1e-300, 1e290))
def test_total_is_remembered_as_mass(a, scale):
    masses = a / a.sum() * scale
    problem = Problem(masses, masses[::-1])
    np.testing.assert_allclose(problem.a * problem.mass, masses, rtol=1e-9)


@quick
@given(marginals(), st.randoms(use_true_random=False))
def test_permuting_the_input_permutes_the_problem(a, random):
    order = list(range(len(a)))
    random.shuffle(order)
    plain, permuted = Problem(a, a), Problem(a[order], a)
    np.testing.assert_allclose(permuted.a, plain.a[order], rtol=1e-14)
    assert permuted.mass == plain.mass
    assert sorted(order[i] for i in permuted.rows) == plain.rows.tolist()


def test_mass_is_one_for_probabilities_and_the_total_otherwise():
    assert Problem([0.1] * 10, HALF).mass == 1.0
    assert Problem([700, 500], [1200]).mass == 1200.0
    assert Problem([700, 500], [3], normalise=True).mass == 1.0
    assert isinstance(Problem(HALF, HALF).mass, float)


@pytest.mark.parametrize("size", [3, 1000, 20_000])
def test_float32_totals_may_differ_by_their_rounding(size):
    masses = np.random.default_rng(size).gamma(1.0, size=size).astype(np.float32)
    problem = Problem(masses / masses.sum(), np.full(4, 0.25))
    assert problem.mass == 1.0
    scaled = Problem(jnp.asarray(masses) * 1e5, [float(masses.astype(float).sum()) * 1e5])
    assert math.fsum(scaled.a) == 1.0
    with pytest.raises(InputError, match="same total mass"):
        Problem((masses / masses.sum()).astype(float) * (1 + 1e-6), np.full(4, 0.25))


@pytest.mark.parametrize("mass", [5e-324, 1e-320, 1e-300, 1e300, 8e307])
def test_extreme_units_are_no_matter(mass):
    problem = Problem([mass, mass], [2 * mass])
    assert problem.a.tolist() == HALF
    assert problem.mass == 2 * mass


def test_inputs_are_copied_and_left_alone():
    a = np.array([1.0, 0.0, 1.0])
    problem = Problem(a, a)
    a[0] = 7
    assert problem.a.tolist() == [0.5, 0.0, 0.5]
    assert a.flags.writeable


# What counts as masses


@pytest.mark.parametrize(
    "masses",
    [
        [1, 3],
        (1.0, 3.0),
        np.array([1, 3], np.uint8),
        np.array([1, 3], np.float16),
        np.array([1, 3], np.longdouble),
        np.array([1.0, 9.0, 3.0, 9.0])[::2],
        jnp.array([1.0, 3.0]),
        jnp.array([1.0, 3.0], jnp.bfloat16),
        [Decimal("1"), Fraction(3)],
        [np.float32(1), 3],
        {"x": 1, "y": 3},
        pd.Series([1, 3]),
        pd.Series([1, 3], dtype="Int64"),
        pd.Series([1, 3], dtype="Float32"),
        pd.Series([1.0, 3.0], dtype=object),
        pl.Series([1, 3]),
        pl.Series([1.0, 3.0], dtype=pl.Float32),
        pd.DataFrame({"label": ["x", "y"], "mass": [1, 3]}),
        pl.DataFrame({"label": ["x", "y"], "mass": [1, 3]}),
    ],
    ids=lambda masses: type(masses).__name__,
)
def test_any_vector_of_numbers_will_do(masses):
    problem = Problem(masses, masses)
    assert problem.a.tolist() == problem.b.tolist() == [0.25, 0.75]
    assert problem.mass == 4.0


# Labels


def test_labels_default_to_counting():
    problem = Problem([1, 1, 1], HALF, normalise=True)
    assert problem.row_labels == (0, 1, 2) and problem.column_labels == (0, 1)
    assert problem.row_name is None and problem.column_name is None


def test_labels_from_pandas():
    day = pd.Timestamp("2020-01-01")
    cities = pd.Index(["Bern", "Zug"], name="city")
    a = pd.Series([1, 3], index=cities, name="people")
    b = pd.Series([2, 2], index=[day, day + pd.Timedelta("1D")], name="day")
    problem = Problem(a, b)
    assert problem.row_labels == ("Bern", "Zug") and problem.row_name == "city"
    assert problem.column_labels == tuple(b.index) and problem.column_name == "day"
    assert problem.column_strings[0].startswith("2020-01-01")


def test_pandas_index_is_dropped_only_where_it_just_counts():
    series = pd.Series([1.0, 0.0, 2.0, 1.0])
    assert Problem(series, series).row_labels == (0, 1, 2, 3)
    assert Problem(series[series > 0], series).row_labels == (0, 2, 3)
    assert Problem(series[2:], [3]).row_labels == (2, 3)
    levels = pd.MultiIndex.from_tuples([("x", 1), ("y", 2)])
    assert Problem(pd.Series(HALF, levels), HALF).row_labels == (("x", 1), ("y", 2))


def test_labels_from_frames_mappings_and_polars():
    frame = pl.DataFrame({"city": ["Bern", "Zug"], "people": [1, 3]})
    problem = Problem(frame, {"x": 2, ("y", 1): 2})
    assert problem.row_labels == ("Bern", "Zug") and problem.row_name == "city"
    assert problem.column_labels == ("x", ("y", 1)) and problem.column_name is None
    assert problem == Problem(pd.DataFrame(frame.to_dict(as_series=False)), {"x": 2, ("y", 1): 2})
    series = Problem(pl.Series("hour", [1, 3]), frame)
    assert series.row_labels == (0, 1) and series.row_name == "hour"


def test_given_labels_come_first():
    a = pd.Series(HALF, index=["p", "p"])  # its own labels could not be used
    problem = Problem(a, HALF, row_labels=np.array(["x", "y"]), column_labels=np.array([7, 8]))
    assert problem.row_labels == ("x", "y") and problem.column_labels == (7, 8)
    assert [type(label) for label in (*problem.row_labels, *problem.column_labels)] == (
        [str, str, int, int]
    )
    assert problem.row_strings == ("x", "y") and problem.column_strings == ("7", "8")


# Zero mass and the polytope


@quick
@given(problems())
def test_support(problem):
    np.testing.assert_array_equal(problem.rows, np.flatnonzero(problem.a))
    np.testing.assert_array_equal(problem.columns, np.flatnonzero(problem.b))
    assert problem.shape == (len(problem.a), len(problem.b))
    assert problem.support_shape == (len(problem.support_a), len(problem.support_b))
    assert problem.support_shape == (len(problem.rows), len(problem.columns))
    assert (problem.support_a > 0).all() and math.fsum(problem.support_a) == 1.0
    assert (problem.support_b > 0).all() and math.fsum(problem.support_b) == 1.0
    n, m = problem.support_shape
    assert problem.dimension == (n - 1) * (m - 1)
    assert problem.is_single_plan == (n == 1 or m == 1)


@quick
@given(problems(), st.sampled_from([(), (2,), (3, 2)]))
def test_embed_and_restrict_undo_each_other(problem, batch):
    shape = (*batch, *problem.support_shape)
    check_round_trip(problem, batch, 1 + np.arange(math.prod(shape)).reshape(shape))


@pytest.mark.parametrize("a", [[1, 0, 1, 0], [1, 1]])
def test_embed_and_restrict_keep_to_jax(a):
    check_round_trip(Problem(a, [1, 1, 0]), (2,), jnp.ones((2, 2, 2), jnp.float32))


def check_round_trip(problem: Problem, batch: tuple[int, ...], plans: Any) -> None:
    full = problem.embed(plans)
    assert isinstance(full, type(plans)) and full.dtype == plans.dtype
    assert full.shape == (*batch, *problem.shape)
    np.testing.assert_array_equal(problem.restrict(full), plans)
    assert np.count_nonzero(full) == plans.size


@quick
@given(problems())
def test_independent_plan_and_bounds(problem):
    plan, lower, upper = problem.independent, problem.lower, problem.upper
    np.testing.assert_allclose(plan.sum(1), problem.a, atol=1e-15)
    np.testing.assert_allclose(plan.sum(0), problem.b, atol=1e-15)
    np.testing.assert_array_equal(plan > 0, upper > 0)
    assert (lower >= 0).all() and (lower <= upper).all()
    assert (lower <= plan + 1e-15).all() and (plan <= upper + 1e-15).all()
    np.testing.assert_array_equal(lower[problem.determined], upper[problem.determined])
    np.testing.assert_allclose(plan[problem.determined], upper[problem.determined], rtol=1e-15)


def test_bounds_are_reached_by_plans():
    problem = Problem([0.7, 0.3], [0.6, 0.4])  # plans: [[x, .7 - x], [.6 - x, x - .3]]
    np.testing.assert_allclose(problem.lower, [[0.3, 0.1], [0.0, 0.0]], atol=1e-15)
    np.testing.assert_allclose(problem.upper, [[0.6, 0.4], [0.3, 0.3]])
    assert not problem.determined.any()


def test_determined_cells():
    problem = Problem([1, 0, 1], [1, 1])
    assert problem.determined.tolist() == [[False, False], [True, True], [False, False]]
    point = Problem([0, 2], [1, 0, 1])
    assert point.is_single_plan and point.determined.all() and point.dimension == 0
    assert point.lower.tolist() == point.upper.tolist() == point.independent.tolist()


def test_embed_and_restrict_say_which_shape_they_want():
    problem = Problem([1, 0, 1], [1, 1])
    with pytest.raises(InputError, match=r"`plans` must have shape \(…, 2, 2\), got \(3, 2\)"):
        problem.embed(np.zeros((3, 2)))
    with pytest.raises(InputError, match=r"`array` must have shape \(…, 3, 2\), got \(2,\)"):
        problem.restrict(np.zeros(2))


# A value: fixed, comparable, printable


def test_nothing_can_be_changed():
    problem = Problem([1, 0, 1], HALF, normalise=True)
    for copied in (problem, copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
        assert copied == problem and hash(copied) == hash(problem)
        assert not any(x.flags.writeable for x in (copied.a, copied.b, copied.rows))
        with pytest.raises(ValueError, match="read-only"):
            copied.a[0] = 1.0
        with pytest.raises(AttributeError):
            copied.a = copied.b  # pyright: ignore[reportAttributeAccessIssue]


def test_equality_looks_at_numbers_and_labels():
    problem = Problem([1, 3], [2, 2])
    assert problem == Problem((1.0, 3.0), pl.Series([2, 2]))
    assert problem != Problem([1, 3], [2, 2], normalise=True)  # another mass
    assert problem != Problem([3, 1], [2, 2])
    assert problem != Problem([1, 3], [2, 2], row_labels=["x", "y"])
    assert problem != "problem"
    assert len({problem, Problem([1, 3], [2, 2])}) == 1


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        ([1, 3], [1, 1, 2], "Problem(2 sources × 3 targets, total mass 4)"),
        (
            [600, 600],
            [1200, 0],
            "Problem(2 sources × 2 targets, total mass 1200, "
            "1 zero-mass target taken out, a single plan)",
        ),
        (
            [0, 1, 1, 0],
            HALF,
            "Problem(4 sources × 2 targets, total mass 1, 2 zero-mass sources taken out)",
        ),
    ],
)
def test_repr(a, b, text):
    assert repr(Problem(a, b, normalise=sum(a) != sum(b))) == text


# A JAX pytree


def test_pytree_round_trip_keeps_float64_numpy():
    problem = Problem(pd.Series([1, 0, 1], ["x", "y", "z"], name="side"), [2])
    leaves, structure = jax.tree.flatten(problem)
    assert [np.shape(leaf) for leaf in leaves] == [(3,), (1,), ()]
    assert all(leaf.dtype == np.float64 for leaf in leaves)
    again = jax.tree.unflatten(structure, leaves)
    assert again == problem and isinstance(again.a, np.ndarray) and not again.a.flags.writeable
    assert jax.tree.map(lambda leaf: leaf, problem) == problem


def test_unflattening_checks_nothing():
    structure = jax.tree.structure(Problem([1, 0, 1], [2]))
    odd = jax.tree.unflatten(structure, [object(), None, "mass"])
    assert odd.shape == (3, 1) and odd.zero_rows == (1,)
    assert repr(odd) == (
        "Problem(3 sources × 1 target, 1 zero-mass source taken out, a single plan)"
    )


def test_jit_compiles_once_for_new_numbers():
    traces = 0

    @jax.jit
    def everything(problem: Problem) -> Any:
        nonlocal traces
        traces += 1
        assert "total mass" not in repr(problem)
        plan = problem.support_a[:, None] * problem.support_b
        bounds = problem.lower, problem.upper, problem.independent
        return bounds, problem.embed(plan), problem.restrict(problem.independent), problem

    for masses in ([1, 0, 3], [2, 0, 5]):
        problem = Problem(masses, [sum(masses) / 2] * 2)
        bounds, plan, support, again = everything(problem)
        expected = problem.lower, problem.upper, problem.independent
        jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, atol=1e-6), bounds, expected)
        np.testing.assert_allclose(plan, problem.independent, atol=1e-6)
        np.testing.assert_allclose(support, problem.restrict(problem.independent), atol=1e-6)
        np.testing.assert_allclose(again.mass, problem.mass)
    assert traces == 1
    everything(Problem([1, 1, 0], HALF, normalise=True))  # zeros elsewhere are another program
    assert traces == 2


def test_nothing_traced_is_kept_between_traces():
    @jax.jit
    def total(problem: Problem) -> jax.Array:
        def body(carry: jax.Array, _: None) -> tuple[jax.Array, None]:
            return carry + problem.support_a.sum(), None

        inner, _ = jax.lax.scan(body, jnp.zeros(()), None, length=3)
        return inner + problem.support_a.sum()

    np.testing.assert_allclose(total(Problem([1, 0, 3], [4])), 4.0)


def test_vmap_over_stacked_problems():
    stacked = jax.tree.map(
        lambda *leaves: np.stack(leaves), Problem([1, 3], [4]), Problem([2, 2], [4])
    )
    np.testing.assert_allclose(jax.vmap(lambda p: p.independent[:, 0])(stacked), stacked.a)
    np.testing.assert_allclose(stacked.independent[..., 0], stacked.a)


# Refusals: every message names the argument, and says what came

REFUSED: list[tuple[Any, str]] = [
    (3, r"`a` must be 1-D, got 3 \(int\)"),
    ("abc", r"`a` must be real numbers, got 'abc' \(str\)"),
    (None, "`a` must be real numbers, got None"),
    ({1, 2}, r"`a` must be real numbers, got \{1, 2\} \(set\)"),
    ([], "`a` must not be empty"),
    ({}, "`a` must not be empty"),
    ([[0.5, 0.5]], r"`a` must be 1-D, got an array of shape \(1, 2\)"),
    ([[1, 2], [3]], "NumPy cannot read"),
    ([0, 0.0], "`a` must have a positive and finite total, got 0 "),
    ([1e308] * 3, "`a` must have a positive and finite total, got inf"),
    ([10**400, 1], "`a` must fit in float64"),
    ([0.5, -0.5, 1], r"`a` must not be negative, got -0.5 at `a\[1\]`"),
    ([1, math.nan], r"`a` must be finite, got nan at `a\[1\]`"),
    ([math.inf, 1], r"`a` must be finite, got inf at `a\[0\]`"),
    ([1, 1e-200], r"at least 1e-150 of the total, 1, got 1e-200 at `a\[1\]`.*Set it to 0"),
    ([1, 1e-320], "at least 1e-150 of the total"),
    ([True, False], r"`a` must be real numbers, got True \(bool\)"),
    ([0.5, np.True_], r"`a` must be real numbers, got .*True.* at `a\[1\]`"),
    (np.array([True]), "of dtype bool"),
    (["1", "2"], "of dtype <U1"),
    ([1j, 1], "of dtype complex128"),
    (np.array([1, 2], "m8[s]"), "of dtype timedelta64"),
    ([0.5, None], r"got None \(NoneType\) at `a\[1\]`"),
    (np.ma.array([1, 2], mask=[False, True]), r"must not be a masked array.*a\.filled"),
    ({"x": 2, "y": -1}, r"`a` must not be negative, got -1 at `a\['y'\]` \(entry 1\)"),
    ({"x": 2, "y": None}, r"got None .* at `a\['y'\]`"),
    (pd.Series([1, None], ["x", "y"]), r"finite, got nan at `a\['y'\]`.*missing"),
    (pd.Series([1, None], ["x", "y"], dtype="Int64"), r"got nan at `a\['y'\]`"),
    (pd.Series(HALF, ["x", "x"]), "`labels of a` must be distinct, got 'x' at entries 0 and 1"),
    (pd.Series(HALF, ["x", None]), "`labels of a` must be hashable and not missing"),
    (pd.Series([True, False]), "of dtype bool"),
    (pd.Series(["u", "v"]), "`a` must be real numbers, got 'u'"),
    (pl.Series([1, None]), r"got nan at `a\[1\]`.*missing"),
    (pl.Series(["u", "v"]), "`a` must be real numbers"),
    (pl.DataFrame({"x": HALF}), r"two columns \(label, mass\).*, got the columns \['x'\]"),
    (pl.DataFrame({"x": ["u", None], "y": HALF}), "not missing, got None at entry 1"),
    (pl.LazyFrame({"x": HALF}), "LazyFrame"),
    ([0.5, 0.6], r"got 1\.1 for `a` and 1 for `b`.*normalise=True.*a / a\.sum\(\)"),
]


@pytest.mark.parametrize(("a", "message"), REFUSED, ids=lambda value: type(value).__name__)
def test_bad_masses_are_refused(a, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        Problem(a, HALF)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"row_labels": ["x"]}, "`row_labels` must have one label per entry of `a`, got 1 for 2"),
        ({"column_labels": [1, 2, 3]}, "`column_labels` must have one label .* got 3 for 2"),
        ({"row_labels": "xy"}, r"`row_labels` must be a sequence of labels, got 'xy' \(str\)"),
        ({"row_labels": 2}, "`row_labels` must be a sequence of labels, got 2"),
        ({"row_labels": [[1], [2]]}, r"`row_labels` must be hashable .* got \[1\] at entry 0"),
        ({"row_labels": ["x", ([],)]}, "`row_labels` must be hashable .* at entry 1"),
        ({"column_labels": ["x", math.nan]}, "not missing, got nan at entry 1"),
        ({"column_labels": pd.array([1, None], dtype="Int64")}, "not missing, got <NA>"),
        ({"column_labels": ["x", "x"]}, "`column_labels` must be distinct, got 'x' at entries 0"),
    ],
)
def test_bad_labels_are_refused(labels, message):
    with pytest.raises(InputError, match=message):
        Problem(HALF, HALF, **labels)


def test_the_second_marginal_is_named_too():
    with pytest.raises(InputError, match=r"`b` must not be negative, got -1 at `b\['x'\]`"):
        Problem([1], [-1, 2], column_labels=["x", "y"])


def test_traced_masses_are_refused_with_the_way_out():
    with pytest.raises(InputError, match=r"`a` must be known numbers.*outside `jax\.jit`"):
        jax.jit(lambda a: Problem(a, HALF).a)(jnp.ones(2))


def test_every_refusal_is_a_value_error():
    for kind in (InputError, Unsupported, MemoryRefused):
        assert issubclass(kind, ValueError) and issubclass(kind, BayesOTError)


# The checks that other modules share


def test_as_float_array_checks_rank_and_shape():
    costs = np.zeros((2, 3, 4), np.float32)
    assert as_float_array("costs", costs, ndim=(2, 3)).dtype == np.float64
    assert as_float_array("costs", costs, shape=(2, 3, 4)).shape == (2, 3, 4)
    with pytest.raises(InputError, match=r"`costs` must be 1-D or 2-D, got an array of shape"):
        as_float_array("costs", costs, ndim=(1, 2))
    with pytest.raises(InputError, match=r"`costs` must have shape \(3, 4\), got .* \(2, 3, 4\)"):
        as_float_array("costs", costs, shape=(3, 4))
    costs[1, 2, 3] = np.nan
    with pytest.raises(InputError, match=r"got nan at `costs\[1, 2, 3\]`"):
        as_float_array("costs", costs)
    same = np.ones(3)
    assert not np.shares_memory(as_float_array("same", same), same)
    same.flags.writeable = False
    assert as_float_array("same", same) is same


def test_broadcastable():
    assert broadcastable("scale", 2, (3, 4)).shape == ()
    assert broadcastable("scale", np.ones((3, 1)), (3, 4)).shape == (3, 1)
    for shape in [(3,), (2, 3, 4), (4, 3)]:
        with pytest.raises(InputError, match=r"`scale` must broadcast to shape \(3, 4\)"):
            broadcastable("scale", np.ones(shape), (3, 4))


def test_signs():
    array = np.array([[1.0, 0.0]])
    assert nonnegative("scale", array) is array
    with pytest.raises(InputError, match=r"`scale` must be above zero, got 0 at `scale\[0, 1\]`"):
        positive("scale", array)


def test_single_numbers():
    assert as_number("sharpness", np.float32(2)) == 2.0
    assert as_count("draws", np.int64(5)) == 5
    with pytest.raises(InputError, match="`sharpness` must be one number"):
        as_number("sharpness", [1.0])
    bad: list[Any] = [0, -1, True, 1.0, "3", None]
    for value in bad:
        with pytest.raises(InputError, match="`draws` must be a whole number, at least 1"):
            as_count("draws", value)


def test_as_labels_keeps_hashables_as_they_are():
    labels = ("x", 1, (2, "y"), None.__class__)
    assert as_labels("row_labels", labels) == labels


def test_importing_loads_no_data_frames():
    source = str(Path(problem_module.__file__).parents[1])
    code = (
        "import sys, bayesot.problem as p; p.Problem([1], [1]); import jax\n"
        "assert not {'pandas', 'polars', 'narwhals'} & set(sys.modules)\n"
        "assert not jax.config.jax_enable_x64"
    )
    environment = {**os.environ, "PYTHONPATH": source}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_a_frame_of_labels_and_masses_may_have_any_names():
    for columns in (["zone", "trips"], [0, 1], ["index", 0], ["same", "same"]):
        table = pd.DataFrame([["x", 1.0], ["y", 3.0]], columns=columns)
        problem = Problem(table, HALF, normalise=True)
        assert problem.row_labels == ("x", "y")
        assert problem.a.tolist() == [0.25, 0.75]
        assert problem.row_name == (columns[0] if isinstance(columns[0], str) else None)


def test_a_frame_with_an_index_and_two_columns_is_refused():
    table = pd.DataFrame({"monday": [1, 3], "tuesday": [2, 2]}, index=["x", "y"])
    with pytest.raises(InputError, match="no index of its own.*the masses alone, `frame"):
        Problem(table, HALF)


@pytest.mark.parametrize("value", ["no", 1, None])
def test_normalise_is_true_or_false(value):
    with pytest.raises(InputError, match="`normalise` must be True or False"):
        Problem(HALF, HALF, normalise=value)
