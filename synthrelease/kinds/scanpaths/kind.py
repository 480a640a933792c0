"""Synthetic scanpaths as the registry knows them."""

from __future__ import annotations

from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.kind import Kind
from synthrelease.kinds.scanpaths.public import ScanpathParameters

SCANPATHS = Kind(
    name="scanpaths",
    title="Synthetic scanpaths",
    subject="synthetic scanpaths",
    package="synthrelease.kinds.scanpaths",
    parameters=(ScanpathParameters,),
    relations=tuple(Neighbours),
    has_model=True,
)
