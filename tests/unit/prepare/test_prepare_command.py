"""`synthrelease prepare`: from raw samples to a bundle; refused before anything is read, and private to its owner."""

from __future__ import annotations

import json
import stat
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result
from goldens import check_text, figures
from invented_samples import PLAN, read, recording, write_study
from proposed import filled
from refusals import refused

import synthrelease
from synthrelease.cli import main
from synthrelease.data.gaze import load_gaze
from synthrelease.data.readers.mpii import FEATURES
from synthrelease.data.screen import Screen
from synthrelease.errors import DataError
from synthrelease.plan.plan import load_plan
from synthrelease.plan.settings_file import FILL_IN
from synthrelease.prepare import Settings, fixations, prepare, prepared


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def answer(*words: object) -> dict[str, Any]:
    """What a command prints for a program."""
    found: dict[str, Any] = json.loads(run(*words, "--json").stdout)
    return found


def error_of(*words: object) -> dict[str, Any]:
    """The error that a command ends with, as a program has it."""
    done = run(*words, "--json")
    error: dict[str, Any] = json.loads(done.stdout)["error"]
    assert done.exit_code == error["exit_code"]
    return error


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("raw")
    write_study(folder, people=4, rests=20)
    return folder


@pytest.fixture
def plan(written: Path, tmp_path: Path) -> Path:
    for name in ("raw.parquet", "plan.toml"):
        (tmp_path / name).write_bytes((written / name).read_bytes())
    return tmp_path / "plan.toml"


def test_from_samples_over_fixations_to_a_bundle(tmp_path: Path) -> None:
    plan, table = write_study(tmp_path), tmp_path / "fixations.parquet"
    done = run("prepare", plan, "raw", "--to", "fixations", "-o", table, "--pupil", "pupil")
    assert done.exit_code == 0, done.output
    check_text("prepare/fixations", done.output, folder=tmp_path)
    assert figures(done.stdout.splitlines()[0].replace(str(tmp_path), ""))[-2:] == [24, 12]
    assert done.stderr
    assert stat.S_IMODE(table.stat().st_mode) == 0o600
    second = tmp_path / "release.toml"
    (proposed,) = answer("init", table, "--person", "person", "-o", second)["inputs"]
    assert (proposed["kind"], proposed["people"]) == ("gaze", 12)
    filled(second, width_px="1280", height_px="1024")
    columns = load_plan(second).inputs["gaze"].options["columns"]
    assert columns == {
        "person": "person",
        "stimulus": "stimulus",
        "x": "x_px",
        "y": "y_px",
        "duration": "duration_ms",
    }
    built = run("build", second, "-o", tmp_path / "release.h5")
    assert built.exit_code == 0, built.output
    assert synthrelease.verify(tmp_path / "release.h5").ok


def test_from_samples_over_windows_to_a_bundle(tmp_path: Path) -> None:
    plan, table = write_study(tmp_path, rests=40), tmp_path / "windows.parquet"
    done = run("prepare", plan, "raw", "--to", "windows", "-o", table, "--pupil", "pupil", "--window-s", 5)
    assert done.exit_code == 0, done.output
    frame = pl.read_parquet(table)
    assert frame.columns == ["person", "stimulus", "window_end_s", *FEATURES]
    second = tmp_path / "release.toml"
    assert run("init", table, "--person", "person", "-o", second).exit_code == 0
    some = {"fixation_rate": "[0, 6]", "saccade_amplitude_mean": "[0, 40]", "wordbook2_max": "[0, 20]"}
    kept = [
        line for line in second.read_text().splitlines() if line.split(" ")[0] not in {*FEATURES} - {*some}
    ]
    second.write_text("\n".join(kept))
    filled(second, **some)
    columns = load_plan(second).inputs["features"].options["columns"]
    assert columns == {"person": "person", "recording": "stimulus", "time": "window_end_s"}
    built = run("build", second, "-o", tmp_path / "release.h5")
    assert built.exit_code == 0, built.output
    assert synthrelease.verify(tmp_path / "release.h5").ok


def test_saccades_are_features_with_their_duration(plan: Path, tmp_path: Path) -> None:
    table, second = tmp_path / "saccades.parquet", tmp_path / "release.toml"
    assert run("prepare", plan, "raw", "--to", "saccades", "-o", table).exit_code == 0
    assert run("init", table, "--person", "person", "-o", second).exit_code == 0
    proposed = tomllib.loads(second.read_text())["inputs"]["features"]
    assert proposed["columns"] == {"person": "person", "recording": "stimulus", "time": "onset_ms"}
    for name in ("duration_ms", "amplitude_deg", "peak_velocity_deg_per_s", "x_start_px", "y_end_px"):
        assert proposed["bounds"][name] == [FILL_IN, FILL_IN]


def test_what_is_written_is_what_python_gets_and_is_replaced_when_asked(plan: Path, tmp_path: Path) -> None:
    table = tmp_path / "out.parquet"
    words = ("prepare", plan, "raw", "--to", "fixations", "-o", table, "--minimum-fixation-ms", 200)
    assert run(*words).exit_code == 0
    first = pl.read_parquet(table)
    assert first["duration_ms"].min() >= 199.999
    samples = read(pl.read_parquet(tmp_path / "raw.parquet"))
    expected = fixations(samples).filter(pl.col("duration_ms") >= 199.999)
    assert first.equals(expected)
    error = error_of(*words)
    assert (error["code"], error["exit_code"]) == ("file-exists", 6)
    assert "--force" in error["remedy"]
    table.write_text("older")
    assert run(*words, "--force").exit_code == 0
    assert pl.read_parquet(table).equals(first)


@pytest.mark.parametrize("to", ["fixations", "saccades", "windows"])
def test_people_in_parts_are_the_same_people(plan: Path, to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = load_plan(plan).inputs["raw"]
    mixed = pl.read_parquet(spec.path).sample(fraction=1, shuffle=True, seed=3)
    mixed.write_parquet(spec.path)
    options = {"settings": Settings(window_s=3), "pupil": "pupil"}
    whole = prepare(spec, to, **options)
    steps = []
    monkeypatch.setattr(prepared, "_PARTITION_ROWS", mixed.height // 3)
    parts = prepare(spec, to, **options, progress=lambda *step: steps.append(step))
    assert [step[1:] for step in steps] == [(number, 4) for number in range(4)]
    assert all(to in step[0] for step in steps)
    assert parts.frame.equals(whole.frame)
    assert (parts.people, parts.recordings, parts.notes) == (whole.people, whole.recordings, whole.notes)
    assert (parts.people, parts.recordings) == (4, 8)


def test_notes_tell_the_curator_what_is_missing(plan: Path, tmp_path: Path) -> None:
    frame = pl.read_parquet(tmp_path / "raw.parquet")
    place = pl.int_range(pl.len())
    frame.with_columns(
        pl.when(place == 7)
        .then(9999.0)
        .when(place.is_between(10, 19))
        .then(-1.0)
        .otherwise(pl.col("x"))
        .alias("x")
    ).write_parquet(tmp_path / "raw.parquet")
    words = ("prepare", plan, "raw", "--to", "fixations", "-o", tmp_path / "out.parquet")
    error = error_of(*words)
    assert (error["code"], error["exit_code"]) == ("point-off-screen", 3)
    plan.write_text(PLAN.replace("missing = [-1]", 'missing = [-1]\noff_screen = "drop"'))
    done = run("-v", *words)
    assert done.exit_code == 0
    private, *notes = done.stderr.splitlines()
    assert [figures(note) for note in notes] == [[10, frame.height], [1, frame.height]]
    assert run(*words, "--force").stderr.splitlines() == [private]


@pytest.mark.parametrize("to", ["fixations", "windows", "saccades"])
def test_noise_as_fast_as_the_threshold_is_warned_of(plan: Path, tmp_path: Path, to: str) -> None:
    words = ("prepare", plan, "raw", "--to", to, "-o", tmp_path / "out.parquet", "--force", "--window-s", 3)
    assert "warning" not in run(*words).stderr
    frame = pl.read_parquet(tmp_path / "raw.parquet")
    noise = pl.Series(np.random.default_rng(1).normal(0, 10, frame.height))
    frame.with_columns(pl.col("x") + noise).write_parquet(tmp_path / "raw.parquet")
    warnings = answer(*words)["warnings"]
    assert len(warnings) == (to != "saccades")
    for warning in warnings:
        assert figures(warning)[0] < 50
        assert "--velocity-deg-per-s" in warning
        assert f"warning: {warning}\n" in run(*words).stderr
    assert "warning" not in run("-q", *words).stderr


FEATURES_INPUT = """
[inputs.features]
kind = "features"
path = "raw.parquet"
columns = { person = "who" }
[inputs.features.bounds]
pupil = [1, 9]
"""


@pytest.mark.parametrize(
    ("change", "words", "code", "named"),
    [
        ((', time = "t"', ""), (), "no-time-column", "time ="),
        ((", width_mm = 400, distance_mm = 600", ""), (), "screen-size-missing", "width_mm"),
        (("", ""), ("--keep", "x_px"), "bad-kept-column", "'x_px'"),
        (("", ""), ("--keep", "page"), "bad-kept-column", "'page'"),
        (("", ""), ("--keep", "pupil", "--keep", "pupil"), "bad-kept-column", "'pupil'"),
        (("", ""), ("--keep", "session"), "unknown-column", "'session'"),
        (("", ""), ("--pupil", "pupils"), "unknown-column", "'pupil'"),
        (("", ""), ("--time-unit", "s"), "recording-too-slow", "--time-unit"),
        (("", ""), ("--time-unit", "ns"), "recording-too-fast", "--time-unit"),
        (("raw.parquet", "gone.parquet"), (), "no-such-file", "gone.parquet"),
        (("", ""), ("--velocity-deg-per-s", "10000"), "no-events", "width_mm"),
    ],
)
def test_refusals(plan: Path, tmp_path: Path, change, words, *, code: str, named: str) -> None:
    old, new = change
    plan.write_text(PLAN.replace(old, new) if old else PLAN)
    table = tmp_path / "out.parquet"
    to = "saccades" if code == "no-events" else "fixations"
    command = ("prepare", plan, "raw", "--to", to, "-o", table, *words)
    error = error_of(*command)
    assert (error["code"], error["exit_code"]) == (code, 3)
    done = run(*command)
    assert done.exit_code == 3, done.output
    assert named in done.stderr
    assert not table.exists()
    assert "Traceback" not in done.output
    assert "p0" not in done.output


@pytest.mark.parametrize("words", [("--window-s", "nan"), ("--window-s", "inf"), ("--step-s", "0")])
def test_lengths_that_are_none_are_wrong_usage(plan: Path, tmp_path: Path, words: tuple[str, str]) -> None:
    table = tmp_path / "out.parquet"
    done = run("prepare", plan, "raw", "--to", "windows", "-o", table, *words)
    assert done.exit_code == 2, done.output
    assert f"'{words[0]}'" in done.stderr
    assert not table.exists()


def test_only_inputs_of_gaze_that_there_are(plan: Path, tmp_path: Path) -> None:
    plan.write_text(PLAN.replace("[[outputs]]", FEATURES_INPUT + "\n[[outputs]]"))
    table = tmp_path / "out.parquet"
    missing = error_of("prepare", plan, "rav", "--to", "fixations", "-o", table)
    assert (missing["code"], missing["exit_code"]) == ("unknown-input", 3)
    assert "'rav'" in missing["problem"]
    assert "'raw'" in missing["remedy"]
    features = error_of("prepare", plan, "features", "--to", "fixations", "-o", table)
    assert (features["code"], features["exit_code"]) == ("input-of-other-kind", 3)
    assert "features" in features["found"]
    assert not table.exists()


@pytest.mark.parametrize("name", ["raw.parquet", "link.parquet"])
def test_what_it_is_made_from_is_never_replaced(plan: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "link.parquet").symlink_to(tmp_path / "raw.parquet")
    before = (tmp_path / "raw.parquet").read_bytes()
    error = error_of("prepare", plan, "raw", "--to", "fixations", "-o", tmp_path / name, "--force")
    assert (error["code"], error["exit_code"]) == ("output-replaces-input", 6)
    assert "raw.parquet" in error["problem"]
    assert "'raw'" in error["problem"]
    assert (tmp_path / "raw.parquet").read_bytes() == before
    assert run("prepare", plan, "raw", "--to", "fixations", "-o", plan).exit_code == 2  # no Parquet


def test_without_pymovements_it_says_how_to_get_it(
    plan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pymovements", None)
    error = error_of("prepare", plan, "raw", "--to", "windows", "-o", tmp_path / "out.parquet")
    assert (error["code"], error["exit_code"]) == ("extra-missing", 6)
    assert "pymovements" in error["remedy"]
    assert not (tmp_path / "out.parquet").exists()


def test_data_that_change_meanwhile_are_refused(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = load_plan(plan).inputs["raw"]
    stamps = iter(["before", "after"])
    monkeypatch.setattr(prepared, "stamp_of", lambda _: next(stamps))
    with refused(DataError, "data-changed"):
        prepare(spec, "fixations")


def test_kept_columns_go_into_the_table(plan: Path, tmp_path: Path) -> None:
    pl.concat(
        recording(number, "p1", "a", hz=250).with_columns(session=pl.lit(number)) for number in (1, 2)
    ).write_parquet(tmp_path / "raw.parquet")
    table = tmp_path / "out.parquet"
    done = answer("prepare", plan, "raw", "--to", "saccades", "-o", table, "--keep", "session")
    assert (done["recordings"], done["people"]) == (2, 1)
    frame = pl.read_parquet(table)
    assert frame.columns[:3] == ["person", "stimulus", "session"]
    assert frame["session"].unique(maintain_order=True).to_list() == ["1", "2"]


def test_who_has_no_fixation_is_in_the_table_and_in_the_release_of_it(plan: Path, tmp_path: Path) -> None:
    frame = pl.read_parquet(tmp_path / "raw.parquet")
    person = frame.columns[0]
    first = frame[person][0]
    unseen = pl.when(pl.col(person) == first).then(-1.0).otherwise(pl.col("x")).alias("x")
    frame.with_columns(unseen).write_parquet(tmp_path / "raw.parquet")
    for to in ("fixations", "saccades", "windows"):
        target = tmp_path / f"{to}.parquet"
        done = answer("prepare", plan, "raw", "--to", to, "-o", target, "--window-s", 3)
        table = pl.read_parquet(target)
        own = table.filter(pl.col("person") == str(first))
        assert own.height == frame.filter(pl.col(person) == first)["page"].n_unique()
        assert own[table.columns[-1]].null_count() == own.height
        assert (done["to"], done["made"]) == (to, table.height - own.height)
        assert done["people"] == frame[person].n_unique()
    columns = {
        "person": "person",
        "stimulus": "stimulus",
        "x": "x_px",
        "y": "y_px",
        "duration": "duration_ms",
    }
    gaze = load_gaze(tmp_path / "fixations.parquet", columns=columns, screen=Screen(1280, 1024))
    assert gaze.people == frame[person].n_unique()
    assert gaze.assigned.all()


def test_people_with_nothing_that_is_listed_are_warned_of(plan: Path, tmp_path: Path) -> None:
    frame = pl.read_parquet(tmp_path / "raw.parquet")
    person, first = frame.columns[0], frame.row(0)[0]
    own = pl.when(pl.col(person) == first).then("other-" + pl.col("page")).otherwise("page").alias("page")
    frame.with_columns(own).write_parquet(tmp_path / "raw.parquet")
    pages = frame["page"].unique().to_list()
    words = ("prepare", plan, "raw", "--to", "fixations", "-o", tmp_path / "out.parquet", "--force")
    assert answer(*words)["warnings"] == []
    plan.write_text(PLAN.replace('assume_public = ["stimuli"]', f"stimuli = {json.dumps(pages)}"))
    (warning,) = answer(*words)["warnings"]
    assert figures(warning) == [1]
    assert "`stimuli`" in warning
    shown = run(*words).stderr
    assert f"warning: {warning}\n" in shown
    assert str(first) not in shown
