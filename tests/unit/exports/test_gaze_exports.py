"""Synthetic scanpaths as samples, events, recordings: what comes back is what the bundle has, and every file says that it is synthetic."""

import csv
import gzip
import json
import re

import deniable_study
import numpy as np
import polars as pl
import pytest
from bundle_files import written
from catalogued import bids_issues, validate_with_frictionless, validate_with_mlcroissant
from click.testing import CliRunner
from gaze_release import OUTPUT, SCANPATHS, STIMULI, TWO_OUTPUTS, deniable_bundle, gaze_bundle
from goldens import check_text
from refusals import refused
from scanpath_study import HEIGHT, WIDTH

import synthrelease
from synthrelease.bundle import open_bundle
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.cli import main
from synthrelease.errors import ArgumentError
from synthrelease.exports import gaze
from synthrelease.exports.exporting import export
from synthrelease.exports.folder import files_in
from synthrelease.exports.formats import FORMATS, forms_with
from synthrelease.exports.options import NUMBERS, ExportOptions
from synthrelease.exports.pymovements_events import DEFINITION, FOLDER, TRIAL_COLUMNS
from synthrelease.exports.samples import SIDECAR
from synthrelease.exports.table import padded
from synthrelease.exports.table_files import FORMULAS
from synthrelease.exports.tables import tables_of
from synthrelease.kinds.registry import parameters_of
from synthrelease.kinds.scanpath_form import COLUMNS, ORIGIN, VALUES
from synthrelease.kinds.scanpaths.words import OF_TRIALS
from synthrelease.kinds.synthetic_gaze import SYNTHETIC, Rendering
from synthrelease.plan.plan import load_plan
from synthrelease.prepare import prepare

OF_GAZE = [name for name, form in FORMATS.items() if form.is_of_gaze]
TRIALS = len(STIMULI) * SCANPATHS
_PLAN = """
[release]
name = "again"
version = "1"
title = "Samples read again"
[privacy]
epsilon = 1.0
[inputs.again]
kind = "gaze"
{source}
screen = {{ width_px = {width}, height_px = {height}, width_mm = 400.0, distance_mm = 700.0 }}
stimuli = {stimuli}
[[outputs]]
name = "maps"
kind = "heatmap"
input = "again"
max_samples_per_stimulus = 100
"""
# As a plan reads what each form wrote of the first stimulus.
SOURCES = {
    "samples": """
path = "out/paths-sea-synthetic-samples.csv.gz"
columns = { person = "scanpath", stimulus = "stimulus", x = "x_px", y = "y_px", time = "time_ms" }""",
    "bids": """
path = "out"
format = "bids"
missing = ["n/a"]
columns = { person = "subject", stimulus = "trial_type", x = "x_coordinate", y = "y_coordinate", time = "timestamp" }""",
}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Each form once: folder, and the bundle it is of."""
    made = {}

    def make(form, **options):
        key = form, *sorted(options.items())
        if key not in made:
            folder = tmp_path_factory.mktemp("gaze")
            bundle = gaze_bundle(folder)
            export(bundle, form, folder / "out", options=ExportOptions(**options))
            made[key] = folder / "out", bundle
        return made[key]

    return make


@pytest.fixture(scope="module")
def deniable(tmp_path_factory):
    """Scanpaths that another mechanism made."""
    return deniable_bundle(tmp_path_factory.mktemp("deniable"))


def fixations(bundle, stimulus="sea"):
    """Fixations of the bundle on a stimulus by scanpath, shape (n, 4) each."""
    values = np.asarray(bundle[OUTPUT]["scanpaths"], dtype=float)[STIMULI.index(stimulus)]
    return {number: rows[rows[:, 3] > 0] for number, rows in enumerate(values, start=1)}


def caveats(bundle):
    """What every file of trials says besides that it is synthetic."""
    parameters = parameters_of(bundle.manifest["outputs"][0])
    stated = [one for one in bundle.manifest["outputs"][0]["warnings"] if one["code"] in OF_TRIALS]
    assert len(stated) == len(OF_TRIALS)
    return [parameters.sentence(one) for one in stated]


def flat(text):
    return " ".join(text.split()).lower()


def packed_rows(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t"))


# What every form has


@pytest.mark.parametrize("form", FORMATS)
def test_every_form_says_that_trials_are_synthetic_and_exchangeable(exported, form):
    folder, bundle = exported(form)
    text = flat(b"\n".join(path.read_bytes() for path in files_in(folder)).decode("utf-8", errors="replace"))
    for caveat in caveats(bundle):
        assert flat(caveat) in text
    for readme in folder.glob("README*"):
        assert SYNTHETIC in readme.read_text("utf-8")


@pytest.fixture(scope="module")
def formulas(tmp_path_factory):
    """A release with a stimulus that a spreadsheet would take for a formula."""
    folder = tmp_path_factory.mktemp("formulas")
    plan = deniable_study.study(folder)
    for path in (plan, folder / "fixations.csv"):
        path.write_text(path.read_text("utf-8").replace("sea", "=sea"), "utf-8")
    return open_bundle(synthrelease.build(plan, folder / "r.h5").path)


@pytest.mark.parametrize(
    "form", [form for form in FORMATS if form != "dp-registry"]
)  # which is no release's without ε
def test_whoever_opens_a_table_is_warned_of_labels_like_formulas(formulas, tmp_path, form):
    """In whatever form: by the command, and in the README next to the table."""
    told = export(formulas, form, tmp_path / "out").warnings
    cells = set()
    for path in files_in(tmp_path / "out"):
        if {".csv", ".tsv"} & set(path.suffixes):
            opened = gzip.open if path.suffix == ".gz" else open
            with opened(path, "rt", encoding="utf-8", newline="") as file:
                cells |= {
                    cell
                    for row in csv.reader(file, delimiter="\t" if ".tsv" in path.name else ",")
                    for cell in row
                }
    readme = "".join(path.read_text("utf-8") for path in (tmp_path / "out").glob("README*"))
    is_table = "=sea" in cells or form == "parquet"
    assert is_table == (FORMULAS in told) == (flat(FORMULAS) in flat(readme))
    assert is_table == (
        form in {"csv", "parquet", "frictionless", "bids", "croissant", "samples", "pymovements"}
    )


@pytest.mark.parametrize("form", OF_GAZE)
def test_a_release_without_trials_has_nothing_of_this_form(tmp_path, form):
    bundle, _ = written(tmp_path, "moods")
    with refused(ArgumentError, "no-synthetic-gaze", where=bundle.path) as error:
        export(bundle, form, tmp_path / "out")
    assert "csv" in error.value.remedy
    assert not (tmp_path / "out").exists()


def test_options_of_samples_need_trials(tmp_path):
    bundle, _ = written(tmp_path, "moods")
    export(bundle, "bids", tmp_path / "out")
    with refused(ArgumentError, "no-synthetic-gaze", where=bundle.path):
        export(bundle, "bids", tmp_path / "more", options=ExportOptions(hz=250))
    assert not (tmp_path / "more").exists()


@pytest.mark.parametrize("option", NUMBERS)
def test_options_are_for_the_forms_that_take_them(tmp_path, option):
    bundle = gaze_bundle(tmp_path)
    with refused(ArgumentError, "option-not-for-this-form", where=f"export().{option}", names=["samples"]):
        synthrelease.export(bundle.path, "parquet", tmp_path / "out", **{option: 50})
    command = ["export", str(bundle.path), "-o", str(tmp_path / "out"), f"--{option.replace('_', '-')}"]
    done = CliRunner().invoke(main, [*command, "50", "--to", "parquet"])
    assert done.exit_code == 2
    assert forms_with(option) == ["bids", "samples"]
    for wrong in (-1.0, 1e9, float("nan")):
        with refused(ArgumentError, "option-out-of-range", where=f"export().{option}"):
            synthrelease.export(bundle.path, "samples", tmp_path / "out", **{option: wrong})
    assert CliRunner().invoke(main, [*command, "-1", "--to", "samples"]).exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == [bundle.path.name]


@pytest.mark.parametrize("form", OF_GAZE)
def test_test_seeds_are_named(exported, form):
    folder, _ = exported(form)
    described = [folder / name for name in (SIDECAR, DEFINITION) if (folder / name).exists()]
    for path in (*described, *folder.glob("*.asc"), folder / "README.txt"):
        assert TEST_SEED_WORDS in path.read_text("utf-8")


@pytest.mark.parametrize("form", [*OF_GAZE, "bids"])
def test_the_same_bundle_gives_the_same_bytes(exported, tmp_path, form, monkeypatch):
    """Also a second later, and from other numbers of trials at a time."""
    folder, bundle = exported(form)
    monkeypatch.setattr(gaze, "_TRIALS", 5)
    monkeypatch.setattr("synthrelease.bundle.stored_values._BLOCK_VALUES", 240)
    monkeypatch.setattr("time.time", lambda: 1e9)
    export(bundle, form, tmp_path / "again")
    for path in files_in(folder):
        assert (tmp_path / "again" / path.relative_to(folder)).read_bytes() == path.read_bytes(), path.name


@pytest.mark.parametrize("form", OF_GAZE)
def test_progress_is_told_for_every_stimulus(tmp_path, form):
    told = []
    export(gaze_bundle(tmp_path), form, tmp_path / "out", progress=lambda *stage: told.append(stage))
    assert [stage[1:] for stage in told] == [(number, len(STIMULI)) for number in range(len(STIMULI))]


# The table


def test_the_table_has_the_values_of_the_bundle_and_says_what_they_are(exported):
    _, bundle = exported("csv")
    table = next(table for table in tables_of(bundle) if table.name == f"{OUTPUT}-scanpaths")
    assert table.frame.columns == ["stimulus", "scanpath", "fixation", *VALUES]
    assert [(column.unit, column.description) for column in table.columns[3:]] == [
        (about.unit, about.words) for about in COLUMNS.values()
    ]
    assert table.key == ("stimulus", "scanpath", "fixation")
    for stimulus in STIMULI:
        for number, expected in fixations(bundle, stimulus).items():
            rows = table.frame.filter(stimulus=stimulus, scanpath=number)
            assert rows["fixation"].to_list() == list(range(1, len(expected) + 1))
            np.testing.assert_array_equal(rows.select(VALUES).to_numpy(), expected)


def test_what_scanpaths_are_drawn_by_stays_in_the_bundle(exported):
    _, bundle = exported("csv")
    names = {f"{OUTPUT}-{name}" for name in ("normalization", "scanpaths", *STIMULI)}  # maps of each stimulus
    assert {table.name for table in tables_of(bundle)} == names


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")  # of what the tools import
def test_catalogues_accept_the_table(exported):
    folder, _ = exported("frictionless")
    code, found, errors = validate_with_frictionless(folder)
    assert (code, errors) == (0, [])
    assert not any(found.values())
    assert validate_with_mlcroissant(exported("croissant")[0] / "croissant.json")


# Samples


def rows_of(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return pl.read_csv(file.read().encode(), schema_overrides={"stimulus": pl.String})


@pytest.mark.parametrize("hz", [60.0, 250.0, 500.0])
def test_samples_are_as_many_as_asked_for_and_named_by_their_events(exported, hz):
    folder, bundle = exported("samples", hz=hz)
    rows = rows_of(folder / f"{OUTPUT}-sea-synthetic-samples.csv.gz")
    assert set(rows["origin"]) == {ORIGIN}
    for number, path in fixations(bundle).items():
        trial = rows.filter(scanpath=number)
        time = trial["time_ms"].to_numpy()
        assert len(time) == int((path[-1, 2] + path[-1, 3]) * hz / 1000)
        np.testing.assert_allclose(np.diff(time), 1000 / hz, atol=1.1e-3)
        assert trial["x_px"].is_between(0, WIDTH).all()
        assert trial["y_px"].is_between(0, HEIGHT).all()
        here = ((time[:, None] >= path[:, 2]) & (time[:, None] < path[:, 2] + path[:, 3])).any(axis=1)
        assert (trial["event"] == "fixation").to_list() == here.tolist()


def test_no_two_trials_have_the_same_noise(exported):
    _, bundle = exported("samples")
    gaze_of = parameters_of(bundle.manifest["outputs"][0]).synthetic_gaze()
    still = np.array([[[100.0, 100.0, 0.0, 400.0]]] * 3)
    made = [
        trial.samples(Rendering(500, 24)).x_px
        for stimulus in range(2)
        for trial in gaze_of.trials(stimulus, 0, still)
    ]
    assert len({tuple(x) for x in made}) == 6


def test_blinks_are_gaps_at_the_rate_that_is_asked_for(exported):
    folder, _ = exported("samples", blinks_per_minute=30.0)
    rows = rows_of(folder / f"{OUTPUT}-sea-synthetic-samples.csv.gz")
    gone = rows["event"] == "blink"
    assert rows["x_px"].is_null().to_list() == gone.to_list() == rows["y_px"].is_null().to_list()
    assert 0.02 < gone.mean() < 0.15  # 30 of 150 ms in a minute are 0.075
    without, _ = exported("samples")
    assert set(rows_of(without / f"{OUTPUT}-sea-synthetic-samples.csv.gz")["event"]) == {
        "fixation",
        "saccade",
    }


def test_the_sidecar_says_by_what_samples_were_rendered(exported):
    folder, bundle = exported("samples", hz=250.0, px_per_degree=30.0)
    about = json.loads((folder / SIDECAR).read_text("utf-8"))
    (output,) = about["Outputs"]
    assert (output["SamplingFrequency"], output["PixelsPerDegree"], output["BlinksPerMinute"]) == (250, 30, 0)
    assert output["Guarantee"] == bundle.manifest["outputs"][0]["guarantee"]
    assert [file["Scanpaths"] for file in about["Files"].values()] == [SCANPATHS] * len(STIMULI)
    rows = rows_of(folder / f"{OUTPUT}-sea-synthetic-samples.csv.gz")
    assert list(about["Columns"]) == rows.columns
    assert about["Files"][f"{OUTPUT}-sea-synthetic-samples.csv.gz"]["Samples"] == rows.height
    default = json.loads((exported("samples")[0] / SIDECAR).read_text("utf-8"))["Outputs"][0]
    assert default["PixelsPerDegree"] == pytest.approx(24.43, abs=0.01)  # of the declared screen
    assert default["SamplingFrequency"] == 500


# Read again


def found_again(bundle, tmp_path, form, hz):
    """The share of fixations of at least 110 ms that our own detection finds in exported samples within half a degree."""
    export(bundle, form, tmp_path / "out", options=ExportOptions(hz=hz))
    plan = tmp_path / "again.toml"
    stimuli = json.dumps(STIMULI if form == "bids" else STIMULI[:1])
    plan.write_text(_PLAN.format(source=SOURCES[form], width=WIDTH, height=HEIGHT, stimuli=stimuli))
    events = prepare(load_plan(plan).inputs["again"], "fixations").frame
    most = len(str(TRIALS))
    found = []
    for number, path in fixations(bundle).items():
        person = f"syn{padded(number, most)}" if form == "bids" else str(number)
        own = events.filter(person=person, stimulus="sea")
        for x, y, onset, duration in path[path[:, 3] >= 110]:
            # At the same time, and not only somewhere at the place.
            then = own.filter(
                (pl.col("onset_ms") < onset + duration) & (pl.col("onset_ms") + pl.col("duration_ms") > onset)
            )
            apart = np.hypot(then["x_px"].to_numpy() - x, then["y_px"].to_numpy() - y)
            found.append(apart.size > 0 and apart.min() < 0.5 * 24.43)
    assert len(found) > 40
    return np.mean(found)


@pytest.mark.parametrize(
    ("form", "hz"),
    [("samples", 250.0), ("samples", 500.0), ("bids", 500.0)],
)
def test_fixations_are_found_again_by_our_own_detection(tmp_path, form, hz):
    assert found_again(gaze_bundle(tmp_path), tmp_path, form, hz) >= 0.95


@pytest.mark.thorough
def test_the_command_prepares_what_the_command_exported(tmp_path):
    bundle = gaze_bundle(tmp_path)
    run = CliRunner().invoke
    done = run(
        main, ["export", str(bundle.path), "--to", "samples", "--hz", "250", "-o", str(tmp_path / "out")]
    )
    assert done.exit_code == 0, done.output
    plan = tmp_path / "again.toml"
    plan.write_text(_PLAN.format(source=SOURCES["samples"], width=WIDTH, height=HEIGHT, stimuli='["sea"]'))
    table = tmp_path / "fixations.parquet"
    done = run(main, ["prepare", str(plan), "again", "--to", "fixations", "-o", str(table)])
    assert done.exit_code == 0, done.output
    assert pl.read_parquet(table)["person"].n_unique() == SCANPATHS


# pymovements


def test_pymovements_loads_the_dataset_by_its_definition(exported):
    import pymovements

    folder, bundle = exported("pymovements")
    definition = pymovements.DatasetDefinition.from_yaml(folder / DEFINITION)
    assert SYNTHETIC in definition.description
    assert definition.experiment.screen.width_px == WIDTH
    assert definition.experiment.screen.distance_cm == pytest.approx(70)
    dataset = pymovements.Dataset(definition, path=folder).load()
    assert len(dataset.precomputed_events) == len(STIMULI)
    for stimulus, table in zip(STIMULI, dataset.precomputed_events, strict=True):
        events = pymovements.Events(table.frame, trial_columns=list(TRIAL_COLUMNS))
        assert [events.frame[name].dtype for name in ("onset", "offset", "duration")] == [pl.Int64] * 3
        assert (events.frame["offset"] - events.frame["onset"] == events.frame["duration"]).all()
        assert set(events.frame["origin"]) == {ORIGIN}
        for number, path in fixations(bundle, stimulus).items():
            assert events.frame.filter(scanpath=number)["onset"].is_sorted()
            own = events.fixations.filter(scanpath=number, stimulus=stimulus)
            columns = ["location_x", "location_y", "onset", "duration"]
            np.testing.assert_array_equal(own.select(columns).to_numpy(), path)
            between = events.saccades.filter(scanpath=number)
            assert between["onset"].to_list() == own["offset"].to_list()[:-1]
            assert between["offset"].to_list() == own["onset"].to_list()[1:]


def test_labels_that_look_like_numbers_stay_labels(tmp_path):
    import pymovements

    bundle = gaze_bundle(tmp_path)
    bundle.manifest["outputs"][0]["mechanism"]["parameters"]["stimuli"] = ["007", "1005"]
    export(bundle, "pymovements", tmp_path / "out")
    definition = pymovements.DatasetDefinition.from_yaml(tmp_path / "out" / DEFINITION)
    dataset = pymovements.Dataset(definition, path=tmp_path / "out").load()
    assert [set(table.frame["stimulus"]) for table in dataset.precomputed_events] == [{"007"}, {"1005"}]
    assert (tmp_path / "out" / FOLDER / f"{OUTPUT}-007-synthetic-events.csv").exists()


# BIDS


def test_the_standards_validator_accepts_recordings(exported):
    folder, _ = exported("bids")
    assert bids_issues(folder) == [("warning", "TOO_FEW_AUTHORS")]


@pytest.mark.thorough
def test_the_standards_validator_looks_at_recordings(tmp_path):
    export(gaze_bundle(tmp_path), "bids", tmp_path / "out")
    sidecar = tmp_path / "out" / "task-sea_physio.json"
    whole = json.loads(sidecar.read_text("utf-8"))
    for key, value in (
        ("RecordedEye", "third"),
        ("SampleCoordinateSystem", "moon"),
        ("SamplingFrequency", "fast"),
        ("Columns", whole["Columns"][::-1]),
        ("Columns", whole["Columns"][:2]),
    ):
        sidecar.write_text(json.dumps({**whole, key: value}))
        assert "error" in {severity for severity, _ in bids_issues(tmp_path / "out")}, key


def test_every_trial_is_a_subject_of_its_own(exported):
    folder, bundle = exported("bids")
    subjects = sorted(path.name for path in folder.glob("sub-*"))
    assert subjects == [f"sub-syn{padded(number, TRIALS)}" for number in range(1, TRIALS + 1)]
    with (folder / "participants.tsv").open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file, delimiter="\t"))
    assert [row["participant_id"] for row in listed] == subjects
    assert {row["origin"] for row in listed} == {"synthetic"}
    assert [(row["stimulus"], int(row["number"])) for row in listed] == [
        (stimulus, number) for stimulus in STIMULI for number in range(1, SCANPATHS + 1)
    ]
    for row in listed:
        stem = f"{row['participant_id']}_task-{row['stimulus']}_recording-eye1"
        beh = folder / row["participant_id"] / "beh"
        path = fixations(bundle, row["stimulus"])[int(row["number"])]
        events = packed_rows(beh / f"{stem}_physioevents.tsv.gz")
        fixed = np.array([cells[:2] for cells in events if cells[2] == "fixation"], dtype=float)
        np.testing.assert_allclose(fixed, path[:, 2:] * [1, 0.001], atol=1e-9)  # ms, s
        assert {cells[2] for cells in events} <= {"fixation", "saccade"}
        samples = packed_rows(beh / f"{stem}_physio.tsv.gz")
        assert samples[0][0] == "0"
        assert len(samples) == int((path[-1, 2] + path[-1, 3]) / 2)


def test_recordings_have_the_samples_of_the_other_forms(exported):
    folder, _ = exported("bids")
    other, _ = exported("samples")
    rows = rows_of(other / f"{OUTPUT}-sky-synthetic-samples.csv.gz").filter(scanpath=3)
    subject = f"sub-syn{padded(SCANPATHS + 3, TRIALS)}"
    cells = packed_rows(folder / subject / "beh" / f"{subject}_task-sky_recording-eye1_physio.tsv.gz")
    columns = ["time_ms", "x_px", "y_px"]
    np.testing.assert_array_equal(np.array(cells, dtype=float), rows.select(columns).to_numpy())


def test_sidecars_of_recordings_say_what_they_are(exported):
    folder, bundle = exported("bids", blinks_per_minute=30.0, hz=250.0)
    for stimulus in STIMULI:
        for suffix in ("physio", "physioevents", "events"):
            about = json.loads((folder / f"task-{stimulus}_{suffix}.json").read_text("utf-8"))
            assert SYNTHETIC in about["Description"]
            assert about["synthrelease:gaze"]["Guarantee"] == bundle.manifest["outputs"][0]["guarantee"]
    about = json.loads((folder / "task-sea_physio.json").read_text("utf-8"))
    assert (about["PhysioType"], about["RecordedEye"], about["SamplingFrequency"]) == (
        "eyetrack",
        "cyclopean",
        250,
    )
    shown = json.loads((folder / "task-sea_events.json").read_text("utf-8"))["StimulusPresentation"]
    assert (shown["ScreenDistance"], shown["ScreenSize"]) == (0.7, [0.4, 0.3])
    cells = packed_rows(next(folder.glob("sub-syn*/beh/*_physio.tsv.gz")))
    every = [
        cell
        for path in folder.glob("sub-syn*/beh/*_physio.tsv.gz")
        for row in packed_rows(path)
        for cell in row
    ]
    assert len(cells[0]) == 3
    assert "n/a" in every
    assert "" not in every


def test_a_screen_without_a_size_is_described_as_it_is_seen(tmp_path):
    import pymovements

    bundle = gaze_bundle(tmp_path)
    screen = bundle.manifest["outputs"][0]["mechanism"]["parameters"]["screen"]
    del screen["width_mm"], screen["distance_mm"]
    export(bundle, "pymovements", tmp_path / "events")
    experiment = pymovements.DatasetDefinition.from_yaml(tmp_path / "events" / DEFINITION).experiment
    assert (experiment.screen.width_px, experiment.screen.width_cm) == (WIDTH, None)
    export(bundle, "bids", tmp_path / "out")
    assert bids_issues(tmp_path / "out") == [("warning", "TOO_FEW_AUTHORS")]
    about = json.loads((tmp_path / "out" / "task-sea_events.json").read_text("utf-8"))
    assert about["synthrelease:gaze"]["ScreenDistanceAndSizeDeclared"] is False
    shown = about["StimulusPresentation"]
    px_m = shown["ScreenSize"][0] / WIDTH
    degree_px = 2 * shown["ScreenDistance"] * np.tan(np.radians(0.5)) / px_m
    assert degree_px == pytest.approx(WIDTH / 34, rel=1e-4)
    assert shown["ScreenSize"][1] / HEIGHT == pytest.approx(px_m, rel=1e-4)


# Another mechanism


@pytest.mark.parametrize("form", [*OF_GAZE, "bids", "csv"])
def test_scanpaths_with_plausible_deniability_are_exported_too(deniable, tmp_path, form):
    export(deniable, form, tmp_path / "out")
    text = flat(
        b"\n".join(path.read_bytes() for path in files_in(tmp_path / "out")).decode("utf-8", errors="replace")
    )
    parameters = parameters_of(deniable.manifest["outputs"][0])
    assert len(parameters.synthetic_gaze().caveats) == 2
    for caveat in parameters.synthetic_gaze().caveats:
        assert flat(caveat) in text
    expected = fixations(deniable)
    if form == "samples":
        rows = rows_of(tmp_path / "out" / f"{OUTPUT}-sea-synthetic-samples.csv.gz")
        assert set(rows["scanpath"]) == {number for number, path in expected.items() if len(path)}
    if form == "pymovements":
        events = pl.read_csv(tmp_path / "out" / FOLDER / f"{OUTPUT}-sea-synthetic-events.csv")
        columns = ["location_x", "location_y", "onset", "duration"]
        read = events.filter(name="fixation").select(columns).to_numpy()
        np.testing.assert_array_equal(read, np.concatenate(list(expected.values())))
    if form == "bids":
        assert bids_issues(tmp_path / "out") == [("warning", "TOO_FEW_AUTHORS")]


# Two outputs


@pytest.mark.parametrize("form", [*OF_GAZE, "bids"])
def test_trials_of_all_outputs_are_written(tmp_path, form):
    bundle = open_bundle(TWO_OUTPUTS)
    export(bundle, form, tmp_path / "out")
    files = [path.relative_to(tmp_path / "out").as_posix() for path in files_in(tmp_path / "out")]
    if form != "bids":
        names = [path.rpartition("/")[2] for path in files if "-synthetic" in path]
        assert sorted(name.partition("-synthetic")[0] for name in names) == [
            "from-maps-sky",
            "paths-sea",
            "paths-sky",
        ]
    for path in files_in(tmp_path / "out"):
        assert TEST_SEED_WORDS.encode() not in path.read_bytes()


def test_a_stimulus_of_two_outputs_has_two_tasks_in_bids(tmp_path):
    bundle = open_bundle(TWO_OUTPUTS)
    export(bundle, "bids", tmp_path / "out")
    with (tmp_path / "out" / "participants.tsv").open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file, delimiter="\t"))
    assert [(row["output"], row["stimulus"]) for row in listed] == [
        *[("paths", "sea")] * 6,
        *[("paths", "sky")] * 6,
        *[("from-maps", "sky")] * 4,
    ]
    tasks = {
        row["output"]: {
            path.name.split("_")[1] for path in (tmp_path / "out" / row["participant_id"] / "beh").iterdir()
        }
        for row in listed
        if row["stimulus"] == "sky"
    }
    assert tasks == {"paths": {"task-sky"}, "from-maps": {"task-sky2"}}
    assert bids_issues(tmp_path / "out") == [("warning", "TOO_FEW_AUTHORS")]


def test_readmes_of_gaze(exported):
    folder, bundle = exported("samples")
    text = (folder / "README.txt").read_text("utf-8")
    digests = [line.split()[-1] for line in text.splitlines()[-2:]]
    hidden = {"bundle": digests[0], "manifest": digests[1], "date": bundle.manifest["release"]["date"]}
    # Which may differ between processors.
    text = re.sub(r"\d+ (rows|samples|events)\.", r"{number} \1.", text)
    check_text("exports/readme-samples-gaze", text, **hidden)
