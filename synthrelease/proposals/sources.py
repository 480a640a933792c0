"""How to read the files and folders of a curator: format, separator, names of columns, pattern, as far as they show it."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synthrelease.bundle.layout import ENDING, FIRST_WORDS
from synthrelease.data.readers import FOLDERS, READERS, reader_for
from synthrelease.data.readers.delimited import Delimited, other_table
from synthrelease.data.readers.folder import matching_files
from synthrelease.data.source import Source
from synthrelease.errors import Argument, DataError, Remedy
from synthrelease.files.reading import open_regular

_SEPARATORS = (None, ";", "\t", "|", ",")
_NUMBER = re.compile(r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*")
_ABOUT = re.compile(r"(read_?me|licen[cs]e|copying|notice|changes|changelog|citation)\b.*", re.IGNORECASE)
_MOST_KINDS = 4  # of tables in one folder
_RARE_FRACTION = 0.1  # of the files of the commonest kind: files of rarer kinds are left alone


@dataclass(frozen=True)
class SourcesAtPath:
    """What a path holds."""

    sources: tuple[Source, ...]  # a file, or files that are read as one table, each
    left_alone: tuple[str, ...] = ()  # names of tables in the folder that seem to be something else


def tables_in(path: Path, source_fields: Mapping[str, Any] | None = None) -> SourcesAtPath:
    """Return how to read a file, or a folder.

    Args:
        path: of it.
        source_fields: fields of the source that are known, such as `pattern`.

    Raises:
        DataError: it cannot be read, or a folder has tables that its files' names do not distinguish.
        MachineError: it may not be read.
    """
    source = Source(path, **(source_fields or {}))
    if source.format:
        return SourcesAtPath((source,))
    if source.pattern:
        first = _above_blank(_read_as(replace(matching_files(source)[0].source, pattern="")))
        as_first = {key: getattr(first, key) for key in ("separator", "header", "stop_at_blank")}
        return SourcesAtPath((replace(source, **as_first),))
    return _folder(source) if path.is_dir() else SourcesAtPath((_above_blank(_read_as(source)),))


def data_files(path: Path) -> list[Path]:
    """Return a file itself, or all files of a folder that could be read; bundles, which are no private data, are left out."""
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.rglob("*") if is_data(file, path))


def is_data(file: Path, folder: Path) -> bool:
    """Return whether a file of a folder could be data: by its name, neither hidden, nor in a hidden folder, nor about the data; no bundle."""
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    about = _ABOUT.fullmatch(file.name)
    is_readable = not (hidden or about) and file.is_file() and any(reader.matches(file) for reader in READERS)
    return is_readable and not _is_bundle(file)


def name_of(source: Source) -> str:
    """Return what messages call a source."""
    return source.pattern or source.path.name


def inferred_pattern(names: Sequence[str]) -> str:
    """Return the pattern that names of files have in common: what differs becomes `{part_1}`, `{part_2}` and so on.

    Letters and numbers are separate parts: `P1_R2.csv`, `P10_R1.csv` give `P{part_1}_R{part_2}.csv`. Where names are not built alike, all of a
    name but its ending is one part.
    """
    split = [re.findall(r"\d+|[^\W\d_]+|[\W_]", name) for name in names]
    if len({len(tokens) for tokens in split}) == 1:
        pattern, count = "", 0
        for tokens in zip(*split, strict=True):
            if len(set(tokens)) == 1:
                pattern += tokens[0].replace("{", "*").replace("}", "*")
            elif all(map(str.isdecimal, tokens)) or all(map(str.isalpha, tokens)):
                count += 1
                pattern += f"{{part_{count}}}"
            else:
                break
        else:
            return pattern
    folders = "**/" if any("/" in name for name in names) else ""
    return f"{folders}{{part_1}}{_ending(names[0])}"


def _read_as(source: Source) -> Source:
    """Find a text's separator, and names for its columns if its first line is data; other kinds say that themselves."""
    if not isinstance(reader_for(source), Delimited) or source.header:
        return source
    separators = _SEPARATORS if source.separator is None else (source.separator,)
    for separator in separators:
        candidate = replace(source, separator=separator)
        try:
            names = reader_for(candidate).column_names(candidate)
        except DataError as error:
            if error.code == "one-column" and separator != separators[-1]:
                continue
            raise
        if len(names) > 1:
            break
    # One number is enough: names that are cells would be printed, and written into the plan.
    if any(_NUMBER.fullmatch(name) for name in names):
        return replace(candidate, header=tuple(f"column_{number}" for number in range(1, len(names) + 1)))
    return candidate


def _above_blank(source: Source) -> Source:
    """A source of which another table at the end of its text is left out."""
    reader = reader_for(source)
    return replace(source, stop_at_blank=isinstance(reader, Delimited) and other_table(source) is not None)


def _folder(source: Source) -> SourcesAtPath:
    path = source.path
    for folder_format in FOLDERS:
        if folder_format.holds(path):
            formatted = replace(source, format=folder_format.name)
            folder_format.members(formatted)  # what is wrong in it is said
            return SourcesAtPath((formatted,))
    names = [file.relative_to(path).as_posix() for file in data_files(path)]
    if not names:
        raise DataError(
            "no-readable-file",
            "no file of the folder can be read",
            where=str(path),
            expected="; ".join(reader.formats for reader in READERS),
            remedy="give the folder of the recordings, or export them as one of these",
        )
    kinds = defaultdict(list)
    for name in names:
        kinds[_kind_of_table(replace(source, path=path / name))].append(name)
    by_size = _united(source, kinds)
    groups = [group for group in by_size if len(group) >= _RARE_FRACTION * len(by_size[0])]
    left_alone = [name for group in by_size[len(groups) :] for name in group]
    if len(groups) > _MOST_KINDS:
        raise DataError(
            "too-many-tables",
            "the folder has too many kinds of tables",
            where=str(path),
            found=f"{len(groups)}, such as " + ", ".join(group[0] for group in groups[:_MOST_KINDS]),
            expected=f"at most {_MOST_KINDS} kinds, the files of one kind with the same columns",
            remedy=Remedy(
                "give the files for the release, or one kind of them: ",
                Argument("pattern", "P{person}_R{recording}.csv"),
            ),
        )
    return SourcesAtPath(tuple(_of_group(source, group) for group in groups), tuple(left_alone))


def _united(source: Source, kinds: Mapping[tuple[str, ...], list[str]]) -> list[list[str]]:
    """Names of files that are read as one table, the largest group first: also those that differ in some columns, where their names are like the others'."""
    groups: list[tuple[tuple[str, ...], list[str]]] = []
    for kind, names in sorted(kinds.items(), key=lambda group: -len(group[1])):
        alike = (
            others
            for larger, others in groups
            if len(others) > 1 and _are_alike(kind, larger) and set(names) <= _fitting(source, others)
        )
        group = next(alike, None)
        if group is None:
            groups.append((kind, names))
        else:
            group += names
    return sorted((names for _, names in groups), key=len, reverse=True)


def _are_alike(kind: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two kinds of tables have the same ending and separator, and at least half of their columns in common."""
    columns, others = set(kind[2:]), set(other[2:])
    return kind[:2] == other[:2] and len(columns & others) >= len(columns | others) / 2


def _fitting(source: Source, names: Sequence[str]) -> set[str]:
    """Names of the files that fit the pattern of some names."""
    files = matching_files(replace(source, pattern=inferred_pattern(names)))
    return {file.source.path.relative_to(source.path).as_posix() for file in files}


def _kind_of_table(source: Source) -> tuple[str, ...]:
    """What files have in common that are read as one table: their ending, and the columns that a first line names."""
    ending = _ending(source.path.name).lower()
    if not isinstance(reader_for(source), Delimited):
        return (ending,)
    read = _read_as(source)
    return (ending, read.separator or "", *(read.header or reader_for(read).column_names(read)))


def _of_group(source: Source, names: Sequence[str]) -> Source:
    first = _above_blank(_read_as(replace(source, path=source.path / names[0])))
    if len(names) == 1:
        return first
    joint = replace(first, path=source.path, pattern=inferred_pattern(names))
    fitting = _fitting(source, names)
    if fitting != set(names):
        raise DataError(
            "tables-not-told-apart",
            "the folder has different tables, and their file names do not distinguish them",
            where=str(source.path),
            found=f"{len(names)} files such as {names[0]}, among {len(fitting)} with similar names",
            expected="the same columns in all files, or file names that distinguish them",
            remedy=Remedy(
                "move the others elsewhere, or give the pattern of these names: ",
                Argument("pattern", "P{person}_gaze.csv"),
            ),
        )
    return joint


def _ending(name: str) -> str:
    """The last suffix of a file's name, and the one before it of a compressed file."""
    suffixes = re.search(r"(\.[A-Za-z]\w*)?(\.\w+)$", Path(name).name)
    if suffixes is None:
        return ""
    return suffixes[0] if suffixes[2].lower() == ".gz" else suffixes[2]


def _is_bundle(file: Path) -> bool:
    """Whether a file is a release of ours, by its first words."""
    if file.suffix != ENDING:
        return False
    try:
        with os.fdopen(open_regular(file), "rb") as content:
            return content.read(len(FIRST_WORDS)) == FIRST_WORDS
    except OSError:
        return False
