"""People with feature series, for signals, statistics and records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from synthrelease.data.features import FeatureData
from variants.people import MANY, Person, in_turn
from variants.variant import Variant

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    from variants.people import Numbers

LIMITS = np.array([[-1.0, 3.0], [10.0, 10.5], [0.0, 1e-3], [-1e6, 1e6]])


@dataclass(frozen=True, eq=False)
class FeaturesVariant(Variant):
    features: int = 2
    recordings: int = 2
    steps: int = 32  # of the series that adversaries make

    @property
    def limits(self) -> Numbers:
        return np.resize(LIMITS, (self.features, 2))

    def data(self, people: Sequence[Person], order: int | None = None) -> FeatureData:
        person, rows = in_turn(people, order)
        low, high = self.limits.T
        values = low + (rows[:, 1:] + 1) / 2 * (high - low)
        names = tuple(f"feature {f}" for f in range(self.features))
        places = tuple(f"recording {r}" for r in range(self.recordings))
        recording = rows[:, 0].astype(np.int64)
        return FeatureData(names, self.limits, places, len(people), person, recording, values)

    def person(self, series: Numbers, name: str = "", recordings: Sequence[int] | None = None) -> Person:
        """Return one with the same series, shape (steps,) or (steps, F), in all or the given recordings."""
        columns = np.broadcast_to(
            series[:, None] if series.ndim == 1 else series, (len(series), self.features)
        )
        there = range(self.recordings) if recordings is None else recordings
        blocks = [np.column_stack([np.full(len(series), float(r)), columns]) for r in there]
        return Person(np.concatenate([np.empty((0, 1 + self.features)), *blocks]), name=name)

    def made_adversaries(self) -> list[Person]:
        n = self.steps
        t = np.arange(n)
        gaps = np.where(t % 3 == 1, 1.0, np.nan)
        series = {
            "low": -np.ones(n),
            "high": np.ones(n),
            "centre": np.zeros(n),
            "low once": -np.ones(1),
            "high once": np.ones(1),
            "far below": np.full(n, -9.0),
            "far beyond": np.full(n, 9.0),
            "alternating": np.where(t % 2, 1.0, -1.0),
            "opposite": np.where(t % 2, -1.0, 1.0),
            "up": np.where(t < n // 2, -1.0, 1.0),
            "ramp": np.linspace(-1, 1, n),
            "missing": np.full(n, np.nan),
            "gaps": gaps,
            "thousands low": -np.ones(MANY),
            "thousands high": np.ones(MANY),
            "thousands alternating": np.where(np.arange(MANY) % 2, 1.0, -1.0),
        }
        out = [self.person(one, name) for name, one in series.items()]
        out.append(self.person(np.empty(0), "absent"))
        other = np.where(np.arange(self.features) % 2, 1.0, -1.0)
        out.append(self.person(np.tile(other, (n, 1)), "features apart"))
        out.extend(self.person(np.full(n, u), f"{u} in the first", [0]) for u in (-1.0, 1.0))
        out.extend(self.person(np.full(n, u), f"{u} in the last", [self.recordings - 1]) for u in (-1.0, 1.0))
        return out

    def anyone(self, like: Person | None = None) -> SearchStrategy[Person]:  # noqa: ARG002  anyone may replace
        value = st.one_of(st.sampled_from([-1.0, 1.0, 0.0, np.nan, -1.5, 2.0]), st.floats(-1.2, 1.2))
        row = st.tuples(
            st.integers(0, self.recordings - 1), st.tuples(*[value] * self.features), st.integers(1, 40)
        )

        @st.composite
        def person(draw: DrawFn) -> Person:
            rows = [(r, *u) for r, u, times in draw(st.lists(row, max_size=12)) for _ in range(times)]
            return Person(np.array(rows, dtype=np.float64).reshape(-1, 1 + self.features))

        return person()

    def ordinary(self, count: int, seed: int = 0) -> list[Person]:
        generator = np.random.default_rng([seed, 2])
        people = []
        for _ in range(count):
            n = int(generator.integers(0, 2 * self.steps))
            rows = generator.uniform(-1.1, 1.1, (n, self.features))
            rows[generator.random(rows.shape) < 0.1] = np.nan
            people.append(Person(np.column_stack([generator.integers(0, self.recordings, n), rows])))
        return people
