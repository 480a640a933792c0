"""Numbers as a reader of a page wants them: few digits, no notation of programmers."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal

_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_MOST_GROUPED = 1e9
_EQUAL = 1e-6  # relative: as near as guarantees are compared
_NEAR_ONE = 0.999  # what a tenth of a percent does not distinguish from certainty


def percent_up(share: float) -> str:
    """Return a share as a percentage that is not below it: a bound is never stated better than it is."""
    return f"{math.ceil(share * 1000 - 1e-9) / 10:g} %"


def percent(share: float) -> str:
    """Return a share as "12.3 %"."""
    return f"{100 * share:.1f} %"


def is_certain(share: float) -> bool:
    """Whether a probability is so near 1 that a page should say so in words."""
    return share > _NEAR_ONE


def grouped(number: float) -> str:
    """Return a whole number with thin spaces between thousands."""
    return f"{number:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def scientific(number: float) -> str:
    """Return a number above 0 with two digits, a small one with a power of ten: "2.5 × 10⁻⁵"."""
    if number >= 1e-3:
        return f"{number:.2g}"
    return _with_power(*f"{number:.1e}".split("e"))


def scientific_up(number: float) -> str:
    """Return the same, rounded up: a δ is never stated smaller than it is."""
    return scientific(float(no_less(number, 2)))


def no_less(value: float, digits: int) -> str:
    """Return a number in so many digits, rounded up: a guarantee is never stated better than it is.

    What is nearer to the rounded one than accounting resolves counts as equal to it.
    """
    nearest = float(f"{value:.{digits}g}")
    if math.isinf(value) or nearest >= value * (1 - _EQUAL):
        return f"{nearest:.{digits}g}"
    exact = Decimal(value)
    step = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    return f"{float(exact.quantize(step, ROUND_CEILING)):.{digits}g}"


def short(number: float, digits: int = 4) -> str:
    """Return a measured number with so many digits at most, what is far from 1 with a power of ten, and no sign of minus nothing."""
    text = (
        f"{abs(number):.{digits}g}" if not 10**digits <= abs(number) < _MOST_GROUPED else grouped(abs(number))
    )
    if "e" in text:
        text = _with_power(*text.split("e"))
    return f"\N{MINUS SIGN}{text}" if number < 0 and text != "0" else text


def several(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: "1 picture", "12 pictures"."""
    return f"{grouped(number)} {noun if number == 1 else plural or noun + 's'}"


def participants(number: int | None) -> str:
    """Return a number of participants; None where it is private."""
    return "a private number of participants" if number is None else several(number, "participant")


def listed(names: list[str], most: int = 4) -> str:
    """Return names as a person lists them, the rest counted."""
    shown = names if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _with_power(digits: str, power: str) -> str:
    raised = str(int(power)).translate(_RAISED)
    return f"10{raised}" if float(digits) == 1 else f"{float(digits):g} × 10{raised}"
