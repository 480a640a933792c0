"""Signals as the registry knows them."""

from __future__ import annotations

from synthrelease.kinds.kind import Kind
from synthrelease.kinds.signals.public import (
    CoefficientParameters,
    PublishedParameters,
    SpectralSignalParameters,
)

SIGNALS = Kind(
    name="signals",
    title="Signals",
    subject="feature signals",
    package="synthrelease.kinds.signals",
    parameters=(SpectralSignalParameters, PublishedParameters, CoefficientParameters),
)
