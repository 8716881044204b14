"""Cost tables with labels: pandas frames, whose rows and columns may come in any order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from bayesot import _validate as validate
from bayesot._validate import Labels
from bayesot.errors import InputError

__all__ = ["TableLabels", "order_for", "read_tables"]


class TableLabels(NamedTuple):
    """Labels that came with a table; None where there were none."""

    rows: Labels | None
    columns: Labels | None


NO_LABELS = TableLabels(None, None)


def read_tables(name: str, value: Any) -> tuple[Any, TableLabels]:
    """Take the labels off a frame, or off a list of frames with the same labels.

    >>> read_tables("costs", [[1.0, 2.0]])
    ([[1.0, 2.0]], TableLabels(rows=None, columns=None))
    """
    if _is_table(value):
        return value.to_numpy(), _labels(name, value)
    if not isinstance(value, (list, tuple)) or not value or not all(map(_is_table, value)):
        return value, NO_LABELS
    first = _labels(name, value[0])
    for position, table in enumerate(value):
        labels = _labels(name, table)
        if labels != first:
            raise InputError(
                f"`{name}` must be tables with the same rows and columns in the same order, got "
                f"another order or other labels in number {position}. "
                "Bring them in one order: `table.loc[rows, columns]`."
            )
    return np.stack([table.to_numpy() for table in value]), first


def order_for(name: str, side: str, came: Labels | None, wanted: Labels) -> np.ndarray | None:
    """Positions that bring labels into the problem's order; None if they are in it, or unknown."""
    if came is None or came == wanted or wanted == tuple(range(len(wanted))):
        return None
    if set(came) != set(wanted):
        raise InputError(
            f"`{name}` must have the problem's {side} labels, {_some(wanted)}, got {_some(came)}. "
            f"Rename them, or pass `{name}.to_numpy()` if its order is the problem's."
        )
    return np.array([came.index(label) for label in wanted])


def _is_table(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("index", "columns", "to_numpy"))


def _labels(name: str, table: Any) -> TableLabels:
    def of(axis: Iterable[Any]) -> Labels | None:
        labels = tuple(axis)
        return None if labels == tuple(range(len(labels))) else validate.as_labels(name, labels)

    return TableLabels(of(table.index), of(table.columns))


def _some(labels: Labels) -> str:
    shown = ", ".join(repr(label) for label in labels[:4])
    return shown + (", …" if len(labels) > 4 else "")
