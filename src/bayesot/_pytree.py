"""Immutable records of arrays that JAX can take apart and put together again.

A record is a frozen dataclass whose first fields are arrays (the leaves of the pytree) and whose
other fields are hashable facts (its static part, on which compilation may depend).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import jax
import jax.numpy as jnp
import numpy as np


class Record:
    """What a frozen dataclass needs to be a JAX pytree that compares and copies by value.

    Subclasses set ``_leaves``, the number of leading fields that are arrays, and are decorated with
    ``dataclass(frozen=True, eq=False)``; JAX is told of them here.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]
    _leaves: ClassVar[int]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        jax.tree_util.register_pytree_node_class(cls)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Names of the fields, in their order."""
        return tuple(field.name for field in dataclasses.fields(cls))

    def tree_flatten(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Split into leaves and static part, as JAX asks for."""
        values = tuple(getattr(self, name) for name in self.names())
        return values[: self._leaves], values[self._leaves :]

    @classmethod
    def tree_unflatten(cls, static: tuple[Any, ...], leaves: Iterable[Any]) -> Self:
        """Put a record together again, unchecked: leaves may be tracers or anything else."""
        record = object.__new__(cls)
        record._fill(leaves, static)
        return record

    def _fill(self, leaves: Iterable[Any], static: tuple[Any, ...]) -> None:
        """Set all fields, in their order: the one way past the frozen dataclass."""
        values = (*map(read_only, leaves), *static)
        self.__dict__.update(zip(self.names(), values, strict=True))

    def __reduce__(self) -> Any:
        # Copies and pickles go the pytree's way, which keeps the arrays read-only.
        leaves, static = self.tree_flatten()
        return type(self).tree_unflatten, (static, leaves)

    def __eq__(self, other: object) -> bool:
        """Whether every number and every fact is the same."""
        return self._key() == other._key() if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        leaves, static = self.tree_flatten()
        arrays = [np.asarray(leaf) for leaf in leaves]
        return static, *((array.shape, *array.ravel().tolist()) for array in arrays)


def read_only(leaf: Any) -> Any:
    """Return a read-only view of a NumPy array, and anything else as it is."""
    if isinstance(leaf, np.ndarray):
        leaf = leaf.view()
        leaf.flags.writeable = False
    return leaf


def numpy_of(array: Any) -> Any:
    """Return the module that computes with an array: ``jax.numpy`` for JAX's, else ``numpy``."""
    return jnp if isinstance(array, jax.Array) else np


def describe(value: Any) -> str:
    """Show a number as it is and an array by its shape, for a record's ``repr``.

    >>> describe(np.float64(2)), describe(np.zeros((2, 3))), describe(True)
    ('2.0', '<2×3>', 'True')
    """
    if isinstance(value, (np.ndarray, np.generic, jax.Array)):
        return "×".join(map(str, value.shape)).join("<>") if value.ndim else repr(float(value))
    return repr(value)
