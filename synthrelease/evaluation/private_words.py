"""Numbers of the private report and of the summary on a terminal, and the lines that both begin with."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from synthrelease.evaluation.attacks import AttackVerdict, Rate
from synthrelease.evaluation.result import RELEASED, EvaluatedOutput, Evaluation, Utility, WorstCaseAttack
from synthrelease.number_words import listed, percent_up, several, short

STAMP = "PRIVATE – DO NOT PUBLISH"
_NONE = "not defined"
_LEAST_P = 1e-4
_PARTS = 12  # of an output that are shown in lines
NOT_USEFUL = "NOT USEFUL: no better than no data"
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
    lines: list[Line] = []
    utility, worst_case = output.utility, output.known_rest
    if utility is not None and utility.measures and utility.compared:
        lines.extend(_utility_lines(utility))
    if worst_case is not None:
        beside = [_allowed(worst_case), "chance 50 %"]
        term = "strongest-attacker accuracy"
        lines.append(Line("worst-case", term, percent(worst_case.worst), tuple(beside), worst_case.exceeds))
    alarm = any(attack.verdict is AttackVerdict.SIGNIFICANT for attack in output.attacks)
    return (*lines, Line("attacks", "record-level attacks", _attacks(output), alarm=alarm))


def _utility_lines(utility: Utility) -> Iterator[Line]:
    """The first measure of all of an output, or of each of its parts, which have scales of their own; and what would help.

    That something is not useful is said once, in the first line.
    """
    first = utility.measures[0]
    if len(utility.parts) <= 1:
        scores = {source: number(values[0]) for source, values in utility.compared.items()}
        released = scores.pop(RELEASED, _NONE)
        beside = [f"{source} {score}" for source, score in (*scores.items(), ("ideal", number(first.best)))]
        beside = [NOT_USEFUL, *beside] if utility.not_useful else beside
        yield Line("utility", first.name, released, tuple(beside), bool(utility.not_useful))
    else:
        useless = len(utility.not_useful)
        verdict = f"{useless} of {len(utility.parts)} {NOT_USEFUL}" if useless else "all useful"
        is_one_measure = len({part.measure for part in utility.parts}) == 1
        term, beside = (first.name, [f"ideal {number(first.best)}"]) if is_one_measure else ("accuracy", [])
        yield Line("utility", term, verdict, tuple(beside), bool(useless))
        # What is not useful first: a reader must not have to look for it.
        ordered = sorted(utility.parts, key=lambda part: part.is_useful)
        for part in ordered[:_PARTS]:
            guess = f"without data {number(part.without_data)}"
            yield Line("part", part.part, number(part.released), (guess,), not part.is_useful)
        if len(ordered) > _PARTS:
            rest = ordered[_PARTS:]
            useful = sum(part.is_useful for part in rest)
            yield Line("part", f"{len(rest)} more,", f"of which {useful} useful", (), useful < len(rest))
    if utility.remedies:
        yield Line("help", "expected to help, for usual data:", "; or ".join(utility.remedies))


def not_useful(evaluation: Evaluation) -> str:
    """Return which outputs are no better than a guess without data, or "" if none is."""
    outputs = []
    for output in evaluation.outputs:
        if output.utility is None or not (parts := output.utility.not_useful):
            continue
        of_parts = f" ({len(parts)} of {len(output.utility.parts)})" if len(output.utility.parts) > 1 else ""
        outputs.append(f"{output.name}{of_parts}")
    return f"No better than no data: {listed(outputs)}" if outputs else ""


def headline(evaluation: Evaluation) -> str:
    """Return what was found about attacks, in a few words: significant ones first."""
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
