"""A bundle as a mapping of outputs, datasets and items, which is closed at the end of a `with`."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import h5py
import numpy as np
import pytest
from layouts import GOLDEN
from refusals import refused

import synthrelease
from synthrelease.bundle.layout import dataset_path
from synthrelease.bundle.lazy_dataset import LazyDataset
from synthrelease.dp.guarantee import ApproxDP, NoGuarantee, PlausibleDeniability
from synthrelease.errors import ArgumentError, BundleError, InputError
from synthrelease.exports.readable import ReadableBundle

FOLDER = GOLDEN[0].parent
MAPS = "heatmaps.h5"  # whose stimuli are "garden" and "a/b"


def opened(name: str) -> ReadableBundle:
    return synthrelease.open_bundle(FOLDER / name, allow_test_seed=True)


@pytest.fixture
def maps() -> Iterator[ReadableBundle]:
    with opened(MAPS) as bundle:
        yield bundle


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_bundle_is_a_mapping_of_its_outputs(path: Path) -> None:
    """Outputs in their order, datasets in theirs, values as HDF5 itself has them."""
    with opened(path.name) as bundle, h5py.File(path) as file:
        assert isinstance(bundle, Mapping)
        assert list(bundle) == list(bundle.keys()) == list(bundle.names)
        assert len(bundle) == len(bundle.names)
        for name, output in bundle.items():
            assert name in bundle
            assert isinstance(output, Mapping)
            assert len(output) == len(list(output)) > 0
            for key, dataset in output.items():
                assert key in output
                assert f"{name}/{key}" in bundle
                assert bundle[f"{name}/{key}"].shape == dataset.shape == np.asarray(dataset).shape
                assert dataset.dtype == np.asarray(dataset).dtype
                assert np.array_equal(dataset, file[dataset_path(name, key)], equal_nan=True)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_items_are_found_by_labels(path: Path) -> None:
    """Before a dataset or behind it, in one path or in steps, percent-encoded or not."""
    with opened(path.name) as bundle:
        for name, output in bundle.items():
            for key, dataset in output.items():
                if not dataset.labels:
                    continue
                for number, label in enumerate(dataset.labels):
                    expected = dataset[number]
                    for found in (
                        output[label][key],
                        output[quote(label, safe="")][unquote(key)],
                        bundle[f"{name}/{label}/{key}"],
                        bundle[f"{name}/{key}/{label}"],
                        output[f"{key}/{label}"],
                        dataset[label],
                    ):
                        assert np.array_equal(found, expected, equal_nan=True), (name, key, label)


def test_parts_of_paths_are_mappings() -> None:
    with opened("statistics.h5") as bundle:
        part = bundle["all"]["mean"]
        assert list(part) == ["noisy", "value", "interval"]
        assert part["value"].shape == bundle["all/mean/value"].shape == (1,)
        assert float(bundle["all/mean/value/left_mm"]) == float(part["value"][0])
        assert bundle["all"]["quantile%3A0.5"]["value"].shape == bundle["all"]["quantile:0.5/value"].shape
        assert list(bundle["all"]["quantile:0.5"]) == ["chosen", "value", "interval"]


def test_a_dataset_comes_before_a_label_of_its_name(maps: ReadableBundle, monkeypatch: Any) -> None:
    monkeypatch.setattr(
        LazyDataset, "labels", property(lambda self: ["heatmap", "a/b"] if self.ndim == 3 else [])
    )
    assert maps["joint"]["heatmap"].ndim == 3
    assert maps["joint"]["heatmap"]["heatmap"].ndim == maps["joint/heatmap/heatmap"].ndim == 2


@pytest.mark.parametrize(
    "key",
    ["", "/", "joint/", "joint//heatmap", "joint/heatmap/nothing", "jint", 3, None, (), [], np.zeros(2)],
)
def test_what_is_not_there_is_no_error_of_in(maps: ReadableBundle, key: Any) -> None:
    assert key not in maps
    assert key not in maps["joint"]
    with pytest.raises(KeyError):
        maps[key]
    with pytest.raises(KeyError):
        maps["joint"][key]


@pytest.mark.parametrize(
    ("key", "offered"),
    [
        ("jiont", "joint"),
        ("joint/haetmap", "heatmap"),
        ("joint/gardne", "garden"),
        ("joint/heatmap/gardn", "garden"),
    ],
)
def test_a_misspelt_name_is_answered_with_those_like_it(maps: ReadableBundle, key: str, offered: str) -> None:
    with pytest.raises(KeyError) as error:
        maps[key]
    _, _, listed = str(error.value).partition(": there are ")  # not a sentence: where the list begins
    assert listed.startswith(offered)


def test_a_bundle_is_equal_to_itself_only(maps: ReadableBundle) -> None:
    assert maps == maps  # noqa: PLR0124
    assert maps != opened(MAPS)
    assert len({maps, maps["joint"]}) == 2


def test_nothing_is_read_of_a_closed_bundle() -> None:
    with opened(MAPS) as bundle:
        dataset = bundle["joint/heatmap"]
        whole = dataset[:]
    assert whole.shape == dataset.shape == bundle["joint/heatmap"].shape
    assert list(bundle) == list(bundle.names)
    for read in (
        lambda: dataset[0],
        lambda: np.asarray(dataset),
        lambda: dataset.mean() + 1,
        lambda: bundle.to_xarray("joint"),
        bundle.to_pandas,
    ):
        with refused(ArgumentError, "bundle-closed"):
            read()
    bundle.close()
    with opened("statistics.h5") as statistics:
        assert "all/mean/value/left_mm" in statistics
    assert "all/mean/value/left_mm" in statistics  # nothing is read to see it


def test_a_bundle_that_is_not_read_opens_nothing_and_one_that_is_dropped_is_closed(monkeypatch: Any) -> None:
    closed = []
    monkeypatch.setattr(
        "synthrelease.bundle.stored_values.BundleFile.close", lambda self: closed.append(self.path.name)
    )
    bundle = opened(MAPS)
    bundle["joint/heatmap"].shape  # noqa: B018
    bundle.close()
    assert closed == []
    bundle = opened(MAPS)
    bundle["joint/heatmap"][0]
    del bundle
    assert closed == [MAPS]


def test_a_bundle_and_its_datasets_can_be_pickled(maps: ReadableBundle) -> None:
    whole = np.asarray(maps["joint/heatmap"])
    bundle, item = pickle.loads(pickle.dumps((maps, maps["joint/heatmap/garden"])))  # noqa: S301  its own
    assert np.array_equal(bundle["joint/heatmap"], whole)
    assert np.array_equal(item, whole[0])


def test_the_guarantee_is_of_the_whole_release(maps: ReadableBundle) -> None:
    assert isinstance(maps.guarantee, ApproxDP)
    assert maps.guarantee.to_json() == maps.manifest["privacy"]["guarantee"]
    assert maps["joint"].guarantee.to_json() == maps.manifest["outputs"][0]["guarantee"]


def test_a_guarantee_that_does_not_cover_all_outputs_is_none_of_the_release() -> None:
    bundle = opened("records.h5")
    assert isinstance(bundle.guarantee, NoGuarantee)
    assert bundle.guarantee.epsilon is None
    assert str(bundle["kept"].guarantee) in str(bundle.guarantee)
    assert isinstance(bundle["kept"].guarantee, PlausibleDeniability)
    assert bundle["tree"].guarantee.epsilon is not None


def test_with_a_test_seed_nothing_is_guaranteed() -> None:
    bundle = opened("seeded.TEST-SEED.h5")
    assert {type(one.guarantee) for one in (bundle, *bundle.values())} == {NoGuarantee}


def test_a_bundle_verifies_its_file(tmp_path: Path) -> None:
    path = tmp_path / "r.h5"
    shutil.copyfile(FOLDER / MAPS, path)
    bundle = synthrelease.open_bundle(path)
    assert bundle.verify().ok
    assert bundle.verify().checked == synthrelease.verify(path).checked
    shutil.copyfile(FOLDER / "areas.h5", path)
    with refused(BundleError, "bundle-replaced"):
        bundle.verify()
    damaged = bytearray((FOLDER / MAPS).read_bytes())
    damaged[-1] ^= 1
    path.write_bytes(damaged)
    assert not bundle.verify().ok
    path.unlink()
    with refused(InputError, "no-such-file"):
        bundle.verify()


def test_a_test_seed_that_was_allowed_is_no_fault() -> None:
    assert opened("seeded.TEST-SEED.h5").verify().ok
