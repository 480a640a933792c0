"""Which rows of an input count, by what the plan says of other columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.cells import Code, labels_among, numbers
from synthrelease.data.tables import Table


@dataclass(frozen=True)
class ChosenRows:
    """A public choice among rows. Each row is judged by itself, so that no person's rows depend on another person.

    A person with any row counts, chosen or not: otherwise the number of participants would depend on what they did.
    """

    # labels by column; rows with other labels, or none, are left out
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # labels, or a lowest and a highest number, by column; rows with others, or none, hold no measurement
    valid: Mapping[str, Sequence[Code]] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it looks at."""
        return (*self.only, *self.valid)

    def kept(self, table: Table) -> tuple[Table, NDArray[np.int64] | slice]:
        """Return the rows that `only` leaves, and their numbers among all: what takes them from an array copies it only if some are left out.

        Raises:
            DataError: a column holds neither text nor numbers.
        """
        if not self.only:
            return table, slice(None)
        chosen = np.ones(table.frame.height, dtype=np.bool_)
        for column, listed in self.only.items():
            chosen &= labels_among(table, column, listed)
        rows = np.flatnonzero(chosen)
        return replace(table, frame=table.frame[rows], lines=table.lines[rows]), rows

    def measured(self, table: Table, *, missing: Sequence[Code]) -> NDArray[np.bool_]:
        """Return which rows are valid.

        Args:
            table: some rows.
            missing: numbers and texts that mark a missing value.

        Raises:
            DataError: a column of numbers holds something else.
        """
        valid = np.ones(table.frame.height, dtype=np.bool_)
        for column, accepted in self.valid.items():
            listed = [label for label in accepted if isinstance(label, str)]
            if listed:
                valid &= labels_among(table, column, listed)
            else:
                low, high = (float(end) for end in accepted)
                value = numbers(table, column, missing=missing)
                valid &= (value >= low) & (value <= high)
        return valid


EVERY_ROW = ChosenRows()
