"""The data of one person only, as a collector takes it: what they contribute is a function of their rows only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import FeatureData
from synthrelease.data.gaze import GazeData
from synthrelease.dp.noise.entropy import SecureRandom

_FEATURE_COLUMNS = ("recording", "values")
_GAZE_COLUMNS = ("stimulus", "x_px", "y_px", "time", "duration")


def of_person(data: GazeData | FeatureData, number: int) -> GazeData | FeatureData:
    """Return the rows of one person, who becomes person 0 of one."""
    rows = np.flatnonzero(data.person == number)
    mine: dict[str, Any] = {
        name: getattr(data, name)[rows]
        for name in (_FEATURE_COLUMNS if isinstance(data, FeatureData) else _GAZE_COLUMNS)
        if getattr(data, name) is not None
    }
    if isinstance(data, GazeData):
        mine["assigned"] = data.assigned[number : number + 1]
    elif data.categorical:
        mine["labels"] = data.labels[rows]
    first = np.zeros(rows.size, dtype=np.int64)
    return replace(data, people=1, person=first, identities=data.identities[number : number + 1], **mine)


def sampled_people(people: int, most: int, random: SecureRandom) -> NDArray[np.int64]:
    """Return the numbers of all people, or of `most` of them at random, in order."""
    if people <= most:
        return np.arange(people)
    return np.sort(random.permutation(people)[:most])
