"""Labels of vectors: where types of data keep them, and which will do.

They are checked once, like everything at the door (`bayesot._validate`).
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import jax
import numpy as np

from bayesot import _validate as validate
from bayesot._validate import Labels
from bayesot.errors import InputError

__all__ = ["Labelled", "as_labels", "read_labelled"]


class Labelled(NamedTuple):
    """A vector as it came, taken apart and unchecked: values, labels, the name of its axis."""

    values: Any
    labels: Iterable[Any] | None
    axis: str | None


def read_labelled(name: str, value: Any) -> Labelled:
    """Take labels off a vector, wherever its type keeps them.

    These are the keys of a mapping, the index of a pandas Series (unless it is the default one),
    and the first column of a two-column frame. The axis is named after the index, the label column
    or else the Series.

    >>> read_labelled("a", {"x": 1, "y": 3})
    Labelled(values=[1, 3], labels=['x', 'y'], axis=None)
    """
    if isinstance(value, Mapping):
        return Labelled(list(value.values()), list(value), None)
    if isinstance(value, (list, tuple, np.ndarray, jax.Array)):
        return Labelled(value, None, None)

    import narwhals.stable.v2 as nw  # here, so that plain arrays do not pay for it

    if validate.is_frame(value) and hasattr(value, "iloc"):
        # pandas, by position: its columns may have any names, even the same
        columns = [value.iloc[:, k] for k in range(value.shape[1])]
        labels, values = _two_columns(name, value, columns)
        return Labelled(values.to_numpy(), list(labels), _axis_name(labels.name))
    native = nw.from_native(value, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        labels, values = _two_columns(name, native, list(native.iter_columns()))
        return Labelled(values.to_numpy(), labels.to_list(), _axis_name(labels.name))
    if isinstance(native, nw.Series):
        index = nw.maybe_get_index(native)  # pandas and its kin only
        axis = _axis_name(getattr(index, "name", None)) or _axis_name(native.name)
        return Labelled(native.to_numpy(), None if validate.is_default(index) else index, axis)
    return Labelled(value, None, None)


def _two_columns(name: str, frame: Any, columns: list[Any]) -> list[Any]:
    """Return the columns of a frame if they are one of labels and one of masses."""
    if len(columns) != 2 or not validate.is_default(getattr(frame, "index", None)):
        raise InputError(
            f"`{name}` must be a Series, or a frame with two columns (label, mass) and no index of "
            f"its own, got the columns {list(frame.columns)}. Select them, "
            "`frame[['label', 'mass']]`, or the masses alone, `frame['mass']`."
        )
    return columns


def as_labels(name: str, labels: Any) -> Labels:
    """Read labels as a tuple of distinct hashables, NumPy scalars turned into Python's own.

    >>> as_labels("row_labels", np.array(["x", "y"]))
    ('x', 'y')
    """
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise InputError(
            f"`{name}` must be a sequence of labels, got {validate.described(labels)}. "
            "Pass a list with one label per entry."
        )
    found: dict[Hashable, int] = {}
    for position, item in enumerate(labels):
        label = item.item() if isinstance(item, np.generic) and item.dtype.kind in "biufU" else item
        if not _is_usable(label):
            raise InputError(
                f"`{name}` must be hashable and not missing, got {label!r} at entry {position}. "
                "Use strings, numbers or tuples of them."
            )
        if label in found:
            raise InputError(
                f"`{name}` must be distinct, got {label!r} at entries {found[label]} and "
                f"{position}. Sum the entries that share a label (`groupby`), or rename one."
            )
        found[label] = position
    return tuple(found)


def _is_usable(label: Any) -> bool:
    try:
        hash(label)
        return label is not None and bool(label == label)  # NaN and NaT differ from themselves
    except (TypeError, ValueError):  # unhashable, or without a truth value like pandas.NA
        return False


def _axis_name(name: Any) -> str | None:
    """What a column is called; a number is no name, but what pandas calls one that has none."""
    return None if name is None or name == "" or isinstance(name, numbers.Integral) else str(name)
