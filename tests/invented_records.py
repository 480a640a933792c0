"""Invented people with records, the parameters to release them by, and what the tests of both share."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import made
import numpy as np
import pytest
from goldens import figures
from numpy.typing import NDArray
from scipy.stats import chisquare
from wanted import Records as Wanted

from synthrelease.data.attribute import Attribute
from synthrelease.data.features import FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.contributions import Rows, Sums
from synthrelease.kinds.mechanism import Drawn
from synthrelease.kinds.records import candidates
from synthrelease.kinds.records import mechanism as module
from synthrelease.kinds.records.deniability import SeedSet
from synthrelease.kinds.records.model import SeededModel

Integers = NDArray[np.int64]

ALARM = 1e-9
BOUNDS = np.array([[0.0, 1.0], [2.0, 8.0], [-1.0, 1.0]])
NAMES = ("a", "b", "c")
RECORDING = Attribute("recording", 2, ("task 0", "task 1"))
GROUP = Attribute("group", 3, ("x", "y", "z"))
BUDGET = Budget(epsilon=2.0, delta=1e-3)


def seeded(number: int = 0) -> SecureRandom:
    return SecureRandom.for_tests(number)


def p_of(observed: Sequence[int] | Integers, expected: Sequence[float] | NDArray[np.float64]) -> float:
    """The χ² test's p-value; categories of probability zero must not occur at all."""
    observed, expected = np.asarray(observed, dtype=float), np.asarray(expected, dtype=float)
    assert not observed[expected == 0].any()
    there = expected > 0
    if there.sum() == 1:
        return 1.0
    return float(chisquare(observed[there], expected[there] / expected[there].sum() * observed.sum()).pvalue)


def exact_probability(model: SeededModel, y: Sequence[int], d: Sequence[int]) -> Fraction:
    """Pr{y = M(d)} as the definition has it."""
    total = Fraction(0)
    for omega in model.resampled:
        kept, drawn = model.order[: len(y) - omega], model.order[len(y) - omega :]
        if all(y[a] == d[a] for a in kept):
            product = Fraction(1, len(model.resampled))
            for a in drawn:
                product *= Fraction(float(model.marginals[a][(*(y[b] for b in model.parents[a]), y[a])]))
            total += product
    return total


@functools.cache
def interval(p: Fraction, gamma: Fraction) -> int | None:
    """The only i ≥ 0 with γ^(−i−1) < p ≤ γ^(−i); None where p = 0."""
    return None if p == 0 else next(i for i in itertools.count() if gamma ** (-i - 1) < p <= gamma**-i)


def plausible_records(
    model: SeededModel, y: Sequence[int], seed: int, records: Integers, gamma: float
) -> int:
    """k′ by the definition: how many records might as well have been the seed."""
    of_record = [interval(exact_probability(model, y, d), Fraction(gamma)) for d in records.tolist()]
    return sum(i is not None and i == of_record[seed] for i in of_record)


def binned(*bins: int, missing: bool = False) -> tuple[Attribute, ...]:
    """The first features, with so many bins each."""
    return tuple(
        Attribute(name, size + missing, None, float(low), float(high), missing)
        for name, size, (low, high) in zip(NAMES, bins, BOUNDS, strict=False)
    )


MARGINALS_MODEL = {"model": "marginals", "resampled": (3,)}
TASK = {
    "task": True,
    "attributes": (RECORDING, *binned(4, 4, 4)),
    "order": (0, 2, 1, 3),
    "resampled": (1, 3),
}
LABELLED = {
    "attributes": (*binned(4, 4), GROUP),
    "order": (1, 2, 0),
}


def told(changed: dict[str, Any]) -> str:
    """A name for a case: which parameters are not the usual ones."""
    return ", ".join(changed) or "usual"


def study(rows_of: Sequence[int], *, seed: int = 0, recordings: int = 1) -> FeatureData:
    """People with the given numbers of rows: correlated features on a coarse lattice inside their bounds, and a group."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(len(rows_of)), rows_of)
    level = rng.integers(0, 3, len(rows_of))[person]
    places = np.stack([(level + rng.integers(0, 2, person.size) * j) % 4 for j in range(3)], axis=1)
    values = BOUNDS[:, 0] + (places + 0.5) / 4 * (BOUNDS[:, 1] - BOUNDS[:, 0])
    order = rng.permutation(person.size)
    return FeatureData(
        features=NAMES,
        bounds=BOUNDS,
        recordings=tuple(f"task {r}" for r in range(recordings)),
        people=len(rows_of),
        person=person[order],
        recording=(np.arange(person.size) % recordings)[order],
        values=values[order],
        categorical=("group",),
        labels=((level + rng.integers(0, 2, person.size)) % 3)[order, None],
    )


@dataclass(frozen=True)
class Passing:
    """How a test went, as the notes for the curator say."""

    trials: int
    passed: int
    copies: int | None


def release(
    data: FeatureData, wanted: Wanted, budget: Budget | None, *, random: SecureRandom
) -> tuple[dict[tuple[str, ...], NDArray[Any]], Event, Passing]:
    values, drawn = made.release(wanted.mechanism, data, budget, random=random)
    return values, drawn.event, passing_of(drawn, wanted)


def passing_of(drawn: Drawn, wanted: Wanted) -> Passing:
    if not drawn.notes:  # no one's records were looked at
        return Passing(wanted.rows, wanted.rows, None)
    (copies, _), (passed, trials) = (map(int, figures(note)[:2]) for note in drawn.notes)
    return Passing(trials, passed, copies)


def calibrate(wanted: Wanted, budget: Budget | None) -> Event:
    return wanted.mechanism.calibrate(budget)


def collect(data: FeatureData, wanted: Wanted) -> Rows | Sums:
    return wanted.mechanism.collect(data)


def coded_records(data: FeatureData, wanted: Wanted) -> tuple[Integers, Integers]:
    return module.coded_records(data, wanted.parameters)


def parameters(**changed: Any) -> Wanted:
    usual = Wanted(
        model="seeded",
        fit="exact",
        attributes=binned(4, 4, 4),
        order=(1, 0, 2),
        resampled=(1, 2),
        k=3,
        gamma=4.0,
        counted="person",
        rows=120,
        trials=20_000,
        neighbours=Neighbours.REPLACE_ONE,
        people=12,
    )
    return replace(usual, **changed)


def categories_of(values: dict[tuple[str, ...], NDArray[Any]], names: Sequence[str] = NAMES) -> Integers:
    return np.stack([values[name, "category"] for name in names], axis=1).astype(np.int64)


class Spy:
    """Watches the sets of seeds that a release tests with: what they were made of, asked, and answered."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sets: list[SimpleNamespace] = []
        self.calls: list[SimpleNamespace] = []
        spy = self

        class Watched(SeedSet):
            def __init__(self, model: SeededModel, records: Integers, people: Integers | None = None) -> None:
                super().__init__(model, records, people)
                self._entered = records
                spy.sets.append(SimpleNamespace(model=model, records=records, people=people))

            def plausible(self, candidates: Integers, seed_rows: Integers, *, gamma: float) -> Integers:
                found = super().plausible(candidates, seed_rows, gamma=gamma)
                asked = {"candidates": candidates.copy(), "seeds": seed_rows.copy(), "gamma": gamma}
                spy.calls.append(SimpleNamespace(**asked, records=self._entered, plausible=found))
                return found

        monkeypatch.setattr(candidates, "SeedSet", Watched)

    def all(self, name: str) -> Integers:
        return np.concatenate([getattr(call, name) for call in self.calls])
