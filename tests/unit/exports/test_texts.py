"""What people read in exports, whole: READMEs, and catalogues, of releases that are always the same."""

import copy
import hashlib
import json
import shutil

import pytest
from goldens import check_text
from pages import golden
from signed import CURATOR

from synthrelease.bundle import open_bundle
from synthrelease.bundle.signing.sign import sign
from synthrelease.exports.croissant import croissant
from synthrelease.exports.datacite import datacite
from synthrelease.exports.dp_registry import dp_registry
from synthrelease.exports.exporting import export

SEEDED = "seeded.TEST-SEED"
DIGEST = "ab" * 32


def readme_of(bundle, form, folder):
    export(open_bundle(bundle, allow_test_seed=True), form, folder)
    return (folder / "README.txt").read_text("utf-8")


@pytest.mark.quick(but=["png-heatmaps"])
@pytest.mark.parametrize(("form", "name"), [("csv", "unknown-number"), ("png", "heatmaps"), ("bids", SEEDED)])
def test_readmes(tmp_path, form, name):
    check_text(
        f"exports/readme-{form}-{name.partition('.')[0]}", readme_of(golden(name), form, tmp_path / "out")
    )


def test_the_readme_of_a_signed_release_that_is_covered_in_part(tmp_path):
    bundle = tmp_path / "b.h5"
    shutil.copyfile(golden("records"), bundle)
    sign(bundle, CURATOR)
    digest = hashlib.sha256(bundle.read_bytes()).hexdigest()
    check_text("exports/readme-csv-signed", readme_of(bundle, "csv", tmp_path / "out"), digest=digest)


def manifest_of(name):
    return copy.deepcopy(open_bundle(golden(name), allow_test_seed=True).manifest)


def nothing_private():
    """The manifest of records that no output with differential privacy stands beside."""
    manifest = manifest_of("records")
    manifest["outputs"] = [one for one in manifest["outputs"] if one["name"] in ("kept", "exact")]
    privacy = manifest["privacy"]
    privacy["composition"] = {"method": "nothing", "outputs": []}
    privacy["guarantee"] = {"kind": "none", "unit": "person", "neighbours": "replace-one", "reason": "none"}
    privacy["not_protected"] = [
        one for one in privacy["not_protected"] if one["fields"].get("output") in ("kept", "exact")
    ]
    return manifest


def as_lines(document):
    """A document as JSON, with every line of its texts on a line of its own."""
    shown = {key: value for key, value in document.items() if key != "@context"}
    return json.dumps(shown, indent=1, ensure_ascii=False).replace("\\n", "\n    ")


def test_croissant_of_records():
    check_text("catalogues/croissant-records", as_lines(croissant(manifest_of("records"), [], [])))


@pytest.mark.parametrize("name", ["unknown-number", "statistics", "nothing-private"])
def test_datacite(name):
    manifest = nothing_private() if name == "nothing-private" else manifest_of(name)
    check_text(f"catalogues/datacite-{name}", as_lines(datacite(manifest, size=1, sha256=DIGEST)))


@pytest.mark.parametrize("name", ["signals", SEEDED])
def test_drafts_for_the_registry(name):
    record = dp_registry(manifest_of(name), sha256=DIGEST)
    check_text(f"catalogues/dp-registry-{name.partition('.')[0]}", record)
