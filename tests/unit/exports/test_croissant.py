"""What Croissant says of tables and files, and that MLCommons' own tool reads it without a network."""

import hashlib
import json
import math
import socket
from dataclasses import replace

import polars as pl
import pytest
from catalogued import folder_of, validate_with_mlcroissant
from goldens import check_text
from layouts import layout

from synthrelease.exports.croissant import CONFORMS_TO, DescribedFile, croissant, record_set
from synthrelease.exports.table import Column, ExportTable
from synthrelease.reports.guarantee_words import guarantee_words

LICENCE = "Ask us first"
NAMES = ("stimulus", "X:y / z #1 %", "count")
TABLE = ExportTable(
    name="attention-dwell",
    output="attention",
    title="Dwell",
    description="Where people looked.",
    columns=(
        Column("stimulus", "string", "The picture.", labels=("garden", 'ü, "b"', "=1+2")),
        Column(NAMES[1], "number", "A share.", unit="mm", lowest=0.0, highest=1.5, missing=True),
        Column("count", "integer", "How many."),
    ),
    key=("stimulus", "count"),
    frame=pl.DataFrame(
        {"stimulus": ["garden", 'ü, "b"', "=1+2"], NAMES[1]: [0.1 + 0.2, None, 1e-17], "count": [1, 2**53, -3]}
    ),
)  # fmt: skip


def written(folder, manifest=None, **changes):
    """Write the table and its description, and return the document."""
    data = TABLE.frame.write_csv().encode()
    (folder / "attention-dwell.csv").write_bytes(data)
    file = DescribedFile(
        "attention-dwell.csv", "text/csv", "Rows.", len(data), hashlib.sha256(data).hexdigest()
    )
    manifest = manifest or layout("maps").manifest
    document = {**croissant(manifest, [file], [record_set(TABLE, file.name)]), **changes}
    (folder / "croissant.json").write_text(json.dumps(document, allow_nan=False))
    return document


@pytest.fixture
def no_network(monkeypatch):
    def refused(*_args, **_kwargs):
        raise AssertionError("the network was asked for")

    monkeypatch.setattr(socket, "create_connection", refused)
    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


def test_a_table_is_described_by_its_columns():
    told = record_set(TABLE, "attention-dwell.csv")
    assert told["key"] == [{"@id": "attention-dwell/stimulus"}, {"@id": "attention-dwell/count"}]
    assert [field["dataType"] for field in told["field"]] == ["sc:Text", "sc:Float", "sc:Integer"]
    share = told["field"][1]
    assert share["source"] == {"fileObject": {"@id": "attention-dwell.csv"}, "extract": {"column": NAMES[1]}}
    assert (share["unitText"], share["minValue"], share["maxValue"]) == ("mm", 0.0, 1.5)
    assert "unitText" not in told["field"][2]
    check_text("catalogues/croissant-table", json.dumps(told, indent=1, ensure_ascii=False))


@pytest.mark.filterwarnings("ignore")  # of what the tool imports
@pytest.mark.usefixtures("no_network")
def test_rows_are_read_as_they_were_written(tmp_path):
    written(tmp_path)
    dataset = validate_with_mlcroissant(tmp_path / "croissant.json")
    rows = list(dataset.records("attention-dwell"))
    keys = [field["@id"] for field in record_set(TABLE, "x.csv")["field"]]
    assert [set(row) for row in rows] == [set(keys)] * 3
    for row, expected in zip(rows, TABLE.frame.rows(), strict=True):
        assert row[keys[0]].decode() == expected[0]
        assert (
            row[keys[1]] is None
            if expected[1] is None
            else math.isclose(row[keys[1]], expected[1], rel_tol=1e-15)
        )
        assert row[keys[2]] == expected[2]
    read = dataset.metadata
    assert read.record_sets[0].key == keys[::2]
    assert read.personal_sensitive_information[0] == guarantee_words(layout("maps").manifest).statement
    assert [file.sha256 for file in read.file_objects] == [hashlib.sha256((tmp_path / "attention-dwell.csv").read_bytes()).hexdigest()]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [".", "..", "@type", "a/../b", "%2E"])
def test_columns_of_any_name_are_read(tmp_path, name):
    table = replace(TABLE, columns=(Column(name, "number", "A share."),), key=(name,))
    data = pl.DataFrame({name: [0.25]}).write_csv().encode()
    (tmp_path / "x.csv").write_bytes(data)
    file = DescribedFile("x.csv", "text/csv", "Rows.", len(data), hashlib.sha256(data).hexdigest())
    manifest = json.loads(json.dumps(layout("maps").manifest))
    manifest["release"]["license"] = LICENCE
    document = croissant(manifest, [file], [record_set(table, file.name)])
    (tmp_path / "croissant.json").write_text(json.dumps(document))
    dataset = validate_with_mlcroissant(tmp_path / "croissant.json")
    assert [list(row.values()) for row in dataset.records(TABLE.name)] == [[0.25]]
    assert dataset.metadata.license[0].name == LICENCE


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "wrong", [{"recordSet": [{"@type": "cr:RecordSet", "@id": "x", "field": [{"@type": "cr:Field", "@id": "x/y"}]}]}, {"distribution": [{"@type": "cr:FileObject", "@id": "f", "name": "f"}]}]
)  # fmt: skip
def test_the_tool_refuses_what_is_wrong(tmp_path, wrong):
    import mlcroissant

    written(tmp_path, **wrong)
    with pytest.raises((mlcroissant.ValidationError, ValueError)):
        validate_with_mlcroissant(tmp_path / "croissant.json")


def test_what_is_known_of_the_release_is_told_and_nothing_else():
    manifest = json.loads(json.dumps(layout("maps").manifest))
    told = croissant(manifest, [], [])
    assert told["conformsTo"] == CONFORMS_TO
    assert told["name"] == manifest["release"]["title"]
    assert (told["version"], told["datePublished"]) == ("1.0.0", manifest["release"]["date"])
    assert not {"license", "creator", "url", "rai:dataUseCases", "rai:dataSocialImpact"} & set(told)
    manifest["release"] |= {"license": "cc-by-4.0", "contact": "data@example.org"}
    told = croissant(manifest, [], [])
    assert told["license"] == "https://spdx.org/licenses/CC-BY-4.0"
    assert told["creator"] == {"@type": "sc:Organization", "name": "data@example.org"}
    manifest["release"]["license"] = LICENCE
    assert croissant(manifest, [], [])["license"] == {"@type": "sc:CreativeWork", "name": LICENCE}


def test_only_terms_of_the_vocabularies_are_used():
    terms = {key for key in croissant(layout("maps").manifest, [], []) if key.startswith("rai:")}
    assert terms == {
        "rai:dataCollection", "rai:dataPreprocessingProtocol", "rai:dataManipulationProtocol", "rai:personalSensitiveInformation",
        "rai:dataBiases", "rai:dataLimitations", "rai:dataReleaseMaintenancePlan",
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("no_network")
def test_every_term_is_one_of_a_vocabulary(tmp_path):
    folder_of("rdflib")
    import rdflib

    written(tmp_path)
    graph = rdflib.Graph().parse(tmp_path / "croissant.json", format="json-ld")
    known = {"http://mlcommons.org/croissant/", "https://schema.org/", "http://purl.org/dc/terms/"}
    used = {str(term) for term in graph.predicates() if term != rdflib.RDF.type}
    assert all(any(term.startswith(one) for one in known) for term in used), used
    assert {
        "http://mlcommons.org/croissant/recordSet",
        "https://schema.org/unitText",
        "http://purl.org/dc/terms/conformsTo",
    } <= used
    assert len([term for term in used if "/RAI/" in term]) == 7
    assert {str(one) for one in graph.objects(None, rdflib.DCTERMS.conformsTo)} == set(CONFORMS_TO)


def test_nothing_is_told_where_there_is_nothing_to_tell():
    manifest = json.loads(json.dumps(layout("maps").manifest))
    manifest["warnings"] = []
    for output in manifest["outputs"]:
        output["warnings"] = []
        output["mechanism"]["public_inputs"]["people"] = None  # then nothing is known of accuracy
    assert "rai:dataLimitations" not in croissant(manifest, [], [])
