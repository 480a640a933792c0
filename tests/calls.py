"""Calls for tests of pools: here, where workers can import them."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import NoReturn

import numpy as np

from synthrelease.kinds.contributions import Sums


def square(number: int) -> int:
    """Return the square, after a moment."""
    time.sleep(0.01)
    return number * number


def own_pid() -> int:
    """Return which process this is."""
    time.sleep(0.2)
    return os.getpid()


def threads_allowed() -> dict[str, str | None]:
    """Return what inner libraries are told, and what one of them made of it."""
    import polars as pl

    told = {name: os.environ.get(name) for name in ("OMP_NUM_THREADS", "POLARS_MAX_THREADS")}
    return {**told, "polars": str(pl.thread_pool_size())}


def refuse(word: str) -> NoReturn:
    """Raise an error whose text no report may repeat."""
    raise ValueError(word)


def give_what_cannot_travel() -> object:
    """Return what cannot be pickled."""
    return threading.Lock()


def die() -> NoReturn:
    """Be killed, as if the system were short of memory."""
    time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def die_first(marker: Path) -> str:
    """Be killed the first time, and say so the second."""
    if not marker.exists():
        marker.touch()
        die()
    return "alive"


def added(one: list[int], other: list[int]) -> list[int]:
    """Join two lists, in whatever order they come."""
    return sorted([*one, *other])


def sums(number: int) -> Sums:
    """Return what some people contribute, too much for one message of a cluster's to copy."""
    return Sums({"maps": np.full(200_000, number), "one": np.array([number])})


def joined(one: Sums, other: Sums) -> Sums:
    """Return what all of them contribute."""
    return one.joined(other)


def listed(number: int) -> list[int]:
    """Return a list of one."""
    return [number]
