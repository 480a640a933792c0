"""The populations and errors of the studies of synthetic people: errors against loops, and populations against what they say of themselves."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

FEATURES, CONDITIONS, WINDOWS = 3, 2, 5
LOW, HIGH = np.zeros(FEATURES), np.ones(FEATURES)


@pytest.fixture
def nouns(script):
    return script("studies._people")


@pytest.fixture
def gaps(nouns):
    """People in [0, 1] who lack windows, and values in others."""
    random = np.random.default_rng(3)
    values = random.beta(2, 3, size=(12, CONDITIONS, WINDOWS, FEATURES))
    there = np.arange(WINDOWS) < random.integers(2, WINDOWS + 1, size=(12, CONDITIONS, 1))
    values[random.random(values.shape) < 0.2] = np.nan
    values[~there] = np.nan
    return nouns.People(values, there)


@pytest.fixture
def public(nouns):
    return nouns.Public(("a", "b", "c"), ("first", "second"), LOW, HIGH, (None,) * FEATURES, WINDOWS, WINDOWS)


def test_what_the_model_does_not_have_is_that_of_the_values_that_are_there(script, gaps, public):
    drift, apart, scatter = script("studies._people_metrics").unmodelled(gaps, public)
    drifts, scatters = [], []
    for f in range(FEATURES):
        products = squares = 0.0
        of_people = []
        for person in gaps.values:
            residuals = []
            for condition in person:
                window = np.flatnonzero(~np.isnan(condition[:, f]))
                if window.size:
                    own = condition[window, f] - condition[window, f].mean()
                    products += ((window - window.mean()) * own).sum()
                    squares += ((window - window.mean()) ** 2).sum()
                    residuals.extend(own)
            if np.any(residuals):  # more than one value in some condition
                of_people.append(np.log(np.std(residuals)))
        drifts.append(abs(products / squares) * WINDOWS / np.nanstd(gaps.values[..., f]))
        scatters.append(np.std(of_people))
    np.testing.assert_allclose([drift, scatter], [np.mean(drifts), np.mean(scatters)])
    correlations = []
    number = np.maximum((~np.isnan(gaps.values)).sum(axis=2, keepdims=True), 1)
    within = gaps.values - np.nansum(gaps.values, axis=2, keepdims=True) / number
    for c in range(CONDITIONS):
        rows = within[:, c].reshape(-1, FEATURES)
        for f, g in ((0, 1), (0, 2), (1, 2)):
            both = ~np.isnan(rows[:, f] + rows[:, g])
            correlations.append(np.corrcoef(rows[both, f], rows[both, g])[0, 1])
    half_difference = np.subtract(*np.reshape(correlations, (CONDITIONS, 3))) / 2
    assert apart == pytest.approx(np.sqrt(np.mean(half_difference**2)))


def test_a_table_has_a_row_for_each_window(gaps, public):
    table = public.table(gaps)
    assert table.columns == ["person", "recording", "window", "a", "b", "c"]
    assert table.height == gaps.there.sum()
    assert table["a"].null_count() == np.isnan(gaps.values[gaps.there][:, 0]).sum()
    person, condition, window = np.argwhere(np.isfinite(gaps.values[..., 0]))[-1]
    row = table.row(
        by_predicate=(pl.col("person") == person)
        & (pl.col("recording") == public.conditions[condition])
        & (pl.col("window") == window),
        named=True,
    )
    assert row["a"] == gaps.values[person, condition, window, 0]


def test_windows_that_lack_a_feature_are_left_out_and_others_stay_in_order(script, gaps):
    people = script("studies._mouse_people").with_all_features(gaps)
    for before, after in zip(
        gaps.values.reshape(-1, WINDOWS, FEATURES), people.values.reshape(-1, WINDOWS, FEATURES), strict=True
    ):
        kept = before[np.isfinite(before).all(axis=1)]
        np.testing.assert_array_equal(after[: len(kept)], kept)
        assert np.isnan(after[len(kept) :]).all()
    np.testing.assert_array_equal(people.there, np.isfinite(people.values[..., 0]))


@pytest.mark.parametrize(("name", "missing"), [("Readers", 0.0), ("Searchers", 0.2)])
def test_unseen_people_are_as_public_says(script, name, missing):
    population = getattr(script("studies._unseen_populations"), name)()
    people = population.draw(150, 1)
    rows = people.values[people.there]
    assert np.isnan(people.values[~people.there]).all()
    assert np.nanmin(rows - population.low) >= 0
    assert np.nanmin(population.high - rows) >= 0
    lost = np.isnan(rows).mean(axis=0)
    assert all(share in (0, pytest.approx(missing, abs=0.04)) for share in lost)
    for f, step in enumerate(population.steps):
        if step is not None:
            assert set(np.unique(rows[:, f] / step)) <= set(range(26))
    assert people.there.sum(axis=2).max() == population.most_windows


def test_readers_tire_stop_and_depend_otherwise_in_noise(script):
    population = script("studies._unseen_populations").Readers()
    people = population.draw(600, 2)
    number = people.there.sum(axis=2)
    assert 0.1 < (number < 40).all(axis=1).mean() < 0.3
    early, late = people.values[:, :, :8], people.values[:, :, 32:40]
    change = np.nanmean(late, axis=(0, 1, 2)) - np.nanmean(early, axis=(0, 1, 2))
    of = population.names.index
    assert change[of("blinks_per_minute")] > 1
    assert change[of("pupil_mm")] < -0.1
    within = people.values - np.nanmean(people.values, axis=2, keepdims=True)
    quiet, noise = (np.corrcoef(within[:, c][people.there[:, c]].T) for c in range(2))
    assert np.abs(quiet - noise).max() > 0.2


def test_searchers_differ_in_scale_and_reach_the_ceiling(script):
    population = script("studies._unseen_populations").Searchers()
    people = population.draw(600, 2)
    dilation = people.values[..., population.names.index("dilation_1_mm")]
    spread = np.log(np.nanstd(dilation, axis=(1, 2)))
    assert spread.std() > 0.3
    accuracy = people.values[..., population.names.index("accuracy_2")][people.there]
    assert 0.3 < (accuracy == 1).mean() < 0.6


@pytest.fixture
def measured(script, nouns):
    """People with the features of the pupil, of whom the first lacks a condition."""
    public = script("studies._pupil_people").PUPIL
    random = np.random.default_rng(4)
    shape = (24, len(public.conditions), public.most_windows, len(public.names))
    level = random.uniform(0.3, 0.7, size=(24, 1, 1, shape[-1]))
    place = np.clip(level + 0.1 * random.normal(size=shape), 0, 1)
    there = np.ones(shape[:3], dtype=bool)
    there[0, 2] = False
    values = public.low + place * (public.high - public.low)
    values[~there] = np.nan
    return nouns.People(values, there)


def test_people_without_a_condition_can_be_smoothed(script, measured):
    population = script("studies._smoothed_people").Smoothed(measured, script("studies._pupil_people").PUPIL)
    people = population.draw(200, 1)
    assert np.isfinite(people.values[people.there]).all()
    lacking = (people.there.sum(axis=2) == 0).sum(axis=1)
    assert set(lacking) == {0, 1}


def test_slopes_that_are_filled_in_change_no_condition_for_all(script):
    slopes = np.random.default_rng(6).normal(size=(9, 4, 2))
    missing = np.zeros((9, 4), dtype=bool)
    missing[:5, 1] = missing[0, 3] = True
    slopes[missing] = np.nan
    filled = script("studies._smoothed_people")._completed(slopes.copy(), missing)
    np.testing.assert_allclose(filled.mean(axis=0), 0, atol=1e-12)
    shifts = (filled - slopes)[:, 0]
    np.testing.assert_allclose(shifts, np.broadcast_to(shifts[0], shifts.shape))


def test_the_pilot_is_of_other_people(script, nouns, measured):
    piloted = script("studies._pupil_people").Piloted
    population = piloted(measured)
    pilot = population.pilot
    assert pilot["person"].n_unique() == 100
    own = np.random.default_rng(5).permutation(24)[:12]
    values = measured.values.copy()
    values[own] = values[own][..., ::-1, :]  # windows in the other order
    values[own] *= 0.9
    other = piloted(nouns.People(np.where(measured.there[..., None], values, np.nan), measured.there))
    assert other.pilot.equals(pilot)
    assert not np.array_equal(other.draw(50, 1).values, population.draw(50, 1).values, equal_nan=True)
    elsewhere = np.random.default_rng(5).permutation(24)[12:]
    public = script("studies._pupil_people").PUPIL
    alike = script("studies._smoothed_people").Smoothed(measured.some(elsewhere), public).draw(100, 3)
    rows, shifted = (people.values[people.there] for people in (alike, population.pilot_people))
    shift = (shifted.mean(axis=0) - rows.mean(axis=0)) / rows.std(axis=0)
    assert 0.1 < np.sqrt(np.mean(shift**2)) < 0.4
