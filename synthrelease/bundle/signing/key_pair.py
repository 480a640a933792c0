"""A new pair of keys as files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from synthrelease.bundle.signing.keys import key_id, made_key, public_key
from synthrelease.durable import refuse_taken, write_atomically


@dataclass(frozen=True)
class KeyPair:
    """Two files of a pair of ed25519 keys.

    Attributes:
        private: to sign with; keep it.
        public: to verify with; give it away.
        key_id: SHA-256 of the public key, hexadecimal.
    """

    private: Path
    public: Path
    key_id: str


def keygen(path: str | Path, password: bytes | None = None) -> KeyPair:
    """Make a pair of ed25519 keys: the private one in `path`, which only you may read, the public one in `path`.pub.

    Args:
        path: neither file may exist.
        password: to encrypt the private key with; None for none.

    Raises:
        MachineError: a file is there already, or cannot be written.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> made = keygen(Path(tempfile.mkdtemp()) / "lab.key")
        >>> made.public.name
        'lab.key.pub'
    """
    private = Path(path)
    public = private.with_name(f"{private.name}.pub")
    for file in (private, public):
        refuse_taken(file)
    private_pem, public_pem = made_key(password)
    write_atomically(private, private_pem, force=False, mode=0o600)
    write_atomically(public, public_pem, force=False)
    return KeyPair(private, public, key_id(public_key(public_pem, where=str(public))))
