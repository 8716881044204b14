"""The transport problem: two marginals, their labels, and what follows from them alone.

They define the polytope of plans ``{G ≥ 0 : G 1 = a, Gᵀ 1 = b}``. They are read, checked and scaled
to sum to one here, once; everything else in the package trusts them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from bayesot import _validate as validate
from bayesot._labels import as_labels, read_labelled
from bayesot._pytree import Record, numpy_of, read_only
from bayesot._validate import FloatArray, Labels
from bayesot.errors import InputError

__all__ = ["Problem"]

Array = TypeVar("Array", np.ndarray, jax.Array)

# Shares of the total above this have products that are normal floats, so the independent plan is
# positive exactly where the marginals are. Far below any mass that can be told from zero.
_SMALLEST_SHARE = 1e-150


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Problem(Record):
    """Two marginals of equal total mass: the margins that every transport plan has to keep.

    Rows and columns of zero mass stay in ``shape`` and in the labels, but all plans are zero there:
    computing is done on the rest (the *support*, n' × m'), and `embed` puts the zeros back.

    Parameters
    ----------
    a, b
        Masses of the n sources (rows) and the m targets (columns): lists, NumPy or JAX arrays,
        pandas or polars Series, mappings from label to mass, or frames with a label and a mass
        column. At least zero and finite. A positive mass below 1e-150 of its total is refused.
    normalise
        Scale each marginal to one by itself. Otherwise their totals have to agree, to 1e-9, or to
        what the precision of narrower floats allows (about 1e-6 √n for float32).
    row_labels, column_labels
        One distinct hashable per source and per target, in place of those that the marginals bring:
        a pandas index that is not the default one, keys, the label column; else 0, 1, 2, …

    Attributes
    ----------
    a, b
        The marginals, of shapes (n,) and (m,): float64, read-only, each summing to one exactly.
    mass
        The total before that; one after ``normalise=True``. Plans in this package sum to one,
        and ``plan * problem.mass`` is in the units of the input.
    row_labels, column_labels
        Tuples of n and m labels, as they came.
    row_name, column_name
        What the index, the label column or the Series was called, or None.
    zero_rows, zero_columns
        Indices of the rows and columns without mass, as tuples.

    Notes
    -----
    A problem is immutable and a JAX pytree. Its numbers (``a, b, mass``) are the leaves; labels,
    names and the place of zeros are static, so a jitted function is compiled anew for those only.

    Examples
    --------
    >>> from bayesot.problem import Problem
    >>> problem = Problem({"x": 30, "y": 10, "z": 0}, [20, 20])
    >>> problem
    Problem(3 sources × 2 targets, total mass 40, 1 zero-mass source taken out)
    >>> problem.a, problem.row_labels
    (array([0.75, 0.25, 0.  ]), ('x', 'y', 'z'))
    >>> problem.support_shape, problem.dimension
    ((2, 2), 1)

    """

    _leaves = 3

    a: FloatArray
    b: FloatArray
    mass: np.float64
    row_labels: Labels
    column_labels: Labels
    row_name: str | None
    column_name: str | None
    zero_rows: tuple[int, ...]
    zero_columns: tuple[int, ...]

    def __init__(
        self,
        a: Any,
        b: Any,
        *,
        normalise: bool = False,
        row_labels: Iterable[Any] | None = None,
        column_labels: Iterable[Any] | None = None,
    ) -> None:
        rows = _Marginal("a", a, "row_labels", row_labels)
        columns = _Marginal("b", b, "column_labels", column_labels)
        normalise = validate.as_flag("normalise", normalise)
        mass = np.float64(1.0 if normalise else _common_total(rows, columns))
        labels, names = (rows.labels, columns.labels), (rows.axis, columns.axis)
        static = (*labels, *names, rows.zeros, columns.zeros)
        self._fill((rows.shares, columns.shares, mass), static)

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, m)``, zero-mass rows and columns included."""
        return len(self.row_labels), len(self.column_labels)

    @property
    def support_shape(self) -> tuple[int, int]:
        """``(n', m')``: how many rows and columns have mass."""
        n, m = self.shape
        return n - len(self.zero_rows), m - len(self.zero_columns)

    @property
    def dimension(self) -> int:
        """Dimension ``(n' - 1)(m' - 1)`` of the polytope of plans."""
        n, m = self.support_shape
        return (n - 1) * (m - 1)

    @property
    def is_single_plan(self) -> bool:
        """Whether one row or column has all the mass, so that `independent` is the only plan."""
        return self.dimension == 0

    # Only what is static may be cached: under a JAX transformation the rest can hold tracers.

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """Indices of the rows with mass, of shape (n',)."""
        return read_only(np.setdiff1d(np.arange(self.shape[0]), self.zero_rows))

    @cached_property
    def columns(self) -> NDArray[np.intp]:
        """Indices of the columns with mass, of shape (m',)."""
        return read_only(np.setdiff1d(np.arange(self.shape[1]), self.zero_columns))

    @property
    def support_a(self) -> FloatArray:
        """The positive row masses, of shape (n',); they sum to one."""
        return self.a[..., self.rows] if self.zero_rows else self.a

    @property
    def support_b(self) -> FloatArray:
        """The positive column masses, of shape (m',); they sum to one."""
        return self.b[..., self.columns] if self.zero_columns else self.b

    @property
    def row_strings(self) -> tuple[str, ...]:
        """Row labels as text, for display."""
        return tuple(map(str, self.row_labels))

    @property
    def column_strings(self) -> tuple[str, ...]:
        """Column labels as text, for display."""
        return tuple(map(str, self.column_labels))

    @property
    def independent(self) -> FloatArray:
        """The plan ``a bᵀ``, of shape (n, m)."""
        return self.a[..., :, None] * self.b[..., None, :]

    @property
    def determined(self) -> NDArray[np.bool_]:
        """Cells with one value in all plans, of shape (n, m): without mass, or all of them."""
        if self.is_single_plan:
            return np.ones(self.shape, dtype=bool)
        return ~self.embed(np.ones(self.support_shape, dtype=bool))

    @property
    def upper(self) -> FloatArray:
        """The largest value of each cell in any plan, ``min(a_i, b_j)``, of shape (n, m)."""
        return numpy_of(self.a).minimum(self.a[..., :, None], self.b[..., None, :])

    @property
    def lower(self) -> FloatArray:
        """The smallest value of each cell, ``max(0, a_i + b_j - 1)``, of shape (n, m)."""
        xp, upper = numpy_of(self.a), self.upper
        lower = xp.clip(self.a[..., :, None] + self.b[..., None, :] - 1.0, 0.0, upper)
        return xp.where(self.determined, upper, lower)  # equal there, which rounding would spoil

    def embed(self, plans: Array) -> Array:
        """Put the zero-mass rows and columns back: (…, n', m') to (…, n, m), exact zeros there.

        Without any, ``plans`` itself comes back. NumPy in, NumPy out; JAX in, JAX out.
        """
        plans = _with_cells("plans", plans, self.support_shape)
        if self.support_shape == self.shape:
            return plans
        shape, cells = (*plans.shape[:-2], *self.shape), np.ix_(self.rows, self.columns)
        if isinstance(plans, jax.Array):
            return jnp.zeros(shape, plans.dtype).at[..., *cells].set(plans)
        full = np.zeros(shape, plans.dtype)
        full[..., *cells] = plans
        return full

    def restrict(self, array: Array) -> Array:
        """Drop the zero-mass rows and columns: (…, n, m) to (…, n', m').

        Without any, ``array`` itself comes back. Undoes `embed`, and suits costs just as well.
        """
        array = _with_cells("array", array, self.shape)
        cells = np.ix_(self.rows, self.columns)
        return array if self.support_shape == self.shape else array[..., *cells]

    def __repr__(self) -> str:
        parts = [" × ".join(map(_count, self.shape, ("source", "target")))]
        if isinstance(self.mass, float):  # it is not while JAX traces
            parts.append(f"total mass {self.mass:.9g}")
        zeros = ((self.zero_rows, "source"), (self.zero_columns, "target"))
        parts += [f"{_count(len(z), f'zero-mass {kind}')} taken out" for z, kind in zeros if z]
        if self.is_single_plan:
            parts.append("a single plan")
        return f"Problem({', '.join(parts)})"


class _Marginal:
    """One marginal, read and checked: shares that sum to one, their total, labels and zeros."""

    def __init__(self, name: str, value: Any, labels_name: str, given: Any) -> None:
        values, found, self.axis = read_labelled(name, value)
        source, found = (f"labels of {name}", found) if given is None else (labels_name, given)
        labels = None if found is None else as_labels(source, found)
        values = validate.read_numbers(name, values, labels)
        masses = validate.as_float_array(name, values, ndim=1, labels=labels)
        validate.nonnegative(name, masses, labels)
        size = masses.size
        self.labels = tuple(range(size)) if labels is None else labels
        if len(self.labels) != size:
            raise InputError(
                f"`{labels_name}` must have one label per entry of `{name}`, got "
                f"{len(self.labels)} for {size}. Add or drop labels."
            )
        self.zeros = tuple(np.flatnonzero(masses == 0).tolist())
        self.total, self.shares = _scaled(name, masses)
        rule = f"must be zero or at least {_SMALLEST_SHARE:g} of the total, {self.total:g}"
        holds = (masses == 0) | (self.shares >= _SMALLEST_SHARE)
        validate.all_hold(name, masses, holds, rule, "Set it to 0 to take it out.", labels)
        # Rounding of narrow floats, with room for a marginal that was itself scaled in them.
        floating = jnp.issubdtype(values.dtype, jnp.floating)
        narrow = float(jnp.finfo(values.dtype).eps) if floating else 0.0
        self.rounding = min(max(1e-9, 8.0 * narrow * math.sqrt(size)), 1e-2)


def _scaled(name: str, masses: FloatArray) -> tuple[float, FloatArray]:
    """Return the total, and shares that sum to one exactly: scaling twice is scaling once."""
    try:
        total = math.fsum(masses.tolist())  # correctly rounded, so whatever the order
    except OverflowError:
        total = math.inf
    if not 0.0 < total < math.inf:
        raise InputError(
            f"`{name}` must have a positive and finite total, got {total:g} ({masses.size} masses "
            f"up to {masses.max():g}). Check that the right numbers were passed, in sensible units."
        )
    shares = masses / total + 0.0  # no negative zeros
    if math.fsum(shares.tolist()) != 1.0:
        # What rounding left over goes to the largest share, where it is least.
        shares[np.argmax(shares)] -= math.fsum([*shares.tolist(), -1.0])
    return total, shares


def _common_total(rows: _Marginal, columns: _Marginal) -> float:
    """Return the total mass of both marginals, or refuse if they differ by more than rounding."""
    if all(abs(side.total - 1.0) <= side.rounding for side in (rows, columns)):
        return 1.0
    larger = max(rows.total, columns.total)
    if abs(rows.total - columns.total) > max(rows.rounding, columns.rounding) * larger:
        raise InputError(
            f"`a` and `b` must have the same total mass, got {rows.total:.12g} for `a` and "
            f"{columns.total:.12g} for `b`. To scale each to one on purpose, use "
            "`bo.Problem(a, b, normalise=True)`, or divide them yourself (`a / a.sum()`)."
        )
    return larger


def _with_cells(name: str, array: Array, cells: tuple[int, int]) -> Array:
    array = array if isinstance(array, jax.Array) else np.asarray(array)
    if array.shape[-2:] != cells:
        raise InputError(
            f"`{name}` must have shape (…, {cells[0]}, {cells[1]}), got {array.shape}. "
            "`embed` takes plans of the support, `restrict` arrays of the full shape."
        )
    return array


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
