"""A pilot: other people, who are public. What is released starts from them, and has to learn only how the participants differ.

Nothing of the participants is in it: a pilot that shares a person with the data gives that person away (`people.proof.md`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from synthrelease.field_schema import described
from synthrelease.kinds.people.form import PeopleForm
from synthrelease.kinds.people.scores import Scale
from synthrelease.kinds.people.vectors import LEVELS, MISSING, Windows, coefficients, dependence
from synthrelease.numerics.log_density import Others, cosines

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]
Listed = tuple[float, ...]
_DIGITS = 6  # of a number, in the manifest
_LEAST = 1e-4  # of a bin, when values become scores: a bin without pilot people is not impossible


@dataclass(frozen=True)
class Pilot:
    """What the manifest states of a pilot: public numbers."""

    sha256: Annotated[
        str,
        described(
            "Of the file; of a folder's files, of their digests in the order of names.",
            pattern="^[0-9a-f]{64}$",
        ),
    ]
    people: Annotated[int, described("How many.", minimum=2)]
    density: Annotated[
        tuple[Listed, ...], described("Of each feature, the probability of each bin of its bounds.")
    ]
    squares: Annotated[
        Listed, described("Mean square of a pilot person's coefficient about the mean, by order.")
    ]
    dependence: Annotated[Listed, described("Mean vector of the third round.")]

    def suits(self, form: PeopleForm) -> bool:
        """Whether its numbers are as many as those of a form, and its densities are some."""
        density = {len(row) for row in self.density} == {form.bins} and len(self.density) == form.features
        others = len(self.squares) == form.cosines and len(self.dependence) == form.dependence_size
        possible = min(self.squares, default=0) >= 0
        return density and others and possible and all(min(row) >= 0 and sum(row) > 0 for row in self.density)

    @property
    def others(self) -> Others:
        """Their densities, as what participants' are expected to be like."""
        density = np.array(self.density)
        return Others(density / density.sum(axis=1, keepdims=True), self.people)

    def centre(self, form: PeopleForm) -> Numbers:
        """Return their mean coefficients, dimensionless, shape (F, K)."""
        return self.others.density @ cosines(form.cosines, form.bins).T


def pilot_of(
    windows: Windows, levels: Integers, form: PeopleForm, scales: list[Scale], *, sha256: str
) -> Pilot:
    """Return what is stated of a pilot, dimensionless numbers.

    Args:
        windows: of the pilot's people.
        levels: of their values, whole numbers, `MISSING` where there is none, shape (N, F); of every feature there are some.
        form: of the vectors.
        scales: the features' public ranges.
        sha256: of the file.
    """
    density = np.stack([_density(windows, levels[:, f], form.bins) for f in range(form.features)])
    means, has_values = coefficients(windows, levels, form)
    is_known = np.broadcast_to(has_values[..., None], means.shape)
    mean = means.mean(axis=0, where=is_known)
    squares = ((means - mean) ** 2).mean(axis=0, where=is_known)
    expected = (1 - form.bins * _LEAST) * density + _LEAST
    scores = np.empty_like(levels)
    for f, scale in enumerate(scales):
        scores[:, f] = scale.score_table(expected[f])[levels[:, f]]
    present = levels != MISSING
    scores[~present] = 0
    has_rows = np.bincount(windows.person, minlength=windows.people) > 0
    vector = dependence(windows, scores, present, form)[has_rows].mean(axis=0)
    return Pilot(
        sha256,
        int(has_rows.sum()),
        tuple(_rounded(row) for row in density),
        _rounded(squares.mean(axis=0)),
        _rounded(vector),
    )


def _density(windows: Windows, levels: Integers, bins: int) -> Numbers:
    """Of the pilot's people, each of whom weighs the same, shape (M,)."""
    here = levels != MISSING
    person, cell = windows.person[here], levels[here] * bins // LEVELS
    number = np.bincount(person, minlength=windows.people)
    density = np.bincount(cell, 1 / number[person], minlength=bins)
    return np.asarray(density / density.sum()) if density.any() else np.full(bins, 1 / bins)


def _rounded(numbers: Numbers) -> Listed:
    return tuple(float(f"{number:.{_DIGITS}g}") for number in numbers)
