"""`bayesot demo`: one worked example, from the question to the answer in words."""

from __future__ import annotations

import textwrap
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bayesot.errors import ConvergenceWarning, InputError

if TYPE_CHECKING:
    from rich.console import Console

    from bayesot._validate import FloatArray
    from bayesot.datasets import Depots
    from bayesot.draws import Draws

__all__ = ["demo"]

# Per minute of driving per pallet: with 300 pallets, a plan that takes three minutes a day longer
# than another is e times less plausible. Sharp enough for what remains to be due to the traffic.
_SHARPNESS = 100.0
_FORMATS = (".png", ".pdf", ".svg")
_WIDTH = 100
_DEPENDS = "depends on traffic"
_NEXT = (
    "  import bayesot as bo",
    "  likelihood = bo.likelihoods.Each(costs, sharpness=100)  # higher: stricter",
    "  draws = bo.sample(bo.Posterior(bo.Problem(a, b), likelihood=likelihood))",
)


def demo(
    output: Annotated[
        Path, typer.Option(help="Where to save the figure: a .png, .pdf or .svg file.")
    ] = Path("bayesot-demo.png"),
    seed: Annotated[
        int, typer.Option(min=0, help="The same seed gives the same traffic and the same answer.")
    ] = 0,
    draws: Annotated[int, typer.Option(min=4, help="How many plans to draw, per chain.")] = 1000,
    no_figure: Annotated[bool, typer.Option("--no-figure", help="Save no figure.")] = False,
) -> None:
    """Plan deliveries from 4 depots to 6 outlets when the traffic is uncertain.

    Prints which depot should serve which outlet, which of these choices
    hold whatever the traffic, and which do not. Saves a figure.
    Takes less than a minute.
    """
    if not no_figure:
        _check_writable(output)

    import bayesot as bo
    from bayesot.datasets import depots

    console = _console()
    example = depots(seed)
    _ask(console, example)
    posterior = bo.Posterior(
        example.problem,
        prior=bo.priors.Uniform(),
        likelihood=bo.likelihoods.Each(example.costs, sharpness=_SHARPNESS),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is said below, in words
        found = bo.sample(posterior, draws=draws, seed=seed)
    average = _average_plan(example)
    _show_table(console, found, average)
    _say_what_is_certain(console, found, average)
    _compare_driving(console, example, found, average)
    _say(console, "Can these numbers be trusted?", f"  {_trust(found)}")
    if not no_figure:
        _save_figure(found, average, output)
        _say(console, "Figure saved", f"  {output}")
    _say(console, "Next: in Python, your own supply a, demand b and cost samples (N, n, m)", *_NEXT)
    if not found.diagnostics.converged:
        line = "bayesot: not converged, do not rely on these numbers. Try more --draws."
        typer.echo(line, err=True)
        raise typer.Exit(1)


def _console() -> Console:
    from rich.console import Console

    console = Console(highlight=False)
    console.width = min(console.width, _WIDTH) if console.is_terminal else _WIDTH
    return console


def _say(console: Console, heading: str, *lines: str) -> None:
    """Print lines under a heading; where they are too long they go on with the same indent."""
    console.print(f"\n[bold]{heading}[/bold]")
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        text = textwrap.fill(
            line,
            console.width,
            subsequent_indent=indent,
            break_long_words=False,  # a path stays whole
            break_on_hyphens=False,
        )
        console.print(text, markup=False, soft_wrap=True)


def _ask(console: Console, example: Depots) -> None:
    _say(
        console,
        "Which depot should serve which outlet, and how sure can we be?",
        example.description,
        f"For each of {len(example.costs)} recordings of the driving times (made up for this "
        "example), BayesOT draws plans that need hardly more driving than the best one.",
    )


def _average_plan(example: Depots) -> FloatArray:
    import ot

    return ot.emd(example.problem.a, example.problem.b, example.costs.mean(axis=0))


def _show_table(console: Console, draws: Draws, average: FloatArray) -> None:
    from bayesot.view import plan_table

    table = plan_table(
        draws, average, unit="Pallets", depends=_DEPENDS, reference_name="Average plan"
    )
    console.print(table)
    console.print(
        "Pallets: the mean over the plans drawn. 90% range: where nine in ten of them lie.\n"
        "Average plan: the one plan with the least driving if all times were at their average."
    )


def _say_what_is_certain(console: Console, draws: Draws, average: FloatArray) -> None:
    from bayesot.view import Verdict, amount, cells, span

    found = cells(draws, average)
    largest = max(cell.upper for cell in found)
    groups = {verdict: [c for c in found if c.verdict is verdict] for verdict in Verdict}
    same, never, depends = (groups[v] for v in (Verdict.SAME, Verdict.NEVER, Verdict.DEPENDS))
    known = [f"{c.row} to {c.column} ({amount(c.mean, largest)} pallets)" for c in same]
    _say(
        console,
        f"Certain, whatever the traffic: {len(same) + len(never)} of {len(found)} routes",
        f"  Always the same: {', '.join(known) or 'none'}.",
        f"  Never used: the {len(never)} routes marked so above.",
    )
    _say(
        console,
        f"Not certain, depends on traffic: {len(depends)} of {len(found)} routes",
        *(
            f"  From {row} to "
            + ", ".join(f"{c.column} ({span(c.lower, c.upper, largest)})" for c in of_row)
            for row in draws.problem.row_strings
            if (of_row := [c for c in depends if c.row == row])
        ),
    )
    for c in never:
        if c.surprising and c.reference is not None:
            console.print(
                f"The average plan sends {amount(c.reference, largest)} pallets from {c.row} to "
                f"{c.column}, a route that is never worth using."
            )


def _compare_driving(console: Console, example: Depots, draws: Draws, average: FloatArray) -> None:
    import numpy as np

    hours = float(example.problem.mass) / 60
    fitting = np.ravel(draws.cost()) * hours
    fixed = (example.costs * average).sum(axis=(1, 2)) * hours

    def described(times: FloatArray) -> str:
        low, high = np.quantile(times, [0.05, 0.95])
        return f"{times.mean():.0f} hours a day (90% range {low:.0f}–{high:.0f})"

    _say(
        console,
        "Driving time",
        f"  Plans that fit the traffic:    {described(fitting)}",
        f"  The average plan, at all times: {described(fixed)}, "
        f"{fixed.mean() / fitting.mean() - 1:.0%} more",
    )


def _trust(draws: Draws) -> str:
    diagnostics = draws.diagnostics
    runs = f"{draws.chains} independent runs of {draws.plans.shape[1]} plans each"
    if diagnostics.converged:
        return f"Yes, {runs} agree ({diagnostics.verdict})."
    return f"No, {runs} do not agree well enough ({diagnostics.verdict})."


def _save_figure(draws: Draws, average: FloatArray, output: Path) -> None:
    from bayesot.view import plot_cells

    plot_cells(
        draws,
        average,
        unit="pallets per day",
        title="Which depot should serve which outlet?",
        depends=_DEPENDS,
        reference_name="plan for the average driving times",
    ).savefig(output)


def _check_writable(output: Path) -> None:
    """Refuse a figure that could not be saved, before the time is spent on it."""
    if output.suffix.lower() not in _FORMATS:
        raise InputError(f"--output must end in .png, .pdf or .svg, got {output}.")
    existed = output.exists()
    try:
        with output.open("ab"):
            pass
    except OSError as error:
        raise InputError(f"--output cannot be written: {output}: {error.strerror}.") from error
    if not existed:
        output.unlink()
