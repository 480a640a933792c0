"""Scanpaths are judged against all participants' trials, next to halves of them and to what takes no data."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import made_scanpaths
import numpy as np
import pytest

from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.ground_truth import derivations, exact_derivations, kind_of
from synthrelease.evaluation.ground_truth.ground_truth import HALF, NO_DATA
from synthrelease.evaluation.ground_truth.scanpaths import ITEM, MEASURES, ScanpathTruth
from synthrelease.kinds.mechanism import QUIET
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths
from synthrelease.kinds.values import Values

NAMES = [measure.name for measure in MEASURES]


@cache
def mechanism() -> SyntheticScanpaths:
    made = made_scanpaths.mechanism(24)
    return replace(made, parameters=replace(made.parameters, scanpaths=40))


@cache
def ground_truth() -> ScanpathTruth:
    kind = kind_of(mechanism())
    gaze = made_scanpaths.gaze(made_scanpaths.ordinary(24))
    truth = kind.ground_truth(mechanism(), kind.collector(mechanism())(gaze), 24)
    assert isinstance(truth, ScanpathTruth)
    return truth


def by_name(scores: dict[str, tuple[float, ...]]) -> dict[str, float]:
    return dict(zip(NAMES, scores[ITEM], strict=True))


def arrays_of(values: Values) -> Arrays:
    (derive,) = derivations(kind_of(mechanism()), values, mechanism())
    return derive()


@cache
def exact() -> Arrays:
    collected = mechanism().collect(made_scanpaths.gaze(made_scanpaths.ordinary(24)))
    (derive,) = exact_derivations(kind_of(mechanism()), mechanism(), collected, QUIET)
    return derive()


@pytest.mark.thorough
def test_without_noise_a_release_is_nearer_than_without_data() -> None:
    truth = ground_truth()
    released = by_name(truth.of(exact()))
    (assumed,) = truth.without_data(exact()).values()
    none = by_name(truth.of(assumed))
    assert released["maps"] > none["maps"] + 0.3
    assert released["NSS"] > none["NSS"]
    for name in ("amplitudes", "numbers", "durations", "first fixations, px", "durations, ms"):
        assert released[name] < none[name], name
    assert np.isfinite(list(released.values())).all()


@pytest.mark.thorough
def test_what_takes_no_data_depends_on_none() -> None:
    truth = ground_truth()
    other = replace(truth, fixations=made_scanpaths.fixations(made_scanpaths.crowd(6), 6))
    one, same = (some.without_data(exact())[NO_DATA] for some in (truth, other))
    assert one.keys() == same.keys()
    for labels in one:
        np.testing.assert_array_equal(one[labels], same[labels])


def test_halves_of_participants_are_compared_with_each_other() -> None:
    with_data = kind_of(mechanism()).with_data
    assert with_data is not None
    (half,) = with_data(ground_truth(), SecureRandom.for_tests(1)).values()
    assert list(with_data(ground_truth(), SecureRandom.for_tests(1))) == [HALF]
    found = by_name(dict(half))
    assert 0 < found["amplitudes"] < 0.3
    assert found["ScanMatch"] > 0.5
    few = replace(ground_truth(), fixations=made_scanpaths.fixations(made_scanpaths.crowd(2), 2))
    assert with_data(few, SecureRandom.for_tests(1)) == {}


@pytest.mark.thorough
def test_noise_costs() -> None:
    collected = mechanism().collect(made_scanpaths.gaze(made_scanpaths.ordinary(24)))
    drawn = mechanism().draw(collected, Budget(0.1, 1e-6), SecureRandom.for_tests(2))
    noisy = by_name(ground_truth().of(arrays_of(Values(drawn.parameters, drawn.event, drawn.arrays))))
    quiet = by_name(ground_truth().of(exact()))
    assert quiet["maps"] > noisy["maps"]
    assert quiet["numbers"] < noisy["numbers"]
