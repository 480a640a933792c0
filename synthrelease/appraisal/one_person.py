"""The data of one person alone, as a collector takes it: what they contribute is a function of their rows only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.features import Features
from synthrelease.data.gaze import Gaze
from synthrelease.noise.entropy import SecureRandom


def of_person(data: Gaze | Features, number: int) -> Gaze | Features:
    """Return the rows of one person, who becomes person 0 of one."""
    rows = np.flatnonzero(data.person == number)
    nobody = np.zeros(rows.size, dtype=np.int64)
    named = data.identities[number : number + 1]
    if isinstance(data, Features):
        return replace(
            data,
            people=1,
            person=nobody,
            recording=data.recording[rows],
            values=data.values[rows],
            labels=data.labels[rows] if data.categorical else data.labels,
            identities=named,
        )
    return replace(
        data,
        people=1,
        assigned=data.assigned[number : number + 1],
        person=nobody,
        stimulus=data.stimulus[rows],
        x_px=data.x_px[rows],
        y_px=data.y_px[rows],
        time=None if data.time is None else data.time[rows],
        duration=None if data.duration is None else data.duration[rows],
        identities=named,
    )


def some_people(people: int, most: int, random: SecureRandom) -> NDArray[np.int64]:
    """Return the numbers of all people, or of `most` of them by lot, in order."""
    if people <= most:
        return np.arange(people)
    return np.sort(random.permutation(people)[:most])
