"""A project: one folder, the plan in it, and the files below it. Nothing outside it can be named."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from synthrelease.errors import ArgumentError

PLAN = "plan.toml"
STATE = ".synthrelease-studio"  # what commands printed; private
_MOST_FILES = 500  # that are offered


@dataclass(frozen=True)
class Project:
    """A folder with data and a plan."""

    folder: Path  # resolved

    @property
    def plan(self) -> Path:
        """The plan; it may not be there yet."""
        return self.folder / PLAN

    @property
    def state(self) -> Path:
        """The folder of what commands printed."""
        return self.folder / STATE

    def plan_text(self) -> str | None:
        """Return the plan's text; None if there is none."""
        try:
            return self.plan.read_text("utf-8")
        except FileNotFoundError:
            return None

    def inside(self, name: str) -> Path:
        """Return a path below the folder, links resolved.

        Raises:
            ArgumentError: there is nothing of this name in the folder.
        """
        try:
            path = (self.folder / name).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            path = None
        if path is None or not path.is_relative_to(self.folder):
            raise ArgumentError(
                "not-in-the-project",
                "there is no such file or folder in the project",
                where=str(self.folder),
                expected="a path below it",
                remedy="choose one of those that are listed",
            )
        return path

    def name(self, path: Path) -> str:
        """Return how a path below the folder is called."""
        return path.relative_to(self.folder).as_posix()

    def files(self, *endings: str) -> list[Path]:
        """Return the files of some endings, and those of all endings without any, which links do not lead out of the folder; not hidden ones."""
        found: list[Path] = []
        for path in _below(self.folder):
            if len(found) == _MOST_FILES:
                break
            if (not endings or path.name.lower().endswith(endings)) and path.resolve().is_relative_to(
                self.folder
            ):
                found.append(path)
        return found


def digest(text: str) -> str:
    """Return a text that is the same for the same plan alone."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _below(path)
        elif path.is_file():
            yield path
