#!/usr/bin/env python3
"""Write what scanpaths are like before any data is seen, from public fixations: `scripts/make_dynamics_prior.py DATA`.

DATA is the folder of the public data sets; fixations are those of `saliency_in_crowd` (Jiang et al. 2014): 16 people, 500 photographs of 5 s.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

import numpy as np  # noqa: E402  needs the path above
import polars as pl  # noqa: E402

from synthrelease.kinds.scanpaths.blocks import ORDER, SIZE, places  # noqa: E402
from synthrelease.kinds.scanpaths.coordinates import STEPS, Coordinate  # noqa: E402
from synthrelease.kinds.scanpaths.dynamics_prior import FLAT  # noqa: E402
from synthrelease.kinds.scanpaths.fixations import Fixations  # noqa: E402
from synthrelease.kinds.scanpaths.vectors import Measured, deviations  # noqa: E402

PATH = ROOT / "synthrelease" / "kinds" / "scanpaths" / "dynamics_prior.json"
WIDTH, HEIGHT, SECONDS = 1024, 768, 5.0
KNOTS, DIGITS = 121, 6
# Range, and the warp in which values without public data are even.
RANGES = {
    "amplitude": (0.0, 1.3, "amplitude"),
    "direction": (0.0, 1.0, "even"),
    "ratio": (0.0, 1.0, "even"),
    "turn": (0.0, 1.0, "even"),
    "duration_ms": (15.0, 3000.0, "logarithm"),
    "rate_per_s": (0.1, 10.0, "logarithm"),
    "fixated_share": (0.0, 1.0, "even"),
    "first_x": (0.0, 1.0, "even"),
    "first_y": (0.0, 1.0, "even"),
    "level": (0.0, 1.0, "even"),
}


def main(arguments: list[str]) -> int:
    """Write the file."""
    if len(arguments) != 1:
        print(__doc__)
        return 2
    source = Path(arguments[0]) / "saliency_in_crowd" / "fixations_tidy.csv.gz"
    fixations = read(source)
    quantiles = {name: rounded(values_of(fixations)[name]) for name in RANGES if name != "level"}
    quantiles["level"] = rounded(np.linspace(0.0, 1.0, KNOTS))
    stored = {
        "source": "saliency_in_crowd (Jiang, Xu & Zhao 2014), fixations of 16 people on 500 photographs, 5 s each",
        "sha256": hashlib.sha256(source.read_bytes()).hexdigest(),
        "coordinates": {
            name: {"low": low, "high": high, "warp": warp, "quantiles": quantiles[name]}
            for name, (low, high, warp) in RANGES.items()
        },
        "means": {f"{flat:g}": rounded_numbers(means(fixations, quantiles, flat)) for flat in FLAT},
    }
    PATH.write_text(json.dumps(stored) + "\n", "utf-8")
    return 0


def read(path: Path) -> Fixations:
    """Return the public fixations."""
    table = pl.read_csv(path).sort("observer", "image", "fix_index")
    images = {image: number for number, image in enumerate(table["image"].unique().sort())}
    people = {person: number for number, person in enumerate(table["observer"].unique().sort())}
    steps = {
        axis: np.clip((table[f"{axis}_px"].to_numpy() * (STEPS / size)).astype(np.int64), 0, STEPS - 1)
        for axis, size in (("x", WIDTH), ("y", HEIGHT))
    }
    return Fixations(
        np.array([people[one] for one in table["observer"]]),
        np.array([images[one] for one in table["image"]]),
        steps["x"],
        steps["y"],
        np.rint(table["duration_ms"].to_numpy() * 1000).astype(np.int64),
        len(people),
        HEIGHT / WIDTH,
    )


def values_of(fixations: Fixations) -> dict[str, np.ndarray]:
    """Return all values of each coordinate; numbers of fixations spread evenly over what they stand for."""
    spread = np.random.default_rng(0).random(fixations.counts.size) - 0.5
    return {
        "amplitude": fixations.amplitude,
        "direction": fixations.direction,
        "ratio": fixations.ratio,
        "turn": fixations.turn,
        "duration_ms": fixations.duration_us / 1000,
        "rate_per_s": (fixations.counts + spread) / SECONDS,
        "fixated_share": np.minimum(fixations.total_us / (SECONDS * 1e6), 1.0),
        "first_x": (fixations.x[fixations.first] + 0.5) / STEPS,
        "first_y": (fixations.y[fixations.first] + 0.5) / STEPS,
    }


def means(fixations: Fixations, quantiles: dict[str, list[float]], flat: float) -> np.ndarray:
    """Return the means of all numbers over people, each trial with an event counting the same; of levels 0: as of the map, at any place in a trial."""
    coordinates = {
        name: Coordinate(low, high, warp, tuple(quantiles[name]), flat)
        for name, (low, high, warp) in RANGES.items()
    }
    level = np.zeros((int(fixations.stimulus.max()) + 1, 1, 1), dtype=np.int64)
    sums = deviations(fixations, Measured(coordinates, SECONDS, np.zeros(SIZE)), level).mean(axis=0)
    # With a mean of −1 what is missed is 1 for each trial that has an event.
    present = deviations(fixations, Measured(coordinates, SECONDS, -np.ones(SIZE)), level).mean(axis=0) - sums
    result = sums / present
    result[places()[ORDER.name]] = 0.0
    return result


def rounded(values: np.ndarray) -> list[float]:
    """Return quantiles at even probabilities."""
    return rounded_numbers(np.quantile(values, np.linspace(0.0, 1.0, KNOTS)))


def rounded_numbers(values: np.ndarray) -> list[float]:
    """Return numbers as the file states them."""
    return [float(f"{value:.{DIGITS}g}") for value in values]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
