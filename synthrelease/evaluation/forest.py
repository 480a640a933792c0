"""All attacks of an evaluation on one axis from 0 to 1, grouped by what they were run on: rows of a forest plot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from synthrelease.evaluation.attacks import AttackResult, AttackVerdict, GuaranteeCheck, Rate
from synthrelease.evaluation.private_words import with_interval
from synthrelease.evaluation.result import EvaluatedInput, EvaluatedOutput, WorstCaseAttack

_CHANCE_OF_TWO = 0.5  # of a guess between two


@dataclass(frozen=True)
class ForestRow:
    """A success of an attack, and what to compare it with."""

    attack: str
    measure: str  # what the success is measured by
    success: Rate
    chance: float | None = None
    control: float | None = None
    bound: float | None = None  # the largest success that the guarantee allows
    verdict: AttackVerdict | None = None  # None where only the bound decides
    exceeds: bool = False  # whether it is above the bound, beyond doubt


@dataclass(frozen=True)
class ForestGroup:
    """The attacks on one output, or on one input as it is."""

    name: str
    rows: tuple[ForestRow, ...]
    number: int  # of its card


def forest(tried: Iterable[EvaluatedOutput | EvaluatedInput]) -> list[ForestGroup]:
    """Return the attacks of outputs, or of inputs, in their order; nothing of those without any.

    Of each, the worst-case attack comes first, then record-level attacks, the most successful first; a success that was compared with the guarantee has a row of
    its own below its attack, since its measure is another one.
    """
    groups = [ForestGroup(one.name, tuple(_rows(one)), number) for number, one in enumerate(tried, start=1)]
    return [group for group in groups if group.rows]


def _rows(tried: EvaluatedOutput | EvaluatedInput) -> Iterator[ForestRow]:
    if isinstance(tried, EvaluatedOutput) and tried.known_rest is not None:
        yield from _worst_case(tried.known_rest)
    # What is no number last.
    ordered = sorted(tried.attacks, key=lambda attack: -attack.main.value if attack.main.value >= 0 else 1.0)
    for attack in ordered:
        yield from _record_level(attack)


def _worst_case(attack: WorstCaseAttack) -> Iterator[ForestRow]:
    name = "strongest attacker"
    measure = f"accuracy for the most distinguishable {'person' if attack.of_presence else 'pair'}"
    yield ForestRow(
        name,
        measure,
        Rate(attack.worst, attack.measured.low, attack.measured.high),  # what `exceeds` is about
        chance=_CHANCE_OF_TWO,
        bound=attack.allowed,
        exceeds=attack.exceeds,
    )
    if attack.guarantee_check is not None:
        yield _compared(name, attack.guarantee_check)


def _record_level(attack: AttackResult) -> Iterator[ForestRow]:
    yield ForestRow(
        attack.attack,
        attack.measure,
        attack.main,
        chance=attack.chance,
        control=attack.control.value,
        verdict=attack.verdict,
    )
    if attack.guarantee_check is not None:
        yield _compared(attack.attack, attack.guarantee_check)


def _compared(name: str, check: GuaranteeCheck) -> ForestRow:
    measure = f"TPR on half of the trials, at FPR {with_interval(check.fpr)}"
    return ForestRow(name, measure, check.tpr, bound=check.bound, exceeds=check.violated)
