"""How a file or a folder of a curator can be read: its format, separator, names of columns, and pattern, as far as that can be seen."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

from synthrelease.data.readers import FOLDERS, READERS, reader_for
from synthrelease.data.readers.delimited import Delimited
from synthrelease.data.source import Source
from synthrelease.errors import DataError

_SEPARATORS = (None, ";", "\t", "|", ",")
_NUMBER = re.compile(r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*")


def found_source(path: Path) -> Source:
    """Return how to read a file, or a folder with a file for each recording.

    Raises:
        DataError: it cannot be read, or a folder holds files of several kinds.
    """
    if path.is_dir():
        return _folder(path)
    source = Source(path)
    return _text(source) if isinstance(reader_for(source), Delimited) else source


def data_files(path: Path) -> list[Path]:
    """Return a file itself, or all files of a folder that could be read."""
    return [one for one in path.rglob("*") if _readable(one)] if path.is_dir() else [path]


def _text(source: Source) -> Source:
    """A text's separator, and names for its columns if its first line is data."""
    for separator in _SEPARATORS:
        found = replace(source, separator=separator)
        try:
            names = reader_for(found).column_names(found)
        except DataError as error:
            if "one column only" in error.problem:
                continue
            raise
        if len(names) > 1 or separator == _SEPARATORS[-1]:
            break
    # One number is enough: names that are cells would be printed, and stand in the plan.
    if any(_NUMBER.fullmatch(name) for name in names):
        found = replace(found, header=tuple(f"column_{number}" for number in range(1, len(names) + 1)))
    return found


def _folder(path: Path) -> Source:
    for known in FOLDERS:
        source = Source(path, format=known.name)
        try:
            known.found(source)
        except DataError:
            continue
        return source
    names = sorted(one.relative_to(path).as_posix() for one in data_files(path))
    kinds = Counter(_ending(name) for name in names)
    if not kinds:
        raise DataError(
            "no file of the folder can be read",
            where=str(path),
            expected="; ".join(reader.formats for reader in READERS),
        )
    ending = kinds.most_common(1)[0][0]
    chosen = [name for name in names if _ending(name) == ending]
    pattern = inferred_pattern(chosen)
    first = _text(Source(path / chosen[0])) if _is_text(path / chosen[0]) else Source(path / chosen[0])
    return replace(first, path=path, pattern=pattern)


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


def _readable(path: Path) -> bool:
    return path.is_file() and any(reader.matches(path) for reader in READERS)


def _is_text(path: Path) -> bool:
    return isinstance(reader_for(Source(path)), Delimited)
