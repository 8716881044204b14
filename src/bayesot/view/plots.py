"""Figures of draws, made without a display: they return Matplotlib objects to save or to add to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesot.errors import InputError
from bayesot.view.tables import Cell, Verdict, amount, cells, span

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bayesot.draws import Draws

__all__ = ["plot_cells", "plot_plan"]

# From the palette of Okabe and Ito, which is told apart with all kinds of colour vision.
_COLOURS = {Verdict.NEVER: "#999999", Verdict.SAME: "#0072B2", Verdict.DEPENDS: "#E69F00"}
_TINTS = {Verdict.NEVER: "#FFFFFF", Verdict.SAME: "#E8F2F9", Verdict.DEPENDS: "#FDF4E0"}
_INK = "#222222"
_MARKER = {"marker": "D", "markersize": 8, "color": "black", "markeredgecolor": "white"}
_MOST_CELLS = 200  # more would not be readable
_BINS = 28


def plot_plan(
    draws: Draws,
    ax: Axes | None = None,
    reference: Any = None,
    *,
    level: float = 0.9,
    unit: str = "amount",
    title: str | None = None,
    reference_name: str = "reference plan",
) -> Axes:
    """Draw the mean plan as a heat map, with intervals written into the cells.

    Parameters
    ----------
    draws
        What `bayesot.sample` returned.
    ax
        Matplotlib axes to draw on. A new figure if not given; it is ``plot_plan(draws).figure``.
    reference
        Another plan, shape (n, m), summing to one, to write into the cells in brackets.
    level
        Probability of the intervals.
    unit, title, reference_name
        What the amounts are, what the figure shows, what the other plan is.
    """
    n, m = draws.problem.shape
    if ax is None:
        ax = _figure(1.3 * m + 3, 0.8 * n + 2).add_subplot()
    found = cells(draws, reference, level=level)
    largest = max(cell.upper for cell in found)
    means = np.reshape([cell.mean for cell in found], (n, m))
    image = ax.imshow(means, cmap="Blues", vmin=0, aspect="auto")
    ax.set_xticks(range(m), draws.problem.column_strings, parse_math=False)
    ax.set_yticks(range(n), draws.problem.row_strings, parse_math=False)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.figure.colorbar(image, ax=ax, label=f"mean {unit}")
    note = f"Each cell: the mean, below it the {level:.0%} range"
    if reference is not None:
        note += f", in brackets the {reference_name}"
    ax.set_xlabel(f"{note}.")
    if title is not None:
        ax.set_title(title, pad=14)
    if n * m <= _MOST_CELLS:
        for k, cell in enumerate(found):
            colour = "white" if cell.mean > 0.55 * means.max() else _INK
            i, j = divmod(k, m)
            ax.text(j, i, _written(cell, largest), color=colour, ha="center", va="center")
    return ax


def plot_cells(
    draws: Draws,
    reference: Any = None,
    *,
    level: float = 0.9,
    unit: str = "amount",
    title: str | None = None,
    depends: str = Verdict.DEPENDS,
    reference_name: str = "reference plan",
) -> Figure:
    """Draw a histogram of every cell, in a grid of sources (rows) by targets (columns).

    Parameters
    ----------
    draws
        What `bayesot.sample` returned. At most 200 cells.
    reference
        Another plan, shape (n, m), summing to one, to mark in every histogram.
    level
        Probability of the intervals written above the histograms.
    unit, title, depends, reference_name
        What the amounts are, what the figure shows, the words for `Verdict.DEPENDS`, what the
        other plan is.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    problem = draws.problem
    n, m = problem.shape
    if n * m > _MOST_CELLS:
        raise InputError(
            f"`draws` must have at most {_MOST_CELLS} cells for a grid of histograms, got "
            f"{n} × {m}. Use `plot_plan(draws)`."
        )
    found = cells(draws, reference, level=level)
    largest = max(cell.upper for cell in found)
    plans = np.asarray(draws.plans).reshape(-1, n, m) * float(problem.mass)
    edges = np.linspace(0, plans.max(), _BINS + 1)

    figure = _figure(1.65 * m + 2.1, 1.4 * n + 2)
    axes = figure.subplots(n, m, sharex=True, sharey=True, squeeze=False)
    for k, cell in enumerate(found):
        i, j = divmod(k, m)
        shares = np.histogram(plans[:, i, j], edges)[0] / len(plans)
        _draw_cell(axes[i, j], cell, shares, edges, largest)
    axes[0, 0].locator_params(axis="x", nbins=4)
    for ax, name, mass in zip(axes[0], problem.column_strings, problem.b, strict=True):
        label = f"{name}\nneeds {amount(mass * problem.mass, largest)}"
        ax.set_title(label, fontsize=11, parse_math=False)
    for ax, name, mass in zip(axes[:, 0], problem.row_strings, problem.a, strict=True):
        label = f"{name}\nhas {amount(mass * problem.mass, largest)}"
        ax.set_ylabel(label, labelpad=8, fontsize=11, parse_math=False)
        ax.yaxis.label.set(rotation=0, ha="right", va="center")
    if title is not None:
        figure.suptitle(title, fontsize=15, fontweight="bold")
    words = {verdict: str(verdict) for verdict in Verdict} | {Verdict.DEPENDS: depends}
    handles: list[Any] = [Patch(color=_COLOURS[v], label=words[v]) for v in reversed(Verdict)]
    if reference is not None:
        handles.append(Line2D([], [], linestyle="", label=reference_name, **_MARKER))
    key = f"Bars: how often each amount comes up ({unit}). Numbers: the {level:.0%} range."
    legend = figure.legend(handles=handles, title=key, loc="outside lower center", ncols=4)
    legend.set_frame_on(False)
    return figure


def _draw_cell(ax: Axes, cell: Cell, shares: Any, edges: Any, largest: float) -> None:
    ax.set_facecolor(_TINTS[cell.verdict])
    ax.stairs(shares, edges, fill=True, color=_COLOURS[cell.verdict])
    ax.set_ylim(0, 1.4)  # the highest bar can be one, and there is text above
    ax.set_yticks([])
    ax.tick_params(length=3, labelsize=10)
    ax.spines[["left", "right", "top"]].set_visible(False)
    if cell.reference is not None:
        ax.plot(cell.reference, 0.0, clip_on=False, zorder=3, **_MARKER)
        if cell.surprising:
            label = amount(cell.reference, largest)
            ax.annotate(label, (cell.reference, 0), (0, 7), textcoords="offset points", ha="center")
    never = cell.verdict is Verdict.NEVER
    text = str(cell.verdict) if never else span(cell.lower, cell.upper, largest)
    style: dict[str, Any] = {"color": "#707070"} if never else {"color": _INK, "fontweight": "bold"}
    ax.text(0.97, 0.95, text, transform=ax.transAxes, ha="right", va="top", fontsize=12, **style)


def _written(cell: Cell, largest: float) -> str:
    lines = [amount(cell.mean, largest), span(cell.lower, cell.upper, largest)]
    if cell.reference is not None:
        lines.append(f"[{amount(cell.reference, largest)}]")
    return "\n".join(lines)


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    figure.set_layout_engine("constrained", w_pad=0.06, h_pad=0.06, wspace=0, hspace=0)
    return figure
