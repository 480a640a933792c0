"""The chain that a release's scanpaths are drawn by, for anyone who draws more (`scanpaths.proof.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from synthrelease.kinds.scanpaths.chain_fits import released_tables
from synthrelease.kinds.scanpaths.drawing import ScanpathModel

if TYPE_CHECKING:
    from synthrelease.dp.event import Event
    from synthrelease.kinds.scanpaths.public import ScanpathParameters


def released_model(
    parameters: ScanpathParameters,
    event: Event,  # noqa: ARG001  for kinds whose model knows the noise
    arrays: Mapping[str, NDArray[Any]],
) -> ScanpathModel:
    """Return the model that a release's scanpaths are drawn from; arrays in their datasets' shapes and units. LookupError if none can be."""
    model = released_tables(parameters.shown, arrays)
    for stimulus in parameters.stimuli:
        model.sample(stimulus, scanpaths=1)  # LookupError of values that none can be drawn from
    return model
