"""TOML files that people write, checked against a shipped schema."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from synthrelease.errors import MachineError, PlanError
from synthrelease.plan.complaints import explained
from synthrelease.schemas import schema, validator

# Of a place and a schema's complaint: a refusal, if it needs words of its own.
Explain = Callable[[str, Any], PlanError | None]
FILL_IN = "FILL IN"  # stands where a person must decide, in what `synthrelease init` writes
_MAKE = {"plan": ", or let `synthrelease init DATA` propose a plan"}


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
    text = _text(path, what)
    try:
        document = _toml(path, text, what)
        refuse_misfit(path, document, what, explain=explain)
    except RecursionError:
        raise PlanError(
            "nested-too-deeply",
            f"the {what} has lists or tables within each other without end",
            where=str(path),
            expected=f"the keys of a {what}",
            remedy="take the brackets out",
        ) from None
    return document, text


def _toml(path: Path, text: bytes, what: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise PlanError(
            "not-utf8",
            f"the {what} is not UTF-8 text",
            where=str(path),
            expected="a TOML file",
            remedy="save it as UTF-8",
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise PlanError(
            "bad-syntax",
            f"the {what} is not valid TOML",
            where=str(path),
            found=str(error),
            remedy='correct that line: key = value, with text in quotes ("…") and lists in brackets ([…])',
        ) from None


def _text(path: Path, what: str) -> bytes:
    try:
        return path.read_bytes()
    except PermissionError:
        raise MachineError(
            "cannot-read", f"the {what} may not be read", where=str(path), remedy="check its permissions"
        ) from None
    except (OSError, ValueError):
        raise PlanError(
            "no-such-file",
            f"there is no such {what}",
            where=repr(str(path))[1:-1],
            expected="a TOML file",
            remedy="correct the path" + _MAKE.get(what, ""),
        ) from None


def refuse_misfit(
    path: Path,
    document: dict[str, Any],
    what: str,
    *,
    explain: Explain | None = None,
    lists_shown: bool = True,
) -> None:
    """Refuse what does not fit the schema `<what>-v1`; arguments as of `read_settings`.

    What is no file but what a program gave may hold a private column where a list belongs: then `lists_shown` is false.

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
            "some values are still to be filled in",
            where=str(path),
            found=f'"{FILL_IN}" at {", ".join(places)}',
            remedy="replace each, or take it out of its list; what stands beside it in the file says what is usual",
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
    """Refuse what TOML has and a plan cannot use; a schema of JSON does not know them."""
    for place, value in _values(document):
        dated = isinstance(value, dt.date | dt.time)
        if dated or (isinstance(value, int) and abs(value) >= 1 << 63):
            raise PlanError(
                "bad-value",
                "the value is not possible",
                where=f"{path}: {place}",
                found="a date or a time" if dated else "a whole number of more than 64 bits",
                expected="a number, text, a list or a table",
                remedy="write it in quotes" if dated else "write it with a decimal point, or in quotes",
            )


def _values(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield all that is neither a list nor a table, with its place."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _values(entry, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _values(entry, f"{place}[{number}]")
    else:
        yield place, value


def _unseen(refusal: PlanError, value: Any) -> PlanError:
    """A refusal that does not repeat a list, or what stands in one."""
    hidden = refusal.code == "unknown-choice"  # the problem repeats what was found
    return PlanError(
        "bad-value" if hidden else refusal.code,
        "the value is not possible" if hidden else refusal.problem,
        where=refusal.where,
        found=f"a list of {len(value)}" if isinstance(value, list) else "",
        expected=refusal.expected,
        remedy="correct the value" if refusal.found else refusal.remedy,  # which may repeat what was found
    )


def _to_fill_in(value: Any, place: str = "") -> Iterator[str]:
    """Yield where somebody still has to decide; a list is one place."""
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
