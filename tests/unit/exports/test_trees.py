"""All outputs of a bundle at once: a DataTree of xarray, a dict of frames of pandas."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from layouts import GOLDEN

import synthrelease
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.exports.readable import ReadableBundle

FOLDER = GOLDEN[0].parent


def opened(name: str) -> ReadableBundle:
    return synthrelease.open_bundle(FOLDER / name, allow_test_seed=True)


@pytest.mark.quick("heatmaps", "estimates", "people")
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_tree_has_the_dataset_of_each_output(path: Path) -> None:
    with opened(path.name) as bundle:
        tree = bundle.to_xarray()
        assert isinstance(tree, xr.DataTree)
        assert list(tree.children) == list(bundle)
        for name in bundle:
            own, alone = tree[name].to_dataset(), bundle.to_xarray(name)
            xr.testing.assert_identical(own, alone)
            assert own.data_vars
            output = next(one for one in bundle.manifest["outputs"] if one["name"] == name)
            assert own.attrs["unit_of_privacy"] == output["guarantee"]["unit"]
            assert own.attrs["neighbours"] == output["guarantee"]["neighbours"]
            for axis in own.dims:
                assert axis in own.coords
            for dataset in bundle[name].values():
                found = own.get(dataset.name.replace("/", "_"))
                if found is not None and found.dtype == dataset.dtype:
                    # One of two axes of one name has another.
                    assert tuple(str(axis).rstrip("_") for axis in found.dims) == dataset.dims
                    assert found.attrs.get("units", "") == dataset.unit
                    assert np.array_equal(found, dataset, equal_nan=True)


@pytest.mark.quick("heatmaps", "estimates", "people")
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_all_frames_are_those_of_each_output(path: Path) -> None:
    with opened(path.name) as bundle:
        every = bundle.to_pandas()
        assert list(every) == list(bundle)
        for name, found in every.items():
            alone = bundle.to_pandas(name)
            assert type(found) is type(alone)
            tables = found if isinstance(found, dict) else {"": found}
            others = alone if isinstance(alone, dict) else {"": alone}
            assert list(tables) == list(others)
            for frame, other in zip(tables.values(), others.values(), strict=True):
                pd.testing.assert_frame_equal(frame, other)
                assert frame.attrs == other.attrs
                assert frame.attrs["unit_of_privacy"] == "person"


def test_a_tree_says_what_the_release_guarantees() -> None:
    tree = opened("records.h5").to_xarray()
    privacy = tree.attrs
    assert privacy["unit_of_privacy"] == "person"
    for number in ("63.35", "k = 3"):
        assert number in privacy["guarantee"]
    warnings = [node.attrs["warnings"] for node in tree.children.values() if "warnings" in node.attrs]
    assert warnings
    assert all(line in privacy["warnings"] for one in warnings for line in one.splitlines())


def test_a_tree_of_a_test_seed_says_so() -> None:
    tree = opened("seeded.TEST-SEED.h5").to_xarray()
    assert tree.attrs["guarantee"].startswith(TEST_SEED_WORDS)
    assert tree.attrs["title"].startswith(TEST_SEED_WORDS)
    for node in tree.children.values():
        assert TEST_SEED_WORDS in node.attrs["guarantee"]


@pytest.mark.quick("heatmaps.h5-h5netcdf")
@pytest.mark.parametrize("engine", ["h5netcdf", "netcdf4"])
@pytest.mark.parametrize("name", ["heatmaps.h5", "records.h5", "estimates.h5"])
def test_a_tree_can_be_written_as_netcdf(tmp_path: Path, name: str, engine: str) -> None:
    tree = opened(name).to_xarray()
    tree.to_netcdf(tmp_path / "r.nc", engine=engine)
    with xr.open_datatree(tmp_path / "r.nc", engine=engine) as back:
        assert back.attrs == tree.attrs
        for child in tree.children:
            xr.testing.assert_equal(back[child].to_dataset().load(), tree[child].to_dataset())


def test_one_number_is_chosen_by_labels() -> None:
    with opened("statistics.h5") as bundle:
        tree, table = bundle.to_xarray(), bundle["all/mean/value"]
        label = table.labels[0]
        assert float(tree["all"]["mean_value"].sel(feature=label)) == float(table[label])
