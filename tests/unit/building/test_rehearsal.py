"""A planned manifest is checked before payment even for what no plan can say today: the second line of defence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from invented_study import write_study
from refusals import refused

from synthrelease.building.design import Design, make_design
from synthrelease.building.rehearsal import rehearse
from synthrelease.dp.guarantee import ApproxDP
from synthrelease.errors import BundleError, PlanError
from synthrelease.plan.plan import load_plan


@pytest.fixture
def design(tmp_path: Path) -> Design:
    return make_design(load_plan(write_study(tmp_path)))


def test_a_text_that_no_manifest_may_have_is_refused(design: Design) -> None:
    plan = replace(design.plan, release={**design.plan.release, "title": "two\nlines"})
    with refused(PlanError, "bad-value", where="release/title"):
        rehearse(replace(design, plan=plan))


def test_a_guarantee_that_does_not_follow_is_refused(design: Design) -> None:
    assert isinstance(design.guarantee, ApproxDP)
    kinder = replace(design, guarantee=replace(design.guarantee, epsilon=design.guarantee.epsilon / 2))
    with refused(BundleError, "planned-bundle-invalid", where=design.plan.path):
        rehearse(kinder)
