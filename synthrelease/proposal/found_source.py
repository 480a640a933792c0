"""How files and folders of a curator can be read: format, separator, names of columns, pattern, as far as that can be seen."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synthrelease.data.readers import FOLDERS, READERS, reader_for
from synthrelease.data.readers.delimited import Delimited
from synthrelease.data.readers.folder import found_files
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_SEPARATORS = (None, ";", "\t", "|", ",")
_NUMBER = re.compile(r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*")
_ABOUT = re.compile(r"(read_?me|licen[cs]e|copying|notice|changes|changelog|citation)\b.*", re.IGNORECASE)
_MOST_KINDS = 4  # of tables in one folder
_FEW = 0.1  # of the files of the commonest kind: others than it are beside the point


@dataclass(frozen=True)
class Found:
    """What a path holds.

    Attributes:
        sources: a file, or files that are read as one table, each.
        left_alone: names of tables in the folder that seem to be something else.
    """

    sources: tuple[Source, ...]
    left_alone: tuple[str, ...] = ()


def found_sources(path: Path, given: Mapping[str, Any] | None = None) -> Found:
    """Return how to read a file, or a folder.

    Args:
        path: of it.
        given: fields of the source that are known, such as `pattern`.

    Raises:
        DataError: it cannot be read, or a folder holds tables that its files' names do not tell apart.
        MachineError: it may not be read.
    """
    source = Source(path, **(given or {}))
    if path.is_dir() and not (source.format or source.pattern):
        return _folder(source)
    if source.pattern and not source.format:
        first = found_files(source)[0].source
        seen = _read_as(replace(first, pattern=""))
        return Found((replace(source, separator=seen.separator, header=seen.header),))
    return Found((source if source.format else _read_as(source),))


def data_files(path: Path) -> list[Path]:
    """Return a file itself, or all files of a folder that could be read."""
    if not path.is_dir():
        return [path]
    found = (
        one for one in path.rglob("*") if not any(_is_hidden(part) for part in one.relative_to(path).parts)
    )
    return sorted(one for one in found if _readable(one))


def _read_as(source: Source) -> Source:
    """Find a text's separator, and names for its columns if its first line is data; other kinds say that themselves."""
    if not isinstance(reader_for(source), Delimited) or source.header:
        return source
    separators = _SEPARATORS if source.separator is None else (source.separator,)
    for separator in separators:
        found = replace(source, separator=separator)
        try:
            names = reader_for(found).column_names(found)
        except DataError as error:
            if error.code == "one-column" and separator != separators[-1]:
                continue
            raise
        if len(names) > 1 or separator == separators[-1]:
            break
    # One number is enough: names that are cells would be printed, and stand in the plan.
    if any(_NUMBER.fullmatch(name) for name in names):
        found = replace(found, header=tuple(f"column_{number}" for number in range(1, len(names) + 1)))
    return found


def _folder(source: Source) -> Found:
    path = source.path
    for known in FOLDERS:
        own = replace(source, format=known.name)
        if known.holds(path):
            known.found(own)  # what is wrong in it is said
            return Found((own,))
    names = [one.relative_to(path).as_posix() for one in data_files(path)]
    if not names:
        raise DataError(
            "no-readable-file",
            "no file of the folder can be read",
            where=str(path),
            expected="; ".join(reader.formats for reader in READERS),
            remedy="name the folder of the recordings, or export them as one of these",
        )
    kinds = defaultdict(list)
    for name in names:
        kinds[_kind_of_table(replace(source, path=path / name))].append(name)
    groups = sorted(kinds.values(), key=len, reverse=True)
    left = [group for group in groups if len(group) < _FEW * len(groups[0])]
    groups = groups[: len(groups) - len(left)]
    if len(groups) > _MOST_KINDS:
        raise DataError(
            "too-many-tables",
            "the folder holds tables of many kinds",
            where=str(path),
            found=f"{len(groups)}, such as " + ", ".join(group[0] for group in groups[:_MOST_KINDS]),
            expected=f"at most {_MOST_KINDS} kinds, the files of one kind with the same columns",
            remedy='name the files that the release is made of, or one kind: pattern="P{person}_R{recording}.csv"',
        )
    return Found(
        tuple(_of_group(source, group) for group in groups), tuple(name for group in left for name in group)
    )


def _kind_of_table(source: Source) -> tuple[str, ...]:
    """What files have in common that are read as one table: their ending, and the columns that a first line names."""
    ending = _ending(source.path.name).lower()
    if not isinstance(reader_for(source), Delimited):
        return (ending,)
    seen = _read_as(source)
    return (ending, seen.separator or "", *(seen.header or reader_for(seen).column_names(seen)))


def _of_group(source: Source, names: Sequence[str]) -> Source:
    seen = _read_as(replace(source, path=source.path / names[0]))
    if len(names) == 1:
        return seen
    found = replace(seen, path=source.path, pattern=inferred_pattern(list(names)))
    fitting = {file.source.path.relative_to(source.path).as_posix() for file in found_files(found)}
    if fitting != set(names):
        raise DataError(
            "tables-not-told-apart",
            "the folder holds other tables than these, and their names do not tell them apart",
            where=str(source.path),
            found=f"{len(names)} files such as {names[0]}, among {len(fitting)} that are called alike",
            expected="the same columns in all files, or names that say which they are",
            remedy='move the others elsewhere, or say how these are called: pattern="P{person}_gaze.csv"',
        )
    return found


def inferred_pattern(names: list[str]) -> str:
    """Return the pattern that names of files have in common: what differs becomes `{part_1}`, `{part_2}` and so on.

    Letters and numbers are told apart: `P1_R2.csv`, `P10_R1.csv` give `P{part_1}_R{part_2}.csv`. Where names are not built alike, all of a
    name but its ending is one part.
    """
    split = [re.findall(r"\d+|[^\W\d_]+|[\W_]", name) for name in names]
    if len({len(parts) for parts in split}) == 1:
        out, count = [], 0
        for own in zip(*split, strict=True):
            kinds = {_kind(part) for part in own}
            if len(set(own)) == 1:
                out.append(own[0].replace("{", "*").replace("}", "*"))
            elif len(kinds) == 1 and kinds != {"other"}:
                count += 1
                out.append(f"{{part_{count}}}")
            else:
                break
        else:
            return "".join(out)
    folders = "**/" if any("/" in name for name in names) else ""
    return f"{folders}{{part_1}}{_ending(names[0])}"


def _kind(part: str) -> str:
    return "number" if part.isdecimal() else "word" if part.isalpha() else "other"


def _ending(name: str) -> str:
    found = re.search(r"(\.[A-Za-z]\w*)?\.\w+$", Path(name).name)
    whole = found[0] if found else ""
    return whole if whole.lower().endswith(".gz") else whole[whole.rfind(".") :] if whole else ""


def _is_hidden(name: str) -> bool:
    return name.startswith(".")


def _readable(path: Path) -> bool:
    """Whether it is a file of data, by its name."""
    return (
        not _ABOUT.fullmatch(path.name) and path.is_file() and any(reader.matches(path) for reader in READERS)
    )
