"""What to check of a bundle's signatures; made of JSON, to be sent to the process that checks."""

from __future__ import annotations

import base64
import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from synthrelease.files.reading import open_regular

MOST_KEY_BYTES, MOST_SIGNATURE_BYTES = 1 << 14, 1 << 18
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)


@dataclass(frozen=True)
class SignatureExpectations:
    """What to check of signatures, besides that each is about the bundle that it is in."""

    # PEM of the public key that must have signed; None if no key is required. An empty file is not None: it is no key.
    key: bytes | None = None
    key_name: str = ""  # where it is from
    detached: bytes | None = None  # an envelope next to the bundle; None if there is none
    detached_name: str = ""  # where it is from

    def to_json(self) -> list[str | None]:
        """Return it as text."""
        return [_text(self.key), self.key_name, _text(self.detached), self.detached_name]

    @classmethod
    def from_json(cls, form: list[str | None]) -> Self:
        """Return what `to_json` wrote."""
        key, key_name, detached, detached_name = form
        return cls(_bytes(key), key_name or "", _bytes(detached), detached_name or "")


NO_EXPECTATIONS = SignatureExpectations()


def signature_file(bundle: Path) -> Path:
    """Return the place of a signature that is not in the bundle."""
    return bundle.parent / f"{bundle.stem}.signature.json"  # be the bundle a folder without a name, too


def signature_beside(bundle: Path) -> bytes | None:
    """Return what is in that place, one byte more than an envelope may have if it is larger; None if nothing is.

    Raises:
        OSError: something is, and it is no regular file that can be read.
    """
    try:
        with os.fdopen(open_regular(signature_file(bundle)), "rb") as file:
            return file.read(MOST_SIGNATURE_BYTES + 1)
    except OSError as error:
        if error.errno in _NOT_THERE:
            return None
        raise


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
