"""What every kind of output can tell and do once public facts have filled in the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.facts import Facts
from synthrelease.data.features import Features
from synthrelease.errors import PlanError
from synthrelease.mechanisms.collected import Collected
from synthrelease.noise.entropy import SecureRandom
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import Event
from synthrelease.privacy.guarantee import Neighbours

Arrays = dict[tuple[str, ...], NDArray[np.generic]]
Collector = Callable[[Any], Collected]
Derivation = Callable[[], Arrays]


@dataclass(frozen=True)
class Release:
    """What a mechanism made of everybody's contributions.

    Attributes:
        derivations: what makes the arrays of the release, by labels below the output, from what was drawn; public, and each
            independent of the others.
        event: what was done.
        notes: for the curator alone, nowhere in the release.
        chosen: parameters that the mechanism chose privately, for the manifest.
    """

    derivations: Sequence[Derivation]
    event: Event
    notes: tuple[str, ...] = ()
    chosen: Mapping[str, Any] = field(default_factory=dict)


class ResolvedOutput(Protocol):
    """An output with all its public parameters."""

    @property
    def spec(self) -> OutputSpec:
        """The plan's words."""
        ...

    @property
    def noise(self) -> str | None:
        """Which noise takes budget: "gaussian", "laplace", or None if the output takes none."""
        ...

    @property
    def takes_delta(self) -> bool:
        """Whether the promise needs a δ."""
        ...

    @property
    def largest_array(self) -> int:
        """How many numbers the largest array that is made at once has."""
        ...

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that the budget buys; reads no data."""
        ...

    def collector(self) -> Collector:
        """Return the function that takes from the data of some people what they contribute."""
        ...

    def release(self, collected: Any, budget: Budget | None, random: SecureRandom) -> Release:
        """Draw on what all people contribute."""
        ...

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry: name, parameters, public inputs."""
        ...

    def derivation(self) -> str:
        """Return in a sentence why the sensitivity is what it is."""
        ...

    def post_processing(self) -> list[str]:
        """Return what was done to the noised values."""
        ...

    def warnings(self) -> list[str]:
        """Return what a reader of this output must know."""
        ...

    def prediction(self, event: Event, budget: Budget | None, people: int | None) -> tuple[str, str]:
        """Return the error to expect with this many people (None: private), and how many a useful result takes."""
        ...


def comparison_of(output: ResolvedOutput, budget: Budget | None) -> list[list[str]]:
    """Return the table in which an output compares the mechanisms it could be made by; empty if there is none."""
    compare = getattr(output, "comparison", None)
    return [] if compare is None else compare(budget)


def rehearsed_release(output: ResolvedOutput, budget: Budget | None, event: Event) -> Release:
    """Return what an output will release, without values: the planned event, or that of the last candidate of a private choice."""
    rehearse = getattr(output, "rehearsed", None)
    return (rehearse(budget) if rehearse is not None else None) or Release((), event)


def may_fail_after_noise(output: ResolvedOutput) -> bool:
    """Whether an output may have to be refused once noise was drawn on it."""
    return bool(getattr(output, "may_fail_after_noise", False))


def errors_of(output: ResolvedOutput, event: Event) -> list[list[str]]:
    """Return the table of the noise of every value in its unit; empty if an output has none."""
    tell = getattr(output, "errors", None)
    return [] if tell is None else tell(event)


@dataclass(frozen=True)
class OfFeatures:
    """A collector of some features, in the output's order.

    Attributes:
        names: of the features.
        collect: takes the data that have these features alone.
    """

    names: tuple[str, ...]
    collect: Callable[[Features], Collected]

    def __call__(self, data: Features) -> Collected:
        """Return what the people contribute."""
        return self.collect(data.only(self.names))


def counted(number: int, noun: str) -> str:
    """Return "1 feature", "2 features"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def chosen_features(
    spec: OutputSpec, source: InputSpec, names: Sequence[str] | None = None
) -> dict[str, tuple[float, float]]:
    """Return the bounds of the features an output uses, in the output's order, or of those named.

    Raises:
        PlanError: a feature without bounds.
    """
    bounds = source.options["bounds"]
    names = spec.options.get("features", list(bounds)) if names is None else names
    for name in names:
        if name not in bounds:
            raise PlanError(
                "no-bounds",
                f"the feature '{name}' has no public bounds",
                where=spec.where,
                expected="one of " + ", ".join(bounds),
                remedy=f"add {name} = [low, high] to inputs.{source.name}.bounds",
            )
    return {name: (float(bounds[name][0]), float(bounds[name][1])) for name in names}


def feature_entries(bounds: dict[str, tuple[float, float]]) -> list[dict[str, Any]]:
    """Return features and bounds as the manifest has them."""
    return [{"name": name, "low": low, "high": high} for name, (low, high) in bounds.items()]


def names_source(source: InputSpec) -> str:
    """Return whether the stimuli or recordings are "listed" in the plan, or "assumed" public and taken from the data."""
    return "assumed" if {"stimuli", "recordings"} & set(source.options["assume_public"]) else "listed"


def people_if_public(facts: Facts, neighbours: Neighbours) -> int | None:
    """Return n under replace-one, and None where n is private."""
    return facts.people if neighbours is Neighbours.REPLACE_ONE else None


def counted_stimuli(
    spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours
) -> tuple[int, tuple[int, ...] | None]:
    """Return M, on how many stimuli a person counts, and how many people count on each, if both are public.

    If who saw what is public, and with it the most that anybody saw, M need not be more than that.
    """
    stimuli = len(facts.names)
    public = "assignment" in source.options["assume_public"] and neighbours is Neighbours.REPLACE_ONE
    most = min(spec.options.get("max_stimuli_per_person", facts.most_seen if public else stimuli), stimuli)
    return most, facts.counting(most) if public else None


def require_replace_one(spec: OutputSpec, neighbours: Neighbours) -> None:
    """Refuse an output that needs the number of people to be public.

    Raises:
        PlanError: under add-remove-one.
    """
    if neighbours is not Neighbours.REPLACE_ONE:
        raise PlanError(
            "needs-public-people",
            f"a {spec.kind} output needs the number of people to be public",
            where=spec.where,
            found='neighbours = "add-remove-one"',
            expected='neighbours = "replace-one"; heatmaps, areas and statistics can do either',
            remedy="change neighbours, or release another kind of output",
        )
