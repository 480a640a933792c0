"""Whether an output is useful: by its first measure, or by each of several."""

from __future__ import annotations

import math

import pytest

from synthrelease.evaluation.result import Measure, Usefulness
from synthrelease.evaluation.scores import over_items
from synthrelease.evaluation.usefulness import usefulness

ERROR, ROOT = Measure("error", 0.0, "", margin=0.02), Measure("root", 0.0, "", squared=True)
ITEMS = {"a": (0.1, 3.0), "b": (0.3, 4.0)}


def judged(*measures: Measure, guess: float = 0.5) -> list[Usefulness]:
    guesses = {"no data": {"a": (guess, 3.0), "b": (guess, 3.0)}}
    return list(usefulness(ITEMS, guesses, measures, lambda _: ""))


def test_one_measure_judges_the_output_as_a_whole() -> None:
    assert judged(ERROR) == [Usefulness("", "error", pytest.approx(0.2), 0.5, True)]


def test_several_measures_judge_what_each_measures() -> None:
    """The second by the root of the mean square."""
    first, second = judged(ERROR, ROOT)
    assert (first.part, first.is_useful) == ("error", True)
    assert second == Usefulness("root", "root", pytest.approx(math.sqrt(12.5)), pytest.approx(3.0), False)


def test_what_is_hardly_better_is_not_useful() -> None:
    assert not judged(ERROR, guess=0.21)[0].is_useful
    assert judged(ERROR, guess=0.23)[0].is_useful


def test_what_an_output_does_not_have_is_no_part_of_it() -> None:
    items = {"a": (0.1, math.nan)}
    parts = list(usefulness(items, {"no data": items}, (ERROR, ROOT), lambda _: ""))
    assert [part.part for part in parts] == ["error"]


def test_roots_of_mean_squares_leave_out_what_is_not_defined() -> None:
    assert over_items([(1.0, 3.0), (3.0, math.nan), (2.0, 4.0)], (ERROR, ROOT)) == (
        2.0,
        pytest.approx(math.sqrt(12.5)),
    )
