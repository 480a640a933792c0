"""What follows from the parameters of a statistics output: its sensitivity, the choices it calls for, its labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synthrelease.maths.statistics import StatisticUnit, quantile
from synthrelease.privacy.event import Noise, PrivateChoice
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.rank_error import rank_error as _rank_error
from synthrelease.privacy.sensitivity import Sensitivity, statistics

CHOICES = "exponential"  # the mechanism's name where there is no noise


def noised(p: dict[str, Any]) -> list[str]:
    """Return the statistics that are noised integers."""
    return [name for name in p["statistics"] if quantile(name) is None]


def unit(mechanism: dict[str, Any], feature: dict[str, Any]) -> StatisticUnit:
    """Return what the integers of a feature stand for."""
    people = mechanism["public_inputs"]["people"]
    return StatisticUnit((feature["low"], feature["high"]), people, mechanism["parameters"]["by"] is not None)


def labels(p: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield the labels of every group and feature, and the feature."""
    for group in [()] if p["by"] is None else [(name,) for name in p["groups"]]:
        for feature in p["features"]:
            yield (*group, feature["name"]), feature


def sensitivity(p: dict[str, Any], neighbours: Neighbours) -> Sensitivity:
    """Return the sensitivity of all noised statistics together."""
    return statistics(
        noised(p),
        bounds=[(feature["low"], feature["high"]) for feature in p["features"]],
        neighbours=neighbours,
        groups=None if p["by"] is None else len(p["groups"]),
        max_groups=p["max_groups_per_person"],
    )


def choices(p: dict[str, Any]) -> list[int]:
    """Return the number of candidates of every choice that a person is exposed to: `QuantileParameters.choices`."""
    quantiles = len(p["statistics"]) - len(noised(p))
    groups = 1 if p["by"] is None else min(p["max_groups_per_person"], len(p["groups"]))
    return [p["quantile_steps"]] * (quantiles * len(p["features"]) * groups)


def rank_error(p: dict[str, Any], epsilon: float, neighbours: Neighbours, *, probability: float) -> float:
    """Return how many people the rank of every quantile, each by itself, misses its target by at most: `privacy.rank_error`."""
    moving = p["by"] is not None and p["max_groups_per_person"] < len(p["groups"])
    shares = [share for share in map(quantile, p["statistics"]) if share is not None]
    how = {"epsilon": epsilon, "steps": p["quantile_steps"], "moving": moving, "neighbours": neighbours}
    return max(_rank_error(share, probability=probability, **how) for share in shares)


def faults(
    mechanism: dict[str, Any], noise: Noise | None, made: list[PrivateChoice]
) -> Iterator[tuple[str, str]]:
    """Yield (code, fault) where name, parameters, noise and choices contradict each other."""
    p = mechanism["parameters"]
    if (noise is None) != (not noised(p)) or mechanism["name"] != (CHOICES if noise is None else noise.type):
        yield "noise", "the mechanism's name is not that of its noise"
    if (p["by"] is None) != (p["groups"] is None):
        yield "manifest", "groups stand where there is a column that tells them apart, and only there"
    elif p["max_groups_per_person"] > len(p["groups"] or [1]):
        yield "manifest", "more groups per person than there are"
    if len({choice.epsilon for choice in made}) > 1:
        yield "guarantee", "quantiles of unequal ε: a person who changes groups may be in the two dearest"
