"""What a release is worth and what it resists, found out from plan, bundle and data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from synthrelease.appraisal.appraised import Appraisal
from synthrelease.errors import MachineError

if TYPE_CHECKING:
    from synthrelease.parallel import Progress


def appraise(plan_path: Path, bundle: Path, *, seed: int, jobs: int, progress: Progress | None) -> Appraisal:
    """Not there yet: it says so.

    Args:
        plan_path: the plan of the bundle.
        bundle: the file.
        seed: of shuffles and fresh releases.
        jobs: processes to work in.
        progress: called with (what, done, total).

    Raises:
        MachineError: always.
    """
    del bundle, seed, jobs, progress
    raise MachineError("releases cannot be evaluated yet", where=str(plan_path))
