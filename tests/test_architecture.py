"""How the package is put together: imports point one way, files are short, importing is light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bayesot

SOURCE = Path(bayesot.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

LAYERS: list[set[str]] = [  # from the bottom to the top; a part may import what is below it
    {"errors", "_pytree", "_x64", "_validate", "_labels", "_tables", "_version"},
    {"problem", "polytope"},
    {"priors", "likelihoods"},
    {"posterior"},
    {"samplers"},
    {"draws"},
    {"sampling"},
    {"view", "datasets"},
    {"", "__init__"},  # the front door
    {"cli"},
    {"__main__"},
]
RANK = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}
EXCEPTIONS = {("sampling", "view.progress")}
"""Imports that go up: who, and what."""
NARROW = {"draws": "samplers.base", "likelihoods": "polytope.vertices"}
"""Of the part named, only this module is imported."""


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Lines and modules of this package that a file imports, without ``bayesot.``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            module = node.module or ""
            # of the package itself, the names are its parts
            names = [f"{module}.{a.name}" for a in node.names] if module == "bayesot" else [module]
        else:
            continue
        for name in names:
            if name == "bayesot" or name.startswith("bayesot."):
                yield node.lineno, name.removeprefix("bayesot").removeprefix(".")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    importer = part_of(path)
    assert importer in RANK, f"give `{importer}` a place in the layers of this test"
    wrong = []
    for line, module in imported(path):
        target = module.split(".")[0]
        assert target in RANK, f"give `{target}` a place in the layers of this test"
        if target == importer or (importer, module) in EXCEPTIONS:
            continue
        if RANK[target] > RANK[importer]:
            wrong.append(f"line {line}: {module} is above {importer}")
        elif RANK[target] == RANK[importer] > 0:
            wrong.append(f"line {line}: {module} is beside {importer}")
        allowed = NARROW.get(importer)
        if allowed and target == allowed.split(".")[0] and module != allowed:
            wrong.append(f"line {line}: of {target}, {importer} may import {allowed} only")
    assert not wrong, "\n".join(wrong)


def test_exceptions_are_still_needed():
    for importer, module in EXCEPTIONS:
        paths = [path for path in FILES if part_of(path) == importer]
        assert any(module == name for path in paths for _, name in imported(path))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_files_are_short(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= 350, f"{lines} lines: split it"


def test_importing_is_light_and_changes_nothing():
    heavy = {"pandas", "polars", "matplotlib", "ot", "arviz_stats", "arviz_base", "typer", "rich"}
    code = f"""
import sys
import jax
before = dict(jax.config.values)
import bayesot
assert jax.config.values == before
assert jax.config.jax_enable_x64 is False
loaded = {heavy!r} & set(sys.modules)
assert not loaded, loaded
assert jax.numpy.ones(1).dtype == "float32"
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_every_name_at_the_front_door_is_there():
    for name in bayesot.__all__:
        assert getattr(bayesot, name) is not None
    for module in (bayesot.priors, bayesot.likelihoods, bayesot.samplers, bayesot.errors):
        for name in module.__all__:
            assert getattr(module, name).__doc__
