"""An input in parts that each hold some participants whole: what one process reads at a time, or several do side by side.

Bounding a person's contribution takes all of their rows at once, so a part is a set of participants, not a stretch of the file.
An input of at most `most_rows` rows is one part, whose rows are read once, with its public facts. Of a larger one only the labels are
read first, and then the rows of each part: a file that is sorted by person is read once, any other once for every part, each time keeping
only its rows. What is collected from all parts is the same whatever they are (`kinds.contributions`).
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.cells import in_natural_order, label_texts
from synthrelease.data.coordinates import Coordinates
from synthrelease.data.facts import Facts
from synthrelease.data.features import FeatureData, load_features
from synthrelease.data.gaze import GazeData, Reach, load_gaze
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.losses import Loss, added, notes, of_output
from synthrelease.data.readers import reader_for
from synthrelease.data.readers.opening import opened
from synthrelease.data.readers.reader import RowFilter
from synthrelease.data.screen import Screen
from synthrelease.data.source import Source
from synthrelease.data.tables import Table, read_if_small, read_slices
from synthrelease.errors import PlanError
from synthrelease.kinds.contributions import Contribution
from synthrelease.kinds.measured import Measured
from synthrelease.kinds.mechanism import Mechanism

PART_CELLS = 1 << 24  # of a part
Stamp = str


@dataclass(frozen=True)
class Partition:
    """Some participants of an input."""

    spec: InputSpec
    names: tuple[str, ...]  # of its stimuli or recordings, public
    people: tuple[str, ...]  # their labels, in natural order; private
    numbers: NDArray[np.int64]  # of each among all participants of the input, shape (P,)
    rows: RowFilter | None  # those of these participants; None if they are all there
    stamp: Stamp  # of the files, from before anything of them was read
    data: GazeData | FeatureData | None = field(
        default=None, repr=False
    )  # if they were read with the public facts

    def read(self) -> GazeData | FeatureData:
        """Return these participants' data.

        Raises:
            DataError, MachineError: the file cannot be used.
            PlanError: it is not the one that the noise was solved for.
        """
        if self.data is not None:
            return self.data
        source = self.spec.source
        data = _loaded(source, self.spec, self.names, self.rows)
        if data.identities != self.people or stamp_of(source) != self.stamp:
            raise PlanError(
                "data-changed",
                "the data changed while they were read",
                where=str(source.path),
                remedy="build again",
            )
        return data


def _loaded(
    source: Source | Table, spec: InputSpec, names: tuple[str, ...], rows: RowFilter | None
) -> GazeData | FeatureData:
    """The data of an input's participants, or of those of some rows; `names` of its stimuli or recordings."""
    options = spec.options
    selection = {
        "columns": options["columns"],
        "missing": options["missing"],
        "row_filter": rows,
        "chosen": spec.chosen,
    }
    if spec.kind == "gaze":
        return load_gaze(
            source,
            screen=Screen(**options["screen"]),
            stimuli=names,
            coordinates=Coordinates(options["coordinates"], options["origin"]),
            off_screen=options["off_screen"],
            **selection,
        )
    return load_features(
        source,
        bounds=options["bounds"],
        categories=options["categories"],
        recordings=names,
        **selection,
    )


def stamp_of(source: Source | Path) -> Stamp:
    """Return a digest of what the file system says of a source's files: names, sizes, and when they were written last; of rows in memory, theirs.

    Raises:
        DataError, MachineError: a file cannot be used.
    """
    source = Source.of(source)
    if source.frame is not None:
        return source.frame.digest
    state = hashlib.sha256()
    for path in reader_for(source).files(source):
        with opened(path) as file:
            about = os.fstat(file.fileno())
        state.update(f"{path}\0{about.st_size}\0{about.st_mtime_ns}\0".encode())
    return state.hexdigest()


def most_rows(spec: InputSpec) -> int:
    """Return how many rows a part has at most, unless they are one person's."""
    return max(1, PART_CELLS // len(set(spec.columns)))


def no_people(spec: InputSpec, names: tuple[str, ...]) -> GazeData | FeatureData:
    """Return the data of no people: what is collected of it has the shapes of what is collected of any participant."""
    options, none, number = spec.options, np.zeros(0), np.zeros(0, dtype=np.int64)
    if spec.kind == "gaze":
        assigned = np.zeros((0, len(names)), dtype=np.bool_)
        return GazeData(
            Screen(**options["screen"]), names, 0, assigned, number, number, none, none, none, number
        )
    features, labels = tuple(options["bounds"]), tuple(options["categories"])
    bounds = np.array(list(options["bounds"].values()), dtype=np.float64).reshape(-1, 2)
    values, codes = np.zeros((0, len(features))), np.zeros((0, len(labels)), dtype=np.int64)
    return FeatureData(features, bounds, names, 0, number, number, values, labels, codes)


def small_tables(specs: Mapping[str, InputSpec]) -> dict[str, Table]:
    """Read the inputs that are small enough to be one part, all of their columns in one pass; together they are no more than a part either.

    Raises:
        DataError, MachineError: a file cannot be used.
    """
    tables, remaining = {}, PART_CELLS
    for name, spec in specs.items():
        columns = len(set(spec.columns))
        table = read_if_small(spec.source, spec.columns, most_rows=remaining // columns)
        if table is not None:
            tables[name] = table
            remaining -= columns * table.frame.height
    return tables


def partitions_of(
    spec: InputSpec, facts: Facts, stamp: Stamp, table: Table | None = None
) -> tuple[Partition, ...]:
    """Return an input in parts: one if it is small.

    Args:
        spec: the input.
        facts: what is public of it.
        stamp: of its file, from before those were read.
        table: its rows, if it is small.

    Raises:
        DataError, MachineError: the file cannot be used.
    """
    all_people = in_natural_order(facts.identities)
    if table is not None:
        data = _loaded(table, spec, facts.names, None)  # the table is larger, and not needed any more
        return (
            Partition(spec, facts.names, tuple(all_people), np.arange(len(all_people)), None, stamp, data),
        )
    number = {name: index for index, name in enumerate(all_people)}
    partitions = []
    for rows in people_in_parts(spec, most_rows(spec)):
        people = in_natural_order(set(label_texts(rows.values)))
        numbers = np.array([number.get(name, -1) for name in people], dtype=np.int64)
        partitions.append(Partition(spec, facts.names, tuple(people), numbers, rows, stamp))
    return tuple(partitions)


@dataclass(frozen=True)
class Contributions:
    """What the participants of an input, or of a part of it, contribute to its outputs; private."""

    collected: dict[str, Contribution]  # by output
    measured: dict[str, Measured]  # by output
    losses: tuple[Loss, ...]  # what was dropped or clipped
    reach: Reach  # of points on the screen

    def joined(self, other: Contributions) -> Contributions:
        """Return what the participants of both parts contribute."""
        return Contributions(
            {name: sums.joined(other.collected[name]) for name, sums in self.collected.items()},
            {
                name: dict(Counter(counts) + Counter(other.measured[name]))
                for name, counts in self.measured.items()
            },
            added((*self.losses, *other.losses)),
            self.reach.joined(other.reach),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What was dropped or clipped, and what looks like a mistake, in sentences for the curator alone."""
        return (*notes(self.losses), *self.reach.notes)


def contributions(partition: Partition, mechanisms: Mapping[str, Mechanism[Any]]) -> Contributions:
    """Return what a part's participants contribute.

    Args:
        partition: the participants.
        mechanisms: of outputs, by name.

    Raises:
        DataError, MachineError: the file cannot be used.
        PlanError: it is not the one that the noise was solved for.
    """
    data = partition.read()
    of_outputs = (of_output(mechanism.losses(data), name) for name, mechanism in mechanisms.items())
    return Contributions(
        {name: mechanism.collect(data).numbered(partition.numbers) for name, mechanism in mechanisms.items()},
        {name: mechanism.measured(data) for name, mechanism in mechanisms.items()},
        (*data.losses, *itertools.chain.from_iterable(of_outputs)),
        data.reach if isinstance(data, GazeData) else Reach(),
    )


def people_in_parts(spec: InputSpec, most_rows: int) -> tuple[RowFilter, ...]:
    """Return the rows of an input in parts of at most so many, with all rows of one person at least.

    Cells that are written differently and mean one person stay together.
    """
    column = spec.options["columns"]["person"]
    cells = _counted(
        pl.concat(
            (
                _counted(_stretches(table, column))
                for table in read_slices(spec.source, [column], most_rows=most_rows)
            ),
            how="vertical_relaxed",  # of files whose numbers are of several types
        )
    )
    cells = cells.with_columns(label_texts(cells["cell"]).alias("person"))
    rows_of = cells.group_by("person", maintain_order=True).agg(pl.col("rows").sum())
    part, filled, part_of = 0, 0, {}
    for name, rows in rows_of.iter_rows():
        if filled and filled + rows > most_rows:
            part, filled = part + 1, 0
        part_of[name] = part
        filled += rows
    part_of_cell = pl.Series([part_of[name] for name in cells["person"].to_list()])
    return tuple(_rows(cells.filter(part_of_cell == number), column) for number in range(part + 1))


def _stretches(table: Table, column: str) -> pl.DataFrame:
    """Where equal cells of a column stand together: the cell, how many rows, and the places of the first and the last."""
    runs = table.frame[column].rle().struct.unnest()
    rows = runs["len"].to_numpy().astype(np.int64)
    last = np.cumsum(rows) - 1
    places = {"begin": table.lines[last - rows + 1], "end": table.lines[last]}
    return pl.DataFrame({"cell": runs["value"], "rows": rows, **places})


def _counted(stretches: pl.DataFrame) -> pl.DataFrame:
    """Of each cell, how many rows there are, and between which places."""
    return stretches.group_by("cell", maintain_order=True).agg(
        pl.col("rows").sum(), pl.col("begin").min(), pl.col("end").max()
    )


def _rows(cells: pl.DataFrame, column: str) -> RowFilter:
    """The rows with these cells, and between which places they are, if no others are there."""
    begin, end = cells["begin"].to_numpy().min(), cells["end"].to_numpy().max() + 1
    is_stretch = cells["rows"].sum() == end - begin
    return RowFilter(column, cells["cell"], (int(begin), int(end)) if is_stretch else None)
