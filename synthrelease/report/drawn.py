"""What of a bundle is drawn, for files of pictures and for pages alike: which values, on which screen, in which unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.screen import Screen
from synthrelease.report.figures import Look
from synthrelease.report.rasters import Map
from synthrelease.report.released import Released


@dataclass(frozen=True)
class DrawnMap:
    """A released heatmap.

    Attributes:
        cells: shape (rows, columns), or (frames, rows, columns).
        uncertainty: standard deviation of every cell, where it is in the bundle.
        look: what it was made for.
        window: start and end of the time that frames divide; None of a static map.
    """

    cells: Map
    uncertainty: Map | None
    look: Look
    window: tuple[float, float] | None


@dataclass(frozen=True)
class DrawnCourse:
    """Released mean signals of a feature.

    Attributes:
        curves: by recording, values and standard deviation of each step.
        y_label: what the values are.
    """

    curves: Mapping[str, tuple[NDArray[Any], NDArray[Any]]]
    y_label: str

    @property
    def steps(self) -> NDArray[np.int64]:
        """The numbers of the steps."""
        return np.arange(len(next(iter(self.curves.values()))[0]))


def drawn_labels(output: dict[str, Any]) -> list[str]:
    """Return what has a picture of its own: stimuli of heatmaps, features of mean signals; nothing of other outputs.

    Args:
        output: an entry of the manifest's `outputs`.
    """
    p = output["mechanism"]["parameters"]
    if output["kind"] == "heatmap":
        return list(p["stimuli"])
    if output["kind"] == "signals" and p["query"] == "mean":
        return [feature["name"] for feature in p["features"]]
    return []


def drawn_map(released: Released, output: dict[str, Any], stimulus: str) -> DrawnMap:
    """Return the heatmap of a stimulus."""
    p, name = output["mechanism"]["parameters"], output["name"]
    spectral = output["mechanism"]["name"] == "spectral"
    known = output["mechanism"]["public_inputs"]["people"] is not None
    unit = "times even attention" if spectral else "counts per person" if known else "counts"
    return DrawnMap(
        released.values(name, stimulus, "heatmap"),
        released.values(name, stimulus, "uncertainty") if spectral else None,
        Look(Screen(**p["screen"]), p["blur_px"], unit),
        None if p.get("window") is None else (p["window"][0], p["window"][1]),
    )


def drawn_course(released: Released, output: dict[str, Any], feature: str) -> DrawnCourse:
    """Return the mean signals of a feature."""
    p, name = output["mechanism"]["parameters"], output["name"]
    changes = p.get("baseline", "none") != "none"
    curves = {
        recording: (
            released.values(name, recording, feature, "values"),
            released.values(name, recording, feature, "uncertainty"),
        )
        for recording in p["recordings"]
    }
    return DrawnCourse(curves, f"change of {feature}" if changes else feature)
