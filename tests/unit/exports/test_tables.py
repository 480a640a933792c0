"""A release as tables: every published value of every kind of output, once, where its columns say."""

import re

import numpy as np
import polars as pl
import pytest
from bundle_files import entry, of, written
from goldens import check_text
from layouts import GOLDEN, NAMES
from refusals import refused

from synthrelease.bundle import open_bundle
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.dp.guarantee import from_json
from synthrelease.errors import BundleError
from synthrelease.exports.table import free_name, label_series
from synthrelease.exports.tables import tables_of
from synthrelease.files.labels import quoted
from synthrelease.kinds.dataset import Role
from synthrelease.numerics.derived import ShareShrinkage
from synthrelease.reports.guarantee_words import output_guarantee_words

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
    frame = tables["still-heatmap"].frame
    for name in ("heatmap", "uncertainty"):
        cells = of(whole, "still", name)
        assert (frame[name].to_numpy().reshape(cells.shape) == cells).all()
    for (label,), rows in frame.group_by("stimulus", maintain_order=True):
        assert (rows["heatmap"].to_numpy() == of(whole, "still", "heatmap", label).reshape(-1)).all()
        first, last = rows.row(0, named=True), rows.row(-1, named=True)
        assert (first["x_px"], first["y_px"]) == pytest.approx((80 / 54 / 2, 60 / 40 / 2))
        assert (last["x_px"], last["y_px"]) == pytest.approx((80 - 80 / 54 / 2, 60 - 60 / 40 / 2))
        assert rows["x_px"].to_list()[:2] == pytest.approx([80 / 54 / 2, 80 / 54 * 3 / 2])
    assert frame["stimulus"].unique(maintain_order=True).to_list() == ["garden", "a/b"]


def test_frames_of_a_dynamic_map_have_their_time(released):
    tables, whole = released("maps")
    frame = tables["moving-heatmap"].frame
    cells = of(whole, "moving", "heatmap")
    assert (frame["heatmap"].to_numpy().reshape(cells.shape) == cells).all()
    for number, middle in enumerate([1.25, 3.75]):
        rows = frame.filter(stimulus="a/b", time=middle)
        assert (rows["heatmap"].to_numpy() == of(whole, "moving", "heatmap", "a/b")[number].reshape(-1)).all()
    assert frame["time"].unique().sort().to_list() == [1.25, 3.75]


def test_noisy_pixels_are_called_what_they_count(released):
    tables, whole = released("maps")
    table = tables["pixels-heatmap"]
    assert (table.frame["heatmap"].to_numpy() == of(whole, "pixels", "heatmap").reshape(-1)).all()
    assert "uncertainty" not in table.frame.columns
    described = {column.name: column.description for column in table.columns}
    assert described["heatmap"] != {c.name: c.description for c in tables["still-heatmap"].columns}["heatmap"]


def test_normalizations_stand_beside_their_stimuli(released):
    tables, whole = released("maps")
    table = tables["still-normalization"]
    for stimulus, *normalization in table.frame.rows():
        assert normalization == of(whole, "still", "normalization", stimulus).tolist()
    assert table.key == ("stimulus",)
    assert [column.unit for column in table.columns] == ["", "people", "people"]


@pytest.mark.parametrize(
    ("layout", "name"), [("series", "course"), ("series", "after"), ("series", "chunks"), ("each", "steps")]
)
def test_mean_signals_are_those_of_the_bundle(released, layout, name):
    tables, whole = released(layout)
    frame = tables[f"{name}-values"].frame
    p = entry(whole, name)["mechanism"]["parameters"]
    assert frame.height == len(p["recordings"]) * len(p["features"]) * p["length"]
    for place, rows in frame.group_by("recording", "feature", maintain_order=True):
        for column in ("values", "uncertainty"):
            assert (rows[column].to_numpy() == of(whole, name, column, *place)).all()
        assert (rows["step"].to_numpy() == np.arange(p["length"])).all()


def test_everybodys_series_are_those_of_the_bundle(released):
    tables, whole = released("each")
    frame = tables["changes-values"].frame
    assert frame.height == of(whole, "changes", "values").size
    for place, rows in frame.group_by("recording", "feature", maintain_order=True):
        values = of(whole, "changes", "values", *place)
        at = (rows["series"].to_numpy() - 1, rows["step"].to_numpy())
        assert rows.height == values.size
        assert (values[at] == rows["values"].to_numpy()).all()


def test_items_of_many_values_have_a_table_each(released, monkeypatch):
    monkeypatch.setattr("synthrelease.exports.value_tables._LARGE_ITEM", 100)
    tables, whole = released("each")
    for label, recording in (("read", "read"), ("a-b", "a/b")):
        table = tables[f"changes-{label}"]
        assert_described(table)
        assert table.frame["recording"].unique().to_list() == [recording]
        values = of(whole, "changes", "values", recording)
        assert (table.frame["values"].to_numpy() == values.reshape(-1)).all()


def test_everybodys_series_have_the_uncertainty_of_the_bundle(released):
    tables, whole = released("each")
    frame = tables["changes-values"].frame
    for place, rows in frame.group_by("recording", "feature", "series"):
        expected = of(whole, "changes", "uncertainty", *place[:2])
        assert (rows.sort("step")["uncertainty"].to_numpy() == expected).all()


def test_shares_and_moves_are_those_of_the_bundle(released):
    tables, whole = released("areas")
    p = entry(whole, "visits")["mechanism"]["parameters"]
    areas = [area["name"] for area in p["areas"]]
    dwell, moves = tables["visits-dwell"].frame, tables["visits-transitions"].frame
    assert moves.height == len(p["stimuli"]) * len(areas) ** 2
    viewers = entry(whole, "visits")["mechanism"]["public_inputs"]["viewers"]
    deviation = float(entry(whole, "visits")["noise"]["standard_deviation"])
    for stimulus, area, share, uncertainty in dwell.rows():
        assert share == of(whole, "visits", "dwell/shares", stimulus, area)
        assert uncertainty == of(whole, "visits", "dwell/uncertainty", stimulus)
        noise = deviation / 32768 / viewers[p["stimuli"].index(stimulus)]
        number = sum(one["stimuli"] is None or stimulus in one["stimuli"] for one in p["areas"])
        expected = ShareShrinkage(np.ones(number, dtype=np.bool_), noise).error
        assert uncertainty == pytest.approx(expected, rel=1e-6)
    for stimulus, left, reached, share in moves.rows():
        assert share == of(whole, "visits", "transitions/shares", stimulus, left, reached)
        assert left != reached or share == 0


@pytest.mark.parametrize(
    ("layout", "name"), [("statistics", "all"), ("statistics", "chosen"), ("moods", "moods")]
)
def test_statistics_are_those_of_the_bundle(released, layout, name):
    tables, whole = released(layout)
    for row in tables[f"{name}-values"].frame.iter_rows(named=True):
        place = [row[axis] for axis in ("group", "feature") if axis in row]
        path = quoted(row["statistic"])
        assert row["value"] == of(whole, name, f"{path}/value", *place)
        ends = [row.get("interval_lower"), row.get("interval_upper")]
        counted = "count" in entry(whole, name)["mechanism"]["parameters"]["statistics"]
        if row["statistic"].startswith("quantile") and "group" in row and not counted:
            assert ends == [None, None]
        else:
            assert ends == of(whole, name, f"{path}/interval", *place).tolist()
    p = entry(whole, name)["mechanism"]["parameters"]
    single = [one for one in p["statistics"] if one != "histogram"]
    places = len(p["features"]) * len(p["groups"] or [1])
    assert tables[f"{name}-values"].frame.height == len(single) * places


@pytest.mark.parametrize(("layout", "name"), [("statistics", "all"), ("moods", "moods")])
def test_histograms_are_those_of_the_bundle(released, layout, name):
    tables, whole = released(layout)
    frame = tables[f"{name}-histogram"].frame
    p = entry(whole, name)["mechanism"]["parameters"]
    bounds = {one["name"]: (one["low"], one["high"]) for one in p["features"]}
    for row in frame.iter_rows(named=True):
        place = [row[axis] for axis in ("group", "feature", "bin") if axis in row]
        low, high = bounds[row["feature"]]
        wide = (high - low) / p["bins"]
        assert row["value"] == of(whole, name, "histogram/value", *place)
        ends = of(whole, name, "histogram/interval", *place).tolist()
        assert [row["interval_lower"], row["interval_upper"]] == ends
        assert (row["edge_lower"], row["edge_upper"]) == pytest.approx(
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
        attribute = form["name"]
        categories = of(whole, name, f"category/{quoted(attribute)}").tolist()
        rows = known.filter(attribute=attribute).sort("category")
        assert rows["category"].to_list() == list(range(form["categories"]))
        if form["labels"] is not None:
            assert rows["label"].to_list() == form["labels"] + ["missing"] * form["missing"]
            assert frame[attribute].to_list() == [rows["label"][category] for category in categories]
            continue
        values = of(whole, name, f"value/{quoted(attribute)}")
        assert frame[f"{attribute}_bin"].to_list() == categories
        assert frame[attribute].to_list() == [None if np.isnan(v) else v for v in values.tolist()]
        middles = rows["middle"].to_list()
        assert (middles[-1] is None) == form["missing"]
        half = (middles[1] - middles[0]) / 2
        for category, value in zip(categories, values, strict=True):
            middle = middles[category]
            assert (middle is None) == bool(np.isnan(value))
            assert middle is None or middle - half <= value < middle + half


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
        assert row[-1] == of(whole, name, "/".join(["noisy", *map(quoted, attributes)]))[numbers]
    stored = [a for path, a in whole.arrays.items() if path.startswith(f"/outputs/{name}/noisy/")]
    assert counted.height == sum(array.size for array in stored)


@pytest.mark.parametrize(("layout", "name"), [("statistics", "all"), ("moods", "moods")])
def test_a_column_of_several_statistics_is_described_by_all_of_them(released, layout, name):
    tables, whole = released(layout)
    table = tables[f"{name}-values"]
    (column,) = (one for one in table.columns if one.name == "value")
    quantities = {
        dataset.quantity
        for dataset in StoredOutput(entry(whole, name)).datasets
        if dataset.role is Role.ESTIMATE and not dataset.path.startswith("histogram")
    }
    assert len(quantities) > 1
    assert all(quantity.lower() in column.description.lower() for quantity in quantities)


def test_columns_of_one_dataset_are_told_apart_by_their_descriptions(released):
    tables, _ = released("maps")
    described = [one.description for one in tables["still-normalization"].columns]
    assert len(set(described)) == len(described)


def test_exact_models_are_not_in_the_tables(released):
    tables, _ = released("records")
    assert "exact-counts" not in tables


def test_every_table_tells_its_guarantee(released):
    tables, whole = released("maps")
    for table in tables.values():
        guarantee = entry(whole, table.output)["guarantee"]
        assert f"ε = {guarantee['epsilon']:g}" in table.description
    tables, whole = released("records")
    kept = tables["kept-records"]
    assert kept.guarantee.endswith(output_guarantee_words(entry(whole, "kept")))
    assert kept.description.endswith(kept.guarantee)
    assert "ε = " not in kept.description


@pytest.mark.parametrize(("name", "parts"), [("maps", 3), ("each", 2), ("moods", 1)])
def test_tables_tell_the_guarantee_of_the_whole_beside_their_own(released, name, parts):
    tables, whole = released(name)
    together = str(from_json(whole.manifest["privacy"]["guarantee"]))
    covered = whole.manifest["privacy"]["composition"]["outputs"]
    assert len(covered) == parts
    for table in tables.values():
        others = [one for one in covered if one != table.output] if table.output in covered else []
        own = str(from_json(entry(whole, table.output)["guarantee"]))
        assert [one for one in covered if re.search(rf"\b{one}\b", table.guarantee)] == others
        assert (together in table.guarantee) == bool(others or own == together)


def test_repeatable_noise_is_told_in_every_table(released):
    tables, whole = released("areas")
    for table in tables.values():
        output = entry(whole, table.output)
        assert TEST_SEED_WORDS in table.description
        assert str(from_json(output["guarantee"])) in table.guarantee
        assert output_guarantee_words(output) not in table.description
    check_text("exports/guarantee-of-a-test-seed", table.guarantee)


def test_values_that_were_changed_meanwhile_are_refused(tmp_path):
    bundle, _ = written(tmp_path, "moods")
    digests = bundle.manifest["digests"]
    path = "/outputs/moods/sum/value"
    digests[path] = "0" * 64
    with refused(BundleError, "values-changed", where=path):
        list(tables_of(bundle))


def test_a_column_beside_another_takes_no_others_name():
    assert free_name("size_bin", ["size"]) == "size_bin"
    assert free_name("size_bin", ["size", "size_bin", "size_bin_"]) == "size_bin__"


def test_labels_are_spread_by_their_numbers():
    assert label_series(["x", "y"], pl.Series([1, 0, None, 1])).to_list() == ["y", "x", None, "y"]
