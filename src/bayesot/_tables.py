"""Tables with labels: data frames, whose rows and columns may come in any order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from bayesot import _validate as validate
from bayesot._labels import as_labels
from bayesot._validate import Labels
from bayesot.errors import InputError

__all__ = ["NO_LABELS", "TableLabels", "arranged", "in_order", "order_for", "read_tables"]

AxisLabels = Labels | range | None
"""A range where a frame only counts its rows or columns; None where there is no frame."""


class TableLabels(NamedTuple):
    """Labels that came with a table."""

    rows: AxisLabels
    columns: AxisLabels


NO_LABELS = TableLabels(None, None)


def read_tables(name: str, value: Any) -> tuple[Any, TableLabels]:
    """Take the labels off a frame, or off a list of frames with the same labels.

    >>> read_tables("costs", [[1.0, 2.0]])
    ([[1.0, 2.0]], TableLabels(rows=None, columns=None))
    """
    if _is_table(value):
        return _numbers(value), _labels(name, value)
    if not isinstance(value, (list, tuple)) or not any(map(_is_table, value)):
        return value, NO_LABELS
    for position, table in enumerate(value):
        if not _is_table(table):
            raise InputError(
                f"`{name}` must be tables throughout or arrays throughout, got a table and, in "
                f"number {position}, a {type(table).__name__}. Convert with `.to_numpy()`."
            )
    first = _labels(name, value[0])
    for position, table in enumerate(value):
        if _labels(name, table) != first:
            raise InputError(
                f"`{name}` must be tables with the same rows and columns in the same order, got "
                f"another order or other labels in number {position}. "
                "Bring them in one order: `table.loc[rows, columns]`."
            )
    return np.stack([_numbers(table) for table in value]), first


def order_for(name: str, side: str, came: AxisLabels, wanted: Labels) -> np.ndarray | None:
    """Positions that bring labels into the problem's order; None if they are in it, or unknown.

    >>> order_for("costs", "row", ("y", "x"), ("x", "y"))
    array([1, 0])
    """
    if came is None or (labels := tuple(came)) == wanted:
        return None
    if set(labels) == set(wanted):
        return np.array([labels.index(label) for label in wanted])
    if isinstance(came, range) or wanted == tuple(range(len(wanted))):  # one side has no labels
        return None
    raise InputError(
        f"`{name}` must have the problem's {side} labels, {_some(wanted)}, got {_some(came)}. "
        f"Rename them, or pass `{name}.to_numpy()` if its order is the problem's."
    )


def in_order(name: str, value: Any, rows: Labels, columns: Labels) -> Any:
    """Bring a labelled table, or a list of them, in the order of a problem's labels."""
    value, came = read_tables(name, value)
    if came is NO_LABELS or value.shape[-2:] != (len(rows), len(columns)):
        return value
    return arranged(name, value, came, rows, columns)


def arranged(name: str, array: Any, came: TableLabels, rows: Labels, columns: Labels) -> Any:
    """Bring an array (…, n, m) whose rows and columns are labelled in the order of a problem's.

    Where nothing has to move, the array itself comes back.
    """
    for axis, side, labels, wanted in (
        (-2, "row", came.rows, rows),
        (-1, "column", came.columns, columns),
    ):
        order = order_for(name, side, labels, wanted)
        array = array if order is None else np.take(array, order, axis=axis)
    return array


def _is_table(value: Any) -> bool:
    return validate.is_frame(value) or _is_labelled_array(value)


def _is_labelled_array(value: Any) -> bool:
    """Whether it is one of xarray's, of two or more dimensions."""
    return all(hasattr(value, name) for name in ("dims", "coords", "to_numpy")) and value.ndim > 1


def _numbers(table: Any) -> np.ndarray:
    return np.asarray(table.to_numpy())


def _labels(name: str, table: Any) -> TableLabels:
    if _is_labelled_array(table):
        sides = (table.coords.get(dim) for dim in table.dims[-2:])
        return TableLabels(*(_checked(name, s if s is None else s.to_numpy()) for s in sides))
    rows, columns = _checked(name, getattr(table, "index", None)), table.columns
    unnamed = [f"column_{k}" for k in range(len(columns))]  # what polars calls them unasked
    if isinstance(columns, list) and columns == unnamed:
        return TableLabels(rows, range(len(columns)))
    return TableLabels(rows, _checked(name, columns))


def _checked(name: str, axis: Any) -> AxisLabels:
    if axis is None:
        return None
    return range(len(axis)) if validate.is_default(axis) else as_labels(name, axis)


def _some(labels: Iterable[Any]) -> str:
    labels = list(labels)
    shown = ", ".join(repr(label) for label in labels[:4])
    return shown + (", …" if len(labels) > 4 else "")
