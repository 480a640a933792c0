"""Histograms of reports: edges of bins at their places, axes, and the exact one over the released one."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from invented_study import write_statistics_study

import synthrelease
from synthrelease.evaluation.evaluate import evaluate
from synthrelease.evaluation.private_page import private_page
from synthrelease.reports.axis_ticks import edge_ticks
from synthrelease.reports.exhibits import HistogramExhibit
from synthrelease.reports.histograms import histogram


@pytest.mark.parametrize("bins", [1, 2, 5, 6, 20, 97])
def test_ticks_are_edges_of_bins(bins: int) -> None:
    edges = np.linspace(1.5, 8, bins + 1)
    marks = edge_ticks(edges)
    assert len(marks) <= 6
    assert marks[0].place == 0
    for mark in marks:
        assert float(mark.text) == pytest.approx(1.5 + mark.place * 6.5, abs=2e-3)
        assert np.abs(edges - float(mark.text)).min() < 2e-3


def test_the_upright_axis_has_round_numbers_at_their_heights() -> None:
    shown = histogram([4.0, -1.0], title="t", x=(), x_label="x", y_label="y", alt="a")
    heights = {int(mark.text.replace("\N{MINUS SIGN}", "-")): mark.place for mark in shown.y}
    assert heights[4] == 0
    assert heights[-1] == 1
    assert heights[0] * HistogramExhibit.height == pytest.approx(shown.zero, abs=0.02)


@pytest.mark.thorough
def test_the_private_report_lays_the_exact_histogram_over_the_released_one(tmp_path: Path) -> None:
    plan = write_statistics_study(tmp_path)
    bundle = synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path
    evaluation = evaluate(plan, bundle)
    shown = [
        exhibit
        for output in evaluation.outputs
        for exhibit in output.exhibits
        if isinstance(exhibit, HistogramExhibit)
    ]
    assert shown
    assert all(exhibit.outline and exhibit.bars[0].whisker and exhibit.x for exhibit in shown)
    page = private_page(evaluation)
    assert len(re.findall('class="outline"', page)) == len(shown)
