"""The SHA-256 of a file."""

from __future__ import annotations

import hashlib
from pathlib import Path

from synthrelease.errors import DataError
from synthrelease.files.reading import opened


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal digits; errors as of `opened`."""
    with opened(path, DataError) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
