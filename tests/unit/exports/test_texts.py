"""What people read in exports, whole: READMEs, and catalogues, of releases that are always the same."""

import copy
import hashlib
import json
import shutil

from goldens import check_text
from pages import golden
from signed import CURATOR

from synthrelease.bundle import open_bundle
from synthrelease.bundle.layout import TEST_SEED_WORDS
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


def test_the_readme_of_a_signed_release_that_is_covered_in_part(tmp_path):
    bundle = tmp_path / "b.h5"
    shutil.copyfile(golden("records"), bundle)
    sign(bundle, CURATOR)
    digest = hashlib.sha256(bundle.read_bytes()).hexdigest()
    check_text("exports/readme-csv-signed", readme_of(bundle, "csv", tmp_path / "out"), digest=digest)


def manifest_of(name):
    return copy.deepcopy(open_bundle(golden(name), allow_test_seed=True).manifest)


def as_lines(document):
    """A document as JSON, with every line of its texts on a line of its own."""
    shown = {key: value for key, value in document.items() if key != "@context"}
    return json.dumps(shown, indent=1, ensure_ascii=False).replace("\\n", "\n    ")


def test_croissant_of_records():
    check_text("catalogues/croissant-records", as_lines(croissant(manifest_of("records"), [], [])))


def test_datacite():
    check_text(
        "catalogues/datacite-statistics", as_lines(datacite(manifest_of("statistics"), size=1, sha256=DIGEST))
    )


def test_drafts_for_the_registry():
    check_text("catalogues/dp-registry-signals", dp_registry(manifest_of("signals"), sha256=DIGEST))
    assert TEST_SEED_WORDS in dp_registry(manifest_of(SEEDED), sha256=DIGEST)
