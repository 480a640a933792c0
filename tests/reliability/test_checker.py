"""A file is examined in a process that may crash, hang or ask for too much: each is a finding, and the next file is examined."""

from __future__ import annotations

import errno
import faulthandler
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from forked import in_child
from goldens import check_text
from refusals import refused

import synthrelease
from synthrelease.bundle import checker, verification, verify
from synthrelease.bundle.examination import examine
from synthrelease.bundle.finding import Finding, Verification
from synthrelease.bundle.signing.expectations import NO_EXPECTATIONS


def answer_of(work: Callable[[], object], path: Path, **limits: float) -> dict[str, Any]:
    """What a checker says whose examination does something else; in a child, whose limits and functions are its own."""
    reached = path.with_suffix(".reached")

    def ask() -> bytes:
        faulthandler.disable()
        checker.examine = lambda *_, **__: reached.touch() or work() or Verification()  # type: ignore[assignment]
        for name, value in {"CPU_S_PER_MEGABYTE": 0.0, **limits}.items():
            setattr(checker, name, value)
        request = {
            "path": str(path),
            "shown": "r.h5",
            "quick": False,
            "allow_test_seed": False,
            "expected": NO_EXPECTATIONS.to_json(),
            "progress": False,
        }
        return json.dumps(checker._answer(request, asker_fd=None)).encode()

    found: dict[str, Any] = json.loads(in_child(ask))
    assert reached.exists()
    return found


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def abort() -> None:
    os.abort()


def spin() -> None:
    while True:
        pass


def sleep() -> None:
    time.sleep(1000)


def devour() -> None:
    held = []
    while True:
        held.append(bytes(1 << 24))


def recurse() -> None:
    recurse()


@pytest.mark.quick("crash-limits0-crashed", "devour-limits4-memory")
@pytest.mark.parametrize(
    ("work", "limits", "why"),
    [
        (crash, {}, "crashed"),
        (abort, {}, "crashed"),
        (spin, {"CPU_S": 1.0}, "time"),
        (sleep, {"CPU_S": 1.0, "WALL_PER_CPU_S": 1.0}, "time"),
        (devour, {"MEMORY_BYTES": 1 << 28}, "memory"),
    ],
)
def test_what_an_examination_comes_to_is_a_finding(
    bundle: Path, work: Callable[[], None], limits: dict[str, float], why: str
) -> None:
    answer = answer_of(work, bundle, **limits)
    ((code, where, found),) = answer["findings"]
    assert (code, where) == ("limits", "r.h5")
    check_text(f"limits/{why}", found)
    assert answer["checked"] == []
    assert answer["manifest"] is None


@pytest.mark.thorough
def test_an_honest_bundle_needs_a_small_part_of_the_limits(bundle: Path) -> None:
    code = (
        "import resource, sys\n"
        "from synthrelease.bundle import verification, verify\n"
        "assert verify(sys.argv[1]).ok\n"
        "verification.stop()\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime, used.ru_maxrss)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, bundle], capture_output=True, text=True, check=True)
    seconds, most = map(float, done.stdout.split())
    assert 0 < seconds < checker.CPU_S / 10
    assert 0 < most * (1 if sys.platform == "darwin" else 1024) < checker.MEMORY_BYTES / 4


def test_no_file_is_opened_while_the_library_has_one(bundle: Path) -> None:
    def attempts() -> bytes:
        seen = []
        with checker.no_file_is_opened():
            for path in (bundle, "/etc/passwd", "."):
                try:
                    seen.append(os.open(path, os.O_RDONLY))
                except OSError as error:
                    seen.append(error.errno)
        again = os.open(bundle, os.O_RDONLY)
        return json.dumps([*seen, again > 0]).encode()

    assert json.loads(in_child(attempts)) == [24, 24, 24, True]  # EMFILE


def test_the_same_is_found_here_and_there(bundle: Path, bundle_bytes: bytes) -> None:
    for content in (bundle_bytes, bundle_bytes[:-1], b"", bundle_bytes[:600]):
        bundle.write_bytes(content)
        for quick in (False, True):
            here, there = examine(bundle, quick=quick), verify(bundle, quick=quick)
            assert (here.findings, here.checked, here.manifest) == (
                there.findings,
                there.checked,
                there.manifest,
            )


def test_a_place_is_told_as_it_was_asked_for(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle.write_bytes(b"x")
    verify(bundle)  # the checker is there, in another folder
    monkeypatch.chdir(bundle.parent)
    assert verify("release.h5").findings[0].where == "release.h5"
    missing = Finding("unreadable", "nothing.h5", os.strerror(errno.ENOENT))
    assert verify("nothing.h5").findings == [missing]


def test_names_of_any_bytes(bundle: Path) -> None:
    strange = os.fsdecode(os.fsencode(bundle.parent) + b"/\xff \n'\"\xe2\x82\xac.h5")
    os.rename(bundle, strange)  # noqa: PTH104  bytes that are no text
    assert verify(strange).ok


def test_a_name_that_no_file_can_have() -> None:
    assert [one.code for one in verify("a\0b").findings] == ["unreadable"]


@pytest.mark.thorough
def test_a_checker_that_was_killed_is_started_again(bundle: Path) -> None:
    assert verify(bundle).ok
    process = verification._CHECKER._process
    assert process is not None
    process.kill()
    process.wait()
    assert verify(bundle).ok
    assert verification._CHECKER._process is not process


@pytest.mark.thorough
def test_many_threads_ask(bundle: Path, bundle_bytes: bytes, tmp_path: Path) -> None:
    bad = tmp_path / "bad.h5"
    bad.write_bytes(bundle_bytes[:-1])
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda path: verify(path, quick=True).ok, [bundle, bad] * 20))
    assert found == [True, False] * 20


def test_a_fork_does_not_share_the_checker(bundle: Path) -> None:
    assert verify(bundle, quick=True).ok
    own = verification._CHECKER._process
    assert own is not None
    child = json.loads(
        in_child(
            lambda: json.dumps(
                [verify(bundle, quick=True).ok, verification._CHECKER._process.pid != own.pid]  # type: ignore[union-attr]
            ).encode()
        )
    )
    assert child == [True, True]
    assert own.poll() is None
    assert verify(bundle, quick=True).ok


@pytest.mark.thorough
def test_a_fork_while_another_thread_asks(bundle: Path) -> None:
    """The lock that the other thread holds is no one's in the child."""
    with verification._CHECKER._lock:
        assert in_child(lambda: b"ok" if verify(bundle, quick=True).ok else b"") == b"ok"


@pytest.mark.thorough
def test_the_checker_ends_with_whoever_asks(bundle: Path) -> None:
    """Killed without a chance to say so, in the middle of a check."""
    code = (
        "import os, signal, sys, threading, time\n"
        "from synthrelease.bundle import verification, verify\n"
        "verify(sys.argv[1], quick=True)\n"
        "print(verification._CHECKER._process.pid, flush=True)\n"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGKILL)).start()\n"
        "while True: verify(sys.argv[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, bundle], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    _until_gone(int(done.stdout))


def _until_gone(pid: int) -> None:
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
            return  # a container's first process may not collect it
        time.sleep(0.05)
    raise AssertionError("the checker is still there")


@pytest.mark.thorough
def test_an_interrupt_ends_the_check_and_not_the_next_one(bundle: Path) -> None:
    assert verify(bundle).ok
    timer = threading.Timer(0.001, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012  it comes when it comes
        timer.start()
        while True:
            verify(bundle)
    assert verify(bundle).ok


@pytest.mark.thorough
def test_a_script_without_a_main_guard(bundle: Path, tmp_path: Path) -> None:
    """No process imports the script again: what it does is done once."""
    script = tmp_path / "script.py"
    script.write_text(f"import synthrelease\nprint(synthrelease.verify({str(bundle)!r}).ok)\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, env=environment
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_opening_refuses_what_the_check_refuses(bundle: Path, bundle_bytes: bytes) -> None:
    opened = synthrelease.open_bundle(bundle)
    assert opened["maps"]["heatmap"].shape == (2, 12, 16)
    bundle.write_bytes(bundle_bytes[:-1] + b"\0")
    with refused(synthrelease.errors.BundleError, "bundle-invalid", where=bundle):
        synthrelease.open_bundle(bundle)


@pytest.mark.thorough
def test_progress_is_told_where_it_takes_long(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int, int]] = []
    assert examine(bundle, progress=lambda *told: seen.append(told)).ok
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)
    assert 0.5 < seen[-1][1] / seen[-1][2] <= 1.0
    told: list[tuple[str, int, int]] = []
    monkeypatch.setattr(verification, "_CHECKER_MODULE", "checker_that_tells_all")
    verification.stop()
    try:
        assert verify(bundle, progress=lambda *one: told.append(one)).ok
    finally:
        verification.stop()
    assert told == seen
