"""Feature time series of numbered participants, clipped to public bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from synthrelease.data.cells import ONLY_LABEL, Code, labels, numbers, renumbered
from synthrelease.data.cells import categories as positions
from synthrelease.data.chosen_rows import EVERY_ROW, ChosenRows
from synthrelease.data.feature_arrays import FeatureArrays
from synthrelease.data.in_memory import InMemoryFrame
from synthrelease.data.losses import Loss, Reason, notes
from synthrelease.data.order import in_time_order
from synthrelease.data.readers.reader import RowFilter
from synthrelease.data.source import Source
from synthrelease.data.tables import Rows, Table, read_table

_REMEDY = "name the column that distinguishes recordings under `columns`, or drop the repeated rows"
RECORDING = "recording"  # the name of the recordings' labels among those of other columns


@dataclass(frozen=True)
class FeatureData:
    """Feature values; rows of one person and recording are in the order of time.

    Attributes:
        features: names of the features, public.
        bounds: lower and upper bound of each feature in its unit, public, shape (F, 2).
        recordings: names of the recordings, public.
        people: number of participants in the file, with or without usable rows.
        person: number of each row's person, 0 … people − 1, shape (N,).
        recording: number of each row's recording, shape (N,).
        values: clipped to the bounds, NaN where missing, shape (N, F).
        categorical: names of the columns of labels, public.
        labels: position of each row's label in the public list, −1 where missing, shape (N, L).
        identities: the participants' labels, private.
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
    ) -> FeatureData:
        """Return features of arrays in memory, each of shape (N,), one entry for every row; checked as a file is.

        Args:
            person: labels of participants, text or whole numbers, each a person's own, no place in an array and no rank among others.
            values: of every feature in its unit, NaN where missing.
            bounds: public lower and upper bound of every feature, in its unit; values are clipped to them.
            recording: labels of recordings; None if every person has one.
            recordings: the public list; rows of others are dropped. It goes with `recording`.
            time: time stamps, in any unit; without them rows count in their order.

        Raises:
            DataError: the arrays cannot be used, with place, kind and remedy.
            ArgumentError: `recording` without `recordings`, features and bounds of different names, or an argument of another type.

        Example:
            >>> pupil = FeatureData.from_arrays(
            ...     person=["a", "a", "b"], values={"pupil_mm": [3.1, 3.3, 12.0]}, bounds={"pupil_mm": (1.5, 8.0)}
            ... )
            >>> pupil.values.ravel().tolist(), pupil.notes
            ([3.1, 3.3, 8.0], ("1 of 3 values of 'pupil_mm' were clipped to its bounds",))
        """
        roles = {"person": person, "recording": recording, "time": time}
        where = "FeatureData.from_arrays()"
        arrays = FeatureArrays.of(where, roles, recordings, values, bounds)
        frame = InMemoryFrame.of_arrays(arrays.arrays, "arrays")
        return load_features(
            Source(Path(frame.name), frame=frame),
            columns=arrays.columns,
            bounds={feature: arrays.interval(feature, where) for feature in arrays.bounds},
            recordings=arrays.recordings,
        )

    def limits(self, feature: int) -> tuple[float, float]:
        """Return the lower and upper bound of feature number `feature`."""
        return float(self.bounds[feature, 0]), float(self.bounds[feature, 1])

    def column(self, name: str) -> NDArray[np.float64] | NDArray[np.int64]:
        """Return a feature's values, or the numbers of a column's labels; `RECORDING` is that of the recordings."""
        if name in self.features:
            return self.values[:, self.features.index(name)]
        return self.recording if name == RECORDING else self.labels[:, self.categorical.index(name)]

    def at(self, rows: NDArray[np.int64] | slice) -> FeatureData:
        """Return some rows, of the same people."""
        return replace(
            self,
            person=self.person[rows],
            recording=self.recording[rows],
            values=self.values[rows],
            labels=self.labels[rows] if self.categorical else self.labels,
        )

    def only(self, names: Sequence[str]) -> FeatureData:
        """Return the same rows with only the named features, in that order."""
        if self.features == tuple(names):
            return self
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
    row_filter: RowFilter | None = None,
    chosen: ChosenRows = EVERY_ROW,
) -> FeatureData:
    """Read feature series.

    Args:
        source: a file, a folder of files, or their rows.
        columns: names of the columns `person` and optionally `recording` and `time`.
        bounds: public lower and upper bound of every feature to read, in its unit.
        categories: the public list of labels of every categorical column to read.
        recordings: the public list; rows of other recordings, and of none, are dropped. None takes it from the data.
        missing: numbers and texts that mark a missing value.
        row_filter: the rows that are read, of some participants; None reads all.
        chosen: which rows count; the features of those without a valid measurement are missing.

    Raises:
        DataError, MachineError: the file cannot be used, with place, kind and remedy.
    """
    categories = categories or {}
    names = [*columns.values(), *bounds, *categories, *chosen.columns]
    all_rows = read_table(source, names, row_filter=row_filter)
    person_of_row, identities = labels(all_rows, columns["person"])
    table, kept_rows = chosen.kept(all_rows)
    person = person_of_row[kept_rows]
    recording, published = _recordings(table, columns.get("recording"), recordings)
    keep = np.flatnonzero(recording >= 0)
    if "time" in columns:
        time = numbers(table, columns["time"], codes_allowed=False)
        nothing = keep[np.isnan(time[keep])]  # a recording without samples may be one row of nothing
        for name in bounds if nothing.size else ():
            nothing = nothing[np.isnan(numbers(table, name, missing=missing)[nothing])]
        for name, listed in categories.items() if nothing.size else ():
            nothing = nothing[positions(table, name, listed, missing=missing)[nothing] < 0]
        keep = np.setdiff1d(keep, nothing, assume_unique=True) if nothing.size else keep
        groups = (person[keep], recording[keep])
        keep = keep[in_time_order(table, columns["time"], groups, time[keep], keep, remedy=_REMEDY)]
    limits = np.array(list(bounds.values()), dtype=np.float64)
    values = np.empty((keep.size, len(bounds)))
    valid = chosen.measured(table, missing=missing)
    losses = [*_lost_rows(person_of_row.size, int((recording >= 0).sum()), valid)]
    for j, name in enumerate(bounds):
        raw = np.where(valid, numbers(table, name, missing=missing), np.nan)[keep]
        values[:, j] = np.clip(raw, limits[j, 0], limits[j, 1])
        clipped = int(np.count_nonzero((raw < limits[j, 0]) | (raw > limits[j, 1])))
        present = int(np.count_nonzero(~np.isnan(raw)))
        losses.append(Loss(clipped, present, "were clipped to its bounds", Reason.CLIPPED, name))
    codes = [positions(table, name, listed, missing=missing)[keep] for name, listed in categories.items()]
    return FeatureData(
        features=tuple(bounds),
        bounds=limits,
        recordings=published,
        people=len(identities),
        person=person[keep],
        recording=recording[keep],
        values=values,
        categorical=tuple(categories),
        labels=np.array(codes, dtype=np.int64).reshape(len(codes), keep.size).T,
        identities=tuple(identities),
        losses=tuple(losses),
    )


def _recordings(
    table: Table, column: str | None, listed: Sequence[str] | None
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """The number of every row's recording, −1 where that is not published, and the published recordings."""
    if column is None:
        number, names = np.zeros(table.frame.height, dtype=np.int64), [ONLY_LABEL]
    else:
        number, names = labels(table, column, empty_allowed=listed is not None)
    published = tuple(names if listed is None else listed)
    return renumbered(number, names, published), published


def _lost_rows(rows: int, listed: int, valid: NDArray[np.bool_]) -> Iterator[Loss]:
    """What was lost of so many rows; `valid` has those that the plan chooses, of which so many are of a listed recording."""
    chosen = valid.size
    yield Loss(rows - chosen, rows, "are not selected by `only` in the plan", Reason.CHOSEN)
    yield Loss(chosen - listed, chosen, "belong to recordings that the plan does not list", Reason.CHOSEN)
    yield Loss(int((~valid).sum()), chosen, "are not `valid`: their features are missing", Reason.DROPPED)
