"""Invented populations with known means, and samples of them as the mechanisms add them up (`studies.inference`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease import Screen, arrays
from synthrelease.arrays import ArrayRelease
from synthrelease.dp.event import DiscreteLaplace, noise_of
from synthrelease.kinds.heatmap.public import SpectralParameters
from synthrelease.kinds.registry import parameters_of
from synthrelease.kinds.signals.public import CoefficientParameters, SpectralSignalParameters
from synthrelease.numerics.ball import clip_to_ball
from synthrelease.numerics.spectral import CONSTANT_STEPS, RADIUS
from synthrelease.numerics.spectrum import WEIGHT, point_coefficients, positions
from synthrelease.numerics.statistics import squares
from synthrelease.numerics.steps import HALF_RANGE, to_steps

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]

DELTA = 1e-5
POOL = 4000  # people of a population
PUPIL = (1.5, 8.0)  # mm
H = HALF_RANGE


@dataclass(frozen=True)
class Draw:
    """Integers of one sample, or of two, noisy, by path, and the exact value of the participants."""

    samples: tuple[dict[str, Integers], ...]
    participants: float


def noisy(sums: Integers, release: ArrayRelease, random: np.random.Generator) -> Integers:
    """Return integers with fresh noise of the release's law."""
    noise = noise_of(release.event)
    assert noise is not None
    if isinstance(noise, DiscreteLaplace):
        p = -np.expm1(-1 / noise.scale)
        return sums + random.geometric(p, sums.shape) - random.geometric(p, sums.shape)
    return sums + np.rint(random.normal(0, noise.scale, sums.shape)).astype(np.int64)


class Means:
    """The mean of a feature: normal values, a few of them clipped."""

    name = "mean"

    def __init__(
        self,
        *,
        neighbours: str = "replace-one",
        groups: int = 1,
        statistics: tuple[str, ...] = ("mean", "variance"),
    ) -> None:
        random = np.random.default_rng(1)
        self.neighbours, self.groups, self.statistics = neighbours, groups, statistics
        values = [np.clip(random.normal(3.4 + 0.5 * g, 0.6, POOL), *PUPIL) for g in range(groups)]
        self.steps = [to_steps(one[:, None], np.array([PUPIL]))[:, 0] for one in values]
        self.unit = (PUPIL[1] - PUPIL[0]) / (2 * H)
        self.exact = [sum(PUPIL) / 2 + self.unit * one.mean() for one in self.steps]
        self.deviation = [self.unit * float(one.std()) for one in self.steps]

    def release(self, people: int, epsilon: float) -> ArrayRelease:
        """Return a release whose integers are to be replaced: its parameters and noise are what counts."""
        labels = (
            {"labels": {"task": np.arange(people) % self.groups}, "by": "task"} if self.groups > 1 else {}
        )
        if labels:
            labels["labels"] = {"task": np.array(["a", "b"])[np.arange(people) % 2]}
            labels |= {"categories": {"task": ["a", "b"]}, "max_groups_per_person": 1}
        return arrays.statistics(
            person=np.arange(people),
            values={"pupil": np.full(people, 3.0)},
            bounds={"pupil": PUPIL},
            statistics=list(self.statistics),
            epsilon=epsilon,
            neighbours=self.neighbours,
            **labels,
        )

    def draws(self, release: ArrayRelease, people: int, random: np.random.Generator) -> Iterator[Draw]:
        """Yield samples of the population, with the release's noise."""
        shape = {path: release.values[path].shape for path in release.values if path.endswith("noisy")}
        while True:
            totals, own = {path: np.zeros(size, dtype=np.int64) for path, size in shape.items()}, []
            for g in range(self.groups):
                m = random.choice(self.steps[g], people // self.groups)
                own.append(sum(PUPIL) / 2 + self.unit * m.mean())
                place = (g, 0) if self.groups > 1 else (0,)
                for path, total in totals.items():
                    every = (
                        [m, np.full_like(m, H), squares(m)]
                        if path.startswith("variance")
                        else [m, np.full_like(m, H)]
                    )
                    total[place] = np.array([one.sum() for one in every])[: total.shape[-1]]
            exact = own[0] if self.groups == 1 else own[1] - own[0]
            yield Draw(
                ({path: noisy(total, release, random) for path, total in totals.items()},), float(exact)
            )


class TwoReleases(Means):
    """Two releases of different people of one population."""

    def draws(self, release: ArrayRelease, people: int, random: np.random.Generator) -> Iterator[Draw]:
        """Yield two samples of the population, with the release's noise."""
        for one, other in zip(
            super().draws(release, people, random), super().draws(release, people, random), strict=True
        ):
            yield Draw((*one.samples, *other.samples), one.participants - other.participants)


class Shares:
    """Proportions of looking at four areas, of participants who prefer one of them each."""

    def __init__(self, *, viewers_public: bool) -> None:
        random = np.random.default_rng(2)
        self.viewers_public = viewers_public
        shares = random.dirichlet([1.2, 0.8, 0.5, 1.5], POOL)
        self.integers = np.floor(shares * H).astype(np.int64)
        self.integers[:, 3] += H - self.integers.sum(axis=1)
        self.shares = self.integers / H

    def release(self, people: int, epsilon: float) -> ArrayRelease:
        """Return a release whose integers are to be replaced: its parameters and noise are what counts."""
        areas = {name: {"rectangle": [x, 0, x + 200, 600]} for name, x in (("a", 0), ("b", 200), ("c", 400))}
        return arrays.areas(
            person=np.arange(people),
            stimulus=["s"] * people,
            x_px=np.full(people, 300.0),
            y_px=np.full(people, 300.0),
            screen=Screen(800, 600),
            stimuli=["s"],
            areas=areas,
            epsilon=epsilon,
            assignment_public=self.viewers_public,
        )

    def draws(self, release: ArrayRelease, people: int, random: np.random.Generator) -> Iterator[Draw]:
        """Yield samples of the population, with the release's noise."""
        while True:
            who = random.integers(0, POOL, people)
            total = self.integers[who].sum(axis=0)[None]
            yield Draw(({"dwell/noisy": noisy(total, release, random)},), float(self.shares[who, 0].mean()))


class Maps:
    """A spectral heatmap: participants with a few fixations around three places. What is asked about has so many times the blur."""

    blur_px, cell = 60.0, (14, 12)

    def __init__(self, times: float = 1.0) -> None:
        self.times = times
        random = np.random.default_rng(3)
        self.release(20, 1.0)
        p = parameters_of({"kind": "heatmap", "mechanism": self.release(20, 1.0).mechanism})
        assert isinstance(p, SpectralParameters)
        self.form = p.form
        centres, looks = np.array([[0.35, 0.3], [0.55, 0.6], [0.5, 0.8]]), 12
        coefficients = []
        for _ in range(POOL):
            weights = random.dirichlet([1.0, 1.0, 0.6])
            which = random.choice(3, looks, p=weights)
            places = np.clip(centres[which] + random.normal(0, 0.08, (looks, 2)), 0.001, 0.999)
            share = np.full(looks, WEIGHT // looks, dtype=np.int64)
            share[0] += (WEIGHT) - share.sum()
            coefficients.append(point_coefficients(positions(places.T), share, self.form.band))
        in_steps = np.trunc(np.array(coefficients) * self.form.steps()).astype(np.int64)
        self.integers = clip_to_ball(in_steps, RADIUS, None)
        self.waves = self._waves()
        self.left = self.integers[:, 0] / CONSTANT_STEPS

    def _waves(self) -> Numbers:
        """What the coefficients of a map are multiplied by at the cell, shape (K,)."""
        band, tables = self.form.band, []
        for axis, (middles, place) in enumerate(zip(self.form.places(), self.cell, strict=True)):
            k = band.frequencies[axis]
            tables.append(np.where(k == 0, 1.0, np.sqrt(2) * np.cos(np.pi * k * middles[place])))
        return np.prod(tables, axis=0) * band.attenuation**self.times**2 / self.form.steps()

    def value(self, sums: Numbers) -> float:
        """Return the exact map at the cell, of sums of integers."""
        return float(1 + self.waves[1:] @ sums[1:] / (sums[0] / CONSTANT_STEPS))

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of participants' own maps at the cell, weighted as they count."""
        own = 1 + self.integers[:, 1:] @ self.waves[1:] / self.left
        exact = self.value(self.integers.sum(axis=0))
        return float(np.sqrt((self.left**2 * (own - exact) ** 2).mean() / self.left.mean() ** 2))

    def release(self, people: int, epsilon: float) -> ArrayRelease:
        """Return a release whose integers are to be replaced: its parameters and noise are what counts."""
        return arrays.heatmaps(
            person=np.arange(people),
            stimulus=["s"] * people,
            x_px=np.full(people, 300.0),
            y_px=np.full(people, 300.0),
            screen=Screen(800, 600),
            stimuli=["s"],
            epsilon=epsilon,
            delta=DELTA,
            blur_px=self.blur_px,
            assignment_public=True,
        )

    def draws(self, release: ArrayRelease, people: int, random: np.random.Generator) -> Iterator[Draw]:
        """Yield samples of the population, with the release's noise."""
        while True:
            sums = self.integers[random.integers(0, POOL, people)].sum(axis=0)
            yield Draw(({"noisy": noisy(sums[None], release, random)},), self.value(sums))


class Curves:
    """A mean signal: participants differ in level, slope and a wave."""

    length, step = 60, 20

    def __init__(self, mechanism: str, **options: Any) -> None:
        random = np.random.default_rng(4)
        self.mechanism, self.options = mechanism, options
        t = np.linspace(0, 1, self.length)
        level, slope, wave = random.normal(0, 0.35, (3, POOL, 1))
        series = 3.5 + level + (0.4 + slope) * t + (0.3 + wave) * np.sin(2 * np.pi * t)
        steps = to_steps(np.clip(series, *PUPIL)[..., None], np.array([PUPIL]))[..., 0]
        release = self.release(20, 1.0)
        p = parameters_of({"kind": "signals", "mechanism": release.mechanism})
        assert isinstance(p, CoefficientParameters | SpectralSignalParameters)
        self.form: Any = p.form
        self.integers = self.form.integers(steps)
        if mechanism == "spectral":
            self.integers = clip_to_ball(self.integers, RADIUS)
        self.centre, self.half = sum(PUPIL) / 2, (PUPIL[1] - PUPIL[0]) / 2

    def values(self, sums: Integers, people: int) -> Numbers:
        """Return the exact value at the step, of sums of integers, shape (…, K)."""
        if self.mechanism != "spectral":
            return self.centre + self.half / H * self.form.series(sums)[..., self.step] / people
        row = self.form.rows()[:, self.step] / self.form.weights()
        return self.centre + self.half * (sums[..., 1:] @ row) / (sums[..., 0] / self.form.constant)

    @property
    def exact(self) -> float:
        """The population's mean at the step."""
        return float(self.values(self.integers.sum(axis=0), POOL))

    @property
    def deviation(self) -> float:
        """The standard deviation of participants' own values there, weighted as they count."""
        own = self.values(self.integers, 1)
        left = self.integers[:, 0] if self.mechanism == "spectral" else np.ones(POOL)
        return float(np.sqrt((left**2 * (own - self.exact) ** 2).mean() / left.mean() ** 2))

    def release(self, people: int, epsilon: float) -> ArrayRelease:
        """Return a release whose integers are to be replaced: its parameters and noise are what counts."""
        return arrays.mean_signals(
            person=np.repeat(np.arange(people), self.length),
            values={"pupil": np.full(people * self.length, 3.0)},
            bounds={"pupil": PUPIL},
            length=self.length,
            epsilon=epsilon,
            mechanism=self.mechanism,
            **self.options,
        )

    def draws(self, release: ArrayRelease, people: int, random: np.random.Generator) -> Iterator[Draw]:
        """Yield samples of the population, with the release's noise."""
        while True:
            sums = self.integers[random.integers(0, POOL, people)].sum(axis=0)
            exact = float(self.values(sums, people))
            yield Draw(({"noisy": noisy(sums[None, None], release, random)},), exact)
