"""The strongest attack on noisy sums: all other data is known, and one of two people is in.

The likelihood ratio of the two releases decides; no test of membership finds more at any rate of false alarms (Neyman & Pearson).
What the two contribute differs by D. With Gaussian noise a guess is right with probability Φ(‖D‖₂/2σ); with Laplace's it is
measured. Where D is 0 the release is noise only, so only the other places count.

Under Laplace noise of scale b the most exposed pair has the largest Bhattacharyya distance Σ |D|/2b − ln(1 + |D|/2b): many small differences,
whatever their sum, reveal less than one large one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from synthrelease.data.features import FeatureData
from synthrelease.data.gaze import GazeData
from synthrelease.dp.best_guess import best_guess, best_guess_of
from synthrelease.dp.event import Noise, RoundedGaussian, noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.guarantee import from_json as guarantee_from_json
from synthrelease.dp.noise import SecureRandom, discrete_laplace, rounded_gaussian
from synthrelease.evaluation.attacks import check_guarantee
from synthrelease.evaluation.attacks.aggregates import success_known_rest
from synthrelease.evaluation.attacks.intervals import coins_rate
from synthrelease.evaluation.attacks.roc import randomized_tpr
from synthrelease.evaluation.attacks.windows import Numbers
from synthrelease.evaluation.matched import BundleOutput
from synthrelease.evaluation.one_person import of_person, sampled_people
from synthrelease.evaluation.result import WorstCaseAttack
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.mechanism import Mechanism
from synthrelease.kinds.records.mechanism import SyntheticRecords

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from synthrelease.parallel import Progress

PEOPLE = 64  # attacked, each against each
_TRIALS, _MOST_NUMBERS = 10_000, 20_000_000  # fresh releases of each of two kinds; numbers drawn for them
_MOST_NONZERO = 30_000_000  # numbers of all people together that are not 0
_FALSE_ALARMS = (0.01, 0.1)
_ROUNDING = 1e-9  # of Φ and of the norm
_SURE = 6.1  # standard deviations: one in a thousand millions


def worst_case_attack(
    output: BundleOutput,
    data: GazeData | FeatureData,
    *,
    neighbours: Neighbours,
    seed: int,
    released: Mapping[str, Array] | None = None,
    progress: Progress | None = None,
) -> WorstCaseAttack | None:
    """Return what the attack reveals of an output that is noisy sums; None of others.

    Where later sums depend on earlier ones, given what these released a person adds to each sum what no other changes, so the ratio of a release is
    that of its sums together.

    Args:
        output: of the bundle.
        data: of the people who are attacked.
        neighbours: whether the other person is in its place, or no one.
        seed: of which people are attacked, and of noise.
        released: the noisy datasets by path, where later sums depend on earlier ones.
        progress: called for each person.
    """
    noise = noise_of(output.event)
    if noise is None or not _has_noisy_sums(output):
        return None
    random = SecureRandom.for_tests(seed).spawn("known rest", output.name)
    people = sampled_people(data.people, PEOPLE, random.spawn("people"))
    mechanism, rows = output.mechanism, []
    for done, number in enumerate(people):
        if progress is not None:
            progress(f"attacking participants: {output.name}", done, people.size)
        mine = mechanism.collect(of_person(data, int(number)))
        exact = (
            mechanism.exact(mine) if released is None else mechanism.exact_after(mine, released, output.event)
        )
        rows.append(_integers(mechanism, exact))
        if sum(row.nnz for row in rows) > _MOST_NONZERO and len(rows) > 1:
            break  # fewer are attacked, which `people` says
    differences = _Differences(rows, neighbours)
    return _attacked(output, noise, differences, random) if differences.pairs else None


def _attacked(
    output: BundleOutput, noise: Noise, differences: _Differences, random: SecureRandom
) -> WorstCaseAttack:
    sizes = np.array([_size(differences.of(number), noise) for number in range(len(differences.pairs))])
    ranked = np.argsort(sizes, kind="stable")
    median, largest = int(ranked[sizes.size // 2]), int(ranked[-1])
    inside, outside = _trials(noise, differences.of(largest), random.spawn("worst"))
    right = _right(inside, outside)
    allowed = best_guess_of([output.event]) or best_guess(guarantee_from_json(output.entry["guarantee"]))
    if isinstance(noise, RoundedGaussian):
        typical, worst = (
            success_known_rest(float(sizes[number]), sigma=noise.scale) for number in (median, largest)
        )
        doubt = _ROUNDING
    else:
        of_median = _trials(noise, differences.of(median), random.spawn("typical"))
        typical, worst = min(right, _right(*of_median)), right
        doubt = _SURE / math.sqrt(8 * inside.size)  # a coin's standard deviation, twice so many trials
    guarantee_check = None
    if output.budget is not None:
        guarantee_check = check_guarantee(
            inside, outside, epsilon=output.budget.epsilon, delta=output.budget.delta
        )
    return WorstCaseAttack(
        len(differences.rows),
        typical,
        worst,
        coins_rate(right, 2 * inside.size),
        allowed,
        {f"{100 * rate:g} %": randomized_tpr(inside, outside, rate) for rate in _FALSE_ALARMS},
        guarantee_check,
        exceeds=allowed is not None and worst - doubt > allowed,
        of_presence=differences.neighbours is Neighbours.ADD_REMOVE_ONE,
    )


def _right(inside: Numbers, outside: Numbers) -> float:
    """The proportion of right guesses, ties counted half; who is wrong more often than right guessed the other way round."""
    rates = (((s > 0) + 0.5 * (s == 0)).mean() for s in (inside, -outside))
    return max(0.5, float(sum(rates)) / 2)


def _has_noisy_sums(output: BundleOutput) -> bool:
    """Whether noise is added to what is collected: records that start from source records use the data again."""
    mechanism = output.mechanism
    return not isinstance(mechanism, SyntheticRecords) or not mechanism.parameters.is_tested


def _integers(mechanism: Mechanism[Any], exact: Mapping[str, Array]) -> csr_matrix:
    """All that one person adds to noisy integers, as one sparse row."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415  slow to import

    arrays = [np.asarray(exact[dataset.path], dtype=np.float64).ravel() for dataset in mechanism.noisy]
    return csr_matrix(np.concatenate(arrays))


@dataclass(frozen=True)
class _Differences:
    """What one contributes and another would not: of every pair, or of each person against no one. One at a time is in memory."""

    rows: list[csr_matrix]
    neighbours: Neighbours

    @cached_property
    def pairs(self) -> list[tuple[int, int | None]]:
        """Who, and who else; None for no one."""
        people = range(len(self.rows))
        if self.neighbours is Neighbours.ADD_REMOVE_ONE:
            return [(person, None) for person in people]
        return [(person, other_person) for person in people for other_person in range(person)]

    def of(self, number: int) -> Numbers:
        """Return what is not 0 of a pair's difference."""
        person, other_person = self.pairs[number]
        row = self.rows[person]
        nonzero: Numbers = (row if other_person is None else row - self.rows[other_person]).data
        return nonzero


def _size(difference: Numbers, noise: Noise) -> float:
    """How far a difference can be seen: of Gaussian noise its norm, of Laplace's the distance of what is released."""
    if isinstance(noise, RoundedGaussian):
        return float(np.linalg.norm(difference))
    half = np.abs(difference) / (2 * noise.scale)
    return float((half - np.log1p(half)).sum())


def _trials(noise: Noise, difference: Numbers, random: SecureRandom) -> tuple[Numbers, Numbers]:
    """Log-likelihood ratios of fresh releases with the one, and of fresh releases with the other."""
    if not difference.size:
        return np.zeros(2), np.zeros(2)
    if difference.size > _MOST_NUMBERS // 20:  # those that reveal most
        difference = np.sort(np.abs(difference))[-_MOST_NUMBERS // 20 :]
    trials = min(_TRIALS, _MOST_NUMBERS // difference.size)
    # Noise is symmetric: a release with the other is one with the one, seen from the other side.
    inside, outside = (_ratios(noise, difference, trials, random.spawn(which)) for which in ("one", "other"))
    return inside, -outside


def _ratios(noise: Noise, difference: Numbers, trials: int, random: SecureRandom) -> Numbers:
    """Ln p(r | the one is in) − ln p(r | the other), in releases with the one: noise only is left of these."""
    if isinstance(noise, RoundedGaussian):
        drawn = rounded_gaussian(noise.scale, (trials, difference.size), random=random).astype(np.float64)
        ratios: Numbers = (drawn @ difference + difference @ difference / 2) / noise.scale**2
        return ratios
    drawn = discrete_laplace(noise.scale, (trials, difference.size), random=random).astype(np.float64)
    against: Numbers = (np.abs(drawn + difference) - np.abs(drawn)).sum(axis=1) / noise.scale
    return against
