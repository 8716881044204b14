"""How often something happens in the draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bayesot import _validate as validate
from bayesot._validate import FloatArray, Labels
from bayesot.errors import InputError
from bayesot.problem import Problem

__all__ = ["above", "happens"]


def happens(event: Callable[[Any], Any], plans: FloatArray) -> float:
    """Return the fraction of plans, of shape (chain, draw, n, m), for which a function is true.

    It is applied to many plans at once if it can take them, and else to one after the other.

    >>> plans = np.arange(8.0).reshape(1, 2, 2, 2)
    >>> happens(lambda plan: plan[..., 0, 1] > 2, plans)
    0.5
    >>> happens(lambda plan: plan[0, 1] > 2, plans)
    0.5
    """
    found = _at_once(event, plans)
    if found is None:
        found = [np.asarray(event(plan)) for plan in plans.reshape(-1, *plans.shape[2:])]
        odd = [array for array in found if array.ndim or array.dtype != bool]
    else:
        odd = [array for array in found if array.dtype != bool]
    if odd:
        raise InputError(
            f"`event` must return one boolean per plan, got {odd[0].dtype} of shape "
            f"{odd[0].shape}. Reduce over the last two axes, as in "
            "`lambda plan: plan[..., 0, 1] > 0.1`."
        )
    return float(np.mean(np.concatenate([array.ravel() for array in found])))


def _at_once(event: Callable[[Any], Any], plans: FloatArray) -> list[np.ndarray] | None:
    """Apply the function to all plans, or return None if it does not give one value for each."""
    # In two parts of different lengths, so that no function of one plan, given more, returns the
    # right shape by chance.
    if plans.shape[1] < 3:
        return None
    parts = np.split(plans, [plans.shape[1] // 3], axis=1)
    try:
        found = [np.asarray(event(part)) for part in parts]
    except Exception:  # whatever its code raises when given more than one plan
        return None
    fits = all(f.shape == p.shape[:2] for f, p in zip(found, parts, strict=True))
    return found if fits else None


def above(problem: Problem, plans: FloatArray, cell: Any, threshold: Any) -> float:
    """Return the fraction of plans whose share at a cell is above a threshold."""
    if threshold is None:
        raise InputError(
            "`threshold` is missing. Pass a cell and a threshold, "
            "`probability((row, column), threshold)`, or a function of plans."
        )
    if not isinstance(cell, (tuple, list)) or len(cell) != 2:
        raise InputError(
            f"`event` must be a function of plans or a (row, column) pair, got {cell!r}."
        )
    row = _position("row", cell[0], problem.row_labels)
    column = _position("column", cell[1], problem.column_labels)
    threshold = validate.as_number("threshold", threshold)
    if threshold > 1:
        raise InputError(
            f"`threshold` must be a share of the total mass, at most 1, got {threshold:g}. "
            "Divide by `draws.problem.mass`."
        )
    return float(np.mean(plans[:, :, row, column] > threshold))


def _position(side: str, label: Any, labels: Labels) -> int:
    """Find a row or a column by its label or, unless all labels are numbers, its position."""
    boolean = isinstance(label, (bool, np.bool_))  # Python takes them for numbers
    try:
        for position, known in enumerate(labels):
            if label == known and boolean == isinstance(known, bool):
                return position
    except (TypeError, ValueError):  # arrays, which have no truth value
        pass
    numbered = all(isinstance(known, (int, float)) for known in labels)
    is_position = isinstance(label, (int, np.integer)) and not boolean and not numbered
    if is_position and 0 <= label < len(labels):
        return int(label)
    raise InputError(
        f"`event` must name a cell, got the {side} {label!r}. "
        f"Use a label, such as {labels[0]!r}, or a position below {len(labels)}."
    )
