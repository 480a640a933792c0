"""From moments to a population and back: what is drawn has the dependence that it is drawn from."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease.kinds.people.fitting import Dependence, dependence_of
from synthrelease.kinds.people.form import BETWEEN, BETWEEN_PAIRS, MEAN, SCORE_STEPS, PeopleForm
from synthrelease.kinds.people.moments import _SOLUTIONS, Layout, _missed, moments, solved
from synthrelease.kinds.people.sampler import normal_scores
from synthrelease.kinds.people.vectors import Windows, dependence
from synthrelease.numerics.hermite import ORDERS, coefficients, nodes

FORM = PeopleForm(4, 3, 20, 40)
WINDOWS = 12
SURE = 1e-7
AS_THEY_ARE = np.eye(4, ORDERS)[[0, 0, 0, 0]]  # scores that are the normal numbers themselves


def population() -> Dependence:
    random = np.random.default_rng(2)
    matrices = []
    for _ in range(2):
        loadings = random.normal(size=(4, 2))
        covariance = loadings @ loadings.T + np.eye(4)
        scale = np.sqrt(np.diag(covariance))
        matrices.append(covariance / np.outer(scale, scale))
    effects = 0.3 * random.normal(size=(3, 4))
    return Dependence(
        np.array([0.3, 0.5, 0.6, 0.7]),
        np.array([0.2, 0.5, 0.7, 0.8]),
        np.array([0.05, 0.1, 0.15, 0.1]),
        effects - effects.mean(axis=0),
        *matrices,
    )


def drawn(people: int) -> np.ndarray:
    return normal_scores(population(), windows=WINDOWS, seed=5, start=0, stop=people)


def test_what_is_drawn_has_unit_variance_and_the_effects() -> None:
    scores = drawn(4000)
    assert scores.shape == (4000, 3, WINDOWS, 4)
    assert scores.var(axis=(0, 1, 2)) == pytest.approx(np.ones(4), abs=0.05)
    np.testing.assert_allclose(scores.mean(axis=(0, 2)), population().effects, atol=0.05)
    levels = scores.mean(axis=(1, 2))
    np.testing.assert_allclose(np.corrcoef(levels.T), population().between, atol=0.15)


def test_people_do_not_depend_on_how_many_are_drawn() -> None:
    scores = drawn(10)
    np.testing.assert_allclose(
        normal_scores(population(), windows=WINDOWS, seed=5, start=4, stop=7), scores[4:7], atol=1e-12
    )
    other = normal_scores(population(), windows=WINDOWS, seed=6, start=4, stop=7)
    assert np.abs(other - scores[4:7]).min() > 0


def test_the_dependence_is_found_again() -> None:
    """Of many people, and hardly any error: shrinkage towards people in general is then next to nothing."""
    assert_found_again(drawn(6000), AS_THEY_ARE)


def test_it_is_found_again_from_values_that_are_not_normal() -> None:
    """Skewed values, two values, many that are equal, and normal ones: all are of normal numbers."""

    def values(normal: np.ndarray) -> np.ndarray:
        skewed, two = np.exp(np.minimum(normal[..., 0], 2)), normal[..., 1] > 0.5
        return np.stack([skewed, two, np.maximum(normal[..., 2], 0), normal[..., 3]], axis=-1)

    at_nodes = values(np.repeat(nodes()[:, None], 4, axis=1))
    density = np.exp(-(nodes() ** 2) / 2) / np.exp(-(nodes() ** 2) / 2).sum()
    mean = density @ at_nodes
    deviation = np.sqrt(density @ (at_nodes - mean) ** 2)
    scores = (values(drawn(6000)) - mean) / deviation
    assert_found_again(scores, coefficients(((at_nodes - mean) / deviation).T))


@pytest.mark.parametrize("shortened", [1.0, 1.3])
def test_what_clipping_takes_from_between_people_is_known_from_within(shortened: float) -> None:
    assert_found_again(drawn(6000), AS_THEY_ARE, shortened=shortened)


def assert_found_again(scores: np.ndarray, of_normal: np.ndarray, *, shortened: float = 1.0) -> None:
    person, condition, _ = np.indices(scores.shape[:3]).reshape(3, -1)
    steps = np.rint(scores.reshape(-1, 4) * SCORE_STEPS).astype(np.int64)
    vectors = dependence(
        Windows(person, condition, len(scores)), steps, np.ones(steps.shape, dtype=bool), FORM
    )
    mean = vectors.mean(axis=0)
    for block in (BETWEEN, BETWEEN + MEAN, BETWEEN_PAIRS):
        mean[FORM.places[block]] /= shortened
    found = dependence_of(mean, np.full(FORM.dependence_size, SURE), FORM, WINDOWS, of_normal, doubt=1e-3)
    exact = population()
    np.testing.assert_allclose(found.intraclass, exact.intraclass, atol=0.04)
    np.testing.assert_allclose(found.autocorrelation, exact.autocorrelation, atol=0.06)
    np.testing.assert_allclose(found.slopes, exact.slopes, atol=0.12)
    np.testing.assert_allclose(found.effects, exact.effects, atol=0.04)
    np.testing.assert_allclose(found.within, exact.within, atol=0.05)
    np.testing.assert_allclose(found.between, exact.between, atol=0.06)


def test_without_data_it_is_that_of_people_in_general() -> None:
    found = dependence_of(
        np.zeros(FORM.dependence_size),
        np.full(FORM.dependence_size, 1e6),
        FORM,
        WINDOWS,
        AS_THEY_ARE,
        doubt=0.1,
    )
    np.testing.assert_allclose(found.effects, 0, atol=1e-3)
    np.testing.assert_allclose(found.between, np.eye(4), atol=1e-3)
    assert found.intraclass == pytest.approx(np.full(4, found.intraclass[0]))


def test_moments_are_those_of_what_is_drawn() -> None:
    exact = population()
    none = Dependence(
        exact.intraclass, exact.autocorrelation, exact.slopes, np.zeros((3, 4)), exact.between, exact.within
    )
    scores = normal_scores(none, windows=WINDOWS, seed=1, start=0, stop=20_000)
    mean = scores.mean(axis=(1, 2))
    residual = scores - mean[:, None, None]
    found = (
        (mean**2).mean(axis=0),
        (residual**2).mean(axis=(0, 1, 2)),
        (residual[:, :, 1:] * residual[:, :, :-1]).mean(axis=(0, 1, 2)),
        (residual.mean(axis=2) ** 2).mean(axis=(0, 1)),
    )
    expected = moments(exact.intraclass, exact.autocorrelation, exact.slopes, Layout(3, WINDOWS), AS_THEY_ARE)
    for one, other in zip(
        found, (expected.between, expected.within, expected.lag, expected.slope), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=0.05)


@pytest.mark.parametrize("sums", [0.0, 50.0, -50.0])
def test_whatever_is_released_there_is_a_population(sums: float) -> None:
    """Of people whose values never vary, and of sums that no people have: what is drawn is finite."""
    mean, sure = np.full(FORM.dependence_size, sums), np.full(FORM.dependence_size, 1e-12)
    for of_normal in (AS_THEY_ARE, np.zeros_like(AS_THEY_ARE)):
        made = dependence_of(mean, sure, FORM, WINDOWS, of_normal, doubt=0.02)
        assert np.isfinite(normal_scores(made, windows=WINDOWS, seed=1, start=0, stop=3)).all()
        for matrix in (made.between, made.within):
            assert np.linalg.eigvalsh(matrix).min() > 0


@pytest.mark.parametrize(
    "target", [[0.5, 0.4, 0.2, 0.1], [0.09, 0.0, 0.21, 0.06], [0.67, 0.0, 0.22, 0.8], [0.99, 0.9, 0.0, 0.01]]
)
def test_another_machine_s_rounding_moves_solutions_in_the_last_digits_only(target: list[float]) -> None:
    """Also where they are at a bound, and where moments hardly say what they are."""
    layout, random = Layout(3, 4), np.random.default_rng(3)
    scores = np.array([[0.98, 0.1, *[0.01] * (ORDERS - 2)]])

    def at(rounding: float) -> np.ndarray:
        near = 1 + rounding * random.normal(size=4)
        return np.array(solved(np.array([target]) * near, layout, scores * (1 + rounding)))

    exact = at(0.0)
    assert max(np.abs(at(1e-14) - exact).max() for _ in range(6)) < 1e-12
    assert np.abs(at(1e-4) - exact).max() > 1e-7
    arguments = np.array(target), layout, scores
    (low, high), tiny = np.array(_SOLUTIONS), 1e-30
    free = (exact[:, 0] > low) & (exact[:, 0] < high)
    slopes = [_missed(exact[:, 0] + 1j * tiny * unit, *arguments).imag / tiny for unit in np.eye(3)[free]]
    gradient = np.array(slopes) @ _missed(exact[:, 0], *arguments)
    assert np.abs(gradient).max() < 1e-14
