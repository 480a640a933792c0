"""How alike two sets of people are who have windows of features in recordings: distributions, and what belongs together.

A feature's values are places in its public range, from 0 to 1: no measure here depends on its unit. Every person weighs the same, however many windows
they have, since that is what a release is made of.

No measure here is differentially private: they compare with the private truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Labels = NDArray[np.int64]

SINGLE_BINS, PAIR_BINS = 20, 8  # equal parts of a range, for one feature and for two
_BLOCK = 1 << 14  # rows whose cells are in memory at a time


@dataclass(frozen=True)
class PeopleRows:
    """Windows of people: those of a person together, and of a recording in the order of time."""

    places: Numbers  # of values in the features' ranges, NaN where one is missing, shape (N, F)
    person: Labels  # 0 … people − 1, increasing, shape (N,)
    recording: Labels  # 0 … recordings − 1, shape (N,)
    recordings: int

    @classmethod
    def of_array(cls, places: Numbers) -> PeopleRows:
        """Return those of an array of shape (people, recordings, windows, F)."""
        person, recording, _ = np.indices(places.shape[:3]).reshape(3, -1)
        return cls(places.reshape(-1, places.shape[3]), person, recording, places.shape[1])

    def of_people(self, people: Labels) -> PeopleRows:
        """Return the rows of some people, who keep their numbers."""
        chosen = np.isin(self.person, people)
        return PeopleRows(self.places[chosen], self.person[chosen], self.recording[chosen], self.recordings)


@dataclass(frozen=True)
class PeopleSummary:
    """What is compared of people."""

    single: Numbers  # proportion of values in each of 20 bins, shape (F, 20)
    pairs: Numbers  # proportion of pairs of values in each of 8 × 8 cells, shape (F, F, 8, 8)
    correlation: Numbers  # of values, shape (F, F); 0 where one is constant
    intraclass: (
        Numbers  # share of the variance that is between people, shape (F,); NaN where no one has two values
    )
    lag: Numbers  # correlation of successive windows of a recording about the person's mean, shape (F,)
    contrasts: Numbers  # means of recordings less that of the first, in standard deviations, shape (C − 1, F)


class PeopleErrors(NamedTuple):
    """How far people are from others, by feature, shape (F,) each; 0 is best."""

    single: Numbers  # total variation
    pairs: Numbers  # total variation of the feature with each other one, on average; NaN if there is no other
    correlation: Numbers  # root mean square over the other features; NaN if there is none
    intraclass: Numbers  # absolute
    lag: Numbers  # absolute
    contrasts: Numbers  # root mean square over the other recordings; NaN if there is none


def summary(rows: PeopleRows) -> PeopleSummary:
    """Return what is compared of people."""
    weight = 1.0 / np.bincount(rows.person)[rows.person]
    single = _joint(rows.places, weight, SINGLE_BINS, diagonal=True)
    return PeopleSummary(
        single,
        _joint(rows.places, weight, PAIR_BINS),
        _correlation(rows.places, weight),
        _intraclass(rows),
        _lag(rows),
        _contrasts(rows, weight),
    )


def errors(people: PeopleSummary, truth: PeopleSummary) -> PeopleErrors:
    """Return how far people are from others."""
    others = ~np.eye(len(truth.single), dtype=np.bool_)
    none = np.full(len(others), np.nan)
    variation = np.abs(people.pairs - truth.pairs).sum(axis=(2, 3)) / 2
    squares = (people.correlation - truth.correlation) ** 2
    of_contrasts = (people.contrasts - truth.contrasts) ** 2
    count = len(others) - 1
    return PeopleErrors(
        np.abs(people.single - truth.single).sum(axis=1) / 2,
        (variation * others).sum(axis=1) / count if count else none,
        np.sqrt((squares * others).sum(axis=1) / count) if count else none,
        np.abs(people.intraclass - truth.intraclass),
        np.abs(people.lag - truth.lag),
        np.sqrt(of_contrasts.mean(axis=0)) if len(of_contrasts) else none,
    )


def _joint(places: Numbers, weight: Numbers, bins: int, *, diagonal: bool = False) -> Numbers:
    """Proportions in the cells of every pair of features, shape (F, F, bins, bins); of every feature, shape (F, bins)."""
    features = places.shape[1]
    present = ~np.isnan(places)
    cells = np.minimum((np.nan_to_num(places) * bins).astype(np.int64), bins - 1)
    if diagonal:
        counts = [np.bincount(cells[here, f], weight[here], bins) for f, here in enumerate(present.T)]
        return _proportions(np.stack(counts), 1)
    # One product of matrices counts all pairs: a row has a 1 in its cell of each feature.
    total = np.zeros((features * bins, features * bins))
    for start in range(0, len(places), _BLOCK):
        part = slice(start, start + _BLOCK)
        is_in = (cells[part, :, None] == np.arange(bins)) & present[part, :, None]
        flat = is_in.reshape(len(is_in), -1).astype(np.float64)
        total += (flat * weight[part, None]).T @ flat
    return _proportions(total.reshape(features, bins, features, bins).transpose(0, 2, 1, 3), (2, 3))


def _proportions(counts: Numbers, axis: int | tuple[int, ...]) -> Numbers:
    total = counts.sum(axis=axis, keepdims=True)
    return counts / np.where(total > 0, total, 1.0)


def _correlation(places: Numbers, weight: Numbers) -> Numbers:
    """Pearson's correlation of every pair of features, where both are there."""
    present = (~np.isnan(places)).astype(np.float64)
    values = np.where(present > 0, places - 0.5, 0.0)
    weighted = values * weight[:, None]
    together = np.maximum((present * weight[:, None]).T @ present, np.finfo(np.float64).tiny)
    mean = weighted.T @ present / together  # of a feature, where the other is there too
    square = (values * weighted).T @ present / together
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    covariance = weighted.T @ values / together - mean * mean.T
    scale = spread * spread.T
    # Of a constant feature there is no correlation but rounding.
    correlation = np.where(scale > 1e-12, covariance / np.maximum(scale, 1e-300), 0.0)
    np.fill_diagonal(correlation, 1.0)
    return np.clip(correlation, -1.0, 1.0)


def _intraclass(rows: PeopleRows) -> Numbers:
    """The share of variance between people by analysis of variance, ICC(1) (Shrout & Fleiss 1979), of unequal numbers of values (Searle 1971)."""
    shares = np.full(rows.places.shape[1], np.nan)
    for f, values in enumerate(rows.places.T):
        here = ~np.isnan(values)
        count = np.bincount(rows.person[here])
        sums = np.bincount(rows.person[here], values[here])
        number, people = count.sum(), (count > 0).sum()
        if people < 2 or number == people:
            continue
        mean = sums / np.maximum(count, 1)
        within = ((values[here] - mean[rows.person[here]]) ** 2).sum() / (number - people)
        overall = sums.sum() / number
        usual = (number - (count**2).sum() / number) / (people - 1)
        between = ((count * (mean - overall) ** 2).sum() / (people - 1) - within) / usual
        total = max(between, 0.0) + within
        shares[f] = max(between, 0.0) / total if total > 0 else 0.0
    return shares


def _lag(rows: PeopleRows) -> Numbers:
    """Σ r_t·r_(t+1) over ½·Σ (r_t² + r_(t+1)²) of successive windows of a person's recording, r about the person's mean."""
    present = ~np.isnan(rows.places)
    values = np.where(present, rows.places, 0.0)
    sums, counts = (
        np.stack([np.bincount(rows.person, column) for column in columns.T], axis=1)
        for columns in (values, present)
    )
    residual = np.where(present, rows.places - (sums / np.maximum(counts, 1))[rows.person], 0.0)
    follows = (rows.person[1:] == rows.person[:-1]) & (rows.recording[1:] == rows.recording[:-1])
    both = present[1:] & present[:-1] & follows[:, None]
    earlier, later = residual[:-1] * both, residual[1:] * both
    squares = (earlier**2 + later**2).sum(axis=0) / 2
    lag: Numbers = (earlier * later).sum(axis=0) / np.where(squares > 0, squares, 1.0)
    return lag


def _contrasts(rows: PeopleRows, weight: Numbers) -> Numbers:
    """Means of recordings less that of the first, in standard deviations of all values; in each recording people weigh the same."""
    present = ~np.isnan(rows.places)
    values = np.where(present, rows.places, 0.0)
    of_recording = np.bincount(rows.person * rows.recordings + rows.recording)
    here = 1.0 / of_recording[rows.person * rows.recordings + rows.recording]
    level = np.full((rows.recordings, rows.places.shape[1]), np.nan)
    for c in range(rows.recordings):
        there = (here * (rows.recording == c))[:, None] * present
        total = there.sum(axis=0)
        level[c] = np.where(total > 0, (there * values).sum(axis=0) / np.where(total > 0, total, 1.0), np.nan)
    weights = weight[:, None] * present
    total = np.maximum(weights.sum(axis=0), np.finfo(np.float64).tiny)
    mean = (weights * values).sum(axis=0) / total
    deviation = np.sqrt((weights * (values - mean) ** 2).sum(axis=0) / total)
    contrasts: Numbers = (level[1:] - level[0]) / np.where(deviation > 0, deviation, 1.0)
    return contrasts
