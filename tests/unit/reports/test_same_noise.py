"""Noise that was used twice is found whatever the data, and noise that was drawn anew is not suspected."""

import itertools
import math

import numpy as np
import pytest

from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.noise import SecureRandom, discrete_laplace, rounded_gaussian
from synthrelease.reports import same_noise
from synthrelease.reports.same_noise import is_no_chance, likeness, pairs_in_order

KINDS = [RoundedGaussian, DiscreteLaplace]
SCALES = [0.3, 3.0, 50.0, 1e6]


def drawn(noise, number, *, seed):
    draw = rounded_gaussian if isinstance(noise, RoundedGaussian) else discrete_laplace
    return draw(noise.scale, number, random=SecureRandom.for_tests(seed))


def looked_at(old, new, *, number=400, data=(0, 0), seeds=(1, 2)):
    one = drawn(old, number, seed=seeds[0]) + np.asarray(data[0], dtype=np.int64)
    other = drawn(new, number, seed=seeds[1]) + np.asarray(data[1], dtype=np.int64)
    return likeness([(one, other)], old, new)


@pytest.mark.parametrize("kinds", list(itertools.product(KINDS, KINDS)))
@pytest.mark.parametrize("scales", list(itertools.product(SCALES, SCALES)))
def test_noise_that_was_drawn_anew_is_not_suspected(kinds, scales):
    old, new = (kind(1, scale, 1) for kind, scale in zip(kinds, scales, strict=True))
    for seed, data in itertools.product(range(3), (0, 1000)):
        assert not looked_at(old, new, number=2000, data=(data, data), seeds=(seed, seed + 10)).repeated


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", SCALES[1:])
def test_the_same_noise_on_other_data_is_found(kind, scale):
    noise = kind(1, scale, 1)
    small = np.arange(400) % 7 * (scale / 30)  # every place a little
    few = np.where(np.arange(400) % 4 == 0, 1000 * scale, 0)  # a quarter of the places by far
    for data in (small, few, -few, 0):
        found = looked_at(noise, noise, data=(500, 500 + np.rint(data)), seeds=(3, 3))
        assert found.repeated
        assert found.telling
        assert found.places == 400


@pytest.mark.parametrize("kinds", list(itertools.product(KINDS, KINDS)))
def test_the_same_random_words_are_found_at_another_scale_and_in_another_distribution(kinds):
    old, new = kinds[0](1, 1e5, 1), kinds[1](1, 3.3e5, 1)
    assert looked_at(old, new, seeds=(3, 3)).repeated
    assert looked_at(new, old, seeds=(3, 3)).repeated


def test_data_that_differ_by_more_than_the_noise_hide_it():
    noise, far = RoundedGaussian(1, 100.0, 1), np.arange(400) * 1000
    assert not looked_at(noise, noise, data=(0, far), seeds=(3, 3)).repeated


@pytest.mark.parametrize(("scale", "few", "enough"), [(1e6, 2, 4), (50.0, 5, 12), (3.0, 10, 60)])
@pytest.mark.parametrize("kind", KINDS)
def test_it_says_when_there_is_too_little_to_tell(kind, scale, few, enough):
    noise = kind(1, scale, 1)
    for number, telling in ((few, False), (enough, True)):
        found = looked_at(noise, noise, number=number, seeds=(3, 3))
        assert found.equal == number
        assert found.telling is telling
        assert found.repeated is telling
        assert looked_at(noise, noise, number=number).telling is telling
    assert likeness([], noise, noise) == same_noise.Likeness(0, 0, repeated=False, telling=False)


@pytest.mark.parametrize("block", [7, 1 << 18])
def test_arrays_and_blocks_do_not_matter(monkeypatch, block):
    monkeypatch.setattr(same_noise, "_BLOCK", block)
    noise = RoundedGaussian(1, 50.0, 1)
    one, other = drawn(noise, 300, seed=1), drawn(noise, 300, seed=1) + 3
    whole = likeness([(one, other)], noise, noise)
    assert whole == likeness(zip(one.reshape(10, 30), other.reshape(10, 30), strict=True), noise, noise)
    assert whole == likeness([(one.reshape(3, 100).astype(np.int32), other.reshape(3, 100))], noise, noise)
    assert whole.repeated


def test_in_order_lays_integers_beside_each_other_whatever_arrays_they_are_in():
    empty = np.zeros(0, dtype=int)
    for sizes, others in (
        ((3, 4), (7,)),
        ((2, 2, 2), (4, 1)),
        ((0, 5), (1, 1, 1)),
        ((), (3,)),
        ((6,), (2, 0, 9)),
    ):
        number = min(sum(sizes), sum(others))
        split = [
            [np.arange(sum(s[:i]), sum(s[: i + 1])) + shift for i in range(len(s))]
            for s, shift in ((sizes, 0), (others, 100))
        ]
        pairs = list(pairs_in_order(*split))
        assert np.concatenate([empty, *(one for one, _ in pairs)]).tolist() == list(range(number))
        assert np.concatenate([empty, *(other for _, other in pairs)]).tolist() == list(
            range(100, 100 + number)
        )
    square = [np.arange(6).reshape(2, 3)]
    assert [one.tolist() for one, _ in pairs_in_order(square, [np.arange(4)])] == [[0, 1, 2, 3]]


@pytest.mark.parametrize("kinds", list(itertools.product(KINDS, KINDS)))
@pytest.mark.parametrize("scales", [(2.0, 2.0), (2.0, 40.0), (1000.0, 1000.0), (1000.0, 100.0)])
@pytest.mark.parametrize("data", [0, 1, 5])
def test_independent_noise_is_never_nearer_than_the_bound(kinds, scales, data):
    """The bound that the docstring derives, at every t, against a million draws: nowhere below what happens."""
    old, new = (kind(1, scale, 1) for kind, scale in zip(kinds, scales, strict=True))
    number = 200_000
    one, other = drawn(old, number, seed=5), drawn(new, number, seed=6) + data
    near = same_noise._near(same_noise._distances(one, other, old, new)) / number
    rounding = same_noise._rounding(old) + same_noise._rounding(new)
    bound = np.array([same_noise._probability(t + rounding, old, new) for t in same_noise._NEARNESS])
    assert (near <= bound + 7 * np.sqrt(bound * (1 - np.minimum(bound, 1)) / number) + 1e-4).all()
    if (
        kinds[0] is kinds[1] and min(scales) >= 1000 and data == 0
    ):  # and not far above it: the test is no idle one
        wide = same_noise._NEARNESS >= 0.25
        assert (near[wide] >= 0.97 * bound[wide]).all()


def test_probabilities_are_those_of_the_difference_of_two_noises():
    rng = np.random.default_rng(8)
    for kind, draw in ((RoundedGaussian, rng.normal), (DiscreteLaplace, rng.laplace)):
        apart = np.abs(draw(size=10**6) - draw(size=10**6))
        for t in (0.1, 0.5, 1.0, 2.0):
            one = kind(1, 1.0, 1)
            assert math.isclose((apart <= t).mean(), same_noise._probability(t, one, one), abs_tol=0.004)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [0.3, 2.0, 1e5])
def test_what_can_be_the_same_by_chance_is_not_taken_for_one_draw(kind, scale):
    share = (drawn(kind(1, scale, 1), 10**5, seed=3) == 0).mean()  # the most probable of all
    last = [kind(1, scale, n) for n in range(1, 2000) if not is_no_chance(kind(1, scale, n))][-1].count
    if scale < 10:
        assert math.isclose(last, math.log(1e-12) / math.log(share), rel_tol=0.05, abs_tol=1)
    assert last == {1e5: 2}.get(scale, last)
