"""Evaluation of scanpaths with plausible deniability: as of other records, of which trials are the rows."""

from __future__ import annotations

from pathlib import Path

import deniable_study
import numpy as np
import pytest
from deniable_study import gaze, mechanism, random_trials

import synthrelease
from synthrelease.bundle import verify
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.evaluate import evaluate
from synthrelease.evaluation.ground_truth import kind_of
from synthrelease.evaluation.ground_truth.records import RECORDS
from synthrelease.evaluation.records.releases import of_fewer, owned_records
from synthrelease.evaluation.records.rows import real_rows
from synthrelease.kinds.records.tokens import Tokens
from synthrelease.reports.exhibits import Plate
from synthrelease.reports.look import Look
from synthrelease.reports.panels import exhibits_of
from synthrelease.reports.photographs import Photographs
from synthrelease.reports.released import Released

TOKENS = Tokens(2, 2, (0.0, 200.0, 1000.0), 4)


def test_trials_are_the_rows_and_stimuli_their_recordings() -> None:
    one = mechanism(TOKENS)
    data = gaze(random_trials(np.random.default_rng(1), people=6, most=5), people=6)
    rows = real_rows(one.table(data), one)
    assert len(rows) == len(set(zip(data.person.tolist(), data.stimulus.tolist(), strict=True)))
    np.testing.assert_array_equal(rows.recordings, rows.codes[:, 0])
    assert rows.features == tuple(range(1, 9))
    assert kind_of(one) is RECORDS


def test_fresh_releases_of_some_people_need_not_have_as_many_of_each_stimulus() -> None:
    """An attack is on records as they are drawn: of a few people there may be none on a stimulus."""
    trials = {
        trial: rows
        for trial, rows in deniable_study.random_trials(np.random.default_rng(1), people=6, most=5).items()
        if trial[1] != 2 or trial[0] == 0
    }
    one = mechanism(TOKENS, viewers=None, assignment_public=False)
    rows = real_rows(one.table(gaze(trials, people=6)), one)
    fewer = of_fewer(one, rows.names.size, most_rows=50)
    made = owned_records(rows.codes, rows.numbered, fewer, None, random=SecureRandom.for_tests(3))
    assert made.records.shape == (12, 9)
    assert not (made.records[:, 0] == 2).any()


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("evaluated")
    plan = deniable_study.study(folder, "k = 2", people=12, tokens="fixations = 4, scanpaths = 10")
    return plan, synthrelease.build(plan, folder / "paths.h5", test_seed=7).path


@pytest.mark.thorough
def test_an_evaluation_attacks_scanpaths_as_records_and_predicts_the_stimulus_alone(
    study: tuple[Path, Path],
) -> None:
    (output,) = evaluate(*study, seed=1).outputs
    assert output.faults == ()
    assert [task.label for task in output.tasks] == ["stimulus"]
    kinds = {attack.attack.partition(",")[0] for attack in output.attacks}
    assert {"membership", "copies", "identification", "linkage"} <= kinds


def test_a_report_shows_scanpaths_on_each_stimulus_and_what_all_records_are(study: tuple[Path, Path]) -> None:
    """And no movements next to those of public data, of which there are none."""
    manifest = verify(study[1], allow_test_seed=True).manifest
    assert manifest is not None
    with Released(study[1], manifest) as released:
        shown = exhibits_of(released, manifest["outputs"][0], 100, Look(Photographs(None), {})).exhibits
    plates = [one for one in shown if isinstance(one, Plate)]
    assert [plate.title.split()[-1] for plate in plates] == ["sea", "sky"]
    assert len(shown) == 2 + 9  # categories of each attribute
