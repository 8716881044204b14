"""Checks at the door: turn what a user passed into a clean array, or say what is wrong.

Every message names the argument in backticks, what was expected, what came (with the first
offending entry) and a remedy. The functions return what they checked, so they chain:

>>> nonnegative("scale", as_float_array("scale", [1, 2.5], ndim=1))
array([1. , 2.5])
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from numpy.typing import NDArray

from bayesot.errors import InputError

FloatArray = NDArray[np.float64]
"""A float64 NumPy array."""

Labels = tuple[Hashable, ...]
"""One distinct, hashable label per entry of a vector."""


def entry(name: str, index: Sequence[int], labels: Labels | None = None) -> str:
    """Name one entry of an argument for a message, by its label where a vector has labels.

    >>> entry("costs", (0, 2)), entry("a", (1,), ("x", "y"))
    ('`costs[0, 2]`', "`a['y']` (entry 1)")
    """
    if not index:
        return f"`{name}`"
    if labels is not None and len(index) == 1 and index[0] < len(labels):
        return f"`{name}[{labels[index[0]]!r}]` (entry {index[0]})"
    return f"`{name}[{', '.join(map(str, index))}]`"


def as_float_array(
    name: str,
    value: Any,
    *,
    ndim: int | tuple[int, ...] | None = None,
    shape: tuple[int, ...] | None = None,
    labels: Labels | None = None,
) -> FloatArray:
    """Read numbers as a float64 NumPy array, with every entry finite.

    Parameters
    ----------
    name
        What the user knows the argument as.
    value
        Lists, NumPy or JAX arrays, pandas or polars columns, anything with ``__array__``.
        Only a read-only float64 array passes through without a copy.
    ndim
        The number of axes it must have; several are allowed as a tuple.
    shape
        The shape it must have.
    labels
        Labels of a vector's entries, for the message.

    Raises
    ------
    InputError
        For anything non-numeric (booleans too), complex, NaN, infinite, empty or of another shape.

    Examples
    --------
    >>> as_float_array("a", [1, 2], ndim=1)
    array([1., 2.])

    """
    array = read_numbers(name, value, labels)
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if allowed is not None and array.ndim not in allowed:
        wanted = " or ".join(f"{axes}-D" for axes in allowed)
        raise InputError(
            f"`{name}` must be {wanted}, got {_describe(array)}. "
            "Reshape it (`numpy.ravel` flattens) or check that the right array was passed."
        )
    if shape is not None and array.shape != shape:
        raise InputError(
            f"`{name}` must have shape {shape}, got {_describe(array)}. "
            "Check the order of its axes and that nothing was dropped."
        )
    if array.size == 0:
        raise InputError(f"`{name}` must not be empty, got {_describe(array)}. Pass some numbers.")
    try:
        with np.errstate(over="ignore"):  # what overflows is refused just below
            # A copy, unless nobody can write to it: records must not change behind their backs.
            array = array.astype(np.float64, copy=array.flags.writeable)
    except OverflowError as error:
        raise InputError(
            f"`{name}` must fit in float64, got a larger number. Use larger units."
        ) from error
    remedy = "Fill or drop missing values, and replace an infinity by a large number."
    return all_hold(name, array, np.isfinite(array), "must be finite", remedy, labels)


def broadcastable(name: str, value: Any, shape: tuple[int, ...]) -> FloatArray:
    """Read numbers that broadcast to ``shape``; they come back in their own, smaller shape.

    >>> broadcastable("scale", 2, (3, 4)).shape
    ()
    """
    array = as_float_array(name, value)
    try:
        fits = np.broadcast_shapes(array.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise InputError(
            f"`{name}` must broadcast to shape {shape}, got {_describe(array)}. "
            "Pass one number, one per column, one per row (`x[:, None]`), or the full array."
        )
    return array


def all_hold(
    name: str,
    array: FloatArray,
    holds: NDArray[np.bool_],
    rule: str,
    remedy: str,
    labels: Labels | None = None,
) -> FloatArray:
    """Return ``array`` if ``holds`` is true throughout, or name the first entry that breaks it."""
    if not np.all(holds):
        index = tuple(np.argwhere(~holds)[0].tolist())
        where = entry(name, index, labels)
        raise InputError(f"`{name}` {rule}, got {array[index]:g} at {where}. {remedy}")
    return array


def positive(name: str, array: FloatArray, labels: Labels | None = None) -> FloatArray:
    """Return ``array`` if every entry is above zero."""
    return all_hold(
        name, array, array > 0, "must be above zero", "Pass a number such as 1.0.", labels
    )


def nonnegative(name: str, array: FloatArray, labels: Labels | None = None) -> FloatArray:
    """Return ``array`` if no entry is below zero."""
    return all_hold(name, array, array >= 0, "must not be negative", "Pass zero or more.", labels)


def as_number(name: str, value: Any) -> float:
    """Read one finite number as a ``float``."""
    return float(as_float_array(name, value, ndim=0))


def as_count(name: str, value: Any, *, minimum: int = 1) -> int:
    """Read a whole number that is at least ``minimum``.

    >>> as_count("draws", np.int32(10))
    10
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < minimum:
        raise InputError(
            f"`{name}` must be a whole number, at least {minimum}, got {value!r}. "
            f"Pass an integer such as `{name}={max(minimum, 1)}`."
        )
    return int(value)


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

    native = nw.from_native(value, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        if len(native.columns) != 2:
            raise InputError(
                f"`{name}` must be a Series, or a frame with two columns (label, mass), got the "
                f"columns {native.columns}. Select them: `frame[['label', 'mass']]`."
            )
        labels, values = (native[column] for column in native.columns)
        return Labelled(values.to_numpy(), labels.to_list(), _axis_name(labels.name))
    if isinstance(native, nw.Series):
        index = nw.maybe_get_index(native)  # pandas and its kin only
        axis = _axis_name(getattr(index, "name", None)) or _axis_name(native.name)
        return Labelled(native.to_numpy(), None if _is_default(index) else index, axis)
    return Labelled(value, None, None)


def as_labels(name: str, labels: Any) -> Labels:
    """Read labels as a tuple of distinct hashables, NumPy scalars turned into Python's own.

    >>> as_labels("row_labels", np.array(["x", "y"]))
    ('x', 'y')
    """
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise InputError(
            f"`{name}` must be a sequence of labels, got {_describe(labels)}. "
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


def read_numbers(name: str, value: Any, labels: Labels | None = None) -> np.ndarray:
    """Read real numbers as a NumPy array in their own dtype; shape and finiteness are unchecked."""
    if isinstance(value, Tracer):
        raise InputError(
            f"`{name}` must be known numbers, got a traced JAX value. "
            "Build this object outside `jax.jit`, `jax.vmap` and `jax.grad`."
        )
    if isinstance(value, np.ma.MaskedArray):
        raise InputError(
            f"`{name}` must not be a masked array. "
            f"Fill it (`{name}.filled(0)`) or drop the masked entries."
        )
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:  # ragged lists, tensors on a device, …
        raise InputError(
            f"`{name}` must be real numbers, got {_describe(value)} that NumPy cannot read: "
            f"{str(error).rstrip('.')}. Pass a list or an array whose rows have equal lengths."
        ) from error
    if isinstance(value, (list, tuple)) and {bool, np.bool_} & set(map(type, value)):
        array = np.fromiter(value, dtype=object)  # NumPy has made numbers of these booleans
    if array.dtype == object:  # it may hold honest numbers: Decimal, Fraction, large integers
        for index, item in np.ndenumerate(array):
            if isinstance(item, (bool, np.bool_)) or not isinstance(item, (numbers.Real, Decimal)):
                raise InputError(
                    f"`{name}` must be real numbers, got {_describe(item)} at "
                    f"{entry(name, index, labels)}. Convert it, or fill or drop what is missing."
                )
    elif array.dtype.kind not in "iuf" and not jnp.issubdtype(array.dtype, np.floating):  # bfloat16
        raise InputError(
            f"`{name}` must be real numbers, got {_describe(array)} of dtype {array.dtype}. "
            "Convert it on purpose, for instance with `numpy.asarray(x, dtype=float)`."
        )
    return array


def _is_default(index: Any) -> bool:
    """Whether a pandas index (or the lack of one) only counts the entries."""
    return index is None or (
        type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    )


def _is_usable(label: Any) -> bool:
    try:
        hash(label)
        return label is not None and bool(label == label)  # NaN and NaT differ from themselves
    except (TypeError, ValueError):  # unhashable, or without a truth value like pandas.NA
        return False


def _axis_name(name: Any) -> str | None:
    return None if name is None or name == "" else str(name)


def _describe(value: Any) -> str:
    if isinstance(value, (np.ndarray, jax.Array)) and value.ndim:
        return f"an array of shape {value.shape}"
    value = value.item() if isinstance(value, np.ndarray) else value
    return f"{' '.join(repr(value).split())[:60]} ({type(value).__name__})"
