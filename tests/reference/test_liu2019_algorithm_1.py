"""Liu et al. 2019, Algorithm 1 and Theorem 4.1: the paper's loop word for word, and its expectation by experiment."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from synthrelease.dp.calibration import liu2019_sigma
from synthrelease.dp.noise import SecureRandom, rounded_gaussian
from synthrelease.numerics.gaze_caps import excess_norms


@pytest.fixture
def chosen(script):
    """The script that chooses caps."""
    return script("reproductions._liu2019_cap")


PEOPLE, PIXELS = 12, 40


def some_maps(seed=0, people=PEOPLE, pixels=PIXELS):
    """Gaze maps with many zeros and a few pixels looked at for long, shape (people, pixels)."""
    rng = np.random.default_rng(seed)
    return rng.binomial(1, 0.4, (people, pixels)) * rng.geometric(0.25, (people, pixels))


def nonzero(maps):
    return np.nonzero(maps)[1].astype(np.int64), maps[maps > 0].astype(np.int64)


def algorithm_1(maps, sigma_star):
    """As printed: G^(∞) and g_max first, then for every m the capped mean map and the error of Theorem 4.1."""
    n, r = maps.shape
    uncapped = maps.sum(axis=0) / n
    errors = []
    for m in range(1, maps.max() + 1):
        capped = np.minimum(maps, m).sum(axis=0) / n
        errors.append(m**2 * sigma_star**2 + ((capped - uncapped) ** 2).sum() / r)
    return int(np.argmin(errors)) + 1, errors


def one_pass(maps, sigma_star, chosen):
    n, r = maps.shape
    caps = range(1, maps.max() + 1)
    sigmas = np.array([m * sigma_star for m in caps])
    errors = chosen.expected_mse(excess_norms(*nonzero(maps), caps), sigmas, people=n, pixels=r)
    return chosen.best_cap(caps, errors), errors


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("sigma_star", [0.0, 0.01, 0.1, 0.3, 3.0])
def test_liu2019_algorithm_1_one_pass_equals_the_papers_loop(seed, sigma_star, chosen):
    maps = some_maps(seed)
    cap, errors = one_pass(maps, sigma_star, chosen)
    papers_cap, papers_errors = algorithm_1(maps, sigma_star)
    np.testing.assert_allclose(errors, papers_errors, rtol=1e-12)
    assert cap == papers_cap


def test_liu2019_algorithm_1_finds_caps_between_1_and_g_max(chosen):
    """The test above would say little if all of its noise led to the same end of the list."""
    found = {
        one_pass(some_maps(seed), s, chosen)[0] for seed in range(20) for s in (0.0, 0.01, 0.1, 0.3, 3.0)
    }
    assert {1, 2, 3, some_maps(0).max()} <= found


def test_liu2019_algorithm_1_works_only_where_someone_looked(chosen):
    """Theorem 4.2 counts g_max·n·r steps; 10¹² pixels and 10⁹ silent people would take the loop years."""
    maps = some_maps()
    pixel, count = nonzero(maps)
    far = pixel * 10**11
    caps = range(1, maps.max() + 1)
    assert excess_norms(far, count, caps) == excess_norms(pixel, count, caps)
    mse = chosen.expected_mse(
        excess_norms(far, count, caps), np.zeros(len(caps)), people=10**9, pixels=10**12
    )
    assert mse[0] == pytest.approx(excess_norms(pixel, count, [1])[0] / 10**30, rel=1e-14)


def mean_mse(maps, m, sigma_sum, runs, random):
    """Mean over runs of MSE(G^(N,m)) in *squared sums*, and its exact standard error for rounded noise."""
    capped, uncapped = np.minimum(maps, m).sum(axis=0), maps.sum(axis=0)
    noise = rounded_gaussian(sigma_sum, (runs, maps.shape[1]), random=random)
    return float((((capped + noise - uncapped) ** 2).mean(axis=1)).mean())


def standard_error(maps, m, sigma_sum, runs):
    """Var (D + Z)² = 2σ⁴ + 4D²σ² for a Gaussian; rounding to the grid changes it by less than a per mille here."""
    d = np.maximum(maps - m, 0).sum(axis=0)
    return math.sqrt((2 * sigma_sum**4 + 4 * d**2 * sigma_sum**2).sum() / runs) / maps.shape[1]


QUANTILE = stats.norm.isf(5e-10)  # two-sided 1e-9
RUNS = 20_000


@pytest.mark.parametrize("m", [1, 2, 5, 30])
def test_liu2019_theorem_4_1_is_the_mean_error_of_noised_capped_maps(m, chosen):
    maps = some_maps()
    sigma_sum = 1.5 * m + 6  # of the sum, in counts: wide enough for rounding to add its 1/12 and no more
    found = mean_mse(maps, m, sigma_sum, RUNS, SecureRandom.for_tests(2019 + m))
    sigma_rounded = math.sqrt(sigma_sum**2 + 1 / 12)
    expected = PEOPLE**2 * chosen.expected_mse(
        excess_norms(*nonzero(maps), [m]), np.array([sigma_rounded / PEOPLE]), people=PEOPLE, pixels=PIXELS
    )
    error = standard_error(maps, m, sigma_sum, RUNS)
    assert abs(found - expected[0]) < QUANTILE * error
    # The same experiment must tell a σ wrong by 5 % either way, and a forgotten bias.
    for wrong in (0.95 * sigma_sum, 1.05 * sigma_sum):
        assert abs(mean_mse(maps, m, wrong, RUNS, SecureRandom.for_tests(m)) - expected[0]) > QUANTILE * error
    if m < maps.max() // 2:
        assert abs(found - sigma_rounded**2) > QUANTILE * error


def test_liu2019_section_4_2_noise_factor_is_theorem_3_4_per_unit_of_cap():
    """σ_N = m·σ*: the list of sigmas that Algorithm 1 is given."""
    sigma_star = liu2019_sigma(1.0, 1e-5, cap=1, pixels=PIXELS) / PEOPLE
    for m in (1, 3, 9):
        assert liu2019_sigma(1.0, 1e-5, cap=m, pixels=PIXELS) / PEOPLE == pytest.approx(
            m * sigma_star, rel=1e-14
        )
