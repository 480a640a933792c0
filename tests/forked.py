"""Work in a forked child."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from functools import partial


def in_child(work: Callable[[], bytes]) -> bytes:
    """Do `work` in a forked child and return what it sent through a pipe."""
    sent, status = _child(lambda pipe: pipe.write(work()) and None)
    assert status == 0, "the child failed"
    return sent


def ended(work: Callable[[], object]) -> tuple[int, str]:
    """Do `work` in a forked child and return how it ended (minus the signal, if by one) and what it printed."""

    def printing(pipe: io.BufferedWriter) -> int:
        sys.stdout = sys.stderr = io.TextIOWrapper(pipe, "utf-8", write_through=True)
        return _exit_code(work)

    sent, status = _child(printing)
    return status, sent.decode()


def at_once(works: Sequence[Callable[[], object]]) -> list[int]:
    """Do all of it in a forked child each, side by side, and return how they ended."""
    children = [_forked(partial(_exit_code, work)) for work in works]
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def _child(work: Callable[[io.BufferedWriter], int | None]) -> tuple[bytes, int]:
    read, write = os.pipe()

    def writing() -> int | None:
        os.close(read)
        with os.fdopen(write, "wb") as pipe:
            return work(pipe)

    child = _forked(writing)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        sent = pipe.read()
    return sent, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _exit_code(work: Callable[[], object]) -> int:
    try:
        work()
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:  # noqa: BLE001  whoever asked sees it
        traceback.print_exc()
        return 99
    return 0


def _forked(work: Callable[[], int | None]) -> int:
    with warnings.catch_warnings():
        # From Python 3.12 on a fork beside threads (BLAS, xdist) warns; the child here runs `work` only.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(30)  # a deadlock kills the child, and the test fails instead of hanging
            status = work() or 0
        finally:
            os._exit(status)
    return child
