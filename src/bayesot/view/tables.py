"""What the draws say about each cell of the plan: numbers, a verdict in words, and a table."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bayesot import _validate as validate

if TYPE_CHECKING:
    from rich.table import Table

    from bayesot.draws import Draws

__all__ = ["Cell", "Verdict", "amount", "cells", "plan_table", "span"]

_SMALL = 0.1  # of the most that a cell could carry: less than that is no difference


class Verdict(StrEnum):
    """What an interval says about one cell; the texts are for display."""

    NEVER = "never"
    """Nothing, or next to nothing, goes this way."""
    SAME = "always the same"
    """The amount is known."""
    DEPENDS = "depends"
    """The amount is a different one in different draws."""


class Cell(NamedTuple):
    """One cell of the plan, in the unit of the masses that the user gave."""

    row: str
    column: str
    mean: float
    lower: float
    upper: float
    verdict: Verdict
    reference: float | None
    """What another plan, with which the draws are compared, has in this cell."""
    surprising: bool
    """Whether that is well outside the interval."""


def cells(draws: Draws, reference: Any = None, *, level: float = 0.9) -> list[Cell]:
    """Summarise every cell, row by row.

    The verdict compares the interval with a tenth of the most that the cell could carry: `NEVER`
    if it ends below, `SAME` if it is no wider, else `DEPENDS`. A reference is surprising if it is
    further out than that.

    Parameters
    ----------
    draws
        What `bayesot.sample` returned.
    reference
        Another plan of the problem to set beside them, shape (n, m), summing to one.
    level
        Probability of the intervals, equal on both sides.
    """
    problem = draws.problem
    (n, m), mass = problem.shape, float(problem.mass)
    small = _SMALL * problem.upper * mass
    mean = draws.mean * mass
    lower, upper = (np.asarray(end) * mass for end in draws.interval(level))
    if reference is not None:
        reference = validate.as_float_array("reference", reference, shape=(n, m)) * mass

    def cell(i: int, j: int) -> Cell:
        if upper[i, j] <= small[i, j]:
            verdict = Verdict.NEVER
        elif upper[i, j] - lower[i, j] <= small[i, j]:
            verdict = Verdict.SAME
        else:
            verdict = Verdict.DEPENDS
        other = None if reference is None else float(reference[i, j])
        return Cell(
            row=problem.row_strings[i],
            column=problem.column_strings[j],
            mean=float(mean[i, j]),
            lower=float(lower[i, j]),
            upper=float(upper[i, j]),
            verdict=verdict,
            reference=other,
            surprising=other is not None
            and not lower[i, j] - small[i, j] <= other <= upper[i, j] + small[i, j],
        )

    return [cell(i, j) for i in range(n) for j in range(m)]


def amount(value: float, largest: float) -> str:
    """Write an amount with two digits of the largest one it is seen beside.

    >>> amount(3.14159, largest=50.0), amount(0.0314159, largest=0.5)
    ('3', '0.03')
    """
    digits = 1 - math.floor(math.log10(largest)) if largest > 0 else 0
    return f"{value:.{max(digits, 0)}f}"


def span(lower: float, upper: float, largest: float) -> str:
    """Write an interval of amounts, or one amount if both ends look the same.

    >>> span(0.2, 17.9, largest=50.0), span(15.9, 16.2, largest=50.0)
    ('0–18', '16')
    """
    low, high = amount(lower, largest), amount(upper, largest)
    return low if low == high else f"{low}–{high}"


def plan_table(
    draws: Draws,
    reference: Any = None,
    *,
    level: float = 0.9,
    unit: str = "Amount",
    depends: str = Verdict.DEPENDS,
    reference_name: str = "Reference plan",
) -> Table:
    """Lay out `cells` as a table for `rich.print`, one line per cell.

    Parameters
    ----------
    draws, reference, level
        As in `cells`.
    unit
        What the amounts are, as the heading of their column.
    depends
        Words for the verdict `Verdict.DEPENDS`, such as "depends on traffic".
    reference_name
        What the other plan is, as the heading of its column.
    """
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    problem = draws.problem
    table.add_column(escape(problem.row_name or "From"), no_wrap=True)
    table.add_column(escape(problem.column_name or "To"), no_wrap=True)
    table.add_column(escape(unit), justify="right")
    table.add_column(f"{level:.0%} range", justify="right", no_wrap=True)
    table.add_column("Verdict", no_wrap=True)
    if reference is not None:
        table.add_column(escape(reference_name), justify="right")

    words = {verdict: str(verdict) for verdict in Verdict} | {Verdict.DEPENDS: depends}
    styles = {Verdict.NEVER: "dim", Verdict.SAME: "", Verdict.DEPENDS: "bold"}
    found = cells(draws, reference, level=level)
    largest = max(cell.upper for cell in found)
    columns = problem.shape[1]
    for k, cell in enumerate(found):
        line = [
            "" if k % columns else escape(cell.row),
            escape(cell.column),
            amount(cell.mean, largest),
            span(cell.lower, cell.upper, largest),
            escape(words[cell.verdict]),
        ]
        if cell.reference is not None:
            text = amount(cell.reference, largest)
            line.append(f"[bold not dim]{text}[/]" if cell.surprising else text)
        ends_row = (k + 1) % columns == 0
        table.add_row(*line, style=styles[cell.verdict], end_section=ends_row)
    return table
