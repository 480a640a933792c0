"""The manifest as text and as data: strict to read, the same bytes for the same content."""

from __future__ import annotations

from typing import Any

from synthrelease.bundle import strict_json
from synthrelease.schemas import validator

MANIFEST_VERSION = 1
SCHEMA = f"manifest-v{MANIFEST_VERSION}"


def to_bytes(manifest: dict[str, Any]) -> bytes:
    """Return the manifest in the one form that it has."""
    return strict_json.to_bytes(manifest)


def from_bytes(raw: bytes) -> dict[str, Any]:
    """Read a manifest strictly.

    Raises:
        ValueError: it is not one JSON object with one meaning; the message repeats nothing of it.
    """
    return strict_json.from_bytes(raw, "the manifest")


def load_schema() -> None:
    """Load what checking a manifest takes, so that no file is opened next to an untrusted one."""
    validator(SCHEMA)
