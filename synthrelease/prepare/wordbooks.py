"""Wordbooks: how often each sequence of 1 to 4 saccades occurs (Bulling et al. 2011, section 4.4).

A saccade is a letter by its direction and size: one of 8 directions if it is small, one of 16 if it is large, 24 letters in all, as the code of
Hoppe et al. 2018 has it (Frontiers in Human Neuroscience 12:105). The first sector has its middle to the right, the others follow
counterclockwise. A word of n letters is n saccades in a row, whatever lies between them; words overlap.
"""

from __future__ import annotations

from functools import reduce
from operator import add

import polars as pl

SMALL, LARGE = 8, 16  # directions
LETTERS = SMALL + LARGE
LENGTHS = (1, 2, 3, 4)


def with_words(saccades: pl.DataFrame, small_deg: float) -> pl.DataFrame:
    """Return saccades with a column `word1` to `word4`: the number of the word of so many letters that ends with each.

    Args:
        saccades: recording, amplitude_deg, right_deg, up_deg; by recording, in the order of time.
        small_deg: amplitude below which one is small.
    """
    sector = pl.arctan2("up_deg", "right_deg").degrees()
    small = _sector(sector, SMALL)
    large = SMALL + _sector(sector, LARGE)
    letter = pl.when(pl.col("amplitude_deg") < small_deg).then(small).otherwise(large)
    lettered = saccades.with_columns(letter.alias("letter"))
    ending = [pl.col("letter").shift(back).over("recording") * LETTERS**back for back in range(max(LENGTHS))]
    words = [reduce(add, ending[:length]).alias(f"word{length}") for length in LENGTHS]
    return lettered.with_columns(words)


def wordbook(length: int) -> list[pl.Expr]:
    """Return the six features of the words of a length, for a run of saccades in a window: nonzero, max, min, range, mean, var.

    Counts are those of all 24ⁿ words that there could be, and so nearly all of them are 0, the smallest among them. Only words whose n letters
    are all in the window count.
    """
    books = LETTERS**length
    # The words that end with the first n − 1 saccades of a window began before it.
    word = pl.col(f"word{length}").slice(length - 1)
    counts = word.unique_counts().cast(pl.Float64)
    largest = counts.max().fill_null(0.0)
    smallest = pl.when(word.n_unique() == books).then(counts.min()).otherwise(0.0)
    mean = word.len() / books
    features = {
        "nonzero": word.n_unique().cast(pl.Float64),
        "max": largest,
        "min": smallest,
        "range": largest - smallest,
        "mean": mean,
        "var": counts.pow(2).sum() / books - mean.pow(2),
    }
    return [value.alias(f"wordbook{length}_{what}") for what, value in features.items()]


def _sector(degrees: pl.Expr, count: int) -> pl.Expr:
    """Which of so many sectors an angle lies in."""
    return ((degrees * count / 360).round().cast(pl.Int64) + count) % count
