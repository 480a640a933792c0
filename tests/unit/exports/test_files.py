"""Exports of tables as files: values come back bit for bit, the same bundle gives the same bytes, and all say what is guaranteed."""

import csv
import hashlib
import json
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from bundle_files import sections, written
from click.testing import CliRunner
from goldens import figures
from layouts import NAMES, layout

from synthrelease.bundle.content import Content, content_of
from synthrelease.bundle.disclosure import output_sentences, unprotected_facts, warning_sentence
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import MANIFEST, TEST_SEED_WORDS
from synthrelease.bundle.resealing import reseal
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.bundle.writer import write_bundle
from synthrelease.cli import main
from synthrelease.exports.csv import _save
from synthrelease.exports.exporting import export
from synthrelease.exports.folder import LIST, files_in
from synthrelease.exports.formats import FORMATS
from synthrelease.exports.table import Column, ExportTable
from synthrelease.exports.table_files import FORMULAS
from synthrelease.exports.tables import tables_of
from synthrelease.reports.guarantee_words import guarantee_words

TABLES = ("csv", "parquet")
OF_ANY = [name for name, form in FORMATS.items() if not form.is_of_gaze]  # of any release


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files_in(folder)}


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", TABLES)
def test_values_come_back_bit_for_bit(tmp_path, name, form):
    bundle, _ = written(tmp_path, name)
    export(bundle, form, tmp_path / "out")
    tables = list(tables_of(bundle))
    beside = {"README.txt", "manifest.json", *(["signature.json"] if name == "signed" else [])}
    assert {f"{table.name}.{form}" for table in tables} | beside == set(contents(tmp_path / "out"))
    for table in tables:
        path = tmp_path / "out" / f"{table.name}.{form}"
        found = pl.read_parquet(path) if form == "parquet" else read_csv(path, table.frame)
        assert found.equals(table.frame, null_equal=True), table.name


def read_csv(path, like):
    """By Python's own reader: polars reads what polars wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file, strict=True)
    assert head == like.columns
    found = {}
    for name, cells in zip(head, zip(*rows, strict=True), strict=True):
        kind = like.schema[name]
        convert = str if kind == pl.String else float if kind.is_float() else int
        values = [None if cell == "" else convert(cell) for cell in cells]
        assert all(np.isfinite(value) for value in values if isinstance(value, float))
        found[name] = pl.Series(values, dtype=kind, strict=False)
    return pl.DataFrame(found)


@pytest.mark.parametrize("form", ["csv", "bids"])
def test_long_tables_have_their_names_once(tmp_path, form, monkeypatch):
    bundle, _ = written(tmp_path, "statistics")
    export(bundle, form, tmp_path / "out")
    monkeypatch.setattr("synthrelease.exports.csv._ROWS", 3)
    export(bundle, form, tmp_path / "again")
    assert contents(tmp_path / "out") == contents(tmp_path / "again")


def test_every_form_is_in_the_help_and_in_the_docs():
    told = flat(CliRunner().invoke(main, ["export", "--help"]).output)
    page = (Path(__file__).parents[3] / "docs" / "reference" / "exports.md").read_text("utf-8")
    for name, form in FORMATS.items():
        first = f"{name}: {form.description.split(',')[0]}"  # lines may break at a hyphen
        assert first.replace(" ", "") in told.replace(" ", "")
        assert f"[`{name}`](#{name})" in page
        assert f"\n## {name}\n" in page


def test_csv_is_as_the_rfc_has_it(tmp_path):
    bundle, _ = written(tmp_path, "records")
    export(bundle, "csv", tmp_path / "out")
    for path in (tmp_path / "out").glob("*.csv"):
        raw = path.read_bytes()
        assert raw.endswith(b"\r\n")
        assert raw.count(b"\n") == raw.count(b"\r\n")
        assert not raw.startswith(b"\xef\xbb\xbf")


@pytest.mark.quick(but=["png"])
@pytest.mark.parametrize("form", OF_ANY)
def test_the_same_bundle_gives_the_same_bytes(tmp_path, form):
    bundle, whole = written(tmp_path, "series")
    export(bundle, form, tmp_path / "out")
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "other.h5").write_bytes(whole.raw)
    done = CliRunner().invoke(
        main, ["export", str(tmp_path / "else" / "other.h5"), "--to", form, "-o", str(tmp_path / "again")]
    )
    assert done.exit_code == 0, done.output
    assert contents(tmp_path / "out") == contents(tmp_path / "again")


@pytest.mark.parametrize("form", OF_ANY)
def test_the_bundle_that_it_is_of_is_told(tmp_path, form):
    bundle, whole = written(tmp_path, "moods")
    export(bundle, form, tmp_path / "out")
    digest = hashlib.sha256(whole.raw).hexdigest().encode()
    assert any(digest in data for data in contents(tmp_path / "out").values())


@pytest.mark.parametrize("form", OF_ANY)
def test_what_readers_of_an_output_must_mind_is_told(tmp_path, form):
    bundle, whole = written(tmp_path, "records")
    export(bundle, form, tmp_path / "out")
    told = {path: data for path, data in contents(tmp_path / "out").items() if "manifest" not in path}
    text = flat(b"\n".join(told.values()).decode("utf-8", errors="replace"))
    for output in whole.manifest["outputs"]:
        _, warnings = output_sentences(output)
        assert len(warnings) == len(output["warnings"])
        for warning in warnings:
            assert flat(warning) in text, warning


def test_a_missing_value_alone_in_a_row_is_no_empty_line(tmp_path):
    column = Column("mood", "string", "Category.", labels=("calm",), missing=True)
    table = ExportTable("t", "o", "T", "D.", (column,), (), pl.DataFrame({"mood": ["calm", None, "calm"]}))
    with (tmp_path / "t.csv").open("wb") as file:
        _save(table, file)
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file, strict=True)) == [["mood"], ["calm"], [""], ["calm"]]


@pytest.mark.quick(but=["png"])
@pytest.mark.parametrize("form", OF_ANY)
def test_the_manifest_is_that_of_the_bundle(tmp_path, form):
    bundle, _ = written(tmp_path, "maps")
    export(bundle, form, tmp_path / "out")
    (found,) = (tmp_path / "out").rglob("manifest.json")
    with BundleFile(bundle.path) as file:
        assert found.read_bytes() == file.array(MANIFEST).tobytes()


@pytest.mark.parametrize("name", ["maps", "each", "records"])
def test_the_readme_says_what_is_guaranteed_and_what_is_not(tmp_path, name):
    bundle, whole = written(tmp_path, name)
    export(bundle, "csv", tmp_path / "out")
    text = flat((tmp_path / "out" / "README.txt").read_text("utf-8"))
    guarantee = guarantee_words(whole.manifest)
    for told in (
        guarantee.headline_in_text,
        guarantee.notation,
        *guarantee.worlds,
        whole.manifest["release"]["title"],
    ):
        assert flat(told) in text
    for what, _ in unprotected_facts(whole.manifest):
        assert what.removeprefix("output ") in text
    for warning in whole.manifest["warnings"]:
        assert flat(warning_sentence(warning)) in text
    assert hashlib.sha256(whole.raw).hexdigest() in text
    assert hashlib.sha256((tmp_path / "out" / "manifest.json").read_bytes()).hexdigest() in text
    assert "synthrelease verify" in text  # not a sentence: a command
    assert "\\u" not in text
    assert TEST_SEED_WORDS not in text
    for column in (column for table in tables_of(bundle) for column in table.columns):
        assert column.name in text


@pytest.mark.parametrize("form", OF_ANY)
def test_repeatable_noise_is_told_in_every_file(tmp_path, form):
    path = tmp_path / "seeded.h5"
    path.write_bytes(layout("areas").raw)
    done = CliRunner().invoke(main, ["export", str(path), "--to", form, "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert TEST_SEED_WORDS in done.output
    for readme in (tmp_path / "out").glob("README*"):
        assert readme.read_text("utf-8").startswith(TEST_SEED_WORDS)
    for table in (tmp_path / "out").glob("*.parquet"):
        metadata = pl.read_parquet_metadata(table)
        assert TEST_SEED_WORDS in metadata["synthrelease.meaning"]
        assert metadata["synthrelease.title"].startswith(TEST_SEED_WORDS)
        assert metadata["synthrelease.test_seed"] == "true"


def test_more_is_said_before_a_guarantee_that_does_not_hold(tmp_path):
    bundle, _ = written(tmp_path, "areas")
    guarantees = []
    for seeded in (True, False):
        bundle.manifest["randomness"]["test_seed"] = seeded
        export(bundle, "csv", tmp_path / f"{seeded}")
        guarantees.append(sections((tmp_path / f"{seeded}" / "README.txt").read_text("utf-8"))[1])
    assert guarantees[0].endswith(guarantees[1])
    assert len(guarantees[0]) > len(guarantees[1])


def test_parquet_carries_the_guarantee(tmp_path):
    bundle, whole = written(tmp_path, "maps")
    export(bundle, "parquet", tmp_path / "out")
    for table in tables_of(bundle):
        told = pl.read_parquet_metadata(tmp_path / "out" / f"{table.name}.parquet")
        assert json.loads(told["synthrelease.guarantee"]) == whole.manifest["privacy"]["guarantee"]
        output = next(one for one in whole.manifest["outputs"] if one["name"] == table.output)
        assert json.loads(told["synthrelease.output_guarantee"]) == output["guarantee"]
        assert told["synthrelease.title"] == whole.manifest["release"]["title"]
        digest = hashlib.sha256((tmp_path / "out" / "manifest.json").read_bytes()).hexdigest()
        assert told["synthrelease.manifest_sha256"] == digest
        measured = "x_px" if "x_px" in table.frame else "normalization_mean"
        assert json.loads(told["synthrelease.columns"])[measured]["unit"]
        assert told["synthrelease.description"] == table.description


def test_licence_and_contact_are_told(tmp_path):
    bundle, _ = written(tmp_path, "statistics")
    bundle.manifest["release"] |= {"license": "CC0-1.0", "contact": "data@example.org"}
    export(bundle, "parquet", tmp_path / "out")
    told = pl.read_parquet_metadata(next((tmp_path / "out").glob("*.parquet")))
    assert (told["synthrelease.license"], told["synthrelease.contact"]) == ("CC0-1.0", "data@example.org")
    text = (tmp_path / "out" / "README.txt").read_text("utf-8")
    assert "CC0-1.0" in text
    assert "data@example.org" in text


def relabelled(folder, old, new):
    """A bundle that verifies, with a label of its records changed: whoever wrote it may call them anything."""
    path = folder / "labels.h5"
    path.write_bytes(layout("seeded").raw)
    with BundleFile(path) as file:
        content, manifest = content_of(file), file.manifest()
        values = dict(content.values)
    for form in manifest["outputs"][0]["mechanism"]["parameters"]["attributes"]:
        if form["labels"]:
            form["labels"] = [new if label == old else label for label in form["labels"]]
    forms = dict(content.forms)
    for stored in StoredOutput(manifest["outputs"][0]).hdf5_datasets:
        if stored.axis is not None and stored.axis.values.dtype.kind == "S":
            values[stored.path] = stored.axis.values
            forms[stored.path] = stored.form(stored.axis.values.dtype)
    write_bundle(
        path,
        Content(content.groups, forms, [(name, values[name]) for name in forms]),
        completed=lambda digests: {**manifest, "digests": digests},
        test_seed=False,
    )
    return path


@pytest.mark.parametrize("label", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)"])
def test_labels_like_formulas_stay_and_are_told(tmp_path, label):
    path = relabelled(tmp_path, "tired", label)
    done = CliRunner().invoke(main, ["export", str(path), "--to", "csv", "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert FORMULAS in flat(done.output)
    assert FORMULAS in flat((tmp_path / "out" / "README.txt").read_text("utf-8"))
    with (tmp_path / "out" / "randomized-categories.csv").open(encoding="utf-8", newline="") as file:
        assert label in {row["label"] for row in csv.DictReader(file)}


def test_other_labels_are_not_warned_of(tmp_path):
    bundle, _ = written(tmp_path, "seeded")
    assert export(bundle, "csv", tmp_path / "out").warnings == ()


@pytest.mark.parametrize("label", ['say "x", or\u00a0not', "n\u0303", "日本;\\", "'", " x "])
def test_labels_come_back_whatever_is_in_them(tmp_path, label):
    path = relabelled(tmp_path, "tired", label)
    done = CliRunner().invoke(main, ["export", str(path), "--to", "csv", "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    with (tmp_path / "out" / "randomized-categories.csv").open(encoding="utf-8", newline="") as file:
        assert label in {row["label"] for row in csv.DictReader(file, strict=True)}


@pytest.mark.parametrize("form", OF_ANY)
def test_a_faulty_bundle_is_not_exported(tmp_path, form):
    path = tmp_path / "faulty.h5"
    whole = layout("statistics")
    path.write_bytes(whole.raw)
    with BundleFile(path) as file:
        manifest = file.manifest()
    manifest["outputs"][0]["guarantee"]["epsilon"] = 1.0
    reseal(path, manifest)
    command = ["export", str(path), "--to", form, "-o", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 1
    error = json.loads(done.stdout)["error"]
    assert error["kind"] == "FaultyBundleError"
    assert {finding["code"] for finding in error["findings"]} == {"guarantee"}
    assert [path.name for path in tmp_path.iterdir()] == ["faulty.h5"]


def test_an_export_is_replaced_when_asked_for(tmp_path):
    written(tmp_path, "statistics")
    command = ["export", str(tmp_path / "release.h5"), "--to", "csv", "-o", str(tmp_path / "out")]
    assert CliRunner().invoke(main, command).exit_code == 0
    before = contents(tmp_path / "out")
    again = CliRunner().invoke(main, command)
    assert again.exit_code == 6
    assert "--force" in again.output
    assert CliRunner().invoke(main, [*command[:3], "parquet", *command[4:], "--force"]).exit_code == 0
    assert not set(contents(tmp_path / "out")) & set(before) - {"README.txt", "manifest.json"}
    assert (tmp_path / "out" / LIST).exists()


def test_the_summary_says_how_much_and_where(tmp_path):
    written(tmp_path, "moods")
    command = ["export", str(tmp_path / "release.h5"), "--to", "csv", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(main, command)
    size = sum(len(data) for data in contents(tmp_path / "out").values())
    head, _, folder = done.output.partition(str(tmp_path / "out"))
    assert figures(head) == [4, round(size / 1e6, 2)]
    assert folder == "\n"
    told = json.loads(CliRunner().invoke(main, [*command, "--force", "--json"]).stdout)
    assert (told["to"], told["files"], told["bytes"]) == ("csv", 4, size)
    assert told["folder"] == str(tmp_path / "out")


def test_pictures_of_stimuli_are_for_pictures(tmp_path):
    written(tmp_path, "moods")
    command = ["export", str(tmp_path / "release.h5"), "--to", "csv", "-o", str(tmp_path / "out")]
    assert CliRunner().invoke(main, [*command, "--stimuli", str(tmp_path)]).exit_code == 2


@pytest.mark.thorough
@pytest.mark.parametrize("form", TABLES)
def test_a_full_disk_leaves_nothing(tmp_path, form):
    written(tmp_path, "maps")
    done = subprocess.run(
        [sys.executable, "-B", "-m", "synthrelease", "export", "release.h5", "--to", form, "-o", "out"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)),
    )
    assert done.returncode == 6, done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["release.h5"]
