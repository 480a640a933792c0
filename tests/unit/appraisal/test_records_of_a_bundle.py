"""What a bundle's own records and counts are, and not those of fresh releases: forged ones are found out beside the data."""

import re

import invented_study as invented
import pytest

import synthrelease
from synthrelease.appraisal import appraise as orchestrator
from synthrelease.appraisal.appraise import appraise
from synthrelease.appraisal.records import AppraisedRecords
from synthrelease.noise import addition


@pytest.fixture(autouse=True)
def no_fresh_releases(monkeypatch):
    """Attacks and curves are of these, and take long."""
    monkeypatch.setattr(orchestrator, "curve", lambda *_, **__: None)
    monkeypatch.setattr(orchestrator, "appraised_records", lambda *_, **__: AppraisedRecords({}, (), (), ()))


def study(folder):
    plan = invented.write_records_study(folder)
    plan.write_text(re.sub(r"(?m)^rows = \d+", "rows = 40", plan.read_text()))
    return plan


def test_counts_have_the_noise_that_is_stated(tmp_path):
    plan = study(tmp_path)
    told = appraise(plan, synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path)
    assert told.faults == ()
    checked = {output.name: output.noise is not None for output in told.outputs}
    assert checked == {"tree": True, "plain": True, "randomized": False, "kept": True, "exact": False}


def test_counts_with_less_noise_are_found_out(tmp_path, monkeypatch):
    honest, plan = addition.discrete_laplace, study(tmp_path)
    with monkeypatch.context() as less:
        less.setattr(
            addition,
            "discrete_laplace",
            lambda scale, size, *, random: honest(0.3 * scale, size, random=random),
        )
        bundle = synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path
    assert [fault.split(":")[0] for fault in appraise(plan, bundle).faults] == ["tree", "kept"]
