"""Signatures that an export carries: whoever has the public key and the folder can tell who signed the manifest in it."""

import base64
import hashlib
import json
import os

import pytest
from bundle_files import written
from catalogued import folder_of
from click.testing import CliRunner
from refusals import refused
from signed import ARCHIVE, CURATOR, STRANGER, edited, envelope, put

from synthrelease.bundle.layout import SIGNATURE
from synthrelease.bundle.signing.envelope import envelope_of
from synthrelease.bundle.signing.expectations import signature_file
from synthrelease.bundle.signing.sign import sign
from synthrelease.cli import main
from synthrelease.errors import BundleError
from synthrelease.exports.exporting import export
from synthrelease.exports.formats import FORMATS
from synthrelease.exports.task import SIGNATURES

OF_ANY = [name for name, form in FORMATS.items() if not form.is_of_gaze]  # of any release


def carried(folder):
    return [path for name in SIGNATURES for path in sorted(folder.rglob(name))]


def verified(path, key):
    """Whether an envelope is of the manifest beside it, by a key; by securesystemslib, not by us."""
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import VerificationError
    from securesystemslib.signer import SSlibKey

    document = json.loads(path.read_bytes())
    try:
        Envelope.from_dict(document).verify([SSlibKey.from_crypto(key.public_key())], 1)
    except VerificationError:
        return False
    (subject,) = json.loads(base64.b64decode(document["payload"]))["subject"]
    manifest = (path.parent / "manifest.json").read_bytes()
    return subject["digest"] == {"sha256": hashlib.sha256(manifest).hexdigest()}


@pytest.mark.parametrize("form", OF_ANY)
def test_every_form_carries_the_signature_beside_the_manifest(tmp_path, form):
    folder_of("securesystemslib")
    bundle, _ = written(tmp_path, "signed")
    export(bundle, form, tmp_path / "out")
    (path,) = carried(tmp_path / "out")
    assert path.read_bytes() == envelope(bundle.path)
    assert path.parent == next((tmp_path / "out").rglob("manifest.json")).parent
    assert verified(path, CURATOR)
    assert not verified(path, STRANGER)
    manifest = path.parent / "manifest.json"
    manifest.write_bytes(manifest.read_bytes() + b" ")
    assert not verified(path, CURATOR)


@pytest.mark.parametrize("form", ["csv", "bids", "png"])
def test_the_readme_says_what_is_signed_and_what_is_not(tmp_path, form):
    for name, signed in (("signed", True), ("moods", False)):
        bundle, _ = written(tmp_path, name)
        export(bundle, form, tmp_path / name)
        text = " ".join((tmp_path / name / "README.txt").read_text("utf-8").split())
        where = "sourcedata/" if form == "bids" else ""
        assert (f"{where}signature.json" in text) == signed
        assert len(carried(tmp_path / name)) == signed


def test_a_signature_beside_the_bundle_is_carried_too(tmp_path):
    folder_of("securesystemslib")
    bundle, _ = written(tmp_path, "signed")
    sign(bundle.path, ARCHIVE, detached=True)
    assert export(bundle, "csv", tmp_path / "out").warnings == ()
    one, other = carried(tmp_path / "out")
    assert (one.name, other.name) == SIGNATURES
    assert verified(one, CURATOR)
    assert verified(other, ARCHIVE)
    bundle, _ = written(tmp_path, "moods")
    export(bundle, "csv", tmp_path / "beside")
    (path,) = carried(tmp_path / "beside")
    assert path.name == "signature.json"
    assert verified(path, ARCHIVE)


def test_what_no_one_signed_is_left_out_of_it(tmp_path):
    bundle, _ = written(tmp_path, "moods")
    beside = sign(bundle.path, CURATOR, detached=True)
    beside.write_bytes(edited(beside.read_bytes(), lambda document: document.update(note="trust me")))
    export(bundle, "csv", tmp_path / "out")
    (path,) = carried(tmp_path / "out")
    assert b"trust me" not in path.read_bytes()
    assert envelope_of(path.read_bytes()) == envelope_of(beside.read_bytes())


@pytest.mark.parametrize("what", ["other release", "no envelope", "too large", "pipe"])
def test_what_is_no_signature_of_this_bundle_is_left_out_and_told(tmp_path, what):
    bundle, _ = written(tmp_path, "maps")
    beside = signature_file(bundle.path)
    match what:
        case "other release":
            other, _ = written(tmp_path, "signed")
            beside.write_bytes(envelope(other.path))
            bundle, _ = written(tmp_path, "maps")
        case "no envelope":
            beside.write_text("{}")
        case "too large":
            beside.write_bytes(b" " * 300_000)
        case "pipe":
            os.mkfifo(beside)
    command = ["export", str(bundle.path), "--to", "datacite", "-o", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert carried(tmp_path / "out") == []
    warnings = json.loads(done.stdout)["warnings"]
    assert len([one for one in warnings if beside.name in one]) == 1


def test_a_signature_of_another_release_in_the_bundle_is_refused(tmp_path):
    bundle, _ = written(tmp_path, "signed")
    raw = envelope(bundle.path)
    bundle, _ = written(tmp_path, "maps")
    put(bundle.path, raw)
    with refused(BundleError, "changed-after-verification", where=SIGNATURE):
        export(bundle, "csv", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.filterwarnings("ignore")
def test_croissant_lists_it_with_its_digest(tmp_path):
    bundle, _ = written(tmp_path, "signed")
    export(bundle, "croissant", tmp_path / "out")
    (path,) = carried(tmp_path / "out")
    document = json.loads((tmp_path / "out" / "croissant.json").read_text("utf-8"))
    (told,) = [file for file in document["distribution"] if file["@id"] == "signature.json"]
    assert told["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
