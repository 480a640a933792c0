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
    left = np.searchsorted(count, np.asarray(caps, dtype=np.int64), side="right")

    norms: list[int] = []
    start, live = 0, np.arange(pixels)
    for cap, stop in zip(caps, left, strict=True):
        np.subtract.at(number, place[start:stop], people[start:stop])
        np.subtract.at(total, place[start:stop], looks[start:stop])
        live = live[number[live] > 0]
        norms.append(squared_norm(total[live] - cap * number[live]))
        start = stop
    return tuple(norms)


def expected_mse(
    excess_norms: Sequence[int], sigmas: NDArray[np.float64], *, people: int, pixels: int
) -> NDArray[np.float64]:
    """Return the expected mean squared error of the noised, capped mean map against the uncapped mean map.

    E[MSE(m)] = σ(m)² + ‖D_m‖²/(n²·r): noise, and what the cap cuts away.

    Args:
        excess_norms: ‖D_m‖² of `excess_norms`, shape (M,).
        sigmas: σ(m), standard deviation of the noise in a pixel of the *mean* map, shape (M,): m·σ* in the paper,
            Δ₂(m, T)·σ₁(ε, δ)/n where each person's total is bounded by T.
        people: n > 0.
        pixels: r > 0, all pixels of the map, those never looked at included.

    Returns:
        Expected errors in squared counts per person and pixel, shape (M,).

    Raises:
        ValueError: shapes differ, or a number is out of range.

    Source: Liu et al. 2019, Theorem 4.1.
    """
    if people <= 0 or pixels <= 0:
        raise ValueError(f"Expected people > 0 and pixels > 0, found people={people}, pixels={pixels}")
    noise = np.asarray(sigmas, dtype=np.float64)
    if noise.shape != (len(excess_norms),):
        raise ValueError(
            f"Expected one sigma for each of {len(excess_norms)} caps, found shape {noise.shape}"
        )
    if not (np.isfinite(noise) & (noise >= 0)).all():
        raise ValueError("Expected sigmas >= 0 and finite")
    bias = np.array([norm / (people * people * pixels) for norm in excess_norms], dtype=np.float64)
    return noise * noise + bias


def best_cap(caps: Sequence[int], expected: NDArray[np.float64]) -> int:
    """Return the cap of least expected error, the smallest of equals: the output of Algorithm 1.

    It is a function of private data. A release may use it only as a reproduction without guarantee, or where the
    choice has a budget of its own.

    Args:
        caps: strictly increasing, shape (M,), M > 0.
        expected: errors of `expected_mse`, in squared counts, shape (M,).

    Raises:
        ValueError: there is no cap, shapes differ, or an error is not a number.
    """
    errors = np.asarray(expected, dtype=np.float64)
    if not caps or errors.shape != (len(caps),):
        raise ValueError(f"Expected one error for each of {len(caps)} caps, found shape {errors.shape}")
    if np.isnan(errors).any():
        raise ValueError("Expected errors that are numbers, found NaN")
    return int(caps[int(np.argmin(errors))])


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
