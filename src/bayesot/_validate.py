"""Checks at the door: turn what a user passed into a clean array, or say what is wrong.

Every message names the argument in backticks, what was expected, what came (with the first
offending entry) and a remedy. The functions return what they checked, so they chain:

>>> nonnegative("scale", as_float_array("scale", [1, 2.5], ndim=1))
array([1. , 2.5])
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Sequence
from decimal import Decimal
from typing import Any

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
    if allowed == (0,) and array.ndim:
        raise InputError(f"`{name}` must be one number, got {described(array)}. Pass one of them.")
    if allowed is not None and array.ndim not in allowed:
        wanted = " or ".join(f"{axes}-D" for axes in allowed)
        raise InputError(
            f"`{name}` must be {wanted}, got {described(array)}. "
            "Reshape it (`numpy.ravel` flattens) or check that the right array was passed."
        )
    if shape is not None and array.shape != shape:
        raise InputError(
            f"`{name}` must have shape {shape}, got {described(array)}. "
            "Check the order of its axes and that nothing was dropped."
        )
    if array.size == 0:
        raise InputError(f"`{name}` must not be empty, got {described(array)}. Pass some numbers.")
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
            f"`{name}` must broadcast to shape {shape}, got {described(array)}. "
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


def as_flag(name: str, value: Any) -> bool:
    """Read True or False, and nothing that Python merely takes for one of them."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"`{name}` must be True or False, got {value!r}. Pass one of them.")
    return bool(value)


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


def read_numbers(name: str, value: Any, labels: Labels | None = None) -> np.ndarray:
    """Read real numbers as a NumPy array in their own dtype; shape and finiteness are unchecked."""
    if isinstance(value, Tracer):
        raise InputError(
            f"`{name}` must be known numbers, got a traced JAX value. "
            "Build this object outside `jax.jit`, `jax.vmap` and `jax.grad`."
        )
    if is_frame(value) and not (
        is_default(getattr(value, "index", None)) and is_default(value.columns)
    ):
        raise InputError(
            f"`{name}` must be an array, got a table whose labels would not be looked at. "
            f"Bring it in the problem's order and pass `{name}.to_numpy()`."
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
            f"`{name}` must be real numbers, got {described(value)} that NumPy cannot read: "
            f"{str(error).rstrip('.')}. Pass a list or an array whose rows have equal lengths."
        ) from error
    if isinstance(value, (list, tuple)) and {bool, np.bool_} & set(map(type, value)):
        array = np.fromiter(value, dtype=object)  # NumPy has made numbers of these booleans
    if array.dtype == object:  # it may hold honest numbers: Decimal, Fraction, large integers
        for index, item in np.ndenumerate(array):
            if isinstance(item, (bool, np.bool_)) or not isinstance(item, (numbers.Real, Decimal)):
                raise InputError(
                    f"`{name}` must be real numbers, got {described(item)} at "
                    f"{entry(name, index, labels)}. Convert it, or fill or drop what is missing."
                )
    elif array.dtype.kind not in "iuf" and not jnp.issubdtype(array.dtype, np.floating):  # bfloat16
        raise InputError(
            f"`{name}` must be real numbers, got {described(array)} of dtype {array.dtype}. "
            "Convert it on purpose, for instance with `numpy.asarray(x, dtype=float)`."
        )
    return array


def is_frame(value: Any) -> bool:
    """Whether something is a data frame of pandas, polars or their kin."""
    return all(hasattr(value, name) for name in ("to_numpy", "columns", "shape"))


def is_default(index: Any) -> bool:
    """Whether a pandas index (or the lack of one) only counts the entries."""
    return index is None or (
        type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    )


def described(value: Any) -> str:
    """Show what came, for a message: an array by its shape, anything else by its start."""
    if isinstance(value, (np.ndarray, jax.Array)) and value.ndim:
        return f"an array of shape {value.shape}"
    value = value.item() if isinstance(value, np.ndarray) else value
    return f"{' '.join(repr(value).split())[:60]} ({type(value).__name__})"
