"""The stress of scripts/stress writing in small: something happens to a build at every kind of step, and around every name."""

from __future__ import annotations

import errno
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
from disk_steps import Once

from synthrelease.building import targets
from synthrelease.files import atomic

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"


@pytest.fixture(scope="module")
def stresses() -> Any:
    """Return the script's module."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module("stresses.writing")
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.fixture
def stress(stresses: Any, tmp_path: Path) -> Any:
    return stresses.Stress(tmp_path)


@pytest.mark.thorough
@pytest.mark.parametrize(("force", "paid"), [(False, True), (True, False)])
def test_killed_it_leaves_the_old_bundle_or_the_new_one_and_the_next_build_cleans_up(
    stresses: Any, stress: Any, *, force: bool, paid: bool
) -> None:
    way = stresses.Way(force=force, paid=paid)
    for step in stresses.telling(stress.steps(way)):
        stress.happen(way, "killed", step)
    assert stress.broken == []
    states = {end.rpartition(",")[0].rpartition(": ")[2] for end in stress.ends}
    old = {"old-pair", "old-bundle"} if force else {"nothing"}
    assert states == old | {"new-bundle", "new-pair"}


@pytest.mark.quick("full")
@pytest.mark.parametrize("what", ["killed", "full"])
def test_at_some_steps_nothing_half_is_left(stresses: Any, stress: Any, what: str) -> None:
    way = stresses.Way(force=True, paid=True)
    for step in stresses.telling(stress.steps(way))[3::12]:
        stress.happen(way, what, step)
    assert len(stress.ends) > 1
    assert stress.broken == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("what", "first"), [("interrupted", 0), ("full", 1), ("forbidden", 2), ("broken", 3)]
)
def test_whatever_happens_to_the_disk_is_told_and_replaces_nothing(
    stresses: Any, stress: Any, what: str, first: int
) -> None:
    """At every fourth step each, so that something happens at every one; `scripts/stress writing` has all of everything."""
    way = stresses.Way(force=True, paid=True)
    for step in stresses.telling(stress.steps(way))[first::4]:
        stress.happen(way, what, step)
    assert stress.broken == []


@pytest.mark.thorough
def test_a_disk_that_fails_once_while_the_library_closes_the_file_is_told(
    stresses: Any, stress: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = stresses.Way(force=True, paid=False)
    steps = stress.steps(way)
    closing = [n for n in range(1, steps.index("close")) if steps[n - 1] == "write"][-5:]
    monkeypatch.setitem(stresses.HAPPENINGS, "failed-once", lambda: Once(OSError(errno.EIO, "broken")))
    for step in closing:
        stress.happen(way, "failed-once", step)
    assert stress.broken == []
    assert list(stress.ends) == [f"{way}: old-pair, exit code 6"]  # not a sentence: a key of the stress


@pytest.mark.thorough
@pytest.mark.parametrize("force", [False, True])
def test_under_a_limit_of_file_sizes_all_is_written_or_nothing(
    stresses: Any, stress: Any, monkeypatch: pytest.MonkeyPatch, *, force: bool
) -> None:
    """As if the disk filled up when room had been found for the bundle."""
    monkeypatch.setattr(atomic, "allocate", lambda *_: None)
    whole, text = stress.bytes
    for most in sorted(
        {0, 1, 511, 512, 513, text, text + 1, *range(700, whole, 3800), whole - 40, whole + 40}
    ):
        stress.limit(stresses.Way(force=force, paid=False), most)
    assert stress.broken == []
    assert {end.rpartition(" ")[2] for end in stress.ends} == {"0", "6"}


def test_every_write_of_a_build_is_a_step(stresses: Any, stress: Any) -> None:
    """A bundle's bytes pass through the steps: none is written behind their back."""
    steps = stress.steps(stresses.Way(force=True, paid=True))
    assert steps.count("write") == steps.count("rest-of-write") >= 20
    assert (
        steps[-20:]
        == [
            *("write", "rest-of-write", "fsync-file", "close"),  # the sidecar, the last that is written
            *("lock", "make", "lock", "replace", "fsync-folder"),  # the old one is put aside
            *("chmod", "fsync-file", "replace", "lock", "fsync-folder"),  # the bundle has its name
            *("chmod", "fsync-file", "replace", "lock", "fsync-folder"),
            "note-release",
            "unlink",  # of the old one
        ][-20:]
    )


@pytest.mark.thorough
def test_the_stress_notices_what_is_broken(
    stresses: Any, stress: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sidecar of another bundle, something half written, a bundle replaced unasked."""

    way = stresses.Way(force=True, paid=False)
    steps = stress.steps(way)
    with monkeypatch.context() as patch:
        patch.setattr(atomic, "_rename", lambda *_: None)
        stress.happen(way, "killed", steps.index("replace") + 5)
    assert any("BROKEN: unlike-pair" in fault for fault in stress.broken)
    stress.broken.clear()
    with monkeypatch.context() as patch:
        patch.setattr(targets, "sweep", lambda _: None)
        stress.happen(way, "killed", len(steps) // 2)
    assert any(".partial" in fault for fault in stress.broken)
    stress.broken.clear()
    with monkeypatch.context() as patch:
        for module in (atomic, targets):
            patch.setattr(module, "refuse_taken", lambda *_, **__: None)
        patch.setattr(Path, "hardlink_to", lambda self, other: other.rename(self) and other.touch())
        stress.happen(way, "killed", 3)
    assert any("replaced-unasked" in fault for fault in stress.broken)
