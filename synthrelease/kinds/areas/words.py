"""Areas of interest: the sentences of what a manifest states by codes."""

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
