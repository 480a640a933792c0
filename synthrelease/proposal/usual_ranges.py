"""Ranges that are usual in the field, by what a column is called: to be offered beside a feature, never taken from anybody's data.

They hold nearly everything that healthy adults do; a curator who knows better says so. What is beyond is clipped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class UsualRange:
    """What a feature can be.

    Attributes:
        what: it is, in words.
        low: lower end.
        high: upper end.
        unit: of both.
        source: who says so.
    """

    what: str
    low: float
    high: float
    unit: str
    source: str

    def __str__(self) -> str:
        """Return it as a comment beside a feature."""
        return f"usual for {self.what}: {self.low:g} to {self.high:g} {self.unit} ({self.source})".replace(
            "  (", " ("
        )


_MATHOT = "Mathôt 2018, Journal of Cognition 1:16"
_OURS = "no source: a choice of ours, where diameters lie in 1 to 9 mm"
_HOLMQVIST = "Holmqvist et al. 2011, Eye tracking"
_BAHILL = "Bahill, Clark & Stark 1975, Mathematical Biosciences 24"
_BLINKS = "Bentivoglio et al. 1997, Movement Disorders 12: means of 0.1 to 0.4; the rest is for short windows, a choice of ours"
# The first that fits: what is said of a difference or a spread comes before what it is of.
_RANGES: tuple[tuple[str, UsualRange], ...] = (
    (r"pupil.*diff|diff.*pupil", UsualRange("a difference of pupil diameters", -3, 3, "mm", _OURS)),
    (
        r"pupil.*(^|_)(sd|std)|(^|_)(sd|std)(_|$).*pupil",
        UsualRange("the spread of a pupil diameter", 0, 2, "mm", _OURS),
    ),
    (r"(pupil|diameter).*(^|_)mm($|_)", UsualRange("a pupil diameter", 1, 9, "mm", _MATHOT)),
    (r"pupil|diameter", UsualRange("a pupil diameter that is in mm", 1, 9, "mm", _MATHOT)),
    (r"blink.*(rate|freq|hz)", UsualRange("a blink rate", 0, 2, "per second", _BLINKS)),
    (r"blink.*dur", UsualRange("a blink's duration", 0, 1, "s", _HOLMQVIST)),
    (r"fix.*(rate|freq|hz)", UsualRange("a fixation rate", 0, 6, "per second", _HOLMQVIST)),
    (r"fix.*dur", UsualRange("a fixation's duration", 0, 2, "s", _HOLMQVIST)),
    (r"sacc.*(rate|freq|hz)", UsualRange("a saccade rate", 0, 6, "per second", _HOLMQVIST)),
    (r"sacc.*dur", UsualRange("a saccade's duration", 0, 0.2, "s", _HOLMQVIST)),
    (r"sacc.*amp", UsualRange("a saccade's amplitude", 0, 40, "degrees", _HOLMQVIST)),
    (r"veloc", UsualRange("the velocity of an eye", 0, 1000, "degrees per second", _BAHILL)),
    (
        r"(?<!saccade_fixation_)ratio|fraction|share|openness|confidence|valid",
        UsualRange("a share", 0, 1, "", "by its definition"),
    ),
)
_PUPIL = re.compile(r"pupil|diameter")
_MILLISECONDS = re.compile(r"(^|_)(ms|msec|millis\w*)($|_)")
_VARIANCE = re.compile(r"(?:^|_)(?:var|variance)(?=$|_)")
_OTHER_UNIT = re.compile(
    r"(^|_)(px|pix|pixels?|area|radius|au)($|_)"
)  # of pupils, whose ranges are of diameters in mm
_SPREAD = re.compile(r"(?:^|_)(?:sd|std)(?=$|_)")
_HALF = "no more than half of the range: Popoviciu 1935"
_POPOVICIU = "no more than a quarter of the square of the range: Popoviciu 1935"


def usual_range(column: str) -> UsualRange | None:
    """Return what is usual for a column of this name, in milliseconds where the name says so; None if nothing is known."""
    name = re.sub(r"[^a-z0-9]+", "_", column.lower())
    variances = len(_VARIANCE.findall(name))
    if variances:
        mean = usual_range(_VARIANCE.sub("", name)) if variances == 1 else None
        return None if mean is None or not mean.unit else _variance_of(mean)
    if _SPREAD.search(name) and not _PUPIL.search(name):  # of pupils, our own
        mean = usual_range(_SPREAD.sub("", name))
        return None if mean is None else _spread_of(mean)
    for expression, found in _RANGES:
        if re.search(expression, name):
            if found.unit == "mm" and _OTHER_UNIT.search(name):
                return None
            if found.unit == "s" and _MILLISECONDS.search(name):
                return UsualRange(found.what, found.low * 1000, found.high * 1000, "ms", found.source)
            return found
    return None


def _spread_of(mean: UsualRange) -> UsualRange:
    return UsualRange(f"the spread of {mean.what}", 0, (mean.high - mean.low) / 2, mean.unit, _HALF)


def _variance_of(mean: UsualRange) -> UsualRange:
    largest = (mean.high - mean.low) ** 2 / 4
    return UsualRange(f"the variance of {mean.what}", 0, largest, f"{mean.unit}, squared", _POPOVICIU)
