"""Statistics of the IER 2023 pupil features: how far releases are from the exact ones (docs/evidence/utility.md).

24 people under five conditions; more people by drawing people with replacement. The truth is the exact statistic of
the people drawn. Error: root mean square over draws, groups and features, as a share of the bounds' width; of
quantiles too, where the interval's own width is in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import made
import numpy as np
from numpy.typing import NDArray

from studies import _ier2023 as ier2023
from studies._ier2023 import CONDITIONS, features
from synthrelease.data.features import RECORDING, FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom

NAMES = ("pupil_l_mean_mm", "pupil_sd_mm", "openness_mean", "blink_rate_hz")
BOUNDS = {name: ier2023.BOUNDS[name] for name in NAMES}
PEOPLE, DRAWS, EPSILON, DELTA = (24, 100, 300, 1000, 3000), 20, 1.0, 1e-5


@dataclass(frozen=True)
class Way:
    """One release: names of statistics, features, whether by condition, noise."""

    told: str
    names: tuple[str, ...]
    features: int
    grouped: bool
    noise: str = "laplace"

    def error(self, data: FeatureData, people: int, random: SecureRandom) -> dict[str, float]:
        """Return the root-mean-square error of each of its statistics, as a share of the bounds."""
        chosen = data.only(list(BOUNDS)[: self.features])
        groups = CONDITIONS if self.grouped else ()
        mechanism = made.statistics(
            self.names,
            of=chosen,
            people=people,
            noise=self.noise,
            by=RECORDING if self.grouped else None,
            groups=groups,
            max_groups=len(groups) or 1,
        )
        values, _ = made.release(mechanism, chosen, Budget(EPSILON, DELTA), random=random)
        squared: dict[str, list[float]] = {name: [] for name in self.names}
        for name in self.names:
            for f, feature in enumerate(chosen.features):
                for group in groups or (None,):
                    own = means(chosen, f, group)
                    low, high = BOUNDS[feature]
                    labels = (feature,) if group is None else (group, feature)
                    got = float(values[name, *labels, "value"][0])
                    squared[name].append(((got - truth(name, own)) / (high - low)) ** 2)
        return {name: float(np.mean(all_)) for name, all_ in squared.items()}


WAYS = (
    Way("1 feature", ("mean",), 1, grouped=False),
    Way("1 feature", ("quantile:0.5",), 1, grouped=False),
    Way("1 feature", ("quantile:0.1",), 1, grouped=False),
    Way("1 feature, 5 conditions", ("mean",), 1, grouped=True),
    Way("… gaussian", ("mean",), 1, grouped=True, noise="gaussian"),
    Way("1 feature, 5 conditions", ("quantile:0.5",), 1, grouped=True),
    Way("4 features, 5 conditions", ("mean",), 4, grouped=True),
    Way("… gaussian", ("mean",), 4, grouped=True, noise="gaussian"),
    Way("4 features, 5 conditions", ("quantile:0.5",), 4, grouped=True),
)


def means(data: FeatureData, feature: int, group: str | None) -> NDArray[np.float64]:
    """Return the exact mean of everyone with a value."""
    there = ~np.isnan(data.values[:, feature])
    if group is not None:
        there &= data.recording == CONDITIONS.index(group)
    who, own = np.unique(data.person[there], return_inverse=True)
    return np.bincount(own, data.values[there, feature]) / np.bincount(own, minlength=len(who))


def truth(name: str, own: NDArray[np.float64]) -> float:
    """Return the exact statistic of people's means."""
    if name.startswith("quantile:"):
        return float(np.quantile(own, float(name.removeprefix("quantile:"))))
    return float(own.mean())


def drawn(data: FeatureData, people: int, seed: int) -> FeatureData:
    """Return so many people, drawn with replacement; all of them once if there are as many."""
    own = np.arange(data.people)
    chosen = (
        own if people == data.people else np.random.default_rng([people, seed]).choice(data.people, people)
    )
    rows = [np.flatnonzero(data.person == person) for person in range(data.people)]
    row = np.concatenate([rows[person] for person in chosen])
    person = np.repeat(np.arange(people), [len(rows[person]) for person in chosen])
    return replace(
        data,
        people=people,
        person=person,
        recording=data.recording[row],
        values=data.values[row],
        labels=data.labels[row] if data.labels.size else data.labels,
    )


def run(data: Path) -> None:
    """Print the table as Markdown."""
    loaded = features(data, BOUNDS)
    # One row in ten of windows that overlap by 95 %: a person's mean is hardly another.
    kept = np.arange(0, len(loaded.person), 10)
    loaded = replace(
        loaded,
        person=loaded.person[kept],
        recording=loaded.recording[kept],
        values=loaded.values[kept],
        labels=np.zeros((kept.size, 0), dtype=np.int64),
    )
    random = SecureRandom.for_tests(2026)
    print("| error, % of the bounds | statistic |" + "".join(f" n = {n} |" for n in PEOPLE))
    print("|---|---|" + "---|" * len(PEOPLE))
    for way in WAYS:
        cells = []
        for n in PEOPLE:
            squared = [way.error(drawn(loaded, n, seed), n, random) for seed in range(DRAWS)]
            cells.append({name: 100 * np.sqrt(np.mean([s[name] for s in squared])) for name in way.names})
        for name in way.names:
            row = " | ".join(f"{cell[name]:.2g}" for cell in cells)
            print(f"| {way.told} | {name} | {row} |")
