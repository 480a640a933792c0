"""What releases are held against, by kind of output."""

from __future__ import annotations

from synthrelease.appraisal.yardsticks.areas import AREAS
from synthrelease.appraisal.yardsticks.maps import MAPS
from synthrelease.appraisal.yardsticks.records import RECORDS
from synthrelease.appraisal.yardsticks.signals import PUBLISHED_SIGNALS, SIGNALS
from synthrelease.appraisal.yardsticks.statistics import STATISTICS
from synthrelease.appraisal.yardsticks.yardstick import Kind, Yardstick
from synthrelease.outputs.areas import AreasOutput
from synthrelease.outputs.gaze_maps import GazeMapOutput
from synthrelease.outputs.noised_signals import NoisedSignalsOutput
from synthrelease.outputs.published_signals import PublishedSignalsOutput
from synthrelease.outputs.records import RecordsOutput
from synthrelease.outputs.resolved import ResolvedOutput
from synthrelease.outputs.spectral import SpectralOutput
from synthrelease.outputs.spectral_signals import SpectralSignalsOutput
from synthrelease.outputs.statistics import StatisticsOutput

_KINDS: dict[type, Kind] = {
    SpectralOutput: MAPS,
    GazeMapOutput: MAPS,
    AreasOutput: AREAS,
    SpectralSignalsOutput: SIGNALS,
    NoisedSignalsOutput: SIGNALS,
    PublishedSignalsOutput: PUBLISHED_SIGNALS,
    StatisticsOutput: STATISTICS,
    RecordsOutput: RECORDS,
}

__all__ = ["Kind", "Yardstick", "kind_of"]


def kind_of(output: ResolvedOutput) -> Kind:
    """Return how an output is judged."""
    return _KINDS[type(output)]
