"""Noise of the three rounds of synthetic people: of the stated deviation in each, and none of it used twice."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from auditing.of_rounds import OF_PEOPLE
from auditing.probes import audit
from made_people import ROUNDS, mechanism
from numpy.typing import NDArray
from scipy.stats import chi2

from synthrelease.dp.budget import Budget
from synthrelease.dp.noise.entropy import SecureRandom

ALARM = 1e-9


@cache
def residuals() -> dict[str, NDArray[np.float64]]:
    """What was added in each round, in stated deviations."""
    added = OF_PEOPLE.residuals(SecureRandom.for_tests(11))
    return {path: parts.ravel() for path, parts in added.items()}


def has_deviation(values: NDArray[np.float64], deviation: float) -> bool:
    total, ends = float((values**2).sum()) / deviation**2, (ALARM / 2, 1 - ALARM / 2)
    low, high = chi2.ppf(ends, values.size)
    return bool(low <= total <= high)


@pytest.mark.parametrize("path", ROUNDS)
def test_each_round_has_noise_of_the_stated_deviation(path: str) -> None:
    assert has_deviation(residuals()[path], 1.0)
    # Controls: the noise of add-remove-one, and of a whole budget for each round.
    assert not has_deviation(residuals()[path], 2.0)
    assert not has_deviation(residuals()[path], np.sqrt(3))


def test_no_round_has_the_noise_of_another() -> None:
    size = min(values.size for values in residuals().values())
    first, second, third = (values[:size] for values in residuals().values())
    limit = 6.2 / np.sqrt(size)  # 6e-10 of a normal correlation
    for one, other in ((first, second), (first, third), (second, third)):
        assert abs(np.corrcoef(one, other)[0, 1]) < limit
    assert abs(np.corrcoef(first, first + second)[0, 1]) > limit  # the control


def test_half_of_the_noise_is_found_and_no_claim_is_broken_with_all_of_it() -> None:
    probe = OF_PEOPLE.probe()
    random = SecureRandom.for_tests(13)
    assert not audit(probe, 40_000, random).broken
    loud = replace(probe, event=replace(probe.event, scale=probe.event.scale / 2))
    assert audit(loud, 40_000, random).broken


def test_a_budget_for_too_little_is_refused() -> None:
    from synthrelease.errors import PolicyError

    with pytest.raises(PolicyError) as caught:
        mechanism().for_budget(Budget(0.01, 1e-6))
    assert caught.value.code == "people-not-learnable"
    rich = replace(mechanism()).for_budget(Budget(30.0, 1e-6))
    assert rich.parameters.design.marginal_risk < 0.6
