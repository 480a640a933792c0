"""The columns a plan names, as checked arrays; errors name file, place, kind and remedy, and never a cell."""

from __future__ import annotations

import datetime as dt
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from goldens import figures
from hypothesis import given
from hypothesis import strategies as st
from refusals import check_refusal, refused
from tiers import few

from synthrelease.data.cells import categories, labels, numbers
from synthrelease.data.gaze import load_gaze
from synthrelease.data.screen import Screen
from synthrelease.data.source import Source
from synthrelease.data.tables import Table, read_table
from synthrelease.errors import DataError, InputError

COLUMNS = {"person": "person", "stimulus": "image", "x": "x_px", "y": "y_px"}
SCREEN = Screen(800, 600)
SECRETS = ("canary", "735", "284", "611")
COMPLAINTS = {  # by their codes
    "bad-number": ["canary", "NA", ".", "--", "1_735", "0x735", "735 125", "12:30", "٧٣٥"],
    "decimal-comma": ["735,125", "-735,1e3"],
    "comma-in-number": ["1.735,25", "1,735.25"],
    "nan": ["nan", "NaN", "-nan"],
    "infinite-number": ["inf", "-inf", "Infinity", "1e999", "-1e999"],
}


def csv(folder: Path, column: str, *cells: str) -> Table:
    """A file of two columns; the cells are quoted, so that they may hold anything."""
    path = folder / "data.csv"
    lines = ['"' + cell.replace('"', '""') + '",284\n' for cell in cells]
    path.write_text(f"{column},other\n" + "".join(lines), encoding="utf-8")
    return read_table(path, [column])


def parquet(folder: Path, column: str, cells: Any) -> Table:
    path = folder / "data.parquet"
    pl.DataFrame({column: cells, "other": ["canary"] * len(cells)}).write_parquet(path)
    return read_table(path, [column])


def said(error: DataError, path: Path, code: str, *places: str) -> None:
    """Assert that the error has the code, names the file and the places, ends with code 3, and quotes no cell."""
    check_refusal(error, path, code, *places, secrets=SECRETS)


def others(error: DataError, column: str) -> list[float]:
    """The figures behind the place of an error: how many more cells there are."""
    return figures(error.where.rpartition(f"column '{column}'")[2])


# Finding the columns


def gaze_file(folder: Path, header: str, *lines: str, separator: str = ",") -> Path:
    path = folder / "data.csv"
    path.write_text(
        "".join(f"{line}\n" for line in (header, *lines)).replace(",", separator), encoding="utf-8"
    )
    return path


@pytest.mark.parametrize(
    "header", ["person,image,x_px,y_px", "y_px,x_px,image,person", "x_px,note,person,y_px,image"]
)
@pytest.mark.parametrize("order", [("person", "stimulus", "x", "y"), ("y", "x", "stimulus", "person")])
def test_columns_are_found_by_name_in_any_order(tmp_path: Path, header: str, order: tuple[str, ...]) -> None:
    cells = {"person": "ann", "image": "sea", "x_px": "735", "y_px": "284", "note": ""}
    path = gaze_file(tmp_path, header, ",".join(cells[name] for name in header.split(",")))
    gaze = load_gaze(path, columns={key: COLUMNS[key] for key in order}, screen=SCREEN)
    assert (gaze.identities, gaze.stimuli) == (("ann",), ("sea",))
    assert (gaze.x_px.tolist(), gaze.y_px.tolist()) == ([735.0], [284.0])


def test_a_column_may_be_used_twice(tmp_path: Path) -> None:
    path = gaze_file(tmp_path, "number,at", "9,284", "10,300")
    columns = {"person": "number", "stimulus": "number", "x": "at", "y": "at", "time": "at"}
    gaze = load_gaze(path, columns=columns, screen=SCREEN)
    assert gaze.identities == gaze.stimuli == ("9", "10")
    assert gaze.x_px.tolist() == gaze.y_px.tolist() == [284.0, 300.0]
    assert read_table(path, ["at", "number", "at"]).frame.columns == ["at", "number"]


@pytest.mark.parametrize(
    ("present", "remedy"),
    [("persn", "'persn'"), ("Person", "'Person'"), ("subject_id", "`columns`")],
)
def test_a_missing_column_is_named_with_the_nearest_one(tmp_path: Path, present: str, remedy: str) -> None:
    path = gaze_file(tmp_path, f"{present},image,x_px,y_px", "canary,canary,735,284")
    with pytest.raises(DataError) as caught:
        load_gaze(path, columns=COLUMNS, screen=SCREEN)
    said(caught.value, path, "unknown-column")
    assert "'person'" in caught.value.problem
    assert figures(caught.value.found) == [4]
    assert remedy in caught.value.remedy


def test_a_missing_column_of_a_parquet_file_is_named(tmp_path: Path) -> None:
    parquet(tmp_path, "x_pixels", [735.0])
    with pytest.raises(DataError) as caught:
        read_table(tmp_path / "data.parquet", ["x_px"])
    said(caught.value, tmp_path / "data.parquet", "unknown-column")
    assert "'x_px'" in caught.value.problem
    assert "'x_pixels'" in caught.value.remedy


@pytest.mark.parametrize(
    ("first", "separator"),
    [
        ("canary-ann,canary-sea,735.5,284.5", ","),
        ("canary-ann,canary-sea,735,284", "\t"),
        ("735,canary-sea,735,735", ","),
        ("person735,image611,735.5,284.5", ","),
        ("person735,image611,NA,NA", ","),
        ("person735,image611,nan,nan", ","),
        ("person735,image611,,", ","),
        ("person735;image611;735,5;284,5", ";"),
    ],
)
def test_a_file_without_header_is_recognised_and_not_quoted(
    tmp_path: Path, first: str, separator: str
) -> None:
    path = tmp_path / "data.csv"
    if separator == "\t":
        first = first.replace(",", separator)
    path.write_text(f"{first}\n{first}\n", encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load_gaze(Source(path, separator), columns=COLUMNS, screen=SCREEN)
    said(caught.value, path, "no-header")
    assert "'person'" in caught.value.problem


def test_numbers_in_the_first_line_are_said_to_be_a_missing_header(tmp_path: Path) -> None:
    path = gaze_file(tmp_path, "canary-ann,canary-sea,735.5,284.5", "canary-ann,canary-sea,611,284.5")
    with pytest.raises(DataError) as caught:
        load_gaze(path, columns=COLUMNS, screen=SCREEN)
    said(caught.value, path, "no-header")
    assert "header = [" in caught.value.remedy


# Labels


def test_labels_are_sorted_as_numbers_before_text(tmp_path: Path) -> None:
    assert labels(csv(tmp_path, "id", "10", "9", "2", "10"), "id")[1] == ["2", "9", "10"]
    assert labels(csv(tmp_path, "id", "b", "a", "B", "é"), "id")[1] == ["B", "a", "b", "é"]
    assert labels(csv(tmp_path, "id", "p2", "10", "nan", "9.5", "-1"), "id")[1] == [
        "-1",
        "9.5",
        "10",
        "nan",
        "p2",
    ]


def test_labels_that_are_equal_numbers_stay_apart(tmp_path: Path) -> None:
    number, names = labels(csv(tmp_path, "id", "1", "01", "1"), "id")
    assert names == ["01", "1"]
    assert number.tolist() == [1, 0, 1]


def test_zero_has_no_sign_among_typed_labels(tmp_path: Path) -> None:
    assert labels(parquet(tmp_path, "id", [-0.0, 0.0, 1.0]), "id")[1] == ["0", "1"]


def test_space_around_a_label_does_not_count(tmp_path: Path) -> None:
    number, names = labels(csv(tmp_path, "id", "ann", " ann", "ann\t", " bob "), "id")
    assert names == ["ann", "bob"]
    assert number.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        ([10, 9, 10], ["9", "10"]),
        (pl.Series([10, 9, 10], dtype=pl.UInt8), ["9", "10"]),
        ([10.0, 9.0, 0.0], ["0", "9", "10"]),
        (pl.Series([10.0, 9.0, 10.0], dtype=pl.Float32), ["9", "10"]),
        ([2**60 + 1, 2**60, 2**60 + 1], [str(2**60), str(2**60 + 1)]),
        ([1.5, 2.0, 1.5], ["1.5", "2"]),
        ([True, False, True], ["false", "true"]),
        ([dt.date(2026, 2, 1), dt.date(2026, 1, 9), dt.date(2026, 2, 1)], ["2026-01-09", "2026-02-01"]),
    ],
    ids=str,
)
def test_typed_labels_become_the_text_that_a_person_would_write(
    tmp_path: Path, cells: Any, names: list[str]
) -> None:
    number, found = labels(parquet(tmp_path, "id", cells), "id")
    assert found == names
    assert number[0] == names.index(found[number[0]])
    assert len(number) == 3


LETTERS = st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"])


@given(st.lists(st.text(LETTERS, min_size=1, max_size=20), min_size=1))
@few
def test_labels_are_the_cells_themselves(tmp_path_factory: pytest.TempPathFactory, cells: list[str]) -> None:
    cells = [cell for cell in cells if cell.strip()] or ["one"]
    number, names = labels(csv(tmp_path_factory.mktemp("labels"), "id", *cells), "id")
    assert [names[n] for n in number] == [cell.strip() for cell in cells]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "label", ["canary\nann", "canary\tann", "canary\u2028ann", "canary\x1b[2J", "canary" * 40]
)
def test_a_label_that_would_spoil_a_page_is_refused_at_its_line(tmp_path: Path, label: str) -> None:
    with pytest.raises(DataError) as caught:
        labels(csv(tmp_path, "person", "ann", label, "ann"), "person")
    said(caught.value, tmp_path / "data.csv", "bad-label", "line 3,", "'person'")


@pytest.mark.parametrize("label", ["x" * 200, "日本", "Ann O'Hara-Müller (2)", "a/b\\c", "é"])
def test_any_short_text_on_one_line_is_a_label(tmp_path: Path, label: str) -> None:
    assert labels(csv(tmp_path, "person", label), "person")[1] == [label]


@pytest.mark.parametrize("empty", ["", " ", "\t "])
@pytest.mark.parametrize("row", [0, 1, 3])
def test_an_empty_label_is_refused_at_its_line(tmp_path: Path, empty: str, row: int) -> None:
    cells = ["canary-ann"] * 4
    cells[row] = empty
    with pytest.raises(DataError) as caught:
        labels(csv(tmp_path, "person", *cells), "person")
    said(caught.value, tmp_path / "data.csv", "missing-label", f"line {row + 2},", "'person'")


@pytest.mark.parametrize(
    "cells", [["canary", None, ""], [735, None, None], [735.0, None, 1.0], [735.5, None, 1.0]]
)
def test_a_null_label_is_refused_at_its_row(tmp_path: Path, cells: list[Any]) -> None:
    with pytest.raises(DataError) as caught:
        labels(parquet(tmp_path, "person", cells), "person")
    said(caught.value, tmp_path / "data.parquet", "missing-label", "row 1,", "'person'")


@pytest.mark.parametrize("cells", [[735.0, math.nan], [735.5, math.nan]])
def test_not_a_number_is_no_label(tmp_path: Path, cells: list[float]) -> None:
    with pytest.raises(DataError) as caught:
        labels(parquet(tmp_path, "person", cells), "person")
    said(caught.value, tmp_path / "data.parquet", "missing-label", "row 1,", "'person'")


@pytest.mark.parametrize("cells", [[["canary"], ["b"]], [b"\xff\xfe", b"canary"]], ids=["list", "bytes"])
def test_labels_of_an_unusable_type_are_refused(tmp_path: Path, cells: list[Any]) -> None:
    with pytest.raises(DataError) as caught:
        labels(parquet(tmp_path, "person", cells), "person")
    said(caught.value, tmp_path / "data.parquet", "bad-column", "'person'")


# Labels of a public list

GROUPS = ["control", "patient", "1", "2.5", "-1"]


def test_a_category_is_the_position_of_its_label_in_the_list(tmp_path: Path) -> None:
    table = csv(tmp_path, "group", "patient", "control", " 1 ", "control\t", "2.5")
    found = categories(table, "group", GROUPS)
    assert found.tolist() == [1, 0, 2, 0, 3]
    assert found.dtype == np.int64
    assert categories(table, "group", [*GROUPS, "unknown"]).tolist() == found.tolist()
    assert categories(table, "group", GROUPS[::-1]).tolist() == [3, 4, 2, 4, 1]


@pytest.mark.parametrize(
    ("cells", "listed", "expected"),
    [
        (["1", "2", "10"], ["10", "1", "2"], [1, 2, 0]),
        ([1, 2, 10], ["10", "1", "2"], [1, 2, 0]),
        (pl.Series([1, 2, None], dtype=pl.UInt8), ["1", "2"], [0, 1, -1]),
        ([1.0, 2.0, 10.0], ["10", "1", "2"], [1, 2, 0]),
        ([1.0, math.nan, None], ["1"], [0, -1, -1]),  # NaN among typed labels is an empty cell
        (pl.Series([1.0, 2.5], dtype=pl.Float32), ["1", "2.5"], [0, 1]),
        ([-0.0, 0.0, 1.0], ["1", "0"], [1, 1, 0]),
        ([True, False, None], ["false", "true"], [1, 0, -1]),
        ([dt.date(2026, 2, 1)], ["2026-02-01"], [0]),
        (pl.Series(["b", "a"], dtype=pl.Categorical), ["a", "b"], [1, 0]),
        (pl.Series(["b", None], dtype=pl.Enum(["a", "b"])), ["a", "b"], [1, -1]),
        ([None, None], ["a"], [-1, -1]),
    ],
    ids=str,
)
def test_typed_labels_are_found_by_the_text_that_a_person_would_write(
    tmp_path: Path, cells: Any, listed: list[str], expected: list[int]
) -> None:
    assert categories(parquet(tmp_path, "group", cells), "group", listed).tolist() == expected


@pytest.mark.parametrize("empty", ["", " ", "\t "])
def test_an_empty_cell_is_missing_and_no_refusal(tmp_path: Path, empty: str) -> None:
    assert categories(csv(tmp_path, "group", "control", empty, empty), "group", GROUPS).tolist() == [
        0,
        -1,
        -1,
    ]


@pytest.mark.parametrize(
    ("missing", "cells", "expected"),
    [
        ([-9], ["control", "-9", "-9.0", "-9e0"], [0, -1, -1, -1]),
        ([-9, 99], ["99", "patient", "-9"], [-1, 1, -1]),
        ([1, -1], ["1", "-1", "1.0"], [2, 4, -1]),  # what is listed is a label, whatever the codes
        ([math.inf], ["inf", "1e999", "control"], [-1, -1, 0]),
    ],
)
def test_a_missing_code_is_missing_where_it_is_no_label(
    tmp_path: Path, missing: list[float], cells: list[str], expected: list[int]
) -> None:
    assert categories(csv(tmp_path, "group", *cells), "group", GROUPS, missing=missing).tolist() == expected


@pytest.mark.parametrize("dtype", [pl.Int16, pl.Float64, pl.String])
def test_a_missing_code_is_missing_in_every_type(tmp_path: Path, dtype: Any) -> None:
    cells = pl.Series([1, -9, None]).cast(dtype)
    assert categories(parquet(tmp_path, "group", cells), "group", ["1"], missing=[-9]).tolist() == [0, -1, -1]


@pytest.mark.parametrize(
    "cell",
    ["canary", "Control", "control patient", "735", "1.0", "01", "nan", "NA", "canary\nann", "canary" * 50],
)
@pytest.mark.parametrize("row", [0, 2, 4])
def test_an_unknown_label_is_refused_by_its_line_and_never_quoted(
    tmp_path: Path, cell: str, row: int
) -> None:
    """The list is public and the cell is not: neither is the label told nor how many of each there are."""
    cells = ["control"] * 5
    cells[row] = cell
    with pytest.raises(DataError) as caught:
        categories(csv(tmp_path, "group", *cells), "group", GROUPS, missing=[-9])
    error, path = caught.value, tmp_path / "data.csv"
    said(error, path, "unlisted-category", f"line {row + 2}", "column 'group'")
    told = str(error).replace(str(path), "").replace("column 'group'", "")
    assert cell not in told
    assert figures(error.expected) == [len(GROUPS)]
    assert others(error, "group") == []


def test_an_unknown_label_of_a_typed_column_is_refused_by_its_row(tmp_path: Path) -> None:
    for cells in ([1, 735], [1.0, 735.5], pl.Series(["1", "canary"], dtype=pl.Categorical)):
        with pytest.raises(DataError) as caught:
            categories(parquet(tmp_path, "group", cells), "group", GROUPS)
        said(caught.value, tmp_path / "data.parquet", "unlisted-category", "row 1,", "column 'group'")


def test_further_unknown_labels_are_counted_and_the_first_is_named(tmp_path: Path) -> None:
    cells = ["control", "", "canary", "patient", "canary", "canary-735"]
    with refused(DataError, "unlisted-category", where="line 4, column 'group'") as caught:
        categories(csv(tmp_path, "group", *cells), "group", GROUPS)
    assert others(caught.value, "group") == [2]


@pytest.mark.parametrize("cells", [[["canary"], ["b"]], [b"\xff\xfe", b"canary"]], ids=["list", "bytes"])
def test_categories_of_an_unusable_type_are_refused(tmp_path: Path, cells: list[Any]) -> None:
    with pytest.raises(DataError) as caught:
        categories(parquet(tmp_path, "group", cells), "group", GROUPS)
    said(caught.value, tmp_path / "data.parquet", "bad-column", "'group'")


@given(st.lists(st.sampled_from([*GROUPS, "", " ", "-9"]), min_size=1, max_size=20), st.permutations(GROUPS))
def test_each_cell_is_judged_by_itself(
    tmp_path_factory: pytest.TempPathFactory, cells: list[str], listed: list[str]
) -> None:
    found = categories(csv(tmp_path_factory.mktemp("groups"), "g", *cells), "g", listed, missing=[-9])
    expected = [listed.index(cell) if cell in listed else -1 for cell in cells]
    assert found.tolist() == expected


# Numbers


def test_empty_cells_are_missing_numbers(tmp_path: Path) -> None:
    np.testing.assert_array_equal(
        numbers(csv(tmp_path, "x", "1.5", "", " ", "-2e1"), "x"), [1.5, math.nan, math.nan, -20]
    )
    np.testing.assert_array_equal(numbers(parquet(tmp_path, "x", [1.5, None]), "x"), [1.5, math.nan])
    np.testing.assert_array_equal(numbers(parquet(tmp_path, "x", [7, None]), "x"), [7.0, math.nan])
    np.testing.assert_array_equal(numbers(csv(tmp_path, "x", "", ""), "x"), [math.nan] * 2)


def test_a_column_of_nothing_is_missing_in_parquet_too(tmp_path: Path) -> None:
    np.testing.assert_array_equal(numbers(parquet(tmp_path, "x", [None, None]), "x"), [math.nan] * 2)


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt64, pl.Float32, pl.Float64, pl.Decimal(10, 2), pl.String])
def test_numbers_of_every_type_are_the_same(tmp_path: Path, dtype: Any) -> None:
    cells = pl.Series([7, 35, None]).cast(dtype)
    found = numbers(parquet(tmp_path, "x", cells), "x")
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [7.0, 35.0, math.nan])


@pytest.mark.parametrize(
    ("missing", "cells"),
    [
        ([-1], ["-1", "-1.0", "-1e0"]),
        ([-1, 9999.5], ["9999.5", "-1", ""]),
        ([math.nan], ["nan", "NaN", ""]),
        ([math.inf], ["inf", "Infinity", "1e999"]),
        ([-math.inf, math.inf], ["-inf", "inf", "-1e999"]),
        ([0], ["0", "-0", "0.0"]),
    ],
)
def test_declared_codes_are_missing_and_nothing_else_is(
    tmp_path: Path, missing: list[float], cells: list[str]
) -> None:
    found = numbers(csv(tmp_path, "x", *cells, "5"), "x", missing=missing)
    np.testing.assert_array_equal(found, [*[math.nan] * len(cells), 5.0])
    typed = parquet(tmp_path, "x", [float(cell) if cell else None for cell in cells] + [5.0])
    np.testing.assert_array_equal(numbers(typed, "x", missing=missing), found)


@pytest.mark.parametrize(
    ("code", "cell"), [(code, cell) for code, cells in COMPLAINTS.items() for cell in cells]
)
@pytest.mark.parametrize("row", [0, 2, 4])
def test_a_cell_that_is_no_number_is_named_by_its_line(
    tmp_path: Path, code: str, cell: str, row: int
) -> None:
    cells = ["735.125"] * 5
    cells[row] = cell
    with pytest.raises(DataError) as caught:
        numbers(csv(tmp_path, "x", *cells), "x")
    said(caught.value, tmp_path / "data.csv", code, f"line {row + 2},", "column 'x'")
    assert others(caught.value, "x") == []


@pytest.mark.parametrize(
    ("code", "cell"), [("nan", math.nan), ("infinite-number", math.inf), ("infinite-number", -math.inf)]
)
@pytest.mark.parametrize("row", [0, 2])
def test_a_value_that_is_no_number_is_named_by_its_row(
    tmp_path: Path, code: str, cell: float, row: int
) -> None:
    cells = [735.125] * 3
    cells[row] = cell
    with pytest.raises(DataError) as caught:
        numbers(parquet(tmp_path, "x", cells), "x")
    said(caught.value, tmp_path / "data.parquet", code, f"row {row},", "column 'x'")


def test_text_in_a_parquet_column_is_named_by_its_row(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        numbers(parquet(tmp_path, "x", ["735.125", "canary", "735.125"]), "x")
    said(caught.value, tmp_path / "data.parquet", "bad-number", "row 1,", "column 'x'")


def test_further_bad_cells_are_counted(tmp_path: Path) -> None:
    with refused(DataError, "bad-number", where="line 3, column 'x'") as caught:
        numbers(csv(tmp_path, "x", "735", "canary", "611", "canary", "canary"), "x")
    assert others(caught.value, "x") == [2]


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "1e999", "-1e999"])
def test_the_remedy_for_a_number_that_cannot_be_used_works(tmp_path: Path, cell: str) -> None:
    table = csv(tmp_path, "x", "735", cell)
    with pytest.raises(DataError) as caught:
        numbers(table, "x")
    assert "`missing`" in caught.value.remedy
    (code,) = {"nan", "inf", "-inf"} & set(caught.value.remedy.split())
    np.testing.assert_array_equal(numbers(table, "x", missing=[float(code)]), [735.0, math.nan])


def test_nan_must_be_declared_by_itself(tmp_path: Path) -> None:
    with refused(DataError, "nan"):
        numbers(csv(tmp_path, "x", "nan", "-1"), "x", missing=[-1, math.inf])


@pytest.mark.parametrize(
    "cells",
    [
        [True, False],
        [dt.date(2026, 1, 1), None],
        [["canary"], ["canary"]],
        pl.Series(["canary", "canary-735"], dtype=pl.Categorical),
        pl.Series(["canary", "canary-735"], dtype=pl.Enum(["canary", "canary-735"])),
    ],
    ids=["bool", "date", "list", "categorical", "enum"],
)
def test_a_column_of_another_type_is_refused_by_name(tmp_path: Path, cells: Any) -> None:
    with pytest.raises(DataError) as caught:
        numbers(parquet(tmp_path, "x", cells), "x")
    said(caught.value, tmp_path / "data.parquet", "bad-column", "column 'x'")


@given(
    st.lists(st.floats(-1e6, 1e6).map(repr), min_size=1, max_size=20),
    st.integers(0, 19),
    st.sampled_from([(code, cell) for code, cells in COMPLAINTS.items() for cell in cells]),
)
def test_the_first_bad_cell_is_the_one_that_is_named(
    tmp_path_factory: pytest.TempPathFactory, cells: list[str], row: int, bad: tuple[str, str]
) -> None:
    row = min(row, len(cells))
    table = csv(tmp_path_factory.mktemp("numbers"), "x", *cells[:row], bad[1], *cells[row:])
    with pytest.raises(DataError) as caught:
        numbers(table, "x")
    assert f"line {row + 2}," in caught.value.where
    assert caught.value.code == bad[0]


@given(
    st.lists(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.none()), min_size=1, max_size=30)
)
def test_numbers_are_read_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, values: list[float | None]
) -> None:
    folder = tmp_path_factory.mktemp("bits")
    expected = np.array([math.nan if v is None else v for v in values])
    np.testing.assert_array_equal(
        numbers(csv(folder, "x", *("" if v is None else repr(v) for v in values)), "x"), expected
    )
    np.testing.assert_array_equal(
        numbers(parquet(folder, "x", pl.Series(values, dtype=pl.Float64)), "x"), expected
    )


# Places


def test_a_place_is_a_line_of_text_or_a_row_of_parquet(tmp_path: Path) -> None:
    text, typed = csv(tmp_path, "x", "1", "2"), parquet(tmp_path, "x", [1, 2])
    assert text.place(0, "x") == f"{tmp_path / 'data.csv'}, line 2, column 'x'"
    assert typed.place(0, "x") == f"{tmp_path / 'data.parquet'}, row 0, column 'x'"


def test_data_errors_are_input_errors_of_exit_code_3() -> None:
    assert issubclass(DataError, InputError)
    assert DataError.exit_code == 3
