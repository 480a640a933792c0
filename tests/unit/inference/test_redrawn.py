"""Releases drawn again: noise of the right size, and everything public done again."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease import Screen, arrays, inference
from synthrelease.errors import ArgumentError

PEOPLE = np.arange(100)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_what_is_linear_moves_by_the_noise(noise):
    release = arrays.statistics(
        person=PEOPLE,
        values={"pupil": 3 + np.sin(PEOPLE)},
        bounds={"pupil": (1.5, 8.0)},
        statistics=["mean"],
        epsilon=1.0,
        delta=1e-5 if noise == "gaussian" else 0.0,
        noise=noise,
        test_seed=1,
    )
    draws = list(inference.redrawn(release, draws=4000, allow_test_seed=True))
    moved = np.array([again["mean/value"][0] - release["mean/value"][0] for again in draws])
    error = float(inference.mean(release, target="participants", allow_test_seed=True).standard_error)
    assert moved.std() == pytest.approx(error, rel=0.06)
    assert abs(moved.mean()) < 5 * error / np.sqrt(4000)
    excess = ((moved / moved.std()) ** 4).mean() - 3
    assert (excess > 1.5) == (noise == "laplace")


def test_shares_are_projected_again_and_draws_can_be_repeated():
    random = np.random.default_rng(1)
    release = arrays.areas(
        person=PEOPLE,
        stimulus=["one"] * 100,
        x_px=800 * random.uniform(size=100),
        y_px=600 * random.uniform(size=100),
        screen=Screen(800, 600),
        stimuli=["one"],
        areas={"left": {"rectangle": [0, 0, 100, 600]}},
        epsilon=0.2,
        test_seed=1,
    )
    runs = [list(inference.redrawn(release, draws=20, seed=3, allow_test_seed=True)) for _ in range(2)]
    for one, other in zip(*runs, strict=True):
        assert set(one) == set(release)
        assert np.array_equal(one["dwell/noisy"], other["dwell/noisy"])
        assert one["dwell/shares"].min() >= 0
        assert one["dwell/shares"].sum() == pytest.approx(1, abs=1e-5)
    with pytest.raises(ArgumentError):
        next(inference.redrawn(release))
