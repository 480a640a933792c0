"""Arrays with declared axes: the table they are, and what is refused in words, without a value."""

from __future__ import annotations

import contextlib
import io
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import refusals
from refusals import check_refusal

from synthrelease.data.cells import numbers
from synthrelease.data.features import load_features
from synthrelease.data.readers import reader_for
from synthrelease.data.readers.whole import WholeFile
from synthrelease.data.source import Source
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError

AXES = ("person", "recording", "step")
SECRETS = ("canary", "7331")
SECRET = 7331.125
SHAPE = (2, 3, 4)
PUPIL = np.arange(24, dtype=np.float32).reshape(SHAPE) / 8 + 1
KINDS = ("npz", "h5")


def written(folder: Path, kind: str, arrays: dict[str, Any]) -> Path:
    path = folder / f"data.{kind}"
    if kind == "npz":
        np.savez_compressed(path, **arrays)
    else:
        with h5py.File(path, "w") as file:
            for name, array in arrays.items():
                file[name] = array
    return path


def table(path: Path, axes: tuple[str, ...] = AXES, **options: Any) -> Any:
    reader = reader_for(Source(path))
    assert isinstance(reader, WholeFile)
    return reader.table(Source(path, axes=axes, **options))


def refused(path: Path, code: str, *names: str, axes: tuple[str, ...] = AXES, **options: Any) -> DataError:
    """Expect an error of the code that has the names, whichever part of it, and no value."""
    with pytest.raises(DataError) as caught:
        table(path, axes, **options)
    check_refusal(caught.value, path, code, secrets=SECRETS)
    for name in names:
        assert name in str(caught.value)
    return caught.value


@pytest.mark.parametrize("kind", KINDS)
def test_every_cell_is_a_row(tmp_path: Path, kind: str) -> None:
    arrays = {
        "pupil": PUPIL,
        "blink": PUPIL > 2,
        "person": np.array([b"ann", "björn".encode()]),
        "rate": [60.0],
    }
    found = table(written(tmp_path, kind, arrays))
    assert set(found.columns) == {*AXES, "pupil", "blink"}
    expected = [
        (("ann", "björn")[i], j, k, float(PUPIL[i, j, k]), float(PUPIL[i, j, k] > 2))
        for i, j, k in np.ndindex(SHAPE)
    ]
    assert found.select(*AXES, "pupil", "blink").rows() == expected


@pytest.mark.parametrize("kind", KINDS)
def test_one_axis_is_a_table_of_vectors(tmp_path: Path, kind: str) -> None:
    arrays = {"x": np.arange(3), "y": np.arange(3) * 0.5, "mean": np.zeros(2)[:1][0]}
    found = table(written(tmp_path, kind, arrays), ("row",))
    assert found.select("row", "x", "y").rows() == [(0, 0, 0), (1, 1, 0.5), (2, 2, 1)]


@pytest.mark.parametrize("kind", KINDS)
def test_orders_and_types_of_numbers_do_not_matter(tmp_path: Path, kind: str) -> None:
    arrays = {
        "f": np.asfortranarray(PUPIL),
        "big": PUPIL.astype(">f8"),
        "half": PUPIL.astype(np.float16),
        "step": np.array([10, 20, 30, 40], dtype=">i2"),
    }
    found = table(written(tmp_path, kind, arrays))
    for name in ("f", "big", "half"):
        assert found[name].to_list() == PUPIL.ravel().tolist()
    assert found["step"].to_list() == [10, 20, 30, 40] * 6


def test_datasets_in_groups_are_called_by_their_paths(tmp_path: Path) -> None:
    path = tmp_path / "data.HDF5"
    with h5py.File(path, "w") as file:
        file["eye/left"] = PUPIL
        file.create_dataset("eye/right", data=PUPIL, chunks=(1, 3, 3), compression="gzip")
        file["person"] = np.array([b"ann", b"bob"])
        file["eye/again"] = file["eye/left"]
        file["eye/loop"] = file["eye"]
        file["soft"] = h5py.SoftLink("/nowhere")
    found = table(path)
    assert found["person"].unique().sort().to_list() == ["ann", "bob"]
    assert len(found.columns) == 5
    assert {"eye/right"} < set(found.columns)


@pytest.mark.parametrize("kind", KINDS)
def test_features_are_loaded_and_errors_found_by_index(tmp_path: Path, kind: str) -> None:
    source = Source(
        written(tmp_path, kind, {"pupil": PUPIL, "person": np.array([b"ann", b"bob"])}), axes=AXES
    )
    columns = {"person": "person", "recording": "recording", "time": "step"}
    features = load_features(source, columns=columns, bounds={"pupil": (0.0, 9.0)})
    assert features.identities == ("ann", "bob")
    assert np.array_equal(features.values.ravel(), PUPIL.ravel())
    broken = PUPIL.copy()
    broken[1, 0, 2] = np.nan
    source = Source(written(tmp_path, kind, {"pupil": broken}), axes=AXES)
    with refusals.refused(DataError, "nan", where="at [1, 0, 2], column 'pupil'"):
        numbers(read_table(source, ["pupil"]), "pupil")


# What is refused


def archive(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def npy(array: Any, *, shape: str = "") -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    content = buffer.getvalue()
    if shape:
        old = repr(np.shape(array)).encode()
        content = content.replace(old + b", }" + b" " * (len(shape) - len(old)), shape.encode() + b", }")
    return content


def npz(**arrays: Any) -> bytes:
    return archive(**{name: npy(array) for name, array in arrays.items()})


def h5(fill: Callable[[Any], object]) -> bytes:
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        fill(file)
    return buffer.getvalue()


def twice() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        file.writestr("x.npy", npy(PUPIL))
        file.writestr("x.npy", npy(PUPIL))
    return buffer.getvalue()


def virtual(file: Any) -> None:
    layout = h5py.VirtualLayout(shape=SHAPE, dtype="f4")
    layout[:] = h5py.VirtualSource("/etc/canary.h5", "x", shape=SHAPE)
    file.create_virtual_dataset("x", layout)


FULL = np.full(SHAPE, SECRET)
RECORDS = np.zeros(SHAPE, dtype=[("a", "f4"), ("b", "i4")])
MALFORMED: dict[str, tuple[Callable[[], bytes], str, str]] = {  # with the code, and what is named
    "text.npz": (lambda: b"canary" * 100, "bad-npz", ""),
    "nothing.npz": (lambda: b"", "bad-npz", ""),
    "cut.npz": (lambda: npz(x=FULL)[:-30], "bad-npz", ""),
    "one-array.npz": (lambda: npy(FULL), "bad-npz", ""),
    "no-array.npz": (lambda: archive(x=b"canary" * 30), "bad-npz", ""),
    "no-arrays.npz": (archive, "axes-do-not-fit", ""),
    "checksum.npz": (lambda: npz(x=FULL).replace(npz(x=FULL)[60:64], b"abcd", 1), "bad-npz", ""),
    "pickled.npz": (lambda: npz(x=np.full(SHAPE, "canary", dtype=object)), "python-objects", "'x'"),
    "complex.npz": (lambda: npz(x=FULL + 1j), "complex-numbers", "'x'"),
    "records.npz": (lambda: npz(x=RECORDS), "values-of-other-type", ""),
    "dates.npz": (lambda: npz(x=np.zeros(SHAPE, dtype="M8[s]")), "values-of-other-type", ""),
    "huge.npz": (lambda: archive(x=npy(FULL, shape="(999999, 999, 999)")), "values-missing", "'x'"),
    "twice.npz": (twice, "duplicate-variable", ""),
    "latin-1.npz": (lambda: npz(x=FULL, person=np.array([b"canary\xff", b"b"])), "not-utf8", "'person'"),
    "labels.npz": (lambda: npz(x=FULL, person=np.full(3, SECRET)), "axes-do-not-fit", "person: 3"),
    "axis.npz": (lambda: npz(x=FULL, person=FULL), "axis-not-labels", "'person'"),
    "shapes.npz": (lambda: npz(x=FULL, y=FULL[:1]), "several-shapes", "x: 2 × 3 × 4; y: 1 × 3 × 4"),
    "flat.npz": (lambda: npz(x=FULL.ravel()), "axes-do-not-fit", "x: 24"),
    "text.h5": (lambda: b"canary" * 100, "bad-hdf5", ""),
    "nothing.h5": (lambda: b"", "bad-hdf5", ""),
    "cut.h5": (lambda: h5(lambda file: file.update(x=FULL))[:-300], "bad-hdf5", ""),
    "external-link.h5": (
        lambda: h5(lambda f: f.update(x=h5py.ExternalLink("/etc/canary.h5", "x"))),
        "external-link",
        "",
    ),
    "external-data.h5": (
        lambda: h5(lambda f: f.create_dataset("x", SHAPE, "f8", external=[("/etc/passwd", 0, 192)])),
        "values-in-other-files",
        "",
    ),
    "virtual.h5": (lambda: h5(virtual), "values-in-other-files", ""),
    "huge.h5": (
        lambda: h5(lambda f: f.create_dataset("x", (10**4,) * 3, "f8", chunks=(100,) * 3)),
        "values-missing",
        "",
    ),
    "huge-plain.h5": (lambda: h5(lambda f: f.create_dataset("x", (10**4,) * 3, "f8")), "values-missing", ""),
    "records.h5": (lambda: h5(lambda f: f.update(x=RECORDS)), "values-of-other-type", ""),
    "ragged.h5": (
        lambda: h5(lambda f: f.create_dataset("x", SHAPE, h5py.vlen_dtype("f4"))),
        "python-objects",
        "",
    ),
    "any-length.h5": (
        lambda: h5(lambda f: f.update(x=FULL, person=["canary", "b"])),
        "texts-of-any-length",
        "'person'",
    ),
    "references.h5": (
        lambda: h5(lambda f: f.create_dataset("x", SHAPE, h5py.ref_dtype)),
        "python-objects",
        "",
    ),
    "complex.h5": (lambda: h5(lambda f: f.update(x=FULL + 1j)), "complex-numbers", ""),
    "labels-missing.h5": (
        lambda: h5(lambda f: (f.update(x=FULL), f.create_dataset("person", (2,), "f8"))),
        "values-missing",
        "'person'",
    ),
    "null.h5": (lambda: h5(lambda f: f.update(x=h5py.Empty("f8"))), "axes-do-not-fit", "x: "),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_refused_without_a_value(tmp_path: Path, name: str) -> None:
    content, code, named = MALFORMED[name]
    path = tmp_path / name
    path.write_bytes(content())
    refused(path, code, named)


@pytest.mark.parametrize("kind", KINDS)
def test_axes_are_asked_for_with_the_shapes_there_are(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path, kind, {"x": FULL, "rate": np.array(SECRET)})
    error = refused(path, "axes-missing", "x: 2 × 3 × 4", "rate: ", axes=())
    assert "axes = [" in error.remedy
    assert "--axes" in error.remedy
    refused(path, "duplicate-axis", "'a'", axes=("a", "b", "a"))
    refused(path, "axes-do-not-fit", "x: 2 × 3 × 4", axes=("a", "b"))


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_too_large_for_a_table_are_refused(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, kind, {"x": FULL})
    monkeypatch.setattr("synthrelease.data.readers.arrays._MOST_BYTES", FULL.nbytes)
    assert table(path).height == FULL.size
    monkeypatch.setattr("synthrelease.data.readers.arrays._MOST_BYTES", FULL.nbytes - 1)
    refused(path, "arrays-too-large", "Parquet")


def test_objects_of_hdf5_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "h5", {"x": FULL, "y": FULL, "z": FULL})
    monkeypatch.setattr("synthrelease.data.readers.hdf5._MOST_OBJECTS", 3)
    assert table(path).height == FULL.size
    monkeypatch.setattr("synthrelease.data.readers.hdf5._MOST_OBJECTS", 2)
    refused(path, "too-many-objects")


def test_whatever_an_archive_holds_the_error_is_ours(tmp_path: Path) -> None:
    content = npz(x=PUPIL, person=np.array(["a", "b"]))
    rng = np.random.default_rng(5)
    refusals, path = 0, tmp_path / "data.npz"
    for _ in range(400):
        changed = bytearray(content)
        for place in rng.integers(0, len(content), size=2):
            changed[place] = rng.integers(256)
        path.write_bytes(changed)
        with contextlib.suppress(DataError):
            table(path)
            refusals -= 1
        refusals += 1
    assert refusals > 100


def test_more_columns_than_are_read_are_refused_before_their_values_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr("synthrelease.data.readers.reader._MOST_COLUMNS", 5)
    monkeypatch.setattr("synthrelease.data.readers.npz._read", lambda *_: read.append("") or np.zeros(2))
    np.savez(tmp_path / "x.npz", **{f"a{number}": np.zeros(2) for number in range(6)})
    with pytest.raises(DataError) as caught:
        read_table(Source(tmp_path / "x.npz", axes=("row",)), ["a1"])
    assert (caught.value.code, read) == ("too-many-columns", [])
