"""Making a pair of ed25519 keys, and writing it as files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from synthrelease.bundle.signing.keys import key_id, public_key
from synthrelease.errors import ArgumentError
from synthrelease.files.atomic import move_into_place, write_durably
from synthrelease.files.partial_files import partials
from synthrelease.files.unwritable import refuse_taken

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MOST_PASSWORD_BYTES = 1023  # that PEM files are encrypted with


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
    pair = new_key(password)
    write_pair(private, pair)
    return KeyPair(private, public, key_id(public_key(pair[1], where=str(public))))


def refuse_taken_pair(private: Path) -> None:
    """Refuse a name that a key has: none is ever replaced.

    Raises:
        MachineError: the private or the public key is there, or a folder of such a name.
    """
    for file in (private, public_file(private)):
        refuse_taken(file, "choose another name: a key is not replaced")


def public_file(private: Path) -> Path:
    """Return the place of the public key of a pair."""
    return private.parent / f"{private.name}.pub"


def new_key(password: bytes | None) -> tuple[bytes, bytes]:
    """Return a new private key, encrypted if there is a password (PKCS #8), and its public one (SubjectPublicKeyInfo), both PEM."""
    from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415  slow to import
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

    key = Ed25519PrivateKey.generate()
    encryption = form.BestAvailableEncryption(password) if password else form.NoEncryption()
    private = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, encryption)
    return private, public_pem(key.public_key())


def public_pem(key: Ed25519PublicKey) -> bytes:
    """Return a public key as PEM."""
    from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415  slow to import

    return key.public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)


def write_pair(private: Path, pems: tuple[bytes, bytes]) -> None:
    """Write a pair of keys as `new_key` gives it: both, or neither unless this process is killed just then; the private one only for its owner.

    Raises:
        MachineError: one of them is there, or the disk, the folder or a permission is in the way.
    """
    public = public_file(private)
    with partials(private, public) as files:  # which removes a private key that a killed keygen left
        for beside, pem in zip(files, pems, strict=True):
            write_durably(beside, pem)
        move_into_place(files[0], force=False, mode=0o600)
        try:
            move_into_place(files[1], force=False)
        except BaseException:
            if files[0].has_its_name:
                private.unlink()
            raise
