"""Which of two guarantees is the stronger: a partial order, in which much cannot be compared.

One guarantee is at least as strong as another if whatever keeps the one keeps the other. Only that is called stronger; where
each guarantees something that the other does not, or no one has shown how they relate, they are not comparable. (Implications: Dwork & Roth 2014; Dong, Roth & Su 2022; Bun & Steinke 2016; Bindschaedler et al. 2017.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from synthrelease.dp.guarantee import (
    ApproxDP,
    Guarantee,
    NoGuarantee,
    PlausibleDeniability,
    PureDP,
)

SAME = "the guarantee is the same"


class RelativeStrength(StrEnum):
    """What became of a guarantee."""

    EQUAL = "equal"
    STRONGER = "stronger"
    WEAKER = "weaker"
    NOT_COMPARABLE = "not comparable"


@dataclass(frozen=True)
class Comparison:
    """How a new guarantee compares with an old one."""

    verdict: RelativeStrength  # what the new one is
    because: str  # why, in words


def verdict_of(*, keeps: bool, kept: bool) -> RelativeStrength:
    """Return what a new guarantee is.

    Args:
        keeps: whether whatever keeps the new guarantee keeps the old one.
        kept: whether whatever keeps the old guarantee keeps the new one.
    """
    if keeps and kept:
        return RelativeStrength.EQUAL
    if keeps:
        return RelativeStrength.STRONGER
    return RelativeStrength.WEAKER if kept else RelativeStrength.NOT_COMPARABLE


def compare(old: Guarantee, new: Guarantee) -> Comparison:  # noqa: PLR0911  one for each reason
    """Return how a new guarantee compares with an old one.

    * (ε, δ) against (ε′, δ′), a pure ε having δ = 0: stronger if neither is larger and one is smaller. Where ε falls and δ
      rises, or the reverse, neither follows from the other by definition, and no conversion is tried.
    * ρ against ρ′, μ against μ′: the smaller is the stronger. Kinds of differential privacy are not converted.
    * (k, γ)-plausible deniability: stronger if k is no smaller and γ no larger (Bindschaedler et al. 2017, Definition 1), if
      both count the same and the test of both can fail.
    * No guarantee follows from every guarantee. Plausible deniability and differential privacy do not compare.
    * Other units, or other neighbours, do not compare.

    Args:
        old: what was guaranteed.
        new: what is guaranteed now.
    """
    if old == new:
        return Comparison(RelativeStrength.EQUAL, SAME)
    if old.unit != new.unit:
        return _not_comparable(f"the old one is to a {old.unit}, the new one to a {new.unit}")
    if old.neighbours != new.neighbours:
        return _not_comparable(
            f"neighbours are {old.neighbours} in the old one, {new.neighbours} in the new one"
        )
    if isinstance(old, NoGuarantee) or isinstance(new, NoGuarantee):
        return _with_none(old, new)
    if isinstance(old, PlausibleDeniability) and isinstance(new, PlausibleDeniability):
        return _of_deniability(old, new)
    before, after = _losses(old), _losses(new)
    if before is None or after is None or before.keys() != after.keys():
        return _not_comparable(f"{_noun(old)} and {_noun(new)} are guarantees of different kinds")
    return _of_losses(before, after)


def _not_comparable(because: str) -> Comparison:
    return Comparison(RelativeStrength.NOT_COMPARABLE, because)


def _with_none(old: Guarantee, new: Guarantee) -> Comparison:
    if not isinstance(old, NoGuarantee):
        return Comparison(RelativeStrength.WEAKER, "the new one has no guarantee")
    if not isinstance(new, NoGuarantee):
        return Comparison(RelativeStrength.STRONGER, "the old one had no guarantee")
    return _not_comparable("neither has a guarantee, for other reasons")


def _of_deniability(old: PlausibleDeniability, new: PlausibleDeniability) -> Comparison:
    if old.counted != new.counted:
        return _not_comparable(f"k counts a {old.counted} in the old one, a {new.counted} in the new one")
    if old.vacuous != new.vacuous:
        vacuous = "new" if new.vacuous else "old"
        return _not_comparable(f"the test of the {vacuous} one cannot fail, and so shows nothing")
    # A larger k is the stronger, and a larger γ the weaker.
    return _of_losses({"k": float(-old.k), "γ": old.gamma}, {"k": float(-new.k), "γ": new.gamma})


def _losses(guarantee: Guarantee) -> dict[str, float] | None:
    """Numbers of which smaller ones guarantee more; None if it is no differential privacy."""
    match guarantee:
        case PureDP():
            return {"ε": guarantee.epsilon, "δ": 0.0}
        case ApproxDP():
            return {"ε": guarantee.epsilon, "δ": guarantee.delta}
    return None


def _of_losses(before: dict[str, float], after: dict[str, float]) -> Comparison:
    verdict = verdict_of(
        keeps=all(after[name] <= before[name] for name in before),
        kept=all(after[name] >= before[name] for name in before),
    )
    differences = [
        f"{name} is {'higher' if math.copysign(1, loss) * (after[name] - loss) > 0 else 'lower'}"
        for name, loss in before.items()
        if after[name] != loss
    ]
    joined = (", but " if verdict is RelativeStrength.NOT_COMPARABLE else " and ").join(differences)
    return Comparison(verdict, joined or "the numbers are the same")


def _noun(guarantee: Guarantee) -> str:
    nouns = {
        PureDP: "pure differential privacy",
        ApproxDP: "approximate differential privacy",
        PlausibleDeniability: "plausible deniability",
    }
    return nouns.get(type(guarantee), guarantee.kind)
