"""Pictures of public data as accurate as a release is expected to be: of the demonstration's participants, never of the curator's.

What is drawn has the stated accuracy exactly: what is missing to it is taken from what is known without data, and from smooth noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import as_file, files

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from synthrelease.kinds.expectation import CORRELATION, MAP_CORRELATION, UNKNOWN, VARIATION
from synthrelease.numerics.public_draws import PublicDraws
from synthrelease.reports.rasters import VALUE_COLOURS, data_uri, map_png

Numbers = NDArray[np.float64]
_ROWS, _COLUMNS = 36, 48  # of a map
_WIDTH_PX, _HEIGHT_PX = 240, 180
_BLUR_CELLS = 1.6  # about one degree
_POINTS = 120  # of a curve
_CURVE_BLUR = 4.0
_BINS = 24
_SEED = 1
_DIGITS = 3  # accuracies that differ by less have one picture


@dataclass(frozen=True)
class Picture:
    """A picture, and what it is of."""

    of: str
    source: str = ""  # of an image
    exact: str = ""  # points of a curve, in a field of 100 × 40
    released: str = ""


def picture(measure: str, accuracy: float) -> Picture | None:
    """Return what a release of an accuracy would look like; None where a number says it all.

    Args:
        measure: of those of `kinds.expectation`.
        accuracy: in that measure.
    """
    draw = _DRAWN.get(measure)
    if draw is None or not math.isfinite(accuracy):
        return None
    return draw(round(min(max(accuracy, 0.0), 1.0), _DIGITS))


@lru_cache(maxsize=256)
def _map(correlation: float) -> Picture:
    exact, prior = _exact_map(), _centre()
    cells = with_correlation(exact, correlation, prior, _noise(exact.shape, _BLUR_CELLS))
    top = float(cells.max())
    png = map_png(cells, top=top, colours=VALUE_COLOURS, width_px=_WIDTH_PX, height_px=_HEIGHT_PX)
    return Picture(f"a map of a photograph of the demonstration, CC {correlation:g}", source=data_uri(png))


@lru_cache(maxsize=256)
def _curve(correlation: float) -> Picture:
    exact = _exact_curve()
    released = with_correlation(exact, correlation, np.zeros_like(exact), _noise(exact.shape, _CURVE_BLUR))
    return Picture(
        f"a made-up course over time, correlation {correlation:g}",
        exact=_points(exact),
        released=_points(released),
    )


@lru_cache(maxsize=256)
def _distribution(variation: float) -> Picture:
    exact = _exact_distribution()
    return Picture(
        f"a made-up distribution, total variation {variation:g}",
        exact=_steps(exact),
        released=_steps(with_variation(exact, variation)),
    )


@lru_cache(maxsize=256)
def _unknown(share: float) -> Picture:
    exact, guess = _exact_distribution(), np.full(_BINS, 1 / _BINS)
    return Picture(
        f"a made-up distribution, of which {100 * share:.0f} % of what is unknown without data stays so",
        exact=_steps(exact),
        released=_steps(share * guess + (1 - share) * exact),
    )


_DRAWN: Mapping[str, Callable[[float], Picture]] = {
    MAP_CORRELATION: _map,
    CORRELATION: _curve,
    VARIATION: _distribution,
    UNKNOWN: _unknown,
}


def with_correlation(exact: Numbers, correlation: float, guess: Numbers, noise: Numbers) -> Numbers:
    """Return values whose correlation with the exact ones is as stated, with their mean and spread.

    Args:
        exact: of any shape.
        correlation: from 0 to 1.
        guess: what is known without data; at its own correlation it is what is returned, but for a scale.
        noise: what else is missing, of the same shape.
    """
    centred, known, other = (values - values.mean() for values in (exact, guess, noise))
    spread = np.linalg.norm(centred)
    along = centred / spread
    missing = _unit(known, along)
    random = _unit(other - (other * missing).sum() * missing, along)
    without = float((known * along).sum() / max(float(np.linalg.norm(known)), 1e-300))
    share = 1.0 if correlation <= without else (1 - correlation) / (1 - without)
    error = _unit(share * missing + (1 - share) * random, along)
    return np.asarray(exact.mean() + spread * (correlation * along + math.sqrt(1 - correlation**2) * error))


def with_variation(exact: Numbers, variation: float) -> Numbers:
    """Return a distribution whose total variation from the exact one is as stated, or as large as the noise allows."""
    noise = _noise(exact.shape, 1.0)
    noise -= noise.mean()
    low, high = 0.0, 1e6

    def at(size: float) -> Numbers:
        moved = np.clip(exact + size * noise, 0, None)
        return np.asarray(moved / moved.sum())

    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.abs(at(middle) - exact).sum() / 2 < variation else (low, middle)
    return at(low)


def _unit(values: Numbers, along: Numbers) -> Numbers:
    """What of some values is at right angles to others, of length 1; zeros if there is nothing."""
    rest = values - (values * along).sum() * along
    length = float(np.linalg.norm(rest))
    return np.zeros_like(rest) if length < 1e-12 else np.asarray(rest / length)


@lru_cache(maxsize=8)
def _noise(shape: tuple[int, ...], blur: float) -> Numbers:
    return np.asarray(gaussian_filter(PublicDraws(_SEED).normal(shape), blur, mode="wrap"))


@cache
def _exact_map() -> Numbers:
    with as_file(files("synthrelease.demo").joinpath("attention.csv.gz")) as path:
        points = pl.read_csv(path)
    here = points.filter(pl.col("image") == points["image"].min())
    x, y = (here[axis].to_numpy() for axis in ("x_px", "y_px"))
    counts, _, _ = np.histogram2d(y, x, bins=(_ROWS, _COLUMNS))
    return np.asarray(gaussian_filter(counts / counts.sum(), _BLUR_CELLS))


@cache
def _centre() -> Numbers:
    y, x = np.meshgrid(np.linspace(-1, 1, _ROWS), np.linspace(-1, 1, _COLUMNS), indexing="ij")
    return np.asarray(np.exp(-2 * (x**2 + y**2)))


@cache
def _exact_curve() -> Numbers:
    """A response that rises, peaks and returns: as pupils and eyelids do."""
    time = np.linspace(0, 1, _POINTS)
    return np.asarray(time**2 * np.exp(-6 * time) * 20 + 0.15 * np.sin(7 * time))


@cache
def _exact_distribution() -> Numbers:
    place = (np.arange(_BINS) + 0.5) / _BINS
    density = np.exp(-(((place - 0.3) / 0.12) ** 2)) + 0.4 * np.exp(-(((place - 0.65) / 0.15) ** 2))
    return np.asarray(density / density.sum())


def _points(values: Numbers) -> str:
    exact = _exact_curve()
    x = np.linspace(0, 100, values.size)
    y = 20 - 7 * (values - exact.mean()) / exact.std()
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, np.clip(y, 0, 40), strict=True))


def _steps(shares: Numbers) -> str:
    y = np.repeat(38 - 36 * shares / _exact_distribution().max() * 0.8, 2)
    x = np.repeat(np.linspace(0, 100, shares.size + 1), 2)[1:-1]
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, np.clip(y, 0, 40), strict=True))
