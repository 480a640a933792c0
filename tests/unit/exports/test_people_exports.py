"""Synthetic people in files: what comes back is what the bundle has, bit for bit, and every file says that they are not participants."""

import csv
import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from catalogued import bids_issues, validate_with_frictionless
from click.testing import CliRunner
from goldens import check_text
from people_release import COLUMNS, FEATURES, PEOPLE, RECORDINGS, TASKS, TITLE, WINDOWS, people_bundle
from refusals import refused

import synthrelease
from synthrelease.cli import main
from synthrelease.errors import ArgumentError
from synthrelease.exports import table_files
from synthrelease.exports.bids import MISSING
from synthrelease.exports.exporting import export
from synthrelease.exports.options import ExportOptions
from synthrelease.exports.table import OutputSource, padded
from synthrelease.exports.tables import tables_of
from synthrelease.exports.value_tables import value_tables
from synthrelease.kinds.dataset import Axis, Dataset, Role
from synthrelease.kinds.parameters import Feature
from synthrelease.reports.families import families_of

NUMBERS = [padded(number, PEOPLE) for number in range(1, PEOPLE + 1)]
ROWS = len(RECORDINGS) * WINDOWS


def values_in(bundle, name="people"):
    """People of a bundle, shape (people, recordings, windows, features)."""
    return np.asarray(bundle[name]["people"])


def read(path, separator=","):
    """A file's columns as texts."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=separator, strict=True))
    return {name: [row[name] for row in rows] for name in rows[0]}


def numbers(columns):
    """The columns of features, as the type that they were."""
    return np.stack([np.array(columns[name], dtype=np.float32) for name in COLUMNS], axis=-1)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Each form once: folder, and the bundle it is of."""
    made = {}

    def make(form, outputs=1, one_file_per=""):
        key = form, outputs, one_file_per
        if key not in made:
            folder = tmp_path_factory.mktemp("people")
            bundle = people_bundle(folder, outputs=outputs)
            export(bundle, form, folder / "out", options=ExportOptions(one_file_per=one_file_per or None))
            made[key] = folder / "out", bundle
        return made[key]

    return make


def test_the_long_table_has_the_bits_of_the_bundle(exported):
    folder, bundle = exported("csv")
    columns = read(folder / "people-people.csv")
    assert list(columns) == ["person", "recording", "window", *COLUMNS]
    values = values_in(bundle)
    assert values.shape == (PEOPLE, len(RECORDINGS), WINDOWS, len(FEATURES))
    assert numbers(columns).reshape(values.shape).tobytes() == values.tobytes()
    assert columns["person"] == [str(n) for n in range(1, PEOPLE + 1) for _ in range(ROWS)]
    assert columns["recording"][:ROWS] == [name for name in RECORDINGS for _ in range(WINDOWS)]
    assert columns["window"][:WINDOWS] == [str(n) for n in range(1, WINDOWS + 1)]


def test_parquet_has_the_bits_of_the_bundle_and_says_what_people_are_not(exported):
    folder, bundle = exported("parquet")
    frame = pl.read_parquet(folder / "people-people.parquet")
    values = values_in(bundle)
    assert frame.select(COLUMNS).to_numpy().reshape(values.shape).tobytes() == values.tobytes()
    said = pl.read_parquet_metadata(folder / "people-people.parquet")
    check_text(
        "exports/parquet-people",
        "\n\n".join([said["synthrelease.description"], said["synthrelease.warnings"]]),
    )


def test_a_file_for_each_person_has_that_persons_rows(exported):
    folder, bundle = exported("csv", one_file_per="person")
    files = sorted((folder / "people-people").iterdir())
    assert [file.name for file in files] == [f"person-{number}.csv" for number in NUMBERS]
    for number, (file, values) in enumerate(zip(files, values_in(bundle), strict=True), start=1):
        columns = read(file)
        assert set(columns["person"]) == {str(number)}
        assert numbers(columns).reshape(values.shape).tobytes() == values.tobytes()
    # Together they are the long table; all others stay as they are.
    long, _ = exported("csv")
    head, *rest = (long / "people-people.csv").read_bytes().split(b"\r\n")
    lines = [line for file in files for line in file.read_bytes().split(b"\r\n")[1:-1]]
    assert lines == rest[:-1]
    assert all(file.read_bytes().startswith(head) for file in files)
    for file in long.glob("*.csv"):
        if file.name != "people-people.csv":
            assert (folder / file.name).read_bytes() == file.read_bytes()
    assert not (folder / "people-people.csv").exists()


def test_contrasts_come_first(tmp_path):
    names = [table.name for table in tables_of(people_bundle(tmp_path))]
    assert names[0] == "people-contrasts"
    assert names[-1] == "people-people"
    assert len(names) == len(set(names))


def test_columns_have_units_and_bounds_that_their_cells_keep(tmp_path):
    *_, table = tables_of(people_bundle(tmp_path))
    assert table.record == "person"
    columns = {column.name: column for column in table.columns}
    assert [columns[name].unit for name in COLUMNS] == ["mm", "", ""]
    assert columns["wide"].description.endswith(f": {TITLE}.")
    for name, (low, high) in zip(COLUMNS, [(2.0, 8.1), (0.0, 4.0), (-1e5, 1e5)], strict=True):
        cells = [float(str(cell)) for cell in table.frame[name].to_numpy()]
        column = columns[name]
        assert column.lowest <= min(cells)
        assert column.highest >= max(cells)
        # The grid that values are stored on is coarse for all features of a person, as wide as the widest needs.
        assert (column.lowest, column.highest) == pytest.approx((low, high), abs=0.02)


def test_subjects_of_bids_have_the_bits_of_the_bundle(exported):
    folder, bundle = exported("bids")
    assert sorted(path.name for path in folder.glob("sub-*")) == [f"sub-{number}" for number in NUMBERS]
    for number, person in zip(NUMBERS, values_in(bundle), strict=True):
        names = [f"sub-{number}_task-{task}_beh.tsv" for task in TASKS]
        beh = folder / f"sub-{number}" / "beh"
        assert sorted(path.name for path in beh.iterdir()) == sorted(names)
        for name, values in zip(names, person, strict=True):
            columns = read(beh / name, "\t")
            assert list(columns) == ["window", *COLUMNS]
            assert numbers(columns).tobytes() == values.tobytes()
    # What is of no subject stays in the group; people are not there twice.
    assert {path.stem for path in (folder / "group").glob("*.tsv")} == {
        table.name for table in tables_of(bundle) if not table.record
    }


def test_every_task_has_a_sidecar_with_its_original_label(exported):
    folder, _ = exported("bids")
    sidecars = [json.loads((folder / f"task-{task}_beh.json").read_text("utf-8")) for task in TASKS]
    assert [sidecar["TaskName"] for sidecar in sidecars] == list(RECORDINGS)
    for sidecar in sidecars:
        assert sidecar["synthrelease:table"]["Rows"] == WINDOWS
        assert sidecar["synthrelease:table"]["Guarantee"]["kind"] == "approx_dp"
        assert {"window", *COLUMNS} <= set(sidecar)
        assert sidecar["size_mm"]["Units"] == "mm"
        assert sidecar["size_mm"]["Minimum"] == pytest.approx(2.0)


def test_participants_of_bids_are_called_synthetic(exported):
    folder, _ = exported("bids", outputs=2)
    columns = read(folder / "participants.tsv", "\t")
    assert columns["participant_id"] == [f"sub-{padded(n, PEOPLE + 3)}" for n in range(1, PEOPLE + 4)]
    assert set(columns["origin"]) == {"synthetic"}
    assert columns["output"] == ["people"] * PEOPLE + ["more"] * 3
    assert columns["number"] == [str(n) for n in [*range(1, PEOPLE + 1), 1, 2, 3]]
    assert MISSING not in {cell for cells in columns.values() for cell in cells}


def test_two_outputs_of_the_same_recordings_have_tasks_of_their_own(exported):
    folder, bundle = exported("bids", outputs=2)
    first, second = (
        sorted({path.name.split("_")[1] for path in (folder / f"sub-{n}" / "beh").iterdir()})
        for n in ("0001", "0013")
    )
    assert first == [f"task-{task}" for task in sorted(TASKS)]
    assert not set(first) & set(second)
    assert {path.name for path in folder.glob("task-*.json")} == {
        f"{task}_beh.json" for task in (*first, *second)
    }
    assert len(read(folder / "sub-0013" / "beh" / f"sub-0013_{second[0]}_beh.tsv", "\t")["window"]) == WINDOWS
    originals = [json.loads((folder / f"{task}_beh.json").read_text("utf-8"))["TaskName"] for task in second]
    assert sorted(originals) == sorted(RECORDINGS)
    more = np.stack(
        [
            numbers(
                read(folder / "sub-0014" / "beh" / f"sub-0014_{second[originals.index(label)]}_beh.tsv", "\t")
            )
            for label in RECORDINGS
        ]
    )
    assert more.tobytes() == values_in(bundle, "more")[1].tobytes()


@pytest.mark.parametrize("outputs", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_the_standards_validator_accepts_subjects(exported, outputs):
    folder, _ = exported("bids", outputs=outputs)
    assert bids_issues(folder) == [("warning", "TOO_FEW_AUTHORS")]


@pytest.mark.thorough
def test_the_standards_validator_looks_at_subjects(tmp_path):
    export(people_bundle(tmp_path), "bids", tmp_path / "out")
    file = tmp_path / "out" / "sub-0002" / "beh" / "sub-0002_task-reading2_beh.tsv"
    head, first, *rest = file.read_text("utf-8").splitlines()
    cells = first.split("\t")
    file.write_text("\n".join([head, "\t".join([cells[0], "9000", *cells[2:]]), *rest]) + "\n", "utf-8")
    assert ("error", "TSV_VALUE_INCORRECT_TYPE") in bids_issues(tmp_path / "out")
    (tmp_path / "out" / "participants.tsv").write_text("participant_id\nsub-0001\n")
    assert ("error", "PARTICIPANT_ID_MISMATCH") in bids_issues(tmp_path / "out")


@pytest.mark.thorough
def test_a_data_package_of_people_is_valid(tmp_path):
    export(people_bundle(tmp_path), "frictionless", tmp_path / "out")
    code, found, errors = validate_with_frictionless(tmp_path / "out")
    assert (code, errors) == (0, [])
    assert not any(found.values())


def test_readmes_say_that_people_are_not_participants(exported):
    folder, bundle = exported("csv", one_file_per="person")
    text = (folder / "README.txt").read_text("utf-8")
    digests = [line.split()[-1] for line in text.splitlines()[-2:]]
    hidden = {"bundle": digests[0], "manifest": digests[1], "date": bundle.manifest["release"]["date"]}
    check_text("exports/readme-csv-people", text, **hidden)


def test_sidecars_say_that_people_are_not_participants(exported):
    folder, _ = exported("bids")
    for name in ("participants", "task-lookleft2_beh"):
        document = json.loads((folder / f"{name}.json").read_text("utf-8"))
        for column in document.values():
            if isinstance(column, dict):  # whose ends are those of cells, if one lies beyond a bound
                column.pop("Minimum", None)
                column.pop("Maximum", None)
        text = json.dumps(document, indent=1, ensure_ascii=False)
        check_text(f"exports/bids-people-{name}", text)


class Source(OutputSource):
    """Records of any kind: what an output declares decides, not how it is called."""

    def __init__(self, array, *bounded):
        parameters = SimpleNamespace(bounded=bounded, part="", summary=lambda: "Some trials.")
        super().__init__("trials", parameters, [], lambda _: array, "", {})  # the only one


def trials():
    """The table of a record without labels, of which each has more rows than maps have cells."""
    trial, step = Axis("trial", range(3, 6)), Axis("step", range(5000))
    values = np.arange(15_000, dtype=np.float32).reshape(3, 5000)
    dataset = Dataset("gaze", (trial, step), Role.RECORD, quantity="place on the screen", unit="px")
    families = families_of([dataset])
    (table,) = value_tables(Source(values), [*families.of_values, *families.tables])
    return table, values


def test_bounds_of_a_column_reach_as_far_as_its_cells():
    axes = Axis("trial", range(2)), Axis("step", range(2)), Axis("feature", ["size_mm"], is_columns=True)
    dataset = Dataset("trials", axes, Role.RECORD, quantity="value")
    for beyond, expected in ((0.30001, (0.09999, 0.30001)), (0.3, (0.1, 0.3))):
        values = np.array([[0.1, 0.2], [0.3, beyond]], dtype=np.float32)
        values[0, 0] -= values[1, 1] - values[1, 0]
        source = Source(values[..., None], Feature("size_mm", 0.1, 0.3, "mm"))
        (table,) = value_tables(source, families_of([dataset]).tables)
        column = table.columns[-1]
        assert (column.lowest, column.highest) == pytest.approx(expected, rel=1e-6)


def test_records_of_any_kind_are_subjects(tmp_path, monkeypatch):
    table, values = trials()
    assert (table.record, table.frame.columns) == ("trial", ["trial", "step", "gaze"])
    bundle = people_bundle(tmp_path)
    monkeypatch.setattr(table_files, "tables_of", lambda _: iter([replace(table, output="people")]))
    export(bundle, "bids", tmp_path / "bids")
    for number, row in enumerate(values, start=1):
        file = f"sub-{padded(number, 3)}/beh/sub-{padded(number, 3)}_task-people_beh.tsv"
        assert read(tmp_path / "bids" / file, "\t") == {
            "step": [str(step) for step in range(5000)],
            "gaze": [str(value) for value in row],
        }
    assert read(tmp_path / "bids" / "participants.tsv", "\t")["number"] == ["3", "4", "5"]
    export(bundle, "csv", tmp_path / "csv", options=ExportOptions(one_file_per="trial"))
    folder = tmp_path / "csv" / table.name
    assert sorted(path.name for path in folder.iterdir()) == [f"trial-{padded(n, 5)}.csv" for n in (3, 4, 5)]
    with refused(ArgumentError, "nothing-to-divide"):
        export(bundle, "csv", tmp_path / "more", options=ExportOptions(one_file_per="person"))


def test_only_records_that_there_are_can_have_files(tmp_path):
    bundle = people_bundle(tmp_path)
    with refused(ArgumentError, "nothing-to-divide", where=bundle.path) as error:
        export(bundle, "csv", tmp_path / "out", options=ExportOptions(one_file_per="trial"))
    assert (error.value.found, error.value.expected) == ("trial", "person")
    assert not (tmp_path / "out").exists()
    with refused(ArgumentError, "option-not-for-this-form", where="export().one_file_per"):
        synthrelease.export(bundle.path, "bids", tmp_path / "out", one_file_per="person")


def test_the_command_divides_by_person(tmp_path):
    bundle = people_bundle(tmp_path)
    arguments = ["export", str(bundle.path), "-o", str(tmp_path / "out"), "--one-file-per"]
    done = CliRunner().invoke(main, [*arguments, "person", "--to", "parquet"])
    assert done.exit_code == 2
    done = CliRunner().invoke(main, [*arguments, "person", "--to", "csv", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["files"] == PEOPLE + 7
    assert len(list((tmp_path / "out" / "people-people").iterdir())) == PEOPLE
