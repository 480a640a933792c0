"""A participant's vectors against plain loops over their windows, and the tables that lead to scores and back."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.people.form import (
    BETWEEN,
    BETWEEN_PAIRS,
    CONTRASTS,
    LAG,
    MOST_SCORE,
    SCORE_STEPS,
    SLOPE,
    WITHIN,
    WITHIN_PAIRS,
    PeopleForm,
    contrast_weights,
    rotated,
    rotation,
)
from synthrelease.kinds.people.scores import Scale
from synthrelease.kinds.people.vectors import LEVELS, MISSING, Windows, coefficients, dependence
from synthrelease.numerics.stored import are_stored_multiples, stored_multiples

FORM = PeopleForm(4, 3, 20, 40)
RANDOM = np.random.default_rng(8)


def windows(people: int = 5) -> Windows:
    """Each has some windows of some conditions."""
    counts = RANDOM.integers(0, 7, size=(people, FORM.conditions))
    counts[0, 0] = 6
    person = np.repeat(np.arange(people), counts.sum(axis=1))
    condition = np.concatenate([np.repeat(np.arange(FORM.conditions), row) for row in counts])
    return Windows(person, condition, people)


def test_rotations_are_orthonormal_and_begin_with_the_mean() -> None:
    matrix = rotation(5)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(5), atol=1e-12)
    values = RANDOM.normal(size=(3, 5))
    np.testing.assert_allclose(rotated(values), values @ matrix.T)
    np.testing.assert_allclose(rotated(values)[:, 0], values.sum(axis=1) / np.sqrt(5))
    np.testing.assert_allclose(contrast_weights(4).sum(axis=0), 0, atol=1e-12)


def test_coefficients_are_means_of_cosines() -> None:
    rows = windows()
    levels = RANDOM.integers(0, LEVELS, size=(len(rows.person), FORM.features))
    levels[RANDOM.random(levels.shape) < 0.2] = MISSING
    found, there = coefficients(rows, levels, FORM)
    for person in range(rows.people):
        for f in range(FORM.features):
            values = levels[rows.person == person, f]
            values = (values[values != MISSING] + 0.5) / LEVELS
            assert there[person, f] == bool(values.size)
            for k in range(1, FORM.cosines + 1) if values.size else ():
                exact = np.sqrt(2) * np.cos(np.pi * k * values).mean()
                assert found[person, f, k - 1] == pytest.approx(exact, abs=0.05)


def test_dependence_is_made_of_means_of_products() -> None:
    rows = windows()
    steps = RANDOM.integers(-2 * SCORE_STEPS, 2 * SCORE_STEPS, size=(len(rows.person), FORM.features))
    found = FORM.blocks(dependence(rows, steps, np.ones(steps.shape, dtype=bool), FORM))
    z = steps / SCORE_STEPS
    one, other = FORM.pairs
    for person in range(rows.people):
        mine = z[rows.person == person]
        if not len(mine):
            continue
        condition = rows.condition[rows.person == person]
        mean, residual = mine.mean(axis=0), mine - mine.mean(axis=0)
        within = residual.T @ residual / len(mine)
        pairs = [
            residual[t] * residual[t + 1] for t in range(len(mine) - 1) if condition[t] == condition[t + 1]
        ]
        levels = np.array(
            [
                residual[condition == c].mean(axis=0) if (condition == c).any() else np.zeros(FORM.features)
                for c in range(FORM.conditions)
            ]
        )
        contrasts = contrast_weights(FORM.conditions).T @ levels
        expected = {
            BETWEEN_PAIRS: np.sqrt(2) * mean[one] * mean[other],
            WITHIN_PAIRS: np.sqrt(2) * within[one, other],
            CONTRASTS: contrasts.ravel(),
        }
        of_features = {
            BETWEEN: mean**2,
            WITHIN: np.diag(within),
            LAG: np.mean(pairs, axis=0) if pairs else np.zeros(FORM.features),
            SLOPE: (contrasts**2).sum(axis=0) / FORM.conditions,
        }
        for name, value in expected.items():
            np.testing.assert_allclose(found[name][person], value, atol=1e-9)
        for name, value in of_features.items():
            np.testing.assert_allclose(FORM.of_features(found, name)[person], rotated(value), atol=1e-9)


def test_values_that_are_missing_are_left_out_pair_by_pair() -> None:
    rows = Windows(np.zeros(4, dtype=int), np.zeros(4, dtype=int), 1)
    steps = SCORE_STEPS * np.array([[1, 2, 0, 0], [3, 0, 0, 0], [2, 1, 0, 0], [0, 3, 0, 0]])
    present = np.ones(steps.shape, dtype=bool)
    present[1, 1] = present[3, 0] = False
    within = FORM.blocks(dependence(rows, steps, present, FORM))[WITHIN_PAIRS][0, 0] / np.sqrt(2)
    # Of the windows 0 and 2 both are there; means are 2 and 2 over those that are.
    assert within == pytest.approx(((1 - 2) * (2 - 2) + (2 - 2) * (1 - 2)) / 2)


@pytest.mark.parametrize("step", [None, 0.5])
def test_scores_are_standardized_values(step: float | None) -> None:
    scale = Scale.of(Feature("x", -1.0, 3.0), step)
    density = np.exp(-((np.arange(40) - 15) ** 2) / 60)
    density /= density.sum()
    normal = np.random.default_rng(1).normal(size=20_000)
    values = scale.values(ndtr(normal), density)
    scores = scale.score_table(density)[scale.levels(values)] / SCORE_STEPS
    assert (scores.mean(), scores.std()) == pytest.approx((0, 1), abs=0.02)
    inner = (values > 0) & (values < 1.5)
    slope = np.polyfit(values[inner], scores[inner], 1)
    np.testing.assert_allclose(np.polyval(slope, values[inner]), scores[inner], atol=1e-3)
    np.testing.assert_allclose(scale.scores_of_normal(normal, density), scores)
    assert scale.levels(np.array([np.nan, -50.0, 50.0])).tolist()[0] == MISSING


def test_scores_of_far_values_are_cut() -> None:
    density = np.full(40, 1e-4)
    density[2] = 1 - density.sum()
    table = Scale(0.0, 1.0).score_table(density)
    assert (np.diff(table) >= 0).all()
    assert table.max() == MOST_SCORE * SCORE_STEPS


@pytest.mark.parametrize(
    ("low", "high", "step", "is_lattice"),
    [
        (0.0, 4.0, 1.0, True),
        (0.0, 0.5, 1.0, False),
        (0.0, 4.0, 1e-6, False),
        (1e6, 1e6 + 9, 1.0, True),
        (1e8, 1e8 + 9, 1.0, False),  # 32 bits do not distinguish these
    ],
)
def test_a_lattice_has_values_that_can_be_shown(
    *, low: float, high: float, step: float, is_lattice: bool
) -> None:
    scale = Scale.of(Feature("x", low, high), step)
    assert scale.is_lattice is is_lattice
    if is_lattice:
        values = low + step * np.arange(int(high - low) + 1)[:, None]
        steps = np.array([scale.resolution])
        shown = stored_multiples(values, steps)
        assert len(np.unique(shown)) == len(values)
        assert are_stored_multiples(shown, values, steps, care=1e-9)


def test_a_lattice_is_the_multiples_of_its_step_within_the_bounds() -> None:
    scale = Scale.of(Feature("blinks", -0.05, 1.95), 0.1)
    assert (scale.points, round(scale.low, 9), round(scale.high, 9)) == (20, -0.05, 1.95)
    drawn = scale.values(np.linspace(0.001, 0.999, 500), np.full(40, 1 / 40))
    assert sorted(set(np.round(drawn, 9))) == [round(0.1 * j, 9) for j in range(20)]
