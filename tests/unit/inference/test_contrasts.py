"""Weighted sums of estimates, and the noise that their values have in common; maps of more blur."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease import Screen, arrays, inference
from synthrelease.errors import ArgumentError
from synthrelease.inference import Spread

SEEDED = {"allow_test_seed": True}
VALUES = 4.5 + 2.0 * np.sin(np.arange(240))


@pytest.fixture(scope="module")
def pupil():
    return arrays.statistics(
        person=np.arange(240),
        values={"pupil": VALUES},
        bounds={"pupil": (1.5, 8.0)},
        statistics=["histogram"],
        bins=5,
        epsilon=1e3,
        test_seed=7,
    )


def code(function, *arguments, **options):
    with pytest.raises(ArgumentError) as caught:
        function(*arguments, **options)
    return caught.value.code


def test_the_covariance_of_the_noise_has_the_variances_that_standard_errors_have(pupil):
    shares = inference.proportions(pupil, feature="pupil", spread="bound", **SEEDED)
    variance = shares.standard_error**2 * shares.noise_share
    assert shares.noise_covariance.shape == (5, 5)
    assert np.diag(shares.noise_covariance) == pytest.approx(variance)
    assert np.linalg.eigvalsh(shares.noise_covariance).min() >= -1e-12 * variance.max()


def test_noise_that_cells_have_in_common_is_in_their_covariance():
    random = np.random.default_rng(3)
    people, looks = 80, 6
    release = arrays.heatmaps(
        person=np.repeat(np.arange(people), looks),
        stimulus=["photo"] * people * looks,
        x_px=random.uniform(200, 600, people * looks),
        y_px=random.uniform(150, 450, people * looks),
        screen=Screen(800, 600),
        stimuli=["photo"],
        epsilon=1.0,
        delta=1e-6,
        test_seed=5,
    )
    cells = inference.heatmap(release, every=4, target="participants", **SEEDED)
    assert np.diag(cells.noise_covariance) == pytest.approx(cells.standard_error.ravel() ** 2)
    x_px, y_px = (cells.coordinates[axis] for axis in ("x_px", "y_px"))
    one, other = (cells.at(x_px=x_px[column], y_px=y_px[12]) for column in (16, 17))
    pair = 12 * len(x_px) + np.array([16, 17])
    contrast = np.array([1.0, -1.0])
    variance = contrast @ cells.noise_covariance[np.ix_(pair, pair)] @ contrast
    apart = inference.difference(one, other)
    assert float(apart.standard_error) == pytest.approx(np.sqrt(variance), rel=1e-6)
    assert variance != pytest.approx(np.diag(cells.noise_covariance)[pair].sum(), rel=0.1), (
        "they are correlated"
    )


def test_a_contrast_is_the_weighted_sum_with_the_noise_that_values_have_in_common(pupil):
    shares = inference.proportions(pupil, feature="pupil", target="participants", **SEEDED)
    weights = np.array([0.0, 1.0, 0.5, -1.0, -0.5])
    contrast = shares.contrast(weights)
    assert contrast.shape == ()
    assert float(contrast.estimate) == pytest.approx(weights @ shares.estimate)
    variance = weights @ shares.noise_covariance @ weights
    assert float(contrast.standard_error) == pytest.approx(np.sqrt(variance))
    one = shares.contrast([0.0, 1.0, 0.0, 0.0, 0.0])
    assert float(one.low) == pytest.approx(shares.low[1])
    assert inference.difference(contrast, one).p_value() > 0


def test_a_contrast_about_a_population_needs_a_spread_of_its_own(pupil):
    shares = inference.proportions(pupil, feature="pupil", spread="bound", **SEEDED)
    weights = np.array([1.0, -1.0, 0.0, 0.0, 0.0])
    assert code(shares.contrast, weights) == "no-spread"
    wide, known = (shares.contrast(weights, spread=spread) for spread in ("bound", Spread(0.1, "a pilot")))
    assert float(wide.standard_error) > float(known.standard_error) > 0
    assert len(known.assumptions) == len(set(known.assumptions))
    assert set(wide.assumptions) != set(known.assumptions)
    assert len(wide.assumptions) == len(known.assumptions), "one stands in the place of the other"


def test_refusals_of_contrasts(pupil):
    shares = inference.proportions(pupil, feature="pupil", target="participants", **SEEDED)
    assert code(shares.contrast, [1.0, 2.0]) == "bad-weights"
    assert code(shares.contrast, [1.0, 2.0, np.nan, 0.0, 0.0]) == "bad-weights"
    between = inference.difference(shares.at(bin=0), shares.at(bin=1))
    if not isinstance(between.evidence, type(shares.evidence)):
        assert code(between.contrast, 1.0) == "contrast-of-difference"


@pytest.mark.parametrize("blur_px", [20, 40.0])
def test_a_map_of_more_blur_is_that_of_a_release_of_that_blur(blur_px):
    """With hardly any noise; the release of more blur has fewer frequencies, which is all that can differ."""
    random = np.random.default_rng(3)
    places = random.normal([[400], [300]], 60, (2, 600))
    maps = {
        used: arrays.heatmaps(
            person=np.arange(600),
            stimulus=["photo"] * 600,
            x_px=places[0],
            y_px=places[1],
            screen=Screen(800, 600),
            stimuli=["photo"],
            epsilon=1e3,
            delta=1e-3,
            blur_px=used,
            clip=10.0,
            test_seed=5,
        )
        for used in (20.0, 40.0)
    }
    shown = {
        used: inference.heatmap(one, every=1, target="participants", **SEEDED) for used, one in maps.items()
    }
    coarse = inference.heatmap(maps[20.0], every=1, blur_px=blur_px, target="participants", **SEEDED)
    expected = shown[blur_px]
    places = [np.asarray(expected.coordinates[axis]) for axis in ("y_px", "x_px")]
    near = [
        [int(np.argmin(np.abs(np.asarray(coarse.coordinates[axis]) - one))) for one in of]
        for axis, of in zip(("y_px", "x_px"), places, strict=True)
    ]
    assert coarse.estimate[np.ix_(*near)] == pytest.approx(
        expected.estimate, abs=0.1 * expected.estimate.max()
    )
    if blur_px > 20:
        assert coarse.standard_error.mean() < shown[20.0].standard_error.mean() / 2
    for wrong in (10, float("nan"), "much"):
        assert code(inference.heatmap, maps[20.0], blur_px=wrong, **SEEDED) == "bad-blur"


def test_an_estimate_is_shown_by_its_numbers(pupil):
    shares = inference.proportions(pupil, feature="pupil", target="participants", **SEEDED)
    one = shares.at(bin=2)
    assert float(one) == float(one.estimate)
    for shown in (repr(one), one._repr_html_(), str(one)):
        assert f"{float(one.estimate):.4g}" in shown
        assert f"{float(one.high):.4g}" in shown
    assert shares._repr_html_().count("<tr") == 1 + shares.estimate.size
    assert len(repr(shares)) < 300
    with pytest.raises(TypeError):
        float(shares)
    with pytest.raises(KeyError) as caught:
        shares.at(bin=9.5)
    assert "np." not in str(caught.value)


def test_what_is_no_estimate_has_no_difference(pupil):
    shares = inference.proportions(pupil, feature="pupil", target="participants", **SEEDED)
    assert code(inference.difference, shares, 0.5) == "not-an-estimate"


def test_of_shares_a_correlation_is_used_where_their_spread_is_known_and_else_not_claimed(pupil):
    spread = Spread(0.3, "a pilot")
    known, bound = (
        inference.proportions(pupil, feature="pupil", spread=one, **SEEDED) for one in (spread, "bound")
    )
    errors = {}
    for name, shares in (("known", known), ("bound", bound)):
        for correlation in (None, -0.5, 0.5):
            apart = inference.difference(shares.at(bin=1), shares.at(bin=2), correlation=correlation)
            errors[name, correlation] = float(apart.standard_error)
            claimed = any("0.5" in sentence for sentence in apart.assumptions)
            assert claimed == (name == "known" and correlation is not None)
    assert errors["known", 0.5] == pytest.approx(0.3 / np.sqrt(240), rel=0.01)
    assert errors["known", -0.5] == pytest.approx(0.3 * np.sqrt(3 / 240), rel=0.01)
    assert errors["bound", 0.5] == errors["bound", None]


def test_the_same_integers_by_different_numbers_of_people_are_refused():
    values = {"pupil": VALUES}
    release = arrays.statistics(
        person=np.arange(240),
        values=values,
        bounds={"pupil": (1.5, 8.0)},
        statistics=["mean"],
        epsilon=10.0,
        neighbours="add-remove-one",
        test_seed=7,
    )
    options = {"target": "participants", **SEEDED}
    noisy, known = inference.mean(release, **options), inference.mean(release, people=240, **options)
    assert code(inference.difference, noisy, known) == "same-noise"
