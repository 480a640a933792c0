"""What a schema says of a document that does not fit it, in the words of a person."""

from __future__ import annotations

import difflib
import re
from typing import Any

from synthrelease.errors import PlanError
from synthrelease.schemas import referred

_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")
_LIMITS = {  # a schema's keywords in words; {0} is the limit, {1} the types it names
    "type": "{1}",
    "oneOf": "",
    "minimum": "at least {0}",
    "exclusiveMinimum": "more than {0}",
    "maximum": "at most {0}",
    "exclusiveMaximum": "less than {0}",
    "minLength": "not empty",
    "maxLength": "at most {0} characters",
    "minItems": "at least {0} in the list",
    "maxItems": "at most {0} in the list",
    "uniqueItems": "nothing twice in the list",
    "minProperties": "at least {0} in the table",
}


def explained(where: str, error: Any, whole: dict[str, Any]) -> PlanError:
    """Return a complaint of a schema in the words of a person.

    Args:
        where: the place, for the message.
        error: jsonschema's.
        whole: the schema.
    """
    match error.validator:
        case "additionalProperties" | "unevaluatedProperties":
            return _unknown_key(where, error)
        case "required":
            missing = next(key for key in error.validator_value if key not in error.instance)
            return PlanError(
                "key-missing",
                f"the key '{missing}' is missing",
                where=where,
                expected=_purpose(error.schema, missing, whole),
                remedy=f"add it: {_written(missing, top=not error.absolute_path)}",
            )
        case "dependentRequired":
            present, missing = next(
                (key, partner)
                for key, partners in error.validator_value.items()
                for partner in partners
                if key in error.instance and partner not in error.instance
            )
            return PlanError(
                "key-missing",
                f"the key '{missing}' is missing, which goes with '{present}'",
                where=where,
                expected=_purpose(error.schema, missing, whole),
                remedy=f"add it: {missing} = …; or leave out {present}",
            )
        case "enum" | "const":
            offered = error.validator_value if error.validator == "enum" else [error.validator_value]
            return PlanError(
                "unknown-choice",
                f"{str(error.instance)!r} is not offered",
                where=where,
                expected="one of " + ", ".join(map(str, offered)),
                remedy=nearest(str(error.instance), [str(choice) for choice in offered])
                or "write one of these",
            )
        case _:
            words = _LIMITS.get(error.validator, "").format(
                error.validator_value, _types(error.validator_value)
            )
            return PlanError(
                "bad-value",
                "the value is not possible",
                where=where,
                found=_kind(error.instance),
                expected="; ".join(filter(None, [words, error.schema.get("description", "")])),
                remedy=_retyped(error) or "correct the value",
            )


def _retyped(error: Any) -> str:
    """How to write a value of the wrong type, if it only looks wrong."""
    value, expected = error.instance, error.validator_value
    if error.validator != "type" or isinstance(value, bool):
        return ""
    types = {expected} if isinstance(expected, str) else set(expected)
    match value:
        case str() if types & {"number", "integer"} and _NUMBER.fullmatch(value.strip()):
            form = f"without quotes: {value.strip()}"
        case str() if "array" in types:
            form = f'in brackets: ["{value[:80]}"]'
        case int() | float() if "string" in types:
            form = f'in quotes: "{value}"'
        case dict() if "array" in types:
            form = f"with two brackets: [[{error.absolute_path[-1]}]]"
        case list() if "object" in types:
            form = f"with one pair of brackets: [{'.'.join(map(str, error.absolute_path))}]"
        case _:
            return ""
    return f"write it {form}"


def _written(key: str, *, top: bool) -> str:
    """Return how a missing key begins in a file."""
    tables = {"inputs": "[inputs.NAME]", "outputs": "[[outputs]]"}
    return tables.get(key, f"[{key}]") if top else f"{key} = …"


def _types(value: Any) -> str:
    names = {"integer": "a whole number", "number": "a finite number", "string": "text", "array": "a list"}
    listed = value if isinstance(value, list) else [value]
    return " or ".join(names.get(name, f"a {name}") for name in map(str, listed))


def _kind(value: Any) -> str:
    """Return a value of the plan as the plan would write it, shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a table"
    return "an empty list" if value == [] else repr(value)[:80]


def _unknown_key(where: str, error: Any) -> PlanError:
    keys = list(error.schema.get("properties", {}))
    key = next(key for key in error.instance if key not in keys)
    return PlanError(
        "unknown-key",
        f"unknown key '{key}'",
        where=where,
        expected="one of " + ", ".join(keys),
        remedy=nearest(key, keys) or "leave it out, or move it to where it belongs",
    )


def nearest(word: str, words: list[str]) -> str:
    """Return a question that names the known word most like another; empty if none is."""
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'?" if near else ""


def _purpose(parent: dict[str, Any], key: str, whole: dict[str, Any]) -> str:
    node = referred(parent.get("properties", {}).get(key, {}), whole)
    return str(node.get("description", ""))
