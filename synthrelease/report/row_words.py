"""Which rows of an input count, in sentences."""

from __future__ import annotations

from typing import Any

from synthrelease.number_words import listed

_SHOWN = 12  # columns, and labels of one; the manifest has all
_UNITS = {
    "pixels": "pixels",
    "normalised": "shares of the screen's width and height",
    "degrees": "degrees of visual angle",
}
_ORIGINS = {
    "top-left": "from the top left",
    "bottom-left": "from the bottom left, y upwards",
    "centre": "from the centre",
    "centre-y-up": "from the centre, y upwards",
}


def rows_that_count(entry: dict[str, Any]) -> list[str]:
    """Return how the plan chooses rows of an input by what stands in them.

    Args:
        entry: one of the manifest's `inputs`.
    """
    only = [f"{one['column']} is {_either(one['labels'])}" for one in entry["only"]]
    valid = [f"{one['column']} is {_accepted(one)}" for one in entry["valid"]]
    codes = [*map(_plain, entry["missing"]["numbers"]), *entry["missing"]["texts"]]
    sentences = [
        f"Only rows where {listed(only, _SHOWN)} count." if only else "All rows count.",
        f"A row holds a measurement where {listed(valid, _SHOWN)}." if valid else "",
        f"A value of {_either(codes)} is missing." if codes else "",
        "Points off the screen are dropped." if entry.get("off_screen") == "drop" else "",
    ]
    if "coordinates" in entry and (entry["coordinates"], entry["origin"]) != ("pixels", "top-left"):
        sentences.append(f"Coordinates are {_UNITS[entry['coordinates']]} {_ORIGINS[entry['origin']]}.")
    return [sentence for sentence in sentences if sentence]


def rows_of(manifest: dict[str, Any], output: dict[str, Any]) -> list[str]:
    """Return the same of an output's input; nothing of a manifest of version 1, which states no inputs."""
    entries = {entry["name"]: entry for entry in manifest.get("inputs", [])}
    return rows_that_count(entries[output["input"]]) if entries else []


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
