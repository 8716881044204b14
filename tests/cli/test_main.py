"""The `bayesot` command itself: help, version, and how it fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import bayesot
from bayesot.cli.main import app
from bayesot.errors import InputError

ALONE = """
import sys, types
package = types.ModuleType("bayesot")  # the parent without its own imports
package.__path__ = [{path!r}]
sys.modules["bayesot"] = package
import bayesot.cli.main
heavy = ("jax", "numpy", "scipy", "matplotlib", "ot", "pandas")
print([name for name in heavy if name in sys.modules])
"""


def test_the_commands_load_nothing_heavy() -> None:
    code = ALONE.format(path=str(Path(bayesot.__file__).parent))
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("arguments", [[], ["--help"]])
def test_help_names_the_commands(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert "demo" in result.stdout
    assert result.stderr == ""


def test_help_of_demo_explains_every_option() -> None:
    result = CliRunner().invoke(app, ["demo", "--help"])
    assert result.exit_code == 0
    for text in ("--output", "--seed", "--draws", "--no-figure", "bayesot-demo.png", "traffic"):
        assert text in result.stdout


def test_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"bayesot {bayesot.__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["demos"], "demo"),
        (["--colour"], "--colour"),
        (["demo", "--draws", "many"], "--draws"),
        (["demo", "--draws", "3"], "--draws"),
        (["demo", "--seed", "-1"], "--seed"),
        (["demo", "--seed"], "--seed"),
        (["demo", "extra"], "extra"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(arguments: list[str], named: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("bayesot: ")
    assert result.stderr.count("\n") == 1
    assert named in result.stderr


def test_bad_input_is_one_line_and_exit_code_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise InputError("`draws` must be\nsomething else.")

    monkeypatch.setattr(bayesot, "sample", refuse)
    result = CliRunner().invoke(app, ["demo", "--no-figure"])
    assert result.exit_code == 2
    assert result.stderr == "bayesot: `draws` must be something else.\n"


def test_ctrl_c_is_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bayesot, "sample", interrupt)
    result = CliRunner().invoke(app, ["demo", "--no-figure"])
    assert (result.exit_code, result.stderr) == (130, "bayesot: stopped.\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_output_that_cannot_be_written_is_one_line() -> None:
    with Path("/dev/full").open("w") as output:
        run = subprocess.run(
            [sys.executable, "-m", "bayesot", "demo", "--no-figure", "--draws", "50"],
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert run.returncode in (1, 2)
    assert "Traceback" not in run.stderr
