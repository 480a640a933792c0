"""Synthetic records for publication. Claim: `records.proof.md`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.attribute import Attribute
from synthrelease.data.features import Features
from synthrelease.errors import PolicyError
from synthrelease.maths.network import Subset
from synthrelease.mechanisms.collected import Rows, Sums
from synthrelease.mechanisms.records.candidates import (
    Known,
    Records,
    of_model,
    passing,
    seed_people,
    substituted,
)
from synthrelease.mechanisms.records.fit import Counts, fit_model, model_of, weighted_counts
from synthrelease.mechanisms.records.parameters import DP, RecordsParameters
from synthrelease.noise.entropy import SecureRandom
from synthrelease.privacy import accounting
from synthrelease.privacy.budget import Budget, calibrated
from synthrelease.privacy.event import (
    Composed,
    DeniabilityTest,
    Disjoint,
    Event,
    RandomizedTest,
    noise_of,
)
from synthrelease.privacy.guarantee import ApproxDP

Arrays = dict[tuple[str, ...], NDArray[np.generic]]


def calibrate(parameters: RecordsParameters, budget: Budget | None) -> Event:
    """Return the event of the output; a budget is needed for a DP fit or a randomized test.

    Raises:
        PolicyError: the randomized test costs more than the budget.
    """
    parts: list[Event] = []
    if parameters.fit == DP:
        assert budget is not None
        cells = sum(math.prod(parameters.categories[a] for a in subset) for subset in parameters.subsets())
        parts.append(calibrated(parameters.noise, parameters.sensitivity(), budget, count=cells))
    if parameters.randomized:
        assert budget is not None
        assert parameters.epsilon0 is not None
        test = RandomizedTest(
            parameters.k, parameters.gamma, parameters.epsilon0, parameters.trials, parameters.seeds
        )
        _check_cost(test, budget)
        return Disjoint((*parts, test))
    if parameters.tested:
        parts.append(DeniabilityTest(parameters.k, parameters.gamma, parameters.counted, parameters.vacuous))
    return parts[0] if len(parts) == 1 else Composed(tuple(parts))


def _check_cost(test: RandomizedTest, budget: Budget) -> None:
    if budget.delta == 0:
        raise PolicyError(
            "test-needs-delta",
            "a randomized deniability test cannot promise anything with δ = 0",
            expected="a delta above 0 under [privacy]",
            remedy="set delta well below 1/people",
        )
    cost = accounting.compose([test], delta=budget.delta)
    if not isinstance(cost, ApproxDP) or cost.epsilon > budget.epsilon:
        raise PolicyError(
            "test-exceeds-budget",
            f"the randomized deniability test of {test.trials} trials costs more than its budget",
            found=str(cost),
            expected=f"ε of at most {budget.epsilon:g} at δ = {budget.delta:.2g}",
            remedy="lower `trials`, `gamma` or `epsilon0`, raise `k`, or raise the budget"
            if isinstance(cost, ApproxDP)
            else "raise `k`, `epsilon0` or δ, or lower `trials`",
        )


@dataclass(frozen=True)
class Passing:
    """How the test went: for the curator alone, never in a release.

    Attributes:
        trials: candidates made.
        passed: candidates that passed.
        copies: published records that equal a real one in all attributes; None if nobody looked at real ones.
    """

    trials: int
    passed: int
    copies: int | None


def release(
    data: Features, parameters: RecordsParameters, budget: Budget | None, *, random: SecureRandom
) -> tuple[dict[tuple[str, ...], NDArray[np.generic]], Event, Passing]:
    """Return synthetic records that all passed the test, and with a DP fit the noised joint counts.

    Args:
        data: rows of all people; rows with a missing value take no part unless it is a category of its own.
        parameters: the public parameters.
        budget: of the DP fit and the randomized test; None if there is neither.
        random: where noise and draws come from.

    Returns:
        Arrays under (attribute, "category") and (attribute, "value"), shape (rows,), and under
        (attribute, …, "noised"), shape (categories, …); the event; and what is private of how the test went.

    Raises:
        PlanError: no row is complete, or too few candidates passed.
        PolicyError: the randomized test costs more than the budget.
    """
    drawn, event, passing = draw(collect(data, parameters), parameters, budget, random=random)
    return {k: v for derive in derivations(drawn, parameters) for k, v in derive().items()}, event, passing


@dataclass(frozen=True)
class Drawn:
    """What a release is made of.

    Attributes:
        records: category numbers of the synthetic records, shape (rows, m), in the smallest type that holds them.
        counts: the noised joint counts of a DP fit; empty without one.
    """

    records: Records
    counts: Counts


def collect(data: Features, parameters: RecordsParameters) -> Rows | Sums:
    """Return the coded records of some people; or their shares in joint counts, where nothing else is looked at."""
    records, people = coded_records(data, parameters)
    if parameters.tested:
        return Rows(((people, records),))
    counts = weighted_counts(records, people, parameters.categories, parameters.subsets())
    return Sums({_counted(subset): table for subset, table in counts.items()})


def _counted(subset: Subset) -> str:
    return " ".join(map(str, subset))


def draw(
    collected: Rows | Sums, parameters: RecordsParameters, budget: Budget | None, *, random: SecureRandom
) -> tuple[Drawn, Event, Passing]:
    """Return synthetic records from everybody's; arguments and errors as `release`."""
    event = calibrate(parameters, budget)
    if isinstance(collected, Sums):
        counts = {subset: collected[_counted(subset)] for subset in parameters.subsets()}
        model, counts = model_of(counts, parameters, noise_of(event), random=random)
        chosen = of_model(model, parameters.rows, _number_type(parameters), random)
        return Drawn(chosen, counts), event, Passing(parameters.rows, parameters.rows, None)
    people, records = collected.whole()
    seed = seed_people(parameters, random)
    fitted = ~seed[people] if parameters.randomized else np.ones(len(people), dtype=bool)
    noise = noise_of(event)
    model, counts = fit_model(records[fitted], people[fitted], parameters, noise, random=random)
    known = Known(records)
    if parameters.randomized:
        made = substituted(model, records, people, parameters, seed=seed, random=random)
    else:
        made = passing(model, records, people, parameters, known=known, random=random)
    # Which row a record was made from ends here.
    drawn = Drawn(made.records, {} if noise is None else counts)
    return drawn, event, Passing(made.trials, made.passed, int(known.among(made.records).sum()))


def derivations(drawn: Drawn, parameters: RecordsParameters) -> list[Callable[[], Arrays]]:
    """Return what makes the arrays of a release, one attribute after the other: categories and values in its unit, shape (rows,)."""
    names = [attribute.name for attribute in parameters.attributes]
    counts = {(*(names[a] for a in subset), "noised"): table for subset, table in drawn.counts.items()}
    columns = (partial(_column, drawn.records[:, a], one) for a, one in enumerate(parameters.attributes))
    return [*columns, partial(dict, counts)]


def _column(records: Records, attribute: Attribute) -> Arrays:
    values: Arrays = {(attribute.name, "category"): records.astype(attribute.number_type)}
    if attribute.labels is None:
        values[attribute.name, "value"] = attribute.values(records)
    return values


def coded_records(data: Features, parameters: RecordsParameters) -> tuple[Records, NDArray[np.int64]]:
    """Return the rows that have a category in every attribute, category numbers, shape (N, m), and the number of each one's person, shape (N,)."""
    attributes = parameters.attributes
    coded = np.empty((len(data.person), len(attributes)), dtype=_number_type(parameters))
    for a, attribute in enumerate(attributes):
        coded[:, a] = attribute.encoded(data.column(attribute.name))
    complete = (coded >= 0).all(axis=1)
    return coded[complete], data.person[complete]


def _number_type(parameters: RecordsParameters) -> np.dtype[np.signedinteger[Any]]:
    """One type for all attributes."""
    return np.result_type(*(attribute.number_type for attribute in parameters.attributes))
