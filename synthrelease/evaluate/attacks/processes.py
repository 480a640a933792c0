"""Parts of an attack in several processes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from synthrelease.parallel import Progress


def in_processes(
    calls: Iterable[Any], *, what: str, total: int, n_jobs: int, progress: Progress | None
) -> list[Any]:
    """Return the results of joblib's delayed calls, in their order, made by `n_jobs` processes."""
    from joblib import Parallel  # noqa: PLC0415  slow to import

    results = []
    # Through pipes: private rows of a million bytes would else stand in a file in a temporary folder.
    for result in Parallel(n_jobs=n_jobs, return_as="generator", max_nbytes=None)(calls):
        results.append(result)
        if progress is not None:
            progress(what, len(results), total)
    return results
