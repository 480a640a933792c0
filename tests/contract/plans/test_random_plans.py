"""Whatever the options of a plan: what a release shows follows from noisy integers, and one person moves these as far as stated.

Mechanisms keep their contract each by itself (`tests/contract`); what broke lay where options meet. `scripts/audit --plans` tries thousands, and
`auditing/faults_of_plans.py` plants what has been wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_plans.draws import OfGenerator, OfHypothesis
from random_plans.observed import Observer
from random_plans.plans import FEATURES, GAZE, MAPS, PILOT, random_plan
from random_plans.study import neighbour, random_study
from random_plans.trial import tried
from tiers import few

import synthrelease


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    with Observer() as closed:
        yield closed


@few
@given(data=st.data())
def test_neighbours_show_the_same_but_for_integers_as_far_apart_as_stated(
    observer: Observer, data: st.DataObject
) -> None:
    trial = tried(OfHypothesis(data), observer, neighbours=2)
    assert not trial.found, trial.plan.text


@pytest.mark.thorough
def test_random_plans_of_every_kind_are_built(observer: Observer) -> None:
    kinds: set[str] = set()
    for seed in range(1, 60):
        if kinds >= {"heatmap", "areas", "signals", "records", "people", "scanpaths", "statistics"}:
            return
        new = {output["kind"] for output in random_plan(OfGenerator(seed)).document["outputs"]} - kinds
        trial = tried(OfGenerator(seed), observer, neighbours=1) if new else None
        if trial is not None and not trial.refused:
            assert not trial.found, trial.plan.text
            kinds |= new
    pytest.fail(f"only {sorted(kinds)} were built")


BUILT = {
    "heatmap": {
        "mechanism": ["spectral", "gaussian", "laplace"],
        "clipping": ["joint", "per-stimulus"],
        "weight": ["samples", "duration"],
        "prior": ["centre", "none", "maps"],
        "maps": [str(MAPS)],
        "calibration": ["liu2019"],
        "cap": ["private"],
        "max_samples_per_stimulus": ["unlimited"],
        "frames": [3],
        "max_stimuli_per_person": [1, 2],
    },
    "people": {
        "lattice": [{"open": 0.25}],
        "sampling_seed": [5],
        "max_windows": [2, 3],
        "pilot": [str(PILOT)],
    },
    "scanpaths": {
        "prior": ["centre", "none", "maps"],
        "prior_flat": [0.15, 0.5],
        "max_stimuli_per_person": [1, 2],
        "dynamics_share": [0.7],
        "duration_unit": ["s"],
    },
    "areas": {
        "noise": ["laplace", "gaussian"],
        "transitions": [True, False],
        "weight": ["samples", "duration"],
    },
    "signals": {
        "mechanism": ["spectral", "lpa", "fpa", "cfpa", "dcfpa"],
        "query": ["each", "mean"],
        "noise": ["laplace", "gaussian"],
        "coefficients": ["private"],
        "baseline": ["person", "recording", "none", "start"],
        "completion": ["hold", "centre"],
        "max_change": [0.2],
    },
    "statistics": {
        "noise": ["laplace", "gaussian"],
        "by": ["recording", "mood", "stimulus"],
        "max_groups_per_person": [1],
        "everyone_in_every_group": [True],
        "input": [FEATURES, GAZE],
        "quantile_share": [0.5],
    },
    "records": {
        "input": [FEATURES, GAZE],
        "model": ["marginals", "seeded"],
        "fit": ["dp", "exact"],
        "dependence": ["tree"],
        "task": ["recording", "mood"],
        "per_task": [True, False],
        "threshold": ["randomized"],
        "count": ["person", "record"],
        "copies": ["keep", "exclude"],
        "missing": ["category", "drop"],
    },
}


@pytest.mark.thorough
def test_every_option_is_built_and_found_without_fault(observer: Observer) -> None:
    lacking = {
        (kind, key, str(value))
        for kind, keys in BUILT.items()
        for key, values in keys.items()
        for value in values
    }
    for seed in range(1, 600):
        document = random_plan(OfGenerator(seed)).document
        new = lacking & {
            (output["kind"], key, str(value))
            for output in document["outputs"]
            for key, value in output.items()
        }
        trial = tried(OfGenerator(seed), observer, neighbours=2) if new else None
        if trial is not None and not trial.refused:
            assert not trial.found, trial.plan.text
            lacking -= new
    assert not lacking


def test_reports_of_neighbours_are_the_same_file(observer: Observer, tmp_path: Path) -> None:
    """A report is made of the bundle alone, which is the same if nothing but noise follows from the data."""
    draws = OfGenerator(1)
    plan, study = random_plan(draws), random_study(draws)
    pages = []
    for number, of in enumerate((study, neighbour(draws, study, plan.public))):
        bundle = tmp_path / str(number) / "r.TEST-SEED.h5"
        bundle.parent.mkdir()
        bundle.write_bytes(observer.of(plan, of).public["bundle"])
        synthrelease.report(bundle, bundle.with_name("r.html"))
        pages.append(bundle.with_name("r.html").read_bytes())
    assert pages[0] == pages[1]
