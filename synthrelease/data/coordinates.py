"""Coordinates as files of gaze have them, and the pixels from the top left that everything else is in."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.screen import Screen

Numbers = NDArray[np.float64]
PIXELS, NORMALISED, DEGREES = "pixels", "normalised", "degrees"
TOP_LEFT, BOTTOM_LEFT, CENTRE, CENTRE_Y_UP = "top-left", "bottom-left", "centre", "centre-y-up"


@dataclass(frozen=True)
class Coordinates:
    """The unit and origin of positions on a screen."""

    # "pixels"; "normalised", shares of the screen's width and height; or "degrees" of visual angle
    unit: str = PIXELS
    # "top-left", y growing downwards; "bottom-left", upwards; "centre", downwards; "centre-y-up", upwards
    origin: str = TOP_LEFT

    def pixels(self, x: Numbers, y: Numbers, screen: Screen) -> tuple[Numbers, Numbers]:
        """Return pixels from the top left.

        An angle α from the middle of the screen lies tan α · distance from it, along each axis by itself, as the field's tools have it;
        pixels are as high as they are wide. What is 90° off and more is infinitely far.

        Args:
            x: across, shape (N,); NaN stays NaN.
            y: up or down, shape (N,).
            screen: with its width and distance in mm if the unit is degrees.

        Raises:
            ValueError: degrees on a screen of unknown size or distance.
        """
        if self.unit == NORMALISED:
            x, y = x * screen.width_px, y * screen.height_px
        elif self.unit == DEGREES:
            if screen.width_mm is None or screen.distance_mm is None:
                raise ValueError(
                    "Expected a screen with width_mm and distance_mm, as coordinates are degrees"
                )
            pixels_per_mm = screen.width_px / screen.width_mm
            x, y = (_tangent(angle) * screen.distance_mm * pixels_per_mm for angle in (x, y))
        if self.origin in {BOTTOM_LEFT, CENTRE_Y_UP}:
            y = -y
        if self.origin == BOTTOM_LEFT:
            y = y + screen.height_px
        elif self.origin in {CENTRE, CENTRE_Y_UP}:
            x, y = x + screen.width_px / 2, y + screen.height_px / 2
        return x, y


PIXELS_FROM_TOP_LEFT = Coordinates()


def _tangent(degrees: Numbers) -> Numbers:
    far = np.abs(degrees) >= 90
    tangent: Numbers = np.tan(np.where(far, 0.0, degrees) * math.pi / 180)
    return np.where(far, np.copysign(np.inf, degrees), tangent)
