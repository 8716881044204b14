"""What is said about each cell, and the table it is said in."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from bayesot.draws import Draws
from bayesot.errors import InputError
from bayesot.problem import Problem
from bayesot.view import Verdict, amount, cells, plan_table, span

REFERENCE = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 0.0]]) / 10


def printed(table: Any, width: int = 100) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_cells_are_in_the_unit_of_the_masses_and_judged(draws: Draws) -> None:
    found = {(cell.row, cell.column): cell for cell in cells(draws)}
    assert len(found) == 6
    assert found["x", "p"].verdict is Verdict.SAME
    assert found["y", "p"].verdict is Verdict.NEVER
    assert {found[key].verdict for key in [("x", "q"), ("x", "r"), ("y", "q"), ("y", "r")]} == {
        Verdict.DEPENDS
    }
    assert found["x", "p"].mean == pytest.approx(4, abs=0.1)
    assert found["x", "q"].lower == pytest.approx(0, abs=0.1)
    assert found["x", "q"].upper == pytest.approx(2, abs=0.1)
    assert found["x", "q"].reference is None
    assert not found["x", "q"].surprising


def test_numbers_are_those_of_the_draws(draws: Draws) -> None:
    lower, upper = draws.interval(0.5)
    found = cells(draws, level=0.5)
    assert np.allclose([cell.mean for cell in found], 10 * draws.mean.ravel())
    assert np.allclose([cell.lower for cell in found], 10 * lower.ravel())
    assert np.allclose([cell.upper for cell in found], 10 * upper.ravel())


def test_a_reference_is_surprising_where_it_is_well_outside(draws: Draws) -> None:
    found = cells(draws, REFERENCE)
    assert [cell.reference for cell in found] == pytest.approx([1, 2, 3, 3, 1, 0])
    assert [cell.surprising for cell in found] == [True, False, True, True, False, True]


@pytest.mark.parametrize("reference", [np.ones((3, 2)), np.ones(6), np.full((2, 3), np.nan)])
def test_a_reference_of_another_shape_is_refused(draws: Draws, reference: np.ndarray) -> None:
    with pytest.raises(InputError, match="`reference`"):
        cells(draws, reference)


def test_cells_without_mass_are_never_used() -> None:
    problem = Problem([1, 1, 0], [1, 1])
    plans = np.broadcast_to(problem.independent, (1, 4, 3, 2))
    verdicts = [cell.verdict for cell in cells(Draws(plans=plans, problem=problem))]
    assert verdicts == [Verdict.SAME] * 4 + [Verdict.NEVER] * 2


@pytest.mark.parametrize(
    ("value", "largest", "text"),
    [(42.4, 71, "42"), (0.4, 300, "0"), (3.25, 9.0, "3.2"), (0.25, 0.5, "0.25"), (0, 0, "0")],
)
def test_amounts_have_two_digits_of_the_largest(value: float, largest: float, text: str) -> None:
    assert amount(value, largest) == text


def test_a_span_without_width_is_one_amount() -> None:
    assert span(1.9, 2.1, largest=50) == "2"
    assert span(1.9, 3.1, largest=50) == "2–3"


def test_table_has_a_line_per_cell_with_numbers_and_words(draws: Draws) -> None:
    table = plan_table(
        draws, REFERENCE, unit="Pallets", depends="depends on rain", reference_name="Plan B"
    )
    lines = printed(table)
    assert [*filter(None, lines)][1].split() == [
        *("From", "To", "Pallets", "90%", "range", "Verdict", "Plan", "B")
    ]
    body = [line.split() for line in lines if line.strip()][2:]
    assert body[0] == ["x", "p", "4.0", "4.0", "always", "the", "same", "1.0"]
    assert body[1] == ["q", "1.0", "0.0–2.0", "depends", "on", "rain", "2.0"]
    assert body[3][:2] == ["y", "p"]
    assert body[3][4] == "never"
    assert len(body) == 6


def test_table_without_reference_is_a_column_shorter(draws: Draws) -> None:
    assert len(plan_table(draws).columns) == 5
    assert len(plan_table(draws, REFERENCE).columns) == 6


def test_labels_are_shown_as_they_are(
    labelled: Callable[[list[str], list[str]], Draws],
) -> None:
    lines = printed(plan_table(labelled(["[red]", "[/]"], ["[bold]a", "b", "c"])))
    text = "\n".join(lines)
    assert all(label in text for label in ("[red]", "[/]", "[bold]a"))


def test_only_a_terminal_gets_colours(draws: Draws) -> None:
    assert "\x1b" not in "".join(printed(plan_table(draws, REFERENCE)))
