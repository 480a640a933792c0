"""Datasets that are read when they are asked for: what NumPy would give, of the chunks that are needed, each compared with its digest."""

from __future__ import annotations

import operator
import shutil
import signal
import warnings
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forked import in_child
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import basic_indices
from layouts import GOLDEN
from refusals import refused

import synthrelease
from synthrelease.bundle.lazy_dataset import LazyDataset
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile, _fletcher32
from synthrelease.errors import BundleError

FOLDER = GOLDEN[0].parent
LONG = "records.h5", "long/category/room", 1_100_000  # two chunks, of 2**20 values and the rest
OPENED = {
    path: synthrelease.open_bundle(FOLDER / name)[path]
    for name, path in (("signals.h5", "dcfpa/values"), ("heatmaps.h5", "moving/heatmap"))
}
KEYS: list[Any] = [
    (),
    0,
    -1,
    np.int64(0),
    slice(None),
    slice(2, 0, -1),
    slice(5, 1),
    Ellipsis,
    None,
    (0, 0, 0, 0),
    (0, slice(1, None), 2),
    (0, slice(None, None, -2), slice(1, 4)),
    (Ellipsis, 3),
    (0, None, Ellipsis, slice(None, None, 2)),
    (slice(None), 0, [0, 2]),
    (0, slice(None), [0, 2]),
    (np.array([True]), 0),
    [0, 0],
]


@pytest.fixture(params=OPENED)
def dataset(request: pytest.FixtureRequest) -> LazyDataset:
    """A dataset of four axes."""
    found: LazyDataset = OPENED[request.param]
    return found


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_indexing_is_that_of_numpy(dataset: LazyDataset, key: Any) -> None:
    whole = np.asarray(dataset)
    if isinstance(key, tuple) and key and isinstance(key[0], np.ndarray):
        key = (np.arange(len(whole)) == 0, *key[1:])
    found, expected = dataset[key], whole[key]
    assert type(found) is type(expected)
    assert found.shape == expected.shape
    assert np.array_equal(found, expected)


@given(path=st.sampled_from(sorted(OPENED)), data=st.data())
def test_any_slice_is_that_of_numpy(path: str, data: st.DataObject) -> None:
    lazy = OPENED[path]
    key = data.draw(basic_indices(lazy.shape, allow_newaxis=True, allow_ellipsis=True, max_dims=6))
    found, expected = lazy[key], np.asarray(lazy)[key]
    assert found.shape == expected.shape
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("key", [9, -9, (0, 0, 99), (0,) * 5, 1.5, "nothing"])
def test_what_numpy_refuses_is_refused(dataset: LazyDataset, key: Any) -> None:
    expected = KeyError if isinstance(key, str) else IndexError
    with pytest.raises(expected):
        dataset[key]


def test_it_says_what_it_is_without_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BundleFile, "pieces", None)
    lazy = synthrelease.open_bundle(FOLDER / "heatmaps.h5")["moving/heatmap"]
    assert (lazy.shape, lazy.ndim, lazy.size, len(lazy)) == ((2, 3, 6, 8), 4, 288, 2)
    assert lazy.dtype == np.float32
    assert lazy.dims == ("stimulus", "time", "y_px", "x_px")
    assert lazy.coords["stimulus"].tolist() == ["garden", "a/b"]
    assert [len(lazy.coords[name]) for name in lazy.dims] == list(lazy.shape)
    item = lazy["a/b"]
    assert (item.shape, item.dims, item.name) == ((3, 6, 8), lazy.dims[1:], "heatmap/a%2Fb")
    signals = synthrelease.open_bundle(FOLDER / "signals.h5")["person/noisy"]
    assert signals.dtype == np.int32  # which the file says
    assert signals.quantity
    times = synthrelease.open_bundle(FOLDER / "estimates.h5")["fixations/mean/value"]
    assert times.unit == times._dataset.unit


@pytest.mark.parametrize(
    "calculate",
    [
        lambda x: x * 2 + 1,
        lambda x: 1 - x,
        lambda x: x > 0.5,
        lambda x: x == x,  # noqa: PLR0124
        np.exp,
        np.mean,
        np.median,
        lambda x: np.add(x, x),
        lambda x: np.add.reduce(x, axis=0),
        lambda x: np.stack([x, x]),
        lambda x: x.mean(axis=(1, 2)),
        lambda x: x.reshape(-1).tolist(),
        lambda x: x.T.astype(np.float64),
        lambda x: np.array(list(x)),
        lambda x: np.asarray(x, dtype=np.float64),
        lambda x: round(float(x.max()), 3),
    ],
)
def test_it_can_be_calculated_with(dataset: LazyDataset, calculate: Callable[[Any], Any]) -> None:
    found, expected = calculate(dataset), calculate(np.asarray(dataset))
    assert type(found) is type(expected)
    assert np.array_equal(found, expected, equal_nan=True)


@pytest.mark.parametrize("change", ["sort", "fill", "resize", "put"])
def test_what_would_change_it_is_not_there(dataset: LazyDataset, change: str) -> None:
    assert not hasattr(dataset, change)
    with pytest.raises(TypeError):
        operator.setitem(dataset, 0, 1)  # type: ignore[misc]
    with pytest.raises(TypeError):
        dataset += 1


def test_a_view_of_a_file_cannot_be_had(dataset: LazyDataset) -> None:
    with pytest.raises(ValueError, match="copied"):
        np.array(dataset, copy=False)


def chunks_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the chunks that are unpacked from now on."""
    numbers: list[int] = []
    unpacked = BundleFile._unpacked

    def counted(self: BundleFile, path: str, form: Any, number: int) -> Any:
        numbers.append(number)
        return unpacked(self, path, form, number)

    monkeypatch.setattr(BundleFile, "_unpacked", counted)
    return numbers


def test_only_the_chunks_of_a_slice_are_read_once_all_was_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    name, path, size = LONG
    with synthrelease.open_bundle(FOLDER / name) as bundle:
        lazy = bundle[path]
        numbers = chunks_read(monkeypatch)
        assert lazy[size - 3 :].tolist() == [0, 0, 0]
        assert sorted(numbers) == [0, 1, 1]  # the digest is of the whole dataset
        numbers.clear()
        assert lazy[5:7].shape == (2,)
        assert lazy[7] == 0
        assert numbers == [0]  # it is kept
        numbers.clear()
        assert lazy[(1 << 20) - 1 : (1 << 20) + 1].shape == (2,)
        assert sorted(numbers) == [0, 1]


def test_every_item_of_a_chunk_is_that_of_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other and from end to start, of several datasets in turn: what is kept is that of its dataset and chunk."""
    numbers = chunks_read(monkeypatch)
    with synthrelease.open_bundle(FOLDER / "heatmaps.h5") as bundle:
        paths = ["joint/heatmap", "joint/uncertainty", "joint/noisy", "joint/normalization"]
        whole = {path: np.asarray(bundle[path]) for path in paths}
        for path in paths:
            bundle[path][0]
        numbers.clear()
        for index in [*range(len(whole[paths[0]])), *reversed(range(len(whole[paths[0]])))]:
            for path in paths:
                item = bundle[path][index]
                np.testing.assert_array_equal(item, whole[path][index])
                item[...] = 0  # its reader's own
        assert numbers == []
    name, path, size = LONG
    with synthrelease.open_bundle(FOLDER / name) as bundle:
        whole_of_long = np.asarray(bundle[path])
        for start in (0, 1 << 20, size - 2, 1 << 10):
            assert bundle[path][start : start + 2].tolist() == whole_of_long[start : start + 2].tolist()


def test_few_chunks_stay_in_memory_however_many_datasets_are_read() -> None:
    with synthrelease.open_bundle(FOLDER / "heatmaps.h5") as bundle:
        stored = bundle.stored
        for output in bundle.manifest["outputs"]:
            for dataset in stored.output(output["name"]).datasets:
                for index in dataset.indices():
                    stored.item(output["name"], dataset.path, index)
        assert len(stored._file.dataset_paths()) > 20
        assert 1 <= len(stored._compared) <= len(stored._file._kept) <= 8


def test_a_changed_chunk_is_found_out_when_it_is_read(tmp_path: Path) -> None:
    """Changed with a right checksum, after the whole was compared: the digest of the chunk is not what it was."""
    name, path, size = LONG
    copy = tmp_path / "r.h5"
    shutil.copyfile(FOLDER / name, copy)
    with synthrelease.open_bundle(copy) as bundle:
        lazy = bundle[path]
        assert lazy[:3].tolist() == [0, 0, 0]
        with BundleFile(copy) as file:
            offset, packed_size = file.anatomy.datasets["/outputs/long/category/room"].chunks[0]
        levels = [zlib.compress(b"\1" * (1 << 20), level) for level in range(1, 10)]
        packed = next(one for one in levels if len(one) == packed_size - 4)
        with copy.open("r+b") as changed:
            changed.seek(offset)
            changed.write(packed + _fletcher32(packed).to_bytes(4, "little"))
        with refused(BundleError, "values-changed", where=path):
            lazy[:3]
        with refused(BundleError, "values-changed", where=path):
            np.asarray(lazy)
        assert lazy[size - 1] == 0  # of the other chunk


@pytest.mark.parametrize("read_before", [False, True])
@pytest.mark.parametrize("key", [slice(None), 0, (0, 1)])
def test_a_changed_value_is_found_out_by_a_slice(tmp_path: Path, key: Any, read_before: bool) -> None:  # noqa: FBT001
    """Of a dataset that stands in its header: no checksum is of it but the digest."""
    copy, path, place = tmp_path / "r.h5", "joint/heatmap", "/outputs/joint/heatmap"
    shutil.copyfile(FOLDER / "heatmaps.h5", copy)
    with synthrelease.open_bundle(copy) as bundle:
        if read_before:
            bundle[path][key]
        with BundleFile(copy) as file:
            form = file.anatomy.datasets[place]
            assert form.is_compact
            offset, _ = form.chunks[0]
            value = file.read(offset + 100, 1)
        with copy.open("r+b") as changed:
            changed.seek(offset + 100)
            changed.write(bytes([value[0] ^ 1]))
        with refused(BundleError, "values-changed", where=place):
            bundle[path][key]


def test_a_file_that_is_gone_is_an_error_of_reading(tmp_path: Path) -> None:
    copy = tmp_path / "r.h5"
    shutil.copyfile(FOLDER / "heatmaps.h5", copy)
    bundle = synthrelease.open_bundle(copy)
    copy.unlink()
    with refused(BundleError, "cannot-read", where="r.h5"):
        bundle["joint/heatmap"][0]


def test_several_threads_may_read() -> None:
    name, path, _ = LONG
    with synthrelease.open_bundle(FOLDER / name) as bundle, ThreadPoolExecutor(8) as threads:
        paths = [path, "tree/value/left_mm", "tree/noisy/mood"] * 8
        paths = [one for one in paths if one in bundle]
        found = list(threads.map(lambda one: bundle[one][3:].tobytes(), paths))
        expected = {one: np.asarray(bundle[one])[3:].tobytes() for one in paths}
        assert found == [expected[one] for one in paths]


def test_a_forked_process_may_read() -> None:
    """The threads that unpack chunks are not there, nor is one that was reading."""
    name, path, size = LONG
    with synthrelease.open_bundle(FOLDER / name) as bundle:
        lazy = bundle[path]
        assert np.asarray(lazy).shape == (size,)

        def read() -> bytes:
            signal.alarm(20)  # it would wait for ever
            return str(np.asarray(lazy).sum()).encode()

        with ThreadPoolExecutor(1) as other, warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks next to threads
            other.submit(bundle.stored._lock.acquire).result()
            try:
                assert in_child(read) == b"0"
            finally:
                other.submit(bundle.stored._lock.release).result()
        assert lazy[0] == 0
