"""What the public functions return for releases of little noise, and how they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease import Screen, arrays, inference
from synthrelease.errors import ArgumentError
from synthrelease.inference import Spread
from synthrelease.inference.estimate import SampledPeople

PUPIL = (1.5, 8.0)
PEOPLE = np.arange(240)
VALUES = 3.5 + 0.4 * np.sin(PEOPLE) + 0.3 * (PEOPLE % 2)
SEEDED = {"allow_test_seed": True}


def statistics(names, *, epsilon=1e3, **options):
    return arrays.statistics(
        person=PEOPLE,
        values={"pupil": VALUES, "other": 8.0 - VALUES / 2},
        bounds={"pupil": PUPIL, "other": PUPIL},
        statistics=names,
        epsilon=epsilon,
        test_seed=7,
        **options,
    )


GROUPS = {
    "labels": {"task": np.where(PEOPLE % 2, "hard", "easy")},
    "categories": {"task": ["easy", "hard"]},
    "by": "task",
    "max_groups_per_person": 1,
}


@pytest.fixture(scope="module")
def pupil():
    return statistics(["mean", "variance", "histogram"], bins=5)


@pytest.fixture(scope="module")
def grouped():
    return statistics(["mean", "variance"], **GROUPS)


def test_with_little_noise_an_interval_is_that_of_the_data(pupil):
    estimate = inference.mean(pupil, feature="pupil", **SEEDED)
    error = VALUES.std(ddof=1) / np.sqrt(240)
    assert float(estimate.estimate) == pytest.approx(VALUES.mean(), abs=1e-3)
    assert float(estimate.standard_error) == pytest.approx(error, rel=0.01)
    assert float(estimate.noise_share) < 0.01
    assert float(estimate.degrees_of_freedom) == pytest.approx(239, rel=0.05)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove-one"])
def test_a_difference_of_groups_is_that_of_a_welch_test(neighbours):
    release = statistics(["mean", "variance"], neighbours=neighbours, **GROUPS)
    easy, hard = (
        inference.mean(release, feature="pupil", group=group, **SEEDED) for group in ("easy", "hard")
    )
    effect = inference.difference(hard, easy)
    groups = [VALUES[number == PEOPLE % 2] for number in (1, 0)]
    assert float(effect.estimate) == pytest.approx(groups[0].mean() - groups[1].mean(), abs=2e-3)
    error = np.sqrt(sum(group.var(ddof=1) / 120 for group in groups))
    assert float(effect.standard_error) == pytest.approx(error, rel=0.02)
    assert float(effect.p_value()) < 1e-4
    assert float(effect.p_value(0.3)) > 0.05


def test_participants_have_no_sampling_error(pupil):
    own = inference.mean(pupil, feature="pupil", target="participants", **SEEDED)
    assert float(own.noise_share) == pytest.approx(1.0)
    assert float(own.standard_error) < 0.1 * float(
        inference.mean(pupil, feature="pupil", **SEEDED).standard_error
    )


def test_what_is_given_stands_among_the_assumptions(pupil):
    estimate = inference.mean(pupil, feature="pupil", spread=Spread(0.4, "a pilot", people=11), **SEEDED)
    assert any("a pilot" in sentence for sentence in estimate.assumptions)
    assert float(estimate.standard_error) == pytest.approx(0.4 / np.sqrt(240), rel=0.01)
    assert float(estimate.degrees_of_freedom) == pytest.approx(10, rel=0.05)


def test_a_bound_is_the_widest(pupil):
    given, bound = (
        inference.mean(pupil, feature="pupil", spread=spread, **SEEDED)
        for spread in (Spread(0.4, "a pilot"), "bound")
    )
    assert bound.high - bound.low > given.high - given.low
    mean = float(bound.estimate)
    assert float(bound.standard_error) == pytest.approx(np.sqrt((mean - 1.5) * (8 - mean) / 240), rel=0.01)


def test_values_of_the_same_people_go_together_as_far_as_is_known(pupil):
    first, second = (inference.mean(pupil, feature=name, **SEEDED) for name in ("pupil", "other"))
    errors = [
        float(inference.difference(first, second, **options).standard_error)
        for options in ({}, {"correlation": 0.0}, {"correlation": -1.0}, {"spread": Spread(0.1, "a pilot")})
    ]
    assert errors[0] == pytest.approx(errors[2])
    assert errors[3] < errors[1] < errors[0]
    assert errors[0] == pytest.approx(1.5 * VALUES.std() / np.sqrt(240), rel=0.02)


def test_two_releases_are_of_different_people(pupil):
    other = statistics(["mean", "variance"], epsilon=900)
    both = [inference.mean(release, feature="pupil", **SEEDED) for release in (pupil, other)]
    apart, same = (inference.difference(*both, same_people=same) for same in (None, True))
    assert float(apart.standard_error) == pytest.approx(np.sqrt(2) * float(both[0].standard_error), rel=0.01)
    assert float(same.standard_error) == pytest.approx(2 * float(both[0].standard_error), rel=0.01)


def test_a_difference_of_differences_is_an_estimate(grouped):
    of = {
        (feature, group): inference.mean(grouped, feature=feature, group=group, **SEEDED)
        for feature in ("pupil", "other")
        for group in ("easy", "hard")
    }
    one, other = (
        inference.difference(of[feature, "hard"], of[feature, "easy"]) for feature in ("pupil", "other")
    )
    interaction = inference.difference(one, other, correlation=-1.0)
    assert float(interaction.estimate) == pytest.approx(float(one.estimate - other.estimate))
    assert interaction.low < interaction.estimate < interaction.high


def test_histograms_are_proportions(pupil):
    estimate = inference.proportions(pupil, feature="pupil", spread="bound", **SEEDED)
    exact = np.histogram(VALUES, np.linspace(*PUPIL, 6))[0] / 240
    assert estimate.estimate == pytest.approx(exact, abs=2e-3)
    assert estimate.estimate.sum() == pytest.approx(1.0)
    # All or nothing in a bin: the bound is exact.
    assert estimate.standard_error[1] == pytest.approx(np.sqrt(exact[1] * (1 - exact[1]) / 240), rel=0.02)


def test_a_difference_of_shares_of_one_whole_is_about_as_uncertain_as_counts(pupil):
    shares = inference.proportions(pupil, feature="pupil", spread="bound", **SEEDED)
    apart = inference.difference(shares.at(bin=0), shares.at(bin=2))
    p, _, q = np.histogram(VALUES, np.linspace(*PUPIL, 6))[0][:3] / 240
    of_counts = np.sqrt((p + q - (p - q) ** 2) / 240)
    # p and q are not known exactly: the bound takes them for as large as they may be.
    assert of_counts < float(apart.standard_error) < 1.7 * of_counts


AREAS = {
    "left": {"rectangle": [0, 0, 400, 600]},
    "top": {"rectangle": [400, 0, 800, 300], "stimuli": ["one"]},
}


@pytest.mark.parametrize("assignment_public", [True, False])
def test_dwell_shares_are_of_the_areas_that_a_stimulus_has(assignment_public):
    random = np.random.default_rng(5)
    x, y = random.uniform(0, 1, (2, 240 * 6))
    release = arrays.areas(
        person=np.repeat(PEOPLE, 6),
        stimulus=np.tile(["one", "two"], 240 * 3),
        x_px=800 * x,
        y_px=600 * y,
        screen=Screen(800, 600),
        stimuli=["one", "two"],
        areas=AREAS,
        epsilon=1e3,
        assignment_public=assignment_public,
        test_seed=1,
    )
    estimates = {
        stimulus: inference.proportions(release, stimulus=stimulus, target="participants", **SEEDED)
        for stimulus in ("one", "two")
    }
    assert list(estimates["one"].coordinates["area"]) == ["left", "top", "elsewhere"]
    assert list(estimates["two"].coordinates["area"]) == ["left", "elsewhere"]
    for number, estimate in enumerate(estimates.values()):
        exact = (x[number::2] < 0.5).mean()
        assert float(estimate.at(area="left").estimate) == pytest.approx(exact, abs=3e-3)
    both = inference.difference(*(one.at(area="left") for one in estimates.values()))
    assert both.low < both.estimate < both.high


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [
        ("spectral", {"delta": 1e-6, "baseline": "none"}),
        ("lpa", {}),
        ("fpa", {"coefficients": 5}),
        ("cfpa", {"coefficients": 3, "chunk": 10}),
        ("dcfpa", {"coefficients": 3, "chunk": 10}),
    ],
)
def test_curves_are_those_of_the_release_before_shrinking(mechanism, options):
    steps = 30
    series = 3.5 + 0.3 * np.sin(np.arange(steps) / 5) + 0.2 * np.sin(PEOPLE[:, None])
    release = arrays.mean_signals(
        person=np.repeat(PEOPLE, steps),
        values={"pupil": series.ravel()},
        bounds={"pupil": PUPIL},
        length=steps,
        epsilon=1e3,
        mechanism=mechanism,
        test_seed=1,
        **options,
    )
    estimate = inference.curve(release, target="participants", **SEEDED)
    assert estimate.estimate == pytest.approx(release["values"][0, 0], abs=2e-3)
    if mechanism != "spectral":
        assert estimate.standard_error == pytest.approx(release["uncertainty"][0, 0], rel=1e-3)
    assert (estimate.band_low <= estimate.low).all()
    assert (estimate.band_high >= estimate.high).all()
    apart = inference.difference(estimate.at(step=20), estimate.at(step=2))
    assert float(apart.estimate) == pytest.approx(float(estimate.estimate[20] - estimate.estimate[2]))


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [
        ("spectral", {"delta": 1e-6}),
        ("gaussian", {"delta": 1e-6, "height_px": 12, "width_px": 16}),
        ("laplace", {"height_px": 12, "width_px": 16, "blur_px": 0}),
    ],
)
def test_maps_are_those_of_the_release_before_shrinking(mechanism, options):
    random = np.random.default_rng(6)
    x, y = np.clip(random.normal(0.5, 0.12, (2, 240 * 5)), 0, 0.999)
    release = arrays.heatmaps(
        person=np.repeat(PEOPLE, 5),
        stimulus=["one"] * x.size,
        x_px=800 * x,
        y_px=600 * y,
        screen=Screen(800, 600),
        stimuli=["one"],
        epsilon=1e3,
        mechanism=mechanism,
        test_seed=1,
        **options,
    )
    every = 6 if mechanism == "spectral" else 2
    estimate = inference.heatmap(release, every=every, target="participants", **SEEDED)
    shown = release["heatmap"][0][::every, ::every]
    # Of cells the released map is not shrunk; of cosines it hardly is.
    care = 0.05 if mechanism == "spectral" else 1e-5
    assert estimate.estimate == pytest.approx(shown, abs=care * float(shown.max()))
    y_px, x_px = (list(axis)[len(axis) // 2] for axis in estimate.coordinates.values())
    middle = estimate.at(y_px=y_px, x_px=x_px)
    corner = estimate.at(y_px=estimate.coordinates["y_px"][0], x_px=estimate.coordinates["x_px"][0])
    assert float(inference.difference(middle, corner).p_value()) < 1e-6


def test_a_frame_has_a_row_for_each_value(pupil):
    frame = inference.proportions(pupil, feature="pupil", spread="bound", **SEEDED).to_pandas()
    assert list(frame["bin"]) == [0, 1, 2, 3, 4]
    assert {"estimate", "low", "high", "standard_error", "noise_share"} <= set(frame.columns)
    assert frame.attrs["assumptions"]


def test_a_text_states_the_interval_and_what_it_rests_on(pupil):
    estimate = inference.mean(pupil, feature="pupil", **SEEDED)
    assert str(estimate).count("\n") == len(estimate.assumptions)
    assert f"{float(estimate.estimate):.4g}" in str(estimate)


def code(function, *arguments, **options):
    with pytest.raises(ArgumentError) as caught:
        function(*arguments, **options)
    assert caught.value.expected
    assert caught.value.remedy
    return caught.value.code


def test_refusals_say_what_is_missing(pupil, grouped):
    mean = {"feature": "pupil", **SEEDED}
    assert code(inference.mean, pupil, feature="pupil") == "test-seed"
    assert code(inference.mean, pupil, **SEEDED) == "no-such-feature"
    assert code(inference.mean, pupil, group="easy", **mean) == "no-groups"
    assert code(inference.mean, grouped, **mean) == "no-such-group"
    assert code(inference.mean, statistics(["mean"]), **mean) == "no-spread"
    assert code(inference.mean, statistics(["count"]), **mean) == "no-such-statistic"
    assert code(inference.mean, pupil, spread=0.4, **mean) == "no-spread"
    assert code(inference.mean, pupil, target="people", **mean) == "bad-target"
    assert code(inference.mean, pupil, level=95, **mean) == "bad-level"
    assert code(inference.mean, pupil, "another", **mean) == "not-a-release"
    assert code(inference.mean, {"mean": 3}, **mean) == "not-a-release"
    assert code(inference.mean, statistics(["median"]), **mean) == "no-noise"
    assert code(inference.curve, pupil, **SEEDED) == "wrong-output"
    assert code(inference.proportions, pupil, feature="pupil", **SEEDED) == "no-spread"


def test_refusals_of_spreads():
    assert code(Spread, -1.0, "a pilot") == "bad-spread"
    assert code(Spread, 1.0, " ") == "no-source"
    assert code(Spread, 1.0, "a pilot", people=1) == "bad-spread"


def test_refusals_of_spreads_of_another_shape(pupil):
    shares = {"feature": "pupil", **SEEDED}
    assert code(inference.proportions, pupil, spread=Spread([0.1, 0.2], "a pilot"), **shares) == "bad-spread"
    wrong = Spread(0.1, "a pilot", correlation=np.eye(2))
    assert code(inference.proportions, pupil, spread=wrong, **shares) == "bad-spread"


def test_refusals_of_differences(pupil, grouped):
    first = inference.mean(pupil, feature="pupil", **SEEDED)
    easy, hard = (
        inference.mean(grouped, feature="pupil", group=group, **SEEDED) for group in ("easy", "hard")
    )
    assert code(inference.difference, easy, hard, correlation=0.5) == "different-people"
    assert code(inference.difference, first, first, correlation=2.0) == "bad-correlation"
    own = inference.mean(pupil, feature="pupil", target="participants", **SEEDED)
    assert code(inference.difference, first, own) == "mixed-estimates"
    shares = inference.proportions(pupil, feature="pupil", spread="bound", **SEEDED)
    few = inference.proportions(statistics(["histogram"], bins=3), feature="pupil", spread="bound", **SEEDED)
    assert code(inference.difference, shares, few) == "different-shapes"


def test_labels_that_are_not_there_are_named(pupil):
    shares = inference.proportions(pupil, feature="pupil", spread="bound", **SEEDED)
    with pytest.raises(KeyError):
        shares.at(bin=9)
    with pytest.raises(KeyError):
        shares.at(area="left")


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        (("a.h5", "task", "easy"), ("a.h5", "task", "hard"), True),
        (("a.h5", "task", "easy"), ("a.h5", "task", "easy"), False),
        (("a.h5", "task", "easy"), ("a.h5", "sex", "f"), False),
        (("a.h5", "task", "easy"), ("a.h5", None, None), False),
        (("a.h5", None, None), ("a.h5", None, None), False),
        (("a.h5", None, None), ("b.h5", None, None), True),
    ],
)
def test_only_groups_by_one_column_are_of_different_people(one, other, apart):
    assert SampledPeople(*one).are_others(SampledPeople(*other)) == apart
    assert SampledPeople(*other).are_others(SampledPeople(*one)) == apart


def test_what_stands_in_two_differences_has_its_noise_twice_or_not_at_all():
    person = np.arange(300)
    release = arrays.statistics(
        person=person,
        values={"pupil": 3.0 + 0.5 * (person % 3)},
        bounds={"pupil": (1.5, 8.0)},
        labels={"task": np.array(["a", "b", "c"])[person % 3]},
        categories={"task": ["a", "b", "c"]},
        by="task",
        max_groups_per_person=1,
        statistics=["mean"],
        epsilon=5.0,
        test_seed=1,
    )
    options = {"target": "participants", "people": 100, "allow_test_seed": True}
    a, b, c = (inference.mean(release, group=one, **options) for one in "abc")
    bend = inference.difference(inference.difference(c, b), inference.difference(b, a))
    assert float(bend.estimate) == pytest.approx(float(c.estimate - 2 * b.estimate + a.estimate))
    assert float(bend.standard_error / a.standard_error) == pytest.approx(np.sqrt(1 + 4 + 1))
    same = inference.difference(inference.difference(a, b), inference.difference(c, b))
    direct = inference.difference(a, c)
    assert float(same.standard_error) == pytest.approx(float(direct.standard_error))
    assert (float(same.low), float(same.high)) == pytest.approx((float(direct.low), float(direct.high)))


def test_a_step_of_a_curve_next_to_the_curve_has_its_noise():
    steps = 24
    values = {"pupil": np.resize(4 + np.sin(np.arange(steps)), 40 * steps)}
    release = arrays.mean_signals(
        person=np.repeat(np.arange(40), steps),
        values=values,
        bounds={"pupil": (1.5, 8.0)},
        length=steps,
        mechanism="fpa",
        epsilon=3.0,
        test_seed=1,
    )
    curve = inference.curve(release, target="participants", allow_test_seed=True)
    late = inference.difference(curve, curve.at(step=5))
    for step in (5, 6, 14):
        one = inference.difference(curve.at(step=step), curve.at(step=5))
        assert float(late.standard_error[step]) == pytest.approx(float(one.standard_error), abs=1e-12)
