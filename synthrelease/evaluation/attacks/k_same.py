"""k-same-select: groups of k people, averaged, and each average released k times.

The baseline of David-John et al. 2022 (https://doi.org/10.1145/3517031.3529618), after Newton, Sweeney & Malin 2005 and, for groups within what is to be kept,
Gross et al. 2005. An attacker who links one known recording to the copies is right with probability 1/k at most; it guarantees
nothing against an attacker who knows more, or has two releases.
"""

from __future__ import annotations

import numpy as np

from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.attacks.nearest import scaled
from synthrelease.evaluation.attacks.windows import Labels, Numbers, Windows


def k_same_select(windows: Windows, k: int, *, random: SecureRandom) -> Windows:
    """Return, within each recording, the averages of groups of k to 2k − 1 people, each once for every one of the group.

    A random person not yet in a group takes along the k − 1 others whose mean windows are nearest; fewer than k at the end join the
    last group. The i-th window of an average is the mean of the group's i-th windows, as many as the shortest has.

    Args:
        windows: of people and recordings; the recording is what is kept ("select").
        k: people in a group.
        random: who begins.

    Returns:
        Windows whose people are the members of the groups: all copies of a group are equal.

    Raises:
        ValueError: k < 2, or a recording has fewer than k people.
    """
    if k < 2:
        raise ValueError(f"Expected k >= 2, found k={k}")
    parts = []
    for recording in np.unique(windows.recordings):
        in_recording = windows.of_recordings([recording])
        if in_recording.names.size < k:
            raise ValueError(
                f"Expected {k} people in every recording, found {in_recording.names.size} in one"
            )
        for group in _groups(in_recording, k, random):
            average = _average(in_recording, group)
            parts.append(
                Windows(
                    np.tile(average, (group.size, 1)),
                    np.repeat(group, len(average)),
                    np.full(group.size * len(average), recording),
                )
            )
    return Windows(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.people for part in parts]),
        np.concatenate([part.recordings for part in parts]),
    )


def _groups(windows: Windows, k: int, random: SecureRandom) -> list[Labels]:
    names = windows.names
    (values,) = scaled(windows.values, windows.values)
    means = np.stack([values[windows.people == name].mean(axis=0) for name in names])
    ungrouped = [int(i) for i in random.permutation(names.size)]
    groups: list[Labels] = []
    while len(ungrouped) >= k:
        distance = np.linalg.norm(means[ungrouped] - means[ungrouped[0]], axis=1)
        distance[0] = -1.0
        chosen = {ungrouped[i] for i in np.argsort(distance, kind="stable")[:k]}
        ungrouped = [i for i in ungrouped if i not in chosen]
        if len(ungrouped) < k:
            chosen |= set(ungrouped)
        groups.append(names[sorted(chosen)])
    return groups


def _average(windows: Windows, group: Labels) -> Numbers:
    rows = [windows.values[windows.people == name] for name in group]
    shortest = min(len(values) for values in rows)
    average: Numbers = np.mean([values[:shortest] for values in rows], axis=0)
    return average
