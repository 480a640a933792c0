"""Where the rows of an input are, and how they are written there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Source:
    """A file, or a folder of files.

    Attributes:
        path: of the file or the folder.
        separator: of delimited text, if not the usual one.
        header: names of the columns of a file that does not name them itself.
        pattern: of a folder: how the names of its files are made, with columns in braces, such as `S_{person}_{task}.csv`.
        format: the name of a format, where neither the path nor the pattern says it.
    """

    path: Path
    separator: str | None = None
    header: tuple[str, ...] = ()
    pattern: str = ""
    format: str = ""

    @classmethod
    def of(cls, what: Source | Path) -> Source:
        """Return a source as it is, and a path as a source that says all by its name."""
        return what if isinstance(what, Source) else cls(what)
