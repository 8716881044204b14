"""Draws in other libraries."""

from __future__ import annotations

import builtins
import datetime
import importlib.util
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from tests.draws.examples import make_draws, plans_of

from bayesot.draws import Draws, export
from bayesot.errors import InputError
from bayesot.problem import Problem

COLUMNS = ["source", "target", "mean", "sd", "lower", "upper"]
COLUMNS += ["ess_bulk", "ess_tail", "rhat", "mcse_mean", "determined"]


def labelled(a: Any, b: Any) -> Any:
    problem = Problem(a, b)
    return make_draws(problem, plans=plans_of(problem, 2, 10))


# The table


@pytest.mark.parametrize(("backend", "kind"), [(None, pd), ("pandas", pd), ("polars", pl)])
def test_one_row_per_cell(backend, kind):
    draws = make_draws()
    frame = draws.summary(0.5, backend=backend)
    assert isinstance(frame, kind.DataFrame) and list(frame.columns) == COLUMNS
    assert list(frame["source"]) == [x for x in ("North", "South", "Gone") for _ in range(3)]
    assert list(frame["target"]) == ["Mill", "Port", "Quay"] * 3
    found = draws.diagnostics
    arrays = [draws.mean, draws.std, *draws.interval(0.5)]
    arrays += [found.ess_bulk, found.ess_tail, found.rhat, found.mcse, found.determined]
    for name, array in zip(COLUMNS[2:], arrays, strict=True):
        np.testing.assert_array_equal(frame[name].to_numpy(), array.ravel(), err_msg=name)
    assert list(frame["determined"]) == [False] * 6 + [True] * 3
    assert not np.isnan(frame["mean"].to_numpy()).any()


def test_columns_are_named_as_the_user_named_them():
    a = pd.Series([1, 1], index=pd.Index(["x", "y"], name="depot"))
    b = pl.DataFrame({"shop": ["u", "v"], "demand": [1, 1]})
    assert list(labelled(a, b).summary().columns[:2]) == ["depot", "shop"]
    same = a.rename_axis("shop")
    assert list(labelled(same, b).summary().columns[:2]) == ["source", "target"]
    taken = a.rename_axis("mean")
    assert list(labelled(taken, b).summary().columns[:2]) == ["source", "target"]


@pytest.mark.parametrize(
    ("labels", "column"),
    [
        ([3, 1], [3, 1]),
        ([0.5, 1.5], [0.5, 1.5]),
        ([True, False], [True, False]),
        ([datetime.date(2024, 1, 2), datetime.date(2024, 1, 3)], None),
        (list(pd.date_range("2024-01-01", periods=2)), None),
        ([1, "x"], ["1", "x"]),
        ([2**70, 1], [str(2**70), "1"]),
        ([("x", 1), ("x", 2)], ["('x', 1)", "('x', 2)"]),
        ([frozenset([1]), frozenset([2])], ["frozenset({1})", "frozenset({2})"]),
    ],
)
@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_labels_of_one_plain_type_stay_and_others_become_text(labels, column, backend):
    draws = labelled(dict.fromkeys(labels, 1), [2])
    assert list(draws.summary(backend=backend)["source"]) == (column or labels)
    assert draws.to_arviz().posterior.source.shape == (2,)


def test_without_a_data_frame_library_it_says_what_to_install(monkeypatch):
    present = importlib.util.find_spec
    monkeypatch.setattr(
        export, "find_spec", lambda name: None if name == "pandas" else present(name)
    )
    assert isinstance(make_draws().summary(), pl.DataFrame)
    with pytest.raises(ImportError, match=r"`pip install bayesot\[pandas\]`"):
        make_draws().summary(backend="pandas")
    monkeypatch.setattr(export, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"needs pandas or polars.*\[pandas\]` or .*\[polars\]`"):
        make_draws().summary()
    with pytest.raises(InputError, match='`backend` must be "pandas" or "polars", got \'dask\''):
        make_draws().summary(backend="dask")


# ArviZ


def test_the_tree_has_labels_and_settings():
    costs, components = np.ones((2, 3, 3)), np.zeros((4, 500), int)
    draws = make_draws(costs=costs, components=components, seed=7, interrupted=True)
    tree = draws.to_arviz()
    assert isinstance(tree, xr.DataTree)
    plan = tree.posterior["plan"]
    assert plan.dims == ("chain", "draw", "source", "target")
    np.testing.assert_array_equal(plan, draws.plans)
    np.testing.assert_array_equal(plan.sel(source="South", target="Quay"), draws.plans[:, :, 1, 2])
    np.testing.assert_allclose(tree.posterior["cost"], 1.0)
    assert tree.posterior["component"].dims == ("chain", "draw")
    attributes = tree.posterior.attrs
    assert attributes["sampler"] == "Swap()" and attributes["seed"] == 7
    assert attributes["mass"] == 40 and attributes["interrupted"] == 1
    assert attributes["verdict"] == draws.diagnostics.verdict


def test_arviz_agrees_on_convergence_and_can_store_the_tree(tmp_path):
    from arviz_stats.sampling_diagnostics import rhat

    draws = make_draws()
    tree = draws.to_arviz()
    found = rhat(tree.posterior.to_dataset().sel(source=["North", "South"]))["plan"]
    np.testing.assert_allclose(found, draws.diagnostics.rhat[:2], rtol=1e-10)
    assert "cost" not in tree.posterior
    tree.to_netcdf(tmp_path / "draws.nc", engine="h5netcdf")


def test_without_arviz_it_says_what_to_install(monkeypatch):
    load = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name == "arviz_base":
            raise ModuleNotFoundError(name)
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"`pip install bayesot\[arviz\]`"):
        make_draws().to_arviz()


def test_names_with_a_slash_are_no_names_of_dimensions():
    problem = Problem(pd.Series([1, 1], index=pd.Index(["x", "y"], name="from/to")), [1, 1])
    plans = np.broadcast_to(problem.independent, (2, 4, 2, 2))
    tree = Draws(plans=plans, problem=problem).to_arviz()
    assert tree["posterior"]["plan"].dims == ("chain", "draw", "source", "target")
