"""The plan: TOML, checked against its schema, as frozen values with every default filled in."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthrelease.bundle.manifest import schema, validator
from synthrelease.errors import MachineError, PlanError
from synthrelease.privacy.guarantee import Neighbours

_SMALLEST_BOUND, _LARGEST_BOUND, _LEAST_WIDTH = 1e-30, 1e30, 1e-3
_NOT_YET = {
    "ledger": "a ledger of budgets over several releases is not offered in this version",
    "dataset": "a ledger of budgets over several releases is not offered in this version",
}
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
_STATISTICS = ("count", "sum", "mean", "variance", "histogram", "median")
_EXTREMES = {
    "min": ("smallest", "quantile:0.05"),
    "minimum": ("smallest", "quantile:0.05"),
    "maximum": ("largest", "quantile:0.95"),
    "max": ("largest", "quantile:0.95"),
}


@dataclass(frozen=True)
class InputSpec:
    """An input of the plan: its kind, its file, and the plan's other keys with defaults."""

    name: str
    kind: str
    path: Path
    options: dict[str, Any]


@dataclass(frozen=True)
class OutputSpec:
    """An output of the plan: name, kind, input, and the plan's other keys with defaults."""

    name: str
    kind: str
    input: str
    options: dict[str, Any]
    where: str
    given: frozenset[str] = frozenset()  # the keys that the plan writes; the other options are defaults
    folder: Path = Path()  # of the plan: what paths are relative to


@dataclass(frozen=True)
class Plan:
    """A plan that is valid in itself; whether the data fits shows when it is read.

    Attributes:
        path: the file.
        release: name, version, title, license, contact.
        neighbours: the neighbouring relation.
        epsilon: total ε per person.
        delta: total δ per person.
        inputs: by name.
        outputs: in the plan's order.
        allow_unprotected: whether outputs that protect nobody are allowed.
    """

    path: Path
    release: dict[str, str]
    neighbours: Neighbours
    epsilon: float
    delta: float
    inputs: dict[str, InputSpec]
    outputs: tuple[OutputSpec, ...]
    allow_unprotected: bool = False

    def used_inputs(self) -> dict[str, InputSpec]:
        """Return the inputs that an output is made of; the others are not even opened."""
        used = {output.input for output in self.outputs}
        return {name: spec for name, spec in self.inputs.items() if name in used}


def load_plan(path: str | Path) -> Plan:
    """Read and check a plan.

    Raises:
        PlanError: it is not TOML, does not fit the schema, or contradicts itself.
        MachineError: it may not be read.
    """
    path = Path(path)
    document = _toml(path)
    _check_schema(path, document)
    privacy = document["privacy"]
    inputs = {name: _input(path, name, body) for name, body in document["inputs"].items()}
    outputs = tuple(_output(path, number, body) for number, body in enumerate(document["outputs"]))
    plan = Plan(
        path,
        document["release"],
        Neighbours(privacy.get("neighbours", Neighbours.REPLACE_ONE)),
        float(privacy["epsilon"]),
        float(privacy.get("delta", 0.0)),
        inputs,
        outputs,
        privacy.get("allow_unprotected", False),
    )
    _check_references(plan)
    return plan


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise PlanError("the plan is not UTF-8 text", where=str(path), expected="a TOML file") from None
    except PermissionError:
        raise MachineError(
            "the plan may not be read", where=str(path), remedy="check its permissions"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise PlanError("the plan is not valid TOML", where=str(path), found=str(error)) from None
    except (OSError, ValueError):
        raise PlanError(
            "there is no such plan", where=repr(str(path))[1:-1], expected="a TOML file"
        ) from None


def _check_schema(path: Path, document: dict[str, Any]) -> None:
    from jsonschema.exceptions import best_match  # noqa: PLC0415  slow to import

    error = best_match(_leaves(validator("plan-v1").iter_errors(document)))
    if error is not None:
        raise _explained(path, error)


def _leaves(errors: Any) -> Iterator[Any]:
    for error in errors:
        if error.validator == "allOf" and error.context:
            yield from _leaves(error.context)
        else:
            yield error


def _explained(path: Path, error: Any) -> PlanError:
    """Return the schema's complaint in the words of a person."""
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
    where = f"{path}: {place.lstrip('.')}" if place else str(path)
    match error.validator:
        case "additionalProperties" | "unevaluatedProperties":
            return _unknown_key(where, error)
        case "required":
            missing = next(key for key in error.validator_value if key not in error.instance)
            return PlanError(
                f"the key '{missing}' is missing", where=where, expected=_purpose(error.schema, missing)
            )
        case "dependentRequired":
            given, missing = next(
                (key, other)
                for key, others in error.validator_value.items()
                for other in others
                if key in error.instance and other not in error.instance
            )
            return PlanError(
                f"the key '{missing}' is missing, which goes with '{given}'",
                where=where,
                expected=_purpose(error.schema, missing),
            )
        case "enum" | "const":
            offered = error.validator_value if error.validator == "enum" else [error.validator_value]
            return PlanError(
                f"'{error.instance}' is not offered",
                where=where,
                expected="one of " + ", ".join(map(str, offered)),
                remedy=_nearest(str(error.instance), [str(o) for o in offered]),
            )
        case "pattern" if "statistics" in error.absolute_path:
            return _unknown_statistic(where, str(error.instance), error.schema["description"])
        case _:
            words = _LIMITS.get(error.validator, "").format(
                error.validator_value, _types(error.validator_value)
            )
            return PlanError(
                "the value is not possible",
                where=where,
                found=_kind(error.instance),
                expected="; ".join(filter(None, [words, error.schema.get("description", "")])),
            )


def _unknown_statistic(where: str, name: str, offered: str) -> PlanError:
    """The smallest and the largest value have a reason of their own, and a remedy."""
    if name not in _EXTREMES:
        near = _nearest(name, list(_STATISTICS))
        return PlanError(f"'{name}' is not offered", where=where, expected=offered, remedy=near)
    extreme, instead = _EXTREMES[name]
    return PlanError(
        f"'{name}' is refused: the {extreme} value can be one person's alone, and replacing that person moves it by the "
        "whole width of the bounds however many people there are: noise large enough to hide it drowns it",
        where=where,
        expected=offered,
        remedy=f"ask for a quantile, which one person hardly moves: {instead}",
    )


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
    known = list(error.schema.get("properties", {}))
    key = next(key for key in error.instance if key not in known)
    return PlanError(
        f"unknown key '{key}'",
        where=where,
        found=_NOT_YET.get(key, ""),
        expected="one of " + ", ".join(known),
        remedy=_nearest(key, known),
    )


def _nearest(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean '{near[0]}'?" if near else ""


def _purpose(parent: dict[str, Any], key: str) -> str:
    node = parent.get("properties", {}).get(key, {})
    if "description" not in node and "$ref" in node:
        node = schema("plan-v1")["$defs"][node["$ref"].rsplit("/", 1)[1]]
    return str(node.get("description", ""))


def _input(path: Path, name: str, body: dict[str, Any]) -> InputSpec:
    kind = body["kind"]
    options = {**_defaults(kind), **{k: v for k, v in body.items() if k not in ("kind", "path")}}
    for feature, (low, high) in options.get("bounds", {}).items():
        if not _is_interval(low, high):
            raise PlanError(
                "the bounds are no interval",
                where=f"{path}: inputs.{name}.bounds.{feature}",
                found=f"[{low}, {high}]",
                expected="two finite numbers, the lower first, not nearly equal",
                remedy="take a public offset off the feature first" if low < high else "",
            )
    twice = sorted(set(options.get("bounds", {})) & set(options.get("categories", {})))
    if twice:
        raise PlanError(
            f"the column '{twice[0]}' is both a feature with bounds and a label with categories",
            where=f"{path}: inputs.{name}",
            expected="one of the two",
        )
    return InputSpec(name, kind, (path.parent / body["path"]), options)


def _is_interval(low: float, high: float) -> bool:
    """Whether values between two bounds can be told apart in 32 bits, in which the release shows them."""
    try:
        largest = max(abs(low), abs(high))
        return _SMALLEST_BOUND < largest < _LARGEST_BOUND and high - low > _LEAST_WIDTH * largest
    except (OverflowError, TypeError):
        return False


def _output(path: Path, number: int, body: dict[str, Any]) -> OutputSpec:
    named = ("name", "kind", "input")
    options = {**_defaults(body["kind"]), **{k: v for k, v in body.items() if k not in named}}
    return OutputSpec(
        body["name"],
        body["kind"],
        body["input"],
        options,
        f"{path}: outputs[{number}] ({body['name']})",
        frozenset(body),
        path.parent,
    )


def _defaults(kind: str) -> dict[str, Any]:
    keys = schema("plan-v1")["$defs"][kind]["properties"]
    return {key: node["default"] for key, node in keys.items() if "default" in node}


def _check_references(plan: Plan) -> None:
    names = [output.name for output in plan.outputs]
    for output in plan.outputs:
        if names.count(output.name) > 1:
            raise PlanError(
                "two outputs have the same name", where=output.where, expected="a name of its own"
            )
        if output.input not in plan.inputs:
            raise PlanError(
                f"there is no input '{output.input}'",
                where=output.where,
                expected="one of " + ", ".join(plan.inputs),
                remedy=_nearest(output.input, list(plan.inputs)),
            )
        needed = "gaze" if output.kind in ("heatmap", "areas") else "features"
        if plan.inputs[output.input].kind != needed:
            raise PlanError(
                f"{'an' if output.kind == 'areas' else 'a'} {output.kind} output cannot be made of this input",
                where=output.where,
                found=f"an input of kind {plan.inputs[output.input].kind}",
                expected=f"one of kind {needed}",
            )
        if "share" in output.options and "epsilon" in output.options:
            raise PlanError("both share and epsilon are given", where=output.where, expected="one of them")
    for spec in plan.inputs.values():
        _check_lists(plan.path, spec)


def _check_lists(path: Path, spec: InputSpec) -> None:
    what, column = ("stimuli", "stimulus") if spec.kind == "gaze" else ("recordings", "recording")
    listed, assumed = what in spec.options, what in spec.options["assume_public"]
    where = f"{path}: inputs.{spec.name}"
    if column not in spec.options["columns"]:
        if listed or assumed:
            raise PlanError(
                f"{what} are named, but no column tells them apart",
                where=where,
                expected=f'{column} = "COLUMN" under columns',
            )
        return
    if listed and assumed:
        raise PlanError(f"{what} are both listed and assumed public", where=where, expected="one of the two")
    if not listed and not assumed:
        raise PlanError(
            f"the list of {what} is data until it is declared public",
            where=where,
            expected=f'{what} = ["…", "…"], or assume_public = ["{what}"] if the study design makes them public',
        )
