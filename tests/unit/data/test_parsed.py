"""Tables that are slow to parse: one process of a command parses each once, into a private file that is left nowhere."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.io

from synthrelease import api
from synthrelease.data.readers.mat import Mat
from synthrelease.data.readers.parsed import parsed_once
from synthrelease.data.source import Source
from synthrelease.data.tables import read_table
from synthrelease.files.scratch import scratch
from synthrelease.parallel import Call, run_calls

PLAN = """
release = { name = "pupils", version = "1.0.0", title = "Pupils" }
privacy = { epsilon = 1.0 }
[inputs.pupil]
kind = "features"
path = "."
pattern = "{person}.mat"
columns = { person = "person" }
bounds = { pupil_mm = [1.5, 8.0] }
[[outputs]]
name = "summary"
kind = "statistics"
input = "pupil"
statistics = ["mean"]
"""
# Ends a preview in several ways just after a table was written, and prints what it finds meanwhile, and what is left.
ENDED = """
import os, signal, stat, sys, tempfile
from pathlib import Path
from synthrelease.cli import main
from synthrelease.data.readers import parsed
written = parsed._write

def state():
    return sorted((len(p.relative_to(tempfile.gettempdir()).parts), oct(stat.S_IMODE(p.stat().st_mode))) for p in Path(tempfile.gettempdir()).rglob("*"))

def ended(way):
    def write(frame, path):
        written(frame, path)
        print(state(), flush=True)
        if way == "raise":
            raise RuntimeError
        os.kill(os.getpid(), getattr(signal, way))
    parsed._write = write
    try:
        main(["preview", "plan.toml"])
    except (SystemExit, RuntimeError) as error:
        print(way, getattr(error, "code", "raised"), state())

for way in sys.argv[1:]:
    ended(way)
"""


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    """A plan of a folder with a .mat file for each of three people."""
    rng = np.random.default_rng(1)
    for person in "abc":
        scipy.io.savemat(tmp_path / f"{person}.mat", {"eye": {"pupil_mm": rng.uniform(2, 4, 5)}})
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that were parsed."""
    names: list[str] = []
    table = Mat.table

    def counted(self: Mat, source: Source) -> pl.DataFrame:
        names.append(source.path.name)
        return table(self, source)

    monkeypatch.setattr(Mat, "table", counted)
    return names


def test_each_file_of_a_folder_is_parsed_once_in_a_command(recordings: Path, parses: list[str]) -> None:
    api.preview(recordings / "plan.toml")
    assert sorted(parses) == ["a.mat", "b.mat", "c.mat"]


def test_what_is_read_again_is_the_same_table(recordings: Path, parses: list[str]) -> None:
    source = Source(recordings, pattern="{person}.mat")
    first = read_table(source, ["person", "row", "pupil_mm"])
    before = len(parses)
    with scratch():
        tables = [read_table(source, ["person", "row", "pupil_mm"]) for _ in range(2)]
        assert len(parses) == before + 3
        assert all(table.frame.equals(first.frame) for table in tables)
        assert tables[1].place(7, "pupil_mm") == first.place(7, "pupil_mm")
    assert tables[1].frame.equals(first.frame)  # its file is gone


def test_another_file_of_the_name_is_parsed_anew(recordings: Path) -> None:
    path = recordings / "a.mat"
    with scratch():
        assert read_table(path, ["pupil_mm"]).frame.height == 5
        scipy.io.savemat(path, {"eye": {"pupil_mm": np.array([2.5, 3.5])}})
        assert read_table(path, ["pupil_mm"]).frame["pupil_mm"].to_list() == [2.5, 3.5]


def test_workers_read_what_one_has_parsed() -> None:
    with scratch():
        parsed_once("a table", partial(pl.DataFrame, {"x": [1]}))
        again: list[Any] = run_calls(
            "reading", [Call(parsed_once, ("a table", partial(pl.DataFrame, {"x": [2]})))] * 2, 2
        )
    assert [frame["x"].to_list() for frame in again] == [[1], [1]]


def test_where_nothing_can_be_written_it_is_parsed_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr(pl.DataFrame, "write_ipc", full)
    with scratch():
        assert parsed_once("a table", lambda: pl.DataFrame({"x": [1]}))["x"].to_list() == [1]


def test_no_private_file_is_left_whatever_ends_a_command(
    recordings: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path_factory.mktemp("temporary")
    ways = ["SIGTERM", "SIGINT", "raise", "SIGKILL"]
    done = subprocess.run(
        [sys.executable, "-c", ENDED, *ways],
        cwd=recordings,
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    private = str([(1, "0o700"), (2, "0o700"), (3, "0o600")])
    ended = ("SIGTERM 130 []", "SIGINT 130 []", "raise raised []")
    assert done.stdout.splitlines() == [line for end in ended for line in (private, end)] + [private]
    (own,) = temporary.iterdir()
    assert len(list(own.iterdir())) == 1  # only of the killed one, for the next to sweep away
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    api.preview(recordings / "plan.toml")
    assert list(temporary.iterdir()) == []
