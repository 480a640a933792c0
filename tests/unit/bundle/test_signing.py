"""Signing: the content stays, the signature is one that public tools verify, and whoever signed before stays."""

from __future__ import annotations

import base64
import json
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
import signed
from click.testing import CliRunner, Result
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from forging import read_manifest
from signed import ARCHIVE, CURATOR, STRANGER

import synthrelease
from synthrelease.bundle.bundle_file import BundleFile
from synthrelease.bundle.signing import sign as signing
from synthrelease.bundle.signing.asked import signature_file
from synthrelease.bundle.signing.keys import KeyFileError, PasswordNeededError, key_id, made_key, private_key
from synthrelease.bundle.signing.sign import sign
from synthrelease.bundle.signing.statement import statement
from synthrelease.cli import main
from synthrelease.errors import BundleError, MachineError, PolicyError


def run(*arguments: object, said: str | None = None) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments], input=said)


def content(path: Path) -> dict[str, Any]:
    with BundleFile(path) as file:
        arrays = {name: file.array(name).tobytes() for name in file.dataset_paths()}
        return {"arrays": arrays, "groups": file.anatomy.groups, "manifest": file.manifest()}


def test_what_is_signed_has_the_same_content(bundle: Path) -> None:
    before = content(bundle)
    bundle.chmod(0o640)
    assert sign(bundle, CURATOR) == bundle
    assert content(bundle) == before
    assert stat.S_IMODE(bundle.stat().st_mode) == 0o640
    assert [one.name for one in bundle.parent.iterdir()] == ["release.h5"]
    full = synthrelease.verify(bundle, signed.public(bundle.parent, CURATOR))
    assert full.ok
    assert any("the signature by" in one for one in full.checked)
    assert synthrelease.open_bundle(bundle).manifest == before["manifest"]


def test_signing_twice_is_signing_once_and_several_may_sign(bundle: Path) -> None:
    sign(bundle, CURATOR)
    once = bundle.read_bytes()
    sign(bundle, CURATOR)
    assert bundle.read_bytes() == once
    sign(bundle, ARCHIVE)
    ids = sorted(key_id(key.public_key()) for key in (CURATOR, ARCHIVE))
    for key in (CURATOR, ARCHIVE):
        found = synthrelease.verify(bundle, signed.public(bundle.parent, key), quick=True)
        assert found.ok
        assert found.signed_by == ids
    assert not synthrelease.verify(bundle, signed.public(bundle.parent, STRANGER), quick=True).ok


def test_a_signature_beside_leaves_the_bundle_alone(bundle: Path) -> None:
    before = bundle.read_bytes()
    beside = sign(bundle, CURATOR, detached=True)
    assert beside == signature_file(bundle)
    assert beside.name == "release.signature.json"
    sign(bundle, ARCHIVE, detached=True)
    assert bundle.read_bytes() == before
    for key in (CURATOR, ARCHIVE):
        assert synthrelease.verify(bundle, signed.public(bundle.parent, key), quick=True).ok
    sign(bundle, STRANGER)  # the same manifest: what is beside holds for it, too
    for key in (CURATOR, ARCHIVE, STRANGER):
        assert synthrelease.verify(bundle, signed.public(bundle.parent, key), quick=True).ok


def test_what_is_beside_and_no_signature_is_not_replaced(bundle: Path) -> None:
    beside = signature_file(bundle)
    for raw in (b"mine", signed.resigned(b"{}", CURATOR)):
        beside.write_bytes(raw)
        with pytest.raises(BundleError, match="no signature of this bundle"):
            sign(bundle, CURATOR, detached=True)
        assert beside.read_bytes() == raw


def test_a_link_stays_one(bundle: Path) -> None:
    link = bundle.with_name("link.h5")
    link.symlink_to(bundle.name)
    sign(link, CURATOR)
    assert link.is_symlink()
    assert synthrelease.verify(bundle, signed.public(bundle.parent, CURATOR), quick=True).ok


def test_what_nobody_can_stand_by_is_not_signed(bundle: Path, study: Any) -> None:
    seeded = synthrelease.build(study.plan, study.folder / "seeded.h5", test_seed=1).path
    before = seeded.read_bytes()
    with pytest.raises(PolicyError, match="can be repeated"):
        sign(seeded, CURATOR)
    assert seeded.read_bytes() == before
    raw = bytearray(bundle.read_bytes())
    raw[-100] ^= 1
    bundle.write_bytes(raw)
    with pytest.raises(BundleError, match="with faults is not signed"):
        sign(bundle, CURATOR)
    assert bundle.read_bytes() == bytes(raw)


def test_a_bundle_that_changes_meanwhile_is_not_signed(
    bundle: Path, study: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = synthrelease.build(study.plan, study.folder / "other.h5").path
    whole = signing.verify

    def changing(path: Path, **options: Any) -> Any:
        found = whole(path, **options)
        if path == bundle:
            shutil.copy(other, bundle)
        return found

    monkeypatch.setattr(signing, "verify", changing)
    with pytest.raises(BundleError, match="changed while it was signed"):
        sign(bundle, CURATOR)
    assert bundle.read_bytes() == other.read_bytes()
    assert not list(bundle.parent.glob(".*partial"))


def test_a_full_disk_leaves_the_bundle(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = bundle.read_bytes()

    def full(path: Path, *_: object, **__: object) -> None:
        path.write_bytes(b"half")
        raise MachineError("the file cannot be written", where=str(path))

    monkeypatch.setattr(signing, "write_bundle", full)
    with pytest.raises(MachineError):
        sign(bundle, CURATOR)
    assert bundle.read_bytes() == before
    assert [one.name for one in bundle.parent.iterdir()] == ["release.h5"]


# Independent implementations, both ways


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


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl")
def test_openssl_verifies_what_is_signed(bundle: Path, tmp_path: Path) -> None:
    sign(bundle, CURATOR)
    document = json.loads(signed.envelope(bundle))
    payload, kind = base64.b64decode(document["payload"]), document["payloadType"]
    (tmp_path / "told").write_bytes(f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload)
    (tmp_path / "sig").write_bytes(base64.b64decode(document["signatures"][0]["sig"]))
    for key, code in ((CURATOR, 0), (STRANGER, 1)):
        public = signed.public(tmp_path, key)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin"]
        done = subprocess.run(
            [*command, "-in", tmp_path / "told", "-sigfile", tmp_path / "sig"],
            capture_output=True,
            check=False,
        )
        assert done.returncode == code


# Keys and commands


def test_from_a_pair_of_keys_to_a_checked_signature(bundle: Path, tmp_path: Path) -> None:
    key = tmp_path / "keys" / "archive"
    key.parent.mkdir()
    made = run("keygen", "-o", key, said="secret\nsecret\n")
    assert made.exit_code == 0, made.output
    assert "secret" not in made.output
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert b"ENCRYPTED" in key.read_bytes()
    public = key.with_name("archive.pub")
    name = key_id(load_pem_public_key(public.read_bytes()))
    assert name in made.output
    assert run("verify", bundle, "--public-key", public).exit_code == 1
    done = run("sign", bundle, "--key", key, said="secret\n")
    assert done.exit_code == 0, done.output
    assert name in done.output
    checked = run("verify", bundle, "--public-key", public)
    assert checked.exit_code == 0
    assert f"the signature by {public} ({name[:12]})" in checked.output
    told = run("verify", bundle)
    assert told.exit_code == 0
    assert f"Signed     by {name[:12]}, as it says: --public-key KEY.pub checks it" in told.output
    document = json.loads(run("verify", bundle, "--json").stdout)
    assert document["signed_by"] == [name]


def test_passwords(bundle: Path, tmp_path: Path) -> None:
    key, secret = tmp_path / "k", tmp_path / "secret"
    assert run("keygen", "-o", key, said="one\nother\n\n").exit_code != 0
    assert not key.exists()
    secret.write_text("a long one\nand no more\n")
    assert run("keygen", "-o", key, "--password-file", secret).exit_code == 0
    wrong = run("sign", bundle, "--key", key, said="another\n")
    assert wrong.exit_code == 3
    assert "the password is another one" in wrong.output
    assert "another\n" not in wrong.output.replace("another one", "")
    assert run("sign", bundle, "--key", key, "--password-file", secret, "--detached").exit_code == 0
    bare = tmp_path / "bare"
    assert run("keygen", "-o", bare, "--no-password").exit_code == 0
    assert run("sign", bundle, "--key", bare).exit_code == 0
    needless = run("sign", bundle, "--key", bare, "--password-file", secret)
    assert needless.exit_code == 3
    assert "the key is not encrypted" in needless.output
    assert run("keygen", "-o", tmp_path / "n", "--no-password", "--password-file", secret).exit_code == 2
    (tmp_path / "empty").write_text("\n")
    assert run("keygen", "-o", tmp_path / "n", "--password-file", tmp_path / "empty").exit_code == 2


def test_where_nobody_can_be_asked_it_says_what_else_there_is(bundle: Path, tmp_path: Path) -> None:
    asked = run("keygen", "-o", tmp_path / "k", said="")
    assert asked.exit_code == 2
    assert "--password-file, or --no-password" in asked.output
    assert not (tmp_path / "k").exists()
    (tmp_path / "secret").write_text("secret\n")
    assert run("keygen", "-o", tmp_path / "k", "--password-file", tmp_path / "secret").exit_code == 0
    asked = run("sign", bundle, "--key", tmp_path / "k", said="")
    assert asked.exit_code == 2
    assert "--password-file." in asked.output


def test_no_key_is_replaced(tmp_path: Path) -> None:
    key = tmp_path / "k"
    for name in ("k", "k.pub"):
        (tmp_path / name).write_text("mine")
        assert run("keygen", "-o", key, "--no-password").exit_code == 6
        assert (tmp_path / name).read_text() == "mine"
        (tmp_path / name).unlink()
    assert run("keygen", "-o", tmp_path / "none" / "k", "--no-password").exit_code == 6


@pytest.mark.parametrize("name", ["none", "folder", "public", "text", "damaged"])
def test_what_is_no_private_key_is_refused(bundle: Path, tmp_path: Path, name: str) -> None:
    private, public = made_key(None)
    (tmp_path / "folder").mkdir()
    (tmp_path / "public").write_bytes(public)
    (tmp_path / "text").write_text("hello")
    (tmp_path / "damaged").write_bytes(private.replace(b"MC4", b"MC5"))
    before = bundle.read_bytes()
    done = run("sign", bundle, "--key", tmp_path / name)
    assert done.exit_code == 3, done.output
    assert str(tmp_path / name) in done.output
    assert "Traceback" not in done.output
    assert bundle.read_bytes() == before


def test_keys_of_other_kinds_are_refused() -> None:
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    for key in (rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1())):
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        with pytest.raises(KeyFileError, match="of another kind"):
            private_key(pem, None, where="k")
    private, _ = made_key(b"secret")
    with pytest.raises(PasswordNeededError):
        private_key(private, None, where="k")


def test_refusals_of_sign_have_their_codes(study: Any, tmp_path: Path) -> None:
    assert run("keygen", "-o", tmp_path / "k", "--no-password").exit_code == 0
    seeded = synthrelease.build(study.plan, study.folder / "seeded.h5", test_seed=1).path
    assert run("sign", seeded, "--key", tmp_path / "k").exit_code == 4
    assert run("sign", tmp_path / "none.h5", "--key", tmp_path / "k").exit_code == 1
    (tmp_path / "text.h5").write_text("no bundle")
    assert run("sign", tmp_path / "text.h5", "--key", tmp_path / "k").exit_code == 1
