"""Names made of labels (of stimuli, features), which can be any text: of HDF5 objects, and of the files of a folder."""

from __future__ import annotations

import os.path
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote


def quoted(label: str) -> str:
    """Return a label as an HDF5 name: ASCII, without / and without a lone dot."""
    name = quote(label, safe="")
    return name.replace(".", "%2E") if set(name) <= {"."} else name


def file_of_label(folder: Path, label: str, endings: Sequence[str]) -> Path | None:
    """Return the file of a folder that is called as a label; None if there is none.

    It is called `1001.png` for the labels `1001`, `1001.png` and `1001.jpg` (a photograph and its map), and as in a bundle, with %2F for /, where a label is no name of a file.

    Args:
        folder: no other is looked into, whatever the label.
        label: of a stimulus.
        endings: of the files that count, in small letters, the preferred first.
    """
    names = []
    ending = Path(label).suffix
    if Path(label).name == label:
        names += [label] if ending.lower() in endings else []
        stems = [label, Path(label).stem] if ending[1:2].isalpha() else [label]
        names += [f"{stem}{other}" for stem in stems for other in endings]
    names += [f"{quoted(label)}{other}" for other in endings]
    # Of a label that is longer than names of files can be, `Path.is_file` raises an error.
    return next((folder / name for name in names if os.path.isfile(folder / name)), None)  # noqa: PTH113
