"""Draws for other libraries: data frames, and ArviZ."""

from __future__ import annotations

from datetime import date
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bayesot._validate import Labels
from bayesot.errors import InputError
from bayesot.problem import Problem

if TYPE_CHECKING:
    from bayesot.draws.draws import Draws

__all__ = ["to_arviz", "to_frame"]

_BACKENDS = ("pandas", "polars")
_STATISTICS = (
    *("mean", "sd", "lower", "upper"),
    *("ess_bulk", "ess_tail", "rhat", "mcse_mean", "determined"),
)
_TAKEN = {*_STATISTICS, "chain", "draw", "plan", "cost", "component"}


def to_frame(draws: Draws, level: float, backend: str | None) -> Any:
    """Make the table that `Draws.summary` documents."""
    interval, found = draws.interval(level), draws.diagnostics
    n, m = draws.problem.shape
    rows, columns = map(_index, (draws.problem.row_labels, draws.problem.column_labels))
    names = _axis_names(draws.problem)
    arrays = (draws.mean, draws.std, *interval)
    arrays += (found.ess_bulk, found.ess_tail, found.rhat, found.mcse, found.determined)
    table = {
        names[0]: [label for label in rows for _ in range(m)],
        names[1]: columns * n,
        **{name: x.ravel() for name, x in zip(_STATISTICS, arrays, strict=True)},
    }
    import narwhals.stable.v2 as nw

    module: Any = _installed(backend)
    return nw.from_dict(table, backend=module).to_native()


def to_arviz(draws: Draws) -> Any:
    """Make the tree that `Draws.to_arviz` documents."""
    try:
        from arviz_base import from_dict
    except ImportError as error:
        raise ImportError(
            "`draws.to_arviz()` needs arviz-base. Install it: `pip install bayesot[arviz]`."
        ) from error

    names = _axis_names(draws.problem)
    variables: dict[str, Any] = {"plan": draws.plans}
    if draws.components is not None:
        variables |= {"cost": draws.cost(), "component": draws.components}
    facts = ("sampler", "reason", "warmup", "thin", "seed", "seconds", "warmup_seconds")
    facts += ("divergences", "requested_draws")
    return from_dict(
        {"posterior": variables},
        dims={"plan": list(names)},
        coords={
            names[0]: _index(draws.problem.row_labels),
            names[1]: _index(draws.problem.column_labels),
        },
        attrs={
            "posterior": {
                "inference_library": "bayesot",
                **{fact: getattr(draws, fact) for fact in facts},
                "interrupted": int(draws.interrupted),  # netCDF has no booleans
                "mass": float(draws.problem.mass),
                "verdict": draws.diagnostics.verdict,
            }
        },
        check_conventions=False,  # it warns of more chains than draws, which is no mistake here
    )


def _axis_names(problem: Problem) -> tuple[str, str]:
    """Name rows and columns as the user did, unless the names clash."""
    names = (problem.row_name or "source", problem.column_name or "target")
    clash = names[0] == names[1] or not _TAKEN.isdisjoint(names)
    clash |= any("/" in name for name in names)  # a path, to a tree
    return ("source", "target") if clash else names


def _index(labels: Labels) -> list[Any]:
    """Labels as a column: as they are if they are of one plain type, else as text."""
    kind = type(labels[0])
    same = all(type(label) is kind for label in labels)
    if same and kind is int:
        same = all(abs(label) < 2**63 for label in labels)  # pyright: ignore[reportArgumentType]
    plain = kind in (str, int, float, bool) or issubclass(kind, date)
    return list(labels) if same and plain else list(map(str, labels))


def _installed(backend: str | None) -> str:
    if backend is not None and backend not in _BACKENDS:
        raise InputError(f'`backend` must be "pandas" or "polars", got {backend!r}.')
    wanted = _BACKENDS if backend is None else (backend,)
    found = [name for name in wanted if find_spec(name) is not None]
    if not found:
        missing = " or ".join(f"`pip install bayesot[{name}]`" for name in wanted)
        raise ImportError(f"`draws.summary()` needs {' or '.join(wanted)}. Install it: {missing}.")
    return found[0]
