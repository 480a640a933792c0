"""What the private page shows of each output and input, as values: rows of attacks, tables of utility, drawings of guesses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from synthrelease.appraisal.appraised import (
    Appraisal,
    AppraisedInput,
    AppraisedOutput,
    KnownRest,
    Measure,
    Utility,
    Values,
)
from synthrelease.appraisal.curve_plate import curve_plate
from synthrelease.appraisal.private_words import (
    RELEASED,
    interval,
    known_rest_words,
    noise_words,
    number,
    p_value,
    percent,
    promise_words,
    rate,
    with_interval,
)
from synthrelease.evaluate.attacks import AttackResult, Rate, Verdict
from synthrelease.report.exhibits import Cell, Plate, Shown, Table
from synthrelease.report.mechanism_words import KINDS
from synthrelease.report.number_words import listed, several

_PLACE = 100  # width of the line on which an attack stands


@dataclass(frozen=True)
class AttackRow:
    """An attack in a table and on a line from 0 to 1.

    Attributes:
        name: of the attack.
        measure: what it measures.
        verdict: found, nothing found, or not to be trusted.
        tone: the name of the verdict, for its look.
        main: what it reached.
        interval: of that; "" if it is not known.
        control: the same where there is nothing to find.
        chance: what whoever has no release reaches.
        p: corrected.
        line: places on the line of the interval's ends, of main, control and chance; None for what has none.
        reasons: of the verdict, and what else there is to know.
        further: other numbers.
    """

    name: str
    measure: str
    verdict: str
    tone: str
    main: str
    interval: str
    control: str
    chance: str
    p: str
    line: Mapping[str, float | None]
    reasons: tuple[str, ...]
    further: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class GuessView:
    """What whoever knows all others finds out, on a line from a coin to certainty.

    Attributes:
        sentences: it, in words.
        worst: place of the person told best, from 0 to 1.
        typical: of the person in the middle.
        allowed: of what the promise allows; None if it bounds none.
        grave: whether it is more than that.
        alt: the line in words.
        found: members found at rates of false alarms; None if that was not asked.
        promise: how it stood; "" if that was not asked.
        broken: whether it did not hold.
    """

    sentences: tuple[str, ...]
    worst: float
    typical: float
    allowed: float | None
    grave: bool
    alt: str
    found: Table | None
    promise: str
    broken: bool


@dataclass(frozen=True)
class PrivateCard:
    """What the page says of an output.

    Attributes:
        anchor: where it stands in the page.
        name: of the output.
        kind: in words.
        shown: truth beside release.
        cut: whether there would be more of that.
        utility: what is compared; None where there is nothing to hold against it.
        measures: each with what it means and what is best.
        tasks: what is learnt from records, a table for each label.
        items: what was released, item by item; None for none.
        items_told: how many there are.
        curve: utility against ε; None where no ε decides.
        noise: whether it is what is stated, in words.
        noise_agrees: whether it is.
        guess: what whoever knows all others finds out; None where no sums were noised.
        sums_alone: whether nothing is a single person's.
        attacks: on what was released.
        remarks: how it was tried, and what was not.
    """

    anchor: str
    name: str
    kind: str
    shown: Shown
    cut: bool
    utility: Table | None
    measures: tuple[tuple[str, str], ...]
    tasks: tuple[Table, ...]
    items: Table | None
    items_told: str
    curve: Plate | None
    noise: tuple[str, ...]
    noise_agrees: bool
    guess: GuessView | None
    sums_alone: bool
    attacks: tuple[AttackRow, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class InputCard:
    """What the page says of an input.

    Attributes:
        anchor: where it stands in the page.
        name: of the input.
        people: in it, in words.
        attacks: on the data as it is.
        remarks: what was left out.
    """

    anchor: str
    name: str
    people: str
    attacks: tuple[AttackRow, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class GlanceLine:
    """An output in a line.

    Attributes:
        anchor: of its card.
        name: of the output.
        kind: in words.
        measure: the first of what is measured; "" for none.
        released: what the release scores.
        beside: what else would score, by what it is, and what is best.
        worst: the best guess of whoever knows all others; "" where none was asked.
        allowed: what the promise allows of it, in words.
        beyond: whether it is more than that.
        attacks: what they found, in words.
        alarm: whether one found something.
    """

    anchor: str
    name: str
    kind: str
    measure: str
    released: str
    beside: tuple[tuple[str, str], ...]
    worst: str
    allowed: str
    beyond: bool
    attacks: str
    alarm: bool


def card_of(one: AppraisedOutput, anchor: str) -> PrivateCard:
    """Return the card of an output."""
    utility = one.utility
    return PrivateCard(
        anchor,
        one.name,
        kind_words(one.kind),
        Shown(tuple(one.exhibits)),
        one.cut,
        None if utility is None else _compared(utility),
        () if utility is None else tuple((m.name, _explained(m)) for m in utility.measures),
        tuple(task.exhibit() for task in one.tasks),
        None if utility is None or not utility.items else _items(utility),
        "" if utility is None else f"Every {utility.noun} by itself: {len(utility.items)} in all",
        None if one.curve is None else curve_plate(one.curve),
        () if one.noise is None else noise_words(one.noise),
        one.noise is None or one.noise.agrees,
        None if one.known_rest is None else guess_view(one.known_rest),
        one.sums_alone,
        attack_rows(one.attacks),
        one.remarks,
    )


def input_card(one: AppraisedInput, anchor: str) -> InputCard:
    """Return the card of an input."""
    people = several(one.people, "person", "people")
    return InputCard(anchor, one.name, people, attack_rows(one.attacks), one.remarks)


def glance_line(one: AppraisedOutput, anchor: str) -> GlanceLine:
    """Return an output in a line."""
    measure, released, beside = "", "", []
    if one.utility is not None and one.utility.measures and one.utility.compared:
        first = one.utility.measures[0]
        measure = first.name
        rows = {what: number(values[0]) for what, values in one.utility.compared.items()}
        released = rows.pop(RELEASED, "") or "not told"
        beside = [*rows.items(), ("best", number(first.best))]
    worst, allowed, more = "", "", False
    if one.known_rest is not None:
        limit, more = one.known_rest.allowed, one.known_rest.exceeds
        worst = percent(one.known_rest.worst)
        allowed = "no promise bounds it" if limit is None else f"of {percent(limit)} that the promise allows"
        if limit is not None and more:
            allowed = f"more than the {percent(limit)} that the promise allows"
    return GlanceLine(
        anchor,
        one.name,
        kind_words(one.kind),
        measure,
        released,
        tuple(beside),
        worst,
        allowed,
        more,
        attacks_in_short(one),
        any(attack.verdict is Verdict.FOUND for attack in one.attacks),
    )


def attacks_in_short(one: AppraisedOutput) -> str:
    """Return what attacks found, counted."""
    attacks = one.attacks
    if not attacks:
        return "none that name people: only sums are released" if one.sums_alone else "none tried"
    found, untrusted = (
        sum(one.verdict is verdict for one in attacks) for verdict in (Verdict.FOUND, Verdict.UNTRUSTED)
    )
    told = f"{found} of {len(attacks)} found something" if found else f"none of {len(attacks)} found anything"
    return f"{told}, {untrusted} cannot be trusted" if untrusted else told


def before_and_after(appraisal: Appraisal) -> Table | None:
    """Return the attacks that were tried both on data as they are and on what is released of them; None if there are none."""
    columns: list[tuple[str, dict[str, AttackResult]]] = []
    names: dict[str, None] = {}
    for one in appraisal.inputs:
        raw = {attack.attack: attack for attack in one.attacks}
        made = [
            (f"{output.name}, released", own)
            for output in appraisal.outputs
            if output.source == one.name
            and (own := {a.attack: a for a in output.attacks}).keys() & raw.keys()
        ]
        if made:
            columns += [(f"{one.name}, without names", raw), *made]
            names |= dict.fromkeys(name for name in raw if any(name in own for _, own in made))
    if not columns:
        return None
    rows = [(name, tuple(Cell(_told(own.get(name))) for _, own in columns)) for name in names]
    note = "Each cell: what the attack reached, what chance reaches, and its verdict. –: not tried, or not on this."
    return Table("Before and after", ("attack", *(told for told, _ in columns)), tuple(rows), note)


def attack_rows(attacks: Sequence[AttackResult]) -> tuple[AttackRow, ...]:
    """Return attacks as rows."""
    return tuple(_row(one) for one in attacks)


def guess_view(one: KnownRest) -> GuessView:
    """Return what whoever knows all others finds out."""
    limit = one.allowed
    allowed = "" if limit is None else f", what is allowed at {percent(limit)}"
    found = tuple((alarms, (Cell(percent(share)),)) for alarms, share in one.found.items())
    table = Table(
        "Members found, of the person told best",
        ("at a rate of false alarms", "found"),
        found,
        "A false alarm takes somebody for a member who is none. Luck finds as many as it has false alarms.",
    )
    return GuessView(
        known_rest_words(one),
        _beyond_a_coin(one.worst),
        _beyond_a_coin(one.typical),
        None if limit is None else _beyond_a_coin(limit),
        one.exceeds,
        f"On a line from 50 % (a coin) to 100 % (certainty): the person in the middle at {percent(one.typical)}, "
        f"the one told best at {percent(one.worst)}{allowed}.",
        table if found else None,
        "" if one.promise is None else promise_words(one.promise),
        one.promise is not None and one.promise.violated,
    )


def kind_words(kind: str) -> str:
    """Return the kind of an output in words."""
    return KINDS.get(kind, kind)


def _row(one: AttackResult) -> AttackRow:
    further = dict(one.further) if one.risk is None else {"risk beyond the control": one.risk, **one.further}
    reasons = (one.reason, *one.remarks)
    if one.promise is not None and str(one.promise) not in one.reason:  # a verdict may have told it already
        reasons = (*reasons, promise_words(one.promise))
    return AttackRow(
        one.attack,
        one.measure,
        str(one.verdict),
        one.verdict.name.lower(),
        rate(one.main.value),
        interval(one.main),
        rate(one.control.value),
        rate(one.chance),
        p_value(one.corrected_p),
        _line(one.main, one.control.value, one.chance),
        reasons,
        tuple((name, with_interval(value)) for name, value in further.items()),
    )


def _line(main: Rate, control: float, chance: float) -> dict[str, float | None]:
    places = {"low": main.low, "high": main.high, "main": main.value, "control": control, "chance": chance}
    return {name: _PLACE * _within(value) if math.isfinite(value) else None for name, value in places.items()}


def _beyond_a_coin(share: float) -> float:
    return _within(2 * share - 1) if math.isfinite(share) else 0.0


def _within(share: float) -> float:
    return round(min(max(share, 0.0), 1.0), 4)


def _told(one: AttackResult | None) -> str:
    return "–" if one is None else f"{rate(one.main.value)} (chance {rate(one.chance)}), {one.verdict}"


def _explained(measure: Measure) -> str:
    return f"{measure.meaning} (best: {number(measure.best)})"


def _compared(utility: Utility) -> Table:
    head = ("", *(measure.name for measure in utility.measures))
    best = ("the best there is", tuple(Cell(number(measure.best)) for measure in utility.measures))
    rows = tuple((what, _cells(values)) for what, values in utility.compared.items())
    note = ""
    if len(utility.items) > 1:
        middles = [measure.name for measure in utility.measures if measure.middle]
        note = f"Means over all {len(utility.items)}{f', but of {listed(middles)} the middle' if middles else ''}; one by one they stand below."
    return Table("How near to the truth", ("what is published", *head[1:]), (*rows, best), note)


def _items(utility: Utility) -> Table:
    head = (utility.noun, *(measure.name for measure in utility.measures))
    rows = tuple((item, _cells(values)) for item, values in utility.items.items())
    return Table("What was released, one by one", head, rows)


def _cells(values: Values) -> tuple[Cell, ...]:
    return tuple(Cell(number(value)) for value in values)
