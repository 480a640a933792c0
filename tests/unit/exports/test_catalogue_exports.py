"""Catalogues as they are written: whole, strict, the same each time, and read by the formats' own tools."""

import hashlib
import itertools
import json
import math
import re
import socket
import subprocess
import sys

import polars as pl
import pytest
from bundle_files import written
from catalogued import datacite_faults, folder_of, numbers_in, numbers_of, validate_with_mlcroissant
from click.testing import CliRunner
from invented_study import write_records_study
from layouts import NAMES

import synthrelease
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.cli import main
from synthrelease.exports import guarantee_text
from synthrelease.exports.exporting import export
from synthrelease.exports.tables import tables_of

FILES = {"croissant": "croissant.json", "datacite": "datacite.json", "dp-registry": "dp_registry.yaml"}
MOST_ROWS = 300


def exported(folder, name, form):
    """Export a layout, and return the bundle and the folder."""
    bundle, _ = written(folder, name)
    export(bundle, form, folder / form)
    return bundle, folder / form


def strict(path):
    """Read JSON that has no NaN in it."""

    def refused(constant):
        raise AssertionError(constant)

    return json.loads(path.read_text("utf-8"), parse_constant=refused)


def same(read, cell, kind):
    """Whether a value that was read is that of a CSV's cell."""
    if cell is None:
        return read is None
    if kind == "sc:Text":
        return read.decode() == cell
    return math.isclose(read, float(cell), rel_tol=1e-14) if kind == "sc:Float" else read == int(cell)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")  # of what the tool imports
@pytest.mark.parametrize("name", NAMES)
def test_mlcommons_tool_reads_the_rows_that_the_files_hold(tmp_path, name):
    _, folder = exported(tmp_path, name, "croissant")
    document = strict(folder / "croissant.json")
    dataset = validate_with_mlcroissant(folder / "croissant.json")
    tables = {file["name"] for file in document["distribution"] if file["encodingFormat"] == "text/csv"}
    assert tables == {path.name for path in folder.glob("*.csv")}
    assert len(document["recordSet"]) == len(tables)
    for told in document["recordSet"]:
        frame = pl.read_csv(folder / f"{told['@id']}.csv", infer_schema=False)
        rows = list(itertools.islice(dataset.records(told["@id"]), MOST_ROWS))
        assert len(rows) == min(frame.height, MOST_ROWS)
        assert [field["source"]["extract"]["column"] for field in told["field"]] == frame.columns
        for row, cells in zip(rows, frame.iter_rows(), strict=False):
            for field, cell in zip(told["field"], cells, strict=True):
                assert same(row[field["@id"]], cell, field["dataType"]), (
                    field["@id"],
                    row[field["@id"]],
                    cell,
                )


@pytest.mark.filterwarnings("ignore")
def test_mlcommons_tool_refuses_files_that_were_changed(tmp_path):
    folder_of("mlcroissant")
    import mlcroissant

    _, folder = exported(tmp_path, "statistics", "croissant")
    path = min(folder.glob("*.csv"))
    path.write_bytes(path.read_bytes()[:-3] + b"9\r\n")
    dataset = validate_with_mlcroissant(folder / "croissant.json")
    with pytest.raises(mlcroissant.GenerationError):
        list(dataset.records(path.stem))


@pytest.mark.parametrize("name", ["maps", "each"])
def test_files_are_those_that_croissant_tells_of(tmp_path, name):
    bundle, folder = exported(tmp_path, name, "croissant")
    document = strict(folder / "croissant.json")
    told = {file["contentUrl"]: file for file in document["distribution"]}
    assert set(told) == {path.name for path in folder.glob("*.csv")} | {"manifest.json"}
    for path, file in told.items():
        data = (folder / path).read_bytes()
        assert file["sha256"] == hashlib.sha256(data).hexdigest()
        assert file["contentSize"] == f"{len(data)} B"
    assert strict(folder / "manifest.json") == bundle.manifest


@pytest.mark.parametrize("name", ["series", "records", "areas"])
def test_tables_tell_the_guarantee_of_their_output_to_the_last_digit(tmp_path, name):
    bundle, folder = exported(tmp_path, name, "croissant")
    outputs = {output["name"]: output for output in bundle.manifest["outputs"]}
    tables = {table.name: table.output for table in tables_of(bundle)}
    for told in strict(folder / "croissant.json")["recordSet"]:
        output = outputs[tables[told["@id"]]]
        guarantee = guarantee_text.output_guarantee(bundle.manifest, output)
        before, found, after = told["description"].partition(guarantee)
        assert found
        assert not after
        assert numbers_in(guarantee) == numbers_of(output["guarantee"])
        assert numbers_in(before) == {}
        assert (TEST_SEED_WORDS in before) == (name == "areas")


@pytest.mark.thorough
def test_the_validator_of_the_command_line_accepts_and_refuses(tmp_path):
    folder_of("mlcroissant")
    _, folder = exported(tmp_path, "statistics", "croissant")
    command = [
        sys.executable,
        "-m",
        "mlcroissant.scripts.validate",
        "--jsonld",
        str(folder / "croissant.json"),
    ]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    document = strict(folder / "croissant.json")
    document["recordSet"][0]["field"][0]["source"]["fileObject"]["@id"] = "other.csv"
    (folder / "croissant.json").write_text(json.dumps(document))
    assert subprocess.run(command, check=False, capture_output=True).returncode == 1


@pytest.mark.parametrize("name", ["moods", "areas"])
def test_datacite_accepts_what_is_written(tmp_path, name):
    bundle, folder = exported(tmp_path, name, "datacite")
    document = strict(folder / "datacite.json")
    assert datacite_faults(document) == []
    assert document["sizes"] == [f"{bundle.path.stat().st_size} bytes"]


@pytest.mark.parametrize("form", FILES)
def test_the_same_bundle_gives_the_same_bytes_and_no_trace_of_the_machine(tmp_path, form):
    made = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        _, out = exported(folder, "records", form)
        made.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert made[0] == made[1]
    text = made[0][FILES[form]].decode("utf-8")
    assert str(tmp_path) not in text
    assert socket.gethostname() not in text
    assert not re.search(r"\d\d:\d\d|\d{4}-\d\d-\d\dT", text)


@pytest.mark.parametrize("form", FILES)
def test_what_is_left_to_do_is_told(tmp_path, form):
    bundle, _ = written(tmp_path, "areas")
    result = CliRunner().invoke(main, ["export", str(bundle.path), "--to", form, "-o", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    lacking = {
        "croissant": ("url", "license", "creator"),
        "datacite": ("creators", "publisher"),
        "dp-registry": ("#",),
    }
    (line,) = [one for one in result.stderr.splitlines() if FILES[form] in one]
    assert [name for name in lacking[form] if name in line] == list(lacking[form])
    assert "TEST SEED" in result.stderr
    assert "TEST SEED" in (tmp_path / "out" / FILES[form]).read_text("utf-8")


def test_a_release_without_differential_privacy_is_refused_a_record(tmp_path):
    plan = write_records_study(tmp_path)
    head, *outputs = plan.read_text().split("[[outputs]]")
    plan.write_text("[[outputs]]".join([head, *(one for one in outputs if 'name = "exact"' in one)]))
    built = synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path
    command = ["export", str(built), "--to", "dp-registry", "-o", str(tmp_path / "out"), "--json"]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 4, result.output
    assert json.loads(result.stdout)["error"]["code"] == "nothing-private"
    assert not (tmp_path / "out").exists()
