"""Statistics: from a plan's words to the mechanism."""

from __future__ import annotations

from synthrelease.data.facts import Facts
from synthrelease.data.features import RECORDING
from synthrelease.data.input_spec import InputSpec
from synthrelease.dp.budget import GAUSSIAN, LAPLACE
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PlanError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import chosen_features, label_of, names_source, people_if_public
from synthrelease.kinds.statistics.mechanism import Statistics
from synthrelease.kinds.statistics.public import CHOICES, StatisticsParameters
from synthrelease.numerics.statistics import MEDIAN, quantile

_MOST_CHOICES = 4000  # events of one output in a manifest
_NAMES = {LAPLACE: DiscreteLaplace.type, GAUSSIAN: RoundedGaussian.type, None: CHOICES}


def prepare(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> Statistics:
    """Fill in the public parameters of a statistics output.

    Raises:
        PlanError: a feature has no bounds, there is no such column of groups, or the keys contradict each other.
    """
    o, features = spec.options, chosen_features(spec, source)
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
    noise = o["noise"] if any(quantile(name) is None for name in names) else None
    parameters = StatisticsParameters(
        name=_NAMES[noise],
        people=people_if_public(facts, neighbours),
        names=names_source(source),
        statistics=names,
        bins=o["bins"],
        quantile_steps=o["quantile_steps"],
        quantile_intervals=True,
        by=o.get("by"),
        groups=groups,
        max_groups_per_person=o.get("max_groups_per_person", len(groups or [1])),
        features=features,
        everyone_in_every_group=o["everyone_in_every_group"],
    )
    mechanism = Statistics(
        parameters=parameters, neighbours=neighbours, noise=noise, quantile_share=o.get("quantile_share")
    )
    _check_sense(spec, mechanism)
    return mechanism


def _groups(spec: OutputSpec, source: InputSpec, facts: Facts) -> tuple[str, ...] | None:
    by = label_of(spec, "by", source)
    if by is None:
        return None
    return facts.names if by == RECORDING else tuple(source.options["categories"][by])


def _check_sense(spec: OutputSpec, mechanism: Statistics) -> None:
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


def _check_declaration(spec: OutputSpec, mechanism: Statistics) -> None:
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
            found=f"max_groups_per_person = {p.max_groups_per_person}",
            expected=f"all {len(p.groups)} groups",
            remedy="leave out one of the two",
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
