"""Intraclass correlations of Shrout & Fleiss 1979, Psychological Bulletin 86(2)."""

import numpy as np
import pytest

from synthrelease.evaluation.metrics.people import PeopleRows, summary

# Table 2: four judges' ratings of six targets.
RATINGS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)


def test_shrout1979_table_4_icc_1_1_is_0_17() -> None:
    rows = PeopleRows.of_array(RATINGS[:, None, :, None] / 10)
    assert summary(rows).intraclass[0] == pytest.approx(0.17, abs=0.005)
