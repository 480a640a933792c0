"""TOML files written by hand, checked against a shipped schema."""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from synthrelease.errors import PlanError
from synthrelease.files.reading import content_of
from synthrelease.files.toml_reading import MOST_TOML_BYTES, toml_tables
from synthrelease.plan.complaints import explained
from synthrelease.schemas import schema, validator

# Of a place and a schema's complaint: a refusal, if it needs a text of its own.
Explain = Callable[[str, Any], PlanError | None]
FILL_IN = "FILL IN"  # stands where the curator must decide, in what `synthrelease init` writes
_MAKE = {"plan": ", or let `synthrelease init DATA` propose a plan"}
_SYNTAX_PLACE = re.compile(
    r"(?P<what>.*?)\s*\(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)"
)
_CURLY_QUOTES = re.compile("[“”„«»]")
_DECIMAL_COMMA = re.compile(r"(\d+),(\d+)")
_SHOWN = 72  # characters of a line in a message
_UNQUOTED = re.compile(r"\s*(?P<key>[\w.-]+)\s*=(?!\s*[\"'\[{])\s*(?P<value>[^#]*[^#\s])")


def read_settings(path: Path, what: str, *, explain: Explain | None = None) -> tuple[dict[str, Any], bytes]:
    """Return a file that fits the schema `<what>-v1`, and its text.

    Args:
        path: the file.
        what: "plan" or "policy".
        explain: makes the refusal of complaints that need words of their own.

    Raises:
        PlanError: it is not TOML, or does not fit the schema.
        MachineError: it may not be read.
    """
    text = content_of(
        path, PlanError, what, most_bytes=MOST_TOML_BYTES, missing="correct the path" + _MAKE.get(what, "")
    )
    try:
        document = _toml(path, text, what)
        refuse_misfit(path, document, what, explain=explain)
    except RecursionError:
        raise PlanError(
            "nested-too-deeply",
            f"the lists or tables of the {what} are nested too deeply",
            where=str(path),
            expected=f"the keys of a {what}",
            remedy="remove brackets",
        ) from None
    return document, text


def _toml(path: Path, text: bytes, what: str) -> dict[str, Any]:
    try:
        decoded = text.decode("utf-8-sig")
        return toml_tables(decoded)
    except UnicodeDecodeError:
        raise PlanError(
            "not-utf8",
            f"the {what} is not UTF-8 text",
            where=str(path),
            expected="a TOML file",
            remedy="save it as UTF-8",
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise _bad_syntax(path, decoded, what, str(error)) from None


def _bad_syntax(path: Path, text: str, what: str, complaint: str) -> PlanError:
    """Return the refusal of what is not TOML: the line, and what is usually wrong with such a line.

    Of a file of another name, such as a table of data, nothing is shown.
    """
    place = _SYNTAX_PLACE.fullmatch(complaint)
    lines = text.splitlines()
    number = int(place["line"]) if place and place["line"] else len(lines)
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    column = int(place["column"]) if place and place["column"] else len(line) + 1
    if path.suffix.lower() != ".toml":
        return PlanError(
            "bad-syntax",
            f"the {what} is not valid TOML",
            where=f"{path}, line {number}, column {column}",
            found="a file whose name does not end with .toml",
            remedy=f"give the {what}: a file that ends with .toml",
        )
    what_is_wrong, remedy = _slip(line, column)
    return PlanError(
        "bad-syntax",
        f"the {what} is not valid TOML: {what_is_wrong or (place['what'] if place else complaint)}",
        where=f"{path}, line {number}, column {column}",
        found=_around(line, column),
        remedy=remedy,
    )


def _slip(line: str, column: int) -> tuple[str, str]:
    """What is usually wrong with such a line, empty if that is not known; and what to do."""
    unquoted = _UNQUOTED.match(line)
    before, after = line[: column - 1].rstrip(), line[column - 1 :].split("#", maxsplit=1)[0].strip()
    if before.endswith(",") and after.startswith("}"):
        return "a comma before }", "remove the comma before }: TOML has none at the end of an inline table"
    if _CURLY_QUOTES.search(line):
        return "curly quotes", 'use straight quotes: "…"'
    if unquoted and (comma := _DECIMAL_COMMA.fullmatch(unquoted["value"].strip())):
        return "a decimal comma", f"write {unquoted['key']} = {comma[1]}.{comma[2]}"
    if line.count('"') % 2 and line.count('"""') == 0:
        return "a quote that is not closed", 'close it: each " needs a second one'
    if unquoted and not line.rstrip().endswith((",", "]", "}")):
        shown = f'{unquoted["key"]} = "{unquoted["value"][:_SHOWN]}"'
        return "text without quotes", f"write text in quotes: {shown}"
    return "", 'write key = value, text in quotes ("…"), lists in brackets ([…])'


def _around(line: str, column: int) -> str:
    """The part of a line around a column, in one line of a message."""
    start = max(0, min(column - _SHOWN // 2, len(line) - _SHOWN))
    part = " ".join(line[start : start + _SHOWN].split())
    return f"{'… ' if start else ''}{part}{' …' if start + _SHOWN < len(line) else ''}"


def refuse_misfit(
    path: Path,
    document: dict[str, Any],
    what: str,
    *,
    explain: Explain | None = None,
    lists_shown: bool = True,
) -> None:
    """Refuse what does not fit the schema `<what>-v1`; arguments as of `read_settings`.

    A document that a program gave may hold a private column where a list belongs: then `lists_shown` is false.

    Raises:
        PlanError: it does not.
    """
    from jsonschema.exceptions import best_match  # noqa: PLC0415  slow to import

    schema_name = f"{what}-v1"
    _refuse_dates_and_long_numbers(path, document)
    places = list(dict.fromkeys(_to_fill_in(document)))
    if places:
        raise PlanError(
            "fill-in",
            "some values are not filled in yet",
            where=str(path),
            found=f'"{FILL_IN}" at {", ".join(places)}',
            remedy="replace each, or remove it from its list; the comments in the file show usual values",
        )
    error = best_match(_leaves(validator(schema_name).iter_errors(document)))
    if error is None:
        return
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
    where = f"{path}: {place.lstrip('.')}" if place else str(path)
    special = explain(where, error) if explain is not None else None
    refusal = special or explained(where, error, schema(schema_name))
    in_list = bool(error.absolute_path) and isinstance(error.absolute_path[-1], int)
    if not lists_shown and (in_list or isinstance(error.instance, list)):
        refusal = _unseen(refusal, error.instance)
    raise refusal


def _refuse_dates_and_long_numbers(path: Path, document: dict[str, Any]) -> None:
    """Refuse types that TOML has and a plan cannot use; a JSON schema does not know them."""
    for place, value in _values(document):
        dated = isinstance(value, dt.date | dt.time)
        if dated or (isinstance(value, int) and abs(value) >= 1 << 63):
            raise PlanError(
                "bad-value",
                "the value is not allowed",
                where=f"{path}: {place}",
                found="a date or a time" if dated else "a whole number of more than 64 bits",
                expected="a number, text, a list or a table",
                remedy="write it in quotes" if dated else "write it with a decimal point, or in quotes",
            )


def _values(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value that is neither a list nor a table, with its place."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _values(entry, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _values(entry, f"{place}[{number}]")
    else:
        yield place, value


def _unseen(refusal: PlanError, value: Any) -> PlanError:
    """A refusal that does not repeat a list, or an entry of one."""
    hidden = refusal.code == "unknown-choice"  # the problem repeats what was found
    return PlanError(
        "bad-value" if hidden else refusal.code,
        "the value is not allowed" if hidden else refusal.problem,
        where=refusal.where,
        found=f"a list of {len(value)}" if isinstance(value, list) else "",
        expected=refusal.expected,
        remedy="correct the value" if refusal.found else refusal.remedy,  # which may repeat what was found
    )


def _to_fill_in(value: Any, place: str = "") -> Iterator[str]:
    """Yield where the curator still has to decide; a list is one place."""
    if value == FILL_IN:
        yield place
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _to_fill_in(entry, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _to_fill_in(entry, f"{place}[{number}]" if isinstance(entry, dict) else place)


def _leaves(errors: Any) -> Iterator[Any]:
    for error in errors:
        if error.validator == "allOf" and error.context:
            yield from _leaves(error.context)
        else:
            yield error
