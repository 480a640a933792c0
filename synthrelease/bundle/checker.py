"""The process that checks files for another: `verify` starts it and sends it requests, line by line.

Every file is examined in a child of its own with limits of memory and processor time; if the child crashes, hangs or needs too
much, that is a finding. The checker ends with the process that started it.
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
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from synthrelease.bundle import manifest as manifest_text
from synthrelease.bundle.checking import (
    CPU_S,
    CPU_S_PER_MEGABYTE,
    CRASHED,
    MEMORY_NOT_LIMITED,
    TOO_LONG,
    TOO_MUCH_MEMORY,
    WALL_PER_CPU_S,
    answer_of,
    answer_without_check,
    progress_to,
    size_of,
)
from synthrelease.bundle.examination import examine
from synthrelease.bundle.signing.expectations import SignatureExpectations

# Far above what the largest honest bundles need.
MEMORY_BYTES, MEMORY_PER_BYTE = 2 << 30, 16  # beyond what the checker has, and for each byte of the file
# Slow to import: once a child needed one, the checker imports it for the next children.
_IMPORTED_ON_DEMAND = ("dp_accounting", "scipy.optimize", "scipy.stats")


def serve() -> None:
    """Answer requests on standard input until there are no more."""
    manifest_text.load_schema()
    stream = sys.stdin.buffer
    for line in iter(stream.readline, b""):
        answer = _answer(json.loads(line), asker_fd=stream.fileno())
        loaded = answer.pop("loaded", ())
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
        sys.stdout.buffer.flush()
        for name in _IMPORTED_ON_DEMAND:  # once the asker has its answer
            if name in loaded:
                __import__(name)


def _answer(request: dict[str, Any], *, asker_fd: int | None) -> dict[str, Any]:
    size_bytes = size_of(request["path"])
    cpu_s = CPU_S + CPU_S_PER_MEGABYTE * size_bytes / 1e6
    read_fd, write_fd = os.pipe()
    child = os.fork()
    if child == 0:
        _in_child(request, write_fd, cpu_s, MEMORY_BYTES + MEMORY_PER_BYTE * size_bytes)
    os.close(write_fd)
    output, hung = _child_output(read_fd, asker_fd, time.monotonic() + WALL_PER_CPU_S * cpu_s)
    os.close(read_fd)
    if hung:
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 0:
        answer: dict[str, Any] = json.loads(output)
        return answer
    return answer_without_check(request, _failure_reason(status, hung=hung))


def _in_child(request: dict[str, Any], write_fd: int, cpu_s: float, memory_bytes: int) -> None:
    """Examine a file and end the process; 3 says that memory was not enough."""
    code = 1
    try:
        progress_fd = os.dup(1) if request["progress"] else None
        os.dup2(2, 1)  # what a library might print is no answer
        _limit(resource.RLIMIT_CPU, int(cpu_s))
        _limit(resource.RLIMIT_CORE, 0)
        memory_is_limited = _limit_memory(memory_bytes)
        before = set(sys.modules)
        verification = examine(
            request["path"],
            quick=request["quick"],
            allow_test_seed=request["allow_test_seed"],
            expected=SignatureExpectations.from_json(request["expected"]),
            touching=no_file_is_opened,
            progress=None if progress_fd is None else progress_to(progress_fd),
        )
        if not memory_is_limited:
            verification.not_done.append(MEMORY_NOT_LIMITED)
        answer = answer_of(verification, request) | {"loaded": sorted(set(sys.modules) - before)}
        with os.fdopen(write_fd, "wb") as pipe:
            pipe.write(json.dumps(answer).encode())
        code = 0
    except MemoryError:
        code = 3
    finally:
        os._exit(code)


@contextmanager
def no_file_is_opened() -> Iterator[None]:
    """While the HDF5 library works, leave it no descriptor to open a file with, whatever a file makes it do."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _limit_memory(memory_bytes: int) -> bool:
    """Limit the memory of this process beyond what it has already, and return whether that was possible: only Linux says how much it has."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        _limit(resource.RLIMIT_AS, pages * resource.getpagesize() + memory_bytes)
    except OSError:
        return False
    return True


def _limit(kind: int, limit: int) -> None:
    hard = resource.getrlimit(kind)[1]
    soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(kind, (soft, hard))


def _child_output(read_fd: int, asker_fd: int | None, deadline: float) -> tuple[bytes, bool]:
    """Return all that a child writes, and whether time was over before it ended."""
    pieces: list[bytes] = []
    while (remaining_s := deadline - time.monotonic()) > 0:
        watched = [read_fd] if asker_fd is None else [read_fd, asker_fd]
        ready, _, _ = select.select(watched, [], [], remaining_s)
        if asker_fd in ready:  # the process that asked is gone: the child ends with its group
            os.killpg(0, signal.SIGKILL)
        if read_fd in ready:
            piece = os.read(read_fd, 1 << 20)
            if not piece:
                return b"".join(pieces), False
            pieces.append(piece)
    return b"", True


def _failure_reason(status: int, *, hung: bool) -> str:
    if hung or status == -signal.SIGXCPU:
        return TOO_LONG
    return TOO_MUCH_MEMORY if status == 3 else CRASHED


if __name__ == "__main__":
    serve()
