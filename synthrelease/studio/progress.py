"""How far a command is, in a file that others read meanwhile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from synthrelease.files.private import open_private
from synthrelease.files.reading import beginning_of

VARIABLE = "SYNTHRELEASE_PROGRESS"  # of the environment: the file to write
_MOST_BYTES = 1 << 12  # of it
_STEP = 0.01  # less is not written


class Step(NamedTuple):
    """What a command is doing, and how much of that is done, from 0 to 1."""

    stage: str
    done: float


class ProgressFile:
    """The last step, written over the one before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last = Step("", 0.0)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Write a step, if there is something new in it."""
        step = Step(stage, done / total if total else 1.0)
        if step.stage == self._last.stage and 0 <= step.done - self._last.done < _STEP:
            return
        self._last = step
        new = self._path.with_name(f"{self._path.name}.new")
        with open_private(new) as file:
            json.dump(step, file)
        new.replace(self._path)


def last_step(path: Path) -> Step:
    """Return the last step that was written."""
    try:
        stage, done = json.loads(beginning_of(path, _MOST_BYTES))
        return Step(str(stage), float(done))
    except (OSError, ValueError, TypeError):
        return Step("", 0.0)
