"""Areas of interest: the sentences of what a manifest states by codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthrelease.number_words import participants, several, short

if TYPE_CHECKING:
    from synthrelease.kinds.areas.public import AreasParameters

SENTENCES = {
    # Why the sensitivity is what it is.
    "divided-shares": "a participant divides {half_range} grid units among the {areas} areas of a stimulus, on at most {most_stimuli} of "
    "{stimuli} stimuli; all of it is one integer vector",
    "divided-shares-and-moves": "a participant divides {half_range} grid units among the {areas} areas of a stimulus, and as many among the "
    "transitions between them, on at most {most_stimuli} of {stimuli} stimuli; all of it is one integer vector",
    # What is done to the noisy integers.
    "shares-shrunk": "noisy proportions are shrunk towards equal ones, as if all proportions of the stimulus' areas were equally likely before any "
    "data: the more, the more noise there is",
    "shares-by-viewers": "proportions: noisy grid units divided by the public number of viewers, then the closest non-negative proportions "
    "that sum to 1",
    "shares-by-sum": "proportions: noisy grid units divided by their sum, then the closest non-negative proportions that sum to 1",
    "transitions-by-sum": "proportions of transitions: divided by their own sum, the diagonal being left out",
    "transitions-by-sum-or-viewers": "proportions of transitions: divided by their own sum, or the number of viewers if that is less, the "
    "diagonal being left out",
    # Caveats.
    "equal-weights": "each participant has the same weight on a stimulus, for any viewing time and any number of transitions",
    "unusable-rows": "a participant with rows on a stimulus but no usable one counts as having looked at all areas equally",
    "label-image": "areas that are labels of an image: the image is not in the bundle; publish it, too",
}


def summary(p: AreasParameters) -> str:
    """Return what is released."""
    also = ", and their transitions between them" if p.transitions else ""
    areas, stimuli = several(len(p.areas), "area"), several(len(p.stimuli), "stimulus", "stimuli")
    return f"How {participants(p.people)} distributed their viewing over {areas} of {stimuli}{also}."


def procedure(p: AreasParameters) -> str:
    """Return what is done to the data, before and with the noise."""
    moves = " and one unit of transitions between areas" if p.transitions else ""
    most = several(p.max_stimuli_per_person, "stimulus", "stimuli")
    return (
        f"Each participant contributes one unit of viewing{moves} per stimulus, on at most {most}. The contributions are summed over participants, and "
        "noise is added. The noisy proportions are projected to valid ones: non-negative, and 100 % in total per stimulus."
    )


def reading(p: AreasParameters, within: int) -> str:
    """Return how noise shows, of what it keeps within in 95 of 100 releases, in grid units."""
    if p.viewers is None:
        people = short(within / p.half_range_grid_units)
        noise = f"The noise of every proportion is at most the viewing of {people} participants in 95 % of releases."
    else:
        noise = (
            "± is 95 % of a proportion's error, for each proportion separately, before the projection to valid proportions. Proportions close to 0 % "
            "or 100 % have smaller errors."
        )
        if p.transitions:
            noise += " Transitions have no ±: how many participants made any is private, so their proportions are divided by a noisy number."
    return f"{noise} Differences between areas are smaller than they are: noisy proportions are shrunk towards equal ones."
