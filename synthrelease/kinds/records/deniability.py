"""The test of plausible deniability: how many people could have been the seed of this record?

For the models of `model.py`, Pr{y = M(d)} depends on the record d only through L, the length of the prefix that
d and y share in the order σ:

    Pr{y = M(d)} = Σ_{ω ∈ Ω, m−ω ≤ L} (1/|Ω|)·Π_{i > m−ω} Pr(y_σ(i) | parents in y)

It grows with L, in at most |Ω| steps. So the records whose probability lies in the seed's interval
(γ^(−i−1), γ^(−i)] are those with L in one interval of lengths, a ≤ L < b: the records under y's node at depth a
of the prefix trie, without those under its node at depth b. No record is left out, whatever their number.
(Bindschaedler et al. 2017, Privacy Test 1; David-John et al. 2022, supplement, section 1.)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.records.model import Model
from synthrelease.numerics.blocks import in_blocks, in_threads
from synthrelease.numerics.prefix_trie import PrefixTrie
from synthrelease.parallel import checked_jobs

_TIE = 1e-9  # a ratio −ln p/ln γ this close below an integer counts as that integer: p = γ^(−i) lies in interval i
_BLOCK = 1 << 15  # candidates looked up at once
Intervals = tuple[NDArray[np.integer], NDArray[np.integer]]


@dataclass(frozen=True)
class DeniabilityResult:
    """What the test found, per candidate.

    Attributes:
        plausible: k′, plausible seeds (people where given, else records), the seed's own included, shape (C,).
        passed: whether k′ ≥ k, shape (C,).
    """

    plausible: NDArray[np.int64]
    passed: NDArray[np.bool_]


def deniability_test(
    model: Model,
    candidates: NDArray[np.integer],
    seed_rows: NDArray[np.integer],
    records: NDArray[np.integer],
    *,
    people: NDArray[np.integer] | None = None,
    k: int,
    gamma: float,
    jobs: int = 1,
) -> DeniabilityResult:
    """Run Privacy Test 1 on every candidate, exactly.

    i is the only integer ≥ 0 with γ^(−i−1) < Pr{y = M(seed)} ≤ γ^(−i); k′ counts the records, or the distinct
    people with a record, whose probability lies in the same interval; a candidate passes if k′ ≥ k. A candidate
    that its seed cannot produce has k′ = 0.

    Args:
        model: with `order`, `resampled` and `log_conditional`.
        candidates: category numbers, shape (C, m).
        seed_rows: row of `records` each candidate was made from, shape (C,).
        records: category numbers, shape (N, m).
        people: the person of each record, integers, shape (N,); None counts records.
        k: how many plausible seeds are asked for.
        gamma: γ > 1.
        jobs: threads to use; the result is the same for any number.

    Raises:
        ValueError: k < 1, γ ≤ 1, ω = 0, or arrays that do not fit.

    Example:
        >>> from synthrelease.kinds.records.model import SeededModel
        >>> model = SeededModel([[0.5, 0.5], [0.5, 0.5]], order=(0, 1), resampled=(1,))
        >>> records = np.array([[0, 0], [0, 1], [1, 0]])
        >>> result = deniability_test(model, np.array([[0, 1], [1, 1]]), np.array([0, 2]), records, k=2, gamma=4.0)
        >>> result.plausible.tolist(), result.passed.tolist()
        ([2, 1], [True, False])
    """
    if k < 1:
        raise ValueError(f"Expected k >= 1, found k={k}")
    seeds = SeedSet(model, records, people, threads=checked_jobs(jobs))
    plausible = seeds.plausible(candidates, seed_rows, gamma=gamma)
    return DeniabilityResult(plausible, plausible >= k)


class SeedSet:
    """The records that can be seeds of a model's candidates, sorted once for many tests.

    Args:
        model: with `order`, `resampled` and `log_conditional`.
        records: category numbers, shape (N, m).
        people: the person of each record, integers, shape (N,); None counts records.
        threads: that share the work; the result is the same for any number.

    Raises:
        ValueError: ω = 0, or arrays that do not fit.
    """

    def __init__(
        self,
        model: Model,
        records: NDArray[np.integer],
        people: NDArray[np.integer] | None = None,
        *,
        threads: int = 1,
    ) -> None:
        m = len(model.order)
        self._model, self._number, self._kept = model, len(records), kept_numbers(model)
        records = _checked("records", records, m)
        if people is not None and np.shape(people) != (self._number,):
            raise ValueError(f"Expected people of shape ({self._number},), found {np.shape(people)}")
        columns = list(model.order[: max(self._kept[-1], 1)])  # what is drawn for every ω is never compared
        self._trie, self._threads = PrefixTrie(records, columns, people, threads=threads), threads

    def plausible(
        self,
        candidates: NDArray[np.integer],
        seed_rows: NDArray[np.integer],
        *,
        gamma: float,
    ) -> NDArray[np.int64]:
        """Return k′ of each candidate, shape (C,); see `deniability_test`.

        Raises:
            ValueError: γ ≤ 1, or arrays that do not fit.
        """
        return self.counts(candidates, *self.intervals(candidates, seed_rows, gamma=gamma))

    def intervals(
        self, candidates: NDArray[np.integer], seed_rows: NDArray[np.integer], *, gamma: float
    ) -> Intervals:
        """Return the lengths of shared prefixes that each candidate's plausible seeds have.

        Args:
            candidates: category numbers, shape (C, m).
            seed_rows: row of the records each candidate was made from, shape (C,).
            gamma: γ > 1.

        Returns:
            First and last index into the sorted numbers m − ω of kept attributes, shape (C,) each; (0, −1) if the seed cannot be one.

        Raises:
            ValueError: γ ≤ 1, or arrays that do not fit.
        """
        if not gamma > 1:
            raise ValueError(f"Expected gamma > 1, found gamma={gamma}: γ = 1 leaves every interval empty")
        candidates = _checked("candidates", candidates, len(self._model.order))
        seed_rows = np.asarray(seed_rows)
        if seed_rows.shape != (len(candidates),):
            raise ValueError(f"Expected seed_rows of shape ({len(candidates)},), found {seed_rows.shape}")
        if seed_rows.size and (seed_rows.min() < 0 or seed_rows.max() >= self._number):
            raise ValueError("Expected seed_rows to be rows of records")
        low, high = (np.empty(len(candidates), dtype=np.int16) for _ in range(2))

        def compare(here: slice) -> None:
            some = candidates[here]
            shared = self._trie.shared(self._trie.place_of_row[seed_rows[here]], self._trie.packed(some))
            low[here], high[here] = _plausible_lengths(self._model, some, self._kept, shared, gamma)

        in_blocks(len(candidates), _BLOCK, compare, threads=self._threads)
        return low, high

    def counts(
        self, candidates: NDArray[np.integer], low: NDArray[np.integer], high: NDArray[np.integer]
    ) -> NDArray[np.int64]:
        """Return how many people, or records, have a record in each candidate's interval, shape (C,).

        Args:
            candidates: category numbers, shape (C, m).
            low: first index of plausible lengths, as `intervals` returns it, of these records or others, shape (C,).
            high: last index, likewise.
        """
        trie, count = self._trie, len(candidates)
        order = trie.near_order(candidates)
        place, length = np.empty_like(trie.place_of_row, shape=count), np.empty(count, dtype=np.int16)

        def locate(here: slice) -> None:
            place[here], length[here] = trie.nearest(trie.packed(candidates[order[here]]))

        counts = np.zeros(count, dtype=np.int64)
        if self._number:
            in_blocks(count, _BLOCK, locate, threads=self._threads)
            counts[order] = self._count(low[order], high[order], place, length)
        return counts

    def _count(
        self,
        low: NDArray[np.integer],
        high: NDArray[np.integer],
        place: NDArray[np.integer],
        length: NDArray[np.integer],
    ) -> NDArray[np.int64]:
        """All under the node at kept[low], without those with nothing outside the node at kept[high + 1]."""
        plausible = np.zeros(len(low), dtype=np.int64)
        # A seed reaches the outer node; other records, such as some people's of all, may have none there.
        possible = np.flatnonzero((high >= low) & (np.array(self._kept)[low] <= length))

        def add_under(group: NDArray[np.int64]) -> None:
            plausible[group] = self._trie.under(self._kept[low[group[0]]], place[group])

        in_threads(_grouped(possible, low[possible]), add_under, threads=self._threads)
        beyond = np.append(self._kept, np.iinfo(np.int64).max)[high + 1]
        deeper = possible[beyond[possible] <= length[possible]]

        def take_away_inner(group: NDArray[np.int64]) -> None:
            outer, inner = self._kept[low[group[0]]], int(beyond[group[0]])
            plausible[group] -= self._trie.only_under(outer, inner, place[group])

        intervals = low[deeper].astype(np.int64) * len(self._kept) + high[deeper]
        in_threads(_grouped(deeper, intervals), take_away_inner, threads=self._threads)
        return plausible


def kept_numbers(model: Model) -> list[int]:
    """Return the numbers m − ω of attributes that may be kept, in increasing order; ValueError if Ω has no meaning."""
    m = len(model.order)
    if not model.resampled or min(model.resampled) < 1 or max(model.resampled) > m:
        raise ValueError(f"Expected resampled within 1 … {m}, found {model.resampled}")
    return sorted({m - w for w in model.resampled})


def _grouped(items: NDArray[np.int64], keys: NDArray[np.integer]) -> list[NDArray[np.int64]]:
    """The items of each key."""
    # Whole numbers of 16 bits are sorted digit by digit.
    small = keys.astype(np.uint16) if keys.max(initial=0) < 1 << 16 else keys
    order = np.argsort(small, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    return [part for part in np.split(items[order], ends) if part.size]


def _plausible_lengths(
    model: Model,
    candidates: NDArray[np.integer],
    kept: Sequence[int],
    shared: NDArray[np.int64],
    gamma: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last index into `kept` whose probability lies in the seed's interval; (0, −1) if none does."""
    log_p = model.log_conditional(candidates)
    m = len(model.order)
    ends = [*kept[1:], m]
    # By numbers of kept attributes: ln Pr of those drawn before the next number, and of all that are drawn.
    between = [_sum_of(log_p, model.order[start:end]) for start, end in zip(kept, ends, strict=True)]
    drawn = list(itertools.accumulate(reversed(between)))[::-1]
    # Σ over all ω that keep at most so many, relative to the last: never decreasing from number to number.
    total = np.ones(len(candidates))
    interval = np.empty((len(kept), len(candidates)))
    for number, log_drawn in enumerate(drawn):
        if number:
            total = 1.0 + total * np.exp(between[number - 1])
        probability = log_drawn + np.log(total / len(kept))
        ratio = np.maximum(probability / -math.log(gamma), 0.0)
        np.floor(ratio + _TIE * np.maximum(ratio, 1.0), out=interval[number])
    seed_index = np.searchsorted(kept, shared, side="right") - 1
    of_seed = np.where(
        seed_index >= 0, interval[np.maximum(seed_index, 0), np.arange(len(seed_index))], np.inf
    )
    in_interval = (interval == of_seed) & np.isfinite(of_seed)
    low = np.argmax(in_interval, axis=0)
    return low, low + np.count_nonzero(in_interval, axis=0) - 1


def _sum_of(columns: NDArray[np.float64], numbers: Sequence[int]) -> NDArray[np.float64]:
    """The sum of some columns, shape (C,); of at least one."""
    total = columns[:, numbers[0]].copy()
    for number in numbers[1:]:
        total += columns[:, number]
    return total


def _checked(name: str, array: NDArray[np.integer], m: int) -> NDArray[np.integer]:
    array = np.asarray(array)
    if array.ndim != 2 or array.shape[1] != m:
        raise ValueError(f"Expected {name} of shape (…, {m}), found {array.shape}")
    if array.dtype.kind not in "iu" or array.min(initial=0) < 0:
        raise ValueError(f"Expected {name} to be category numbers: integers >= 0")
    return array
