"""An exact map next to the released one, and their difference: only for the private report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from synthrelease.number_words import short
from synthrelease.reports.exhibits import Outlines, Plate
from synthrelease.reports.figures import shown_frames
from synthrelease.reports.look import Look, Range
from synthrelease.reports.map_axes import MapLegend
from synthrelease.reports.map_frames import Difference, frame_of, outline_words
from synthrelease.reports.map_panels import Colouring, Frame, map_panel
from synthrelease.reports.rasters import VALUE_COLOURS, Map

DIFFERENCE_COLOURS = "RdBu_r"  # blue: released less than there was; red: more
_PX, _FRAME_PX, _FRAMES = 400, 160, 6


@dataclass(frozen=True)
class ComparedMap:
    """An exact map and the released one: drawn once the scale of all maps is known."""

    stimulus: str
    true_map: Map  # shape (rows, columns), or (frames, rows, columns)
    released: Map  # the same shape; what is negative is noise, and drawn as nothing
    half_width: Map | None  # ± of the released one (95 %), where it is known
    legend: MapLegend
    window: tuple[float, float] | None = None  # start and end of the time that frames divide
    caption: str = ""

    @property
    def title(self) -> str:
        """What the map is of."""
        return f"Stimulus {self.stimulus}"

    def ranges(self) -> Iterator[tuple[str, Range]]:
        """Yield what the colours of the panels mean, each with the ends of a scale of the map's own."""
        yield from ((colouring.unit, colouring.own) for colouring in (self._values, self._difference))

    def plate(self, look: Look) -> Plate:
        """Return the exact map, the released one on the same scale, and the difference."""
        photograph = look.photographs.grey_uri(self.stimulus)
        common: dict[str, Any] = {
            "legend": self.legend,
            "longer_px": _PX if self.window is None else _FRAME_PX,
            "look": look,
        }
        over: dict[str, Any] = {"veiled": bool(photograph), **common}
        values, difference = self._values, self._difference
        panels = (
            map_panel(
                "exact (private)", self._frames(self.true_map, "Exact map", is_exact=True), values, **over
            ),
            map_panel(
                "released",
                self._frames(self.released, "Released map", self.half_width),
                values,
                outlines=self._outlines,
                **over,
            ),
            map_panel(
                "released − exact",
                self._frames(self.released - self.true_map, "Difference of the two maps", is_exact=True),
                difference,
                **common,
            ),
        )
        captions = [
            f"{self.caption}." if self.caption else "",
            f"Released map: {words[:1].lower()}{words[1:]}"
            if (words := outline_words(self._outlines))
            else "",
            f"Axes {frame_of(self.legend.screen).words}." if self.window is None else "",
        ]
        return Plate(
            self.title, panels, " ".join(filter(None, captions)), photograph=photograph, curtain=(0, 1)
        )

    @property
    def _values(self) -> Colouring:
        highest = max(float(self.true_map.max()), float(self.released.max()), 0.0)
        return Colouring(VALUE_COLOURS, self.legend.quantity, (0.0, highest))

    @property
    def _difference(self) -> Colouring:
        largest = float(np.abs(self.released - self.true_map).max())
        unit = f"difference of {self.legend.quantity}"
        return Colouring(DIFFERENCE_COLOURS, unit, (-largest, largest), signed=True)

    @property
    def _outlines(self) -> Outlines | None:
        if self.half_width is None or self.window is not None:
            return None
        return Difference.of(np.clip(self.released, 0, None), self.half_width).outlines

    def _frames(
        self, cells: Map, what: str, half_width: Map | None = None, *, is_exact: bool = False
    ) -> list[Frame]:
        """A map, or those of its frames that are shown."""
        alt = f"{what}, {self.title}."
        if self.window is None:
            words = f"{alt} {self._range_words(cells)}"
            return [Frame(cells, words, half_width=half_width, is_exact=is_exact)]
        start, end = self.window
        times = [start + (n + 0.5) / len(cells) * (end - start) for n in range(len(cells))]
        return [
            Frame(
                cells[n],
                f"{alt} {self._range_words(cells[n])}",
                f"t = {short(times[n])}",
                half_width=None if half_width is None else half_width[n],
                is_exact=is_exact,
            )
            for n in shown_frames(len(cells))[:_FRAMES]
        ]

    def _range_words(self, cells: Map) -> str:
        return (
            f"From {short(float(cells.min()), 3)} to {short(float(cells.max()), 3)} {self.legend.quantity}."
        )
