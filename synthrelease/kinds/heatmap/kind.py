"""Heatmaps as the registry knows them."""

from __future__ import annotations

from synthrelease.kinds.heatmap.public import CellParameters, SpectralParameters
from synthrelease.kinds.kind import Kind

HEATMAP = Kind(
    name="heatmap",
    title="Heatmaps",
    subject="gaze heatmap",
    package="synthrelease.kinds.heatmap",
    parameters=(SpectralParameters, CellParameters),
)
