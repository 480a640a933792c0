"""Plant every fault, one after the other, and tell who noticed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from auditing.faults import FAULTS
from auditing.tables import HEAD, fault_rows, markdown

if TYPE_CHECKING:
    from pathlib import Path


def run(*, only: str, seed: int, output: Path | None) -> int:
    """Print, and write if asked for, fault, place, detector, what it said and the verdict; 1 if a detector was silent."""
    rows = []
    for row in fault_rows([fault for fault in FAULTS if only in fault.words], seed=seed):
        rows.append(row)
        print(f"{row[4]}: {row[0]} — {row[2]}: {row[3]}")
    if not rows:
        print(f"no fault has {only!r} in its name", file=sys.stderr)
        return 2
    if output is not None:
        output.write_text(markdown(HEAD, rows), encoding="utf-8")
    missed = sum(row[4] != "caught" for row in rows)
    print(f"{len(rows) - missed} of {len(rows)} alarms raised, {len({row[0] for row in rows})} faults")
    return int(missed > 0)
