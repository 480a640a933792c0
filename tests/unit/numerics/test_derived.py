"""What is shown, against its formula, number by number in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from synthrelease.numerics import derived
from synthrelease.numerics.blur import blurred
from synthrelease.numerics.fourier import basis, coefficient_count
from synthrelease.numerics.signal_form import SignalForm

if TYPE_CHECKING:
    from numpy.typing import NDArray

BOUNDS = [(0.0, 1.0), (2.0, 8.0), (-5.0, 3.0), (0.1, 0.7)]
H = 32768

kinds = pytest.mark.parametrize("kind", [np.int32, np.int64])
bounds_ = pytest.mark.parametrize("bounds", BOUNDS)


def integers(*shape: int, kind: type[np.integer] = np.int64) -> NDArray[np.integer]:
    return np.random.default_rng(shape).integers(-(10**6), 10**6, shape).astype(kind)


def in_unit(steps: Fraction, bounds: tuple[float, float]) -> float:
    """(low + high)/2 + (high − low)/2H · steps."""
    low, high = (Fraction(b) for b in bounds)
    return float((low + high) / 2 + (high - low) / (2 * H) * steps)


# --- heatmaps


@kinds
@pytest.mark.parametrize("people", [1, 7, 30])
def test_a_heatmap_is_the_mean_per_person_and_then_blurred(people: int, kind: type[np.integer]) -> None:
    noisy = integers(6, 8, kind=kind)
    plain = derived.heatmap(noisy, people=people, blur_px=0, screen_px=(80, 60))
    expected = [[float(Fraction(int(z), people)) for z in row] for row in noisy]
    np.testing.assert_array_equal(plain, expected)
    shown = derived.heatmap(noisy, people=people, blur_px=11, screen_px=(80, 60))
    np.testing.assert_array_equal(shown, blurred(np.array(expected), blur_px=11, screen_px=(80, 60)))


def test_a_heatmap_of_a_private_number_of_people_shows_sums() -> None:
    noisy = integers(6, 8)
    shown = derived.heatmap(noisy, people=None, blur_px=0, screen_px=(80, 60))
    assert shown.dtype == np.float64
    np.testing.assert_array_equal(shown, noisy)


# --- signals


@bounds_
@kinds
@pytest.mark.parametrize("divisor", [1, 24])
def test_a_signal_of_steps_is_centre_and_steps(
    bounds: tuple[float, float], kind: type[np.integer], divisor: int
) -> None:
    noisy = integers(3, 20, kind=kind)
    shown = derived.signal(noisy, SignalForm("lpa", 20), derived.IntegerUnit(bounds, divisor))
    expected = [[in_unit(Fraction(int(z), divisor), bounds) for z in row] for row in noisy]
    np.testing.assert_allclose(shown, expected, rtol=1e-13, atol=1e-13)


@bounds_
@pytest.mark.parametrize(("length", "frequencies"), [(20, 4), (20, 11), (21, 11), (1, 1)])
def test_a_signal_of_coefficients_is_their_waves_about_the_centre(
    bounds: tuple[float, float], length: int, frequencies: int
) -> None:
    noisy = integers(3, coefficient_count(length, frequencies))
    form = SignalForm("fpa", length, frequencies=frequencies)
    shown = derived.signal(noisy, form, derived.IntegerUnit(bounds, 9))
    rows = basis(length, frequencies)
    for p, t in np.ndindex(3, length):
        steps = sum(Fraction(int(z)) * Fraction(w) for z, w in zip(noisy[p], rows[:, t], strict=True)) / 9
        assert shown[p, t] == pytest.approx(in_unit(steps, bounds), rel=1e-11, abs=1e-11)


def test_a_signal_may_be_one_series_or_many() -> None:
    unit = derived.IntegerUnit((0, 1), 2)
    for form in (SignalForm("lpa", 7), SignalForm("fpa", 12, frequencies=4), SignalForm("dcfpa", 7, 4, 3)):
        noisy = integers(4, 7)
        many = derived.signal(noisy, form, unit)
        for row, expected in zip(noisy, many, strict=True):
            one = derived.signal(row, form, unit)
            np.testing.assert_allclose(one, expected, rtol=1e-12, atol=1e-12)
