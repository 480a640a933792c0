"""People who can be told apart, outputs of their records, and releases that protect no one or tell nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from goldens import figures
from invented_records import BOUNDS, NAMES, Wanted, binned, calibrate, parameters, release, seeded
from numpy.typing import NDArray

from synthrelease.data.attribute import Attribute
from synthrelease.data.features import FeatureData
from synthrelease.dp.budget import Budget

BUDGET = Budget(epsilon=3.0, delta=1e-3)


def people_apart(
    people: int = 24, *, recordings: int = 4, rows: int = 8, apart: float = 1.0, seed: int = 0
) -> FeatureData:
    """Everyone has a place of their own, which their rows stray from a little; the group follows the first feature."""
    rng = np.random.default_rng(seed)
    count = recordings * rows
    person = np.repeat(np.arange(people), count)
    place = rng.random((people, 3))[person]
    unit = np.clip(apart * place + (1 - apart) * 0.5 + 0.02 * rng.normal(size=place.shape), 0, 0.999)
    return FeatureData(
        features=NAMES,
        bounds=BOUNDS,
        recordings=tuple(f"task {r}" for r in range(recordings)),
        people=people,
        person=person,
        recording=np.tile(np.repeat(np.arange(recordings), rows), people),
        values=BOUNDS[:, 0] + unit * (BOUNDS[:, 1] - BOUNDS[:, 0]),
        categorical=("group",),
        labels=np.floor(unit[:, :1] * 3).astype(np.int64),
    )


def by_task(recordings: int = 4, bins: int = 8) -> dict[str, Any]:
    """Changes of parameters: the recording is the task."""
    task = Attribute("recording", recordings, tuple(f"task {r}" for r in range(recordings)))
    return {
        "task": True,
        "attributes": (task, *binned(bins, bins, bins)),
        "order": (0, 1, 2, 3),
        "resampled": (2,),
        "people": 24,
    }


def released_of(data: FeatureData, own: Wanted, seed: int = 0) -> tuple[Any, dict[Any, NDArray[Any]]]:
    """The event and the arrays of a release."""
    budget = BUDGET if own.fit == "dp" else None
    arrays, event, _ = release(data, own, budget, random=seeded(seed))
    return event, arrays


def event_of(own: Wanted) -> Any:
    return calibrate(own, BUDGET if own.fit == "dp" else None)


def as_released(data: FeatureData, own: Wanted) -> dict[tuple[str, ...], NDArray[Any]]:
    """The raw data in the form of a release."""
    arrays: dict[tuple[str, ...], NDArray[Any]] = {}
    for attribute in own.attributes:
        column = data.column(attribute.name)
        arrays[attribute.name, "category"] = attribute.encoded(column)
        if attribute.labels is None:
            arrays[attribute.name, "value"] = np.asarray(column, dtype=np.float64)
    return arrays


def with_figures(sentences: Sequence[str], *numbers: float) -> list[str]:
    """The sentences that have just these figures, in any order."""
    return [one for one in sentences if sorted(figures(one)) == sorted(numbers)]


def usual(**changed: Any) -> Wanted:
    return parameters(**{**by_task(), "rows": 200, "k": 2, **changed})
