"""Public coordinates: even where public data are, with room elsewhere, and the same for a value whatever else is there."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease.kinds.scanpaths.coordinates import STEPS, Coordinate
from synthrelease.kinds.scanpaths.dynamics_prior import FLAT, dynamics_prior

PUBLIC = np.sort(np.random.default_rng(1).gamma(4.0, 60.0, 20000))
QUANTILES = tuple(np.quantile(PUBLIC, np.linspace(0, 1, 121)).tolist())


def coordinate(flat: float) -> Coordinate:
    return Coordinate(15.0, 3000.0, "logarithm", QUANTILES, flat)


def test_public_data_are_even_in_a_coordinate_without_a_flat_part() -> None:
    steps = coordinate(0.0).steps(PUBLIC)
    share = np.bincount(steps * 10 // STEPS, minlength=10) / PUBLIC.size
    assert np.abs(share - 0.1).max() < 0.01


@pytest.mark.parametrize("flat", FLAT)
def test_a_flat_part_leaves_room_beyond_public_data(flat: float) -> None:
    """As much as the logarithm has of it."""
    known = coordinate(flat)
    beyond = 1 - float(known.steps(np.array([PUBLIC[-1]]))[0]) / STEPS
    expected = flat * (np.log(3000 / PUBLIC[-1]) / np.log(200))
    assert beyond == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("name", dynamics_prior(FLAT[0]).coordinates)
@pytest.mark.parametrize("flat", FLAT)
def test_a_value_of_a_step_lies_in_it(name: str, flat: float) -> None:
    known = dynamics_prior(flat).coordinates[name]
    assert (np.diff(known.edges) > 0).all()
    steps = np.arange(STEPS)
    np.testing.assert_array_equal(known.steps(known.values((steps + 0.5) / STEPS)), steps)


def test_what_lies_beyond_the_range_lies_in_the_last_step() -> None:
    assert coordinate(0.15).steps(np.array([-5.0, 0.0, 14.9, 3001.0, 1e9])).tolist() == [
        0,
        0,
        0,
        STEPS - 1,
        STEPS - 1,
    ]


def test_the_shipped_means_belong_to_the_numbers() -> None:
    """Public data are nearly even in coordinates without a flat part, so that means of one coordinate are small, but not of two."""
    for flat in FLAT:
        means = dynamics_prior(flat).means
        assert np.isfinite(means).all()
        assert 0.05 < np.abs(means).max() < 1.5
