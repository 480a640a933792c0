"""Signing: the content stays, the signature is one that public tools verify, and whoever signed before stays."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest
import signed
from click.testing import CliRunner, Result
from refusals import refused
from signed import ARCHIVE, CURATOR, STRANGER

import synthrelease
from synthrelease.bundle.signing import sign as signing
from synthrelease.bundle.signing.expectations import signature_file
from synthrelease.bundle.signing.keys import key_id
from synthrelease.bundle.signing.sign import sign
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.bundle.strict_json import to_bytes
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
    assert any(key_id(CURATOR.public_key())[:12] in one for one in full.checked)
    assert synthrelease.open_bundle(bundle).manifest == before["manifest"]


@pytest.mark.thorough
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


@pytest.mark.thorough
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
    for raw, code in ((b"mine", "not-a-signature"), (signed.resigned(b"{}", CURATOR), "other-statement")):
        beside.write_bytes(raw)
        with refused(BundleError, code, where=beside):
            sign(bundle, CURATOR, detached=True)
        assert beside.read_bytes() == raw


@pytest.mark.thorough
def test_no_one_signs_what_someone_else_has_written(bundle: Path) -> None:
    """A statement of this very manifest, with more in it: who adds a signature to it would stand by that, too."""
    beside = signature_file(bundle)
    sign(bundle, CURATOR, detached=True)
    for change in (
        lambda s: s["predicate"].update(approved="by the board"),
        lambda s: s["subject"][0]["digest"].update(sha512="0" * 128),
    ):
        raw = signed.restated(beside.read_bytes(), change, STRANGER)
        beside.write_bytes(raw)
        assert synthrelease.verify(bundle, signed.public(bundle.parent, STRANGER), quick=True).ok
        with refused(BundleError, "other-statement", where=beside):
            sign(bundle, ARCHIVE, detached=True)
        assert beside.read_bytes() == raw
        beside.unlink()
        sign(bundle, CURATOR, detached=True)


@pytest.mark.quick("True")
@pytest.mark.parametrize("detached", [False, True])
def test_beyond_16_signatures_there_is_no_room(bundle: Path, *, detached: bool) -> None:
    written = sign(bundle, CURATOR, detached=detached)
    envelope = json.loads(written.read_bytes() if detached else signed.envelope(bundle))
    one = envelope["signatures"][0]
    envelope["signatures"] = [{**one, "keyid": f"{n:064x}"} for n in range(16)]
    if detached:
        written.write_bytes(to_bytes(envelope))
    else:
        signed.put(bundle, to_bytes(envelope))
    before = written.read_bytes()
    with refused(BundleError, "too-many-signatures", where=written) as caught:
        sign(bundle, ARCHIVE, detached=detached)
    assert caught.value.found == "16"
    assert written.read_bytes() == before
    assert synthrelease.verify(bundle, signed.public(bundle.parent, CURATOR), quick=True).ok


@pytest.mark.quick("True")
@pytest.mark.parametrize("detached", [False, True])
def test_who_may_write_it_may_still(bundle: Path, monkeypatch: pytest.MonkeyPatch, *, detached: bool) -> None:
    """In a folder that several share the mask of whoever signs is not what counts."""
    written = sign(bundle, CURATOR, detached=detached)
    written.chmod(0o664)
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr("os.fchown", lambda _, owner, group: asked.append((owner, group)))
    before = os.umask(0o077)
    try:
        sign(bundle, ARCHIVE, detached=detached)
    finally:
        os.umask(before)
    found = written.stat()
    assert stat.S_IMODE(found.st_mode) == 0o664
    assert asked == [(-1, found.st_gid), (found.st_uid, -1)]


def test_a_link_stays_one(bundle: Path) -> None:
    link = bundle.with_name("link.h5")
    link.symlink_to(bundle.name)
    sign(link, CURATOR)
    assert link.is_symlink()
    assert synthrelease.verify(bundle, signed.public(bundle.parent, CURATOR), quick=True).ok


def test_what_no_one_can_stand_by_is_not_signed(bundle: Path, study: Any) -> None:
    seeded = synthrelease.build(study.plan, study.folder / "seeded.h5", test_seed=1).path
    before = seeded.read_bytes()
    with refused(PolicyError, "signing-test-seed", where=seeded):
        sign(seeded, CURATOR)
    assert seeded.read_bytes() == before
    raw = bytearray(bundle.read_bytes())
    raw[-100] ^= 1
    bundle.write_bytes(raw)
    with refused(BundleError, "bundle-invalid", where=bundle):
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
    with refused(BundleError, "changed-while-signing", where=bundle):
        sign(bundle, CURATOR)
    assert bundle.read_bytes() == other.read_bytes()
    assert not list(bundle.parent.glob(".*partial"))


def test_a_statement_that_is_put_there_meanwhile_is_not_signed(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign(bundle, STRANGER)
    evil = signed.restated(signed.envelope(bundle), lambda s: s["predicate"].update(approved=True), STRANGER)
    whole = signing.verify

    def changing(path: Path, **options: Any) -> Any:
        found = whole(path, **options)
        if path == bundle:
            signed.put(bundle, evil)
        return found

    told: list[bytes] = []

    class Watched:
        def public_key(self) -> Any:
            return CURATOR.public_key()

        def sign(self, data: bytes) -> bytes:
            told.append(data)
            return CURATOR.sign(data)

    monkeypatch.setattr(signing, "verify", changing)
    with refused(BundleError, "changed-while-signing", where=bundle):
        sign(bundle, Watched())  # type: ignore[arg-type]
    assert told == []


@pytest.mark.parametrize("gone", [False, True])
def test_a_bundle_that_is_replaced_meanwhile_stays(
    bundle: Path, bundle_bytes: bytes, monkeypatch: pytest.MonkeyPatch, *, gone: bool
) -> None:
    """A build with --force may end just now."""
    new, whole = bundle_bytes + b"new", signing.verify

    def replacing(path: Path, **options: Any) -> Any:
        found = whole(path, **options)
        if gone:
            bundle.unlink()
        elif path != bundle:
            bundle.with_name("new").write_bytes(new)
            bundle.with_name("new").replace(bundle)
        return found

    monkeypatch.setattr(signing, "verify", replacing)
    with refused(BundleError, "changed-while-signing", where=bundle):
        sign(bundle, CURATOR)
    assert [one.read_bytes() for one in bundle.parent.iterdir()] == [new] * (not gone)


def test_a_full_disk_leaves_the_bundle(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = bundle.read_bytes()

    def full(path: Path, *_: object, **__: object) -> None:
        path.write_bytes(b"half")
        raise MachineError("cannot-write", "the file cannot be written", where=str(path))

    monkeypatch.setattr(signing, "write_bundle", full)
    with pytest.raises(MachineError):
        sign(bundle, CURATOR)
    assert bundle.read_bytes() == before
    assert [one.name for one in bundle.parent.iterdir()] == ["release.h5"]
