"""What a proposed plan still lacks: each place that says FILL IN, with the comments that stand there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from synthrelease.files.toml_reading import toml_tables
from synthrelease.plan.settings_file import FILL_IN
from synthrelease.studio.fields import Field, Form, Place, field_at

_MOST_MARKS = 32  # of comments in a line that are looked at
_HEADER = re.compile(r"\s*\[+\s*(?P<keys>[^\]]+?)\s*\]+\s*(#.*)?")
_KEY = re.compile(r'\s*(?P<key>[\w-]+|"(?:[^"\\]|\\.)*"|\'[^\']*\')\s*=\s*(?P<rest>.*)')


@dataclass(frozen=True)
class Question:
    """A key that only the curator can decide."""

    field: Field
    reasons: tuple[str, ...]  # comments of the plan: why it is asked, what is usual
    offered: tuple[str, ...] = ()  # found in the data: to be confirmed as part of the study's design

    @property
    def title(self) -> str:
        """The keys, without the group of the input."""
        return " · ".join(str(key) for key in self.field.place if key not in ("inputs", "release", "bounds"))


def questions(text: str) -> list[Question]:
    """Return what is still to be filled in, in the order of the plan.

    Args:
        text: of a plan, which is TOML.
    """
    document = toml_tables(text)
    comments = _comments(text)
    found = []
    for place, value in _unfilled(document, ()):
        field = field_at(place, document)
        reasons = next((comments[place[:n]] for n in range(len(place), 0, -1) if place[:n] in comments), ())
        offered = (
            tuple(map(str, value[1:])) if isinstance(value, list) and field.form is not Form.RANGE else ()
        )
        # What an editor would remove is confirmed here.
        said = tuple(reason.replace(f"remove {FILL_IN}", "confirm it") for reason in reasons)
        found.append(Question(field, said, offered))
    return found


def _unfilled(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    if value == FILL_IN or (isinstance(value, list) and FILL_IN in value):
        yield place, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _unfilled(inner, (*place, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _unfilled(inner, (*place, number))


def _comments(text: str) -> dict[Place, tuple[str, ...]]:
    """The comments above keys and tables, and at the end of their lines."""
    found: dict[Place, tuple[str, ...]] = {}
    above: list[str] = []
    table: Place = ()
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("#"):
            above.append(stripped.lstrip("# "))
            continue
        before = [" ".join(above)] if above else []
        if header := _HEADER.fullmatch(line):
            table = tuple(_keys(header["keys"]))
            found[table] = tuple(before)
        elif key := _KEY.fullmatch(line):
            place = (*table, *_keys(key["key"]))
            at_end = _comment(line)
            if before or at_end:
                found[place] = (*before, *filter(None, [at_end]))
        above = []
    return found


def _keys(text: str) -> list[str]:
    """Dotted keys; none where they are not TOML."""
    try:
        inner: Any = toml_tables(f"{text} = 0")
    except tomllib.TOMLDecodeError:
        return []
    keys = []
    while isinstance(inner, dict):
        key, inner = next(iter(inner.items()))
        keys.append(key)
    return keys


def _comment(line: str) -> str:
    """What stands behind the value in a line: the shortest end that can be left away."""
    for match in reversed(list(re.finditer(r"#", line))[-_MOST_MARKS:]):
        try:
            toml_tables(line[: match.start()])
        except tomllib.TOMLDecodeError:
            continue
        return line[match.end() :].strip()
    return ""
