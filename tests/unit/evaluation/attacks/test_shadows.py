"""Releases of random halves, and what is learnt from them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from noisy_sums import PEOPLE, NoisySum, inner
from planted import by_lot
from refusals import bad_argument
from scipy.stats import norm

from synthrelease.evaluation.attacks import (
    AttackVerdict,
    Rounds,
    likelihood_ratios,
    membership,
    released_rounds,
)


def rounds_of(sigma, rounds=200, **ways):
    return released_rounds(NoisySum(sigma), inner, PEOPLE, rounds=rounds, seed=1, **ways)


def split_found(rounds, *, online):
    half = len(rounds.members) // 2
    tried = rounds.between(half, 2 * half)
    ratios = likelihood_ratios(rounds.between(0, half), tried.scores, online=online)
    return membership(ratios, tried.members, seed=0, draws=999)


@pytest.mark.parametrize("online", [False, True])
def test_members_of_sums_are_found_and_of_noise_not(online):
    found = split_found(rounds_of(0.5), online=online)
    assert found.verdict is AttackVerdict.SIGNIFICANT
    assert found.main.value > 0.75
    drowned = split_found(rounds_of(1e6), online=online)
    assert drowned.verdict is AttackVerdict.NOT_SIGNIFICANT
    assert drowned.main.value == pytest.approx(0.5, abs=6.1 * 0.5 / math.sqrt(10 * 100))


def test_halves_are_drawn_by_lot_and_given_to_the_release():
    seen = []

    def release(people, _):
        seen.append(people)
        return people

    found = released_rounds(
        release, lambda given: np.isin(PEOPLE, given).astype(float), PEOPLE, rounds=300, seed=2
    )
    assert (found.scores == found.members).all()
    assert (found.members.sum(axis=1) == 10).all()
    assert all((np.diff(people) > 0).all() for people in seen)
    assert found.members.mean(axis=0) == pytest.approx(0.5, abs=6.1 * 0.5 / math.sqrt(300))


@pytest.mark.thorough
def test_workers_change_nothing_and_seeds_do():
    told = []
    one = rounds_of(0.5, 12, progress=lambda *a: told.append(a))
    two = rounds_of(0.5, 12, n_jobs=2)
    assert (one.members == two.members).all()
    assert (one.scores == two.scores).all()
    assert told == [("releases", done, 12) for done in range(13)]
    more = rounds_of(0.5, 15)
    assert (more.scores[:12] == one.scores).all()  # a round depends on its number alone
    other = released_rounds(NoisySum(0.5), inner, PEOPLE, rounds=12, seed=2)
    assert (other.members != one.members).any()


def test_noise_is_another_in_every_round():
    found = released_rounds(lambda _, random: random.uniform(2), lambda r: r, PEOPLE[:2], rounds=50, seed=0)
    assert np.unique(found.scores).size == 100


def test_several_scores_at_once():
    found = released_rounds(lambda *_: 0, lambda _: np.ones((20, 3)), PEOPLE, rounds=4, seed=0)
    assert found.scores.shape == (4, 20, 3)
    assert found.between(1, 3).scores.shape == (2, 20, 3)


def test_ratios_by_hand():
    """One person; in: 4, 6; out: −1, 1: means 5 and 0, one spread √2 of either kind. At 5: offline 5/√2, online 25/4."""
    members = np.array([[True], [True], [False], [False]])
    shadows = Rounds(members, np.array([[4.0], [6.0], [-1.0], [1.0]]))
    observed = np.array([[5.0], [0.0]])
    assert likelihood_ratios(shadows, observed, online=False).ravel() == pytest.approx([5 / math.sqrt(2), 0])
    assert likelihood_ratios(shadows, observed, online=True).ravel() == pytest.approx([25 / 4, -25 / 4])


def test_ratios_are_those_of_normals_of_own_or_common_spread():
    rng = np.random.default_rng(0)
    spread = np.array([1.0, 10.0, 100.0])
    for rounds, own in ((200, True), (30, False)):
        members = by_lot(3, 1, rounds=rounds) if own else np.tile([[True] * 3, [False] * 3], (15, 1))
        scores = rng.normal(size=members.shape) * spread
        got = likelihood_ratios(Rounds(members, scores), scores, online=True)
        parts = []
        for kind in (members, ~members):
            mean = np.array([scores[kind[:, p], p].mean() for p in range(3)])
            var = np.array([scores[kind[:, p], p].var(ddof=1) for p in range(3)])
            count = kind.sum(axis=0)
            if not own:
                var = np.full(3, (var * (count - 1)).sum() / (count - 1).sum())
            parts.append(norm.logpdf(scores, mean, np.sqrt(var)))
        assert got == pytest.approx(parts[0] - parts[1])


def test_offline_looks_at_no_release_with_the_person():
    rounds = rounds_of(0.5, 100)
    changed = np.where(rounds.members, 1e3, rounds.scores)
    one, two = (
        likelihood_ratios(Rounds(rounds.members, s), rounds.scores[:5], online=False)
        for s in (rounds.scores, changed)
    )
    assert one == pytest.approx(two)


def test_scores_without_spread_are_numbers():
    members = np.tile([[True], [False]], (4, 1))
    shadows = Rounds(members, members.astype(float))
    told = likelihood_ratios(shadows, np.array([[1.0], [0.0]]), online=True)
    assert np.isfinite(told).all()
    assert told[0] > 0 > told[1]
    same = Rounds(members, np.ones(members.shape))
    assert (likelihood_ratios(same, np.ones((1, 1)), online=True) == 0).all()


def test_what_tells_nothing_is_refused():
    rounds = rounds_of(0.5, 30)
    with bad_argument(ValueError, "shadows", by="shadows"):
        likelihood_ratios(Rounds(np.ones((4, 2), dtype=bool), np.ones((4, 2))), np.ones((1, 2)), online=False)
    with bad_argument(ValueError, (30, 20), (1, 3), by="shadows"):
        likelihood_ratios(rounds, np.ones((1, 3)), online=False)
    with bad_argument(ValueError, "people", 1, 3, by="shadows"):
        released_rounds(NoisySum(1.0), inner, PEOPLE[:1], rounds=3, seed=0)
    with bad_argument(ValueError, "people", len(PEOPLE), 0, by="shadows"):
        released_rounds(NoisySum(1.0), inner, PEOPLE, rounds=0, seed=0)
