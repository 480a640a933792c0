"""Where the rows of an input are, and how they are written there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from synthrelease.data.in_memory import InMemoryFrame


@dataclass(frozen=True)
class Source:
    """A file, a folder of files, or a frame in memory."""

    path: Path  # of the file or the folder
    separator: str | None = None  # of delimited text, if not the usual one
    header: tuple[str, ...] = ()  # names of the columns of a file that does not name them itself
    # of a folder: how the names of its files are made, with columns in braces, such as
    # `S_{person}_{task}.csv`
    pattern: str = ""
    format: str = ""  # the name of a format, where neither the path nor the pattern says it
    table: str = ""  # what is read of a file that holds several things
    axes: tuple[str, ...] = ()  # what the axes of arrays are, the outermost first
    # regular expressions whose named groups become columns, of recordings with messages
    messages: tuple[str, ...] = ()
    stop_at_blank: bool = False  # whether rows of text end at a blank line: another table may stand below
    lists: tuple[str, ...] = ()  # columns of text whose cells hold lists, each element of which is a row
    # rows in memory, in place of a file; `path` is then only how messages call them
    frame: InMemoryFrame | None = None

    @classmethod
    def of(cls, source: Source | Path) -> Source:
        """Return a source as it is, and a path as a source that says all by its name."""
        return source if isinstance(source, Source) else cls(source)
