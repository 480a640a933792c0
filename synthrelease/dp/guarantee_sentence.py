"""What a guarantee means, in a plain sentence: as reports and notebooks say it.

No mathematics here: the best guess is that of `best_guess`.
"""

from __future__ import annotations

from synthrelease.dp.best_guess import best_guess
from synthrelease.dp.guarantee import Guarantee, Neighbours, NoGuarantee, PlausibleDeniability, Unit
from synthrelease.notebook import NotebookCard, Tone
from synthrelease.number_words import is_certain, percent_up, short

GRAVE = 0.95  # the best guess at ε = 3, the last that is called moderate


def guarantee_sentence(guarantee: Guarantee, guess: float | None = None) -> str:
    """Return what a guarantee means for a participant.

    Args:
        guarantee: of any kind.
        guess: the largest probability of a right guess, from ½ to 1, where more is known than what the guarantee allows.
    """
    match guarantee:
        case PlausibleDeniability():
            return _of_deniability(guarantee)
        case NoGuarantee():
            return f"Protects no one: {guarantee.reason}."
    known = best_guess(guarantee) if guess is None else guess
    assert known is not None
    choice = f"an attacker who has to {_two_datasets(guarantee)}"
    if is_certain(known):
        return f"{choice} may be right practically always."
    return f"{choice} is right at most {percent_up(known)} of the time (chance 50 %)."


def _two_datasets(guarantee: Guarantee) -> str:
    """What is to be guessed, between two datasets: of anything else, such as what is true of a group, no guarantee says how good it is."""
    if guarantee.unit is not Unit.PERSON:
        return f"distinguish one {guarantee.unit} of a participant from another in its place, all else of theirs being known,"
    if guarantee.neighbours is Neighbours.ADD_REMOVE_ONE:
        return "decide whether one participant took part"
    return "distinguish one participant's data from other data in their place"


def tone_of(guarantee: Guarantee) -> Tone:
    """Return how a guarantee is marked: only differential privacy that limits guesses as protection."""
    match guarantee:
        case PlausibleDeniability():
            return Tone.BAD if guarantee.vacuous else Tone.DOUBTFUL
        case NoGuarantee():
            return Tone.BAD
    guess = best_guess(guarantee)
    return Tone.GOOD if guess is not None and guess <= GRAVE else Tone.DOUBTFUL


def badge_of(guarantee: Guarantee) -> str:
    """Return what stands on the badge of a guarantee: its notation, without reasons."""
    match guarantee:
        case NoGuarantee():
            return "no guarantee"
        case PlausibleDeniability():
            return f"{guarantee}, not differential privacy"
    return str(guarantee)


def guarantee_card(guarantee: Guarantee) -> NotebookCard:
    """Return what a notebook shows of a guarantee."""
    words = guarantee_sentence(guarantee)
    return NotebookCard(
        "Guarantee", "", badge_of(guarantee), tone_of(guarantee), (words[:1].upper() + words[1:],)
    )


def _of_deniability(guarantee: PlausibleDeniability) -> str:
    if guarantee.vacuous:
        return "Plausible deniability with a test that cannot fail here: it protects no one, and it is not differential privacy."
    who = "participants" if guarantee.counted == "person" else "real records, possibly all of one person"
    return (
        f"Plausible deniability, not differential privacy: each record by itself could have come from at least {guarantee.k} {who}, "
        f"with about the same probability (within a factor of {short(guarantee.gamma)})."
    )
