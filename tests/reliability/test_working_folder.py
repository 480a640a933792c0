"""Commands in a folder full of traps: modules called as others', settings of libraries. Nothing of it is run, and no verdict changes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hostile_folder import DONE, OURS, HostileFolder
from tiers import params

from synthrelease import children
from synthrelease.studio.jobs import Jobs

_QUICK = ("verify damaged", "loky", "export")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> HostileFolder:
    return HostileFolder(tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize("name", params(DONE, quick=_QUICK))
def test_nothing_in_the_working_folder_is_run(hostile: HostileFolder, name: str) -> None:
    words, expected = DONE[name]
    code, printed = hostile.run(*words)
    assert hostile.caught == []
    assert code == expected, printed
    assert ("Verified" in printed) == (name == "verify")


def test_the_traps_work(hostile: HostileFolder) -> None:
    """Each kind of child as Python starts it by itself; and a program."""
    for words in (("-c", "import json"), ("-m", "json.tool"), ("-c", "import numpy")):
        hostile.run(*words, python=(sys.executable,))
        assert [line.split()[0] for line in hostile.caught] == ["module"], words
    hostile.run(python=("gs",))
    assert hostile.caught == ["program-gs"]


def test_a_command_of_the_studio_runs_nothing_of_its_folder(hostile: HostileFolder) -> None:
    jobs = Jobs(hostile.folder, hostile.folder / ".studio")
    jobs.start("verify", ["verify", "damaged.h5"], plan="")
    while jobs.running():
        time.sleep(0.05)
    job = jobs.job("verify")
    assert hostile.caught == []
    assert job is not None
    assert job.code == 1
    assert "Verified" not in job.printed


@pytest.mark.thorough
def test_a_studio_runs_nothing_of_its_folder(hostile: HostileFolder) -> None:
    with hostile.studio() as page:
        assert "plan.toml" in page
    assert hostile.caught == []


@pytest.mark.thorough
def test_started_as_a_module_only_what_python_needs_before_us_is_taken_from_the_folder(
    tmp_path: Path,
) -> None:
    """Python itself puts the folder first, and imports of the standard library before our first line; `-P` forbids it."""
    late = HostileFolder(tmp_path, OURS)
    for name in ("verify damaged", "loky"):
        words, expected = DONE[name]
        code, printed = late.run(*words, python=(sys.executable, "-m", "synthrelease"))
        assert (late.caught, code) == ([], expected), printed


def test_a_child_imports_what_this_process_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """But nothing of the working folder, which is an empty text among the places of an interactive Python."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "elsewhere.py").write_text("print('found', flush=True)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "relative", *sys.path, str(tmp_path / "there")])
    process = children.start("elsewhere", stdout=subprocess.PIPE)
    assert process.communicate()[0] == b"found\n"
    places = children.safe_environment()["PYTHONPATH"].split(":")
    assert places == [place for place in sys.path if place.startswith("/")]


@pytest.mark.parametrize(
    ("entries", "is_found"),
    [("::", False), (".", False), ("{there}", True), ("{there}/::.", True), ("../{name}", False)],
)
def test_nor_what_pythonpath_says_of_the_working_folder_without_its_name(
    tmp_path: Path, entries: str, *, is_found: bool
) -> None:
    """Python makes them absolute as it starts; a folder that is named is meant, wherever one is."""
    (tmp_path / "elsewhere.py").write_text("print('found', flush=True)")
    program = "from synthrelease import children\nwith children.safe_starts():\n    raise SystemExit(children.start('elsewhere').wait())"
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": entries.format(there=tmp_path, name=tmp_path.name)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout == "found\n" * is_found, run.stderr
    assert (run.returncode == 0) == is_found
