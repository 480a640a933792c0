"""What a plan of scanpaths with plausible deniability may ask for: defaults, refusals before any value is read, previews."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import deniable_study
import pytest
from deniable_study import mechanism
from refusals import refused

from synthrelease.building.design import Design, make_design
from synthrelease.building.preview import preview
from synthrelease.dp.event import DeniabilityTest
from synthrelease.errors import PlanError, PolicyError, SynthReleaseError
from synthrelease.kinds import preparing
from synthrelease.kinds.kind import Kind
from synthrelease.kinds.records.kind import RECORDS
from synthrelease.kinds.records.public_scanpaths import ScanpathRecordsParameters
from synthrelease.kinds.records.tokens import Tokens
from synthrelease.plan.plan import load_plan

KIND: Kind = RECORDS
TOKENS = Tokens(3, 2, (50.0, 200.0, 800.0), 4)


def design(folder: Path, options: str = "", **words: object) -> Design:
    return make_design(load_plan(deniable_study.study(folder, options, **words)))


def parameters(folder: Path, options: str = "", **words: object) -> ScanpathRecordsParameters:
    (output,) = design(folder, options, **words).outputs
    assert isinstance(output.mechanism.parameters, ScanpathRecordsParameters)
    return output.mechanism.parameters


def test_defaults_keep_the_first_cell_of_twelve(tmp_path: Path) -> None:
    p = parameters(tmp_path, tokens="fixations = 7")
    assert p.kept == (1,)
    assert p.resampled == (13,)
    assert (p.tokens.columns, p.tokens.rows, p.tokens.classes) == (4, 3, 4)
    assert (p.scanpaths, p.rows, p.k, p.gamma) == (20, 40, 8, 4.0)
    assert p.viewers == (40, 40)
    assert not p.is_vacuous


def test_several_numbers_of_kept_fixations_are_drawn_from(tmp_path: Path) -> None:
    p = parameters(tmp_path, tokens="fixations = 7, kept = [2, 1]")
    assert (p.kept, p.resampled) == ((1, 2), (12, 13))


def test_the_guarantee_is_plausible_deniability_and_no_differential_privacy(tmp_path: Path) -> None:
    for options in ("", 'fit = "dp"'):
        planned = design(tmp_path, options)
        (output,) = planned.outputs
        assert planned.guarantee.epsilon is None
        leaves = getattr(output.event, "events", (output.event,))
        assert DeniabilityTest(8, 4.0, "person", False) in leaves


REFUSED: dict[str, tuple[str, str, type[SynthReleaseError], str, str]] = {
    # options, tokens; class, code, place
    "no tokens": ("", "", PlanError, "no-tokens", "paths"),
    "marginals": ('model = "marginals"', "fixations = 5", PlanError, "scanpaths-not-seeded", "model"),
    "tree": ('dependence = "tree"', "fixations = 5", PlanError, "key-of-features", "dependence"),
    "independent": (
        'dependence = "independent"',
        "fixations = 5",
        PlanError,
        "key-of-features",
        "dependence",
    ),
    "rows": ("rows = 10", "fixations = 5", PlanError, "key-of-features", "rows"),
    "resampled": ("resampled = 3", "fixations = 5", PlanError, "key-of-features", "resampled"),
    "bins": ("bins = 3", "fixations = 5", PlanError, "key-of-features", "bins"),
    "task": ('task = "picture"', "fixations = 5", PlanError, "key-of-features", "task"),
    "missing": ('missing = "category"', "fixations = 5", PlanError, "key-of-features", "missing"),
    "count": ('count = "record"', "fixations = 5", PlanError, "key-of-features", "count"),
    "randomized": (
        'threshold = "randomized"\nfit = "dp"\nepsilon0 = 1.0\ntrials = 10',
        "fixations = 5",
        PlanError,
        "key-of-features",
        "epsilon0",
    ),
    "threshold": ('threshold = "randomized"', "fixations = 5", PlanError, "key-of-features", "threshold"),
    "durations": (
        "",
        "fixations = 5, durations_ms = [50, 50]",
        PlanError,
        "bad-durations",
        "tokens.durations_ms",
    ),
    "kept": ("", "fixations = 5, kept = [1, 6]", PlanError, "too-many-kept", "tokens.kept"),
    "trials": ("trials = 30", "fixations = 5", PlanError, "too-few-trials", "trials"),
    "noise": ('noise = "laplace"', "fixations = 5", PlanError, "noise-with-exact-fit", "paths"),
    "k": ("k = 41", "fixations = 5", PlanError, "k-exceeds-people", "k"),
    "k = 1": ("k = 1", "fixations = 5", PolicyError, "vacuous-test", "paths"),
    "nothing kept": ("", "fixations = 5, kept = [0]", PolicyError, "vacuous-test", "paths"),
    "one cell": ("", "fixations = 5, columns = 1, rows = 1", PolicyError, "vacuous-test", "paths"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_is_false_empty_or_impossible_is_refused(
    tmp_path: Path, case: tuple[str, str, type[SynthReleaseError], str, str]
) -> None:
    options, tokens, kind, code, place = case
    path = deniable_study.study(tmp_path, options, tokens=tokens or "fixations = 5")
    text = path.read_text()
    text = text if tokens else text.replace("tokens = { fixations = 5 }\n", "")
    path.write_text(text.replace('model = "seeded"\n', "") if "model" in options else text)
    with refused(kind, code, where=place):
        make_design(load_plan(path))


@pytest.mark.parametrize("tokens", ["fixations = 5, kept = [0]", "fixations = 5, columns = 1, rows = 1"])
def test_a_test_that_cannot_fail_has_to_be_acknowledged_and_is_stated(tmp_path: Path, tokens: str) -> None:
    p = parameters(tmp_path, "acknowledge_vacuous = true", tokens=tokens)
    assert p.is_vacuous
    assert "vacuous" in {remark.code for remark in p.warnings()}


def test_kept_or_nothing_is_a_test_that_can_fail(tmp_path: Path) -> None:
    assert not parameters(tmp_path, tokens="fixations = 5, kept = [0, 1]").is_vacuous


def test_k_of_more_than_saw_a_stimulus_is_refused_where_that_is_public(tmp_path: Path) -> None:
    path = deniable_study.study(tmp_path)
    table = (tmp_path / "fixations.csv").read_text().splitlines()
    few = [line for line in table if not re.match(r"p([7-9]|\d\d),sky", line)]  # 7 of 40 saw it
    (tmp_path / "fixations.csv").write_text("\n".join(few))
    with refused(PlanError, "k-exceeds-viewers", where="k", names=("8", "7", "sky")):
        make_design(load_plan(path))
    path.write_text(deniable_study.plan(public=False))
    (output,) = make_design(load_plan(path)).outputs
    assert output.mechanism.parameters.viewers is None
    assert "viewers-private" in {remark.code for remark in output.mechanism.parameters.warnings()}


def test_durations_are_needed(tmp_path: Path) -> None:
    path = deniable_study.study(tmp_path)
    path.write_text(path.read_text().replace(', duration = "ms"', ""))
    with refused(PlanError, "no-duration-column", where="paths"):
        make_design(load_plan(path))


def test_tokens_are_of_gaze(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    (tmp_path / "pupils.csv").write_text("who,pupil\n" + "\n".join(f"p{n},3.5" for n in range(40)))
    path.write_text(
        deniable_study.plan().partition("[inputs")[0]
        + '[inputs.fixations]\nkind = "features"\npath = "pupils.csv"\ncolumns = { person = "who" }\nbounds = { pupil = [2, 8] }\n'
        + '[[outputs]]\nname = "paths"\nkind = "records"\ninput = "fixations"\nmodel = "seeded"\ntokens = { fixations = 3 }\n'
    )
    with refused(PlanError, "key-of-trials", where="tokens"):
        make_design(load_plan(path))


def test_more_scanpaths_than_memory_holds_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "_MOST_DRAWN", 2 * 6 * 5)
    assert parameters(tmp_path).scanpaths == 6
    with refused(PlanError, "too-many-scanpaths", where="tokens", names=("70", "60")):
        design(tmp_path, tokens="fixations = 5, scanpaths = 7")


def test_more_pairs_of_cells_than_memory_holds_are_refused(tmp_path: Path) -> None:
    """Before any is counted: of 32 × 32 cells and 60 fixations a model took 2 GB for each stimulus."""
    with refused(PlanError, "too-many-cells", where="tokens", names=("2", "1024", "60")):
        design(tmp_path, "k = 2", tokens="fixations = 60, columns = 32, rows = 32")
    assert parameters(tmp_path, "k = 2", tokens="fixations = 60, columns = 16, rows = 16").tokens.cells == 256


def expected(folder: Path, kept: int) -> str:
    path = deniable_study.study(folder, tokens=f"fixations = 5, kept = [{kept}]")
    (row,) = preview(make_design(load_plan(path)))["outputs"]
    return str(row["error"])


@pytest.mark.parametrize(("kept", "figures"), [(1, ("12^1", "3.3", "0.04")), (2, ("12^2", "0.28"))])
def test_a_preview_says_how_few_people_share_what_is_kept(
    tmp_path: Path, kept: int, figures: tuple[str, ...]
) -> None:
    """From public numbers: 40 participants, 12 cells."""
    assert [figure for figure in ("40", *figures) if figure not in expected(tmp_path, kept)] == []


def test_parameters_come_back_from_a_manifest() -> None:
    p = mechanism(TOKENS).parameters
    entry = p.to_entry()
    assert KIND.form_of(entry) is ScanpathRecordsParameters
    assert KIND.read(entry) == p


@pytest.mark.parametrize("fit", ["exact", "dp"])
@pytest.mark.parametrize("fixations", [1, 2, 4])
def test_datasets_are_counted_without_making_them(fit: str, fixations: int) -> None:
    p = mechanism(replace(TOKENS, fixations=fixations), fit=fit).parameters
    event = DeniabilityTest(2, 4.0, "person", False)
    datasets = list(p.datasets(event))
    places = {axis.place for dataset in datasets for axis in dataset.axes}
    assert p.dataset_count(event) == len(datasets) + len(places)


FAULTS = {
    "another grid": {"tokens": replace(TOKENS, columns=2)},
    "durations the other way round": {"tokens": replace(TOKENS, durations_ms=(50.0, 900.0, 800.0))},
    "other stimuli": {"stimuli": ("a", "b", "d")},
    "another order": {"order": (0, 2, 1, 3, 4, 5, 6, 7, 8)},
    "no model of each stimulus": {"per_task": False},
    "the stimulus is drawn": {"task": False, "per_task": False, "resampled": (9,)},
    "more records": {"rows": 13},
    "a randomized threshold": {"threshold": "randomized"},
    "records counted": {"counted": "record"},
    "fewer viewers than k": {"viewers": (6, 1, 6)},
    "viewers of a private assignment": {"assignment_public": False},
    "no viewers": {"viewers": None},
    "more stimuli than there are": {"max_stimuli_per_person": 4},
    "trials of fewer stimuli than all": {"max_stimuli_per_person": 2},
    "more kept than there are": {"resampled": (3,)},
}


@pytest.mark.parametrize("change", FAULTS.values(), ids=FAULTS)
def test_contradictions_are_faults(change: dict[str, object]) -> None:
    p = mechanism(TOKENS).parameters
    event = DeniabilityTest(2, 4.0, "person", False)
    assert not list(p.faults(event))
    assert list(replace(p, **change).faults(event))
