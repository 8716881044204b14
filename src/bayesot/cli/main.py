"""The `bayesot` command: options of its own, its commands, and how it fails.

Modules of this folder import JAX and Matplotlib only where a command runs, so that ``--help`` is
quick.
"""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from bayesot._version import __version__
from bayesot.cli.demo import demo
from bayesot.errors import BayesOTError

__all__ = ["app", "main"]


class _Commands(TyperGroup):
    """Commands that report bad input in one line on stderr, with exit code 2."""

    def main(self, *args: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        if not standalone_mode:
            return super().main(*args, standalone_mode=False, **extra)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")  # a dash need not stop an ASCII terminal
        try:
            code = super().main(*args, standalone_mode=False, **extra)
        except typer.TyperException as error:
            code = _complain(error.format_message(), error.exit_code)
        except BayesOTError as error:
            code = _complain(str(error), 2)
        except OSError as error:
            # Whoever closed the output has seen enough; Python would still try to flush it.
            code = 1 if isinstance(error, BrokenPipeError) else _complain(str(error), 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except typer.Abort:
            code = 1
        if code == 130:  # Ctrl-C
            _complain("stopped.", code)
        sys.exit(code)


def _complain(message: str, code: int) -> int:
    typer.echo(f"bayesot: {' '.join(message.split())}", err=True)
    return code


app = typer.Typer(cls=_Commands, add_completion=False, pretty_exceptions_enable=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bayesot {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def bayesot(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    """How sure can you be of a transport plan when the costs are not certain?

    Start with: bayesot demo
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command()(demo)


def main() -> None:
    """Run the command line; what the `bayesot` command calls."""
    app(prog_name="bayesot")
