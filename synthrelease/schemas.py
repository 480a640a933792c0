"""JSON schemas of everything that is written by people or for others, and their strict validators."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synthrelease.field_schema import Schema

if TYPE_CHECKING:
    from synthrelease.kinds.kind import Kind
    from synthrelease.kinds.parameters import Parameters

_SCHEMA_ENDING = ".schema.json"
# What a policy may forbid besides mechanisms: types of events, and the calibration of a paper.
_ALSO_FORBIDDEN = ("rounded_gaussian", "discrete_laplace", "exponential", "deniability_test", "liu2019")
_REFERRED = ("texts-v1",)  # by other schemas
_INDEPENDENT = {
    "type",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "enum",
    "const",
}  # of each other
_PLANS, _MANIFESTS, _POLICIES = (f"{name}-v1{_SCHEMA_ENDING}" for name in ("plan", "manifest", "policy"))


@cache
def validator(name: str) -> Any:
    """Return the validator of a shipped schema: 8.0 is no integer and true is not 1; NaN and infinities are no numbers.

    Of a list that is too long, no item is looked at.
    """
    from jsonschema import Draft202012Validator, ValidationError, validators  # noqa: PLC0415  slow to import

    def integer(_checker: object, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63

    def number(checker: object, value: object) -> bool:
        return integer(checker, value) or (isinstance(value, float) and math.isfinite(value))

    check_items = Draft202012Validator.VALIDATORS["items"]

    def items(checker: Any, item: Any, instance: Any, array: Any) -> Any:
        if not isinstance(instance, list) or len(instance) <= array.get("maxItems", len(instance)):
            yield from check_items(checker, item, instance, array)

    def const(_checker: Any, value: object, instance: object, _schema: Any) -> Iterator[ValidationError]:
        if type(instance) is not type(value) or instance != value:
            yield ValidationError(f"{value!r} was expected")

    strict = Draft202012Validator.TYPE_CHECKER.redefine_many({"integer": integer, "number": number})
    kind = validators.extend(Draft202012Validator, {"items": items, "const": const}, type_checker=strict)
    return kind(_with_items_inlined(_schema(name)), registry=_registry())


def schema(name: str) -> dict[str, Any]:
    """Return a JSON schema, such as "manifest-v1", "plan-v1", "policy-v1" or what these refer to, "texts-v1".

    Those of plans, manifests and policies have all kinds of outputs that are installed.
    """
    return copy.deepcopy(_schema(name))


def definition(name: str, of: str) -> dict[str, Any]:
    """Return what a JSON schema defines under a name, such as "heatmap" of "plan-v1"."""
    defined: dict[str, Any] = copy.deepcopy(_schema(of)["$defs"][name])
    return defined


def referred(node: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """Return what a schema says at a place, with all that the place refers to: nearer words stand before farther ones.

    Args:
        node: the place.
        whole: the schema.
    """
    merged: dict[str, Any] = {}
    for step in _steps(node, whole):
        merged = {**step, **merged}
    return merged


def _steps(node: dict[str, Any], whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield what stands at a place, and at each that it leads to, without the references."""
    yield {key: value for key, value in node.items() if key != "$ref"}
    if "$ref" in node:
        file, _, name = node["$ref"].partition("#/$defs/")
        target = _schema(file.removesuffix(_SCHEMA_ENDING)) if file else whole
        yield from _steps(target["$defs"][name], target)


def _with_items_inlined(whole: dict[str, Any]) -> dict[str, Any]:
    """Return a schema in which a reference of a list's items is looked up: the validator would look it up for every item."""

    def inlined(node: Any) -> Any:
        if isinstance(node, list):
            return [inlined(value) for value in node]
        if not isinstance(node, dict):
            return node
        nodes = {key: inlined(value) for key, value in node.items()}
        return {**nodes, "items": _inlined(nodes["items"], whole)} if "items" in nodes else nodes

    result: dict[str, Any] = inlined(whole)
    return result


def _inlined(item: Any, whole: dict[str, Any]) -> Any:
    """What a reference leads to, as one schema; the item as it is where one schema would not demand the same as all together."""
    steps = list(_steps(item, whole)) if isinstance(item, dict) and "$ref" in item else []
    demands = [keys for step in steps if (keys := set(step) - {"description"})]
    apart = sum(map(len, demands)) == len(set().union(*demands)) and set().union(*demands) <= _INDEPENDENT
    if not steps or '"$ref"' in json.dumps(steps) or not (len(demands) == 1 or apart):
        return item
    return referred(item, whole)


@cache
def _registry() -> Any:
    """What schemas refer to besides themselves."""
    from referencing import Registry, Resource  # noqa: PLC0415  slow to import

    return Registry().with_resources(
        (f"{name}{_SCHEMA_ENDING}", Resource.from_contents(_with_items_inlined(_schema(name))))
        for name in _REFERRED
    )


@cache
def _schema(name: str) -> dict[str, Any]:
    installed = Path(str(files("synthrelease"))) / "schemas"
    # In a checkout the schemas are next to the package, in a wheel inside it.
    folder = installed if installed.is_dir() else installed.parent.parent / "schemas"
    loaded: dict[str, Any] = json.loads((folder / f"{name}{_SCHEMA_ENDING}").read_text("utf-8"))
    if loaded["$id"] not in (_PLANS, _MANIFESTS, _POLICIES):
        return loaded
    from synthrelease.kinds.registry import kinds  # noqa: PLC0415  NumPy and SciPy are slow to import

    return with_kinds(loaded, list(kinds().values()))


def with_kinds(whole: dict[str, Any], installed: Sequence[Kind]) -> dict[str, Any]:
    """Return the schema of plans, manifests or policies with everything that kinds of outputs declare; other schemas as they are.

    Args:
        whole: the schema, which is filled in.
        installed: the kinds.
    """
    if whole["$id"] == _PLANS:
        _describe_kinds(whole, installed, {kind.name: _of_plans(kind) for kind in installed})
    if whole["$id"] == _POLICIES:
        mechanisms = {name for kind in installed for name in kind.mechanisms}
        forbidden = whole["properties"]["policy"]["properties"]["forbidden_mechanisms"]["items"]
        forbidden["enum"] = sorted({*mechanisms, *_ALSO_FORBIDDEN})
    if whole["$id"] == _MANIFESTS:
        schemas = {parameters: parameters.schema() for kind in installed for parameters in kind.parameters}
        _describe_kinds(whole, installed, {})
        for kind in installed:
            whole["$defs"] |= {
                _name(kind, parameters): schemas[parameters]["parameters"] for parameters in kind.parameters
            }
        whole["properties"]["outputs"]["items"]["allOf"] = [
            _if_kind(kind, {"properties": {"mechanism": _of_manifests(kind, schemas)}}) for kind in installed
        ]
    return whole


def _describe_kinds(whole: dict[str, Any], installed: Sequence[Kind], definitions: dict[str, Schema]) -> None:
    outputs = whole["properties"]["outputs"]["items"]
    outputs["properties"]["kind"]["enum"] = [kind.name for kind in installed]
    outputs["allOf"] = [_if_kind(kind, {"$ref": f"#/$defs/{kind.name}"}) for kind in installed]
    whole["$defs"] |= definitions


def _if_kind(kind: Kind, then: Schema) -> Schema:
    return {"if": {"properties": {"kind": {"const": kind.name}}}, "then": then}


def _of_plans(kind: Kind) -> Schema:
    """What a plan may write for an output of a kind."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["name", "kind", "input", *kind.options["required"]],
        "properties": {
            "name": {"$ref": "texts-v1.schema.json#/$defs/outputName"},
            "kind": {"description": kind.options["description"], "const": kind.name},
            "input": {"description": "Name of the input it is made of.", "type": "string"},
            **{key: {"$ref": f"#/$defs/{key}"} for key in ("share", "epsilon", "delta")},
            **kind.options["properties"],
        },
    }


def _of_manifests(kind: Kind, schemas: Mapping[type[Parameters], Mapping[str, Schema]]) -> Schema:
    """What a manifest has of the mechanism of an output of a kind, by the schemas of parameters."""
    return {
        "properties": {"name": {"enum": kind.mechanisms}},
        "allOf": [
            {
                "if": {"properties": {"name": {"enum": list(parameters.mechanisms)}}},
                "then": {
                    "properties": {
                        "parameters": {"$ref": f"#/$defs/{_name(kind, parameters)}"},
                        "public_inputs": schemas[parameters]["public_inputs"],
                    }
                },
            }
            for parameters in kind.parameters
        ],
    }


def _name(kind: Kind, parameters: type[Parameters]) -> str:
    return f"{kind.name}-{parameters.mechanisms[0]}"
