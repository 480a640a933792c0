"""Fields of a form, from the schema of plans: a key of the plan, what it means, and how what is typed becomes its value."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from synthrelease.errors import ArgumentError
from synthrelease.field_schema import Schema
from synthrelease.schemas import schema

Place = tuple[str | int, ...]  # keys from the top of the plan


class Form(StrEnum):
    """How a value is typed."""

    TEXT = "text"
    WHOLE = "whole"
    NUMBER = "number"
    YES_NO = "yes-no"
    CHOICE = "choice"
    RANGE = "range"  # two numbers
    LINES = "lines"  # texts, one in each line
    TOML = "toml"  # anything else, as the plan has it


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
            here = plan["$defs"].get(body.get("kind"), {})
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
        tuple(map(str, here.get("enum", ()))),
        here.get("default"),
        place[-1] in above.get("required", ()),
    )


def as_typed(value: Any, form: Form) -> str:
    """Return a value of a plan as a person types it."""
    if value is None:
        return ""
    if form is Form.YES_NO:
        return "yes" if value else "no"
    if form is Form.LINES:
        return "\n".join(map(str, value))
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


def _toml_value(field: Field, text: str) -> Any:
    try:
        document = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        document = {}
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
    Form.TOML: lambda field, texts: _toml_value(field, texts[0]),
}


def _refused(field: Field, what: str) -> ArgumentError:
    expected = {
        Form.RANGE: "two numbers",
        Form.WHOLE: "a whole number, such as 1920",
        Form.NUMBER: "a number, such as 0.5",
        Form.CHOICE: " or ".join(field.choices),
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
    kind = here.get("type")
    if "enum" in here:
        return Form.CHOICE
    if kind == "array":
        items = _resolved(here.get("items", {}))
        if here.get("minItems") == here.get("maxItems") == 2:
            return Form.RANGE
        return Form.LINES if items.get("type") == "string" else Form.TOML
    return {
        "string": Form.TEXT,
        "integer": Form.WHOLE,
        "number": Form.NUMBER,
        "boolean": Form.YES_NO,
    }.get(str(kind), Form.TOML)


def _resolved(here: Schema) -> Schema:
    """A schema with what it refers to."""
    while "$ref" in here:
        file, _, path = here["$ref"].partition("#")
        there: Any = schema(file.removesuffix(".schema.json") or "plan-v1")
        for key in path.strip("/").split("/"):
            there = there[key]
        here = {**there, **{key: value for key, value in here.items() if key != "$ref"}}
    return here


@cache
def output_keys(kind: str) -> tuple[str, ...]:
    """Return the keys that an output of a kind may have, besides those that say what it is."""
    return tuple(
        key for key in schema("plan-v1")["$defs"][kind]["properties"] if key not in ("name", "kind", "input")
    )
