"""The estimate of earlier bundles, which `verify` computes again."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease.numerics import centre_bias, normal_map
from synthrelease.numerics.inversion import posterior
from synthrelease.numerics.spectral import SpectralForm
from synthrelease.numerics.spectrum import middles, point_coefficients, positions, rendered

FORM = SpectralForm((0.08, 0.06), (25, 34))
PLACES = [middles(25), middles(34)]
PEOPLE = 1000.0


def integers(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of points of one weight, and the integers of a thousand people who all look there."""
    weights = np.full(places.shape[1], (1 << 21) // places.shape[1])
    coefficients = point_coefficients(positions(places), weights, FORM.band)
    return coefficients, np.rint(coefficients * FORM.steps() * PEOPLE).astype(np.int64)


def test_without_noise_it_is_the_blurred_map() -> None:
    coefficients, noisy = integers(np.array([[0.3, 0.7], [0.2, 0.5]]))
    shown = normal_map.heatmap(FORM, noisy, normalization=PEOPLE, deviation=1e-3)
    exact = rendered(coefficients * FORM.band.attenuation, FORM.band, PLACES)
    assert np.corrcoef(shown.ravel(), exact.ravel())[0, 1] > 0.998
    errs = normal_map.uncertainty(FORM, noisy, normalization=PEOPLE, normalization_error=0.0, deviation=1e-3)
    assert errs.max() < 1e-3


def test_its_uncertainty_is_that_of_wiener_s_filter() -> None:
    _, noisy = integers(np.array([[0.3], [0.2]]))
    deviation = 2e6
    errs = normal_map.uncertainty(
        FORM, noisy, normalization=PEOPLE, normalization_error=100.0, deviation=deviation
    )
    density, error = FORM.density(noisy, normalization=PEOPLE, deviation=deviation)
    mean, variance = posterior(density, error, centre_bias.prior("centre", FORM.band))
    h = FORM.band.attenuation
    linear = rendered(mean * h, FORM.band, PLACES)
    y, x = 11, 20
    one = [
        np.where(k == 0, 1.0, np.sqrt(2) * np.cos(np.pi * k * place[i]))
        for k, place, i in zip(FORM.band.frequencies, PLACES, (y, x), strict=True)
    ]
    squared = (variance * (h * one[0] * one[1]) ** 2).sum() + (0.1 * (linear[y, x] - 1)) ** 2
    assert errs[y, x] == pytest.approx(np.sqrt(squared), rel=1e-9)
