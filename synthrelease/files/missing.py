"""What to say of a path at which there is no file: the file with the most similar name."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

_MOST_FILES = 10_000  # of a folder that is looked through


def nearest_file(path: Path) -> str:
    """Return a question with the file or folder of the same place whose name is most similar; empty if none is similar.

    Args:
        path: at which there is nothing.
    """
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry, _ in zip(entries, range(_MOST_FILES), strict=False)]
    except (OSError, ValueError):
        return ""
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.7)
    return f"did you mean '{near[0]}'?" if near and near[0] != path.name else ""


def missing_folder(path: Path) -> str:
    """Return a path's folder if that is not there, either; else an empty text."""
    try:
        return "" if path.absolute().parent.is_dir() else str(path.absolute().parent)
    except (OSError, ValueError):
        return ""
