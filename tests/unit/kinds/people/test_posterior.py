"""Populations that a release leaves possible: as far apart as noise and sampling make them, and the same for a seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import people_release
import pytest

from synthrelease.kinds.people import fitting
from synthrelease.kinds.people.fitting import dependence_of
from synthrelease.kinds.people.form import PeopleForm
from synthrelease.numerics.hermite import ORDERS
from synthrelease.numerics.public_draws import PublicDraws

FORM = PeopleForm(4, 3, 20, 40)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return people_release.people_bundle(tmp_path_factory.mktemp("people")).model("people")


@pytest.fixture(scope="module")
def draws(model: Any) -> Any:
    return model.posterior(draws=8, seed=1)


@pytest.mark.thorough
def test_they_are_the_same_for_a_seed_and_others_for_another(model: Any, draws: Any) -> None:
    (again,), (other,) = (model.posterior(draws=1, seed=seed) for seed in (1, 2))
    np.testing.assert_array_equal(draws[0].density, again.density)
    np.testing.assert_array_equal(draws[0].dependence.between, again.dependence.between)
    assert (draws[0].density != other.density).any()
    assert (draws[0].density != draws[1].density).any()


def test_they_scatter_about_the_released_population(model: Any, draws: Any) -> None:
    density = np.array([draw.density for draw in draws])
    assert density.sum(axis=2) == pytest.approx(1.0)
    within = np.abs(density.mean(axis=0) - model.density) < 4 * density.std(axis=0) + 1e-3
    assert within.mean() > 0.95
    shares = np.array([draw.dependence.intraclass for draw in draws])
    assert (np.abs(shares.mean(axis=0) - model.dependence.intraclass) < 2 * shares.std(axis=0) + 0.02).all()
    assert (shares.std(axis=0) > 0).all()


def test_people_are_drawn_from_each_as_from_the_released_one(model: Any, draws: Any) -> None:
    people = draws[0].sample(people=5, seed=2)
    assert people.shape == model.sample(people=5, seed=2).shape
    assert np.isfinite(people).all()


def test_with_more_noise_they_are_further_apart() -> None:
    """As far as what is usual of people allows."""
    random, scores = PublicDraws(1), np.eye(4, ORDERS)[[0, 0, 0, 0]]
    mean = np.full(FORM.dependence_size, 0.1)

    def spread(variance: float) -> float:
        errors = np.full(FORM.dependence_size, variance)
        draws = [
            dependence_of(mean, errors, FORM, 6, scores, doubt=0.01, random=random).effects for _ in range(20)
        ]
        return float(np.std(draws, axis=0).mean())

    assert spread(1e-10) < 1e-4 < 10 * spread(1e-4) < spread(1.0) * 100


def test_a_draw_has_mean_and_covariance_of_its_prior() -> None:
    """Of one prior that is certain: its draws are normal about its mean."""
    evidence = np.array([0.0, -1e9])
    means = np.stack([[[1.0], [2.0]], [[50.0], [50.0]]])
    covariance = np.array([[0.5, 0.3], [0.3, 0.4]])
    roots = np.broadcast_to(np.linalg.cholesky(covariance)[:, None, :], (2, 2, 1, 2))
    random = PublicDraws(2)
    draws = np.array([fitting._by_evidence(evidence, means, roots, random)[:, 0] for _ in range(20_000)])
    np.testing.assert_allclose(draws.mean(axis=0), [1, 2], atol=0.03)
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=0.03)
    np.testing.assert_allclose(fitting._by_evidence(evidence, means, roots, None)[:, 0], [1, 2])
