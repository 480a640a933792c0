"""Feature time series of numbered people, clipped to public bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from synthrelease.data.cells import Code, labels, numbers
from synthrelease.data.cells import categories as positions
from synthrelease.data.chosen_rows import EVERY_ROW, ChosenRows
from synthrelease.data.feature_arrays import FeatureArrays
from synthrelease.data.in_memory import Held
from synthrelease.data.losses import Loss, Reason, notes
from synthrelease.data.order import in_time_order
from synthrelease.data.source import Source
from synthrelease.data.tables import Rows, read_table

_REMEDY = "name the column that tells recordings apart under `columns`, or drop the repeated rows"
RECORDING = "recording"  # the name of the recordings' labels among those of other columns
ONE_RECORDING = "all"  # the name of the only recording where the plan maps no recording column


@dataclass(frozen=True)
class Features:
    """Feature values; rows of one person and recording are in the order of time.

    Attributes:
        features: names of the features, public.
        bounds: lower and upper bound of each feature in its unit, public, shape (F, 2).
        recordings: names of the recordings, public.
        people: number of people in the file, with or without usable rows.
        person: number of each row's person, 0 … people − 1, shape (N,).
        recording: number of each row's recording, shape (N,).
        values: clipped to the bounds, NaN where missing, shape (N, F).
        categorical: names of the columns of labels, public.
        labels: position of each row's label in the public list, −1 where missing, shape (N, L).
        identities: the people's labels, private.
        losses: what was dropped or clipped, for the curator alone.
    """

    features: tuple[str, ...]
    bounds: NDArray[np.float64]
    recordings: tuple[str, ...]
    people: int
    person: NDArray[np.int64]
    recording: NDArray[np.int64]
    values: NDArray[np.float64]
    categorical: tuple[str, ...] = ()
    labels: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    identities: tuple[str, ...] = ()
    losses: tuple[Loss, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was dropped or clipped, in sentences for the curator alone."""
        return notes(self.losses)

    @classmethod
    def from_arrays(
        cls,
        *,
        person: ArrayLike,
        values: Mapping[str, ArrayLike],
        bounds: Mapping[str, tuple[float, float]],
        recording: ArrayLike | None = None,
        recordings: Sequence[str] | None = None,
        time: ArrayLike | None = None,
    ) -> Features:
        """Return features of arrays in memory, each of shape (N,), one entry for every row; checked as a file is.

        Args:
            person: labels of people, text or whole numbers.
            values: of every feature in its unit, NaN where missing.
            bounds: public lower and upper bound of every feature, in its unit; values are clipped to them.
            recording: labels of recordings; None if every person has one.
            recordings: the public list; rows of others are dropped. It goes with `recording`.
            time: time stamps, in any unit; without them rows count in their order.

        Raises:
            DataError: the arrays cannot be used, with place, kind and remedy.
            ArgumentError: `recording` without `recordings`, features and bounds of different names, or an argument of another type.

        Example:
            >>> pupil = Features.from_arrays(
            ...     person=["a", "a", "b"], values={"pupil_mm": [3.1, 3.3, 12.0]}, bounds={"pupil_mm": (1.5, 8.0)}
            ... )
            >>> pupil.values.ravel().tolist(), pupil.notes
            ([3.1, 3.3, 8.0], ("1 of 3 values of 'pupil_mm' were clipped to its bounds",))
        """
        roles = {"person": person, "recording": recording, "time": time}
        where = "Features.from_arrays()"
        given = FeatureArrays.of(where, roles, recordings, values, bounds)
        held = Held.of_arrays(given.arrays, "arrays")
        return load_features(
            Source(Path(held.name), frame=held),
            columns=given.columns,
            bounds={feature: given.interval(feature, where) for feature in given.bounds},
            recordings=given.recordings,
        )

    def limits(self, feature: int) -> tuple[float, float]:
        """Return the lower and upper bound of feature number `feature`."""
        return float(self.bounds[feature, 0]), float(self.bounds[feature, 1])

    @property
    def bounds_by_name(self) -> dict[str, tuple[float, float]]:
        """Lower and upper bound of every feature."""
        return {name: self.limits(f) for f, name in enumerate(self.features)}

    def column(self, name: str) -> NDArray[np.float64] | NDArray[np.int64]:
        """Return a feature's values, or the numbers of a column's labels; `RECORDING` is that of the recordings."""
        if name in self.features:
            return self.values[:, self.features.index(name)]
        return self.recording if name == RECORDING else self.labels[:, self.categorical.index(name)]

    def only(self, names: Sequence[str]) -> Features:
        """Return the same rows with only the named features, in that order."""
        columns = [self.features.index(name) for name in names]
        return replace(
            self, features=tuple(names), bounds=self.bounds[columns], values=self.values[:, columns]
        )


def load_features(
    source: Rows,
    *,
    columns: Mapping[str, str],
    bounds: Mapping[str, tuple[float, float]],
    categories: Mapping[str, Sequence[str]] | None = None,
    recordings: Sequence[str] | None = None,
    missing: Sequence[Code] = (),
    people: pl.Series | None = None,
    chosen: ChosenRows = EVERY_ROW,
) -> Features:
    """Read feature series.

    Args:
        source: a file, a folder of files, or their rows.
        columns: names of the columns `person` and optionally `recording` and `time`.
        bounds: public lower and upper bound of every feature to read, in its unit.
        categories: the public list of labels of every categorical column to read.
        recordings: the public list; rows of other recordings, and of none, are dropped. None takes it from the data.
        missing: numbers and texts that mark a missing value.
        people: cells of the column of people, as they are: only the rows of these are read. None reads all.
        chosen: which rows count; the features of those without a valid measurement are missing.

    Raises:
        DataError, MachineError: the file cannot be used, with place, kind and remedy.
    """
    categories = categories or {}
    where = None if people is None else (columns["person"], people)
    whole = read_table(source, [*columns.values(), *bounds, *categories, *chosen.columns], where=where)
    everybody, identities = labels(whole, columns["person"])
    table, kept = chosen.kept(whole)
    person = everybody[kept]
    if "recording" in columns:
        own, names = labels(table, columns["recording"], empty_allowed=recordings is not None)
    else:
        own, names = np.zeros(len(person), dtype=np.int64), [ONE_RECORDING]
    published = tuple(names if recordings is None else recordings)
    position = {name: number for number, name in enumerate(published)}
    # Rows without a label are numbered −1, which is the last.
    recording = np.array([*(position.get(name, -1) for name in names), -1], dtype=np.int64)[own]

    keep = np.flatnonzero(recording >= 0)
    rows = everybody.size
    losses = [
        Loss(rows - person.size, rows, "are not among those that the plan's `only` chooses", Reason.CHOSEN),
        Loss(
            person.size - keep.size,
            person.size,
            "belong to recordings that the plan does not list",
            Reason.CHOSEN,
        ),
    ]
    if "time" in columns:
        time = numbers(table, columns["time"], codes_allowed=False)
        keep = keep[
            in_time_order(
                table, columns["time"], (person[keep], recording[keep]), time[keep], keep, remedy=_REMEDY
            )
        ]
    limits = np.array(list(bounds.values()), dtype=np.float64)
    values = np.empty((keep.size, len(bounds)))
    valid = chosen.measured(table, missing=missing)
    losses.append(
        Loss(int((~valid).sum()), person.size, "are not `valid`: their features are missing", Reason.DROPPED)
    )
    for j, name in enumerate(bounds):
        raw = np.where(valid, numbers(table, name, missing=missing), np.nan)[keep]
        values[:, j] = np.clip(raw, limits[j, 0], limits[j, 1])
        clipped = int(np.count_nonzero((raw < limits[j, 0]) | (raw > limits[j, 1])))
        there = int(np.count_nonzero(~np.isnan(raw)))
        losses.append(Loss(clipped, there, "were clipped to its bounds", Reason.CLIPPED, name))
    codes = [positions(table, name, listed, missing=missing)[keep] for name, listed in categories.items()]
    return Features(
        tuple(bounds),
        limits,
        published,
        len(identities),
        person[keep],
        recording[keep],
        values,
        tuple(categories),
        np.array(codes, dtype=np.int64).reshape(len(codes), keep.size).T,
        tuple(identities),
        tuple(losses),
    )
