"""The process that checks files for another: `verify` starts it and asks it, line by line.

Every file is examined in a child of its own with limits of memory and processor time; if the child crashes, hangs or needs too
much, that is a finding. When the process that asks is gone, so is the checker.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from synthrelease.bundle import manifest as manifest_text
from synthrelease.bundle.examination import examine
from synthrelease.bundle.finding import Verification
from synthrelease.bundle.signing.expectations import Asked
from synthrelease.bundle.verification import answer_without_check
from synthrelease.parallel import Progress

# What the largest honest bundles need is far below; of a file of some bytes nobody may ask for more.
SECONDS, SECONDS_A_MEGABYTE = 120.0, 10.0  # of processor time
MEMORY, MEMORY_A_BYTE = 2 << 30, 16  # bytes beyond what the checker has, and for each byte of the file
_SLOWNESS = 10.0  # of the wall clock, on a machine with much else to do
_BETWEEN = 0.2  # seconds between two words of progress
# What a child had to load and the next one should find.
_LATER = ("dp_accounting", "scipy.optimize", "scipy.stats")


def serve() -> None:
    """Answer requests on standard input until there are no more."""
    manifest_text.load_schemas()
    stream = sys.stdin.buffer
    for line in iter(stream.readline, b""):
        answer = _answer(json.loads(line), asker=stream.fileno())
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()


def _answer(request: dict[str, Any], *, asker: int | None) -> dict[str, Any]:
    try:
        size = Path(request["path"]).stat().st_size
    except (OSError, ValueError):  # no such file, or no name that a file could have
        size = 0
    seconds = SECONDS + SECONDS_A_MEGABYTE * size / 1e6
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        _in_child(request, write, seconds, MEMORY + MEMORY_A_BYTE * size)
    os.close(write)
    sent, hung = _sent(read, asker, time.monotonic() + _SLOWNESS * seconds)
    os.close(read)
    if hung:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 0:
        answer: dict[str, Any] = json.loads(sent)
        for name in answer.pop("loaded"):
            if name in _LATER:
                __import__(name)
        return answer
    return answer_without_check(request, _why(status, hung=hung))


def _in_child(request: dict[str, Any], write: int, seconds: float, memory: int) -> None:
    """Examine a file and end the process; 3 says that memory was not enough."""
    code = 1
    try:
        watching = os.dup(1) if request["progress"] else None
        os.dup2(2, 1)  # what a library might print is no answer
        _limit(resource.RLIMIT_CPU, int(seconds))
        _limit(resource.RLIMIT_CORE, 0)
        with suppress(OSError):  # only Linux says how much there is already
            pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
            _limit(resource.RLIMIT_AS, pages * resource.getpagesize() + memory)
        before = set(sys.modules)
        found = examine(
            request["path"],
            quick=request["quick"],
            allow_test_seed=request["allow_test_seed"],
            asked=Asked.of_json(request["asked"]),
            touching=no_file_is_opened,
            progress=None if watching is None else _teller(watching),
        )
        answer = _as_json(found, request, sorted(set(sys.modules) - before))
        with os.fdopen(write, "wb") as pipe:
            pipe.write(json.dumps(answer).encode())
        code = 0
    except MemoryError:
        code = 3
    finally:
        os._exit(code)


def _teller(watching: int) -> Progress:
    """Return what tells whoever asked how far it is, some times a second."""
    next_time = time.monotonic() + _BETWEEN

    def tell(what: str, done: int, total: int) -> None:
        nonlocal next_time
        if time.monotonic() >= next_time:
            os.write(watching, json.dumps({"progress": [what, done, total]}).encode() + b"\n")
            next_time = time.monotonic() + _BETWEEN

    return tell


def _as_json(found: Verification, request: dict[str, Any], loaded: list[str]) -> dict[str, Any]:
    shown = {request["path"]: request["shown"]}  # as whoever asked named it
    manifest = found.manifest
    return {
        "findings": [(one.code, shown.get(one.where, one.where), one.message) for one in found.findings],
        "checked": found.checked,
        "signed_by": found.signed_by,
        "manifest": None if manifest is None else manifest_text.to_bytes(manifest).decode(),
        "loaded": loaded,
    }


@contextmanager
def no_file_is_opened() -> Iterator[None]:
    """As long as the HDF5 library is at work: whatever it is talked into, it has no descriptor left to open a file with."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))


def _limit(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (allowed, hard))


def _sent(read: int, asker: int | None, deadline: float) -> tuple[bytes, bool]:
    """Return all that a child sends, and whether time was over before it ended."""
    pieces: list[bytes] = []
    while (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([read] if asker is None else [read, asker], [], [], left)
        if asker in ready:  # nobody is there any more to ask or to be answered: the child ends with its group
            os.killpg(0, signal.SIGKILL)
        if read in ready:
            piece = os.read(read, 1 << 20)
            if not piece:
                return b"".join(pieces), False
            pieces.append(piece)
    return b"", True


def _why(status: int, *, hung: bool) -> str:
    if hung or status == -signal.SIGXCPU:
        return "checking it takes longer than a bundle of its size may"
    if status == 3:
        return "checking it needs more memory than a bundle of its size may"
    return "checking it crashed: the file was made to do so, or found a defect of the HDF5 library"
