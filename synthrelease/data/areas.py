"""Areas of interest: parts of the screen with public names, and which of them each point of gaze lies in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.area_shapes import ELSEWHERE, LABEL, RECTANGLE
from synthrelease.data.gaze import GazeData


@dataclass(frozen=True)
class Area:
    """One area."""

    name: str  # its public name
    shape: str  # "rectangle", "polygon" or "label"
    # (x, y) in pixels; of a rectangle left top and right bottom, of a label none
    corners: tuple[tuple[float, float], ...] = ()
    label: int | None = None  # the value of its pixels in the label image; None for other shapes
    stimuli: tuple[str, ...] | None = None  # those that have it; None for all

    def holds(
        self, x_px: NDArray[np.float64], y_px: NDArray[np.float64], labels: NDArray[np.integer]
    ) -> NDArray[np.bool_]:
        """Return which points lie in the area: left and top edge do, right and bottom edge do not.

        A polygon holds the points from which a line to the right crosses it an odd number of times (even-odd rule), so that
        parts that it goes around twice are holes, and neighbours with a common edge share no point and leave none out.

        Args:
            x_px: horizontal positions, shape (N,).
            y_px: vertical positions, shape (N,).
            labels: the label image's values there, shape (N,).
        """
        if self.shape == LABEL:
            return np.asarray(labels == self.label)
        if self.shape == RECTANGLE:
            (left, top), (right, bottom) = self.corners
            return (left <= x_px) & (x_px < right) & (top <= y_px) & (y_px < bottom)
        inside = np.zeros(x_px.shape, dtype=np.bool_)
        for start, end in zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True):
            # From top to bottom whichever way it was drawn: neighbours must agree on their edge to the last bit.
            (x, y), (x_below, y_below) = sorted((start, end), key=lambda corner: corner[1])
            if y < y_below:
                beside = np.flatnonzero((y <= y_px) & (y_px < y_below))
                crossed = x + (y_px[beside] - y) / (y_below - y) * (x_below - x)
                inside[beside] ^= x_px[beside] < crossed
        return inside

    def to_json(self) -> dict[str, Any]:
        """Return the area as the manifest has it."""
        return {
            "name": self.name,
            "shape": self.shape,
            "coordinates": [list(corner) for corner in self.corners] or None,
            "label": self.label,
            "stimuli": None if self.stimuli is None else list(self.stimuli),
        }


@dataclass(frozen=True, eq=False)
class PlacedAreas:
    """Areas in the order in which they are tried; what none of them holds is elsewhere."""

    areas: tuple[Area, ...]  # the areas
    # values of the label image of each stimulus that has one, shape (rows, columns) of any size: it covers
    # the screen
    images: Mapping[str, NDArray[np.integer]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The areas' names, and last "elsewhere"."""
        return (*(area.name for area in self.areas), ELSEWHERE)

    def locate(self, gaze: GazeData) -> NDArray[np.int64]:
        """Return the number of the first area that holds each row, or that of "elsewhere", shape (N,).

        The screen's right and bottom edge belong to the areas that reach them. Each row's number depends on that row alone.
        """
        elsewhere = len(self.areas)
        x_px = np.minimum(gaze.x_px, np.nextafter(float(gaze.screen.width_px), 0))
        y_px = np.minimum(gaze.y_px, np.nextafter(float(gaze.screen.height_px), 0))
        labels = self._labels(gaze)
        number = np.full(gaze.x_px.shape, elsewhere, dtype=np.int64)
        for index, area in enumerate(self.areas):
            has_area = np.array(
                [area.stimuli is None or s in area.stimuli for s in gaze.stimuli], dtype=np.bool_
            )
            rows = np.flatnonzero((number == elsewhere) & has_area[gaze.stimulus])
            number[rows[area.holds(x_px[rows], y_px[rows], labels[rows])]] = index
        return number

    def _labels(self, gaze: GazeData) -> NDArray[np.int64]:
        """Return the value of the label image under each row, 0 without one."""
        labels = np.zeros(gaze.x_px.shape, dtype=np.int64)
        if not self.images:
            return labels
        by_stimulus = np.argsort(gaze.stimulus, kind="stable")
        ends = np.cumsum(np.bincount(gaze.stimulus, minlength=len(gaze.stimuli)))[:-1]
        for stimulus, rows in zip(gaze.stimuli, np.split(by_stimulus, ends), strict=True):
            if stimulus in self.images:
                image = self.images[stimulus]
                height, width = image.shape
                pixel = gaze.screen.cells(gaze.x_px[rows], gaze.y_px[rows], columns=width, rows=height)
                labels[rows] = image.ravel()[pixel]
        return labels
