"""Synthetic people: public parameters, and what follows from them and the noisy sums of three rounds (`people.proof.md`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Annotated, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp import sensitivity as sensitivities
from synthrelease.dp.event import Event, Noise, RoundedGaussian
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.field_schema import Labels, described
from synthrelease.kinds.dataset import (
    EXACT,
    INTEGERS,
    ITERATED,
    Array,
    Axis,
    Dataset,
    DerivedFrom,
    Index,
    Role,
)
from synthrelease.kinds.expectation import Expectation
from synthrelease.kinds.parameters import (
    WRONG_NAME,
    BoundedFeatures,
    Fault,
    Feature,
    Parameters,
    deviation_of,
)
from synthrelease.kinds.people import words
from synthrelease.kinds.people.design import RADIUS, PeopleDesign, design_for
from synthrelease.kinds.people.expected import expected
from synthrelease.kinds.people.fitting import Dependence
from synthrelease.kinds.people.form import CONTRASTS, PeopleForm
from synthrelease.kinds.people.model import Population
from synthrelease.kinds.people.pilot import Pilot
from synthrelease.kinds.people.rounds import Rounds
from synthrelease.kinds.people.scores import Scale
from synthrelease.remarks import Remark, remark

Numbers = NDArray[np.float64]

COSINES, BINS = 20, 40
COARSE, FINE, DEPENDENCE = "noisy/coarse", "noisy/fine", "noisy/dependence"
DENSITY = "marginals/density"
PEOPLE = "people"
POPULATION = DENSITY, *(f"{field.name}/value" for field in fields(Dependence))  # what people follow from
_REACH = 1.96  # standard errors: the half width of an interval


@dataclass(frozen=True, kw_only=True)
class PeopleParameters(Parameters):
    """The public parameters of synthetic people."""

    kind: ClassVar = "people"
    sentences: ClassVar = words.SENTENCES
    input_kind: ClassVar = "features"
    listed: ClassVar = "recordings"
    mechanisms: ClassVar = ("rounds",)
    part: ClassVar = "parameter"

    features: BoundedFeatures
    lattice: Annotated[
        tuple[float | None, ...],
        described("Of each feature, the step of the values that it can have; null if it is continuous."),
    ]
    recordings: Labels
    windows: Annotated[
        int, described("Windows of a synthetic person in each recording.", minimum=2, maximum=10000)
    ]
    max_windows: Annotated[int, described("Of a participant in each recording, at most.", minimum=2)]
    synthetic_people: Annotated[int, described("How many were drawn.", minimum=1, maximum=1000000)]
    sampling_seed: Annotated[
        int,
        described("Public: synthetic people are drawn from noisy sums alone.", minimum=0, maximum=2**63 - 1),
    ]
    cosines: Annotated[int, described("K, of each feature's marginal.", const=COSINES)] = COSINES
    bins: Annotated[int, described("M, of each marginal.", const=BINS)] = BINS
    pilot: Annotated[
        Pilot | None, described("Other people, public, from whom participants are expected to differ little.")
    ] = None
    radius_grid_units: Annotated[
        int, described("Norm of all vectors of a participant together, at most.", const=RADIUS)
    ] = RADIUS
    design: PeopleDesign

    @cached_property
    def form(self) -> PeopleForm:
        """How many numbers a participant's vectors have."""
        return PeopleForm(len(self.features), len(self.recordings), self.cosines, self.bins)

    @property
    def scales(self) -> list[Scale]:
        """The features' ranges."""
        return [Scale.of(feature, step) for feature, step in zip(self.features, self.lattice, strict=True)]

    def rounds(self, deviation: float) -> Rounds:
        """Return the three rounds with noise of a standard deviation, in grid units."""
        return Rounds(self.form, self.design, self.people or 1, deviation, self.pilot)

    @property
    def bounded(self) -> tuple[Feature, ...]:
        """The features."""
        return self.features

    @property
    def product(self) -> str:
        """What catalogues call a release of such outputs only."""
        return "Dataset"

    def datasets(self, event: Event) -> Iterator[Dataset]:
        """Yield the noisy sums, contrasts with standard errors, what else the sums say of the population, and synthetic people."""
        order = Axis(
            "order", range(1, self.cosines + 1), words="Half periods of the cosine in the public range."
        )
        number = Axis("number", range(self.form.dependence_size), words="Number of the square or product.")
        sums = "noisy sums in grid units"
        yield Dataset(COARSE, (self._feature, order), Role.NOISY, INTEGERS, quantity=sums)
        yield Dataset(FINE, (self._feature, order), Role.NOISY, INTEGERS, quantity=sums)
        yield Dataset(DEPENDENCE, (number,), Role.NOISY, INTEGERS, quantity=sums)
        deviation = deviation_of(event)
        if len(self.recordings) > 1:
            yield from self._contrasts(deviation)
        yield from self._marginals(deviation)
        yield from self._dependence(deviation)
        yield self._synthetic_people()

    @property
    def sum_paths(self) -> tuple[str, ...]:
        """The datasets of the noisy sums, by round."""
        return COARSE, FINE, DEPENDENCE

    @property
    def population_paths(self) -> tuple[str, ...]:
        """The datasets that people follow from: marginals, then dependence."""
        return POPULATION

    @property
    def _feature(self) -> Axis:
        return Axis("feature", [feature.name for feature in self.features], words="What was measured.")

    def _contrasts(self, deviation: float) -> Iterator[Dataset]:
        """Differences of recordings from the first, their standard errors, and intervals."""
        recordings = Axis(
            "recording", self.recordings[1:], path="contrasts/recording", words="Less the first recording."
        )
        bound = Axis("bound", ["lower", "upper"], is_columns=True)
        for name, role, axes, quantity in (
            ("value", Role.ESTIMATE, (), "difference from the first recording in standard deviations"),
            (
                "interval",
                Role.INTERVAL,
                (bound,),
                "end of the interval that holds the population's difference in about 95 of 100 releases",
            ),
            (
                "uncertainty",
                Role.UNCERTAINTY,
                (),
                "standard error of the difference, of noise, sampling and clipping",
            ),
        ):
            yield Dataset(
                f"{CONTRASTS}/{name}",
                (recordings, self._feature, *axes),
                role,
                quantity=quantity,
                items=2,
                sources=(DerivedFrom(DEPENDENCE, whole=True),),
                derive=partial(self._contrast, name, deviation),
                care=ITERATED,
            )

    def _contrast(self, name: str, deviation: float, index: Index, noisy: Array) -> Array:
        value, error = self.rounds(deviation).contrasts(noisy)[(slice(None), *index)]
        interval = np.array([value - _REACH * error, value + _REACH * error])
        return np.asarray({"value": value, "uncertainty": error, "interval": interval}[name])

    def _marginals(self, deviation: float) -> Iterator[Dataset]:
        """The edges of bins, and their probabilities."""
        cell = Axis(
            "bin", range(self.bins), words="Number of the bin, from 0: equal parts of the feature's range."
        )
        bound = Axis("bound", ["lower", "upper"], is_columns=True)
        yield Dataset(
            "marginals/edge",
            (self._feature, cell, bound),
            Role.COORDINATE,
            EXACT,
            quantity="edge of the bin in the unit of the feature",
            items=1,
            derive=self._edges,
        )
        yield Dataset(
            DENSITY,
            (self._feature, cell),
            Role.ESTIMATE,
            quantity="probability",
            items=1,
            sources=(DerivedFrom(COARSE, whole=True), DerivedFrom(FINE, whole=True)),
            derive=lambda index, coarse, fine: self.rounds(deviation).marginals(coarse, fine).density[index],
            care=ITERATED,
        )

    def _edges(self, index: Index) -> Array:
        scale = self.scales[cast("int", index[0])]
        ends = np.linspace(scale.low, scale.high, self.bins + 1)
        return np.stack([ends[:-1], ends[1:]], axis=-1)

    def _dependence(self, deviation: float) -> Iterator[Dataset]:
        """How values of a person hang together."""
        other = Axis("other_feature", self._feature.coordinates, words="What was measured, too.")
        of_matrix = (self._feature, other)
        for name, axes, quantity in (
            ("intraclass", (self._feature,), "share of the variance between people"),
            ("autocorrelation", (self._feature,), "correlation of successive windows about a person's level"),
            ("slopes", (self._feature,), "share of the variance within people that is between recordings"),
            (
                "effects",
                (self._recording, self._feature),
                "effect of the recording on normal numbers of unit variance, shrunk",
            ),
            ("between", of_matrix, "correlation of people's levels"),
            ("within", of_matrix, "correlation of values about a person's level"),
        ):
            yield Dataset(
                f"{name}/value",
                axes,
                Role.ESTIMATE,
                quantity=quantity,
                items=0 if axes is of_matrix else len(axes),
                sources=(DerivedFrom(DEPENDENCE, whole=True), DerivedFrom(DENSITY, whole=True)),
                derive=partial(self._dependence_part, name, deviation),
                care=ITERATED,
            )

    def _dependence_part(
        self, name: str, deviation: float, index: Index, noisy: Array, density: Array
    ) -> Array:
        exact = density.astype(np.float64)
        dependence = self.rounds(deviation).dependence(noisy, exact, self.scales, self.windows)
        return np.asarray(getattr(dependence, name)[index])

    @property
    def _recording(self) -> Axis:
        return Axis("recording", self.recordings, words="Recording, in its public order.")

    def _synthetic_people(self) -> Dataset:
        person = Axis("person", range(1, self.synthetic_people + 1), words="Number of the synthetic person.")
        window = Axis("window", range(1, self.windows + 1), words="Number of the window in the recording.")
        return Dataset(
            PEOPLE,
            (person, self._recording, window, replace(self._feature, is_columns=True)),
            Role.RECORD,
            quantity="synthetic value in the unit of the feature",
            by_rows=True,
            sources=tuple(DerivedFrom(path, whole=True) for path in POPULATION),
            derive=self._people,
            steps=np.array([scale.resolution for scale in self.scales]),
            care=ITERATED,
        )

    def _people(self, index: Index, density: Array, *dependence: Array) -> Array:
        rows = index[-1]
        assert isinstance(rows, slice)
        start, stop, _ = rows.indices(self.synthetic_people)
        return self.population(density, dependence).numbered(start, stop, seed=self.sampling_seed)

    def population(self, density: Array, dependence: Sequence[Array]) -> Population:
        """Return the population of released marginals, probabilities of shape (F, M), and the parts of `Dependence` in their order."""
        exact = Dependence(*(array.astype(np.float64) for array in dependence))
        return Population(tuple(self.scales), density.astype(np.float64), exact, self.windows)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """Return the sensitivity of the three vectors of a person together."""
        count = 2 * self.form.marginal_size + self.form.dependence_size
        return sensitivities.clipped_coefficients(count=count, radius=RADIUS, neighbours=neighbours)

    def most_counts(self, event: Event) -> int | None:  # noqa: ARG002
        """Return what all people's integers may be."""
        return None if self.people is None else RADIUS * self.people

    def expected(self, event: Event, people: float, neighbours: Neighbours) -> tuple[Expectation, ...]:  # noqa: ARG002
        """Return the error to expect of marginals, correlations, differences between people, order in time, and contrasts."""
        return tuple(expected(self.rounds(deviation_of(event))))

    def summary(self) -> str:
        """Return what is released, in a sentence."""
        return words.summary(self)

    def procedure(self) -> str:
        """Return what is done to the data, before and with the noise."""
        return words.procedure(self)

    def biases(self) -> list[str]:
        """Return what draws the released values away from the data."""
        return words.biases(self)

    def reading(self, event: Event, neighbours: Neighbours) -> list[str]:  # noqa: ARG002
        """Return how contrasts and people are to be read."""
        return [words.READING]

    def derivation(self, neighbours: Neighbours) -> Remark:  # noqa: ARG002
        """Return why the sensitivity is what it is."""
        numbers = 2 * self.form.marginal_size + self.form.dependence_size
        return remark("three-clipped-vectors", numbers=numbers, radius=RADIUS)

    def post_processing(self) -> list[Remark]:
        """Return what is done to the noisy sums."""
        pilot = ["beside-pilot"] if self.pilot is not None else []
        contrasts = ["contrasts-unshrunk"] if len(self.recordings) > 1 else []
        return [
            remark(code)
            for code in ("marginals-by-evidence", "dependence-shrunk", *pilot, *contrasts, "people-from-seed")
        ]

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        remarks = [remark("not-participants"), remark("no-tests-on-people")]
        remarks.append(remark("most-windows", windows=self.max_windows))
        if self.pilot is not None:
            remarks.append(remark("pilot", people=self.pilot.people))
        if self.design.dependence_risk > words.DEPENDENCE_IS_PRIOR:
            remarks.append(remark("dependence-is-prior"))
        return remarks

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:  # noqa: ARG002
        """Yield where parameters and noise contradict each other."""
        if not isinstance(noise, RoundedGaussian):
            yield "noise", WRONG_NAME
        if len(self.lattice) != len(self.features):
            yield "manifest", "a step for each feature is expected"
        elif any(
            step is not None and not (step > 0 and Scale.of(feature, step).is_lattice)
            for feature, step in zip(self.features, self.lattice, strict=True)
        ):
            yield "manifest", "a discrete feature has too few or too many values within its bounds"
        design = self.design
        if len(design.shares) != 3 or sum(radius**2 for radius in design.radii) > RADIUS**2:
            yield "sensitivity", "the radii of the rounds are more than the radius of all together"
        coarse = (design.coarse_weights, design.coarse_squares, design.coarse_priors)
        blocks = (design.block_weights, design.block_squares, design.block_priors)
        if not all(number > 0 for numbers in (design.shares, *coarse, *blocks) for number in numbers):
            yield "manifest", "a weight, square or variance of the design is not above 0"
        lengths = [set(map(len, coarse)), set(map(len, (*blocks, design.block_centres)))]
        if lengths != [{self.form.cosines}, {len(self.form.sizes)}]:
            yield "manifest", "the design has not as many numbers as its rounds"
        if self.pilot is not None and not self.pilot.suits(self.form):
            yield (
                "manifest",
                "the pilot's numbers are not as many as those of the rounds, or no distributions",
            )

    def computed_faults(self, noise: Noise | None) -> Iterator[Fault]:
        """Yield if the design is not the one that follows."""
        if noise is None or not self.design.is_same(self.design_for(noise, self.people or 1)):
            yield (
                "manifest",
                "the design of the rounds is not that of so many features, recordings, windows and participants, of this noise and pilot",
            )

    def design_for(self, noise: Noise, people: int) -> PeopleDesign:
        """Return the design that suits noise and so many people."""
        mu = 2 * RADIUS / noise.scale
        return design_for(self.form, windows=self.windows, people=people, mu=mu, pilot=self.pilot)
