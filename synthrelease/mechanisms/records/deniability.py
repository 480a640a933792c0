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

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.maths.prefix_trie import ABSENT, Level, levels
from synthrelease.mechanisms.records.model import Model

_TIE = 1e-9  # a ratio −ln p/ln γ this close below an integer counts as that integer: p = γ^(−i) lies in interval i


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
    candidates: NDArray[np.int64],
    seed_rows: NDArray[np.int64],
    records: NDArray[np.int64],
    *,
    people: NDArray[np.int64] | None = None,
    k: int,
    gamma: float,
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

    Raises:
        ValueError: k < 1, γ ≤ 1, ω = 0, or shapes that do not fit.
    """
    candidates, records = np.asarray(candidates, dtype=np.int64), np.asarray(records, dtype=np.int64)
    seed_rows = np.asarray(seed_rows, dtype=np.int64)
    _check(model, candidates, seed_rows, records, people=people)
    if k < 1:
        raise ValueError(f"Expected k >= 1, found k={k}")
    if not gamma > 1:
        raise ValueError(f"Expected gamma > 1, found gamma={gamma}: γ = 1 leaves every interval empty")
    order, m = list(model.order), len(model.order)
    kept = np.array(sorted({m - w for w in model.resampled}), dtype=np.int64)

    in_order, sought = records[:, order], candidates[:, order]
    shared = _common_prefix(in_order[seed_rows], sought)
    low, high = _plausible_lengths(model, candidates, kept, shared, gamma)

    at_kept = list(levels(in_order, sought, kept.tolist()))
    plausible = np.zeros(len(candidates), dtype=np.int64)
    for a, outer in enumerate(at_kept):
        those = np.flatnonzero((low == a) & (high >= a))
        if those.size == 0:
            continue
        counter = _Counter(outer, people)
        plausible[those] = counter.total[outer.of_candidates[those]]
        for b in np.unique(high[those]):
            if b + 1 < len(at_kept):
                inner = at_kept[b + 1]
                deeper = those[(high[those] == b) & (inner.of_candidates[those] != ABSENT)]
                plausible[deeper] -= counter.only_within(inner)[inner.of_candidates[deeper]]
    return DeniabilityResult(plausible, plausible >= k)


def _plausible_lengths(
    model: Model,
    candidates: NDArray[np.int64],
    kept: NDArray[np.int64],
    shared: NDArray[np.int64],
    gamma: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last index into `kept` whose probability lies in the seed's interval; (0, −1) if none does."""
    m = candidates.shape[1]
    log_p = model.log_conditional(candidates)[:, list(model.order)]
    tails = np.zeros((len(candidates), m + 1))
    tails[:, :m] = np.cumsum(log_p[:, ::-1], axis=1)[:, ::-1]
    # Column j: all ω that keep at most kept[j] attributes. Never decreasing from left to right.
    probability = np.logaddexp.accumulate(tails[:, kept] - np.log(len(kept)), axis=1)
    with np.errstate(invalid="ignore"):
        ratio = np.maximum(-probability / np.log(gamma), 0.0)
        interval = np.floor(ratio + _TIE * np.maximum(ratio, 1.0))
    own = np.searchsorted(kept, shared, side="right") - 1
    seed_interval = np.where(own >= 0, interval[np.arange(len(own)), np.maximum(own, 0)], np.inf)
    same = (interval == seed_interval[:, None]) & np.isfinite(interval)
    any_ = same.any(axis=1)
    low = np.where(any_, np.argmax(same, axis=1), 0)
    high = np.where(any_, same.shape[1] - 1 - np.argmax(same[:, ::-1], axis=1), -1)
    return low.astype(np.int64), high.astype(np.int64)


class _Counter:
    """Counts records, or distinct people, under the nodes of one level of the trie."""

    def __init__(self, level: Level, people: NDArray[np.int64] | None) -> None:
        if people is None:
            self._order, self._start, self._node = None, None, level.of_records
        else:
            _, number = np.unique(people, return_inverse=True)
            pair = level.of_records * (int(number.max(initial=0)) + 1) + number
            self._order = np.argsort(pair, kind="stable")
            ordered = pair[self._order]
            self._start = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
            self._node = level.of_records[self._order[self._start]]
        self.total = np.bincount(self._node, minlength=level.nodes)

    def only_within(self, inner: Level) -> NDArray[np.int64]:
        """Per node of `inner`: records under it, or people all of whose records under the outer node are under it."""
        if self._order is None or self._start is None:
            return np.bincount(inner.of_records, minlength=inner.nodes)
        node = inner.of_records[self._order]
        first = np.minimum.reduceat(node, self._start)
        last = np.maximum.reduceat(node, self._start)
        return np.bincount(first[first == last], minlength=inner.nodes)


def _common_prefix(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    prefix: NDArray[np.int64] = np.cumprod(one == other, axis=1, dtype=np.int64).sum(axis=1)
    return prefix


def _check(
    model: Model,
    candidates: NDArray[np.int64],
    seed_rows: NDArray[np.int64],
    records: NDArray[np.int64],
    *,
    people: NDArray[np.int64] | None,
) -> None:
    m = len(model.order)
    if not model.resampled or min(model.resampled) < 1 or max(model.resampled) > m:
        raise ValueError(f"Expected resampled within 1 … {m}, found {model.resampled}")
    if candidates.ndim != 2 or records.ndim != 2 or candidates.shape[1] != m or records.shape[1] != m:
        raise ValueError(f"Expected shapes (C, {m}) and (N, {m}), found {candidates.shape}, {records.shape}")
    if seed_rows.shape != (len(candidates),):
        raise ValueError(f"Expected seed_rows of shape ({len(candidates)},), found {seed_rows.shape}")
    if seed_rows.size and (seed_rows.min() < 0 or seed_rows.max() >= len(records)):
        raise ValueError("Expected seed_rows to be rows of records")
    if people is not None and np.shape(people) != (len(records),):
        raise ValueError(f"Expected people of shape ({len(records)},), found {np.shape(people)}")
