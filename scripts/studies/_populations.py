"""Populations of people that are known: what synthetic people are compared with. Nothing here is private."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl
from numpy.random import Generator
from scipy.linalg import solve_discrete_lyapunov
from scipy.special import ndtr, ndtri

from synthrelease.data.features import Features
from synthrelease.dp.budget import GAUSSIAN, Budget
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.parameters import Feature, deviation_of
from synthrelease.kinds.people.design import design_for
from synthrelease.kinds.people.form import PeopleForm
from synthrelease.kinds.people.mechanism import SyntheticPeople
from synthrelease.kinds.people.public import BINS, COSINES, PEOPLE, PeopleParameters
from synthrelease.kinds.people.vectors import MISSING, Windows, dependence
from synthrelease.kinds.values import Values

DELTA = 1e-5
Array = np.ndarray

# From what the instrument can deliver, not from the data.
RANGES = {
    "pupil_l_mean_mm": (2, 8),
    "pupil_r_mean_mm": (2, 8),
    "pupil_sd_mm": (0, 1),
    "pupil_min_mm": (1, 7),
    "pupil_max_mm": (2, 9),
    "pupil_lr_diff_mm": (-1.5, 1.5),
    "openness_mean": (0, 1),
    "openness_sd": (0, 0.5),
    "blink_rate_hz": (-0.05, 1.95),
    "blink_dur_mean_s": (0, 1),
    "valid_fraction": (0.5, 1),
}
CONDITIONS = ("control", "npc", "noise", "arithmetic", "combined")
_EVERY, _CAP = 10, 16  # of overlapping windows every tenth; of a person in a condition at most so many


@dataclass(frozen=True)
class People:
    """Values, shape (people, conditions, windows, features), NaN where there is no window; and where there is one."""

    values: Array
    there: Array

    def some(self, numbers: Array) -> People:
        """Return some of them, perhaps more than once."""
        return People(self.values[numbers], self.there[numbers])


class Population(Protocol):
    """People without end, and what is public of them."""

    names: tuple[str, ...]
    conditions: tuple[str, ...]
    low: Array
    high: Array
    steps: tuple[float | None, ...]
    windows: int  # nominally, of a condition
    most_windows: int

    def draw(self, people: int, seed: int) -> People:
        """Return so many of them."""
        ...


def populations(folder: Path) -> dict[str, Population]:
    """Return population A, of the real people in a folder, and B, which is made up."""
    return {"A": Smoothed(_measured(folder)), "B": Mixed()}


def _measured(folder: Path) -> People:
    table = pl.read_csv(folder / "features_10s_0p5s.csv.gz").filter(pl.col("window") % _EVERY == 0)
    people = table["participant"].unique().sort().to_list()
    values = np.full((len(people), len(CONDITIONS), _CAP, len(RANGES)), np.nan)
    for i, person in enumerate(people):
        for c, condition in enumerate(CONDITIONS):
            here = (pl.col("participant") == person) & (pl.col("condition") == condition)
            rows = table.filter(here).sort("window").select(*RANGES).to_numpy()[:_CAP]
            values[i, c, : len(rows)] = rows
    low, high = np.array(list(RANGES.values()), dtype=float).T
    return People(np.clip(values, low, high), ~np.isnan(values[..., 0]))


class Smoothed:
    """Smoothed bootstrap of real people.

    A person has a level, slopes of conditions, and residuals of a vector autoregression with a dependence, a scale and quantiles of
    their own; marginals are those of the real people.
    """

    names, conditions = tuple(RANGES), CONDITIONS
    low, high = np.array(list(RANGES.values()), dtype=float).T
    steps = tuple(0.1 if name == "blink_rate_hz" else None for name in RANGES)
    windows, most_windows = 13, _CAP
    _smooth = 0.5

    def __init__(self, real: People) -> None:
        self._real = real
        people = len(real.values)
        count = real.there.sum(axis=(1, 2))
        weight = np.repeat(1 / count, count) / people
        scores = np.full_like(real.values, np.nan)
        self._quantiles = []
        for f in range(real.values.shape[-1]):
            values = real.values[..., f][real.there]
            order = np.argsort(values, kind="stable")
            below = np.cumsum(weight[order])
            distinct, first = np.unique(values[order], return_index=True)
            last = np.append(first[1:], len(values)) - 1
            middle = (below[last] + np.append(0, below[last[:-1]])) / 2
            inside = np.clip(middle, 1e-3, 1 - 1e-3)
            scores[..., f][real.there] = ndtri(np.interp(values, distinct, inside))
            self._quantiles.append((middle, distinct))
        self._lengths = real.there.sum(axis=2)
        levels = np.nanmean(scores, axis=2)
        self._level = levels.mean(axis=1)
        self._effect = (levels - self._level[:, None]).mean(axis=0)
        self._slope = levels - self._level[:, None] - self._effect
        self._residuals = [_Residuals(scores[i] - levels[i][:, None], real.there[i]) for i in range(people)]

    @cached_property
    def _dynamics(self) -> list[Array]:
        """Each person's matrix of the autoregression, drawn to that of all, and stable."""
        features = len(self.names)
        lagged = np.mean([one.lagged for one in self._residuals], axis=0)
        common = np.mean([one.correlation for one in self._residuals], axis=0)
        all_alike = lagged @ np.linalg.inv(common + 0.1 * np.eye(features))
        matrices = []
        for one in self._residuals:
            own = one.lagged @ np.linalg.inv(one.correlation + 0.3 * np.eye(features))
            matrix = 0.4 * own + 0.6 * all_alike + 0.25 * np.eye(features)
            matrices.append(matrix * min(1, 0.92 / np.abs(np.linalg.eigvals(matrix)).max()))
        return matrices

    def draw(self, people: int, seed: int) -> People:
        """Return so many of them."""
        random = np.random.default_rng(seed)
        real, features = len(self._level), len(self.names)
        keep, smooth = np.sqrt(1 - self._smooth**2), self._smooth
        roots = [
            np.linalg.cholesky(np.cov(values.reshape(-1, features).T) + 1e-6 * np.eye(features))
            for values in (self._level, self._slope)
        ]
        length = self._lengths[random.integers(real, size=people)]
        there = np.arange(_CAP) < length[..., None]
        like, other = random.integers(real, size=people), random.integers(real, size=people)
        centre = self._level.mean(axis=0)
        level = centre + keep * (self._level[like] - centre)
        level += smooth * random.normal(size=(people, features)) @ roots[0].T
        slope = keep * self._slope[other][:, random.permutation(len(CONDITIONS))]
        slope += smooth * random.normal(size=slope.shape) @ roots[1].T
        scale = np.exp(0.15 * random.normal(size=(people, features)))
        residual = np.empty((people, len(CONDITIONS), _CAP, features))
        for number, (one, dynamics) in enumerate(zip(self._residuals, self._dynamics, strict=True)):
            alike = np.flatnonzero(like == number)
            if alike.size:
                residual[alike] = one.draw(len(alike), dynamics, random)
        scores = level[:, None, None] + slope[:, :, None] + self._effect[None, :, None]
        scores = scores + residual * scale[:, None, None]
        values = np.empty_like(scores)
        for f, (middle, distinct) in enumerate(self._quantiles):
            values[..., f] = np.interp(ndtr(scores[..., f]), middle, distinct)
            step = self.steps[f]
            if step is not None:
                values[..., f] = np.round(values[..., f] / step) * step
        values = np.clip(values, self.low, self.high)
        values[~there] = np.nan
        return People(values, there)


class _Residuals:
    """A person's residuals about their levels: correlation, products of successive ones, quantiles."""

    def __init__(self, residual: Array, there: Array) -> None:
        rows = residual[there]
        ranks = np.argsort(np.argsort(rows, axis=0), axis=0)
        normal = ndtri((ranks + 0.5) / len(rows))
        whole = np.full(residual.shape, np.nan)
        whole[there] = normal
        features = rows.shape[1]
        earlier, later = whole[:, :-1].reshape(-1, features), whole[:, 1:].reshape(-1, features)
        both = ~np.isnan(earlier[:, 0]) & ~np.isnan(later[:, 0])
        self.correlation = 0.9 * np.corrcoef(normal.T) + 0.1 * np.eye(features)
        self.lagged = later[both].T @ earlier[both] / both.sum()
        self._quantiles = np.sort(rows, axis=0)

    def draw(self, people: int, dynamics: Array, random: Generator) -> Array:
        """Return residuals of so many people, shape (people, conditions, windows, features)."""
        innovation = self.correlation - dynamics @ self.correlation @ dynamics.T
        values, vectors = np.linalg.eigh((innovation + innovation.T) / 2)
        root = vectors * np.sqrt(np.clip(values, 0.01, None))
        stationary = solve_discrete_lyapunov(dynamics, root @ root.T)
        shape = (people, len(CONDITIONS), len(dynamics))
        here = random.normal(size=shape) @ np.linalg.cholesky(stationary).T
        normal = np.empty((people, len(CONDITIONS), _CAP, len(dynamics)))
        for t in range(_CAP):
            normal[:, :, t] = here / np.sqrt(np.diag(stationary))
            here = here @ dynamics.T + random.normal(size=shape) @ root.T
        places = (np.arange(len(self._quantiles)) + 0.5) / len(self._quantiles)
        for f in range(len(dynamics)):
            normal[..., f] = np.interp(ndtr(normal[..., f]), places, self._quantiles[:, f])
        return normal


class Mixed:
    """Three kinds of people, heavy tails, zero-inflated, discrete and bimodal features."""

    conditions = ("rest", "easy", "hard")
    names = tuple(f"b{f}" for f in range(14))
    low = np.array([-8.0] * 5 + [0.0] * 5 + [-0.5] * 2 + [-0.125, -6.0])
    high = np.array([8.0] * 5 + [12.0] * 3 + [6.0] * 2 + [11.5] * 2 + [1.125, 6.0])
    steps = (*[None] * 10, 1.0, 1.0, 0.25, None)
    windows, most_windows = 14, 20

    def __init__(self, seed: int = 7) -> None:
        random = np.random.default_rng(seed)
        features = len(self.names)
        self._mean = random.normal(0, 0.9, (3, features)) * np.array([[0.4], [1], [1]])
        self._between = [random.normal(0, 0.6, (features, 3)) for _ in range(3)]
        self._within = [random.normal(0, 0.5, (features, 2)) for _ in range(3)]
        self._effect = np.zeros((3, 3, features))
        self._effect[0, 1:, :7] = random.normal(0, 0.5, (2, 7))

    def draw(self, people: int, seed: int) -> People:
        """Return so many of them."""
        random = np.random.default_rng(seed)
        features, conditions, windows = len(self.names), len(self.conditions), self.most_windows
        kind = random.choice(3, size=people, p=[0.5, 0.3, 0.2])
        level, residual = (
            np.empty((people, features)),
            np.empty((people, conditions, windows, features)),
        )
        persistence = random.uniform(0.0, 0.95, people)
        scale = np.exp(0.4 * random.normal(size=people))
        for number in range(3):
            mine = np.flatnonzero(kind == number)
            heavy = np.sqrt(3 / random.chisquare(3, len(mine)))[:, None] * 0.7
            factors = random.normal(size=(len(mine), 3)) @ self._between[number].T
            own = 0.5 * random.normal(size=(len(mine), features))
            level[mine] = self._mean[number] + heavy * (factors + own)
            loadings, shape = self._within[number], (len(mine), conditions)

            def innovation(shape: tuple[int, int] = shape, loadings: Array = loadings) -> Array:
                common = random.normal(size=(*shape, 2)) @ loadings.T
                return np.asarray(common + 0.6 * random.standard_t(4, size=(*shape, features)) / 1.41)

            here, stays = innovation(), persistence[mine][:, None, None]
            for t in range(windows):
                residual[mine, :, t] = here * scale[mine][:, None, None]
                here = stays * here + np.sqrt(1 - stays**2) * innovation()
        scores = level[:, None, None] + residual + self._effect[kind][:, :, None]
        values = self._shown(scores)
        there = np.arange(windows) < random.integers(8, windows + 1, size=(people, conditions))[..., None]
        values[~there] = np.nan
        return People(values, there)

    def _shown(self, scores: Array) -> Array:
        values = scores.copy()
        values[..., 5:8] = np.exp(0.6 * scores[..., 5:8])
        values[..., 8:10] = np.clip(scores[..., 8:10], 0, None)
        values[..., 10:12] = np.round(np.clip(np.exp(0.5 * scores[..., 10:12] + 0.5), 0, 11))
        values[..., 12] = np.round(4 * ndtr(scores[..., 12])) / 4
        values[..., 13] = scores[..., 13] + np.where(scores[..., 13] > 0, 1.5, -1.5)
        return np.clip(values, self.low, self.high)


@dataclass(frozen=True)
class Released:
    """What was released of some people."""

    values: Values
    parameters: PeopleParameters
    density: Array

    @property
    def people(self) -> People:
        """The synthetic ones."""
        values = self.values.array(PEOPLE).astype(float)
        return People(values, np.ones(values.shape[:3], dtype=bool))

    def coverage(self, population: Population) -> float:
        """Return the share of intervals of contrasts that hold those of 6000 people of the population, by the released scores."""
        p = self.parameters
        levels, windows = _levels(population.draw(6000, 1), p)
        scores = np.stack(
            [scale.score_table(self.density[f])[levels[:, f]] for f, scale in enumerate(p.scales)],
            axis=1,
        )
        present = levels != MISSING
        scores[~present] = 0
        mean = dependence(windows, scores, present, p.form).mean(axis=0)
        exact = mean[p.form.places["contrasts"]].reshape(p.form.conditions - 1, -1)
        truth = p.form.differences @ exact
        interval = self.values.array("contrasts/interval")
        return float(((interval[..., 0] <= truth) & (truth <= interval[..., 1])).mean())


def mechanism_of(
    population: Population, people: int, *, epsilon: float, seed: int, drawn: int
) -> SyntheticPeople:
    """Return the mechanism for so many people of a population."""
    features = tuple(
        Feature(name, float(low), float(high))
        for name, low, high in zip(population.names, population.low, population.high, strict=True)
    )
    form = PeopleForm(len(features), len(population.conditions), COSINES, BINS)
    parameters = PeopleParameters(
        name="rounds",
        people=people,
        names="listed",
        features=features,
        lattice=population.steps,
        recordings=population.conditions,
        windows=population.windows,
        max_windows=population.most_windows,
        synthetic_people=drawn,
        sampling_seed=seed,
        design=design_for(form, windows=population.windows, people=people, mu=1.0),
    )
    mechanism = SyntheticPeople(parameters=parameters, neighbours=Neighbours.REPLACE_ONE, noise=GAUSSIAN)
    return mechanism.for_budget(Budget(epsilon, DELTA))


def released(population: Population, sample: People, *, epsilon: float, seed: int, drawn: int) -> Released:
    """Return a release of some people of a population, with noise of a seed."""
    people = len(sample.values)
    mechanism = mechanism_of(population, people, epsilon=epsilon, seed=seed, drawn=drawn)
    rows = sample.there
    person, condition, _ = np.nonzero(rows)
    bounds = np.stack([population.low, population.high], axis=1)
    data = Features(
        population.names, bounds, population.conditions, people, person, condition, sample.values[rows]
    )
    release = mechanism.draw(mechanism.collect(data), Budget(epsilon, DELTA), SecureRandom.for_tests(seed))
    p = release.parameters
    density = p.rounds(deviation_of(release.event)).marginals(
        release.arrays["noisy/coarse"], release.arrays["noisy/fine"]
    )
    return Released(Values(p, release.event, release.arrays), p, density.density)


def _levels(people: People, p: PeopleParameters) -> tuple[Array, Windows]:
    person, condition, _ = np.nonzero(people.there)
    rows = people.values[people.there]
    levels = np.stack([scale.levels(rows[:, f]) for f, scale in enumerate(p.scales)], axis=1)
    return levels, Windows(person, condition, len(people.values))
