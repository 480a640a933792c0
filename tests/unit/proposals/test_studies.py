"""Tables as real studies have them, with invented rows: who is a person, and what only the curator can know."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy.io import savemat

import synthrelease
from synthrelease.cli import main
from synthrelease.errors import ArgumentError, DataError
from synthrelease.plan.settings_file import FILL_IN
from synthrelease.proposals import excerpt


def written(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """Write a table."""
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def candidates(path: Path) -> list[str]:
    """Return the columns that `init` offers as participant IDs, in its order."""
    with pytest.raises(DataError) as caught:
        synthrelease.init(path)
    assert caught.value.code == "person-column-needed"
    return [part.split("'")[1] for part in caught.value.found.removeprefix("candidates: ").split("; ")]


def doubts(path: Path, person: str) -> list[tuple[str, ...]]:
    """Return what `init` warns of, each with what it is about."""
    return [(doubt.code, *doubt.about) for doubt in synthrelease.init(path, person=person).doubts]


def plan_of(path: Path, person: str, **columns: str) -> dict[str, Any]:
    """Return the proposed plan."""
    return tomllib.loads(synthrelease.init(path, person=person, columns=columns).text)


def sessions(path: Path, *, initials: bool = True) -> Path:
    """Write fixations of a memory experiment: 12 people with one to three sessions each, whose labels hold those of the people."""
    random = np.random.default_rng(3)
    names = [f"{a}{b}" for a in "abcd" for b in "xyz"]
    rows = []
    for number, name in enumerate(names):
        for session in range(1 + number % 3):
            for trial in range(6):
                x, y = random.integers(0, 800), random.integers(0, 600)
                label = f"{name}_{session + 1}_2" if initials else f"s{number}v{session}"
                rows.append((label, name, trial, "old" if trial % 2 else "new", random.integers(0, 12), x, y))
    columns = ("RECORDING_SESSION_LABEL", "sinit", "trial", "kind", "landing_position", "x", "y")
    return written(path, columns, rows)


def test_the_person_comes_before_the_sessions(tmp_path: Path) -> None:
    path = sessions(tmp_path / "a.csv")
    assert candidates(path)[0] == "sinit"
    assert candidates(path)[-1] == "RECORDING_SESSION_LABEL"
    with pytest.raises(DataError) as caught:
        synthrelease.init(path)
    first, _, others = caught.value.found.partition(";")
    assert [name for name in ("'sinit'", "12", "'RECORDING_SESSION_LABEL'") if name not in first] == []
    assert "'RECORDING_SESSION_LABEL'" in others


def test_so_it_is_in_a_struct_array_of_matlab(tmp_path: Path) -> None:
    columns = pl.read_csv(sessions(tmp_path / "a.csv"))
    trials = np.rec.fromarrays([column.to_numpy() for column in columns], names=columns.columns)
    savemat(tmp_path / "a.mat", {"fixations": trials})
    found = candidates(tmp_path / "a.mat")
    assert [found[0], found[-1]] == ["sinit", "RECORDING_SESSION_LABEL"]


def test_the_person_is_found_by_its_name_where_labels_have_nothing_in_common(tmp_path: Path) -> None:
    path = sessions(tmp_path / "a.csv", initials=False)
    assert candidates(path)[0] == "sinit"


@pytest.mark.parametrize("initials", [True, False])
def test_sessions_that_are_chosen_as_persons_are_warned_of(tmp_path: Path, *, initials: bool) -> None:
    found = doubts(sessions(tmp_path / "a.csv", initials=initials), "RECORDING_SESSION_LABEL")
    assert ("several-labels-of-one", "RECORDING_SESSION_LABEL", "sinit") in found
    assert ("telling-column", "sinit") in found


def test_initials_warn_as_the_person_too(tmp_path: Path) -> None:
    assert ("telling-person-column", "sinit") in doubts(sessions(tmp_path / "a.csv"), "sinit")


def test_what_is_measured_or_a_comment_is_no_candidate(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    rows = [
        (f"p{n // 20}", random.integers(0, 9), random.integers(0, 3) * 40, random.integers(-30, 30), n % 2)
        for n in range(200)
    ]
    path = written(
        tmp_path / "a.csv", ("vp", "landing_position", "cly", "eye_center0_3d_x", "# made by X"), rows
    )
    assert candidates(path) == ["vp"]


def test_numbered_participants_of_a_balanced_table_are_candidates(tmp_path: Path) -> None:
    rows = [(n % 20, f"c{n // 20}", 3 + n / 100) for n in range(80)]  # sorted by condition
    path = written(tmp_path / "a.csv", ("code", "cond", "pupil_mm"), rows)
    assert candidates(path)[0] == "code"


@pytest.mark.parametrize("column", ["x", "landing_position"])
def test_what_is_measured_is_doubted_where_it_is_chosen_as_the_person(tmp_path: Path, column: str) -> None:
    path = sessions(tmp_path / "a.csv")
    assert ("hardly-a-person", column) in doubts(path, column)
    assert "hardly-a-person" not in [code for code, *_ in doubts(path, "sinit")]


def test_counts_of_the_first_rows_are_said_to_be_of_these(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sessions(tmp_path / "a.csv")
    found = []
    for rows in (100, 10_000):
        monkeypatch.setattr(excerpt, "ROWS", rows)
        with pytest.raises(DataError) as caught:
            synthrelease.init(path)
        found.append(caught.value.found)
    cut, whole = found
    assert "100" in cut.rpartition("(")[2]
    assert "100" not in whole.rpartition("(")[2]


def test_no_count_of_the_data_stands_in_the_plan(tmp_path: Path) -> None:
    """A digest of the plan may be published: what it holds must be what the curator wrote."""
    texts = []
    for pages in (24, 12):
        columns = {"page": lambda n: n % 3, "page_name": lambda n, pages=pages: f"text{n % pages}"}
        texts.append(synthrelease.init(fixations(tmp_path / "a.csv", columns), person="reader").text)
    assert texts[0] == texts[1]


def test_groups_of_participants_come_after_them_and_are_no_sessions(tmp_path: Path) -> None:
    rows = [(f"p{n // 4}", 20 + n // 4 % 7, "abcde"[n // 4 % 5], 3 + n / 100) for n in range(120)]
    path = written(tmp_path / "a.csv", ("person", "age", "school", "pupil_mm"), rows)
    assert candidates(path)[0] == "person"
    assert [code for code, *_ in doubts(path, "person")] == []


def test_groups_come_after_participants_whatever_the_order_of_columns(tmp_path: Path) -> None:
    rows = [("abcde"[n // 4 % 5], f"k{n // 4}", 3 + n / 100) for n in range(120)]
    path = written(tmp_path / "a.csv", ("school", "code", "pupil_mm"), rows)
    assert candidates(path) == ["code", "school"]


def test_a_number_that_begins_another_is_not_part_of_it(tmp_path: Path) -> None:
    """Person 12 is no session of a group 1, though 12 begins with 1."""
    groups = [n % 5 + 1 for n in range(30)]
    rows = [(f"{groups[n // 4]}", f"{groups[n // 4]}{n // 4}", 3 + n / 100) for n in range(120)]
    path = written(tmp_path / "a.csv", ("batch", "code", "pupil_mm"), rows)
    assert "several-labels-of-one" not in [code for code, *_ in doubts(path, "code")]


def test_sessions_in_which_several_participants_are_no_part_of_one(tmp_path: Path) -> None:
    """Labels nest where each belongs to one only: a day on which all came is no session of one."""
    rows = [(f"ab{n // 10}", f"day{n % 10}", 3 + n / 100) for n in range(60) for _ in range(3)]
    path = written(tmp_path / "a.csv", ("sinit", "session", "pupil_mm"), rows)
    assert "several-labels-of-one" not in [code for code, *_ in doubts(path, "session")]


def fixations(path: Path, columns: dict[str, Any]) -> Path:
    """Write fixations of 8 people on pages, with more columns."""
    rows = [(f"r{n // 24}", n % 24 * 30, n % 7 * 50, *(of(n) for of in columns.values())) for n in range(192)]
    return written(path, ("reader", "x", "y", *columns), rows)


def test_of_several_stimuli_the_curator_names_one(tmp_path: Path) -> None:
    path = fixations(tmp_path / "a.csv", {"page": lambda n: n % 3, "page_name": lambda n: f"text{n % 24}"})
    plan = plan_of(path, "reader")
    assert plan["inputs"]["gaze"]["columns"]["stimulus"] == FILL_IN
    assert "stimuli" not in plan["inputs"]["gaze"]
    text = synthrelease.init(path, person="reader").text
    assert '"page" or "page_name"' in text
    chosen = plan_of(path, "reader", stimulus="page_name")["inputs"]["gaze"]
    assert chosen["columns"]["stimulus"] == "page_name"
    assert len(chosen["stimuli"]) == 25  # FILL IN, and all labels


@pytest.mark.parametrize("finer", ["image", "image_name"])
def test_names_that_divide_stimuli_further_are_asked_about_in_either_order(
    tmp_path: Path, finer: str
) -> None:
    columns = {
        name: (lambda n: f"i{n % 12}") if name == finer else (lambda n: f"g{n % 3}")
        for name in ("image", "image_name")
    }
    path = fixations(tmp_path / "a.csv", columns)
    assert plan_of(path, "reader")["inputs"]["gaze"]["columns"]["stimulus"] == FILL_IN


def test_two_names_of_the_same_stimuli_are_one(tmp_path: Path) -> None:
    path = fixations(tmp_path / "a.csv", {"image": lambda n: n % 3, "image_name": lambda n: f"i{n % 3}"})
    assert plan_of(path, "reader")["inputs"]["gaze"]["columns"]["stimulus"] == "image"


def test_trials_that_are_counted_are_no_recordings(tmp_path: Path) -> None:
    rows = [(f"p{n // 10}", n % 10, 3 + n / 100) for n in range(100)]
    path = written(tmp_path / "a.csv", ("subject", "Trial_Index_", "pupil_mm"), rows)
    assert "recording" not in plan_of(path, "subject")["inputs"]["features"]["columns"]
    named = plan_of(path, "subject", recording="Trial_Index_")["inputs"]["features"]
    assert named["columns"]["recording"] == "Trial_Index_"


def test_positions_of_other_names_are_asked_for_or_named(tmp_path: Path) -> None:
    rows = [(f"p{n // 10}", f"i{n % 2}", n % 80 * 10.5, n % 60 * 9.5) for n in range(100)]
    path = written(tmp_path / "a.csv", ("subject", "image", "whereX", "whereY"), rows)
    assert ("positions-not-known", "whereX", "whereY") in doubts(path, "subject")
    plan = plan_of(path, "subject", x="whereX", y="whereY")
    assert plan["inputs"]["gaze"]["columns"] == {
        "person": "subject",
        "stimulus": "image",
        "x": "whereX",
        "y": "whereY",
    }


@pytest.mark.parametrize("names", [("FixX", "FixY"), ("gazeX", "gazeY"), ("posx", "posy"), ("XPos", "YPos")])
def test_names_in_one_word_are_read(tmp_path: Path, names: tuple[str, str]) -> None:
    rows = [(f"p{n // 10}", f"i{n % 2}", n % 80 * 10.5, n % 60 * 9.5, 200 + n) for n in range(100)]
    path = written(tmp_path / "a.csv", ("Subj", "ImageName", *names, "FixDur"), rows)
    columns = plan_of(path, "Subj")["inputs"]["gaze"]["columns"]
    assert columns == {
        "person": "Subj",
        "stimulus": "ImageName",
        "x": names[0],
        "y": names[1],
        "duration": "FixDur",
    }


def test_columns_that_nothing_reads_are_listed(tmp_path: Path) -> None:
    rows = [(f"p{n // 10}", "mf"[n // 10 % 2], f"i{n % 2}", n % 80 * 10.5, n % 60 * 9.5) for n in range(100)]
    path = written(tmp_path / "a.csv", ("subject", "Sex", "image", "x", "y"), rows)
    plan = tmp_path / "plan.toml"
    done = CliRunner().invoke(main, ["init", str(path), "--person", "subject", "-o", str(plan), "--json"])
    assert json.loads(done.stdout)["inputs"][0]["unused"] == ["Sex"]


def test_groups_that_the_curator_names_divide_the_statistics(tmp_path: Path) -> None:
    rows = [(f"p{n // 10}", ("patient", "control")[n // 10 % 2], 3 + n / 100) for n in range(100)]
    path = written(tmp_path / "a.csv", ("subject", "diagnosis", "pupil_mm"), rows)
    plan = plan_of(path, "subject", groups="diagnosis")
    assert plan["inputs"]["features"]["categories"] == {"diagnosis": [FILL_IN, "control", "patient"]}
    assert plan["outputs"][0]["by"] == "diagnosis"


def test_columns_and_roles_that_there_are_not_are_refused(tmp_path: Path) -> None:
    path = sessions(tmp_path / "a.csv")
    with pytest.raises(DataError) as caught:
        synthrelease.init(path, person="sinit", columns={"stimulus": "nothing"})
    assert caught.value.code == "unknown-column"
    with pytest.raises(ArgumentError) as refused:
        synthrelease.init(path, person="sinit", columns={"colour": "kind"})
    assert refused.value.code == "unknown-role"


def test_files_that_are_called_like_gazebase_but_have_other_columns_are_not_gazebase(tmp_path: Path) -> None:
    folder = tmp_path / "headset"
    folder.mkdir()
    for person in range(1, 5):
        rows = [(n, 3 + n / 100, n % 2) for n in range(20)]
        written(folder / f"S_100{person}_S1_run.csv", ("time", "pupil_mm", "blink"), rows)
    with pytest.raises(DataError) as caught:
        synthrelease.init(folder)
    assert caught.value.code == "person-column-needed"


@pytest.mark.parametrize("every", [2, 50])
def test_a_mark_is_asked_about_however_frequent_it_is(tmp_path: Path, every: int) -> None:
    rows = [(f"p{n // 50}", f"c{n % 2}", -99 if n % every == 0 else 3 + n % 7 / 10) for n in range(500)]
    path = written(tmp_path / "a.csv", ("subject", "condition", "vergence"), rows)
    assert plan_of(path, "subject")["inputs"]["features"]["missing"] == [FILL_IN, -99]


def test_a_mark_that_may_be_a_value_is_none(tmp_path: Path) -> None:
    rows = [(f"p{n // 50}", f"c{n % 2}", -99 if n % 5 == 0 else n % 120 - 60) for n in range(500)]
    path = written(tmp_path / "a.csv", ("subject", "condition", "angle"), rows)
    assert plan_of(path, "subject")["inputs"]["features"]["missing"] == []
