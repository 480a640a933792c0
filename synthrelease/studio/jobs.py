"""Commands that take long: each is a process of its own, which goes on if the page, the tab or the server is closed.

A project runs one at a time. What it prints goes into files of the project's folder, so that a server that starts later shows it, too.
A lock says that it is running: it ends with the processes of the command, however they end.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any

from synthrelease import children
from synthrelease.errors import MachineError
from synthrelease.files.locks import lock, refuse_without_locks
from synthrelease.files.private import open_private
from synthrelease.studio.progress import Step, last_step

_MOST_BYTES = 1 << 24  # of what a command printed
_INTERRUPTED = 130
_ENDINGS = ("out", "err", "code", "code.new", "progress", "progress.new")  # of files that a command writes
_ONE_AT_A_TIME = RLock()  # of this process: to look whether a command is running takes its lock for a moment
_WRITTEN = {"name": str, "command": list, "plan": str, "process": int}  # of a command that was started
_CODE = re.compile("-?[0-9]{1,3}")
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
    plan: str  # digest of the plan that it was started with
    started: float = 0.0  # when, in seconds as files have it
    ended: float = 0.0  # when, in seconds as files have it; 0 if it has not, or was killed

    @property
    def is_interrupted(self) -> bool:
        """Whether it ended before it was done, by a person or a crash."""
        return not self.is_running and self.code in (None, _INTERRUPTED)

    def is_done_for(self, plan: str) -> bool:
        """Return whether it succeeded with the plan of a digest."""
        return self.code == 0 and self.plan == plan


@dataclass(frozen=True)
class Jobs:
    """The commands of a project."""

    folder: Path  # where they are run
    state: Path  # of what they print

    def start(self, name: str, command: Sequence[str], *, plan: str) -> None:
        """Start a command.

        Args:
            name: of what it does; what an earlier one of this name printed is replaced.
            command: what follows `synthrelease`.
            plan: digest of the plan that it is about.

        Raises:
            MachineError: another one is running, or the system has no locks.
        """
        refuse_without_locks(str(self.state))
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
            # The process inherits the open file, and with it the lock.
            process = children.start(
                "synthrelease.studio.run_job",
                *(str(self.state), name, *command),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(handle.fileno(),),
                start_new_session=True,  # the terminal's Ctrl-C is for the server
            )
            document = {"name": name, "command": [*command], "plan": plan, "process": process.pid}
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
        code = self._text(f"{name}.code").strip()
        step = last_step(self.file(f"{name}.progress"))
        return Job(
            name,
            tuple(document["command"]),
            is_running,
            int(code) if not is_running and _CODE.fullmatch(code) else None,
            self._text(f"{name}.out"),
            self._text(f"{name}.err"),
            step,
            document["plan"],
            self._time(f"{name}.json"),
            self._time(f"{name}.code"),
        )

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
        partial = self.file(f"{name}.new")
        with open_private(partial) as file:
            json.dump(document, file)
        partial.replace(self.file(name))

    def _read(self, name: str) -> dict[str, Any] | None:
        """What `start` wrote; None if there is nothing, or something else."""
        try:
            document: dict[str, Any] = json.loads(self.file(name).read_text("utf-8"))
            kinds = {key: type(value) for key, value in document.items()}
        except (OSError, ValueError, AttributeError):
            return None
        is_ours = (
            kinds == _WRITTEN
            and document["process"] > 1
            and all(isinstance(one, str) for one in document["command"])
        )
        return document if is_ours else None

    def _time(self, name: str) -> float:
        try:
            return self.file(name).stat().st_mtime
        except OSError:
            return 0.0

    def _text(self, name: str) -> str:
        try:
            with self.file(name).open("rb") as file:
                return file.read(_MOST_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""
