"""How much memory a build takes at most: what `preview` declares, from public facts alone, and builds keep to.

An input is read in parts of one size, and what participants contribute has the shape of what is published, however many they
are: so most of it is known before any row is read. What grows with the rows of an input, of which there may be a private
number, is stated per row. The constants were measured; tests/reliability/test_large_inputs.py holds builds to what follows.
"""

from __future__ import annotations

from dataclasses import dataclass

from synthrelease.building.design import Design, PlannedOutput
from synthrelease.dp.event import noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.contributions import Contribution, ContributionParts, PersonRows, Rows, Sums, Tally
from synthrelease.plan.partitions import PART_CELLS, most_rows, no_people

_LIBRARIES_BYTES = 250 << 20  # that a process has once all is imported
_CELL_BYTES = 48  # for each cell of a part, while it is read and its participants' contributions are found
_DERIVED_BYTES = 96  # for each number of the largest array, while it is derived or verified
_KEPT_ROW_BYTES = 200  # for each row that is kept, in addition, while similar rows are counted
_KEPT_TIMES = 6  # as often a kept row itself is there meanwhile
_ENTRY_BYTES, _INTEGER_BYTES = 16, 8  # of an entry of a tally, and of a sum
_PERSON_BYTES = 600  # of a person's label, and where it is looked up


@dataclass(frozen=True)
class Memory:
    """What a build holds at most."""

    alone_bytes: int  # of a build in one process
    worker_bytes: int  # of each worker, if there are several processes
    coordinator_bytes: int  # of the process that draws the noise then, while one plan is under way
    person_bytes: int  # more for each person; 0 where their number is public, and it is in the others
    row_bytes: dict[str, int]  # more for each row, of inputs whose rows are kept until the noise is drawn
    most_rows: dict[str, int]  # that a part of an input has; if one person has more, memory grows with theirs


def memory(design: Design) -> Memory:
    """Return what a build of a plan holds at most."""
    sums: dict[str, int] = dict.fromkeys(design.facts, 0)
    row_bytes: dict[str, int] = {}
    for output in design.outputs:
        name = output.spec.input
        fixed, each = _contribution_bytes(output, design)
        sums[name] += fixed
        if each:
            row_bytes[name] = row_bytes.get(name, 0) + each
    largest = _DERIVED_BYTES * max((output.mechanism.largest_array for output in design.outputs), default=0)
    all_sums, of_part = sum(sums.values()), max(sums.values(), default=0)
    reading = _CELL_BYTES * PART_CELLS + of_part
    # Sums and what was drawn from them; then what was drawn, as it is verified too; and as it came to a worker.
    drawing, writing, written_elsewhere = 2 * all_sums, 2 * all_sums + largest, 3 * all_sums + largest
    people_public = design.plan.neighbours is Neighbours.REPLACE_ONE
    always = _LIBRARIES_BYTES + (_PERSON_BYTES * design.people if people_public else 0)
    return Memory(
        alone_bytes=always + max(reading + all_sums, drawing, writing),
        worker_bytes=always + max(reading + of_part, written_elsewhere),
        coordinator_bytes=always + 3 * all_sums,
        person_bytes=0 if people_public else _PERSON_BYTES,
        row_bytes=row_bytes,
        most_rows={name: most_rows(design.plan.inputs[name]) for name in sums},
    )


def _contribution_bytes(output: PlannedOutput, design: Design) -> tuple[int, int]:
    """Bytes of what all participants contribute to an output, and bytes more for each row of its input."""
    spec, facts = output.spec, design.facts[output.spec.input]
    empty: Contribution = output.mechanism.collect(no_people(design.plan.inputs[spec.input], facts.names))
    return _bytes_of(empty, output, facts.people)


def _bytes_of(empty: Contribution, output: PlannedOutput, people: int) -> tuple[int, int]:
    match empty:
        case Sums():
            return sum(array.nbytes for array in empty.arrays.values()), 0
        case Tally():  # what it is added up in, under the cap that was chosen
            noise = noise_of(output.event)
            return 0 if noise is None else _INTEGER_BYTES * noise.count, _ENTRY_BYTES
        case Rows() if output.mechanism.keeps_rows:
            return 0, _KEPT_ROW_BYTES + _KEPT_TIMES * empty.row_bytes
        case Rows() | PersonRows():  # one of each person
            return 2 * people * empty.row_bytes, 0
        case ContributionParts():
            fixed, each = zip(
                *(_bytes_of(part, output, people) for part in empty.parts.values()), strict=True
            )
            return sum(fixed), sum(each)
    raise TypeError(f"Expected what is collected of an output, found {type(empty).__name__}")
