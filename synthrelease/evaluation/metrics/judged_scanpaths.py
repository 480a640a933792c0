"""All measures of one set of scanpaths against another one on the same stimuli, and what of a set is computed once.

No measure here is differentially private: they compare with the private truth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.screen import Screen
from synthrelease.evaluation.metrics import scanpaths as metrics
from synthrelease.evaluation.metrics.maps import correlation, nss
from synthrelease.evaluation.metrics.scanpath_alignment import (
    FEWEST_FIXATIONS,
    MultiMatch,
    Path,
    multi_match,
    scan_match,
)
from synthrelease.evaluation.result import Scores
from synthrelease.kinds.scanpaths.blocks import CLASSES, class_of
from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.kinds.scanpaths.geometry import levels
from synthrelease.kinds.scanpaths.public import ScanpathParameters
from synthrelease.numerics.blur import blurred
from synthrelease.numerics.public_draws import PublicDraws

Numbers = NDArray[np.float64]

_DIVERGENCES = ("amplitude", "direction", "turn", "duration_ms", "fixations")
_TURN, _HALF_TURN = 360.0, 180.0  # degrees
_PAIRS = 12  # of scanpaths that are aligned, of each stimulus, on at most so many stimuli
_ALIGNED = 20
_NONE = float("nan")


@dataclass(frozen=True)
class Judged:
    """A set of scanpaths on the stimuli of an output."""

    fixations: Fixations
    parameters: ScanpathParameters

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the screen, px."""
        return self.parameters.screen.width_px, self.parameters.screen.height_px

    @cached_property
    def spreads(self) -> dict[str, metrics.Spread]:
        """What is compared of movements, by name."""
        return metrics.spreads(self.fixations)

    @cached_property
    def next_fixation(self) -> metrics.NextFixation:
        """What predicts the next fixation, learnt from this set."""
        return metrics.NextFixation(self.fixations)

    @cached_property
    def predicted_bits(self) -> float:
        """How well that predicts the set itself, bits per fixation."""
        return self.next_fixation.bits(self.fixations)

    @cached_property
    def looks(self) -> list[Numbers]:
        """Where fixations are on each stimulus, every trial weighing the same, shape (rows, columns) each."""
        cells = self.parameters.geometry
        shape = cells.rows, cells.columns
        return [
            metrics.looks(self.fixations, number, shape) for number in range(len(self.parameters.stimuli))
        ]

    @cached_property
    def maps(self) -> list[Numbers]:
        """The same, blurred as the release's maps are."""
        p = self.parameters
        return [blurred(one, blur_px=p.blur_px, screen_px=self.size) for one in self.looks]

    @cached_property
    def levels(self) -> Numbers:
        """How dense each map is at every cell, from 0 to 1, shape (S, rows, columns)."""
        return np.stack([levels(np.maximum(one, 0.0) + np.finfo(np.float64).tiny) for one in self.maps])

    def levels_on(self, maps: Numbers) -> Iterator[metrics.Spread]:
        """Yield for each class of fixations, the first, second, …, how dense maps are where they are.

        Args:
            maps: levels of every cell, shape (S, rows, columns).
        """
        f = self.fixations
        _, rows, columns = maps.shape
        level = maps[f.stimulus, f.y * rows // STEPS, f.x * columns // STEPS]
        group = class_of(f.ordinal)
        for number in range(len(CLASSES)):
            here = group == number
            each = np.bincount(f.trial[here], minlength=f.first.size)[f.trial[here]]
            yield metrics.Spread(level[here], 1 / each)

    @cached_property
    def aligned_with_itself(self) -> Numbers:
        """ScanMatch and MultiMatch of pairs of different scanpaths, see `_aligned`."""
        return _aligned(self, self)

    def path(self, trial: int) -> Path:
        """Return the scanpath of a trial, px and ms."""
        f = self.fixations
        rows = slice(f.first[trial], f.first[trial] + f.counts[trial])
        x, y = (
            np.asarray((values[rows] + 0.5) * (side / STEPS))
            for values, side in zip((f.x, f.y), self.size, strict=True)
        )
        return Path(x, y, f.duration_us[rows] / 1000)


def fixations_of(values: Numbers, screen: Screen) -> Fixations:
    """Return released scanpaths as fixations of as many people as there are scanpaths of a stimulus.

    Args:
        values: x and y in px, onset and duration in ms, 0 after the last fixation, shape (S, scanpaths, most, 4).
        screen: that stimuli were shown on.
    """
    number, stimulus, fixation = np.nonzero(np.swapaxes(values[..., 3], 0, 1))
    rows = values[stimulus, number, fixation]
    x, y = (
        np.minimum((rows[:, axis] * (STEPS / side)).astype(np.int64), STEPS - 1)
        for axis, side in enumerate((screen.width_px, screen.height_px))
    )
    duration = np.rint(rows[:, 3] * 1000).astype(np.int64)
    proportions = screen.height_px / screen.width_px
    return Fixations(number, stimulus, x, y, duration, values.shape[1], proportions)


def scores(scanpaths: Judged, truth: Judged) -> Scores:
    """Return all measures of scanpaths, in the order of `ground_truth.scanpaths.MEASURES` and in the units that it states.

    Args:
        scanpaths: that are judged.
        truth: what they are compared with.
    """
    one, other = scanpaths.spreads, truth.spreads
    maps = [
        (looks, shown, exact)
        for looks, shown, exact in zip(scanpaths.looks, scanpaths.maps, truth.maps, strict=True)
        if looks.any() and exact.any()
    ]
    levels_of_both = (judged.levels_on(truth.levels) for judged in (scanpaths, truth))
    order = [pair for pair in zip(*levels_of_both, strict=True) if all(one.values.size for one in pair)]
    width, height = scanpaths.size
    aligned, among = _aligned(scanpaths, truth), truth.aligned_with_itself
    return (
        _mean([correlation(shown, exact) for _, shown, exact in maps]),
        *(metrics.divergence(one[name], other[name], name) for name in _DIVERGENCES),
        truth.predicted_bits - scanpaths.next_fixation.bits(truth.fixations),
        _mean([nss(exact, looks) for looks, _, exact in maps]),
        metrics.divergence(one["first_place"], other["first_place"], "first_place"),
        _mean([metrics.divergence(shown, exact, "level") for shown, exact in order]),
        width * metrics.distance(one["amplitude"], other["amplitude"]),
        _TURN * metrics.circular_distance(one["direction"], other["direction"]),
        _HALF_TURN * metrics.distance(one["turn"], other["turn"]),
        metrics.distance(one["duration_ms"], other["duration_ms"]),
        metrics.distance(one["fixations"], other["fixations"]),
        _mean(
            [
                side * metrics.distance(one[name], other[name])
                for name, side in (("first_x", width), ("first_y", height))
            ]
        ),
        _mean([metrics.distance(*pair) for pair in order]),
        abs(one["returns"].mean - other["returns"].mean),
        float(aligned[0] / among[0]) if among[0] else _NONE,
        *aligned[1:].tolist(),
    )


def _aligned(one: Judged, other: Judged) -> Numbers:
    """The mean similarities of scanpaths of two sets on the same stimulus, never of one with itself: ScanMatch and the five of MultiMatch; NaN if there are none, shape (6,)."""
    random = PublicDraws(0)  # decides which pairs are looked at
    found: list[list[float]] = []
    for stimulus in range(len(one.parameters.stimuli))[:_ALIGNED]:
        trials = [
            np.flatnonzero(judged.fixations.stimulus[judged.fixations.first] == stimulus)
            for judged in (one, other)
        ]
        if min(map(len, trials)) < 2:
            continue
        for _ in range(_PAIRS):
            first, second = (int(some[random.integers(0, some.size)[0]]) for some in trials)
            if one is other and first == second:
                continue
            pair = one.path(first), other.path(second)
            long = min(path.x_px.size for path in pair) >= FEWEST_FIXATIONS
            matched = multi_match(*pair, one.size) if long else MultiMatch(*[_NONE] * 5)
            found.append([scan_match(*pair, one.size), *matched])
    columns = np.array(found).reshape(-1, 6).T
    return np.array([_mean(column[np.isfinite(column)].tolist()) for column in columns])


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else _NONE
