"""One file, written whole or not at all, read exactly or refused."""

from __future__ import annotations

import datetime
import enum
import json
import math
import os
import stat
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.draws.examples import make_draws, plans_of

import bayesot.draws.storage as storage
from bayesot.draws import load
from bayesot.errors import InputError
from bayesot.problem import Problem
from bayesot.samplers.base import Composition


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trips.bayesot"


def full_draws() -> Any:
    rng = np.random.default_rng(3)
    return make_draws(
        costs=rng.normal(size=(2, 3, 3)),
        components=rng.integers(0, 2, size=(4, 500)),
        reason="it was asked for",
        thin=3,
        seed=2**40,
        seconds=math.pi,
        warmup_seconds=0.1,
        divergences=2,
        interrupted=True,
        requested_draws=900,
        composition=Composition(rng.uniform(1, 1.1, (3, 3)), rng.uniform(0, 1, (3, 3))),
    )


def bare_draws() -> Any:
    problem = Problem(pd.Series([1, 3, 0], name="side"), [0.4] * 10)
    return make_draws(problem, plans=plans_of(problem, 1, 7))


# There and back


@pytest.mark.parametrize("make", [full_draws, bare_draws])
def test_everything_comes_back_exactly(path, make):
    draws = make()
    draws.save(path)
    again = load(path)
    assert again.problem == draws.problem
    for name in ("plans", "costs", "components"):
        before, after = getattr(draws, name), getattr(again, name)
        np.testing.assert_array_equal(before, after)
        assert before is after is None or not after.flags.writeable
        assert before is after is None or before.dtype == after.dtype
    for name in (*storage._FACTS, "chains"):
        assert getattr(again, name) == getattr(draws, name), name
        assert type(getattr(again, name)) is type(getattr(draws, name)), name
    before, after = draws.diagnostics, again.diagnostics
    for name in ("rhat", "ess_bulk", "ess_tail", "mcse", "determined"):
        np.testing.assert_array_equal(getattr(before, name), getattr(after, name))
    assert repr(after) == repr(before) and repr(again) == repr(draws)
    assert after.margin_error == before.margin_error


def test_unknown_numbers_of_the_components_stay_unknown(path):
    unknown = np.full((3, 3), np.nan, np.float32)
    draws = make_draws(composition=Composition(unknown, unknown))
    draws.save(path)
    assert repr(load(path)) == repr(draws) and "stuck" in repr(draws)


class Side(enum.Enum):
    LEFT = 1


class Day(enum.IntEnum):
    MONDAY = 1


LABELS: list[tuple[Any, Any]] = [
    ("x", "x"),
    ("é\n\ud800 \U0001f600", "é\n\ud800 \U0001f600"),
    (3, 3),
    (2**80, 2**80),
    (True, True),
    (0.1, 0.1),
    (1.0, 1.0),
    (5e-324, 5e-324),
    (-math.inf, -math.inf),
    (("x", 1, (2.5, None), False), ("x", 1, (2.5, None), False)),
    ((), ()),
    (Day.MONDAY, 1),
    (datetime.date(2024, 5, 6), "2024-05-06"),
    (pd.Timestamp("2024-05-06 07:08", tz="UTC"), "2024-05-06T07:08:00+00:00"),
    (np.datetime64("2024-05-06"), "2024-05-06"),
    (pd.Period("2024-05", "M"), "2024-05"),
    (Side.LEFT, "Side.LEFT"),
    (Fraction(1, 3), "1/3"),
    ((Fraction(1, 3), "x"), ("1/3", "x")),
]


@pytest.mark.parametrize(("label", "expected"), LABELS, ids=lambda value: ascii(value)[:30])
def test_labels_keep_their_type_or_become_text(path, label, expected):
    problem = Problem([1, 1], [1, 1], row_labels=[label, "other"])
    make_draws(problem, plans=plans_of(problem, 1, 4)).save(path)
    found = load(path).problem.row_labels
    assert found == (expected, "other") and type(found[0]) is type(expected)
    if isinstance(expected, tuple):
        assert isinstance(found[0], tuple)
        assert list(map(type, found[0])) == list(map(type, expected))


def test_labels_that_become_the_same_text_are_refused(path):
    problem = Problem([1, 1], [2], row_labels=[datetime.date(2024, 5, 6), "2024-05-06"])
    with pytest.raises(InputError, match="`row_labels` must be distinct, got '2024-05-06'"):
        make_draws(problem, plans=plans_of(problem, 1, 4)).save(path)
    assert not path.exists()


def test_the_file_can_be_read_without_this_package(path):
    draws = full_draws()
    draws.save(path)
    with np.load(path) as arrays:  # which allows no pickles by itself
        np.testing.assert_array_equal(arrays["plans"], draws.plans)
        np.testing.assert_array_equal(arrays["costs"], draws.costs)
        header = json.loads(arrays["header.json"])
    assert header["format"] == "bayesot draws" and header["version"] == 1
    assert header["row_labels"] == ["North", "South", "Gone"] and header["seed"] == 2**40


def test_the_same_draws_make_the_same_file(tmp_path):
    for name in "xy":
        full_draws().save(tmp_path / name)
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


# Writing


def test_the_name_is_taken_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bare_draws().save("no ending")
    assert [file.name for file in tmp_path.iterdir()] == ["no ending"]
    assert load("no ending").chains == 1


def test_a_failure_leaves_the_old_file_and_nothing_else(path, monkeypatch):
    bare_draws().save(path)
    before = path.read_bytes()
    write, calls = np.lib.format.write_array, []

    def fail(file: Any, array: Any, **options: Any) -> None:
        calls.append(array)
        if len(calls) == 2:
            raise OSError("no space left")
        write(file, array, **options)

    monkeypatch.setattr(np.lib.format, "write_array", fail)
    with pytest.raises(OSError, match="no space left"):
        full_draws().save(path)
    assert len(calls) == 2 and path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_interruption_leaves_the_old_file_and_nothing_else(path, monkeypatch, step):
    bare_draws().save(path)
    before = path.read_bytes()

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, step, interrupt)
    with pytest.raises(KeyboardInterrupt):
        full_draws().save(path)
    assert path.read_bytes() == before and list(path.parent.iterdir()) == [path]


def test_a_file_is_replaced_and_a_link_stays_a_link(path):
    link = path.with_name("link")
    link.symlink_to(path.name)
    bare_draws().save(path)
    full_draws().save(link)
    assert link.is_symlink() and load(path).seed == 2**40


@pytest.mark.skipif(os.name != "posix", reason="permissions are another matter there")
def test_others_may_read_it_as_the_user_has_set(path):
    before = os.umask(0o027)
    try:
        bare_draws().save(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match=r"`path` must name a file, but '.*' is a folder"):
        bare_draws().save(tmp_path)
    with pytest.raises(InputError, match="is in a folder that does not exist"):
        bare_draws().save(tmp_path / "none" / "draws")
    with pytest.raises(InputError, match=r"cannot be written \(File name too long\)"):
        bare_draws().save(tmp_path / ("x" * 300))


@pytest.mark.skipif(os.name != "posix", reason="there are no pipes in folders there")
def test_devices_and_pipes_are_left_alone(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", os.devnull):
        with pytest.raises(InputError, match="is a device or a pipe"):
            bare_draws().save(place)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize("name", ["", None, 3, b"draws", "a\0b"])
def test_what_is_no_name_is_refused(name):
    for use in (bare_draws().save, load):
        with pytest.raises(InputError, match="`path` must be the name of a file"):
            use(name)


@pytest.mark.skipif(os.name != "posix", reason="permissions are another matter there")
def test_who_may_read_a_file_that_is_replaced_stays_as_it_was(path):
    path.touch(mode=0o600)
    bare_draws().save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


# Refusing


def rewritten(path: Path, **changes: Any) -> None:
    """Change header entries, or members where the name of an array is given."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(members["header.json"])
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            array = changes.pop(name.removesuffix(".npy"), None)
            if array is not None:
                with archive.open(name, "w") as member:
                    np.lib.format.write_array(member, array)
            elif name != "header.json":
                archive.writestr(name, content)
        header = {key: value for key, value in (header | changes).items() if value is not ...}
        archive.writestr("header.json", json.dumps(header))


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith("`path` must be a file of draws, but ") and str(path) in message
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "has version 2 of the format, and this BayesOT reads up to 1. Upgrade"),
        ({"version": "new"}, "has version 'new' of the format"),
        ({"format": "something else"}, "is another kind of archive"),
        ({"version": ...}, "cannot be read ('version')"),
        ({"seed": ...}, "cannot be read ('seed')"),
        ({"row_labels": ["x", "y"]}, "must have one label per entry"),
        ({"row_labels": [{"list": []}, "x", "y"]}, "cannot be read ('tuple')"),
        ({"plans": np.zeros((2, 3))}, "`plans` must have shape"),
        ({"plans": np.zeros((1, 2, 3, 10), np.float32)}, "plans has dtype float32"),
        ({"plans": np.full((1, 2, 3, 10), np.nan)}, "plans has missing numbers"),
        ({"plans": np.full((1, 2, 3, 10), -0.1)}, "plans has negative numbers"),
        ({"mass": -5}, "mass is -5"),
        ({"version": -1}, "has version -1 of the format"),
        ({"interrupted": "no"}, "interrupted is 'no'"),
        ({"plans": np.full((1, 2, 3, 10), None)}, "Object arrays cannot be loaded"),
        ({"a": np.array([0.5, 0.6, 0.0])}, "same total mass"),
    ],
)
def test_a_changed_file_is_refused(path, changes, message):
    bare_draws().save(path)
    rewritten(path, **changes)
    assert message in refusal(path)


def test_no_byte_of_the_numbers_can_be_flipped(path):
    bare_draws().save(path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert "Bad CRC-32" in refusal(path)


@pytest.mark.parametrize("part", [0.0, 0.1, 0.5, 0.99])
def test_a_truncated_file_is_refused(path, part):
    bare_draws().save(path)
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    assert "It is damaged, or `draws.save(path)` has not written it." in refusal(path)


def test_what_is_no_file_of_draws_is_refused(path):
    assert "there is no" in refusal(path)
    assert "cannot be read" in refusal(path.parent)
    path.write_text("a,b\n1,2\n")
    assert "cannot be read (File is not a zip file)" in refusal(path)
    with open(path, "wb") as file:
        np.savez(file, plans=np.zeros(3))
    assert "is another kind of archive" in refusal(path)
