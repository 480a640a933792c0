"""Series as integers, slowly: in Python's integers, chunk by chunk and step by step."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.fourier import basis
from synthrelease.numerics.signal_form import DCFPA, LPA, SignalForm
from synthrelease.numerics.steps import HALF_RANGE

Integers = NDArray[np.int64]
H = HALF_RANGE


def slow_product(series: Sequence[int], rows: NDArray, *, bound: int) -> list[int]:
    """What `numerics.exact_product` claims: every row rounded to integers, times the series, cut toward zero."""
    bits = 52 - bound.bit_length() - math.isqrt(2 * len(series)).bit_length()
    found = []
    for row in rows.tolist():
        total = sum(x * round(math.ldexp(c, bits)) for x, c in zip(series, row, strict=True))
        found.append((abs(total) >> bits) * (1 if total >= 0 else -1))
    return found


def full(form: SignalForm) -> SignalForm:
    """The same at full band, and without a limit of changes or a smaller ball."""
    return replace(form, frequencies=(form.chunk or form.length) // 2 + 1, max_change=None, clip=1.0)


def some_series(length: int, *, people: int = 24, seed: int = 0) -> Integers:
    """Noise, signs, constants and ramps, within the bounds and at them."""
    rng = np.random.default_rng((seed, people, length))
    series = rng.integers(-H, H + 1, (people, length))
    series[1::4] = H * rng.choice([-1, 1], series[1::4].shape)
    series[2::4] = rng.choice([-H, -1, 0, 1, H], (len(series[2::4]), 1))
    series[3::4] = np.linspace(-H, H, length).astype(np.int64) * rng.choice([-1, 1])
    return series


def corners(length: int) -> Integers:
    """Every series of ±H."""
    return H * np.array(list(itertools.product((-1, 1), repeat=length)))


def slow_chunks(series: list[int], form: SignalForm) -> list[list[int]]:
    side = form.chunk or form.length
    return [series[start : start + side] for start in range(0, len(series), side)]


def slow_changes(chunk: list[int], limit: int | None) -> list[int]:
    """The first value, then the changes of a series that follows the chunk as fast as it may."""
    changes, reached = [chunk[0]], chunk[0]
    for value in chunk[1:]:
        change = value - reached
        if limit is not None and change > limit:
            change = limit
        if limit is not None and change < -limit:
            change = -limit
        changes.append(change)
        reached += change
    return changes


def slow_integers(series: list[int], form: SignalForm) -> list[list[int]]:
    """What `integers` claims of one series before clipping, chunk by chunk."""
    if form.mechanism == LPA:
        return [series]
    found = []
    for chunk in slow_chunks(series, form):
        rows = basis(len(chunk), min(form.frequencies or 0, len(chunk) // 2 + 1))
        if form.mechanism == DCFPA:
            found.append(slow_product(slow_changes(chunk, form.max_change), rows, bound=2 * H))
        else:
            found.append(slow_product(chunk, rows, bound=H))
    return found


def followed(series: Integers, form: SignalForm) -> Integers:
    """The series that a limit of changes makes of each."""
    return np.array(
        [
            [v for chunk in slow_chunks(row, form) for v in np.cumsum(slow_changes(chunk, form.max_change))]
            for row in series.tolist()
        ]
    )
