"""Work in pieces that do not wait for each other, on one thread or several; on rows, in blocks that stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def in_threads(items: Sequence[T], work: Callable[[T], None], *, threads: int) -> None:
    """Do some work on each item, in any order.

    NumPy lets go of the interpreter while it sorts, searches and adds up, so threads share the work.
    """
    if min(threads, len(items)) <= 1:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(min(threads, len(items))) as pool:
        for _ in pool.map(work, items):
            pass


def in_blocks(rows: int, size: int, work: Callable[[slice], None], *, threads: int) -> None:
    """Do some work on rows, so many at a time.

    Args:
        rows: how many there are.
        size: of a block.
        work: on a block; blocks may be done in any order.
        threads: that share the work.
    """
    blocks = [slice(start, min(start + size, rows)) for start in range(0, rows, size)]
    in_threads(blocks, work, threads=threads)
