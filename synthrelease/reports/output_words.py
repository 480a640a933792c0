"""How an output was made, in sentences: which rows of its input count, and how much noise it carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synthrelease.dp.event import from_json as event_from_json
from synthrelease.kinds.dataset import Role
from synthrelease.kinds.registry import parameters_of
from synthrelease.number_words import listed, short

_SHOWN = 12  # columns, and labels of one; the manifest has all
_UNITS = {
    "pixels": "pixels",
    "normalised": "fractions of the screen's width and height",
    "degrees": "degrees of visual angle",
}
_ORIGINS = {
    "top-left": "from the top left",
    "bottom-left": "from the bottom left, y upwards",
    "centre": "from the centre",
    "centre-y-up": "from the centre, y upwards",
}
_NORMS = {"l1": "L1", "l2": "L2"}


def rows_that_count(entry: dict[str, Any]) -> list[str]:
    """Return how the plan chooses rows of an input by what stands in them.

    Args:
        entry: one of the manifest's `inputs`.
    """
    only = [f"{choice['column']} is {_either(choice['labels'])}" for choice in entry["only"]]
    valid = [f"{choice['column']} is {_accepted(choice)}" for choice in entry["valid"]]
    codes = [*map(_plain, entry["missing"]["numbers"]), *(f"“{text}”" for text in entry["missing"]["texts"])]
    sentences = [
        f"Only rows where {listed(only, _SHOWN)} count." if only else "All rows count.",
        f"A row holds a measurement where {listed(valid, _SHOWN)}." if valid else "",
        f"Missing values are marked by {_either(codes)}." if codes else "",
        "Points off the screen are dropped." if entry.get("off_screen") == "drop" else "",
    ]
    if "coordinates" in entry and (entry["coordinates"], entry["origin"]) != ("pixels", "top-left"):
        sentences.append(f"Coordinates are {_UNITS[entry['coordinates']]} {_ORIGINS[entry['origin']]}.")
    return [sentence for sentence in sentences if sentence]


def rows_of(manifest: dict[str, Any], output: dict[str, Any]) -> list[str]:
    """Return the same of an output's input."""
    return rows_that_count(next(entry for entry in manifest["inputs"] if entry["name"] == output["input"]))


def noise_words(output: Mapping[str, Any]) -> str:
    """Return the noise of an output, relative to its sensitivity."""
    noise, parameters = output["noise"], parameters_of(output)
    if noise is None and output["guarantee"]["kind"] == "none":
        return "Its noise, if any, carries no guarantee."
    if noise is None:
        roles = {dataset.role for dataset in parameters.datasets(event_from_json(output["event"]))}
        chosen = Role.CHOICE in roles
        return (
            "The selection itself was random (DP selection), drawn exactly."
            if chosen
            else "No noise was added to it."
        )
    form = "Gaussian" if noise["distribution"] == "rounded_gaussian" else "Laplace"
    ratio = float(noise["standard_deviation"]) / float(output["sensitivity"]["value"])
    return (
        f"{parameters.noise_subject()} {form} noise, σ = {short(ratio)} × the {_NORMS[output['sensitivity']['norm']]} sensitivity. "
        "The noise was drawn exactly, in integer grid units."
    )


def event_level_epsilons(output: Mapping[str, Any]) -> list[str]:
    """Return the event-level ε, for each unit smaller than a person that has one, such as "0.5 for a chunk"."""
    return [
        f"{guarantee['epsilon']:.3g} for a {guarantee['unit']}"
        for guarantee in output["narrower_units"]
        if "epsilon" in guarantee
    ]


def _accepted(choice: dict[str, Any]) -> str:
    if "labels" in choice:
        return _either(choice["labels"])
    return f"from {_plain(choice['low'])} to {_plain(choice['high'])}"


def _plain(number: str) -> str:
    """A number as people write it; the manifest has `-999.0`."""
    return number.removesuffix(".0")


def _either(labels: list[str]) -> str:
    more = len(labels) - _SHOWN
    shown = [*labels[: _SHOWN - 1], f"one of {more + 1} more"] if more > 0 else labels
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
