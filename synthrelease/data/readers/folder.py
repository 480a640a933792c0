"""A folder of files, one for each recording or so, whose names hold what their rows do not say.

In a pattern such as `S_{round:1}{person:3}_S{session}_{task}.csv`, `{name}` becomes a column: any text within one name of a file
or folder, or exactly so many characters. `*` is any text, `**/` any folders; all else stands for itself. Hidden files and folders, such as the `._x.csv`
that macOS writes next to every `x.csv` on a foreign disk, are left alone, and so are Windows' `Thumbs.db` and `desktop.ini`.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from synthrelease.data.readers.opening import folders_below
from synthrelease.data.readers.reader import Piece, Reader, RowFilter
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_PARTS = re.compile(r"\{([A-Za-z_]\w*)(?::([1-9]\d?))?\}|(\*\*/)|(\*)|([^{}*]+)|(.)", re.DOTALL)
_MOST_PARTS = 32  # of a pattern
_OF_SYSTEMS = {"thumbs.db", "desktop.ini"}  # that Windows puts into folders; what macOS does is hidden
_LINE_BITS = 40  # of a place: the line within the file; above them the number of the file


@dataclass(frozen=True)
class File:
    """A file of a folder."""

    source: Source
    cells: dict[str, str]  # what its name says, by column


class Folder:
    """Reader of a folder's files as one table.

    Args:
        reader_for: finds the reader of a file.

    Attributes:
        person: the column that says whose rows are, where the format itself defines that.
    """

    name = "folder"
    formats = "a folder of files, with a `pattern`"
    person = ""
    uses: tuple[str, ...] = (
        "pattern",
        "separator",
        "header",
        "stop_at_blank",
        "lists",
        "table",
        "axes",
        "messages",
    )  # the others by its files

    def __init__(self, reader_for: Callable[[Source], Reader]) -> None:
        self._reader_for = reader_for

    def matches(self, path: Path) -> bool:
        """Whether it is a folder."""
        return path.is_dir()

    def holds(self, path: Path) -> bool:
        """Whether a folder is one of this kind."""
        try:
            self.members(Source(path, format=self.name))
        except DataError:
            return False
        return True

    def members(self, source: Source) -> list[File]:
        """Return the files, in natural order; formats that are folders of a known kind say here which."""
        return matching_files(source)

    def files(self, source: Source) -> list[Path]:
        """Return the files whose names fit the pattern."""
        return [file.source.path for file in self.members(source)]

    def column_names(self, source: Source) -> list[str]:
        """Return what the pattern names, and the columns of the first file."""
        first = self.members(source)[0]
        file_columns = self._reader_for(first.source).column_names(first.source)
        duplicates = sorted(set(file_columns) & set(first.cells))
        if duplicates:
            raise DataError(
                "column-named-twice",
                f"the column '{duplicates[0]}' is named by the pattern and by the files, too",
                where=str(first.source.path),
                remedy="call it otherwise in the pattern",
            )
        return [*first.cells, *file_columns]

    def columns_of_all(self, source: Source) -> tuple[list[str], dict[str, list[str]]]:
        """Return the columns that all files have; and, by its name in the folder, which of those that most files have another lacks."""
        files = self.members(source)
        columns = {
            file.source.path.relative_to(source.path).as_posix(): self._reader_for(file.source).column_names(
                file.source
            )
            for file in files
        }
        counts = Counter(name for names in columns.values() for name in set(names))
        of_most = [name for name in counts if counts[name] > len(files) / 2]
        lacking = {file: [name for name in of_most if name not in names] for file, names in columns.items()}
        in_all = [
            name for name in self.column_names(source) if counts[name] in (0, len(files))
        ]  # 0: of the pattern
        return in_all, {file: names for file, names in lacking.items() if names}

    def slices(
        self, source: Source, columns: list[str], most_rows: int, row_filter: RowFilter | None = None
    ) -> Iterator[Piece]:
        """Yield the rows of one file after the other; where names of files say which are wanted, no others are opened."""
        names = set() if row_filter is None else set(row_filter.values.to_list())
        for number, file in enumerate(self.members(source)):
            filter_in_file = None if row_filter is None else row_filter._replace(stretch=None)
            if row_filter is not None and row_filter.column in file.cells:
                if file.cells[row_filter.column] not in names:
                    continue
                filter_in_file = None
            file_columns = self._columns_to_read(
                file, [column for column in columns if column not in file.cells]
            )
            for rows in self._reader_for(file.source).slices(
                file.source, file_columns, most_rows, filter_in_file
            ):
                yield _with_cells(rows, file, columns, number)

    def place(self, source: Source, line: int) -> str:
        """Name the file, and the place in it."""
        file = self.members(source)[line >> _LINE_BITS].source
        place = self._reader_for(file).place(file, line & ((1 << _LINE_BITS) - 1))
        return f"{file.path.relative_to(source.path).as_posix()}, {place}"

    def counts(self, source: Source, column: str) -> bool:
        """Whether a file's reader counts the cells of a column; what the names of files say is counted by no one."""
        return any(
            column not in file.cells and self._reader_for(file.source).counts(file.source, column)
            for file in self.members(source)
        )

    def _columns_to_read(self, file: File, columns: list[str]) -> list[str]:
        """Columns to read of a file: one at least, so that its rows are counted; all of them there."""
        present = self._reader_for(file.source).column_names(file.source)
        duplicates = [column for column in columns if present.count(column) > 1]
        if duplicates:
            raise DataError(
                "duplicate-column",
                "two columns have the same name",
                where=f"{file.source.path}, column '{duplicates[0]}'",
                expected="names of their own",
                remedy="rename one in the header",
            )
        missing = [column for column in columns if column not in present]
        if missing:
            near = difflib.get_close_matches(missing[0], present, n=1, cutoff=0.7)
            others = f" (nor {', '.join(map(repr, missing[1:]))})" if missing[1:] else ""
            raise DataError(
                "columns-differ",
                f"there is no column '{missing[0]}'{others}",
                where=str(file.source.path),
                found=f"{len(present)} columns" + (f", of which one is '{near[0]}'" if near else ""),
                expected="the columns that the plan names, in every file of the folder",
                remedy="rename the column there, take the file out of the folder, or leave the column out of the plan",
            )
        return columns or present[:1]


_REMEDY = "correct the input's `pattern`: {name} is a column, * any text, **/ any folders"


def matching_files(source: Source, *, remedy: str = _REMEDY) -> list[File]:
    """Return the files of a folder whose names fit the pattern, in natural order.

    Args:
        source: the folder, with a pattern.
        remedy: what to do if there is none.

    Raises:
        DataError: there is no such folder or no such file, or the pattern is none.
    """
    parts = _parts(source)
    files, unmatched = [], 0
    for name in _names_below(source.path):
        cells = _cells(parts, name)
        if cells is None or name.rpartition("/")[2].lower() in _OF_SYSTEMS:
            unmatched += 1
            continue
        files.append(File(replace(source, path=source.path / name, pattern=""), cells))
    if not files:
        raise DataError(
            "no-file-fits",
            "no file of the folder fits the pattern",
            where=str(source.path),
            found=f"{unmatched} files of other names",
            expected=source.pattern,
            remedy=remedy,
        )
    return files


def pattern_columns(pattern: str) -> list[str]:
    """Return the names in braces, each as often as it stands there."""
    return [match[1] for match in _PARTS.finditer(pattern) if match[1]]


def _parts(source: Source) -> list[_Part]:
    if not source.pattern:
        raise DataError(
            "path-is-folder",
            "the path is a folder",
            where=str(source.path),
            expected="one file, or a folder with a `pattern`",
            remedy="name the file, or add a pattern of file names: pattern = 'S_{person}_{task}.csv'",
        )
    names = pattern_columns(source.pattern)
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise DataError(
            "pattern-names-twice",
            f"the pattern names '{duplicates[0]}' twice",
            where=str(source.path),
            found=source.pattern,
            remedy="call one otherwise; * is any text that becomes no column",
        )
    parts: list[_Part] = []
    for name, length, folders, star, text, stray in _PARTS.findall(source.pattern):
        if stray or len(parts) == _MOST_PARTS:
            raise DataError(
                "bad-pattern",
                "the pattern cannot be read",
                where=str(source.path),
                found=f"a '{stray}' by itself in {source.pattern}"
                if stray
                else f"more than {_MOST_PARTS} parts",
                expected="{name}, or {name:3} for three characters",
                remedy="correct the input's `pattern`",
            )
        is_first = not parts or parts[-1].is_folders or parts[-1].text.endswith("/")
        parts.append(_Part(name, int(length or 0), bool(folders), bool(star), text, is_first))
    return parts


@dataclass(frozen=True)
class _Part:
    """A part of a pattern: a column, of so many characters or of any (0); any folders; any text; or a text that stands for itself."""

    column: str
    length: int
    is_folders: bool
    is_star: bool
    text: str
    is_first: bool  # in the name of a file or folder: what it stands for is not hidden

    def ends(self, name: str, start: int) -> Iterable[int]:
        """Return where it may end that begins at a place, the best first."""
        if self.text:
            return [start + len(self.text)] if name.startswith(self.text, start) else []
        if self.is_folders:
            ends = [start]
            while not name.startswith(".", ends[-1]) and (slash := name.find("/", ends[-1])) > ends[-1]:
                ends.append(slash + 1)
            return reversed(ends)
        if self.is_first and name.startswith(".", start):
            return []
        slash = name.find("/", start)
        last = len(name) if slash < 0 else slash
        if self.length:
            return [start + self.length] if start + self.length <= last else []
        return range(last, start - 1, -1) if self.is_star else range(start + 1, last + 1)

    def starts(self, name: str, ends: int) -> int:
        """Return where it may begin that ends at one of some places; these are bits, the name's end is bit 0, its beginning the highest."""
        if self.text:
            places = (found.start() for found in re.finditer(f"(?={re.escape(self.text)})", name))
            return ends << len(self.text) & sum(1 << len(name) - place for place in places)
        if self.is_folders:
            for place in range(len(name) - 1, -1, -1):
                slash = name.find("/", place)
                if slash > place and name[place] != "." and ends >> len(name) - slash - 1 & 1:
                    ends |= 1 << len(name) - place
            return ends
        within = ~_letters(name, "/") & (1 << len(name)) - 1
        for _ in range(self.length or not self.is_star):
            ends = (ends & within) << 1
        if not self.length:
            ends |= (ends & within) + within ^ within  # the carry goes on to the next slash
        return ends & ~(_letters(name, ".") << 1) if self.is_first else ends


def _cells(parts: Sequence[_Part], name: str) -> dict[str, str] | None:
    """What the name of a file says by column; None if it does not fit.

    As a regular expression would find it. Of many parts there are more ways to fit than can be tried: from the last part to the first
    one finds all places at which it may begin so that the rest fits.
    """
    ends = [1]
    for part in reversed(parts):
        ends.append(part.starts(name, ends[-1]))
    if not ends.pop() >> len(name) & 1:
        return None
    cells, place = dict[str, str](), 0
    for part, fitting in zip(parts, reversed(ends), strict=True):
        end = next(end for end in part.ends(name, place) if fitting >> len(name) - end & 1)
        if part.column:
            cells[part.column] = name[place:end]
        place = end
    return cells


def _letters(name: str, letter: str) -> int:
    """The places of a letter: the last letter is bit 0."""
    return int("".join("1" if one == letter else "0" for one in name), 2)


def _names_below(folder: Path) -> list[str]:
    """Names of all files below a folder, relative to it."""
    names = [
        (below / name).relative_to(folder).as_posix()
        for below, files in folders_below(folder)
        for name in files
    ]
    return sorted(names, key=_natural)


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Numbers in a name by their size."""
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part) for part in re.split(r"([0-9]+)", name)]


def _with_cells(rows: Piece, file: File, columns: list[str], number: int) -> Piece:
    frame, lines = rows
    constants = [pl.lit(text).alias(name) for name, text in file.cells.items() if name in columns]
    return frame.with_columns(constants).select(columns), lines + (number << _LINE_BITS)
