"""Records under a randomized deniability test (Test 2): a trial is one record, and a release of T trials is T of them.

Seeds and people of the model are divided the same way under both datasets, and the model's people are the same, so that the
record of one trial is guaranteed ε = ε₀ + ln(1 + γ/t) at δ = e^(−ε₀(k−t)), for every t.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import made
import numpy as np

from auditing.bound import Rates, rates
from auditing.probes import Claim
from synthrelease.data.attribute import Attribute
from synthrelease.data.features import FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.kinds.records import mechanism

if TYPE_CHECKING:
    from synthrelease.dp.noise import SecureRandom

Rows = Sequence[tuple[int, int]]  # person, and the category that is kept
KINDS = 12  # categories of what is kept
_BLOCK = 1 << 20  # records of a release


@dataclass(frozen=True, eq=False)
class SeedsProbe:
    """One person among the seeds is replaced; the statistic is whether the record is of the kind that tells.

    Attributes:
        name: of the world.
        k: plausible seeds asked for.
        epsilon0: ε₀.
        t: of the guarantee.
        seeds: how many people may be seeds.
        one: rows of the seeds under the one dataset.
        other: under the other.
        kind: the category that is likelier under the one.
        reach: which part of ε the two datasets use up.
    """

    name: str
    k: int
    epsilon0: float
    t: int
    seeds: int
    one: Rows
    other: Rows
    kind: int
    reach: float | None = None
    gamma: float = 1.1

    @property
    def claim(self) -> Claim:
        """Of one trial."""
        epsilon = self.epsilon0 + math.log1p(self.gamma / self.t)
        return Claim(epsilon, math.exp(-self.epsilon0 * (self.k - self.t)))

    def rates(self, runs: int, random: SecureRandom) -> Rates:
        """Publish so many records of either dataset."""
        total = Rates.none((0.0,))
        for start in range(0, runs, _BLOCK):
            number = min(_BLOCK, runs - start)
            sides = [
                self._told(rows, number, random.spawn(f"side {side}", str(start)))
                for side, rows in enumerate((self.one, self.other))
            ]
            total = total.plus(rates(*sides, total.thresholds))
        return total

    def _told(self, rows: Rows, runs: int, random: SecureRandom) -> Any:
        values, _ = self.released(rows, runs, random)
        return np.where(values["kept", "category"] == self.kind, 1.0, -1.0)

    def released(self, rows: Rows, trials: int, random: SecureRandom) -> Any:
        """Return the arrays of a release of so many trials, and what was drawn."""
        with _undivided(random), patch.object(mechanism, "_check_cost", lambda *_: None):
            return made.release(self._mechanism(trials), self._data(rows), Budget(500.0, 1e-9), random=random)

    def _data(self, rows: Rows) -> FeatureData:
        """The seeds first, then as many people who make the model: all of the last kind, which no seed is of."""
        whole = [*rows, *((person, KINDS - 1) for person in range(self.seeds, 2 * self.seeds))]
        person, kind = np.array(whole, dtype=np.int64).T
        return FeatureData(
            features=(),
            bounds=np.empty((0, 2)),
            recordings=("all",),
            people=2 * self.seeds,
            person=person,
            recording=np.zeros(len(person), dtype=np.int64),
            values=np.empty((len(person), 0)),
            categorical=("kept", "drawn"),
            labels=np.stack([kind, person % 2], axis=1),
        )

    def _mechanism(self, trials: int) -> mechanism.SyntheticRecords:
        kinds = tuple(f"kind {i}" for i in range(KINDS))
        return made.records(
            model="seeded",
            fit="dp",
            attributes=(Attribute("kept", KINDS, kinds), Attribute("drawn", 2, ("yes", "no"))),
            order=(0, 1),
            resampled=(1,),
            threshold="randomized",
            k=self.k,
            gamma=self.gamma,
            epsilon0=self.epsilon0,
            counted="person",
            rows=trials,
            trials=trials,
            people=2 * self.seeds,
        )


@contextmanager
def _undivided(random: SecureRandom) -> Iterator[None]:
    """Make the first people the seeds."""
    random.permutation = np.arange  # type: ignore[method-assign]
    try:
        yield
    finally:
        del random.permutation


def crowd() -> SeedsProbe:
    """Twenty people who are just enough, or nineteen who are not quite."""
    alike = [(person, 0) for person in range(20)]
    return SeedsProbe(
        "records-test-2-crowd",
        20,
        1.0,
        10,
        20,
        alike,
        [*alike[:-1], (19, 1)],
        0,
        reach=(1 + math.log(20 / 19)) / (1 + math.log1p(0.11)),
    )


def strangers() -> SeedsProbe:
    """Eight people of whom no two are alike: none of them may be published but by chance."""
    apart = [(person, person) for person in range(8)]
    return SeedsProbe("records-test-2-strangers", 8, 0.5, 1, 8, apart, [(0, 8), *apart[1:]], 0)


def owner() -> SeedsProbe:
    """One person with as many rows as people are asked for."""
    others = [(person, 1) for person in range(1, 12)]
    return SeedsProbe(
        "records-test-2-owner", 12, 1.0, 6, 12, [*[(0, 0)] * 40, *others], [*[(0, 2)] * 40, *others], 0
    )


WORLDS = (crowd, strangers, owner)
