"""Spectral signals: integers against a slow cosine transform, signals against what people are, masses."""

from __future__ import annotations

import functools
import itertools
import math
import time
from typing import TYPE_CHECKING

import made as mechanisms
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import MPContext
from refusals import bad_argument
from slow_signals import slow_product

from synthrelease.data.features import FeatureData
from synthrelease.dp.event import RoundedGaussian
from synthrelease.kinds.signals.spectral import contributions
from synthrelease.kinds.values import Values
from synthrelease.numerics.ball import clip_to_ball
from synthrelease.numerics.spectral_signals import (
    BASELINES,
    LEVEL_WEIGHTS,
    NO_BASELINE,
    OF_PERSON,
    OF_RECORDING,
    OF_START,
    RADIUS,
    PublicSeries,
    SpectralSignalForm,
    normalizations,
)
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Numbers = NDArray[np.float64]

H = HALF_RANGE
_mp = MPContext()
_mp.prec = 200


def made(
    baseline: str = OF_PERSON, *, length: int = 24, cosines: int = 7, series: int = 4, clip: float = 0.1
) -> SpectralSignalForm:
    steps = 5 if baseline == OF_START else None
    return SpectralSignalForm(length, series, cosines, baseline, steps, clip)


@functools.cache
def cosines(n: int) -> Numbers:
    """The DCT-II from its definition, every row of norm 1, shape (n, n)."""
    rows = [
        [
            _mp.sqrt(_mp.mpf(2 if k else 1) / n) * _mp.cospi(_mp.mpf(k * (2 * t + 1)) / (2 * n))
            for t in range(n)
        ]
        for k in range(n)
    ]
    return np.array(rows, dtype=np.float64)


def own_rows(form: SpectralSignalForm) -> Numbers:
    lowest = 1 if form.baseline == OF_RECORDING else 0
    return cosines(form.length)[lowest : lowest + form.cosines]


every_baseline = pytest.mark.parametrize("baseline", BASELINES)


# --- the form


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((24, 1, 7, "session", None, 0.1), ("baseline",)),
        ((24, 1, 0, OF_PERSON, None, 0.1), ("cosines", 24, 0)),
        ((24, 1, 25, OF_PERSON, None, 0.1), ("cosines", 24, 25)),
        ((24, 1, 24, OF_RECORDING, None, 0.1), ("cosines", 23, 24)),
        ((24, 1, 7, OF_START, None, 0.1), ("baseline", "None")),
        ((24, 1, 7, OF_PERSON, 3, 0.1), ("baseline", 3)),
        ((24, 1, 7, OF_START, 25, 0.1), ("baseline_steps", 24, 25)),
        ((24, 1, 7, OF_START, 0, 0.1), ("baseline_steps", 24, 0)),
        ((24, 1, 7, OF_START, -1, 0.1), ("baseline_steps", 24, -1)),
    ],
    ids=str,
)
def test_numbers_that_are_not_possible_are_refused(arguments: tuple, named: tuple) -> None:
    with bad_argument(ValueError, *named):
        SpectralSignalForm(*arguments)


@pytest.mark.parametrize("series", [1, 2, 3, 4, 7, 100, 5000])
def test_the_constants_of_all_series_take_half_of_the_norm(series: int) -> None:
    constant = made(series=series).constant
    assert series * constant**2 <= RADIUS**2 / 4 < series * (constant + 1) ** 2


@every_baseline
def test_a_person_who_strays_as_far_as_the_clip_everywhere_has_the_norm_r(baseline: str) -> None:
    """c half widths root-mean-square in each of S series, none of it in the level."""
    form = made(baseline, cosines=24 - (baseline == OF_RECORDING), clip=0.2)
    shape = cosines(24)[1:].T @ np.random.default_rng(0).normal(size=23)
    shape *= 0.2 * H * math.sqrt(24) / np.linalg.norm(shape)
    (own,) = form.integers(np.rint(shape).astype(np.int64)[None])
    # Rounding the series moves it by half a step each, cutting by up to two weighted steps each.
    slack = (0.5 * math.sqrt(24) + 2 * math.sqrt(23)) * form.weights()[-1] / H + math.sqrt(23)
    assert math.sqrt(form.series) * np.linalg.norm(own[1:]) == pytest.approx(RADIUS, abs=2 * slack)


# --- integers


def slow_integers(series: list[int], form: SpectralSignalForm) -> list[int]:
    found = slow_product(series, own_rows(form), bound=2 * H)
    weights = [RADIUS / (form.clip * math.sqrt(form.length * form.series))] * form.cosines
    if form.baseline != OF_RECORDING:
        weights[0] *= LEVEL_WEIGHTS[form.baseline]
    constant = math.floor(RADIUS / 2 / math.sqrt(form.series))
    return [constant, *(math.trunc(z * (w / H)) for z, w in zip(found, weights, strict=True))]


@every_baseline
@pytest.mark.parametrize(
    ("length", "count", "series"), [(2, 1, 1), (9, 8, 3), (24, 7, 4), (64, 63, 2), (100, 5, 12)]
)
def test_integers_are_a_constant_and_the_lowest_cosines(
    baseline: str, length: int, count: int, series: int
) -> None:
    form = SpectralSignalForm(
        length, series, count, baseline, length // 2 if baseline == OF_START else None, 0.03
    )
    rng = np.random.default_rng(length)
    rows = rng.integers(-2 * H, 2 * H + 1, (12, length))
    rows[:3] = [[2 * H] * length, [-2 * H] * length, [0] * length]
    rows[3] = np.rint(2 * H * cosines(length)[min(2, length - 1)])
    found = form.integers(rows)
    assert found.dtype == np.int64
    assert found.shape == (12, 1 + count)
    assert found.tolist() == [slow_integers(row, form) for row in rows.tolist()]


@given(data=st.data())
def test_integers_are_those_of_the_definition_for_any_form_and_series(data: st.DataObject) -> None:
    length = data.draw(st.integers(2, 12))
    baseline = data.draw(st.sampled_from(BASELINES))
    most = length - (baseline == OF_RECORDING)
    form = SpectralSignalForm(
        length,
        data.draw(st.integers(1, 50)),
        data.draw(st.integers(1, most)),
        baseline,
        data.draw(st.integers(1, length)) if baseline == OF_START else None,
        data.draw(st.floats(0.002, 1)),
    )
    series = data.draw(st.lists(st.integers(-2 * H, 2 * H), min_size=length, max_size=length))
    assert form.integers(np.array([series])).tolist() == [slow_integers(series, form)]


def test_a_row_of_integers_depends_on_that_row_alone() -> None:
    form = made()
    rows = np.random.default_rng(2).integers(-2 * H, 2 * H + 1, (50, 24))
    alone = np.concatenate([form.integers(row[None]) for row in rows])
    order = np.random.default_rng(3).permutation(50)
    np.testing.assert_array_equal(form.integers(rows), alone)
    np.testing.assert_array_equal(form.integers(rows[order]), alone[order])
    np.testing.assert_array_equal(form.integers(np.asfortranarray(rows)[7:9]), alone[7:9])


# --- a release without noise


def crowd(
    form: SpectralSignalForm, *, people: int, features: int, recordings: int, stray: float
) -> FeatureData:
    """People with full series of low frequency that stray little from levels of their own."""
    rng = np.random.default_rng(5)
    n = form.length
    shape = (people, recordings, features)
    level = rng.uniform(-0.5, 0.5, (people, 1, features, 1)) + rng.uniform(-0.02, 0.02, (*shape, 1))
    if form.baseline == NO_BASELINE:
        level *= 0.1
    t = (np.arange(n) + 0.5) / n
    waves = sum(rng.normal(size=(*shape, 1)) * np.cos(np.pi * k * t) / k for k in range(1, 6))
    series = level + stray * waves / np.sqrt((waves**2).mean(axis=-1, keepdims=True))
    bounds = np.array([[-1.0, 3.0], [10.0, 10.5]])[:features]
    values = bounds.mean(axis=1) + np.moveaxis(series, 2, 3) * np.diff(bounds, axis=1)[:, 0] / 2
    person = np.repeat(np.arange(people), recordings * n)
    recording = np.tile(np.repeat(np.arange(recordings), n), people)
    names = tuple(f"f{f}" for f in range(features)), tuple(f"r{r}" for r in range(recordings))
    return FeatureData(names[0], bounds, names[1], people, person, recording, values.reshape(-1, features))


def without_baseline(data: FeatureData, form: SpectralSignalForm, features: int, recordings: int) -> Numbers:
    """Everyone's series less their own baseline, from the definition, shape (people, recordings, n, features)."""
    series = data.values.reshape(data.people, recordings, form.length, features)
    if form.baseline == OF_PERSON:
        return series - series.mean(axis=(1, 2), keepdims=True)
    if form.baseline == OF_RECORDING:
        return series - series.mean(axis=2, keepdims=True)
    if form.baseline == OF_START:
        return series - series[:, :, : form.baseline_steps].mean(axis=2, keepdims=True)
    return series


@every_baseline
@pytest.mark.parametrize("count", [3, 23])
def test_without_noise_the_mean_of_people_who_are_not_clipped_comes_back(baseline: str, count: int) -> None:
    """But for what is cut: of a series a step, of a product one, of a weighted coefficient one; and next to no shrinking."""
    features, recordings, people = 2, 2, 7
    form = made(baseline, cosines=count, clip=0.1)
    data = crowd(form, people=people, features=features, recordings=recordings, stray=0.05)
    parameters = mechanisms.spectral_signals(form, people=people, of=data).parameters
    own = contributions(data, parameters)
    assert (own[..., 0] == form.constant).all()  # no one was clipped
    values = Values(parameters, RoundedGaussian(1.0, 0.1, 1), {"noisy": own.sum(axis=0)})
    expected = without_baseline(data, form, features, recordings).mean(axis=0)
    lowest = int(baseline == OF_RECORDING)
    for r in range(recordings):
        for f in range(features):
            low, high = data.limits(f)
            centre, half = ((low + high) / 2 if baseline == NO_BASELINE else 0.0), (high - low) / 2
            rows = cosines(24)[lowest : lowest + count]
            kept = centre + rows.T @ (rows @ (expected[r, :, f] - centre))
            error = values.item("values", (r, f)) - kept
            each = (2.0 + math.sqrt(24)) / H + (1.0 + form.weights() / H) / form.weights()
            assert np.abs(error).max() <= half * float(np.abs(rows).T.max(axis=0) @ each) + 1e-5 * half
            assert values.item("normalization", (r, f))[0] == pytest.approx(people, abs=1e-5)
            assert (np.abs(kept - centre).max() > 0.005 * half) | (baseline == NO_BASELINE)


def test_of_people_who_are_clipped_the_constant_tells_how_much_is_left() -> None:
    """All alike and clipped to a third: divided by what is left, their signal is what it was."""
    form = made(OF_RECORDING, series=1, cosines=20, clip=0.05)
    series = np.rint(0.3 * H * np.sqrt(2) * np.cos(np.pi * (np.arange(24) + 0.5) / 24)).astype(np.int64)
    own = clip_to_ball(form.integers(series[None]), RADIUS)[0]
    assert own[0] < form.constant / 3
    people = 50
    known = PublicSeries(people * own[0] / form.constant, 1e-3, 1e-3, people, (-1.0, 1.0))
    np.testing.assert_allclose(form.signal(people * own, known), series / H, atol=2e-3)


# --- squares


def test_squares_are_the_variances_of_a_sum_of_cosines() -> None:
    rng = np.random.default_rng(1)
    for baseline in (OF_PERSON, OF_RECORDING):
        for length, count in ((2, 1), (9, 8), (24, 7), (63, 62)):
            form = SpectralSignalForm(length, 1, count, baseline, None, 0.1)
            variance = rng.uniform(0, 3, count)
            expected = variance @ own_rows(form) ** 2
            np.testing.assert_allclose(form._squares(variance), expected, rtol=1e-11)
            np.testing.assert_allclose(form._series(variance), variance @ own_rows(form), atol=1e-12 * count)


def test_squares_of_the_longest_series_of_a_file_take_no_product_of_steps_and_cosines() -> None:
    form = SpectralSignalForm(10**6, 1, 512, OF_RECORDING, None, 0.1)
    start = time.process_time()
    squares = form._squares(np.ones(512))
    assert time.process_time() - start < 2
    t = np.array([0, 1, 333_333, 10**6 - 1])
    angles = 2 * np.pi * np.outer(np.arange(1, 513), t + 0.5) / 10**6
    np.testing.assert_allclose(squares[t], (1 + np.cos(angles)).sum(axis=0) / 10**6, rtol=1e-9)


def test_a_step_that_no_cosine_reaches_has_no_variance_but_a_number() -> None:
    form = SpectralSignalForm(9, 1, 1, OF_RECORDING, None, 0.1)
    squares = form._squares(np.ones(1))
    assert (squares >= 0).all()
    assert squares[4] == pytest.approx(0, abs=1e-15)


# --- masses


def test_the_mass_of_people_who_are_not_clipped_is_their_number() -> None:
    form = made()
    found = normalizations(np.full(4, 30 * form.constant), form, deviation=1e-3, people=30)
    np.testing.assert_allclose(found[:, 0], 30.0)
    assert (found[:, 1] < 1e-6).all()


def test_constants_of_all_series_tell_the_mass_together_each_its_own_part_of_it() -> None:
    """Normal means of series around a common one and of one's own noised constant, for every spread of the series, mixed."""
    form = made(series=5)
    some = np.array([20.0, 24.0, 16.0, 21.0, 19.0])
    for deviation, times in itertools.product(
        (1.0, 30_000.0, 1e6), (1, 5)
    ):  # five times: more than there are people
        held = times * some
        found = normalizations(
            np.rint(held * form.constant).astype(np.int64), form, deviation=deviation, people=40
        )
        error = deviation / form.constant
        common_error = error / math.sqrt(5)
        common = min(max(20.0 * times, common_error), 40.0)
        middles, variances, weights = [], [], []
        for spread in np.geomspace(0.1, 1, 33):
            each = math.hypot(error, spread * common)
            weights.append(
                math.prod(math.exp(-0.5 * ((h - 20 * times) / each) ** 2) for h in held) / each**4 / spread
            )
            share = (error / each) ** 2  # of the common mass
            middles.append(share * common + (1 - share) * held)
            variances.append((1 - share) * error**2)
        expected = np.average(middles, axis=0, weights=weights)
        np.testing.assert_allclose(found[:, 0], np.clip(expected, common_error, 40), rtol=1e-3)
        own = np.average(variances + ((np.array(middles) - expected) ** 2).T, axis=1, weights=weights)
        np.testing.assert_allclose(found[:, 1] ** 2, own + common_error**2, rtol=1e-3)


def test_a_recording_that_few_attended_holds_less_than_the_rest() -> None:
    """Its own constant is believed where noise is small; where noise drowns it, all are taken for alike."""
    form = made(series=6)
    held = np.array([100.0, 98.0, 30.0, 101.0, 29.0, 99.0])
    constants = np.rint(held * form.constant).astype(np.int64)
    clear = normalizations(constants, form, deviation=3.0 * form.constant, people=300)
    assert (np.abs(clear[:, 0] - held) < clear[:, 1]).all()
    assert (clear[:, 1] < 4).all()
    drowned = normalizations(constants, form, deviation=3000.0 * form.constant, people=300)
    assert np.ptp(drowned[:, 0]) < 1


@given(
    held=st.lists(st.integers(-(10**8), 10**8), min_size=1, max_size=12),
    deviation=st.floats(1.0, 1e7),
    people=st.integers(1, 10**4),
    more=st.integers(1, 10**8),
)
def test_masses_lie_between_their_error_and_the_people_and_grow_with_constants_that_agree(
    held: list[int], deviation: float, people: int, more: int
) -> None:
    form = made(series=len(held))
    error = deviation / form.constant / math.sqrt(len(held))
    found = normalizations(np.array(held), form, deviation=deviation, people=people)
    assert found.shape == (len(held), 2)
    assert (found[:, 0] >= min(error, people)).all()
    assert (found[:, 0] <= people).all()
    assert (found[:, 1] >= error).all()
    # Where all series tell the same: else what is expected of one weighs differently against what it tells itself.
    alike, raised = (
        normalizations(np.full(len(held), one), form, deviation=deviation, people=people)
        for one in (held[0], held[0] + more)
    )
    assert (raised[:, 0] >= alike[:, 0] * (1 - 1e-12)).all()
