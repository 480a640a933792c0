"""Noise of the stated scale is always passed, and of another scale found out as soon as there is enough of it."""

import numpy as np
import pytest

from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.noise import SecureRandom, discrete_laplace, rounded_gaussian
from synthrelease.evaluation.noise_check import NoiseTally

KINDS = {
    "gaussian": (lambda scale, count: RoundedGaussian(1.0, scale, count), rounded_gaussian),
    "laplace": (lambda scale, count: DiscreteLaplace(1, scale, count), discrete_laplace),
}


def checked(kind, count, *, stated, true, seed):
    event, draw = KINDS[kind]
    tally = NoiseTally(event(stated, count))
    noise = draw(true, count, random=SecureRandom.for_tests(seed))
    for part in np.array_split(noise, 3):
        tally.add(part)
    assert tally.count == count
    return tally.check()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [0.7, 3.0, 1e5])
@pytest.mark.parametrize("count", [1, 20, 3000])
def test_noise_as_it_is_stated_agrees(kind, scale, count):
    """An error has a probability of 1e-9; so none may be seen in 200 seeds."""
    assert all(checked(kind, count, stated=scale, true=scale, seed=seed).agrees for seed in range(200))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [10.0, 1e5])
@pytest.mark.parametrize("times", [0.75, 1.3])
def test_noise_of_another_scale_does_not(kind, scale, times):
    for seed in range(20):
        check = checked(kind, 3000, stated=scale, true=times * scale, seed=seed)
        assert not check.agrees
        assert abs(check.ratio - times) < 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_few_numbers_without_any_noise_are_found_out(kind):
    event, _ = KINDS[kind]
    for count in (2, 5, 24, 120):
        tally = NoiseTally(event(1e5, count))
        tally.add(np.zeros(count, dtype=np.int64))
        assert not tally.check().agrees, count


def test_a_tenth_of_laplace_noise_is_found_out_in_24_numbers():
    """As the areas of two stimuli have."""
    for seed in range(50):
        assert not checked("laplace", 24, stated=262144.0, true=26214.4, seed=seed).agrees


def test_the_interval_is_no_wider_than_it_must_be():
    """χ² of 3000 degrees of freedom: 6.1 standard deviations of the ratio, which are 1/√(2n)."""
    check = checked("gaussian", 3000, stated=1e5, true=1e5, seed=1)
    reach = 6.1 / np.sqrt(2 * 3000)
    assert 1 - reach == pytest.approx(check.low, abs=0.003)
    assert 1 + reach == pytest.approx(check.high, abs=0.003)
