"""The attack that knows everyone else: by theory, by simulation, and as brute force finds it."""

import itertools
from types import SimpleNamespace

import made_people
import numpy as np
import pytest
from made_people import MADE
from scipy.stats import norm

from synthrelease.data.features import FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import DeniabilityTest, DiscreteLaplace, RoundedGaussian
from synthrelease.dp.guarantee import ApproxDP, Neighbours, PureDP
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation import worst_case as module
from synthrelease.evaluation.worst_case import worst_case_attack
from synthrelease.kinds.contributions import Sums
from synthrelease.kinds.people import contributions
from synthrelease.kinds.people.design import RADIUS


def people(values):
    """Features of people with one row each."""
    number = np.arange(len(values))
    return FeatureData(
        tuple(f"f{i}" for i in range(values.shape[1])),
        np.tile([-1e9, 1e9], (values.shape[1], 1)),
        ("all",),
        len(values),
        number,
        np.zeros(len(values), dtype=np.int64),
        values.astype(np.float64),
    )


def made(event, budget=None):
    """An output whose people contribute their values."""
    return SimpleNamespace(
        name="sums",
        mechanism=SimpleNamespace(
            collect=lambda data: Sums({"sums": data.values.astype(np.int64).sum(axis=0)}),
            exact=lambda collected: collected.arrays,
            noisy=[SimpleNamespace(path="sums")],
        ),
        event=event,
        budget=budget,
        entry={"guarantee": PureDP(epsilon=1.0, neighbours=Neighbours.REPLACE_ONE).to_json()},
    )


def attacked(values, event, neighbours=Neighbours.REPLACE_ONE, budget=None):
    return worst_case_attack(made(event, budget), people(np.asarray(values)), neighbours=neighbours, seed=1)


def test_gaussian_noise_and_two_people():
    """Φ(‖x − y‖/2σ)."""
    told = attacked([[3, 0, 0], [0, 4, 0]], RoundedGaussian(5.0, 2.0, 3))
    assert told.people == 2
    assert told.worst == told.typical == pytest.approx(norm.cdf(5 / 4))
    assert told.measured.value == pytest.approx(told.worst, abs=0.02)
    # The best test at a rate of false alarms: Φ(Φ⁻¹(α) + d).
    assert told.tpr_at_fpr["10 %"] == pytest.approx(norm.cdf(norm.ppf(0.1) + 2.5), abs=0.03)
    assert told.tpr_at_fpr["1 %"] == pytest.approx(norm.cdf(norm.ppf(0.01) + 2.5), abs=0.05)


def best_guess_under_laplace(b, shift):
    """Total variation of two discrete Laplace distributions, summed up."""
    grid = np.arange(-400, 401)
    p, q = np.exp(-np.abs(grid) / b), np.exp(-np.abs(grid - shift) / b)
    return (1 + np.abs(p / p.sum() - q / q.sum()).sum() / 2) / 2


def test_laplace_noise_by_all_that_can_happen():
    told = attacked([[9], [4], [0]], DiscreteLaplace(9, 3.0, 1))
    assert told.worst == pytest.approx(best_guess_under_laplace(3.0, 9), abs=0.01)
    assert told.typical == pytest.approx(best_guess_under_laplace(3.0, 5), abs=0.01)
    assert told.worst == told.measured.value


def test_one_large_difference_tells_more_than_many_small_ones_of_a_larger_sum():
    values = np.zeros((3, 10))
    values[0, 0], values[1] = 6, 1
    told = attacked(values, DiscreteLaplace(10, 3.0, 10), Neighbours.ADD_REMOVE_ONE)
    assert told.worst == pytest.approx(best_guess_under_laplace(3.0, 6), abs=0.015)
    assert told.typical < told.worst - 0.05


def test_members_are_found_by_lot_where_releases_are_as_likely():
    """Beyond both people a Laplace release is e^(Δ/b) times as likely with the one, however far: P(r ≥ Δ) with either is known."""
    told = attacked([[4], [0]], DiscreteLaplace(4, 3.0, 1))
    assert told.tpr_at_fpr["1 %"] == pytest.approx(0.01 * np.exp(4 / 3), abs=0.005)
    assert told.tpr_at_fpr["10 %"] == pytest.approx(0.1 * np.exp(4 / 3), abs=0.02)


def test_the_worst_pair_is_found_and_the_middle_one():
    values = np.array([[0], [1], [2], [10]])
    told = attacked(values, RoundedGaussian(10.0, 5.0, 1))
    apart = sorted(abs(int(a - b)) for a in values[:, 0] for b in values[:, 0] if a < b)
    assert told.worst == pytest.approx(norm.cdf(apart[-1] / 10))
    assert told.typical == pytest.approx(norm.cdf(apart[len(apart) // 2] / 10))


def test_fewer_people_are_asked_about_where_they_would_not_fit(monkeypatch):
    monkeypatch.setattr(module, "_MOST_NONZERO", 5)
    told = attacked(np.arange(1, 13).reshape(6, 2), RoundedGaussian(10.0, 5.0, 2))
    assert told.people == 3
    assert told.worst == pytest.approx(norm.cdf(np.hypot(4, 4) / 10))


def test_of_presence():
    told = attacked([[3, 4], [0, 1]], RoundedGaussian(5.0, 2.0, 2), Neighbours.ADD_REMOVE_ONE)
    assert told.worst == pytest.approx(norm.cdf(5 / 4))
    told = attacked([[3, 4]], RoundedGaussian(5.0, 2.0, 2), Neighbours.ADD_REMOVE_ONE)
    assert told.people == 1
    assert attacked([[3, 4]], RoundedGaussian(5.0, 2.0, 2)) is None  # there is no one else


def test_the_person_in_the_middle_is_not_told_better_than_the_one_told_best():
    """Both are measured, of noise by Laplace; here everyone is told alike."""
    for seed in range(5):
        event = DiscreteLaplace(1, 1.0, 1)
        found = worst_case_attack(
            made(event), people(np.ones((9, 1))), neighbours=Neighbours.ADD_REMOVE_ONE, seed=seed
        )
        assert found.of_presence
        assert found.typical <= found.worst


def test_people_who_are_alike_cannot_be_told_apart():
    for event in (RoundedGaussian(1.0, 2.0, 2), DiscreteLaplace(1, 2.0, 2)):
        told = attacked([[3, 4], [3, 4]], event, budget=Budget(1.0, 1e-5))
        assert told.worst == told.typical == told.measured.value == 0.5
        assert not told.guarantee_check.violated


@pytest.mark.parametrize("event", [RoundedGaussian(30.0, 10.0, 1), DiscreteLaplace(30, 10.0, 1)])
def test_a_guarantee_that_the_noise_does_not_keep_is_broken(event):
    """People differ by 30 with noise of scale 10: ε is 3 and more. Said to be 1, it is found out; said to be 12, not."""
    broken = attacked([[30], [0]], event, budget=Budget(1.0, 1e-6))
    assert broken.guarantee_check.violated
    assert not broken.exceeds  # the event itself, with its sensitivity of 30, allows it
    kept = attacked([[30], [0]], event, budget=Budget(12.0, 1e-3))
    assert not kept.guarantee_check.violated


@pytest.mark.parametrize("kind", [RoundedGaussian, DiscreteLaplace])
def test_a_sensitivity_that_is_too_small_is_found_out(kind):
    """The event says 10, and two people differ by 30."""
    assert attacked([[30], [0]], kind(10, 10.0, 1)).exceeds
    assert not attacked([[30], [0]], kind(30, 10.0, 1)).exceeds
    assert not attacked([[15], [-15], [0]], kind(30, 10.0, 1)).exceeds


def test_without_noise_there_is_no_such_attack():
    event = DeniabilityTest(8, 4.0, "person", vacuous=False)
    assert attacked([[3], [4]], event) is None


# --- sums of which later ones depend on earlier ones


@pytest.fixture
def rounds():
    """Return an output of synthetic people, who lie far apart, with what it released and the people."""
    mechanism = made_people.mechanism()
    crowd = [person for person in made_people.adversaries() if 1 < len(person.rows) <= 64][:8]
    drawn = mechanism.draw(made_people.collected(crowd), Budget(3.0, 1e-5), SecureRandom.for_tests(4))
    guarantee = ApproxDP(epsilon=3.0, delta=1e-5, neighbours=Neighbours.REPLACE_ONE)
    output = SimpleNamespace(
        name="people",
        mechanism=mechanism,
        event=drawn.event,
        budget=Budget(3.0, 1e-5),
        entry={"guarantee": guarantee.to_json()},
    )
    return output, drawn.arrays, crowd


def attacked_rounds(output, released, crowd):
    return worst_case_attack(
        output, MADE.data(crowd), neighbours=Neighbours.REPLACE_ONE, seed=1, released=released
    )


def test_of_rounds_the_difference_is_what_replacing_someone_moves_given_what_was_released(rounds):
    output, released, crowd = rounds

    def sums(people):
        exact = output.mechanism.exact_after(made_people.collected(people), released, output.event)
        return np.concatenate([array.ravel() for array in exact.values()]).astype(float)

    whole, moved = sums(crowd), []
    for i, j in itertools.combinations(range(len(crowd)), 2):
        replaced = [*crowd[:i], crowd[j], *crowd[i + 1 :]]
        moved.append(np.linalg.norm(whole - sums(replaced)))
    told = attacked_rounds(output, released, crowd)
    assert told.people == len(crowd)
    assert told.worst == pytest.approx(norm.cdf(max(moved) / output.event.scale / 2), abs=1e-9)
    assert told.typical == pytest.approx(
        norm.cdf(sorted(moved)[len(moved) // 2] / output.event.scale / 2), abs=1e-9
    )
    assert told.measured.low <= told.worst <= told.measured.high
    mu = 2 * RADIUS / output.event.scale
    assert told.allowed == pytest.approx(norm.cdf(mu / 2), abs=1e-6)
    assert told.worst < told.allowed
    assert not told.exceeds


def test_vectors_that_are_not_clipped_are_found_out(rounds, monkeypatch):
    output, released, crowd = rounds
    monkeypatch.setattr(contributions, "clip_to_ball", lambda vectors, _: vectors)
    assert attacked_rounds(output, released, crowd).exceeds
