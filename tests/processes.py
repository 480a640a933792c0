"""Processes below one another, as the system lists them."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
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


@contextlib.contextmanager
def a_worker_killed(after_s: float) -> Iterator[list[int]]:
    """Kill a worker of this process so long after it was seen first; give the list of those that were."""
    killed: list[int] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            if found := workers(os.getpid()):
                if done.wait(after_s):
                    return
                alive = [one for one in workers(os.getpid()) if one in found] or found
                with contextlib.suppress(ProcessLookupError):
                    os.kill(alive[-1], signal.SIGKILL)
                    killed.append(alive[-1])
                return
            time.sleep(0.02)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield killed
    finally:
        done.set()
        thread.join()
