"""What a look at the first rows of a source adds to how it is read: messages of EyeLink, lists in cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synthrelease.data.readers import reader_for
from synthrelease.data.readers.delimited import Delimited
from synthrelease.data.readers.eyelink import EyeLink
from synthrelease.data.readers.folder import matching_files
from synthrelease.data.source import Source
from synthrelease.errors import Argument, DataError, Remedy
from synthrelease.proposals.excerpt import Excerpt, excerpt_of
from synthrelease.proposals.list_cells import list_columns
from synthrelease.proposals.messages import trial_messages
from synthrelease.proposals.sources import name_of, tables_in


@dataclass(frozen=True)
class FirstLook:
    """A source as it is read, and its first rows."""

    excerpt: Excerpt
    first: Path  # one of its files
    words: tuple[str, ...] = ()  # of the recording's messages, to choose among
    other_lists: tuple[str, ...] = ()  # columns of lists of other lengths than those that are unpacked

    @property
    def source(self) -> Source:
        """How it is read."""
        return self.excerpt.source


def first_look(source: Source) -> FirstLook:
    """Return how a source is read, and its first rows.

    Raises:
        DataError, MachineError: it cannot be read.
    """
    first = matching_files(source)[0].source if source.pattern and not source.format else source
    reader = reader_for(first)
    words: tuple[str, ...] = ()
    if isinstance(reader, EyeLink):
        messages, words = trial_messages(first.path)
        source = replace(source, messages=source.messages or messages)
    excerpt = excerpt_of(source)
    lists: list[list[str]] = list_columns(excerpt.frame) if isinstance(reader, Delimited) else []
    if lists and not source.lists:
        excerpt = excerpt_of(replace(source, lists=tuple(lists[0])))
    return FirstLook(excerpt, first.path, words, tuple(name for names in lists[1:] for name in names))


def only_source(path: Path, source_fields: Mapping[str, Any]) -> Source:
    """Return how the one table of a file or a folder is read.

    Args:
        path: of it.
        source_fields: fields of the source that are known.

    Raises:
        DataError: it cannot be read, or holds several tables.
        MachineError: it may not be read.
    """
    sources: Sequence[Source] = tables_in(path, source_fields).sources
    if len(sources) > 1:
        raise DataError(
            "several-tables",
            "the folder holds several tables",
            where=str(path),
            found=", ".join(map(name_of, sources)),
            expected="one",
            remedy=Remedy("name the files of one of them: ", Argument("pattern", name_of(sources[0]))),
        )
    return first_look(sources[0]).source
