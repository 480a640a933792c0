"""JSON schemas of public parameters, from the types of their fields and what annotates them.

A field `rows: Annotated[int, {"minimum": 1}]` is a whole number from 1 on. `T | None` may be null. A dataclass is an object with all of its
fields.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from typing import Annotated, Any

Schema = dict[str, Any]

LABEL = {"$ref": "texts-v1.schema.json#/$defs/line"}
LABELS = {"$ref": "texts-v1.schema.json#/$defs/lines"}
Label = Annotated[str, LABEL]
Labels = Annotated[tuple[str, ...], LABELS]  # a public list
PositiveInt = Annotated[int, {"minimum": 1}]
_TYPES = {int: "integer", float: "number", str: "string", bool: "boolean"}


def described(words: str, **keywords: Any) -> Schema:
    """Return keywords of a schema with a description, for `Annotated`."""
    return {"description": words, **keywords}


def among(*values: str | None) -> Schema:
    """Return the keyword of a value that is one of some."""
    return {"enum": list(values)}


def schema_of(hint: Any) -> Schema:
    """Return the schema of the values of a type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return _annotated(
            arguments[0], [argument for argument in arguments[1:] if isinstance(argument, dict)]
        )
    if origin in (types.UnionType, typing.Union):
        return _union([argument for argument in arguments if argument is not types.NoneType])
    if origin is tuple:
        return _array(arguments)
    if dataclasses.is_dataclass(hint):
        return object_schema(hint)
    return {"type": _TYPES[hint]}


def object_schema(kind: Any, names: typing.Collection[str] | None = None) -> Schema:
    """Return the schema of an object that has the fields of a dataclass, or some of them."""
    hints = _hints(kind)
    fields = [field.name for field in dataclasses.fields(kind) if names is None or field.name in names]
    return {
        "type": "object",
        "additionalProperties": False,
        "required": fields,
        "properties": {name: schema_of(hints[name]) for name in fields},
    }


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind, include_extras=True)


def _annotated(hint: Any, keywords: list[Schema]) -> Schema:
    merged: Schema = {}
    for annotation in keywords:
        merged |= annotation
    if "$ref" in merged or "enum" in merged or "const" in merged or "oneOf" in merged:
        return merged if not _may_be_null(hint) or "$ref" not in merged else _or_null(merged)
    schema = schema_of(hint)
    return {**({"description": merged["description"]} if "description" in merged else {}), **schema, **merged}


def _may_be_null(hint: Any) -> bool:
    return types.NoneType in typing.get_args(hint)


def _or_null(schema: Schema) -> Schema:
    words = {key: schema[key] for key in ("description",) if key in schema}
    constraints = {key: value for key, value in schema.items() if key not in words}
    return {**words, "oneOf": [constraints, {"type": "null"}]}


def _union(hints: list[Any]) -> Schema:
    """Of the types besides null."""
    schemas = list(map(schema_of, hints))
    if len(schemas) == 1 and isinstance(schemas[0].get("type"), str):
        return {**schemas[0], "type": [schemas[0]["type"], "null"]}
    return {"oneOf": [*schemas, {"type": "null"}]}


def _array(arguments: tuple[Any, ...]) -> Schema:
    if arguments[-1] is ...:
        return {"type": "array", "items": schema_of(arguments[0])}
    number = len(arguments)
    return {"type": "array", "minItems": number, "maxItems": number, "items": schema_of(arguments[0])}
