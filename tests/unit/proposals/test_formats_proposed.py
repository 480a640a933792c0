"""`init` on every format that labs have: the plan that it proposes reads the data, once what only a curator knows is filled in."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import bids_dataset
import numpy as np
import pytest
import refusals
from click.testing import CliRunner, Result
from goldens import check_text, figures
from scipy.io import savemat

import synthrelease
from synthrelease.cli import main
from synthrelease.errors import DataError
from synthrelease.plan.settings_file import FILL_IN
from synthrelease.proposals.propose import propose

FILLED = {
    "title": '"A study"',
    "width_px": "800",
    "height_px": "600",
    "width_mm": "400",
    "distance_mm": "600",
    "origin": '"centre-y-up"',
    "assume_public": '["stimuli"]',
}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments])


def proposed(folder: Path, *arguments: object) -> dict[str, Any]:
    """Run `init`, fill in what it asks for, and build and verify a release of it; return the plan's inputs as they were proposed."""
    plan = folder / "plans" / "plan.toml"
    plan.parent.mkdir(exist_ok=True)
    done = run("init", *arguments, "-o", plan, "--force")
    assert done.exit_code == 0, done.output
    text = plan.read_text(encoding="utf-8")
    before = tomllib.loads(text)["inputs"]
    for key, value in FILLED.items():
        text = re.sub(rf'\b{key} = (\["{FILL_IN}"\]|"{FILL_IN}")', f"{key} = {value}", text)
    text = re.sub(rf'(?m)^(".*?"|[\w-]+) = \["{FILL_IN}", "{FILL_IN}"\]', r"\1 = [0, 10000]", text)
    text = text.replace(f'["{FILL_IN}", ', "[")  # of a list: the design of the study made it
    plan.write_text(text, encoding="utf-8")
    assert run("preview", plan).exit_code == 0, text
    built = synthrelease.build(plan, folder / "release.h5", force=True)
    assert synthrelease.verify(built.path).ok
    return before


def refused(code: str, *arguments: Any, **more: Any) -> DataError:
    with refusals.refused(DataError, code) as caught:
        propose(*arguments, **more)
    return caught.value


def doubts(path: Path, person: str) -> list[tuple[str, tuple[str, ...]]]:
    """What is doubted of a table, and of which of its columns."""
    found = propose([path], path.with_name("p.toml"), people=[person])
    return [(one.code, one.about) for one in found.doubts]


def points(people: int = 6, rows: int = 30, **columns: Any) -> list[str]:
    rng = np.random.default_rng(3)
    lines = [",".join(("viewer", "picture", "x", "y", *columns))]
    for person in range(people):
        for n in range(rows):
            x, y = rng.uniform(0, 500, 2)
            more = [str(make(n)) for make in columns.values()]
            lines.append(",".join((f"v{person}", "ab"[n % 2], f"{x:.1f}", f"{y:.1f}", *more)))
    return lines


def write(path: Path, lines: list[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def pupils(path: Path, *, header: str = "t_s,pupil_mm", rows: int = 20) -> Path:
    return write(path, [header, *(f"{n},{3 + n % 5 / 10}" for n in range(rows))])


@pytest.mark.thorough
def test_several_tables_are_inputs_of_one_plan(tmp_path: Path) -> None:
    looks = write(tmp_path / "looks.csv", points())
    more = write(tmp_path / "more looks.csv", points())
    size = ["subject,task,pupil_mm", *(f"v{n % 6},a{n % 2},3.5" for n in range(40))]
    sizes = write(tmp_path / "sizes.csv", size)
    inputs = proposed(tmp_path, looks, more, sizes, "--person", "viewer", "--person", "subject")
    assert list(inputs) == ["looks", "more_looks", "features"]
    assert [one["path"] for one in inputs.values()] == [f"../{one.name}" for one in (looks, more, sizes)]
    assert inputs["features"]["columns"] == {"person": "subject", "recording": "task"}
    error = refused("unknown-column", [looks, sizes], tmp_path / "p.toml", people=["viewer"])
    assert error.where == str(sizes)
    assert "'viewer'" in error.problem
    both = write(tmp_path / "both.csv", ["viewer,subject,pupil_mm", *["a,b,3", "c,d,4"] * 4])
    people = ["viewer", "subject"]
    error = refused("person-columns-in-one-table", [both], tmp_path / "p.toml", people=people)
    assert re.findall(r"'(.*?)'", error.found) == people


def test_what_is_said_of_people_and_their_recordings(tmp_path: Path) -> None:
    rows = [f"{who},{day},3.5" for who, days in (("a", 3), ("b", 1), ("c", 2)) for day in range(days)] * 2
    path = write(tmp_path / "f.csv", ["person,session,pupil_mm", *rows])
    done = run("init", path, "--person", "person", "-o", tmp_path / "p.toml")
    line = done.output.splitlines()[0].replace(str(tmp_path), "")
    assert "'session'" in line
    assert figures(line) == [3, 1, 3]
    assert not re.search(r"\b3 people", (tmp_path / "p.toml").read_text())


def test_one_table_beside_what_is_said_about_it(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    write(folder / "looks.csv", points())
    for name in ("README.txt", "LICENSE.txt", "CHANGES.txt", "._looks.csv", ".cache/looks.csv"):
        write(folder / name, ["Not a table at all, but words"])
    inputs = proposed(tmp_path, folder, "--person", "viewer")
    assert inputs["gaze"]["path"] == "../data/looks.csv"


def test_tables_of_several_kinds_in_one_folder_are_told_apart(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    for person in range(1, 9):
        pupils(folder / f"P{person}_pupil.csv")
        pupils(folder / f"P{person}_blinks.csv", header="t_s,blink_rate_hz")
    inputs = proposed(tmp_path, folder, "--person", "part_1")
    assert {name: one["pattern"] for name, one in inputs.items()} == {
        "P_blinks": "P{part_1}_blinks.csv",
        "P_pupil": "P{part_1}_pupil.csv",
    }


@pytest.mark.parametrize("different", [1, 4, 6])
@pytest.mark.parametrize("options", [(), ("--pattern", "P{part_1}.csv")])
def test_a_file_with_other_columns_is_named_and_the_rest_is_read(
    tmp_path: Path, different: int, options: tuple[str, ...]
) -> None:
    folder = tmp_path / "data"
    for person in range(1, 7):
        names = "t_s,pupil_mm,blink_mm" if person != different else "t_s,pupil_mm,BLINKS"
        write(folder / f"P{person}.csv", [names, *(f"{n},{3 + n % 5 / 10},{n % 2}" for n in range(20))])
    own = proposed(tmp_path, folder, "--person", "part_1", *options)["features"]
    assert own["pattern"] == "P{part_1}.csv"
    assert list(own["bounds"]) == ["pupil_mm"]
    found = propose([folder], tmp_path / "p.toml", people=["part_1"])
    (doubt,) = [one for one in found.doubts if one.code == "file-with-other-columns"]
    assert doubt.about == (f"P{different}.csv",)
    assert "'blink_mm'" in doubt.text
    error = refused("columns-differ", [folder], tmp_path / "p.toml", people=["blink_mm"])
    assert error.where == f"{folder}/P{different}.csv"


def test_a_table_about_people_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    for person in range(1, 13):
        pupils(folder / f"P{person}.csv")
    write(folder / "participants.csv", ["id,age,sex", "1,30,f"])
    done = run("init", folder, "--person", "part_1", "-o", tmp_path / "p.toml")
    assert done.exit_code == 0
    (doubt,) = propose([folder], tmp_path / "p.toml", people=["part_1"]).doubts
    assert (doubt.code, doubt.about) == ("table-left-alone", ("participants.csv",))
    assert f"warning: {doubt.text}\n" in done.output
    assert (
        tomllib.loads((tmp_path / "p.toml").read_text())["inputs"]["features"]["pattern"] == "P{part_1}.csv"
    )


def test_names_that_tell_nothing_apart_are_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    for person in ("ann", "bob-2", "cas"):
        pupils(folder / f"{person}.csv")
    for person in ("dee", "eve-2"):
        pupils(folder / f"{person}.csv", header="t_s,blink_rate_hz")
    error = refused("tables-not-told-apart", [folder], tmp_path / "p.toml", people=["part_1"])
    assert "pattern=" in error.remedy
    for person in range(4):
        pupils(folder / f"x{person}.csv", header=f"t_s,a{person}")
    error = refused("too-many-tables", [folder], tmp_path / "p.toml", people=["part_1"])
    assert figures(error.found)[0] == 6


def test_a_pattern_that_is_given_names_the_parts(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    for person in range(1, 5):
        for visit in (1, 2):
            pupils(folder / f"P{person}_R{visit}.csv", header="t_s;pupil_mm".replace(";", ","))
            pupils(folder / f"Q{person}_R{visit}.csv", header="t_s,other")
    inputs = proposed(
        tmp_path, folder, "--pattern", "P{person}_R{recording}.csv", "--person", "person"
    )  # fmt: skip
    assert inputs["features"]["columns"] == {"person": "person", "recording": "recording", "time": "t_s"}
    refused("no-file-fits", [folder], tmp_path / "p.toml", source_fields={"pattern": "Z{person}.csv"})


def test_cells_of_matlab(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    cells = np.empty((4, 1), dtype=object)
    for image in range(4):
        people = np.empty((5, 1), dtype=object)
        for person in range(5):
            people[person, 0] = {"fix_x": rng.uniform(0, 800, 7), "fix_y": rng.uniform(0, 600, 7)}
        cells[image, 0] = {"img": f"{image}.jpg", "subjects": people}
    path = tmp_path / "looks.mat"
    savemat(path, {"looks": cells, "setup": np.arange(3.0)})
    plan = tmp_path / "p.toml"
    error = refused("several-variables", [path], plan, people=["subjects"])
    assert "--table looks" in error.remedy  # not a sentence: an option
    error = refused("person-column-needed", [path], plan, source_fields={"table": "looks"})
    assert "'subjects'" in error.found
    inputs = proposed(tmp_path, path, "--table", "looks", "--person", "subjects")
    assert inputs["gaze"]["table"] == "looks"
    assert inputs["gaze"]["columns"] == {
        "person": "subjects",
        "stimulus": "img",
        "x": "fix_x",
        "y": "fix_y",
    }
    savemat(path, {"a": rng.uniform(size=(20, 3))})
    assert 'pattern="P{person}.csv"' in refused("person-column-needed", [path], plan).remedy


def test_arrays(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    path, people = tmp_path / "p.npz", np.array([f"a{n}" for n in range(8)])
    np.savez(path, pupil_mm=rng.uniform(2, 6, (8, 3, 20)), person=people, recording=np.array(list("xyz")))
    error = refused("axes-missing", [path], tmp_path / "p.toml")
    assert "--axes person,recording,step" in error.remedy  # not a sentence: an option
    inputs = proposed(tmp_path, path, "--axes", "person, recording, step", "--person", "person")
    assert inputs["features"]["axes"] == ["person", "recording", "step"]
    assert list(inputs["features"]["bounds"]) == ["pupil_mm"]


@pytest.mark.thorough
def test_a_bids_dataset_says_who_is_a_person_and_what_the_screen_was(tmp_path: Path) -> None:
    root = bids_dataset.written(tmp_path / "bids")
    inputs = proposed(tmp_path, root)["gaze"]
    assert inputs["format"] == "bids"
    assert inputs["columns"]["person"] == "subject"
    assert inputs["screen"] == {"width_px": 800, "height_px": 600, "width_mm": 400, "distance_mm": 600}
    assert inputs["stimuli"] == [FILL_IN, "sea.png", "sky.png"]
    assert inputs["missing"] == ["n/a"]
    (root / f"{bids_dataset.EYE1}.json").write_text("{", encoding="utf-8")
    # It is not taken for a plain folder.
    error = refused("metadata-not-json", [root], tmp_path / "p.toml")
    assert f"{bids_dataset.EYE1}.json" in error.where


@pytest.mark.parametrize("ending", ["asc", "txt"])
def test_eyelink_recordings_are_asked_what_their_samples_belong_to(tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "data"
    for person in range(1, 4):
        lines = ["MSG\t1 DISPLAY_COORDS 0 0 1279 1023"]
        for trial, image in enumerate(("sea.png", "sky.png")):
            start = 1000 * (trial + 1)
            lines += [f"MSG\t{start - 5} TRIALID {trial}", f"MSG\t{start - 4} !V IMGLOAD FILL {image}"]
            lines += [
                f"START\t{start} \tLEFT\tSAMPLES\tEVENTS",
                "SAMPLES\tGAZE\tLEFT\tRATE\t 1000.00\tTRACKING\tCR\tFILTER\t2",
            ]
            lines += [f"{start + n}\t  {600 + n}.0\t  90.5\t  778.0\t..." for n in range(20)]
            lines += [f"END\t{start + 20} \tSAMPLES\tEVENTS\tRES\t  38.54\t  31.12"]
            lines += [f"MSG\t{start + 21} TRIAL_RESULT 0"]
        write(folder / f"P{person}.{ending}", lines)
    inputs = proposed(tmp_path, folder, "--person", "part_1")["gaze"]
    assert inputs["screen"] == {"width_px": 1280, "height_px": 1024}
    assert inputs["messages"] == [r"!V IMGLOAD \S+ (?P<stimulus>\S+)", "(?P<stimulus>TRIAL_RESULT)"]
    assert inputs["columns"]["x"] == "pixel_x"
    for person in range(1, 4):
        path = folder / f"P{person}.{ending}"
        path.write_text(path.read_text().replace("!V IMGLOAD", "SHOWN").replace("TRIALID", "TRIAL"))
    text = propose([folder], tmp_path / "p.toml", people=["part_1"]).text
    assert tomllib.loads(text)["inputs"]["gaze"]["messages"] == [FILL_IN]
    check_text("plans/eyelink", text.replace(f".{ending}", ".asc"))


@pytest.mark.parametrize(
    ("low", "high", "coordinates"), [(0, 1, "normalised"), (-15, 15, "degrees"), (0, 300, None), (-5, 700, None)]
)  # fmt: skip
def test_values_that_are_no_pixels_are_seen(
    tmp_path: Path, low: float, high: float, coordinates: str | None
) -> None:
    rng = np.random.default_rng(7)
    rows = [f"v{n % 5},a,{x:.4f},{y:.4f}" for n, (x, y) in enumerate(rng.uniform(low, high, (200, 2)))]
    rows += ["v1,a,-1,-1"] * 40
    path = write(tmp_path / "g.csv", ["viewer,picture,x,y", *rows])
    plan = propose([path], tmp_path / "p.toml", people=["viewer"]).text
    own = tomllib.loads(plan)["inputs"]["gaze"]
    assert own.get("coordinates") == coordinates
    if coordinates:
        assert own["origin"] == FILL_IN
        lines = plan.splitlines()
        assert lines[lines.index(f'coordinates = "{coordinates}"') - 1].startswith("# ")
        assert ("width_mm" in own["screen"]) is (coordinates == "degrees")


def test_units_that_values_look_like_are_comments_and_doubts(tmp_path: Path) -> None:
    rows = [f"v{n % 6},{200 + n},{3 + n / 100}" for n in range(60)]
    found = propose(
        [write(tmp_path / "f.csv", ["viewer,fix_dur,pupil_mm", *rows])],
        tmp_path / "p.toml",
        people=["viewer"],
    )
    (line,) = [line for line in found.text.splitlines() if line.startswith("fix_dur = ")]
    assert line.startswith(f'fix_dur = ["{FILL_IN}", "{FILL_IN}"]  # ')
    assert 2000 in figures(line)
    assert re.search(r"\bms\b", line)
    assert [one.about for one in found.doubts if one.code == "unit-not-in-name"] == [("fix_dur",)]
    looks = [f"v{n // 50},a,{n},{n},{4 * n},{250 + n % 7}" for n in range(300)]
    path = write(tmp_path / "g.csv", ["viewer,picture,x,y,t,duration", *looks])
    found = propose([path], tmp_path / "p.toml", people=["viewer"])
    assert [one.about for one in found.doubts if one.code == "unit-not-in-name"] == [("duration",), ("t",)]
    assert all(re.search(rf'(?m)^# .*"{name}".*\bms\b', found.text) for name in ("t", "duration"))


def test_confidence_is_the_tracker_s_only_where_the_tracker_is_known(tmp_path: Path) -> None:
    rows = [f"v{n % 6},{n % 5 and 3.1},{0.9 if n % 5 else 0.0},{n % 3}" for n in range(60)]
    path = write(tmp_path / "f.csv", ["viewer,pupil_mm,confidence,blinks", *rows])
    inputs = proposed(tmp_path, path, "--person", "viewer")["features"]
    assert "valid" not in inputs
    assert list(inputs["bounds"]) == ["pupil_mm", "confidence", "blinks"]
    suggested = [
        line for line in (tmp_path / "plans" / "plan.toml").read_text().splitlines() if "valid = {" in line
    ]
    assert len(suggested) == 1
    assert suggested[0].startswith("# valid = { confidence = [0.6, 1] }")


def test_pupils_of_no_size_are_no_measurement(tmp_path: Path) -> None:
    rows = [f"v{n % 6},{n % 5 and 3 + n / 100}" for n in range(60)]
    path = write(tmp_path / "f.csv", ["viewer,pupil_mm", *rows])
    assert proposed(tmp_path, path, "--person", "viewer")["features"]["missing"] == [FILL_IN, 0]
    path = write(
        tmp_path / "f.csv", ["viewer,pupil_mm,blinks", *(f"{row},{n % 3}" for n, row in enumerate(rows))]
    )
    found = propose([path], tmp_path / "p.toml", people=["viewer"])
    assert tomllib.loads(found.text)["inputs"]["features"]["missing"] == []
    (doubt,) = found.doubts
    assert (doubt.code, doubt.about) == ("zeros-of-two-kinds", ("pupil_mm", "blinks"))
    assert "`valid`" in doubt.text


def test_what_counts_rows_is_no_feature(tmp_path: Path) -> None:
    path = write(tmp_path / "f.csv", ["viewer,frame,pupil_mm", *(f"v{n % 6},{n},3.5" for n in range(60))])
    inputs = proposed(tmp_path, path, "--person", "viewer")["features"]
    assert list(inputs["bounds"]) == ["pupil_mm"]
    plan = (tmp_path / "plans" / "plan.toml").read_text()
    assert [line for line in plan.splitlines() if re.match(r"# frame\b", line)]


@pytest.mark.parametrize("below", [["Summary", "mean,250.5"], ["picture,mean", "a,7"]])
def test_another_table_at_the_end_of_a_file_is_left_out(tmp_path: Path, below: list[str]) -> None:
    path = write(tmp_path / "looks.csv", [*points(), "", *below])
    assert proposed(tmp_path, path, "--person", "viewer")["gaze"]["stop_at_blank"] is True
    assert ("other-table-below", ("looks.csv",)) in doubts(path, "viewer")
    rows = points()
    error = refused(
        "blank-line", [write(path, [*rows, "", *rows[1:]])], tmp_path / "p.toml", people=["viewer"]
    )
    assert f"line {len(rows) + 1}" in error.where


def trials(form: str, between: str, rows: int = 24) -> list[str]:
    """A row for each trial, with lists of gaze and, of other lengths, of pupils."""
    rng = np.random.default_rng(5)
    lines = ["viewer,picture,gaze_x,gaze_y,pupil_mm,note"]
    for row in range(rows):
        n = int(rng.integers(2, 9))
        x, y, pupil = rng.uniform(10, 500, n), rng.uniform(10, 500, n), rng.uniform(2, 5, n + row % 2)
        cells = [form.format(between.join(f"{value:.1f}" for value in values)) for values in (x, y, pupil)]
        lines.append(",".join((f"v{row % 6}", "ab"[row % 2], *cells, "seen on 2020 01 02")))
    return lines


@pytest.mark.parametrize(("form", "between"), [('"[{}]"', ", "), ("{}", " "), ("[{}]", " "), ('"({})"', ",")])
def test_lists_in_cells_are_offered_to_be_unpacked(tmp_path: Path, form: str, between: str) -> None:
    path = write(tmp_path / "trials.csv", trials(form, between))
    found = propose([path], tmp_path / "p.toml", people=["viewer"])
    gaze = tomllib.loads(found.text)["inputs"]["gaze"]
    assert gaze["lists"] == ["gaze_x", "gaze_y"]
    assert gaze["columns"] == {"person": "viewer", "stimulus": "picture", "x": "gaze_x", "y": "gaze_y"}
    assert ("lists-of-other-lengths", ("pupil_mm",)) in [(one.code, one.about) for one in found.doubts]


def test_a_release_is_built_of_lists(tmp_path: Path) -> None:
    path = write(tmp_path / "trials.csv", trials('"[{}]"', ", "))
    assert proposed(tmp_path, path, "--person", "viewer")["gaze"]["lists"] == ["gaze_x", "gaze_y"]


@pytest.mark.parametrize("cell", ["2020 01 02", '"1,5"', "12 30", "[7]", "P 7", '"1,234,567"'])
def test_dates_and_numbers_are_no_lists(tmp_path: Path, cell: str) -> None:
    rows = [f"{line},{cell}" for line in points()[1:]]
    path = write(tmp_path / "looks.csv", [points()[0] + ",other", *rows])
    found = propose([path], tmp_path / "p.toml", people=["viewer"])
    assert "lists" not in tomllib.loads(found.text)["inputs"]["gaze"]


@pytest.mark.thorough
def test_gazebase_says_who_a_person_is_and_what_was_looked_at(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    for number in range(1, 6):
        for turn in (1, 2):
            for task in ("TEX", "VD1"):
                rows = [f"{n},{n % 7 - 3}.5,{n % 5 - 2}.5,0" for n in range(20)]
                write(folder / f"S_{turn}00{number}_S1_{task}.csv", ["n,x,y,val", *rows])
    inputs = proposed(tmp_path, folder)["gaze"]
    assert inputs["columns"] == {"person": "person", "stimulus": "task", "x": "x", "y": "y"}
    assert inputs["stimuli"] == [FILL_IN, "TEX", "VD1"]
    found = propose([folder], tmp_path / "p.toml")
    (own,) = found.inputs
    assert (own.kind, own.people, own.groups[0]) == ("gaze", 5, (2, 2, "task"))
    assert [one for one in found.doubts if "telling" in one.code] == []
    for person in ("round", "session"):
        error = refused("format-has-person", [folder], tmp_path / "p.toml", people=[person])
        assert f"'{person}'" in error.found
        assert "'person'" in error.expected


def test_what_is_hardly_a_person_is_doubted(tmp_path: Path) -> None:
    rows = [
        f"{who},{eye},{n},3.{n % 10}"
        for n in range(30)
        for who in ("P01", "p01 ", "P02", "P03")
        for eye in "LR"
    ]
    path = write(tmp_path / "f.csv", ["who,eye,n,pupil_mm", *rows])
    assert ("few-people", ("eye",)) in doubts(path, "eye")
    found = propose([path], tmp_path / "p.toml", people=["who"])
    assert "label-twins" in [one.code for one in found.doubts]
    assert f'distinct_labels = "{FILL_IN}"' in found.text
    assert "line 4" in " ".join(found.warnings)
    assert "distinct_labels" not in propose([path], tmp_path / "p.toml", people=["eye"]).text
    assert "few-people" not in [one.code for one in found.doubts]
    assert "P01" not in " ".join(found.warnings)


def test_labels_of_sessions_are_doubted(tmp_path: Path) -> None:
    def sessions(labels: Iterable[str]) -> bool:
        rows = [f"{label},{n},3.{n}" for label in labels for n in range(5)]
        path = write(tmp_path / "f.csv", ["who,n,pupil_mm", *rows])
        return ("labels-of-sessions", ("who",)) in doubts(path, "who")

    people = [f"P{n:02d}" for n in range(12)]
    assert sessions(f"{one}_s{k}" for one in people for k in (1, 2))
    assert sessions([*(f"{one}-Ses-1" for one in people), "p00-ses-2", "P05-ses-2"])
    assert not sessions(people)
    assert not sessions(f"{one}_s1" for one in people)  # one each
    assert not sessions(f"lab_s{n}" for n in range(12))  # numbers of people
    assert not sessions(f"{one}_{k}" for one in people for k in (1, 2))  # says nothing of what


def test_a_name_with_blanks_is_quoted(tmp_path: Path) -> None:
    path = write(
        tmp_path / "f.csv", ["Participant name,frame,pupil_mm", *(f"v{n % 6},{n % 9},3.5" for n in range(60))]
    )
    error = refused("person-column-needed", [path], tmp_path / "p.toml")
    assert 'person="Participant name"' in error.remedy  # not a sentence: a column
    assert "'frame'" not in error.found


def test_nan_of_arrays_is_missing(tmp_path: Path) -> None:
    values = np.random.default_rng(8).uniform(2, 6, (8, 20))
    values[:, 15:] = np.nan
    np.savez(tmp_path / "p.npz", pupil_mm=values, person=np.array([f"a{n}" for n in range(8)]))
    inputs = proposed(tmp_path, tmp_path / "p.npz", "--axes", "person,step", "--person", "person")["features"]
    assert [str(code) for code in inputs["missing"]] == [FILL_IN, "nan"]
