"""Labelled tables are brought in the problem's order, or refused; labels are never ignored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

import bayesot as bo
from bayesot._tables import in_order, read_tables
from bayesot.errors import InputError

COSTS = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])


def costs_of(problem: bo.Problem, table: Any) -> np.ndarray:
    likelihood = bo.Posterior(problem, likelihood=bo.likelihoods.ForAll(table)).likelihood
    assert isinstance(likelihood, bo.likelihoods.ForAll)
    return likelihood.costs


def labelled(rows: Any, columns: Any) -> bo.Problem:
    return bo.Problem([1, 1], [1, 1, 1], normalise=True, row_labels=rows, column_labels=columns)


def frame(rows: Any, columns: Any) -> pd.DataFrame:
    return pd.DataFrame(COSTS, index=rows, columns=columns)


@pytest.mark.parametrize(
    ("wanted", "came"),
    [
        ((("x", "y"), ("u", "v", "w")), (("y", "x"), ("w", "u", "v"))),
        (((0, 1), (2, 0, 1)), ((1, 0), (0, 1, 2))),  # counts, which are labels all the same
        (((7, 8), (2, 0, 1)), ((8, 7), (1, 2, 0))),
        ((("x", "y"), (2, 0, 1)), (("x", "y"), None)),  # counted by pandas
    ],
    ids=str,
)
def test_frames_come_in_any_order(wanted, came):
    table = frame(*came)
    expected = table.loc[list(wanted[0]), list(wanted[1])].to_numpy()
    problem = labelled(*wanted)
    assert np.array_equal(costs_of(problem, table)[0], expected)
    assert np.array_equal(costs_of(problem, [table, table]), [expected, expected])
    plans = np.broadcast_to(problem.independent, (1, 4, 2, 3))
    draws = bo.Draws(plans=plans, problem=problem)
    assert np.array_equal(draws.cost(table), draws.cost(expected))
    posterior = bo.Posterior(problem, bo.priors.Normal(expected, 1.0))
    assert posterior.log_density(table) == posterior.log_density(expected)


@pytest.mark.parametrize(
    ("wanted", "came"),
    [
        ((("x", "y"), ("u", "v", "w")), ("yz", "uvw")),
        (((1, 2), ("u", "v", "w")), ([0, 1], "uvw")),
        ((("x", "y"), (1, 2, 4)), ("xy", [0, 1, 2])),
    ],
    ids=str,
)
def test_labels_that_do_not_belong_are_refused(wanted, came):
    table = frame(list(came[0]), list(came[1]))
    with pytest.raises(InputError, match="`costs` must have the problem's (row|column) labels"):
        costs_of(labelled(*wanted), table)


def test_where_one_side_has_no_labels_the_order_counts():
    plain = bo.Problem([1, 1], [1, 1, 1], normalise=True)
    assert np.array_equal(costs_of(plain, frame(["y", "x"], ["w", "u", "v"]))[0], COSTS)
    named = labelled(["x", "y"], ["u", "v", "w"])
    assert np.array_equal(costs_of(named, pd.DataFrame(COSTS))[0], COSTS)
    assert np.array_equal(costs_of(named, pl.DataFrame(COSTS))[0], COSTS)


def test_columns_of_polars_have_labels():
    problem = labelled(["x", "y"], ["u", "v", "w"])
    table = pl.DataFrame(COSTS, schema=["w", "u", "v"])
    assert np.array_equal(costs_of(problem, table)[0], COSTS[:, [1, 2, 0]])
    with pytest.raises(InputError, match="column labels, 'u', 'v', 'w', got 'a'"):
        costs_of(problem, pl.DataFrame(COSTS, schema=["a", "u", "v"]))


def test_arrays_of_xarray_have_labels():
    problem = labelled(["x", "y"], ["u", "v", "w"])
    coords = {"day": [1], "from": ["y", "x"], "to": ["u", "v", "w"]}
    array = xr.DataArray(COSTS[None], coords=coords, dims=list(coords))
    assert np.array_equal(costs_of(problem, array)[0], COSTS[::-1])


def test_tables_and_arrays_do_not_mix():
    with pytest.raises(InputError, match="tables throughout.* in number 1, a ndarray"):
        bo.likelihoods.ForAll([frame(list("xy"), list("uvw")), COSTS])
    with pytest.raises(InputError, match="another order or other labels in number 1"):
        bo.likelihoods.ForAll([frame(list("xy"), list("uvw")), frame(list("yx"), list("uvw"))])


def test_where_labels_would_not_be_looked_at_tables_are_refused():
    with pytest.raises(InputError, match="`concentration` must be an array, got a table"):
        bo.priors.Dirichlet(frame(list("xy"), list("uvw")))
    assert bo.priors.Dirichlet(pd.DataFrame(COSTS + 1)).concentration.shape == (2, 3)


def test_arrays_pass_as_they_are():
    assert read_tables("C", COSTS)[0] is COSTS
    assert in_order("C", COSTS, ("x", "y"), ("u", "v", "w")) is COSTS
