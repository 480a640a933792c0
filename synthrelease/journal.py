"""What a batch has done, line by line, in the folder of its bundles: so that it can go on where it ended."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from synthrelease.errors import MachineError

NAME = "batch-journal.jsonl"
MOVING, DONE = "moving", "done"  # about to get its name; has it


@dataclass(frozen=True)
class Entry:
    """A bundle of a batch.

    Attributes:
        bundle: its file's name.
        plan: what it was built from: a digest of the plan's text and the test seed, if there was one.
        seal: SHA-256 of everything after its user block.
        state: how far it came.
        manifest: SHA-256 of its manifest, by which it is known when it was signed; "" in journals of before.
    """

    bundle: str
    plan: str
    seal: str
    state: str
    manifest: str = ""


class Journal:
    """The journal of a folder, locked for as long as it is open.

    Args:
        folder: where the bundles are; it is made if it is not there.

    Raises:
        MachineError: another batch works in the folder, or it cannot be written, or the journal is none.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+b")
            self.path.chmod(0o600)
        except OSError as error:
            raise _cannot_write(self.path, error) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise MachineError(
                "folder-locked",
                "another batch works in this folder",
                where=str(folder),
                remedy="wait until it has ended, or choose another folder",
            ) from None
        try:
            self.entries = {entry.bundle: entry for entry in self._read()}
        except MachineError:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()  # which unlocks it

    def add(self, entry: Entry) -> None:
        """Note how far a bundle came; it is on the disk when this returns.

        Raises:
            MachineError: it cannot be written.
        """
        try:
            self._file.write(json.dumps(asdict(entry)).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise _cannot_write(self.path, error) from None
        self.entries[entry.bundle] = entry

    def _read(self) -> list[Entry]:
        self._file.seek(0)
        whole, _, torn = self._file.read().rpartition(b"\n")
        if torn:  # a batch was killed while it wrote: what it was about to say did not happen
            self._file.truncate(len(whole) + bool(whole))
        try:
            return [_entry(json.loads(line)) for line in whole.splitlines()]
        except (ValueError, TypeError, KeyError):
            raise MachineError(
                "damaged-journal",
                "the journal of the batch is damaged",
                where=str(self.path),
                expected="one JSON object a line",
                remedy="look which bundles the folder holds, then move the journal away",
            ) from None


def _entry(form: dict[str, Any]) -> Entry:
    if set(form) - {"manifest"} != {"bundle", "plan", "seal", "state"} or form["state"] not in (MOVING, DONE):
        raise ValueError("Expected bundle, plan, seal and state")
    return Entry(**{key: str(value) for key, value in form.items()})


def _cannot_write(path: Path, error: OSError) -> MachineError:
    return MachineError(
        "cannot-write",
        "the journal of the batch cannot be written",
        where=str(path),
        found=os.strerror(error.errno) if error.errno else "an error of the file system",
        remedy="make room, or choose a folder that may be written",
    )
