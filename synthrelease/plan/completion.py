"""Names that a plan made in Python may leave out: those of outputs, and of the only input that an output can be made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from synthrelease.errors import PlanError
from synthrelease.kinds.registry import kinds


def completed(document: dict[str, Any], where: str) -> dict[str, Any]:
    """Return a plan with all names; whatever has not the form of a plan stays as it is, for the schema to refuse.

    Args:
        document: as TOML would have been read.
        where: how messages call it.

    Raises:
        PlanError: a name that was left out could be one of several.
    """
    inputs, outputs = document.get("inputs"), document.get("outputs")
    if not isinstance(inputs, dict) or not isinstance(outputs, list):
        return document
    taken = [output.get("name", output.get("kind")) for output in outputs if isinstance(output, dict)]
    entries = [
        _completed(output, inputs, taken, f"{where}: outputs[{number}]")
        if isinstance(output, dict) and isinstance(output.get("kind"), str)
        else output
        for number, output in enumerate(outputs)
    ]
    return {**document, "outputs": entries}


def _completed(
    output: dict[str, Any], inputs: Mapping[str, Any], taken: Sequence[object], where: str
) -> dict[str, Any]:
    kind = output["kind"]
    if "name" not in output and taken.count(kind) > 1:
        raise PlanError(
            "name-missing",
            f"several outputs would be called '{kind}'",
            where=where,
            expected="a name of its own for each",
            remedy=f"give each output of kind {kind} a name",
        )
    if "input" in output or not inputs:
        return {"name": kind, **output}
    allowed = kinds()[kind].input_kinds if kind in kinds() else ()
    fitting = [
        name for name, body in inputs.items() if isinstance(body, dict) and body.get("kind") in allowed
    ]
    if len(fitting) != 1 and len(inputs) > 1 and allowed:
        raise PlanError(
            "input-missing",
            f"the output of kind {kind} does not say which input it is made of",
            where=where,
            expected="one of " + ", ".join(fitting or inputs),
            remedy=f"give it an input, such as {next(iter(fitting or inputs))!r}",
        )
    return {"name": kind, "kind": kind, "input": next(iter(fitting or inputs)), **output}
