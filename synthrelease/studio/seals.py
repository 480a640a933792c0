"""What the studio left in a project's folder is distinguished from what others put there by a seal under a key of the user, which lies elsewhere.

A folder can be delivered with results of commands that never ran. The key is in no project: only this user's own commands seal.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from synthrelease.errors import MachineError
from synthrelease.files.atomic import OWNER_ALONE, write_atomically
from synthrelease.files.locks import AVAILABLE
from synthrelease.files.private import open_private
from synthrelease.files.reading import beginning_of

_KEY_BYTES = 32
_MOST_BYTES = 1 << 20  # of a sealed text
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def write_sealed(path: Path, text: str) -> None:
    """Write a text whose seal is good for this path alone: whole or not at all, and for its owner only.

    Raises:
        MachineError: the user's key can be neither read nor made.
    """
    with sealing(path, text):
        pass


@contextmanager
def sealing(path: Path, text: str) -> Iterator[None]:
    """Write a text as `write_sealed`, which gets its name when the block is done, and goes if that fails; errors before the block."""
    seal = _seal(path, text, made_key())
    partial = path.with_name(f"{path.name}.new")
    try:
        with open_private(partial) as file:
            file.write(f"{seal}\n{text}")
        yield
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_sealed(path: Path) -> str | None:
    """Return a text that this user's studio wrote there; None if there is none, or anything else."""
    if not AVAILABLE:  # nor has any command been started
        return None
    try:
        seal, _, text = beginning_of(path, _MOST_BYTES).decode().partition("\n")
        key = _key()
    except (OSError, ValueError, MachineError):
        return None
    is_ours = key is not None and hmac.compare_digest(seal.encode(), _seal(path, text, key).encode())
    return text if is_ours else None


def _seal(path: Path, text: str, key: bytes) -> str:
    place = str(path.parent.resolve() / path.name).encode("utf-8", "surrogateescape")
    return hmac.new(key, place + b"\0" + text.encode("utf-8"), "sha256").hexdigest()


def _file() -> Path:
    """Where the key is: among what programs keep of a user (XDG base directories)."""
    kept = Path(os.environ.get("XDG_STATE_HOME", ""))
    home = kept if kept.is_absolute() else Path(os.path.expanduser("~")) / ".local" / "state"  # noqa: PTH111  no error
    if not home.is_absolute():  # a folder that is delivered could hold a key
        raise _no_key(home, "no home of this user")
    return home / "synthrelease" / "studio.key"


def _key() -> bytes | None:
    """The user's key; None if there is none yet. One that others could have read or written seals nothing."""
    path = _file()
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            status, key = os.fstat(file.fileno()), file.read(_KEY_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _no_key(path, error.strerror or "") from None
    is_private = (
        stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & _OTHERS
    )
    if not is_private or len(key) != _KEY_BYTES:
        raise _no_key(path, "a file that others can use, or another one")
    return key


def made_key() -> bytes:
    """Return the user's key, made if there is none; MachineError if it can be neither read nor made."""
    path = _file()
    if (key := _key()) is not None:
        return key
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _no_key(path, error.strerror or "") from None
    with suppress(MachineError):  # another process was quicker, or what reading it says
        write_atomically(path, secrets.token_bytes(_KEY_BYTES), force=False, mode=OWNER_ALONE)
    key = _key()
    if key is None:
        raise _no_key(path, "a folder that cannot be written")
    return key


def _no_key(path: Path, found: str) -> MachineError:
    return MachineError(
        "no-studio-key",
        "the studio cannot keep the key that marks its results as its own",
        where=str(path),
        found=found,
        expected="a file of yours that no one else can read",
        remedy="remove it if it is there, and make its folder writable; or name another folder in XDG_STATE_HOME",
    )
