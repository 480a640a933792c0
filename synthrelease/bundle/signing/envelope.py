"""DSSE envelopes (Dead Simple Signing Envelope, protocol 1.0.2): a payload, what it is, and who signed both together."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from synthrelease.bundle import strict_json
from synthrelease.bundle.signing.expectations import MOST_SIGNATURE_BYTES
from synthrelease.bundle.signing.keys import key_id
from synthrelease.bundle.signing.statement import PAYLOAD_TYPE

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

MOST_SIGNATURES = 16
_SIGNATURE_BYTES = 64
_KEY_ID = re.compile(r"[0-9a-f]{64}")
_STANDARD = str.maketrans("-_", "+/")


@dataclass(frozen=True)
class Signature:
    """A signature, and which key is said to have made it: a hint, which is not signed."""

    keyid: str
    sig: bytes


@dataclass(frozen=True)
class Envelope:
    """A signed payload of type `PAYLOAD_TYPE`."""

    payload: bytes  # what is signed
    signatures: tuple[Signature, ...] = ()  # of it, in the order of their keys' ids

    def signed(self, key: Ed25519PrivateKey) -> Envelope:
        """Return it with a signature by a key."""
        added = Signature(key_id(key.public_key()), key.sign(_encoded(self.payload)))
        signatures = [earlier for earlier in self.signatures if earlier.keyid != added.keyid]
        return replace(self, signatures=tuple(sorted([*signatures, added], key=lambda each: each.keyid)))

    def is_signed_by(self, key: Ed25519PublicKey) -> bool:
        """Whether one of the signatures is by a key, whatever their hints say."""
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  slow to import

        for signature in self.signatures:
            try:
                key.verify(signature.sig, _encoded(self.payload))
            except InvalidSignature:
                continue
            return True
        return False

    def to_bytes(self) -> bytes:
        """Return it as JSON, in the one form that we write."""
        signatures = [
            {"keyid": signature.keyid, "sig": _text(signature.sig)} for signature in self.signatures
        ]
        return strict_json.to_bytes(
            {"payload": _text(self.payload), "payloadType": PAYLOAD_TYPE, "signatures": signatures}
        )


def envelope_of(raw: bytes) -> Envelope:
    """Read an envelope. Fields that the protocol does not know are ignored, as it asks.

    Raises:
        ValueError: it is none, of another type, or has no signature that ed25519 could have made.
    """
    if len(raw) > MOST_SIGNATURE_BYTES:
        raise ValueError("the envelope is too large")
    document = strict_json.from_bytes(raw, "the envelope")
    if document.get("payloadType") != PAYLOAD_TYPE:
        raise ValueError(f"the envelope's payload is not of the type {PAYLOAD_TYPE}")
    signatures = document.get("signatures")
    if not isinstance(signatures, list) or not 1 <= len(signatures) <= MOST_SIGNATURES:
        raise ValueError(f"the envelope has not 1 to {MOST_SIGNATURES} signatures")
    return Envelope(_bytes(document.get("payload")), tuple(map(_signature, signatures)))


def _signature(document: Any) -> Signature:
    if not isinstance(document, dict):
        raise ValueError("a signature of the envelope is no object")  # noqa: TRY004  one kind of error
    keyid, sig = document.get("keyid", ""), _bytes(document.get("sig"))
    if not isinstance(keyid, str) or len(sig) != _SIGNATURE_BYTES:
        raise ValueError("a signature of the envelope is not one of ed25519")
    return Signature(keyid, sig)


def embedded_fault(raw: bytes, payload: bytes) -> str:
    """Return why an envelope may not stand in a bundle, in words; empty if it may.

    It must have the one form that we write, with the one payload: nothing else may hide in it.

    Args:
        raw: the envelope.
        payload: the statement about the bundle's manifest.
    """
    try:
        envelope = envelope_of(raw)
    except ValueError as error:
        return str(error)
    ids = [signature.keyid for signature in envelope.signatures]
    if envelope.to_bytes() != raw or ids != sorted(set(ids)) or not all(map(_KEY_ID.fullmatch, ids)):
        return "the envelope is not written in the one form that it has in a bundle"
    if envelope.payload != payload:
        return "the envelope's statement is not the one about this manifest"
    return ""


def _encoded(payload: bytes) -> bytes:
    """What is signed: the pre-authentication encoding (PAE) of the protocol."""
    payload_type = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %b %d %b" % (len(payload_type), payload_type, len(payload), payload)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bytes(text: Any) -> bytes:
    """What base64 says, of either alphabet, as the protocol allows; of several texts for the same bytes only the one that encoders write."""
    try:
        standard = text.translate(_STANDARD)
        data = base64.b64decode(standard, validate=True)
    except (AttributeError, ValueError):  # no text, or another one
        data, standard = b"", "?"
    if _text(data) != standard:
        raise ValueError("the envelope holds text that is not base64")
    return data
