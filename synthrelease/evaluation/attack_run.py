"""How attacks on fresh releases are run, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from synthrelease.evaluation.attacks import AttackResult

if TYPE_CHECKING:
    from synthrelease.parallel import Progress


@dataclass(frozen=True)
class AttackRun:
    """How attacks on fresh releases are run."""

    name: str  # of the output
    seed: int
    draws: int  # shuffles behind a p-value
    n_jobs: int = 1  # releases at a time: they change no result
    progress: Progress | None = None


# Results, and in sentences what was done or why not.
Attacked = tuple[tuple[AttackResult, ...], tuple[str, ...]]
