"""Signals by each mechanism: public parameters, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Annotated, Any, ClassVar

import numpy as np

from synthrelease.dp import sensitivity as sensitivities
from synthrelease.dp.event import Event, Noise, PrivateChoice, RoundedGaussian
from synthrelease.dp.guarantee import Neighbours, Unit
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.field_schema import PositiveInt, among, described
from synthrelease.kinds.dataset import INTEGERS, ITERATED, Array, Axis, Dataset, DerivedFrom, Index, Role
from synthrelease.kinds.expectation import Expectation
from synthrelease.kinds.normalization import PATH as NORMALIZATION
from synthrelease.kinds.normalization import normalization
from synthrelease.kinds.parameters import (
    WRONG_NAME,
    Fault,
    deviation_of,
)
from synthrelease.kinds.signals import words
from synthrelease.kinds.signals.expected import (
    coefficient_correlation,
    expected,
    own_correlation,
    spectral_correlation,
)
from synthrelease.kinds.signals.public_series import (
    MEAN,
    Chunk,
    SignalParameters,
)
from synthrelease.numerics import derived
from synthrelease.numerics.signal_form import DCFPA, LPA, SignalForm
from synthrelease.numerics.spectral_signals import (
    BASELINES,
    NO_BASELINE,
    RADIUS,
    PublicSeries,
    SpectralSignalForm,
    normalizations,
)
from synthrelease.numerics.steps import HALF_RANGE
from synthrelease.remarks import Remark, remark

SPECTRAL = "spectral"


@dataclass(frozen=True, kw_only=True)
class CoefficientParameters(SignalParameters):
    """LPA, FPA, CFPA and DCFPA with corrected scales (`signals.proof.md`; Bozkir et al. 2021)."""

    mechanisms: ClassVar = ("lpa", "fpa", "cfpa", "dcfpa")
    chunk: Chunk
    coefficients: Annotated[
        int | None, described("k, frequencies kept of a chunk, or of the series; null for LPA.", minimum=1)
    ]
    candidates: Annotated[
        tuple[PositiveInt, ...] | None,
        described("What k was chosen from privately; null if it was given.", minItems=1, maxItems=100),
    ]
    max_change_grid_units: Annotated[
        int | None,
        described(
            "DCFPA: the most that a series may change from one step to the next; null for no limit.",
            minimum=1,
            maximum=65536,
        ),
    ]
    clip: Annotated[
        float,
        described(
            "Radius that coefficients were clipped to, as a share of the largest there can be.",
            exclusiveMinimum=0,
            maximum=1,
        ),
    ]
    bound_grid_units: Annotated[
        tuple[Annotated[int, {"minimum": 1, "maximum": 10**12}], ...],
        described(
            "Box half-width (LPA) or ball radius that the coefficients of a chunk were clipped to; then of the last, if it is shorter.",
            minItems=1,
            maxItems=2,
        ),
    ]
    half_range_grid_units: Annotated[int, {"const": HALF_RANGE}] = HALF_RANGE

    @cached_property
    def form(self) -> SignalForm:
        """What turns series into integers, and back."""
        return SignalForm(
            self.name, self.length, self.chunk, self.coefficients, self.max_change_grid_units, self.clip
        )

    def expected(self, event: Event, people: float, neighbours: Neighbours) -> tuple[Expectation, ...]:  # noqa: ARG002
        """Return the correlation over time to expect with the exact mean signal, or of each series with its own."""
        deviation = deviation_of(event)
        if self.is_each:
            return expected(own_correlation(self.form, deviation=deviation))
        return expected(coefficient_correlation(self.form, deviation=deviation, people=people))

    def with_frequencies(self, number: int) -> CoefficientParameters:
        """Return the parameters with so many frequencies, and the bounds that follow."""
        chosen = replace(self, coefficients=number)
        return replace(chosen, bound_grid_units=chosen.radii)

    @property
    def radii(self) -> tuple[int, ...]:
        """What the coefficients of chunks must be clipped to: L2 radius of each of the form's parts, in steps."""
        return tuple(part.radius for part in self.form.parts)

    def procedure(self) -> str:
        """Return what is done to the data, before and with the noise."""
        return words.coefficient_procedure(self)

    def derivation(self, neighbours: Neighbours) -> Remark:  # noqa: ARG002
        """Return why the sensitivity is what it is."""
        if self.name == LPA:
            return remark("bounded-steps", length=self.length, **self.series_of_a_person)
        parts = self.form.parts
        chunks = {
            "chunks": _listed(part.chunks for part in parts),
            "lengths": _listed(part.length for part in parts),
        }
        transformed = "differences" if self.name == DCFPA else "coefficients"
        if self.candidates is not None:
            return remark(f"balls-of-chosen-{transformed}", **chunks, **self.series_of_a_person)
        balls = {
            "coefficients": _listed(part.count for part in parts),
            "radii": _listed(part.radius for part in parts),
        }
        return remark(f"balls-of-{transformed}", **chunks, **balls, **self.series_of_a_person)

    def post_processing(self) -> list[Remark]:
        """Return what is done to the noisy integers."""
        done = {LPA: "in-units", DCFPA: "added-up"}.get(self.name, "transformed-back")
        return [remark(f"{'series' if self.is_each else 'means'}-{done}"), remark("noise-uncertainty")]

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        return [self.completion_warning, *([remark("noise-of-a-person")] if self.is_each else [])]

    def datasets(self, event: Event) -> Iterator[Dataset]:
        """Yield the noisy integers of every series, the series and their uncertainty."""
        deviation = deviation_of(event)
        people = (self.series,) if self.is_each else ()
        coefficients = Axis("coefficient", range(self.form.count))
        rows: dict[str, Any] = {"items": 2, "by_rows": self.is_each}
        axes = (*self.places, *people, coefficients)
        yield Dataset("noisy", axes, Role.NOISY, INTEGERS, quantity="noisy coefficients", **rows)
        yield Dataset(
            "values",
            (*self.places, *people, self.steps),
            Role.ESTIMATE,
            quantity=self.quantity,
            unit=self.unit,
            sources=(DerivedFrom("noisy"),),
            derive=self._values,
            **rows,
        )
        yield Dataset(
            "uncertainty",
            (*self.places, self.steps),
            Role.UNCERTAINTY,
            quantity="standard deviation of the noise, in the unit of the feature",
            unit=self.unit,
            items=2,
            derive=partial(self._uncertainty, deviation),
        )

    def _unit(self, index: Index) -> derived.IntegerUnit:
        return derived.IntegerUnit(self.feature(index).bounds, 1 if self.is_each else self.people or 1)

    def _values(self, index: Index, noisy: Array) -> Array:
        return derived.signal(noisy, self.form, self._unit(index))

    def _uncertainty(self, deviation: float, index: Index) -> Array:
        return derived.signal_uncertainty(self.form, self._unit(index), deviation=deviation)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """Return the sensitivity of all series of a person together."""
        series = sensitivities.signal(self.form, radii=self.bound_grid_units, neighbours=neighbours)
        return series.times(self.series_count)

    def narrower(self, neighbours: Neighbours) -> list[tuple[Unit, Sensitivity]]:
        """Return the sensitivity where one step or chunk changes, one series, one recording; without those that are the next wider one."""
        series = sensitivities.signal(self.form, radii=self.bound_grid_units, neighbours=neighbours)
        recording = series.times(len(self.features))
        least = Unit.STEP if self.name == LPA else Unit.CHUNK
        units = [
            (
                least,
                sensitivities.signal_chunk(self.form, radii=self.bound_grid_units, neighbours=neighbours),
            ),
            (Unit.SERIES, series),
            (Unit.RECORDING, recording),
        ]
        wider = [series, recording, recording.times(len(self.recordings))]
        return [unit for unit, next_wider in zip(units, wider, strict=True) if unit[1] != next_wider]

    def choices(self) -> list[int]:
        """Return how many numbers of frequencies there were to choose from, if it was chosen."""
        return [] if self.candidates is None else [len(self.candidates)]

    def most_counts(self, event: Event) -> int | None:  # noqa: ARG002
        """Return a bound of every integer before noise."""
        if self.people is None:
            return None
        return max(self.bound_grid_units) * (1 if self.is_each else self.people)

    def high_frequencies(self) -> Array:
        """Return which integers of a series are of the upper half of its frequencies; all of them for lpa."""
        least = 0 if self.name == LPA else 1
        return np.concatenate(
            [
                np.tile(np.arange(part.count) >= least * (part.count // 2), part.chunks)
                for part in self.form.parts
            ]
        )

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:  # noqa: ARG002
        """Yield where name, parameters and noise contradict each other."""
        if noise is None:
            yield "noise", WRONG_NAME
        try:
            if self.candidates:
                replace(self.form, frequencies=max(self.candidates))
            radii = self.radii
        except ValueError:
            yield "manifest", "the parameters of the signals contradict each other"
            return
        # An eigenvalue errs by far less than the bound that follows from it is rounded up: equal on every machine.
        if self.bound_grid_units != radii:
            yield "sensitivity", "the bounds of a series do not follow from its form"

    def choice_faults(self, choices: list[PrivateChoice]) -> Iterator[Fault]:  # noqa: ARG002
        """Yield what is wrong with the list that the number of frequencies was chosen from."""
        chosen = self.candidates
        if chosen is not None and (list(chosen) != sorted(set(chosen)) or self.coefficients not in chosen):
            yield "guarantee", "what was chosen is not from its list"


@dataclass(frozen=True, kw_only=True)
class SpectralSignalParameters(SignalParameters):
    """Spectral mean signals: cosines of people's series, clipped to a ball, with Gaussian noise (`spectral.proof.md`)."""

    mechanisms: ClassVar = ("spectral",)
    query: Annotated[str, {"const": MEAN}]
    cosines: Annotated[
        int, described("K, lowest cosines (DCT-II) released of each series.", minimum=1, maximum=512)
    ]
    baseline: Annotated[
        str,
        described(
            "What was taken off each series first: nothing, or the person's own mean of all recordings, of this one, or of its start.",
            **among(*BASELINES),
        ),
    ]
    baseline_steps: Annotated[int | None, described("Time steps of the start; else null.", minimum=1)]
    clip: Annotated[
        float,
        described(
            "Root-mean-square deviation that participants were clipped to, as a share of half the bounds' width.",
            minimum=0.002,
            maximum=1,
        ),
    ]
    radius_grid_units: Annotated[
        int, described("Norm that all coefficients of a person were clipped to together.", const=RADIUS)
    ]
    constant_grid_units: Annotated[
        int, described("Of the constant next to each series, clipped with it.", minimum=1)
    ]

    @cached_property
    def form(self) -> SpectralSignalForm:
        """What turns series into integers, and back."""
        return SpectralSignalForm(
            self.length, self.series_count, self.cosines, self.baseline, self.baseline_steps, self.clip
        )

    def procedure(self) -> str:
        """Return what is done to the data, before and with the noise."""
        return words.spectral_procedure(self)

    def expected(self, event: Event, people: float, neighbours: Neighbours) -> tuple[Expectation, ...]:  # noqa: ARG002
        """Return the correlation over time to expect with the exact mean signal."""
        return expected(spectral_correlation(self.form, deviation=deviation_of(event), people=people))

    @property
    def quantity(self) -> str:
        """What the released series are."""
        change = "mean" if self.baseline == NO_BASELINE else "mean change"
        return f"{change} in the unit of the feature"

    def derivation(self, neighbours: Neighbours) -> Remark:  # noqa: ARG002
        """Return why the sensitivity is what it is."""
        return remark("ball-of-all-series", cosines=self.cosines, radius=RADIUS, **self.series_of_a_person)

    def post_processing(self) -> list[Remark]:
        """Return what is done to the noisy integers."""
        return list(map(remark, ["normalization", "means-shrunk", "error-uncertainty"]))

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        changes = [] if self.baseline == NO_BASELINE else [remark(f"change-from-{self.baseline}")]
        return [*changes, self.completion_warning, remark("clipped-series")]

    def datasets(self, event: Event) -> Iterator[Dataset]:
        """Yield the noisy integers of every series, what they are divided by, the series and their uncertainty."""
        deviation = deviation_of(event)
        people = self.people or 1
        coefficients = Axis("coefficient", range(self.form.count))
        axes = (*self.places, coefficients)
        yield Dataset("noisy", axes, Role.NOISY, INTEGERS, quantity="noisy coefficients", items=2)
        yield normalization(
            self.places, partial(normalizations, form=self.form, deviation=deviation, people=people)
        )
        for path, role, quantity in (
            ("values", Role.ESTIMATE, self.quantity),
            ("uncertainty", Role.UNCERTAINTY, "standard deviation of the error, in the unit of the feature"),
        ):
            yield Dataset(
                path,
                (*self.places, self.steps),
                role,
                quantity=quantity,
                unit=self.unit,
                items=2,
                sources=(DerivedFrom("noisy"), DerivedFrom(NORMALIZATION)),
                derive=partial(self._shown, path, deviation),
                care=ITERATED,
            )

    def _shown(self, path: str, deviation: float, index: Index, noisy: Array, moments: Array) -> Array:
        public_series = PublicSeries(
            float(moments[0]), float(moments[1]), deviation, self.people or 1, self.feature(index).bounds
        )
        return (
            self.form.signal(noisy, public_series)
            if path == "values"
            else self.form.uncertainty(noisy, public_series)
        )

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """Return the sensitivity of all series of a person together."""
        return sensitivities.clipped_coefficients(
            count=self.form.series * self.form.count, radius=RADIUS, neighbours=neighbours
        )

    def most_counts(self, event: Event) -> int | None:  # noqa: ARG002
        """Return what all people's integers may be."""
        return None if self.people is None else RADIUS * self.people

    def high_frequencies(self) -> Array:
        """Return which integers of a series are of the upper half of its cosines."""
        return np.arange(self.form.count) >= self.form.count // 2

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:  # noqa: ARG002
        """Yield where name, parameters and noise contradict each other."""
        if not isinstance(noise, RoundedGaussian):
            yield "noise", WRONG_NAME
        try:
            if self.constant_grid_units != self.form.constant:
                yield "sensitivity", "the constant does not follow from the number of series"
        except ValueError:
            yield "manifest", "the parameters of the signals contradict each other"


def _listed(numbers: Iterable[int]) -> str:
    """Numbers of all chunks but the last, and of the last if it is shorter: "100", "100 and 30"."""
    return " and ".join(map(str, numbers))
