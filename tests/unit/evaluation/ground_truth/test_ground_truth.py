"""The truth that releases are held against, beside what a reader of the files computes by hand."""

import csv
import math
from collections import defaultdict
from dataclasses import replace
from functools import cache

import invented_study as invented
import numpy as np
import pytest

from synthrelease.building.design import make_design
from synthrelease.evaluation.ground_truth import kind_of
from synthrelease.evaluation.ground_truth.ground_truth import QUIET
from synthrelease.numerics.blur import blurred
from synthrelease.plan.partitions import partitions_of, stamp_of
from synthrelease.plan.plan import load_plan

SCREEN = (80, 60)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Return a function that gives an output of a study, its data, and its rows as the file has them."""

    @cache
    def of(write):
        folder = tmp_path_factory.mktemp("study")
        plan = load_plan(write(folder))
        design = make_design(plan)
        found = {}
        for planned in design.outputs:
            spec = plan.inputs[planned.spec.input]
            (part,) = partitions_of(spec, design.facts[spec.name], stamp_of(spec.path))
            with spec.path.open() as file:
                found[planned.name] = planned.mechanism, part.read(), list(csv.DictReader(file))
        return found

    return lambda write, name: of(write)[name]


def capped(folder):
    return invented.write_heatmaps_study(folder, capped=True)


def general(folder):
    return invented.write_study(folder)


def ground_truth_of(output, data):
    kind = kind_of(output)
    return kind.ground_truth(output, kind.collector(output)(data), data.people)


def cell(row, rows, columns):
    x, y = float(row["x"]), float(row["y"])
    return min(int(y * rows / 60), rows - 1), min(int(x * columns / 80), columns - 1)


# --- heatmaps


def test_true_maps_are_means_of_everybodys_shares(study):
    output, data, rows = study(invented.write_heatmaps_study, "still")
    own = ground_truth_of(output, data)
    cells = output.parameters.form.cells
    for stimulus in ("garden", "a/b"):
        here = [row for row in rows if row["picture"] == stimulus]
        each = defaultdict(list)
        for row in here:
            each[row["who"]].append(cell(row, *cells))
        shares, points = np.zeros(cells), np.zeros(cells, dtype=int)
        for places in each.values():
            for place in places:
                shares[place] += 1 / len(places)
                points[place] += 1
        truth = blurred(shares / shares.mean(), blur_px=6, screen_px=SCREEN)
        np.testing.assert_allclose(own.truth(stimulus), truth, rtol=1e-9, atol=1e-9)
        correlation, similarity, divergence, _, error = own.of({(stimulus, "heatmap"): truth})[stimulus]
        assert (correlation, similarity) == (pytest.approx(1), pytest.approx(1))
        assert (divergence, error) == (pytest.approx(0, abs=1e-9), pytest.approx(0, abs=1e-9))
        normed = (truth - truth.mean()) / truth.std()
        assert own.of({(stimulus, "heatmap"): truth})[stimulus][3] == pytest.approx(
            (normed * points).sum() / points.sum()
        )


def test_true_maps_over_time_weigh_by_duration_within_the_window(study):
    output, data, rows = study(invented.write_heatmaps_study, "moving")
    own = ground_truth_of(output, data)
    frames, *cells = output.parameters.form.cells
    assert frames == 4
    for stimulus in ("garden", "a/b"):
        each = defaultdict(list)
        for row in rows:
            if row["picture"] == stimulus and 0 <= float(row["t"]) <= 5 and float(row["ms"]) > 0:
                frame = min(int(float(row["t"]) / 5 * frames), frames - 1)
                each[row["who"]].append(((frame, *cell(row, *cells)), float(row["ms"])))
        shares = np.zeros((frames, *cells))
        for places in each.values():
            whole = sum(ms for _, ms in places)
            for place, ms in places:
                shares[place] += ms / whole
        np.testing.assert_allclose(
            own.shares[output.parameters.stimuli.index(stimulus)], shares, rtol=1e-9, atol=1e-12
        )
        truth = own.truth(stimulus)
        assert truth.mean() == pytest.approx(1)  # blur keeps the sum
        assert truth.std() < (shares / shares.mean()).std()
        still = np.stack([blurred(frame, blur_px=10, screen_px=SCREEN) for frame in shares / shares.mean()])
        np.testing.assert_allclose(truth.mean(axis=0), still.mean(axis=0), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("write", "name"), [(capped, "capped"), (general, "maps")])
def test_true_gaze_maps_have_neither_cap_nor_bound(study, write, name):
    output, data, rows = study(write, name)
    own, p = ground_truth_of(output, data), output.parameters
    for stimulus in output.parameters.stimuli:
        counts = np.zeros((p.rows, p.columns))
        for row in rows:
            if row["picture"] == stimulus:
                counts[cell(row, p.rows, p.columns)] += 1
        truth = blurred(counts / p.people, blur_px=p.blur_px, screen_px=SCREEN)
        np.testing.assert_allclose(own.truth(stimulus), truth, rtol=1e-9, atol=1e-12)


def test_nothing_is_said_of_what_no_one_looked_at(study):
    output, data, _ = study(invented.write_heatmaps_study, "still")
    own = ground_truth_of(output, data)
    own.points[1] = 0
    maps = {(stimulus, "heatmap"): own.truth(stimulus) for stimulus in ("garden", "a/b")}
    assert set(own.of(maps)) == {"garden"}
    assert len(own.exhibits(maps, QUIET)) == 1


def test_without_data_there_is_a_centre_bias_and_an_even_map(study):
    output, data, _ = study(invented.write_heatmaps_study, "still")
    own = ground_truth_of(output, data)
    guesses = own.without_data({("garden", "heatmap"): own.truth("garden")}).values()
    without, centred = sorted(guesses, key=lambda maps: maps["garden", "heatmap"].std())
    even, bias = without["garden", "heatmap"], centred["garden", "heatmap"]
    assert np.unique(even).size == 1
    assert bias.mean() == pytest.approx(1, abs=0.05)
    middle = bias[bias.shape[0] // 2, bias.shape[1] // 2]
    assert middle > 2 * bias[0, 0]
    assert own.of(without)["garden"][0] == 0


# --- signals


def series_by_hand(rows, feature, length, completion="hold"):
    """Everyone's series of every recording, completed."""
    raw = defaultdict(list)
    for row in rows:
        raw[row["who"], row["task"]].append(row[feature])
    found = {}
    for key, cells in raw.items():
        values, last = [], None
        first = next((float(c) for c in cells if c), None)
        if first is None:
            continue
        for text in cells[:length]:
            last = float(text) if text else (first if last is None else last)
            values.append(last)
        fill = last if completion == "hold" else {"size_mm": 5.0, "open": 0.5}[feature]
        found[key] = np.array(values + [fill] * (length - len(values)))
    return found


@pytest.mark.parametrize("name", ["course", "levels", "after", "chunks"])
def test_true_courses_are_means_of_those_who_have_them(study, name):
    output, data, rows = study(invented.write_signals_study, name)
    own = ground_truth_of(output, data)
    for feature in ("size_mm", "open"):
        series = series_by_hand(rows, feature, 40, "centre" if name == "levels" else "hold")
        for recording in ("read", "a/b"):
            less = []
            for (who, task), values in series.items():
                if task == recording:
                    theirs = [v for (other, _), v in series.items() if other == who]
                    level = {"course": np.mean(theirs), "after": values[:4].mean()}.get(name, 0.0)
                    less.append(values - level)
            np.testing.assert_allclose(
                own.truth(recording, feature), np.mean(less, axis=0), rtol=1e-9, atol=1e-9
            )


def test_everybodys_own_series_are_compared_in_the_order_that_fits(study):
    output, data, rows = study(invented.write_signals_study, "changes")
    own = ground_truth_of(output, data)
    series = series_by_hand(rows, "open", 40)
    assert own.truth("read", "open").shape == (30, 40)
    for number, who in enumerate(data.identities):
        np.testing.assert_allclose(own.truth("read", "open")[number], series[who, "read"])
    order = np.random.default_rng(1).permutation(30)
    shuffled = {
        (recording, "open", "values"): np.nan_to_num(own.truth(recording, "open"), nan=0.5)[order]
        for recording in ("read", "a/b")
    }
    for correlation, error, normed in own.of(shuffled).values():
        assert (correlation, error, normed) == (pytest.approx(1), pytest.approx(0), pytest.approx(0))


@pytest.mark.parametrize(("level", "is_defined"), [(0.0, False), (1e-9, False), (0.01, True)])
def test_errors_are_not_divided_by_a_mean_that_is_zero(study, level, is_defined):
    """Of changes from a participant's own mean in one recording the exact mean is rounding."""
    output, data, _ = study(invented.write_signals_study, "course")
    own = ground_truth_of(output, data)
    own = replace(own, series=own.series - own.series.mean(axis=-1, keepdims=True) + level)
    steps = np.linspace(0.1, 0.3, 40)
    shifted = {
        (recording, feature, "values"): own.truth(recording, feature) + steps
        for recording in ("read", "a/b")
        for feature in ("size_mm", "open")
    }
    for correlation, error, normed in own.of(shifted).values():
        assert math.isfinite(correlation)
        assert math.isfinite(error)
        assert math.isfinite(normed) is is_defined


@pytest.mark.parametrize("name", ["course", "chunks", "changes"])
def test_who_has_no_value_of_a_feature_is_not_counted(study, name):
    """A release takes them for the centre of the bounds."""
    output, data, _ = study(invented.write_signals_study, name)
    without = data.values.copy()
    column = data.features.index("open")
    gone = (data.person < 10) & (data.recording == 0)
    without[gone, column] = np.nan
    rest = data.person >= 10
    some = replace(data, person=data.person[rest], recording=data.recording[rest], values=data.values[rest])
    own, other = (
        ground_truth_of(output, one).truth("read", "open") for one in (replace(data, values=without), some)
    )
    np.testing.assert_allclose(own, other, rtol=1e-12)


# --- areas and statistics


@pytest.mark.thorough
def test_true_shares_of_areas(study):
    output, data, _ = study(invented.write_areas_study, "dwell")
    own = ground_truth_of(output, data)
    for labels, truth in own.shares.items():
        assert truth.sum() == pytest.approx(1)
        moved = truth.copy()
        moved[0], moved[1] = moved[0] - 0.1, moved[1] + 0.1
        assert own.of({labels: moved})[f"{labels[0]}, dwell"] == (pytest.approx(0.1), pytest.approx(0.1))
    (even,) = own.without_data(dict(own.shares)).values()
    assert all(np.unique(array[array > 0]).size == 1 for array in even.values())
    assert all(array.sum() == pytest.approx(1) for array in even.values())


@pytest.mark.thorough
def test_true_shares_are_of_all_stimuli_that_someone_saw(study):
    """The release is of two stimuli of each person, the truth of all."""
    output, data, _ = study(invented.write_areas_study, "visits")
    kind = kind_of(output)
    bounded, whole = output.collect(data), kind.collector(output)(data)
    assert whole["dwell/noisy"].sum() > bounded["dwell/noisy"].sum()


def by_person(rows, feature, mood=None):
    each = defaultdict(list)
    for row in rows:
        if row[feature] and mood in (None, row["mood"]):
            each[row["who"]].append(float(row[feature]))
    return each


def test_true_statistics_are_of_peoples_means(study):
    output, data, rows = study(invented.write_statistics_study, "all")
    own = ground_truth_of(output, data)
    for feature in ("left_mm", "speed"):
        (low, high), *_ = (one.bounds for one in output.parameters.features if one.name == feature)
        each = {who: np.clip(values, low, high) for who, values in by_person(rows, feature).items()}
        means = np.array([values.mean() for values in each.values()])
        width = high - low
        assert own.values["count", feature][0] == pytest.approx(len(means))
        assert own.values["sum", feature][0] == pytest.approx(means.sum(), rel=1e-4)
        assert own.values["mean", feature][0] == pytest.approx(means.mean(), abs=1e-4 * width)
        assert own.values["variance", feature][0] == pytest.approx(means.var(), abs=1e-3 * width**2)
        assert own.values["quantile:0.5", feature][0] == pytest.approx(np.median(means), abs=0.02 * width)
        bins = [np.histogram(values, 5, (low, high))[0] / len(values) for values in each.values()]
        share = np.sum(bins, axis=0) / output.parameters.people
        np.testing.assert_allclose(own.values["histogram", feature], share, atol=1e-4)


def test_true_statistics_of_groups_are_of_all_groups_that_people_are_in(study):
    """The release counts a person in one of three moods, the truth in every one."""
    output, data, rows = study(invented.write_statistics_study, "moods")
    own = ground_truth_of(output, data)
    for mood in ("calm", "tense", "tired"):
        each = by_person(rows, "left_mm", mood)
        assert own.values["count", mood, "left_mm"][0] == pytest.approx(len(each))
        mean = np.mean([np.mean(values) for values in each.values()])
        assert own.values["mean", mood, "left_mm"][0] == pytest.approx(mean, abs=1e-3)


def by_statistic(items):
    """The scores of one feature by the statistic that an item's name begins with."""
    assert all("speed" in item for item in items)
    return {item.split(",")[0]: scores for item, scores in items.items()}


def of_one(items):
    (item,) = by_statistic(items).items()
    return item


def test_errors_of_statistics_are_parts_of_what_the_bounds_leave(study):
    output, data, _ = study(invented.write_statistics_study, "all")
    own = ground_truth_of(output, data)
    truth = own.values["mean", "speed"]
    released = {
        ("mean", "speed", "value"): truth + 1.0,
        ("mean", "speed", "interval"): np.array([truth[0] + [0.5, 2]]),
    }
    assert of_one(own.of(released)) == ("mean", (pytest.approx(0.1), 0.0))
    released["mean", "speed", "interval"] = truth[0] - np.array([[2, 0.5]])
    assert of_one(own.of(released)) == ("mean", (pytest.approx(0.1), 0.0))
    released["mean", "speed", "interval"] = np.array([truth[0] + [-0.5, 2]])
    assert of_one(own.of(released)) == ("mean", (pytest.approx(0.1), 1.0))
    released = {("quantile:0.5", "speed", "value"): own.values["quantile:0.5", "speed"]}
    statistic, (error, inside) = of_one(own.of(released))
    assert statistic == "median"
    assert error == 0
    assert math.isnan(inside)


@pytest.mark.parametrize("name", ["all", "moods"])
def test_statistics_are_a_table_with_what_is_better_without_data(study, name):
    """A release that is exact is useful, one that is off by the whole range is not; so it is for all groups together."""
    output, data, _ = study(invented.write_statistics_study, name)
    own = ground_truth_of(output, data)
    widths = {f.name: f.bounds[1] - f.bounds[0] for f in output.parameters.features}
    released = {
        (*place, "value"): truth + (2 * widths["speed"] if place[-1] == "speed" else 0.0)
        for place, truth in own.values.items()
        if place[0] == "mean"
    }
    table, *others = own.exhibits(released, None)
    assert others == []
    assert len(table.rows) == len(released)
    cells = [
        dict(zip(table.head, (heading, *(c.text for c in row)), strict=True)) for heading, row in table.rows
    ]
    assert ("group" in table.head) is (output.parameters.groups is not None)
    for (_, *group, feature, _), row in zip(released, cells, strict=True):
        assert [row[column] for column in ("group",) if group] == group
        assert row["statistic"] == "mean"
        is_off = feature == "speed"
        assert float(row["error"]) == pytest.approx(2.0 if is_off else 0.0)
        assert row["useful?"] == ("no" if is_off else "yes")
        assert 0 < float(row["no data"]) < 1  # not a sentence: the name of a column


def of_private_number(folder):
    return invented.write_statistics_study(folder, neighbours="add-remove-one")


@pytest.mark.thorough
def test_who_evaluates_knows_how_many_people_there_are(study):
    """Sums and counts are parts of what the bounds leave so many people, whether their number is public or not."""
    output, data, _ = study(of_private_number, "all")
    own, same = (
        ground_truth_of(output, data),
        ground_truth_of(*study(invented.write_statistics_study, "all")[:2]),
    )
    assert output.parameters.people is None
    released = {
        ("count", "speed", "value"): np.array([own.values["count", "speed"][0] + 6]),
        ("sum", "speed", "value"): np.array([own.values["sum", "speed"][0] + 60]),
        ("histogram", "speed", "value"): own.values["histogram", "speed"] + 6 * np.eye(5)[0],
    }
    errors = by_statistic(own.of(released))
    assert errors["count"][0] == pytest.approx(6 / data.people)
    (bounds,) = (one.bounds for one in output.parameters.features if one.name == "speed")
    assert errors["sum"][0] == pytest.approx(60 / (max(bounds) * data.people))
    assert errors["histogram"][0] == pytest.approx(3 / data.people)
    (guess, _), (other, _) = (one.without_data(released).values() for one in (own, same))
    assert guess["count", "speed", "value"] == data.people
    assert guess["sum", "speed", "value"] == other["sum", "speed", "value"]


def test_maps_of_a_private_number_of_people_are_sums(study):
    def private(folder):
        plan = capped(folder)
        plan.write_text(
            plan.read_text().replace("delta = 1e-4", 'delta = 1e-4\nneighbours = "add-remove-one"')
        )
        return plan

    units = []
    for write in (private, capped):
        output, data, _ = study(write, "capped")
        own = ground_truth_of(output, data)
        told = {(stimulus, "heatmap"): own.truth(stimulus) for stimulus in output.parameters.stimuli}
        units.append({each.legend.quantity for each in own.exhibits(told, QUIET)})
    assert units[0] == {"counts"}
    assert not units[0] & units[1]
