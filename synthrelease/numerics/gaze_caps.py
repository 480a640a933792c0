"""What a cap on gaze maps costs: Algorithm 1 of Liu et al. 2019 for all caps in one pass over what is not zero.

The paper caps n maps of r pixels anew for every cap: O(g_max·n·r). Only counts above the cap matter, and a person's
count c leaves that company once, at the cap m ≥ c; so one sort does.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.exact_norm import squared_norm


def excess_norms(
    pixel: NDArray[np.int64],
    count: NDArray[np.int64],
    caps: Sequence[int],
    *,
    people: NDArray[np.int64] | None = None,
) -> tuple[int, ...]:
    """Return what each cap cuts away of the sum of all people's maps: its squared norm, exactly.

    ‖D_m‖² = Σ_j D_m(j)², D_m(j) = Σ_i max(0, G_i(j) − m) = n·(G^(∞)(j) − G^(m)(j)), and with the number A_m(j) and
    the sum S_m(j) of the counts above m at pixel j, D_m = S_m − m·A_m. From one cap to the next only the counts in
    between leave A and S.

    Cost: O(N log N) for N counts that are not zero, and for each cap the pixels at which a count exceeds it;
    never people × pixels.

    Args:
        pixel: number of the pixel of each count, any integers, shape (N,).
        count: how often one person looked there, ≥ 0, shape (N,). Several people have several entries at a pixel;
            one person has one.
        caps: the candidates m ≥ 0, public, strictly increasing, shape (M,).
        people: how many people have that count there, below 2³¹, shape (N,); None for one each.

    Returns:
        ‖D_m‖² for each cap, as integers of any size, shape (M,).

    Raises:
        ValueError: shapes, types, signs or the order of the caps are wrong.
        OverflowError: the counts add up to 2⁶³ or more.

    Source: Liu et al. 2019, Algorithm 1 and Theorem 4.2.
    """
    people = np.ones_like(count) if people is None else people
    _check(pixel, count, people, caps)
    order = np.argsort(count, kind="stable")
    count, people = count[order], people[order]
    looks = count * people
    place = np.unique(pixel[order], return_inverse=True)[1]
    pixels = int(place.max(initial=-1)) + 1
    number, total = np.zeros(pixels, dtype=np.int64), np.zeros(pixels, dtype=np.int64)
    np.add.at(number, place, people)
    np.add.at(total, place, looks)
    stops = np.searchsorted(count, np.asarray(caps, dtype=np.int64), side="right")

    norms: list[int] = []
    start, live = 0, np.arange(pixels)
    for cap, stop in zip(caps, stops, strict=True):
        np.subtract.at(number, place[start:stop], people[start:stop])
        np.subtract.at(total, place[start:stop], looks[start:stop])
        live = live[number[live] > 0]
        norms.append(squared_norm(total[live] - cap * number[live]))
        start = stop
    return tuple(norms)


def _check(
    pixel: NDArray[np.int64], count: NDArray[np.int64], people: NDArray[np.int64], caps: Sequence[int]
) -> None:
    if pixel.ndim != 1 or not pixel.shape == count.shape == people.shape:
        raise ValueError(
            f"Expected arrays of one shape (N,), found {pixel.shape}, {count.shape} and {people.shape}"
        )
    for name, array in (("pixel", pixel), ("count", count)):
        if not np.issubdtype(array.dtype, np.signedinteger):
            raise ValueError(f"Expected signed integers in {name}, found {array.dtype}")
    if count.size and int(count.min()) < 0:
        raise ValueError("Expected count >= 0, found a negative one")
    if people.size and not 0 < int(people.min()) <= int(people.max()) < 2**31:
        raise ValueError("Expected people from 1 to below 2**31")
    if any(cap < 0 for cap in caps) or any(a >= b for a, b in pairwise(caps)):
        raise ValueError(f"Expected strictly increasing caps >= 0, found {list(caps)}")
    # Halves cannot overflow, and their sum bounds every sum that is made of the counts.
    high, low = int(((count >> 32) * people).sum()), int(((count & 0xFFFFFFFF) * people).sum())
    if (high << 32) + low >= 2**63:
        raise OverflowError("Expected counts that add up to less than 2**63")
