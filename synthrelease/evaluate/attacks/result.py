"""What an attack came to, and the verdict on it, alone and among others.

A verdict is one of three. *Found*: people in the data were hit more often than the attack's own control, more clearly than
chance explains at the declared significance, corrected for all attacks that were run together. *Nothing found*: this attack,
with this many people, found nothing; it is no promise. *Cannot be trusted*: there were too few people for even a perfect attack
to be told from luck, or the attack does as well where there is nothing to find.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import ClassVar

import numpy as np

from synthrelease.evaluate.attacks.chance import Design, people_needed
from synthrelease.evaluate.attacks.intervals import Rate
from synthrelease.evaluate.attacks.promise import PromiseCheck
from synthrelease.evaluate.attacks.windows import Numbers
from synthrelease.evaluate.json_form import JsonForm

SIGNIFICANCE = 0.01


class Verdict(StrEnum):
    """What may be said after an attack."""

    FOUND = "found"
    NOTHING = "nothing found"
    UNTRUSTED = "cannot be trusted"


@dataclass(frozen=True, kw_only=True)
class AttackResult(JsonForm):
    """What an attack came to.

    Attributes:
        attack: its name.
        measure: what `main` and `control` measure.
        main: the attack on those it is about.
        control: the same where there is nothing to find.
        chance: what whoever has no release would reach.
        people: independent people behind `main`.
        design: what is shuffled for the p-value.
        p_value: how likely chance does as well.
        control_p: how likely chance makes the control as good as it is; 1 where the control is the shuffling itself.
        least_p: p-value of a perfect attack on so many people.
        risk: (main − control)/(1 − control), for attacks that have it.
        further: other numbers, by name.
        remarks: what a reader must know besides.
        promise: the (ε, δ) that was promised, held against what was measured.
        verdict: see the module.
        reason: in words.
        together: how many attacks the verdict is corrected for.
        corrected_p: the p-value after correction.
        significance: what it was held against.
    """

    UNWRITTEN: ClassVar[tuple[str, ...]] = ("design", "least_p")

    attack: str
    measure: str
    main: Rate
    control: Rate
    chance: float
    people: int
    design: Design
    p_value: float
    control_p: float
    least_p: float
    risk: Rate | None = None
    further: Mapping[str, Rate | float] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    promise: PromiseCheck | None = None
    verdict: Verdict = Verdict.UNTRUSTED
    reason: str = "not judged"
    together: int = 0
    corrected_p: float = 1.0
    significance: float = SIGNIFICANCE


def judged(
    results: Sequence[AttackResult], *, significance: float = SIGNIFICANCE
) -> tuple[AttackResult, ...]:
    """Return results with verdicts that hold together: of releases that tell nothing, at most a share `significance` has any "found".

    An attack judges itself as if it had been run alone; whoever runs several judges all of them, once, with this.

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
            replace(one, corrected_p=float(p), together=len(results), significance=significance),
            float(control),
        )
        for one, p, control in zip(results, corrected, controls, strict=True)
    )


def holm(p_values: Numbers) -> Numbers:
    """Return p-values corrected for their number: p̃₍ᵢ₎ = max over j ≤ i of min(1, (m − j + 1)·p₍ⱼ₎) (Holm 1979)."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(p_values.size, 0, -1)
    corrected = np.empty(p_values.size)
    corrected[order] = np.maximum.accumulate(np.minimum(factors * p_values[order], 1.0))
    return corrected


def _judged(one: AttackResult, control_p: float) -> AttackResult:
    significance, level = one.significance, one.significance / one.together
    against = f"{one.main} against {one.control} of the control"
    among = f"p = {one.corrected_p:.2g}, corrected for {one.together} attack{'s' * (one.together > 1)}"
    if one.promise is not None and one.promise.violated:
        return replace(one, verdict=Verdict.FOUND, reason=f"the guarantee is violated: {one.promise}")
    if control_p <= significance:
        reason = f"the control wins where there is nothing to find: {against}"
        return replace(one, verdict=Verdict.UNTRUSTED, reason=reason)
    if one.corrected_p <= significance:
        kept = f"; {one.promise}" if one.promise is not None else ""
        return replace(one, verdict=Verdict.FOUND, reason=f"{against}; {among}{kept}")
    if one.least_p > level:
        return replace(one, verdict=Verdict.UNTRUSTED, reason=_too_few(one, level))
    reason = f"{against}; {among}; with {one.people} people up to {one.main.high:.2f} cannot be excluded"
    return replace(one, verdict=Verdict.NOTHING, reason=reason)


def _too_few(one: AttackResult, level: float) -> str:
    """What is missing for a perfect attack to be told from luck."""
    but = f"even a perfect attack has p = {one.least_p:.2g}, and {level:.2g} is asked for"
    needed = people_needed(one.design, level)
    if needed > one.people:
        return f"{one.people} people are too few: {but}; it takes {needed} people"
    return f"too few shuffles: {but}; it takes `draws` of {math.ceil(1 / level)}"
