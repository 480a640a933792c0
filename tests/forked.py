"""Work in a forked child."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable


def in_child(work: Callable[[], bytes]) -> bytes:
    """Do `work` in a forked child and return what it sent through a pipe."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        # From Python 3.12 on a fork beside threads (BLAS, xdist) warns; the child here runs `work` only.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read)
            signal.alarm(30)  # a deadlock kills the child, and the test fails instead of hanging
            with os.fdopen(write, "wb") as pipe:
                pipe.write(work())
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        sent = pipe.read()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "the child failed"
    return sent
