"""Synthetic records as the registry knows them."""

from __future__ import annotations

from synthrelease.kinds.kind import Kind
from synthrelease.kinds.records.public import RecordsParameters

RECORDS = Kind(
    name="records",
    title="Synthetic records",
    subject="synthetic data",
    package="synthrelease.kinds.records",
    parameters=(RecordsParameters,),
    has_model=True,
)
