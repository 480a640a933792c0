"""The manifest as text and as data: strict to read, the same bytes for the same content."""

from __future__ import annotations

from typing import Any

from synthrelease.bundle import strict_json
from synthrelease.schemas import validator

MANIFEST_VERSION = 3  # what is written
FORMAT_OF = {1: 1, 2: 1, 3: 2}  # the format of bundles whose manifests have a version


def to_bytes(manifest: dict[str, Any]) -> bytes:
    """Return the manifest in the one form that it has."""
    return strict_json.to_bytes(manifest)


def from_bytes(raw: bytes) -> dict[str, Any]:
    """Read a manifest strictly.

    Raises:
        ValueError: it is not one JSON object with one meaning; the message repeats nothing of it.
    """
    return strict_json.from_bytes(raw, "the manifest")


def schema_name(version: int) -> str:
    """Return the name of the schema of manifests of a version."""
    return f"manifest-v{version}"


def load_schemas() -> None:
    """Load what checking a manifest of any version takes, so that no file is opened next to an untrusted one."""
    for version in FORMAT_OF:
        validator(schema_name(version))
