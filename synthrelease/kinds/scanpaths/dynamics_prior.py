"""What scanpaths are like before any data is seen: public numbers of another dataset (`dynamics_prior.json`, written by `scripts/make_dynamics_prior.py`; `scanpaths.proof.md`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from synthrelease.kinds.scanpaths.coordinates import Coordinate

Numbers = NDArray[np.float64]
FLAT = (0.15, 0.5)  # shares of the flat part that means are known for


@dataclass(frozen=True)
class DynamicsPrior:
    """Coordinates with a flat part, and the dimensionless means of all numbers in them, shape (SIZE,)."""

    coordinates: dict[str, Coordinate]
    means: Numbers
    sha256: str  # of the public data


@lru_cache(maxsize=4)
def dynamics_prior(flat: float) -> DynamicsPrior:
    """Return the shipped prior with a flat part.

    Args:
        flat: one of `FLAT`.
    """
    stored = json.loads(
        files("synthrelease.kinds.scanpaths").joinpath("dynamics_prior.json").read_text("utf-8")
    )
    coordinates = {
        name: Coordinate(one["low"], one["high"], one["warp"], tuple(one["quantiles"]), flat)
        for name, one in stored["coordinates"].items()
    }
    return DynamicsPrior(coordinates, np.array(stored["means"][f"{flat:g}"]), stored["sha256"])
