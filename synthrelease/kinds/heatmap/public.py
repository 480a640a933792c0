"""Heatmaps: public parameters, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Annotated, ClassVar, Self

import numpy as np

from synthrelease.data.screen import Screen
from synthrelease.dp import sensitivity as sensitivities
from synthrelease.dp.event import Event, Noise, RoundedGaussian
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.field_schema import among, described
from synthrelease.kinds.dataset import (
    INTEGERS,
    ITERATED,
    Array,
    Axis,
    Counts,
    Dataset,
    DerivedFrom,
    Index,
    Role,
)
from synthrelease.kinds.expectation import Expectation
from synthrelease.kinds.heatmap import words
from synthrelease.kinds.heatmap.expected import (
    Viewing,
    expected,
    spectral_correlation,
    viewing,
)
from synthrelease.kinds.heatmap.public_maps import BELIEF, IMAGES, MAPS, PUBLIC_MAP, Believed, PublicMaps
from synthrelease.kinds.normalization import PATH as NORMALIZATION
from synthrelease.kinds.normalization import normalization
from synthrelease.kinds.parameters import WRONG_NAME, Fault, deviation_of, public_input
from synthrelease.kinds.stimuli import StimulusParameters, Viewers, Weight, viewers_among
from synthrelease.numerics.centre_bias import CENTRE, NO_PRIOR
from synthrelease.numerics.log_normal_map import LogPrior
from synthrelease.numerics.spectral import CONSTANT_STEPS, CUTOFF, RADIUS, SpectralForm, normalizations
from synthrelease.remarks import Remark, remark

Side = Annotated[int, {"minimum": 1, "maximum": 20000}]
_MOST_PROBABLE = {  # codes of sentences, by prior
    CENTRE: "most-probable-map-of-centre-bias",
    NO_PRIOR: "most-probable-map",
    MAPS: "most-probable-map-of-public-maps",
}


@dataclass(frozen=True, kw_only=True)
class HeatmapParameters(StimulusParameters):
    """What the parameters of all heatmaps have."""

    kind: ClassVar = "heatmap"
    private_half: ClassVar[str]  # module and class of the mechanism
    plan_keys: ClassVar[tuple[str, ...]]  # of a plan's output, which have a meaning for it and not for all
    sentences: ClassVar = words.SENTENCES

    rows: Side  # of the published map
    columns: Side
    blur_px: Annotated[float, {"minimum": 0, "maximum": 100000}]  # σ_b, in pixels of the screen

    @property
    def map_scale(self) -> tuple[Screen, float | None]:
        """The screen, and σ of the blur."""
        return self.screen, self.blur_px

    @property
    def public_viewers(self) -> tuple[int, ...] | None:
        """How many people count on each stimulus, if that stands among the public inputs."""
        return None

    @property
    def has_public_maps(self) -> bool:
        """Whether heatmaps start from public maps of the stimuli."""
        return False

    @property
    def viewing(self) -> Viewing:
        """How the stimuli are looked at."""
        return viewing(self, self.public_viewers)

    @property
    def pixels(self) -> tuple[Axis, Axis]:
        """The middles of rows and columns, in pixels of the screen."""
        y, x = (
            (np.arange(cells) + 0.5) * (side / cells)
            for cells, side in ((self.rows, self.screen.height_px), (self.columns, self.screen.width_px))
        )
        return (
            Axis("y_px", y, "px", words="Middle of the cell, from the top of the screen."),
            Axis("x_px", x, "px", words="Middle of the cell, from the left of the screen."),
        )


@dataclass(frozen=True, kw_only=True)
class SpectralParameters(HeatmapParameters):
    """Spectral heatmaps: coefficients of people's maps, clipped to a ball, with Gaussian noise (`spectral.proof.md`)."""

    mechanisms: ClassVar = ("spectral",)
    private_half: ClassVar = "synthrelease.kinds.heatmap.spectral:SpectralHeatmap"
    plan_keys: ClassVar = (
        "clipping",
        "weight",
        "prior",
        "maps",
        "exponent",
        "clip",
        "window",
        "blur_time",
        "frames",
    )
    blur_px: Annotated[float, {"exclusiveMinimum": 0, "maximum": 100000}]
    frames: Annotated[
        int | None, described("Of a dynamic map; null for a static one.", minimum=1, maximum=10000)
    ]
    window: Annotated[
        tuple[float, float] | None, described("Start and end of the time shown, in the unit of the data.")
    ]
    blur_time: Annotated[float | None, {"exclusiveMinimum": 0}]
    exponent: Annotated[float, described("a of the weights H^a.", minimum=0, maximum=4)]
    clip: Annotated[
        float,
        described(
            "c₀: norm clipped to, as a share of that of one typical point.", exclusiveMinimum=0, maximum=10
        ),
    ]
    clipping: Annotated[str, among("joint", "per-stimulus")]
    weight: Weight
    prior: Annotated[str, among("centre", "none", MAPS)]
    maps: Annotated[
        PublicMaps | None, described("Public maps of the stimuli, from which heatmaps start.")
    ] = None
    viewers: Viewers = public_input()  # noqa: RUF009  a field
    cutoff: Annotated[
        float, described("τ: frequencies that the blur leaves less of are not released.", const=CUTOFF)
    ] = CUTOFF
    radius_grid_units: Annotated[int, {"const": RADIUS}] = RADIUS
    constant_grid_units: Annotated[int, {"const": CONSTANT_STEPS}] = CONSTANT_STEPS

    @cached_property
    def form(self) -> SpectralForm:
        """What turns maps into integers, and back."""
        blurs: tuple[float, ...] = (self.blur_px / self.screen.height_px, self.blur_px / self.screen.width_px)
        cells: tuple[int, ...] = (self.rows, self.columns)
        if self.window is not None and self.blur_time is not None and self.frames is not None:
            blurs = (self.blur_time / (self.window[1] - self.window[0]), *blurs)
            cells = (self.frames, *cells)
        prior = CENTRE if self.prior == MAPS else self.prior
        return SpectralForm(blurs, cells, self.exponent, self.clip, prior)

    @property
    def public_viewers(self) -> tuple[int, ...] | None:
        """How many people count on each stimulus, if public."""
        return self.viewers

    def with_people(self, people: int) -> Self:
        """Return the parameters as if so many participants were in the data, each with as many stimuli."""
        viewers = viewers_among(self.viewers, people, of=self.people)
        return replace(super().with_people(people), viewers=viewers)

    @property
    def has_public_maps(self) -> bool:
        """Whether they do."""
        return self.maps is not None

    def expected(self, event: Event, people: float, neighbours: Neighbours) -> tuple[Expectation, ...]:  # noqa: ARG002
        """Return the correlation with the exact maps to expect."""
        at = partial(spectral_correlation, self, self.viewing, deviation=deviation_of(event))
        return expected(self, people, lambda viewers: at(people=viewers))

    @property
    def joint(self) -> bool:
        """Whether people are clipped over all stimuli at once."""
        return self.clipping == "joint"

    @property
    def cells(self) -> tuple[Axis, ...]:
        """The axes of a map: time, if it is dynamic, y and x."""
        if self.window is None or self.frames is None:
            return self.pixels
        start, end = self.window
        middles = start + (np.arange(self.frames) + 0.5) * ((end - start) / self.frames)
        return Axis("time", middles, words="Middle of the frame, in the unit of the window."), *self.pixels

    def datasets(self, event: Event) -> Iterator[Dataset]:
        """Yield the noisy coefficients of every stimulus, what they are divided by, the heatmap and its uncertainty."""
        deviation = deviation_of(event)
        coefficients = Axis("coefficient", range(self.form.band.count))
        axes = (self.stimulus, coefficients)
        yield Dataset("noisy", axes, Role.NOISY, INTEGERS, quantity="weighted cosine coefficients", items=1)
        yield normalization(
            (self.stimulus,),
            partial(
                normalizations,
                deviation=deviation,
                viewers=None if self.viewers is None else np.array(self.viewers),
                people=self.people,
                joint=self.joint,
            ),
        )
        beside: tuple[DerivedFrom, ...] = ()
        if self.maps is not None:
            yield from Believed(self.form, deviation).datasets(self.stimulus, coefficients)
            beside = DerivedFrom(PUBLIC_MAP), DerivedFrom(BELIEF, whole=True)
        density = "relative fixation density (1 = uniform)"
        yield Dataset(
            "heatmap",
            (self.stimulus, *self.cells),
            Role.ESTIMATE,
            quantity=density,
            items=1,
            sources=(DerivedFrom("noisy"), DerivedFrom(NORMALIZATION), *beside),
            derive=partial(self._heatmap, deviation),
            derive_several=partial(self._heatmaps, deviation),
            care=ITERATED,
        )
        yield Dataset(
            "uncertainty",
            (self.stimulus, *self.cells),
            Role.UNCERTAINTY,
            quantity=f"standard deviation of the {density}",
            items=1,
            sources=(DerivedFrom("heatmap"), DerivedFrom(NORMALIZATION), *beside),
            derive=partial(self._uncertainty, deviation),
            care=ITERATED,
        )

    def public_map(self, stated: Array) -> Array | None:
        """Return the public map of a stimulus, blurred as the released one is, of its shape and unit.

        Args:
            stated: its coefficients, shape (K,).
        """
        return Believed.shown(self.form, stated)

    def _heatmap(
        self, deviation: float, _index: Index, noisy: Array, moments: Array, *public: Array
    ) -> Array:
        return self._heatmaps(deviation, (), [(noisy, moments, *public)])[0]

    def _heatmaps(
        self, deviation: float, _indices: Sequence[Index], sources: Sequence[Sequence[Array]]
    ) -> list[Array]:
        return self.form.heatmaps(
            [noisy for noisy, *_ in sources],
            normalization=[float(moments[0]) for _, moments, *_ in sources],
            deviation=deviation,
            priors=[self._prior(deviation, *public) for _, _, *public in sources],
        )

    def _uncertainty(
        self, deviation: float, _index: Index, shown: Array, moments: Array, *public: Array
    ) -> Array:
        normalization, error = map(float, moments)
        return self.form.uncertainty(
            shown,
            normalization=normalization,
            normalization_error=error,
            deviation=deviation,
            prior=self._prior(deviation, *public),
        )

    def _prior(self, deviation: float, *public: Array) -> LogPrior | None:
        """What the stimulus's map is expected to be, if not what all are."""
        return Believed(self.form, deviation).prior(*public) if public else None

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """Return the sensitivity of all coefficients of a person."""
        return sensitivities.spectral_maps(
            coefficients=self.form.band.count,
            radius=RADIUS,
            stimuli=len(self.stimuli),
            max_stimuli=self.max_stimuli_per_person,
            joint=self.joint,
            neighbours=neighbours,
        )

    def summary(self) -> str:
        """Return what is released, in a sentence."""
        return words.summary(self)

    def procedure(self) -> str:
        """Return what is done to the data, before and with the noise."""
        return words.spectral_procedure(self)

    def biases(self) -> list[str]:
        """Return what draws the released values away from the data."""
        return words.spectral_biases(self)

    def reading(self, event: Event, neighbours: Neighbours) -> list[str]:
        """Return how far the exact map may be from the shown one."""
        return [*super().reading(event, neighbours), *words.spectral_reading(self)]

    def derivation(self, neighbours: Neighbours) -> Remark:  # noqa: ARG002
        """Return why the sensitivity is what it is."""
        ball = {"coefficients": self.form.band.count, "radius": RADIUS}
        stimuli = len(self.stimuli)
        if stimuli == 1:
            return remark("ball-of-a-map", **ball)
        if self.joint:
            return remark("ball-of-all-maps", **ball, stimuli=stimuli)
        most = self.max_stimuli_per_person
        return remark("ball-on-each-stimulus", **ball, stimuli=stimuli, most_stimuli=most)

    def post_processing(self) -> list[Remark]:
        """Return what is done to the noisy coefficients."""
        return [
            remark("normalization-by-viewers" if self.viewers else "normalization"),
            remark(_MOST_PROBABLE[self.prior], blur_px=self.blur_px),
            remark("map-uncertainty-about-public-maps" if self.prior == MAPS else "map-uncertainty-at-peaks"),
        ]

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        codes = {CENTRE: ["centre-bias"], MAPS: ["public-maps"]}
        return [remark(code) for code in codes.get(self.prior, [])]

    def most_counts(self, event: Event) -> int | None:  # noqa: ARG002
        """Return what all people's coefficients may be."""
        return None if self.people is None else self.people * RADIUS

    def counts(self) -> Iterator[Counts]:
        """Yield the constants, which a person has on each stimulus that they count on, or less of them after clipping."""
        yield Counts("noisy", slice(1), self.viewings(self.viewers) * CONSTANT_STEPS)

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:  # noqa: ARG002
        """Yield where name, parameters and noise contradict each other."""
        if not isinstance(noise, RoundedGaussian):
            yield "noise", WRONG_NAME
        if (self.prior == MAPS) != (self.maps is not None):
            yield "manifest", "prior and public maps do not agree"
        if self.maps is not None and (self.maps.source == IMAGES) != (self.maps.people is None):
            yield "manifest", "public maps of gaze are of a number of people, and those of images of none"
        yield from self.stimulus_faults()
        yield from self.viewer_faults(self.viewers)
        static = [field is None for field in (self.window, self.blur_time, self.frames)]
        if len(set(static)) > 1 or (self.window is not None and not self.window[0] < self.window[1]):
            yield "manifest", "window, frames and blur over time do not agree"
