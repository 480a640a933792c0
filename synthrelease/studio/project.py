"""A project: one folder, the plan in it, and the files below it. Nothing outside it can be named, by a page, by the plan or by a link."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from synthrelease.errors import ArgumentError, PlanError
from synthrelease.files.reading import content_of
from synthrelease.files.toml_reading import MOST_TOML_BYTES, toml_tables
from synthrelease.plan.plan import CheckedPlan, load_plan

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
        """Return the plan's text; None if there is none; errors as of `plan_bytes`."""
        raw = self.plan_bytes()
        return None if raw is None else raw.decode("utf-8-sig")

    def digest(self) -> str:
        """Return the digest of the plan as it is now, as a build computes it; that of an empty text without one."""
        return digest(self.plan_bytes() or b"")

    def fingerprint(self, plan: CheckedPlan | None) -> str:
        """Return a text that stays the same for as long as a plan and the files that it names stay as they are; "" without a plan.

        Files can be large, so none is read: one that was written, replaced, or brought back with its old time has another time of change,
        which no program can set, or another number.
        """
        if plan is None:
            return ""
        files = [name for name in sorted({str(path) for path in _named_by(plan)}) if os.path.isfile(name)]  # noqa: PTH113  no error
        stamps = (
            (name, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns)
            for name, one in zip(files, map(os.stat, files), strict=True)
        )
        return digest(f"{plan.digest} {[*stamps]}".encode("utf-8", "surrogateescape"))

    def plan_bytes(self) -> bytes | None:
        """Return what is in the plan's file; None if there is none.

        Raises:
            ArgumentError: it is a link that leads out of the folder.
            PlanError: it is no text.
        """
        if not os.path.lexists(self.plan):
            return None
        content = content_of(self.inside(PLAN), PlanError, "plan", most_bytes=MOST_TOML_BYTES)
        try:
            content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise PlanError(
                "no-text",
                "the plan cannot be read as text",
                where=str(self.plan),
                expected="a file in UTF-8",
                remedy="save it as UTF-8, or move it away",
            ) from None
        return content

    def toml_text(self) -> str:
        """Return the plan's text; "" if there is none. Errors as of `plan_text`; PlanError if it is not TOML."""
        text = self.plan_text() or ""
        try:
            toml_tables(text)
        except (ValueError, RecursionError):
            load_plan(self.plan)  # which says what is wrong where
        return text

    def load_plan(self) -> CheckedPlan:
        """Return the plan, if every file that it names is below the folder.

        Raises:
            SynthReleaseError: it is not valid, or a file is not.
        """
        self.plan_text()  # which follows no link out of the folder
        plan = load_plan(self.plan)
        for path in _named_by(plan):
            if not self._has(path):
                raise ArgumentError(
                    "outside-the-project",
                    "the plan names a file outside the project, which the studio does not read",
                    where=str(path),
                    expected=f"a path below {self.folder}, links resolved",
                    remedy="move the file into the folder, or use the commands in a terminal, which have no such limit",
                )
        return plan

    def inside(self, name: str) -> Path:
        """Return a path below the folder, links resolved.

        Raises:
            ArgumentError: there is nothing of this name in the folder, or something below it leads out.
        """
        try:
            path = (self.folder / name).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            path = None
        if path is None or not all(map(self._has, (path, *_below(path, hidden=True)))):
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

    def files(self, *endings: str, fits: Callable[[Path], bool] = Path.is_file) -> list[Path]:
        """Return the files of some endings, and those of all endings without any, which links do not lead out of the folder; not hidden ones, nor those whose names no page and no plan can write.

        Args:
            endings: of their names.
            fits: what else they must be.
        """
        found: list[Path] = []
        for path in _below(self.folder):
            if len(found) == _MOST_FILES:
                break
            is_wanted = path.name.lower().endswith(endings or "") and _is_text(str(path))
            if is_wanted and self._has(path) and fits(path):
                found.append(path)
        return found

    def _has(self, path: Path) -> bool:
        """Whether a path is below the folder, links resolved."""
        try:
            return path.resolve().is_relative_to(self.folder)
        except (OSError, RuntimeError):  # links in a circle
            return False


def digest(raw: bytes) -> str:
    """Return a text that is the same for the same plan alone: its SHA-256."""
    return hashlib.sha256(raw).hexdigest()


def _is_text(name: str) -> bool:
    return name == name.encode("utf-8", "replace").decode("utf-8")


def _below(folder: Path, *, hidden: bool = False) -> Iterator[Path]:
    """Files below a folder, links to folders among them if they may be hidden; none below a file."""
    for place, folders, files in os.walk(
        folder
    ):  # which leaves out what may not be read, and follows no link
        folders[:] = sorted(name for name in folders if hidden or not name.startswith("."))
        links = [name for name in folders if hidden and Path(place, name).is_symlink()]
        for name in sorted((*files, *links)):
            path = Path(place, name)
            if hidden or (not name.startswith(".") and os.path.isfile(path)):  # noqa: PTH113  no error where links may not be followed
                yield path


def _named_by(plan: CheckedPlan) -> Iterator[Path]:
    """All files that a plan names but its ledger, which projects share, with other words of outputs, which are no paths out; those below a folder after the folder."""
    for spec in plan.inputs.values():
        yield spec.path
    for output in plan.outputs:
        listed = plan.inputs[output.input].options.get("stimuli", ())
        for word in output.options.values():
            if isinstance(word, str):
                for name in ("", *listed):
                    path = plan.path.parent / word.replace("{stimulus}", name)
                    yield path
                    yield from _below(path, hidden=True)
    for spec in plan.inputs.values():
        yield from spec.files()
