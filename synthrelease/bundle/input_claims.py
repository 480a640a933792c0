"""What a manifest says of its inputs: which rows count, and which output is made of which input."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synthrelease.bundle.finding import Finding
from synthrelease.data.coordinates import DEGREES
from synthrelease.kinds.registry import kind_of

_OF_INPUTS = ("screen", "stimuli", "recordings", "assignment_public")  # parameters that are facts of an input


def input_faults(manifest: dict[str, Any]) -> Iterator[Finding]:
    """Yield where inputs, outputs and warnings contradict each other."""
    inputs = {entry["name"]: entry for entry in manifest["inputs"]}
    used = [output["input"] for output in manifest["outputs"]]
    if len(inputs) < len(manifest["inputs"]) or set(used) != set(inputs):
        yield Finding("manifest", "inputs", "not exactly the inputs of the outputs, each once")
        return
    for number, output in enumerate(manifest["outputs"]):
        if inputs[output["input"]]["kind"] != kind_of(output).form_of(output["mechanism"]).input_kind:
            yield Finding("manifest", f"outputs/{number} ({output['name']})", "an input of another kind")
    for name, entry in inputs.items():
        yield from _row_faults(entry)
        outputs = [output for output in manifest["outputs"] if output["input"] == name]
        yield from _common_faults(entry, outputs)


def _common_faults(entry: dict[str, Any], outputs: list[dict[str, Any]]) -> Iterator[Finding]:
    """Where outputs of one input state different facts of it."""
    where = f"inputs ({entry['name']})"
    facts = [_input_facts(output) for output in outputs]
    for name in dict.fromkeys(key for stated in facts for key in stated):
        values = [stated[name] for stated in facts if name in stated]
        if any(value != values[0] for value in values):
            yield Finding("manifest", where, f"its outputs state different {name.replace('_', ' ')}")
    screens = [stated["screen"] for stated in facts if "screen" in stated]
    if entry.get("coordinates") == DEGREES and any(screen["width_mm"] is None for screen in screens):
        yield Finding("manifest", where, "degrees on a screen of unknown size and distance")


def _input_facts(output: dict[str, Any]) -> dict[str, Any]:
    """What an output states of its input; what is measured in gaze is a feature of the output alone."""
    mechanism = output["mechanism"]
    parameters = mechanism["parameters"]
    of_input = kind_of(output).form_of(mechanism).input_kind == "features"
    features = parameters.get("features", []) if of_input else []
    return {
        **{key: mechanism["public_inputs"][key] for key in ("people", "names")},
        **{key: value for key, value in parameters.items() if key in _OF_INPUTS},
        **{f"bounds of {feature['name']}": feature for feature in features},
    }


def _row_faults(entry: dict[str, Any]) -> Iterator[Finding]:
    where = f"inputs ({entry['name']})"
    for key in ("only", "valid"):
        columns = [choice["column"] for choice in entry[key]]
        if len(set(columns)) < len(columns):
            yield Finding("manifest", where, f"`{key}` names a column twice")
    ranges = [(c["low"], c["high"]) for c in entry["valid"] if "low" in c]
    if not all(float(low) <= float(high) for low, high in ranges):
        yield Finding("manifest", where, "the range of a good measurement is no interval")
    numbers = [*entry["missing"]["numbers"], *(end for ends in ranges for end in ends)]
    if any(repr(float(number)) != number for number in numbers):
        yield Finding("manifest", where, "a number is not written in the one form that it has")
