"""Measures of sets of scanpaths, by cases that are computed by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import made_scanpaths
import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from synthrelease.evaluation.ground_truth.scanpaths import MEASURES
from synthrelease.evaluation.metrics.judged_scanpaths import Judged, fixations_of, scores
from synthrelease.evaluation.metrics.maps import correlation, nss
from synthrelease.evaluation.metrics.scanpaths import (
    NextFixation,
    Spread,
    circular_distance,
    distance,
    divergence,
    looks,
    spreads,
)
from synthrelease.kinds.scanpaths.fixations import Fixations
from synthrelease.numerics.blur import blurred

CELL = 2.0**-13


def spread(values: list[float]) -> Spread:
    return Spread(np.array(values), np.ones(len(values)))


def trials(*rows: list[tuple[float, float, float]]) -> Fixations:
    """One person each, on stimulus 0."""
    return made_scanpaths.fixations({(p, 0): list(row) for p, row in enumerate(rows)}, len(rows))


def judged(fixations: Fixations) -> Judged:
    return Judged(fixations, made_scanpaths.mechanism().parameters)


def measured(one: Fixations, other: Fixations) -> dict[str, float]:
    found = scores(judged(one), judged(other))
    return dict(zip((measure.name for measure in MEASURES), found, strict=True))


def crowd(seed: int, people: int = 12) -> Fixations:
    return made_scanpaths.fixations(made_scanpaths.crowd(people, seed=seed), people)


def test_every_trial_weighs_the_same_however_many_fixations_it_has() -> None:
    short = [(0.1, 0.1, 100.0), (0.1, 0.3, 100.0)]
    long = [(0.5, 0.5, 300.0)] * 20
    found = spreads(trials(short, long))
    assert found["duration_ms"].mean == pytest.approx(200)
    assert found["fixations"].mean == 11
    assert found["amplitude"].mean == pytest.approx(0.2 * 0.75 / 2, abs=CELL)


def test_a_return_is_to_where_the_last_but_one_was_after_having_left() -> None:
    there_and_back = [(0.1, 0.1, 100.0), (0.6, 0.1, 100.0), (0.11, 0.1, 100.0)]
    stay = [(0.1, 0.1, 100.0)] * 3
    on = [(0.1, 0.1, 100.0), (0.6, 0.1, 100.0), (0.9, 0.9, 100.0)]
    assert spreads(trials(there_and_back, stay, on))["returns"].mean == pytest.approx(1 / 3)


def test_divergence_is_1_bit_of_what_never_meets_and_0_of_the_same() -> None:
    one, other = spread([0.01]), spread([0.5])
    assert divergence(one, other, "amplitude") == pytest.approx(1)
    assert divergence(one, one, "amplitude") == 0
    # Half of it meets: ½·KL(p‖m) + ½·KL(q‖m) with p = (1, 0), q = (½, ½), m = (¾, ¼).
    by_hand = (math.log2(4 / 3) + (math.log2(2 / 3) + math.log2(2)) / 2) / 2
    assert divergence(one, spread([0.01, 0.5]), "amplitude") == pytest.approx(by_hand)


def test_distance_is_that_of_the_whole_distributions() -> None:
    random = np.random.default_rng(0)
    one, other = random.normal(0, 1, 4000), random.normal(0.5, 2, 3000)
    expected = wasserstein_distance(one, other)
    assert distance(Spread(one, np.ones(4000)), Spread(other, np.ones(3000))) == pytest.approx(
        expected, rel=0.03
    )
    assert math.isnan(distance(spread([]), spread([1.0])))


def test_on_a_circle_the_shorter_way_counts() -> None:
    assert circular_distance(spread([0.02]), spread([0.97])) == pytest.approx(0.05, abs=1 / 360)
    assert circular_distance(spread([0.2]), spread([0.5])) == pytest.approx(0.3, abs=1 / 360)
    # Half of it by 0.1 and half by 0.2, in other directions.
    assert circular_distance(spread([0.0, 0.5]), spread([0.1, 0.3])) == pytest.approx(0.15, abs=1 / 180)
    assert circular_distance(spread([0.3]), spread([0.3])) == 0


def test_looks_are_proportions_of_each_trial() -> None:
    found = looks(trials([(0.1, 0.1, 100.0)], [(0.1, 0.1, 9.0), (0.9, 0.9, 9.0)]), 0, (2, 2))
    np.testing.assert_allclose(found, [[1.5, 0], [0, 0.5]])
    assert not looks(trials([(0.1, 0.1, 100.0)]), 1, (2, 2)).any()


def test_of_the_same_scanpaths_nothing_is_missed() -> None:
    same = crowd(0)
    found = measured(same, same)
    assert found.pop("NSS") > 0
    for measure in MEASURES:
        if measure.name not in ("NSS", "ScanMatch") and not measure.name.startswith("MultiMatch"):
            assert found[measure.name] == pytest.approx(measure.best, abs=1e-9), measure.name
    assert found["ScanMatch"] >= 1  # some are aligned with themselves


def test_places_are_compared_by_blurred_maps_and_by_participants_map_at_fixations() -> None:
    one, other = crowd(0), crowd(1)
    found = measured(one, other)
    p = made_scanpaths.mechanism().parameters
    shape = p.geometry.rows, p.geometry.columns
    at = [[looks(some, stimulus, shape) for stimulus in range(3)] for some in (one, other)]
    maps = [[blurred(each, blur_px=p.blur_px, screen_px=(80, 60)) for each in some] for some in at]
    assert found["maps"] == pytest.approx(np.mean([correlation(a, b) for a, b in zip(*maps, strict=True)]))
    assert found["NSS"] == pytest.approx(
        np.mean([nss(exact, shown) for exact, shown in zip(maps[1], at[0], strict=True)])
    )


def test_what_predicts_participants_worse_is_what_was_learnt_from_scanpaths() -> None:
    one, other = crowd(0), crowd(1)
    lost = NextFixation(other).bits(other) - NextFixation(one).bits(other)
    bits = measured(one, other)["next fixation"]
    assert lost > 0.1
    assert bits == pytest.approx(lost)


def test_first_fixations_and_the_order_of_dense_places_are_noticed() -> None:
    """The same fixations, the other way round: only what depends on time differs."""
    middle = [(0.5, 0.5, 200.0)] * 3
    rows = [[*middle, (0.1 * p, 0.9, 200.0)] for p in range(1, 9)]
    forwards, backwards = trials(*rows), trials(*(row[::-1] for row in rows))
    found = measured(backwards, forwards)
    same = found["maps"], found["durations"]
    names = "first fixations", "first fixations, px", "order", "order, levels", "directions, °"
    first, first_px, order, levels, directions = (found[name] for name in names)
    assert same == pytest.approx((1, 0))
    assert first == pytest.approx(1)
    across = 80 * np.mean([0.4, 0.3, 0.2, 0.1, 0, 0.1, 0.2, 0.3])
    assert first_px == pytest.approx((0.4 * 60 + across) / 2, abs=2)
    assert order > 0.3
    assert levels > 0.2
    assert directions > 30


def test_the_next_fixation_is_predicted_better_by_what_people_do() -> None:
    """People who go rightwards, by models of such people and of those who go leftwards."""
    random = np.random.default_rng(0)

    def going(step: float, people: int) -> Fixations:
        rows = []
        for _ in range(people):
            x = np.clip(0.5 + step * np.arange(-2, 3) + random.normal(0, 0.01, 5), 0.01, 0.99)
            y = np.clip(0.5 + random.normal(0, 0.05, 5), 0.01, 0.99)
            rows.append(list(zip(x, y, np.full(5, 200.0), strict=True)))
        return trials(*rows)

    tested = going(0.15, 40)
    right, left = (NextFixation(going(step, 60)).bits(tested) for step in (0.15, -0.15))
    assert right > 4
    assert left < 1.5


def test_released_scanpaths_are_read_as_they_are_written() -> None:
    values = np.zeros((2, 3, 4, 4))
    values[1, 2, :2] = [[8.0, 30.0, 0.0, 120.0], [79.9, 0.0, 200.0, 55.0]]
    values[0, 0, 0] = [40.0, 15.0, 0.0, 99.0]
    screen = made_scanpaths.SCREEN
    found = fixations_of(values, screen)
    np.testing.assert_array_equal(found.person, [0, 2, 2])
    np.testing.assert_array_equal(found.stimulus, [0, 1, 1])
    np.testing.assert_allclose(found.x / 8192 * 80, [40, 8, 79.9], atol=0.01)
    np.testing.assert_allclose(found.y / 8192 * 60, [15, 30, 0], atol=0.01)
    np.testing.assert_array_equal(found.duration_us, [99_000, 120_000, 55_000])
    assert found.people == 3


def test_stimuli_that_no_one_looked_at_are_left_out() -> None:
    some = crowd(0)
    kept = some.stimulus != 1
    columns = ("person", "stimulus", "x", "y", "duration_us")
    fewer = replace(some, **{name: getattr(some, name)[kept] for name in columns})
    assert measured(some, fewer)["maps"] == pytest.approx(1)
    assert math.isfinite(measured(fewer, some)["NSS"])
