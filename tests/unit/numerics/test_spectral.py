"""What follows from the integers of a spectral heatmap."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from refusals import bad_argument

from synthrelease.numerics import centre_bias, spectral
from synthrelease.numerics.spectral import CONSTANT_STEPS, RADIUS, SpectralForm, normalizations
from synthrelease.numerics.spectrum import (
    LARGEST_BAND,
    band,
    middles,
    point_coefficients,
    positions,
    rendered,
)

FORM = SpectralForm((0.08, 0.06), (25, 34))


def test_a_typical_point_has_the_norm_that_the_clip_is_a_share_of() -> None:
    """Root mean square, over random points, of the weighted coefficients without the constant: R/c₀."""
    rng = np.random.default_rng(0)
    norms = []
    for place in rng.uniform(size=(3000, 2)):
        one = point_coefficients(positions(place)[:, None], np.array([1 << 21]), FORM.band) * FORM.steps()
        norms.append((one[1:] ** 2).sum())
    assert math.sqrt(np.mean(norms)) == pytest.approx(RADIUS / 0.35, rel=0.03)


def test_without_noise_the_heatmap_is_the_blurred_map() -> None:
    places = positions(np.array([[0.3, 0.32, 0.7], [0.2, 0.8, 0.5]]))
    coefficients = point_coefficients(places, np.array([1 << 20, 1 << 19, 1 << 19]), FORM.band)
    noisy = np.rint(coefficients * FORM.steps() * 1000).astype(
        np.int64
    )  # a thousand people, all alike, unclipped
    shown = FORM.heatmap(noisy, normalization=1000.0, deviation=1e-3)
    exact = rendered(coefficients * FORM.band.attenuation, FORM.band, [middles(25), middles(34)])
    assert np.corrcoef(shown.ravel(), exact.ravel())[0, 1] > 0.998
    assert shown.mean() == pytest.approx(1.0, abs=2e-3)
    assert (shown >= 0).all()
    left = FORM.uncertainty(shown, normalization=1000.0, normalization_error=0.0, deviation=1e-3)
    np.testing.assert_allclose(left, 0.05 * shown, rtol=1e-3, atol=1e-6)  # what clipping may have done


def test_without_data_the_heatmap_is_the_prior() -> None:
    noisy = np.zeros(FORM.band.count, dtype=np.int64)
    shown = FORM.heatmap(noisy, normalization=1.0, deviation=1e9)
    down, across = shown.sum(axis=1), shown.sum(axis=0)
    assert 0.3 < down.argmax() / 25 < 0.6
    assert 0.35 < across.argmax() / 34 < 0.65
    even = replace(FORM, prior="none").heatmap(noisy, normalization=1.0, deviation=1e9)
    np.testing.assert_allclose(even, 1.0, atol=1e-6)


def test_the_prior_of_time_does_not_change_over_time() -> None:
    moving = band((0.3, 0.08, 0.06), 1e-3)
    prior = centre_bias.prior("centre", moving)
    assert (prior.mean[moving.frequencies[0] > 0] == 0).all()
    still = centre_bias.prior("centre", FORM.band)
    assert still.mean[0] == prior.mean[0] == 1.0
    assert (still.power[1:] > 0).all()
    assert still.power[0] == 0.0
    with pytest.raises(ValueError, match="centre"):
        centre_bias.prior("mean of the data", moving)


def test_heatmap_and_uncertainty_share_a_prior_that_no_one_can_write() -> None:
    shared = spectral._prior("centre", FORM.blurs)
    assert shared is spectral._prior("centre", FORM.blurs)
    exact = centre_bias.log_prior("centre", FORM.band)
    for found, expected in ((shared.mean, exact.mean), (shared.variance, exact.variance)):
        np.testing.assert_array_equal(found, expected)
        with pytest.raises(ValueError, match="read-only"):
            found[0] = 2.0


@pytest.mark.parametrize(
    "form", [FORM, replace(FORM, blurs=(0.2, 0.1, 0.1), cells=(3, 8, 9))], ids=["static", "in time"]
)
def test_a_map_and_its_uncertainty_do_not_depend_on_what_else_is_derived(form: SpectralForm) -> None:
    rng = np.random.default_rng(6)
    noisy = rng.integers(-(10**6), 10**6, (3, form.band.count))
    before = noisy.copy()

    def derived(own: np.ndarray) -> bytes:
        shown = form.heatmap(own, normalization=20.0, deviation=1e5)
        errs = form.uncertainty(shown, normalization=20.0, normalization_error=2.0, deviation=1e5)
        return shown.tobytes() + errs.tobytes()

    one = [derived(own) for own in noisy]
    replace(form, prior="none").heatmap(noisy[0], normalization=1.0, deviation=1.0)
    assert [derived(own) for own in noisy[::-1]] == one[::-1]
    np.testing.assert_array_equal(noisy, before)


@pytest.mark.thorough
def test_a_map_does_not_depend_on_the_number_of_threads() -> None:
    program = """
import hashlib, numpy as np
from synthrelease.numerics.spectral import SpectralForm
for blurs, cells in (((0.04, 0.03), (600, 800)), ((0.0125, 0.0125), (100, 134)), ((0.15, 0.08, 0.06), (30, 100, 134))):
    form = SpectralForm(blurs, cells)
    noisy = np.random.default_rng(0).integers(-10**7, 10**7, form.band.count)
    shown = form.heatmap(noisy, normalization=20.0, deviation=1e5)
    errs = form.uncertainty(shown, normalization=20.0, normalization_error=2.0, deviation=1e5)
    print(hashlib.sha256(shown.tobytes() + errs.tobytes()).hexdigest())
"""
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "3")
    ]
    assert len(said[0].split()) == 3
    assert said[1:] == said[:1] * 2


def test_masses_with_public_viewers_follow_the_constants_where_noise_allows() -> None:
    viewers, people = np.array([100, 50, 0]), 100
    constants = np.rint(np.array([80.0, 40.0, 0.0]) * CONSTANT_STEPS).astype(np.int64)
    exact = normalizations(constants, deviation=1.0, viewers=viewers, people=people, joint=True)
    np.testing.assert_allclose(exact[:2, 0], [80, 40], rtol=1e-3)
    assert 0 < exact[2, 0] < 1
    assert (exact[:2, 1] < 0.01).all()
    each = normalizations(
        np.array([20, 50]) * CONSTANT_STEPS,
        deviation=1.0,
        viewers=np.array([100, 50]),
        people=100,
        joint=False,
    )
    np.testing.assert_allclose(each[:, 0], [20, 50], rtol=1e-3)


@pytest.mark.parametrize("stimuli", [1, 4, 100])
def test_where_constants_drown_less_is_expected_of_people_who_see_more(stimuli: int) -> None:
    """The norm of a person's maps grows with the root of their number, and what is clipped off with it."""
    viewers = np.full(stimuli, 100)
    held = normalizations(np.zeros(stimuli), deviation=1e9, viewers=viewers, people=100, joint=True)
    np.testing.assert_allclose(held[:, 0], 60 / np.sqrt(stimuli), rtol=1e-3)
    np.testing.assert_allclose(held[:, 1], 35 / np.sqrt(stimuli), rtol=1e-3)
    alone = normalizations(np.zeros(stimuli), deviation=1e9, viewers=viewers, people=100, joint=False)
    np.testing.assert_allclose(alone[:, 0], 60, rtol=1e-3)


def test_a_measured_mass_is_believed_although_it_is_small() -> None:
    """Of 200 viewers a tenth have usable rows: the constants say so, well enough."""
    constants = np.full(4, 20 * CONSTANT_STEPS)
    held = normalizations(
        constants, deviation=2.3 * CONSTANT_STEPS, viewers=np.full(4, 200), people=200, joint=False
    )
    np.testing.assert_allclose(held[:, 0], 20, rtol=0.03)


def test_masses_with_private_viewers_are_positive_whatever_the_noise() -> None:
    exact = normalizations(
        np.array([80, 40]) * CONSTANT_STEPS, deviation=1.0, viewers=None, people=None, joint=True
    )
    np.testing.assert_allclose(exact[:, 0], [80, 40], rtol=1e-3)
    rng = np.random.default_rng(0)
    for scale in (1.0, 1e5, 1e9):
        noisy = rng.normal(size=6) * scale
        for viewers, people in ((None, None), (None, 9), (np.full(6, 3), 9)):
            for joint in (False, True):
                held = normalizations(noisy, deviation=scale, viewers=viewers, people=people, joint=joint)
                assert (held > 0).all()
                assert np.isfinite(held).all()


def test_an_uncertain_mass_makes_an_uncertain_map() -> None:
    shown = np.random.default_rng(3).gamma(0.5, 2.0, FORM.cells)
    known, vague = (
        FORM.uncertainty(shown, normalization=1000.0, normalization_error=error, deviation=1e3)
        for error in (0.0, 100.0)
    )
    np.testing.assert_allclose(vague, np.hypot(known, 0.1 * np.abs(shown - 1)), rtol=1e-12)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"blurs": (5.0, 6.0)}, "blur"),  # not one frequency is left
        ({"blurs": (0.1, 5.0, 6.0), "cells": (2, 3, 4)}, "blur"),  # but of time
        ({"blurs": (0.0, 0.1)}, "blurs"),
        ({"blurs": (math.nan, 0.1)}, "blurs"),
        ({"blurs": (math.inf, 0.1)}, "blurs"),
        ({"blurs": (1e-4, 1e-4)}, LARGEST_BAND),
        ({"cells": (20_000, 20_000)}, "cells"),
    ],
    ids=str,
)
def test_a_form_of_which_no_map_can_be_made_is_refused(changes: dict[str, Any], named: object) -> None:
    with bad_argument(ValueError, named):
        replace(FORM, **changes)


def test_no_point_has_coefficients_beyond_what_the_plan_reckons_with() -> None:
    """1.01·√2^axes steps: in the corners, where every cosine is √2, and is rounded."""
    for form in (FORM, replace(FORM, blurs=(0.2, 0.1, 0.1), cells=(2, 3, 4))):
        axes = len(form.blurs)
        corner = np.zeros((axes, 1), dtype=np.int64)
        largest = np.abs(point_coefficients(corner, np.array([1 << 21]), form.band) * form.steps()).max()
        assert largest <= 1.01 * 2 ** (axes / 2) * form.steps().max()
