"""What finds faults: each detector does something with the package, and then judges what came out.

`make` runs while a fault is planted, `judge` after it was taken out, as an auditor's own copy of the package would be used.
A refusal of the package itself is an alarm too. Without a fault all detectors are silent.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
from scipy import stats
from scipy.special import ndtr
from variants.people import LAPLACE

from auditing.neighbours import furthest, integers
from auditing.probes import Probe, judged, variant_probe
from synthrelease.dp.event import DiscreteLaplace, RoundedGaussian
from synthrelease.dp.noise import SecureRandom, addition
from synthrelease.errors import SynthReleaseError

if TYPE_CHECKING:
    from variants.variant import Variant

SIGNIFICANCE = 1e-9


@dataclass(frozen=True)
class Verdict:
    """Whether a detector raised the alarm, and what it said."""

    alarm: bool
    said: str


@dataclass(frozen=True, eq=False)
class Detector:
    """Something that can be seen from outside.

    Attributes:
        name: what is looked at.
        make: runs the package, with a source of randomness; under the fault.
        judge: says what is wrong with what came out; without the fault.
        briefly: the same with less to look at, where that takes long: what a detector needs to find a fault it need not look at to keep silent.
    """

    name: str
    make: Callable[[SecureRandom], Any]
    judge: Callable[[Any], Verdict]
    briefly: Detector | None = None

    def run(self, seed: int, fault: Callable[[], AbstractContextManager[object]] = nullcontext) -> Verdict:
        """Return the verdict while a fault is planted; by default there is none."""
        random = SecureRandom.for_tests(seed).spawn(self.name)
        try:
            with fault():
                made = self.make(random)
        except SynthReleaseError as error:
            return Verdict(True, _refusal(error))
        return self.judge(made)


def _refusal(error: SynthReleaseError) -> str:
    """What the package said, with the codes of findings if it was its own `verify`."""
    codes = sorted(set(re.findall(r"\[([a-z-]+)\]", error.found)))
    return f"refused: {error.problem}{': ' if codes else ''}{', '.join(codes)}"


def audit_of(probe: Callable[[], Probe], name: str, *, runs: int = 200_000) -> Detector:
    """Detect a bound on ε or μ above the claim."""

    def make(random: SecureRandom) -> Any:
        one = probe()
        return judged(one, one.rates(runs, random))

    return Detector(f"audit of {name}", make, lambda found: Verdict(found.broken, str(found)))


def audit_of_variant(variant: Variant, *, beside: int | None = None, runs: int = 200_000) -> Detector:
    """Detect such a bound on a variant's worst adversaries."""
    crowd = f", {beside} others" if beside else ""
    return audit_of(lambda: variant_probe(variant, beside=beside), variant.name + crowd, runs=runs)


def reach_of(variant: Variant, *, beside: int = 2) -> Detector:
    """Detect an adversary who moves the released integers further than the sensitivity that the noise was made for."""

    def make(_random: SecureRandom) -> Any:
        pair = furthest(replace(variant), beside=beside)
        return pair, replace(variant).event(len(pair.one))

    def judge(found: Any) -> Verdict:
        pair, event = found
        if isinstance(event, DiscreteLaplace):
            moved, stated, beyond = pair.l1, event.sensitivity, pair.l1 > event.sensitivity
        else:
            moved, stated = math.sqrt(pair.l2_squared), event.sensitivity
            beyond = pair.l2_squared > _squared_up(event.sensitivity)
        return Verdict(beyond, f"{pair.names}: moved {moved:.9g}, sensitivity {stated:.9g}")

    crowd = f", {beside} others" if beside != 2 else ""
    return Detector(f"reach in {variant.name}{crowd}", make, judge)


def _squared_up(sensitivity: float) -> int:
    """The largest integer whose root, rounded up to a float, is this."""
    return math.floor(Fraction(sensitivity) ** 2)


def company_of(variant: Variant) -> Detector:
    """Detect that a person's part of the integers depends on who else is there."""

    def own(together: Any, alone: Any) -> Any:
        return together[-1] if variant.apart else together - alone

    def make(_random: SecureRandom) -> Any:
        crowds = [variant.ordinary(count, seed=seed) for count, seed in ((1, 1), (6, 2), (25, 3))]
        alone = [integers(variant, crowd) for crowd in crowds]
        people = [*variant.adversaries()[::5], *variant.ordinary(3, seed=4)]
        return [
            [
                own(integers(variant, [*crowd, one]), before)
                for crowd, before in zip(crowds, alone, strict=True)
            ]
            for one in people
        ]

    def judge(found: Any) -> Verdict:
        differing = sum(any((part != parts[0]).any() for part in parts) for parts in found)
        return Verdict(
            differing > 0, f"{differing} of {len(found)} participants weigh otherwise in other company"
        )

    return Detector(f"company in {variant.name}", make, judge)


def derived_of(variant: Variant) -> Detector:
    """Detect a released value that does not follow from the noisy integers and public parameters."""

    def make(random: SecureRandom) -> Any:
        people = [*variant.ordinary(4), *variant.adversaries()[::7]]
        return variant.release(people, random)[0], len(people)

    def judge(made: Any) -> Verdict:
        values, people = made
        wrong = [
            "/".join(key)
            for key, array in variant.expected(values, people).items()
            if not np.allclose(
                values[key], array, rtol=0, atol=1e-5 * float(np.nanmax(np.abs(array))), equal_nan=True
            )
        ]
        return Verdict(bool(wrong), f"{len(wrong)} arrays do not follow from the noisy integers")

    return Detector(f"derived values of {variant.name}", make, judge)


def types_of(variant: Variant) -> Detector:
    """Detect released numbers that are no integers."""

    def make(random: SecureRandom) -> Any:
        values, _ = variant.release(variant.ordinary(3), random)
        return [array for key, array in values.items() if key[-1] == "noisy"]

    def judge(arrays: Any) -> Verdict:
        kinds = sorted({str(array.dtype) for array in arrays})
        return Verdict(
            any(array.dtype.kind != "i" for array in arrays), f"noisy values are {', '.join(kinds)}"
        )

    return Detector(f"types in {variant.name}", make, judge)


def unmoved_in(variant: Variant) -> Detector:
    """Detect an integer that never gets any noise: what noise leaves where it is for so long is rarer than 10⁻⁹."""

    def make(random: SecureRandom) -> Any:
        people = variant.ordinary(1)
        exact, event = integers(variant, people), variant.event(1)
        still = math.tanh(0.5 / event.scale) if variant.noise == LAPLACE else math.erf(0.5 / event.scale)
        unmoved = np.ones(exact.shape, dtype=bool)
        for number in range(math.ceil(math.log(SIGNIFICANCE / exact.size) / math.log(still))):
            noisy = variant.noised_in(variant.release(people, random.spawn(str(number)))[0])
            unmoved &= noisy == exact
        return unmoved

    return Detector(
        f"noise everywhere in {variant.name}",
        make,
        lambda unmoved: Verdict(
            bool(unmoved.any()), f"{unmoved.sum()} of {unmoved.size} integers never moved"
        ),
    )


def law_of(kind: type[DiscreteLaplace | RoundedGaussian], *, draws: int = 200_000) -> Detector:
    """Detect noise that has not the law of its event (χ²)."""
    event = kind(1, 2.5, draws)
    k = np.arange(-14, 15)
    if kind is DiscreteLaplace:
        p = math.tanh(0.2) * np.exp(-np.abs(k) / event.scale)
        tail = math.exp(-15 / event.scale) / (1 + math.exp(-1 / event.scale))
    else:
        p = ndtr((k + 0.5) / event.scale) - ndtr((k - 0.5) / event.scale)
        tail = float(ndtr(-14.5 / event.scale))
    few = 3 if kind is DiscreteLaplace else 6  # cells at either end, together in one

    def judge(noise: Any) -> Verdict:
        seen = np.bincount(np.clip(np.rint(noise), -15, 15).astype(int) + 15, minlength=31)
        law = np.concatenate([[tail], p, [tail]])
        seen, law = (
            np.concatenate([[a[:few].sum()], a[few:-few], [a[-few:].sum()]])
            for a in (seen.astype(float), law)
        )
        expected = law * len(noise)
        chance = float(stats.chi2.sf(((seen - expected) ** 2 / expected).sum(), expected.size - 1))
        return Verdict(chance < SIGNIFICANCE, f"χ² of the noise: p = {chance:.2g}")

    zeros = np.zeros(draws, dtype=np.int64)
    make = lambda random: addition.add_noise(zeros, event, largest=2**33, random=random)  # noqa: E731
    return Detector(f"law of {kind.type} noise", make, judge)


def spending_of(variant: Variant) -> Detector:
    """Detect noise that costs more than the budget, by formulas of our own: Δ₁/b, and Balle & Wang 2018 with 40 digits."""

    def judge(event: Any) -> Verdict:
        budget = variant.budget
        if isinstance(event, DiscreteLaplace):
            spent = event.sensitivity / event.scale
            return Verdict(spent > budget.epsilon * (1 + 1e-12), f"ε = {spent:.6g} of {budget.epsilon:g}")
        with mpmath.workdps(40):
            mu = mpmath.mpf(event.sensitivity) / mpmath.mpf(event.scale)
            epsilon = mpmath.mpf(budget.epsilon)
            delta = mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(
                -mu / 2 - epsilon / mu
            )
            return Verdict(bool(delta > budget.delta), f"δ = {float(delta):.3g} of {budget.delta:.3g}")

    return Detector(f"spending of {variant.name}", lambda _: variant.event(3), judge)


def moved_utilities(name: str, find: Callable[[], tuple[int, int]]) -> Detector:
    """Detect an adversary who moves the utilities of a private choice further than it is told."""

    def judge(found: Any) -> Verdict:
        moved, stated = found
        return Verdict(moved > stated, f"a utility moved by {moved}, sensitivity {stated}")

    return Detector(f"utilities of {name}", lambda _: find(), judge)


def alike(name: str, make: Callable[[SecureRandom], Any], what: str) -> Detector:
    """Detect that any two of several streams of words, or of noise, share a value that they should not."""

    def judge(streams: Any) -> Verdict:
        shared = max(
            len(np.intersect1d(one, other)) for i, one in enumerate(streams) for other in streams[:i]
        )
        return Verdict(shared > 0, f"{shared} of {len(streams[0])} {what} are shared")

    return Detector(name, make, judge)
