"""What a signature says: that this manifest is the one of this release (in-toto Attestation Framework, Statement v1, predicate Release v0.1).

The subject is the manifest, byte for byte as in the bundle and in its sidecar: it lists the digest of every dataset, so that a signature of it
signs all values. The file around it is no subject: a signature stands in it.
"""

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import quote

from synthrelease.bundle import strict_json

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_STATEMENT = "https://in-toto.io/Statement/v1"
_RELEASE = "https://in-toto.io/attestation/release/v0.1"


def statement(manifest: dict[str, Any]) -> bytes:
    """Return the statement about a bundle's manifest, in the one form that we write."""
    release = manifest["release"]
    name, version = release["name"], release["version"]
    return strict_json.to_bytes(
        {
            "_type": _STATEMENT,
            "subject": [{"name": f"{name}-{version}.manifest.json", "digest": {"sha256": _digest(manifest)}}],
            "predicateType": _RELEASE,
            "predicate": {"purl": f"pkg:generic/{quote(name, safe='')}@{quote(version, safe='')}"},
        }
    )


def statement_fault(payload: bytes, manifest: dict[str, Any]) -> str:
    """Return why a payload is no statement about a manifest, in words; empty if it is one.

    Unknown fields are ignored, as in-toto asks; another writer's form of the JSON is as good as ours.
    """
    try:
        document = strict_json.from_bytes(payload, "the signed statement")
    except ValueError as error:
        return str(error)
    if document.get("_type") != _STATEMENT:
        return f"the signed statement is not of type {_STATEMENT}"
    if document.get("predicateType") != _RELEASE:
        return f"the signed statement is not of the predicate {_RELEASE}"
    expected = strict_json.from_bytes(statement(manifest), "")
    predicate = document.get("predicate")
    if not isinstance(predicate, dict) or predicate.get("purl") != expected["predicate"]["purl"]:
        return "the signed statement is about another release, or another version"
    subjects = document.get("subject")
    subject = subjects[0] if isinstance(subjects, list) and len(subjects) == 1 else None
    digests = subject.get("digest") if isinstance(subject, dict) else None
    if not isinstance(digests, dict) or digests.get("sha256") != _digest(manifest):
        return "the signed statement is about another manifest, or not about this one alone"
    return ""


def _digest(manifest: dict[str, Any]) -> str:
    return hashlib.sha256(strict_json.to_bytes(manifest)).hexdigest()
