"""Where a bundle and its sidecar go: their names, what may not be replaced, and who else is writing them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from synthrelease.bundle.layout import ENDING, SIDECAR_ENDING
from synthrelease.errors import Argument, MachineError, Remedy
from synthrelease.files import atomic, partial_files
from synthrelease.files.missing import missing_folder
from synthrelease.files.partial_files import Partial
from synthrelease.files.unwritable import ADDED_BYTES, refuse_replacing, refuse_taken, writing
from synthrelease.plan.plan import CheckedPlan

_AGAIN = "; building again is another release and spends ε again"
_REBUILD = Remedy(
    "give the release a new version, or name another file with -o; to replace it: ",
    Argument("force", True),
    _AGAIN,
)
_LEFT_BEHIND = Remedy(
    "the bundle of this manifest is missing: restore it, or replace the manifest: ",
    Argument("force", True),
    _AGAIN,
)


def mode_of(seeded: object) -> int:
    """Return who may read and write a bundle and its sidecar: who guesses a test seed reads the data."""
    return atomic.OWNER_ALONE if seeded else atomic.FOR_ALL


def target(plan: CheckedPlan, output: str | Path | None, test_seed: int | None) -> Path:
    """Return the bundle's place: as asked, or named after the release. It ends in .h5; a test seed stands in the name.

    So no two bundles of a folder have one sidecar.
    """
    path = Path(output or default_name(plan))
    if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113  those of a path raise
        return path  # a folder or a device, which will be refused
    if path.suffix != ENDING:
        path = path.with_name(path.name + ENDING)
    if test_seed is not None and "TEST-SEED" not in path.name:
        path = path.with_name(f"{path.stem}.TEST-SEED{path.suffix}")
    return path


def default_name(plan: CheckedPlan) -> str:
    """Return the default name of a bundle."""
    return f"{plan.release['name']}-{plan.release['version']}{ENDING}"


@contextmanager
def reserved(
    path: Path, requested: str | Path | None, plan: CheckedPlan, policy: str | Path | None, *, force: bool
) -> Iterator[list[Partial]]:
    """Hold the place of a bundle and its sidecar from before anything is paid; give the partial files of both.

    What killed builds left there is removed.

    Args:
        path: of the bundle.
        requested: the name that was asked for, which may end otherwise: it must not be that of a file that is needed.
        plan: of the release.
        policy: of the release.
        force: replace what is there.

    Raises:
        MachineError: the bundle cannot have this place, or another build is writing it.
    """
    _refuse_place(path, requested, plan, policy, force=force)
    with partial_files.partials(path, sidecar(path), alone=True) as files:
        for written in files:  # another build may just have taken the name
            refuse_taken(written.target, _REBUILD, force=force)
        yield files


def _refuse_place(
    path: Path, requested: str | Path | None, plan: CheckedPlan, policy: str | Path | None, *, force: bool
) -> None:
    with writing(path):
        sources = [*plan.files().items(), ("the policy", None if policy is None else Path(policy))]
        _check_folder(path)
        refuse_taken(path, force=True)
        sweep(path)
        for written in (Path(requested or path), path, sidecar(path)):
            refuse_replacing(written, sources, "bundle")
        if path.exists() or not os.path.lexists(sidecar(path)):
            refuse_taken(path, _REBUILD, force=force)
        refuse_taken(sidecar(path), _LEFT_BEHIND, force=force)


def _check_folder(path: Path) -> None:
    """Refuse a folder that cannot be written, or whose file names cannot be listed."""
    if not os.access(path.parent, os.R_OK | os.W_OK | os.X_OK):
        folder, missing = str(path.parent), missing_folder(path)
        raise MachineError(
            "cannot-write",
            "the file cannot be written",
            where=str(path),
            found=f"no folder {missing}"
            if missing
            else f"no permission to read and write the folder {folder}",
            remedy=f"make the folder: mkdir -p {shlex.quote(folder)}"
            if missing
            else "choose another folder, or change its permissions",
        )
    most = os.pathconf(path.parent, "PC_NAME_MAX") - ADDED_BYTES
    longest = max(len(os.fsencode(written.name)) for written in (path, sidecar(path)))
    if longest > most:
        raise MachineError(
            "name-too-long",
            "the name is too long",
            where=str(path),
            found=f"{longest} bytes with the ending of its manifest",
            expected=f"at most {most}",
            remedy="choose a shorter name",
        )


def sweep(path: Path) -> None:
    """Remove what killed builds of a bundle left half written, and nothing that is written now."""
    for written in (path, sidecar(path)):
        partial_files.sweep(written)


def sidecar(path: Path) -> Path:
    """Return the place of a bundle's manifest as a file of its own; of a folder without a name, too, which others refuse."""
    return path.parent / f"{path.stem}{SIDECAR_ENDING}"
