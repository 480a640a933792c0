"""Quantiles of normal and Laplace errors together, against closed forms, scipy and plain simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from synthrelease.inference.law import Law

INFINITE = np.array([np.inf])


def law(normal, laplace, freedom=np.inf):
    return Law(
        np.array([float(normal)]), np.array([laplace], dtype=float).reshape(1, -1), np.array([float(freedom)])
    )


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99, 0.999])
def test_one_part_alone_has_its_own_quantiles(level):
    assert law(2.0, []).multiplier(level)[0] == pytest.approx(stats.norm.ppf((1 + level) / 2), rel=1e-9)
    # |Laplace| of variance 1 is exponential of mean 1/√2.
    assert law(0.0, [3.0]).multiplier(level)[0] == pytest.approx(-np.log(1 - level) / np.sqrt(2), rel=2e-3)
    assert law(1.0, [], 5).multiplier(level)[0] == pytest.approx(stats.t(5).ppf((1 + level) / 2), rel=1e-9)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99, 0.9999])
@pytest.mark.parametrize(("normal", "laplace"), [(1.0, 1.0), (0.3, 1.0), (2.0, 1.0)])
def test_a_normal_and_a_laplace_error_have_the_quantiles_of_their_sum(normal, laplace, level):
    b = laplace / np.sqrt(2)
    x = law(normal, [laplace]).multiplier(level)[0] * np.hypot(normal, laplace)
    # P(N + L > x), N + L being normal and Laplace: textbook.
    z, far = x / normal, normal / b
    half = [0.5 * np.exp(far**2 / 2 + sign * x / b) * stats.norm.cdf(-far - sign * z) for sign in (1, -1)]
    tail = stats.norm.sf(z) + half[1] - half[0]
    assert 2 * tail == pytest.approx(1 - level, rel=0.02)


def test_equal_laplace_errors_have_the_quantiles_of_a_gamma_difference():
    # Four Laplace errors are the difference of two gamma variables of shape 4.
    draws = np.random.default_rng(1).gamma(4, size=(2, 1_000_000))
    largest = np.quantile(np.abs(draws[0] - draws[1]) / np.sqrt(8), 0.95)
    assert law(0.0, [1.0] * 4).multiplier(0.95)[0] == pytest.approx(largest, rel=4e-3)


@pytest.mark.parametrize(
    "one", [law(1, []), law(0, [1.0]), law(1, [2.0, 0.5]), law(1, [1.0], 4), law(1, [], 3)]
)
@pytest.mark.parametrize("p", [0.3, 0.05, 1e-3])
def test_p_values_are_the_inverse_of_multipliers(one, p):
    assert one.p_value(one.multiplier(1 - p) * one.deviation)[0] == pytest.approx(p, rel=0.02)
    assert one.p_value(-one.multiplier(1 - p) * one.deviation)[0] == pytest.approx(p, rel=0.02)


def test_p_values_far_out_are_those_of_laplace_errors_and_never_too_small():
    for x in (8.0, 15.0, 20.0):
        exact = np.exp(-x * np.sqrt(2))
        assert exact * 0.5 < law(0.0, [1.0]).p_value(np.array([x]))[0] < exact * 2
        # With a normal part the tail is continued along a line that lies above it.
        assert law(1.0, [0.6]).p_value(np.array([x]))[0] >= 2 * stats.norm.sf(x / np.hypot(1.0, 0.6))


def test_many_small_laplace_errors_are_normal_and_take_no_time():
    many = law(0.0, [1.0] * 20_000)
    assert many.multiplier(0.95)[0] == pytest.approx(1.95996, rel=1e-4)


def test_errors_of_several_values_do_not_mix():
    together = Law(np.array([1.0, 0.0]), np.array([[0.0], [2.0]]), np.repeat(INFINITE, 2))
    assert together.multiplier(0.95) == pytest.approx(
        [law(1, []).multiplier(0.95)[0], law(0, [2.0]).multiplier(0.95)[0]]
    )


def test_no_error_is_certain():
    assert list(law(0.0, []).p_value(np.array([0.0]))) == [1.0]
    assert list(law(0.0, []).p_value(np.array([0.1]))) == [0.0]
