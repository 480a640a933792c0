"""What a release guarantees each person, in the words of a review board: no more than its manifest says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from synthrelease.bundle.disclosure import unprotected_facts
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.dp.best_guess import best_guess, best_guess_of
from synthrelease.dp.event import from_json as event_from_json
from synthrelease.dp.guarantee import (
    ApproxDP,
    Guarantee,
    Neighbours,
    NoGuarantee,
    PlausibleDeniability,
    PureDP,
    from_json,
)
from synthrelease.dp.guarantee_sentence import GRAVE, guarantee_sentence
from synthrelease.number_words import (
    is_certain,
    listed,
    no_less,
    percent_up,
    scientific_up,
)

# The usual words of docs/howto/choose.md, by the largest ε that each is said of.
_STRENGTHS = ((1.0, "strong"), (3.0, "moderate"), (10.0, "weak"))
_BEYOND = "very weak, little more than a formality"
_WORLDS = {
    Neighbours.REPLACE_ONE: (
        "all rows of this participant are in the data",
        "any other rows are in their place, for example another participant's",
        "Everything else is the same in both: all other participants, how many there are, and what is public by study design.",
    ),
    Neighbours.ADD_REMOVE_ONE: (
        "this participant took part, with all their rows",
        "this participant did not take part",
        "Everything else is the same in both: all other participants, and what is public by study design.",
    ),
}
_ATTACKER_KNOWS = {
    Neighbours.REPLACE_ONE: "both candidates row by row",
    Neighbours.ADD_REMOVE_ONE: "every row of this participant",
}
_DISTINGUISHED = {
    Neighbours.REPLACE_ONE: "distinguish one participant's data from someone else's",
    Neighbours.ADD_REMOVE_ONE: "infer whether one participant took part",
}


@dataclass(frozen=True)
class GuaranteeWords:
    """What a release guarantees, in words: the beginning of a report."""

    headline: str  # the figure
    explanation: str  # what the figure is of, in one line
    guess: float | None  # how often the best guess is right at most, from ½ to 1; None if nothing bounds that
    worlds: tuple[str, ...]  # the two that the guess is between; none without `guess`
    sentences: tuple[str, ...]  # what it means
    notation: str  # ε and δ, or what there is in their place
    strength: str  # a usual word for ε; "" if nothing bounds the guess
    grave: bool  # whether the guess is so good that a report should alarm
    uncovered: tuple[tuple[str, str], ...]  # each output that it does not cover, and its own guarantee
    public_facts: tuple[tuple[str, tuple[str, ...]], ...]  # a reason, and all that is public for it

    @property
    def statement(self) -> str:
        """Figure and explanation as text that can stand without a layout."""
        if self.guess is None:
            return f"{self.headline} {self.explanation}"
        return f"{self.headline_in_text}: {self.explanation[0].lower()}{self.explanation[1:]}"

    @property
    def headline_in_text(self) -> str:
        """The figure where no title above it says that it is of an attacker's guesses: it is not how accurate the release is."""
        if self.guess is None:
            return self.headline
        return f"Guesses between two datasets: {self.headline[0].lower()}{self.headline[1:]}"


def guarantee_words(manifest: dict[str, Any]) -> GuaranteeWords:
    """Return what a release guarantees, in words.

    Args:
        manifest: of a bundle that verifies.
    """
    guarantee = from_json(manifest["privacy"]["guarantee"])
    covered: list[str] = manifest["privacy"]["composition"]["outputs"]
    outputs = {output["name"]: output for output in manifest["outputs"]}
    uncovered = tuple(
        (name, output_guarantee_words(output)) for name, output in outputs.items() if name not in covered
    )
    guess = _guess(guarantee, [outputs[name] for name in covered]) if covered else None
    if guess is None:
        headline = "Nothing in this release is differentially private."
        has_criterion = any(
            isinstance(from_json(o["guarantee"]), PlausibleDeniability) for o in outputs.values()
        )
        explanation = "No number bounds what an attacker can learn about one participant from it."
        sentences = (
            ["Its records met a criterion, which is stated with each output below."] if has_criterion else []
        )
        worlds: tuple[str, ...] = ()
    else:
        worlds = _WORLDS[guarantee.neighbours]
        source = (
            "this release" if not uncovered else f"the differentially private outputs ({listed(covered)})"
        )
        headline = _headline(guess)
        explanation = _explanation(guarantee.neighbours, guess, source)
        sentences = list(_sentences(guarantee, guess, source))
    return GuaranteeWords(
        headline,
        explanation,
        guess,
        worlds,
        tuple(sentences),
        in_notation(guarantee),
        "" if guess is None else _strength(guarantee),
        guess is not None and guess > GRAVE,
        uncovered,
        _by_reason(unprotected_facts(manifest, outputs=False)),
    )


def output_guarantee_words(output: dict[str, Any]) -> str:
    """Return what one output by itself guarantees, in a sentence.

    Args:
        output: an entry of the manifest's `outputs`.
    """
    guarantee = from_json(output["guarantee"])
    if isinstance(guarantee, NoGuarantee | PlausibleDeniability):
        return guarantee_sentence(guarantee)
    return f"By itself: {guarantee_sentence(guarantee, _guess(guarantee, [output]))}"


def guarantee_caption(manifest: Mapping[str, Any], output: Mapping[str, Any]) -> list[str]:
    """Return what stands below a figure, in lines: the output's guarantee, or that it does not hold; and that of all outputs together."""
    guarantee = str(from_json(output["guarantee"]))
    if manifest["randomness"]["test_seed"]:
        return [f"{TEST_SEED_WORDS}: {guarantee} does not hold"]
    covered = manifest["privacy"]["composition"]["outputs"]
    if output["name"] not in covered or len(covered) == 1:
        return [guarantee]
    return [
        guarantee,
        f"Together with {listed([name for name in covered if name != output['name']])}: {from_json(manifest['privacy']['guarantee'])}",
    ]


def in_notation(guarantee: Guarantee) -> str:
    """Return a guarantee in the notation of the field."""
    notation = str(guarantee)
    match guarantee:
        case ApproxDP():
            return notation.replace(no_less(guarantee.delta, 2), scientific_up(guarantee.delta), 1)
    return notation


def _guess(guarantee: Guarantee, outputs: list[dict[str, Any]]) -> float | None:
    """The lesser of what the guarantee allows and what was done allows."""
    allowed = best_guess(guarantee)
    reached = best_guess_of([event_from_json(output["event"]) for output in outputs])
    return allowed if reached is None or allowed is None else min(allowed, reached)


def _headline(guess: float) -> str:
    if is_certain(guess):
        return "Nearly always correct, in the worst case"
    return f"At most {percent_up(guess)} correct"


def _explanation(neighbours: Neighbours, guess: float, source: str) -> str:
    known = (
        f"How often an attacker who knows everything else can {_DISTINGUISHED[neighbours]}, using {source}"
    )
    return (
        f"{known}. Chance is 50 %."
        if not is_certain(guess)
        else f"{known}. This bound hardly limits what an attacker learns."
    )


def _sentences(guarantee: Guarantee, guess: float, source: str) -> list[str]:
    at_most = (
        "may be correct practically always, in the worst case"
        if is_certain(guess)
        else f"is correct at most {percent_up(guess)} of the time"
    )
    sentences = [
        (
            "An attacker guesses which dataset is the real one. Without the release, the guess is correct 50 % of the time. With "
            f"{source}, and with any method, now or later, it {at_most}. This holds even if the attacker knows everything about all "
            f"other participants, and {_ATTACKER_KNOWS[guarantee.neighbours]}."
        )
    ]
    allowed = best_guess(guarantee)
    if allowed is not None and not is_certain(guess) and percent_up(allowed) != percent_up(guess):
        sentences.append(
            f"The percentage follows from the noise that was added. ε{' and δ' if isinstance(guarantee, ApproxDP) else ''} by "
            f"{'themselves' if isinstance(guarantee, ApproxDP) else 'itself'} would allow {percent_up(allowed)}."
        )
    if isinstance(guarantee, ApproxDP):
        has_it = "" if is_certain(guess) else ". The percentage above includes it"
        sentences.append(
            f"δ = {scientific_up(guarantee.delta)} is an additive slack: one person's data make no set of results more than e^ε times as likely, plus "
            f"δ. It is not the probability that more than ε is revealed, which can be larger{has_it}."
        )
    elif isinstance(guarantee, PureDP):
        sentences.append("The bound holds without any slack (δ = 0).")
    return sentences


def _strength(guarantee: Guarantee) -> str:
    epsilon = guarantee.epsilon
    if epsilon is None:
        return ""
    return next((word for most, word in _STRENGTHS if epsilon <= most), _BEYOND)


def _by_reason(facts: list[tuple[str, str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What is not protected for the same reason stands together."""
    by_reason: dict[str, list[str]] = {}
    for what, reason in facts:
        by_reason.setdefault(reason, []).append(what)
    return tuple((reason, tuple(names)) for reason, names in by_reason.items())
