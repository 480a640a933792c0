"""A release as tables: every published value of every kind of output, once, where its columns say."""

import re

import numpy as np
import pytest
from bundle_files import entry, of, written
from catalogued import numbers_in
from goldens import check_text
from layouts import GOLDEN, NAMES
from refusals import refused

from synthrelease.bundle import open_bundle
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.errors import BundleError
from synthrelease.exports.tables import tables_of
from synthrelease.privacy.guarantee import from_json
from synthrelease.report.promise_words import standing

KINDS = {"number": ("Float32", "Float64"), "integer": ("Int32", "Int64"), "string": ("String",)}


@pytest.fixture
def released(tmp_path):
    def make(name):
        bundle, whole = written(tmp_path, name)
        return {table.name: table for table in tables_of(bundle)}, whole

    return make


def assert_described(table):
    assert [column.name for column in table.columns] == table.frame.columns
    assert not table.key or table.frame.select(table.key).is_unique().all()
    for column in table.columns:
        values = table.frame[column.name]
        assert str(values.dtype) in KINDS[column.kind]
        assert column.missing or not values.null_count(), column.name
        assert column.description.endswith(".")
        if column.kind == "number":
            assert np.isfinite(values.drop_nulls().to_numpy()).all()
        if column.labels:
            assert set(values.drop_nulls()) <= set(column.labels)
        if column.lowest is not None:
            assert values.min() >= column.lowest
        if column.highest is not None:
            assert values.max() <= column.highest


@pytest.mark.parametrize("name", NAMES)
def test_every_layout_is_described_as_it_is(released, name):
    tables, whole = released(name)
    assert {table.output for table in tables.values()} == {one["name"] for one in whole.manifest["outputs"]}
    for table in tables.values():
        assert_described(table)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_bundles_of_before_have_tables(path):
    for table in tables_of(open_bundle(path, allow_test_seed=True)):
        assert_described(table)


def test_cells_of_heatmaps_are_where_they_were(released):
    tables, whole = released("maps")
    for name, label in (("still-garden", "garden"), ("still-a-b", "a/b")):
        frame = tables[name].frame
        cells = of(whole, "still", label, "heatmap")
        assert (frame["attention"].to_numpy().reshape(cells.shape) == cells).all()
        assert (frame["uncertainty"].to_numpy() == of(whole, "still", label, "uncertainty").reshape(-1)).all()
        assert (cells[frame["row"], frame["column"]] == frame["attention"].to_numpy()).all()
        assert set(frame["stimulus"]) == {label}
    first, last = frame.row(0, named=True), frame.row(-1, named=True)
    assert (first["x_px"], first["y_px"]) == pytest.approx((80 / 54 / 2, 60 / 40 / 2))
    assert (last["x_px"], last["y_px"]) == pytest.approx((80 - 80 / 54 / 2, 60 - 60 / 40 / 2))


def test_frames_of_a_dynamic_map_have_their_time(released):
    tables, whole = released("maps")
    frame = tables["moving-garden"].frame
    cells = of(whole, "moving", "garden", "heatmap")
    at = (frame["frame"], frame["row"], frame["column"])
    assert (cells[at] == frame["attention"].to_numpy()).all()
    assert frame.height == cells.size
    times = frame.select("frame", "time_from", "time_to").unique().sort("frame").rows()
    assert times == [(0, 0.0, 2.5), (1, 2.5, 5.0)]


def test_noised_pixels_are_called_what_they_count(released):
    tables, whole = released("maps")
    frame = tables["pixels-garden"].frame
    assert (
        frame["counts_per_person"].to_numpy() == of(whole, "pixels", "garden", "heatmap").reshape(-1)
    ).all()
    assert "uncertainty" not in frame.columns


def test_masses_stand_beside_their_stimuli(released):
    tables, whole = released("maps")
    for stimulus, *mass in tables["still-mass"].frame.rows():
        assert mass == of(whole, "still", stimulus, "mass").tolist()


@pytest.mark.parametrize(
    ("layout", "name"), [("series", "course"), ("series", "after"), ("series", "chunks"), ("each", "steps")]
)
def test_mean_signals_are_those_of_the_bundle(released, layout, name):
    tables, whole = released(layout)
    frame = tables[f"{name}-mean"].frame
    p = entry(whole, name)["mechanism"]["parameters"]
    assert frame.height == len(p["recordings"]) * len(p["features"]) * p["length"]
    for (recording, feature), rows in frame.group_by("recording", "feature", maintain_order=True):
        assert (rows["value"].to_numpy() == of(whole, name, recording, feature, "values")).all()
        assert (rows["uncertainty"].to_numpy() == of(whole, name, recording, feature, "uncertainty")).all()
        assert (rows["step"].to_numpy() == np.arange(p["length"])).all()


@pytest.mark.parametrize("name", ["changes", "published"])
def test_everybodys_series_are_those_of_the_bundle(released, name):
    tables, whole = released("each")
    for label, recording in (("read", "read"), ("a-b", "a/b")):
        frame = tables[f"{name}-{label}"].frame
        for (feature,), rows in frame.group_by("feature", maintain_order=True):
            values = of(whole, name, recording, feature, "values")
            at = (rows["series"].to_numpy() - 1, rows["step"].to_numpy())
            assert rows.height == values.size
            assert (values[at] == rows["value"].to_numpy()).all()


def test_what_has_no_noise_of_ours_has_no_uncertainty(released):
    tables, whole = released("each")
    assert "published-uncertainty" not in tables
    for (recording, feature), rows in tables["changes-uncertainty"].frame.group_by("recording", "feature"):
        spread = of(whole, "changes", recording, feature, "uncertainty")
        assert (rows.sort("step")["uncertainty"].to_numpy() == spread).all()


def test_shares_and_moves_are_those_of_the_bundle(released):
    tables, whole = released("areas")
    p = entry(whole, "visits")["mechanism"]["parameters"]
    areas = [area["name"] for area in p["areas"]]
    dwell, moves = tables["visits-dwell"].frame, tables["visits-transitions"].frame
    assert moves.height == len(p["stimuli"]) * len(areas) * (len(areas) - 1)
    for stimulus, area, share, uncertainty in dwell.rows():
        number = areas.index(area)
        assert share == of(whole, "visits", stimulus, "dwell", "shares")[number]
        viewers = entry(whole, "visits")["mechanism"]["public_inputs"]["viewers"]
        deviation = float(entry(whole, "visits")["noise"]["standard_deviation"])
        assert uncertainty == pytest.approx(deviation / 32768 / viewers[p["stimuli"].index(stimulus)])
    for stimulus, one, other, share in moves.rows():
        matrix = of(whole, "visits", stimulus, "transitions", "shares")
        assert share == matrix[areas.index(one), areas.index(other)]


@pytest.mark.parametrize(
    ("layout", "name"), [("statistics", "all"), ("statistics", "chosen"), ("moods", "moods")]
)
def test_statistics_are_those_of_the_bundle(released, layout, name):
    tables, whole = released(layout)
    for row in tables[f"{name}-values"].frame.iter_rows(named=True):
        place = [row[what] for what in ("group", "feature") if what in row]
        assert row["value"] == of(whole, name, row["statistic"], *place, "value")[0]
        ends = [row["interval_low"], row["interval_high"]]
        if row["statistic"].startswith("quantile"):
            assert ends == [None, None]
        else:
            assert ends == of(whole, name, row["statistic"], *place, "interval")[0].tolist()
    p = entry(whole, name)["mechanism"]["parameters"]
    single = [one for one in p["statistics"] if one != "histogram"]
    places = len(p["features"]) * len(p["groups"] or [1])
    assert tables[f"{name}-values"].frame.height == len(single) * places


@pytest.mark.parametrize(
    ("layout", "name", "counted"), [("statistics", "all", "share_of_people"), ("moods", "moods", "people")]
)
def test_histograms_are_those_of_the_bundle(released, layout, name, counted):
    tables, whole = released(layout)
    frame = tables[f"{name}-histogram"].frame
    p = entry(whole, name)["mechanism"]["parameters"]
    bounds = {one["name"]: (one["low"], one["high"]) for one in p["features"]}
    for row in frame.iter_rows(named=True):
        place = [row[what] for what in ("group", "feature") if what in row]
        low, high = bounds[row["feature"]]
        wide = (high - low) / p["bins"]
        assert row[counted] == of(whole, name, "histogram", *place, "value")[row["bin"]]
        ends = of(whole, name, "histogram", *place, "interval")[row["bin"]].tolist()
        assert [row["interval_low"], row["interval_high"]] == ends
        assert (row["bin_low"], row["bin_high"]) == pytest.approx(
            (low + row["bin"] * wide, low + (row["bin"] + 1) * wide)
        )
    assert frame.height == p["bins"] * len(p["features"]) * len(p["groups"] or [1])


@pytest.mark.parametrize(
    ("layout", "name"),
    [("records", "tree"), ("records", "kept"), ("records", "exact"), ("seeded", "randomized")],
)
def test_records_are_those_of_the_bundle(released, layout, name):
    tables, whole = released(layout)
    frame, known = tables[f"{name}-records"].frame, tables[f"{name}-categories"].frame
    for form in entry(whole, name)["mechanism"]["parameters"]["attributes"]:
        attribute, missing = form["name"], form["categories"] - 1 if form["missing"] else None
        categories = [
            None if one == missing else one for one in of(whole, name, attribute, "category").tolist()
        ]
        rows = known.filter(attribute=attribute).sort("category")
        assert rows.height == form["categories"]
        if form["labels"] is not None:
            assert frame[attribute].to_list() == [
                None if c is None else form["labels"][c] for c in categories
            ]
            assert rows["label"].to_list() == form["labels"] + [None] * form["missing"]
            continue
        values = of(whole, name, attribute, "value")
        assert frame[f"{attribute}_bin"].to_list() == categories
        assert frame[attribute].to_list() == [None if np.isnan(v) else v for v in values.tolist()]
        edges = rows.select("bin_low", "bin_high").rows()
        for category, value in zip(categories, values, strict=True):
            assert category is None or edges[category][0] <= value < edges[category][1]


def test_missing_values_of_records_are_empty(released):
    tables, _ = released("records")
    assert tables["tree-records"].frame.null_count().sum_horizontal()[0] > 0


@pytest.mark.parametrize(
    ("layout", "name"), [("records", "tree"), ("records", "kept"), ("seeded", "randomized")]
)
def test_joint_counts_are_all_there(released, layout, name):
    tables, whole = released(layout)
    counted = tables[f"{name}-counts"].frame
    for row in counted.rows():
        attributes, numbers = row[:-1:2], row[1:-1:2]
        assert row[-1] == of(whole, name, *attributes, "noised")[numbers]
    stored = [
        a
        for path, a in whole.arrays.items()
        if path.startswith(f"/outputs/{name}/") and path.endswith("noised")
    ]
    assert counted.height == sum(array.size for array in stored)


def test_exact_models_are_not_in_the_tables(released):
    tables, _ = released("records")
    assert "exact-counts" not in tables


def test_every_table_tells_its_guarantee(released):
    tables, whole = released("maps")
    for table in tables.values():
        guarantee = entry(whole, table.output)["guarantee"]
        assert f"ε = {guarantee['epsilon']:g}" in table.description
    tables, whole = released("each")
    published = tables["published-read"]
    assert published.promise == standing(entry(whole, "published"))
    assert published.description.endswith(published.promise)
    assert numbers_in(published.description) == {}


@pytest.mark.parametrize(("name", "parts"), [("maps", 3), ("each", 2), ("moods", 1)])
def test_tables_tell_the_guarantee_of_the_whole_beside_their_own(released, name, parts):
    tables, whole = released(name)
    together = str(from_json(whole.manifest["privacy"]["guarantee"]))
    covered = whole.manifest["privacy"]["composition"]["outputs"]
    assert len(covered) == parts
    for table in tables.values():
        others = [one for one in covered if one != table.output] if table.output in covered else []
        own = str(from_json(entry(whole, table.output)["guarantee"]))
        assert [one for one in covered if re.search(rf"\b{one}\b", table.promise)] == others
        assert (together in table.promise) == bool(others or own == together)


def test_repeatable_noise_is_told_in_every_table(released):
    tables, whole = released("areas")
    for table in tables.values():
        output = entry(whole, table.output)
        assert TEST_SEED_WORDS in table.description
        assert str(from_json(output["guarantee"])) in table.promise
        assert standing(output) not in table.description
    check_text("exports/promise-of-a-test-seed", table.promise)


def test_values_that_were_changed_meanwhile_are_refused(tmp_path):
    bundle, _ = written(tmp_path, "moods")
    digests = bundle.manifest["digests"]
    path = "/outputs/moods/sum/tired/left_mm/value"
    digests[path] = "0" * 64
    with refused(BundleError, "values-changed", where=path):
        list(tables_of(bundle))
