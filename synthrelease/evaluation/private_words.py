"""Numbers of the private report and of the summary on a terminal, and the lines that both begin with."""

from __future__ import annotations

import math
from typing import NamedTuple

from synthrelease.evaluation.attacks import AttackVerdict, Rate
from synthrelease.evaluation.result import RELEASED, EvaluatedOutput, Evaluation, WorstCaseAttack
from synthrelease.number_words import percent_up, several, short

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

    @property
    def comparisons(self) -> tuple[str, ...]:
        """What to compare the number with."""
        return self.beside


def at_a_glance(output: EvaluatedOutput) -> tuple[Line, ...]:
    """Return an output in lines: its first measure of utility, the worst-case attack, and what other attacks found."""
    lines = []
    utility, worst_case = output.utility, output.known_rest
    if utility is not None and utility.measures and utility.compared:
        first = utility.measures[0]
        scores = {source: number(values[0]) for source, values in utility.compared.items()}
        released = scores.pop(RELEASED, _NONE)
        beside = [f"{source} {score}" for source, score in (*scores.items(), ("ideal", number(first.best)))]
        lines.append(Line("utility", first.name, released, tuple(beside)))
    if worst_case is not None:
        beside = [_allowed(worst_case), "chance 50 %"]
        term = "strongest-attacker accuracy"
        lines.append(Line("worst-case", term, percent(worst_case.worst), tuple(beside), worst_case.exceeds))
    alarm = any(attack.verdict is AttackVerdict.SIGNIFICANT for attack in output.attacks)
    return (*lines, Line("attacks", "record-level attacks", _attacks(output), alarm=alarm))


def headline(evaluation: Evaluation) -> str:
    """Return what was found, in a few words: significant attacks first."""
    verdicts = [attack.verdict for output in evaluation.outputs for attack in output.attacks]
    if hits := verdicts.count(AttackVerdict.SIGNIFICANT):
        return f"{hits} of {several(len(verdicts), 'attack')} {'is' if hits == 1 else 'are'} significant"
    rests = [output.known_rest.worst for output in evaluation.outputs if output.known_rest is not None]
    if not verdicts and not rests:
        return "No attack was run"
    strongest = f"Strongest attacker: {percent(max(rests))} correct" if rests else ""
    none = "No attack is significant" if verdicts else ""
    return ". ".join(filter(None, (none, strongest)))


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
    """Return a share as a percentage, rounded up as the public report's are."""
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
        return "no bound"
    return f"{'ABOVE THE BOUND of' if worst_case.exceeds else 'bound'} {percent(worst_case.allowed)}"


def _attacks(output: EvaluatedOutput) -> str:
    """The verdicts on attacks, counted."""
    if not output.attacks:
        return "not applicable (aggregates only)" if output.sums_alone else "none run"
    verdicts = [attack.verdict for attack in output.attacks]
    hits, inconclusive = verdicts.count(AttackVerdict.SIGNIFICANT), verdicts.count(AttackVerdict.INCONCLUSIVE)
    counted = f"{hits or 'none'} of {len(verdicts)} significant"
    return f"{counted}, {inconclusive} inconclusive" if inconclusive else counted
