"""Where the rows of an input are, and how they are written there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from synthrelease.data.held import Held


@dataclass(frozen=True)
class Source:
    """A file, a folder of files, or a frame in memory.

    Attributes:
        path: of the file or the folder.
        separator: of delimited text, if not the usual one.
        header: names of the columns of a file that does not name them itself.
        pattern: of a folder: how the names of its files are made, with columns in braces, such as `S_{person}_{task}.csv`.
        format: the name of a format, where neither the path nor the pattern says it.
        table: what is read of a file that holds several things.
        axes: what the axes of arrays are, the outermost first.
        messages: regular expressions whose named groups become columns, of recordings with messages.
        frame: rows in memory, in place of a file; `path` is then only how messages call them.
    """

    path: Path
    separator: str | None = None
    header: tuple[str, ...] = ()
    pattern: str = ""
    format: str = ""
    table: str = ""
    axes: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    frame: Held | None = None

    @classmethod
    def of(cls, what: Source | Path) -> Source:
        """Return a source as it is, and a path as a source that says all by its name."""
        return what if isinstance(what, Source) else cls(what)
