"""Synthetic scanpaths: public parameters, and what follows from them and the noisy sums of two rounds (`scanpaths.proof.md`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar, Self

from synthrelease.data.screen import Screen
from synthrelease.dp import sensitivity as sensitivities
from synthrelease.dp.event import Event, Noise, RoundedGaussian
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.field_schema import among, described
from synthrelease.kinds.dataset import Array, Counts, Dataset
from synthrelease.kinds.distribution import ShownDistribution
from synthrelease.kinds.expectation import Expectation
from synthrelease.kinds.heatmap.public import SpectralParameters
from synthrelease.kinds.heatmap.public_maps import MAPS, PublicMaps
from synthrelease.kinds.parameters import WRONG_NAME, Fault, deviation_of, public_input
from synthrelease.kinds.scanpath_form import gaze_of_scanpaths
from synthrelease.kinds.scanpaths import words
from synthrelease.kinds.scanpaths.chain_fits import (
    Shown,
)
from synthrelease.kinds.scanpaths.datasets import NOISY_DYNAMICS, datasets_of
from synthrelease.kinds.scanpaths.dynamics import CONSTANT, LENGTH, DynamicsRound, norm_for, radius_for
from synthrelease.kinds.scanpaths.dynamics_prior import FLAT, DynamicsPrior, dynamics_prior
from synthrelease.kinds.scanpaths.expected import expected
from synthrelease.kinds.scanpaths.geometry import Geometry
from synthrelease.kinds.scanpaths.movements import shown_distributions
from synthrelease.kinds.stimuli import SAMPLES, StimulusParameters, Viewers, viewers_among
from synthrelease.kinds.synthetic_gaze import SyntheticGaze
from synthrelease.numerics.spectral import CONSTANT_STEPS, CUTOFF, RADIUS
from synthrelease.remarks import Remark, remark


@dataclass(frozen=True, kw_only=True)
class ScanpathParameters(StimulusParameters):
    """The public parameters of synthetic scanpaths."""

    kind: ClassVar = "scanpaths"
    sentences: ClassVar = {**SpectralParameters.sentences, **words.SENTENCES}
    mechanisms: ClassVar = ("gravity",)

    rows: Annotated[int, {"minimum": 1, "maximum": 20000}]  # of the published maps
    columns: Annotated[int, {"minimum": 1, "maximum": 20000}]
    blur_px: Annotated[float, {"exclusiveMinimum": 0, "maximum": 100000}]
    exponent: Annotated[float, described("a of the weights H^a.", minimum=0, maximum=4)]
    clip: Annotated[
        float,
        described(
            "c₀: norm of maps clipped to, as a share of that of one typical point.",
            exclusiveMinimum=0,
            maximum=10,
        ),
    ]
    prior: Annotated[str, among("centre", "none", MAPS)]
    maps: Annotated[PublicMaps | None, described("Public maps of the stimuli; null if maps start from none.")]
    viewers: Viewers = public_input()  # noqa: RUF009  a field
    viewing_time_s: Annotated[float, described("T, how long a stimulus was shown.", minimum=0.1, maximum=60)]
    prior_flat: Annotated[
        float,
        described(
            "Share of the public coordinates that is even, and not as public data are.", enum=list(FLAT)
        ),
    ]
    prior_sha256: Annotated[
        str, described("Of the public data that dynamics start from.", pattern="^[0-9a-f]{64}$")
    ]
    # Within these bounds radii of both rounds, and squares of what is clipped to them, stay well within 64 bits.
    dynamics_share: Annotated[float, described("Of μ², for the second round.", minimum=0.01, maximum=0.99)]
    norm: Annotated[
        float, described("C, norm of a participant's weighted numbers, at most.", exclusiveMinimum=0)
    ]
    scanpaths: Annotated[int, described("How many were drawn of each stimulus.", minimum=1, maximum=100000)]
    sampling_seed: Annotated[
        int,
        described("Public: scanpaths are drawn from noisy sums alone.", minimum=0, maximum=2**63 - 1),
    ]
    cutoff: Annotated[
        float, described("τ: frequencies that the blur leaves less of are not released.", const=CUTOFF)
    ] = CUTOFF
    radius_grid_units: Annotated[int, described("R₁, of a participant's maps.", const=RADIUS)] = RADIUS
    constant_grid_units: Annotated[int, {"const": CONSTANT_STEPS}] = CONSTANT_STEPS

    @cached_property
    def of_maps(self) -> SpectralParameters:
        """The parameters of the maps: those of a heatmap output."""
        shared = {
            name: getattr(self, name)
            for name in (
                "people",
                "names",
                "max_stimuli_per_person",
                "assignment_public",
                "screen",
                "stimuli",
            )
        }
        return SpectralParameters(
            name="spectral",
            **shared,
            rows=self.rows,
            columns=self.columns,
            blur_px=self.blur_px,
            frames=None,
            window=None,
            blur_time=None,
            exponent=self.exponent,
            clip=self.clip,
            clipping="joint",
            weight=SAMPLES,
            prior=self.prior,
            maps=self.maps,
            viewers=self.viewers,
        )

    def with_people(self, people: int) -> Self:
        """Return the parameters as if so many participants were in the data, each with as many stimuli."""
        viewers = viewers_among(self.viewers, people, of=self.people)
        return replace(super().with_people(people), viewers=viewers)

    @property
    def map_scale(self) -> tuple[Screen, float | None]:
        """The screen, and σ of the blur."""
        return self.of_maps.map_scale

    @property
    def shown(self) -> Shown:
        """What chains take besides a release's datasets."""
        return Shown(self.stimuli, self.screen, self.viewing_time_s, self.prior_flat)

    @property
    def geometry(self) -> Geometry:
        """The cells of the screen."""
        return self.shown.geometry

    @property
    def dynamics_prior(self) -> DynamicsPrior:
        """What is expected of dynamics."""
        return dynamics_prior(self.prior_flat)

    @property
    def dynamics_radius(self) -> int:
        """R₂, of a participant's second vector, in grid units."""
        return radius_for(self.dynamics_share)

    def second_round(self, deviation: float) -> DynamicsRound:
        """Return the second round with noise of a standard deviation, in grid units."""
        return DynamicsRound(self.dynamics_radius, self.norm, deviation, self.people)

    @property
    def product(self) -> str:
        """What catalogues call a release of such outputs only."""
        return "Dataset"

    def datasets(self, event: Event) -> Iterator[Dataset]:
        """Yield maps with what they follow from, the noisy sums of movements and distributions that follow, the chain, and scanpaths."""
        return datasets_of(self, deviation_of(event), event)

    def public_map(self, stated: Array) -> Array | None:
        """Return the public map of a stimulus, as of a heatmap."""
        return self.of_maps.public_map(stated)

    def distributions(self, released: Callable[[str], Array]) -> Sequence[ShownDistribution]:
        """Return amplitudes, changes of direction, durations and numbers of fixations, next to those of public data."""
        return shown_distributions(self.shown, released)

    def synthetic_gaze(self) -> SyntheticGaze:
        """Return where the scanpaths are, and what every file of them says."""
        caveats = tuple(self.sentence(remark(code)) for code in words.OF_TRIALS)
        return gaze_of_scanpaths(self.stimuli, self.screen, seed=self.sampling_seed, caveats=caveats)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """Return the sensitivity of both vectors of a person together."""
        return sensitivities.clipped_coefficients(
            count=self._numbers, radius=self._radius, neighbours=neighbours
        )

    @property
    def _numbers(self) -> int:
        return len(self.stimuli) * self.of_maps.form.band.count + LENGTH

    @property
    def _radius(self) -> int:
        """Of both vectors together, in grid units, rounded up."""
        return math.isqrt(RADIUS**2 + self.dynamics_radius**2 - 1) + 1

    def most_counts(self, event: Event) -> int | None:  # noqa: ARG002
        """Return what all people's integers may be."""
        return None if self.people is None else self._radius * self.people

    def counts(self) -> Iterator[Counts]:
        """Yield the constants of maps, and that of a person's second vector."""
        yield from self.of_maps.counts()
        yield Counts(NOISY_DYNAMICS, slice(1), (self.people or 0) * int(CONSTANT * self.dynamics_radius))

    def expected(self, event: Event, people: float, neighbours: Neighbours) -> tuple[Expectation, ...]:
        """Return the correlation of the maps to expect, and how much of movements is learnt."""
        second = self.second_round(deviation_of(event))
        return *self.of_maps.expected(event, people, neighbours), *expected(second, people)

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
        """Return how scanpaths are to be read."""
        return [words.READING]

    def derivation(self, neighbours: Neighbours) -> Remark:  # noqa: ARG002
        """Return why the sensitivity is what it is."""
        coefficients = self._numbers - LENGTH
        return remark("two-clipped-vectors", coefficients=coefficients, numbers=LENGTH, radius=self._radius)

    def post_processing(self) -> list[Remark]:
        """Return what is done to the noisy sums."""
        codes = "dynamics-tilted", "gravity-chain", "scanpaths-from-seed"
        return [*self.of_maps.post_processing(), *map(remark, codes)]

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        return [
            *self.of_maps.warnings(),
            *map(remark, words.OF_TRIALS),
            remark("order-on-the-stimulus"),
            remark("viewing-time", seconds=self.viewing_time_s),
        ]

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:
        """Yield where parameters and noise contradict each other."""
        if not isinstance(noise, RoundedGaussian):
            yield "noise", WRONG_NAME
        yield from self.of_maps.parameter_faults(event, noise)
        if self.prior_sha256 != self.dynamics_prior.sha256:
            yield "manifest", "dynamics start from other public data than the ones that are shipped"
        if self.norm != norm_for(self.max_stimuli_per_person, self.viewing_time_s):
            yield "manifest", "the norm is not that of so many trials of that time"
