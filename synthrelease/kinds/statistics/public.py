"""Statistics: public parameters, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from synthrelease.dp import sensitivity as sensitivities
from synthrelease.dp.error_bounds import INTERVAL, rank_error
from synthrelease.dp.event import Event, Noise, PrivateChoice, RoundedGaussian, flatten, noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.sensitivity import Sensitivity
from synthrelease.field_schema import LABEL, LABELS, described
from synthrelease.kinds.dataset import Axis, Counts, Dataset
from synthrelease.kinds.expectation import Expectation
from synthrelease.kinds.parameters import WRONG_NAME, BoundedFeatures, Fault, Feature, Parameters
from synthrelease.kinds.statistics import words
from synthrelease.kinds.statistics.datasets import StatisticDatasets
from synthrelease.kinds.statistics.expected import expected, name_in_words
from synthrelease.kinds.statistics.noisy import NOISY_STATISTICS
from synthrelease.kinds.statistics.sensitivity import sensitivity
from synthrelease.numerics.statistics import (
    COUNT,
    HISTOGRAM,
    MEAN,
    PERSON_STEPS,
    VARIANCE,
    StatisticUnit,
    fraction,
    quantile,
)
from synthrelease.numerics.steps import HALF_RANGE
from synthrelease.remarks import Remark, remark

CHOICES = "exponential"  # the mechanism's name where there is no noise


_STATISTIC = f"^({'|'.join(NOISY_STATISTICS)}|quantile:0\\.[0-9]{{0,5}}[1-9])$(?!\n)"


@dataclass(frozen=True, kw_only=True)
class StatisticsParameters(Parameters):
    """The public parameters of a statistics output."""

    mechanisms: ClassVar = ("discrete_laplace", "rounded_gaussian", "exponential")
    kind: ClassVar = "statistics"
    sentences: ClassVar = words.SENTENCES
    input_kind: ClassVar = "features"
    listed: ClassVar = "recordings"
    part: ClassVar = "statistic"
    prefix: ClassVar = ""  # of the mechanisms' names, before that of the noise
    row_noun: ClassVar = "rows"  # what a person's aggregate is of

    statistics: Annotated[
        tuple[Annotated[str, {"pattern": _STATISTIC}], ...],
        {"minItems": 1, "maxItems": 1000, "uniqueItems": True},
    ]
    bins: Annotated[
        int, described("Of a histogram, of equal width between the bounds.", minimum=2, maximum=10000)
    ]
    quantile_steps: Annotated[
        int,
        described(
            "K, intervals of equal width between the bounds that a quantile is chosen from.",
            minimum=1,
            maximum=65536,
        ),
    ]
    by: Annotated[
        str | None,
        described("The column whose labels are groups, or recording; null for no groups.", **LABEL),
    ]
    groups: Annotated[
        tuple[str, ...] | None, described("The public list of groups; null for none.", **LABELS)
    ]
    max_groups_per_person: Annotated[
        int, described("M: in how many groups a person counts, in those of most rows.", minimum=1)
    ]
    features: BoundedFeatures
    quantile_intervals: Annotated[
        bool,
        described(
            "Whether quantiles have intervals in the feature's unit, for data like public shapes; only where the number of people is released, or public."
        ),
    ] = False
    everyone_in_every_group: Annotated[
        bool, described("Whether the plan declares it: then n divides in every group, if it is public.")
    ] = False
    half_range_grid_units: Annotated[int, {"const": HALF_RANGE}] = HALF_RANGE

    def __post_init__(self) -> None:
        """Check that groups go with a column; ValueError if not."""
        if (self.by is None) != (self.groups is None):
            raise ValueError(
                "Expected groups where there is a column that distinguishes them, and only there"
            )

    @property
    def bounded(self) -> tuple[Feature, ...]:
        """The features."""
        return self.features

    @property
    def noisy(self) -> tuple[str, ...]:
        """The statistics that are noisy integers."""
        return tuple(name for name in self.statistics if quantile(name) is None)

    @property
    def quantiles(self) -> tuple[str, ...]:
        """The statistics that are chosen."""
        return tuple(name for name in self.statistics if quantile(name) is not None)

    @property
    def places(self) -> list[tuple[tuple[str, ...], Feature]]:
        """The labels of every group and feature, and the feature."""
        groups = [()] if self.groups is None else [(name,) for name in self.groups]
        return [((*group, feature.name), feature) for group in groups for feature in self.features]

    def unit(self, feature: Feature) -> StatisticUnit:
        """Return what the integers of a feature stand for."""
        return StatisticUnit(feature.bounds, self.people, self.by is not None, self.everyone_in_every_group)

    def datasets(self, event: Event) -> Iterator[Dataset]:
        """Yield the integers or choices of every statistic, its values, and their intervals; by group, if there are any, and feature."""
        features = [feature.name for feature in self.features]
        places = [Axis("feature", features, words="What was measured.")]
        if self.groups is not None:
            places.insert(0, Axis("group", self.groups, words=f"Group of participants, by {self.by}."))
        # Intervals of quantiles follow from counts, which come first then.
        for name in (*self.noisy, *self.quantiles) if self.quantile_intervals else self.statistics:
            make = StatisticDatasets(self, name, tuple(places), noise_of(event), event)
            yield from make.chosen() if quantile(name) is not None else make.noisy()

    @property
    def knows_people_for_quantiles(self) -> bool:
        """Whether there are quantiles, and how many people are in a group is public, or released: then they can have intervals."""
        return bool(self.quantiles) and (self.counts_people or COUNT in self.noisy)

    @property
    def counts_people(self) -> bool:
        """Whether the public number of people is that of those in every group."""
        return self.people is not None and (self.groups is None or self.everyone_in_every_group)

    def size(self, statistic: str) -> int:
        """Return how many integers one statistic of one feature of one group has."""
        if statistic == HISTOGRAM:
            return self.bins
        return NOISY_STATISTICS[statistic].size(self._any_unit)

    @property
    def has_quotients(self) -> bool:
        """Whether means are divided by a noisy count."""
        return not self.counts_people

    @property
    def _any_unit(self) -> StatisticUnit:
        """What integers stand for: what divides them is the same for all features."""
        return self.unit(self.features[0])

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """Return the sensitivity of all noisy statistics together."""
        return sensitivity(
            self.noisy,
            units=list(map(self.unit, self.features)),
            neighbours=neighbours,
            groups=None if self.groups is None else len(self.groups),
            max_groups=self.max_groups_per_person,
        )

    def choices(self) -> list[int]:
        """Return the candidates of every choice of a quantile that a person is exposed to."""
        groups = 1 if self.groups is None else min(self.max_groups_per_person, len(self.groups))
        return [self.quantile_steps] * (len(self.quantiles) * len(self.features) * groups)

    def most_counts(self, event: Event) -> int | None:  # noqa: ARG002
        """Return what all people together may be in any statistic."""
        return None if self.people is None else self.people * PERSON_STEPS

    def counts(self) -> Iterator[Counts]:
        """Yield the counts of every statistic that has any, of all groups and features."""
        counted = (self.people or 0) * self.max_groups_per_person * len(self.features)
        for name in self.noisy:
            part, weight = NOISY_STATISTICS[name].counted(self._any_unit)
            yield Counts(f"{name}/noisy", part, counted * weight)

    @property
    def moving(self) -> bool:
        """Whether a person who leaves a group may come to another: there are more than a person counts in."""
        return self.groups is not None and self.max_groups_per_person < len(self.groups)

    def quantile_sensitivity(self, name: str, neighbours: Neighbours) -> int:
        """Return Δ of the utilities of a quantile."""
        return sensitivities.quantile_utility(fraction(name), moving=self.moving, neighbours=neighbours)

    def rank_error(self, epsilon: float, neighbours: Neighbours, *, probability: float) -> float:
        """Return by how many people the rank of every quantile, each by itself, misses its target at most."""
        return max(
            rank_error(
                fraction(name),
                epsilon=epsilon,
                steps=self.quantile_steps,
                moving=self.moving,
                neighbours=neighbours,
                probability=probability,
            )
            for name in self.quantiles
        )

    def expected(self, event: Event, people: float, neighbours: Neighbours) -> tuple[Expectation, ...]:
        """Return the error to expect of every statistic of every feature, in its unit."""
        with np.errstate(all="ignore"):  # bounds near the largest numbers there are: nothing is known
            return tuple(expected(self, event, self.people_in_group(people), neighbours=neighbours))

    def people_in_group(self, people: float) -> float:
        """Return how many of so many participants count in a group, on average, if each counts in as many as may be."""
        return people if self.groups is None else people * self.max_groups_per_person / len(self.groups)

    def summary(self) -> str:
        """Return what is released, in a sentence."""
        return words.summary(self)

    def procedure(self) -> str:
        """Return what is done to the data, before and with the noise."""
        return words.procedure(self)

    def biases(self) -> list[str]:
        """Return what draws the released values away from the data."""
        return ["values beyond the public bounds count as the bounds."]

    def value_range(self, part: str, label: str) -> tuple[float, float] | None:
        """Return the bounds of a feature, for means and quantiles."""
        if part != MEAN and quantile(part) is None:
            return None
        return next((feature.bounds for feature in self.features if feature.name == label), None)

    def part_in_words(self, part: str) -> str:
        """Return what people call a statistic."""
        return name_in_words(part)

    def noise_subject(self) -> str:
        """Return what carries noise."""
        if self.quantiles:
            return "Every released number except the quantiles follows from integers with"
        return super().noise_subject()

    def reading(self, event: Event, neighbours: Neighbours) -> list[str]:
        """Return how noise and chance show."""
        sentences = super().reading(event, neighbours)
        choices = [leaf for leaf in flatten(event) if isinstance(leaf, PrivateChoice)]
        if choices and self.quantiles:
            least = min(choice.epsilon for choice in choices)
            within = self.rank_error(least, neighbours, probability=INTERVAL)
            sentences.append(words.rank_reading(within, self.people, has_interval=self.quantile_intervals))
        return sentences

    def derivation(self, neighbours: Neighbours) -> Remark:
        """Return why the sensitivity is what it is."""
        far = self.sensitivity(neighbours)
        in_l2 = self.name == self.prefix + RoundedGaussian.type
        fields: dict[str, Any] = {"features": len(self.features), "reach": far.l2 if in_l2 else far.l1}
        if self.groups is None:
            return remark("aggregates-l2" if in_l2 else "aggregates-l1", **fields)
        fields |= {"groups": len(self.groups), "most_groups": self.max_groups_per_person}
        return remark("grouped-aggregates-l2" if in_l2 else "grouped-aggregates-l1", **fields)

    def post_processing(self) -> list[Remark]:
        """Return what is done to the noisy integers and the choices."""
        done = []
        if self.noisy:
            done += [remark("value-in-units"), remark("noise-interval", probability=INTERVAL)]
        if HISTOGRAM in self.noisy:
            done.append(remark("histograms-not-clipped"))
        if any(NOISY_STATISTICS[name].is_quotient(self._any_unit) for name in self.noisy):
            done.append(remark("quotients-cut"))
        elif VARIANCE in self.noisy:
            done.append(remark("variances-cut"))
        if self.quantiles:
            done.append(remark("middle-of-interval"))
        if self.quantile_intervals:
            done.append(remark("quantile-interval", probability=INTERVAL))
        return done

    def warnings(self) -> list[Remark]:
        """Return what a reader must know."""
        remarks = self.contribution_warnings()
        if self.everyone_in_every_group:
            remarks.append(remark("everyone-in-every-group"))
        centred = (name for name in self.noisy if NOISY_STATISTICS[name].absent_is_centre(self._any_unit))
        remarks.extend(remark("absent-as-centre", statistic=name) for name in centred)
        if self.quantiles:
            remarks.append(
                remark("quantile-interval-of-shapes" if self.quantile_intervals else "rank-by-chance")
            )
        return remarks

    def contribution_warnings(self) -> list[Remark]:
        """Return what a person contributes."""
        remarks = [remark("one-aggregate" if self.groups is None else "one-aggregate-in-groups")]
        if self.moving:
            remarks.append(remark("most-groups", most_groups=self.max_groups_per_person))
        return remarks

    def parameter_faults(self, event: Event, noise: Noise | None) -> Iterator[Fault]:  # noqa: ARG002
        """Yield where name, parameters and noise contradict each other."""
        by_noise = self.prefix + (CHOICES if noise is None else noise.type)
        if (noise is None) != (not self.noisy) or self.name != by_noise:
            yield "noise", WRONG_NAME
        if self.max_groups_per_person > len(self.groups or [1]):
            yield "manifest", "more groups per person than there are"
        if self.quantile_intervals and not self.knows_people_for_quantiles:
            yield (
                "manifest",
                "intervals of quantiles where there are none, or of an unknown number of participants",
            )
        if self.everyone_in_every_group:
            yield from self._declaration_faults()

    def _declaration_faults(self) -> Iterator[Fault]:
        """Yield where everyone cannot be in every group, or n cannot divide."""
        if self.groups is None or self.max_groups_per_person < len(self.groups):
            yield "manifest", "everyone is declared to be in every group, and cannot be"
        if self.people is None:
            yield "manifest", "everyone is declared to be in every group, but n is private"

    def choice_faults(self, choices: list[PrivateChoice]) -> Iterator[Fault]:
        """Yield where quantiles do not share ε evenly."""
        if len({choice.epsilon for choice in choices}) > 1:
            yield "guarantee", "quantiles of unequal ε: a person who changes groups may be in the two dearest"
