"""Areas of interest as the registry knows them."""

from __future__ import annotations

from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.areas.public import AreasParameters
from synthrelease.kinds.kind import Kind

AREAS = Kind(
    name="areas",
    title="Areas of interest",
    subject="areas of interest",
    package="synthrelease.kinds.areas",
    parameters=(AreasParameters,),
    relations=tuple(Neighbours),
)
