"""What a release guarantees each person, in the words of a review board: no more than its manifest says."""

from __future__ import annotations

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
    no_less,
)
from synthrelease.number_words import (
    is_certain,
    listed,
    percent_up,
    scientific_up,
    short,
)

# The usual words of docs/howto/choose.md, by the largest ε that each is said of.
_STRENGTHS = ((1.0, "strong"), (3.0, "moderate"), (10.0, "weak"))
_GRAVE = 0.95  # the best guess at ε = 3, the last that is called moderate
_BEYOND = "hardly more than a formality"
_WORLDS = {
    Neighbours.REPLACE_ONE: (
        "the rows of this person are in the data",
        "any other rows stand in their place, another person's for instance",
        "Everything else is the same in both: all other people, how many there are, and what is public by the study's design.",
    ),
    Neighbours.ADD_REMOVE_ONE: (
        "this person took part, with all their rows",
        "this person did not take part",
        "Everything else is the same in both: all other people, and what is public by the study's design.",
    ),
}
_ATTACKER_KNOWS = {
    Neighbours.REPLACE_ONE: "both candidates row by row",
    Neighbours.ADD_REMOVE_ONE: "every row of this person",
}
_QUESTIONS = {
    Neighbours.REPLACE_ONE: "Were one person's data used, or other data in their place?",
    Neighbours.ADD_REMOVE_ONE: "Did one person take part, or not?",
}


@dataclass(frozen=True)
class GuaranteeWords:
    """What a release guarantees, in words: the beginning of a page."""

    headline: str
    guess: float | None  # how often the best guess is right at most, from ½ to 1; None if nothing bounds that
    worlds: tuple[str, ...]  # the two that the guess is between; none without `guess`
    sentences: tuple[str, ...]  # what it means
    notation: str  # ε and δ, or what there is in their place
    strength: str  # a usual word for ε; "" if nothing bounds the guess
    grave: bool  # whether the guess is so good that a page should alarm
    uncovered: tuple[tuple[str, str], ...]  # each output that it does not cover, and its own guarantee
    public_facts: tuple[tuple[str, tuple[str, ...]], ...]  # a reason, and all that is public for it


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
        sentences = [
            "No number bounds what somebody can learn of one person from it."
            if not any(isinstance(from_json(o["guarantee"]), PlausibleDeniability) for o in outputs.values())
            else "Its records met a criterion, told with each output below. No number bounds what somebody can learn of one person."
        ]
        worlds: tuple[str, ...] = ()
    else:
        worlds = _WORLDS[guarantee.neighbours]
        headline = _headline(guarantee.neighbours, guess, everything=not uncovered)
        sentences = list(_sentences(guarantee, guess, covered, everything=not uncovered))
    return GuaranteeWords(
        headline,
        guess,
        worlds,
        tuple(sentences),
        in_notation(guarantee),
        "" if guess is None else _strength(guarantee),
        guess is not None and guess > _GRAVE,
        uncovered,
        _by_reason(unprotected_facts(manifest, outputs=False)),
    )


def output_guarantee_words(output: dict[str, Any]) -> str:
    """Return what one output by itself guarantees, in a sentence.

    Args:
        output: an entry of the manifest's `outputs`.
    """
    guarantee = from_json(output["guarantee"])
    match guarantee:
        case PlausibleDeniability():
            return _of_deniability(guarantee)
        case NoGuarantee():
            return f"Protects nobody: {guarantee.reason}."
    guess = _guess(guarantee, [output])
    assert guess is not None
    if is_certain(guess):
        return "By itself, it may let a guess about one person become practically certain."
    return f"By itself, it lets a guess about one person be right at most {percent_up(guess)} of the time."


def guarantee_caption(manifest: dict[str, Any], output: dict[str, Any]) -> list[str]:
    """Return what stands below a picture, in lines: the output's guarantee, or that it does not hold; and that of all outputs together."""
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


def _of_deniability(guarantee: PlausibleDeniability) -> str:
    if guarantee.vacuous:
        return "A criterion that cannot fail here: it protects nobody, and is no differential privacy."
    who = "people" if guarantee.counted == "person" else "real records, perhaps of one person"
    return (
        f"A criterion, and no differential privacy: each record could have come from at least {guarantee.k} {who}, "
        f"about as likely from each (within a factor of {short(guarantee.gamma)})."
    )


def _headline(neighbours: Neighbours, guess: float, *, everything: bool) -> str:
    question = _QUESTIONS[neighbours]
    source = "this release" if everything else "the protected part of this release"
    if is_certain(guess):
        return f"{question} From {source}, somebody may be able to tell with near certainty."
    return f"{question} From {source}, nobody guesses right more than {percent_up(guess)} of the time."


def _sentences(guarantee: Guarantee, guess: float, covered: list[str], *, everything: bool) -> list[str]:
    what = "everything in this release" if everything else f"{listed(covered)} in this release"
    at_most = (
        "practically always, in the worst case"
        if is_certain(guess)
        else f"at most {percent_up(guess)} of the time"
    )
    sentences = [
        (
            f"Somebody guesses which. Before, they are right 50 % of the time. After studying {what}, by whatever means, now or "
            f"later, they are right {at_most}, even if they know everything about everybody else, and {_ATTACKER_KNOWS[guarantee.neighbours]}."
        )
    ]
    if isinstance(guarantee, ApproxDP):
        has_it = "" if is_certain(guess) else ". The percentage above includes it"
        sentences.append(
            f"δ = {scientific_up(guarantee.delta)} is an additive slack: one person's data make nothing that can be published more than e^ε times as likely, plus "
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
