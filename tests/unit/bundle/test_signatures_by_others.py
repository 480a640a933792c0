"""Independent implementations, both ways: others verify what we sign, and we what others sign."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import signed
from forging import forge, read_manifest
from programs import program, programs_in
from signed import ARCHIVE, CURATOR, STRANGER

import synthrelease
from synthrelease.bundle.signing.expectations import signature_file
from synthrelease.bundle.signing.sign import sign
from synthrelease.bundle.signing.statement import statement

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "publish.md"


def test_an_independent_implementation_verifies_our_signature(bundle: Path) -> None:
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import VerificationError
    from securesystemslib.signer import SSlibKey

    sign(bundle, CURATOR)
    sign(bundle, ARCHIVE)
    envelope = Envelope.from_dict(json.loads(signed.envelope(bundle)))
    assert envelope.payload == statement(read_manifest(bundle))
    for key in (CURATOR, ARCHIVE):  # under the very name that the library gives a key
        own = SSlibKey.from_crypto(key.public_key())
        assert own.keyid in envelope.verify([own], 1)
    with pytest.raises(VerificationError):
        envelope.verify([SSlibKey.from_crypto(STRANGER.public_key())], 1)
    envelope.payload += b" "
    with pytest.raises(VerificationError):
        envelope.verify([SSlibKey.from_crypto(CURATOR.public_key())], 1)


def test_we_verify_the_signature_of_an_independent_implementation(bundle: Path) -> None:
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner

    payload = json.dumps(json.loads(statement(read_manifest(bundle)))).encode()  # its own form of the JSON
    envelope = Envelope(payload, "application/vnd.in-toto+json", {})
    envelope.sign(CryptoSigner(ARCHIVE))
    signature_file(bundle).write_text(json.dumps(envelope.to_dict()))
    assert synthrelease.verify(bundle, signed.public(bundle.parent, ARCHIVE)).ok
    assert not synthrelease.verify(bundle, signed.public(bundle.parent, CURATOR), quick=True).ok


def recipe(language: str) -> str:
    """What the page says to whoever has other tools, word for word."""
    (found,) = re.findall(
        rf"^```{language}\n(.*?)^```",
        PAGE.read_text("utf-8").split("## By other tools")[1],  # not a sentence: a heading of the page
        re.MULTILINE | re.DOTALL,
    )
    return found


@pytest.mark.quick("dash")
@pytest.mark.parametrize("shell", ["bash", "dash"])
def test_the_commands_of_the_page_verify_what_is_signed(bundle: Path, shell: str) -> None:
    for name in {shell, *programs_in(recipe("sh"))} - {"bash"}:
        program(name)

    def told(key: Any) -> list[str]:
        signed.public(bundle.parent, key, "archive.pub")
        command = [shell, "-c", recipe("sh")]
        done = subprocess.run(command, cwd=bundle.parent, capture_output=True, text=True, check=False)
        assert "rror" not in done.stderr
        return done.stdout.splitlines()

    sign(bundle, ARCHIVE)
    assert told(ARCHIVE) == ["Signature Verified Successfully", "manifest.json: OK"]
    assert told(STRANGER)[0] == "Signature Verification Failure"
    envelope = signed.envelope(bundle)
    forge(bundle, lambda manifest: manifest["release"].update(title="Another title"))
    signed.put(bundle, envelope)
    assert told(ARCHIVE) == ["Signature Verified Successfully", "manifest.json: FAILED"]


@pytest.mark.thorough
def test_the_program_of_the_page_verifies_what_is_signed(bundle: Path) -> None:
    sign(bundle, CURATOR)
    sign(bundle, ARCHIVE)
    (bundle.parent / "envelope.json").write_bytes(signed.envelope(bundle))
    for key, code in ((ARCHIVE, 0), (CURATOR, 0), (STRANGER, 1)):
        signed.public(bundle.parent, key, "archive.pub")
        command = [sys.executable, "-c", recipe("python")]
        done = subprocess.run(command, cwd=bundle.parent, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        assert ("VerificationError" in done.stderr) == bool(code)
