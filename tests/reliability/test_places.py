"""Where a bundle cannot go, or cannot any more; and two that go to one place."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner
from forked import at_once, ended

from synthrelease import builder
from synthrelease.builder import build_job
from synthrelease.bundle import open_bundle, verify
from synthrelease.bundle.manifest import to_bytes
from synthrelease.cli import main
from synthrelease.errors import MachineError

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"
NOBODY = 65534


@pytest.fixture(scope="module")
def stress() -> Iterator[Any]:
    """Builds in a folder that an unprivileged user may reach."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        stresses = importlib.import_module("stresses.writing")
    finally:
        sys.path.remove(str(SCRIPTS))
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        builds = stresses.Stress(folder)
        place = builds.place(stresses.Way(force=False, paid=False))
        for _ in range(
            2
        ):  # all modules of a command, and of its errors: others may not be allowed to read them
            CliRunner().invoke(main, ["build", str(place.plan), "-o", str(place.bundle)])
        yield SimpleNamespace(builds=builds, Way=stresses.Way)
    finally:
        shutil.rmtree(folder)


def build(
    stress: Any, place: Any, *, force: bool = False, paid: bool = False, before: Callable[[], Any] = int
) -> Any:
    """Build in a process of a user who is nobody, after something was done in it."""

    def work() -> None:
        if os.getuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        before()
        stress.builds.command(place, stress.Way(force=force, paid=paid))

    return ended(work)


def make(stress: Any, *, force: bool = False, paid: bool = False) -> Any:
    """Return a new place that belongs to nobody."""
    place = stress.builds.place(stress.Way(force=force, paid=paid))
    if os.getuid() == 0:
        for path in (place.folder, *place.folder.iterdir()):
            os.chown(path, NOBODY, NOBODY)
    return place


def while_it_is_verified(what: Callable[[], object]) -> Callable[[], None]:
    """Do something when all is written and nothing has its name."""

    def patch() -> None:
        real = builder.examine

        def late(*arguments: Any, **options: Any) -> Any:
            what()
            return real(*arguments, **options)

        builder.examine = late

    return patch


def while_it_is_drawn(what: Callable[[], object]) -> Callable[[], None]:
    """Do something when noise was drawn and nothing is written."""

    def patch() -> None:
        real = builder.compose_manifest

        def late(*arguments: Any, **options: Any) -> Any:
            what()
            return real(*arguments, **options)

        builder.compose_manifest = late

    return patch


# --- before anything is paid


def refused(stress: Any, place: Any, *words: str, force: bool = False) -> None:
    """Refuse, for nothing, with a message that holds these words."""
    before = sorted(path.name for path in place.folder.iterdir())
    code, said = build(stress, place, force=force, paid=True)
    assert code == 6, said
    assert said.startswith("error: ")
    assert "Traceback" not in said
    for word in words:
        assert word in said
    assert sorted(path.name for path in place.folder.iterdir()) == before
    assert place.entries() == ["created", "grant"]


def test_a_folder_that_may_not_be_written(stress: Any) -> None:
    place = make(stress, paid=True)
    place.folder.chmod(0o555)
    refused(stress, place, "cannot be written", "may not be read and written", str(place.bundle))
    place.folder.chmod(0o333)
    code, said = build(stress, place, paid=True)
    place.folder.chmod(0o755)
    assert code in (3, 6), said  # if it can read the plan: its names could not be asked to the disk
    assert place.entries() == ["created", "grant"]


@pytest.mark.parametrize("length", [227, 300, 5000])
def test_a_name_that_is_too_long(stress: Any, length: int) -> None:
    """Its manifest's partial file has the longest: of 255 bytes 18 are that, and 14 in the place of .h5 `.manifest.json`."""
    place = make(stress, paid=True)
    long = SimpleNamespace(
        plan=place.plan,
        bundle=place.folder / f"{'r' * (length - 3)}.h5",
        folder=place.folder,
        entries=place.entries,
    )
    refused(stress, long, "too long", "shorter name", "at most 237")


def test_the_longest_name(stress: Any) -> None:
    place = make(stress)
    long = SimpleNamespace(plan=place.plan, bundle=place.folder / f"{'é' * 111}x.h5")
    code, said = build(stress, long)
    assert code == 0, said
    assert verify(long.bundle).ok


def test_a_path_that_is_too_long(stress: Any) -> None:
    place = make(stress, paid=True)
    deep = SimpleNamespace(
        plan=place.plan,
        bundle=place.folder / "x/.." / ("y/" * 3000) / "r.h5",
        folder=place.folder,
        entries=place.entries,
    )
    refused(stress, deep, "cannot be written", "to do:")


@pytest.mark.parametrize("name", ["r.h5", "r.manifest.json"])
@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_file_is_not_replaced(stress: Any, name: str, *, force: bool) -> None:
    place = make(stress, paid=True)
    (place.folder / name).mkdir()
    refused(stress, place, "is a folder", name, force=force)
    (place.folder / name).rmdir()
    os.mkfifo(place.folder / name)
    refused(stress, place, "device", name, force=force)


@pytest.mark.parametrize("name", ["r.h5", "r.manifest.json"])
@pytest.mark.parametrize("leads", ["nowhere", "to itself", "to a file"])
def test_a_link_is_a_file_of_its_name_and_never_followed(stress: Any, name: str, leads: str) -> None:
    place = make(stress, paid=True)
    other = place.folder / "plan.toml.old"
    if leads == "to a file":
        other.write_text("precious")
    (place.folder / name).symlink_to(name if leads == "to itself" else other.name)
    refused(stress, place, "exists already", name, "--force")
    code, said = build(stress, place, force=True, paid=True)
    assert code == 0, said
    assert not place.bundle.is_symlink()
    assert not place.sidecar.is_symlink()
    assert verify(place.bundle).ok
    assert place.sidecar.read_bytes() == to_bytes(open_bundle(place.bundle).manifest)
    assert other.exists() == (leads == "to a file")
    assert place.read(other) == (b"precious" if leads == "to a file" else None)


def test_what_a_killed_build_left_is_removed_by_one_that_is_refused(stress: Any) -> None:
    place = make(stress, force=True)
    for name in (".r.h5.a2345678.partial", ".r.manifest.json.b2345678.partial"):
        (place.folder / name).touch()
    code, said = build(stress, place)
    if os.getuid() == 0:  # not its own, nor anybody's
        assert len(place.left()) == 2
        for name in place.left():
            os.chown(place.folder / name, NOBODY, NOBODY)
        code, said = build(stress, place)
    assert code == 6
    assert "exists already" in said
    assert place.left() == []


# --- after it was paid


def failed(place: Any, code: int, said: str, *words: str) -> None:
    """Say what, where, and what it costs; and leave what was there."""
    assert code == 6, said
    assert said.startswith("error: ")
    assert str(place.folder / "r.") in said
    for word in (*words, "the ledger counts this release, since noise was drawn"):
        assert word in said


@pytest.mark.parametrize("when", [while_it_is_drawn, while_it_is_verified])
@pytest.mark.parametrize("force", [False, True])
def test_a_permission_that_is_lost(stress: Any, when: Any, *, force: bool) -> None:
    place = make(stress, force=force, paid=True)
    code, said = build(stress, place, force=force, paid=True, before=when(lambda: place.folder.chmod(0o555)))
    failed(place, code, said, "Permission denied", "may be written")
    left = place.left()
    assert all(f"{name}" in said for name in left)
    assert ("the next build does" in said) == bool(left) == (when is while_it_is_verified)
    assert place.read(place.bundle) == (stress.builds.old[0] if force else None)
    assert place.read(place.sidecar) == (stress.builds.old[1] if force else None)
    place.folder.chmod(0o755)
    code, said = build(stress, place, force=force, paid=True)
    assert code == 0, said
    assert place.left() == []


@pytest.mark.parametrize("when", [while_it_is_drawn, while_it_is_verified])
@pytest.mark.parametrize("how", ["deleted", "moved"])
def test_a_folder_that_vanishes(stress: Any, when: Any, how: str) -> None:
    place = make(stress, paid=True)
    inner = place.folder / "out"
    inner.mkdir()
    if os.getuid() == 0:
        os.chown(inner, NOBODY, NOBODY)
    to = SimpleNamespace(plan=place.plan, bundle=inner / "r.h5", folder=inner)
    gone = (
        (lambda: shutil.rmtree(inner)) if how == "deleted" else (lambda: inner.rename(place.folder / "moved"))
    )
    code, said = build(stress, to, paid=True, before=when(gone))
    failed(
        to, code, said, "No such file or directory", "what became of the folder", "nothing was left behind"
    )
    assert "Traceback" not in said
    assert not inner.exists()


@pytest.mark.parametrize("force", [False, True])
def test_a_name_that_becomes_a_folder(stress: Any, *, force: bool) -> None:
    place = make(stress, paid=True)
    code, said = build(stress, place, force=force, paid=True, before=while_it_is_verified(place.bundle.mkdir))
    failed(place, code, said, "folder", "nothing was left behind")
    assert place.bundle.is_dir()
    assert not place.sidecar.exists()
    assert place.left() == []


@pytest.mark.parametrize("name", ["r.h5", "r.manifest.json"])
@pytest.mark.parametrize("link", [False, True])
def test_a_name_that_somebody_else_took(stress: Any, name: str, *, link: bool) -> None:
    place = make(stress, paid=True)
    other = place.folder / name

    def take() -> None:
        if link:
            other.symlink_to("elsewhere")
        else:
            other.write_text("mine")

    code, said = build(stress, place, paid=True, before=while_it_is_verified(take))
    failed(place, code, said, "exists already", name, "nothing was left behind")
    assert sorted({"r.h5", "r.manifest.json", "elsewhere"} & {p.name for p in place.folder.iterdir()}) == [
        name
    ]
    assert other.is_symlink() == link
    assert link or other.read_text() == "mine"
    assert place.left() == []


# --- two of one place


def begun(place: Any, *, force: bool) -> Any:
    """Return a build that has made its partial files and waits to write them."""
    job = build_job(place.plan, place.bundle, force=force)
    asking = next(job)
    while asking.what != "writing and verifying":
        results = [call.function(*call.arguments) for call in asking.calls]
        asking = job.send(results[0] if asking.join else results)
    return job, asking


def finished(job: Any, asking: Any) -> None:
    (call,) = asking.calls
    with pytest.raises(StopIteration):
        job.send([call.function(*call.arguments)])


@pytest.mark.parametrize("force", [False, True])
def test_of_two_builds_of_one_name_neither_removes_the_other_s_files(stress: Any, *, force: bool) -> None:
    place = stress.builds.place(stress.Way(force=force, paid=False))
    slow = begun(place, force=force)
    assert len(place.left()) == 2
    built = builder.build(place.plan, place.bundle, force=force)
    quick = built.path.read_bytes()
    assert len(place.left()) == 2
    if force:
        finished(*slow)
        assert place.bundle.read_bytes() != quick
    else:
        with pytest.raises(MachineError, match="exists already"):
            finished(*slow)
        assert place.bundle.read_bytes() == quick
    assert place.left() == []
    assert verify(place.bundle).ok
    assert place.sidecar.read_bytes() == to_bytes(open_bundle(place.bundle).manifest)


@pytest.mark.parametrize("force", [False, True])
def test_many_builds_of_one_name_at_once(stress: Any, *, force: bool) -> None:
    """One wins, and the others are refused, or replace it; a bundle stands beside its own manifest."""
    place = stress.builds.place(stress.Way(force=force, paid=False))

    def work() -> None:
        sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  for the life of the process
        for _ in range(5 if force else 1):
            stress.builds.command(place, stress.Way(force=force, paid=False))

    codes = at_once([work] * 4)
    assert sorted(codes) == ([0, 0, 0, 0] if force else [0, 6, 6, 6])
    assert place.left() == []
    assert verify(place.bundle).ok
    assert place.sidecar.read_bytes() == to_bytes(open_bundle(place.bundle).manifest)
