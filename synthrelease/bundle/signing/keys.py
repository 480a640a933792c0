"""Keys to sign with: ed25519 (RFC 8032), in the PEM files that other tools read."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synthrelease.bundle.signing.expectations import MOST_KEY_BYTES
from synthrelease.errors import InputError
from synthrelease.files.reading import content_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_PRIVATE = "a private key in PEM (PKCS #8)"
_MAKE = "make a pair of keys: synthrelease keygen -o KEY"


class KeyFileError(InputError):
    """A file is not the key it should be."""


class PasswordNeededError(KeyFileError):
    """The key is encrypted, and no password was given."""


def private_key(pem: bytes, password: bytes | None, *, where: str) -> Ed25519PrivateKey:
    """Read a private key.

    Args:
        pem: its file.
        password: that it is encrypted with.
        where: the file's name, for messages.

    Raises:
        PasswordNeededError: it is encrypted, and there is no password.
        KeyFileError: it is no private ed25519 key, or the password is another one.
    """
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  slow to import
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    _refuse_other_content(pem, where)
    _refuse_several(pem, where)
    try:
        key: Any = load_pem_private_key(pem, password or None)
    except TypeError:
        if not password:
            raise PasswordNeededError(
                "password-needed",
                "the key is encrypted, and no password was given",
                where=where,
                remedy="give the password: by --password-file, or `password` in Python",
            ) from None
        raise KeyFileError(
            "key-not-encrypted",
            "a password was given, and the key is not encrypted",
            where=where,
            remedy="leave the password out",
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        encrypted = b"ENCRYPTED" in pem
        raise KeyFileError(
            "wrong-password" if encrypted else "key-damaged",
            "the password is another one, or the key is damaged" if encrypted else "the key is damaged",
            where=where,
            expected=_PRIVATE,
            remedy="try the password again, or take the key from a backup",
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise _other_kind(where)
    return key


def _refuse_other_content(pem: bytes, where: str) -> None:
    if b"PRIVATE KEY" not in pem:
        public = b"PUBLIC KEY" in pem
        raise KeyFileError(
            "not-a-private-key",
            "the file is no private key",
            where=where,
            found="a public key" if public else "other content",
            remedy="give the private one: KEY, not KEY.pub" if public else _MAKE,
        )
    if b"OPENSSH" in pem:
        raise KeyFileError(
            "key-in-openssh-form",
            "the key is in OpenSSH's own form",
            where=where,
            expected=_PRIVATE,
            remedy=_MAKE,
        )


def read_private_key(path: Path, password: bytes | None) -> Ed25519PrivateKey:
    """Read a private key from its file.

    Args:
        path: of the file.
        password: that it is encrypted with; None for none.

    Raises:
        PasswordNeededError: it is encrypted, and there is no password.
        KeyFileError: the file is no private ed25519 key, or the password is another one.
        MachineError: it may not be read.
    """
    return private_key(key_file_bytes(path), password, where=str(path))


def key_file_bytes(path: Path) -> bytes:
    """Return what is in a file of a key, or of a password.

    Raises:
        KeyFileError: it is no file, or too large to be one.
        MachineError: it may not be read.
    """
    return content_of(
        path,
        KeyFileError,
        "file of a key or a password",
        most_bytes=MOST_KEY_BYTES,
        missing="correct the path, or make a key pair: synthrelease keygen -o KEY",
    )


def public_key(pem: bytes, *, where: str) -> Ed25519PublicKey:
    """Read a public key.

    Raises:
        KeyFileError: it is none of ed25519.
    """
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  slow to import
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415

    if b"PRIVATE KEY" in pem:
        raise KeyFileError(
            "private-key-as-public",
            "the file is a private key, which only its owner should have",
            where=where,
            expected="the public one, KEY.pub",
            remedy="give KEY.pub; keep this file to yourself",
        )
    _refuse_several(pem, where)
    try:
        key: Any = load_pem_public_key(pem)
    except (ValueError, UnsupportedAlgorithm):
        raise KeyFileError(
            "not-a-public-key",
            "the file is no public key",
            where=where,
            expected="the file KEY.pub that `keygen` wrote",
            remedy="ask the signer for KEY.pub",
        ) from None
    if not isinstance(key, Ed25519PublicKey):
        raise _other_kind(where)
    if _is_of_small_order(key):
        raise KeyFileError(
            "key-without-secret",
            "anyone can sign with this key: it has no secret",
            where=where,
            expected="a key of keygen",
            remedy="ask its owner for a key that keygen, or another tool for ed25519, made",
        )
    return key


def _is_of_small_order(key: Ed25519PublicKey) -> bool:
    """Whether a key is one of the points whose order divides 8: signatures by them can be made without any secret.

    The same point of the Montgomery form (RFC 7748, 4.1) is tried in a Diffie-Hellman exchange, whose result is then zero.
    """
    from cryptography.hazmat.primitives.asymmetric.x25519 import (  # noqa: PLC0415  slow to import
        X25519PrivateKey,
        X25519PublicKey,
    )

    prime = 2**255 - 19
    y = int.from_bytes(key.public_bytes_raw(), "little") % 2**255
    u = (1 + y) * pow(1 - y, prime - 2, prime) % prime
    montgomery_key = X25519PublicKey.from_public_bytes(u.to_bytes(32, "little"))
    try:
        X25519PrivateKey.from_private_bytes(bytes(32)).exchange(montgomery_key)
    except ValueError:
        return True
    return False


def _refuse_several(pem: bytes, where: str) -> None:
    """Refuse a file of several keys: a library would silently take the first."""
    if pem.count(b"-----BEGIN") > 1:
        raise KeyFileError(
            "several-keys",
            "the file holds more than one key",
            where=where,
            expected="one",
            remedy="put each key into a file of its own",
        )


def _other_kind(where: str) -> KeyFileError:
    return KeyFileError(
        "key-of-other-kind", "the key is of another kind", where=where, expected="ed25519", remedy=_MAKE
    )


def key_id(key: Ed25519PublicKey) -> str:
    """Return what a key is called in envelopes: as securesystemslib does, the SHA-256 of its canonical JSON.

    It is a hint which key to try, and proves nothing.
    """
    about = {"keytype": "ed25519", "keyval": {"public": key.public_bytes_raw().hex()}, "scheme": "ed25519"}
    return hashlib.sha256(json.dumps(about, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
