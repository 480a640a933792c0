"""Attacks on published fixations: whose are 20 images, and whose raw scanpath on the same image is nearest to a published one?

An attacker has raw fixations of everyone on other images, or of everyone on the same images, and the published ones without names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reproductions._davidjohn2023_data import SIZE_PX, Integers, Numbers, Rectangle, places_px, selected
from synthrelease.evaluation.metrics.scanpaths import spreads
from synthrelease.extras import require
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.numerics.public_draws import PublicDraws

LDA, FOREST = "LDA", "RF"
CLASSIFIERS = (LDA, FOREST)
PLACES, DURATIONS, OTHER_IMAGE = "places", "durations", "another image"
_QUANTILES = np.linspace(0.1, 0.9, 9)
_DIRECTIONS, _TURNS = np.linspace(0, 1, 9), np.linspace(0, 1, 11)
_TIE = 1e-9

Predict = Callable[[Numbers], Integers]


# --- Whose are these images?


@dataclass(frozen=True)
class Blocks:
    """Features of people on blocks of images: block by block, and by person within a block."""

    values: Numbers  # shape (blocks·people, features)
    person: Integers  # shape (blocks·people,)


def blocks_of(fixations: Fixations, blocks: Sequence[Sequence[int]]) -> Blocks:
    """Return the features of everyone on blocks of stimuli."""
    values = []
    for stimuli in blocks:
        here = np.isin(fixations.stimulus, stimuli)
        values += [
            _features(selected(fixations, here & (fixations.person == p))) for p in range(fixations.people)
        ]
    return Blocks(np.array(values), np.tile(np.arange(fixations.people), len(blocks)))


def _features(fixations: Fixations) -> Numbers:
    """What is known to differ from person to person: durations, amplitudes, directions, turns, numbers, returns, places, first places."""
    spread = spreads(fixations)
    place, first = places_px(fixations) / SIZE_PX, fixations.first
    numbers = spread["fixations"].values
    return np.concatenate(
        [
            np.quantile(np.log(spread["duration_ms"].values), _QUANTILES),
            np.quantile(np.log1p(spread["amplitude"].values * SIZE_PX[0]), _QUANTILES)
            if fixations.saccades.size
            else np.zeros(_QUANTILES.size),
            spread["direction"].share(_DIRECTIONS),
            spread["turn"].share(_TURNS),
            [numbers.mean(), numbers.std(), np.nan_to_num(spread["returns"].mean)],
            place.mean(axis=0),
            place.std(axis=0),
            place[first].mean(axis=0),
            place[first].std(axis=0),
        ]
    )


@dataclass(frozen=True)
class Attacker:
    """Classifiers that name the person of features, by name; and the same that learnt from shuffled names, where there is nothing to find."""

    classifiers: Mapping[str, Predict]
    shuffled: Mapping[str, Sequence[Predict]]


class Identified(NamedTuple):
    """What a classifier comes to."""

    table: Numbers  # how often each person's blocks are given to each person, shape (people, people)
    control: float  # the mean of the same by classifiers that learnt from shuffled names


def attacker(known: Blocks, draws: PublicDraws, *, trees: int, shuffles: int) -> Attacker:
    """Return an attacker who knows blocks with names.

    Args:
        known: what they learn from.
        draws: shuffle names.
        trees: of the forest.
        shuffles: classifiers of the control.
    """
    orders = [np.argsort(draws.uniform(known.person.size)) for _ in range(shuffles)]
    return Attacker(
        {name: _trained(known, name, 0, trees) for name in CLASSIFIERS},
        {
            name: [
                _trained(Blocks(known.values, known.person[order]), name, seed, trees)
                for seed, order in enumerate(orders)
            ]
            for name in CLASSIFIERS
        },
    )


def _trained(known: Blocks, name: str, seed: int, trees: int) -> Predict:
    require("sklearn")
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if name == LDA:
        classifier = make_pipeline(
            StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
        )
    else:
        classifier = RandomForestClassifier(trees, random_state=seed)
    return classifier.fit(known.values, known.person).predict


def identified(by: Attacker, released: Blocks) -> dict[str, Identified]:
    """Return what an attacker comes to on published blocks, by classifier."""
    return {
        name: Identified(
            _table(by.classifiers[name](released.values), released),
            float(np.mean([_table(one(released.values), released).trace() for one in by.shuffled[name]]))
            / (int(released.person.max()) + 1),
        )
        for name in CLASSIFIERS
    }


def _table(named: Integers, released: Blocks) -> Numbers:
    people = int(released.person.max()) + 1
    table = np.zeros((people, people))
    np.add.at(table, (released.person, named), 1.0)
    return table / table.sum(axis=1, keepdims=True)


# --- Whose is this scanpath?


def linked(released: Fixations, raw: Fixations, by: str, stimuli: Sequence[int]) -> Numbers:
    """Return how often each person's published scanpath is linked to each one's raw one on the same image, shape (people, people).

    The nearest one is the link; those that are equally near share it.

    Args:
        released: published, of all people on all stimuli.
        raw: known, with names.
        by: `PLACES` (mean distance of fixations aligned by dynamic time warping), `DURATIONS` (sum of differences of the e-th ones), or `OTHER_IMAGE`:
            places, with raw scanpaths of another image, where there is nothing to find but habits.
        stimuli: those whose scanpaths are linked.
    """
    sides = Rectangle.of(released), Rectangle.of(raw)
    total = np.zeros((raw.people, raw.people))
    for number, stimulus in enumerate(stimuli):
        other = stimuli[(number + 1) % len(stimuli)] if by == OTHER_IMAGE else stimulus
        one, known = (
            np.flatnonzero(s.stimulus == at) for s, at in zip(sides, (stimulus, other), strict=True)
        )
        distance = _by_durations(*sides, one, known) if by == DURATIONS else _by_places(*sides, one, known)
        nearest = distance <= distance.min(axis=1, keepdims=True) + _TIE
        total[np.ix_(sides[0].person[one], sides[1].person[known])] += nearest / nearest.sum(
            axis=1, keepdims=True
        )
    return total / len(stimuli)


def _by_durations(released: Rectangle, raw: Rectangle, one: Integers, other: Integers) -> Numbers:
    length = max(released.duration_ms.shape[1], raw.duration_ms.shape[1])
    first, second = (
        np.pad(side.duration_ms[trials], ((0, 0), (0, length - side.duration_ms.shape[1])))
        for side, trials in ((released, one), (raw, other))
    )
    return np.abs(first[:, None] - second[None]).sum(axis=2)


def _by_places(released: Rectangle, raw: Rectangle, one: Integers, other: Integers) -> Numbers:
    """The sum of distances along the best alignment over the longer one's number of fixations, in pixels, shape (one, other)."""
    first, second = released.places_px[one], raw.places_px[other]
    counts = released.counts[one][:, None], raw.counts[other][None]
    first, second = first[:, : counts[0].max()], second[:, : counts[1].max()]
    apart = np.hypot(*np.moveaxis(first[:, None, :, None] - second[None, :, None], -1, 0))
    best = np.full((*apart.shape[:2], apart.shape[2] + 1, apart.shape[3] + 1), np.inf)
    best[:, :, 0, 0] = 0
    for i in range(apart.shape[2]):
        for j in range(apart.shape[3]):
            before = np.minimum(np.minimum(best[:, :, i, j], best[:, :, i, j + 1]), best[:, :, i + 1, j])
            best[:, :, i + 1, j + 1] = apart[:, :, i, j] + before
    ends = np.take_along_axis(best, counts[0][..., None, None], axis=2)
    ends = np.take_along_axis(
        ends, np.broadcast_to(counts[1][..., None, None], (*apart.shape[:2], 1, 1)), axis=3
    )
    return ends[..., 0, 0] / np.maximum(*counts)
