"""Folders of files read as one table: what names of files say, which are opened, and where errors are."""

from __future__ import annotations

import datetime as dt
import gzip
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import refusals
from goldens import figures
from refusals import check_refusal

import synthrelease
from synthrelease.data.features import FeatureData, load_features
from synthrelease.data.readers import folder as folders
from synthrelease.data.readers import reader_for
from synthrelease.data.readers.reader import RowFilter
from synthrelease.data.source import Source
from synthrelease.data.tables import read_slices, read_table
from synthrelease.errors import DataError
from synthrelease.plan.partitions import partitions_of, stamp_of
from synthrelease.plan.plan import load_plan

PATTERN = "P{person}_R{recording}.csv"


def written(folder: Path, *, people: int = 3, recordings: int = 2, rows: int = 4) -> Path:
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(1)
    for person in range(1, people + 1):
        for recording in range(1, recordings + 1):
            lines = [f"{t},{value:.3f}" for t, value in enumerate(rng.random(rows))]
            (folder / f"P{person}_R{recording}.csv").write_text("\n".join(["t,x", *lines]) + "\n")
    (folder / "README.txt").write_text("about\n")
    return folder


def load(source: Source, **options: Any) -> FeatureData:
    columns = {"person": "person", "recording": "recording", "time": "t"}
    return load_features(source, **{"columns": columns, "bounds": {"x": (0.0, 1.0)}, **options})


def refused(source: Source, code: str, *places: str) -> DataError:
    with pytest.raises(DataError) as caught:
        load(source)
    check_refusal(caught.value, source.path, code, *places, secrets=("canary",))
    return caught.value


def test_a_folder_is_the_table_that_one_file_would_be(tmp_path: Path) -> None:
    source = Source(written(tmp_path / "d"), pattern=PATTERN)
    found = read_table(source, ["recording", "x", "person"])
    frames = []
    for person in "123":
        for recording in "12":
            own = pl.read_csv(source.path / f"P{person}_R{recording}.csv", infer_schema=False)
            frames.append(
                own.select(pl.lit(recording).alias("recording"), "x", pl.lit(person).alias("person"))
            )
    assert found.frame.equals(pl.concat(frames))
    pl.concat(one.rename({"recording": "r"}).with_columns(t=pl.Series(range(4))) for one in frames).write_csv(
        tmp_path / "one.csv"
    )
    one = load(Source(tmp_path / "one.csv"), columns={"person": "person", "recording": "r", "time": "t"})
    many = load(source)
    assert many.identities == one.identities == ("1", "2", "3")
    assert np.array_equal(many.values, one.values)
    assert np.array_equal(many.person, one.person)
    assert np.array_equal(many.recording, one.recording)


def test_files_are_in_natural_order_and_packed_ones_are_read_too(tmp_path: Path) -> None:
    for name in ("P10.csv.gz", "P9.csv", "P2.csv"):
        text = f"x\n0.{name[1]}\n".encode()
        (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    found = read_table(Source(tmp_path, pattern="P{person}.csv*"), ["person", "x"])
    assert found.frame.rows() == [("2", "0.2"), ("9", "0.9"), ("10", "0.1")]


@pytest.mark.parametrize(
    ("pattern", "names", "cells"),
    [
        (
            "S_{round:1}{subject:3}_S{session}_{task}.csv",
            ["S_1001_S1_FXS.csv", "S_9322_S2_RAN.csv", "S_12_S1_TEX.csv", "S_1001_S1_FXS.csv.bak"],
            [("1", "001", "1", "FXS"), ("9", "322", "2", "RAN")],
        ),
        ("*/{person}.csv", ["a/1.csv", "b/2.csv", "3.csv", "a/b/4.csv"], [("1",), ("2",)]),
        ("**/{person}.csv", ["a/1.csv", "b/2.csv", "3.csv", "a/b/4.csv"], [("3",), ("1",), ("4",), ("2",)]),
        ("sub-{person}/{task}.csv", ["sub-a+b/x.csv", "sub-(c)/y.z.csv"], [("(c)", "y.z"), ("a+b", "x")]),
        ("{a}-{b}.csv", ["x-y-z.csv"], [("x", "y-z")]),
    ],
)
def test_patterns(tmp_path: Path, pattern: str, names: list[str], cells: list[tuple[str, ...]]) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x\n1\n")
    found = folders.matching_files(Source(tmp_path, pattern=pattern))
    assert [tuple(file.cells.values()) for file in found] == cells
    assert folders.pattern_columns(pattern) == list(found[0].cells)


def test_a_name_fits_as_it_fits_a_regular_expression() -> None:
    """Of all ways the one that is found: any text as long, and a column as short as it can be."""
    draw = random.Random(1)
    kinds = ("*", "{}", "{:1}", "{:2}", "**/", "a", ".", "/", "ab")
    fitting = 0
    for _ in range(4000):
        drawn = [draw.choice(kinds) for _ in range(draw.randint(1, 5))]
        pattern = "".join(
            part.replace("{", f"{{c{number}") if part.startswith("{") else part
            for number, part in enumerate(drawn)
        )
        parts = folders._parts(Source(Path(), pattern=pattern))
        name = "".join(draw.choice("aab./") for _ in range(draw.randint(1, 8)))
        expected = re.fullmatch("".join(map(_expression, parts)), name)
        assert folders._cells(parts, name) == (expected and expected.groupdict()), (pattern, name)
        fitting += expected is not None
    assert fitting > 100


def _expression(part: folders._Part) -> str:
    if part.text:
        return re.escape(part.text)
    if part.is_folders:
        return r"(?:(?!\.)[^/]+/)*"
    any_text = f"[^/]{{{part.length}}}" if part.length else "[^/]*" if part.is_star else "[^/]+?"
    return (r"(?!\.)" if part.is_first else "") + (
        f"(?P<{part.column}>{any_text})" if part.column else any_text
    )


@pytest.mark.parametrize(
    "pattern",
    ["{person}.csv", "*{person}.csv", "{person}.*", "**/{person}.csv", "{person:2}.csv", "{person}"],
)
def test_what_is_hidden_or_of_a_system_is_left_alone(tmp_path: Path, pattern: str) -> None:
    for name in (
        "P1.csv",
        "._P1.csv",
        ".P2.csv",
        "._.csv",
        ".DS_Store",
        "Thumbs.db",
        "desktop.ini",
        ".a/P3.csv",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x\n1\n")
    found = folders.matching_files(Source(tmp_path, pattern=pattern))
    assert [file.source.path.name for file in found] == ["P1.csv"]


def test_a_pattern_may_begin_with_a_point(tmp_path: Path) -> None:
    for name in (".P1.csv", ".data/P2.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n1\n")
    for pattern in (".{person}.csv", ".data/{person}.csv", "**/.P{person}.csv"):
        assert len(folders.matching_files(Source(tmp_path, pattern=pattern))) == 1


def test_a_column_of_two_types_is_refused(tmp_path: Path) -> None:
    """Days since 1970 are no numbers, and 1 and 1.0 would be two people."""
    source = Source(tmp_path, pattern="p{file}.parquet")
    for one, other in (
        ([1.0], ["1"]),
        ([1.0], [dt.date(2026, 1, 1)]),
        ([1], [True]),
        ([1], [dt.timedelta(1)]),
        (["1"], [[1.0]]),
    ):
        pl.DataFrame({"x": [None]}).write_parquet(tmp_path / "p0.parquet")
        pl.DataFrame({"x": one}).write_parquet(tmp_path / "p1.parquet")
        pl.DataFrame({"x": other}).write_parquet(tmp_path / "p2.parquet")
        place = f"{tmp_path}, p2.parquet, row 0, column 'x'"
        with refusals.refused(DataError, "mixed-types", where=place) as caught:
            read_table(source, ["x"])
        assert "p1.parquet" in caught.value.expected


def test_a_column_without_cells_has_no_type(tmp_path: Path) -> None:
    for number, values in enumerate(([1.5, 2.5], pl.Series([None, None], dtype=pl.String), [3, 4])):
        pl.DataFrame({"x": values}).write_parquet(tmp_path / f"p{number}.parquet")
    found = read_table(Source(tmp_path, pattern="p{person}.parquet"), ["person", "x"])
    assert found.frame["x"].to_list() == [1.5, 2.5, None, None, 3.0, 4.0]


def test_a_place_names_the_file_and_its_line(tmp_path: Path) -> None:
    source = Source(written(tmp_path / "d"), pattern=PATTERN)
    bad = source.path / "P2_R2.csv"
    bad.write_text(bad.read_text().replace("3,0.", "3,canary0."))
    refused(source, "bad-number", "P2_R2.csv, line 5, column 'x'")


def test_only_files_of_the_people_wanted_are_opened(tmp_path: Path) -> None:
    source = Source(written(tmp_path / "d", people=5), pattern=PATTERN)
    for name in ("P1_R1.csv", "P4_R2.csv"):
        (source.path / name).write_bytes(b"t,x\n\xff\n")  # cannot be read
    some = load(source, row_filter=RowFilter("person", pl.Series(["2", "5"])))
    assert some.identities == ("2", "5")
    assert len(some.person) == 16
    refused(source, "not-utf8", "P1_R1.csv, line 2")


@pytest.mark.parametrize("cells", [12, 30])
def test_large_folders_are_read_in_parts(tmp_path: Path, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "d", people=7)
    text = """
[release]
name = "r"
version = "1"
title = "t"
[privacy]
epsilon = 1.0
[inputs.x]
kind = "features"
path = "d"
pattern = "P{person}_R{recording}.csv"
columns = { person = "person", recording = "recording", time = "t" }
recordings = ["1", "2"]
[inputs.x.bounds]
x = [0.0, 1.0]
[[outputs]]
name = "s"
kind = "statistics"
input = "x"
statistics = ["mean"]
"""
    (tmp_path / "plan.toml").write_text(text)
    whole = synthrelease.build(tmp_path / "plan.toml", tmp_path / "whole.h5", test_seed=1)
    monkeypatch.setattr("synthrelease.plan.partitions.PART_CELLS", cells * 4)
    spec = load_plan(tmp_path / "plan.toml").inputs["x"]
    facts = synthrelease.building.design.make_design(load_plan(tmp_path / "plan.toml")).facts["x"]
    several = partitions_of(spec, facts, stamp_of(spec.source))
    assert len(several) > 1
    in_parts = synthrelease.build(tmp_path / "plan.toml", tmp_path / "parts.h5", test_seed=1)
    assert in_parts.path.read_bytes() == whole.path.read_bytes()


def test_rows_are_sliced(tmp_path: Path) -> None:
    source = Source(written(tmp_path / "d"), pattern=PATTERN)
    slices = [table.frame for table in read_slices(source, ["person", "x"], most_rows=3)]
    assert all(frame.height <= 3 for frame in slices)
    assert pl.concat(slices).equals(read_table(source, ["person", "x"]).frame)


def test_a_stamp_tells_changed_new_and_missing_files(tmp_path: Path) -> None:
    source = Source(written(tmp_path / "d"), pattern=PATTERN)
    stamps = [stamp_of(source)]
    (source.path / "README.txt").write_text("changed, and of no matter\n")
    assert stamp_of(source) == stamps[0]
    (source.path / "P9_R1.csv").write_text("t,x\n1,1\n")
    stamps.append(stamp_of(source))
    (source.path / "P9_R1.csv").write_text("t,x\n1,0.5\n")
    stamps.append(stamp_of(source))
    (source.path / "P1_R1.csv").unlink()
    stamps.append(stamp_of(source))
    assert len(set(stamps)) == 4


def test_files_of_a_folder_may_differ_in_the_order_of_columns_and_in_others(tmp_path: Path) -> None:
    source = Source(written(tmp_path / "d"), pattern=PATTERN)
    (source.path / "P2_R1.csv").write_text("more,x,t\n9,0.5,1\n")
    assert load(source).values[load(source).person == 1].ravel()[0] == 0.5
    (source.path / "P2_R1.csv").write_text("more,y,t\n9,0.5,1\n")
    assert "'x'" in refused(source, "columns-differ", "P2_R1.csv").problem
    (source.path / "P2_R1.csv").write_text("more,x_px,t_s\n9,0.5,1\n")
    assert "'x'" in refused(source, "columns-differ", "P2_R1.csv").problem
    (source.path / "P1_R1.csv").write_text("more,t\n9,1\n")  # the first
    assert "'x'" in refused(source, "unknown-column", "P1_R1.csv").problem


def test_parquet_files_in_a_folder_keep_their_types(tmp_path: Path) -> None:
    for number, values in enumerate(([1, 2], [0.25, 0.5])):
        pl.DataFrame({"x": values}).write_parquet(tmp_path / f"p{number}.parquet")
    found = read_table(Source(tmp_path, pattern="p{person}.parquet"), ["person", "x"])
    assert found.frame["x"].to_list() == [1.0, 2.0, 0.25, 0.5]
    assert found.place(3, "x") == f"{tmp_path}, p1.parquet, row 1, column 'x'"  # not a sentence: a place


def test_what_is_no_folder_or_no_pattern_is_refused(tmp_path: Path) -> None:
    source = Source(written(tmp_path / "d"), pattern=PATTERN)
    refused(Source(tmp_path / "none", pattern=PATTERN), "no-such-folder")
    refused(Source(source.path / "P1_R1.csv", pattern=PATTERN), "no-such-folder")
    assert "pattern = '" in refused(Source(source.path), "path-is-folder").remedy
    error = refused(Source(source.path, pattern="Q{person}.csv"), "no-file-fits")
    assert figures(error.found) == [7]
    error = refused(Source(source.path, pattern="P{person}_{person}.csv"), "pattern-names-twice")
    assert "'person'" in error.problem
    for stray in ("P{person.csv", "P{}.csv", "P{per son}.csv", "P{person:0}.csv", "P}.csv"):
        assert stray in refused(Source(source.path, pattern=stray), "bad-pattern").found
    error = refused(Source(source.path, pattern="P{person}_R{x}.csv"), "column-named-twice")
    assert "'x'" in error.problem
    assert "'person'" in refused(Source(source.path, pattern="README.{kind}"), "unknown-column").problem


def test_text_without_a_header_gets_names_from_the_plan(tmp_path: Path) -> None:
    (tmp_path / "P1_R1.csv").write_text("0;0.5\n1;0.25\n")
    (tmp_path / "P2_R1.csv").write_text("0;0.125\n")
    source = Source(tmp_path, ";", ("t", "x"), PATTERN)
    found = load(source)
    assert found.values.ravel().tolist() == [0.5, 0.25, 0.125]
    place = read_table(source, ["x"]).place(1, "x")
    assert place == f"{tmp_path}, P1_R1.csv, line 2, column 'x'"  # not a sentence: a place
    (tmp_path / "P2_R1.csv").write_text("0;canary\n")
    refused(source, "bad-number", "P2_R1.csv, line 1, column 'x'")
    (tmp_path / "P2_R1.csv").write_text("0;0.125;7\n")
    error = refused(source, "too-many-fields", "P2_R1.csv, line 1")
    assert (figures(error.found), figures(error.expected)) == ([3], [2])
    (tmp_path / "P2_R1.csv").write_text("")
    refused(source, "empty-file", "P2_R1.csv")


def test_a_registry_finds_the_folder(tmp_path: Path) -> None:
    assert isinstance(reader_for(Source(tmp_path)), folders.Folder)
    assert reader_for(Source(tmp_path)).matches(tmp_path)
