"""Rows that a plan chooses: what is left out counts nowhere, who is left out counts as a person, and each row is judged by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from goldens import figures
from invented_study import write_study
from refusals import refused

import synthrelease
from synthrelease.data.chosen_rows import ChosenRows
from synthrelease.data.facts import read_facts
from synthrelease.data.features import load_features
from synthrelease.data.gaze import GazeData, load_gaze
from synthrelease.data.screen import Screen
from synthrelease.errors import DataError, PlanError
from synthrelease.plan.plan import load_plan

COLUMNS = {"person": "who", "stimulus": "image", "x": "x", "y": "y"}
ROWS = """who,image,x,y,sensor,confidence,eye
ann,sea,10,20,Eye Tracker,0.9,left
ann,,11,21,Mouse,0.9,left
ann,sky,12,22,Eye Tracker,0.1,right
bob,,13,23,Mouse,0.9,left
cas,sky,14,24,Eye Tracker,,left
cas,sea,15,25,Eye Tracker,0.6,right
cas,sea,16,26,Eye Tracker,1,
dee,sea,17,27,,1,left
"""
EYES = ChosenRows(only={"sensor": ("Eye Tracker",)})


def load(folder: Path, rows: str = ROWS, **options: Any) -> GazeData:
    path = folder / "gaze.csv"
    path.write_text(rows, encoding="utf-8")
    return load_gaze(path, columns=COLUMNS, screen=Screen(100, 100), **options)


def across(gaze: GazeData) -> list[float]:
    return gaze.x_px.tolist()


def test_rows_that_are_not_chosen_are_left_out_and_everyone_is_still_someone(tmp_path: Path) -> None:
    gaze = load(tmp_path, chosen=EYES)
    assert sorted(across(gaze)) == [10, 12, 14, 15, 16]
    assert gaze.identities == ("ann", "bob", "cas", "dee")
    assert gaze.people == 4
    assert gaze.stimuli == ("sea", "sky")
    assert gaze.assigned.tolist() == [[True, True], [False, False], [True, True], [True, False]]
    assert [figures(note) for note in gaze.notes] == [[3, 8]]
    assert "`only`" in gaze.notes[0]


def test_without_a_choice_the_rows_between_trials_are_refused(tmp_path: Path) -> None:
    with refused(DataError, "missing-label", where="line 3, column 'image'"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("valid", "left"),
    [
        ({"confidence": (0.6, 1.0)}, [10, 15, 16]),
        ({"confidence": (0.61, 1.0)}, [10, 16]),
        ({"confidence": (0, 0.5)}, [12]),
        ({"eye": ("left",)}, [10, 14]),
        ({"eye": ("left", "right")}, [10, 12, 14, 15]),
        ({"eye": ("right",), "confidence": (0.6, 1.0)}, [15]),
    ],
)
def test_rows_without_a_valid_measurement_are_dropped(tmp_path: Path, valid: Any, left: list[float]) -> None:
    gaze = load(tmp_path, chosen=ChosenRows(only=EYES.only, valid=valid))
    assert sorted(across(gaze)) == left
    assert gaze.people == 4
    assert gaze.assigned.tolist() == [[True, True], [False, False], [True, True], [True, False]]
    (note,) = (note for note in gaze.notes if "`valid`" in note)
    assert figures(note) == [5 - len(left), 5]


def test_a_missing_code_is_not_valid(tmp_path: Path) -> None:
    rows = ROWS.replace("0.1,right", "-1,right")
    chosen = ChosenRows(only=EYES.only, valid={"confidence": (-2.0, 1.0)})
    assert sorted(across(load(tmp_path, rows, chosen=chosen))) == [10, 12, 15, 16]
    assert sorted(across(load(tmp_path, rows, chosen=chosen, missing=[-1]))) == [10, 15, 16]


def test_what_is_no_number_in_a_column_of_numbers_is_refused(tmp_path: Path) -> None:
    rows = ROWS.replace("0.1,right", "low,right")
    with refused(DataError, "bad-number", where="line 4, column 'confidence'"):
        load(tmp_path, rows, chosen=ChosenRows(only=EYES.only, valid={"confidence": (0.6, 1.0)}))


def test_a_misspelt_column_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with refused(DataError, "unknown-column") as caught:
        load(tmp_path, chosen=ChosenRows(only={"sensors": ("Eye Tracker",)}))
    assert "'sensors'" in caught.value.problem
    assert "'sensor'" in caught.value.remedy


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    rows = ROWS.replace("16,26", "160,26")
    with refused(DataError, "point-off-screen", where="line 8,"):
        load(tmp_path, rows, chosen=EYES)


def test_nobodys_rows_depend_on_anyone_else(tmp_path: Path) -> None:
    chosen = ChosenRows(only=EYES.only, valid={"confidence": (0.5, 1.0)})
    both = load(tmp_path, chosen=chosen)
    header, *lines = ROWS.splitlines(keepends=True)
    for number, person in enumerate(both.identities):
        alone = load(
            tmp_path, header + "".join(line for line in lines if line.startswith(person)), chosen=chosen,
            stimuli=both.stimuli,
        )  # fmt: skip
        assert across(alone) == both.x_px[both.person == number].tolist()


def test_features_of_rows_that_are_not_valid_are_missing_and_their_steps_are_there(tmp_path: Path) -> None:
    path = tmp_path / "features.csv"
    path.write_text(
        "who,task,t,pupil,confidence\nann,a,1,3,1\nann,a,2,0,0\nann,,3,4,1\nann,a,4,5,0.9\nbob,,1,3,1\n",
        encoding="utf-8",
    )
    columns = {"person": "who", "recording": "task", "time": "t"}
    chosen = ChosenRows(only={"task": ("a",)}, valid={"confidence": (0.6, 1)})
    features = load_features(path, columns=columns, bounds={"pupil": (1.0, 9.0)}, chosen=chosen)
    assert np.nan_to_num(features.values[:, 0], nan=-1).tolist() == [3, -1, 5]
    assert features.people == 2
    assert [figures(note) for note in features.notes] == [[2, 5], [1, 3]]
    assert ["`only`" in note for note in features.notes] == [True, False]
    assert ["`valid`" in note for note in features.notes] == [False, True]


@pytest.mark.parametrize("slice_rows", [1, 3, 100])
def test_facts_are_those_of_all_rows_chosen_or_not(
    tmp_path: Path, slice_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synthrelease.data.facts._SLICE_ROWS", slice_rows)
    gaze = load(tmp_path, chosen=EYES)
    facts = read_facts(tmp_path / "gaze.csv", columns=COLUMNS, listed=None, lengths_public=True, chosen=EYES)
    assert facts.people == gaze.people
    assert facts.identities == frozenset(gaze.identities)
    assert facts.names == gaze.stimuli
    assert facts.longest == 2
    assert facts.assigned.tolist() == gaze.assigned.tolist()


def test_a_choice_of_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gaze.csv").write_text(ROWS, encoding="utf-8")
    with refused(DataError, "only-selects-nothing") as caught:
        read_facts(
            tmp_path / "gaze.csv", columns=COLUMNS, listed=None,
            chosen=ChosenRows(only={"sensor": ("eye tracker",)}),
        )  # fmt: skip
    assert "'sensor'" in caught.value.found


def test_a_release_of_chosen_rows_is_that_of_a_file_of_them(tmp_path: Path) -> None:
    plain, chosen = tmp_path / "plain", tmp_path / "chosen"
    for folder in (plain, chosen):
        folder.mkdir()
        write_study(folder)
    rows = pl.read_csv(plain / "gaze.csv")
    assert rows.columns[:2] == ["who", "picture"]
    more = rows.head(50).with_columns(pl.lit("elsewhere").alias("where"), pl.lit("").alias("picture"))
    here = rows.with_columns(pl.lit("here").alias("where"))
    pl.concat([more, here], how="vertical_relaxed").write_csv(chosen / "gaze.csv")
    text = (chosen / "plan.toml").read_text(encoding="utf-8")
    line = 'assume_public = ["stimuli"]\n'
    assert text.count(line) == 1
    (chosen / "plan.toml").write_text(
        text.replace(line, line + 'only = { where = ["here"] }\nvalid = { x = [0, 80] }\n'), encoding="utf-8"
    )
    built = [
        synthrelease.open_bundle(synthrelease.build(folder / "plan.toml", folder / "out.h5", test_seed=5).path, allow_test_seed=True)
        for folder in (plain, chosen)
    ]  # fmt: skip
    assert built[0].manifest["digests"] == built[1].manifest["digests"]
    told = [any(warning["code"] == "rows-left-out" for warning in one.manifest["warnings"]) for one in built]
    assert told == [False, True]


@pytest.mark.parametrize(
    ("line", "code", "place", "found"),
    [
        ('only = { where = "here" }', "bad-value", "only.where", "'here'"),
        ("only = { where = [] }", "bad-value", "only.where", ""),
        ("valid = { x = [1.0] }", "bad-valid", "valid.x", "[1.0]"),
        ("valid = { x = [0.6, 1, 2] }", "bad-valid", "valid.x", "[0.6, 1, 2]"),
        ("valid = { x = [1.0, 0.6] }", "bad-valid", "valid.x", "[1.0, 0.6]"),
        ("valid = { x = [nan, 0.6] }", "bad-valid", "valid.x", "[nan, 0.6]"),
        ('valid = { x = ["good", 0.6] }', "bad-valid", "valid.x", "['good', 0.6]"),
    ],
)
def test_a_choice_that_means_nothing_is_refused(
    tmp_path: Path, line: str, code: str, place: str, found: str
) -> None:
    plan = write_study(tmp_path)
    text = plan.read_text(encoding="utf-8")
    plan.write_text(text.replace("[inputs.pupil]\n", f"{line}\n[inputs.pupil]\n", 1), encoding="utf-8")
    with refused(PlanError, code, where=f"inputs.gaze.{place}") as caught:
        load_plan(plan)
    assert found in caught.value.found
