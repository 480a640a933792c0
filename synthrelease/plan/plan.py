"""The plan: TOML, checked against its schema, as frozen values with every default filled in."""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from synthrelease.data.arguments import by_names
from synthrelease.data.in_memory import InMemoryFrame
from synthrelease.data.input_spec import InputSpec
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import ArgumentError, PlanError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.registry import kinds
from synthrelease.kinds.statistics.noisy import NOISY_STATISTICS
from synthrelease.plan.complaints import nearest
from synthrelease.plan.contradictions import refuse_contradictions
from synthrelease.plan.settings_file import read_settings, refuse_misfit
from synthrelease.schemas import definition

_EXTREMES = {
    "min": ("smallest", "quantile:0.05"),
    "minimum": ("smallest", "quantile:0.05"),
    "maximum": ("largest", "quantile:0.95"),
    "max": ("largest", "quantile:0.95"),
}


class PlanSource(ABC):
    """What can be a plan without a file; `synthrelease.Plan` is, and so is one that was read and checked already."""

    @abstractmethod
    def checked(self) -> CheckedPlan:
        """Return it with every default filled in."""


@dataclass(frozen=True)
class CheckedPlan(PlanSource):
    """A plan that is valid in itself; whether the data fits shows when it is read."""

    path: Path  # the file
    release: dict[str, str]  # name, version, title, license, contact
    neighbours: Neighbours  # the neighbouring relation
    epsilon: float  # total ε per person
    delta: float  # total δ per person
    inputs: dict[str, InputSpec]  # by name
    outputs: tuple[OutputSpec, ...]  # in the plan's order
    distinct_labels: bool = False  # whether similar labels of participants are different participants
    # the file that counts what all releases of a dataset cost; None if nothing does
    ledger: Path | None = None
    dataset: str = ""  # its name for the dataset
    digest: str = ""  # of the plan's text, SHA-256, hexadecimal

    def checked(self) -> CheckedPlan:
        """Return itself."""
        return self

    def used_inputs(self) -> dict[str, InputSpec]:
        """Return the inputs that an output is made of; the others are not even opened."""
        used = {output.input for output in self.outputs}
        return {name: spec for name, spec in self.inputs.items() if name in used}

    def public_paths(self) -> list[tuple[OutputSpec, str, Path]]:
        """Return what outputs declare public by its path, with the option that does."""
        return [
            (output, key, output.folder / output.options[key])
            for output in self.outputs
            for key in kinds()[output.kind].public_paths
            if isinstance(output.options.get(key), str)
        ]

    def files(self) -> dict[str, Path]:
        """Return all files that it names, itself among them, by what they are: what is made from it must replace none."""
        files = {"the plan": self.path}
        for name, spec in self.inputs.items():
            files |= {f"the file {file.name} of the input '{name}'": file for file in spec.files()}
        files |= {f"the {key} of '{output.name}'": path for output, key, path in self.public_paths()}
        if self.ledger is not None:
            files["the ledger"] = self.ledger
        return files


# What functions take as a plan: the path of a file, an object, or a dict of what TOML would be read as.
PlanLike = str | os.PathLike[str] | PlanSource | Mapping[str, Any]


def load_plan(plan: PlanLike, frames: Mapping[str, object] | None = None) -> CheckedPlan:
    """Read and check a plan.

    Args:
        plan: a file, TOML; or a plan that a program made.
        frames: rows in memory that take the place of inputs' files, by the inputs' names; as `InMemoryFrame.of` takes them.

    Raises:
        PlanError: it is not TOML, does not fit the schema, or contradicts itself; or has no such input.
        ArgumentError: it is no plan, or the frames are not a dict of them.
        DataError: a frame cannot be used.
        MachineError: it may not be read.
    """
    if isinstance(plan, PlanSource):
        return _with_frames(plan.checked(), frames)
    if isinstance(plan, Mapping):
        from synthrelease.plan.document import PlanDocument  # noqa: PLC0415  which is made of this module

        return _with_frames(PlanDocument.of(plan).checked(), frames)
    return _with_frames(read_plan(plan)[1], frames)


def read_plan(path: str | os.PathLike[str]) -> tuple[dict[str, Any], CheckedPlan]:
    """Return what a file says, and the plan.

    Raises:
        PlanError, ArgumentError, MachineError: as `load_plan`.
    """
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(
            "not-a-plan",
            "this is no plan",
            where="the plan",
            found=f"one {type(cast('object', path)).__name__}",
            expected="the path of a TOML file, a synthrelease.Plan, or a dict",
            remedy='write the path: "plan.toml"; rows in memory are an input of a plan, or of frames={"…": frame}',
        )
    file = Path(path)
    document, text = read_settings(file, "plan", explain=_explained)
    return document, _plan_from(file, document, text)


def checked_plan(path: Path, document: dict[str, Any], text: bytes) -> CheckedPlan:
    """Return the plan that a program says in place of a file; no message repeats a list, which may be a private column.

    Args:
        path: what messages call it; its paths are relative to the folder of that.
        document: what TOML would be read as.
        text: what its digest is of.

    Raises:
        PlanError: it does not fit the schema, or contradicts itself.
    """
    refuse_misfit(path, document, "plan", explain=_explained, lists_shown=False)
    return _plan_from(path, document, text)


def plan_of(document: dict[str, Any], rows: InMemoryFrame, *, called: str) -> CheckedPlan:
    """Return the plan that a program says, in place of a file, of rows that it holds.

    Args:
        document: what TOML would be read as.
        rows: the rows of its only input.
        called: what messages call it.

    Raises:
        PlanError: it does not fit the schema, or contradicts itself.
    """
    plan = checked_plan(Path(called), document, json.dumps(document, sort_keys=True).encode())
    return replace(plan, inputs={name: replace(spec, frame=rows) for name, spec in plan.inputs.items()})


def _plan_from(path: Path, document: dict[str, Any], text: bytes) -> CheckedPlan:
    privacy = document["privacy"]
    inputs = {name: _input_spec(path, name, body) for name, body in document["inputs"].items()}
    outputs = tuple(_output_spec(path, number, body) for number, body in enumerate(document["outputs"]))
    plan = CheckedPlan(
        path,
        document["release"],
        Neighbours(privacy.get("neighbours", Neighbours.REPLACE_ONE)),
        float(privacy["epsilon"]),
        float(privacy.get("delta", 0.0)),
        inputs,
        outputs,
        privacy.get("distinct_labels", False),
        path.parent / privacy["ledger"] if "ledger" in privacy else None,
        privacy.get("dataset", ""),
        hashlib.sha256(text).hexdigest(),
    )
    refuse_contradictions(plan)
    return plan


def _with_frames(plan: CheckedPlan, frames_by_name: object) -> CheckedPlan:
    names = list(plan.inputs)
    frames = by_names(
        {} if frames_by_name is None else frames_by_name, "frames", example=f'frames={{"{names[0]}": frame}}'
    )
    for name in frames:
        if name not in names:
            near = nearest(name, names)
            called = f"'{name}'" if near else "of this name"  # which may be a person's
            raise PlanError(
                "unknown-input",
                f"there is no input {called} for a frame",
                where=str(plan.path),
                expected="one of " + ", ".join(names),
                remedy=near or "use the name of the input in the plan",
            )
    in_memory = {name: InMemoryFrame.of(frame, f"frames['{name}']") for name, frame in frames.items()}
    return replace(
        plan,
        inputs={
            name: replace(spec, frame=in_memory.get(name, spec.frame)) for name, spec in plan.inputs.items()
        },
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
        f"'{name}' is refused: a single participant can set the {extreme} value, so its sensitivity is the full range of the "
        "bounds, for any number of participants, and the noise would hide the value",
        where=where,
        expected=offered,
        remedy=f"use a quantile instead, which one participant hardly changes: {instead}",
    )


def _input_spec(path: Path, name: str, body: dict[str, Any]) -> InputSpec:
    return InputSpec(name, body["kind"], path.parent / body["path"], _options(body, "kind", "path"))


def _output_spec(path: Path, number: int, body: dict[str, Any]) -> OutputSpec:
    return OutputSpec(
        body["name"],
        body["kind"],
        body["input"],
        _options(body, "name", "kind", "input"),
        f"{path}: outputs[{number}] ({body['name']})",
        frozenset(body),
        path.parent,
    )


def _options(body: dict[str, Any], *fields: str) -> dict[str, Any]:
    """An entry with its defaults, without what are fields of a spec."""
    stated = {key: value for key, value in body.items() if key not in fields}
    return {**defaults(body["kind"]), **stated}


def defaults(kind: str) -> dict[str, Any]:
    """Return the default of every optional key of a kind of input or output, as the schema has it."""
    keys = definition(kind, of="plan-v1")["properties"]
    return {key: node["default"] for key, node in keys.items() if "default" in node}
