"""What a release promises each person, in the words of a review board: no more than its guarantee says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from synthrelease.privacy.best_guess import best_guess, best_guess_of
from synthrelease.privacy.event import from_json as event_from_json
from synthrelease.privacy.guarantee import (
    ApproxDP,
    Guarantee,
    Neighbours,
    NoGuarantee,
    PlausibleDeniability,
    PureDP,
    from_json,
)
from synthrelease.report.number_words import is_certain, listed, one_in, percent_up, short

# The usual words of docs/choosing.md, by the largest ε that each is said of.
_STRENGTHS = ((1.0, "strong"), (3.0, "moderate"), (10.0, "weak"))
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


@dataclass(frozen=True)
class Promise:
    """The headline of a page.

    Attributes:
        headline: the promise in one sentence.
        guess: how often the best guess is right at most, from ½ to 1; None if nothing bounds that.
        worlds: the two that the guess is between; none without `guess`.
        sentences: what it means.
        formal: the guarantee in its own notation.
        strength: a usual word for it; "" if nothing is promised.
        uncovered: outputs that the promise does not cover, with what is said of each instead.
        public: what else is not protected: a reason, and all things that it is given for.
    """

    headline: str
    guess: float | None
    worlds: tuple[str, ...]
    sentences: tuple[str, ...]
    formal: str
    strength: str
    uncovered: tuple[tuple[str, str], ...]
    public: tuple[tuple[str, tuple[str, ...]], ...]


def promise_of(manifest: dict[str, Any]) -> Promise:
    """Return the headline of a release.

    Args:
        manifest: of a bundle that verifies.
    """
    guarantee = from_json(manifest["privacy"]["guarantee"])
    covered: list[str] = manifest["privacy"]["composition"]["outputs"]
    outputs = {output["name"]: output for output in manifest["outputs"]}
    uncovered = tuple(
        (name, standing(from_json(output["guarantee"])))
        for name, output in outputs.items()
        if name not in covered
    )
    events = [event_from_json(outputs[name]["event"]) for name in covered]
    guess = best_guess(guarantee) if covered else None
    known = best_guess_of(events) if guess is not None else None
    guess = guess if known is None or guess is None else min(guess, known)
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
        headline = _headline(guess)
        sentences = list(_sentences(guarantee, guess, covered, everything=not uncovered))
    told_of = {f"output {name}" for name, _ in uncovered}
    rest = [entry for entry in manifest["privacy"]["not_protected"] if entry["what"] not in told_of]
    return Promise(
        headline,
        guess,
        worlds,
        tuple(sentences),
        str(guarantee),
        "" if guess is None else _strength(guarantee),
        uncovered,
        _by_reason(rest),
    )


def standing(guarantee: Guarantee) -> str:
    """Return what is promised by one output alone, in a sentence."""
    match guarantee:
        case PlausibleDeniability():
            return _of_deniability(guarantee)
        case NoGuarantee():
            return f"Protects nobody: {guarantee.reason}."
    guess = best_guess(guarantee)
    assert guess is not None
    if is_certain(guess):
        return "By itself, it leaves the best guess about one person practically certain."
    return f"By itself, the best guess about one person is right in {percent_up(guess)} of cases at most."


def _of_deniability(guarantee: PlausibleDeniability) -> str:
    if guarantee.vacuous:
        return "A criterion that cannot fail here: it protects nobody, and is no differential privacy."
    who = "people" if guarantee.counted == "person" else "real records, perhaps of one person"
    return (
        f"A criterion, and no differential privacy: each record could have come from at least {guarantee.k} {who}, "
        f"about as likely from each (within a factor of {short(guarantee.gamma)})."
    )


def _headline(guess: float) -> str:
    if is_certain(guess):
        return "The promise is so weak that a guess about one person can become practically certain."
    return f"A coin-toss guess about one person is right in {percent_up(guess)} of cases at most."


def _sentences(guarantee: Guarantee, guess: float, covered: list[str], *, everything: bool) -> list[str]:
    whole = "everything in this release" if everything else f"{listed(covered)} in this release"
    at_most = "practically always" if is_certain(guess) else f"in at most {percent_up(guess)} of cases"
    out = [
        f"Whoever guesses before is right in 50 % of cases. After studying {whole}, by whatever means, now or later, "
        f"they are right {at_most}: even if they know everything about everybody else, and both candidates row by row."
    ]
    if isinstance(guarantee, ApproxDP):
        out.append(
            f"δ leaves room for exceptions, {one_in(guarantee.delta)} for each person at most; the percentage has them in it."
        )
    elif isinstance(guarantee, PureDP):
        out.append("There is no room for exceptions (δ = 0).")
    return out


def _strength(guarantee: Guarantee) -> str:
    epsilon = getattr(guarantee, "epsilon", None)
    if epsilon is None:
        return ""
    return next((word for most, word in _STRENGTHS if epsilon <= most), _BEYOND)


def _by_reason(entries: list[dict[str, str]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What is not protected for the same reason stands together."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        found.setdefault(entry["reason"], []).append(entry["what"])
    return tuple((reason, tuple(names)) for reason, names in found.items())
