"""Writing an export: a verified bundle into a folder, in one of the forms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from synthrelease.bundle import Bundle
from synthrelease.exports.folder import atomic_folder, files_in
from synthrelease.exports.formats import FORMATS
from synthrelease.exports.options import NO_OPTIONS, ExportOptions
from synthrelease.exports.task import ExportTask

if TYPE_CHECKING:
    from synthrelease.parallel import Progress


@dataclass(frozen=True)
class Exported:
    """What was written."""

    files: int  # how many
    size: int  # of all of them together, in bytes
    warnings: tuple[str, ...]  # what the curator should know
    test_seed: bool  # whether it says that it must not be published, since the noise can be repeated


def export(
    bundle: Bundle,
    form: str,
    target: Path,
    *,
    force: bool = False,
    options: ExportOptions = NO_OPTIONS,
    progress: Progress | None = None,
) -> Exported:
    """Write a bundle into a folder that other tools read: all of it, or nothing.

    Args:
        bundle: one that `verify` found no fault in, of the manifest that it returned; values that are not its are refused.
        form: one of `FORMATS`.
        target: the folder, new or empty.
        force: replace an older export there.
        options: what the form takes besides.
        progress: called with (what, done, total).

    Raises:
        BundleError: the file was changed since.
        ArgumentError: there are no such records, or no synthetic trials of gaze in a bundle that they are asked of.
        DataError: the form cannot hold something that is in the bundle, or a picture of a stimulus cannot be read.
        MachineError: the folder holds something else, or the disk or a permission is in the way.
    """
    with atomic_folder(target, force=force) as folder:
        warnings = FORMATS[form].write(ExportTask(bundle, folder, options, progress))
        files = files_in(folder)
        size = sum(path.stat().st_size for path in files)
    return Exported(len(files), size, tuple(warnings), bool(bundle.manifest["randomness"]["test_seed"]))
