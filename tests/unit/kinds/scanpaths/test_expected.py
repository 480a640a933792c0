"""What a preview says of scanpaths: how many participants maps take."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import made_scanpaths
import pytest
from made_scanpaths import BUDGET, PEOPLE

from synthrelease.kinds.heatmap.expected import MARGIN, spectral_correlation, viewers_needed
from synthrelease.kinds.parameters import deviation_of
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths


def mechanism(blur_px: float, viewers: tuple[int, ...] | None = None) -> SyntheticScanpaths:
    made = made_scanpaths.mechanism()
    parameters = replace(
        made.parameters, blur_px=blur_px, viewers=viewers, assignment_public=viewers is not None
    )
    return replace(made, parameters=parameters)


def needed(made: SyntheticScanpaths) -> tuple[int, float]:
    """How many participants on each stimulus, for which correlation."""
    words = made.prediction(made.calibrate(BUDGET), BUDGET, PEOPLE)[1]
    people, correlation = re.findall(r"\d+\.?\d*", words)
    return int(people), float(correlation)


@pytest.mark.parametrize("viewers", [None, (1, 1, 1), (40, 40, 40)])
def test_as_many_participants_are_needed_however_many_there_are(viewers: tuple[int, ...] | None) -> None:
    made = mechanism(2.4, viewers)
    maps, deviation = made.parameters.of_maps, deviation_of(made.calibrate(BUDGET))
    at = partial(spectral_correlation, maps, maps.viewing, deviation=deviation)
    people, correlation = needed(made)
    assert at(people=people) >= correlation > at(people=people - 1)


def test_where_much_is_known_without_data_participants_are_for_more() -> None:
    """Of a wide blur the centre bias alone is good: that one participant is enough would be true, and say nothing."""
    made = mechanism(8.0)
    known = made.parameters.of_maps.viewing.without_data()
    people, correlation = needed(made)
    assert people > 1
    assert correlation == pytest.approx(known + MARGIN, abs=0.005)


def test_beyond_all_people_no_number_is_named() -> None:
    viewing = mechanism(2.4).parameters.of_maps.viewing
    assert not re.match(r"\d", viewers_needed(viewing, lambda _: 0.0, good=0.9))
