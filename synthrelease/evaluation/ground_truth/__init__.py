"""Ground truth of releases, by mechanism."""

from __future__ import annotations

from typing import Any

from synthrelease.evaluation.ground_truth.areas import AREAS
from synthrelease.evaluation.ground_truth.generic import GENERIC
from synthrelease.evaluation.ground_truth.ground_truth import (
    ComparedKind,
    GroundTruth,
    derivations,
    exact_derivations,
)
from synthrelease.evaluation.ground_truth.maps import MAPS
from synthrelease.evaluation.ground_truth.people import PEOPLE_COMPARED
from synthrelease.evaluation.ground_truth.records import RECORDS
from synthrelease.evaluation.ground_truth.scanpaths import SCANPATHS_COMPARED
from synthrelease.evaluation.ground_truth.signals import SIGNALS
from synthrelease.evaluation.ground_truth.statistics import STATISTICS
from synthrelease.kinds.areas.mechanism import AreaShares
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.kinds.mechanism import Mechanism
from synthrelease.kinds.people.mechanism import SyntheticPeople
from synthrelease.kinds.records.mechanism import SyntheticRecords
from synthrelease.kinds.records.scanpaths import ScanpathRecords
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths
from synthrelease.kinds.signals.coefficients import CoefficientSignals
from synthrelease.kinds.signals.spectral import SpectralSignals
from synthrelease.kinds.statistics.fixations import FixationStatistics
from synthrelease.kinds.statistics.mechanism import StatisticsMechanism

_KINDS: dict[type, ComparedKind] = {
    SpectralHeatmap: MAPS,
    CellHeatmap: MAPS,
    AreaShares: AREAS,
    SpectralSignals: SIGNALS,
    CoefficientSignals: SIGNALS,
    StatisticsMechanism: STATISTICS,
    FixationStatistics: STATISTICS,
    SyntheticRecords: RECORDS,
    ScanpathRecords: RECORDS,
    SyntheticPeople: PEOPLE_COMPARED,
    SyntheticScanpaths: SCANPATHS_COMPARED,
}

__all__ = ["ComparedKind", "GroundTruth", "derivations", "exact_derivations", "kind_of"]


def kind_of(mechanism: Mechanism[Any]) -> ComparedKind:
    """Return how an output is judged; one of a kind of another package by what all have in common."""
    return _KINDS.get(type(mechanism), GENERIC)
