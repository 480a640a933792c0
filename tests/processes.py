"""Processes below one another, as the system lists them."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path


def descendants(pid: int) -> dict[int, str]:
    """Return the processes that a process started, and those that they started, with their command lines."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found: dict[int, str] = {}
    below = list(children.get(pid, ()))
    while below:
        one = below.pop()
        with contextlib.suppress(OSError):
            found[one] = (Path("/proc") / str(one) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        below += children.get(one, ())
    return found


def workers(pid: int) -> list[int]:
    """Return the processes that make calls for another: of loky, or of Dask."""
    marks = ("loky.backend.popen_loky", "multiprocessing.spawn", "multiprocessing-fork")
    return [
        child
        for child, line in descendants(pid).items()
        if any(mark in line for mark in marks) and "resource_tracker" not in line
    ]


class KillsOne:
    """Kills a worker of this process when it is called first, whatever it is told."""

    def __init__(self) -> None:
        self.killed: list[int] = []

    def __call__(self, *_: object) -> None:
        found = [] if self.killed else workers(os.getpid())
        if found:
            os.kill(found[-1], signal.SIGKILL)
            self.killed.append(found[-1])
