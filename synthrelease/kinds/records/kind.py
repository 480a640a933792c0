"""Synthetic records as the registry knows them."""

from __future__ import annotations

from synthrelease.kinds.kind import Kind
from synthrelease.kinds.records.public import RecordsParameters
from synthrelease.kinds.records.public_scanpaths import ScanpathRecordsParameters

RECORDS = Kind(
    name="records",
    title="Synthetic records",
    subject="synthetic data",
    package="synthrelease.kinds.records",
    parameters=(RecordsParameters, ScanpathRecordsParameters),
    has_model=True,
)
