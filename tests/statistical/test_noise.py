"""The noise has the distribution it is said to have: shape, tails, symmetry, independence.

Seeds are fixed, so a run that passes passes again; but the tests are valid for a fresh seed as well: each
decision would then be wrong with probability 1e-9 (after Bonferroni's correction within it).

Sample sizes. A scale wrong by a factor f moves the chi-square statistic of n samples by λ = n·I·ln²f, I = 2
for the Gaussian and 1 for the Laplace, less what coarse rounding costs (a third at σ = ½). With 56 cells at
most the statistic is rejected above 143 at 1e-9; it has mean 55 + λ and variance 2(55 + 2λ). For n = 1 000 000
and f = 1 ± 0.05, λ ≥ 2470: the mean is 23 standard deviations beyond the threshold. Even 1 % would be found,
with probability 0.99998 in the Gaussian (λ = 195) and 0.7 in the Laplace (λ = 99). For the tails 10 000 000
samples give 68 expected values beyond 4.5σ, so that none at all has probability e⁻⁶⁸, and 635 beyond 4σ, where
±5 % makes 1395 or 255 of them.
"""

from __future__ import annotations

import itertools
import math
import os
import signal
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from invented_records import coded_records, release
from scipy import stats
from scipy.special import ndtr, ndtri
from wanted import Records

from synthrelease.data.attribute import Attribute
from synthrelease.data.features import RECORDING, FeatureData
from synthrelease.dp.budget import Budget
from synthrelease.dp.calibration import gaussian_sigma
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.noise import SecureRandom, discrete_laplace, rounded_gaussian
from synthrelease.kinds.records.fit import weighted_counts
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Numbers = NDArray[np.float64]

SIGNIFICANCE = 1e-9
COUNT = 1_000_000
TAIL_COUNT = 10_000_000
SCALES = [0.5, 1.0, 7.3, 1e3, 1e5]
LEAST_EXPECTED = 100.0  # in a cell: the chi-square approximation then holds as far out as 1e-9


@dataclass(frozen=True)
class Law:
    """A sampler beside the distribution that its docstring states."""

    name: str
    sample: Callable[..., Integers]
    below: Callable[[float, Integers], Numbers]  # P(noise ≤ k), exact
    cell_ends: Callable[[float, Numbers], Numbers]  # roughly its quantiles, to cut cells of equal size
    tail_ends: tuple[float, ...]  # in units of the scale

    def at_least(self, scale: float, k: int) -> float:
        """P(noise ≥ k) by symmetry, without cancellation in the tail."""
        return float(self.below(scale, np.array([-k]))[0])


def gaussian_below(sigma: float, k: Integers) -> Numbers:
    return ndtr((k + 0.5) / sigma)


def laplace_below(scale: float, k: Integers) -> Numbers:
    """Sum the geometric series of (1 − q)/(1 + q)·q^|i| up to k."""
    outside = np.exp(-np.where(k < 0, -k, k + 1) / scale) / (1 + math.exp(-1 / scale))
    return np.where(k < 0, outside, 1 - outside)


def laplace_cell_ends(scale: float, p: Numbers) -> Numbers:
    return scale * np.sign(p - 0.5) * -np.log(2 * np.minimum(p, 1 - p))


GAUSSIAN = Law(
    "gaussian",
    rounded_gaussian,
    gaussian_below,
    lambda sigma, p: sigma * ndtri(p),
    (3.5, 4.0, 4.5, 5.0),
)
LAPLACE = Law("laplace", discrete_laplace, laplace_below, laplace_cell_ends, (7.0, 9.0, 11.0, 13.0))
LAWS = [GAUSSIAN, LAPLACE]
laws = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
scales = pytest.mark.parametrize("scale", SCALES)
control = pytest.mark.quick  # of a test's power: with these seeds no change of the package takes it away


@cache
def drawn(law: Law, scale: float, count: int = COUNT) -> Integers:
    """One sample for all tests of a law and scale."""
    random = SecureRandom.for_tests(2024).spawn(law.name, str(scale), str(count))
    sample = law.sample(scale, count, random=random)
    sample.flags.writeable = False
    return sample


# --- the helpers: each returns a p-value


def fit(sample: Integers, law: Law, scale: float) -> float:
    """Chi-square over some 50 cells of about equal probability and finer ones outside, tails pooled."""
    middle = np.arange(1, 50) / 50
    outside = np.array([1e-4, 1e-3, 5e-3])
    levels = np.concatenate([outside, middle, 1 - outside])
    ends = np.unique(np.floor(law.cell_ends(scale, levels))).astype(np.int64)
    ends = _pooled(ends, law, scale, sample.size)
    expected = sample.size * np.diff(law.below(scale, ends), prepend=0.0, append=1.0)
    seen = np.bincount(np.searchsorted(ends, sample), minlength=ends.size + 1)
    statistic = float(((seen - expected) ** 2 / expected).sum())
    return float(stats.chi2.sf(statistic, ends.size))


def _pooled(ends: Integers, law: Law, scale: float, count: int) -> Integers:
    """Leave out ends until every cell (…, end] and the last one, beyond all ends, expects enough."""
    kept: list[int] = []
    used = 0.0
    for end, below in zip(ends.tolist(), law.below(scale, ends).tolist(), strict=True):
        if count * (below - used) >= LEAST_EXPECTED and count * (1 - below) >= LEAST_EXPECTED:
            kept.append(end)
            used = below
    assert kept, "too few samples for two cells"
    return np.array(kept)


def tails(sample: Integers, law: Law, scale: float) -> float:
    """Counts beyond several thresholds on each side, each by the exact binomial test; Bonferroni."""
    smallest = 1.0
    for multiple in law.tail_ends:
        k = math.ceil(multiple * scale)
        probability = law.at_least(scale, k)
        for beyond in (np.count_nonzero(sample >= k), np.count_nonzero(sample <= -k)):
            smallest = min(smallest, stats.binomtest(int(beyond), sample.size, probability).pvalue)
    return min(1.0, 2 * len(law.tail_ends) * smallest)


def symmetry(sample: Integers) -> float:
    """Sign tests: all non-zero values, those beyond the median magnitude, and the largest 1 %; Bonferroni."""
    magnitude = np.abs(sample)
    smallest = 1.0
    for level in (0.0, 0.5, 0.99):
        shell = sample[(magnitude > 0) & (magnitude >= np.quantile(magnitude, level))]
        smallest = min(smallest, stats.binomtest(int((shell > 0).sum()), shell.size).pvalue)
    return min(1.0, 3 * smallest)


def correlation(pairs: list[tuple[Integers, Integers]]) -> float:
    """Correlation of values, magnitudes and parities in each of the pairs; Bonferroni."""
    views: list[Callable[[Integers], Integers]] = [lambda k: k, np.abs, lambda k: k & 1]
    smallest = 1.0
    for first, second in pairs:
        for view in views:
            one, two = view(first) - view(first).mean(), view(second) - view(second).mean()
            r = float((one * two).mean() / math.sqrt((one * one).mean() * (two * two).mean()))
            smallest = min(smallest, 2 * float(stats.norm.sf(abs(r) * math.sqrt(first.size))))
    return min(1.0, len(pairs) * len(views) * smallest)


def serial(sample: Integers) -> float:
    """Correlation with the neighbours, and across cipher blocks (2 words) and the sampler's (32 768)."""
    return correlation([(sample[:-lag], sample[lag:]) for lag in (1, 2, 3, 4, 32_768)])


# --- the samplers


@laws
@scales
def test_the_sample_fits_the_exact_distribution(law: Law, scale: float) -> None:
    assert fit(drawn(law, scale), law, scale) > SIGNIFICANCE


@control
@laws
@scales
@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_control_a_scale_wrong_by_five_percent_is_rejected(law: Law, scale: float, factor: float) -> None:
    random = SecureRandom.for_tests(2025).spawn(law.name, str(scale), str(factor))
    wrong = law.sample(factor * scale, COUNT, random=random)
    right = drawn(law, scale)
    # The control is itself wrong in the direction it says, so that both are tested.
    assert np.sign(np.abs(wrong).mean() - np.abs(right).mean()) == np.sign(factor - 1)
    assert fit(wrong, law, scale) < SIGNIFICANCE
    assert fit(right, law, factor * scale) < SIGNIFICANCE


@laws
@pytest.mark.parametrize("scale", [7.3, 1e3])
def test_the_tails_hold_as_many_values_as_they_should(law: Law, scale: float) -> None:
    assert tails(drawn(law, scale, TAIL_COUNT), law, scale) > SIGNIFICANCE


@laws
@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_control_tails_wrong_by_five_percent_are_rejected(law: Law, factor: float) -> None:
    sample = drawn(law, 1e3, TAIL_COUNT)
    assert tails(sample, law, 1e3 * factor) < SIGNIFICANCE


@laws
@scales
def test_both_signs_are_equally_frequent(law: Law, scale: float) -> None:
    assert symmetry(drawn(law, scale)) > SIGNIFICANCE


@laws
@scales
def test_neighbours_are_independent(law: Law, scale: float) -> None:
    assert serial(drawn(law, scale)) > SIGNIFICANCE


# --- the joint counts of records

PEOPLE = 20


@cache
def joint_counts_noise(law: Law, *, tree: bool) -> tuple[tuple[Integers, ...], float]:
    """The noise on the joint counts of a release, table by table, and its stated scale; a quarter of a million of each kind.

    All pairs of three attributes; or each of three by the task.
    """
    bins = 290 if tree else 42_000
    features = [Attribute(name, bins, None, 0.0, 1.0) for name in ("a", "b", "c")]
    task = Attribute(RECORDING, 2, ("read", "rest"))
    attributes = tuple(features) if tree else (task, *features)
    parameters = Records(
        model="marginals",
        fit="dp",
        attributes=attributes,
        order=tuple(range(len(attributes))),
        resampled=(len(attributes),),
        k=1,
        gamma=4.0,
        counted="person",
        rows=1,
        trials=1,
        neighbours=Neighbours.REPLACE_ONE,
        people=PEOPLE,
        noise=law.name,
        dependence="tree" if tree else "independent",
        task=not tree,
        per_task=not tree,
    )
    generator = np.random.default_rng(7)
    person = np.arange(PEOPLE).repeat(30)
    data = FeatureData(
        features=("a", "b", "c"),
        bounds=np.array([[0.0, 1.0]] * 3),
        recordings=("read", "rest"),
        people=PEOPLE,
        person=person,
        recording=generator.integers(0, 2, person.size),
        values=generator.uniform(0, 1, (person.size, 3)),
    )
    random = SecureRandom.for_tests(2027).spawn(law.name, str(tree))
    values, event, _ = release(data, parameters, Budget(3.0, 1e-6), random=random)
    coded, own = coded_records(data, parameters)
    exact = weighted_counts(coded, own, parameters.categories, parameters.subsets())
    names = [attribute.name for attribute in attributes]
    noise = tuple(
        (values[(*(names[a] for a in subset), "noisy")] - table).ravel() for subset, table in exact.items()
    )
    assert isinstance(event, DiscreteLaplace | RoundedGaussian)
    # The exact counts are where the people are, and nowhere else: what was taken off is not noise itself.
    assert all(table.sum() == PEOPLE * HALF_RANGE for table in exact.values())
    return noise, event.scale


trees = pytest.mark.parametrize("tree", [True, False], ids=["tree", "per task"])


@laws
@trees
def test_joint_counts_carry_the_stated_noise(law: Law, tree: bool) -> None:  # noqa: FBT001
    noise, scale = joint_counts_noise(law, tree=tree)
    assert sum(part.size for part in noise) > 250_000
    for part in (*noise, np.concatenate(noise)):
        assert fit(part, law, scale) > SIGNIFICANCE
        assert symmetry(part) > SIGNIFICANCE
        assert serial(part) > SIGNIFICANCE
    assert correlation(list(itertools.combinations(noise, 2))) > SIGNIFICANCE


@laws
@trees
def test_the_scale_on_joint_counts_is_that_of_all_sets_together(law: Law, tree: bool) -> None:  # noqa: FBT001
    """Three sets: Δ₁ = 3·2H and Δ₂ = √3·√2·H. Noise enough for one of them would be a third, or 58 %, of it."""
    _, scale = joint_counts_noise(law, tree=tree)
    if law is LAPLACE:
        assert scale == pytest.approx(6 * HALF_RANGE / 3.0, rel=1e-12)
    else:
        sigma = gaussian_sigma(3.0, 1e-6, sensitivity=math.sqrt(6) * HALF_RANGE)
        assert scale == pytest.approx(sigma, rel=1e-12)


@control
@laws
@trees
@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_control_joint_counts_with_a_scale_wrong_by_five_percent_are_rejected(
    law: Law,
    tree: bool,  # noqa: FBT001
    factor: float,
) -> None:
    noise, scale = joint_counts_noise(law, tree=tree)
    together = np.concatenate(noise)
    assert fit(together, law, factor * scale) < SIGNIFICANCE
    assert fit(together, LAPLACE if law is GAUSSIAN else GAUSSIAN, scale) < SIGNIFICANCE
    # Noise that one table shares with another, as if a stream were used twice.
    assert correlation([(noise[0], noise[0]), (noise[1], noise[2])]) < SIGNIFICANCE


# --- forked workers

WORKERS = 3
WORKER_COUNT = 200_000  # the pipes hand over 1.6 MB; a correlation of 0.015 is found


def in_workers(work: Callable[[int], Integers]) -> list[Integers]:
    """Do `work(number)` in forked workers that run side by side."""
    started = []
    for number in range(WORKERS):
        read, write = os.pipe()
        with warnings.catch_warnings():
            # From Python 3.12 on a fork beside threads (BLAS, xdist) warns; the child runs `work` only.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            status = 1
            try:
                signal.alarm(60)
                with os.fdopen(write, "wb") as pipe:
                    pipe.write(work(number).tobytes())
                status = 0
            finally:
                os._exit(status)
        os.close(write)
        started.append((child, read))
    results = []
    for child, read in started:
        with os.fdopen(read, "rb") as pipe:
            results.append(np.frombuffer(pipe.read(), dtype=np.int64))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return results


@laws
def test_forked_workers_with_spawned_generators_are_independent(law: Law) -> None:
    random = SecureRandom.for_tests(2026)
    samples = in_workers(
        lambda number: law.sample(7.3, WORKER_COUNT, random=random.spawn(f"worker {number}"))
    )
    samples.append(law.sample(7.3, WORKER_COUNT, random=random))
    assert all(fit(sample, law, 7.3) > SIGNIFICANCE for sample in samples)
    assert correlation(list(itertools.combinations(samples, 2))) > SIGNIFICANCE


@laws
def test_forked_workers_that_inherit_one_generator_are_independent(law: Law) -> None:
    """The one test without a seed: re-keying after a fork draws on the operating system."""
    random = SecureRandom()
    random.words(10)
    samples = in_workers(lambda _: law.sample(7.3, WORKER_COUNT, random=random))
    samples.append(law.sample(7.3, WORKER_COUNT, random=random))
    assert correlation(list(itertools.combinations(samples, 2))) > SIGNIFICANCE


def test_control_workers_that_share_a_stream_are_rejected() -> None:
    samples = in_workers(lambda _: rounded_gaussian(7.3, WORKER_COUNT, random=SecureRandom.for_tests(2026)))
    assert correlation(list(itertools.combinations(samples, 2))) < SIGNIFICANCE


# --- the helpers themselves


def independent_draw(law: Law, scale: float, count: int, generator: np.random.Generator) -> Integers:
    """The same distribution by NumPy's generator and another construction."""
    if law is GAUSSIAN:
        return np.rint(generator.normal(0.0, scale, count)).astype(np.int64)
    success = -math.expm1(-1 / scale)
    return generator.geometric(success, count) - generator.geometric(success, count)


@laws
@scales
def test_the_stated_probabilities_are_those_of_the_definition(law: Law, scale: float) -> None:
    k = np.arange(-40, 41)
    probabilities = law.below(scale, k) - law.below(scale, k - 1)
    if law is GAUSSIAN:
        expected = ndtr((k + 0.5) / scale) - ndtr((k - 0.5) / scale)
    else:
        expected = math.tanh(0.5 / scale) * np.exp(-np.abs(k) / scale)
    np.testing.assert_allclose(probabilities, expected, rtol=0, atol=1e-15)
    assert law.at_least(scale, 3) == pytest.approx(
        1 - law.below(scale, np.array([2]))[0], rel=1e-9, abs=1e-16
    )


@pytest.mark.thorough
@laws
def test_under_the_null_the_p_values_are_uniform(law: Law) -> None:
    """Neither too small, which would be false alarms, nor too large, which would be no test at all."""
    generator = np.random.default_rng(0)
    helpers: dict[str, Callable[[Integers], float]] = {
        "fit at 0.5": lambda sample: fit(sample, law, 0.5),
        "fit at 7.3": lambda sample: fit(sample, law, 7.3),
        "fit at 1e5": lambda sample: fit(sample, law, 1e5),
        "tails": lambda sample: tails(sample, law, 1e3),
        "symmetry": symmetry,
        "serial": serial,
    }
    for name, helper in helpers.items():
        scale = float(name.split()[-1]) if name.startswith("fit") else 1e3
        values = [helper(independent_draw(law, scale, 50_000, generator)) for _ in range(100)]
        assert min(values) > 1e-5, name
        if name.startswith("fit"):
            assert stats.kstest(values, "uniform").pvalue > 1e-6, name
        else:
            assert min(values) < 0.5, name  # Bonferroni's correction leaves more than uniform near 1


@control
@laws
@pytest.mark.parametrize("scale", [0.5, 7.3, 1e5])
def test_control_an_independent_construction_is_accepted(law: Law, scale: float) -> None:
    sample = independent_draw(law, scale, COUNT, np.random.default_rng(1))
    assert min(fit(sample, law, scale), symmetry(sample), serial(sample)) > SIGNIFICANCE


@control
@laws
@pytest.mark.parametrize("scale", [1.0, 7.3, 1e3, 1e5])
def test_a_shifted_sample_is_rejected(law: Law, scale: float) -> None:
    for shift in (max(1, round(0.05 * scale)), -max(1, round(0.05 * scale))):
        assert fit(drawn(law, scale) + shift, law, scale) < SIGNIFICANCE
        assert symmetry(drawn(law, scale) + shift) < SIGNIFICANCE


@control
@laws
@scales
def test_an_asymmetric_sample_is_rejected(law: Law, scale: float) -> None:
    turned = drawn(law, scale).copy()
    turned[::50] = np.abs(turned[::50])  # of 2 % the sign bit is lost
    assert symmetry(turned) < SIGNIFICANCE
    assert symmetry(-turned) < SIGNIFICANCE
    dropped = np.abs(drawn(law, scale))
    assert fit(dropped, law, scale) < SIGNIFICANCE
    assert fit(-dropped, law, scale) < SIGNIFICANCE


@control
@laws
@pytest.mark.parametrize("scale", [7.3, 1e3, 1e5])
def test_a_truncated_sample_is_rejected(law: Law, scale: float) -> None:
    end = round((3 if law is GAUSSIAN else 6) * scale)
    sample = drawn(law, scale)
    for truncated in (np.clip(sample, -end, end), np.minimum(sample, end), sample[np.abs(sample) < end]):
        assert fit(truncated, law, scale) < SIGNIFICANCE


@laws
def test_a_sample_without_far_tails_is_rejected_on_either_side(law: Law) -> None:
    sample = drawn(law, 1e3, TAIL_COUNT)
    end = round(1e3 * law.tail_ends[2])
    assert tails(np.clip(sample, 1 - end, end - 1), law, 1e3) < SIGNIFICANCE
    assert tails(np.minimum(sample, end - 1), law, 1e3) < SIGNIFICANCE
    assert tails(np.maximum(sample, 1 - end), law, 1e3) < SIGNIFICANCE


@control
@laws
@pytest.mark.parametrize("scale", [0.5, 1.0, 7.3])
def test_noise_on_twice_the_grid_or_rounded_down_is_rejected(law: Law, scale: float) -> None:
    sample = drawn(law, scale)
    assert fit(2 * (sample // 2), law, scale) < SIGNIFICANCE
    continuous = scale * np.random.default_rng(2).standard_normal(COUNT)
    assert fit(np.floor(continuous).astype(np.int64), law, scale) < SIGNIFICANCE


@laws
def test_one_law_is_not_taken_for_the_other(law: Law) -> None:
    other = LAPLACE if law is GAUSSIAN else GAUSSIAN
    for scale in SCALES:
        spread = float(np.std(drawn(law, scale)))
        alike = spread / math.sqrt(2) if other is LAPLACE else spread
        assert fit(drawn(law, scale), other, alike) < SIGNIFICANCE


@control
@laws
@pytest.mark.parametrize("scale", [0.5, 7.3, 1e5])
def test_dependent_neighbours_are_rejected(law: Law, scale: float) -> None:
    sample = drawn(law, scale)
    repeated = sample.copy()
    repeated[1::100] = repeated[::100]  # one value in a hundred repeats its neighbour
    assert serial(repeated) < SIGNIFICANCE
    opposed = sample.copy()
    opposed[1::50] = -opposed[::50]
    assert serial(opposed) < SIGNIFICANCE
    block = sample[:32_768]
    assert serial(np.tile(block, 10)) < SIGNIFICANCE
