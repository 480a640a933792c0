"""Synthetic records: from the plan's words to model, test and manifest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.data.features import Features
from synthrelease.errors import PlanError, PolicyError
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.mechanisms.records.release import (
    DP,
    MARGINALS,
    PERSON,
    RecordsParameters,
    calibrate,
    release,
)
from synthrelease.noise.entropy import SecureRandom
from synthrelease.outputs.resolved import (
    Arrays,
    chosen_features,
    names_source,
    noise_of,
    require_replace_one,
)
from synthrelease.plan import InputSpec, OutputSpec
from synthrelease.privacy.budget import LAPLACE, Budget
from synthrelease.privacy.event import Event
from synthrelease.privacy.guarantee import Neighbours

_TRIALS_PER_ROW = 200


@dataclass(frozen=True)
class RecordsOutput:
    """A records output with all its public parameters."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    bounds: dict[str, tuple[float, float]]
    parameters: RecordsParameters

    @property
    def noise(self) -> str | None:
        """Which noise takes budget: that of the fit, if any."""
        return LAPLACE if self.parameters.fit == DP else None

    def calibrate(self, budget: Budget | None) -> Event:
        """Return the event that the budget buys."""
        return calibrate(self.parameters, budget)

    def release(self, data: Features, budget: Budget | None, random: SecureRandom) -> tuple[Arrays, Event]:
        """Run the mechanism."""
        return release(data.only(list(self.bounds)), self.parameters, budget, random=random)

    def mechanism(self) -> dict[str, Any]:
        """Return the manifest's entry."""
        p = self.parameters
        attributes: list[dict[str, Any]] = []
        if self.parameters.task:
            names = list(self.facts.names)
            attributes.append(
                {"name": "recording", "categories": len(names), "labels": names, "low": None, "high": None}
            )
        attributes.extend(
            {"name": name, "categories": self.spec.options["bins"], "labels": None, "low": low, "high": high}
            for name, (low, high) in self.bounds.items()
        )
        return {
            "name": p.model,
            "parameters": {
                "fit": p.fit,
                "attributes": attributes,
                "order": list(p.order),
                "resampled": list(p.resampled),
                "k": p.k,
                "gamma": p.gamma,
                "counted": p.counted,
                "rows": p.rows,
            },
            "public_inputs": {"people": p.people, "names": names_source(self.source)},
        }

    def derivation(self) -> str:
        """Return why the sensitivity is what it is."""
        m = len(self.parameters.categories)
        return f"a person divides {HALF_RANGE} shares among the categories of each of {m} attributes"

    def post_processing(self) -> list[str]:
        """Return what was done after the draw."""
        return ["value: uniform within the bin of its category"]

    def warnings(self) -> list[str]:
        """Return what a reader must know."""
        p = self.parameters
        told = ["rows with a missing feature take no part"]
        if p.tested:
            told.append(
                "plausible deniability is a criterion, not differential privacy; which records passed is itself information"
            )
            if p.counted != PERSON:
                told.append("k counts records: one person's similar rows can pass the test alone")
            if p.vacuous:
                told.append("vacuous: the test cannot fail, and protects no more than no test")
            if p.task and max(p.resampled) == len(p.order) - 1:
                told.append("where nothing but the task label is kept, hardly any record can fail the test")
            if p.fit == DP:
                told.append(
                    "the model's marginals carry noise, but the records start from seeds: not differentially private"
                )
            else:
                told.append("the model was fitted exactly: its own statistics carry no guarantee")
        else:
            told.append(
                "drawn from noised marginals alone: differentially private, and independent attributes"
            )
        return told

    def prediction(self, event: Event, people: int | None) -> tuple[str, str]:
        """Return the noise of a bin against its mean weight, and the people at which that is threefold."""
        assert people is not None  # these outputs need replace-one
        noise = noise_of(event)
        if noise is None:
            return "no noise: the share of records that pass is private", f"at least k = {self.parameters.k}"
        deviation = noise.standard_deviation / HALF_RANGE
        bins = max(self.parameters.categories)
        return (
            f"each bin ± {deviation:.3g} people; a mean bin holds {people / bins:.3g}",
            f"{math.ceil(3 * deviation * bins)} for mean bins of three times the noise",
        )


def resolve(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> RecordsOutput:
    """Fill in the public parameters of a records output.

    Raises:
        PlanError: a parameter contradicts another, or k people cannot be found.
        PolicyError: the test is vacuous, the fit exact, and that is not acknowledged.
    """
    o = spec.options
    require_replace_one(spec, neighbours)
    features = chosen_features(spec, source)
    order = o.get("order", list(features))
    if sorted(order) != sorted(features):
        raise PlanError("the order does not name every feature once", where=f"{spec.where}.order")
    if "task" in o and "recording" in features:
        raise PlanError(
            "a feature has the name of the task label",
            where=spec.where,
            remedy="rename the column 'recording'",
        )
    bounds = {name: features[name] for name in order}
    task = "task" in o
    categories = (len(facts.names),) * task + (o["bins"],) * len(bounds)
    m = len(categories)
    resampled = _resampled(spec, m, task=task, people=facts.people)
    parameters = RecordsParameters(
        model=o["model"],
        fit=o["fit"],
        categories=categories,
        order=tuple(range(m)),
        resampled=resampled,
        k=o["k"],
        gamma=float(o["gamma"]),
        counted=o["count"],
        rows=o["rows"],
        trials=o.get("trials", _TRIALS_PER_ROW * o["rows"]),
        task=task,
        neighbours=neighbours,
        people=facts.people,
    )
    _check_policy(spec, parameters)
    return RecordsOutput(spec, source, facts, bounds, parameters)


def _resampled(spec: OutputSpec, m: int, *, task: bool, people: int) -> tuple[int, ...]:
    """Ω: as the plan says, or so that a kept prefix could be shared by k people if categories were even."""
    o = spec.options
    if o["model"] == MARGINALS:
        if "resampled" in o:
            raise PlanError("the marginals model draws all attributes", where=f"{spec.where}.resampled")
        if task:
            raise PlanError("the marginals model keeps no task label", where=f"{spec.where}.task")
        return (m,)
    most = m - task
    if "resampled" not in o:
        depth = int(math.log(max(people / o["k"], 1.0), o["bins"]))
        return (max(1, most - max(1, depth)),)
    asked = o["resampled"] if isinstance(o["resampled"], list) else [o["resampled"]]
    if max(asked) > most:
        label = " besides the task label" if task else ""
        raise PlanError(
            "more attributes are to be drawn than there are",
            where=f"{spec.where}.resampled",
            found=str(max(asked)),
            expected=f"1 to {most}{label}",
        )
    return tuple(sorted(asked))


def _check_policy(spec: OutputSpec, p: RecordsParameters) -> None:
    if p.tested and p.counted == "person" and p.k > p.people:
        raise PlanError(
            "no record can have so many plausible people",
            where=f"{spec.where}.k",
            found=f"k = {p.k} with {p.people} people",
            expected=f"k of at most {p.people}",
        )
    if p.tested and p.vacuous and not spec.options["acknowledge_vacuous"]:
        raise PolicyError(
            "the deniability test cannot fail for this model and would promise nothing",
            where=spec.where,
            found="k = 1" if p.k == 1 else "nothing is kept of a seed that could tell people apart",
            remedy=_vacuous_remedy(p),
        )


def _vacuous_remedy(p: RecordsParameters) -> str:
    if p.k == 1:
        remedy = "raise k"
    elif p.model == MARGINALS:
        remedy = 'protect the marginals with fit = "dp", or keep attributes with model = "seeded"'
    else:
        remedy = "keep attributes of the seed: lower `resampled`"
        if p.fit != DP:
            remedy += '; or protect the marginals: model = "marginals" and fit = "dp"'
    return f"{remedy}; or say acknowledge_vacuous = true"
