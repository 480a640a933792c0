"""Which rows of a person on a stimulus count, where they have more than may."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease.data.gaze import GazeData
from synthrelease.data.screen import Screen
from synthrelease.kinds.counted_rows import counted_rows


@pytest.mark.parametrize("interleaved", [False, True])
def test_samples_that_count_are_evenly_spaced(interleaved: bool) -> None:  # noqa: FBT001  a parameter
    """Of 10 samples r = 0 … 9 three count: where ⌊0.3·(r + 1) + ½⌋ steps up, at 1, 4 and 8; of 2 samples both."""
    stimulus = np.repeat([0, 1], [10, 2])
    if interleaved:
        stimulus = stimulus[[0, 10, 1, 2, 3, 4, 11, 5, 6, 7, 8, 9]]
    rows = np.arange(stimulus.size)
    zero = np.zeros(stimulus.size)
    gaze = GazeData(
        Screen(80, 60), ("a", "b"), 1, np.ones((1, 2), dtype=np.bool_), 0 * rows, stimulus, zero, zero
    )
    first, second = rows[stimulus == 0], rows[stimulus == 1]
    counted = counted_rows(gaze, max_stimuli=2, max_samples=3)
    assert counted.tolist() == [*first[[1, 4, 8]], *second]
    everything = counted_rows(gaze, max_stimuli=2, max_samples=None)
    assert everything.tolist() == [*first, *second]
