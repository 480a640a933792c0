"""Where a bundle cannot go, or cannot any more; and two that go to one place."""

from __future__ import annotations

import errno
import importlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import refusals
from click.testing import CliRunner
from forked import at_once, ended
from goldens import check_text, figures

from synthrelease.building import builder
from synthrelease.building.builder import build_job
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
        yield SimpleNamespace(
            builds=builds, Way=stresses.Way, refusal=stresses.refusal, counted=stresses.counted
        )
    finally:
        shutil.rmtree(folder)


def build(
    stress: Any, place: Any, *, force: bool = False, paid: bool = False, before: Callable[[], Any] = int
) -> Any:
    """Build in a process of a user who is no one, after something was done in it."""

    def work() -> None:
        if os.getuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        before()
        stress.builds.command(place, stress.Way(force=force, paid=paid))

    return ended(work)


def make(stress: Any, *, force: bool = False, paid: bool = False) -> Any:
    """Return a new place that belongs to no one."""
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


def refused(stress: Any, place: Any, code: str, where: str, *, force: bool = False) -> dict[str, Any]:
    """Refuse, for nothing; return what is said to a program."""
    before = sorted(path.name for path in place.folder.iterdir())
    exit_code, said = build(stress, place, force=force, paid=True)
    error = refusal(stress, exit_code, said)
    assert (error["code"], where in error["where"]) == (code, True), said
    assert sorted(path.name for path in place.folder.iterdir()) == before
    assert place.entries() == ["created", "grant"]
    return error


def refusal(stress: Any, exit_code: int, said: str) -> dict[str, Any]:
    """Return what is said to a program by a build that a person is told of, too."""
    assert exit_code == 6, said
    assert "\nerror: " in said
    assert "Traceback" not in said
    error: dict[str, Any] = stress.refusal(said)
    assert error["kind"] == "MachineError"
    return error


def test_a_folder_that_may_not_be_written(stress: Any) -> None:
    place = make(stress, paid=True)
    place.folder.chmod(0o555)
    refused(stress, place, "cannot-write", str(place.bundle))
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
    error = refused(stress, long, "name-too-long", long.bundle.name)
    assert figures(error["expected"]) == [237]


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
    refused(stress, deep, "cannot-write", "/y/")


@pytest.mark.parametrize("name", ["r.h5", "r.manifest.json"])
@pytest.mark.parametrize("force", [False, True])
def test_what_is_no_file_is_not_replaced(stress: Any, name: str, *, force: bool) -> None:
    place = make(stress, paid=True)
    (place.folder / name).mkdir()
    refused(stress, place, "output-is-folder", name, force=force)
    (place.folder / name).rmdir()
    os.mkfifo(place.folder / name)
    refused(stress, place, "output-is-no-file", name, force=force)


@pytest.mark.parametrize("name", ["r.h5", "r.manifest.json"])
@pytest.mark.parametrize("leads", ["nowhere", "itself", "file"])
def test_a_link_is_a_file_of_its_name_and_never_followed(stress: Any, name: str, leads: str) -> None:
    place = make(stress, paid=True)
    other = place.folder / "plan.toml.old"
    if leads == "file":
        other.write_text("precious")
    (place.folder / name).symlink_to(name if leads == "itself" else other.name)
    assert "--force" in refused(stress, place, "file-exists", name)["remedy"]
    code, said = build(stress, place, force=True, paid=True)
    assert code == 0, said
    assert not place.bundle.is_symlink()
    assert not place.sidecar.is_symlink()
    assert verify(place.bundle).ok
    assert place.sidecar.read_bytes() == to_bytes(open_bundle(place.bundle).manifest)
    assert other.exists() == (leads == "file")
    assert place.read(other) == (b"precious" if leads == "file" else None)


def test_what_a_killed_build_left_is_removed_by_one_that_is_refused(stress: Any) -> None:
    place = make(stress, force=True)
    for name in (".r.h5.a2345678.partial", ".r.manifest.json.b2345678.partial"):
        (place.folder / name).touch()
    code, said = build(stress, place)
    if os.getuid() == 0:  # not its own, nor anyone's
        assert len(place.left()) == 2
        for name in place.left():
            os.chown(place.folder / name, NOBODY, NOBODY)
        code, said = build(stress, place)
    assert refusal(stress, code, said)["code"] == "file-exists"
    assert place.left() == []


# --- after it was paid


def failed(stress: Any, place: Any, exit_code: int, said: str, code: str) -> dict[str, Any]:
    """Say what, where, and what it costs; and leave what was there."""
    error = refusal(stress, exit_code, said)
    assert (error["code"], error["where"].startswith(str(place.folder / "r."))) == (code, True), said
    assert stress.counted() in error["remedy"]
    return error


@pytest.mark.parametrize("when", [while_it_is_drawn, while_it_is_verified])
@pytest.mark.parametrize("force", [False, True])
def test_a_permission_that_is_lost(stress: Any, when: Any, *, force: bool) -> None:
    place = make(stress, force=force, paid=True)
    code, said = build(stress, place, force=force, paid=True, before=when(lambda: place.folder.chmod(0o555)))
    error = failed(stress, place, code, said, "cannot-write")
    assert error["found"] == os.strerror(errno.EACCES)
    left = place.left()
    assert left  # who may not write a folder cannot remove either
    assert all(name in error["remedy"] for name in left)
    remedy = re.sub(r"\w{8}\.partial", "{random}.partial", error["remedy"])
    check_text("writing/permission-lost", remedy)
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
    error = failed(stress, to, code, said, "cannot-write")
    assert error["found"] == os.strerror(errno.ENOENT)
    check_text("writing/folder-gone", error["remedy"])
    assert not inner.exists()


@pytest.mark.parametrize("force", [False, True])
def test_a_name_that_becomes_a_folder(stress: Any, *, force: bool) -> None:
    place = make(stress, paid=True)
    code, said = build(stress, place, force=force, paid=True, before=while_it_is_verified(place.bundle.mkdir))
    error = failed(stress, place, code, said, "cannot-write" if force else "output-is-folder")
    assert error["found"] == (os.strerror(errno.EISDIR) if force else "")
    assert place.bundle.is_dir()
    assert not place.sidecar.exists()
    assert place.left() == []


@pytest.mark.parametrize("name", ["r.h5", "r.manifest.json"])
@pytest.mark.parametrize("link", [False, True])
def test_a_name_that_someone_else_took(stress: Any, name: str, *, link: bool) -> None:
    place = make(stress, paid=True)
    other = place.folder / name

    def take() -> None:
        if link:
            other.symlink_to("elsewhere")
        else:
            other.write_text("mine")

    code, said = build(stress, place, paid=True, before=while_it_is_verified(take))
    assert failed(stress, place, code, said, "file-exists")["where"] == str(other)
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
    while asking.calls[0].function is not builder._write_and_verify:
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
    with refusals.refused(MachineError, "being-written", where=place.bundle):
        builder.build(place.plan, place.bundle, force=force)
    assert len(place.left()) == 2
    finished(*slow)
    assert place.left() == []
    assert verify(place.bundle).ok
    assert place.sidecar.read_bytes() == to_bytes(open_bundle(place.bundle).manifest)


@pytest.mark.parametrize("force", [False, True])
def test_many_builds_of_one_name_at_once(stress: Any, *, force: bool) -> None:
    """One at a time writes it, and the others are refused; a bundle stands beside its own manifest."""
    place = stress.builds.place(stress.Way(force=force, paid=False))

    def work() -> None:
        sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  for the life of the process
        for _ in range(5 if force else 1):
            stress.builds.command(place, stress.Way(force=force, paid=False))

    codes = at_once([work] * 4)
    assert set(codes) <= {0, 6}
    assert codes.count(0) == 1 or force
    assert place.left() == []
    assert verify(place.bundle).ok
    assert place.sidecar.read_bytes() == to_bytes(open_bundle(place.bundle).manifest)
