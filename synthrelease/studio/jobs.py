"""Commands that take long: each is a process of its own, which goes on if the page, the tab or the server is closed.

A project runs one at a time. What it prints goes into files of the project's folder, so that a server that starts later shows it, too.
A lock says that it is running: it ends with the processes of the command, however they end. What was started and how it ended is sealed
(`seals`), with the digests of what it printed and of the files that it is about: nothing else in the folder is believed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any

from synthrelease import __version__, children
from synthrelease.errors import MachineError
from synthrelease.files.locks import lock, refuse_without_locks
from synthrelease.studio.progress import Step, last_step
from synthrelease.studio.run_job import ENDED, digest_of, printed_bytes, printed_digests
from synthrelease.studio.seals import made_key, read_sealed, write_sealed

_INTERRUPTED = 130
# of files that a command writes
_ENDINGS = ("out", "err", ENDED, f"{ENDED}.new", "progress", "progress.new")
_ONE_AT_A_TIME = RLock()  # of this process: to look whether a command is running takes its lock for a moment
_started: list[subprocess.Popen[bytes]] = []  # by this process, which has to take note of their end


@dataclass(frozen=True)
class Job:
    """A command that was started, and what is known of it."""

    name: str  # of what it does, such as "build"
    command: tuple[str, ...]  # what follows `synthrelease`
    is_running: bool
    code: int | None  # exit code; None while it is running, or if it was killed
    printed: str  # private
    errors: str  # private
    step: Step
    plan: str = ""  # fingerprint of the plan that it was started with, and of the files that this names
    version: str = ""  # of this program
    # digests of the files that it is about, by their names, as it found them and as it left them; None for those that are not there
    before: Mapping[str, str | None] = field(default_factory=dict)
    after: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def is_interrupted(self) -> bool:
        """Whether it ended before it was done, by a person or a crash."""
        return not self.is_running and self.code in (None, _INTERRUPTED)

    def is_done_for(self, plan: str) -> bool:
        """Return whether it succeeded with the plan of a fingerprint, by this version of the program."""
        return self.code == 0 and self.version == __version__ and self.plan == plan != ""


@dataclass(frozen=True)
class Jobs:
    """The commands of a project."""

    folder: Path  # where they are run
    state: Path  # of what they print

    def start(self, name: str, command: Sequence[str], *, plan: str, about: Sequence[str] = ()) -> None:
        """Start a command.

        Args:
            name: of what it does; what an earlier one of this name printed is replaced.
            command: what follows `synthrelease`.
            plan: fingerprint of the plan that it is about; "" of none.
            about: names of files that it is about: its result is none of them once they are others.

        Raises:
            MachineError: another one is running, or the system has no locks.
        """
        refuse_without_locks(str(self.state))
        made_key()  # without which nothing could be believed of what runs
        self.make_folder()
        with _ONE_AT_A_TIME, self.file("lock").open("ab") as handle:
            try:
                lock(handle.fileno(), wait=False)
            except BlockingIOError:
                raise MachineError(
                    "command-running",
                    "another command of this project is still running",
                    where=str(self.folder),
                    remedy="wait until it has ended, or cancel it",
                ) from None
            # Until this one is noted there is none to cancel: the last one's number may be another program's by now.
            for old in ("last.json", *(f"{name}.{ending}" for ending in _ENDINGS)):
                self.file(old).unlink(missing_ok=True)
            before = {file: self.digest_of(file) for file in about}
            run = {"id": f"{os.getpid()}-{time.time_ns()}", "about": [*about]}
            # The process inherits the open file, and with it the lock.
            process = children.start(
                "synthrelease.studio.run_job",
                *(str(self.state), name, json.dumps(run), *command),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(handle.fileno(),),
                start_new_session=True,  # the terminal's Ctrl-C is for the server
            )
            document = {**run, "name": name, "command": [*command], "plan": plan, "process": process.pid}
            document |= {"before": before, "version": __version__}
            _started[:] = [*(other for other in _started if other.poll() is None), process]
            self._write(f"{name}.json", document)
            self._write("last.json", document)

    def cancel(self) -> None:
        """Interrupt the command that is running, as Ctrl-C would."""
        with _ONE_AT_A_TIME, suppress(ProcessLookupError, PermissionError):
            document = self._read("last.json")
            if document is not None and self._is_locked():
                os.killpg(document["process"], signal.SIGINT)

    def running(self) -> Job | None:
        """Return the command that is running."""
        document = self._read("last.json")
        job = None if document is None else self.job(document["name"])
        return job if job is not None and job.is_running else None

    def job(self, name: str) -> Job | None:
        """Return the last command of a name; None if there was none."""
        document = self._read(f"{name}.json")
        if document is None:
            return None
        with _ONE_AT_A_TIME:
            last = self._read("last.json") or {}
            is_running = last.get("name") == name and self._is_locked()
        out, err = (printed_bytes(self.file(f"{name}.{ending}")) for ending in ("out", "err"))
        end = self._read(f"{name}.{ENDED}")
        is_whole = end is not None and end == {**end, "id": document["id"], **printed_digests(out, err)}
        if not (is_running or is_whole):  # killed, and what it printed may be anyone's
            out = err = b""
        return Job(
            name,
            tuple(document["command"]),
            is_running,
            end["code"] if end is not None and is_whole and not is_running else None,
            out.decode("utf-8", "replace"),
            err.decode("utf-8", "replace"),
            last_step(self.file(f"{name}.progress")),
            document["plan"],
            document.get("version", ""),
            document["before"],
            end["after"] if end is not None and is_whole else {},
        )

    def digest_of(self, name: str) -> str | None:
        """Return the digest of a file of the project; None if it is not there."""
        return digest_of(self.folder / name)

    def make_folder(self) -> None:
        """Make the folder of the state, for its owner alone and no repository."""
        with suppress(FileExistsError):
            self.state.mkdir(mode=0o700)
        ignored = self.file(".gitignore")
        if not ignored.exists():
            ignored.write_text("*\n", "utf-8")

    def file(self, name: str) -> Path:
        """Return a file of the state: it is written and read where it is, and nowhere else.

        Raises:
            MachineError: it is a link, or the state is no folder.
        """
        path = self.state / name
        if self.state.is_symlink() or path.is_symlink() or (self.state.exists() and not self.state.is_dir()):
            raise MachineError(
                "not-a-folder-of-ours",
                "this is not what the studio made, or it is a link",
                where=str(path),
                expected=f"a folder {self.state.name} without links",
                remedy="remove it",
            )
        return path

    def _is_locked(self) -> bool:
        try:
            with self.file("lock").open("rb") as handle:
                lock(handle.fileno(), wait=False)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def _write(self, name: str, document: object) -> None:
        self.file(f"{name}.new")  # is no link
        write_sealed(self.file(name), json.dumps(document))

    def _read(self, name: str) -> dict[str, Any] | None:
        """What `start` wrote, or the end of what it started; None if there is nothing, or something else."""
        text = read_sealed(self.file(name))
        return None if text is None else json.loads(text)
