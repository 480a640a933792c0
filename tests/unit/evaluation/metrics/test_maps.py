"""Measures of maps against values worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import bad_argument

from synthrelease.evaluation.metrics import correlation, kl_divergence, mse, nss, similarity

LN2 = math.log(2)


def test_mse_by_hand():
    assert mse([[1, 2], [3, 4]], [[1, 0], [3, 8]]) == (0 + 4 + 0 + 16) / 4
    assert mse([-1.0], [1.0]) == 4.0


def test_correlation_by_hand():
    """Deviations (−1, 0, 1) and (−1, 1, 0): covariance 1/3, variances 2/3."""
    assert correlation([1, 2, 3], [0, 2, 1]) == pytest.approx(0.5, rel=1e-15)
    assert correlation([1, 2, 3], [6, 4, 2]) == pytest.approx(-1, rel=1e-15)


def test_correlation_does_not_care_about_unit_and_offset():
    p = np.random.default_rng(0).normal(size=(5, 7))
    assert correlation(3 * p - 9, p) == pytest.approx(1, rel=1e-14)
    assert correlation(-p, p) == pytest.approx(-1, rel=1e-14)


def test_correlation_keeps_negative_cells():
    """Cut at 0, (−1, 0, 1) would be (0, 0, 1), and the correlation √3/2."""
    assert correlation([-1, 0, 1], [0, 1, 2]) == pytest.approx(1, rel=1e-15)


@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e12])
def test_a_constant_map_correlates_with_nothing(value):
    constant = np.full((37, 41), value)
    other = np.arange(37.0 * 41).reshape(37, 41)
    assert correlation(constant, other) == correlation(other, constant) == 0.0
    assert nss(constant, other) == 0.0


def test_kl_by_hand():
    """Q = (½, ½, 0), P = (¼, ½, ¼): KL = ½·ln 2. The other way P has nothing where Q has ¼: ¼·ln(¼/ε) − ¼·ln 2."""
    assert kl_divergence([1, 2, 1], [3, 3, 0]) == pytest.approx(0.5 * LN2, rel=1e-12)
    backwards = 0.25 * math.log(0.25 / 1e-9) - 0.25 * LN2
    assert kl_divergence([3, 3, 0], [1, 2, 1], epsilon=1e-9) == pytest.approx(backwards, rel=1e-7)


def test_kl_of_what_cannot_happen_is_36_nats_by_default():
    assert kl_divergence([0, 1], [1, 0]) == pytest.approx(-math.log(2.0**-52), rel=1e-12)
    assert kl_divergence([0, 1], [1, 0]) == pytest.approx(36.04, abs=5e-3)


def test_kl_of_equal_maps_is_nothing():
    p = np.random.default_rng(1).random((20, 30))
    assert kl_divergence(p, 5 * p) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, 1.0, math.nan])
def test_kl_needs_an_epsilon(epsilon):
    with bad_argument(ValueError, "epsilon", epsilon, by="maps"):
        kl_divergence([1, 2], [1, 2], epsilon=epsilon)


def test_similarity_by_hand():
    """P = (¼, ½, ¼), Q = (½, ½, 0): ¼ + ½ + 0."""
    assert similarity([1, 2, 1], [3, 3, 0]) == 0.75
    assert similarity([1, 0], [0, 1]) == 0.0
    assert similarity([1e-300, 3e-300], [1e300, 3e300]) == pytest.approx(1.0, rel=1e-15)


def test_negative_noise_is_cut_at_0_for_distributions():
    assert similarity([1, 2, 1, -50], [3, 3, 0, -2]) == 0.75
    assert kl_divergence([1, 2, 1, -50], [3, 3, 0, 0]) == pytest.approx(0.5 * LN2, rel=1e-12)


@pytest.mark.parametrize("nothing", [[0, 0, 0, 0], [-1, -2, 0, -5]])
def test_a_map_without_attention_stands_for_the_uniform_one(nothing):
    assert similarity(nothing, [1, 1, 2, 0]) == 0.25 + 0.25 + 0.25
    assert kl_divergence(nothing, [1, 1, 0, 0]) == pytest.approx(LN2, rel=1e-12)
    assert kl_divergence([1, 1, 1, 1], nothing) == pytest.approx(0, abs=1e-14)


def test_nss_by_hand():
    """(0, 0, 0, 4) has mean 1 and standard deviation √3: its last cell stands at √3, the others at −1/√3."""
    assert nss([0, 0, 0, 4], [0, 0, 0, 1]) == pytest.approx(math.sqrt(3), rel=1e-15)
    assert nss([0, 0, 0, 4], [2, 0, 0, 1]) == pytest.approx((math.sqrt(3) - 2 / math.sqrt(3)) / 3, rel=1e-14)
    assert nss([0, 0, 0, 4], [1, 1, 1, 1]) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("fixations", [[0, 0], [-1, 2]])
def test_nss_needs_fixations(fixations):
    with bad_argument(ValueError, "fixations", by="maps"):
        nss([1, 2], fixations)


@pytest.mark.parametrize("measure", [mse, correlation, kl_divergence, similarity, nss])
@pytest.mark.parametrize(
    ("p", "q"), [([1, 2], [1, 2, 3]), ([], []), ([1, math.nan], [1, 2]), ([1, 2], [math.inf, 2])]
)
def test_maps_that_cannot_be_compared_are_refused(measure, p, q):
    with bad_argument(ValueError, by="maps"):
        measure(p, q)
