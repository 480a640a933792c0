"""Weights of coordinates, against a general optimiser of the same risk."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from synthrelease.numerics.precision_weights import precision_weights


def groups(seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    size = 6
    return {
        "squares": np.exp(random.normal(size=size)),
        "prior": np.exp(random.normal(size=size) - 2),
        "importance": np.exp(0.5 * random.normal(size=size)),
        "count": random.integers(1, 9, size).astype(float),
    }


def risk(weights: np.ndarray, noise: float, of: dict[str, np.ndarray]) -> float:
    budget = (of["count"] * weights**2 * of["squares"]).sum()
    variance = noise * budget / weights**2
    left = of["count"] * of["importance"] * of["prior"] * variance / (of["prior"] + variance)
    return float(left.sum() / (of["count"] * of["importance"] * of["prior"]).sum())


@pytest.mark.parametrize("noise", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_no_optimiser_finds_better_weights(seed: int, noise: float) -> None:
    of = groups(seed)
    weights, left = precision_weights(**of, noise=noise)
    assert (of["count"] * weights**2 * of["squares"]).sum() == pytest.approx(1)
    assert left == pytest.approx(risk(weights, noise, of))
    starts = np.random.default_rng(seed).normal(size=(4, len(weights)))
    best = min(
        minimize(lambda log: risk(np.exp(np.clip(log, -50, 50)), noise, of), start).fun for start in starts
    )
    # A thousandth of the budget is shared evenly, so that no coordinate goes unasked.
    assert left <= best + 2e-3
    assert left < risk(np.ones(len(weights)), noise, of)


def test_what_is_not_worth_asking_gets_next_to_nothing() -> None:
    of = {
        "squares": np.ones(2),
        "prior": np.array([1.0, 1e-6]),
        "importance": np.ones(2),
        "count": np.ones(2),
    }
    weights, _ = precision_weights(**of, noise=0.1)
    assert weights[1] ** 2 == pytest.approx(1e-3 / 2)
    assert weights[0] ** 2 == pytest.approx(1 - 1e-3 / 2)
