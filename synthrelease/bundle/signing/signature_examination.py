"""Whether a bundle is signed as it says, and by the key that must have signed it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from synthrelease.bundle.finding import Finding, Verification
from synthrelease.bundle.layout import SIGNATURE
from synthrelease.bundle.signing.envelope import Envelope, embedded_fault, envelope_of
from synthrelease.bundle.signing.expectations import MOST_SIGNATURE_BYTES, SignatureExpectations
from synthrelease.bundle.signing.keys import key_id, public_key
from synthrelease.bundle.signing.statement import statement, statement_fault
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile

_NAME = re.compile(r"[!-~]{1,128}")  # of a key that can be shown; others' tools may have written anything


def examine_signatures(
    file: BundleFile, manifest: dict[str, Any], expected: SignatureExpectations, result: Verification
) -> None:
    """Add to a result what is wrong with the signatures of a bundle, and who signed it.

    Args:
        file: the bundle, whose manifest fits its schema.
        manifest: its manifest.
        expected: what else to check.
        result: what was found so far.
    """
    envelopes: list[Envelope] = []
    before = len(result.findings)
    result.findings.extend(_embedded(file, manifest, envelopes))
    if expected.detached is not None:
        result.findings.extend(_detached(manifest, expected.detached, expected.detached_name, envelopes))
    names = {signature.keyid for envelope in envelopes for signature in envelope.signatures}
    result.signed_by = sorted({name if _NAME.fullmatch(name) else "" for name in names})
    if expected.key is not None and len(result.findings) == before:
        result.findings.extend(_key_faults(expected.key, expected.key_name, envelopes, result))


def _embedded(file: BundleFile, manifest: dict[str, Any], envelopes: list[Envelope]) -> Iterator[Finding]:
    dataset = file.anatomy.datasets.get(SIGNATURE)
    if dataset is None:
        return
    if dataset.dtype.str != "|u1" or len(dataset.shape) != 1:
        yield Finding("signature", SIGNATURE, "it is not a row of bytes")
        return
    if dataset.logical_bytes > MOST_SIGNATURE_BYTES:  # before it is unpacked: a bomb has room here
        yield Finding("signature", SIGNATURE, "the envelope is too large")
        return
    raw = file.array(SIGNATURE).tobytes()
    if fault := embedded_fault(raw, statement(manifest)):
        yield Finding("signature", SIGNATURE, fault)
    else:
        envelopes.append(envelope_of(raw))


def _detached(
    manifest: dict[str, Any], raw: bytes, name: str, envelopes: list[Envelope]
) -> Iterator[Finding]:
    try:
        envelope = envelope_of(raw)
    except ValueError as error:
        yield Finding("signature", name, str(error))
        return
    if fault := statement_fault(envelope.payload, manifest):
        yield Finding("signature", name, fault)
    else:
        envelopes.append(envelope)


def _key_faults(pem: bytes, name: str, envelopes: list[Envelope], result: Verification) -> Iterator[Finding]:
    key = public_key(pem, where=name)
    expected_id = key_id(key)
    if not envelopes:
        yield Finding("signature", "", "the bundle is not signed, and there is no signature file next to it")
    elif any(envelope.is_signed_by(key) for envelope in envelopes):
        result.checked.append(f"the signature by {name} ({expected_id[:12]})")
    elif expected_id in result.signed_by:
        yield Finding("signature", name, "a signature says that it is by this key, and is not")
    else:
        signers = ", ".join(signer[:12] or "no name" for signer in result.signed_by)
        yield Finding("signature", name, f"the bundle is signed, but not by this key: by {signers}")
