"""A plan as a value: made of entries, a TOML file or a dict, checked at once, and written as TOML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, Self

from synthrelease.data.arguments import by_names, plain
from synthrelease.data.in_memory import InMemoryFrame
from synthrelease.errors import ArgumentError
from synthrelease.notebook import CardTable, NotebookCard
from synthrelease.plan.completion import completed
from synthrelease.plan.entries import (
    IN_MEMORY,
    InputEntry,
    OtherOutput,
    OutputEntry,
    PlanEntry,
    comparable,
)
from synthrelease.plan.inputs import INPUTS, Privacy, ReleaseInfo
from synthrelease.plan.named_arguments import by_name
from synthrelease.plan.outputs import OUTPUTS
from synthrelease.plan.plan import CheckedPlan, PlanSource, checked_plan, read_plan
from synthrelease.plan.toml_text import toml, toml_key

_CALLED = Path("Plan()")  # by messages; paths are relative to the working folder
_EXAMPLE = '{"gaze": Gaze("gaze.csv", columns={…}, screen=(800, 600), stimuli=[…])}'


class PlanDocument(PlanSource):
    """A plan that is valid in itself; what `synthrelease.Plan` adds to it are the calls that need the data.

    Attributes:
        release: name, version and title.
        privacy: the guarantee.
        inputs: the private files or rows, by name.
        outputs: what is released, with all names filled in.
    """

    release: ReleaseInfo
    privacy: Privacy
    inputs: Mapping[str, InputEntry]
    outputs: tuple[OutputEntry, ...]

    @by_name(called="Plan()")
    def __init__(
        self,
        *,
        release: ReleaseInfo | Mapping[str, Any],
        privacy: Privacy | Mapping[str, Any],
        inputs: Mapping[str, InputEntry | Mapping[str, Any]],
        outputs: Sequence[OutputEntry | Mapping[str, Any]],
    ) -> None:
        tables = {"release": release, "privacy": privacy, "inputs": inputs, "outputs": outputs}
        vars(self).update(_fields(*_taken(tables)))

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """Return the plan of a file; its paths stay relative to it.

        Raises:
            PlanError: it is not TOML, does not fit the schema, or contradicts itself.
            MachineError: it may not be read.
        """
        document, checked = read_plan(path)
        plan = cls.__new__(cls)
        vars(plan).update(_fields(document, {}, checked))
        return plan

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the plan of a dict, as TOML would have been read; entries in it may be objects.

        Raises:
            PlanError: it does not fit the schema, or contradicts itself.
            ArgumentError: it holds what no plan could.
            DataError: rows in memory cannot be used.
        """
        plan = cls.__new__(cls)
        tables = by_names(document, "Plan()", example='{"release": {…}, "privacy": {…}, …}')
        vars(plan).update(_fields(*_taken(tables)))
        return plan

    def checked(self) -> CheckedPlan:
        """Return it with every default filled in."""
        plan: CheckedPlan = vars(self)["_checked"]
        return plan

    def document(self) -> dict[str, Any]:
        """Return it as TOML would have been read: without rows in memory, and without defaults that were not stated."""
        return json.loads(json.dumps(vars(self)["_document"]))  # type: ignore[no-any-return]

    def to_toml(self) -> str:
        """Return it as the text of a TOML file: `Plan.from_toml` of it is equal to this plan.

        Rows in memory are in no file: a comment lists the inputs whose `path` must be set first, or which need `frames` from Python.
        """
        document = self.document()
        needing = [name for name, entry in self.inputs.items() if entry.rows is not None]
        lines = [f"# Rows in memory, which need a file as path: {', '.join(needing)}", ""] if needing else []
        for name in ("release", "privacy"):
            lines += _table(f"[{name}]", document[name])
        for name, body in document["inputs"].items():
            lines += _table(f"[inputs.{toml_key(name)}]", body)
        for body in document["outputs"]:
            lines += _table("[[outputs]]", body)
        return "\n".join(lines[:-1]) + "\n"

    def __setattr__(self, name: str, _value: object) -> NoReturn:
        raise AttributeError(f"a plan does not change: make another one with another {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlanDocument):
            return NotImplemented
        rows = [{name: spec.frame for name, spec in one.checked().inputs.items()} for one in (self, other)]
        documents = [comparable(one.document()) for one in (self, other)]
        return bool(rows[0] == rows[1] and documents[0] == documents[1])

    __hash__ = None  # type: ignore[assignment]  # tables hold lists

    def __repr__(self) -> str:
        release, made = self.release, ", ".join(output.name or "" for output in self.outputs)
        called = f"{release.name} {release.version}"
        return f"<{type(self).__name__} {called}: {self._budget()}; {', '.join(self.inputs)} → {made}>"

    def _budget(self) -> str:
        checked = self.checked()
        delta = f", δ = {checked.delta:g}" if checked.delta else ""
        return f"ε = {checked.epsilon:g}{delta} per person ({checked.neighbours})"

    def _repr_html_(self) -> str:
        inputs = (
            f"{name}: {entry.kind}, {IN_MEMORY if entry.rows is not None else Path(str(body['path'])).name}"
            for (name, entry), body in zip(
                self.inputs.items(), self.document()["inputs"].values(), strict=True
            )
        )
        rows = tuple(
            (output.name or "", output.kind, output.input or "", ", ".join(_stated(output)))
            for output in self.outputs
        )
        return NotebookCard(
            "Plan",
            f"{self.release.title} ({self.release.name} {self.release.version})",
            self._budget(),
            sentences=(f"Of {'; '.join(inputs)}.",),
            table=CardTable(("output", "kind", "made of", "options"), rows),
        ).html


def _taken(tables: dict[str, Any]) -> tuple[dict[str, Any], dict[str, object], CheckedPlan]:
    """What a program says: as TOML would have been read, the rows in memory, and the plan that it is."""
    rows: dict[str, object] = {}
    if "inputs" in tables:
        inputs = by_names(tables["inputs"], f"{_CALLED}.inputs", example=f"inputs={_EXAMPLE}")
        rows = {name: entry.rows for name, entry in inputs.items() if isinstance(entry, InputEntry)}
        tables = {**tables, "inputs": {name: _input(name, entry) for name, entry in inputs.items()}}
    if isinstance(output := tables.get("outputs"), OutputEntry):
        raise ArgumentError(
            "not-a-list",
            "one output, not a list of outputs",
            where=f"{_CALLED}.outputs",
            found=type(output).__name__,
            expected="a list",
            remedy=f"write outputs=[{type(output).__name__}(…)]",
        )
    document = {name: _written(table, f"{_CALLED}.{name}") for name, table in tables.items()}
    document = completed(document, str(_CALLED))
    checked = checked_plan(_CALLED, document, json.dumps(document, sort_keys=True).encode())
    return document, {name: frame for name, frame in rows.items() if frame is not None}, checked


def _fields(document: dict[str, Any], rows: Mapping[str, object], checked: CheckedPlan) -> dict[str, Any]:
    """A plan that is valid, as entries."""
    frames = {name: InMemoryFrame.of(frame, f"inputs['{name}']") for name, frame in rows.items()}
    specs = {name: replace(spec, frame=frames.get(name)) for name, spec in checked.inputs.items()}
    inputs = {}
    for name, body in document["inputs"].items():
        keys = {key: value for key, value in body.items() if key not in ("kind", "path")}
        inputs[name] = INPUTS[body["kind"]](rows.get(name, body["path"]), **keys)
    return {
        "release": ReleaseInfo(**document["release"]),
        "privacy": Privacy(**document["privacy"]),
        "inputs": inputs,
        "outputs": tuple(map(_output, document["outputs"])),
        "_document": document,
        "_checked": replace(checked, inputs=specs),
    }


def _input(name: str, entry: object) -> object:
    """An input as it is; a path or rows alone do not say what the columns are."""
    if not isinstance(entry, InputEntry | Mapping):
        raise ArgumentError(
            "input-without-columns",
            "a file or rows alone do not say which column is what",
            where=f"Plan().inputs['{name}']",
            found=f"one {type(entry).__name__}",
            expected="a synthrelease.Gaze or Features",
            remedy='write Gaze(…, columns={"person": "…", …}, …), or Features(…)',
        )
    return entry


def _written(value: object, where: str) -> Any:
    """A table, list or entry as TOML would have been read."""
    if isinstance(value, PlanEntry):
        return value.document()
    if isinstance(value, Mapping):
        return {str(key): _written(inner, f"{where}.{key}") for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_written(inner, f"{where}[{number}]") for number, inner in enumerate(value)]
    return plain(value, where)


def _output(body: dict[str, Any]) -> OutputEntry:
    keys = {key: value for key, value in body.items() if key != "kind"}
    kind = body["kind"]
    return OUTPUTS[kind](**keys) if kind in OUTPUTS else OtherOutput(kind=kind, **keys)


def _stated(output: OutputEntry) -> list[str]:
    named = {key: value for key, value in output.stated.items() if key not in ("name", "input")}
    return [f"{key} = {toml(value)}" for key, value in named.items()]


def _table(title: str, body: Mapping[str, Any]) -> list[str]:
    return [title, *(f"{toml_key(key)} = {toml(value)}" for key, value in body.items()), ""]
