"""Outputs as frames of pandas and datasets of xarray: the values of the bundle, with what is promised beside them."""

import subprocess
import sys

import pytest
from bundle_files import entry, of, written
from layouts import NAMES
from refusals import refused

import synthrelease
from synthrelease.bundle import Bundle
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.errors import ArgumentError, BundleError, MachineError
from synthrelease.exports.readable import ReadableBundle
from synthrelease.exports.tables import tables_of


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
            assert frame.attrs["guarantee"] == table.promise
            assert frame.attrs["guarantee"] in frame.attrs["description"]
            assert frame.attrs["units"] == {
                column.name: column.unit for column in table.columns if column.unit
            }
            assert list(frame.attrs["columns"]) == list(frame.columns)
            frame.iloc[:0].copy()  # pandas itself copies attrs


def test_one_table_is_a_frame_and_several_are_a_dict(opened):
    bundle, _ = opened("series")
    assert list(bundle.to_pandas("course").columns) == [
        "recording",
        "feature",
        "step",
        "value",
        "uncertainty",
    ]
    bundle, _ = opened("maps")
    assert list(bundle.to_pandas("still")) == ["still-garden", "still-a-b", "still-mass"]


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


def test_still_heatmaps_have_their_places(opened):
    bundle, whole = opened("maps")
    found = bundle.to_xarray("still")
    assert found["attention"].dims == ("stimulus", "y", "x")
    for label in ("garden", "a/b"):
        one = found.sel(stimulus=label)
        assert (one["attention"].to_numpy() == of(whole, "still", label, "heatmap")).all()
        assert (one["uncertainty"].to_numpy() == of(whole, "still", label, "uncertainty")).all()
        assert [float(one["mass"]), float(one["mass_error"])] == of(whole, "still", label, "mass").tolist()
    assert found["x"].attrs["units"] == found["y"].attrs["units"] == "px"
    assert found["x"].to_numpy()[[0, -1]].tolist() == pytest.approx([80 / 54 / 2, 80 - 80 / 54 / 2])
    assert found["y"].to_numpy()[[0, -1]].tolist() == pytest.approx([60 / 40 / 2, 60 - 60 / 40 / 2])


def test_places_are_those_of_the_tables(opened):
    bundle, _ = opened("maps")
    found, frame = bundle.to_xarray("pixels"), bundle.to_pandas("pixels")["pixels-garden"]
    for row in frame.sample(10, random_state=1).itertuples():
        assert float(
            found["counts_per_person"].sel(stimulus="garden", x=row.x_px, y=row.y_px)
        ) == pytest.approx(row.counts_per_person)


def test_heatmaps_over_time_have_frames(opened):
    bundle, whole = opened("maps")
    found = bundle.to_xarray("moving")
    assert found["attention"].dims == ("stimulus", "frame", "y", "x")
    assert (found["attention"].sel(stimulus="a/b").to_numpy() == of(whole, "moving", "a/b", "heatmap")).all()
    assert found["time_from"].to_numpy().tolist() == [0.0, 2.5]
    assert found["time_to"].to_numpy().tolist() == [2.5, 5.0]


@pytest.mark.parametrize(("layout", "name"), [("series", "course"), ("series", "chunks"), ("each", "steps")])
def test_mean_signals_have_their_steps(opened, layout, name):
    bundle, whole = opened(layout)
    found = bundle.to_xarray(name)
    assert found["value"].dims == found["uncertainty"].dims == ("recording", "feature", "step")
    p = entry(whole, name)["mechanism"]["parameters"]
    for recording in p["recordings"]:
        for feature in p["features"]:
            one = found.sel(recording=recording, feature=feature["name"])
            assert (one["value"].to_numpy() == of(whole, name, recording, feature["name"], "values")).all()
            assert (
                one["uncertainty"].to_numpy() == of(whole, name, recording, feature["name"], "uncertainty")
            ).all()
            assert (float(one["low"]), float(one["high"])) == (feature["low"], feature["high"])
    assert found["unit"].sel(feature="size_mm") == "mm"
    assert found["step"].to_numpy().tolist() == list(range(p["length"]))


@pytest.mark.parametrize(("name", "known"), [("changes", True), ("published", False)])
def test_everybodys_series_have_a_dimension(opened, name, known):
    bundle, whole = opened("each")
    found = bundle.to_xarray(name)
    assert found["value"].dims == ("recording", "feature", "series", "step")
    one = found["value"].sel(recording="a/b", feature="open")
    assert (one.to_numpy() == of(whole, name, "a/b", "open", "values")).all()
    assert found["series"].to_numpy()[0] == 1
    assert ("uncertainty" in found) == known


def test_datasets_say_what_is_promised(opened):
    bundle, whole = opened("maps")
    found = bundle.to_xarray("still")
    assert "ε = 2" in found.attrs["guarantee"]
    assert found["attention"].attrs["guarantee"] == found.attrs["guarantee"]
    assert found.attrs["title"] == whole.manifest["release"]["title"]
    bundle, _ = opened("areas")
    for frame in frames(bundle, "visits").values():
        assert TEST_SEED_WORDS in frame.attrs["guarantee"]


def test_other_kinds_are_no_arrays(opened):
    bundle, _ = opened("moods")
    with refused(ArgumentError, "no-dimensions", where=bundle.path) as error:
        bundle.to_xarray("moods")
    assert error.value.found == "statistics"
    assert 'bundle.to_pandas("moods")' in error.value.remedy


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
    path = "/outputs/course/read/open/values"
    bundle.manifest["digests"][path] = "0" * 64
    with refused(BundleError, "values-changed", where=path):
        getattr(bundle, way)("course")


def test_it_is_the_bundle_that_it_was(opened):
    bundle, whole = opened("moods")
    assert isinstance(bundle, ReadableBundle)
    assert isinstance(bundle, Bundle)
    assert (
        bundle["moods"]["count/calm/left_mm/value"][0]
        == of(whole, "moods", "count", "calm", "left_mm", "value")[0]
    )
    bundle.path.write_bytes(b"synthrelease bundle 1")
    with pytest.raises(BundleError):
        synthrelease.open_bundle(bundle.path)


def test_the_command_line_does_not_wait_for_libraries():
    script = "import sys, synthrelease; synthrelease.open_bundle; print('pandas' in sys.modules, 'polars' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
