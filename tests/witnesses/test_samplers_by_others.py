"""Our samplers and OpenDP's exact ones draw from the same distributions.

Ours have fixed seeds, OpenDP's cannot be seeded. So each decision is wrong with probability 1e-11, and all fifty together with less than
1e-9. That holds for controls too: `missed` computes how rarely one passes.

Google's stochastic tester cannot be had: it is a program of its C++ library, built with Bazel, and in no package of Python (python-dp 1.1.5,
which wraps that library, has none of it).

Sample sizes. Two samples of n and m decide like one of nm/(n + m). A scale that is wrong by a factor f then moves the statistic by
λ = nm/(n + m)·I·ln²f, where I is 2 for the Gaussian and 1 for the Laplace, less what coarse rounding costs. With n = 100 000 and
150 000 of OpenDP's, m = 1 000 000 of ours and f = 1 ± 0.05 it is 230 at least. With 45 cells the statistic is rejected above 140; it has
mean 44 + λ and variance 2(44 + 2λ).

Our Gaussian is the continuous one, rounded; OpenDP's of integers is the discrete one, which has variance σ² in place of σ² + 1/12. At
σ = 1 that is a scale wrong by 4 % (λ = 300), at σ = 17 by 1/7000 (λ = 0.004), which no test of this size tells from 0.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.noise import SecureRandom, discrete_laplace, private_choice, rounded_gaussian
from synthrelease.dp.sensitivity import quantile_utility
from synthrelease.kinds.statistics.quantiles import choose
from witnesses import by_opendp
from witnesses.two_samples import same_frequencies, same_law

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Numbers = NDArray[np.float64]

pytestmark = pytest.mark.thorough

SIGNIFICANCE = 1e-11
OURS = 1_000_000
THEIRS = {"gaussian": 100_000, "laplace": 150_000}
SCALES = [0.3, 1.0, 3.0, 17.0, 1000.0]
SAMPLERS = {
    "gaussian": (rounded_gaussian, by_opendp.drawn_rounded_gaussian),
    "laplace": (discrete_laplace, by_opendp.drawn_laplace),
}
laws = pytest.mark.parametrize("law", SAMPLERS)
scales = pytest.mark.parametrize("scale", SCALES)
factors = pytest.mark.parametrize("factor", [0.95, 1.05])


@cache
def ours(law: str, scale: float) -> Integers:
    random = SecureRandom.for_tests(2032).spawn(law, str(scale))
    return SAMPLERS[law][0](scale, OURS, random=random)


@cache
def theirs(law: str, scale: float) -> Integers:
    return SAMPLERS[law][1](scale, THEIRS[law])


# --- noise


@laws
@scales
def test_noise_is_distributed_as_opendp_s(law: str, scale: float) -> None:
    assert same_law(ours(law, scale), theirs(law, scale)) > SIGNIFICANCE


def test_a_large_rounded_gaussian_is_distributed_as_opendp_s_discrete_one() -> None:
    discrete = by_opendp.drawn_discrete_gaussian(17.0, THEIRS["gaussian"])
    assert same_law(ours("gaussian", 17.0), discrete) > SIGNIFICANCE


def test_control_a_small_discrete_gaussian_is_another_distribution() -> None:
    discrete = by_opendp.drawn_discrete_gaussian(1.0, THEIRS["gaussian"])
    assert same_law(ours("gaussian", 1.0), discrete) < SIGNIFICANCE


@laws
@scales
@factors
def test_control_a_scale_wrong_by_five_percent_is_rejected(law: str, scale: float, factor: float) -> None:
    random = SecureRandom.for_tests(2033).spawn(law, str(scale), str(factor))
    wrong = SAMPLERS[law][0](factor * scale, OURS, random=random)
    # The control is wrong in the direction that it names.
    assert np.sign(np.abs(wrong).mean() - np.abs(ours(law, scale)).mean()) == np.sign(factor - 1)
    assert same_law(wrong, theirs(law, scale)) < SIGNIFICANCE


@scales
def test_control_gaussian_and_laplace_noise_of_one_deviation_are_distinguished(scale: float) -> None:
    assert same_law(ours("gaussian", math.sqrt(2) * scale), theirs("laplace", scale)) < SIGNIFICANCE


# --- private choices

CHOICES = 16_000
CASES = [  # utilities, sensitivity, ε
    ((0, 1, 2, 4), 1, 0.7),
    ((5, 5, 0, 3, -2), 2, 1.5),
]
cases = pytest.mark.parametrize(("utilities", "sensitivity", "epsilon"), CASES, ids=str)
wrong_budgets = pytest.mark.parametrize("factor", [4 / 3, 3 / 4], ids=["more", "less"])


@cache
def chosen(utilities: tuple[int, ...], sensitivity: int, epsilon: float) -> Integers:
    """How often our permute-and-flip chooses each candidate."""
    random = SecureRandom.for_tests(2034).spawn(str(utilities), str(sensitivity), str(epsilon))
    drawn = [
        private_choice(utilities, sensitivity=sensitivity, epsilon=epsilon, random=random)
        for _ in range(CHOICES)
    ]
    counts: Integers = np.bincount(drawn, minlength=len(utilities))
    return counts


@cache
def chosen_by_opendp(utilities: tuple[int, ...], sensitivity: int, epsilon: float) -> Integers:
    return by_opendp.drawn_choices(utilities, sensitivity, epsilon, CHOICES)


@cases
def test_choices_fall_as_opendp_s_permute_and_flip_of_this_epsilon(
    utilities: tuple[int, ...], sensitivity: int, epsilon: float
) -> None:
    case = utilities, sensitivity, epsilon
    assert same_frequencies(chosen(*case), chosen_by_opendp(*case)) > SIGNIFICANCE


@cases
@wrong_budgets
def test_control_a_choice_of_another_epsilon_is_rejected(
    utilities: tuple[int, ...], sensitivity: int, epsilon: float, factor: float
) -> None:
    wrong = chosen(utilities, sensitivity, factor * epsilon)
    right = chosen(utilities, sensitivity, epsilon)
    best = np.array(utilities) == max(utilities)
    assert (wrong[best].sum() > right[best].sum()) == (factor > 1)
    assert same_frequencies(wrong, chosen_by_opendp(utilities, sensitivity, epsilon)) < SIGNIFICANCE


def test_control_opendp_s_exponential_mechanism_of_this_scale_is_another() -> None:
    case = CASES[0]
    exponential = by_opendp.drawn_choices(*case, CHOICES, gumbel=True)
    assert same_frequencies(chosen(*case), exponential) < SIGNIFICANCE


# --- private quantiles: utilities, their sensitivity and the choice together

QUANTILES = 10_000
QUARTILE, BUDGET = 0.25, 1.5
MIDDLES = [0.5, 1.5, 2.5, 3.5]  # of the intervals that we choose from
PEOPLE = [1.5] * 4  # all at the middle of one interval: our utilities are then OpenDP's scores
relations = pytest.mark.parametrize("neighbours", Neighbours)


@cache
def quantiles(neighbours: Neighbours, epsilon: float) -> Integers:
    name, moved = (
        f"quantile:{QUARTILE}",
        quantile_utility(Fraction(QUARTILE), moving=False, neighbours=neighbours),
    )
    counts = np.zeros((QUANTILES, 1, len(MIDDLES)), dtype=np.int64)
    counts[:, :, 1] = len(PEOPLE)
    random = SecureRandom.for_tests(2035).spawn(str(neighbours), str(epsilon))
    drawn = choose(counts, name, sensitivity=moved, epsilon=epsilon, random=random)
    frequencies: Integers = np.bincount(drawn.ravel(), minlength=len(MIDDLES))
    return frequencies


@cache
def quantiles_by_opendp(neighbours: Neighbours) -> Integers:
    replaced = neighbours is Neighbours.REPLACE_ONE
    return by_opendp.drawn_quantiles(PEOPLE, MIDDLES, QUARTILE, BUDGET, QUANTILES, replaced=replaced)


@relations
def test_quantiles_fall_as_opendp_s_private_quantile_of_this_epsilon(neighbours: Neighbours) -> None:
    assert same_frequencies(quantiles(neighbours, BUDGET), quantiles_by_opendp(neighbours)) > SIGNIFICANCE


@relations
@wrong_budgets
def test_control_a_quantile_of_another_epsilon_is_rejected(neighbours: Neighbours, factor: float) -> None:
    wrong = quantiles(neighbours, factor * BUDGET)
    assert same_frequencies(wrong, quantiles_by_opendp(neighbours)) < SIGNIFICANCE


# --- the helpers


def missed(p: Numbers, q: Numbers, sizes: tuple[int, int]) -> float:
    """Probability that samples of two distributions of cells pass for one: the statistic is chi-square, non-central by λ."""
    n, m = sizes
    together = (n * p + m * q) / (n + m)
    distance = n * m / (n + m) * float(((p - q) ** 2 / together).sum())
    threshold = stats.chi2.isf(SIGNIFICANCE, p.size - 1)
    return float(stats.ncx2.cdf(threshold, p.size - 1, distance))


def cells(law: str, scale: float, ends: Integers) -> Numbers:
    """Probabilities of (…, end], (end, next] …"""
    if law == "gaussian":
        below = ndtr((ends + 0.5) / scale)
    else:
        tail = np.exp(-np.where(ends < 0, -ends, ends + 1) / scale) / (1 + math.exp(-1 / scale))
        below = np.where(ends < 0, tail, 1 - tail)
    return np.diff(below, prepend=0.0, append=1.0)


def cut(law: str, scale: float) -> Integers:
    """Ends of 44 cells of about equal probability, fewer where integers are coarser than that."""
    levels = np.arange(1, 44) / 44
    quantile = stats.norm.ppf if law == "gaussian" else stats.laplace.ppf
    ends: Integers = np.unique(np.floor(scale * quantile(levels)).astype(np.int64))
    return ends if scale >= 1 else np.array([-1, 0])


@laws
@scales
@factors
def test_samples_are_large_enough(law: str, scale: float, factor: float) -> None:
    ends = cut(law, scale)
    right, wrong = cells(law, scale, ends), cells(law, factor * scale, ends)
    assert missed(right, wrong, (THEIRS[law], OURS)) < SIGNIFICANCE


def permute_and_flip(utilities: Sequence[int], sensitivity: int, epsilon: float) -> Numbers:
    """P(r) = p_r·∫₀¹ Π_{s≠r} (1 − t·p_s) dt (McKenna & Sheldon 2020, Algorithm 1, in continuous time)."""
    p = [math.exp(-epsilon * (max(utilities) - u) / (2 * sensitivity)) for u in utilities]
    law = []
    for r, one in enumerate(p):
        others = np.polynomial.Polynomial([1.0])
        for s, other in enumerate(p):
            others = others * np.polynomial.Polynomial([1.0, -other]) if s != r else others
        law.append(one * float(others.integ()(1.0)))
    return np.array(law)


@cases
@wrong_budgets
def test_choices_are_numerous_enough(
    utilities: tuple[int, ...], sensitivity: int, epsilon: float, factor: float
) -> None:
    right = permute_and_flip(utilities, sensitivity, epsilon)
    wrong = permute_and_flip(utilities, sensitivity, factor * epsilon)
    assert right.sum() == pytest.approx(1.0)
    assert missed(right, wrong, (CHOICES, CHOICES)) < SIGNIFICANCE


@relations
@wrong_budgets
def test_quantiles_are_numerous_enough(neighbours: Neighbours, factor: float) -> None:
    replaced = neighbours is Neighbours.REPLACE_ONE
    scores, sensitivity = by_opendp.quantile_scores(PEOPLE, MIDDLES, QUARTILE, replaced=replaced)
    right, wrong = (
        permute_and_flip([-score for score in scores], sensitivity, budget)
        for budget in (BUDGET, factor * BUDGET)
    )
    assert missed(right, wrong, (QUANTILES, QUANTILES)) < SIGNIFICANCE


@laws
@pytest.mark.parametrize("scale", [0.3, 17.0])
def test_the_helper_rejects_as_often_as_it_says_where_both_samples_are_of_one_law(
    law: str, scale: float
) -> None:
    random = SecureRandom.for_tests(2036).spawn(law, str(scale))
    sampler = SAMPLERS[law][0]
    values = [
        same_law(sampler(scale, 20_000, random=random), sampler(scale, 10_000, random=random))
        for _ in range(200)
    ]
    for level in (0.01, 0.1, 0.5, 0.9):
        below = sum(value < level for value in values)
        assert stats.binomtest(below, len(values), level).pvalue > SIGNIFICANCE


def test_the_helper_sees_a_shift_a_sign_and_a_few_values_in_the_tail() -> None:
    sample = ours("gaussian", 17.0)
    half, other = sample[: OURS // 2], sample[OURS // 2 :]
    assert same_law(half, other) > SIGNIFICANCE
    assert same_law(half, other + 1) < SIGNIFICANCE
    assert same_law(half, np.abs(other)) < SIGNIFICANCE
    far = np.where(np.arange(other.size) % 1000 == 0, 100, other)
    assert same_law(half, far) < SIGNIFICANCE


def test_the_helper_refuses_outcomes_that_are_too_rare() -> None:
    with pytest.raises(AssertionError):
        same_frequencies(np.array([1000, 3]), np.array([1000, 2]))
