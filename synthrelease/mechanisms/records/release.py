"""Synthetic records for publication. Claim: `records.proof.md`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.errors import PlanError
from synthrelease.maths.binning import bin_numbers, equal_width_edges, public_fractions, spread_within
from synthrelease.maths.derived import marginal
from synthrelease.mechanisms.records.deniability import deniability_test
from synthrelease.mechanisms.records.fit import (
    noised_counts,
    weighted_counts,
)
from synthrelease.mechanisms.records.model import SeededModel
from synthrelease.noise.entropy import SecureRandom
from synthrelease.privacy.budget import LAPLACE, Budget, calibrated
from synthrelease.privacy.deniability import is_vacuous
from synthrelease.privacy.event import Composed, DeniabilityTest, DiscreteLaplace, Event
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.privacy.sensitivity import fitted_marginals

MARGINALS, DP, PERSON = "marginals", "dp", "person"  # against "seeded", "exact" and "record"
_BLOCK = 1 << 14  # candidates made and tested at once


@dataclass(frozen=True)
class RecordsParameters:
    """The public parameters of a records output.

    Attributes:
        model: "marginals" (nothing kept of a seed) or "seeded".
        fit: "exact" or "dp".
        categories: number of categories of each attribute; the task label, if any, is the first.
        order: σ, a permutation of the attributes.
        resampled: Ω, the allowed numbers of drawn attributes.
        k: plausible seeds asked for.
        gamma: γ of the test.
        counted: what k counts, "person" or "record".
        rows: records to publish.
        trials: candidates made at most.
        task: whether the recording's label is the first attribute.
        neighbours: the neighbouring relation.
        people: n, public.
    """

    model: str
    fit: str
    categories: tuple[int, ...]
    order: tuple[int, ...]
    resampled: tuple[int, ...]
    k: int
    gamma: float
    counted: str
    rows: int
    trials: int
    task: bool
    neighbours: Neighbours
    people: int

    @property
    def tested(self) -> bool:
        """Whether the data is looked at after the fit: not when only noised marginals are sampled."""
        return not (self.model == MARGINALS and self.fit == DP)

    @property
    def vacuous(self) -> bool:
        """Whether no candidate can fail the test."""
        return is_vacuous(categories=self.categories, order=self.order, resampled=self.resampled, k=self.k)


def calibrate(parameters: RecordsParameters, budget: Budget | None) -> Event:
    """Return the event of the output; a budget is needed for the DP fit alone."""
    parts: list[Event] = []
    if parameters.fit == DP:
        assert budget is not None
        sensitivity = fitted_marginals(
            attributes=len(parameters.categories), neighbours=parameters.neighbours
        )
        parts.append(calibrated(LAPLACE, sensitivity, budget, count=sum(parameters.categories)))
    if parameters.tested:
        parts.append(DeniabilityTest(parameters.k, parameters.gamma, parameters.counted, parameters.vacuous))
    return parts[0] if len(parts) == 1 else Composed(tuple(parts))


def release(
    data: Features, parameters: RecordsParameters, budget: Budget | None, *, random: SecureRandom
) -> tuple[dict[tuple[str, ...], NDArray[np.generic]], Event]:
    """Return synthetic records that all passed the test, and with a DP fit the noised marginals.

    Args:
        data: rows of all people; rows with a missing feature are left out.
        parameters: the public parameters.
        budget: ε of the DP fit; None with an exact fit.
        random: where noise and draws come from.

    Returns:
        Arrays under (attribute, "category") and (attribute, "value"), shape (rows,), and under
        (attribute, "noised"), shape (categories,); and the event.

    Raises:
        PlanError: no row is complete, or too few candidates passed.
    """
    event = calibrate(parameters, budget)
    records, people = coded_records(data, parameters)
    counts: list[NDArray[np.int64]] = weighted_counts(records, people, parameters.categories)
    noise = event.events[0] if isinstance(event, Composed) else event
    if isinstance(noise, DiscreteLaplace):
        counts = noised_counts(counts, noise, people=parameters.people, random=random)
    model = SeededModel([marginal(c) for c in counts], parameters.order, parameters.resampled)
    if parameters.tested:
        chosen = _passing(model, records, people, parameters, random)
    else:
        blank = np.zeros((parameters.rows, len(parameters.order)), dtype=np.int64)
        chosen = model.sample(blank, random)

    values: dict[tuple[str, ...], NDArray[np.generic]] = {}
    task = parameters.task
    names = ("recording",) * task + data.features
    for a, name in enumerate(names):
        category = chosen[:, a]
        values[name, "category"] = category.astype(np.int32)
        if not (task and a == 0):
            edges = equal_width_edges(*data.limits(a - task), parameters.categories[a])
            fractions = public_fractions(name, len(category))
            values[name, "value"] = spread_within(category, edges, fractions)
        if parameters.fit == DP:
            values[name, "noised"] = counts[a]
    return values, event


def coded_records(
    data: Features, parameters: RecordsParameters
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the complete rows as category numbers, shape (N, m), and the person of each, shape (N,)."""
    task = parameters.task
    complete = ~np.isnan(data.values).any(axis=1)
    columns = [data.recording[complete]] if task else []
    for f in range(len(data.features)):
        edges = equal_width_edges(*data.limits(f), parameters.categories[f + task])
        columns.append(bin_numbers(data.values[complete, f], edges))
    return np.stack(columns, axis=1), data.person[complete]


def _passing(
    model: SeededModel,
    records: NDArray[np.int64],
    people: NDArray[np.int64],
    parameters: RecordsParameters,
    random: SecureRandom,
) -> NDArray[np.int64]:
    if not len(records):
        raise PlanError(
            "no row has a value for every feature", remedy="use fewer `features`, or complete the data"
        )
    seed_of = _SeedPicker(people, random)
    passed: list[NDArray[np.int64]] = []
    found = tried = 0
    while found < parameters.rows and tried < parameters.trials:
        size = min(_BLOCK, parameters.trials - tried)
        seeds = seed_of.pick(size)
        candidates = model.sample(records[seeds], random)
        result = deniability_test(
            model,
            candidates,
            seeds,
            records,
            people=people if parameters.counted == PERSON else None,
            k=parameters.k,
            gamma=parameters.gamma,
        )
        passed.append(candidates[result.passed])
        found += len(passed[-1])
        tried += size
    if found < parameters.rows:
        raise PlanError(
            f"fewer than {parameters.rows} records passed the deniability test in {parameters.trials} trials",
            expected=f"records with k = {parameters.k} plausible seeds, each a {parameters.counted}",
            remedy="raise `resampled`, use fewer `bins`, lower `k` or `rows`, or raise `trials`",
        )
    return np.concatenate(passed)[: parameters.rows]


class _SeedPicker:
    """Draws a person uniformly, then one of their records: long recordings do not weigh more."""

    def __init__(self, people: NDArray[np.int64], random: SecureRandom) -> None:
        self._order = np.argsort(people, kind="stable")
        _, self._start, self._size = np.unique(people[self._order], return_index=True, return_counts=True)
        self._random = random

    def pick(self, count: int) -> NDArray[np.int64]:
        """Return the rows of `count` independent seeds."""
        person = self._random.integers(len(self._start), count)
        within = (self._random.uniform(count) * self._size[person]).astype(np.int64)
        seeds: NDArray[np.int64] = self._order[self._start[person] + within]
        return seeds
