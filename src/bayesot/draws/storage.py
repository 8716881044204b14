"""Draws in one file, which other programs can read as well.

The file is NumPy's ``.npz``: an uncompressed zip archive. It holds no pickles. Its members:

``header.json``
    ``format`` ("bayesot draws") and ``version`` (1); the settings and times of the run, named as in
    `Draws`; of the problem ``mass``, ``row_labels``, ``column_labels``, ``row_name`` and
    ``column_name``. A label that is a string, an integer or a boolean is itself; a float is
    ``{"float": "0.1"}`` and a tuple ``{"tuple": […]}``, of labels or null. Of other labels the text
    is kept: of dates and times in ISO format, of anything else as in tables. Labels that the
    text cannot tell apart are refused.
``plans.npy``, ``a.npy``, ``b.npy``
    As in `Draws` and `bayesot.Problem`.
``costs.npy``, ``components.npy``, ``rhat.npy``, ``efficiency.npy``
    Costs, and the numbers of the composition; left out where the draws have none.

Without this package, ``numpy.load(path)["plans"]`` is all it takes.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import zipfile
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from bayesot._labels import as_labels
from bayesot._validate import Labels
from bayesot.draws.draws import Draws
from bayesot.errors import InputError
from bayesot.problem import Problem
from bayesot.samplers.base import Composition

__all__ = ["load", "save"]

_FORMAT, _VERSION = "bayesot draws", 1
_HEADER = "header.json"
_FACTS = {
    **{"sampler": str, "reason": str, "warmup": int, "thin": int, "seed": int},
    **{"seconds": float, "warmup_seconds": float, "divergences": int},
    **{"interrupted": bool, "requested_draws": int},
}


def save(draws: Draws, path: str | os.PathLike[str]) -> None:
    """Write draws to a file, as `Draws.save` documents."""
    problem = draws.problem
    header = {
        "format": _FORMAT,
        "version": _VERSION,
        **{name: kind(getattr(draws, name)) for name, kind in _FACTS.items()},
        "mass": float(problem.mass),
        "row_labels": _as_json("row_labels", problem.row_labels),
        "column_labels": _as_json("column_labels", problem.column_labels),
        "row_name": problem.row_name,
        "column_name": problem.column_name,
    }
    arrays = {"plans": draws.plans, "a": problem.a, "b": problem.b}
    if draws.costs is not None and draws.components is not None:
        arrays |= {"costs": draws.costs, "components": draws.components}
    if draws.composition is not None:
        within = {"rhat": draws.composition.rhat, "efficiency": draws.composition.efficiency}
        arrays |= {name: np.asarray(array, dtype=np.float64) for name, array in within.items()}
    with _replacing(path) as file, zipfile.ZipFile(file, "w") as archive:
        # A ZipInfo has no date, so that the same draws make the same file.
        archive.writestr(zipfile.ZipInfo(_HEADER), json.dumps(header, allow_nan=False, indent=1))
        for name, array in arrays.items():
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, little, allow_pickle=False)


def load(path: str | os.PathLike[str]) -> Draws:
    """Read draws that `Draws.save` wrote.

    Numbers, and hence diagnostics, are exactly what they were. Labels that are neither text,
    numbers, booleans nor tuples of these come back as text.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "plans.bayesot"
    >>> Draws(plans=np.full((2, 4, 1, 2), 0.5), problem=Problem([4], [2, 2])).save(path)
    >>> load(path).problem
    Problem(1 source × 2 targets, total mass 4, a single plan)
    """
    name = _name(path)
    try:
        with zipfile.ZipFile(name) as archive:
            return _read(archive)
    except _NotOurs as error:
        raise InputError(f"`path` must be a file of draws, but {name!r} {error}") from error
    except FileNotFoundError as error:
        raise InputError(f"`path` must be a file of draws, but there is no {name!r}.") from error
    except Exception as error:  # in a damaged file, any step of reading it may fail in any way
        reason = str(error).rstrip(".") or type(error).__name__
        raise InputError(
            f"`path` must be a file of draws, but {name!r} cannot be read ({reason}). "
            "It is damaged, or `draws.save(path)` has not written it."
        ) from error


class _NotOurs(Exception):
    """The file is sound, but not for this version of this package."""


def _read(archive: zipfile.ZipFile) -> Draws:
    members = set(archive.namelist())
    header = json.loads(archive.read(_HEADER)) if _HEADER in members else None
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise _NotOurs("is another kind of archive. Pass what `draws.save(path)` wrote.")
    version = header["version"]
    if not isinstance(version, int) or not 1 <= version <= _VERSION:
        raise _NotOurs(
            f"has version {version!r} of the format, and this BayesOT reads up to {_VERSION}. "
            "Upgrade: `pip install --upgrade bayesot`."
        )

    def array(name: str, kind: str = "float64") -> np.ndarray | None:
        if f"{name}.npy" not in members:
            return None
        with archive.open(f"{name}.npy") as member:
            found = np.lib.format.read_array(member, allow_pickle=False)
            member.read()  # to the end, where the checksum is
        if found.dtype != kind:
            raise ValueError(f"{name} has dtype {found.dtype}")
        return found.astype(kind, copy=False)  # in the byte order of this machine

    rhat, efficiency = array("rhat"), array("efficiency")
    composition = None
    if rhat is not None and efficiency is not None:
        composition = Composition(rhat=rhat, efficiency=efficiency)
    plans: Any = array("plans")
    if plans is None or not np.isfinite(plans).all():
        raise ValueError("plans has missing numbers")
    if plans.size and plans.min() < 0:
        raise ValueError("plans has negative numbers")
    for name, kind in _FACTS.items():
        if not isinstance(header[name], (int, float) if kind is float else kind):
            raise ValueError(f"{name} is {header[name]!r}")
    if not (isinstance(header["mass"], (int, float)) and 0 < header["mass"] < np.inf):
        raise ValueError(f"mass is {header['mass']!r}")
    return Draws(
        plans=plans,
        problem=_problem(header, array("a"), array("b")),
        costs=array("costs"),
        components=array("components", "int64"),
        composition=composition,
        **{name: kind(header[name]) for name, kind in _FACTS.items()},
    )


def _problem(header: dict[str, Any], a: Any, b: Any) -> Problem:
    labels = [tuple(map(_from_json, header[f"{side}_labels"])) for side in ("row", "column")]
    problem = Problem(a, b, row_labels=labels[0], column_labels=labels[1])
    (a, b, _), (*labels, _, _, zero_rows, zero_columns) = problem.tree_flatten()
    static = (*labels, header["row_name"], header["column_name"], zero_rows, zero_columns)
    return Problem.tree_unflatten(static, (a, b, np.float64(header["mass"])))


def _as_json(name: str, labels: Labels) -> list[Any]:
    written = [_label_as_json(label) for label in labels]
    as_labels(name, map(_from_json, written))  # still distinct
    return written


def _label_as_json(label: Hashable) -> Any:
    if label is None or isinstance(label, bool):
        return label
    if isinstance(label, str):
        return str(label)
    if isinstance(label, int):
        return int(label)
    if isinstance(label, float):
        return {"float": repr(float(label))}
    if isinstance(label, tuple):
        return {"tuple": [_label_as_json(item) for item in label]}
    to_iso = getattr(label, "isoformat", None)
    return str(label if to_iso is None else to_iso())


def _from_json(label: Any) -> Hashable:
    if not isinstance(label, dict):
        return label
    if "float" in label:
        return float(label["float"])
    return tuple(_from_json(item) for item in label["tuple"])


def _name(path: Any) -> str:
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str) or not name or "\0" in name:
        raise InputError(f"`path` must be the name of a file, got {path!r}. Pass a string or Path.")
    return name


@contextmanager
def _replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its place under the name only when it is complete."""
    target, file = _opened_beside(_name(path))
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, file.name)  # who may read it stays as it was
        os.replace(file.name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(file.name)
        raise


def _opened_beside(name: str) -> tuple[Path, IO[bytes]]:
    """Open a temporary file in the folder of another one, which need not exist yet."""
    problem = None
    try:
        target = Path(os.path.realpath(name))  # a link stays one
        if target.exists() and not target.is_file():
            problem = "is a folder" if target.is_dir() else "is a device or a pipe"
        elif not target.parent.is_dir():
            problem = "is in a folder that does not exist"
        else:
            return target, open(target.with_name(f".{secrets.token_hex(8)}.tmp"), "xb")
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
    raise InputError(f"`path` must name a file, but {name!r} {problem}.")
