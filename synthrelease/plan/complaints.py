"""Complaints of a schema about a document, in plain words."""

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
    "minimum": "{0} or more",
    "exclusiveMinimum": "greater than {0}",
    "maximum": "{0} or less",
    "exclusiveMaximum": "less than {0}",
    "minLength": "text that is not empty",
    "maxLength": "text of at most {0} characters",
    "minItems": "a list of at least {0}",
    "maxItems": "a list of at most {0}",
    "uniqueItems": "a list without repetitions",
    "minProperties": "a table of at least {0}",
}
_EXAMPLES = {
    "epsilon": "1.0",
    "delta": "1e-6",
    "width_px": "1920",
    "height_px": "1080",
    "dataset": '"my-study"',
}
_TABLES = {  # of a file, with the keys that each needs
    "release": "[release], with name, version and title",
    "privacy": "[privacy], with epsilon",
    "inputs": "[inputs.NAME], with kind, path and columns",
    "outputs": "[[outputs]], with name, kind and input",
}
_LONGEST_PURPOSE = 80  # characters of a description that fit into a message


def explained(where: str, error: Any, whole: dict[str, Any]) -> PlanError:
    """Return a complaint of a schema in plain words.

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
                f"the key '{missing}' is missing{_purpose(error.schema, missing, whole)}",
                where=where,
                remedy=_added(missing, top=not error.absolute_path),
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
                f"'{present}' needs the key '{missing}'{_purpose(error.schema, missing, whole)}",
                where=where,
                remedy=f"{_added(missing, top=False)}; or leave out {present}",
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
                "the value is not allowed",
                where=where,
                found=_kind(error.instance),
                expected=words or error.schema.get("description", "").partition(";")[0],
                remedy=_retyped(error) or _corrected(error),
            )


def _retyped(error: Any) -> str:
    """How to write a value that is only of the wrong type."""
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


def _corrected(error: Any) -> str:
    """What to do about a value that is not allowed: an example of one that is, if there is a good one."""
    key = next((part for part in reversed(error.absolute_path) if isinstance(part, str)), "the value")
    if key in _EXAMPLES:
        return f"write for example {key} = {_EXAMPLES[key]}"
    plain = re.sub(r"[^a-z0-9_-]+", "-", str(error.instance).lower()).strip("-_")
    if (
        key == "name"
        and isinstance(error.instance, str)
        and re.fullmatch(error.schema.get("pattern", "(?!)"), plain)
    ):
        return f'write for example name = "{plain}"'
    return f"correct {key}"


def _added(key: str, *, top: bool) -> str:
    """Return how a missing key is added to a file."""
    if top:
        return f"add {_TABLES.get(key, f'[{key}]')}"
    return f"add it, for example {key} = {_EXAMPLES[key]}" if key in _EXAMPLES else f"add {key} = …"


def _types(value: Any) -> str:
    names = {
        "integer": "a whole number",
        "number": "a finite number",
        "string": "text",
        "array": "a list",
        "object": "a table",
        "boolean": "true or false",
    }
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
    near = nearest(key, keys)
    return PlanError(
        "unknown-key",
        f"unknown key '{key}'",
        where=where,
        expected="" if near else "one of " + ", ".join(keys),
        remedy=near or "leave it out, or move it to the table that it belongs to",
    )


def nearest(word: str, words: list[str]) -> str:
    """Return a question with the known word that is most similar to another; empty if none is similar."""
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'?" if near else ""


def _purpose(parent: dict[str, Any], key: str, whole: dict[str, Any]) -> str:
    """What a key is, in brackets; empty if that takes many words."""
    node = referred(parent.get("properties", {}).get(key, {}), whole)
    purpose = re.split(r"[.:;] |\.$", str(node.get("description", "")))[0]
    if not purpose or len(purpose) > _LONGEST_PURPOSE:
        return ""
    first = purpose[:2]
    return f" ({purpose if first.isupper() else purpose[0].lower() + purpose[1:]})"
