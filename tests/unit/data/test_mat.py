"""MATLAB files: what nested arrays are as a table, and what is refused in words, without a value."""

from __future__ import annotations

import contextlib
import io
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars as pl
import pytest
import refusals
import scipy.io
import scipy.sparse
from documented import ROOT
from goldens import figures
from refusals import check_refusal

from synthrelease.data.cells import numbers
from synthrelease.data.gaze import load_gaze
from synthrelease.data.readers.mat import Mat
from synthrelease.data.readers.nested_rows import unique_names
from synthrelease.data.screen import Screen
from synthrelease.data.source import Source
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError

OSIE = Path(__file__).parents[2] / "data" / "osie"
SECRET = 7331.125
SECRETS = ("canary", "7331")


def cells(*values: Any) -> Any:
    out = np.empty((len(values), 1), dtype=object)
    for number, value in enumerate(values):
        out[number, 0] = value
    return out


def grid(rows: list[list[Any]]) -> Any:
    out = np.empty((len(rows), len(rows[0])), dtype=object)
    for at in np.ndindex(out.shape):
        out[at] = rows[at[0]][at[1]]
    return out


def structs(*values: dict[str, Any]) -> Any:
    out = np.empty((1, len(values)), dtype=[(name, object) for name in values[0]])
    for number, value in enumerate(values):
        out[0, number] = tuple(value.values())
    return out


def vector(*values: float) -> Any:
    return np.asarray(values, dtype=float).reshape(1, -1)


def written(folder: Path, variables: dict[str, Any], *, packed: bool = True) -> Path:
    path = folder / "data.mat"
    scipy.io.savemat(path, variables, do_compression=packed)
    return path


def table(path: Path, **options: Any) -> pl.DataFrame:
    return Mat().table(Source(path, **options))


def read(folder: Path, value: Any, **options: Any) -> pl.DataFrame:
    return table(written(folder, {"data": value}), **options)


def refused(path: Path, code: str, *names: str, **options: Any) -> DataError:
    """Expect an error of the code that has the names, whichever part of it, and no value."""
    with pytest.raises(DataError) as caught:
        table(path, **options)
    check_refusal(caught.value, path, code, secrets=SECRETS)
    for name in names:
        assert name in str(caught.value)
    return caught.value


# What is read


def study(images: int = 6, people: int = 4) -> tuple[Any, pl.DataFrame]:
    """Fixations laid out as those of OSIE, and the table they are."""
    rng = np.random.default_rng(1)
    rows, fixations = [], []
    for image in range(images):
        subjects = []
        for person in range(people):
            n = 1 if image == person else int(rng.integers(0, 5))
            x, y, duration = rng.random((3, n)) * 500
            rows += [(image + 1, person + 1, k + 1, f"10{image}.jpg", x[k], y[k]) for k in range(n)]
            subjects.append({"fix_x": vector(*x), "fix_y": vector(*y), "fix_duration": vector(*duration)})
        fixations.append({"img": f"10{image}.jpg", "subjects": cells(*subjects)})
    names = ["fixations", "subjects", "row", "img", "fix_x", "fix_y"]
    return cells(*fixations), pl.DataFrame(rows, schema=names, orient="row")


@pytest.mark.parametrize("packed", [True, False])
def test_cells_of_structs_of_cells_of_structs_are_rows(tmp_path: Path, *, packed: bool) -> None:
    value, rows = study()
    found = table(written(tmp_path, {"fixations": value}, packed=packed))
    assert found.columns == [*rows.columns, "fix_duration"]
    assert found.drop("fix_duration").rows() == rows.rows()


def test_the_file_of_osie_is_its_table() -> None:
    found = table(OSIE / "fixations.mat")
    tidy = pl.read_csv(ROOT / "docs" / "data" / "osie" / "fixations_tidy.csv.gz")
    assert found.height == tidy.height == 98_321
    assert found["img"].str.strip_suffix(".jpg").equals(tidy["image"].str.strip_suffix(".jpg"))
    pairs = {"subjects": "observer", "fix_x": "x_px", "fix_y": "y_px", "fix_duration": "duration_ms"}
    for own, other in pairs.items():
        assert (found[own].cast(pl.Float64) == tidy[other].cast(pl.Float64)).all(), own
    assert (found["row"].cast(pl.Int64) == tidy["fix_index"] + 1).all()


def test_gaze_is_loaded_of_a_mat_file_and_errors_are_found_in_matlab(tmp_path: Path) -> None:
    value, rows = study()
    path = written(tmp_path, {"fixations": value, "other": 1.0})
    columns = {"person": "subjects", "stimulus": "img", "x": "fix_x", "y": "fix_y"}
    gaze = load_gaze(Source(path, table="fixations"), columns=columns, screen=Screen(800, 600))
    assert gaze.people == 4
    assert len(gaze.person) == len(rows)
    value[2, 0]["subjects"][1, 0] = {
        "fix_x": vector(1, np.nan),
        "fix_y": vector(1, 2),
        "fix_duration": vector(1, 2),
    }
    path = written(tmp_path, {"fixations": value})
    with refusals.refused(DataError, "nan", where="fixations 3, subjects 2, row 2, column 'fix_x'"):
        numbers(read_table(path, ["fix_x"]), "fix_x")


def test_struct_arrays_are_levels_and_single_structs_are_not(tmp_path: Path) -> None:
    people = structs(
        {
            "name": "ann",
            "eye": {"left": 1.0, "right": 2.0},
            "trials": structs({"x": vector(1, 2)}, {"x": vector(3)}),
        },
        {"name": "bob", "eye": {"left": 5.0, "right": 6.0}, "trials": structs({"x": vector(4)})},
    )
    found = read(tmp_path, people)
    assert found.columns == ["data", "trials", "row", "name", "left", "right", "x"]
    assert found.rows() == [
        (1, 1, 1, "ann", 1, 2, 1),
        (1, 1, 2, "ann", 1, 2, 2),
        (1, 2, 1, "ann", 1, 2, 3),
        (2, 1, 1, "bob", 5, 6, 4),
    ]


def test_the_fields_of_a_struct_are_a_table(tmp_path: Path) -> None:
    found = read(
        tmp_path, {"x": vector(1, 2).T, "name": cells("a", "b"), "age": 3.0, "none": np.zeros((0, 0))}
    )
    assert found.columns == ["row", "age", "none", "x", "name"]
    assert found.rows() == [(1, 3, None, 1, "a"), (2, 3, None, 2, "b")]


def test_matrices_have_numbered_columns_or_those_of_the_plan(tmp_path: Path) -> None:
    matrix = np.arange(6.0).reshape(3, 2)
    assert read(tmp_path, matrix).columns == ["row", "column 1", "column 2"]
    found = read(tmp_path, matrix, header=("x", "y"))
    assert found.columns == ["row", "x", "y"]
    assert found.rows() == [(1, 0, 1), (2, 2, 3), (3, 4, 5)]
    found = read(tmp_path, cells(matrix, matrix[:1], np.zeros((0, 0)), matrix[1:]))
    assert found["data"].to_list() == [1, 1, 1, 2, 4, 4]
    assert found["column 2"].to_list() == [1, 3, 5, 1, 3, 5]
    error = refused(written(tmp_path, {"data": matrix}), "header-does-not-fit", header=("x", "y", "z"))
    assert figures(error.found) == [3, 2]
    refused(written(tmp_path, {"data": {"x": 1.0}}), "header-without-matrix", "`header`", header=("z",))


def test_cells_in_rows_and_columns_have_two_indices_in_matlabs_order(tmp_path: Path) -> None:
    found = read(tmp_path, grid([[vector(1, 2), vector(3)], [vector(4), vector(5)]]))
    assert found.columns == ["data dim 1", "data dim 2", "row", "value"]  # not a sentence: columns
    assert found.rows() == [(1, 1, 1, 1), (1, 1, 2, 2), (2, 1, 1, 4), (1, 2, 1, 3), (2, 2, 1, 5)]


def test_cells_in_cells_have_indices_of_their_own(tmp_path: Path) -> None:
    found = read(tmp_path, cells(cells(vector(1, 2), vector(3)), cells(vector(4))))
    assert found.columns == ["data", "data level 2", "row", "value"]  # not a sentence: columns
    assert found["data level 2"].to_list() == [1, 1, 2, 1]  # not a sentence: a column


def test_a_choice_among_things_that_rows_could_be_made_of(tmp_path: Path) -> None:
    """The layout of FIGRIM: fixations at encoding and at repetition beside each other, [x y] in rows."""

    def person(name: str, n: int, m: int) -> dict[str, Any]:
        return {
            "name": name,
            "scores": vector(*range(n + m + 2)),
            "odd": scipy.sparse.eye(2).tocsc(),
            "fixations": {"enc": np.full((n, 2), float(n)), "rec": np.full((m, 2), -1.0)},
        }

    images = structs(
        {"file": "a.jpg", "userdata": structs(person("ann", 2, 3), person("bob", 1, 4))},
        {"file": "b.jpg", "userdata": structs(person("ann", 4, 2), person("bob", 0, 0))},
    )
    path = written(tmp_path, {"allImages": images})
    found = table(path, table="allImages.userdata.fixations.enc")
    assert found.columns == ["allImages", "userdata", "row", "file", "name", "column 1", "column 2"]
    assert found["column 1"].to_list() == [2, 2, 1, 4, 4, 4, 4]
    assert found["name"].to_list() == ["ann", "ann", "bob", "ann", "ann", "ann", "ann"]
    refused(path, "unknown-field", "'foo'", "userdata", table="allImages.foo")
    refused(path, "unknown-field", "'x'", "allImages.file", table="allImages.file.x")
    refused(path, "sparse-matrix", table="allImages")


def test_vectors_beside_the_chosen_one_come_along_if_always_as_long(tmp_path: Path) -> None:
    both = cells(
        {"x": vector(1, 2), "y": vector(3, 4), "z": vector(1, 2)},
        {"x": vector(5), "y": vector(6), "z": vector(1, 2, 3)},
    )
    path = written(tmp_path, {"data": both})
    assert table(path, table="data.x").columns == ["data", "row", "x", "y"]
    error = refused(path, "lengths-differ", "data{2}.z", "'x'", "table = 'data.z'")
    assert figures(error.found) == [3, 1]


def test_names_are_as_short_as_they_can_be() -> None:
    assert unique_names([("a", "x"), ("a", "y")]) == ["x", "y"]
    assert unique_names([("a", "x"), ("a", "b", "x"), ("c",)]) == ["a.x", "b.x", "c"]
    assert unique_names([("x",), ("x", "x")]) == ["x", "x.x"]


def test_what_is_missing_is_empty_and_numbers_of_several_types_are_one(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        cells(
            {"age": np.uint8(3), "x": vector(1, 2)},
            {"age": np.zeros((0, 0)), "x": vector(3)},
            np.zeros((0, 0)),
        ),
    )
    assert found["age"].to_list() == [3, 3, None, None][: found.height]
    large = np.asarray([[1 << 60, 1]], dtype=np.int64)
    refused(written(tmp_path, {"data": cells({"x": large}, {"x": vector(0.5, 1)})}), "integers-too-large")


@pytest.mark.parametrize("other", [vector(3), vector(1, 2), np.zeros((0, 0))])
def test_who_has_a_row_does_not_depend_on_others(tmp_path: Path, other: Any) -> None:
    """Else the number of participants, which is public, would say something of one of them."""
    nothing = np.zeros((0, 0))
    three = cells(
        {"name": "ann", "task": "read", "x": other},
        {"name": "bob", "task": "read", "x": nothing},
        {"name": "zoe", "task": nothing, "x": nothing},
    )
    path = written(tmp_path, {"who": three})
    rows = table(path).select("who", "name", "x").rows()
    assert [row for row in rows if row[0] != 1] == [(2, "bob", None)]
    rows = table(path, table="who.x").select("who", "name", "x").rows()
    assert [row for row in rows if row[0] != 1] == []


@pytest.mark.parametrize("one", ["a", vector(7)])
def test_nothing_in_a_cell_is_missing(tmp_path: Path, one: Any) -> None:
    found = read(tmp_path, {"x": vector(1, 2), "name": cells(one, np.zeros((0, 0)))})
    assert found["name"].to_list() == ["a" if one == "a" else 7.0, None]


def test_cells_without_anything_fit_texts_and_numbers_of_other_files(tmp_path: Path) -> None:
    for name, mood in {"ann": cells("calm", "tired"), "bob": cells("", "")}.items():
        scipy.io.savemat(tmp_path / f"{name}.mat", {"data": {"x": vector(1, 2), "mood": mood}})
    found = read_table(Source(tmp_path, pattern="{who}.mat"), ["who", "x", "mood"]).frame
    assert found["mood"].to_list() == ["calm", "tired", None, None]


# What is refused


def element(kind: int, data: bytes) -> bytes:
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def matrix(kind: int, sizes: tuple[int, ...], name: bytes, *parts: bytes) -> bytes:
    flags = element(6, struct.pack("<II", kind, 0))
    shape = element(5, struct.pack(f"<{len(sizes)}i", *sizes))
    return element(14, flags + shape + element(1, name) + b"".join(parts))


def file_of(*parts: bytes) -> bytes:
    return b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM" + b"".join(parts)


NUMBER = matrix(6, (1, 1), b"", element(9, struct.pack("<d", SECRET)))
NEXT = matrix(6, (1, 1), b"y", element(9, struct.pack("<d", SECRET)))
HANDLE = matrix(16, (1, 1), b"", matrix(4, (1, 6), b"", element(16, b"canary")))


def deep(levels: int) -> bytes:
    body = NUMBER
    for level in range(levels):
        body = matrix(1, (1, 1), b"x" if level == levels - 1 else b"", body)
    return file_of(body)


def saved(value: Any, *, packed: bool = True, **options: Any) -> bytes:
    buffer = io.BytesIO()
    scipy.io.savemat(buffer, {"data": value}, do_compression=packed, **options)
    return buffer.getvalue()


def version_7_3() -> bytes:
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", userblock_size=512) as file:
        file["data"] = [SECRET]
    return b"MATLAB 7.3 MAT-file".ljust(124) + struct.pack("<H", 0x0200) + b"IM" + buffer.getvalue()[128:]


def flipped(content: bytes) -> bytes:
    return content[:-3] + bytes([content[-3] ^ 255]) + content[-2:]


PLAIN = {"x": vector(SECRET, 2, 3), "name": "canary"}
MALFORMED: dict[str, tuple[Callable[[], bytes], str, str]] = {  # with the code, and what is named
    "text": (lambda: b"canary" * 100, "bad-mat", ""),
    "nothing": (lambda: b"", "bad-mat", ""),
    "head-only": (lambda: file_of()[:100], "bad-mat", ""),
    "no-variable": (file_of, "no-variable", ""),
    "cut-packed": (lambda: saved(study()[0])[:-40], "bad-mat", ""),
    "cut-plain": (lambda: saved(study()[0], packed=False)[:-40], "bad-mat", ""),
    "wrong-checksum": (lambda: flipped(saved(PLAIN)), "bad-mat", ""),
    "version-4": (lambda: saved(vector(SECRET), packed=False, format="4"), "bad-mat", ""),
    "version-7.3": (version_7_3, "matlab-v73", ""),
    "hdf5": (lambda: version_7_3()[512:], "matlab-v73", ""),
    "handle": (
        lambda: file_of(matrix(16, (1, 1), b"f", matrix(4, (1, 6), b"", element(16, b"canary")))),
        "function-handle",
        "",
    ),
    "handle-in-cell": (lambda: file_of(matrix(1, (1, 1), b"f", HANDLE)), "function-handle", "f{1}"),
    "object": (
        lambda: saved(scipy.io.matlab.MatlabObject(structs({"x": SECRET}), "canary")),
        "matlab-object",
        "",
    ),
    "sparse": (lambda: saved(scipy.sparse.csc_array([[SECRET]])), "sparse-matrix", ""),
    "sparse-in-struct": (
        lambda: saved({"x": scipy.sparse.csc_matrix([[SECRET]])}),
        "sparse-matrix",
        "data.x",
    ),
    "complex": (lambda: saved(np.asarray([[SECRET + 1j]])), "complex-numbers", ""),
    "complex-in-cell": (
        lambda: saved(cells({"x": np.asarray([[SECRET + 1j]])})),
        "complex-numbers",
        "data{1}.x",
    ),
    "three-dimensions": (lambda: saved(np.full((2, 2, 2), SECRET)), "too-many-dimensions", ""),
    "ragged": (
        lambda: saved(cells(PLAIN, {"x": vector(1, 2), "name": vector(*[SECRET] * 3)})),
        "mixed-kinds",
        "data{2}.name",
    ),
    "lengths": (
        lambda: saved(cells({"x": vector(1, SECRET), "y": vector(1)}, {"x": vector(1), "y": vector(1, 2)})),
        "lengths-differ",
        "data{1}.y",
    ),
    "widths": (
        lambda: saved(cells(np.full((2, 2), SECRET), np.full((2, 3), SECRET))),
        "widths-differ",
        "2, 3",
    ),
    "kinds": (lambda: saved(cells(vector(SECRET, 1), "canary")), "mixed-kinds", "data{2}"),
    "ambiguous": (
        lambda: saved({"x": cells(vector(SECRET, 1)), "y": cells(vector(1, 2))}),
        "several-tables",
        "table = 'data.x'",
    ),
    "deep": (lambda: deep(5000), "bad-mat", ""),
    "many-cells": (lambda: file_of(matrix(1, (1 << 30, 1 << 10), b"x")), "bad-mat", ""),
    "many-letters": (lambda: file_of(matrix(4, (1 << 16, 1 << 15), b"x", element(16, b""))), "bad-mat", ""),
    "letters-declared": (lambda: file_of(matrix(4, (1, 1000), b"x", element(16, b""))), "bad-mat", ""),
    "letters-of-other-type": (
        lambda: file_of(matrix(4, (1, 6), b"x", element(15, b"canary"))),
        "bad-mat",
        "",
    ),
    "numbers-of-other-type": (lambda: file_of(matrix(6, (1, 1), b"x", element(8, bytes(8)))), "bad-mat", ""),
    "half-complex": (
        lambda: file_of(matrix(6 | 1 << 11, (1, 1), b"x", element(9, bytes(8))), HANDLE, HANDLE),
        "bad-mat",
        "",
    ),
    # What SciPy reads on in the next variable.
    "cells-declared": (lambda: file_of(matrix(1, (1, 2), b"x", NUMBER), NEXT), "bad-mat", ""),
    "longer-than-its-array": (
        lambda: file_of(matrix(4, (1, 8), b"x", struct.pack("<II", 16, 16) + b"canaries"), NEXT),
        "bad-mat",
        "",
    ),
    "flags-of-other-type": (lambda: file_of(NEXT[:8] + struct.pack("<I", 5) + NEXT[12:]), "bad-mat", ""),
    "no-sizes": (lambda: file_of(matrix(6, (), b"x", element(9, bytes(8)))), "bad-mat", ""),
    "negative": (lambda: file_of(matrix(6, (-4, -4), b"x", element(9, b""))), "bad-mat", ""),
    "twice": (
        lambda: file_of(*[matrix(6, (1, 1), b"x", element(9, bytes(8)))] * 2),
        "duplicate-variable",
        "",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_refused_without_a_value(tmp_path: Path, name: str) -> None:
    content, code, named = MALFORMED[name]
    path = tmp_path / "data.mat"
    path.write_bytes(content())
    refused(path, code, named)


def test_what_unpacks_to_far_more_than_tables_do_is_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, {"data": np.zeros((100_000, 1))})
    assert table(path).height == 100_000
    for module in ("mat_tags", "unpacking"):
        monkeypatch.setattr(f"synthrelease.data.readers.{module}.FREELY_BYTES", 0)
    refused(path, "unpacks-to-too-much")


def test_a_variable_is_named_if_there_are_several(tmp_path: Path) -> None:
    path = written(tmp_path, {"a": vector(1, 2), "b": vector(SECRET)})
    refused(path, "several-variables", "a, b", "table = 'a'")
    refused(path, "unknown-variable", "'c'", table="c")
    assert table(path, table="a")["a"].to_list() == [1, 2]


def test_nesting_that_a_library_bears_is_read(tmp_path: Path) -> None:
    (tmp_path / "data.mat").write_bytes(deep(20))
    assert table(tmp_path / "data.mat").rows()[0][-1] == SECRET


@pytest.mark.parametrize("packed", [True, False])
def test_whatever_a_file_holds_the_error_is_ours(tmp_path: Path, *, packed: bool) -> None:
    content = saved(study(3, 2)[0], packed=packed)
    rng = np.random.default_rng(3)
    path = tmp_path / "data.mat"
    refusals = 0
    for _ in range(400):
        changed = bytearray(content)
        for place in rng.integers(128, len(content), size=2):
            changed[place] = rng.integers(256)
        path.write_bytes(changed)
        with contextlib.suppress(DataError):
            table(path)
            refusals -= 1
        refusals += 1
    assert refusals > 100
