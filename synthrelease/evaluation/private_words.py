"""Numbers of the private page and of the summary on a terminal, and the lines that both begin with."""

from __future__ import annotations

import math
from typing import NamedTuple

from synthrelease.evaluation.attacks import AttackVerdict, Rate
from synthrelease.evaluation.result import RELEASED, EvaluatedOutput, WorstCaseAttack
from synthrelease.number_words import percent_up, short

STAMP = "PRIVATE – DO NOT PUBLISH"
_NONE = "not defined"
_LEAST_P = 1e-4
_SMALL = 0.005  # what two decimals would make nothing of


class Line(NamedTuple):
    """An output in one of its lines: what it is about, the number that matters, and what to compare it with."""

    subject: str
    term: str
    value: str
    beside: tuple[str, ...] = ()
    alarm: bool = False


def at_a_glance(output: EvaluatedOutput) -> tuple[Line, ...]:
    """Return an output in lines: its first measure of utility, the worst-case attack, and what other attacks found."""
    lines = []
    utility, worst_case = output.utility, output.known_rest
    if utility is not None and utility.measures and utility.compared:
        first = utility.measures[0]
        scores = {source: number(values[0]) for source, values in utility.compared.items()}
        released = scores.pop(RELEASED, _NONE)
        beside = [f"{source} {score}" for source, score in (*scores.items(), ("best", number(first.best)))]
        lines.append(Line("utility", first.name, released, tuple(beside)))
    if worst_case is not None:
        term = "who knows everybody else guesses right in"
        lines.append(
            Line("worst-case", term, percent(worst_case.worst), (_allowed(worst_case),), worst_case.exceeds)
        )
    alarm = any(attack.verdict is AttackVerdict.FOUND for attack in output.attacks)
    return (*lines, Line("attacks", "attacks:", _attacks(output), alarm=alarm))


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


def interval(bounded: Rate) -> str:
    """Return the ends of an interval; "" for one that is not known."""
    if not (math.isfinite(bounded.low) and math.isfinite(bounded.high)):
        return ""
    return f"{rate(bounded.low)} to {rate(bounded.high)}"


def with_interval(value: Rate | float) -> str:
    """Return a number, and its interval if it has one."""
    if isinstance(value, Rate):
        ends = interval(value)
        return f"{rate(value.value)} ({ends})" if ends else rate(value.value)
    return number(value)


def p_value(p: float) -> str:
    """Return a p-value with no more digits than anyone needs."""
    if math.isnan(p):
        return _NONE
    return "< 0.0001" if p < _LEAST_P else f"{p:.2g}"


def _allowed(worst_case: WorstCaseAttack) -> str:
    if worst_case.allowed is None:
        return "no guarantee bounds it"
    return f"{'more than the' if worst_case.exceeds else 'of'} {percent(worst_case.allowed)} that the guarantee allows"


def _attacks(output: EvaluatedOutput) -> str:
    """What attacks found, counted."""
    if not output.attacks:
        return "none that name people: only sums are released" if output.sums_alone else "none tried"
    verdicts = [attack.verdict for attack in output.attacks]
    hits, untrusted = verdicts.count(AttackVerdict.FOUND), verdicts.count(AttackVerdict.UNTRUSTED)
    counted = (
        f"{hits} of {len(verdicts)} found something" if hits else f"none of {len(verdicts)} found anything"
    )
    return f"{counted}, {untrusted} cannot be trusted" if untrusted else counted
