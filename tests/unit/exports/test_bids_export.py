"""BIDS derivatives: the standard's own validator accepts them, and every column is described beside its table."""

import csv
import json
from dataclasses import replace

import pytest
from bundle_files import written
from catalogued import bids_issues as report_of
from layouts import NAMES
from refusals import refused

from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.errors import DataError
from synthrelease.exports.exporting import export
from synthrelease.exports.tables import tables_of


def described(folder):
    return json.loads((folder / "dataset_description.json").read_text("utf-8"))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["maps", "each", "records", "areas"])
def test_the_standards_validator_accepts_the_dataset(tmp_path, name):
    bundle, _ = written(tmp_path, name)
    bundle.manifest["release"] |= {"license": "CC0-1.0", "contact": "data@example.org"}
    export(bundle, "bids", tmp_path / "out")
    # That no one is a subject, and no one an author, is so.
    assert set(report_of(tmp_path / "out")) <= {
        ("warning", "SUBJECT_FOLDERS"),
        ("warning", "TOO_FEW_AUTHORS"),
    }
    (tmp_path / "out" / ".bidsignore").unlink()
    assert ("error", "NOT_INCLUDED") in report_of(tmp_path / "out")


def test_the_validator_looks_at_what_the_dataset_says_of_itself(tmp_path):
    bundle, _ = written(tmp_path, "moods")
    export(bundle, "bids", tmp_path / "out")
    found = described(tmp_path / "out")
    (tmp_path / "out" / "dataset_description.json").write_text(json.dumps(found | {"GeneratedBy": "me"}))
    assert "error" in {severity for severity, _ in report_of(tmp_path / "out")}


@pytest.mark.parametrize("name", NAMES)
def test_every_table_is_there_and_every_column_described(tmp_path, name):
    bundle, whole = written(tmp_path, name)
    export(bundle, "bids", tmp_path / "out")
    tables = {table.name: table for table in tables_of(bundle)}
    group = tmp_path / "out" / "group"
    assert {path.stem for path in group.glob("*.tsv")} == {path.stem for path in group.glob("*.json")}
    assert {path.stem for path in group.glob("*.tsv")} == set(tables)
    for label, table in tables.items():
        sidecar = json.loads((group / f"{label}.json").read_text("utf-8"))
        output = next(one for one in whole.manifest["outputs"] if one["name"] == table.output)
        assert sidecar["synthrelease:table"]["Guarantee"] == output["guarantee"]
        assert list(sidecar)[1:] == table.frame.columns
        for column in table.columns:
            told = sidecar[column.name]
            assert told["Description"] == column.description
            assert told.get("Units", "") == ("pixel" if column.unit == "px" else column.unit)
            assert tuple(told.get("Levels", ())) == column.labels
        with (group / f"{label}.tsv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t", strict=True))
        assert len(rows) == table.frame.height
        for column in table.columns:
            cells = [row[column.name] for row in rows]
            expected = table.frame[column.name].to_list()
            assert [cell == "n/a" for cell in cells] == [value is None for value in expected]
            if column.kind == "string":
                assert [cell for cell in cells if cell != "n/a"] == [
                    one for one in expected if one is not None
                ]


def test_the_dataset_says_what_is_guaranteed(tmp_path):
    bundle, whole = written(tmp_path, "maps")
    export(bundle, "bids", tmp_path / "out")
    found = described(tmp_path / "out")
    assert found["DatasetType"] == "derivative"
    assert found["Name"] == whole.manifest["release"]["title"]
    assert found["Privacy"]["Guarantee"] == whole.manifest["privacy"]["guarantee"]
    assert found["Privacy"]["NotProtected"] == whole.manifest["privacy"]["not_protected"]
    assert found["GeneratedBy"][0]["Name"] == "synthrelease"
    assert "License" not in found


def test_repeatable_noise_is_told(tmp_path):
    bundle, _ = written(tmp_path, "areas")
    export(bundle, "bids", tmp_path / "out")
    found = described(tmp_path / "out")
    assert found["Name"].startswith(TEST_SEED_WORDS)
    assert TEST_SEED_WORDS in found["GeneratedBy"][0]["Description"]
    assert found["Privacy"]["TestSeed"] is True
    for sidecar in (tmp_path / "out" / "group").glob("*.json"):
        assert json.loads(sidecar.read_text("utf-8"))["synthrelease:table"]["TestSeed"] is True


def test_a_column_cannot_take_the_place_of_the_guarantee(tmp_path, monkeypatch):
    def renamed(bundle):
        for table in tables_of(bundle):
            first, *rest = table.columns
            frame = table.frame.rename({first.name: "synthrelease:table"})
            yield replace(table, columns=(replace(first, name="synthrelease:table"), *rest), frame=frame)

    bundle, whole = written(tmp_path, "seeded")
    monkeypatch.setattr("synthrelease.exports.table_files.tables_of", renamed)
    export(bundle, "bids", tmp_path / "out")
    sidecar = json.loads((tmp_path / "out" / "group" / "randomized-records.json").read_text("utf-8"))
    assert "Description" in sidecar["synthrelease:table"]
    assert sidecar["synthrelease:table_"]["Guarantee"] == whole.manifest["outputs"][0]["guarantee"]


def test_a_label_that_stands_for_missing_values_is_refused(tmp_path):
    bundle, _ = written(tmp_path, "seeded")
    for form in bundle.manifest["outputs"][0]["mechanism"]["parameters"]["attributes"]:
        form["labels"] = form["labels"] and ["n/a", *form["labels"][1:]]
    with refused(DataError, "label-means-missing", where="randomized") as error:
        export(bundle, "bids", tmp_path / "out")
    assert "csv" in error.value.remedy
    assert not (tmp_path / "out").exists()
