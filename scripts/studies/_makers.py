"""Ways to make a release of the IER windows: as it is, k-same-select, and models of records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import made
import numpy as np
from numpy.typing import NDArray

from studies._ier2023 import BOUNDS, CONDITIONS, Limits
from synthrelease.data.attribute import Attribute
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import noise_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks import Windows, k_same_select
from synthrelease.evaluation.records.releases import owned_records
from synthrelease.evaluation.records.rows import NO_ONE
from synthrelease.kinds.records.candidates import NO_ROW
from synthrelease.kinds.records.prepare import default_bins

K, GAMMA, DRAWN = 8, 4.0, (8, 9)
RECORDS = 4000  # of a fit
EPSILON, DELTA = 3.0, 1e-6

Release = Callable[[Windows, SecureRandom], Windows]


def as_it_is(rows: Windows, random: SecureRandom) -> Windows:  # noqa: ARG001  as all releases
    """No protection."""
    return rows


def noise(rows: Windows, random: SecureRandom) -> Windows:
    """Uniform between the bounds: nothing of anyone."""
    limits = np.array(list(BOUNDS.values()))
    uniform = random.uniform(rows.values.size).reshape(rows.values.shape)
    return Windows(limits[:, 0] + uniform * np.diff(limits, axis=1).T, rows.people, rows.recordings)


def k_same(k: int, rows: Windows, random: SecureRandom) -> Windows:
    """k-same-select."""
    return k_same_select(rows, k, random=random)


@dataclass(frozen=True)
class Maker:
    """A way to make synthetic records."""

    name: str
    model: str
    dependence: str
    fit: str = "exact"
    noise: str = "gaussian"
    people: int | None = None  # resampled to so many
    records: int = RECORDS

    def __call__(self, rows: Windows, random: SecureRandom, limits: Limits = BOUNDS) -> Windows:
        """Return synthetic records, each with the person of its seed, `NO_ONE` without."""
        return self.make(rows, random, limits)[0]

    def make(self, rows: Windows, random: SecureRandom, limits: Limits = BOUNDS) -> tuple[Windows, float]:
        """Return the same, and the share of candidates that pass the test."""
        if self.people is not None:
            rows = _resampled(rows, self.people)
        who, person = np.unique(rows.people, return_inverse=True)
        bins = default_bins(len(who))
        attributes = (
            Attribute("condition", len(CONDITIONS), CONDITIONS),
            *(Attribute(name, bins, None, low, high) for name, (low, high) in limits.items()),
        )
        m = len(attributes)
        mechanism = made.records(
            model=self.model,
            fit=self.fit,
            noise=self.noise,
            attributes=attributes,
            dependence=self.dependence,
            task=True,
            per_task=True,
            resampled=(m,) if self.model == "marginals" else DRAWN,
            k=K,
            gamma=GAMMA,
            counted="person",
            rows=self.records,
            trials=1000 * self.records,
            people=len(who),
        )
        columns = [rows.recordings, *rows.values.T]
        coded = np.stack([a.encoded(c) for a, c in zip(attributes, columns, strict=True)], axis=1)
        event = mechanism.calibrate(Budget(EPSILON, DELTA) if self.fit == "dp" else None)
        drawn = owned_records(coded, person, mechanism, noise_of(event), random=random)
        whose = np.where(drawn.seeds == NO_ROW, NO_ONE, who[person[drawn.seeds]])
        return _decoded(drawn.records, attributes, whose), drawn.passed / drawn.trials


MAKERS = (
    Maker("marginals, independent", "marginals", "independent"),
    Maker("marginals, tree", "marginals", "tree"),
    Maker("seeded, independent", "seeded", "independent"),
    Maker("seeded, tree", "seeded", "tree"),
    Maker(f"marginals, independent, DP ε = {EPSILON:g}", "marginals", "independent", "dp"),
    Maker(f"marginals, tree, DP ε = {EPSILON:g}", "marginals", "tree", "dp"),
)


def _resampled(rows: Windows, people: int) -> Windows:
    """So many people, drawn with replacement; every draw is a person of their own. At most 20 windows of each."""
    rng = np.random.default_rng(people)
    drawn = rng.choice(rows.names, people)
    own = [rng.permutation(np.flatnonzero(rows.people == p))[:20] for p in drawn]
    who = np.repeat(np.arange(people), [len(part) for part in own])
    at = np.concatenate(own)
    return Windows(rows.values[at], who, rows.recordings[at])


def _decoded(
    chosen: NDArray[np.int64], attributes: tuple[Attribute, ...], people: NDArray[np.int64]
) -> Windows:
    values = np.stack([a.values(chosen[:, j]) for j, a in enumerate(attributes) if a.labels is None], axis=1)
    return Windows(values, people, chosen[:, 0].astype(np.int64))
