"""Statistics: from a plan's words to the mechanism."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.data.features import RECORDING
from synthrelease.data.input_spec import InputSpec
from synthrelease.dp.budget import GAUSSIAN, LAPLACE
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PlanError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import (
    chosen_features,
    counted_stimuli,
    label_of,
    names_source,
    people_if_public,
)
from synthrelease.kinds.statistics.fixations import FixationStatistics
from synthrelease.kinds.statistics.mechanism import StatisticsMechanism
from synthrelease.kinds.statistics.prepare_fixations import fixation_fields
from synthrelease.kinds.statistics.public import CHOICES, StatisticsParameters
from synthrelease.kinds.statistics.public_fixations import FixationParameters
from synthrelease.numerics.statistics import MEDIAN, quantile

_MOST_CHOICES = 4000  # events of one output in a manifest
_NAMES = {LAPLACE: DiscreteLaplace.type, GAUSSIAN: RoundedGaussian.type, None: CHOICES}


def prepare(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> StatisticsMechanism:
    """Fill in the public parameters of a statistics output.

    Raises:
        PlanError: a feature has no bounds, there is no such column of groups, or the keys contradict each other.
    """
    mechanism = _OF_INPUT[source.kind](spec, source, facts, neighbours)
    _check_sense(spec, mechanism)
    p = mechanism.parameters
    return replace(mechanism, parameters=replace(p, quantile_intervals=p.knows_people_for_quantiles))


def _of_features(
    spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours
) -> StatisticsMechanism:
    for key in ("bounds", "areas", "label_image"):
        if key in spec.options:
            raise PlanError(
                "key-of-other-input",
                f"the key '{key}' is for fixations in gaze",
                where=f"{spec.where}.{key}",
                found="an input of kind features",
                remedy=f"remove it, or name an input of kind gaze; bounds of features stand under inputs.{source.name}.bounds",
            )
    by = label_of(spec, "by", source)
    groups = None
    if by is not None:
        groups = facts.names if by == RECORDING else tuple(source.options["categories"][by])
    parameters = StatisticsParameters(
        features=chosen_features(spec, source),
        **_common(spec, source, facts, neighbours, prefix=StatisticsParameters.prefix),
        **_grouped(spec, by, groups, len(groups or [1])),
    )
    return StatisticsMechanism(parameters=parameters, neighbours=neighbours, **_budget(spec))


def _of_fixations(
    spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours
) -> StatisticsMechanism:
    fields, areas = fixation_fields(spec, source, facts)
    by = spec.options.get("by")
    most, _ = counted_stimuli(spec, source, facts, neighbours)
    parameters = FixationParameters(
        **fields,
        **_common(spec, source, facts, neighbours, prefix=FixationParameters.prefix),
        **_grouped(spec, by, None if by is None else facts.names, 1 if by is None else most),
    )
    return FixationStatistics(parameters=parameters, neighbours=neighbours, areas=areas, **_budget(spec))


_OF_INPUT = {"features": _of_features, "gaze": _of_fixations}


def _common(
    spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours, *, prefix: str
) -> dict[str, Any]:
    """What the parameters of both have in common, but for groups."""
    o = spec.options
    names = tuple(MEDIAN if name == "median" else name for name in o["statistics"])
    if len(set(names)) < len(names):
        raise PlanError(
            "duplicate-statistic",
            f"median and {MEDIAN} are the same",
            where=f"{spec.where}.statistics",
            expected="one of the two",
            remedy="leave one of them out",
        )
    return {
        "name": prefix + _NAMES[_noise(spec)],
        "people": people_if_public(facts, neighbours),
        "names": names_source(source),
        "statistics": names,
        "bins": o["bins"],
        "quantile_steps": o["quantile_steps"],
    }


def _grouped(spec: OutputSpec, by: str | None, groups: tuple[str, ...] | None, most: int) -> dict[str, Any]:
    """What parameters say of groups; `most` that a person counts in, unless the plan says it."""
    return {
        "by": by,
        "groups": groups,
        "max_groups_per_person": spec.options.get("max_groups_per_person", most),
        "everyone_in_every_group": spec.options["everyone_in_every_group"],
    }


def _budget(spec: OutputSpec) -> dict[str, Any]:
    """How the mechanism spends its budget."""
    return {"noise": _noise(spec), "quantile_share": spec.options.get("quantile_share")}


def _noise(spec: OutputSpec) -> str | None:
    noisy = any(name != "median" and quantile(name) is None for name in spec.options["statistics"])
    return spec.options["noise"] if noisy else None


def _check_sense(spec: OutputSpec, mechanism: StatisticsMechanism) -> None:
    p = mechanism.parameters
    groups, choices = len(p.groups or [1]), len(p.choices())
    if "max_groups_per_person" in spec.options and p.max_groups_per_person > groups:
        raise PlanError(
            "too-many-groups",
            "a person cannot count in more groups than there are",
            where=f"{spec.where}.max_groups_per_person",
            found=str(p.max_groups_per_person),
            expected=f"at most {groups}" if p.by else 'groups, such as by = "recording"',
            remedy="lower it, or leave it out",
        )
    if p.everyone_in_every_group:
        _check_declaration(spec, mechanism)
    if mechanism.quantile_share is not None and not (p.noisy and p.quantiles):
        raise PlanError(
            "quantile-budget",
            "quantiles and other statistics do not share the ε",
            where=f"{spec.where}.quantile_share",
            expected="a list with both, or no such key",
            remedy="leave out quantile_share",
        )
    if choices > _MOST_CHOICES:
        raise PlanError(
            "too-many-quantiles",
            "too many quantiles",
            where=spec.where,
            found=f"{choices}: names times features times groups of a person",
            expected=f"at most {_MOST_CHOICES}",
            remedy="release fewer quantiles, features or groups",
        )


def _check_declaration(spec: OutputSpec, mechanism: StatisticsMechanism) -> None:
    """Refuse a declaration that everyone is in every group where that cannot be, or no public number follows from it."""
    p, where = mechanism.parameters, f"{spec.where}.everyone_in_every_group"
    if p.groups is None:
        raise PlanError(
            "no-groups",
            "everyone is declared to be in every group, but there are no groups",
            where=where,
            expected='groups, such as by = "recording"',
            remedy="add by, or leave out everyone_in_every_group",
        )
    if p.max_groups_per_person < len(p.groups):
        raise PlanError(
            "not-in-every-group",
            "everyone is declared to be in every group, but counts in fewer",
            where=where,
            found=f"at most {p.max_groups_per_person}, by max_groups_per_person or a public assignment",
            expected=f"all {len(p.groups)} groups",
            remedy="leave out max_groups_per_person, or everyone_in_every_group",
        )
    if p.people is None:
        raise PlanError(
            "needs-public-people",
            "everyone is declared to be in every group, but the number of participants is private",
            where=where,
            found='neighbours = "add-remove-one"',
            expected='neighbours = "replace-one", where that number divides',
            remedy="change neighbours, or leave out everyone_in_every_group",
        )
