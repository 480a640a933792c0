"""Maps as small PNG files without letters: a page has its letters as text, readable at every width."""

from __future__ import annotations

import base64
import io
from functools import cache

import numpy as np

from synthrelease.report.exhibits import Scale
from synthrelease.report.figures import SPREAD_COLOURS, VALUE_COLOURS, Map
from synthrelease.report.number_words import short

__all__ = ["SPREAD_COLOURS", "VALUE_COLOURS", "data_uri", "map_png", "scale"]

_STOPS = 9  # of a gradient


def map_png(cells: Map, *, top: float, colours: str, width_px: int, height_px: int) -> bytes:
    """Return a map as a PNG of 256 colours, smooth between its cells.

    Args:
        cells: shape (rows, columns); drawn from 0 to `top`, what is outside as the end that it is beyond.
        top: the value of the last colour.
        colours: a colour map of matplotlib.
        width_px: of the picture.
        height_px: of the picture.
    """
    from PIL import Image  # noqa: PLC0415  slow to import

    smooth = Image.fromarray(np.ascontiguousarray(cells, dtype=np.float32)).resize(
        (width_px, height_px), Image.Resampling.BICUBIC
    )
    share = np.asarray(smooth, dtype=np.float64) / (top if top > 0 else 1.0)
    image = Image.fromarray((np.clip(share, 0, 1) * 255).round().astype(np.uint8))
    image.putpalette(_palette(colours))
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=9)
    return file.getvalue()


def scale(colours: str, *, top: float, unit: str) -> Scale:
    """Return what the colours of `map_png` mean."""
    palette = np.frombuffer(_palette(colours), dtype=np.uint8).reshape(256, 3)
    stops = palette[np.linspace(0, 255, _STOPS).round().astype(int)]
    return Scale(tuple(f"#{r:02x}{g:02x}{b:02x}" for r, g, b in stops.tolist()), "0", short(top, 3), unit)


def data_uri(png: bytes) -> str:
    """Return a PNG as an address that holds it."""
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


@cache
def _palette(colours: str) -> bytes:
    from matplotlib import colormaps  # noqa: PLC0415  slow to import

    shades = colormaps[colours](np.arange(256), bytes=True)
    return bytes(np.asarray(shades)[:, :3].tobytes())
