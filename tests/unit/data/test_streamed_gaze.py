"""Gaze in parts is the gaze in memory: the same people, each whole, the same sums, the same errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from synthrelease.data import facts
from synthrelease.data.facts import read_facts
from synthrelease.data.gaze import Gaze, load_gaze
from synthrelease.data.screen import Screen
from synthrelease.data.streamed_gaze import StreamedGaze, open_gaze
from synthrelease.errors import DataError
from synthrelease.maths.spectral import SpectralForm
from synthrelease.mechanisms import gaze_maps, private_cap, spectral
from synthrelease.mechanisms.gaze_maps import GazeMapParameters
from synthrelease.mechanisms.private_cap import PrivateCap
from synthrelease.mechanisms.spectral import SpectralParameters
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.guarantee import Neighbours

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


def streamed(path: Path, most_rows: int = 90, **options: Any) -> StreamedGaze:
    columns = options.pop("columns", COLUMNS)
    gaze = open_gaze(path, columns=columns, screen=SCREEN, stimuli=STIMULI, most_rows=most_rows, **options)
    assert isinstance(gaze, StreamedGaze)
    return gaze


@pytest.mark.parametrize("order", ["shuffled", "who", "image"])
def test_every_person_is_whole_in_one_part_and_no_part_is_much_too_large(tmp_path: Path, order: str) -> None:
    path = stored(tmp_path, table(order=order))
    whole = load_gaze(path, columns=COLUMNS, screen=SCREEN, stimuli=STIMULI)
    gaze = streamed(path)
    assert gaze.people == whole.people == 17
    parts = list(gaze.parts())
    assert len(parts) > 5
    seen: list[str] = []
    for part in parts:
        assert part.person.size <= 90
        for number, name in enumerate(part.identities):
            of_part = part.person == number
            of_whole = whole.person == whole.identities.index(name)
            np.testing.assert_array_equal(part.x_px[of_part], whole.x_px[of_whole])
            np.testing.assert_array_equal(part.stimulus[of_part], whole.stimulus[of_whole])
            np.testing.assert_array_equal(part.assigned[number], whole.assigned[whole.identities.index(name)])
        seen.extend(part.identities)
    assert sorted(seen) == sorted(whole.identities)
    assert len(seen) == len(set(seen))


def test_a_person_of_more_rows_than_a_part_is_one(tmp_path: Path) -> None:
    frame = table(who=pl.Series(["busy"] * 500 + ["idle"] * 100))
    parts = list(streamed(stored(tmp_path, frame)).parts())
    assert [part.identities for part in parts] == [("busy",), ("idle",)]


def test_cells_that_are_written_differently_and_mean_one_person_stay_together(tmp_path: Path) -> None:
    names = ["7", " 7", "7 ", "8"] * 150
    gaze = streamed(stored(tmp_path, table(who=pl.Series(names))))
    assert gaze.people == 2
    assert [part.identities for part in gaze.parts()] == [("7",), ("8",)]
    numbers = table(who=pl.Series([7.0, 8.0, 9.0] * 200))
    assert [part.identities for part in streamed(stored(tmp_path, numbers), 200).parts()] == [
        ("7",),
        ("8",),
        ("9",),
    ]


def test_small_files_and_text_are_read_as_a_whole(tmp_path: Path) -> None:
    frame = table()
    options: dict[str, Any] = {"columns": COLUMNS, "screen": SCREEN, "stimuli": STIMULI}
    assert isinstance(open_gaze(stored(tmp_path, frame), **options), Gaze)
    assert isinstance(open_gaze(stored(tmp_path, frame), **options, most_rows=600), Gaze)
    assert isinstance(open_gaze(stored(tmp_path, frame, "gaze.csv"), **options, most_rows=90), Gaze)


def test_times_and_durations_are_those_of_the_rows(tmp_path: Path) -> None:
    columns = {**COLUMNS, "time": "t", "duration": "ms"}
    path = stored(tmp_path, table().sample(fraction=1.0, shuffle=True, seed=4))
    whole = load_gaze(path, columns=columns, screen=SCREEN, stimuli=STIMULI)
    assert whole.time is not None
    assert whole.duration is not None
    for part in streamed(path, columns=columns).parts():
        assert part.time is not None
        for number, name in enumerate(part.identities):
            of_part, of_whole = part.person == number, whole.person == whole.identities.index(name)
            np.testing.assert_array_equal(part.time[of_part], whole.time[of_whole])
            assert part.duration is not None
            np.testing.assert_array_equal(part.duration[of_part], whole.duration[of_whole])


def maps(neighbours: Neighbours = Neighbours.REPLACE_ONE) -> GazeMapParameters:
    return GazeMapParameters(3, 6, 8, 2, 9, 2, False, neighbours, "gaussian", "exact", 5.0, 17)


@pytest.mark.parametrize("order", ["shuffled", "who"])
def test_sums_of_contributions_are_the_same(tmp_path: Path, order: str) -> None:
    columns = {**COLUMNS, "time": "t", "duration": "ms"}
    path = stored(tmp_path, table(order=order))
    whole = load_gaze(path, columns=columns, screen=SCREEN, stimuli=STIMULI)
    parts = streamed(path, columns=columns)
    np.testing.assert_array_equal(
        gaze_maps.contributions(parts, maps()), gaze_maps.contributions(whole, maps())
    )
    private = PrivateCap((1, 3, 9), 0.1, maps())
    budget = Budget(1.0, 1e-6)
    assert private_cap.utilities(parts, private, budget) == private_cap.utilities(whole, private, budget)
    for joint in (True, False):
        form = SpectralForm((0.3, 0.2), (4, 5))
        parameters = SpectralParameters(
            3, form, joint, 2, None, False, "duration", None, Neighbours.REPLACE_ONE, 17
        )
        np.testing.assert_array_equal(
            spectral.contributions(parts, parameters), spectral.contributions(whole, parameters)
        )


def test_errors_name_the_row_of_the_file(tmp_path: Path) -> None:
    bad = table(order="image").with_row_index("n")
    row = 431
    bad = bad.with_columns(x=pl.when(pl.col("n") == row).then(900.0).otherwise(pl.col("x")))
    path = stored(tmp_path, bad)
    for read in (
        lambda: load_gaze(path, columns=COLUMNS, screen=SCREEN, stimuli=STIMULI),
        lambda: list(streamed(path).parts()),
    ):
        with pytest.raises(DataError) as refused:
            read()
        assert f"row {row}" in refused.value.where


def test_notes_are_told_once_the_parts_have_been_read(tmp_path: Path) -> None:
    gaze = streamed(stored(tmp_path, table()))
    assert gaze.notes == ()
    list(gaze.parts())
    list(gaze.parts())
    whole = load_gaze(stored(tmp_path, table()), columns=COLUMNS, screen=SCREEN, stimuli=STIMULI)
    for what in ("have no position", "belong to stimuli"):
        dropped = sum(int(note.split(": ")[1].split()[0]) for note in gaze.notes if what in note)
        assert dropped == next(int(note.split()[0]) for note in whole.notes if what in note)


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
