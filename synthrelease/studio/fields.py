"""Fields of a form, from the schema of plans: a key of the plan, what it means, and how what is typed becomes its value."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from synthrelease.errors import ArgumentError
from synthrelease.field_schema import Schema
from synthrelease.files.toml_reading import toml_tables
from synthrelease.plan.toml_text import toml
from synthrelease.schemas import schema

Place = tuple[str | int, ...]  # keys from the top of the plan
_OF_VALUES = "[{\"'"  # what texts without quotes do not begin with


class Form(StrEnum):
    """How a value is typed."""

    TEXT = "text"
    WHOLE = "whole"
    NUMBER = "number"
    YES_NO = "yes-no"
    CHOICE = "choice"
    RANGE = "range"  # two numbers
    LINES = "lines"  # texts, one in each line
    SOME = "some"  # some of several choices
    TABLE = "table"  # a name and its value in each line
    TOML = "toml"  # anything else: as the plan has it, a text also without quotes


@dataclass(frozen=True)
class Field:
    """A key of the plan that is typed."""

    place: Place
    meaning: str  # a sentence; "" where the schema has none
    form: Form
    value: Any = None  # None if the plan does not say it
    choices: tuple[str, ...] = ()
    default: Any = None
    is_required: bool = False

    @property
    def name(self) -> str:
        """Its name in a form."""
        return name_of(self.place)

    @property
    def key(self) -> str:
        """The last key."""
        return str(self.place[-1])

    @property
    def within(self) -> str:
        """Its keys in the part of the plan that it is of."""
        return " · ".join(map(str, self.place[1 if self.place[0] in ("release", "privacy") else 2 :]))

    @property
    def shown(self) -> str:
        """The value as it is typed."""
        return as_typed(self.value, self.form)


def name_of(place: Place) -> str:
    """Return a place as one text."""
    return json.dumps(place, ensure_ascii=False)


def schema_at(place: Sequence[str | int], document: Mapping[str, Any]) -> Schema:
    """Return the schema of a place in a plan; {} where it says nothing.

    Args:
        place: keys from the top.
        document: the plan: what is allowed under an input or an output depends on its kind.
    """
    plan = schema("plan-v1")
    match place:
        case ["inputs" | "outputs" as group, which, *rest]:
            body = document[group][which]
            here = plan["$defs"].get(body.get("kind") if isinstance(body, Mapping) else "", {})
        case [*rest]:
            here = plan
    for key in rest:
        here = _resolved(here)
        if isinstance(key, int):
            here = here.get("items", {})
        else:
            here = here.get("properties", {}).get(key, here.get("additionalProperties", {}))
        if not isinstance(here, Mapping):
            return {}
    return _resolved(here)


def field_at(place: Place, document: Mapping[str, Any], value: Any = None) -> Field:
    """Return the field of a place in a plan."""
    here, above = schema_at(place, document), schema_at(place[:-1], document)
    return Field(
        place,
        here.get("description", ""),
        _form(here),
        value,
        _choices(here) or _choices(_resolved(here.get("items", {}))),
        here.get("default"),
        place[-1] in above.get("required", ()),
    )


def settings_of(place: Place, document: Mapping[str, Any], *, without: Sequence[str] = ()) -> list[Field]:
    """Return the fields of all keys that a part of a plan may have, and of the tables in it.

    Args:
        place: of the part.
        document: the plan.
        without: keys that are left out.
    """
    here: Any = document
    for key in place:
        here = here.get(key) if isinstance(here, Mapping) else here[key] if isinstance(key, int) else None
    here = here if isinstance(here, Mapping) else {}  # by hand, it may be anything
    found: list[Field] = []
    for key, inner in schema_at(place, document).get("properties", {}).items():
        if key in without:
            continue
        if "properties" in _resolved(inner):
            found += settings_of((*place, key), document)
        else:
            found.append(field_at((*place, key), document, here.get(key)))
    return found


def changed(fields: Sequence[Field], sent: Mapping[str, Sequence[str]]) -> dict[Place, Any]:
    """Return what a form changes of some fields, as `edit` takes it."""
    typed = [(field, parsed(field, sent[field.name])) for field in fields if field.name in sent]
    return {field.place: value for field, value in typed if value != field.value}


def as_typed(value: Any, form: Form) -> str:
    """Return a value of a plan as a person types it."""
    if value is None:
        return ""
    match form:
        case Form.YES_NO:
            return "yes" if value else "no"
        case Form.LINES:
            return "\n".join(map(str, value))
        case Form.TABLE:
            return "\n".join(f"{key} = {toml(inner)}" for key, inner in value.items())
        case Form.TOML:
            return toml(value)
    return str(value)


def parsed(field: Field, typed: Sequence[str]) -> Any:
    """Return the value that was typed; None if nothing was.

    Args:
        field: whose.
        typed: what a form sends for it: two texts for a range, one for all others.

    Raises:
        ArgumentError: it is not of the field's form.
    """
    texts = [text.strip() for text in typed]
    return _PARSED[field.form](field, texts) if any(texts) else None


def _range(field: Field, texts: Sequence[str]) -> list[float | int]:
    low, high = (_number(field, text) for text in (*texts, "", "")[:2])
    if not low < high:
        raise _refused(field, "the lowest value is not below the highest")
    return [low, high]


def _whole(field: Field, texts: Sequence[str]) -> int:
    number = _number(field, texts[0])
    if number != int(number):
        raise _refused(field, "this is no whole number")
    return int(number)


def _choice(field: Field, texts: Sequence[str]) -> str:
    if texts[0] not in field.choices:
        raise _refused(field, "this is none of the choices")
    return texts[0]


def _lines(_field: Field, texts: Sequence[str]) -> list[str]:
    return [line.strip() for line in texts[0].splitlines() if line.strip()]


def _number(field: Field, text: str) -> float | int:
    try:
        number = float(text.replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise _refused(field, "this is no number")
    return int(number) if number == int(number) and "." not in text and "e" not in text.lower() else number


def _some(field: Field, texts: Sequence[str]) -> list[str]:
    return [_choice(field, [text]) for text in texts if text]


def _table(field: Field, texts: Sequence[str]) -> dict[str, Any]:
    found = {}
    for line in _lines(field, texts):
        key, _, value = (part.strip() for part in line.partition("="))
        if not (key and value):
            raise _refused(field, "a line is not a name and its value")
        found[key] = _toml_value(field, value)
    return found


def _toml_value(field: Field, text: str) -> Any:
    try:
        document = toml_tables(f"value = {text}")
    except tomllib.TOMLDecodeError:
        document = {"value": text} if text[0] not in _OF_VALUES and "\n" not in text else {}
    if list(document) != ["value"]:
        raise _refused(field, "this is no value of TOML")
    return document["value"]


_PARSED: Mapping[Form, Callable[[Field, Sequence[str]], Any]] = {
    Form.TEXT: lambda _field, texts: texts[0],
    Form.WHOLE: _whole,
    Form.NUMBER: lambda field, texts: _number(field, texts[0]),
    Form.YES_NO: lambda _field, texts: texts[0] == "yes",
    Form.CHOICE: _choice,
    Form.RANGE: _range,
    Form.LINES: _lines,
    Form.SOME: _some,
    Form.TABLE: _table,
    Form.TOML: lambda field, texts: _toml_value(field, texts[0]),
}


_SIMPLE = {
    "string": Form.TEXT,
    "integer": Form.WHOLE,
    "number": Form.NUMBER,
    "boolean": Form.YES_NO,
}


def _refused(field: Field, what: str) -> ArgumentError:
    expected = {
        Form.RANGE: "two numbers",
        Form.WHOLE: "a whole number, such as 1920",
        Form.NUMBER: "a number, such as 0.5",
        Form.CHOICE: " or ".join(field.choices),
        Form.SOME: " or ".join(field.choices),
        Form.TABLE: "name = value, one in each line",
        Form.TOML: 'a value, such as 3, "text", ["a", "b"] or { a = 1 }',
    }
    return ArgumentError(
        "not-a-value",
        what,
        where=" · ".join(map(str, field.place)),
        expected=expected.get(field.form, ""),
        remedy="correct it",
    )


def _form(here: Schema) -> Form:
    if _choices(here):
        return Form.CHOICE
    match here.get("type"):
        case "array":
            items = _resolved(here.get("items", {}))
            if here.get("minItems") == here.get("maxItems") == 2:
                return Form.RANGE
            if _choices(items):
                return Form.SOME
            return Form.LINES if items.get("type") == "string" else Form.TOML
        case "object" if "properties" not in here:
            return Form.TABLE
        case kind:
            return _SIMPLE.get(str(kind), Form.TOML)


def _choices(here: Schema) -> tuple[str, ...]:
    return tuple(map(str, here.get("enum", [here["const"]] if "const" in here else ())))


def _resolved(here: Schema) -> Schema:
    """A schema with what it refers to."""
    while "$ref" in here:
        file, _, path = here["$ref"].partition("#")
        there: Any = schema(file.removesuffix(".schema.json") or "plan-v1")
        for key in path.strip("/").split("/"):
            there = there[key]
        here = {**there, **{key: value for key, value in here.items() if key != "$ref"}}
    return here
