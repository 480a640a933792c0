"""Equal-width bins on public edges, and the way back."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.runs import rows_of_runs, runs, stable_order

_BLOCK = 1 << 14  # rows
_DENSE = 4  # cells of people for each row, up to which they are counted one by one, and not sorted


def equal_width_edges(low: float, high: float, bins: int) -> NDArray[np.float64]:
    """Return the edges of equal-width bins over [low, high], in its unit, shape (bins + 1,)."""
    return np.linspace(low, high, bins + 1)


def bin_numbers(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of the bin each value falls in, of the same shape; edges in the unit of values, shape (bins + 1,).

    Bins are [edge, next edge); values at or beyond the ends belong to the first and the last bin.
    """
    inner = edges[1:-1]
    return np.searchsorted(inner, values, side="right").astype(np.int64)


def equal_width_bins(values: NDArray[np.float64], low: float, high: float, bins: int) -> NDArray[np.int64]:
    """Return `bin_numbers` of bins of equal width over [low, high], computed from the values and not searched for, of the same shape; bounds in the unit of values."""
    edges = equal_width_edges(low, high, bins)
    with np.errstate(over="ignore", invalid="ignore"):
        place = (values - low) * (bins / (high - low))
    # What is no number, of two bounds next to each other, becomes 0 here.
    number: NDArray[np.int64] = np.fmin(np.fmax(place, 0, out=place), bins - 1, out=place).astype(np.int64)
    ends = np.concatenate([[-np.inf], edges[1:-1], [np.inf]])  # all beyond an end belongs to the bin there
    wrong = (values < ends[number]) | (values >= ends[1:][number])
    if wrong.any():  # by rounding, at an edge
        number[wrong] = bin_numbers(values[wrong], edges)
    return number


def spread_within(
    numbers: NDArray[np.integer], edges: NDArray[np.float64], fraction: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a value inside each bin, in the unit of edges, at `fraction` ∈ [0, 1) of its width, never at the next edge; shape (N,)."""
    low, high = edges[:-1], edges[1:]
    inside = low[numbers] + fraction * (high - low)[numbers]
    below_next: NDArray[np.float64] = np.minimum(inside, np.nextafter(high, low)[numbers])
    return below_next


def public_fractions(name: str, count: int, *, first: int = 0) -> NDArray[np.float64]:
    """Return numbers from [0, 1), shape (count,), that look random and that anyone can compute from `name`: those of rows `first`, ….

    They spread synthetic values within their bins: nothing else can then be hidden there. (SplitMix64 of the row's
    number, offset by the SHA-256 of the name.)
    """
    offset = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
    out = np.empty(count)
    for start in range(0, count, _BLOCK):  # by blocks that the processor's cache holds
        number = np.arange(first + start + 1, first + min(start + _BLOCK, count) + 1, dtype=np.uint64)
        z = (number * np.uint64(0x9E3779B97F4A7C15)) + np.uint64(offset)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        out[start : start + _BLOCK] = (z ^ (z >> np.uint64(31))) >> np.uint64(11)
    out *= 2.0**-53
    return out


def shares_of_people(
    people: NDArray[np.int64], cells: NDArray[np.int64], number: int, total: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return which person has what share in which cell, one entry for each of a person's cells.

    A person's rows are counted per cell and scaled to integers that sum to `total`: a function of that person's rows
    alone. Work grows with the cells that people have, not with people × cells.

    Args:
        people: the person of each row, 0, 1, …, shape (N,).
        cells: the cell of each row, 0 … `number` − 1, shape (N,).
        number: how many cells there are.
        total: W, what each person's shares sum to.

    Returns:
        Person, cell and share of each entry, shape (entries,) each.
    """
    size = (int(people.max(initial=0)) + 1) * number
    keys = people * number + cells
    if size <= _DENSE * keys.size:
        counts = np.bincount(keys, minlength=size)
        occupied = np.flatnonzero(counts)
        rows = counts[occupied]
    else:
        occupied, rows = np.unique(keys, return_counts=True)
    person, cell = np.divmod(occupied, number)
    return person, cell, integer_shares(person, rows, total)


def integer_shares(owner: NDArray[np.int64], counts: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Return each owner's counts scaled to integers that sum to `total`, by largest remainder.

    Ties go to the earlier entry. An owner's result depends only on that owner's counts.

    Args:
        owner: of each entry, in increasing order, shape (N,).
        counts: positive; total·count below 2⁶², shape (N,).
        total: W, the sum of every owner's shares.
    """
    if not owner.size:
        return np.zeros(0, dtype=np.int64)
    first, entries = runs(owner)
    if (
        counts == np.repeat(counts[first], entries)
    ).all():  # samples without durations: no remainder is larger
        share, left_over = np.divmod(total, entries)
        shares = np.repeat(share, entries)
        shares[rows_of_runs(first, left_over)] += 1
        return shares
    share, remainder = np.divmod(counts * total, np.repeat(np.add.reduceat(counts, first), entries))
    left_over = np.repeat(total - np.add.reduceat(share, first), entries)
    # Largest remainders first within each owner; the sort is stable, so that ties keep their order.
    largest = int(remainder.max())
    if (int(owner[-1]) + 1) * (largest + 1) < 2**62:
        by_remainder = stable_order(owner * (largest + 1) + (largest - remainder))
    else:
        by_remainder = np.lexsort((-remainder, owner))
    share[by_remainder] += np.arange(owner.size) - np.repeat(first, entries) < left_over
    return share
