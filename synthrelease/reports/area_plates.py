"""Areas drawn on their stimulus, each the deeper the more was looked there."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from synthrelease.data.screen import Screen
from synthrelease.number_words import percent
from synthrelease.reports.exhibits import Panel, Picture, Plate, Shape
from synthrelease.reports.look import Look, Range
from synthrelease.reports.map_frames import frame_of

Corners = Sequence[tuple[float, float]]  # in pixels of the screen

# Of a picture on a phone, where names take most of it: its width, that of a letter, the height of a line, in CSS pixels.
_WIDTH_PX, _LETTER_PX, _LINE_PX = 270, 6.8, 15
_MOST = 0.45  # of the picture's width, for a name: as in style.css
_ROWS = 40  # heights at which a name may stand
_APART = 60  # names that are moved apart; of more there is no room for all


@dataclass(frozen=True)
class DrawnAreas:
    """The areas of a stimulus, and proportions of looking at each, by panel: drawn once photographs are known."""

    stimulus: str
    screen: Screen
    corners: Mapping[str, Corners]  # by area; the first that holds a point has it
    panels: Mapping[str, Mapping[str, float]]  # by heading, the proportion of each area
    note: str = ""

    def ranges(self) -> Iterator[tuple[str, Range]]:
        """Yield nothing: proportions are written on the areas."""
        yield from ()

    def plate(self, look: Look) -> Plate:
        """Return the areas on the photograph, or on an empty screen."""
        photograph = look.photographs.grey_uri(self.stimulus)
        most = max((max(shares.values()) for shares in self.panels.values()), default=0.0) or 1.0
        panels = tuple(
            Panel(heading, (self._picture(heading, shares, most, veiled=bool(photograph)),))
            for heading, shares in self.panels.items()
        )
        caption = f"The deeper the colour, the larger the proportion. Axes {frame_of(self.screen).words}."
        return Plate(
            f"Areas on stimulus {self.stimulus}",
            panels,
            f"{caption} {self.note}".strip(),
            photograph=photograph,
        )

    def _picture(self, heading: str, shares: Mapping[str, float], most: float, *, veiled: bool) -> Picture:
        width, height = self.screen.width_px, self.screen.height_px
        drawn = [
            self._shape(name, corners, shares[name], most)
            for name, corners in self.corners.items()
            if name in shares
        ]
        values = "; ".join(f"{shape.name} {shape.value}" for shape in drawn)
        alt = f"Areas on stimulus {self.stimulus}, {heading}: {values}."
        # What comes first hides what comes later, as points are given to areas.
        return Picture(
            "",
            width,
            height,
            alt,
            frame=frame_of(self.screen),
            shapes=tuple(reversed(_apart(drawn, height / width))),
            veiled=veiled,
        )

    def _shape(self, name: str, corners: Corners, share: float, most: float) -> Shape:
        points = np.array(corners, dtype=np.float64)
        x, y = ((points.min(axis=0) + points.max(axis=0)) / 2).tolist()
        place = (x / self.screen.width_px, y / self.screen.height_px)
        written = " ".join(f"{across:g},{down:g}" for across, down in points.tolist())
        return Shape(name, percent(share), share / most, written, place)


def _apart(shapes: Sequence[Shape], aspect: float) -> list[Shape]:
    """The same with names moved up or down, as little as need be, so that none hides another; the first stays where it is."""
    if len(shapes) > _APART:
        return list(shapes)
    taken: list[_Box] = []
    moved = []
    for shape in shapes:
        x, y = shape.place
        nearest = sorted((abs(at - y), at) for at in (y, *(row / _ROWS for row in range(_ROWS + 1))))
        boxes = {at: _Box.of(shape, (x, at), aspect) for _, at in nearest}
        at = next((at for at, box in boxes.items() if not any(map(box.overlaps, taken))), y)
        taken.append(boxes[at])
        moved.append(replace(shape, place=(x, at)))
    return moved


class _Box(NamedTuple):
    """Where a name stands on a small picture, from 0 to 1; on a larger one it takes a part of that."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def of(cls, shape: Shape, place: tuple[float, float], aspect: float) -> _Box:
        """The box of a name that hangs on a place as style.css hangs it: by its left edge at the left, by its right one at the right."""
        lines = textwrap.wrap(f"{shape.name} {shape.value}", round(_MOST * _WIDTH_PX / _LETTER_PX)) or [""]
        width = min(_MOST, (max(map(len, lines)) + 2) * _LETTER_PX / _WIDTH_PX)
        height = min(1.0, (len(lines) * _LINE_PX + 2) / (_WIDTH_PX * aspect))
        left, top = place[0] * (1 - width), place[1] * (1 - height)
        return cls(left, top, left + width, top + height)

    def overlaps(self, other: _Box) -> bool:
        """Whether one hides a part of the other."""
        beside = self.left >= other.right or other.left >= self.right
        return not (beside or self.top >= other.bottom or other.top >= self.bottom)
