"""Which process a debit belongs to, and whether it has certainly ended."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

_STARTED = 19  # place of the start time among what follows the name in /proc/PID/stat


@dataclass(frozen=True)
class Owner:
    """A process."""

    host: str  # name of the machine
    boot: str  # which start of the machine, where the system states it
    pid: int  # its number
    # when it began, in the system's ticks since the start, where it states them: numbers are used again
    started: str

    @classmethod
    def this(cls) -> Self:
        """Return this process."""
        pid = os.getpid()
        return cls(platform.node(), _boot(), pid, _started(pid))

    @classmethod
    def from_json(cls, form: dict[str, Any]) -> Self:
        """Read an owner back; KeyError or TypeError if it is none."""
        if not 0 < form["pid"] < 2**31:
            raise TypeError(f"Expected the number of a process, found {form['pid']}")
        return cls(form["host"], form["boot"], form["pid"], form["started"])

    def to_json(self) -> dict[str, Any]:
        """Return the ledger's form."""
        return asdict(self)

    def has_ended(self) -> bool:
        """Whether the process has ended, as far as this one can see; a process of another machine counts as running.

        In containers that share a machine's name it can err. No budget depends on it: noise is drawn on a debit once,
        by the process that notes it first (`debit.Debit.begin_drawing`).
        """
        if self.host != platform.node():
            return False
        if self.boot != _boot():
            return True
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            pass  # it is another user's
        return self.started != _started(self.pid)


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _started(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[_STARTED]
    except (OSError, IndexError):
        return ""
