"""How alike two sets of people are, by cases that are computed by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from synthrelease.evaluation.metrics.people import PeopleRows, errors, summary

NONE = np.nan


def rows(places: ArrayLike, person: ArrayLike, recording: ArrayLike | None = None) -> PeopleRows:
    """Windows of people; of the only recording if none is given."""
    values = np.asarray(places, dtype=np.float64)
    values = values[:, None] if values.ndim == 1 else values
    numbers = np.zeros(len(values), dtype=np.int64) if recording is None else np.asarray(recording)
    return PeopleRows(values, np.asarray(person), numbers, int(numbers.max()) + 1)


# --- distributions


def test_people_weigh_the_same_however_many_windows_they_have() -> None:
    found = summary(rows([0.01, 0.01, 0.01, 0.99], [0, 0, 0, 1]))
    expected = np.zeros(20)
    expected[[0, -1]] = 0.5
    np.testing.assert_allclose(found.single, [expected])


def test_the_ends_of_the_range_are_in_the_outer_bins() -> None:
    found = summary(rows([0.0, 1.0], [0, 0]))
    np.testing.assert_allclose(found.single[0, [0, -1]], [0.5, 0.5])


def test_total_variation_is_what_is_in_a_wrong_place() -> None:
    """Of four people (low, low), (low, high), (high, high) are 2, 2, 0 and 1, 1, 2."""
    one = summary(rows([[0.1, 0.1], [0.1, 0.1], [0.1, 0.9], [0.1, 0.9]], [0, 1, 2, 3]))
    other = summary(rows([[0.1, 0.1], [0.1, 0.9], [0.9, 0.9], [0.9, 0.9]], [0, 1, 2, 3]))
    found = errors(one, other)
    np.testing.assert_allclose(found.single, [2 / 4, 1 / 4])
    np.testing.assert_allclose(found.pairs, [2 / 4, 2 / 4])


def test_of_three_features_pairs_are_averaged() -> None:
    random = np.random.default_rng(1)
    one, other = (rows(random.random((40, 3)), np.arange(40)) for _ in range(2))

    def variation(f: int, g: int) -> float:
        counts = [
            np.histogram2d(part.places[:, f], part.places[:, g], bins=8, range=[[0, 1], [0, 1]])[0] / 40
            for part in (one, other)
        ]
        return float(np.abs(counts[0] - counts[1]).sum() / 2)

    found = errors(summary(one), summary(other)).pairs
    expected = [np.mean([variation(f, g) for g in range(3) if g != f]) for f in range(3)]
    np.testing.assert_allclose(found, expected)


def test_a_missing_value_leaves_the_rest_of_its_window() -> None:
    found = summary(rows([[0.1, NONE], [0.9, 0.1]], [0, 1]))
    np.testing.assert_allclose(found.single[1, 2], 1.0)
    np.testing.assert_allclose(found.pairs[0, 1].sum(), 1.0)
    np.testing.assert_allclose(found.pairs[0, 1, 7, 0], 1.0)


# --- correlations


def test_correlations_are_pearson_s_and_weigh_people() -> None:
    random = np.random.default_rng(2)
    places, person = random.random((60, 3)), np.sort(random.integers(0, 9, 60))
    weight = 1 / np.bincount(person)[person]
    covariance = np.cov(places.T, aweights=weight)
    scale = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(summary(rows(places, person)).correlation, covariance / np.outer(scale, scale))


def test_a_constant_feature_is_correlated_with_nothing() -> None:
    found = summary(rows([[0.3, 0.1], [0.3, 0.2], [0.3, 0.7]], [0, 1, 2])).correlation
    np.testing.assert_array_equal(found, np.eye(2))


def test_correlations_are_of_windows_that_have_both() -> None:
    places = np.array([[0.1, 0.8], [0.2, 0.7], [0.3, 0.6], [0.9, NONE]])
    found = summary(rows(places, [0, 1, 2, 3])).correlation
    np.testing.assert_allclose(found, [[1, -1], [-1, 1]])


def test_the_error_of_correlations_is_over_the_other_features() -> None:
    one, other = (summary(rows(np.eye(3) / 2, [0, 1, 2])) for _ in range(2))
    other.correlation[0, 1:] += [0.3, 0.4]
    found = errors(one, other).correlation
    np.testing.assert_allclose(found, [np.sqrt((0.09 + 0.16) / 2), 0, 0], atol=1e-12)


# --- people, and order in time


def test_variance_between_people_is_told_from_that_within() -> None:
    """Means 0.2 and 0.6 of two people with squares 2·0.01 each: mean squares between 0.16 and within 0.02, (0.16 − 0.02)/(0.16 + 0.02)."""
    found = summary(rows([0.1, 0.3, 0.5, 0.7], [0, 0, 1, 1])).intraclass
    np.testing.assert_allclose(found, [(0.16 - 0.02) / (0.16 + 0.02)])


def test_of_unequal_numbers_of_windows() -> None:
    """Counts 1 and 3: n₀ = 4 − 10/4; within (0.01 + 0.01)/2 of the second, between 3/4·0.5² less that."""
    found = summary(rows([0.0, 0.4, 0.5, 0.6], [0, 1, 1, 1])).intraclass
    within, usual = 0.02 / 2, 4 - 10 / 4
    between = (3 / 4 * 0.5**2 - within) / usual
    np.testing.assert_allclose(found, [between / (between + within)])


@pytest.mark.parametrize(
    ("places", "person", "expected"),
    [([0.1, 0.9], [0, 1], NONE), ([0.1, 0.9, 0.1, 0.9], [0, 0, 1, 1], 0.0), ([0.5] * 4, [0, 0, 1, 1], 0.0)],
    ids=["one window each", "alike", "constant"],
)
def test_where_people_do_not_differ(places: list[float], person: list[int], expected: float) -> None:
    np.testing.assert_allclose(summary(rows(places, person)).intraclass, [expected])


def test_successive_windows_of_a_recording() -> None:
    """Residuals 3, 1, −1, −3 in tenths: products 3 − 1 + 3, squares ½·(9 + 1 + 1 + 1 + 1 + 9)."""
    found = summary(rows([0.8, 0.6, 0.4, 0.2], [0] * 4)).lag
    np.testing.assert_allclose(found, [5 / 11])


def test_the_last_window_of_a_recording_or_person_is_not_before_the_next() -> None:
    """Only 3·1 and −1·−3 are left, then nothing."""
    found = summary(rows([0.8, 0.6, 0.4, 0.2], [0] * 4, [0, 0, 1, 1])).lag
    np.testing.assert_allclose(found, [6 / 10])
    assert summary(rows([0.8, 0.6, 0.4, 0.2], [0, 1, 2, 3])).lag == [0.0]


def test_a_missing_window_is_between_its_neighbours() -> None:
    found = summary(rows([0.8, NONE, 0.6, 0.4, 0.2], [0] * 5)).lag
    np.testing.assert_allclose(found, [(-1 + 3) / ((1 + 1 + 1 + 9) / 2)])


# --- contrasts


def test_contrasts_are_in_standard_deviations_and_weigh_people() -> None:
    """In the first recording means are 0.2 and 0.4, of one and two windows; in the second both are 0.6."""
    places, person = [0.2, 0.6, 0.4, 0.4, 0.6], [0, 0, 1, 1, 1]
    found = summary(rows(places, person, [0, 1, 0, 0, 1])).contrasts
    weight = np.array([1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 3]) / 2
    mean = (weight * places).sum()
    deviation = np.sqrt((weight * (np.array(places) - mean) ** 2).sum())
    np.testing.assert_allclose(found, [[(0.6 - 0.3) / deviation]])


def test_of_one_feature_in_one_recording_there_is_less_to_compare() -> None:
    one, other = (summary(rows(places, [0, 0, 1])) for places in ([0.1, 0.2, 0.3], [0.1, 0.2, 0.6]))
    found = errors(one, other)
    assert np.isnan([found.pairs, found.correlation, found.contrasts]).all()
    assert found.single == [0.5]


def test_nothing_is_missed_of_the_same_people() -> None:
    random = np.random.default_rng(3)
    places = np.where(random.random((7, 3, 5, 4)) < 0.1, NONE, random.random((7, 3, 5, 4)))
    found = summary(PeopleRows.of_array(places))
    np.testing.assert_array_equal(np.stack(errors(found, found)), 0.0)
    assert found.contrasts.shape == (2, 4)


def test_some_people_are_they_alone() -> None:
    places = np.random.default_rng(4).random((5, 2, 3, 2))
    some = PeopleRows.of_array(places).of_people(np.array([1, 3]))
    alone = summary(PeopleRows.of_array(places[[1, 3]]))
    for one, other in zip(vars(summary(some)).values(), vars(alone).values(), strict=True):
        np.testing.assert_allclose(one, other)
