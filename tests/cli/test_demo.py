"""`bayesot demo`, as a newcomer runs it: in a process of its own, with its output piped."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from typer.testing import CliRunner

import bayesot
from bayesot.cli.main import app
from bayesot.datasets import depots


def run(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bayesot", "demo", *arguments],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        encoding="utf-8",
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo(folder: Path) -> subprocess.CompletedProcess[str]:
    return run(folder=folder, PYTHONIOENCODING="utf-8")


def test_it_succeeds_and_is_plain_when_piped(demo: subprocess.CompletedProcess[str]) -> None:
    assert (demo.returncode, demo.stderr) == (0, "")
    assert "\x1b" not in demo.stdout
    assert max(map(len, demo.stdout.splitlines())) <= 100


def test_it_says_what_is_certain_and_what_is_not(demo: subprocess.CompletedProcess[str]) -> None:
    text = " ".join(demo.stdout.split())
    assert "Certain, whatever the traffic: 14 of 24 routes" in text
    assert "Not certain, depends on traffic: 10 of 24 routes" in text
    assert "The average plan sends 34 pallets from Northgate to Station" in text
    assert re.search(r"1[34]% more", text)
    assert "Yes, " in text
    assert "converged: R-hat" in text
    assert "bayesot-demo.png" in text
    assert not re.search(r"polytope|posterior distribution|likelihood function", text)


def test_the_table_has_every_route_once(demo: subprocess.CompletedProcess[str]) -> None:
    table = demo.stdout.split("Average plan")[1].split("Pallets: the mean")[0]
    lines = [line for line in table.splitlines() if line.strip() and "─" not in line]
    assert len(lines) == 24
    problem = depots().problem
    assert [line.split()[0] for line in lines[::6]] == list(problem.row_strings)
    words = ("always the same", "never", "depends on traffic")
    assert all(sum(word in line for word in words) == 1 for line in lines)


def test_the_code_to_go_on_with_runs(demo: subprocess.CompletedProcess[str]) -> None:
    code = demo.stdout.split("Next: ")[1].split("\n", 1)[1]
    lines = [line.strip() for line in code.splitlines() if line.strip()]
    example = depots()
    names: dict[str, object] = {
        "a": np.round(300 * example.problem.a),
        "b": np.round(300 * example.problem.b),
        "costs": example.costs[:2],
    }
    exec("\n".join(lines), names)
    assert isinstance(names["draws"], bayesot.Draws)


def test_the_figure_is_there_and_shows_something(
    demo: subprocess.CompletedProcess[str], folder: Path
) -> None:
    image = imread(folder / "bayesot-demo.png")
    assert abs(image.shape[1] - 1200) <= 1  # Matplotlib rounds this way or that
    assert image.std() > 0.05


def test_a_run_that_has_not_converged_says_so_and_exits_with_1(tmp_path: Path) -> None:
    """Here through an ASCII pipe, which cannot write a dash: no reason to fail."""
    done = run("--draws", "4", "--no-figure", folder=tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 1
    assert done.stderr.startswith("bayesot: not converged")
    assert done.stderr.count("\n") == 1
    assert "No, " in done.stdout
    assert re.search(r"0\?\d\d", done.stdout)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("missing/figure.png", "No such file"),
        ("figure.docx", "must end in"),
        ("figure", "must end in"),
        ("folder.png", "Is a directory"),
    ],
)
def test_a_path_that_cannot_be_written_is_refused_before_sampling(
    output: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder.png").mkdir()
    monkeypatch.setattr(bayesot, "sample", lambda *args, **options: pytest.fail("it sampled"))
    result = CliRunner().invoke(app, ["demo", "--output", str(tmp_path / output)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("bayesot: --output ")
    assert said in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


def test_a_seed_fixes_what_is_printed_and_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def printed_and_drawn(seed: str) -> tuple[str, bytes]:
        result = CliRunner().invoke(app, ["demo", "--seed", seed, "--draws", "50"])
        return result.stdout, Path("bayesot-demo.png").read_bytes()

    first, again, other = map(printed_and_drawn, "556")
    assert first == again
    assert first[0] != other[0]
    assert first[1] != other[1]
