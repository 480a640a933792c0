"""Where on a screen someone looks, in every way that files say it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from refusals import bad_argument, refused

from synthrelease.data.coordinates import Coordinates
from synthrelease.data.gaze import load_gaze
from synthrelease.data.screen import Screen
from synthrelease.errors import DataError

SCREEN = Screen(800, 600, width_mm=400.0, distance_mm=700.0)  # 2 px a mm
X, Y = np.array([0.0, 100, 400, 800, np.nan]), np.array([0.0, 450, 300, 600, 5])


def angle(pixels: np.ndarray) -> np.ndarray:
    return np.degrees(np.arctan(pixels / 2 / 700))


@pytest.mark.parametrize(
    ("unit", "origin", "x", "y"),
    [
        ("pixels", "top-left", X, Y),
        ("pixels", "bottom-left", X, 600 - Y),
        ("pixels", "centre", X - 400, Y - 300),
        ("pixels", "centre-y-up", X - 400, 300 - Y),
        ("normalised", "top-left", X / 800, Y / 600),
        ("normalised", "bottom-left", X / 800, 1 - Y / 600),
        ("normalised", "centre", X / 800 - 0.5, Y / 600 - 0.5),
        ("degrees", "centre", angle(X - 400), angle(Y - 300)),
        ("degrees", "centre-y-up", angle(X - 400), angle(300 - Y)),
    ],
)
def test_every_way_leads_to_the_same_pixels(unit: str, origin: str, x: np.ndarray, y: np.ndarray) -> None:
    found = Coordinates(unit, origin).pixels(x, y, SCREEN)
    assert np.allclose(found, (X, Y), rtol=0, atol=1e-9, equal_nan=True)


def test_one_degree_in_the_middle_is_what_the_screen_says() -> None:
    half = np.array([-0.5, 0.5])
    left, right = Coordinates("degrees", "centre").pixels(half, half, SCREEN)[0]
    assert right - left == pytest.approx(SCREEN.pixels_per_degree)
    assert right - left == pytest.approx(2 * 700 * math.tan(math.radians(0.5)) * 2)


def test_what_is_behind_the_eyes_is_off_the_screen() -> None:
    far = np.array([90.0, -90.0, 180.0, -270.0])
    x, _ = Coordinates("degrees", "centre").pixels(far, far * 0, SCREEN)
    assert np.isinf(x).all()
    assert not SCREEN.holds(x, np.ones(4)).any()


def test_degrees_need_a_screen_of_known_size() -> None:
    for screen in (Screen(800, 600), Screen(800, 600, 400.0), Screen(800, 600, distance_mm=700.0)):
        with bad_argument(ValueError, "width_mm", "distance_mm"):
            Coordinates("degrees", "centre").pixels(X, Y, screen)


def test_gaze_is_read_in_its_coordinates(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("who,what,x,y\na,s,0.5,0.25\nb,s,1.0,0.0\nb,s,n/a,0.5\n")
    columns = {"person": "who", "stimulus": "what", "x": "x", "y": "y"}
    ways = {"columns": columns, "screen": SCREEN, "missing": ["n/a"]}
    found = load_gaze(path, **ways, coordinates=Coordinates("normalised", "bottom-left"))
    assert found.x_px.tolist() == [400.0, 800.0]
    assert found.y_px.tolist() == [450.0, 600.0]
    path.write_text("who,what,x,y\na,s,1.001,0.5\n")
    with refused(DataError, "point-off-screen", where="line 2, column 'x'"):
        load_gaze(path, **ways, coordinates=Coordinates("normalised", "bottom-left"))
