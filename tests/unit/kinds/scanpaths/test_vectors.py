"""People's vectors against the definition, trial by trial in floating point; and that they are functions of one person's rows."""

from __future__ import annotations

import itertools
import math

import made_scanpaths
import numpy as np
import pytest

from synthrelease.kinds.scanpaths.blocks import (
    BLOCKS,
    SIZE,
    Circle,
    class_of,
    events_expected,
    places,
    weights,
)
from synthrelease.kinds.scanpaths.coordinates import STEPS
from synthrelease.kinds.scanpaths.dynamics_prior import dynamics_prior
from synthrelease.kinds.scanpaths.vectors import Measured, deviations

PRIOR = dynamics_prior(0.15)
SECONDS = 3.0
MEASURED = Measured(PRIOR.coordinates, SECONDS, PRIOR.means)
LEVELS = np.random.default_rng(2).integers(0, STEPS, (3, 6, 8))
Trial = list[tuple[float, float, float]]


def at(name: str, value: float) -> float:
    """A value's place on its coordinate, at the middle of its step."""
    return (float(PRIOR.coordinates[name].steps(np.array([value]))[0]) + 0.5) / STEPS


def functions(block: int, *u: float) -> np.ndarray:
    """Products of the functions of a block at one place, without the constant."""
    out = np.ones(1)
    for known, one in zip(BLOCKS[block].functions, u, strict=True):
        if isinstance(known, Circle):
            waves = [
                math.sqrt(2) * trig(2 * math.pi * k * one)
                for k in range(1, known.frequencies + 1)
                for trig in (math.cos, math.sin)
            ]
            values = np.array([1.0, *waves])
        else:
            values = np.array(
                [1.0, *(math.sqrt(2) * math.cos(math.pi * k * one) for k in range(1, known.count))]
            )
        out = np.outer(out, values).ravel()
    return out[1:]


def saccades(trial: Trial) -> list[tuple[float, float]]:
    grid = [
        (int(x * STEPS) / STEPS, int(y * STEPS) / STEPS * made_scanpaths.PROPORTIONS) for x, y, _ in trial
    ]
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(grid)]
    return [(math.hypot(*step), math.atan2(step[1], step[0]) / (2 * math.pi) % 1.0) for step in steps]


def by_definition(trials: dict[int, Trial]) -> np.ndarray:
    """The mean over trials of what the mean over events differs by from what is expected; nothing of a block without events."""
    here, out = places(), np.zeros(SIZE)
    for stimulus, trial in trials.items():
        moves = saccades(trial)
        turned = [abs((b[1] - a[1] + 0.5) % 1.0 - 0.5) * 2 for a, b in itertools.pairwise(moves)]
        ratio = [b[0] / (a[0] + b[0]) for a, b in itertools.pairwise(moves)]
        low, high = (
            PRIOR.coordinates["rate_per_s"].steps(np.array([(len(trial) + half) / SECONDS]))[0]
            for half in (-0.5, 0.5)
        )
        rate = ((low + high) // 2 + 0.5) / STEPS
        total = min(sum(duration for _, _, duration in trial) / 1000 / SECONDS, 1.0)
        level = [
            (LEVELS[stimulus, int(y * STEPS) * 6 // STEPS, int(x * STEPS) * 8 // STEPS] + 0.5) / STEPS
            for x, y, _ in trial
        ]
        x, y = (int(share * STEPS) + 0.5 for share in trial[0][:2])
        events = {
            "saccades": [functions(0, at("amplitude", a), at("direction", d)) for a, d in moves],
            "turns": [
                functions(1, at("ratio", r), at("turn", t)) for r, t in zip(ratio, turned, strict=True)
            ],
            "durations": [functions(2, at("duration_ms", round(d * 1000) / 1000)) for _, _, d in trial],
            "trials": [functions(3, rate, at("fixated_share", total))],
            "starts": [functions(4, at("first_x", x / STEPS), at("first_y", y / STEPS))],
        }
        for name, values in events.items():
            if values:
                out[here[name]] += np.mean(values, axis=0) - PRIOR.means[here[name]]
        classes = class_of(np.arange(len(trial)))
        order = out[here["order"]].reshape(6, -1)
        for one in np.unique(classes):
            values = [functions(5, u) for u, c in zip(level, classes, strict=True) if c == one]
            order[one] += np.mean(values, axis=0) - PRIOR.means[here["order"]].reshape(6, -1)[one]
    return out / len(trials)


def test_vectors_are_as_defined() -> None:
    trials = made_scanpaths.crowd(12)
    found = deviations(made_scanpaths.fixations(trials, 12), MEASURED, LEVELS)
    for person in range(12):
        own = {stimulus: trial for (one, stimulus), trial in trials.items() if one == person}
        expected = by_definition(own) if own else np.zeros(SIZE)
        np.testing.assert_allclose(found[person], expected, atol=1e-4)


def test_a_persons_vector_is_the_same_whoever_else_is_there() -> None:
    trials = made_scanpaths.crowd(9)
    everyone = deviations(made_scanpaths.fixations(trials, 9), MEASURED, LEVELS)
    for person in range(9):
        alone = {(0, s): trial for (one, s), trial in trials.items() if one == person}
        vector = deviations(made_scanpaths.fixations(alone, 1), MEASURED, LEVELS)
        np.testing.assert_array_equal(vector[0], everyone[person])


@pytest.mark.parametrize("rows", [1, 7, 40, 10**6])
def test_in_parts_vectors_are_those_of_all(rows: int) -> None:
    """Of the people who have a fixation, in their order; a person is in one part."""
    trials = {key: trial for key, trial in made_scanpaths.crowd(12).items() if key[0] not in {0, 5, 11}}
    whole = made_scanpaths.fixations(trials, 12)
    vectors = [deviations(part, MEASURED, LEVELS) for part in whole.parts(rows)]
    assert len(vectors) > 1 or rows > whole.person.size
    everyone = deviations(whole, MEASURED, LEVELS)[np.unique(whole.person)]
    np.testing.assert_array_equal(np.concatenate(vectors), everyone)


def test_no_one_has_no_vector() -> None:
    assert not deviations(made_scanpaths.fixations({}, 2), MEASURED, LEVELS).any()
    assert not list(made_scanpaths.fixations({}, 2).parts())


def test_the_largest_vector_is_bounded_before_it_is_clipped() -> None:
    """10⁵ fixations at one corner, all functions at their largest: numbers stay what they are by definition."""
    trial = [(0.0, 0.0, 15.0)] * 100_000
    found = deviations(made_scanpaths.fixations({(0, 0): trial}, 1), MEASURED, LEVELS)
    assert np.isfinite(found).all()
    assert np.abs(found).max() < 2.01 + np.abs(PRIOR.means).max()


def test_classes_of_fixations_are_the_first_ones_and_then_several() -> None:
    assert class_of(np.arange(12)).tolist() == [0, 1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5]


def test_weights_fall_with_the_order_and_belong_to_the_numbers() -> None:
    assert weights().shape == (SIZE,)
    assert SIZE == 231
    first = weights()[places()["durations"]]
    assert (np.diff(first) < 0).all()


@pytest.mark.parametrize("seconds", [0.1, 3.0, 60.0])
def test_expected_events_are_at_least_one_of_each_trial(seconds: float) -> None:
    assert min(events_expected(4, seconds).values()) >= 4
