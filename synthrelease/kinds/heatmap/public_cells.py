"""Gaze maps, heatmaps of counts in cells: public parameters, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

from synthrelease.dp import sensitivity as sensitivities
from synthrelease.dp.error_bounds import reach
from synthrelease.dp.event import Event, Noise, PrivateChoice, noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.field_schema import PositiveInt, among, described
from synthrelease.kinds.dataset import INTEGERS, Array, Counts, Dataset, DerivedFrom, Index, Role
from synthrelease.kinds.expectation import Expectation
from synthrelease.kinds.heatmap import words
from synthrelease.kinds.heatmap.expected import cell_correlation, expected
from synthrelease.kinds.heatmap.public import HeatmapParameters
from synthrelease.kinds.parameters import NOISES, WRONG_NAME, Fault, deviation_of
from synthrelease.number_words import several
from synthrelease.numerics import derived
from synthrelease.remarks import Remark, remark

LIU2019 = "liu2019"


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

    def most_counts(self, event: Event) -> int | None:  # noqa: ARG002
        """Return what all people may count in a cell."""
        return None if self.people is None else self.people * self._at_most(self.cap)

    def counts(self) -> Iterator[Counts]:
        """Yield all counts of people's samples."""
        in_map = self._at_most(self.cap * self.rows * self.columns)
        yield Counts("noisy", slice(None), self.viewings(None) * in_map)

    def _at_most(self, samples: int) -> int:
        """So many samples, or as many as a person may have on a stimulus."""
        most = self.max_samples_per_stimulus
        return samples if most is None else min(samples, most)

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
