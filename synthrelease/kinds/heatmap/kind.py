"""Heatmaps as the registry knows them."""

from __future__ import annotations

from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.heatmap.public import SpectralParameters
from synthrelease.kinds.heatmap.public_cells import CellParameters
from synthrelease.kinds.kind import Kind

HEATMAP = Kind(
    name="heatmap",
    title="Heatmaps",
    subject="gaze heatmap",
    package="synthrelease.kinds.heatmap",
    parameters=(SpectralParameters, CellParameters),
    relations=tuple(Neighbours),
)
