"""The manifest as text and as data: strict to read, the same bytes for the same content."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from synthrelease.bundle import strict_json

MANIFEST_VERSION = 3  # what is written
FORMAT_OF = {1: 1, 2: 1, 3: 2}  # the format of bundles whose manifests have a version
_SCHEMA_ENDING = ".schema.json"
_REFERRED = ("texts-v1",)  # by other schemas


def to_bytes(manifest: dict[str, Any]) -> bytes:
    """Return the manifest in the one form that it has."""
    return strict_json.to_bytes(manifest)


def from_bytes(raw: bytes) -> dict[str, Any]:
    """Read a manifest strictly.

    Raises:
        ValueError: it is not one JSON object with one meaning; the message repeats nothing of it.
    """
    return strict_json.from_bytes(raw, "the manifest")


def schema_name(version: int) -> str:
    """Return the name of the schema of manifests of a version."""
    return f"manifest-v{version}"


def load_schemas() -> None:
    """Load what checking a manifest of any version takes, so that no file is opened beside an untrusted one."""
    for version in FORMAT_OF:
        validator(schema_name(version))


def validator(name: str) -> Any:
    """Return the validator of a shipped schema: 8.0 is no integer and true is not 1; NaN and infinities are no numbers.

    Of a list that is too long, no item is looked at.
    """
    from jsonschema import Draft202012Validator, ValidationError, validators  # noqa: PLC0415  slow to import

    def integer(_checker: object, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63

    def number(checker: object, value: object) -> bool:
        return integer(checker, value) or (isinstance(value, float) and math.isfinite(value))

    every = Draft202012Validator.VALIDATORS["items"]

    def items(checker: Any, of: Any, instance: Any, own: Any) -> Any:
        if not isinstance(instance, list) or len(instance) <= own.get("maxItems", len(instance)):
            yield from every(checker, of, instance, own)

    def const(_validator: object, value: object, found: object, _schema: object) -> Iterator[ValidationError]:
        if type(found) is not type(value) or found != value:
            yield ValidationError(f"{value!r} was expected")

    strict = Draft202012Validator.TYPE_CHECKER.redefine_many({"integer": integer, "number": number})
    kind = validators.extend(Draft202012Validator, {"items": items, "const": const}, type_checker=strict)
    return kind(schema(name), registry=_registry())


def schema(name: str) -> dict[str, Any]:
    """Return a JSON schema that is shipped with the package: "manifest-v2", "plan-v1", "policy-v1" or what these refer to, "texts-v1"."""
    return dict(_schema(name))


def referred(node: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """Return what a schema says at a place, with all that the place refers to: nearer words stand before farther ones.

    Args:
        node: the place.
        whole: the schema.
    """
    if "$ref" not in node:
        return node
    file, _, name = node["$ref"].partition("#/$defs/")
    of = schema(file.removesuffix(_SCHEMA_ENDING)) if file else whole
    return {**referred(of["$defs"][name], of), **{key: value for key, value in node.items() if key != "$ref"}}


@cache
def _registry() -> Any:
    """What schemas refer to beside themselves."""
    from referencing import Registry, Resource  # noqa: PLC0415  slow to import

    return Registry().with_resources(
        (f"{name}{_SCHEMA_ENDING}", Resource.from_contents(schema(name))) for name in _REFERRED
    )


@cache
def _schema(name: str) -> dict[str, Any]:
    installed = Path(str(files("synthrelease"))) / "schemas"
    # In a checkout the schemas stand beside the package, in a wheel inside it.
    folder = installed if installed.is_dir() else installed.parent.parent / "schemas"
    loaded: dict[str, Any] = json.loads((folder / f"{name}{_SCHEMA_ENDING}").read_text("utf-8"))
    return loaded
