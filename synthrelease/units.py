"""Units of features: what the names of columns end in, where a plan does not state them."""

from __future__ import annotations

import re

_BY_ENDING = {
    "px": "px",
    "mm": "mm",
    "cm": "cm",
    "um": "um",
    "s": "s",
    "ms": "ms",
    "us": "us",
    "ns": "ns",
    "deg": "deg",
    "rad": "rad",
    "hz": "Hz",
    "khz": "kHz",
    "percent": "%",
}
_ENDING = re.compile(r"(?:[ _.]|\[|\()([A-Za-z]+)[\])]?$")


def unit_of(name: str) -> str:
    """Return the unit that a feature's name ends in, such as "mm" of `size_mm` or `Size [mm]`; "" if it ends in none."""
    match = _ENDING.search(name)
    return "" if match is None else _BY_ENDING.get(match[1].lower(), "")


class Quantity:
    """What has a name, and may have a unit and a title that the plan states: a feature, an attribute of records."""

    name: str
    unit: str | None
    title: str | None

    @property
    def known_unit(self) -> str:
        """The unit that the plan states, or that the name ends in; "" for none."""
        return self.unit or unit_of(self.name)

    @property
    def shown_name(self) -> str:
        """What people call it."""
        return self.title or self.name
