"""Population B of the studies of synthetic people: several kinds of people. Made up; nothing here is private."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from studies._people import Array, People


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
