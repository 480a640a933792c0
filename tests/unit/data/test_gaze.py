"""Gaze: points of numbered people on listed stimuli, in the order of time, and nothing said of the others."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from goldens import check_text, figures
from hypothesis import given
from hypothesis import strategies as st
from refusals import check_refusal
from tiers import few

from synthrelease.data.chosen_rows import ChosenRows
from synthrelease.data.gaze import SMALL_PART, GazeData, load_gaze
from synthrelease.data.screen import Screen
from synthrelease.errors import DataError

COLUMNS = {"person": "person", "stimulus": "image", "x": "x_px", "y": "y_px"}
TIMED = {**COLUMNS, "time": "t_ms"}
SCREEN = Screen(800, 600)
SECRETS = ("canary", "735", "284", "611", "8.125")

Row = tuple[Any, ...]


def gaze_file(folder: Path, rows: list[Row], *, name: str = "gaze.csv") -> Path:
    """Rows of person, image, x, y and possibly time."""
    path = folder / name
    header = ["person", "image", "x_px", "y_px", "t_ms"][: len(rows[0])]
    if name.endswith(".parquet"):
        pl.DataFrame(rows, schema=header, orient="row").write_parquet(path)
    else:
        lines = [",".join("" if cell is None else str(cell) for cell in row) for row in [header, *rows]]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def load(path: Path, **options: Any) -> GazeData:
    return load_gaze(path, **{"columns": COLUMNS, "screen": SCREEN, **options})


def refused(path: Path, code: str, *places: str, **options: Any) -> DataError:
    """Expect a refusal of the code that names the file and the places, and quotes no cell."""
    with pytest.raises(DataError) as caught:
        load(path, **options)
    error = caught.value
    check_refusal(error, path, code, *places, secrets=SECRETS)
    return error


def others(error: DataError, column: str) -> list[float]:
    """The figures behind the place of an error: how many more rows there are."""
    return figures(error.where.rpartition(f"'{column}'")[2])


def counted(gaze: GazeData) -> list[list[float]]:
    """The figures of each note."""
    return [figures(note) for note in gaze.notes]


def points(gaze: GazeData) -> list[tuple[str, str, float, float]]:
    """Rows as (person, stimulus, x, y), by their labels."""
    return [
        (gaze.identities[p], gaze.stimuli[s], x, y)
        for p, s, x, y in zip(gaze.person, gaze.stimulus, gaze.x_px.tolist(), gaze.y_px.tolist(), strict=True)
    ]


# What is loaded


def test_points_are_numbered_by_person_and_stimulus(tmp_path: Path) -> None:
    rows = [("10", "sea", 1, 2), ("9", "sky", 3, 4.5), ("10", "sky", 5, 6)]
    gaze = load(gaze_file(tmp_path, rows))
    assert (gaze.people, gaze.identities, gaze.stimuli) == (2, ("9", "10"), ("sea", "sky"))
    assert gaze.person.tolist() == [1, 0, 1]
    assert gaze.stimulus.tolist() == [0, 1, 1]
    assert (gaze.x_px.tolist(), gaze.y_px.tolist()) == ([1.0, 3.0, 5.0], [2.0, 4.5, 6.0])
    assert gaze.assigned.tolist() == [[False, True], [True, True]]
    assert (gaze.screen, gaze.notes) == (SCREEN, ())


def test_stimuli_not_listed_are_dropped_with_a_note_for_the_curator(tmp_path: Path) -> None:
    rows = [
        ("canary-ann", "sea", 1, 2),
        ("canary-bob", "canary-secret", 735, 284),
        ("canary-ann", "sky", 5, 6),
    ]
    gaze = load(gaze_file(tmp_path, rows), stimuli=["sky", "moon", "sea"])
    assert gaze.stimuli == ("sky", "moon", "sea")
    assert points(gaze) == [("canary-ann", "sea", 1, 2), ("canary-ann", "sky", 5, 6)]
    assert gaze.assigned.tolist() == [[True, False, True], [False, False, False]]
    assert counted(gaze) == [[1, 3]]


def test_everyone_is_counted_who_has_a_row_of_any_kind(tmp_path: Path) -> None:
    rows = [
        ("ann", "sea", 1, 2),
        ("only-unlisted", "other", 1, 2),
        ("only-missing", "sea", None, 2),
        ("only-coded", "sea", -1, 2),
        ("only-off-screen", "sky", 900, 2),
    ]
    gaze = load(gaze_file(tmp_path, rows), stimuli=["sea", "sky"], missing=[-1], off_screen="drop")
    assert gaze.people == 5
    assert gaze.identities == ("ann", "only-coded", "only-missing", "only-off-screen", "only-unlisted")
    assert points(gaze) == [("ann", "sea", 1, 2)]


def test_who_saw_what_is_told_by_every_row_usable_or_not(tmp_path: Path) -> None:
    rows = [
        ("ann", "sea", 1, 2),
        ("ann", "sky", None, None),
        ("bob", "sky", -1, 5),
        ("cyd", "sea", 5, 601),
        ("dan", "x", 1, 2),
    ]
    gaze = load(gaze_file(tmp_path, rows), stimuli=["sea", "sky"], missing=[-1], off_screen="drop")
    assert gaze.assigned.tolist() == [[True, True], [False, True], [True, False], [False, False]]
    assert gaze.person.tolist() == [0]


@pytest.mark.parametrize(("x", "y"), [(None, 2), (1, None), (None, None), (-1, 2), (1, -1)])
def test_a_point_without_position_is_dropped_with_a_note(
    tmp_path: Path, x: float | None, y: float | None
) -> None:
    gaze = load(gaze_file(tmp_path, [("ann", "sea", 1, 2), ("ann", "sea", x, y)]), missing=[-1])
    assert points(gaze) == [("ann", "sea", 1, 2)]
    assert counted(gaze) == [[1, 2]]


def test_notes_count_and_never_quote(tmp_path: Path) -> None:
    rows = [
        ("canary-ann", "sea", 735, 284),
        ("canary-bob", "sea", 8735, 284),
        ("canary-ann", "sea", "", 284),
        ("canary-cyd", "canary-x", 735, 284),
    ]
    gaze = load(gaze_file(tmp_path, rows), stimuli=["sea"], off_screen="drop")
    assert counted(gaze) == [[1, 4]] * 3
    assert not [secret for secret in SECRETS for note in gaze.notes if secret in note]


def test_notes_of_all_kinds(tmp_path: Path) -> None:
    """With the figures of each: rows not chosen, not valid, without a position, off the screen, not listed."""
    kinds = [
        (("s", 1, 2, "left", 1), 10),
        (("s", 1, 2, "right", 1), 5),
        (("s", 1, 2, "left", 0), 4),
        (("s", "", 2, "left", 1), 3),
        (("s", 801, 2, "left", 1), 2),
        (("other", 1, 2, "left", 1), 1),
    ]
    lines = [",".join(map(str, ("canary", *row))) for row, count in kinds for _ in range(count)]
    path = tmp_path / "gaze.csv"
    path.write_text("\n".join(["person,image,x_px,y_px,eye,good", *lines]) + "\n")
    chosen = ChosenRows(only={"eye": ("left",)}, valid={"good": (1.0, 1.0)})
    gaze = load(path, stimuli=["s"], off_screen="drop", chosen=chosen)
    assert counted(gaze) == [[5, 25], [4, 20], [3, 20], [2, 20], [1, 20]]
    check_text("notes/gaze", "\n".join(gaze.notes))


# The screen


@pytest.mark.parametrize("policy", ["error", "drop"])
def test_all_four_edges_belong_to_the_screen(tmp_path: Path, policy: str) -> None:
    corners = [(0, 0), (800, 0), (0, 600), (800, 600), (800.0, 299.5)]
    gaze = load(gaze_file(tmp_path, [("ann", "sea", *corner) for corner in corners]), off_screen=policy)
    assert list(zip(gaze.x_px.tolist(), gaze.y_px.tolist(), strict=True)) == corners
    assert gaze.notes == ()


OUTSIDE = [
    (np.nextafter(800.0, 900.0), 8),
    (np.nextafter(0.0, -1.0), 8),
    (8, np.nextafter(600.0, 700.0)),
    (8, np.nextafter(0.0, -1.0)),
    (-8735.0, 8),
    (600, 735),
    (1e300, 8),
]


@pytest.mark.parametrize(("x", "y"), OUTSIDE)
@pytest.mark.parametrize("row", [0, 2])
def test_a_point_off_the_screen_is_refused_at_its_line(tmp_path: Path, x: float, y: float, row: int) -> None:
    rows: list[Row] = [("canary-ann", "canary-sea", 8.125, 284)] * 3
    rows[row] = ("canary-bob", "canary-sea", repr(float(x)), repr(float(y)))
    path = gaze_file(tmp_path, rows)
    error = refused(path, "point-off-screen", f"line {row + 2},", "'x_px'", "'y_px'")
    assert figures(error.expected) == [0, 800, 0, 600]
    assert 'off_screen = "drop"' in error.remedy


def test_points_off_the_screen_are_counted_and_the_first_is_named(tmp_path: Path) -> None:
    rows = [("canary-ann", "canary-sea", x, 284) for x in (8.125, -735, 8.125, 8735, 8611)]
    assert others(refused(gaze_file(tmp_path, rows), "point-off-screen", "line 3,"), "y_px") == [2]
    assert others(refused(gaze_file(tmp_path, rows[:2]), "point-off-screen", "line 3,"), "y_px") == []


def test_a_point_off_the_screen_is_named_by_its_row_in_parquet(tmp_path: Path) -> None:
    rows = [("canary-ann", "canary-sea", x, 284.0) for x in (8.125, 8735.0)]
    refused(gaze_file(tmp_path, rows, name="gaze.parquet"), "point-off-screen", "row 1,")


@pytest.mark.parametrize(("x", "y"), OUTSIDE)
def test_a_point_off_the_screen_is_dropped_where_the_plan_says_so(tmp_path: Path, x: float, y: float) -> None:
    rows = [("ann", "sea", 1, 2), ("bob", "sky", repr(float(x)), repr(float(y)))]
    gaze = load(gaze_file(tmp_path, rows), off_screen="drop")
    assert points(gaze) == [("ann", "sea", 1, 2)]
    assert gaze.people == 2
    assert gaze.assigned.tolist() == [[True, False], [False, True]]
    assert counted(gaze) == [[1, 2]]


def test_a_missing_code_off_the_screen_is_missing_and_not_outside(tmp_path: Path) -> None:
    gaze = load(gaze_file(tmp_path, [("ann", "sea", -1, 2), ("ann", "sea", 9999, -1)]), missing=[-1, 9999])
    (note,) = gaze.notes
    assert figures(note) == [2, 2]
    outside = load(gaze_file(tmp_path, [("ann", "sea", 9999, 2)] * 2), off_screen="drop")
    assert note not in outside.notes


def test_the_right_and_bottom_edge_fall_into_the_last_cell() -> None:
    x = np.array([0.0, 49.999, 50.0, 750.0, np.nextafter(800.0, 0), 800.0, 0.0, 800.0])
    y = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 600.0, 600.0])
    cells = SCREEN.cells(x, y, columns=16, rows=12)
    assert cells.tolist() == [0, 0, 1, 15, 15, 15, 11 * 16, 11 * 16 + 15]


@given(
    st.tuples(st.integers(1, 5000), st.integers(1, 5000)),
    st.tuples(st.integers(1, 300), st.integers(1, 300)),
    st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_every_point_of_the_screen_has_its_cell(
    size: tuple[int, int], grid: tuple[int, int], at: tuple[float, float]
) -> None:
    (width, height), (columns, rows) = size, grid
    x, y = np.array([at[0] * width]), np.array([at[1] * height])
    screen = Screen(width, height)
    assert screen.holds(x, y).all()
    row, column = divmod(int(screen.cells(x, y, columns=columns, rows=rows)[0]), columns)
    assert column == min(math.floor(x[0] * columns / width), columns - 1)
    assert row == min(math.floor(y[0] * rows / height), rows - 1)


# Time


def test_rows_without_time_stay_in_the_order_of_the_file(tmp_path: Path) -> None:
    rows = [("ann", "sea", x, 2) for x in (5, 3, 9, 3)]
    assert load(gaze_file(tmp_path, rows)).x_px.tolist() == [5, 3, 9, 3]


def test_rows_are_in_the_order_of_time_within_person_and_stimulus(tmp_path: Path) -> None:
    rows = [
        ("bob", "sea", 1, 2, 20),
        ("ann", "sky", 2, 2, 30),
        ("ann", "sea", 3, 2, 9),
        ("bob", "sea", 4, 2, -5),
        ("ann", "sky", 5, 2, 10.5),
        ("ann", "sea", 6, 2, 100),
    ]
    gaze = load(gaze_file(tmp_path, rows), columns=TIMED)
    own = {
        (p, s): [x for q, t, x, _ in points(gaze) if (p, s) == (q, t)]
        for p in ("ann", "bob")
        for s in ("sea", "sky")
    }
    assert own == {("ann", "sea"): [3, 6], ("ann", "sky"): [5, 2], ("bob", "sea"): [4, 1], ("bob", "sky"): []}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("second", [1, 3])
def test_a_time_stamp_that_occurs_twice_is_refused_at_the_second(
    tmp_path: Path, suffix: str, second: int
) -> None:
    rows: list[Row] = [("canary-ann", "canary-sea", 735.0, 284.0, 6110.0 + i) for i in range(4)]
    rows[second] = (*rows[second][:4], 6110.0)
    place = f"line {second + 2}," if suffix == "csv" else f"row {second},"
    path = gaze_file(tmp_path, rows, name=f"gaze.{suffix}")
    refused(path, "duplicate-time", place, "'t_ms'", columns=TIMED)


def test_a_repeated_time_is_named_by_its_line_in_the_file_whatever_was_dropped(tmp_path: Path) -> None:
    row = ("canary-ann", "canary-sea", 735, 284, 611)
    rows: list[Row] = [("canary-bob", "canary-sea", "", "", 1)] * 2 + [
        row,
        ("canary-ann", "other", 1, 1, 1),
        row,
    ]
    path = gaze_file(tmp_path, rows)
    refused(path, "duplicate-time", "line 6,", "'t_ms'", columns=TIMED, stimuli=["canary-sea"])


def test_further_repeated_time_stamps_are_counted(tmp_path: Path) -> None:
    rows = [("canary-ann", "canary-sea", 735, 284, 611)] * 4
    assert others(refused(gaze_file(tmp_path, rows), "duplicate-time", columns=TIMED), "t_ms") == [2]


def test_the_same_time_is_fine_in_another_recording(tmp_path: Path) -> None:
    rows = [
        ("ann", "sea", 1, 2, 5),
        ("ann", "sky", 2, 2, 5),
        ("bob", "sea", 3, 2, 5),
        ("bob", "sky", 4, 2, 5),
    ]
    assert load(gaze_file(tmp_path, rows), columns=TIMED).x_px.size == 4
    # The last stamp of a recording may be the first of the next one in the file's order.
    rows = [
        ("ann", "sea", 1, 2, 4),
        ("ann", "sea", 2, 2, 5),
        ("bob", "sea", 3, 2, 5),
        ("bob", "sea", 4, 2, 6),
    ]
    assert load(gaze_file(tmp_path, rows), columns=TIMED).x_px.tolist() == [1, 2, 3, 4]


def test_a_repeated_time_of_a_dropped_row_does_no_harm(tmp_path: Path) -> None:
    rows = [
        ("ann", "sea", None, 2, 5),
        ("ann", "sea", 1, 2, 5),
        ("ann", "other", 1, 2, 5),
        ("ann", "other", 1, 2, 5),
    ]
    assert load(gaze_file(tmp_path, rows), columns=TIMED, stimuli=["sea"]).x_px.tolist() == [1]


def test_a_missing_time_stamp_is_refused_at_its_line(tmp_path: Path) -> None:
    rows = [("canary-ann", "canary-sea", 735, 284, 611), ("canary-ann", "canary-sea", 735, 284, "")]
    refused(gaze_file(tmp_path, rows), "missing-time", "line 3,", "'t_ms'", columns=TIMED)
    # The place is that in the file, whatever was dropped before.
    rows = [("canary-ann", "canary-sea", "", 284, 1), *rows]
    refused(gaze_file(tmp_path, rows), "missing-time", "line 4,", "'t_ms'", columns=TIMED)


@pytest.mark.parametrize(
    ("cell", "code"),
    [("nan", "nan"), ("inf", "infinite-number"), ("canary", "bad-number"), ("12:30", "bad-number")],
)
def test_a_time_stamp_that_is_no_number_is_refused(tmp_path: Path, cell: str, code: str) -> None:
    rows = [("canary-ann", "canary-sea", 735, 284, 611), ("canary-ann", "canary-sea", 735, 284, cell)]
    refused(gaze_file(tmp_path, rows), code, "line 3,", "'t_ms'", columns=TIMED)


@pytest.mark.parametrize(
    ("cell", "code"), [("nan", "nan"), ("inf", "infinite-number"), ("canary", "bad-number")]
)
def test_missing_codes_are_no_remedy_for_time(tmp_path: Path, cell: str, code: str) -> None:
    # `missing` is not applied to time stamps: to recommend it would lead nowhere.
    path = gaze_file(tmp_path, [("canary-ann", "canary-sea", 735, 284, cell)])
    error = refused(path, code, "'t_ms'", columns=TIMED)
    assert "missing" not in error.remedy


def test_the_remedy_for_repeated_times_is_one_that_gaze_has(tmp_path: Path) -> None:
    # Gaze inputs have no column for recordings, so they cannot be told to name one.
    rows = [("canary-ann", "canary-sea", 735, 284, 611)] * 2
    error = refused(gaze_file(tmp_path, rows), "duplicate-time", columns=TIMED)
    assert "recordings" not in error.remedy
    assert "`columns`" not in error.remedy
    assert "`time`" in error.remedy


# One person's rows are a function of that person's rows alone


PEOPLE = ("ann", "bob", "cyd", "dan")


def own_rows(gaze: GazeData, person: str) -> tuple[list[tuple[str, str, float, float]], list[bool]]:
    """A person's points by stimulus, in order, and their row of the assignment."""
    mine = [point for point in points(gaze) if point[0] == person]
    own = sorted(mine, key=lambda point: point[1])
    return own, gaze.assigned[gaze.identities.index(person)].tolist()


@st.composite
def shuffled(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """Rows of several people, and the same with the people's blocks in another order or interleaved."""
    position = st.one_of(st.none(), st.integers(-20, 820))
    blocks = {
        person: [
            (person, draw(st.sampled_from(["sea", "sky", "other"])), draw(position), draw(position), time)
            for time in draw(st.lists(st.integers(0, 50), min_size=1, max_size=6, unique=True))
        ]
        for person in PEOPLE
    }
    order = draw(st.permutations([person for person in PEOPLE for _ in blocks[person]]))
    waiting = {person: iter(block) for person, block in blocks.items()}
    together = [row for person in draw(st.permutations(PEOPLE)) for row in blocks[person]]
    return together, [next(waiting[person]) for person in order]


@pytest.mark.parametrize("columns", [COLUMNS, TIMED], ids=["untimed", "timed"])
@given(tables=shuffled())
def test_the_order_of_other_people_never_changes_a_persons_rows(
    tmp_path_factory: pytest.TempPathFactory, columns: dict[str, str], tables: tuple[list[Row], list[Row]]
) -> None:
    folder = tmp_path_factory.mktemp("gaze")
    options: dict[str, Any] = {"columns": columns, "stimuli": ["sea", "sky"], "off_screen": "drop"}
    first, second = (load(gaze_file(folder, rows), **options) for rows in tables)
    assert first.identities == second.identities == PEOPLE
    for person in PEOPLE:
        assert own_rows(first, person) == own_rows(second, person)


@given(tables=shuffled(), others=st.lists(st.integers(0, 600), min_size=4, max_size=4))
@few
def test_the_data_of_other_people_never_change_a_persons_rows(
    tmp_path_factory: pytest.TempPathFactory, tables: tuple[list[Row], list[Row]], others: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("gaze")
    options: dict[str, Any] = {"columns": TIMED, "stimuli": ["sea", "sky"], "off_screen": "drop"}
    replaced = [row for row in tables[1] if row[0] == "bob"]
    replaced += [(p, "sky", x, x, x) for p, x in zip(("ann", "cyd", "dan", "zoe"), others, strict=True)]
    first = load(gaze_file(folder, tables[0]), **options)
    second = load(gaze_file(folder, replaced), **options)
    assert own_rows(first, "bob") == own_rows(second, "bob")


def test_rows_of_no_stimulus_are_dropped_where_stimuli_are_listed(tmp_path: Path) -> None:
    rows = [
        ("canary-a", "sea", 1, 2),
        ("canary-a", "", 3, 4),
        ("canary-b", "", 5, 6),
        ("canary-a", "sky", 7, 8),
    ]
    path = gaze_file(tmp_path, rows)
    gaze = load(path, stimuli=["sky", "sea"])
    assert points(gaze) == [("canary-a", "sea", 1, 2), ("canary-a", "sky", 7, 8)]
    assert gaze.people == 2
    assert gaze.assigned.tolist() == [[True, True], [False, False]]
    assert counted(gaze) == [[2, 4]]
    refused(path, "missing-label", "line 3", "'image'")
    nameless = gaze_file(tmp_path, [("", "sea", 1, 2), ("canary-a", "", 3, 4)])
    refused(nameless, "missing-label", "line 2", "'person'", stimuli=["sea"])
    odd = gaze_file(tmp_path, [("canary-a", "", 1, 2), ("canary-a", "x" * 201, 3, 4)])
    refused(odd, "bad-label", "line 3", "'image'", stimuli=["sea"])
    nothing = load(gaze_file(tmp_path, [("canary-a", "", 1, 2)]), stimuli=["sea"])
    assert (nothing.people, nothing.x_px.size) == (1, 0)


def test_a_screen_that_is_much_too_large_is_doubted(tmp_path: Path) -> None:
    rows = [("canary-a", "sea", n % 400, n % 300) for n in range(600)]
    path = gaze_file(tmp_path, rows)
    assert load(path).notes == (SMALL_PART,)
    assert load(path, screen=Screen(450, 400)).notes == ()
    assert load(gaze_file(tmp_path, rows[:100])).notes == ()
    assert load(gaze_file(tmp_path, [*rows, ("canary-a", "sea", 790, 10)])).notes == ()
