"""Records beside the truth: distances by hand, layers that are what they say, and what classifiers learn."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from goldens import check_text, figures
from invented_evaluation import manifest
from invented_records import LABELLED, TASK, Wanted, binned, coded_records, parameters, seeded, study
from pages import parsed
from records_evaluated import as_released, event_of, people_apart, released_of, usual
from refusals import bad_argument

from synthrelease.data.attribute import Attribute
from synthrelease.errors import PlanError
from synthrelease.evaluation.ground_truth.ground_truth import QUIET
from synthrelease.evaluation.ground_truth.records import RECORDS, RecordTruth
from synthrelease.evaluation.metrics.classification import CLASSIFIERS
from synthrelease.evaluation.metrics.records import associations, distances, one_each
from synthrelease.evaluation.private_page import private_page
from synthrelease.evaluation.records import prediction, releases
from synthrelease.evaluation.records.baselines import k_same, record_comparisons
from synthrelease.evaluation.records.check import record_distances
from synthrelease.evaluation.records.evaluate import evaluated_records
from synthrelease.evaluation.records.prediction import FRESH, REAL, RELEASED, record_tasks
from synthrelease.evaluation.records.rows import real_rows, released_rows
from synthrelease.evaluation.result import EvaluatedOutput, Evaluation
from synthrelease.reports.exhibits import HistogramExhibit, TableExhibit
from synthrelease.reports.histograms import histogram
from synthrelease.reports.page import _environment

if TYPE_CHECKING:
    from synthrelease.data.features import FeatureData

SIDE = ("left", "right")
TWO = (Attribute("side", 2, SIDE), Attribute("a", 3, None, 0.0, 3.0))


def ground_truth_of(data: FeatureData, own: Wanted) -> Any:
    mechanism = own.mechanism
    return RECORDS.ground_truth(mechanism, RECORDS.collector(mechanism)(data), own.people)


def by_hand(codes: list[list[int]], people: list[int]) -> RecordTruth:
    own = parameters(attributes=TWO, order=(0, 1), resampled=(1,), people=len(set(people)))
    return RecordTruth(own.parameters, np.array(codes), np.array(people))


def arrays_of(codes: list[list[int]]) -> dict[tuple[str, ...], Any]:
    side, a = np.array(codes).T
    return {("side", "category"): side, ("a", "category"): a, ("a", "value"): a + 0.5}


# The truth


def test_the_truth_is_the_same_however_people_are_divided() -> None:
    own = parameters(**TASK)
    data = study([5, 3, 8, 2], recordings=2)
    truth = pickle.loads(pickle.dumps(RECORDS.collector(own.mechanism)))  # noqa: S301  our own
    whole = RECORDS.ground_truth(own.mechanism, truth(data), 4)
    parts = []
    for people in ([2, 0], [3, 1]):
        there = np.isin(data.person, people)
        part = replace(
            data,
            people=2,
            person=np.array([people.index(p) for p in data.person[there]]),
            recording=data.recording[there],
            values=data.values[there],
            labels=data.labels[there],
        )
        parts.append(truth(part).numbered(np.array(people)))
    joined = RECORDS.ground_truth(own.mechanism, parts[1].joined(parts[0]), 4)
    np.testing.assert_array_equal(joined.people, np.repeat(np.arange(4), [5, 3, 8, 2]))
    codes, people = coded_records(data, own)
    order = np.argsort(people, kind="stable")
    for one in (whole, joined):
        np.testing.assert_array_equal(one.codes, codes[order])
        np.testing.assert_array_equal(one.people, people[order])


def test_all_attributes_are_read_together() -> None:
    (group,) = RECORDS.labels(parameters(**LABELLED).mechanism)
    assert group == (
        ("a", "category"),
        ("a", "value"),
        ("b", "category"),
        ("b", "value"),
        ("group", "category"),
    )
    assert not RECORDS.is_exact


# Distances


def test_equal_sets_are_at_no_distance() -> None:
    own = parameters(**LABELLED)
    data = study([6] * 12)
    ground_truth = ground_truth_of(data, own)
    assert ground_truth.noun == "attribute"
    assert [measure.best for measure in ground_truth.measures] == [0, 0, 0]
    items = ground_truth.of(as_released(data, own))
    assert list(items) == ["a", "b", "group"]
    np.testing.assert_allclose(np.array(list(items.values())), 0.0, atol=1e-12)


def test_every_person_counts_the_same() -> None:
    """Three rows of one person weigh as much as one of another."""
    ground_truth = by_hand([[0, 0], [0, 0], [0, 0], [1, 1]], [0, 0, 0, 1])
    assert ground_truth.of(arrays_of([[0, 0], [1, 1]])) == {"side": (0, 0, 0), "a": (0, 0, 0)}
    assert ground_truth.of(arrays_of([[0, 0], [0, 0], [0, 0], [1, 1]]))["side"][0] == pytest.approx(0.25)


def test_associations_are_those_of_people_too() -> None:
    ground_truth = by_hand([[0, 0], [0, 0], [0, 0], [0, 1], [1, 1]], [0, 0, 0, 1, 2])
    items = ground_truth.of(arrays_of([[0, 0], [0, 1], [1, 1]]))
    np.testing.assert_allclose(list(items.values()), 0.0, atol=1e-12)
    assert ground_truth.of_codes(ground_truth.codes, one_each(ground_truth.people)) == items
    assert ground_truth.of_codes(ground_truth.codes)["a"][2] > 0.05


def test_distances_by_hand() -> None:
    """Real: side and a agree. Released: a is always 0. One way ½ of a; pairs ½; V is 1 against 0."""
    ground_truth = by_hand([[0, 0], [1, 1]], [0, 1])
    items = ground_truth.of(arrays_of([[0, 0], [1, 0]]))
    assert items == {"side": (0.0, 0.5, 1.0), "a": (0.5, 0.5, 1.0)}
    items = ground_truth.of(arrays_of([[0, 0], [0, 1], [1, 0], [1, 1]]))
    assert items == {"side": (0.0, 0.5, 1.0), "a": (0.0, 0.5, 1.0)}


def test_pairs_are_those_with_the_others() -> None:
    """Of three attributes only the last is off: the first two are half as far as it, on average over two others each."""
    own = parameters(attributes=(*TWO, Attribute("b", 2, SIDE)), order=(0, 1, 2), resampled=(1,), people=4)
    real = np.array([[0, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 0]])
    ground_truth = RecordTruth(own.parameters, real, np.arange(4))
    made = real.copy()
    made[:, 2] = 1
    assert ground_truth.of_codes(made) == {
        "side": (0, pytest.approx(0.5), 0),
        "a": (0, pytest.approx(0.5), 0),
        "b": (1, pytest.approx(1.0), 0),
    }


def test_some_attributes_are_measured_by_themselves() -> None:
    """A release derives its attributes one after the other, and the counts of its model last."""
    own = parameters(**LABELLED, fit="dp")
    data = study([6] * 12)
    ground_truth = ground_truth_of(data, own)
    _, arrays = released_of(data, own)
    assert ("a", "noisy") in arrays
    whole = ground_truth.of(arrays)
    one = {labels: array for labels, array in arrays.items() if labels[0] == "group"}
    assert list(ground_truth.of(one)) == ["group"]
    assert ground_truth.of(one)["group"][0] == whole["group"][0]
    assert np.isnan(ground_truth.of(one)["group"][1:]).all()
    (made,) = ground_truth.without_data(one).values()
    assert set(made) == {("group", "category")}
    assert [exhibit.title for exhibit in ground_truth.exhibits(one, QUIET)] == ["group"]
    two = {labels: array for labels, array in arrays.items() if labels[0] != "b"}
    pair = {name: values[1] for name, values in ground_truth.of(two).items()}
    assert set(pair) == {"a", "group"}
    assert pair["a"] == pair["group"] > 0
    counts = {labels: array for labels, array in arrays.items() if labels[-1] == "noisy"}
    assert ground_truth.of(counts) == {}
    assert ground_truth.exhibits(counts, QUIET) == ()
    assert ground_truth.without_data(counts) == {how: {} for how in ground_truth.without_data(one)}


def test_one_attribute_has_no_pairs() -> None:
    own = parameters(attributes=TWO[:1], order=(0,), resampled=(1,), people=2)
    only = RecordTruth(own.parameters, np.array([[0], [1]]), np.arange(2))
    one_way, *pairs = only.of_codes(np.array([[0], [0]]))["side"]
    assert one_way == 0.5
    assert np.isnan(pairs).all()


def test_released_people_may_be_weighed_too() -> None:
    codes = np.array([[0], [0], [0], [1]])
    weights = one_each([0, 0, 0, 1])
    assert distances(codes, [[0], [1]], [2], released_weights=weights).one_way[0] == pytest.approx(0.0)
    assert distances(codes, [[0], [1]], [2]).one_way[0] == pytest.approx(0.25)
    with bad_argument(ValueError, 4, by="records"):
        distances(codes, [[0], [1]], [2], released_weights=[1.0])


def test_without_data_records_are_uniform() -> None:
    own = parameters(**LABELLED)
    data = study([6] * 12)
    ground_truth = ground_truth_of(data, own)
    _, arrays = released_of(data, own)
    long = {labels: np.resize(array, 30_000) for labels, array in arrays.items()}
    ((how, made),) = ground_truth.without_data(long).items()
    assert set(made) == set(arrays)
    for labels, array in made.items():
        assert array.dtype == arrays[labels].dtype
        assert array.shape == (30_000,)
    for attribute in own.attributes:
        shares = np.bincount(made[attribute.name, "category"], minlength=attribute.categories) / 30_000
        np.testing.assert_allclose(shares, 1 / attribute.categories, atol=0.02)
    again = ground_truth.without_data(long)[how]
    assert all((made[labels] == again[labels]).all() for labels in made)
    codes = np.stack([made[a.name, "category"] for a in own.attributes], axis=1)
    assert (associations(codes, own.categories) - np.eye(3)).max() < 0.03


# Pictures


def test_the_truth_stands_beside_the_release() -> None:
    own = parameters(attributes=(TWO[0], replace(TWO[1], categories=4, missing=True)), order=(0, 1), people=2)
    ground_truth = RecordTruth(own.parameters, np.array([[0, 0], [0, 0], [1, 2], [1, 3]]), np.arange(4))
    table, picture = ground_truth.exhibits(arrays_of([[0, 0], [0, 3], [0, 1], [1, 1]]), QUIET)
    assert isinstance(table, TableExhibit)
    assert [(name, [cell.text for cell in cells]) for name, cells in table.rows] == [
        ("left", ["75.0 %", "50.0 %"]),
        ("right", ["25.0 %", "50.0 %"]),
    ]
    assert [cell.fraction for cell in table.rows[0][1]] == pytest.approx([1.0, 2 / 3])
    assert isinstance(picture, HistogramExhibit)
    assert [bar.height for bar in picture.bars] == [60, 120, 0]
    assert picture.outline == "M0 0H106.67V120H213.33V60H320"
    assert figures(picture.note) == [25.0, 25.0]  # missing, of the released records and of the real ones
    assert 0.5 in figures(picture.alt)  # the total variation distance
    check_text("evaluation/histogram-of-an-attribute", f"[{picture.alt}]\n{picture.note}")


def test_people_count_the_same_in_pictures() -> None:
    ground_truth = by_hand([[0, 0], [0, 0], [0, 0], [1, 1]], [0, 0, 0, 1])
    table, picture = ground_truth.exhibits(arrays_of([[0, 0], [0, 1]]), QUIET)
    assert isinstance(table, TableExhibit)
    assert [cells[1].text for _, cells in table.rows] == ["50.0 %", "50.0 %"]
    assert isinstance(picture, HistogramExhibit)
    assert picture.outline == "M0 0H106.67V0H213.33V120H320"


def drawn(one: HistogramExhibit) -> str:
    return (
        _environment()
        .from_string('{% from "components.html" import exhibit %}{{ exhibit(one) }}')
        .render(one=one)
    )


def test_a_line_is_drawn_where_there_is_one() -> None:
    ways: dict[str, Any] = {"title": "t", "x": (), "x_label": "x", "y_label": "y", "alt": "a"}
    without, with_line = histogram([1, 2], **ways), histogram([1, 2], outline=[4, 0], **ways)
    assert without.outline == ""
    assert "outline" not in drawn(without)
    path = f'<path class="outline" d="{with_line.outline}"></path>'
    assert path in drawn(with_line)
    assert with_line.bars[1].height == 60  # the line is in reach too
    many = histogram(np.ones(400), outline=np.arange(400.0), **ways)
    assert many.outline.count("H") == len(many.bars) == 134
    lines = [line for line in drawn(with_line).splitlines() if "outline" not in line]
    same = replace(with_line, outline="")
    assert lines == drawn(same).splitlines()  # and nothing else changes


# What else could be had


def test_halves_of_people_who_are_alike_are_alike() -> None:
    own = parameters(**TASK, people=8)
    data = study([12] * 8, recordings=2)
    alike = replace(
        data,
        person=np.repeat(np.arange(8), 12),
        values=np.tile(data.values[:12], (8, 1)),
        recording=np.tile(data.recording[:12], 8),
    )
    same, differing = (
        record_comparisons("records", own.mechanism, one, seed=1)[0]["two halves of the participants"]
        for one in (alike, data)
    )
    np.testing.assert_allclose(same, 0.0, atol=1e-12)
    assert differing[0] > 0.1


def test_independent_marginals_keep_attributes_and_lose_pairs() -> None:
    own = parameters(rows=20_000, people=12)
    data = study([4, 30] * 6)
    made = record_comparisons("records", own.mechanism, data, seed=1)[0]["independent marginals"]
    assert made[0] < 0.02
    ground_truth = ground_truth_of(data, own)
    marginals = [
        np.bincount(ground_truth.codes[:, a], one_each(ground_truth.people), 4) / 12 for a in range(3)
    ]
    grid = np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    product = np.prod([marginals[a][grid[:, a]] for a in range(3)], axis=0)
    exact = np.mean(list(ground_truth.of_codes(grid, product).values()), axis=0)
    np.testing.assert_allclose(made, exact, atol=0.02)
    assert exact[2] > 0.1


def test_averages_of_people_are_coded_again() -> None:
    own = usual(attributes=(usual().attributes[0], *binned(8, 8), LABELLED["attributes"][2]))
    rows = real_rows(people_apart(6, recordings=4, rows=2), own.mechanism)
    codes = k_same(rows, 6, seeded(1))
    assert codes.shape == (6 * 4 * 2, 4)
    for task in range(4):
        group = rows.where(rows.codes[:, 0] == task)
        means = [group.values[i::2, 1].mean() for i in range(2)]
        np.testing.assert_array_equal(
            np.unique(codes[codes[:, 0] == task, 1]), np.unique(own.attributes[1].encoded(np.array(means)))
        )
    with bad_argument(ValueError, 7, by="k_same"):
        k_same(rows, 7, seeded(1))


def test_what_cannot_be_compared_is_said() -> None:
    own = parameters(**TASK, k=5, people=4)
    made, unlike = record_comparisons("records", own.mechanism, study([8] * 4, recordings=2), seed=1)
    assert len(made) == 2
    assert [sorted(figures(remark)) for remark in unlike] == [[4, 5]]  # people that there are, and k
    few, too_few = record_comparisons("records", own.mechanism, study([8] * 3, recordings=2), seed=1)
    assert few == {}
    assert len(too_few) == 1
    again = [
        record_comparisons("records", usual().mechanism, people_apart(rows=1), seed=seed)
        for seed in (1, 1, 2)
    ]
    assert again[0] == again[1]
    for what, values in again[0][0].items():  # halves, draws and groups are by lot
        assert values != again[2][0][what], what
    *_, averages = again[0][0]
    assert len(again[0][0]) == 3
    assert figures(averages) == [2]
    check_text("evaluation/record-comparisons", "\n".join([*again[0][0], "", *unlike, *too_few]))


# What can be learnt


def separable() -> tuple[FeatureData, Wanted]:
    """The group follows from the first feature, for everyone alike."""
    data = people_apart(12, recordings=2, rows=6)
    rng = np.random.default_rng(5)
    unit = rng.random(len(data.person))
    unit = np.where(np.abs(unit * 3 % 1 - 0.5) < 0.4, unit, 0.5)  # away from the edges of thirds
    values = data.values.copy()
    values[:, 0] = unit
    own = parameters(**LABELLED, people=12)
    return replace(data, values=values, labels=np.floor(unit * 3).astype(np.int64)[:, None]), own


def test_a_perfect_copy_teaches_what_real_rows_teach() -> None:
    data, own = separable()
    (task,), words = record_tasks(
        "records", own.mechanism, event_of(own), data, as_released(data, own), seed=1
    )
    assert task.label == "group"
    assert task.people == 12
    assert list(task.trained) == [REAL, FRESH, RELEASED]
    for name in CLASSIFIERS:
        assert task.trained[REAL][name].value > 0.93
        assert task.trained[RELEASED][name].value == pytest.approx(task.trained[REAL][name].value, abs=0.07)
    assert task.chance.value < 0.6
    assert words == ()
    table = EvaluatedOutput("table", "records", tasks=(task,))
    page = parsed(private_page(Evaluation(manifest(), (), (table,), {})))
    head, *rows = (words for words in page.texts("th") if words not in CLASSIFIERS)
    assert rows[:-1] == [REAL, FRESH, RELEASED]
    check_text(
        "evaluation/tasks/fresh-records", "\n".join([*page.texts("caption"), head, *rows, *task.remarks])
    )
    assert task.to_json()["trained"][RELEASED]["SVM"]["value"] == task.trained[RELEASED]["SVM"].value


def test_noise_teaches_nothing() -> None:
    data, own = separable()
    rng = np.random.default_rng(1)
    arrays = {labels: rng.permutation(array) for labels, array in as_released(data, own).items()}
    (task,), _ = record_tasks("records", own.mechanism, event_of(own), data, arrays, seed=1)
    for name in CLASSIFIERS:
        assert task.trained[RELEASED][name].value < 0.65
        assert task.trained[REAL][name].value > 0.93


def test_majority_is_that_of_people() -> None:
    """Nine people with a row or two each outnumber three with twelve."""
    data, own = separable()
    some = (data.person >= 9) | (np.arange(len(data.person)) % 6 == 0)
    data = replace(
        data,
        person=data.person[some],
        recording=data.recording[some],
        values=data.values[some],
        labels=np.where(data.person[some] < 9, 0, 2)[:, None],
    )
    assert (data.labels == 2).mean() > 0.6
    (task,), _ = record_tasks("records", own.mechanism, event_of(own), data, as_released(data, own), seed=1)
    assert task.chance.value == 0.75


def test_no_one_is_tested_by_what_knows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real rows and fresh records are of others; fresh records are made of them alone."""
    data, own = separable()
    data.values[:, 1] = 2.0 + data.person * 0.25  # tells the person
    fitted: list[set[float]] = []
    made: list[Any] = []
    whole, fresh = prediction.trained, releases.owned_records

    def spied(values: Any, labels: Any, **ways: Any) -> Any:
        fitted.append(set(np.unique(values[:, 1])))
        predict = whole(values, labels, **ways)
        seen = fitted[-1]

        def told(tested: Any) -> Any:
            tests.append((seen, set(np.unique(tested[:, 1]))))
            return predict(tested)

        return told

    def made_of(codes: Any, people: Any, *rest: Any, **ways: Any) -> Any:
        made.append((len(codes), len(np.unique(people)), rest[0].parameters.people))
        return fresh(codes, people, *rest, **ways)

    tests: list[tuple[set[float], set[float]]] = []
    monkeypatch.setattr(prediction, "trained", spied)
    monkeypatch.setattr(releases, "owned_records", made_of)
    record_tasks("records", own.mechanism, event_of(own), data, as_released(data, own), seed=1)
    assert len(made) == 10
    assert {people for _, people, _ in made} == {10, 11}
    assert all(people == told for _, people, told in made)
    real = [pair for pair in tests if len(pair[0]) in (10, 11)]
    assert len(real) == 40
    assert all(not seen & asked for seen, asked in real)


@pytest.mark.thorough
def test_missing_labels_are_not_asked_about() -> None:
    data, own = separable()
    group = replace(own.attributes[2], categories=4, missing=True)
    own = replace(own, attributes=(*own.attributes[:2], group))
    labels = data.labels.copy()
    labels[::3] = -1
    data = replace(data, labels=labels)
    (task,), _ = record_tasks("records", own.mechanism, event_of(own), data, as_released(data, own), seed=1)
    assert (labels >= 0).sum() in figures(task.remarks[0])
    assert task.trained[REAL]["DT"].value > 0.9
    nothing = as_released(data, own)
    nothing["group", "category"] = np.full(len(labels), 3, dtype=np.int8)
    (task,), _ = record_tasks("records", own.mechanism, event_of(own), data, nothing, seed=1)
    assert task.trained[RELEASED]["DT"].value == 0.0


@pytest.mark.thorough
def test_every_label_is_a_task() -> None:
    own = usual(attributes=(*usual().attributes[:3], LABELLED["attributes"][2]), rows=60)
    data = people_apart(8, rows=2)
    own = replace(own, people=8)
    calls: list[tuple[str, int, int]] = []
    event, arrays = released_of(data, own)
    ways: dict[str, Any] = {"seed": 2, "progress": lambda *call: calls.append(call)}
    found = record_tasks("records", own.mechanism, event, data, arrays, **ways)
    assert [task.label for task in found[0]] == ["recording", "group"]
    assert [call[1:] for call in calls] == [(1, 2), (2, 2)]
    assert len({what for what, *_ in calls}) == 1
    assert found == record_tasks("records", own.mechanism, event, data, arrays, **ways)


def test_what_cannot_be_classified_is_said() -> None:
    data = study([6] * 12)
    same = replace(data, labels=data.labels * 0)
    label_alone = {"attributes": LABELLED["attributes"][2:], "order": (0,), "resampled": (1,)}
    said = []
    for own, one in (
        (parameters(), data),
        (parameters(**label_alone), data),
        (parameters(**LABELLED), same),
    ):
        found, words = record_tasks(
            "records", own.mechanism, event_of(own), one, as_released(one, own), seed=1
        )
        assert found == ()
        said += words
    assert len(said) == 3
    assert "'group'" in said[2]
    check_text("evaluation/tasks/nothing-to-tell", "\n".join(said))


def test_fresh_records_that_cannot_be_made_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = "hardly anything passes"

    def never(*_: Any, **__: Any) -> None:
        raise PlanError("too-few-records", problem)

    monkeypatch.setattr(releases, "owned_records", never)
    data, own = separable()
    (task,), words = record_tasks(
        "records", own.mechanism, event_of(own), data, as_released(data, own), seed=1
    )
    assert list(task.trained) == [REAL, RELEASED]
    assert [problem in one for one in words] == [True]
    check_text("evaluation/tasks/no-fresh-records", "\n".join([*words, *task.remarks]))


@pytest.mark.thorough
def test_all_that_is_told_of_records() -> None:
    own = usual(rows=60)
    data = people_apart(rows=2)
    event, arrays = released_of(data, own)
    found = evaluated_records("records", own.mechanism, event, data, arrays, seed=1)
    assert [task.label for task in found.tasks] == ["recording"]
    assert len(found.compared) == 3
    assert all(len(values) == len(ground_truth_of(data, own).measures) for values in found.compared.values())
    assert len(found.attacks) == 15
    assert len(set(found.remarks)) == len(found.remarks)
    real, made = real_rows(data, own.mechanism), released_rows(arrays, own.mechanism)
    assert {*record_distances(real, made).sentences()} <= {*found.remarks}
    json.dumps([task.to_json() for task in found.tasks], allow_nan=False)
