"""What a form of export may be asked for besides the bundle and the folder. Which forms take which stands in `formats.FORMATS`."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path

from synthrelease.errors import ArgumentError


@dataclass(frozen=True)
class ExportOptions:
    """What was asked for; None is what the form does by itself."""

    stimuli: Path | None = None  # a folder with pictures of stimuli, for exports that draw
    one_file_per: str | None = None  # which synthetic records have a file each, such as "person"
    hz: float | None = None  # samples in a second
    px_per_degree: float | None = None  # pixels of a degree of visual angle
    blinks_per_minute: float | None = None  # on average

    @property
    def given(self) -> tuple[str, ...]:
        """The names of those that were asked for."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) is not None)


NO_OPTIONS = ExportOptions()


@dataclass(frozen=True)
class NumberOption:
    """An option that is a number, and public."""

    words: str  # what it is, in a sentence
    lowest: float
    highest: float
    default: float | None  # None: it follows from the release


NUMBERS = {
    "hz": NumberOption("Samples per second.", 10, 10_000, 500),
    "px_per_degree": NumberOption(
        "Pixels per degree of visual angle; default: that of the declared screen.", 1, 1000, None
    ),
    "blinks_per_minute": NumberOption("Blinks per minute, each a gap of 150 ms.", 0, 60, 0),
}


def refuse_numbers(options: ExportOptions) -> None:
    """Refuse numbers out of range.

    Raises:
        ArgumentError: one is, or is not finite.
    """
    for name, number in NUMBERS.items():
        value = getattr(options, name)
        if value is not None and not (math.isfinite(value) and number.lowest <= value <= number.highest):
            raise ArgumentError(
                "option-out-of-range",
                f"{name} is out of range",
                where=f"export().{name}",
                found=f"{value}",
                expected=f"a number from {number.lowest:g} to {number.highest:g}",
                remedy="change it, or leave it out",
            )


def number_of(options: ExportOptions, name: str, default: float | None = None) -> float:
    """Return what was asked for, the option's default, or what follows from the release."""
    value: float | None = getattr(options, name)
    if value is None:
        value = NUMBERS[name].default
    if value is None:
        value = default
    assert value is not None
    return float(value)
