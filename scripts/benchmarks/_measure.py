"""What the benchmarks share: interleaved medians, peak memory, targets, and a table."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import sys
import threading
import time
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Result = TypeVar("Result")
_LOOK_S = 0.1  # how often memory is looked at


@dataclass(frozen=True)
class Target:
    """A bound on a ratio, from above or from below."""

    bound: float
    at_most: bool

    def met(self, ratio: float) -> bool:
        """Say whether the ratio keeps to the bound."""
        return ratio <= self.bound if self.at_most else ratio >= self.bound

    def beside(self, ratio: float) -> str:
        """Describe the target and whether this ratio meets it."""
        return f"{'≤' if self.at_most else '≥'} {self.bound:g} {'met' if self.met(ratio) else 'MISSED'}"


def median_seconds(
    works: dict[str, Callable[[], object]],
    runs: int,
    *,
    every: dict[str, int] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Time each of `works` once in every run, so that all meet the same load; one run more warms up.

    `every` names the slow ones that take part in each second, third … run only. Where all of them keep to
    one thread, `clock=time.process_time` leaves out what other programs do meanwhile.
    """
    taken: dict[str, list[float]] = {name: [] for name in works}
    for number in range(runs + 1):
        for name, work in works.items():
            if number % (every or {}).get(name, 1) == 0:
                start = clock()
                work()
                taken[name].append(clock() - start)
    return {name: statistics.median(seconds[1:]) for name, seconds in taken.items()}


def peak_bytes(work: Callable[[], object]) -> int:
    """Return the most memory that Python and NumPy held at once for `work`, its result included."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def alone(work: Callable[..., Result], *arguments: object, **more: object) -> Result:
    """Call in a new process: no one else's memory and warm libraries, and its peak of memory is its own."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments, **more).result()


def resident_bytes() -> int:
    """Return the most memory that this process had resident so far.

    The kernel's count of this program alone is asked for first: `getrusage` also counts what the process that started
    it had resident when it did.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text("ascii").splitlines() if line.startswith("VmHWM:"))
        return 1024 * int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@contextmanager
def resident_of_all() -> Iterator[Callable[[], int]]:
    """Give what says how much this process and those that it started had resident together, at most, while looked at; on Linux."""
    most, ended = [0], threading.Event()

    def look() -> None:
        while not ended.wait(_LOOK_S):
            most[0] = max(most[0], sum(_resident_now(os.getpid())))

    watching = threading.Thread(target=look)
    watching.start()
    try:
        yield lambda: most[0]
    finally:
        ended.set()
        watching.join()


def _resident_now(process: int) -> Iterator[int]:
    """Bytes of a process and of each that it started."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
        children = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    except (FileNotFoundError, ProcessLookupError):  # it has ended
        return
    yield pages * resource.getpagesize()
    for child in children:
        yield from _resident_now(int(child))


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns as wide as their widest cell, the first to the left and the others to the right."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, ["─" * width for width in widths], *rows]:
        cells = [
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def machine(*packages: str) -> str:
    """Describe what the figures were measured on."""
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    return (
        f"Python {platform.python_version()}, {versions}; {platform.machine()}, {os.cpu_count()} processors"
    )
