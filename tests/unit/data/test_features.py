"""Features: series of numbered people within public bounds, in the order of time."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import refusals
from goldens import check_text, figures
from hypothesis import given
from hypothesis import strategies as st
from refusals import check_refusal
from tiers import few

from synthrelease.data.cells import ONLY_LABEL
from synthrelease.data.chosen_rows import ChosenRows
from synthrelease.data.features import FeatureData, load_features
from synthrelease.errors import DataError

COLUMNS = {"person": "who", "recording": "task", "time": "t_s"}
BOUNDS = {"pupil_mm": (1.0, 9.0), "blink_hz": (0.0, 2.0)}
HEADER = ("who", "task", "t_s", "pupil_mm", "blink_hz")
SECRETS = ("canary", "735", "284", "611")

Row = tuple[Any, ...]


def feature_file(
    folder: Path, rows: list[Row], *, header: tuple[str, ...] = HEADER, name: str = "f.csv"
) -> Path:
    path = folder / name
    if name.endswith(".parquet"):
        pl.DataFrame(rows, schema=header, orient="row").write_parquet(path)
    else:
        lines = [",".join("" if cell is None else str(cell) for cell in row) for row in [header, *rows]]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def load(path: Path, **options: Any) -> FeatureData:
    return load_features(path, **{"columns": COLUMNS, "bounds": BOUNDS, **options})


def refused(path: Path, code: str, *places: str, **options: Any) -> DataError:
    """Expect a refusal of the code that names the file and the places, and quotes no cell."""
    with pytest.raises(DataError) as caught:
        load(path, **options)
    error = caught.value
    check_refusal(error, path, code, *places, secrets=SECRETS)
    return error


def series(features: FeatureData, person: str, recording: str) -> list[list[float]]:
    """A person's rows of a recording, missing values as −1."""
    where = (features.person == features.identities.index(person)) & (
        features.recording == features.recordings.index(recording)
    )
    rows: list[list[float]] = np.nan_to_num(features.values[where], nan=-1.0).tolist()
    return rows


# What is loaded


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "parquet"])
def test_rows_are_sorted_by_person_recording_and_time(tmp_path: Path, suffix: str) -> None:
    rows = [
        ("10", "b", 2.0, 3.0, 0.5),
        ("9", "a", 5.0, 4.0, 1.0),
        ("10", "b", 1.0, 5.0, 1.5),
        ("10", "a", 9.0, 6.0, 2.0),
    ]
    frame = pl.DataFrame(rows, schema=HEADER, orient="row")
    path = tmp_path / f"f.{suffix}"
    if suffix == "parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(
            path,
            separator="\t" if suffix == "tsv" else ",",
            compression="gzip" if "gz" in suffix else "uncompressed",
        )
    features = load(path)
    assert (features.people, features.identities) == (2, ("9", "10"))
    assert (features.recordings, features.features) == (("a", "b"), ("pupil_mm", "blink_hz"))
    assert features.person.tolist() == [0, 1, 1, 1]
    assert features.recording.tolist() == [0, 0, 1, 1]
    np.testing.assert_array_equal(features.values, [[4, 1], [6, 2], [5, 1.5], [3, 0.5]])
    np.testing.assert_array_equal(features.bounds, [[1, 9], [0, 2]])
    assert features.limits(1) == (0.0, 2.0)
    assert features.notes == ()


def test_rows_without_time_stay_in_the_order_of_the_file(tmp_path: Path) -> None:
    rows = [("bob", "a", 9, 3, 1), ("ann", "a", 5, 4, 1), ("bob", "a", 1, 2, 1)]
    features = load(feature_file(tmp_path, rows), columns={"person": "who", "recording": "task"})
    assert series(features, "bob", "a") == [[3, 1], [2, 1]]


def test_without_a_recording_column_everyone_has_one(tmp_path: Path) -> None:
    rows = [("ann", "canary", 2, 3, 1), ("bob", "canary", 1, 4, 1), ("ann", "canary", 1, 5, 1)]
    features = load(feature_file(tmp_path, rows), columns={"person": "who", "time": "t_s"})
    assert features.recordings == (ONLY_LABEL,)
    assert series(features, "ann", ONLY_LABEL) == [[5, 1], [3, 1]]


def test_recordings_not_listed_are_dropped_with_a_note_for_the_curator(tmp_path: Path) -> None:
    rows = [
        ("canary-ann", "a", 1, 3, 1),
        ("canary-bob", "canary-x", 1, 735, 1),
        ("canary-ann", "canary-x", 2, 3, 1),
    ]
    features = load(feature_file(tmp_path, rows), recordings=["b", "a"])
    assert features.recordings == ("b", "a")
    assert (features.people, features.identities) == (2, ("canary-ann", "canary-bob"))
    assert features.person.tolist() == [0]
    assert features.recording.tolist() == [1]
    assert [figures(note) for note in features.notes] == [[2, 3]]


def test_everyone_is_counted_who_has_a_row_of_any_kind(tmp_path: Path) -> None:
    rows = [("ann", "a", 1, 3, 1), ("only-unlisted", "x", 1, 3, 1), ("only-missing", "a", 1, None, -1)]
    features = load(feature_file(tmp_path, rows), recordings=["a"], missing=[-1])
    assert features.people == 3
    assert set(features.identities) == {"ann", "only-unlisted", "only-missing"}
    assert np.isnan(features.values[features.person == features.identities.index("only-missing")]).all()


def test_missing_values_stay_missing_and_their_rows_stay(tmp_path: Path) -> None:
    rows = [("ann", "a", 1, None, 1), ("ann", "a", 2, -1, 0.5), ("ann", "a", 3, 2, "nan")]
    features = load(feature_file(tmp_path, rows), missing=[-1, math.nan])
    np.testing.assert_array_equal(features.values, [[math.nan, 1], [math.nan, 0.5], [2, math.nan]])
    assert features.notes == ()


# Bounds


def test_values_are_clipped_to_the_bounds_and_counted_in_notes_alone(tmp_path: Path) -> None:
    rows = [
        ("canary-ann", "a", 1, 735.125, 1),
        ("canary-ann", "a", 2, -284.5, 2),
        ("canary-ann", "a", 3, 1, 0),
        ("canary-ann", "a", 4, 9, 2.5),
        ("canary-ann", "a", 5, None, 1),
    ]
    features = load(feature_file(tmp_path, rows))
    np.testing.assert_array_equal(features.values[:, 0], [9, 1, 1, 9, math.nan])
    np.testing.assert_array_equal(features.values[:, 1], [1, 2, 0, 2, 1])
    assert [figures(note) for note in features.notes] == [[2, 4], [1, 5]]
    assert ["'pupil_mm'" in note for note in features.notes] == [True, False]
    assert ["'blink_hz'" in note for note in features.notes] == [False, True]


def test_notes_of_all_kinds(tmp_path: Path) -> None:
    """With the figures of each: rows that are not chosen, not listed, not valid, and values that are clipped."""
    header = (*HEADER, "eye", "good")
    rows: list[Row] = [("canary", "a", n, 3, 1, "left", 1) for n in range(10)]
    rows += [("canary", "a", 10, 735.5, 1, "left", 1)]
    rows += [("canary", "x", n, 3, 1, "left", 1) for n in range(3)]
    rows += [("canary", "a", 20 + n, 3, 1, "left", 0) for n in range(2)]
    rows += [("canary", "a", 30 + n, 3, 1, "right", 1) for n in range(4)]
    chosen = ChosenRows(only={"eye": ("left",)}, valid={"good": (1.0, 1.0)})
    features = load(feature_file(tmp_path, rows, header=header), recordings=["a"], chosen=chosen)
    assert [figures(note) for note in features.notes] == [[4, 20], [3, 16], [2, 16], [1, 11]]
    check_text("notes/features", "\n".join(features.notes))


def test_values_on_the_bounds_are_not_clipped(tmp_path: Path) -> None:
    features = load(feature_file(tmp_path, [("ann", "a", 1, 1.0, 0.0), ("ann", "a", 2, 9.0, 2.0)]))
    np.testing.assert_array_equal(features.values, [[1, 0], [9, 2]])
    assert features.notes == ()


def test_a_missing_code_off_the_bounds_is_missing_and_not_clipped(tmp_path: Path) -> None:
    features = load(feature_file(tmp_path, [("ann", "a", 1, -1, 9999)]), missing=[-1, 9999])
    assert np.isnan(features.values).all()
    assert features.notes == ()


@given(
    st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=1, max_size=20),
    st.floats(-1e3, 1e3),
    st.floats(1e-3, 1e3),
)
@few
def test_no_value_leaves_its_bounds(
    tmp_path_factory: pytest.TempPathFactory, cells: list[float | None], low: float, width: float
) -> None:
    rows = [("ann", "a", i, cell if cell is None else repr(cell), 1) for i, cell in enumerate(cells)]
    bounds = {"pupil_mm": (low, low + width)}
    features = load(feature_file(tmp_path_factory.mktemp("bounds"), rows), bounds=bounds)
    there = ~np.isnan(features.values)
    assert (features.values[there] >= low).all()
    assert (features.values[there] <= low + width).all()
    assert there[:, 0].tolist() == [cell is not None for cell in cells]


def test_only_bounded_columns_are_read(tmp_path: Path) -> None:
    rows = [("ann", "a", 1, "canary", 1), ("ann", "a", 2, "", 1.5)]
    features = load(feature_file(tmp_path, rows), bounds={"blink_hz": (0.0, 2.0)})
    assert features.features == ("blink_hz",)
    assert features.values.shape == (2, 1)


# Labels of public lists

LISTS = {"hand": ["left", "right"], "group": ["2", "1", "none"]}
LABELLED = (*HEADER, "hand", "group")


@pytest.mark.parametrize("name", ["f.csv", "f.parquet"])
def test_labels_are_positions_in_their_lists_and_sorted_with_their_rows(tmp_path: Path, name: str) -> None:
    rows = [
        ("10", "b", 2.0, 3.0, 0.5, "left", 1),
        ("9", "a", 5.0, 4.0, 1.0, None, 2),
        ("10", "b", 1.0, 5.0, 1.5, "right", None),
        ("10", "a", 9.0, 6.0, 2.0, "right", 2),
    ]
    features = load(feature_file(tmp_path, rows, header=LABELLED, name=name), categories=LISTS)
    assert features.categorical == ("hand", "group")
    assert features.features == ("pupil_mm", "blink_hz")
    assert features.values[:, 0].tolist() == [4, 6, 5, 3]
    assert features.labels.tolist() == [[-1, 0], [1, 0], [1, -1], [0, 1]]
    assert features.labels.dtype == np.int64
    assert features.notes == ()


def test_a_column_is_found_by_name_be_it_values_labels_or_recordings(tmp_path: Path) -> None:
    rows = [("ann", "b", 1, 3, 1, "left", 1), ("ann", "a", 2, 4, 2, "", "none")]
    features = load(feature_file(tmp_path, rows, header=LABELLED), categories=LISTS)
    assert features.column("blink_hz").tolist() == [2, 1]
    assert features.column("hand").tolist() == [-1, 0]
    assert features.column("group").tolist() == [2, 1]
    assert features.column("recording").tolist() == [0, 1]
    with pytest.raises(ValueError):  # noqa: PT011  of Python's own tuples
        features.column("task")


def test_without_lists_no_labels_are_read(tmp_path: Path) -> None:
    rows = [("ann", "a", 1, 3, 1, "canary", 735)]
    features = load(feature_file(tmp_path, rows, header=LABELLED))
    assert features.categorical == ()
    assert features.labels.shape == (1, 0)


@pytest.mark.parametrize(("cell", "code"), [("1", 1), (1, 1), ("1.0", None), (" 2 ", 0), ("", -1), (-9, -1)])
def test_numeric_labels_are_text_and_missing_codes_are_missing(
    tmp_path: Path, cell: Any, code: int | None
) -> None:
    path = feature_file(tmp_path, [("ann", "a", 1, 3, 1, "left", cell)], header=LABELLED)
    if code is None:
        with refusals.refused(DataError, "unlisted-category", where="column 'group'"):
            load(path, categories=LISTS, missing=[-9])
    else:
        assert load(path, categories=LISTS, missing=[-9]).labels[:, 1].tolist() == [code]


def test_typed_numbers_are_the_labels_of_the_same_text(tmp_path: Path) -> None:
    for cells in ([1, 2, None], [1.0, 2.0, None], [1.0, 2.0, math.nan]):
        rows = [("ann", "a", t, 3.0, 1.0, "left", cell) for t, cell in enumerate(cells)]
        path = feature_file(tmp_path, rows, header=LABELLED, name="f.parquet")
        assert load(path, categories=LISTS).labels[:, 1].tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("column", "cell"), [("hand", "canary"), ("hand", "Left"), ("group", 735), ("group", "2.0")]
)
def test_an_unknown_label_is_refused_by_file_line_and_column_and_never_quoted(
    tmp_path: Path, column: str, cell: Any
) -> None:
    rows: list[list[Any]] = [["canary-ann", "canary-a", t, 735.5, 284.5, "left", 2] for t in range(4)]
    rows[2][LABELLED.index(column)] = cell
    path = feature_file(tmp_path, [tuple(row) for row in rows], header=LABELLED)
    error = refused(path, "unlisted-category", "line 4,", f"column '{column}'", categories=LISTS)
    assert str(cell) not in str(error).replace(str(path), "")
    assert "canary" not in str(error.found + error.expected + error.remedy)


def test_a_label_of_a_recording_not_listed_is_checked_all_the_same(tmp_path: Path) -> None:
    """Whether a file is accepted does not depend on which recordings are published."""
    rows = [("ann", "a", 1, 3, 1, "left", 1), ("ann", "x", 2, 3, 1, "canary", 1)]
    path = feature_file(tmp_path, rows, header=LABELLED)
    refused(path, "unlisted-category", "line 3,", "column 'hand'", categories=LISTS, recordings=["a"])


def test_a_column_of_labels_that_is_not_there_is_refused_with_the_nearest(tmp_path: Path) -> None:
    path = feature_file(tmp_path, [("canary-ann", "canary-a", 1, 735.5, 284.5, "left", 1)], header=LABELLED)
    error = refused(path, "unknown-column", categories={"hands": ["left"]})
    assert "'hands'" in error.problem
    assert "'hand'" in error.remedy


# Choosing features


def test_only_keeps_rows_and_takes_features_in_the_order_asked(tmp_path: Path) -> None:
    rows = [("ann", "a", 1, 3, 1), ("bob", "b", 1, 99, 0.5)]
    features = load(feature_file(tmp_path, rows))
    turned = features.only(["blink_hz", "pupil_mm"])
    assert turned.features == ("blink_hz", "pupil_mm")
    np.testing.assert_array_equal(turned.values, features.values[:, ::-1])
    assert (turned.limits(0), turned.limits(1)) == ((0.0, 2.0), (1.0, 9.0))
    one = features.only(["blink_hz"])
    assert (one.features, one.values.shape, one.bounds.shape) == (("blink_hz",), (2, 1), (1, 2))
    for name in ("people", "recordings", "identities", "notes"):
        assert getattr(one, name) == getattr(features, name)
    np.testing.assert_array_equal(one.person, features.person)
    np.testing.assert_array_equal(one.recording, features.recording)


def test_only_keeps_the_labels_of_the_rows(tmp_path: Path) -> None:
    rows = [("ann", "a", 1, 3, 1, "left", 1), ("bob", "b", 1, 99, 0.5, "", 2)]
    features = load(feature_file(tmp_path, rows, header=LABELLED), categories=LISTS)
    one = features.only(["blink_hz"])
    assert one.categorical == features.categorical
    assert one.labels.tolist() == features.labels.tolist() == [[0, 1], [-1, 0]]
    assert one.column("group").tolist() == [1, 0]


# Bad input


@pytest.mark.parametrize(
    ("cell", "code"),
    [("canary", "bad-number"), ("nan", "nan"), ("-inf", "infinite-number"), ("735;125", "bad-number")],
)
@pytest.mark.parametrize("column", [2, 3, 4])
def test_a_cell_that_is_no_number_is_named_by_line_and_column(
    tmp_path: Path, cell: str, code: str, column: int
) -> None:
    rows: list[list[Any]] = [["canary-ann", "canary-a", i, 735.5, 284.5] for i in range(3)]
    rows[1][column] = cell
    refused(feature_file(tmp_path, [tuple(row) for row in rows]), code, "line 3,", f"'{HEADER[column]}'")


@pytest.mark.parametrize("column", [0, 1])
def test_an_empty_label_is_refused(tmp_path: Path, column: int) -> None:
    rows: list[list[Any]] = [["canary-ann", "canary-a", i, 735.5, 284.5] for i in range(3)]
    rows[2][column] = " "
    path = feature_file(tmp_path, [tuple(row) for row in rows])
    refused(path, "missing-label", "line 4,", f"'{HEADER[column]}'")


def test_a_feature_that_is_not_there_is_refused_with_the_nearest(tmp_path: Path) -> None:
    path = feature_file(tmp_path, [("canary-ann", "canary-a", 1, 735.5, 284.5)])
    error = refused(path, "unknown-column", bounds={"pupil_m": (1, 9)})
    assert "'pupil_m'" in error.problem
    assert "'pupil_mm'" in error.remedy


def test_a_time_stamp_that_occurs_twice_in_a_recording_is_refused(tmp_path: Path) -> None:
    rows = [("canary-ann", "canary-a", t, 735, 284) for t in (611.5, 611, 612, 611.5)]
    refused(feature_file(tmp_path, rows), "duplicate-time", "line 5,", "'t_s'")
    refused(feature_file(tmp_path, rows, name="f.parquet"), "duplicate-time", "row 3,", "'t_s'")


def test_the_same_time_is_fine_in_another_recording(tmp_path: Path) -> None:
    rows = [("ann", "a", 5, 3, 1), ("ann", "b", 5, 3, 1), ("bob", "a", 5, 3, 1), ("bob", "b", 5, 3, 1)]
    assert load(feature_file(tmp_path, rows)).person.tolist() == [0, 0, 1, 1]


def test_recordings_told_apart_by_no_column_are_refused_where_times_repeat(tmp_path: Path) -> None:
    path = feature_file(
        tmp_path, [("canary-ann", "canary-a", 611, 735, 1), ("canary-ann", "canary-b", 611, 735, 1)]
    )
    error = refused(path, "duplicate-time", "line 3,", columns={"person": "who", "time": "t_s"})
    assert "`columns`" in error.remedy


def test_a_repeated_time_of_a_recording_not_listed_does_no_harm(tmp_path: Path) -> None:
    rows = [("ann", "a", 5, 3, 1), ("ann", "x", 5, 3, 1), ("ann", "x", 5, 3, 1)]
    assert load(feature_file(tmp_path, rows), recordings=["a"]).person.tolist() == [0]


def test_a_missing_time_stamp_is_refused_at_its_line(tmp_path: Path) -> None:
    rows = [
        ("canary-ann", "canary-x", 1, 735, 1),
        ("canary-ann", "a", 1, 735, 1),
        ("canary-ann", "a", "", 735, 1),
    ]
    refused(feature_file(tmp_path, rows), "missing-time", "line 4,", "'t_s'", recordings=["a"])


def test_a_recording_without_samples_may_be_one_row_of_nothing(tmp_path: Path) -> None:
    rows = [("ann", "a", "", "", ""), ("bob", "a", 1, 735, 1)]
    found = load(feature_file(tmp_path, rows), recordings=["a"])
    assert (found.people, found.person.tolist()) == (2, [1])


# One person's rows are a function of that person's rows alone


PEOPLE = ("ann", "bob", "cyd")


@st.composite
def shuffled(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """Rows of several people, and the same with the people's blocks in another order or interleaved."""
    value = st.one_of(st.none(), st.floats(-5, 20).map(repr))
    blocks = {
        person: [
            (person, draw(st.sampled_from(["a", "b", "x"])), time, draw(value), draw(value))
            for time in draw(st.lists(st.integers(0, 50), min_size=1, max_size=6, unique=True))
        ]
        for person in PEOPLE
    }
    order = draw(st.permutations([person for person in PEOPLE for _ in blocks[person]]))
    waiting = {person: iter(block) for person, block in blocks.items()}
    together = [row for person in draw(st.permutations(PEOPLE)) for row in blocks[person]]
    return together, [next(waiting[person]) for person in order]


@pytest.mark.parametrize(
    "columns", [COLUMNS, {"person": "who", "recording": "task"}], ids=["timed", "untimed"]
)
@given(tables=shuffled())
def test_the_order_of_other_people_never_changes_a_persons_rows(
    tmp_path_factory: pytest.TempPathFactory, columns: dict[str, str], tables: tuple[list[Row], list[Row]]
) -> None:
    folder = tmp_path_factory.mktemp("features")
    first, second = (
        load(feature_file(folder, rows), columns=columns, recordings=["a", "b"]) for rows in tables
    )
    assert first.identities == second.identities == PEOPLE
    for person in PEOPLE:
        for recording in ("a", "b"):
            assert series(first, person, recording) == series(second, person, recording)


@given(tables=shuffled(), other=st.floats(-5, 20))
@few
def test_the_data_of_other_people_never_change_a_persons_rows(
    tmp_path_factory: pytest.TempPathFactory, tables: tuple[list[Row], list[Row]], other: float
) -> None:
    folder = tmp_path_factory.mktemp("features")
    replaced = [row for row in tables[1] if row[0] == "bob"]
    replaced += [(person, "b", other, other, "") for person in ("ann", "zoe")]
    first = load(feature_file(folder, tables[0]), recordings=["a", "b"])
    second = load(feature_file(folder, replaced), recordings=["a", "b"])
    for recording in ("a", "b"):
        assert series(first, "bob", recording) == series(second, "bob", recording)
