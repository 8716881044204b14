"""The progress bar: where it shows, and that it always goes away."""

from __future__ import annotations

import io
import sys
import threading
from contextlib import redirect_stderr

import pytest

from bayesot.view import progress as module
from bayesot.view.progress import progress

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    return Terminal()


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DELAY", 0.0)
    monkeypatch.setattr(module, "_INTERVAL", 0.0)


@pytest.mark.usefixtures("at_once")
def test_a_long_run_shows_its_stages(terminal: Terminal) -> None:
    with redirect_stderr(terminal), progress() as report:
        for stage in ("Warming up", "Sampling"):
            for done in range(5):
                report(stage, done, 4)
    shown = terminal.getvalue()
    for text in ("Warming up", "Sampling", "25%", "100%"):
        assert text in shown
    assert shown.endswith("\x1b[2K")  # the line is wiped
    assert shown.count(HIDE) == shown.count(SHOW) == 1


def test_a_quick_run_shows_nothing(terminal: Terminal) -> None:
    with redirect_stderr(terminal), progress() as report:
        for done in range(1000):
            report("Sampling", done + 1, 1000)
    assert terminal.getvalue() == ""


@pytest.mark.usefixtures("at_once")
def test_nothing_where_it_is_not_a_terminal_or_not_wanted(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with redirect_stderr(terminal), progress(False) as report:
        report("Sampling", 1, 2)
    pipe = io.StringIO()
    with redirect_stderr(pipe), progress() as report:
        report("Sampling", 1, 2)
    assert terminal.getvalue() == pipe.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", None)  # as under pythonw
    with progress() as report:
        report("Sampling", 1, 2)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_error_passes_through_and_the_cursor_comes_back(
    terminal: Terminal, error: type[BaseException]
) -> None:
    before = threading.active_count()

    def work() -> None:
        with redirect_stderr(terminal), progress() as report:
            report("Sampling", 1, 4)
            assert threading.active_count() == before  # no thread paints
            raise error

    with pytest.raises(error):
        work()
    shown = terminal.getvalue()
    assert shown.count(HIDE) == shown.count(SHOW) == 1
    assert shown.rindex(SHOW) > shown.rindex(HIDE)
    assert threading.active_count() == before


@pytest.mark.usefixtures("at_once")
def test_what_the_program_prints_stays_on_stdout(
    terminal: Terminal, capsys: pytest.CaptureFixture[str]
) -> None:
    with redirect_stderr(terminal), progress() as report:
        report("Sampling", 1, 4)
        print("a line")
    assert capsys.readouterr().out == "a line\n"
    assert "a line" not in terminal.getvalue()


@pytest.mark.usefixtures("at_once")
def test_odd_totals_and_odd_names_do_no_harm(terminal: Terminal) -> None:
    with redirect_stderr(terminal), progress() as report:
        report("[red]Stage", 0, 0)
        report("[red]Stage", 7, 5)
    assert "[red]Stage" in terminal.getvalue()


@pytest.mark.usefixtures("at_once")
def test_a_dumb_terminal_gets_no_codes(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    with redirect_stderr(terminal), progress() as report:
        report("Sampling", 1, 4)
    assert "\x1b" not in terminal.getvalue()
