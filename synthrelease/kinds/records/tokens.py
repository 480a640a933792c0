"""Trials as records of categories, and back: the cell and the class of duration of each fixation, and an end after the last one (`records.proof.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.attribute import Attribute
from synthrelease.data.screen import Screen
from synthrelease.field_schema import described
from synthrelease.kinds.scanpath_form import timed_scanpaths
from synthrelease.numerics.runs import runs
from synthrelease.numerics.sequence_network import SequenceForm

if TYPE_CHECKING:
    from synthrelease.data.gaze import GazeData

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

END = "end"  # the last category of cells and durations but of the first fixation's
STIMULUS = "stimulus"
MOST_CELLS, MOST_FIXATIONS = 32, 60  # along each side; of a trial
DRAWS = 3  # public numbers that a fixation takes: x, y, duration


@dataclass(frozen=True)
class Tokens:
    """What of a trial is made categories: where its first fixations are, on a grid, how long they take, and how many there are."""

    columns: Annotated[int, described("Cells across the screen.", minimum=1, maximum=MOST_CELLS)]
    rows: Annotated[int, described("Cells down.", minimum=1, maximum=MOST_CELLS)]
    durations_ms: Annotated[
        tuple[Annotated[float, {"minimum": 0}], ...],
        described("Ends of the classes of durations, increasing.", minItems=2, maxItems=MOST_CELLS),
    ]
    fixations: Annotated[
        int, described("m, fixations of a trial at most.", minimum=1, maximum=MOST_FIXATIONS)
    ]

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.columns * self.rows

    @property
    def classes(self) -> int:
        """How many classes of durations there are."""
        return len(self.durations_ms) - 1

    def attributes(self, stimuli: tuple[str, ...]) -> tuple[Attribute, ...]:
        """Return the stimulus, the cells of all fixations and then their durations: cells stand first, so that only these are kept."""
        rows, columns = range(1, self.rows + 1), range(1, self.columns + 1)
        cells = tuple(f"row {row} column {column}" for row in rows for column in columns)
        durations = tuple(f"{low:g} to {high:g} ms" for low, high in pairwise(self.durations_ms))
        return (
            _attribute(STIMULUS, stimuli),
            *(
                _attribute(f"{name}_{t}", labels if t == 1 else (*labels, END))
                for name, labels in (("cell", cells), ("duration", durations))
                for t in range(1, self.fixations + 1)
            ),
        )

    def sequence(self, stimuli: int) -> SequenceForm:
        """Return the form of sequences on as many stimuli."""
        return SequenceForm(stimuli, self.cells, self.classes, self.fixations)

    def coded(self, data: GazeData, duration_ms: Numbers) -> tuple[Integers, Integers]:
        """Return a record of each trial, all fixations of a person on a stimulus that take time, and the number of its person.

        Fixations after the m-th do not count. A duration beyond the classes is of the first or the last one.

        Args:
            data: fixations, those of a trial in the order of time.
            duration_ms: of each, shape (N,).

        Returns:
            Category numbers, shape (trials, 1 + 2m); people, shape (trials,).
        """
        m, stimuli = self.fixations, len(data.stimuli)
        row = np.flatnonzero(duration_ms > 0)
        trial = data.person[row] * stimuli + data.stimulus[row]
        row = row[np.argsort(trial, kind="stable")]
        if not row.size:
            return np.zeros((0, 1 + 2 * m), dtype=np.int64), np.zeros(0, dtype=np.int64)
        first, count = runs(data.person[row] * stimuli + data.stimulus[row])
        ordinal = np.arange(row.size) - np.repeat(first, count)
        number = np.repeat(np.arange(first.size), count)[ordinal < m]
        row, ordinal = row[ordinal < m], ordinal[ordinal < m]
        codes = np.repeat([[0, *[self.cells] * m, *[self.classes] * m]], first.size, axis=0)
        codes[:, 0] = data.stimulus[row[ordinal == 0]]
        cells = data.screen.cells(data.x_px[row], data.y_px[row], columns=self.columns, rows=self.rows)
        codes[number, 1 + ordinal] = cells
        codes[number, 1 + m + ordinal] = self._class_of(duration_ms[row])
        return codes, data.person[row[ordinal == 0]]

    def _class_of(self, duration_ms: Numbers) -> Integers:
        return np.searchsorted(np.array(self.durations_ms[1:-1]), duration_ms, side="right").astype(np.int64)

    def are_sequences(self, codes: NDArray[np.integer]) -> bool:
        """Return whether nothing comes after an end, and fixations and only these have a duration; category numbers, shape (rows, 1 + 2m)."""
        m = self.fixations
        there = codes[:, 1 : m + 1] < self.cells
        has_duration = codes[:, m + 1 :] < self.classes
        return bool((there[:, 1:] <= there[:, :-1]).all() and (there == has_duration).all())

    def scanpaths(self, codes: NDArray[np.integer], public: Numbers, screen: Screen) -> Numbers:
        """Return scanpaths of records, places and durations even within their categories, in the units of `scanpath_form.VALUES`, not rounded.

        Args:
            codes: category numbers, shape (rows, 1 + 2m).
            public: numbers of [0, 1], `DRAWS` for each fixation, shape (rows, m, 3).
            screen: of the stimuli.

        Returns:
            Shape (rows, m, 4).
        """
        m = self.fixations
        cell, duration = codes[:, 1 : m + 1].astype(np.int64), codes[:, m + 1 :].astype(np.int64)
        there = cell < self.cells
        row, column = np.divmod(np.where(there, cell, 0), self.columns)
        x, y = (column + public[..., 0]) / self.columns, (row + public[..., 1]) / self.rows
        ends = np.array(self.durations_ms)
        number = np.where(there, duration, 0)
        lasting = ends[number] + public[..., 2] * (ends[number + 1] - ends[number])
        return timed_scanpaths(x, y, np.maximum(lasting, 1.0), there, screen)


def _attribute(name: str, labels: tuple[str, ...]) -> Attribute:
    return Attribute(name, len(labels), labels)
