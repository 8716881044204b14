"""Figures: that they show what they should, and need neither a display nor pyplot."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread

from bayesot.draws import Draws
from bayesot.errors import InputError
from bayesot.view import plot_cells, plot_plan

REFERENCE = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 0.0]]) / 10


def pixels(figure: Figure, path: Path) -> np.ndarray:
    figure.savefig(path)
    return imread(path)


def texts(figure: Figure) -> str:
    from matplotlib.text import Text

    return "\n".join(text.get_text() for text in figure.findobj(Text))  # type: ignore[attr-defined]


def test_cells_figure_names_everything(draws: Draws, tmp_path: Path) -> None:
    figure = plot_cells(
        draws,
        REFERENCE,
        unit="pallets",
        title="Where to?",
        depends="depends on rain",
        reference_name="plan B",
    )
    assert len(figure.axes) == 6
    shown = texts(figure)
    for text in ("x\nhas 6.0", "q\nneeds 3.0", "Where to?", "depends on rain", "plan B", "never"):
        assert text in shown
    assert "pallets" in shown
    image = pixels(figure, tmp_path / "cells.png")
    assert image.std() > 0.05
    assert len(np.unique(image.reshape(-1, image.shape[-1]), axis=0)) > 20


def test_bars_are_the_shares_of_draws(draws: Draws) -> None:
    for ax in plot_cells(draws).axes:
        values = np.asarray(ax.patches[0].get_data().values)  # type: ignore[attr-defined]
        assert values.sum() == pytest.approx(1)
    both = plot_cells(draws).axes[1].patches[0].get_data().values  # type: ignore[attr-defined]
    assert sorted(both)[-2:] == pytest.approx([0.5, 0.5], abs=0.1)


def test_every_cell_marks_the_reference(draws: Draws) -> None:
    marked = [ax.lines[0].get_xdata()[0] for ax in plot_cells(draws, REFERENCE).axes]  # type: ignore
    assert marked == pytest.approx([1, 2, 3, 3, 1, 0])
    assert not any(len(ax.lines) for ax in plot_cells(draws).axes)


def test_too_many_cells_are_refused_with_a_way_out(many: Draws) -> None:
    with pytest.raises(InputError, match=r"20 × 20.*plot_plan"):
        plot_cells(many)
    assert not plot_plan(many).texts  # and there, numbers are left out


def test_plan_figure_writes_mean_interval_and_reference(draws: Draws, tmp_path: Path) -> None:
    ax = plot_plan(draws, reference=REFERENCE, unit="pallets", title="Where to?")
    assert ax.texts[1].get_text() == "1.0\n0.0–2.0\n[2.0]"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["p", "q", "r"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "y"]
    assert ax.get_title() == "Where to?"
    assert isinstance(ax.figure, Figure)
    assert pixels(ax.figure, tmp_path / "plan.png").std() > 0.05


def test_plan_is_drawn_on_given_axes(draws: Draws) -> None:
    ax = Figure().add_subplot()
    assert plot_plan(draws, ax) is ax


def test_dollars_in_labels_are_not_mathematics(
    labelled: Callable[[list[str], list[str]], Draws], tmp_path: Path
) -> None:
    shown = labelled(["$x_{", "$5 to $9"], ["a", "b_c", "^$"])
    pixels(plot_cells(shown, REFERENCE), tmp_path / "cells.png")
    figure = plot_plan(shown).figure
    assert isinstance(figure, Figure)
    pixels(figure, tmp_path / "plan.png")


def test_a_newcomers_grid_is_1200_pixels_wide() -> None:
    from bayesot.problem import Problem

    problem = Problem(np.ones(4), np.ones(6) * 4 / 6)
    plans = np.broadcast_to(problem.independent, (1, 4, 4, 6))
    figure = plot_cells(Draws(plans=plans, problem=problem))
    assert figure.get_figwidth() * figure.dpi == pytest.approx(1200)


def test_importing_the_views_loads_neither_matplotlib_nor_rich() -> None:
    code = """
import sys, bayesot.view
print([name for name in ("matplotlib", "rich") if name in sys.modules])
from matplotlib.figure import Figure
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
