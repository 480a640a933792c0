"""Statistics: from the plan's words to the mechanism, and to the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.facts import Facts
from synthrelease.data.features import RECORDING
from synthrelease.errors import PlanError
from synthrelease.maths.statistics import HISTOGRAM, MEAN, MEDIAN, VARIANCE
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms.collected import Sums
from synthrelease.mechanisms.statistics import StatisticsParameters, calibrate, collect, draw, statistics_of
from synthrelease.noise.entropy import SecureRandom
from synthrelease.outputs.labels import as_label
from synthrelease.outputs.resolved import (
    Collector,
    Derivation,
    OfFeatures,
    Release,
    chosen_features,
    counted,
    feature_entries,
    names_source,
    people_if_public,
)
from synthrelease.outputs.statistic_errors import errors_table, prediction
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import GAUSSIAN, Budget
from synthrelease.privacy.event import Event, noise_of
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.noise_error import INTERVAL

_MOST_CHOICES = 4000  # events of one output in a manifest


@dataclass(frozen=True)
class StatisticsOutput:
    """A statistics output with all its public parameters."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    bounds: dict[str, tuple[float, float]]
    parameters: StatisticsParameters

    @property
    def noise(self) -> str:
        """Which noise takes budget."""
        return self.parameters.noise

    @property
    def takes_delta(self) -> bool:
        """Whether the promise needs a δ: choices do not."""
        return self.noise == GAUSSIAN and bool(self.parameters.noised)

    @property
    def largest_array(self) -> int:
        """How many numbers the largest array that is made at once has."""
        return max((self.parameters.size(name) for name in self.parameters.noised), default=1)

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that the budget buys."""
        assert budget is not None
        return calibrate(self.parameters, budget)

    def collector(self) -> Collector:
        """Return what takes people's contributions."""
        return OfFeatures(tuple(self.bounds), partial(collect, parameters=self.parameters))

    def release(self, collected: Sums, budget: Budget | None, random: SecureRandom) -> Release:
        """Draw on what all people contribute."""
        assert budget is not None
        drawn, event = draw(collected, self.parameters, budget, random=random)
        return Release(self.derivations(drawn, event), event)

    def derivations(self, drawn: Mapping[str, NDArray[np.integer]], event: Event) -> list[Derivation]:
        """Return what makes the release of noised integers and choices, by statistic, shape (groups, features, size)."""
        return [partial(statistics_of, drawn, tuple(self.bounds), self.parameters, event)]

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        p = self.parameters
        name = "exponential"
        if p.noised:
            name = "rounded_gaussian" if p.noise == GAUSSIAN else "discrete_laplace"
        return {
            "name": name,
            "parameters": {
                "statistics": list(p.statistics),
                "bins": p.bins,
                "quantile_steps": p.quantile_steps,
                "by": p.by,
                "groups": list(p.groups) if p.by is not None else None,
                "max_groups_per_person": p.max_groups,
                "half_range_steps": HALF_RANGE,
                "features": feature_entries(self.bounds),
            },
            "public_inputs": {"people": p.people, "names": names_source(self.source)},
        }

    def derivation(self) -> str:
        """Return why the sensitivity is what it is."""
        p, moved = self.parameters, self.parameters.sensitivity()
        groups = f", in {p.max_groups} of {counted(len(p.groups), 'group')}" if p.by is not None else ""
        far = f"{moved.l2:.6g} steps in L2" if p.noise == GAUSSIAN else f"{moved.l1} steps in L1"
        return (
            f"a person is one aggregate in every statistic of {counted(p.features, 'feature')}{groups}, "
            f"{far} at most; all as one integer vector"
        )

    def post_processing(self) -> list[str]:
        """Return what was done to the noised integers and the choices."""
        p, told = self.parameters, []
        if p.noised:
            told.append("value: noised steps in people, or in the feature's unit")
            told.append(
                f"interval: what the value can be if no noise exceeds what it keeps within with probability {INTERVAL:g}; "
                "noise alone, each value by itself"
            )
        if HISTOGRAM in p.noised:
            told.append("histograms are not clipped to positive shares")
        quotient = p.people is None or p.by is not None
        if VARIANCE in p.noised or (MEAN in p.noised and quotient):
            told.append(
                "quotients of noised sums and a noised count, of one person at least, are cut to what the bounds allow"
            )
        if p.quantiles.names:
            told.append("quantiles: the middle of the interval that was chosen")
        return told

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        p = self.parameters
        told = ["a person with several rows counts once, with the mean (or the shares) of their values"]
        if p.by is not None:
            told[0] += ", in each group that they count in"
            if p.max_groups < len(p.groups):
                told.append(f"a person counts in at most {p.max_groups} of the groups, those of most rows")
        if MEAN in p.noised and p.people is not None and p.by is None:
            told.append("in means who has no value counts as the centre of the bounds")
        if p.quantiles.names:
            told.append(
                "a quantile misses its rank by chance; how far in the feature's unit is private, so it has no interval"
            )
        return told

    def errors(self, event: Event) -> list[list[str]]:
        """Return a table, its head first, of the noise of every statistic in its unit."""
        noise = noise_of(event)
        return [] if noise is None else errors_table(self.parameters, self.bounds, noise)

    def prediction(self, event: Event, budget: Budget | None, people: int | None) -> tuple[str, str]:
        """Return the 95 % errors, and the people at which they are within 5 %."""
        assert budget is not None
        return prediction(self.parameters, noise_of(event), self.parameters.split(budget)[0], people)


def resolve(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> StatisticsOutput:
    """Fill in the public parameters of a statistics output.

    Raises:
        PlanError: a feature has no bounds, there is no such column of groups, or the keys contradict each other.
    """
    o, bounds = spec.options, chosen_features(spec, source)
    names = tuple(MEDIAN if name == "median" else name for name in o["statistics"])
    if len(set(names)) < len(names):
        raise PlanError(
            "duplicate-statistic",
            f"median and {MEDIAN} are the same",
            where=f"{spec.where}.statistics",
            expected="one of the two",
            remedy="leave one of them out",
        )
    groups = _groups(spec, source, facts)
    parameters = StatisticsParameters(
        statistics=names,
        bounds=tuple(bounds.values()),
        bins=o["bins"],
        neighbours=neighbours,
        people=people_if_public(facts, neighbours),
        noise=o["noise"],
        by=o.get("by"),
        groups=groups,
        max_groups=o.get("max_groups_per_person", len(groups) or 1),
        quantile_steps=o["quantile_steps"],
        quantile_share=o.get("quantile_share"),
    )
    _check_sense(spec, parameters)
    return StatisticsOutput(spec, source, facts, bounds, parameters)


def _groups(spec: OutputSpec, source: InputSpec, facts: Facts) -> tuple[str, ...]:
    by = spec.options.get("by")
    if by is None:
        return ()
    lists = source.options["categories"]
    offered = [RECORDING] * ("recording" in source.options["columns"])
    offered += [name for name in lists if name != RECORDING]
    if by not in offered:
        raise PlanError(
            "unknown-label",
            "there is no such label",
            where=f"{spec.where}.by",
            expected="one of " + ", ".join(offered) if offered else "a column of labels",
            remedy=as_label("by", by, source),
        )
    return facts.names if by == RECORDING else tuple(lists[by])


def _check_sense(spec: OutputSpec, p: StatisticsParameters) -> None:
    if "max_groups_per_person" in spec.options and p.max_groups > max(len(p.groups), 1):
        raise PlanError(
            "too-many-groups",
            "a person cannot count in more groups than there are",
            where=f"{spec.where}.max_groups_per_person",
            found=str(p.max_groups),
            expected=f"at most {len(p.groups)}" if p.by else 'groups, such as by = "recording"',
            remedy="lower it, or leave it out",
        )
    if p.quantile_share is not None and not (p.noised and p.quantiles.names):
        raise PlanError(
            "quantile-budget",
            "quantiles and other statistics do not share the ε",
            where=f"{spec.where}.quantile_share",
            expected="a list with both, or no such key",
            remedy="leave out quantile_share",
        )
    if p.quantiles.choices > _MOST_CHOICES:
        raise PlanError(
            "too-many-quantiles",
            "too many quantiles",
            where=spec.where,
            found=f"{p.quantiles.choices}: names times features times groups of a person",
            expected=f"at most {_MOST_CHOICES}",
            remedy="release fewer quantiles, features or groups",
        )
