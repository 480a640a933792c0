"""A new pair of keys as files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from synthrelease.bundle.signing.keys import (
    MOST_PASSWORD_BYTES,
    key_id,
    made_key,
    public_file,
    public_key,
    refuse_taken_pair,
    write_pair,
)
from synthrelease.errors import ArgumentError


@dataclass(frozen=True)
class KeyPair:
    """Two files of a pair of ed25519 keys."""

    private: Path  # to sign with; keep it
    public: Path  # to verify with; give it away
    key_id: str  # SHA-256 of the public key, hexadecimal


def keygen(path: str | Path, password: bytes | None = None) -> KeyPair:
    """Make a pair of ed25519 keys: the private one in `path`, which only you may read, the public one in `path`.pub.

    Args:
        path: neither file may exist.
        password: to encrypt the private key with; None for none.

    Raises:
        MachineError: a file is there already, or cannot be written.
        ArgumentError: the password is not bytes, or too long for the form of the file.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> made = keygen(Path(tempfile.mkdtemp()) / "lab.key")
        >>> made.public.name
        'lab.key.pub'
    """
    private = Path(path)
    public = public_file(private)
    if not isinstance(password, bytes | None):
        raise ArgumentError(
            "password-not-bytes",
            "the password is not bytes",
            where="keygen().password",
            found=type(password).__name__,
            expected="bytes",
            remedy='write password.encode("utf-8")',
        )
    if password is not None and len(password) > MOST_PASSWORD_BYTES:
        raise ArgumentError(
            "password-too-long",
            "the password is too long for the form of the file",
            where="keygen().password",
            expected=f"at most {MOST_PASSWORD_BYTES} bytes",
            remedy="choose a shorter one",
        )
    refuse_taken_pair(private)
    pems = made_key(password)
    write_pair(private, pems)
    return KeyPair(private, public, key_id(public_key(pems[1], where=str(public))))
