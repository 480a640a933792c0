"""The plan: TOML, checked against its schema, as frozen values with every default filled in."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synthrelease.data.arguments import by_names
from synthrelease.data.coordinates import DEGREES
from synthrelease.data.in_memory import InMemoryFrame
from synthrelease.data.input_spec import InputSpec
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PlanError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.registry import kinds
from synthrelease.kinds.statistics.noisy import NOISY_STATISTICS
from synthrelease.plan.settings_file import nearest, read_settings, refuse_misfit
from synthrelease.schemas import schema

# Squares of bounds, with noise on them, must fit into the 32-bit floating-point numbers of a bundle.
_SMALLEST_BOUND, _LARGEST_BOUND, _LEAST_WIDTH = 1e-15, 1e15, 1e-3
_EXTREMES = {
    "min": ("smallest", "quantile:0.05"),
    "minimum": ("smallest", "quantile:0.05"),
    "maximum": ("largest", "quantile:0.95"),
    "max": ("largest", "quantile:0.95"),
}


@dataclass(frozen=True)
class Plan:
    """A plan that is valid in itself; whether the data fits shows when it is read."""

    path: Path  # the file
    release: dict[str, str]  # name, version, title, license, contact
    neighbours: Neighbours  # the neighbouring relation
    epsilon: float  # total ε per person
    delta: float  # total δ per person
    inputs: dict[str, InputSpec]  # by name
    outputs: tuple[OutputSpec, ...]  # in the plan's order
    allow_unprotected: bool = False  # whether outputs that protect nobody are allowed
    distinct_labels: bool = False  # whether labels of people that could be one person's are different people
    # the file that counts what all releases of a dataset cost; None if nothing does
    ledger: Path | None = None
    dataset: str = ""  # its name for the dataset
    digest: str = ""  # of the plan's text, SHA-256, hexadecimal

    def used_inputs(self) -> dict[str, InputSpec]:
        """Return the inputs that an output is made of; the others are not even opened."""
        used = {output.input for output in self.outputs}
        return {name: spec for name, spec in self.inputs.items() if name in used}

    def files(self) -> dict[str, Path]:
        """Return all files that it names, itself among them, by what they are: what is made from it must replace none."""
        found = {"the plan": self.path}
        for name, spec in self.inputs.items():
            found |= {f"the file {file.name} of the input '{name}'": file for file in spec.files()}
        for output in self.outputs:
            if isinstance(areas := output.options.get("areas"), str):
                found[f"the areas of '{output.name}'"] = self.path.parent / areas
        if self.ledger is not None:
            found["the ledger"] = self.ledger
        return found


def load_plan(path: str | Path, frames: Mapping[str, object] | None = None) -> Plan:
    """Read and check a plan.

    Args:
        path: the file, TOML.
        frames: rows in memory that take the place of inputs' files, by the inputs' names; as `InMemoryFrame.of` takes them.

    Raises:
        PlanError: it is not TOML, does not fit the schema, or contradicts itself; or has no such input.
        ArgumentError: the frames are not a dict of them.
        DataError: a frame cannot be used.
        MachineError: it may not be read.
    """
    path = Path(path)
    document, text = read_settings(path, "plan", explain=_explained)
    return _with_frames(_checked(path, document, text), frames)


def plan_of(document: dict[str, Any], held: InMemoryFrame, *, called: str) -> Plan:
    """Return the plan that a program says, in place of a file, of rows that it holds.

    Args:
        document: what TOML would be read as.
        held: the rows of its only input.
        called: what messages call it.

    Raises:
        PlanError: it does not fit the schema, or contradicts itself.
    """
    path = Path(called)
    refuse_misfit(path, document, "plan", explain=_explained, lists_shown=False)
    plan = _checked(path, document, json.dumps(document, sort_keys=True).encode())
    return replace(plan, inputs={name: replace(spec, frame=held) for name, spec in plan.inputs.items()})


def _checked(path: Path, document: dict[str, Any], text: bytes) -> Plan:
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
        privacy.get("distinct_labels", False),
        path.parent / privacy["ledger"] if "ledger" in privacy else None,
        privacy.get("dataset", ""),
        hashlib.sha256(text).hexdigest(),
    )
    _check_references(plan)
    return plan


def _with_frames(plan: Plan, given: object) -> Plan:
    known = list(plan.inputs)
    frames = by_names({} if given is None else given, "frames", example=f'frames={{"{known[0]}": frame}}')
    for name in frames:
        if name not in known:
            near = nearest(name, known)
            called = f"'{name}'" if near else "of this name"  # which may be a person's
            raise PlanError(
                "unknown-input",
                f"there is no input {called} for a frame",
                where=str(plan.path),
                expected="one of " + ", ".join(known),
                remedy=near or "call the frame as the plan calls the input",
            )
    held = {name: InMemoryFrame.of(frame, f"frames['{name}']") for name, frame in frames.items()}
    return replace(
        plan, inputs={name: replace(spec, frame=held.get(name)) for name, spec in plan.inputs.items()}
    )


def _explained(where: str, error: Any) -> PlanError | None:
    """The smallest and the largest value have a reason of their own, and a remedy."""
    if error.validator != "pattern" or "statistics" not in error.absolute_path:
        return None
    name, offered = str(error.instance), error.schema["description"]
    if name not in _EXTREMES:
        near = nearest(name, [*NOISY_STATISTICS, "median"])
        return PlanError(
            "unknown-statistic",
            f"{name!r} is not offered",
            where=where,
            expected=offered,
            remedy=near or "write one of these",
        )
    extreme, instead = _EXTREMES[name]
    return PlanError(
        "extreme-value",
        f"'{name}' is refused: the {extreme} value can be one person's alone, and replacing that person moves it by the "
        "whole width of the bounds however many people there are: noise large enough to hide it drowns it",
        where=where,
        expected=offered,
        remedy=f"ask for a quantile, which one person hardly moves: {instead}",
    )


def _input(path: Path, name: str, body: dict[str, Any]) -> InputSpec:
    kind = body["kind"]
    options = {**defaults(kind), **{k: v for k, v in body.items() if k not in ("kind", "path")}}
    for feature, (low, high) in options.get("bounds", {}).items():
        if not _is_interval(low, high):
            raise PlanError(
                "bad-bounds",
                "the bounds are no interval",
                where=f"{path}: inputs.{name}.bounds.{feature}",
                found=f"[{low}, {high}]",
                expected="two finite numbers, the lower first, not nearly equal",
                remedy="subtract a public constant from the feature first"
                if low < high
                else "correct the bounds",
            )
    if options.get("coordinates") == DEGREES and "width_mm" not in options["screen"]:
        raise PlanError(
            "screen-size-missing",
            "degrees cannot be placed on a screen of unknown size and distance",
            where=f"{path}: inputs.{name}.screen",
            expected="width_mm and distance_mm",
            remedy="measure both, and add them to the screen",
        )
    for role, column in options["columns"].items():
        if role != "person" and column == options["columns"]["person"]:
            raise PlanError(
                "column-used-twice",
                f"one column says both who somebody is and the {role}",
                where=f"{path}: inputs.{name}.columns",
                found=f"'{column}' twice",
                expected="two columns",
                remedy="name the column of people: all rows of one label in it are hidden together",
            )
    for column, accepted in options["valid"].items():
        if not _is_accepted(accepted):
            raise PlanError(
                "bad-valid",
                "the values of a good measurement are neither labels nor a range",
                where=f"{path}: inputs.{name}.valid.{column}",
                found=str(accepted)[:80],
                expected='the lowest number and the highest, such as [0.6, 1], or labels, such as ["Valid"]',
                remedy="correct the list",
            )
    twice = sorted(set(options.get("bounds", {})) & set(options.get("categories", {})))
    if twice:
        raise PlanError(
            "column-used-twice",
            f"the column '{twice[0]}' is both a feature with bounds and a label with categories",
            where=f"{path}: inputs.{name}",
            expected="one of the two",
            remedy="take it out of bounds, or out of categories",
        )
    return InputSpec(name, kind, (path.parent / body["path"]), options)


def _is_accepted(values: list[float | str]) -> bool:
    """Whether they are labels, or a range."""
    labels = [value for value in values if isinstance(value, str)]
    numbers = [float(value) for value in values if not isinstance(value, str)]
    return not numbers if labels else len(numbers) == 2 and numbers[0] <= numbers[1]


def _is_interval(low: float, high: float) -> bool:
    """Whether values between two bounds can be told apart in 32 bits, in which the release shows them."""
    try:
        largest = max(abs(low), abs(high))
        return _SMALLEST_BOUND < largest < _LARGEST_BOUND and high - low > _LEAST_WIDTH * largest
    except (OverflowError, TypeError):
        return False


def _output(path: Path, number: int, body: dict[str, Any]) -> OutputSpec:
    named = ("name", "kind", "input")
    options = {**defaults(body["kind"]), **{k: v for k, v in body.items() if k not in named}}
    return OutputSpec(
        body["name"],
        body["kind"],
        body["input"],
        options,
        f"{path}: outputs[{number}] ({body['name']})",
        frozenset(body),
        path.parent,
    )


def defaults(kind: str) -> dict[str, Any]:
    """Return the default of every optional key of a kind of input or output, as the schema has it."""
    keys = schema("plan-v1")["$defs"][kind]["properties"]
    return {key: node["default"] for key, node in keys.items() if "default" in node}


def keys_of(kind: str) -> set[str]:
    """Return the keys that an entry of a kind of input or output may have."""
    return set(schema("plan-v1")["$defs"][kind]["properties"])


def _check_references(plan: Plan) -> None:
    names = [output.name for output in plan.outputs]
    for output in plan.outputs:
        if names.count(output.name) > 1:
            raise PlanError(
                "duplicate-output",
                "two outputs have the same name",
                where=output.where,
                expected="a name of its own",
                remedy="rename one of them",
            )
        if output.input not in plan.inputs:
            raise PlanError(
                "unknown-input",
                f"there is no input '{output.input}'",
                where=output.where,
                expected="one of " + ", ".join(plan.inputs),
                remedy=nearest(output.input, list(plan.inputs)) or "name one of these",
            )
        needed = kinds()[output.kind].input_kind
        if plan.inputs[output.input].kind != needed:
            raise PlanError(
                "input-of-other-kind",
                f"{'an' if output.kind == 'areas' else 'a'} {output.kind} output cannot be made of this input",
                where=output.where,
                found=f"an input of kind {plan.inputs[output.input].kind}",
                expected=f"one of kind {needed}",
                remedy="name another input, or release another kind of output",
            )
        if "share" in output.options and "epsilon" in output.options:
            raise PlanError(
                "share-and-epsilon",
                "both share and epsilon are given",
                where=output.where,
                expected="one of them",
                remedy="leave one of them out",
            )
    for spec in plan.inputs.values():
        _check_lists(plan.path, spec)


def _check_lists(path: Path, spec: InputSpec) -> None:
    what, column = ("stimuli", "stimulus") if spec.kind == "gaze" else ("recordings", "recording")
    listed, assumed = what in spec.options, what in spec.options["assume_public"]
    where = f"{path}: inputs.{spec.name}"
    if column not in spec.options["columns"]:
        if listed or assumed:
            raise PlanError(
                "column-missing",
                f"{what} are named, but no column tells them apart",
                where=where,
                expected=f'{column} = "COLUMN" under columns',
                remedy=f"name the column, or leave the {what} out",
            )
        return
    if listed and assumed:
        raise PlanError(
            "listed-and-assumed",
            f"{what} are both listed and assumed public",
            where=where,
            expected="one of the two",
            remedy=f"leave out the list, or take {what} out of assume_public",
        )
    if not listed and not assumed:
        raise PlanError(
            "list-missing",
            f"the plan does not say which {what} there are: a list taken from the data is public only if the plan says so",
            where=where,
            expected=f'{what} = ["…", "…"], or assume_public = ["{what}"] if the study design makes them public',
            remedy="add one of the two to the input",
        )
