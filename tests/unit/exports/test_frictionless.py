"""Data Packages: the standard's own library accepts them, and notices every byte that is changed."""

import hashlib
import json

import pytest
from bundle_files import written
from catalogued import validate_with_frictionless as validated
from click.testing import CliRunner
from layouts import NAMES

from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.cli import main
from synthrelease.exports.exporting import export
from synthrelease.exports.frictionless import PACKAGE
from synthrelease.exports.tables import tables_of


def told(folder):
    return json.loads((folder / PACKAGE).read_text("utf-8"))


def merged(folder):
    """All layouts in one package: starting the library takes longer than it works."""
    resources = []
    for name in (one for one in NAMES if one != "signed"):  # the outputs of another one
        (folder / name).mkdir()
        bundle, _ = written(folder / name, name)
        export(bundle, "frictionless", folder / name / "out")
        found = told(folder / name / "out")
        resources += [
            one | {"name": f"{name}-{one['name']}", "path": f"{name}/out/{one['path']}"}
            for one in found["resources"]
        ]
    (folder / PACKAGE).write_text(json.dumps(found | {"resources": resources}))
    return resources


@pytest.mark.thorough
def test_packages_of_every_kind_of_output_are_valid_and_every_cell_is_held_against_its_schema(tmp_path):
    resources = merged(tmp_path)
    code, found, errors = validated(tmp_path)
    assert (code, errors) == (0, [])
    assert found == {resource["name"]: [] for resource in resources}
    assert len(found) == 30


@pytest.mark.thorough
def test_the_demonstrations_package_is_valid(tmp_path):
    assert CliRunner().invoke(main, ["demo", "-o", str(tmp_path / "demo")]).exit_code == 0
    command = [
        "export",
        str(tmp_path / "demo" / "release.h5"),
        "--to",
        "frictionless",
        "-o",
        str(tmp_path / "out"),
    ]
    assert CliRunner().invoke(main, command).exit_code == 0
    code, found, errors = validated(tmp_path / "out")
    assert (code, errors) == (0, [])
    assert found
    assert not any(found.values())


@pytest.mark.thorough
@pytest.mark.parametrize("what", ["cell", "row", "byte", "column", "outside"])
def test_a_change_beside_the_package_is_noticed(tmp_path, what):
    bundle, _ = written(tmp_path, "moods")
    export(bundle, "frictionless", tmp_path / "out")
    path = tmp_path / "out" / "moods-values.csv"
    raw = path.read_bytes()
    _, first, *_ = raw.split(b"\r\n")
    match what:
        case "cell":  # as long as before
            place = raw.index(first) + len(first) - 1
            changed = raw[:place] + (b"1" if raw[place : place + 1] != b"1" else b"2") + raw[place + 1 :]
            assert len(changed) == len(raw)
        case "row":
            changed = raw + first + b"\r\n"
        case "byte":
            changed = raw.replace(b"\r\n", b"\n", 1)
        case "column":
            changed = raw.replace(b"group", b"troup", 1)
        case "outside":
            changed = raw.replace(b"calm", b"cold")
    path.write_bytes(changed)
    code, found, _ = validated(tmp_path / "out")
    assert code == 1
    assert found["moods-values"]
    assert not found["moods-histogram"]
    if what in ("cell", "outside"):
        assert "hash-count" in found["moods-values"]
    if what in ("row", "byte"):
        assert "byte-count" in found["moods-values"]


@pytest.mark.parametrize("name", NAMES)
def test_files_and_columns_are_told_as_they_are(tmp_path, name):
    bundle, whole = written(tmp_path, name)
    export(bundle, "frictionless", tmp_path / "out")
    package = told(tmp_path / "out")
    assert package["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert package["version"] == whole.manifest["release"]["version"]
    assert package["privacy:guarantee"] == whole.manifest["privacy"]["guarantee"]
    assert package["privacy:not_protected"] == whole.manifest["privacy"]["not_protected"]
    for resource, table in zip(package["resources"], tables_of(bundle), strict=True):
        raw = (tmp_path / "out" / resource["path"]).read_bytes()
        assert resource["bytes"] == len(raw)
        assert resource["hash"] == f"sha256:{hashlib.sha256(raw).hexdigest()}"
        assert resource["name"] == table.name.lower()
        fields = {field["name"]: field for field in resource["schema"]["fields"]}
        assert list(fields) == table.frame.columns
        assert resource["schema"].get("primaryKey", []) == list(table.key)
        assert resource["schema"]["missingValues"] == [""]
        for column in table.columns:
            constraints = fields[column.name].get("constraints", {})
            assert constraints.get("minimum") == column.lowest
            assert constraints.get("maximum") == column.highest
            assert constraints.get("required", False) != column.missing
            assert tuple(constraints.get("enum", ())) == column.labels
            assert fields[column.name].get("unit", "") == column.unit


def test_licence_and_contact_are_told(tmp_path):
    bundle, _ = written(tmp_path, "moods")
    bundle.manifest["release"] |= {"license": "CC0-1.0", "contact": "data@example.org", "name": "My Study: 2"}
    export(bundle, "frictionless", tmp_path / "out")
    package = told(tmp_path / "out")
    assert package["name"] == "my-study-2"
    page = "https://spdx.org/licenses/CC0-1.0"
    assert package["licenses"] == [{"name": "CC0-1.0", "title": "CC0-1.0", "path": page}]
    assert package["contributors"] == [
        {"title": "data@example.org", "email": "data@example.org", "roles": ["contact"]}
    ]
    licence, contact = "ask us", "Ada, room 5"
    bundle.manifest["release"] |= {"license": licence, "contact": contact}
    export(bundle, "frictionless", tmp_path / "other")
    package = told(tmp_path / "other")
    assert package["licenses"] == [{"name": "LicenseRef-release", "title": licence}]
    assert package["contributors"] == [{"title": contact, "roles": ["contact"]}]


def test_repeatable_noise_is_told(tmp_path):
    bundle, _ = written(tmp_path, "areas")
    export(bundle, "frictionless", tmp_path / "out")
    package = told(tmp_path / "out")
    assert package["privacy:test_seed"] is True
    assert all(resource["privacy:test_seed"] is True for resource in package["resources"])
    assert package["title"].startswith(TEST_SEED_WORDS)
    for text in (package["description"], package["privacy:meaning"], package["resources"][0]["description"]):
        assert TEST_SEED_WORDS in text
