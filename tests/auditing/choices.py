"""Private choices, and mechanisms whose parameter is one: which candidate was drawn, and the noise that followed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import made
import numpy as np
from variants.gaze_maps import PrivateCapVariant, gaze_map_parameters, private_caps
from variants.people import LAPLACE, Silence
from variants.signals import PrivateFrequenciesVariant, signal_variant
from variants.signals import private_frequencies as private_frequencies_variants

from auditing.bound import Rates, rates
from auditing.probes import Claim, statistics
from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import choice
from synthrelease.kinds import choosing as package

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from variants.people import Person
    from variants.variant import Variant

    from synthrelease.dp.event import Noise, PrivateChoice
    from synthrelease.dp.noise import SecureRandom
    from synthrelease.kinds.choosing import Choosing

    Integers = NDArray[np.int64]
    Numbers = NDArray[np.float64]

_CLAIM = Claim(1.0)
SILENT = Budget(1e6, 0.4)  # next to no noise


def law(utilities: Sequence[int], *, sensitivity: int, epsilon: float) -> Numbers:
    """Return the probabilities of permute-and-flip: P(r) = p_r·∫₀¹ Π_{s≠r} (1 − t·p_s) dt (McKenna & Sheldon 2020)."""
    best = max(utilities)
    p = np.exp([-epsilon * float(best - u) / (2 * sensitivity) for u in utilities])
    out = []
    for r, one in enumerate(p):
        product = np.polynomial.Polynomial([1.0])
        for s, other in enumerate(p):
            if s != r:
                product *= np.polynomial.Polynomial([1.0, -other])
        out.append(one * product.integ()(1.0))
    return np.array(out)


@dataclass(frozen=True, eq=False)
class ChoiceProbe:
    """`private_choice` alone: of two candidates that were equal, one falls behind by as much as a person can do."""

    name: str = "private choice"
    claim: Claim = _CLAIM
    reach: float | None = 1.0

    def rates(self, runs: int, random: SecureRandom) -> Rates:
        """Draw so often on either side."""
        found = []
        for utilities in ((0, 0), (-7, 7)):
            drawn = [
                choice.private_choice(utilities, sensitivity=7, epsilon=self.claim.epsilon, random=random)
                for _ in range(runs)
            ]
            found.append(np.where(np.array(drawn) == 0, 1.0, -1.0))
        return rates(*found, self.claim.thresholds)


@dataclass(frozen=True, eq=False)
class ChosenProbe:
    """A mechanism that draws its parameter first: candidates by the package's own `private_choice`, the noise of each by `noised`.

    Attributes:
        name: of the mechanism.
        claim: ε of choice and noise together.
        event: the choice.
        sensitivity: that of the utilities.
        utilities: of every candidate, under the one and the other dataset.
        sides: the integers before noise of every candidate, under both.
        noises: of every candidate.
        largest: a bound of the integers.
    """

    name: str
    claim: Claim
    event: PrivateChoice
    sensitivity: int
    utilities: tuple[list[int], list[int]]
    sides: tuple[tuple[Integers, Integers], ...]
    noises: tuple[Noise, ...]
    largest: int

    @property
    def reach(self) -> float:
        """Which part of ε some output gives away, whatever its probability."""
        return self.leaks / self.claim.epsilon

    @property
    def told(self) -> Numbers:
        """How far each candidate speaks for the one dataset."""
        one, other = (
            np.log(law(u, sensitivity=self.sensitivity, epsilon=self.event.epsilon)) for u in self.utilities
        )
        return one - other

    @property
    def leaks(self) -> float:
        """The largest ε that any output gives away."""
        return max(
            abs(float(told)) + float(np.abs(a - b).sum()) / noise.scale
            for told, (a, b), noise in zip(self.told, self.sides, self.noises, strict=True)
        )

    def rates(self, runs: int, random: SecureRandom) -> Rates:
        """Run the mechanism so often on either dataset."""
        drawn = []
        for utilities in self.utilities:
            chosen = [
                package.private_choice(
                    utilities, sensitivity=self.sensitivity, epsilon=self.event.epsilon, random=random
                )
                for _ in range(runs)
            ]
            drawn.append(np.array(chosen))
        found = [self.told[numbers] for numbers in drawn]
        for c, (sides, noise) in enumerate(zip(self.sides, self.noises, strict=True)):
            counts = [int((numbers == c).sum()) for numbers in drawn]
            if max(counts) and sides[0].size:
                noisy = statistics(sides, noise, self.largest, max(counts), random)
                for side in (0, 1):
                    found[side][drawn[side] == c] += noisy[side][: counts[side]]
        return rates(*found, self.claim.thresholds)


def chosen_probe(
    variant: Variant,
    choosing: Callable[[int], Choosing[Any]],
    pairs: Sequence[tuple[list[Person], list[Person]]],
    budget: Budget,
) -> ChosenProbe:
    """Return the probe of that pair of neighbouring datasets which gives most away."""
    private = choosing(1)
    event, left = private.split(budget)
    sensitivity = private.utility_sensitivity
    candidates = private.candidates or ()
    noises = tuple(private.at(candidate).calibrated_noise(left) for candidate in candidates)
    probes = []
    for pair in pairs:
        private = choosing(len(pair[0]))
        before, after = (private.utilities(private.collect(variant.data(people)), left) for people in pair)
        sides = []
        for candidate in candidates:
            named = private.at(candidate).settled()
            a, b = (_integers(variant, named, people, left) for people in pair)
            sides.append((a[a != b], b[a != b]))
        largest = max(int(np.abs(side).max(initial=0)) for both in sides for side in both)
        claim = Claim(budget.epsilon)
        probes.append(
            ChosenProbe(
                variant.name, claim, event, sensitivity, (before, after), tuple(sides), noises, largest
            )
        )
    return max(probes, key=lambda probe: probe.leaks)


def _integers(variant: Variant, mechanism: Any, people: list[Person], budget: Budget) -> Integers:
    """What a release holds if no noise is drawn."""
    random: Any = Silence()
    return variant.noised_in(made.release(mechanism, variant.data(people), budget, random=random)[0]).ravel()


def cap_probe() -> ChosenProbe:
    """Return the probe of gaze maps under a private cap: crowds that looked at one cell again and again, and one more."""
    maps = gaze_map_parameters(noise=LAPLACE, stimuli=1, max_stimuli=1, max_samples=12)
    variant = PrivateCapVariant("heatmap-private-cap", LAPLACE, maps)
    one_cell, opposite, nothing = (
        next(one for one in variant.adversaries() if one.name == f"{name} on 0")
        for name in ("thousands in one cell", "thousands in the opposite corner", "nothing")
    )
    crowd = [
        one_cell
    ] * 8  # what a low cap cuts off them is about as much as the noise: either cap may be drawn
    pairs = [([*crowd, a], [*crowd, b]) for a, b in itertools.permutations((one_cell, opposite, nothing), 2)]
    return chosen_probe(
        variant,
        lambda people: replace(variant.of(people), caps=(1, 4, 12), cap_share=0.5).mechanism,
        pairs,
        Budget(4.0),
    )


def frequencies_probe() -> ChosenProbe:
    """Return the probe of signals with a private number of frequencies: series that low frequencies leave out, or not."""
    like = signal_variant(
        "signals-private-frequencies", LAPLACE, length=9, features=1, recordings=1, frequencies=1
    )
    variant = PrivateFrequenciesVariant(**like.__dict__)
    some = [one for one in variant.adversaries() if one.name in ("alternating", "opposite", "high", "absent")]
    pairs = [([*[c] * 12, a], [*[c] * 12, b]) for c in some for a, b in itertools.permutations(some, 2)]
    return chosen_probe(variant, lambda people: variant.choosing(people, (1, 2, 5), 0.5), pairs, Budget(4.0))


def cap_utilities_moved() -> tuple[int, int]:
    """Return how far an adversary moves a utility of a private cap where there is hardly any noise, and the sensitivity."""
    variant = next(one for one in private_caps() if one.noise == LAPLACE and one.name.endswith("replace-one"))
    assert isinstance(variant, PrivateCapVariant)
    private: Choosing[Any] = variant.choosing(1)
    people = variant.adversaries()
    found = [private.utilities(private.collect(variant.data([one])), SILENT) for one in people]
    return _most(found), private.utility_sensitivity


def frequencies_utilities_moved() -> tuple[int, int]:
    """Return the same of a private number of frequencies; who leaves and who comes add up beside others who are alike."""
    variant = private_frequencies_variants()[0]
    people = [
        one for one in variant.adversaries() if one.name in ("alternating", "opposite", "absent", "high")
    ]
    moved = 0
    for beside in people:
        crowd = [beside] * 3
        private: Choosing[Any] = variant.choosing(4)
        collected = [private.collect(variant.data([*crowd, one])) for one in people]
        moved = max(moved, _most([private.utilities(one, SILENT) for one in collected]))
    return moved, variant.choosing(4).utility_sensitivity


def _most(found: Sequence[Sequence[int]]) -> int:
    utilities = np.array(found)
    return int((utilities.max(axis=0) - utilities.min(axis=0)).max())


CHOICES: tuple[Callable[[], ChoiceProbe | ChosenProbe], ...] = (ChoiceProbe, cap_probe, frequencies_probe)
