"""What a bundle's own records and counts are, and not those of fresh releases: forged ones are found out beside the data."""

import re
from dataclasses import replace

import h5py
import invented_study as invented
import numpy as np
import pytest
from goldens import check_text, figures
from invented_records import parameters

import synthrelease
from synthrelease.building.design import make_design
from synthrelease.bundle.resealing import reseal
from synthrelease.dp.noise import addition
from synthrelease.evaluation import evaluate as orchestrator
from synthrelease.evaluation.attacks.result import SIGNIFICANCE
from synthrelease.evaluation.evaluate import evaluate
from synthrelease.evaluation.records.check import RecordCheck, failed_records
from synthrelease.evaluation.records.evaluate import EvaluatedRecords
from synthrelease.evaluation.records.rows import real_rows
from synthrelease.files.labels import quoted
from synthrelease.kinds.records.public import category_path
from synthrelease.plan.partitions import partitions_of, stamp_of
from synthrelease.plan.plan import load_plan


@pytest.fixture(autouse=True)
def no_fresh_releases(monkeypatch):
    """Attacks and curves are of these, and take long."""
    monkeypatch.setattr(orchestrator, "curve", lambda *_, **__: None)
    monkeypatch.setattr(orchestrator, "evaluated_records", lambda *_, **__: EvaluatedRecords({}, (), (), ()))


def study(folder, rows=40):
    plan = invented.write_records_study(folder)
    plan.write_text(re.sub(r"(?m)^rows = \d+", f"rows = {rows}", plan.read_text()))
    return plan


@pytest.mark.thorough
def test_of_many_outputs_attacks_can_be_found_all_the_same(tmp_path, monkeypatch):
    """A perfect attack has p = 1/(draws + 1), and is corrected for the 15 on each of eight outputs."""
    asked = []
    monkeypatch.setattr(
        orchestrator,
        "evaluated_records",
        lambda *_, draws, **__: asked.append(draws) or EvaluatedRecords({}, (), (), ()),
    )
    plan = study(tmp_path)
    head, *outputs = plan.read_text().split("[[outputs]]")
    plain = next(one for one in outputs if '"plain"' in one)
    many = [plain.replace('"plain"', f'"p{number}"') for number in range(8)]
    plan.write_text("[[outputs]]".join([head, *many]))
    evaluate(plan, synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path)
    (draws,) = set(asked)
    assert len(asked) * 15 / (draws + 1) <= SIGNIFICANCE


@pytest.mark.thorough
def test_counts_have_the_noise_that_is_stated(tmp_path):
    plan = study(tmp_path)
    told = evaluate(plan, synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path)
    assert told.faults == ()
    checked = {output.name: output.noise is not None for output in told.outputs}
    assert checked == {"tree": True, "plain": True, "randomized": False, "kept": True, "exact": False}


@pytest.mark.thorough
def test_counts_with_less_noise_are_found_out(tmp_path, monkeypatch):
    honest, plan = addition.discrete_laplace, study(tmp_path)
    with monkeypatch.context() as less:
        less.setattr(
            addition,
            "discrete_laplace",
            lambda scale, size, *, random: honest(0.3 * scale, size, random=random),
        )
        bundle = synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path
    assert [fault.split(":")[0] for fault in evaluate(plan, bundle).faults] == ["tree", "kept"]


def forged(plan, bundle, name):
    """A forger puts a real row in the place of each record of an output; the file verifies."""
    design = make_design(load_plan(plan))
    source = design.plan.inputs["reading"]
    mechanism = next(one.mechanism for one in design.outputs if one.name == name)
    own = mechanism.parameters
    (part,) = partitions_of(source, design.facts["reading"], stamp_of(source.path))
    real = real_rows(part.read(), mechanism)
    with h5py.File(bundle, "r+") as file:
        for a, attribute in enumerate(own.attributes):
            output, codes = file[f"outputs/{name}"], real.codes[: own.rows, a]
            output[category_path(attribute)][...] = codes
            if attribute.labels is None:
                output[f"value/{quoted(attribute.name)}"][...] = attribute.values(codes.astype(np.int64))
    reseal(bundle)
    assert synthrelease.verify(bundle, allow_test_seed=True).ok


@pytest.mark.quick("plain-1")
@pytest.mark.parametrize(("name", "fresh"), [("exact", 0), ("plain", 1), ("kept", 1)])
def test_real_rows_in_the_place_of_records_are_found_out(tmp_path, name, fresh):
    """Where the plan leaves copies out, there may be none; else there may be as many as fresh records have."""
    plan = study(tmp_path, rows=120)
    bundle = synthrelease.build(plan, tmp_path / "r.h5", test_seed=5).path
    forged(plan, bundle, name)
    (fault,) = evaluate(plan, bundle).faults
    assert fault.startswith(f"{name}: ")
    numbers = figures(fault)
    assert numbers[:2] == [120, 120]
    assert len(numbers) == 2 + fresh
    assert all(0 < share < 100 for share in numbers[2:])


def test_the_records_of_an_honest_bundle_are_no_fault(tmp_path, monkeypatch):
    plan = study(tmp_path)
    checks = {}
    honest = orchestrator.checked_records
    monkeypatch.setattr(
        orchestrator,
        "checked_records",
        lambda made, *rest, **ways: checks.setdefault(made.name, honest(made, *rest, **ways)),
    )
    told = evaluate(plan, synthrelease.build(plan, tmp_path / "r.h5", test_seed=6).path)
    assert told.faults == ()
    for output in told.outputs:
        check = checks[output.name]
        assert check.fresh_copies is not None
        assert {*check.sentences()} <= {*output.remarks}


def test_more_copies_than_luck_explains():
    check = RecordCheck(parameters(), 1000, 300, 20, 0.25, 4000, 0)
    assert check.faults == ()
    (fault,) = replace(check, copies=480).faults
    assert sorted(figures(fault)) == [25.0, 480, 1000]
    assert replace(check, copies=1000, fresh_copies=None).faults == ()
    assert replace(check, copies=1000, fresh_copies=1.0).faults == ()
    none = replace(check, copies=0, copied_people=0, fresh_copies=None)
    assert [sorted(figures(sentence)) for sentence in none.sentences()] == [[0, 1000]]
    assert [sorted(figures(sentence)) for sentence in check.sentences()] == [[20, 25.0, 300, 1000]]
    kept = parameters(order=(0, 1, 2), resampled=(1, 2), k=2, people=4)
    faulty = [
        replace(check, copies=480),
        replace(check, parameters=parameters(copies="exclude")),
        RecordCheck(kept, 4, 0, 0, None, 0, 3),
        RecordCheck(replace(kept, counted="record"), 4, 0, 0, None, 0, 2),
    ]
    faults = [fault for one in faulty for fault in one.faults]
    assert len(faults) == 4
    check_text("evaluation/record-check", "\n".join([*none.sentences(), *check.sentences(), "", *faults]))


def test_records_need_so_many_people_with_what_is_kept():
    """Four people: the first two are alike in what is kept, twice, and the other two are not."""
    own = parameters(order=(0, 1, 2), resampled=(1, 2), k=2, people=4).parameters
    people = np.array([0, 0, 1, 2, 3, 3])
    real = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 0], [2, 0, 0], [2, 1, 1]])
    made = np.array([[0, 3, 3], [1, 0, 0], [2, 2, 2], [3, 3, 3]])
    assert failed_records(own, people, real, made) == 3
    assert failed_records(replace(own, counted="record"), people, real, made) == 2
    assert failed_records(replace(own, resampled=(3,)), people, real, made) == 0
    assert failed_records(replace(own, threshold="randomized"), people, real, made) == 0
    (fault,) = RecordCheck(own, 4, 0, 0, None, 0, 3).faults
    assert sorted(figures(fault)) == [2, 2, 3, 4]  # of 4 records 3, and k = 2
    (of_rows,) = RecordCheck(replace(own, counted="record"), 4, 0, 0, None, 0, 3).faults
    assert figures(of_rows) == figures(fault)
    assert of_rows != fault  # it is rows that k counts
