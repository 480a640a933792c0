"""Attacks on records: raw data is found by each, noise by none; fresh releases are the plan's own; what is not tried is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from goldens import check_text, figures
from invented_records import (
    BUDGET,
    LABELLED,
    MARGINALS_MODEL,
    TASK,
    Wanted,
    binned,
    calibrate,
    coded_records,
    parameters,
    passing_of,
    seeded,
    study,
    told,
)
from records_evaluated import (
    as_released,
    event_of,
    people_apart,
    released_of,
    usual,
    with_figures,
)
from refusals import refused

from synthrelease.dp.budget import Budget
from synthrelease.dp.event import noise_of
from synthrelease.errors import PlanError
from synthrelease.evaluation.attacks import AttackVerdict
from synthrelease.evaluation.records import attacks as names_module
from synthrelease.evaluation.records import divisions, releases
from synthrelease.evaluation.records.attacks import record_attacks
from synthrelease.evaluation.records.check import record_distances
from synthrelease.evaluation.records.releases import (
    fresh_release,
    keeps_nothing,
    of_fewer,
    owned_records,
    passing_k,
    takes_k,
)
from synthrelease.evaluation.records.rows import (
    NO_ONE,
    RecordRows,
    decoded_rows,
    drawn_people,
    manageable,
    real_rows,
    released_rows,
)
from synthrelease.kinds.records.candidates import CandidateRecords, RecordSet

PROBLEM = "hardly anything passes"
QUICK: dict[str, Any] = {"seed": 3, "rounds": 40, "draws": 1999}
MISSING = {
    "attributes": (
        *binned(4, 4, missing=True),
        replace(LABELLED["attributes"][2], missing=True, categories=4),
    )
}
TEST_2 = {
    "fit": "dp",
    "threshold": "randomized",
    "epsilon0": 4.0,
    "k": 4,
    "people": 24,
    "trials": 60,
    "rows": 60,
}
VARIANTS: list[dict[str, Any]] = [
    {},
    TASK,
    TASK | {"per_task": True, "dependence": "tree"},
    LABELLED,
    {"counted": "record"},
    {"copies": "exclude", "order": (0, 1, 2), "resampled": (2, 3)},
    {"fit": "dp"},
    {"fit": "dp", "noise": "gaussian", "dependence": "tree"},
    MARGINALS_MODEL | {"fit": "dp", "dependence": "tree"},
    MARGINALS_MODEL | {"copies": "exclude"},
    MISSING,
    TEST_2,
]


def verdicts(results: Any) -> dict[str, AttackVerdict]:
    return {one.attack: one.verdict for one in results}


def budget_of(own: Wanted) -> Budget | None:
    return None if own.fit != "dp" else Budget(500.0, 1e-3) if own.randomized else BUDGET


# Fresh records


@pytest.mark.parametrize("changed", VARIANTS, ids=told)
def test_owned_records_are_those_of_a_release(changed: dict[str, Any]) -> None:
    own = parameters(**changed)
    data = study([5 + i % 4 for i in range(own.people)], recordings=2)
    mechanism = own.mechanism
    drawn = mechanism.draw(mechanism.collect(data), budget_of(own), seeded(8))
    passing = passing_of(drawn, own)
    codes, people = coded_records(data, own)
    order = np.argsort(people, kind="stable")  # as a release has them
    codes, people = codes[order], people[order]
    made = owned_records(codes, people, own.mechanism, noise_of(drawn.event), random=seeded(8))
    names = (f"category/{attribute.name}" for attribute in own.attributes)
    records = np.stack([drawn.arrays[name] for name in names], axis=1)
    np.testing.assert_array_equal(made.records, records)
    assert (made.trials, made.passed) == (passing.trials, passing.passed)
    assert (made.seeds == NO_ONE).all() or not keeps_nothing(own.parameters)


def test_records_of_an_exact_model_are_its_own() -> None:
    """No test can fail: records are drawn at once, and follow the marginals."""
    own = parameters(**MARGINALS_MODEL, rows=50_000)
    data = study([6] * 12)
    codes, people = coded_records(data, own)
    made = owned_records(codes, people, own.mechanism, None, random=seeded(1))
    assert (made.seeds == NO_ONE).all()
    for a, size in enumerate(own.categories):
        expected = (
            12 * np.bincount(codes[:, a], minlength=size) / len(codes) + 1 / size
        ) / 13  # a prior of one
        np.testing.assert_allclose(
            np.bincount(made.records[:, a], minlength=size) / 50_000, expected, atol=0.012
        )


@pytest.mark.parametrize("changed", [{}, TASK, {"counted": "record"}, TEST_2], ids=told)
def test_a_record_keeps_what_its_seed_has(changed: dict[str, Any]) -> None:
    own = parameters(**changed)
    data = study([5 + i % 4 for i in range(own.people)], recordings=2)
    codes, people = coded_records(data, own)
    made = owned_records(
        codes, people, own.mechanism, noise_of(calibrate(own, budget_of(own))), random=seeded(2)
    )
    of_seed = made.seeds != NO_ONE
    assert of_seed.sum() > 5
    kept = list(own.order[: len(own.order) - max(own.resampled)])
    assert kept or not own.task
    np.testing.assert_array_equal(made.records[of_seed][:, kept], codes[made.seeds[of_seed]][:, kept])
    assert np.unique(people[made.seeds[of_seed]]).size > 2
    assert of_seed.all() == (not own.randomized)


def test_a_fresh_release_says_whose_rows_its_records_start_from() -> None:
    """Rows in any order, of people with any numbers: who had a record's source row is its owner."""
    own = usual(resampled=(1,))
    data = people_apart()
    rows = real_rows(data, own.mechanism)
    rows = replace(rows, people=rows.people * 7 + 3).where(np.random.default_rng(1).permutation(len(rows)))
    made = fresh_release(rows, None, most_rows=100, random=seeded(3))
    assert len(made) <= 100
    kept = list(own.order[:-1])
    rows_of = {
        (person, recording): rows.codes[(rows.people == person) & (rows.recordings == recording)][:, kept]
        for person, recording in np.unique(np.stack([rows.people, rows.recordings], axis=1), axis=0).tolist()
    }
    assert len(np.unique(made.people)) > 5
    for record in range(len(made)):
        theirs = rows_of[int(made.people[record]), int(made.recordings[record])]
        assert (theirs == made.codes[record, kept]).all(axis=1).any()


def test_too_few_that_pass_are_an_error() -> None:
    own = parameters(k=12, trials=200)
    codes, people = coded_records(study([5] * 12), own)
    with refused(PlanError, "too-few-records") as caught:
        owned_records(codes, people, own.mechanism, None, random=seeded(2))
    assert sorted(figures(caught.value.problem)) == [own.rows, own.trials] == [120, 200]


def test_fewer_people_have_the_plans_parameters() -> None:
    own = parameters(rows=500, trials=600)
    fewer = of_fewer(own.mechanism, 6, most_rows=100)
    assert fewer == replace(own, people=6, rows=100, trials=500_000).mechanism
    assert of_fewer(own.mechanism, 6, most_rows=1000).parameters.rows == 500
    test_2 = of_fewer(parameters(**TEST_2 | {"k": 10}).mechanism, 12, most_rows=20)
    p = test_2.parameters
    assert (p.rows, test_2.trials, p.k, p.seeds) == (20, 20, 6, 6)


def test_k_is_what_some_candidates_reach() -> None:
    """12 people of whom 5 share a prefix that no one else has: k is 5, whatever is asked for above."""
    own = parameters(attributes=binned(4, 4), order=(0, 1), resampled=(1,), people=12)
    people = np.arange(12)
    codes = np.stack([np.where(people < 5, 0, 1 + people % 3), people % 4], axis=1)
    codes[5:, 0] = [1, 1, 2, 2, 3, 3, 3]
    ways = {"noise": None, "random": seeded(0)}
    assert passing_k(codes, people, replace(own, k=12).mechanism, **ways) == 5
    assert passing_k(codes, people, replace(own, k=4).mechanism, **ways) == 4
    assert passing_k(codes, people, replace(own, k=1).mechanism, **ways) == 1
    # Where copies do not count, no one passes with a record of their own: the five have all that there are.
    all_there = np.stack(np.meshgrid([0], np.arange(4), indexing="ij"), axis=-1).reshape(-1, 2)
    codes[:4] = all_there
    assert passing_k(codes, people, replace(own, k=12, copies="exclude").mechanism, **ways) < 5
    for untouched in (MARGINALS_MODEL, TEST_2):
        other = parameters(**untouched)
        assert not takes_k(other.parameters)
        assert passing_k(codes, people, replace(other, k=99).mechanism, **ways) == 99
    assert takes_k(parameters(**MARGINALS_MODEL, copies="exclude").parameters)
    assert keeps_nothing(parameters(**MARGINALS_MODEL).parameters)
    assert not keeps_nothing(own.parameters)


# Rows


@pytest.mark.parametrize("changed", [{}, TASK, LABELLED, MISSING], ids=told)
def test_real_rows_are_those_that_a_release_takes(changed: dict[str, Any]) -> None:
    own = parameters(**changed)
    data = study([5, 7, 4, 6], recordings=2)
    data.values[::5, 1] = np.nan
    data.labels[::7] = -1
    rows = real_rows(data, own.mechanism)
    codes, people = coded_records(data, own)
    np.testing.assert_array_equal(rows.codes, codes)
    np.testing.assert_array_equal(rows.people, people)
    if own.attributes == parameters().attributes:
        whole = ~np.isnan(data.values).any(axis=1)
        np.testing.assert_array_equal(rows.values, data.values[whole])
        np.testing.assert_array_equal(rows.recordings, data.recording[whole])


def test_columns_are_finite_and_say_what_was_missing() -> None:
    own = parameters(**MISSING)
    codes = np.array([[0, 3, 2], [4, 1, 3], [2, 4, 0]])
    rows = decoded_rows(codes, own.mechanism)
    low, high = own.attributes[0].low, own.attributes[0].high
    columns = rows.columns(rows.features)
    assert columns.shape == (3, 2 + 2 + 4)
    assert columns[1, 0] == (low + high) / 2
    assert columns[:, 1].tolist() == [0, 1, 0]
    assert columns[:, 3].tolist() == [0, 0, 1]
    np.testing.assert_array_equal(columns[:, 4:], np.eye(4)[[2, 3, 0]])
    in_bins = rows.columns(rows.features, in_bins=True)
    assert in_bins[:, 0].tolist() == [0, 1.5, 2]
    np.testing.assert_array_equal(rows.recoded(columns), codes)


def test_thin_rows_are_of_everyone() -> None:
    rows = real_rows(study([40, 3, 1, 60]), parameters().mechanism)
    thin = rows.thinned(30)
    assert np.bincount(thin.people).tolist() == [10, 1, 1, 15]
    own = rows.where(rows.people == 3)
    np.testing.assert_array_equal(thin.codes[thin.people == 3], own.codes[::4])
    assert rows.thinned(104) is rows


def test_many_people_are_drawn_by_lot(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = real_rows(study([3] * 30), parameters().mechanism)
    assert drawn_people(rows, 30, seeded(1)).tolist() == list(range(30))
    some = drawn_people(rows, 10, seeded(1))
    assert len(some) == 10
    assert (np.diff(some) > 0).all()
    assert some.tolist() != drawn_people(rows, 10, seeded(2)).tolist()
    assert manageable(rows, seeded(1)) == (rows, ())
    monkeypatch.setattr("synthrelease.evaluation.records.rows._MOST_PEOPLE", 10)
    fewer, words = manageable(rows, seeded(1))
    assert fewer.names.size == 10
    assert [sorted(figures(one)) for one in words] == [[10, 30, 30, 90]]  # people and rows, of how many
    monkeypatch.setattr("synthrelease.evaluation.records.rows._MOST_PEOPLE", 30)
    monkeypatch.setattr("synthrelease.evaluation.records.rows._MOST_ROWS", 60)
    _, words = manageable(rows, seeded(1))
    assert [sorted(figures(one)) for one in words] == [[30, 60, 90]]  # all people


# The bundle's own records


def test_distances_by_hand() -> None:
    own = parameters(attributes=binned(4, 4), order=(0, 1), resampled=(1,), people=2)
    real = RecordRows(
        own.mechanism,
        np.array([[0, 0], [1, 0], [3, 0], [3, 0]]),
        np.array([[0.0, 2.0], [0.3, 2.0], [0.9, 2.0], [0.9, 2.0]]),
        np.array([0, 0, 1, 1]),
        np.zeros(4, dtype=np.int64),
    )
    made = decoded_rows(np.array([[3, 0], [3, 0], [0, 1]]), own.mechanism)
    made = replace(made, values=np.array([[0.9, 2.0], [0.8, 2.0], [0.0, 2.0]]))
    spread = real.values[:, 0].std()
    found = record_distances(real, made)
    assert found.nearest == pytest.approx(0.0)
    assert found.between_people == pytest.approx(0.6 / spread)
    far = record_distances(
        real, replace(made, values=made.values + np.array([5.0, 0.0]), codes=made.codes * 0 + 2)
    )
    assert far.nearest == pytest.approx((5.8 - 0.9) / spread)
    shared = record_distances(replace(real, values=real.values * 0), made)
    assert shared.between_people == 0.0
    said = [one.sentences() for one in (found, far, shared)]
    assert all(len(sentences) == 1 for sentences in said)
    assert [len(figures(sentence)) for (sentence,) in said] == [2, 2, 1]
    assert figures(said[0][0]) == [0.0, 0.0]
    assert {round(far.nearest, 2), round(far.nearest / far.between_people, 2)} == {*figures(said[1][0])}
    check_text("evaluation/own-records", "\n".join(sentence for (sentence,) in said))


def test_equal_rows_are_equal_in_all_attributes() -> None:
    codes = np.array([[0, 1], [2, 3]])
    assert RecordSet(codes).contains(np.array([[0, 1], [0, 3], [2, 3]])).tolist() == [True, False, True]


# Attacks


@pytest.fixture(scope="module")
def apart() -> Any:
    return people_apart()


@pytest.fixture(scope="module")
def fewer() -> Any:
    return people_apart(24, rows=2)


def raw_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mechanism publishes what it is given."""
    monkeypatch.setattr(divisions._Halves, "__call__", lambda own, people, _: own.source_rows(people))
    monkeypatch.setattr(names_module, "fresh_release", lambda source, *_, **__: source)


def noise_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mechanism publishes categories by lot; seeds too."""

    def uniform(codes: Any, _: Any, own: Any, *__: Any, random: Any) -> Any:
        p = own.parameters
        columns = [random.integers(size, p.rows) for size in p.categories]
        return CandidateRecords(np.stack(columns, axis=1), random.integers(len(codes), p.rows), 1, 1)

    monkeypatch.setattr(divisions, "owned_records", uniform)
    monkeypatch.setattr(releases, "owned_records", uniform)


@pytest.mark.thorough
def test_raw_data_is_found_by_every_attack(apart: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    raw_released(monkeypatch)
    own = usual()
    results, _ = record_attacks(
        "records", own.mechanism, event_of(own), apart, as_released(apart, own), **QUICK
    )
    found = verdicts(results)
    assert len(found) == 15
    assert {one.together for one in results} == {15}
    # The recording cannot be told from the features of these people, however they are known.
    assert {name for name, verdict in found.items() if verdict is not AttackVerdict.SIGNIFICANT} <= {
        "inference of recording"  # not a sentence: an attack's name
    }
    by_name = {one.attack: one for one in results}
    for name in ("membership, nearest record", "membership, likelihood ratio, online", "copies, exact"):
        assert by_name[name].main.value == 1.0
    assert by_name["identification, k-NN"].main.value > 0.9
    assert by_name["linkage"].main.value > 0.9
    assert by_name["copies, exact"].control.value == 0.0  # not a sentence: an attack's name


def test_noise_is_found_by_none(apart: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    noise_released(monkeypatch)
    own = usual()
    results, _ = record_attacks(
        "records", own.mechanism, event_of(own), apart, as_released(apart, own), **QUICK
    )
    assert set(verdicts(results).values()) == {AttackVerdict.NOT_SIGNIFICANT}
    assert len(results) == 15


@pytest.mark.thorough
def test_results_repeat_with_the_seed(fewer: Any) -> None:
    own = usual(rows=60)
    event, arrays = released_of(fewer, own)
    quick = {**QUICK, "draws": 99}
    calls: list[tuple[str, int, int]] = []
    first = record_attacks(
        "records", own.mechanism, event, fewer, arrays, **quick, progress=lambda *call: calls.append(call)
    )
    assert first == record_attacks("records", own.mechanism, event, fewer, arrays, **quick, n_jobs=2)
    other = record_attacks("records", own.mechanism, event, fewer, arrays, **{**quick, "seed": 4})
    assert [one.main for one in other[0]] != [one.main for one in first[0]]
    assert ("releases", 40, 40) in calls
    assert ("identification", 4, 4) in calls


@pytest.mark.thorough
def test_a_model_alone_has_no_one_to_name_and_a_guarantee_to_keep(apart: Any) -> None:
    own = usual(model="marginals", resampled=(4,), fit="dp")
    event, arrays = calibrate(own, Budget(0.1, 0.0)), as_released(apart, own)
    results, words = record_attacks("records", own.mechanism, event, apart, arrays, **QUICK)
    assert not [one for one in results if one.attack.startswith(("identification", "linkage"))]
    check_text("evaluation/record-attacks/model-alone", "\n".join(words))
    assert AttackVerdict.SIGNIFICANT not in verdicts(results).values()
    guarantees = {one.attack: one.guarantee_check for one in results if one.guarantee_check is not None}
    assert all(name.startswith("membership") for name in guarantees)
    assert len(guarantees) == 2
    assert not [name for name in guarantees if name.endswith("offline")]
    assert [check.epsilon for check in guarantees.values()] == pytest.approx([0.1, 0.1], rel=1e-3)
    few, _ = record_attacks("records", own.mechanism, event, apart, arrays, **{**QUICK, "rounds": 30})
    assert all(one.guarantee_check is None for one in few)


@pytest.mark.thorough
def test_a_broken_guarantee_is_seen(apart: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Raw rows under a name that guarantees ε = 0.01."""
    raw_released(monkeypatch)
    own = usual(model="marginals", resampled=(4,), fit="dp")
    event = calibrate(own, Budget(0.01, 0.0))
    results, _ = record_attacks(
        "records",
        own.mechanism,
        event,
        apart,
        as_released(apart, own),
        **{**QUICK, "rounds": 96, "draws": 199},
    )
    checks = [one.guarantee_check for one in results if one.guarantee_check is not None]
    assert checks
    assert all(check.violated for check in checks)


def test_k_that_halves_cannot_meet_is_lowered_and_said(fewer: Any) -> None:
    """In a half no more than 12 people can be plausible: 20 is out of reach, and the tested people may be few."""
    own = usual(k=20, resampled=(3,), trials=400_000, gamma=1e9)
    event = event_of(own)
    results, words = record_attacks(
        "records", own.mechanism, event, fewer, as_released(fewer, own), **{**QUICK, "draws": 199}
    )
    (lowered,) = with_figures(words, 20, 12)
    assert "k = 12" in lowered
    assert results


def test_people_who_are_not_at_stake_are_always_in(fewer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(divisions, "_MOST_PEOPLE", 10)
    monkeypatch.setattr(names_module, "_MOST_PEOPLE", 6)
    asked: list[Any] = []
    whole = divisions._Halves.__call__

    def spied(own: Any, people: Any, random: Any) -> Any:
        asked.append((own.always_in, people, own.source_rows(people).names, own.mechanism.parameters.people))
        return whole(own, people, random)

    monkeypatch.setattr(divisions._Halves, "__call__", spied)
    own = usual()
    event, arrays = released_of(fewer, own)
    results, words = record_attacks("records", own.mechanism, event, fewer, arrays, **{**QUICK, "draws": 199})
    assert {one.people for one in results if not one.attack.startswith(("ident", "link"))} == {10}
    assert len(asked) == 40
    for others, people, given, size in asked:
        assert (len(others), len(people), size) == (14, 5, 19)
        assert given.tolist() == sorted([*others, *people])
    assert len(with_figures(words, 24)) == 1  # of so many people some are at stake
    assert len(with_figures(words, 24, 6)) == 1  # and some are known to the attacker


def test_names_are_of_recordings_that_the_attacker_does_not_have(
    fewer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}
    whole, linked = names_module.identifications, names_module.linkage

    def identified(known: Any, released: Any, **ways: Any) -> Any:
        seen.update(known=known, released=released)
        return whole(known, released, **ways)

    def linking(known: Any, *rest: Any, **ways: Any) -> Any:
        seen["linker"] = known
        return linked(known, *rest, **ways)

    monkeypatch.setattr(names_module, "identifications", identified)
    monkeypatch.setattr(names_module, "linkage", linking)
    own = usual()
    event, arrays = released_of(fewer, own)
    results, words = record_attacks("records", own.mechanism, event, fewer, arrays, **{**QUICK, "draws": 199})
    assert np.unique(seen["known"].recordings).tolist() == [0, 2]
    assert np.unique(seen["released"].recordings).tolist() == [1, 3]
    assert np.unique(seen["linker"].recordings).tolist() == [0]
    assert len(seen["released"].values) == 200
    assert len(with_figures(words, 2, 4, 200)) == 1  # recordings that the attacker has, of all; records
    assert sum(one.attack.startswith("identification") for one in results) == 4


@pytest.mark.parametrize(
    ("changed", "case"), [({"people": 3}, "three-people"), ({"recordings": 1}, "one-recording")]
)
def test_what_is_not_tried_is_said(changed: dict[str, int], case: str) -> None:
    data = people_apart(**{"people": 8, "rows": 4, **changed})
    own = parameters(attributes=binned(8, 8, 8), order=(0, 1, 2), resampled=(2,), k=1, people=data.people)
    results, words = record_attacks(
        "records", own.mechanism, event_of(own), data, as_released(data, own), **{**QUICK, "draws": 199}
    )
    assert (results == ()) == (case == "three-people")
    check_text(f"evaluation/record-attacks/{case}", "\n".join(words))
    assert not [one for one in results if one.attack.startswith(("identification", "linkage"))]


@pytest.mark.thorough
def test_records_of_labels_and_missing_values_are_attacked_too() -> None:
    data = people_apart(12, recordings=2, rows=6)
    data.values[::5, 1] = np.nan
    data.labels[::7] = -1
    own = parameters(**MISSING, k=2, order=(2, 0, 1), resampled=(1, 2))
    event, arrays = released_of(data, own)
    results, _ = record_attacks("records", own.mechanism, event, data, arrays, **{**QUICK, "draws": 199})
    names = set(verdicts(results))
    tried = {"inference of group", "inference of b", "copies, exact in bins", "linkage"}
    assert tried < names
    alone = parameters(attributes=own.attributes[2:], order=(0,), resampled=(1,), k=2)
    event, arrays = released_of(data, alone)
    results, words = record_attacks(
        "records", alone.mechanism, event, data, arrays, **{**QUICK, "draws": 199}
    )
    names = set(verdicts(results))
    assert "copies, exact in bins" in names  # not a sentence: an attack's name
    assert "copies, exact" not in names  # not a sentence: an attack's name; labels are their own bins
    assert not any(name.startswith("inference") for name in names)
    check_text("evaluation/record-attacks/labels-alone", "\n".join(words))


def test_secrets_are_guessed_from_all_else(apart: Any) -> None:
    own = usual()
    rows = real_rows(apart, own.mechanism)
    secrets = divisions._secrets(rows)
    assert [one.name for one in secrets] == ["a", "c", "recording"]
    assert [one.tolerance for one in secrets] == [pytest.approx(1 / 16), pytest.approx(2 / 16), None]
    np.testing.assert_array_equal(secrets[0].windows(rows), rows.values[:, [2, 3, 1]])
    np.testing.assert_array_equal(secrets[2].windows(rows), rows.values[:, [1, 2, 3, 0]])


def test_records_come_back_from_a_bundles_arrays(apart: Any) -> None:
    own = usual()
    rows, made = real_rows(apart, own.mechanism), released_rows(as_released(apart, own), own.mechanism)
    np.testing.assert_array_equal(made.codes, rows.codes)
    np.testing.assert_array_equal(made.values, rows.values)
    np.testing.assert_array_equal(made.recordings, rows.codes[:, 0])
    assert (made.people == NO_ONE).all()


def test_fresh_releases_that_cannot_be_made_are_said(fewer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise PlanError("too-few-records", PROBLEM, where="outputs[0]")

    monkeypatch.setattr(divisions, "owned_records", never)
    monkeypatch.setattr(releases, "owned_records", never)
    own = usual()
    results, words = record_attacks(
        "records", own.mechanism, event_of(own), fewer, as_released(fewer, own), **QUICK
    )
    assert results == ()
    assert [PROBLEM in one for one in words] == [False, True, True]
    check_text("evaluation/record-attacks/none-made", "\n".join(words))


@pytest.mark.thorough
def test_rows_whose_bins_are_published_are_copied_in_bins(
    fewer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_bins(own: Any, people: Any, _: Any) -> Any:
        return decoded_rows(own.source_rows(people).codes, own.mechanism)

    monkeypatch.setattr(divisions._Halves, "__call__", in_bins)
    own = usual()
    results, _ = record_attacks(
        "records", own.mechanism, event_of(own), fewer, as_released(fewer, own), **QUICK
    )
    by_name = {one.attack: one for one in results}
    exact, in_bins = by_name["copies, exact"], by_name["copies, exact in bins"]
    assert (exact.main.value, in_bins.main.value) == (0.0, 1.0)
    assert in_bins.verdict is AttackVerdict.SIGNIFICANT


def test_k_is_one_that_every_half_can_meet(fewer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found, used = iter(range(7, 1000)), []
    whole = divisions.owned_records

    def spied(codes: Any, people: Any, own: Any, noise: Any, *, random: Any) -> Any:
        used.append(own.parameters.k)
        return whole(codes, people, releases.with_k(own, 1), noise, random=random)

    monkeypatch.setattr(divisions, "passing_k", lambda *_, **__: 5 + abs(next(found) - 20))
    monkeypatch.setattr(divisions, "owned_records", spied)
    own = usual(k=20)
    ways = {**QUICK, "draws": 99}
    _, words = record_attacks("records", own.mechanism, event_of(own), fewer, as_released(fewer, own), **ways)
    assert used == [5] * 40
    (lowered,) = with_figures(words, 20, 5)
    assert "k = 5" in lowered


@pytest.mark.parametrize(("k", "guarantees"), [(4, 2), (12, 0)])
def test_a_guarantee_is_of_the_k_that_it_was_made_for(fewer: Any, k: int, guarantees: int) -> None:
    """Of 24 people 12 are seeds, and 6 of a half."""
    own = usual(**{key: value for key, value in TEST_2.items() if key != "k"}, k=k, resampled=(2,))
    event = calibrate(own, Budget(500.0, 1e-3))
    ways = {**QUICK, "draws": 99}
    results, _ = record_attacks("records", own.mechanism, event, fewer, as_released(fewer, own), **ways)
    assert sum(one.guarantee_check is not None for one in results) == guarantees
