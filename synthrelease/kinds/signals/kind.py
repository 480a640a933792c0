"""Signals as the registry knows them."""

from __future__ import annotations

from synthrelease.kinds.kind import Kind
from synthrelease.kinds.signals.public import CoefficientParameters, SpectralSignalParameters

SIGNALS = Kind(
    name="signals",
    title="Signals",
    subject="feature signals",
    package="synthrelease.kinds.signals",
    parameters=(SpectralSignalParameters, CoefficientParameters),
)
