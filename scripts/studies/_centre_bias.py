"""The numbers of `numerics/centre_bias.py`, computed again from OSIE's fixations on images above 1020."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from studies._osie_mouse import BLURS, SCREEN, Map
from synthrelease.numerics import centre_bias
from synthrelease.numerics.spectrum import WEIGHT, Band, band, point_coefficients, positions


def print_prior(folder: Path) -> None:
    """Print them beside those that are shipped."""
    frequencies = band(BLURS, 1e-3)
    mean, power = prior_numbers(folder / "osie" / "fixations_tidy.csv.gz", frequencies)
    u, v = frequencies.frequencies
    print("Prior, computed again / shipped (numerics/centre_bias.py)")
    for (vertical, horizontal), shipped in centre_bias.MEAN.items():
        again = float(mean[(u == vertical) & (v == horizontal)][0])
        print(f"  mean ({vertical}, {horizontal}): {again:+.3f} / {shipped:+.3f}")
    missing = [
        (int(a), int(b))
        for a, b, m in zip(u[1:], v[1:], mean[1:], strict=True)
        if abs(m) >= 0.05 and (a, b) not in centre_bias.MEAN
    ]
    print(f"  others of 0.05 and more: {missing or 'none'}")
    print(
        "  power: " + ", ".join(f"{a:.3f} / {s:.3f}" for a, s in zip(power, centre_bias.POWER, strict=True))
    )


def prior_numbers(path: Path, frequencies: Band) -> tuple[Map, list[float]]:
    """Return mean coefficients, and the polynomial of ln power in ln frequency."""
    table = (
        pl.read_csv(path)
        .with_columns(number=pl.col("image").str.slice(0, 4).cast(pl.Int64))
        .filter(
            (pl.col("number") > 1020) & pl.col("x_px").is_between(0, 800) & pl.col("y_px").is_between(0, 600)
        )
    )
    places = np.stack(
        [
            positions(table["y_px"].to_numpy() / SCREEN.height_px),
            positions(table["x_px"].to_numpy() / SCREEN.width_px),
        ]
    )
    mean = mean_coefficients(places, frequencies)
    number, half = table["number"].to_numpy(), table["observer"].to_numpy() % 2
    images = np.unique(number)
    products = np.zeros(frequencies.count)
    for image in images:
        one, other = (
            mean_coefficients(places[:, (number == image) & (half == h)], frequencies) - mean for h in (0, 1)
        )
        products += one * other / images.size
    f = np.hypot(*frequencies.frequencies)[1:]
    ring = np.digitize(f, np.linspace(0.5, f.max() + 1e-9, 25)) - 1
    middle = np.array([f[ring == r].mean() for r in range(24) if (ring == r).any()])
    level = np.array([products[1:][ring == r].mean() for r in range(24) if (ring == r).any()])
    positive = level > 0
    curve = np.polyfit(np.log(middle[positive]), np.log(level[positive]), 2)
    return mean, [float(c) for c in curve[::-1]]


def mean_coefficients(places: NDArray[np.int64], frequencies: Band) -> Map:
    """Return the mean of so many points' coefficients."""
    total = np.zeros(frequencies.count)
    for start in range(0, places.shape[1], 100_000):
        part = places[:, start : start + 100_000]
        size = part.shape[1]
        weights = np.full(size, WEIGHT // size)
        weights[: WEIGHT - weights.sum()] += 1
        total += point_coefficients(part, weights, frequencies) * size
    return total / places.shape[1]
