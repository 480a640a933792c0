"""What an attack came to, and the verdict on it, by itself and among others.

A verdict is one of three. *Significant*: participants in the data were hit more often than in the attack's control, more clearly
than chance explains at the declared significance, corrected for all attacks that were run together. *Not significant*: this attack,
with this many participants, found nothing; that is no guarantee. *Inconclusive*: there were too few participants for even a perfect
attack to be distinguished from chance, or the attack does as well where there is nothing to find.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import ClassVar

import numpy as np

from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks.chance import (
    Permutation,
    checked_rounds,
    division_test,
    least_division_p,
    least_matching_p,
    matching_test,
    people_needed,
)
from synthrelease.evaluation.attacks.guarantee import GuaranteeCheck
from synthrelease.evaluation.attacks.intervals import Rate, residual_risk, share_rate
from synthrelease.evaluation.attacks.windows import Flags, Numbers
from synthrelease.evaluation.json_form import JsonForm

SIGNIFICANCE = 0.01


class AttackVerdict(StrEnum):
    """What may be said after an attack."""

    SIGNIFICANT = "significant"
    NOT_SIGNIFICANT = "not significant"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, kw_only=True)
class AttackResult(JsonForm):
    """What an attack came to."""

    UNWRITTEN: ClassVar[tuple[str, ...]] = ("design", "least_p")

    attack: str  # its name
    measure: str  # what `main` and `control` measure
    main: Rate  # the attack on those it is about
    control: Rate  # the same where there is nothing to find
    chance: float  # what an attacker without a release would reach
    people: int  # independent people behind `main`
    design: Permutation  # what is shuffled for the p-value
    p_value: float  # how likely chance does as well
    # how likely chance makes the control as good as it is; 1 where the control is the shuffling itself
    control_p: float
    least_p: float  # p-value of a perfect attack on so many people
    risk: Rate | None = None  # (main − control)/(1 − control), for attacks that have it
    further: Mapping[str, Rate | float] = field(default_factory=dict)  # other numbers, by name
    remarks: tuple[str, ...] = ()  # what a reader must know besides
    guarantee_check: GuaranteeCheck | None = None  # the guaranteed (ε, δ), compared with what was measured
    verdict: AttackVerdict = AttackVerdict.INCONCLUSIVE  # see the module
    reason: str = "not judged"  # in words
    together: int = 0  # how many attacks the verdict is corrected for
    corrected_p: float = 1.0  # the p-value after correction
    significance: float = SIGNIFICANCE  # what it was compared with


def matching_result(
    attack: str,
    measure: str,
    table: Numbers,
    *,
    chance: float,
    random: SecureRandom,
    draws: int,
    negative_control: Numbers | None = None,
    further: Mapping[str, Rate | float] | None = None,
) -> AttackResult:
    """Return what an attack came to that says whose something is, judged as if it had been run by itself.

    Args:
        attack: its name.
        measure: what it measures.
        table: how often each person was taken for each, shape (n, n).
        chance: what it takes no release to reach.
        random: where shuffles come from.
        draws: number of shuffles.
        negative_control: the same table of a release that has nothing to do with the people; the control is shuffled owners without it.
        further: other numbers, by name.
    """
    test = matching_test(table, random=random.spawn("owners"), draws=draws)
    control, control_p = Rate(test.shuffled, test.low, test.high), 1.0
    if negative_control is not None:
        control_test = matching_test(negative_control, random=random.spawn("placebo"), draws=draws)
        control, control_p = share_rate(control_test.shares), control_test.p_value
    result = AttackResult(
        attack=attack,
        measure=measure,
        main=share_rate(test.shares),
        control=control,
        chance=chance,
        people=len(table),
        design=Permutation.MATCHING,
        p_value=test.p_value,
        control_p=control_p,
        least_p=least_matching_p(len(table), draws=draws),
        further=further or {},
    )
    return judged([result])[0]


def division_result(
    attack: str,
    measure: str,
    shares: Numbers,
    members: Flags,
    *,
    chance: float | None = None,
    random: SecureRandom,
    draws: int,
) -> AttackResult:
    """Return what an attack came to whose control is people who are not in the release, judged as if it had been run by itself.

    Args:
        attack: its name.
        measure: what the shares are of.
        shares: of each person in each round, shape (R, n), or (n,) for one.
        members: who was in, at random, the same shape.
        chance: what it takes no release to reach; the control if None.
        random: where shuffles come from.
        draws: number of shuffles.

    Raises:
        ValueError: shapes differ, or in some round everyone is a member, or no one.
    """
    shares, members = checked_rounds(shares, members)
    test = division_test(shares, members, random=random, draws=draws)
    main, control = (share_rate(part[~np.isnan(part)]) for part in (test.main, test.control))
    result = AttackResult(
        attack=attack,
        measure=measure,
        main=main,
        control=control,
        chance=control.value if chance is None else chance,
        people=members.shape[1],
        design=Permutation.DIVISION,
        p_value=test.p_value,
        control_p=test.control_p,
        least_p=least_division_p(members, draws=draws),
        risk=residual_risk(main, control),
    )
    return judged([result])[0]


def judged(
    results: Sequence[AttackResult], *, significance: float = SIGNIFICANCE
) -> tuple[AttackResult, ...]:
    """Return results with verdicts that hold together: of releases that reveal nothing, at most a share `significance` has any that is significant.

    An attack judges itself as if it had been run by itself; if you run several, judge all of them once, with this.

    Args:
        results: of all attacks that were run on a release, those that found nothing included.
        significance: declared before looking.

    Raises:
        ValueError: significance is not within (0, 1).
    """
    if not 0 < significance < 1:
        raise ValueError(f"Expected 0 < significance < 1, found significance={significance}")
    corrected = holm(np.array([result.p_value for result in results]))
    controls = holm(np.array([result.control_p for result in results]))
    return tuple(
        _judged(
            replace(result, corrected_p=float(p), together=len(results), significance=significance),
            float(control),
        )
        for result, p, control in zip(results, corrected, controls, strict=True)
    )


def holm(p_values: Numbers) -> Numbers:
    """Return p-values corrected for their number: p̃₍ᵢ₎ = max over j ≤ i of min(1, (m − j + 1)·p₍ⱼ₎) (Holm 1979)."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(p_values.size, 0, -1)
    corrected = np.empty(p_values.size)
    corrected[order] = np.maximum.accumulate(np.minimum(factors * p_values[order], 1.0))
    return corrected


def _judged(result: AttackResult, control_p: float) -> AttackResult:
    significance, level = result.significance, result.significance / result.together
    against = f"{result.main} against {result.control} in the control"
    among = (
        f"p = {result.corrected_p:.2g}, corrected for {result.together} attack{'s' * (result.together > 1)}"
    )
    if result.guarantee_check is not None and result.guarantee_check.violated:
        return replace(
            result,
            verdict=AttackVerdict.SIGNIFICANT,
            reason=f"the guarantee is violated: {result.guarantee_check}",
        )
    if control_p <= significance:
        reason = f"the control succeeds where there is nothing to find: {against}"
        return replace(result, verdict=AttackVerdict.INCONCLUSIVE, reason=reason)
    if result.corrected_p <= significance:
        kept = f"; {result.guarantee_check}" if result.guarantee_check is not None else ""
        return replace(result, verdict=AttackVerdict.SIGNIFICANT, reason=f"{against}; {among}{kept}")
    if result.least_p > level:
        return replace(result, verdict=AttackVerdict.INCONCLUSIVE, reason=_too_few(result, level))
    reason = f"{against}; {among}; with {result.people} participants, success of up to {result.main.high:.2f} cannot be excluded"
    return replace(result, verdict=AttackVerdict.NOT_SIGNIFICANT, reason=reason)


def _too_few(result: AttackResult, level: float) -> str:
    """What is missing for a perfect attack to be distinguished from chance."""
    shortfall = f"even a perfect attack has p = {result.least_p:.2g}, and {level:.2g} is required"
    needed = people_needed(result.design, level)
    if needed > result.people:
        return f"{result.people} participants are too few: {shortfall}; at least {needed} participants are needed"
    return f"too few shuffles: {shortfall}; set `draws` to at least {math.ceil(1 / level)}"
