"""Values that are taken some at a time: all of them in order, and nothing in memory any more when they are used up."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from synthrelease.bundle.strict_hdf5.bundle_file import Stream


def pieces(*lengths: int, alive: list[Any] | None = None) -> Iterator[Any]:
    """Whole numbers from 0 on, so many in each piece."""
    start = 0
    for length in lengths:
        piece = np.arange(start, start + length)
        if alive is not None:
            alive.append(weakref.ref(piece))
        start += length
        yield piece


@pytest.mark.parametrize("number", [1, 2, 3, 5, 7, 12, 20])
def test_all_values_come_in_order_however_many_are_taken(number: int) -> None:
    stream, taken = Stream(pieces(5, 1, 6)), []
    while (some := stream.take(number)).size:
        assert some.size == number or sum(map(len, taken)) + some.size == 12
        taken.append(some)
    assert np.concatenate(taken).tolist() == list(range(12))


@pytest.mark.parametrize("number", [12, 6, 5, 3])
def test_nothing_of_a_stream_that_is_used_up_stays_in_memory(number: int) -> None:
    alive: list[Any] = []
    stream = Stream(pieces(6, 6, alive=alive))
    taken = sum(stream.take(number).size for _ in range(-(-12 // number)))
    gc.collect()
    assert taken == 12
    assert [ref() for ref in alive] == [None, None]
