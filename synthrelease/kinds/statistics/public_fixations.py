"""Statistics of fixations: public parameters, and what of them is not as for statistics of features."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from synthrelease.data.screen import Screen
from synthrelease.dp.event import DiscreteLaplace, Event, Noise, RoundedGaussian
from synthrelease.field_schema import Labels, described
from synthrelease.kinds.parameters import Fault
from synthrelease.kinds.public_area import PublicArea
from synthrelease.kinds.statistics import words
from synthrelease.kinds.statistics.public import CHOICES, StatisticsParameters
from synthrelease.remarks import Remark, remark

PREFIX = "fixations_"
STIMULUS = "stimulus"  # what groups are by
# Measures of a trial, that is of a person on a stimulus.
FIXATION_COUNT, FIXATION_DURATION = "fixation_count", "fixation_duration"
TOTAL_DURATION = "total_fixation_duration"
MEASURES = (FIXATION_COUNT, FIXATION_DURATION, TOTAL_DURATION)


def feature_name(measure: str, area: str | None) -> str:
    """Return what a measure is called, of a whole trial or in an area."""
    return measure if area is None else f"{measure} in {area}"


@dataclass(frozen=True, kw_only=True)
class FixationParameters(StatisticsParameters):
    """The public parameters of statistics of fixations: features are measures of trials, or of each area in them."""

    prefix: ClassVar = PREFIX
    row_noun: ClassVar = "trials"
    mechanisms: ClassVar = (
        PREFIX + DiscreteLaplace.type,
        PREFIX + RoundedGaussian.type,
        PREFIX + CHOICES,
    )
    input_kind: ClassVar = "gaze"
    listed: ClassVar = "stimuli"

    stimuli: Labels
    assignment_public: bool
    screen: Screen
    areas: Annotated[
        tuple[PublicArea, ...] | None,
        described("In the order in which they are tried; null for none.", minItems=1, maxItems=1000),
    ]

    def summary(self) -> str:
        """Return what is released, in a sentence."""
        return words.fixation_summary(self)

    def procedure(self) -> str:
        """Return what is done to the data, before and with the noise."""
        return f"{words.FIXATIONS} {super().procedure()}"

    def contribution_warnings(self) -> list[Remark]:
        """Return what a person contributes."""
        remarks = [remark("fixations"), remark("one-trial" if self.groups is not None else "mean-of-trials")]
        if self.moving:
            remarks.append(remark("most-stimuli", most_stimuli=self.max_groups_per_person))
        return remarks

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:
        """Yield where name, parameters and noise contradict each other."""
        yield from super().parameter_faults(event, noise)
        if self.groups not in {None, self.stimuli} or self.by not in {None, STIMULUS}:
            yield "manifest", "groups of fixations that are not the listed stimuli"
        areas = [None] if self.areas is None else [area.name for area in self.areas]
        if len(set(areas)) < len(areas):
            yield "manifest", "two areas of one name"
        for area in self.areas or ():
            yield from area.faults(self.stimuli)
        names = [feature.name for feature in self.features]
        offered = [[feature_name(measure, area) for area in areas] for measure in MEASURES]
        used = [of_areas for of_areas in offered if of_areas[0] in names]
        if sorted(names) != sorted(itertools.chain.from_iterable(used)):
            yield "manifest", "features that are not the measures of fixations, of each area"
