"""The words of the private page: numbers, verdicts, and what they mean."""

from __future__ import annotations

import math

from synthrelease.appraisal.appraised import KnownRest, NoiseCheck
from synthrelease.evaluate.attacks import PromiseCheck, Rate, Verdict
from synthrelease.report.number_words import percent_up, scientific_up, several, short

STAMP = "PRIVATE – DO NOT PUBLISH"
RELEASED = "released"  # the first of what is compared
_NONE = "not defined"
_LEAST_P = 1e-4
_SMALL = 0.005  # what two decimals would make nothing of

VERDICTS = (
    (
        Verdict.FOUND,
        (
            "The attack hits people of the data more often than where there is nothing to find, and more clearly than luck explains. Something is told; "
            "how much, the numbers say. What is differentially private may be found, too: ε bounds how much, and is not nothing."
        ),
    ),
    (
        Verdict.NOTHING,
        "This attack found nothing in these people. It is no promise: others may find more. The reason says what success cannot be excluded.",
    ),
    (
        Verdict.UNTRUSTED,
        "Nothing may be concluded. With so few people even a perfect attack could be luck, or the attack does as well where there is nothing to find.",
    ),
)
TWO_QUESTIONS = (
    "The p-value is about these people: how often would luck alone do as well with them? It is corrected for all attacks that were run "
    "together, so that the more are tried the less each alarms. The interval is about others: what people like these would have to expect. So "
    "few people can be found for certain, and the interval still be wide."
)


def number(value: float, digits: int = 3) -> str:
    """Return a measured number, whatever it is."""
    if math.isnan(value):
        return _NONE
    if math.isinf(value):
        return "∞" if value > 0 else "\N{MINUS SIGN}∞"
    return short(value, digits)


def rate(value: float) -> str:
    """Return a number that is mostly between 0 and 1, with two decimals, or as many as a small one takes."""
    if not math.isfinite(value) or 0 < abs(value) < _SMALL or abs(value) > 1:
        return number(value, 2)
    return f"{value:.2f}".replace("-", "\N{MINUS SIGN}")


def percent(share: float) -> str:
    """Return a share as a percentage, rounded up as the public page's are."""
    return percent_up(share) if math.isfinite(share) else _NONE


def interval(one: Rate) -> str:
    """Return the ends of an interval; "" for one that is not known."""
    if not (math.isfinite(one.low) and math.isfinite(one.high)):
        return ""
    return f"{rate(one.low)} to {rate(one.high)}"


def with_interval(value: Rate | float) -> str:
    """Return a number, and its interval if it has one."""
    if isinstance(value, Rate):
        ends = interval(value)
        return f"{rate(value.value)} ({ends})" if ends else rate(value.value)
    return number(value)


def p_value(p: float) -> str:
    """Return a p-value with no more digits than anybody needs."""
    if math.isnan(p):
        return _NONE
    return "< 0.0001" if p < _LEAST_P else f"{p:.2g}"


def noise_words(check: NoiseCheck) -> tuple[str, ...]:
    """Return whether the noise is what the manifest says, and what it means if not."""
    sure = "but for one release in a thousand millions"
    told = (
        f"Without the data, noise is left in {several(check.count, 'number')} of the release: {number(check.ratio, 4)} times as much as the manifest "
        f"states. It should be {number(check.low)} to {number(check.high)} times, {sure}."
    )
    if check.agrees:
        agreed = "Nothing speaks against it that bundle, plan and data belong together; what differs by less than the noise nobody can see."
        if check.low <= 0:
            agreed += " So few numbers cannot show noise that is too small, or that there is none."
        return (told, agreed)
    return (
        told,
        (
            "Bundle, plan and data do not belong together: another plan, data that were changed since, a bundle of somebody else's, or noise that is not "
            "what is stated. Nothing on this page holds of this output until that is known."
        ),
    )


def known_rest_words(one: KnownRest) -> tuple[str, ...]:
    """Return what whoever knows all others finds out about a person."""
    allowed = (
        "The promise of this output bounds none of that."
        if one.allowed is None
        else f"The promise allows {percent(one.allowed)}."
    )
    asked = "Of two people one is in the data. Somebody who knows everybody else's data, and asks which of the two it is"
    if one.against_nobody:
        asked = "Somebody knows the data of a person and of everybody else, and asks whether the person is in the data. Who does"
    told = [
        (
            f"{asked}, is right in {percent(one.typical)} of all releases (of the person in the middle) and in {percent(one.worst)} (of the person told best). "
            f"50 % is guessing. {allowed}"
        ),
        (
            f"Asked about were {several(one.people, 'person', 'people')}. No attack on sums with noise does better than this one. In fresh releases, the "
            f"person told best was guessed right at a rate of {with_interval(one.measured)}."
        ),
    ]
    if one.exceeds:
        told.append("This is more than the promise allows.")
    elif one.allowed is not None and one.worst > one.allowed:
        told.append("That is as much as the promise allows: what is above it is the luck of fresh releases.")
    return tuple(told)


def promise_words(check: PromiseCheck) -> str:
    """Return how a promise stood against what was measured."""
    slack = "" if check.delta <= 0 else f", δ = {scientific_up(check.delta)}"
    told = (
        "The attack's threshold was chosen on half of the trials, where it speaks most against the promise. On the other half it told "
        f"{with_interval(check.tpr)} of one side rightly and {with_interval(check.fpr)} of the other wrongly. With as few errors "
        f"ε = {number(check.epsilon)}{slack} allows {rate(check.bound)} at most"
    )
    return (
        f"{told}: the promise is broken."
        if check.violated
        else f"{told}: nothing speaks against the promise."
    )
