"""The table of expected correlations in docs/explanation/heatmaps.md is what is computed for `preview`."""

import made
import pytest
from documented import ROOT

from synthrelease.data.screen import Screen
from synthrelease.dp.budget import Budget
from synthrelease.kinds.heatmap.expected import Viewing
from synthrelease.numerics.spectral import SpectralForm

SCREEN, BLURS = Screen(800, 600), (24 / 600, 24 / 800)  # 3 % of the screen's width


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_table_of_expected_correlations_is_computed():
    page = (ROOT / "docs" / "explanation" / "heatmaps.md").read_text("utf-8")
    lines = page.split("| participants |", 1)[1].split("\n\n", 1)[0].splitlines()
    (*numbers,) = map(int, cells(lines[0]))
    rows = {float(head.removeprefix("ε = ")): shown for head, *shown in map(cells, lines[2:])}
    assert list(rows) == [0.5, 1.0, 3.0]
    for epsilon, shown in rows.items():
        for people, correlation in zip(numbers, shown, strict=True):
            heatmap = made.spectral(
                stimuli=1,
                form=SpectralForm(BLURS, (100, 134)),
                max_stimuli=1,
                viewers=(people,),
                assignment_public=True,
                people=people,
                screen=SCREEN,
            )
            expected = heatmap.correlation(Viewing(BLURS, people, 1.0), Budget(epsilon, 1e-6), people)
            assert float(correlation) == pytest.approx(expected, abs=0.00501), (epsilon, people)
