"""Outputs as frames of pandas and datasets of xarray: the values of the bundle, with what is guaranteed beside them."""

import subprocess
import sys
from urllib.parse import unquote

import numpy as np
import pytest
from bundle_files import entry, of, written
from layouts import NAMES, STUDIES
from refusals import refused

import synthrelease
from synthrelease.bundle import Bundle
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.errors import BundleError, MachineError
from synthrelease.exports.readable import ReadableBundle
from synthrelease.exports.tables import tables_of
from synthrelease.kinds.dataset import Role


@pytest.fixture
def opened(tmp_path):
    def make(name):
        bundle, whole = written(tmp_path, name)
        return synthrelease.open_bundle(bundle.path, allow_test_seed=True), whole

    return make


def frames(bundle, name):
    found = bundle.to_pandas(name)
    return found if isinstance(found, dict) else {None: found}


@pytest.mark.parametrize("layout", NAMES)
def test_frames_hold_what_the_tables_hold(opened, layout):
    import pandas as pd

    bundle, _ = opened(layout)
    tables = list(tables_of(bundle))
    for name in bundle.names:
        found, own = frames(bundle, name), [table for table in tables if table.output == name]
        assert list(found) == ([None] if len(own) == 1 else [table.name for table in own])
        for frame, table in zip(found.values(), own, strict=True):
            assert list(frame.columns) == table.frame.columns
            for column in table.columns:
                values = [None if pd.isna(one) else one for one in frame[column.name].tolist()]
                assert values == table.frame[column.name].to_list(), column.name
                if column.labels:
                    assert list(frame[column.name].cat.categories) == list(column.labels)
                if column.kind == "integer":
                    assert pd.api.types.is_integer_dtype(frame[column.name])
            assert frame.attrs["guarantee"] == table.guarantee
            assert frame.attrs["guarantee"] in frame.attrs["description"]
            assert frame.attrs["units"] == {
                column.name: column.unit for column in table.columns if column.unit
            }
            assert list(frame.attrs["columns"]) == list(frame.columns)
            frame.iloc[:0].copy()  # pandas itself copies attrs


def test_one_table_is_a_frame_and_several_are_a_dict(opened):
    bundle, _ = opened("series")
    assert list(bundle.to_pandas("chunks").columns) == [
        "recording",
        "feature",
        "step",
        "values",
        "uncertainty",
    ]
    bundle, _ = opened("maps")
    assert list(bundle.to_pandas("still")) == ["still-normalization", "still-heatmap"]


@pytest.mark.thorough
def test_frames_need_no_pyarrow(opened):
    bundle, _ = opened("records")
    script = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import synthrelease\n"
        "frames = synthrelease.open_bundle(sys.argv[1]).to_pandas('tree')\n"
        "print(frames['tree-records']['mood'].isna().sum(), len(frames))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(bundle.path)], capture_output=True, text=True, check=True
    )
    missing = bundle.to_pandas("tree")["tree-records"]["mood"].isna().sum()
    assert done.stdout.split() == [str(missing), "3"]


@pytest.mark.parametrize("layout", STUDIES)
def test_arrays_have_the_axes_and_values_of_the_datasets(opened, layout):
    bundle, whole = opened(layout)
    for output in whole.manifest["outputs"]:
        found = bundle.to_xarray(output["name"])
        for dataset in StoredOutput(output).datasets:
            name = unquote(dataset.path).replace("/", "_")
            if name not in found:  # something follows from it
                assert dataset.role in (Role.NOISY, Role.CHOICE)
                continue
            one = found[name]
            assert one.dims == tuple(axis.name for axis in dataset.axes)
            assert one.attrs["long_name"] == dataset.quantity
            assert one.attrs.get("units", "") == dataset.unit
            values = of(whole, output["name"], dataset.path)
            if dataset.codes is not None and not isinstance(dataset.codes.coordinates, np.ndarray):
                values = np.array(dataset.codes.coordinates, dtype=object)[values]
                assert one.to_numpy().tolist() == values.tolist()
            else:
                assert np.array_equal(one.to_numpy(), values, equal_nan=True)


def test_still_heatmaps_have_their_places(opened):
    bundle, whole = opened("maps")
    found = bundle.to_xarray("still")
    assert found["heatmap"].dims == ("stimulus", "y_px", "x_px")
    for label in ("garden", "a/b"):
        one = found.sel(stimulus=label)
        for name in ("heatmap", "uncertainty", "normalization"):
            assert (one[name].to_numpy() == of(whole, "still", name, label)).all()
    assert found["moment"].to_numpy().tolist() == ["mean", "standard_deviation"]
    assert found["x_px"].attrs["units"] == found["y_px"].attrs["units"] == "px"
    assert found["x_px"].to_numpy()[[0, -1]].tolist() == pytest.approx([80 / 54 / 2, 80 - 80 / 54 / 2])
    assert found["y_px"].to_numpy()[[0, -1]].tolist() == pytest.approx([60 / 40 / 2, 60 - 60 / 40 / 2])


def test_places_are_those_of_the_tables(opened):
    bundle, _ = opened("maps")
    found, frame = bundle.to_xarray("pixels"), bundle.to_pandas("pixels")
    for row in frame.sample(10, random_state=1).itertuples():
        place = {"stimulus": row.stimulus, "x_px": row.x_px, "y_px": row.y_px}
        assert float(found["heatmap"].sel(place)) == pytest.approx(row.heatmap)


def test_heatmaps_over_time_have_frames(opened):
    bundle, whole = opened("maps")
    found = bundle.to_xarray("moving")
    assert found["heatmap"].dims == ("stimulus", "time", "y_px", "x_px")
    assert (found["heatmap"].sel(stimulus="a/b").to_numpy() == of(whole, "moving", "heatmap", "a/b")).all()
    assert found["time"].to_numpy().tolist() == [1.25, 3.75]


@pytest.mark.parametrize(("layout", "name"), [("series", "course"), ("series", "chunks"), ("each", "steps")])
def test_mean_signals_have_their_steps(opened, layout, name):
    bundle, whole = opened(layout)
    found = bundle.to_xarray(name)
    assert found["values"].dims == found["uncertainty"].dims == ("recording", "feature", "step")
    p = entry(whole, name)["mechanism"]["parameters"]
    for recording in p["recordings"]:
        for feature in p["features"]:
            one = found.sel(recording=recording, feature=feature["name"])
            for column in ("values", "uncertainty"):
                assert (one[column].to_numpy() == of(whole, name, column, recording, feature["name"])).all()
            assert (float(one["low"]), float(one["high"])) == (feature["low"], feature["high"])
    assert found["unit"].sel(feature="size_mm") == "mm"
    assert found["step"].to_numpy().tolist() == list(range(p["length"]))
    assert found["step"].attrs["units"] == "steps"


def test_everybodys_series_have_a_dimension(opened):
    bundle, whole = opened("each")
    found = bundle.to_xarray("changes")
    assert found["values"].dims == ("recording", "feature", "series", "step")
    one = found["values"].sel(recording="a/b", feature="open")
    assert (one.to_numpy() == of(whole, "changes", "values", "a/b", "open")).all()
    assert found["series"].to_numpy()[0] == 1
    assert "uncertainty" in found


def test_statistics_and_shares_have_their_labels(opened):
    bundle, whole = opened("moods")
    found = bundle.to_xarray("moods")
    assert found["histogram_interval"].dims == ("group", "feature", "bin", "bound")
    upper = found["mean_interval"].sel(group="tired", feature="left_mm", bound="upper")
    assert float(upper) == of(whole, "moods", "mean/interval", "tired", "left_mm", "upper")
    bundle, whole = opened("areas")
    found = bundle.to_xarray("visits")
    assert found["transitions_shares"].dims == ("stimulus", "from_area", "to_area")
    share = found["dwell_shares"].sel(stimulus="coast", area="elsewhere")
    assert float(share) == of(whole, "visits", "dwell/shares", "coast", "elsewhere")


def test_records_have_their_labels(opened):
    bundle, whole = opened("records")
    found = bundle.to_xarray("tree")
    assert found["category_mood"].dims == found["value_left_mm"].dims == ("record",)
    assert set(found["category_mood"].to_numpy()) <= {"calm", "tense", "tired", "missing"}
    counts = found["noisy_recording_left_mm_mood"]
    assert counts.dims == ("recording", "left_mm", "mood")
    cells = of(whole, "tree", "noisy/recording/left_mm/mood", "search")[:, 1]
    assert (counts.sel(recording="search", mood="tense").to_numpy() == cells).all()


def test_datasets_say_what_is_guaranteed(opened):
    bundle, whole = opened("maps")
    found = bundle.to_xarray("still")
    assert "ε = 2" in found.attrs["guarantee"]
    assert found["heatmap"].attrs["guarantee"] == found.attrs["guarantee"]
    assert found.attrs["title"] == whole.manifest["release"]["title"]
    bundle, _ = opened("areas")
    for frame in frames(bundle, "visits").values():
        assert TEST_SEED_WORDS in frame.attrs["guarantee"]


@pytest.mark.parametrize("way", ["to_pandas", "to_xarray"])
def test_what_is_not_there_is_a_key_error(opened, way):
    bundle, _ = opened("moods")
    with pytest.raises(KeyError, match="nothing"):
        getattr(bundle, way)("nothing")


@pytest.mark.parametrize("library", ["pandas", "xarray"])
def test_without_the_extra_the_remedy_is_its_installation(opened, library, monkeypatch):
    bundle, _ = opened("series")
    monkeypatch.setitem(sys.modules, library, None)
    with refused(MachineError, "extra-missing") as error:
        getattr(bundle, f"to_{library}")("course")
    assert f"'synthrelease[{library}]'" in error.value.remedy


@pytest.mark.parametrize("way", ["to_pandas", "to_xarray"])
def test_values_that_were_changed_meanwhile_are_refused(opened, way):
    bundle, _ = opened("series")
    path = "/outputs/course/values"
    bundle.manifest["digests"][path] = "0" * 64
    with refused(BundleError, "values-changed", where=path):
        getattr(bundle, way)("course")


def test_it_is_the_bundle_that_it_was(opened):
    bundle, whole = opened("moods")
    assert isinstance(bundle, ReadableBundle)
    assert isinstance(bundle, Bundle)
    assert (bundle["moods"]["count/value"] == of(whole, "moods", "count/value")).all()
    bundle.path.write_bytes(b"synthrelease bundle 1")
    with pytest.raises(BundleError):
        synthrelease.open_bundle(bundle.path)


def test_the_command_line_does_not_wait_for_libraries():
    script = "import sys, synthrelease; synthrelease.open_bundle; print('pandas' in sys.modules, 'polars' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


AWKWARD = """
release = { name = "awkward", version = "1.0.0", title = "Names that are alike once they are written as one" }
privacy = { epsilon = 4.0 }
[inputs.rows]
kind = "features"
path = "rows.csv"
columns = { person = "who" }
bounds = { "a/b" = [0, 10], a_b = [0, 10], record = [0, 10] }
[[outputs]]
name = "table"
kind = "records"
input = "rows"
model = "marginals"
fit = "dp"
bins = 4
rows = 30
"""


def test_no_two_arrays_or_axes_have_one_name(tmp_path):
    """Attributes `a/b` and `a_b`, and one that is called as the axis of records is."""
    rows = [f"p{number},{number % 10},{9 - number % 10},{number % 7}" for number in range(40)]
    (tmp_path / "rows.csv").write_text("\n".join(["who,a/b,a_b,record", *rows]))
    (tmp_path / "plan.toml").write_text(AWKWARD)
    bundle = synthrelease.open_bundle(synthrelease.build(tmp_path / "plan.toml", tmp_path / "r.h5").path)
    found = bundle.to_xarray("table")
    for path, name in (("a%2Fb", "category_a_b"), ("a_b", "category_a_b_"), ("record", "category_record")):
        assert found[name].dims == ("record",)
        assert np.array_equal(found[name], bundle["table"][f"category/{path}"])
    counts = {name: found[name].dims for name in found if name.startswith("noisy")}
    assert len(set(counts.values())) == 3
    assert "record_" in {axis for axes in counts.values() for axis in axes}
