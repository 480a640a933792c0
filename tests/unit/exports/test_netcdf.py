"""Programs that know nothing of bundles find named axes, with units and labels: xarray by two libraries, and h5py's `dims`."""

import h5py
import numpy as np
import pytest
import xarray
from bundle_files import written
from layouts import STUDIES

from synthrelease.bundle.items import StoredOutput

ENGINES = {"h5netcdf": {"phony_dims": "sort"}, "netcdf4": {}}  # the manifest has an axis without a name

engines = pytest.mark.parametrize("engine", ENGINES)
layouts = pytest.mark.parametrize("layout", STUDIES)


@pytest.fixture
def opened(tmp_path):
    trees = []

    def make(layout, engine):
        bundle, whole = written(tmp_path, layout)
        trees.append(xarray.open_datatree(bundle.path, engine=engine, **ENGINES[engine]))
        return trees[-1]["outputs"], whole

    yield make
    for tree in trees:
        tree.close()


def texts(labels):
    """Labels as text: h5netcdf leaves them as the bytes that they are stored as."""
    return [one.decode("utf-8") if isinstance(one, bytes) else str(one) for one in labels]


def datasets_of(whole):
    for output in whole.manifest["outputs"]:
        for dataset in StoredOutput(output).datasets:
            yield output["name"], dataset


def same_coordinates(coordinates, axis):
    if axis.values.dtype.kind == "S":
        return texts(coordinates) == list(axis.coordinates)
    return np.array_equal(coordinates, axis.values, equal_nan=True)


@engines
@layouts
def test_every_dataset_has_its_axes(opened, layout, engine):
    outputs, whole = opened(layout, engine)
    for output, dataset in datasets_of(whole):
        array = outputs[f"{output}/{dataset.path}"]
        assert array.dims == tuple(axis.place.split("/")[-1] for axis in dataset.axes)
        for dimension, axis in zip(array.dims, dataset.axes, strict=True):
            assert same_coordinates(array[dimension].to_numpy(), axis)
            assert array[dimension].attrs == ({"units": axis.unit} if axis.unit else {})
        units = {"units": dataset.unit} if dataset.unit else {}
        assert array.attrs == {"role": str(dataset.role), "long_name": dataset.quantity, **units}
        values = whole.arrays[f"/outputs/{output}/{dataset.path}"]
        assert np.array_equal(array.to_numpy(), values, equal_nan=values.dtype.kind == "f")


@layouts
def test_h5py_has_the_axes_of_every_dataset(layout, tmp_path):
    bundle, whole = written(tmp_path, layout)
    with h5py.File(bundle.path) as file:
        for output, dataset in datasets_of(whole):
            stored = file[f"/outputs/{output}/{dataset.path}"]
            assert len(stored.dims) == len(dataset.axes)
            for dimension, axis in zip(stored.dims, dataset.axes, strict=True):
                assert dimension.keys() == [axis.name]
                assert dimension[0] == file[f"/outputs/{output}/{axis.place}"]
                assert dimension[0].is_scale
                assert same_coordinates(dimension[0][()], axis)
                assert dimension[0].attrs.get("units", b"").decode() == axis.unit
            assert stored.attrs["role"].decode() == dataset.role
            assert stored.attrs.get("units", b"").decode() == dataset.unit


@engines
def test_a_heatmap_is_found_by_stimulus_and_pixel(opened, engine):
    outputs, _ = opened("maps", engine)
    still, moving = outputs["still"], outputs["moving"]
    assert still["heatmap"].dims == ("stimulus", "y_px", "x_px")
    assert moving["heatmap"].dims == ("stimulus", "time", "y_px", "x_px")
    assert texts(still["stimulus"].to_numpy()) == ["garden", "a/b"]
    assert moving["time"].to_numpy().tolist() == [1.25, 3.75]
    assert still["x_px"].attrs["units"] == still["y_px"].attrs["units"] == "px"
    assert still["x_px"].to_numpy()[[0, -1]].tolist() == pytest.approx([80 / 54 / 2, 80 - 80 / 54 / 2])
    one = still["heatmap"].sel(x_px=40, y_px=30, method="nearest")
    assert abs(float(one["x_px"]) - 40) <= 80 / 54 / 2
    assert still["normalization"].attrs["units"] == "people"


@engines
def test_a_signal_is_found_by_recording_feature_and_step(opened, engine):
    outputs, _ = opened("series", engine)
    values = outputs["course/values"]
    assert values.dims == ("recording", "feature", "step")
    assert texts(values["recording"].to_numpy()) == ["read", "a/b"]
    assert texts(values["feature"].to_numpy()) == ["size_mm", "open"]
    assert values["step"].to_numpy().tolist() == list(range(24))
    assert values["step"].attrs["units"] == "steps"


@engines
def test_a_share_is_found_by_stimulus_and_area(opened, engine):
    outputs, _ = opened("areas", engine)
    dwell, moves = outputs["visits/dwell/shares"], outputs["visits/transitions/shares"]
    assert dwell.dims == ("stimulus", "area")
    assert moves.dims == ("stimulus", "from_area", "to_area")
    for areas in (dwell["area"], moves["from_area"], moves["to_area"]):
        assert texts(areas.to_numpy())[-1] == "elsewhere"


@engines
def test_a_statistic_is_found_by_group_and_feature(opened, engine):
    outputs, _ = opened("moods", engine)
    mean, histogram = outputs["moods/mean/value"], outputs["moods/histogram/interval"]
    assert mean.dims == ("group", "feature")
    assert histogram.dims == ("group", "feature", "bin", "bound")
    assert texts(histogram["bound"].to_numpy()) == ["lower", "upper"]
    assert texts(mean["group"].to_numpy()) == ["calm", "tense", "tired"]


@engines
def test_noisy_counts_of_records_are_found_by_their_bins(opened, engine):
    outputs, _ = opened("records", engine)
    tree = outputs["tree"]
    assert tree["category/mood"].dims == tree["value/left_mm"].dims == ("record",)
    assert tree["record"].to_numpy().tolist() == list(range(40))
    assert tree["value/left_mm"].attrs["units"] == "mm"
    counts = tree["noisy/recording/left_mm/mood"]
    labels, middles, moods = (counts[dimension].to_numpy() for dimension in counts.dims)
    assert texts(labels) == ["read", "search"]
    assert middles.tolist() == pytest.approx([2.75, 4.25, 5.75, 7.25, np.nan], nan_ok=True)
    assert texts(moods) == ["calm", "tense", "tired", "missing"]


@engines
@layouts
def test_a_group_opens_by_itself(layout, engine, tmp_path):
    """As xarray is used by most; coordinates above the group are not loaded then, the names of axes are."""
    bundle, whole = written(tmp_path, layout)
    groups = {}
    for output, dataset in datasets_of(whole):
        group, _, name = f"outputs/{output}/{dataset.path}".rpartition("/")
        groups.setdefault(group, {})[name] = dataset
    for group, datasets in groups.items():
        with xarray.open_dataset(bundle.path, engine=engine, group=group, **ENGINES[engine]) as opened:
            for name, dataset in datasets.items():
                assert opened[name].dims == tuple(axis.place.split("/")[-1] for axis in dataset.axes)
