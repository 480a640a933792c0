"""An input in parts is the input at once: the same people, each whole, the same sums, the same errors."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import made
import numpy as np
import polars as pl
import pytest
from invented_study import write_study
from refusals import refused

import synthrelease
from synthrelease.building import ready
from synthrelease.building.design import Design, make_design
from synthrelease.data import facts
from synthrelease.data.facts import read_facts
from synthrelease.data.features import FeatureData, load_features
from synthrelease.data.gaze import SMALL_PART, GazeData, load_gaze
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.readers import delimited, parquet, text_blocks
from synthrelease.data.screen import Screen
from synthrelease.data.source import Source
from synthrelease.data.tables import Table
from synthrelease.errors import DataError, PlanError
from synthrelease.kinds.contributions import Rows, Tally
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.numerics.spectral import SpectralForm
from synthrelease.plan import partitions
from synthrelease.plan.partitions import (
    Contributions,
    Partition,
    contributions,
    partitions_of,
    small_tables,
    stamp_of,
)
from synthrelease.plan.plan import CheckedPlan, defaults, load_plan

COLUMNS = {"person": "who", "stimulus": "image", "x": "x", "y": "y"}
SCREEN = Screen(80, 60)
STIMULI = ("sea", "sky", "sun")


def table(*, rows: int = 600, people: int = 17, order: str = "shuffled", **changes: Any) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "who": [f"p{p}" for p in rng.integers(0, people, rows)],
            "image": rng.choice([*STIMULI, "unlisted"], rows),
            "x": rng.uniform(0, 80, rows),
            "y": rng.uniform(0, 60, rows),
            "t": np.arange(rows, dtype=np.float64),
            "ms": rng.uniform(0, 400, rows),
        }
    ).with_columns(x=pl.when(pl.col("t") % 50 == 7).then(None).otherwise(pl.col("x")))
    for name, value in changes.items():
        frame = frame.with_columns(value.alias(name))
    return frame if order == "shuffled" else frame.sort(order, maintain_order=True)


def stored(folder: Path, frame: pl.DataFrame, name: str = "gaze.parquet") -> Path:
    path = folder / name
    if name.endswith(".parquet"):
        frame.write_parquet(path, row_group_size=40)
    else:
        frame.write_csv(path)
    return path


def gaze_input(path: Path, **columns: str) -> InputSpec:
    options = {"columns": {**COLUMNS, **columns}, "screen": {"width_px": 80, "height_px": 60}}
    return InputSpec(
        "looks",
        "gaze",
        path,
        {**defaults("gaze"), **options},
    )


def feature_input(path: Path) -> InputSpec:
    columns = {"person": "who", "recording": "image", "time": "t"}
    bounds = {"x": [0.0, 80.0], "y": [0.0, 60.0]}
    options = {
        "columns": columns,
        "bounds": bounds,
        "categories": {"image": ["sea", "sky", "sun", "unlisted"]},
    }
    return InputSpec("series", "features", path, {**defaults("features"), **options})


def parts_of(spec: InputSpec, monkeypatch: pytest.MonkeyPatch, *, cells: int = 360) -> tuple[Partition, ...]:
    monkeypatch.setattr(partitions, "PART_CELLS", cells)
    public = read_facts(spec.path, columns=spec.options["columns"], listed=STIMULI)
    found = partitions_of(spec, public, stamp_of(spec.path))
    assert len(found) > 1
    return found


def joined(several: tuple[Partition, ...], collect: Any) -> Any:
    """What is collected, joined in another order than that of the file."""
    mechanism: Any = SimpleNamespace(collect=collect, measured=lambda _: {}, losses=lambda _: ())
    each = [contributions(part, {"one": mechanism}).collected["one"] for part in several]
    return functools.reduce(lambda one, other: one.joined(other), each[::-1])


@pytest.fixture(autouse=True)
def _long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text is as good as Parquet: these files count as too large for memory."""
    monkeypatch.setattr(text_blocks, "_BLOCK_BYTES", 500)


@pytest.mark.quick("who-gaze.parquet")
@pytest.mark.parametrize("file", ["gaze.parquet", "gaze.csv"])
@pytest.mark.parametrize("order", ["shuffled", "who", "image"])
def test_every_person_is_whole_in_one_part_and_no_part_is_much_too_large(
    tmp_path: Path, order: str, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored(tmp_path, table(order=order), file)
    whole = load_gaze(path, columns=COLUMNS, screen=SCREEN, stimuli=STIMULI)
    several = parts_of(gaze_input(path), monkeypatch)
    assert len(several) > 5
    seen: list[str] = []
    for part in several:
        data = part.read()
        assert isinstance(data, GazeData)
        assert data.person.size <= 90
        for number, name in enumerate(data.identities):
            of_part = data.person == number
            of_whole = whole.person == whole.identities.index(name)
            np.testing.assert_array_equal(data.x_px[of_part], whole.x_px[of_whole])
            np.testing.assert_array_equal(data.stimulus[of_part], whole.stimulus[of_whole])
            np.testing.assert_array_equal(data.assigned[number], whole.assigned[whole.identities.index(name)])
        assert [whole.identities[n] for n in part.numbers] == list(data.identities)
        seen.extend(data.identities)
    assert sorted(seen) == sorted(whole.identities)
    assert len(seen) == len(set(seen))


def test_a_person_of_more_rows_than_a_part_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = table(who=pl.Series(["busy"] * 500 + ["idle"] * 100))
    assert [part.people for part in parts_of(gaze_input(stored(tmp_path, frame)), monkeypatch)] == [
        ("busy",),
        ("idle",),
    ]


def test_cells_that_are_written_differently_and_mean_one_person_stay_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = table(who=pl.Series(["7", " 7", "7 ", "8"] * 150))
    several = parts_of(gaze_input(stored(tmp_path, frame)), monkeypatch)
    assert [part.read().identities for part in several] == [("7",), ("8",)]
    numbers = table(who=pl.Series([7.0, 8.0, 9.0] * 200))
    several = parts_of(gaze_input(stored(tmp_path, numbers)), monkeypatch, cells=800)
    assert [part.read().identities for part in several] == [("7",), ("8",), ("9",)]
    together = table(who=pl.Series([10.0, 9.0, 11.0] * 200))
    several = parts_of(gaze_input(stored(tmp_path, together)), monkeypatch, cells=1700)
    assert [part.read().identities for part in several] == [("9", "10"), ("11",)]


@pytest.mark.parametrize("column", ["person", "len", "value", "cell", "begin", "end"])
@pytest.mark.parametrize("cells", ["numbers", "fractions", "text"])
def test_a_column_of_people_may_have_any_name(
    tmp_path: Path, column: str, cells: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    who = pl.Series([7, 8, 9, 10] * 150)
    as_written = {"numbers": who, "fractions": who.cast(pl.Float64), "text": who.cast(pl.String) + " "}[cells]
    for order in ("shuffled", "who"):
        frame = table(who=as_written, order=order).rename({"who": column})
        spec = gaze_input(stored(tmp_path, frame), person=column)
        several = parts_of(spec, monkeypatch, cells=800)
        read = [part.read().identities for part in several]
        assert sorted(name for names in read for name in names) == ["10", "7", "8", "9"]


@pytest.mark.parametrize("only", [False, True], ids=["all rows", "rows that are chosen"])
def test_rows_that_stand_together_are_read_as_a_stretch(
    tmp_path: Path,
    only: bool,  # noqa: FBT001  a parameter
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    filtered = parquet._filtered
    monkeypatch.setattr(parquet, "_filtered", lambda *how: asked.append(how) or filtered(*how))
    data: dict[str, list[GazeData | FeatureData]] = {}
    for order in ("who", "image"):
        spec = gaze_input(stored(tmp_path, table(order=order)))
        if only:
            spec.options["only"] = {"image": ["sea", "sky"]}
        several = parts_of(spec, monkeypatch)
        asked.clear()
        data[order] = [part.read() for part in several]
        assert len(asked) == (0 if order == "who" else len(several))
    for part in data["who"]:
        assert isinstance(part, GazeData)
        assert part.person.size
        assert (np.diff(part.person) >= 0).all()
    people = [sorted(name for part in parts for name in part.identities) for parts in data.values()]
    assert people[0] == people[1]
    rows = [sum(part.person.size for part in parts) for parts in data.values()]
    assert rows[0] == rows[1]


def test_small_files_are_one_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = table()
    for name in ("gaze.parquet", "gaze.csv"):
        spec = gaze_input(stored(tmp_path, frame, name))
        monkeypatch.setattr(partitions, "PART_CELLS", len(frame) * 4)
        ((_, rows),) = small_tables({"gaze": spec}).items()
        public = read_facts(rows, columns=COLUMNS, listed=STIMULI)
        (part,) = partitions_of(spec, public, stamp_of(spec.path), rows)
        assert part.rows is None
        monkeypatch.setattr(partitions, "PART_CELLS", len(frame) * 4 - 1)
        assert not small_tables({"gaze": spec})
        assert len(part.read().identities) == len(part.people) == 17


def test_times_and_durations_are_those_of_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = stored(tmp_path, table().sample(fraction=1.0, shuffle=True, seed=4))
    spec = gaze_input(path, time="t", duration="ms")
    whole = load_gaze(path, columns=spec.options["columns"], screen=SCREEN, stimuli=STIMULI)
    assert whole.time is not None
    assert whole.duration is not None
    for part in parts_of(spec, monkeypatch):
        data = part.read()
        assert isinstance(data, GazeData)
        assert data.time is not None
        assert data.duration is not None
        for number, name in enumerate(data.identities):
            of_part, of_whole = data.person == number, whole.person == whole.identities.index(name)
            np.testing.assert_array_equal(data.time[of_part], whole.time[of_whole])
            np.testing.assert_array_equal(data.duration[of_part], whole.duration[of_whole])


def maps(**choice: Any) -> CellHeatmap:
    return made.cells(stimuli=3, rows=6, columns=8, cap=2, max_samples=9, max_stimuli=2, people=17, **choice)


FORM = SpectralForm((0.3, 0.2), (4, 5))
COLLECTORS: dict[str, Any] = {
    "maps": maps().collect,
    "cap": maps(caps=(1, 3, 9), cap_share=0.1).collect,
    "fixations": made.fixations(
        ["mean"], {"fixation_count": (0, 9)}, stimuli=3, max_stimuli=2, people=17
    ).collect,
} | {
    f"joint {joint}": made.spectral(
        stimuli=3, form=FORM, joint=joint, max_stimuli=2, weight="duration", people=17
    ).collect
    for joint in (True, False)
}


@pytest.mark.parametrize("order", ["shuffled", "who"])
@pytest.mark.parametrize("name", COLLECTORS)
def test_what_is_collected_in_parts_is_what_is_collected_at_once(
    tmp_path: Path, order: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored(tmp_path, table(order=order))
    spec = gaze_input(path, time="t", duration="ms")
    whole = load_gaze(path, columns=spec.options["columns"], screen=SCREEN, stimuli=STIMULI)
    expected, found = COLLECTORS[name](whole), joined(parts_of(spec, monkeypatch), COLLECTORS[name])
    if isinstance(expected, Tally):
        np.testing.assert_array_equal(found.key, expected.key)
        np.testing.assert_array_equal(found.number, expected.number)
    else:
        (key,) = expected.arrays
        assert np.abs(expected[key]).sum() > 0
        np.testing.assert_array_equal(found[key], expected[key])


@pytest.mark.quick(but=["features.csv"])
@pytest.mark.parametrize("name", ["features.parquet", "features.csv"])
def test_rows_stand_in_the_order_of_people_however_they_were_divided(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = feature_input(stored(tmp_path, table(), name))
    o = spec.options
    whole = load_features(
        spec.path, columns=o["columns"], bounds=o["bounds"], categories=o["categories"], recordings=STIMULI
    )

    def collect(data: FeatureData) -> Rows:
        return Rows(((data.person, np.column_stack([data.values, data.labels, data.recording])),))

    person, rows = collect(whole).whole()
    for cells in (360, 1000, 2000):
        found = joined(parts_of(spec, monkeypatch, cells=cells), collect).whole()
        np.testing.assert_array_equal(found[0], person)
        np.testing.assert_array_equal(found[1], rows)


def test_errors_name_the_row_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = table(order="image").with_row_index("n")
    row = 431
    bad = bad.with_columns(x=pl.when(pl.col("n") == row).then(900.0).otherwise(pl.col("x")))
    path = stored(tmp_path, bad)
    for read in (
        lambda: load_gaze(path, columns=COLUMNS, screen=SCREEN, stimuli=STIMULI),
        lambda: [part.read() for part in parts_of(gaze_input(path), monkeypatch)],
    ):
        with pytest.raises(DataError) as refused:
            read()
        assert f"row {row}" in refused.value.where


@pytest.mark.parametrize("inputs", [gaze_input, feature_input])
def test_losses_of_parts_add_up_to_those_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inputs: Callable[[Path], InputSpec]
) -> None:
    spec = inputs(stored(tmp_path, table()))
    (whole,) = partitions_of(
        spec, read_facts(spec.path, columns=spec.options["columns"], listed=STIMULI), stamp_of(spec.path)
    )
    several = [contributions(part, {}) for part in parts_of(spec, monkeypatch)]
    one = contributions(whole, {})
    assert functools.reduce(Contributions.joined, several) == one
    assert one.notes


def test_points_in_the_corner_of_every_part_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pl.concat(
        [table().with_columns(pl.col("x") / 3, pl.col("y") / 3, pl.col("t") + n) for n in range(4)]
    )
    for corner, noticed in ((frame, True), (frame.with_columns(pl.lit(79.0).alias("x")), False)):
        spec = gaze_input(stored(tmp_path, corner))
        several = [contributions(part, {}) for part in parts_of(spec, monkeypatch, cells=720)]
        found = functools.reduce(Contributions.joined, several)
        assert found.reach.points >= 500
        assert (SMALL_PART in found.notes) == noticed


def test_a_file_that_changed_is_not_read_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even one row of the same people: the noise was solved for what was there before."""
    path = stored(tmp_path, table())
    several = parts_of(gaze_input(path), monkeypatch)
    (other := stored(tmp_path, table(x=table()["x"] / 2), "other.parquet")).replace(path)
    assert not other.exists()
    for part in several:
        with refused(PlanError, "data-changed", where=path):
            part.read()


def test_other_people_in_a_file_of_the_same_size_and_time_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored(tmp_path, table(), "gaze.csv")
    several = parts_of(gaze_input(path), monkeypatch)
    before = path.stat()
    path.write_text(path.read_text().replace("p3,", "q3,"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    (own,) = (part for part in several if "p3" in part.people)
    with refused(PlanError, "data-changed", where=path):
        own.read()


def test_a_file_that_changes_while_its_facts_are_read_is_not_read_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = write_study(tmp_path)
    data = tmp_path / "gaze.csv"

    def meanwhile(plan: CheckedPlan, tables: Mapping[str, Table]) -> Design:
        assert not tables
        design = make_design(plan, tables)
        text = data.read_text()
        data.write_text(text + text.splitlines()[-1] + "\n")
        return design

    monkeypatch.setattr(ready, "make_design", meanwhile)
    monkeypatch.setattr(partitions, "PART_CELLS", 100)  # a small file is read once
    with refused(PlanError, "data-changed", where=data):
        synthrelease.build(plan, tmp_path / "out.h5", test_seed=1)


def test_a_file_that_is_gone_is_an_error_of_the_plan(tmp_path: Path) -> None:
    with refused(DataError, "no-such-file", where=tmp_path / "gaze.csv"):
        stamp_of(tmp_path / "gaze.csv")


@pytest.mark.parametrize("listed", [None, STIMULI])
def test_facts_in_slices_are_those_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: tuple[str, ...] | None
) -> None:
    path = stored(tmp_path, table())
    whole = read_facts(path, columns=COLUMNS, listed=listed, lengths_public=True)
    monkeypatch.setattr(facts, "_SLICE_ROWS", 70)
    assert read_facts(path, columns=COLUMNS, listed=listed, lengths_public=True) == whole
    assert whole.counting(len(whole.names)) == tuple(
        table().filter(pl.col("image") == name)["who"].n_unique() for name in whole.names
    )


def test_a_missing_label_in_a_later_slice_is_named_by_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts, "_SLICE_ROWS", 70)
    frame = (
        table()
        .with_row_index("n")
        .with_columns(who=pl.when(pl.col("n") == 333).then(None).otherwise(pl.col("who")))
    )
    with pytest.raises(DataError) as refused:
        read_facts(stored(tmp_path, frame), columns=COLUMNS, listed=None)
    assert "row 333" in refused.value.where


@pytest.mark.parametrize("act", [synthrelease.build, synthrelease.dry_run])
def test_a_build_reads_each_input_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[..., Any]
) -> None:
    plan = write_study(tmp_path)
    passes: list[tuple[Path, set[str]]] = []
    slices = delimited.Delimited.slices

    def noting(self: Any, source: Source, columns: list[str], *options: Any) -> Any:
        passes.append((source.path, set(columns)))
        return slices(self, source, columns, *options)

    monkeypatch.setattr(delimited.Delimited, "slices", noting)
    act(plan, tmp_path / "out.h5")
    inputs = load_plan(plan).used_inputs().values()
    assert passes == [(spec.path, set(spec.columns)) for spec in inputs]
