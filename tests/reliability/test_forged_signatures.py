"""Signatures that a forger puts into a bundle, or beside it: each refused, although the file is sealed again."""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import signed
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa, x25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from forging import forge, read_manifest
from goldens import check_text
from refusals import refused
from signed import ARCHIVE, CURATOR, STRANGER

import synthrelease
from synthrelease.bundle import reseal, verify
from synthrelease.bundle.examination import examine
from synthrelease.bundle.finding import Finding
from synthrelease.bundle.layout import SIGNATURE
from synthrelease.bundle.signing.envelope import embedded_fault, envelope_of
from synthrelease.bundle.signing.expectations import signature_file
from synthrelease.bundle.signing.keys import KeyFileError
from synthrelease.bundle.signing.sign import sign
from synthrelease.bundle.signing.statement import statement, statement_fault
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.bundle.strict_json import to_bytes


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory, bundle_bytes: bytes) -> Path:
    """A bundle that the curator signed."""
    path = tmp_path_factory.mktemp("signed") / "release.h5"
    path.write_bytes(bundle_bytes)
    sign(path, CURATOR)
    return path


@pytest.fixture
def bundle(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(original, tmp_path / "release.h5"))


def faults(path: Path, key: Any = CURATOR) -> list[Finding]:
    """What is found of signatures, and nothing else may be found."""
    public = signed.public(path.parent, key)
    found = synthrelease.verify(path, public, quick=True)
    assert {one.code for one in found.findings} <= {"signature"}, found.findings
    assert any(_id(key)[:12] in one for one in found.checked) == found.ok
    return found.findings


def test_the_signed_bundle_has_no_fault(bundle: Path) -> None:
    assert faults(bundle) == []
    signed.put(bundle, signed.envelope(bundle))
    assert faults(bundle) == []


def signatures(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], object]:
    return lambda document: change(document["signatures"][0])


def flipped(text: str) -> str:
    raw = bytearray(base64.b64decode(text))
    raw[5] ^= 1
    return base64.b64encode(raw).decode()


def rest_changed(text: str) -> str:
    """Base64 of the same bytes, with a bit where no byte is."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return f"{text[:-3]}{letters[letters.index(text[-3]) + 1]}=="


def many(document: dict[str, Any]) -> None:
    own = document["signatures"][0]
    document["signatures"] = [{**own, "keyid": f"{n:064x}"} for n in range(17)]


EDITED: dict[str, Callable[[dict[str, Any]], object]] = {
    "a bit of the signature": signatures(lambda s: s.update(sig=flipped(s["sig"]))),
    "another key's name": signatures(lambda s: s.update(keyid="0" * 64)),
    "a bit of the payload": lambda d: d.update(payload=flipped(d["payload"])),
    "another type of payload": lambda d: d.update(payloadType="application/json"),
    "no type of payload": lambda d: d.pop("payloadType"),
    "no signatures": lambda d: d.update(signatures=[]),
    "signatures that are no list": lambda d: d.update(signatures={}),
    "a signature that is no object": lambda d: d.update(signatures=["sig"]),
    "17 signatures": many,
    "one signature twice": lambda d: d.update(signatures=d["signatures"] * 2),
    "a short signature": signatures(lambda s: s.update(sig=s["sig"][:-8])),
    "an empty signature": signatures(lambda s: s.update(sig="")),
    "a name that is no key's": signatures(lambda s: s.update(keyid="alg: none")),
    "an algorithm": signatures(lambda s: s.update(alg="none")),
    "more than an envelope has": lambda d: d.update(hidden="whatever"),
    "text that is not base64": lambda d: d.update(payload="?" + d["payload"][1:]),
    "other last bits of base64": signatures(lambda s: s.update(sig=rest_changed(s["sig"]))),
    "a payload that is a number": lambda d: d.update(payload=1234),
    "base64 of the other alphabet": signatures(lambda s: s.update(sig=base64.urlsafe_b64encode(b"\xff" * 64).decode())),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITED)
def test_an_envelope_that_was_changed(bundle: Path, name: str) -> None:
    raw = signed.edited(signed.envelope(bundle), EDITED[name])
    signed.put(bundle, raw)
    if name == "another key's name":  # not a sentence: a case; this is a hint, and not signed
        assert faults(bundle) == []
        return
    (found,) = faults(bundle)
    if name == "a bit of the signature":  # not a sentence: a case
        assert (found.where, embedded_fault(raw, statement(read_manifest(bundle)))) == (_key_of(bundle), "")
    else:
        assert found == _finding_inside(bundle, raw)


def _key_of(bundle: Path) -> str:
    return str(bundle.parent / "key.pub")


def _finding_inside(bundle: Path, raw: bytes) -> Finding:
    """What is to be found of an envelope in a bundle."""
    why = embedded_fault(raw, statement(read_manifest(bundle)))
    assert why
    return Finding("signature", SIGNATURE, why)


RAW: dict[str, Callable[[bytes], bytes]] = {
    "a key twice": lambda raw: raw.replace(b'"payloadType"', b'"payload": "", "payloadType"', 1),
    "NaN": lambda raw: raw.replace(b'"payloadType"', b'"n": NaN, "payloadType"', 1),
    "a number without end": lambda raw: raw.replace(b'"payloadType"', b'"n": 1e999, "payloadType"', 1),
    "half a character": lambda raw: raw.replace(b'"payloadType"', b'"n": "\\ud800", "payloadType"', 1),
    "a mark of byte order": lambda raw: b"\xef\xbb\xbf" + raw,
    "a depth without end": lambda raw: raw.replace(b'"payloadType"', b'"n": ' + b"[" * 50_000 + b"]" * 50_000 + b', "payloadType"', 1),
    "no JSON": lambda raw: raw[:-5],
    "another encoding": lambda raw: raw.decode().encode("utf-16"),
    "a list": lambda raw: b"[" + raw + b"]",
    "a blank behind": lambda raw: raw + b" ",
    "another order": lambda raw: json.dumps(dict(reversed(json.loads(raw).items())), indent=2).encode() + b"\n",
    "too much": lambda raw: raw + b" " * (1 << 18),
}  # fmt: skip


@pytest.mark.parametrize("name", RAW)
def test_an_envelope_that_says_two_things_or_none(bundle: Path, name: str) -> None:
    raw = RAW[name](signed.envelope(bundle))
    signed.put(bundle, raw)
    assert faults(bundle) == [_finding_inside(bundle, raw)]


RESTATED: dict[str, Callable[[dict[str, Any]], object]] = {
    "another digest": lambda s: s["subject"][0]["digest"].update(sha256="0" * 64),
    "another algorithm": lambda s: s["subject"][0].update(digest={"sha1": "0" * 40}),
    "two subjects": lambda s: s["subject"].append(s["subject"][0]),
    "two subjects, one of nothing": lambda s: s["subject"].append({"name": "nothing"}),
    "two subjects, one of them none": lambda s: s["subject"].append("none"),
    "no subject": lambda s: s.update(subject=[]),
    "another kind of statement": lambda s: s.update(_type="https://in-toto.io/Statement/v0.1"),
    "another predicate": lambda s: s.update(predicateType="https://slsa.dev/provenance/v1"),
    "another release": lambda s: s["predicate"].update(purl="pkg:generic/other@1.0.0"),
    "no predicate": lambda s: s.pop("predicate"),
}


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("name", RESTATED)
def test_a_statement_about_something_else_is_refused_although_it_is_truly_signed(
    bundle: Path, bundle_bytes: bytes, name: str, *, beside: bool
) -> None:
    raw = signed.restated(signed.envelope(bundle), RESTATED[name])
    if beside:
        bundle.write_bytes(bundle_bytes)
        signature_file(bundle).write_bytes(raw)
        why = statement_fault(envelope_of(raw).payload, read_manifest(bundle))
        assert faults(bundle) == [Finding("signature", str(signature_file(bundle)), why)]
    else:
        signed.put(bundle, raw)
        assert faults(bundle) == [_other_statement(bundle)]


def _other_statement(bundle: Path) -> Finding:
    """What is to be found of an envelope of the right form about something else."""
    return _finding_inside(bundle, signed.resigned(to_bytes({}), CURATOR))


def test_what_is_said_of_envelopes(bundle: Path) -> None:
    raw, manifest = signed.envelope(bundle), read_manifest(bundle)
    made = {
        **{name: signed.edited(raw, change) for name, change in EDITED.items()},
        **{name: change(raw) for name, change in RAW.items()},
        "a statement about something else": signed.resigned(to_bytes({}), CURATOR),
    }
    said = {name: embedded_fault(one, statement(manifest)) for name, one in made.items()}
    for name, change in RESTATED.items():
        payload = envelope_of(signed.restated(raw, change)).payload
        said[f"beside: {name}"] = statement_fault(payload, manifest)
    check_text("signatures/envelopes", "\n".join(f"{name}: {why or '-'}" for name, why in said.items()))


def test_a_signature_of_another_bundle(bundle: Path, study: Any, tmp_path: Path) -> None:
    other = synthrelease.build(study.plan, tmp_path / "other.h5").path
    sign(other, CURATOR)
    signed.put(bundle, signed.envelope(other))
    assert faults(bundle) == [_other_statement(bundle)]


def test_a_manifest_that_was_changed_after_it_was_signed(bundle: Path) -> None:
    forge(bundle, lambda manifest: manifest["release"].update(title="Another title"))
    assert read_manifest(bundle)["release"]["title"] == "Another title"  # not a sentence: a title
    assert faults(bundle) == [_other_statement(bundle)]


def test_values_that_were_changed_after_they_were_signed(bundle: Path) -> None:
    import h5py

    with h5py.File(bundle, "r+") as file:
        names: list[str] = []
        file["/outputs"].visit(
            lambda name: names.append(name) if isinstance(file[f"/outputs/{name}"], h5py.Dataset) else None
        )
        file[f"/outputs/{names[0]}"][...] += 1
    reseal(bundle)  # with the digests of other values: another manifest
    public = signed.public(bundle.parent, CURATOR)
    assert "signature" in {one.code for one in synthrelease.verify(bundle, public, quick=True).findings}


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.int16),
        np.zeros((4, 4), dtype=np.uint8),
        np.arange(8, dtype=np.float32),
    ],
)
def test_a_signature_that_is_no_row_of_bytes(bundle: Path, array: Any) -> None:
    signed.put(bundle, array)
    (found,) = faults(bundle)
    assert found.where == SIGNATURE
    check_text("signatures/no-bytes", found.message)


def test_wrong_keys(bundle: Path) -> None:
    (found,) = faults(bundle, STRANGER)
    assert (found.where, _id(CURATOR)[:12] in found.message) == (_key_of(bundle), True)
    signed.put(
        bundle, signed.edited(signed.envelope(bundle), signatures(lambda s: s.update(keyid=_id(STRANGER))))
    )
    (other,) = faults(bundle, STRANGER)
    assert other.where == _key_of(bundle)
    says = {"by another key": found.message, "by this key, and is not": other.message}
    text = "\n".join(f"{name}: {message}" for name, message in says.items())
    check_text("signatures/keys", text, folder=bundle.parent)


def _id(key: Any) -> str:
    from synthrelease.bundle.signing.keys import key_id

    return key_id(key.public_key())


def _pem(key: Any) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _point(raw: bytes) -> bytes:
    return signed.public_pem(ed25519.Ed25519PublicKey.from_public_bytes(raw))


_ORDER_8 = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
KEYS: dict[str, tuple[Callable[[], bytes], str]] = {
    "RSA": (lambda: _pem(rsa.generate_private_key(65537, 2048)), "key-of-other-kind"),
    "elliptic curve": (lambda: _pem(ec.generate_private_key(ec.SECP256R1())), "key-of-other-kind"),
    "ed448": (lambda: _pem(ed448.Ed448PrivateKey.generate()), "key-of-other-kind"),
    "x25519": (lambda: _pem(x25519.X25519PrivateKey.generate()), "key-of-other-kind"),
    "the private key": (
        lambda: CURATOR.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        "private-key-as-public",
    ),
    "two keys": (lambda: _pem(CURATOR) + _pem(STRANGER), "several-keys"),
    "the neutral point": (lambda: _point((1).to_bytes(32, "little")), "key-without-secret"),
    "the neutral point, not reduced": (
        lambda: _point((2**255 - 18).to_bytes(32, "little")),
        "key-without-secret",
    ),
    "a point of order 2": (lambda: _point((2**255 - 20).to_bytes(32, "little")), "key-without-secret"),
    "a point of order 4": (lambda: _point(bytes(31) + b"\x80"), "key-without-secret"),
    "a point of order 8": (lambda: _point(bytes.fromhex(_ORDER_8)), "key-without-secret"),
    "its bare bytes": (lambda: CURATOR.public_key().public_bytes_raw(), "not-a-public-key"),
    "nothing": (lambda: b"", "not-a-public-key"),
    "half a key": (lambda: _pem(CURATOR)[:60], "not-a-public-key"),
    "too much": (lambda: _pem(CURATOR) + b"\n" * (1 << 15), "file-too-large"),
}


@pytest.mark.parametrize("name", KEYS)
def test_what_is_no_ed25519_key_verifies_nothing(bundle: Path, name: str, tmp_path: Path) -> None:
    make, code = KEYS[name]
    path = tmp_path / "other.pub"
    path.write_bytes(make())
    with refused(KeyFileError, code, where=path) as told:
        synthrelease.verify(bundle, path, quick=True)
    assert isinstance(told.value, synthrelease.InputError)
    assert told.value.remedy


def test_a_key_that_cannot_be_read_is_no_fault_of_the_bundle(bundle: Path, tmp_path: Path) -> None:
    codes = {"no-such-file": tmp_path / "none.pub", "path-is-folder": tmp_path, "bad-path": Path("a\0b")}
    for code, path in codes.items():
        with refused(KeyFileError, code):
            synthrelease.verify(bundle, path, quick=True)


def test_a_signature_beside_is_as_strict(bundle: Path, bundle_bytes: bytes) -> None:
    raw = signed.envelope(bundle)
    bundle.write_bytes(bundle_bytes)
    beside = signature_file(bundle)
    (found,) = faults(bundle)
    assert found.where == ""  # neither in the bundle nor beside it
    beside.write_bytes(raw)
    assert faults(bundle) == []
    # Others may write JSON as they like, in either alphabet, and say more: the protocol asks readers to bear it.
    document = json.loads(raw)
    document["signatures"][0]["sig"] = document["signatures"][0]["sig"].replace("+", "-").replace("/", "_")
    beside.write_text(json.dumps({**document, "more": 1}))
    assert faults(bundle) == []
    for name, change in RAW.items():
        if name not in ("a blank behind", "another order"):  # not a sentence: cases
            beside.write_bytes(change(raw))
            assert faults(bundle), name
    for name in (
        "a bit of the signature",
        "a bit of the payload",
        "another type of payload",
        "no signatures",
    ):
        beside.write_bytes(signed.edited(raw, EDITED[name]))
        assert faults(bundle), name
    beside.write_bytes(signed.resigned(to_bytes({}), CURATOR))
    assert faults(bundle)


@pytest.mark.parametrize("kind", ["folder", "pipe", "loop"])
def test_a_signature_beside_that_cannot_be_read_is_found_and_not_waited_for(bundle: Path, kind: str) -> None:
    beside = signature_file(bundle)
    make: dict[str, Callable[[], object]] = {
        "folder": beside.mkdir,
        "pipe": lambda: os.mkfifo(beside),
        "loop": lambda: beside.symlink_to(beside.name),
    }
    make[kind]()
    (found,) = faults(bundle)
    assert found.where == str(beside)
    with refused(synthrelease.errors.MachineError, "cannot-read", where=beside):
        sign(bundle, CURATOR, detached=True)


def test_names_of_keys_that_cannot_be_shown_are_not(bundle: Path) -> None:
    change = signatures(lambda s: s.update(keyid="\x9b31m\u202e"))
    signature_file(bundle).write_bytes(signed.edited(signed.envelope(bundle), change))
    found = synthrelease.verify(bundle, signed.public(bundle.parent, CURATOR), quick=True)
    assert found.ok
    assert found.signed_by == ["", _id(CURATOR)]


def test_a_small_order_key_cannot_stand_for_someone(
    bundle: Path, bundle_bytes: bytes, tmp_path: Path
) -> None:
    """Signatures by it are made of constants, without any secret."""
    bundle.write_bytes(bundle_bytes)
    payload = statement(read_manifest(bundle))
    neutral = (1).to_bytes(32, "little")
    sig = base64.b64encode(neutral + bytes(32)).decode()
    envelope = json.loads(signed.resigned(payload, STRANGER))
    envelope["signatures"] = [{"keyid": "0" * 64, "sig": sig}]
    signed.put(bundle, to_bytes(envelope))
    key = tmp_path / "neutral.pub"
    key.write_bytes(_point(neutral))
    with refused(KeyFileError, "key-without-secret", where=key):
        synthrelease.verify(bundle, key, quick=True)


def test_of_a_signature_that_is_too_large_nothing_is_unpacked(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed.put(bundle, np.zeros(1 << 19, dtype=np.uint8))
    whole, read = BundleFile.array, []
    monkeypatch.setattr(BundleFile, "array", lambda file, path: read.append(path) or whole(file, path))
    found = examine(bundle, quick=True)
    assert found.findings == [Finding("signature", SIGNATURE, embedded_fault(bytes(1 << 19), b""))]
    assert read == ["/manifest"]


@pytest.mark.parametrize("path", ["/", ".", ""])
def test_what_has_no_name_has_no_signature_beside(bundle: Path, path: str) -> None:
    found = verify(path, signed.public(bundle.parent, CURATOR))
    assert [one.code for one in found.findings] == ["unreadable"]


def test_a_signature_beside_does_not_excuse_one_inside(bundle: Path) -> None:
    raw = signed.envelope(bundle)
    signature_file(bundle).write_bytes(raw)
    signed.put(bundle, signed.edited(raw, EDITED["a bit of the payload"]))
    assert faults(bundle)


def test_without_a_key_the_form_is_checked_all_the_same(bundle: Path) -> None:
    found = synthrelease.verify(bundle, quick=True)
    assert found.ok
    assert found.signed_by == [_id(CURATOR)]
    assert not any("signature" in one for one in found.checked)
    signed.put(bundle, signed.edited(signed.envelope(bundle), EDITED["more than an envelope has"]))
    assert not synthrelease.verify(bundle, quick=True).ok
    sign_again = Path(shutil.copy(bundle, bundle.with_name("again.h5")))
    with pytest.raises(synthrelease.errors.BundleError):
        sign(sign_again, ARCHIVE)
