"""What a batch has done, line by line, in the folder of its bundles: so that it can go on where it ended."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from synthrelease.errors import MachineError
from synthrelease.files import atomic
from synthrelease.files.locks import lock, refuse_without_locks
from synthrelease.files.reading import NotRegularError, open_regular
from synthrelease.files.unwritable import writing

NAME = "batch-journal.jsonl"
_MOST_BYTES = 2048  # both lines of a bundle: a name of some hundred letters at most, three digests of 64
MOVING, DONE = "moving", "done"  # about to get its name; has it


@dataclass(frozen=True)
class JournalEntry:
    """A bundle of a batch."""

    bundle: str  # its file's name
    plan: str  # a digest of the plan's text and the test seed, if there was one
    checksum: str  # SHA-256 of everything after its user block
    state: str  # how far it came
    manifest: str  # SHA-256 of that, by which it is known when it was signed


class Journal:
    """The journal of a folder, locked for as long as it is open.

    Every line is written by one call at a place that is known, into room that was taken before: no buffer is left to be written when it is closed,
    and a disk that fills up meanwhile costs no plan its note.

    Args:
        folder: where the bundles are; it is made if it is not there.

    Raises:
        MachineError: another batch works in the folder, or it cannot be written, or the journal is none.
    """

    def __init__(self, folder: Path) -> None:
        refuse_without_locks(str(folder))
        self.path = folder / NAME
        with writing(self.path):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                self._handle = open_regular(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
            except NotRegularError:
                raise self._damaged() from None
        try:
            self._begin()
        except BaseException:
            os.close(self._handle)
            raise

    def _begin(self) -> None:
        self._lock()
        with writing(self.path):
            os.fchmod(self._handle, 0o600)
            text = os.pread(self._handle, os.fstat(self._handle).st_size, 0)
            self._end = text.rfind(b"\n") + 1  # before a line that was torn, and room that was not used
            os.ftruncate(self._handle, self._end)  # what a killed batch was about to say did not happen
        self.entries = {entry.bundle: entry for entry in self._entries(text[: self._end])}

    def _lock(self) -> None:
        try:
            lock(self._handle, wait=False)
        except OSError:
            raise MachineError(
                "folder-locked",
                "another batch is working in this folder",
                where=str(self.path.parent),
                remedy="wait until it has ended, or choose another folder",
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            os.ftruncate(self._handle, self._end)
        os.close(self._handle)  # which unlocks it

    def reserve(self, bundles: int) -> None:
        """Take room for the lines of so many bundles, where the file system can.

        Raises:
            MachineError: there is none.
        """
        with writing(self.path):
            atomic.take_room(self._handle, self._end, max(1, bundles) * _MOST_BYTES)

    def add(self, entry: JournalEntry) -> None:
        """Note how far a bundle came; it is on the disk when this returns, or the journal there is as it was.

        Raises:
            MachineError: it cannot be written.
        """
        self.entries[entry.bundle] = entry
        line = json.dumps(asdict(entry)).encode() + b"\n"
        written = 0
        with writing(self.path):
            while written < len(line):
                written += os.pwrite(self._handle, line[written:], self._end + written)
            os.fsync(self._handle)
        self._end += len(line)

    def _entries(self, whole: bytes) -> list[JournalEntry]:
        try:
            return [_entry(json.loads(line)) for line in whole.splitlines()]
        except (ValueError, TypeError, KeyError):
            raise self._damaged() from None

    def _damaged(self) -> MachineError:
        return MachineError(
            "damaged-journal",
            "the journal of the batch is damaged",
            where=str(self.path),
            expected="one JSON object a line",
            remedy="check which bundles are in the folder, then move the journal away",
        )


def _entry(form: dict[str, Any]) -> JournalEntry:
    if form["state"] not in (MOVING, DONE):
        raise ValueError("Expected a state of a bundle")
    return JournalEntry(**{key: str(value) for key, value in form.items()})
