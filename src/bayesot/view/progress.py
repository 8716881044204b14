"""A progress bar for sampling, on a terminal and for long runs only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["progress"]

_DELAY = 1.0  # seconds before a bar appears: quick runs should not flash
_INTERVAL = 0.1  # seconds between repaints


@contextmanager
def progress(enabled: bool = True) -> Iterator[Callable[[str, int, int], None]]:
    """Yield ``report(stage, done, total)``, which draws a bar on stderr.

    It draws nothing if stderr is not a terminal, nor within the first second. The bar is gone when
    the block is left, for whatever reason.

    Examples
    --------
    >>> with progress() as report:
    ...     for done in range(100):
    ...         report("Sampling", done + 1, 100)

    """
    if not (enabled and sys.stderr is not None and sys.stderr.isatty()):
        yield _silent
        return
    bar = _Bar()
    try:
        yield bar.report
    finally:
        bar.close()


def _silent(stage: str, done: int, total: int) -> None:
    pass


class _Bar:
    """One line that shows the current stage, painted by the caller's own thread."""

    def __init__(self) -> None:
        self._due = time.monotonic() + _DELAY
        self._live: Any = None  # a rich Progress, once shown
        self._stage: str | None = None

    def report(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._due and not (self._live and stage != self._stage):
            return
        self._due = now + _INTERVAL
        if self._live is None:
            self._live = _rich_progress()
            self._live.start()
        if stage != self._stage:
            for task in self._live.task_ids:
                self._live.remove_task(task)
            self._live.add_task(stage, total=total)
            self._stage = stage
        self._live.update(self._live.task_ids[0], completed=done, total=total)
        self._live.refresh()

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()


def _rich_progress() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True),
        auto_refresh=False,  # no thread of its own
        transient=True,
        redirect_stdout=False,  # what the program prints is not ours to move
        redirect_stderr=False,
    )
