"""The cap of Algorithm 1 and its expected error, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import bad_argument


@pytest.fixture
def cap(script):
    return script("reproductions._liu2019_cap")


def test_expected_mse_is_noise_and_bias(cap):
    found = cap.expected_mse((90, 10, 0), np.array([0.5, 1.0, 1.5]), people=3, pixels=10)
    np.testing.assert_allclose(found, [0.25 + 1, 1 + 1 / 9, 2.25], rtol=1e-15)


def test_expected_mse_of_norms_no_float_holds(cap):
    assert cap.expected_mse((10**400,), np.zeros(1), people=10**200, pixels=1)[0] == 1.0


@pytest.mark.parametrize(
    ("sigmas", "people", "pixels", "named"),
    [
        ([1.0], 1, 1, ("sigma", 2, "(1,)")),
        ([1.0, -1.0], 1, 1, ("sigmas",)),
        ([1.0, math.nan], 1, 1, ("sigmas",)),
        ([1.0, math.inf], 1, 1, ("sigmas",)),
        ([1.0, 1.0], 0, 1, ("people=0", "pixels=1")),
        ([1.0, 1.0], 1, 0, ("people=1", "pixels=0")),
    ],
)
def test_expected_mse_refuses_what_has_no_meaning(cap, sigmas, people, pixels, named):
    with bad_argument(ValueError, *named):
        cap.expected_mse((1, 0), np.array(sigmas), people=people, pixels=pixels)


def test_the_best_cap_is_the_smallest_of_the_best(cap):
    assert cap.best_cap([1, 4, 9, 16], np.array([3.0, 2.0, 2.0, 5.0])) == 4
    assert cap.best_cap(range(2, 5), np.array([1.0, 1.0, 1.0])) == 2
    assert cap.best_cap([7], np.array([math.inf])) == 7


@pytest.mark.parametrize(
    ("caps", "errors", "named"),
    [
        ([], [], (0, "(0,)")),
        ([1], [1.0, 2.0], (1, "(2,)")),
        ([1, 2], [1.0, math.nan], ("errors", "NaN")),
    ],
)
def test_the_best_of_nothing_is_refused(cap, caps, errors, named):
    with bad_argument(ValueError, *named):
        cap.best_cap(caps, np.array(errors))
