"""How much memory a build takes at most: what `preview` declares, from public facts alone, and builds keep to.

An input is read in parts of one size, and what participants contribute has the shape of what is published, however many they
are: so most of it is known before any row is read. A process holds most in one of these steps:

* composing guarantees, while the rows of small inputs are there: `_LIBRARIES_BYTES` and, where noise of several kinds is composed,
  `_LOSSES_BYTES`;
* loading a part: its rows as the format has them, and as numbers;
* collecting: those numbers, and what the mechanism makes of them meanwhile;
* drawing, writing and verifying: sums, the arrays drawn from them, and the largest that is derived.

The sums of earlier parts are there all the time. What grows with the rows of an input, of which there may be a private
number, is stated per row. The constants were measured; tests/reliability/test_memory.py holds builds to what follows, from both
sides.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from types import MappingProxyType
from typing import NamedTuple

from synthrelease.building.design import Design, PlannedOutput
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.readers.delimited import Delimited
from synthrelease.dp import accounting
from synthrelease.dp.event import noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.contributions import Contribution, ContributionParts, PersonRows, Rows, Sums, Tally
from synthrelease.plan.partitions import most_rows, no_people

# That a process has once all is imported and the noise is solved for: 190 to 275 MiB, by how its pages are rounded up.
_LIBRARIES_BYTES = 284 << 20
_COORDINATOR_BYTES = 160 << 20  # of one that only draws the noise
_LOSSES_BYTES = 190 << 20  # of distributions of privacy losses, while they are composed
_KEPT_LOSSES_BYTES = 60 << 20  # of those that are kept
# Pieces of memory are rounded up to pages, of up to 2 MB, by the system as it likes: the same build took 755, 989 or 1097 MB.
_PAGES = 1.5
_DERIVED_BYTES = 96  # for each number of the largest array, while it is derived or verified

_NUMBER_BYTES = 8
_TEXT_BYTES = 16  # of a cell of text, if it has at most twelve bytes
# For each row of a part, in addition to its cells, while it is loaded: whose it is, of what, whether and where it counts.
_LOADED_GAZE_BYTES = 80
_LOADED_FEATURES_BYTES = 86
_TIMED_BYTES = 24  # more, to put rows of gaze in the order of time
_LASTING_BYTES = 18  # more, for how long they last
# Of a row of gaze, once it is loaded: whose, of what, and where; and of features, but for their values.
_GAZE_BYTES, _FEATURES_BYTES = 32, 16

_ENTRY_BYTES, _DRAWING_ENTRY_BYTES = 16, 135  # of an entry of a tally; and while a cap is chosen
_PERSON_BYTES = 600  # of a person's label, and where it is looked up


@dataclass(frozen=True)
class Memory:
    """What a build holds at most."""

    alone_bytes: int  # of a build in one process
    worker_bytes: int  # of each worker, if there are several processes
    coordinator_bytes: int  # of the process that draws the noise then, while one plan is under way
    person_bytes: int  # more for each person; 0 where their number is public, and it is in the others
    row_bytes: dict[str, int]  # more for each row, of inputs whose rows are kept until the noise is drawn
    # while it is drawn on these, in the one process or the coordinator, and more for each row; if that is more
    drawing_bytes: int
    drawing_row_bytes: dict[str, int]
    most_rows: dict[str, int]  # that a part of an input has, unless one person has more
    part_row_bytes: dict[str, int]  # for each row of a part: the first two have those of a whole one

    def with_kept_rows(self, process_bytes: int, rows: Mapping[str, int]) -> int:
        """Return what the one process holds at most, or the coordinator, whichever `process_bytes` is of.

        Args:
            process_bytes: without the rows that are kept.
            rows: how many each input has.
        """
        reading, drawing = (
            sum(each * rows[name] for name, each in row_bytes.items())
            for row_bytes in (self.row_bytes, self.drawing_row_bytes)
        )
        return max(process_bytes + reading, self.drawing_bytes + drawing if drawing else 0)


def memory(design: Design, part_rows: Mapping[str, int] = MappingProxyType({})) -> Memory:
    """Return what a build of a plan holds at most.

    Args:
        design: the plan.
        part_rows: how many rows parts of inputs have, where that is known; without it, as many as they can, if no person has more.
    """
    inputs = {name: design.plan.inputs[name] for name in design.facts}
    collected = {name: _Collected() for name in inputs}
    for output in design.outputs:
        collected[output.spec.input] += _collected(output, design)
    sums, drawn = ([getattr(each, key) for each in collected.values()] for key in ("sums", "drawn"))
    row_of = {name: _part_row(spec, design) for name, spec in inputs.items()}
    rows = {name: most_rows(spec) for name, spec in inputs.items()}
    loading, collecting = (
        math.ceil(
            _PAGES * max(part_rows.get(name, rows[name]) * getattr(row_of[name], key) for name in inputs)
        )
        for key in ("loading", "collecting")
    )
    largest = _DERIVED_BYTES * max(output.mechanism.largest_array for output in design.outputs)
    people_public = design.plan.neighbours is Neighbours.REPLACE_ONE
    always = _PERSON_BYTES * design.people if people_public else 0
    losses = 0
    if _composes_losses(design):
        always, losses = always + _KEPT_LOSSES_BYTES, _LOSSES_BYTES
    libraries, loading = always + _LIBRARIES_BYTES, max(losses, loading)
    # What was drawn next to the sums that it was drawn on; and then, as it is verified, next to what is derived.
    drawing = libraries + 2 * sum(drawn) + largest
    return Memory(
        # Sums of a part are there once they are collected; in the one process those of other parts are always there.
        alone_bytes=max(libraries + sum(sums) + max(loading, collecting + max(sums)), drawing),
        # What is drawn comes to a worker to be written.
        worker_bytes=max(libraries + max(loading, collecting + max(sums)), drawing + sum(drawn)),
        coordinator_bytes=always + _COORDINATOR_BYTES + 3 * sum(drawn),
        person_bytes=0 if people_public else _PERSON_BYTES,
        row_bytes={name: each.row for name, each in collected.items() if each.row},
        drawing_bytes=libraries + 2 * sum(sums),
        drawing_row_bytes={name: each.drawing_row for name, each in collected.items() if each.row},
        most_rows=rows,
        part_row_bytes={
            name: math.ceil(_PAGES * max(row.loading, row.collecting)) for name, row in row_of.items()
        },
    )


@dataclass(frozen=True)
class _Collected:
    """Bytes of what all participants contribute."""

    sums: int = 0  # while it is read
    drawn: int = 0  # while noise is drawn on it
    row: int = 0  # more for each row, while it is read
    drawing_row: int = 0  # more for each row, while noise is drawn on it

    def __add__(self, other: _Collected) -> _Collected:
        return _Collected(*map(operator.add, astuple(self), astuple(other)))


def _composes_losses(design: Design) -> bool:
    """Whether noise of several kinds is composed, here or with what a ledger has."""
    return design.plan.ledger is not None or design.method == accounting.METHODS["mixed"]


class _PartRow(NamedTuple):
    """Bytes of each row of a part."""

    loading: int
    collecting: int


def _part_row(spec: InputSpec, design: Design) -> _PartRow:
    stored = _NUMBER_BYTES + _stored_bytes(spec)  # and the place of each row
    if spec.options["only"]:
        stored *= 2  # all rows, and those that are left
    roles = spec.options["columns"]
    if spec.kind == "gaze":
        data = _GAZE_BYTES + _NUMBER_BYTES * (("time" in roles) + ("duration" in roles))
        loaded = (
            _LOADED_GAZE_BYTES + _TIMED_BYTES * ("time" in roles) + _LASTING_BYTES * ("duration" in roles)
        )
    else:
        values = len(spec.options["bounds"]) + len(spec.options["categories"])
        data = _FEATURES_BYTES + _NUMBER_BYTES * values
        loaded = _LOADED_FEATURES_BYTES + _NUMBER_BYTES * values
    collecting = max(
        output.mechanism.row_bytes for output in design.outputs if output.spec.input == spec.name
    )
    return _PartRow(stored + loaded, data + collecting)


def _stored_bytes(spec: InputSpec) -> int:
    """Bytes of a row as its format has it: text, or numbers where there are types. No cell is opened to find out."""
    columns = set(spec.columns)
    roles = spec.options["columns"]
    values = {
        *(roles[role] for role in ("x", "y", "time", "duration") if role in roles),
        *spec.options.get("bounds", ()),
    }
    is_text = any(map(Delimited().matches, spec.files()[:1]))
    numbers = 0 if is_text else len(values)
    return _NUMBER_BYTES * numbers + _TEXT_BYTES * (len(columns) - numbers)


def _collected(output: PlannedOutput, design: Design) -> _Collected:
    """Bytes of what all participants contribute to an output."""
    spec, facts = output.spec, design.facts[output.spec.input]
    empty: Contribution = output.mechanism.collect(no_people(design.plan.inputs[spec.input], facts.names))
    return _bytes_of(empty, output, facts.people)


def _bytes_of(empty: Contribution, output: PlannedOutput, people: int) -> _Collected:
    match empty:
        case Sums():
            size = sum(array.nbytes for array in empty.arrays.values())
            return _Collected(size, size)
        case Tally():  # drawn on are sums, under the cap that was chosen
            noise = noise_of(output.event)
            size = 0 if noise is None else _NUMBER_BYTES * noise.count
            return _Collected(0, size, 2 * _ENTRY_BYTES, _DRAWING_ENTRY_BYTES)
        case Rows() | PersonRows():
            each = empty.row_bytes
            drawing = output.mechanism.drawing_row_bytes(each)
            if drawing is not None:
                return _Collected(0, 0, _NUMBER_BYTES + each, drawing)
            return _Collected(2 * people * each, 2 * people * each)
        case ContributionParts():
            parts = (_bytes_of(part, output, people) for part in empty.parts.values())
            return sum(parts, _Collected())
    raise TypeError(f"Expected what is collected of an output, found {type(empty).__name__}")
