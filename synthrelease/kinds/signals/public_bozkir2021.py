"""Signals as Bozkir et al. 2021 publish them: public parameters. Unprotected: `bozkir2021.proof.md`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from synthrelease.dp.event import Event, Noise
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.field_schema import described
from synthrelease.kinds.dataset import Dataset, Role
from synthrelease.kinds.parameters import Fault
from synthrelease.kinds.signals import words
from synthrelease.kinds.signals.public_series import (
    BOZKIR2021,
    BOZKIR2021_EVENT,
    EACH,
    UNPROTECTED_OTHERWISE,
    Chunk,
    SignalParameters,
)
from synthrelease.numerics.signal_form import CHUNKED, LPA
from synthrelease.remarks import Remark, remark


@dataclass(frozen=True, kw_only=True)
class PublishedParameters(SignalParameters):
    """Signals as Bozkir et al. 2021 publish them, which protect no one."""

    only_calibration: ClassVar = BOZKIR2021
    mechanisms: ClassVar = ("lpa", "fpa", "cfpa", "dcfpa")
    query: Annotated[str, {"const": EACH}]
    calibration: Annotated[str, {"const": BOZKIR2021}]
    paper_epsilon: Annotated[float, described("ε of a feature, as the paper counts it.", exclusiveMinimum=0)]
    chunk: Chunk
    coefficients: Annotated[
        int | str | None,
        described(
            "k, frequencies kept; oracle: those of least error in the data, for each chunk, feature and recording; null for LPA.",
            oneOf=[{"type": "integer", "minimum": 1}, {"enum": ["oracle", None]}],
        ),
    ]
    evaluations: Annotated[int, described("Noisy draws that the oracle averages over.", minimum=1)]

    def procedure(self) -> str:
        """Return what is done to the data, before and with the noise."""
        return words.published_procedure()

    def derivation(self, neighbours: Neighbours) -> Remark:  # noqa: ARG002
        """Return that there is no sensitivity that follows from public parameters."""
        return remark("none")

    def post_processing(self) -> list[Remark]:
        """Return what is done to the noisy values."""
        return [remark("published-series")]

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        return [remark("protects-no-one"), self.completion_warning]

    def datasets(self, event: Event) -> Iterator[Dataset]:  # noqa: ARG002
        """Yield every person's own series."""
        axes = (*self.places, self.series, self.steps)
        yield Dataset(
            "values", axes, Role.UNPROTECTED, quantity=self.quantity, unit=self.unit, items=2, by_rows=True
        )

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:  # noqa: ARG002
        """Raise ValueError: there is no sensitivity that follows from public parameters."""
        raise ValueError("Expected a mechanism with a sensitivity")

    def may_be_unprotected(self, event: Event) -> bool:
        """Return whether the event is that of the paper."""
        return event == BOZKIR2021_EVENT

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:  # noqa: ARG002
        """Yield where name and parameters contradict each other."""
        if event != BOZKIR2021_EVENT:
            yield "guarantee", UNPROTECTED_OTHERWISE
        if (self.chunk is not None) != (self.name in CHUNKED) or (self.chunk or 0) > self.length:
            yield "manifest", "chunks belong to cfpa and dcfpa, and are no longer than the series"
        if (self.coefficients is None) != (self.name == LPA):
            yield "manifest", "coefficients belong to all but lpa"
