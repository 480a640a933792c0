"""What a bundle's own records and counts are, and not those of fresh releases: forged ones are found out beside the data."""

import re
from dataclasses import replace

import h5py
import invented_study as invented
import numpy as np
import pytest
from invented_records import parameters

import synthrelease
from synthrelease.appraisal import appraise as orchestrator
from synthrelease.appraisal.appraise import appraise
from synthrelease.appraisal.record_faults import record_faults
from synthrelease.appraisal.record_rows import real_rows
from synthrelease.appraisal.records import AppraisedRecords
from synthrelease.bundle.resealing import reseal
from synthrelease.design import make_design
from synthrelease.evaluate.attacks.result import SIGNIFICANCE
from synthrelease.mechanisms.collected import Rows
from synthrelease.noise import addition
from synthrelease.parts import divided, stamp_of
from synthrelease.plan import load_plan


@pytest.fixture(autouse=True)
def no_fresh_releases(monkeypatch):
    """Attacks and curves are of these, and take long."""
    monkeypatch.setattr(orchestrator, "curve", lambda *_, **__: None)
    monkeypatch.setattr(orchestrator, "appraised_records", lambda *_, **__: AppraisedRecords({}, (), (), ()))


def study(folder):
    plan = invented.write_records_study(folder)
    plan.write_text(re.sub(r"(?m)^rows = \d+", "rows = 40", plan.read_text()))
    return plan


def test_of_many_outputs_attacks_can_be_found_all_the_same(tmp_path, monkeypatch):
    """A perfect attack has p = 1/(draws + 1), and is corrected for the 15 on each of eight outputs."""
    asked = []
    monkeypatch.setattr(
        orchestrator,
        "appraised_records",
        lambda *_, draws, **__: asked.append(draws) or AppraisedRecords({}, (), (), ()),
    )
    plan = study(tmp_path)
    head, *outputs = plan.read_text().split("[[outputs]]")
    plain = next(one for one in outputs if '"plain"' in one)
    many = [plain.replace('"plain"', f'"p{number}"') for number in range(8)]
    plan.write_text("[[outputs]]".join([head, *many]))
    appraise(plan, synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path)
    (draws,) = set(asked)
    assert len(asked) * 15 / (draws + 1) <= SIGNIFICANCE


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


def test_records_that_cannot_have_passed_are_found_out(tmp_path):
    """A forger puts a real row in the place of each record; the file verifies."""
    plan = study(tmp_path)
    bundle = synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path
    design = make_design(load_plan(plan))
    source, own = design.plan.inputs["reading"], design.outputs[-1].resolved.parameters
    (part,) = divided(source, design.facts["reading"], stamp_of(source.path))
    real = real_rows(part.read(), own)
    with h5py.File(bundle, "r+") as file:
        for a, attribute in enumerate(own.attributes):
            group, codes = file["outputs/exact"][attribute.name], real.codes[: own.rows, a]
            group["category"][...] = codes
            if attribute.labels is None:
                group["value"][...] = attribute.values(codes.astype(np.int64))
    reseal(bundle)
    assert synthrelease.verify(bundle, allow_test_seed=True).ok
    (fault,) = appraise(plan, bundle).faults
    assert fault == "exact: 40 of 40 records equal a real row, where the plan leaves such copies out"


def test_records_need_so_many_people_with_what_is_kept():
    """Four people: the first two are alike in what is kept, twice, and the other two are not."""
    own = parameters(order=(0, 1, 2), resampled=(1, 2), k=2, people=4)
    real = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 0], [2, 0, 0], [2, 1, 1]])
    truth = Rows(((np.array([0, 0, 1, 2, 3, 3]), real),))
    made = np.array([[0, 3, 3], [1, 0, 0], [2, 2, 2], [3, 3, 3]])
    arrays = {(one.name, "category"): made[:, a] for a, one in enumerate(own.attributes)}
    (fault,) = record_faults(own, truth, arrays)
    assert fault.startswith("3 of 4 records cannot have passed the test: fewer than 2 people")
    (fault,) = record_faults(replace(own, counted="record"), truth, arrays)
    assert fault.startswith("2 of 4 records cannot have passed the test: fewer than 2 rows")
    assert record_faults(replace(own, resampled=(3,)), truth, arrays) == ()
    assert record_faults(replace(own, threshold="randomized", epsilon0=1.0), truth, arrays) == ()
