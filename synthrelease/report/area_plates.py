"""Areas drawn on their stimulus, each the deeper the more was looked there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from synthrelease.data.screen import Screen
from synthrelease.number_words import percent
from synthrelease.report.exhibits import Panel, Picture, Plate, Shape
from synthrelease.report.look import Look, Range
from synthrelease.report.map_frames import frame_of

Corners = Sequence[tuple[float, float]]  # in pixels of the screen


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
            "", width, height, alt, frame=frame_of(self.screen), shapes=tuple(reversed(drawn)), veiled=veiled
        )

    def _shape(self, name: str, corners: Corners, share: float, most: float) -> Shape:
        points = np.array(corners, dtype=np.float64)
        x, y = ((points.min(axis=0) + points.max(axis=0)) / 2).tolist()
        place = (x / self.screen.width_px, y / self.screen.height_px)
        written = " ".join(f"{across:g},{down:g}" for across, down in points.tolist())
        return Shape(name, percent(share), share / most, written, place)
