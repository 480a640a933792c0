"""Lists in the cells of a text: every element is a row, at the line of its list, and what is no list of numbers is refused in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from refusals import refused

from synthrelease.data.cells import numbers
from synthrelease.data.facts import read_facts
from synthrelease.data.readers import text_blocks
from synthrelease.data.readers.reader import RowFilter
from synthrelease.data.source import Source
from synthrelease.data.tables import read_table
from synthrelease.errors import DataError

LISTS = ("gaze_x", "gaze_y")
CELLS = {  # rows of lists as people write them: x, y
    "json": ('"[1.5, 2.5]"', '"[3, 4e0]"'),
    "numpy": ("[1.5 2.5]", "[3. 4.]"),
    "numpy over lines": ('"[1.5\n 2.5]"', '"[ 3.\n  4.]"'),
    "plain": ("1.5 2.5", "3 4"),
    "tuples": ('"(1.5, 2.5,)"', '"(3,4)"'),
    "semicolons": ("[1.5;2.5]", "3; 4"),
}


@pytest.fixture(
    autouse=True, scope="module", params=[text_blocks._BLOCK_BYTES, 30], ids=["at once", "in blocks"]
)
def _block(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_blocks, "_BLOCK_BYTES", request.param)
        yield


def source(folder: Path, *rows: str, lists: tuple[str, ...] = LISTS) -> Source:
    path = folder / "lists.csv"
    path.write_text("\n".join(["person,gaze_x,gaze_y", *rows]) + "\n")
    return Source(path, lists=lists)


@pytest.mark.parametrize("form", CELLS)
def test_each_element_is_a_row(tmp_path: Path, form: str) -> None:
    found = read_table(
        source(tmp_path, "ann,7,8", f"bob,{CELLS[form][0]},{CELLS[form][1]}", "ann,[9],[10]"),
        ["person", *LISTS],
    )
    assert found.frame["person"].to_list() == ["ann", "bob", "bob", "ann"]
    assert numbers(found, "gaze_x").tolist() == [7, 1.5, 2.5, 9]
    assert numbers(found, "gaze_y").tolist() == [8, 3, 4, 10]
    assert found.lines[:3].tolist() == [2, 3, 3]


def test_rows_are_as_many_whichever_columns_are_read(tmp_path: Path) -> None:
    lists = source(tmp_path, "ann,[1 2 3],[4 5 6]", "bob,[7],[8]")
    assert read_table(lists, ["person"]).frame["person"].to_list() == ["ann"] * 3 + ["bob"]
    assert read_table(lists, ["gaze_y"]).frame["gaze_y"].to_list() == ["4", "5", "6", "8"]
    wanted = read_table(lists, ["gaze_x"], row_filter=RowFilter("person", pl.Series(["ann"])))
    assert wanted.frame["gaze_x"].to_list() == ["1", "2", "3"]
    facts = read_facts(lists, columns={"person": "person"}, listed=None, lengths_public=True)
    assert facts.longest == 3


@pytest.mark.parametrize("nothing", ["", "[]", '" "', "[ ]"])
def test_an_empty_list_is_a_row_without_values_whose_participant_counts(tmp_path: Path, nothing: str) -> None:
    found = read_table(source(tmp_path, f"ann,{nothing},{nothing}", "bob,[1],[2]"), ["person", *LISTS])
    assert found.frame["person"].to_list() == ["ann", "bob"]
    assert np.isnan(numbers(found, "gaze_x")[0])
    assert found.lines.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("bob,[7331 2],[3]", "list-lengths-differ"),
        ("bob,[7331 2],", "list-lengths-differ"),
        ('bob,"[[7331, 2], [3, 4]]",[1 2]', "nested-list"),
        ("bob,[7331 ... 2],[1 ... 2]", "cut-off-list"),
    ],
)
def test_what_is_no_list_of_numbers_is_refused_by_its_line(tmp_path: Path, row: str, code: str) -> None:
    with refused(DataError, code, where="line 3") as caught:
        read_table(source(tmp_path, "ann,[1 2],[3 4]", row), ["gaze_x"])
    assert all(f"'{name}'" in caught.value.where for name in LISTS)
    assert "7331" not in str(caught.value)


def test_a_cell_that_is_no_number_is_found_at_its_line(tmp_path: Path) -> None:
    found = read_table(source(tmp_path, "ann,[1 2],[3 4]", "bob,[1 canary],[3 4]"), ["gaze_x"])
    with refused(DataError, "bad-number", where="line 3") as caught:
        numbers(found, "gaze_x")
    assert "canary" not in str(caught.value)


def test_a_list_where_a_number_is_expected_names_the_option(tmp_path: Path) -> None:
    found = read_table(source(tmp_path, "ann,[1 7331],[3 4]", lists=()), ["gaze_x"])
    with refused(DataError, "list-in-cell", where="line 2", names=["lists"]) as caught:
        numbers(found, "gaze_x")
    assert "7331" not in str(caught.value)


def test_lists_name_columns_that_are_there_and_are_of_text(tmp_path: Path) -> None:
    with refused(DataError, "unknown-column", names=["'gaze_z'"]):
        read_table(source(tmp_path, "ann,1,2", lists=("gaze_z",)), ["person"])
    pl.DataFrame({"x": [1]}).write_parquet(tmp_path / "x.parquet")
    with refused(DataError, "key-not-for-format", names=["lists"]):
        read_table(Source(tmp_path / "x.parquet", lists=("x",)), ["x"])
