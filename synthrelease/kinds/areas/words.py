"""Areas of interest: the sentences of what a manifest states by codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthrelease.number_words import participants, several, short

if TYPE_CHECKING:
    from synthrelease.kinds.areas.public import AreasParameters

SENTENCES = {
    # Why the sensitivity is what it is.
    "divided-shares": "a person divides {half_range} grid units among the {areas} areas of a stimulus, on at most {most_stimuli} of "
    "{stimuli} stimuli; all of it is one integer vector",
    "divided-shares-and-moves": "a person divides {half_range} grid units among the {areas} areas of a stimulus, and as many among the "
    "transitions between them, on at most {most_stimuli} of {stimuli} stimuli; all of it is one integer vector",
    # What is done to the noisy integers.
    "shares-by-viewers": "shares: noisy grid units divided by the public number of viewers, then the nearest proportions that are not "
    "negative and sum to 1",
    "shares-by-sum": "shares: noisy grid units divided by their sum, then the nearest proportions that are not negative and sum to 1",
    "transitions-by-sum": "shares of transitions: divided by their own sum, the diagonal being left out",
    "transitions-by-sum-or-viewers": "shares of transitions: divided by their own sum, or the number of viewers if that is less, the "
    "diagonal being left out",
    # Caveats.
    "equal-weights": "each participant weighs the same on a stimulus, however long they looked or how often they went back and forth",
    "unusable-rows": "a participant with rows on a stimulus, but none that can be used, counts as having looked at all areas alike",
    "label-image": "areas that are labels of an image: the image is not in the bundle, publish it as well",
}


def summary(p: AreasParameters) -> str:
    """Return what is released."""
    also = ", and how they moved between them" if p.transitions else ""
    areas, stimuli = several(len(p.areas), "area"), several(len(p.stimuli), "stimulus", "stimuli")
    return f"How {participants(p.people)} divided their looking among {areas} of {stimuli}{also}."


def procedure(p: AreasParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    moves = " and one unit of moves from area to area" if p.transitions else ""
    most = several(p.max_stimuli_per_person, "stimulus", "stimuli")
    return (
        f"Each participant divides one unit of looking{moves} on a stimulus, on at most {most}. The parts are added up over participants, noise is "
        "added, and what the noise makes impossible is corrected: no proportion is negative, and those of a stimulus sum to 100 %."
    )


def reading(p: AreasParameters, deviation: float) -> str:
    """Return how noise shows, of a standard deviation in grid units."""
    if p.viewers is None:
        people = short(deviation / p.half_range_grid_units)
        return f"The noise of every proportion is as large as the looking of {people} participants (one standard deviation)."
    return (
        "± is one standard deviation of a proportion's noise, before what it makes impossible is corrected: proportions near 0 % or 100 % are off "
        "by less."
    )
