"""`init` on data of many forms: the plan is accepted once it is filled in, and who is a person is never guessed."""

from __future__ import annotations

import json
import re
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from goldens import check_text, figures
from proposed import filled
from refusals import refused

import synthrelease
from synthrelease.cli import main
from synthrelease.errors import DataError, PlanError
from synthrelease.plan.plan import load_plan
from synthrelease.plan.settings_file import FILL_IN
from synthrelease.proposals.identifiers import DATES, INITIALS
from synthrelease.proposals.propose import propose
from synthrelease.proposals.sources import inferred_pattern, tables_in


def run(*arguments: object):
    return CliRunner().invoke(main, [str(one) for one in arguments])


def error_of(*arguments: object) -> dict[str, Any]:
    """The error that a command ends with, as a program has it."""
    done = run(*arguments, "--json")
    error: dict[str, Any] = json.loads(done.stdout)["error"]
    assert done.exit_code == error["exit_code"]
    return error


def gaze(path: Path, *, separator: str = ",", people: int = 20) -> Path:
    rng = np.random.default_rng(1)
    lines = [separator.join(("image", "observer", "x_px", "y_px", "duration_ms"))]
    for person in range(people):
        for image in (1001, 1002):
            for x, y in rng.integers(0, 400, (5, 2)).tolist():
                lines.append(separator.join(map(str, (image, f"p{person}", x, y, 200))))
            lines.append(separator.join((str(image), f"p{person}", "-1", "-1", "0")))
    path.write_text("\n".join(lines) + "\n")
    return path


def recordings(folder: Path) -> Path:
    folder.mkdir()
    rng = np.random.default_rng(2)
    for person in range(1, 13):
        for session in (1, 2):
            values = rng.uniform(2, 6, 30)
            text = "\n".join(
                f"{step};{value:.3f};n/a" if step % 9 else f"{step};n/a;0.5"
                for step, value in enumerate(values)
            )
            (folder / f"P{person}_S{session}.csv").write_text(f"t_ms;pupil_mm;openness\n{text}\n")
    return folder


def test_from_a_file_of_fixations_to_a_bundle(tmp_path: Path) -> None:
    data, plan = gaze(tmp_path / "fixations.csv"), tmp_path / "plan.toml"
    asked = error_of("init", data, "-o", plan)
    assert (asked["code"], asked["exit_code"]) == ("person-column-needed", 3)
    assert asked["found"].index("'observer' (20") < asked["found"].index("'image' (2")
    assert "--person observer" in asked["remedy"]  # not a sentence: an option
    assert not plan.exists()
    done = run("init", data, "--person", "observer", "-o", plan)
    assert done.exit_code == 0, done.output
    check_text("init/fixations", done.output, folder=tmp_path)
    check_text("plans/fixations", plan.read_text())
    early = error_of("preview", plan)
    assert (early["code"], early["exit_code"]) == ("fill-in", 3)
    screen = "inputs.gaze.screen"
    for key in (
        "release.title",
        f"{screen}.width_px",
        f"{screen}.height_px",
        "inputs.gaze.stimuli",
        "inputs.gaze.missing",
    ):
        assert key in early["found"]
    filled(plan, width_px="400", height_px="400")
    spec = load_plan(plan).inputs["gaze"]
    assert spec.options["missing"] == [-1]
    assert spec.options["stimuli"] == ["1001", "1002"]
    assert spec.options["columns"]["duration"] == "duration_ms"
    assert run("preview", plan).exit_code == 0
    assert synthrelease.verify(synthrelease.build(plan, tmp_path / "r.h5").path).ok


def test_codes_that_one_person_can_bring_are_for_the_curator_to_decide(tmp_path: Path) -> None:
    data = gaze(tmp_path / "fixations.csv")
    data.write_text(
        "".join(line for line in data.read_text().splitlines(keepends=True) if "-1,-1" not in line)
    )
    one = gaze(tmp_path / "other.csv")
    texts = {}
    for path in (data, one):
        plan = tmp_path / f"{path.stem}.toml"
        assert run("init", path, "--person", "observer", "-o", plan).exit_code == 0
        texts[path] = plan.read_text()
    asked = error_of("preview", tmp_path / "other.toml")
    assert "inputs.gaze.missing" in asked["found"]
    assert tomllib.loads(texts[data])["inputs"]["gaze"]["missing"] == []
    assert tomllib.loads(texts[one])["inputs"]["gaze"]["missing"] == [FILL_IN, -1]


def test_from_a_folder_of_recordings_to_a_bundle(tmp_path: Path) -> None:
    data, plan = recordings(tmp_path / "data"), tmp_path / "plans" / "plan.toml"
    plan.parent.mkdir()
    asked = error_of("init", data, "-o", plan)
    assert (asked["code"], asked["exit_code"]) == ("person-column-needed", 3)
    assert "'part_1'" in asked["found"]
    done = run("init", data, "--person", "part_1", "-o", plan, "--json")
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)["inputs"]
    assert (found["kind"], found["people"]) == ("features", 12)
    check_text("plans/recordings", plan.read_text())
    document = tomllib.loads(plan.read_text())["inputs"]["features"]
    assert (document["path"], document["pattern"]) == ("../data", "P{part_1}_S{part_2}.csv")
    assert (document["separator"], document["missing"]) == (";", [FILL_IN, "n/a"])
    assert list(document["bounds"]) == ["pupil_mm", "openness"]
    assert document["columns"] == {"person": "part_1", "recording": "part_2", "time": "t_ms"}
    assert document["recordings"] == [FILL_IN, "1", "2"]
    filled(plan, pupil_mm="[1, 9]", openness="[0, 1]")
    assert synthrelease.verify(synthrelease.build(plan, tmp_path / "r.h5").path).ok


def test_nothing_of_the_data_s_ranges_is_in_the_plan(tmp_path: Path) -> None:
    data = tmp_path / "f.csv"
    rows = [f"p{n % 9},{n // 9},{3.14159 + n / 1000:.5f}" for n in range(45)]
    data.write_text("\n".join(["who,t_s,pupil_mm", *rows]) + "\n")
    text = propose([data], tmp_path / "plan.toml", people=["who"]).text
    (line,) = (line for line in text.splitlines() if line.startswith("pupil_mm = "))
    assert figures(line.partition("#")[2])[:2] == [1, 9]
    assert not re.search(r"3\.1[4-9]", text)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_found(tmp_path: Path, separator: str) -> None:
    source = tables_in(gaze(tmp_path / "g.csv", separator=separator)).sources[0]
    assert source.separator == (None if separator == "," else separator)
    assert source.header == ()


def test_a_missing_header_is_found(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    for first in ("1,0.5,3", "canary,0.5,3"):
        path.write_text(f"{first}\n2,0.25,4\n" * 3)
        # One number is enough: else cells would be names, and printed.
        with refused(DataError, "person-column-needed") as caught:
            propose([path], tmp_path / "p.toml")
        assert "canary" not in str(caught.value)
        assert "column_1" in caught.value.found
    path.write_text("1,0.5,3\n2,0.25,4\n1,0.5,3\n2,0.25,4\n")
    assert tables_in(path).sources[0].header == ("column_1", "column_2", "column_3")
    text = propose([path], tmp_path / "p.toml", people=["column_1"]).text
    assert 'header = ["column_1", "column_2", "column_3"]' in text


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        (["P1_R2.csv", "P10_R1.csv"], "P{part_1}_R{part_2}.csv"),
        (["a/1.csv", "b/2.csv"], "{part_1}/{part_2}.csv"),
        (["sub-ann_task-read.tsv", "sub-bob_task-read.tsv"], "sub-{part_1}_task-read.tsv"),
        (["ann.csv.gz", "bob.csv.gz"], "{part_1}.csv.gz"),
        (["ann-1.csv", "bob.csv"], "{part_1}.csv"),
        (["x/ann-1.csv", "bob.csv"], "**/{part_1}.csv"),
        (["one.csv"], "one.csv"),
    ],
)
def test_patterns_are_inferred(names: list[str], pattern: str) -> None:
    assert inferred_pattern(names) == pattern


def test_known_folders_are_recognised_and_say_who_a_person_is(tmp_path: Path) -> None:
    for name in ("S_1001_S1_FXS", "S_9001_S1_FXS", "S_1002_S1_TEX"):
        (tmp_path / f"{name}.csv").write_text("n,x,y,val\n0,0.5,0.5,0\n1,NaN,NaN,4\n2,NaN,NaN,4\n")
    found = propose([tmp_path], tmp_path / "plan.toml")
    assert found.inputs[0].people == 2
    assert 'format = "gazebase"' in found.text
    assert 'person = "person"' in found.text
    assert 'missing = ["FILL IN", "NaN"]' in found.text


def test_what_tells_too_much_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    rows = [f"s{n % 6},{['AB', 'CD', 'EF'][n % 3]},2026-11-{1 + n % 20:02},{n / 100}" for n in range(36)]
    path.write_text("\n".join(["session_label,participant,day,pupil_mm", *rows]) + "\n")
    found = propose([path], tmp_path / "p.toml", people=["session_label"])
    assert [(one.code, one.about) for one in found.doubts] == [
        ("telling-column", ("participant",)),
        ("telling-column", ("day",)),
        ("several-labels-of-one", ("session_label", "participant")),
    ]
    for doubt, what in zip(found.doubts, (INITIALS, DATES), strict=False):
        assert what in doubt.text
    other = propose([path], tmp_path / "p.toml", people=["participant"])
    assert [(one.code, one.about) for one in other.doubts] == [
        ("telling-person-column", ("participant",)),
        ("telling-column", ("day",)),
        ("few-people", ("participant",)),
    ]
    assert found.warnings == tuple(one.text for one in found.doubts)
    check_text("init/doubts", "\n".join((*found.warnings, "", *other.warnings)))


def test_a_plan_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    data, plan = gaze(tmp_path / "g.csv"), tmp_path / "plan.toml"
    plan.write_text("mine\n")
    assert run("init", data, "--person", "observer", "-o", plan).exit_code == 6
    assert plan.read_text() == "mine\n"
    assert run("init", data, "--person", "observer", "-o", plan, "--force").exit_code == 0
    assert run("init", data, "--person", "observer", "-o", data, "--force").exit_code == 6


def test_no_file_of_a_folder_of_data_is_replaced(tmp_path: Path) -> None:
    data, plan = recordings(tmp_path / "data"), tmp_path / "plan.toml"
    own = data / "P1_S1.csv"
    before = own.read_text()
    assert run("init", data, "--person", "part_1", "-o", own, "--force").exit_code == 6
    assert run("init", data, "--person", "part_1", "-o", plan).exit_code == 0
    filled(plan, pupil_mm="[1, 9]", openness="[0, 1]")
    assert run("build", plan, "-o", own, "--force").exit_code == 6
    bundle = tmp_path / "r.h5"
    assert run("build", plan, "-o", bundle).exit_code == 0
    assert run("evaluate", plan, bundle, "-o", own, "--force").exit_code == 6
    assert own.read_text() == before


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "g.xyz").write_text("a\n")
    (tmp_path / "head.csv").write_text("a,b\n")
    for name, code in (
        ("none.csv", "no-such-file"),
        ("empty", "no-readable-file"),
        ("g.xyz", "no-reader"),
        ("head.csv", "no-rows"),
    ):
        with refused(DataError, code, where=tmp_path / name):
            propose([tmp_path / name], tmp_path / "p.toml", people=["a"])
    with refused(DataError, "unknown-column") as caught:
        propose([gaze(tmp_path / "g.csv")], tmp_path / "p.toml", people=["absent"])
    assert "'absent'" in caught.value.problem
    with refused(DataError, "unknown-column") as caught:
        propose([tmp_path / "g.csv"], tmp_path / "p.toml", people=["observer"], choices={"groups": "zz"})
    check_text("init/no-such-column", f"{caught.value.problem}: {caught.value.remedy}")
    plan = tmp_path / "p.toml"
    plan.write_text(propose([tmp_path / "g.csv"], plan, people=["observer"]).text)
    with refused(PlanError, "fill-in", where=plan):
        load_plan(plan)


def test_what_lasts_is_a_feature_and_what_was_looked_at_a_recording_where_no_points_are(
    tmp_path: Path,
) -> None:
    rows = [f"p{p},{page},{t},30,{t % 7}.5" for p in range(6) for page in ("1", "2") for t in range(20)]
    data, plan = tmp_path / "saccades.csv", tmp_path / "plan.toml"
    data.write_text("\n".join(["person,stimulus,onset_ms,duration_ms,amplitude_deg", *rows]) + "\n")
    own = tomllib.loads(propose([data], plan, people=["person"]).text)["inputs"]["features"]
    assert own["columns"] == {"person": "person", "recording": "stimulus", "time": "onset_ms"}
    assert own["bounds"]["duration_ms"] == [FILL_IN, FILL_IN]
    assert "stimulus" not in own["bounds"]
    trials = data.read_text().replace("amplitude_deg\n", "trial\n")
    data.write_text(trials)
    assert 'recording = "trial"' in propose([data], plan, people=["person"]).text


def test_which_table_has_the_column_of_people_is_said(tmp_path: Path) -> None:
    one = gaze(tmp_path / "g.csv")
    other = tmp_path / "pupil.csv"
    other.write_text("subj,pupil_min_mm,blink_rate_hz\n" + "a,3,1\na,4,1\nb,3,0\nb,4,0\n" * 3)
    error = error_of("init", one, other, "--person", "observer", "-o", tmp_path / "p.toml")
    assert (error["code"], error["exit_code"], error["where"]) == ("unknown-column", 3, str(other))
    assert "'observer'" in error["problem"]
    assert "'g.csv'" in error["found"]
    assert re.findall(r"'(.*?)'", error["expected"]) == ["subj"]  # and no measurement
    both = ("--person", "observer", "--person", "subj")
    assert run("init", one, other, *both, "-o", tmp_path / "p.toml").exit_code == 0


def test_the_same_data_twice_are_doubted(tmp_path: Path) -> None:
    one = gaze(tmp_path / "g.csv")
    two = tmp_path / "copy.csv"
    two.write_bytes(one.read_bytes())
    plan = tmp_path / "p.toml"
    (doubt,) = propose([one, two], plan, people=["observer"]).doubts
    assert (doubt.code, doubt.about) == ("same-data-twice", ("g.csv", "copy.csv"))
    assert propose([one], plan, people=["observer"]).doubts == ()
    done = run("init", one, two, "--person", "observer", "-o", plan)
    assert f"warning: {doubt.text}\n" in done.stderr


def test_who_saw_what_is_offered_where_it_differs(tmp_path: Path) -> None:
    data, plan = tmp_path / "g.csv", tmp_path / "p.toml"
    rows = [f"{who},{image},3,4" for who in "abcdefg" for image in "stu"[: 2 + (who > "c")] for _ in range(5)]
    data.write_text("\n".join(["who,image,x,y", *rows]) + "\n")
    assert run("init", data, "--person", "who", "-o", plan).exit_code == 0
    text = plan.read_text()
    assert '# assume_public = ["assignment"]' in text
    assert "# blur_px " in text
    data.write_text("\n".join(["who,image,x,y", *(row for row in rows if ",u," not in row)]) + "\n")
    assert run("init", data, "--person", "who", "-o", plan, "--force").exit_code == 0
    assert "assignment" not in plan.read_text()


def points_of(folder: Path, **columns: list[Any]) -> Path:
    frame = {
        "who": [f"p{n % 5}" for n in range(40)],
        "image": ["a"] * 40,
        "x": [*range(40)],
        "y": [*range(40)],
    }
    pl.DataFrame(frame | columns, strict=False).write_parquet(folder / "g.parquet")
    return folder / "g.parquet"


def test_names_of_columns_cannot_write_into_the_plan(tmp_path: Path) -> None:
    name = 'who`\nepsilon = 9 # "\x7f'
    path = points_of(tmp_path, **{name: [f"p{n % 5}" for n in range(40)]})
    plan = tomllib.loads(propose([path], tmp_path / "p.toml", people=[name]).text)
    assert plan["privacy"]["epsilon"] == 1
    assert plan["inputs"]["gaze"]["columns"]["person"] == name


def test_a_coordinate_that_is_the_person_s_is_none(tmp_path: Path) -> None:
    found = propose([points_of(tmp_path)], tmp_path / "p.toml", people=["x"])
    assert found.inputs[0].kind == "features"
    assert "label-in-every-row" in [doubt.code for doubt in found.doubts]


def test_labels_that_no_text_can_be_are_refused(tmp_path: Path) -> None:
    path = points_of(tmp_path, who=[Decimal("1.5")] * 40)
    with refused(DataError, "bad-column", where=f"{path}, column 'who'"):
        propose([path], tmp_path / "p.toml", people=["who"])


def test_numbers_of_a_type_that_labels_cannot_have_are_no_candidates(tmp_path: Path) -> None:
    path = points_of(
        tmp_path, who=[f"p{n // 8}" for n in range(40)], code=[Decimal(n % 4) for n in range(40)]
    )
    (own,) = propose([path], tmp_path / "p.toml", people=["who"]).inputs
    assert "code" not in [one.column for one in own.nesting.columns]
    assert own.people == 5
    with refused(DataError, "person-column-needed", where=path, names=["who"]):
        propose([path], tmp_path / "p.toml")


def test_people_without_a_stimulus_have_none(tmp_path: Path) -> None:
    first = [n < 20 for n in range(40)]
    path = points_of(
        tmp_path, who=["p" if one else None for one in first], image=[None if one else "a" for one in first]
    )
    (own,) = propose([path], tmp_path / "p.toml", people=["who"]).inputs
    assert own.groups == ()


def test_a_screen_of_more_digits_than_a_number_has_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.asc"
    block = "START\t3 \tLEFT\tSAMPLES\tEVENTS\nSAMPLES\tGAZE\tLEFT\tRATE\t1000.00\tTRACKING\tCR\tFILTER\t2\n"
    rows = "4\t  100.5\t  200.0\t  778.0\t...\n5\t   1.5\t   1.0\t    0.0\t...\n"
    for width, screen in (("1279", 1280), ("9" * 5000, FILL_IN)):
        path.write_text(f"MSG\t1 DISPLAY_COORDS 0 0 {width} 1023\n{block}{rows}")
        text = propose([path], tmp_path / "p.toml", people=["time"]).text
        assert tomllib.loads(text)["inputs"]["gaze"]["screen"]["width_px"] == screen


def test_a_missing_label_is_no_stimulus(tmp_path: Path) -> None:
    path = points_of(tmp_path, image=["n/a", "sky", ".", "sea"] * 10)
    own = tomllib.loads(propose([path], tmp_path / "p.toml", people=["who"]).text)["inputs"]["gaze"]
    assert own["stimuli"] == [FILL_IN, "sea", "sky"]
