"""Tasks on several processors: a seed for each that depends on its name alone, and results in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from joblib import Parallel
from tqdm import tqdm

from synthrelease.dp.noise import SecureRandom


def seed_of(random: SecureRandom, *labels: str) -> int:
    """Return the seed of one task: it depends on the labels alone, not on who works on it or when."""
    return int(random.spawn(*labels).integers(2**62, 1)[0])


def in_parallel(
    tasks: Iterable[tuple[Callable[..., Any], Any, Any]], count: int, about: str, jobs: int | None
) -> Iterator[Any]:
    """Work on all tasks, with a progress bar, and yield the results in order."""
    workers = jobs if jobs is not None else os.cpu_count() or 1
    results = Parallel(n_jobs=workers, return_as="generator")(tasks)
    return iter(tqdm(results, desc=about, total=count, leave=False, disable=None))
