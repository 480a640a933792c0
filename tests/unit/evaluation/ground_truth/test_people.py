"""Synthetic people are judged against the participants: all of their windows, whatever a release leaves out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import made_people
import numpy as np
import pytest
from made_people import MADE, PEOPLE, RECORDINGS
from numpy.typing import NDArray
from variants.people import Person

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event, noise_of
from synthrelease.dp.noise.entropy import SecureRandom
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.ground_truth import derivations, exact_derivations, kind_of
from synthrelease.evaluation.ground_truth.ground_truth import HALF, NO_DATA
from synthrelease.evaluation.ground_truth.people import MEASURES, PILOT, PeopleTruth
from synthrelease.kinds.mechanism import QUIET
from synthrelease.kinds.people.mechanism import SyntheticPeople
from synthrelease.kinds.people.pilot import pilot_of
from synthrelease.kinds.people.vectors import Windows
from synthrelease.kinds.values import Values
from synthrelease.reports.exhibits import Plate, TableExhibit

BUDGET = Budget(30.0, 1e-6)  # with less, noise would cover who takes part
NAMES = [measure.name for measure in MEASURES]


@cache
def mechanism() -> SyntheticPeople:
    """One that draws many people, so that luck of the draw is little."""
    p = made_people.mechanism().parameters
    return replace(made_people.mechanism(), parameters=replace(p, synthetic_people=300))


def like_people(count: int, seed: int = 0) -> list[Person]:
    """Participants with a level, an order in time and a recording that differs."""
    random = np.random.default_rng(seed)
    people = []
    for _ in range(count):
        level, rows = random.normal(0, 0.3, MADE.features), []
        for recording in range(RECORDINGS):
            here = random.normal(0, 0.1, MADE.features)
            for _ in range(6):
                here = 0.8 * here + random.normal(0, 0.06, MADE.features)
                rows.append([recording, *(level + here + 0.2 * recording)])
        people.append(Person(np.array(rows)))
    return people


def ground_truth(people: list[Person], chosen: SyntheticPeople | None = None) -> PeopleTruth:
    chosen = chosen or mechanism()
    kind = kind_of(chosen)
    truth = kind.ground_truth(chosen, kind.collector(chosen)(MADE.data(people)), len(people))
    assert isinstance(truth, PeopleTruth)
    return truth


@cache
def participants() -> PeopleTruth:
    return ground_truth(like_people(PEOPLE))


@cache
def without_noise() -> Arrays:
    """What the mechanism releases without noise."""
    rows = made_people.collected(like_people(PEOPLE))
    (derive,) = exact_derivations(kind_of(mechanism()), mechanism(), rows, QUIET)
    return derive()


def table(scores: dict[str, tuple[float, ...]]) -> NDArray[np.float64]:
    return np.array(list(scores.values()))


# --- what is measured


@pytest.mark.thorough
def test_people_drawn_without_noise_are_closer_than_no_data() -> None:
    truth = participants()
    exact = table(truth.of(without_noise())).mean(axis=0)
    (guess,) = truth.without_data(without_noise()).values()
    none = table(truth.of(guess)).mean(axis=0)
    assert exact[0] < none[0] / 2  # distributions: no data says they are uniform
    assert exact[1] < 0.8 * none[1]
    assert exact[2] < none[2] + 0.02  # correlations: of these people they are next to none
    assert exact[3] < none[3]  # differences between people
    assert exact[5] < none[5]  # contrasts


@pytest.mark.thorough
def test_a_pilot_alone_is_a_baseline_of_its_own() -> None:
    """Closer to participants who are like it than no data, which knows nothing of it."""
    p = mechanism().parameters
    person, block = made_people.collected(like_people(PEOPLE, seed=5)).whole()
    windows = Windows(person, block[:, 0].astype(np.int64), PEOPLE)
    pilot = pilot_of(windows, block[:, 1:].astype(np.int64), p.form, p.scales, sha256="0" * 64)
    piloted = replace(mechanism(), parameters=replace(p, pilot=pilot))
    truth = ground_truth(like_people(PEOPLE), piloted)
    baselines = truth.without_data(without_noise())
    assert [*baselines] == [NO_DATA, PILOT]
    unknown = participants().without_data(without_noise())[NO_DATA]["people",]
    np.testing.assert_array_equal(baselines[NO_DATA]["people",], unknown)
    none, alone = (table(truth.of(guess)).mean(axis=0) for guess in baselines.values())
    assert alone[0] < none[0] / 2
    assert (alone[[3, 4, 5]] < none[[3, 4, 5]]).all()


def test_no_data_is_uniform_and_the_same_whoever_takes_part() -> None:
    truth = participants()
    people = np.asarray(truth.without_data(without_noise())[NO_DATA]["people",], dtype=np.float64)
    low, high = MADE.limits.T
    place = (people - low) / (high - low)
    assert place[..., :2].mean() == pytest.approx(0.5, abs=0.1)
    assert place[..., :2].std() == pytest.approx(np.sqrt(1 / 12), abs=0.06)
    other = ground_truth(like_people(PEOPLE, seed=9)).without_data(without_noise())
    np.testing.assert_array_equal(other[NO_DATA]["people",], people.astype(np.float32))


def test_the_participants_themselves_miss_nothing_of_themselves() -> None:
    """Six windows of each, in order, as if they were synthetic."""
    truth = participants()
    low, high = MADE.limits.T
    places = truth.rows.places.reshape(PEOPLE, RECORDINGS, 6, MADE.features)
    found = table(truth.of({("people",): low + places * (high - low)}))
    # The third feature is discrete: its public range has half a step more at both ends.
    np.testing.assert_allclose(found[:2, [0, 3, 4, 5]], 0, atol=1e-9)
    assert np.isnan(found[:, -1]).all()  # nothing was said of intervals


def test_half_of_the_participants_differs_by_what_sampling_costs() -> None:
    """More than nothing, less with more of them, and the same for the same seed."""
    halves = [table(participants().half(SecureRandom.for_tests(seed))) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(halves[0], halves[1])
    assert (halves[0] != halves[2]).any()
    many = table(ground_truth(like_people(10 * PEOPLE)).half(SecureRandom.for_tests(1)))
    assert (many[:, :-1].mean(axis=0) < 0.6 * halves[0][:, :-1].mean(axis=0)).all()
    assert (halves[0][:, :-1] > 0).all()


def test_of_three_participants_no_halves_are_compared() -> None:
    truth = ground_truth(like_people(3))
    kind = kind_of(mechanism())
    assert kind.with_data is not None
    assert kind.with_data(truth, SecureRandom.for_tests(1)) == {}
    assert [*kind.with_data(participants(), SecureRandom.for_tests(1))] == [HALF]


def test_windows_that_a_release_leaves_out_are_part_of_the_truth() -> None:
    """Of many windows the first few count in a release."""
    capped = replace(mechanism(), parameters=replace(mechanism().parameters, max_windows=2))
    person, _ = capped.collect(MADE.data(like_people(PEOPLE))).whole()
    assert person.size == PEOPLE * RECORDINGS * 2
    assert len(ground_truth(like_people(PEOPLE), capped).rows.person) == PEOPLE * RECORDINGS * 6


def test_participants_without_a_window_are_no_one() -> None:
    absent = Person(np.empty((0, 1 + MADE.features)))
    people = [*like_people(PEOPLE - 2), absent, absent]
    truth = ground_truth(people)
    fewer = ground_truth(like_people(PEOPLE - 2))
    np.testing.assert_allclose(table(truth.of(without_noise())), table(fewer.of(without_noise())))
    empty = ground_truth([absent] * PEOPLE)
    assert np.isfinite(table(empty.of(without_noise()))[:, :2]).all()


# --- intervals of contrasts


def by_hand(truth: PeopleTruth) -> NDArray[np.float64]:
    """Contrasts of scores: everyone's mean of the second recording less that of the first."""
    p = truth.mechanism.parameters
    scores = np.empty_like(truth.rows.places)
    for f, scale in enumerate(p.scales):
        density = np.asarray(without_noise()[p.features[f].name, "marginals", "density"], dtype=np.float64)
        scores[:, f] = scale.score_table(density)[truth.levels[:, f]] / 4096
    means = np.array(
        [
            [scores[(truth.rows.person == i) & (truth.rows.recording == r)].mean(axis=0) for r in (0, 1)]
            for i in np.unique(truth.rows.person)
        ]
    )
    return np.asarray((means[:, 1] - means[:, 0]).mean(axis=0))


def with_intervals(low: NDArray[np.float64], high: NDArray[np.float64]) -> Arrays:
    names = [feature.name for feature in mechanism().parameters.features]
    ends = {
        ("recording 1", name, "contrasts", "interval"): np.array([low[f], high[f]])
        for f, name in enumerate(names)
    }
    return {**without_noise(), **ends}


def test_an_interval_holds_the_contrast_of_normal_scores_that_is_computed_by_hand() -> None:
    truth = participants()
    exact = by_hand(truth)
    near = np.array([1e-6, 1e-6, 1e-6])
    assert table(truth.of(with_intervals(exact - near, exact + near)))[:, -1].tolist() == [1, 1, 1]
    shifted = np.array([0.0, 2e-6, -2e-6])
    moved = with_intervals(exact - near + shifted, exact + near + shifted)
    assert table(truth.of(moved))[:, -1].tolist() == [1, 0, 0]


def test_participants_without_a_window_have_no_contrast() -> None:
    absent = Person(np.empty((0, 1 + MADE.features)))
    truth = ground_truth([*like_people(PEOPLE - 9), *[absent] * 9])
    exact = by_hand(truth)
    assert table(truth.of(with_intervals(exact - 1e-6, exact + 1e-6)))[:, -1].tolist() == [1, 1, 1]


# --- noise, and what one person adds


@cache
def noisy() -> tuple[dict[str, Any], Event]:
    drawn = mechanism().draw(made_people.collected(like_people(PEOPLE)), BUDGET, SecureRandom.for_tests(3))
    return dict(drawn.arrays), drawn.event


def test_what_people_add_one_by_one_is_what_they_add_together() -> None:
    """Given what earlier rounds released, in every round."""
    people = like_people(PEOPLE)
    released, event = noisy()
    whole = mechanism().exact_after(made_people.collected(people), released, event)
    parts = [mechanism().exact_after(made_people.collected([person]), released, event) for person in people]
    for path, sums in whole.items():
        np.testing.assert_array_equal(sum(part[path] for part in parts), sums)


def test_what_is_left_of_a_release_is_its_noise_and_of_other_people_is_not() -> None:
    released, event = noisy()
    noise = noise_of(event)
    assert noise is not None

    def ratio(people: list[Person]) -> float:
        exact = mechanism().exact_after(made_people.collected(people), released, event)
        left = np.concatenate([(released[path] - sums).ravel() for path, sums in exact.items()])
        return float(np.sqrt((left**2).mean()) / noise.standard_deviation)

    assert ratio(like_people(PEOPLE)) == pytest.approx(1, abs=0.2)
    one_sided = [MADE.person(np.ones(6)) for _ in range(PEOPLE)]
    assert ratio(one_sided) > 1.5


# --- what is drawn


def test_exact_values_are_drawn_and_no_participant_is() -> None:
    truth = participants()
    contrasts, first, correlations, *over_time = truth.exhibits(without_noise(), QUIET)
    assert isinstance(first, Plate)
    assert isinstance(correlations, Plate)
    assert [panel.heading for panel in correlations.panels] == ["exact (private)", "released"]
    assert len({(panel.scale.low, panel.scale.high) for panel in correlations.panels if panel.scale}) == 1
    assert len(over_time) == 2
    people = np.asarray(without_noise()["people",])[:4, 0]
    for f, plate in enumerate(over_time):
        assert isinstance(plate, Plate)
        (picture,) = plate.panels[0].pictures
        assert f"{people[..., f].min():.3g}"[:4] in picture.alt.replace("\N{MINUS SIGN}", "-")
    assert isinstance(contrasts, TableExhibit)
    exact = by_hand(truth)
    for (_, cells), value in zip(contrasts.rows, exact, strict=True):
        assert cells[0].text.endswith(f"{value:+.2f}".replace("-", "\N{MINUS SIGN}"))
        assert cells[0].ring is not None


@pytest.mark.thorough
def test_of_one_recording_no_contrasts_are_drawn() -> None:
    p = mechanism().parameters
    alone = replace(
        mechanism(),
        parameters=replace(p, recordings=p.recordings[:1], design=designed_alone(p)),
    )
    truth = ground_truth([Person(one.rows[one.rows[:, 0] == 0]) for one in like_people(PEOPLE)], alone)
    event = alone.calibrate(BUDGET)
    nothing = {dataset.path: np.zeros(dataset.shape, dtype=np.int64) for dataset in alone.noisy}
    (derive,) = derivations(kind_of(alone), Values(alone.parameters, event, nothing), alone)
    arrays = derive()
    assert all(isinstance(one, Plate) for one in truth.exhibits(arrays, event))
    found = dict(zip(NAMES, table(truth.of(arrays)).T, strict=True))
    assert np.isnan(found["contrasts of recordings"]).all()
    assert np.isnan(found["intervals of contrasts"]).all()
    assert np.isfinite(found["autocorrelations"]).all()


def designed_alone(p: Any) -> Any:
    from synthrelease.kinds.people.design import design_for
    from synthrelease.kinds.people.form import PeopleForm

    form = PeopleForm(len(p.features), 1, p.cosines, p.bins)
    return design_for(form, windows=p.windows, people=PEOPLE, mu=1.0)
