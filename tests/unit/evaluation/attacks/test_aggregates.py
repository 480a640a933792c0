"""The best test of membership in a noised sum: its distribution is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import bad_argument
from scipy.stats import multivariate_normal, norm

from synthrelease.evaluation.attacks.aggregates import (
    log_ratio_known_population,
    log_ratio_known_rest,
    success_known_rest,
)
from synthrelease.evaluation.attacks.roc import area_under_curve, at_false_positive_rate

FAR = 6.1
TRIALS = 40_000
PERSON, REST = np.array([0.6, -0.8, 0.0]), np.array([3.0, 1.0, -2.0])


def drawn(sigma, *, seed=0, instead=0.0):
    """Releases with the person, and with someone else in their place."""
    rng = np.random.default_rng(seed)
    with_person, without = sigma * rng.normal(size=(2, TRIALS, 3)) + REST
    return with_person + PERSON, without + instead


@pytest.mark.parametrize("sigma", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("instead", [None, np.array([-0.6, 0.8, 0.0])])
def test_known_rest_is_right_as_often_as_theory_says(sigma, instead):
    """Φ(d'/2) of either kind, Φ(d'/√2) the area, Φ(Φ⁻¹(α) + d') at a rate of false alarms α."""
    releases = drawn(sigma, instead=0.0 if instead is None else instead)
    inside, outside = (log_ratio_known_rest(r, PERSON, REST, sigma=sigma, instead=instead) for r in releases)
    distance = 1.0 if instead is None else 2.0
    truth = norm.cdf(distance / sigma / 2)
    assert success_known_rest(distance, sigma=sigma) == pytest.approx(truth)
    far = FAR * math.sqrt(truth * (1 - truth) / TRIALS)
    assert (inside > 0).mean() == pytest.approx(truth, abs=far)
    assert (outside < 0).mean() == pytest.approx(truth, abs=far)
    assert area_under_curve(inside, outside) == pytest.approx(
        norm.cdf(distance / sigma / math.sqrt(2)), abs=FAR * 0.5 / math.sqrt(TRIALS)
    )
    found = at_false_positive_rate(inside, outside, 0.1)
    assert found.tpr == pytest.approx(norm.cdf(norm.ppf(0.1) + distance / sigma), abs=0.03)


def test_a_wrong_scale_would_be_noticed():
    inside, _ = drawn(1.0)
    ratios = log_ratio_known_rest(inside, PERSON, REST, sigma=1.0)
    assert ratios.mean() == pytest.approx(0.5, abs=FAR / math.sqrt(TRIALS))
    assert ratios.std() == pytest.approx(1.0, rel=FAR / math.sqrt(2 * TRIALS))
    assert log_ratio_known_rest(inside, PERSON, REST, sigma=1.3).std() < 0.65


def test_ratios_are_those_of_the_densities():
    rng = np.random.default_rng(1)
    release, other = rng.normal(size=(5, 3)), rng.normal(size=3)
    ratio = log_ratio_known_rest(release, PERSON, REST, sigma=0.7, instead=other)
    densities = [multivariate_normal(REST + x, 0.49 * np.eye(3)).logpdf(release) for x in (PERSON, other)]
    assert ratio == pytest.approx(densities[0] - densities[1])
    root = rng.normal(size=(3, 3))
    mean, covariance = rng.normal(size=3), root @ root.T
    got = log_ratio_known_population(release, PERSON, mean, covariance, people=7, sigma=0.7)
    inside = multivariate_normal(PERSON + 6 * mean, 6 * covariance + 0.49 * np.eye(3)).logpdf(release)
    outside = multivariate_normal(7 * mean, 7 * covariance + 0.49 * np.eye(3)).logpdf(release)
    assert got == pytest.approx(inside - outside)
    one = log_ratio_known_population(release[2], PERSON, mean, covariance, people=7, sigma=0.7)
    assert one.shape == ()
    assert float(one) == pytest.approx(got[2])


def test_a_population_without_spread_is_a_known_rest():
    mean, release = np.array([0.1, 0.2, 0.3]), np.random.default_rng(2).normal(size=(2, 4, 3))
    population = log_ratio_known_population(release, PERSON, mean, np.zeros((3, 3)), people=5, sigma=0.5)
    rest = log_ratio_known_rest(release, PERSON, 4 * mean, sigma=0.5, instead=mean)
    assert population == pytest.approx(rest)
    assert population.shape == (2, 4)


def test_without_noise_a_population_of_many_hides_a_little():
    """One person of 5 or of 500: the sum tells of the first, and hardly of the second."""
    rng = np.random.default_rng(3)
    person = np.array([2.0, 0.0])
    areas = []
    for people in (5, 500):
        strangers = rng.normal(size=(2, 4000, 2)) * np.sqrt([[[people - 1]], [[people]]])
        ratios = [
            log_ratio_known_population(r, person, np.zeros(2), np.eye(2), people=people, sigma=0.0)
            for r in (strangers[0] + person, strangers[1])
        ]
        areas.append(area_under_curve(*ratios))
    assert areas[0] > 0.7
    assert areas[1] < 0.6


def test_what_is_no_release_is_refused():
    with bad_argument(ValueError, "sigma", 0.0, by="aggregates"):
        log_ratio_known_rest(REST, PERSON, REST, sigma=0.0)
    with bad_argument(ValueError, "sigma", math.nan, by="aggregates"):
        log_ratio_known_rest(REST, PERSON, REST, sigma=math.nan)
    with bad_argument(ValueError, REST[:1].shape, PERSON.shape, by="aggregates"):
        log_ratio_known_rest(REST[:1], PERSON, REST, sigma=1.0)
    with bad_argument(ValueError, "people", 0, by="aggregates"):
        log_ratio_known_population(REST, PERSON, REST, np.eye(3), people=0, sigma=1.0)
    with bad_argument(ValueError, "covariance", "sigma", by="aggregates"):
        log_ratio_known_population(REST, PERSON, REST, np.zeros((3, 3)), people=2, sigma=0.0)
