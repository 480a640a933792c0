"""MultiMatch of Dewhurst et al. 2012, https://doi.org/10.3758/s13428-012-0212-2, against `multimatch-gaze` 0.1.3, the authors' toolbox in Python (MIT; last released in 2020, and it needs pandas)."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease.evaluation.metrics.scanpath_alignment import Path, multi_match

SIZE = (800, 600)
A = Path(np.array([400.0, 310, 520, 610]), np.array([300.0, 220, 180, 410]), np.array([180.0, 240, 310, 150]))
B = Path(
    np.array([390.0, 120, 540, 600, 430]),
    np.array([310.0, 260, 200, 380, 500]),
    np.array([200.0, 170, 280, 330, 120]),
)
C = Path(np.array([100.0, 700, 90]), np.array([50.0, 560, 540]), np.array([90.0, 400, 260]))
# docomparison(…, screensize=[800, 600]), without grouping: shape, direction, length, position, duration.
DOCOMPARISON = {
    (0, 1): (
        0.9016417232484408,
        0.9053396228592784,
        0.8942901101692684,
        0.8887754251815311,
        0.9016129032258065,
    ),
    (0, 2): (0.6283482813170373, 0.37084166824095255, 0.4263112983599183, 0.6094875162046672, 0.5),
    (2, 1): (
        0.6923508853382481,
        0.7622496962701905,
        0.5424425295653407,
        0.6997814635098506,
        0.4897058823529411,
    ),
}


@pytest.mark.parametrize("pair", DOCOMPARISON)
def test_dewhurst2012_five_similarities_are_those_of_multimatch_gaze(pair: tuple[int, int]) -> None:
    one, other = ((A, B, C)[number] for number in pair)
    assert multi_match(one, other, SIZE) == pytest.approx(DOCOMPARISON[pair], abs=1e-14)
    assert multi_match(other, one, SIZE) == pytest.approx(DOCOMPARISON[pair], abs=1e-14)
