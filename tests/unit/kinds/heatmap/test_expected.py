"""The correlation that is expected of maps: for every blur and window that a plan may have."""

from __future__ import annotations

import made
import pytest

from synthrelease.dp.budget import Budget
from synthrelease.dp.guarantee import Neighbours
from synthrelease.numerics.spectral import SpectralForm

PEOPLE = 200


def correlation(blurs: tuple[float, ...], epsilon: float = 3.0) -> float:
    cells = (4, 6, 8)[-len(blurs) :]
    window = (0.0, 2.0) if len(blurs) == 3 else None
    form = SpectralForm(blurs, cells)
    maps = made.spectral(stimuli=2, form=form, max_stimuli=2, people=PEOPLE, window=window)
    event = maps.calibrate(Budget(epsilon, 1e-6))
    (expected,) = maps.parameters.expected(event, PEOPLE, Neighbours.REPLACE_ONE)
    return expected.best


@pytest.mark.parametrize("time", [(), (0.2,)], ids=["still", "dynamic"])
@pytest.mark.parametrize(
    "blurs", [(0.01, 0.01), (0.05, 0.04), (0.3, 0.2), (0.58, 0.44), (0.9, 0.68), (0.53, 0.04), (1.0, 0.3)]
)
def test_maps_of_every_blur_have_an_expectation(time: tuple[float, ...], blurs: tuple[float, float]) -> None:
    assert 0 < correlation((*time, *blurs)) <= 1


def test_a_larger_blur_and_more_budget_make_maps_better() -> None:
    assert correlation((0.02, 0.02)) < correlation((0.04, 0.04)) < correlation((0.1, 0.1))
    assert correlation((0.04, 0.04), 0.5) < correlation((0.04, 0.04), 3.0)
