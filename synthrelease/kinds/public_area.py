"""An area of interest as a manifest has it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Self

from synthrelease.data.area_shapes import ELSEWHERE, LABEL, RECTANGLE
from synthrelease.field_schema import Label, among, described
from synthrelease.kinds.parameters import Fault

if TYPE_CHECKING:
    from synthrelease.data.areas import Area

_Pixel = Annotated[float, {"minimum": 0}]


@dataclass(frozen=True)
class PublicArea:
    """An area as a manifest has it; without a shape it is what lies in no other."""

    name: Label
    shape: Annotated[
        str | None, described("null for elsewhere.", **among("rectangle", "polygon", LABEL, None))
    ]
    coordinates: Annotated[
        tuple[tuple[_Pixel, _Pixel], ...] | None,
        described(
            "Corners (x, y) in pixels: left top and right bottom of a rectangle; null for a label.",
            minItems=2,
            maxItems=10000,
        ),
    ]
    label: Annotated[int | None, described("Value of the area's pixels in the label image.", minimum=1)]
    stimuli: Annotated[
        tuple[Label, ...] | None,
        described("Those that have the area; null for all.", minItems=1, uniqueItems=True),
    ]

    @classmethod
    def of(cls, area: Area) -> Self:
        """Return an area without its image."""
        return cls(area.name, area.shape, area.corners or None, area.label, area.stimuli)

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """All corners (x, y), one after the other; of a label there are none."""
        corners = self.coordinates or ()
        if self.shape != RECTANGLE:
            return corners
        (left, top), (right, bottom) = corners
        return (left, top), (right, top), (right, bottom), (left, bottom)

    def faults(self, listed: Collection[str]) -> Iterator[Fault]:
        """Yield where it contradicts itself, or the public list of stimuli."""
        corners = self.coordinates
        drawn = corners is not None and (len(corners) == 2 if self.shape == RECTANGLE else len(corners) > 2)
        if (self.name == ELSEWHERE) != (self.shape is None) or (self.shape == LABEL) != (
            self.label is not None
        ):
            yield "manifest", f"the area '{self.name}' has not the shape it is said to have"
        elif (self.shape in ("rectangle", "polygon")) != drawn or (corners is not None and not drawn):
            yield "manifest", f"the area '{self.name}' has not the corners of its shape"
        if not set(self.stimuli or ()) <= set(listed):
            yield "manifest", f"the area '{self.name}' is of a stimulus that is not listed"
