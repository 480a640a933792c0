"""Noised heatmaps of a crowd, one strategy a curve, and what they are worth (Liu et al. 2019, Figure 3 and section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reproductions._liu2019_cap import best_cap, expected_mse
from synthrelease.dp.calibration import gaussian_sigma, laplace_scale, liu2019_sigma
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.noise import SecureRandom, discrete_laplace, rounded_gaussian
from synthrelease.dp.sensitivity import Sensitivity, gaze_maps
from synthrelease.evaluation.metrics import correlation, kl_divergence, mse, similarity
from synthrelease.numerics import derived
from synthrelease.numerics.gaze_caps import excess_norms

Map = NDArray[np.float64]
BLUR_PX, SCREEN_PX = 24.0, (800, 600)  # one degree in OSIE


def good_delta(people: int) -> float:
    """δ of the paper's good and okay privacy."""
    return float(people**-1.5)


def one_map(*, pixels: int, cap: int, max_samples: int | None) -> Sensitivity:
    """Sensitivity of one gaze map under replace-one; the paper's own without a bound on samples."""
    return gaze_maps(
        cells=pixels,
        cap=cap,
        max_samples=max_samples,
        stimuli=1,
        max_stimuli=1,
        assignment_public=True,
        neighbours=Neighbours.REPLACE_ONE,
    )


@dataclass(frozen=True)
class Crowd:
    """A few people's counts, each standing for `copies` alike.

    Attributes:
        pixel: which pixel, of each count that is not zero, shape (N,).
        count: how often, shape (N,).
        few: the real people.
        copies: how many each stands for.
        rows: height of the gaze maps, in pixels.
        columns: width, in pixels.
        cell: heatmaps are shown on cells of cell × cell pixels, far smaller than the blur.
        max_samples: T, the most samples of a person.
    """

    pixel: NDArray[np.int64]
    count: NDArray[np.int64]
    few: int
    copies: int
    rows: int
    columns: int
    cell: int
    max_samples: int

    @property
    def people(self) -> int:
        """N."""
        return self.few * self.copies

    @property
    def pixels(self) -> int:
        """R."""
        return self.rows * self.columns

    @property
    def caps(self) -> range:
        """1 … g_max, a list that only a reproduction may take from the data."""
        return range(1, int(self.count.max()) + 1)

    def total(self, cap: int) -> NDArray[np.int64]:
        """Return the sum of all capped maps, shape (rows, columns)."""
        total = np.zeros(self.pixels, dtype=np.int64)
        np.add.at(total, self.pixel, np.minimum(self.count, cap) * self.copies)
        return total.reshape(self.rows, self.columns)

    def heatmap(self, total: NDArray[np.int64]) -> Map:
        """Return the blurred mean per pixel, shape (rows/cell, columns/cell)."""
        across = np.arange(0, self.columns, self.cell)
        down = np.arange(0, self.rows, self.cell)
        blocks = np.add.reduceat(np.add.reduceat(total, down, axis=0), across, axis=1)
        people = self.people * self.cell**2
        return derived.heatmap(blocks, people=people, blur_px=BLUR_PX, screen_px=SCREEN_PX)

    def errors(self, sigma: Callable[[int], float]) -> Map:
        """Return the expected MSE of Theorem 4.1 for every cap; `sigma(m)` is that of the *sum*."""
        sigmas = np.array([sigma(m) for m in self.caps]) / self.people
        norms = excess_norms(self.pixel, self.count, self.caps)  # copies multiply ‖D‖ and n alike
        return expected_mse(norms, sigmas, people=self.few, pixels=self.pixels)

    def best_cap(self, sigma: Callable[[int], float]) -> int:
        """Return the outcome of Algorithm 1."""
        return best_cap(self.caps, self.errors(sigma))


@dataclass(frozen=True)
class Strategy:
    """A way to release a heatmap.

    Attributes:
        name: as in the legend.
        draw: (ε, random) → one released heatmap, on the crowd's cells.
        sigma: (ε, m) → standard deviation of the noise in a pixel of the sum; None where there is no cap.
    """

    name: str
    draw: Callable[[float, SecureRandom], Map]
    sigma: Callable[[float, int], float] | None = None


def strategies(crowd: Crowd) -> list[Strategy]:
    """Return the curves of Figure 3, and ours. One more is one more `Strategy` here."""
    return [_papers_gaussian(crowd), _papers_laplacian(crowd), _bounded_gaussian(crowd)]


def _papers_gaussian(crowd: Crowd) -> Strategy:
    def sigma(epsilon: float, cap: int) -> float:
        return liu2019_sigma(epsilon, good_delta(crowd.people), cap=cap, pixels=crowd.pixels)

    return _capped(crowd, "Gaussian, Theorem 3.4", sigma, rounded_gaussian, to_scale=1.0)


def _papers_laplacian(crowd: Crowd) -> Strategy:
    def sigma(epsilon: float, cap: int) -> float:
        sensitivity = one_map(pixels=crowd.pixels, cap=cap, max_samples=None).l1
        return math.sqrt(2) * laplace_scale(epsilon, sensitivity=sensitivity)

    return _capped(crowd, "Laplacian, Theorem 3.5", sigma, discrete_laplace, to_scale=math.sqrt(0.5))


def _bounded_gaussian(crowd: Crowd) -> Strategy:
    def sigma(epsilon: float, cap: int) -> float:
        sensitivity = one_map(pixels=crowd.pixels, cap=cap, max_samples=crowd.max_samples).l2
        return gaussian_sigma(epsilon, good_delta(crowd.people), sensitivity=sensitivity)

    return _capped(crowd, f"Gaussian, exact, T = {crowd.max_samples}", sigma, rounded_gaussian, to_scale=1.0)


def _capped(
    crowd: Crowd,
    name: str,
    sigma: Callable[[float, int], float],
    noise: Callable[..., NDArray[np.int64]],
    *,
    to_scale: float,
) -> Strategy:
    """Cap by Algorithm 1, add up, add noise, blur."""
    totals: dict[float, tuple[float, NDArray[np.int64]]] = {}

    def draw(epsilon: float, random: SecureRandom) -> Map:
        if epsilon not in totals:
            cap = crowd.best_cap(lambda m: sigma(epsilon, m))
            totals[epsilon] = (to_scale * sigma(epsilon, cap), crowd.total(cap))
        scale, total = totals[epsilon]
        return crowd.heatmap(total + noise(scale, total.shape, random=random))

    return Strategy(name, draw, sigma)


@dataclass(frozen=True)
class Worth:
    """Mean and standard deviation of each measure over the draws."""

    cc: tuple[float, float]
    mse: tuple[float, float]
    kl: tuple[float, float]
    sim: tuple[float, float]


def worth(draw: Callable[[SecureRandom], Map], truth: Map, draws: int, random: SecureRandom) -> Worth:
    """Draw so many heatmaps and compare each with the truth."""
    found = []
    for _ in range(draws):
        shown = draw(random)
        found.append([measure(shown, truth) for measure in (correlation, mse, kl_divergence, similarity)])
    mean, spread = np.mean(found, axis=0), np.std(found, axis=0)
    return Worth(*zip(mean.tolist(), spread.tolist(), strict=True))


def coarseness(crowd: Crowd) -> float:
    """Return how far the noise-free heatmap is from the one blurred at full resolution, as a share of its maximum."""
    total = crowd.total(crowd.caps[-1])
    full = derived.heatmap(total, people=crowd.people, blur_px=BLUR_PX, screen_px=SCREEN_PX)
    down, across = (np.arange(0, side, crowd.cell) for side in full.shape)
    means = np.add.reduceat(np.add.reduceat(full, down, axis=0), across, axis=1) / crowd.cell**2
    return float(np.abs(means - crowd.heatmap(total)).max() / means.max())


def centred(shape: tuple[int, int]) -> Map:
    """Return what no data at all give: a Gaussian in the middle, its deviation a quarter of each side."""
    sides: Sequence[Map] = [np.exp(-0.5 * (4 * ((np.arange(k) + 0.5) / k - 0.5)) ** 2) for k in shape]
    return np.outer(*sides)
