"""Every format × every kind that chooses among a person's stimuli × relation: a neighbour is made in the file, and is as far as stated, or the plan is refused.

A person is taken out, so that all after them move up, or another one is put in front. Where the file has no labels the person's place was one: a choice by it moved the sums up
to 69 times as far as stated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from random_plans.compared import differences
from random_plans.corners import NAMES, OUTPUTS, RELATIONS, neighbours, plan_of, study_of
from random_plans.files import FORMATS, Format
from random_plans.observed import Observer

STUDY = study_of(30)


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    with Observer() as closed:
        yield closed


@pytest.mark.quick
@pytest.mark.parametrize("stored", FORMATS, ids=lambda stored: stored.name)
@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("most", [1, len(NAMES)])
def test_neighbours_in_a_file_are_as_far_as_stated(
    observer: Observer, stored: Format, name: str, relation: str, most: int
) -> None:
    plan = plan_of(name, relation, most)
    shown = observer.of(plan, STUDY, stored=stored, whole=False)
    if name == "records" and relation == "add-remove-one":
        assert shown.refused == "needs-public-people"
        return
    if stored.first is not None and most < len(NAMES) and name != "records":
        assert shown.refused == "label-is-position"
        return
    assert not shown.refused
    for other in neighbours(STUDY, relation):
        assert not differences(plan, shown, observer.of(plan, other, stored=stored, whole=False))


@pytest.mark.parametrize("stored", FORMATS, ids=lambda stored: stored.name)
def test_who_has_no_rows_counts_the_same_whatever_others_have(observer: Observer, stored: Format) -> None:
    """In `.mat` the number of participants, which is public, once depended on whether anyone had two fixations."""
    first, second, third = STUDY.people[:3]
    few = replace(STUDY, people=(replace(first, gaze=first.gaze[:1]), replace(second, gaze=second.gaze[:1]), replace(third, gaze=())))  # fmt: skip
    plan = plan_of("cells", "replace-one", len(NAMES))
    shown = observer.of(plan, few, stored=stored, whole=False)
    assert not shown.refused
    for gaze in (first.gaze[:2], first.gaze):
        other = replace(few, people=(replace(first, gaze=gaze), *few.people[1:]))
        assert not differences(plan, shown, observer.of(plan, other, stored=stored, whole=False))
