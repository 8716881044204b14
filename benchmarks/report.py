"""What all commands share: JSON with the machine it was measured on, and cells of tables."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.ess import Score

PACKAGES = ("bayesot", "jax", "numpy", "arviz-stats", "hopsy", "polytopewalk")


def console() -> Console:
    """A console that does not squeeze tables when piped."""
    return Console(width=None if Console().is_terminal else 190)


def machine() -> dict[str, Any]:
    """Where and with what it was measured; a busy machine shows in its load."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = None
    return {
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "versions": versions,
    }


def describe(info: dict[str, Any]) -> str:
    """The line above a table."""
    return f"{info['cores']} cores, load {info['load'][0]:.1f} at the start, {info['platform']}"


def write_json(path: Path | None, content: dict[str, Any]) -> None:
    if path is not None:
        path.write_text(json.dumps(content, indent=1) + "\n")


def table(title: str, *columns: str) -> Table:
    """First column to the left, numbers to the right."""
    made = Table(title=title, title_justify="left", title_style="bold")
    for i, column in enumerate(columns):
        words = i == 0 or column == "remark"
        made.add_column(column, justify="left" if words else "right", overflow="fold")
    return made


def rate(value: float) -> str:
    """Three significant digits, thousands apart."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def rhat(score: Score) -> str:
    """R-hat, marked where it says that the ESS beside it means nothing."""
    text = f"{score.rhat_max:.3f}"
    return text if score.converged else f"[red]{text} ![/red]"
