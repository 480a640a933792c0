"""Heatmaps: public parameters, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, ClassVar

import numpy as np

from synthrelease.data.screen import Screen
from synthrelease.dp import sensitivity as sensitivities
from synthrelease.dp.error_bounds import reach
from synthrelease.dp.event import Event, Noise, PrivateChoice, RoundedGaussian, noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.field_schema import PositiveInt, among, described
from synthrelease.kinds.dataset import INTEGERS, ITERATED, Array, Axis, Dataset, DerivedFrom, Index, Role
from synthrelease.kinds.expectation import Expectation
from synthrelease.kinds.heatmap import words
from synthrelease.kinds.heatmap.estimates import ESTIMATES, NORMAL, Derivation, Scale
from synthrelease.kinds.heatmap.expected import (
    Viewing,
    cell_correlation,
    expected,
    spectral_correlation,
    viewing,
)
from synthrelease.kinds.normalization import PATH as NORMALIZATION
from synthrelease.kinds.normalization import normalization
from synthrelease.kinds.parameters import NOISES, WRONG_NAME, Fault, added_later, deviation_of, public_input
from synthrelease.kinds.stimuli import StimulusParameters, Viewers, Weight
from synthrelease.number_words import several
from synthrelease.numerics import derived
from synthrelease.numerics.centre_bias import CENTRE
from synthrelease.numerics.spectral import CONSTANT_STEPS, CUTOFF, RADIUS, SpectralForm, normalizations
from synthrelease.remarks import Remark, remark

LIU2019 = "liu2019"


Side = Annotated[int, {"minimum": 1, "maximum": 20000}]


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
    plan_keys: ClassVar = ("clipping", "weight", "prior", "exponent", "clip", "window", "blur_time", "frames")
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
    prior: Annotated[str, among("centre", "none")]
    viewers: Viewers = public_input()  # noqa: RUF009  a field
    estimate: Annotated[
        str,
        described(
            "What the heatmap and its uncertainty are computed by; of a bundle that does not say so, normal.",
            **among(*ESTIMATES),
        ),
    ] = added_later(NORMAL)
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
        return SpectralForm(blurs, cells, self.exponent, self.clip, self.prior)

    @property
    def public_viewers(self) -> tuple[int, ...] | None:
        """How many people count on each stimulus, if public."""
        return self.viewers

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
        density = "relative fixation density (1 = uniform)"
        estimate = ESTIMATES[self.estimate]
        for path, role, source, derive, quantity in (
            ("heatmap", Role.ESTIMATE, "noisy", estimate.heatmap, density),
            (
                "uncertainty",
                Role.UNCERTAINTY,
                estimate.uncertainty_from,
                estimate.uncertainty,
                f"standard deviation of the {density}",
            ),
        ):
            yield Dataset(
                path,
                (self.stimulus, *self.cells),
                role,
                quantity=quantity,
                items=1,
                sources=(DerivedFrom(source), DerivedFrom(NORMALIZATION)),
                derive=partial(self._derived, derive, deviation),
                care=ITERATED,
            )

    def _derived(
        self, derive: Derivation, deviation: float, _index: Index, source: Array, moments: Array
    ) -> Array:
        normalization, error = map(float, moments)
        return derive(self.form, source, Scale(normalization, error, deviation))

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
        estimate = ESTIMATES[self.estimate]
        return [
            remark("normalization-by-viewers" if self.viewers else "normalization"),
            remark(estimate.heatmap_code[self.prior], blur_px=self.blur_px),
            remark(estimate.uncertainty_code),
        ]

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        return [remark("centre-bias")] if self.prior == CENTRE else []

    def most_counts(self, event: Event) -> tuple[int | None, int | None]:  # noqa: ARG002
        """Return what all people's coefficients may be."""
        return None if self.people is None else self.people * RADIUS, None

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:  # noqa: ARG002
        """Yield where name, parameters and noise contradict each other."""
        if not isinstance(noise, RoundedGaussian):
            yield "noise", WRONG_NAME
        yield from self.stimulus_faults()
        yield from self.viewer_faults(self.viewers)
        static = [field is None for field in (self.window, self.blur_time, self.frames)]
        if len(set(static)) > 1 or (self.window is not None and not self.window[0] < self.window[1]):
            yield "manifest", "window, frames and blur over time do not agree"


@dataclass(frozen=True, kw_only=True)
class CellParameters(HeatmapParameters):
    """Heatmaps of counts in cells, each with noise (`cells.proof.md`)."""

    mechanisms: ClassVar = ("gaussian", "laplace")
    private_half: ClassVar = "synthrelease.kinds.heatmap.cells:CellHeatmap"
    plan_keys: ClassVar = ("cap", "caps", "cap_share", "max_samples_per_stimulus", "calibration")
    cap: Annotated[int, described("m, the most that a person counts in a cell.", minimum=1)]
    caps: Annotated[
        tuple[PositiveInt, ...] | None,
        described(
            "The list that the cap was chosen from privately; null if it stood in the plan.",
            minItems=1,
            maxItems=100,
            uniqueItems=True,
        ),
    ]
    max_samples_per_stimulus: Annotated[
        int | None, described("T, the most samples of a person on a stimulus; null for no limit.", minimum=1)
    ]
    calibration: Annotated[str, among("exact", LIU2019)]

    def datasets(self, event: Event) -> Iterator[Dataset]:  # noqa: ARG002
        """Yield the noisy counts of every stimulus, and the heatmap."""
        axes = (self.stimulus, *self.pixels)
        yield Dataset("noisy", axes, Role.NOISY, INTEGERS, quantity="noisy counts", items=1)
        yield Dataset(
            "heatmap",
            axes,
            Role.ESTIMATE,
            quantity="counts per participant" if self.people else "counts",
            items=1,
            sources=(DerivedFrom("noisy"),),
            derive=self._heatmap,
        )

    def expected(self, event: Event, people: float, neighbours: Neighbours) -> tuple[Expectation, ...]:  # noqa: ARG002
        """Return the correlation with the exact maps to expect."""
        at = partial(cell_correlation, self, self.viewing, deviation=deviation_of(event))
        return expected(self, people, lambda viewers: at(people=viewers))

    def _heatmap(self, _index: Index, noisy: Array) -> Array:
        screen_px = (self.screen.width_px, self.screen.height_px)
        return derived.heatmap(noisy, people=self.people, blur_px=self.blur_px, screen_px=screen_px)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """Return the sensitivity of all counts of a person."""
        return sensitivities.gaze_maps(
            cells=self.rows * self.columns,
            cap=self.cap,
            max_samples=self.max_samples_per_stimulus,
            stimuli=len(self.stimuli),
            max_stimuli=self.max_stimuli_per_person,
            assignment_public=self.assignment_public,
            neighbours=neighbours,
        )

    def summary(self) -> str:
        """Return what is released, in a sentence."""
        return words.summary(self)

    def procedure(self) -> str:
        """Return what is done to the data, before and with the noise."""
        return words.cell_procedure(self)

    def biases(self) -> list[str]:
        """Return what draws the released values away from the data."""
        return [
            f"at most {several(self.cap, 'sample')} of one participant count in a cell: where participants stay longer, values are too low."
        ]

    def reading(self, event: Event, neighbours: Neighbours) -> list[str]:  # noqa: ARG002
        """Return how noise shows."""
        noise = noise_of(event)
        return [] if noise is None else [words.cell_reading(self, reach(noise))]

    def derivation(self, neighbours: Neighbours) -> Remark:  # noqa: ARG002
        """Return why the sensitivity is what it is."""
        stimuli = {"stimuli": len(self.stimuli), "most_stimuli": self.max_stimuli_per_person}
        most = self.max_samples_per_stimulus
        if self.caps is not None:
            return remark("chosen-cap", most_samples=most, **stimuli)
        if most is None:
            return remark("capped-counts-any-samples", cap=self.cap, **stimuli)
        return remark("capped-counts", cap=self.cap, most_samples=most, **stimuli)

    def post_processing(self) -> list[Remark]:
        """Return what is done to the noisy counts."""
        return [remark("counts-per-person" if self.people else "counts-blurred", blur_px=self.blur_px)]

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        return [] if self.caps is None else [remark("cap-was-chosen")]

    def choices(self) -> list[int]:
        """Return the number of caps to choose from, if it was chosen."""
        return [] if self.caps is None else [len(self.caps)]

    def most_counts(self, event: Event) -> tuple[int | None, int | None]:  # noqa: ARG002
        """Return what all people may count in a cell, and in all maps."""
        if self.people is None:
            return None, None
        in_cell, in_map = self.cap, self.cap * self.rows * self.columns
        if self.max_samples_per_stimulus is not None:
            in_cell = min(in_cell, self.max_samples_per_stimulus)
            in_map = min(in_map, self.max_samples_per_stimulus)
        return self.people * in_cell, self.people * self.max_stimuli_per_person * in_map

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:  # noqa: ARG002
        """Yield where name, parameters and noise contradict each other."""
        if not isinstance(noise, NOISES[self.name]):
            yield "noise", WRONG_NAME
        if self.calibration == LIU2019 and self.max_samples_per_stimulus is not None:
            yield "manifest", "Liu et al. 2019 do not bound a person's samples"
        yield from self.stimulus_faults()

    def choice_faults(self, choices: list[PrivateChoice]) -> Iterator[Fault]:  # noqa: ARG002
        """Yield what is wrong with the list that the cap was chosen from."""
        if self.caps is None:
            return
        if list(self.caps) != sorted(set(self.caps)) or self.cap not in self.caps:
            yield "guarantee", "what was chosen is not from its list"
        elif self.max_samples_per_stimulus is None:
            yield "guarantee", "the choice of a cap has no bounded sensitivity"
