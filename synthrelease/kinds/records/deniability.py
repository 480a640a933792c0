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

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.records.model import Model
from synthrelease.numerics.prefix_trie import PrefixTrie
from synthrelease.parallel import checked_jobs

_TIE = 1e-9  # a ratio −ln p/ln γ this close below an integer counts as that integer: p = γ^(−i) lies in interval i
_BLOCK = 1 << 15  # candidates looked up at once


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
    plausible = SeedSet(model, records, people).plausible(candidates, seed_rows, gamma=gamma, jobs=jobs)
    return DeniabilityResult(plausible, plausible >= k)


class SeedSet:
    """The records that can be seeds of a model's candidates, sorted once for many tests.

    Args:
        model: with `order`, `resampled` and `log_conditional`.
        records: category numbers, shape (N, m).
        people: the person of each record, integers, shape (N,); None counts records.

    Raises:
        ValueError: ω = 0, or arrays that do not fit.
    """

    def __init__(
        self, model: Model, records: NDArray[np.integer], people: NDArray[np.integer] | None = None
    ) -> None:
        m = len(model.order)
        if not model.resampled or min(model.resampled) < 1 or max(model.resampled) > m:
            raise ValueError(f"Expected resampled within 1 … {m}, found {model.resampled}")
        self._model = model
        self._number = len(records)
        self._kept = sorted({m - w for w in model.resampled})
        records = _checked("records", records, m)
        if people is not None and np.shape(people) != (self._number,):
            raise ValueError(f"Expected people of shape ({self._number},), found {np.shape(people)}")
        columns = list(model.order[: max(self._kept[-1], 1)])  # what is drawn for every ω is never compared
        self._trie = PrefixTrie(records, columns, people)

    def plausible(
        self,
        candidates: NDArray[np.integer],
        seed_rows: NDArray[np.integer],
        *,
        gamma: float,
        jobs: int = 1,
    ) -> NDArray[np.int64]:
        """Return k′ of each candidate, shape (C,); see `deniability_test`.

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
        blocks = [slice(start, start + _BLOCK) for start in range(0, len(candidates), _BLOCK)]
        if not blocks:
            return np.zeros(0, dtype=np.int64)
        # Threads, for they share the records; NumPy lets go of the interpreter while it searches and compares.
        with ThreadPoolExecutor(min(checked_jobs(jobs), len(blocks))) as threads:
            done = list(
                threads.map(
                    lambda block: self._lengths(candidates[block], seed_rows[block].astype(np.int64), gamma),
                    blocks,
                )
            )
        low, high, place, length = (np.concatenate(parts) for parts in zip(*done, strict=True))
        return self._count(low, high, place, length)

    def _lengths(
        self, candidates: NDArray[np.integer], seed_rows: NDArray[np.int64], gamma: float
    ) -> tuple[NDArray[np.int64], ...]:
        """First and last index into `_kept` of plausible lengths, and the nearest record's place and length."""
        packed = self._trie.packed(candidates)
        shared = self._trie.shared(self._trie.place_of_row[seed_rows], packed)
        low, high = _plausible_lengths(self._model, candidates, np.array(self._kept), shared, gamma)
        return low, high, *self._trie.nearest(packed)

    def _count(
        self,
        low: NDArray[np.int64],
        high: NDArray[np.int64],
        place: NDArray[np.int64],
        length: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """All under the node at kept[low], without those with nothing outside the node at kept[high + 1]."""
        plausible = np.zeros(len(low), dtype=np.int64)
        possible = np.flatnonzero(high >= low)
        for group in _grouped(possible, low[possible]):
            plausible[group] = self._trie.under(self._kept[low[group[0]]], place[group])
        beyond = np.append(self._kept, np.iinfo(np.int64).max)[high + 1]
        deeper = possible[beyond[possible] <= length[possible]]
        for group in _grouped(deeper, low[deeper] * len(self._kept) + high[deeper]):
            outer, inner = self._kept[low[group[0]]], int(beyond[group[0]])
            plausible[group] -= self._trie.only_under(outer, inner, place[group])
        return plausible


def _grouped(items: NDArray[np.int64], keys: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The items of each key."""
    order = np.argsort(keys, kind="stable")
    ends = np.flatnonzero(np.diff(keys[order])) + 1
    return [part for part in np.split(items[order], ends) if part.size]


def _plausible_lengths(
    model: Model,
    candidates: NDArray[np.integer],
    kept: NDArray[np.int64],
    shared: NDArray[np.int64],
    gamma: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last index into `kept` whose probability lies in the seed's interval; (0, −1) if none does."""
    log_p = model.log_conditional(candidates).T[list(model.order)]
    between = np.add.reduceat(log_p, kept)  # row j: attributes kept[j] … kept[j + 1] − 1, the last to the end
    drawn = np.cumsum(between[::-1], axis=0)[::-1]
    # Row j: all ω that keep at most kept[j] attributes. Never decreasing from row to row.
    probability = np.logaddexp.accumulate(drawn - np.log(len(kept)))
    with np.errstate(invalid="ignore"):
        ratio = np.maximum(-probability / np.log(gamma), 0.0)
        interval = np.floor(ratio + _TIE * np.maximum(ratio, 1.0))
    seed_index = np.searchsorted(kept, shared, side="right") - 1
    of_seed = np.where(
        seed_index >= 0, interval[np.maximum(seed_index, 0), np.arange(len(seed_index))], np.inf
    )
    in_interval = (interval == of_seed) & np.isfinite(of_seed)
    low = np.argmax(in_interval, axis=0)
    return low, low + np.count_nonzero(in_interval, axis=0) - 1


def _checked(name: str, array: NDArray[np.integer], m: int) -> NDArray[np.integer]:
    array = np.asarray(array)
    if array.ndim != 2 or array.shape[1] != m:
        raise ValueError(f"Expected {name} of shape (…, {m}), found {array.shape}")
    if array.dtype.kind not in "iu" or array.min(initial=0) < 0:
        raise ValueError(f"Expected {name} to be category numbers: integers >= 0")
    return array
