"""Signals as Bozkir et al. 2021 publish them: refused unless asked for twice, named as what they are, and nothing more told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from click.testing import CliRunner
from goldens import check_text, figures
from invented_study import write_signals_study
from refusals import refused
from signal_plans import LENGTH, PEOPLE, design_signals, write_pupils

import synthrelease
from synthrelease.building.preview import as_text, preview
from synthrelease.bundle import verify
from synthrelease.bundle.disclosure import output_sentences, unprotected_facts
from synthrelease.cli import main
from synthrelease.data.features import load_features
from synthrelease.dp.noise import SecureRandom
from synthrelease.errors import PlanError, PolicyError
from synthrelease.kinds.signals.bozkir2021 import PaperParameters, oracle_coefficients, sensitivities
from synthrelease.kinds.signals.completed_series import completed_series
from synthrelease.kinds.signals.public_series import BOZKIR2021_EVENT
from synthrelease.kinds.signals.published import PublishedSignals

PAPER = {"mechanism": "cfpa", "calibration": "bozkir2021", "paper_epsilon": 0.5}
ALLOWED = {**PAPER, "allow_unprotected": True}


def published(folder: Path, **options: Any) -> PublishedSignals:
    made = design_signals(folder, **{**ALLOWED, **options}).outputs[0].mechanism
    assert isinstance(made, PublishedSignals)
    return made


# --- the plan


@pytest.mark.parametrize("mechanism", ["lpa", "fpa", "cfpa", "dcfpa"])
def test_it_is_refused_unless_the_plan_allows_what_protects_no_one(tmp_path: Path, mechanism: str) -> None:
    for options in ({}, {"allow_unprotected": False}):
        with refused(PolicyError, "unprotected-output", where="outputs[0]") as error:
            design_signals(tmp_path, **{**PAPER, "mechanism": mechanism}, **options)
        assert error.value.exit_code == 4
        assert error.value.found == BOZKIR2021_EVENT.reason
        assert "allow_unprotected = true" in error.value.remedy
    result = CliRunner().invoke(main, ["build", str(tmp_path / "plan.toml"), "-o", str(tmp_path / "r.h5")])
    assert result.exit_code == 4
    assert not (tmp_path / "r.h5").exists()
    made = design_signals(tmp_path, **{**ALLOWED, "mechanism": mechanism})
    assert made.outputs[0].event == BOZKIR2021_EVENT
    assert not made.outputs[0].private
    assert made.outputs[0].budget is None
    assert made.guarantee.kind == "none"


def test_to_allow_it_changes_nothing_for_others(tmp_path: Path) -> None:
    one, other = (
        design_signals(tmp_path, mechanism="cfpa", allow_unprotected=allowed).outputs
        for allowed in (True, False)
    )
    assert one[0].event == other[0].event
    assert design_signals(tmp_path, mechanism="cfpa", calibration="exact").outputs[0].event == one[0].event


def test_parameters_are_the_papers_with_the_oracle(tmp_path: Path) -> None:
    assert published(tmp_path).paper == PaperParameters("cfpa", 0.5, 40, "oracle")
    assert published(tmp_path, mechanism="dcfpa").paper == PaperParameters("dcfpa", 0.5, 32)
    assert published(tmp_path, mechanism="cfpa", length=100).parameters.chunk == 64
    for mechanism in ("lpa", "fpa"):
        assert published(tmp_path, mechanism=mechanism).paper == PaperParameters(mechanism, 0.5)
    own = published(tmp_path, chunk=8, coefficients=3, query="each", paper_epsilon=2)
    assert own.paper == PaperParameters("cfpa", 2.0, 8, 3)
    assert published(tmp_path, coefficients="oracle").parameters.coefficients == "oracle"
    assert own.noise is None
    told = own.parameters.to_entry()["parameters"]
    assert (told["calibration"], told["query"], told["paper_epsilon"]) == ("bozkir2021", "each", 2.0)
    assert (told["chunk"], told["coefficients"], told["evaluations"]) == (8, 3, 100)
    assert published(tmp_path, mechanism="lpa").parameters.to_entry()["parameters"]["coefficients"] is None
    assert published(tmp_path, chunk=4096).parameters.to_entry()["parameters"]["chunk"] == LENGTH
    public = {"length": None, "assume_public": ["recordings", "lengths"]}
    assert published(tmp_path, **public).parameters.length == 50
    assert published(tmp_path, **public).parameters.to_entry()["public_inputs"]["length"] == "assumed"


@pytest.mark.parametrize(
    ("options", "code", "names"),
    [
        ({"mechanism": "spectral"}, "mechanism-not-of-paper", ("lpa", "fpa", "cfpa", "dcfpa")),
        ({"noise": "laplace"}, "key-not-for-calibration", ("'noise'", 'calibration = "exact"')),
        ({"noise": "gaussian"}, "key-not-for-calibration", ("'noise'",)),
        ({"coefficients": "private"}, "query-not-of-paper", ('query = "each"', 'coefficients = "oracle"')),
        ({"candidates": [1, 2]}, "key-not-for-calibration", ("'candidates'",)),
        ({"choice_share": 0.2}, "key-not-for-calibration", ("'choice_share'",)),
        ({"mechanism": "dcfpa", "max_change": 0.1}, "key-not-for-calibration", ("'max_change'",)),
        ({"clip": 0.5}, "key-not-for-calibration", ("'clip'",)),
        (
            {"mechanism": "lpa", "markov_chain": [[0.5, 0.5], [0.5, 0.5]]},
            "key-not-for-calibration",
            ("'markov_chain'",),
        ),
        ({"query": "mean"}, "query-not-of-paper", ('query = "each"',)),
        ({"mechanism": "fpa", "chunk": 8}, "key-not-for-mechanism", ("'chunk'", "cfpa", "dcfpa")),
        ({"mechanism": "lpa", "coefficients": 3}, "key-not-for-mechanism", ("'coefficients'",)),
        ({"baseline": "none"}, "key-not-for-mechanism", ("'baseline'", "spectral")),
        ({"paper_epsilon": None}, "key-not-for-calibration", ("paper_epsilon",)),
        ({"calibration": None}, "key-not-for-calibration", ("paper_epsilon", 'calibration = "bozkir2021"')),
        ({"calibration": "exact"}, "key-not-for-calibration", ("paper_epsilon",)),
        ({"paper_epsilon": 0}, "bad-value", ("0",)),
        ({"calibration": "liu2019"}, "unknown-choice", ("'liu2019'", "bozkir2021")),
        ({"share": 0.5}, "budget-without-noise", ("share",)),
        ({"epsilon": 0.5}, "budget-without-noise", ("epsilon",)),
        ({"neighbours": "add-remove-one"}, "needs-public-people", ('neighbours = "replace-one"',)),
        ({"length": None}, "length-missing", ("length",)),
    ],
    ids=str,
)
def test_what_the_paper_does_not_have_is_refused(
    tmp_path: Path, options: dict[str, Any], code: str, names: tuple[str, ...]
) -> None:
    with refused(PlanError, code, where="outputs[0]", names=names) as error:
        published(tmp_path, **options)
    assert error.value.exit_code == 3
    if code in ("bad-value", "unknown-choice"):
        assert error.value.where.endswith(f"outputs[0].{next(iter(options))}")


def test_one_person_has_no_distance_to_anyone(tmp_path: Path) -> None:
    write_pupils(tmp_path, people=1)
    with refused(PlanError, "too-few-people", where="outputs[0]") as error:
        published(tmp_path)
    assert figures(error.value.found) == [1]
    write_pupils(tmp_path, people=2)
    assert published(tmp_path).parameters.people == 2


def test_the_preview_tells_that_it_protects_no_one_and_no_number(tmp_path: Path) -> None:
    view = preview(design_signals(tmp_path, **ALLOWED))
    (row,) = view["outputs"]
    assert BOZKIR2021_EVENT.reason in row["guarantee"]
    assert figures(row["guarantee"]) == figures(BOZKIR2021_EVENT.reason)
    assert (row["noise"], row["scale_steps"], row["sensitivity_steps"]) == (None, None, None)
    assert (row["units"], row["comparison"]) == ([], [])
    usual = preview(design_signals(tmp_path, mechanism="cfpa"))["warnings"]
    (warning,) = [one for one in view["warnings"] if one not in usual]
    assert "course" in warning
    views = []
    for seed in (1, 2):
        write_pupils(tmp_path, seed=seed)
        views.append(as_text(preview(design_signals(tmp_path, **ALLOWED))))
    assert views[0] == views[1]
    check_text("preview/protects-no-one", views[0])


# --- the release


def build(folder: Path, *, seed: int = 1, **options: Any) -> tuple[dict[str, Any], Path]:
    design_signals(folder, **{**ALLOWED, **options})
    built = synthrelease.build(folder / "plan.toml", folder / "r.h5", test_seed=seed, force=True)
    return built.manifest, built.path


def series(folder: Path) -> np.ndarray:
    """Everyone's completed series, shape (people, recordings, features, n)."""
    bounds = {"left": (2.0, 8.0), "right": (2.0, 8.0)}
    data = load_features(
        folder / "pupils.csv",
        bounds=bounds,
        columns={"person": "who", "recording": "task", "time": "t"},
        recordings=["read", "search"],
        categories={},
        missing=[],
    )
    _, completed, _ = completed_series(data, LENGTH)
    return np.moveaxis(completed.reshape(PEOPLE, 2, LENGTH, 2), 2, 3)


def test_everybodys_series_stand_in_one_random_order(tmp_path: Path) -> None:
    """With so large an ε rows are nearest to their own people, and in every array to the same."""
    orders = []
    for seed in (1, 2):
        _, path = build(tmp_path, seed=seed, mechanism="lpa", paper_epsilon=1000)
        true = series(tmp_path)
        with h5py.File(path) as file:
            stored = file["/outputs/course"]
            assert stored["recording"][()].tolist() == [b"read", b"search"]
            assert stored["feature"][()].tolist() == [b"left", b"right"]
            for r, f in np.ndindex(2, 2):
                released = stored["values"][r, f]
                distance = np.abs(released[:, None] - true[None, :, r, f]).mean(axis=2)
                assert distance.min(axis=1).max() < 0.3 < np.sort(distance, axis=1)[:, 1].min()
                orders.append(distance.argmin(axis=1).tolist())
    assert all(order == orders[0] for order in orders[:4])
    assert all(order == orders[4] for order in orders[4:])
    assert sorted(orders[0]) == list(range(PEOPLE)) != orders[0]
    assert orders[0] != orders[4]


def test_the_manifest_tells_nothing_of_the_data(tmp_path: Path) -> None:
    """Of other people with the same public facts all of it is the same, but for the digests of the noisy series."""
    manifests = []
    for seed in (3, 4):
        write_pupils(tmp_path, seed=seed)
        manifest, path = build(tmp_path)
        assert verify(path, allow_test_seed=True).findings == []
        manifest.pop("digests")
        manifests.append(manifest)
    assert manifests[0] == manifests[1]


def numbers_in(form: Any) -> set[float]:
    if isinstance(form, dict):
        return {n for key, value in form.items() if key != "version" for n in numbers_in(value)}
    if isinstance(form, list):
        return {n for value in form for n in numbers_in(value)}
    try:
        return {round(float(form), 6)}
    except (TypeError, ValueError):
        return set()


def test_neither_chosen_coefficients_nor_measured_sensitivities_are_in_the_manifest(tmp_path: Path) -> None:
    manifest, _ = build(tmp_path, mechanism="dcfpa", chunk=16)
    (entry,) = manifest["outputs"]
    parameters = PaperParameters("dcfpa", 0.5, 16)
    told = numbers_in(entry)
    for r in range(2):
        own = series(tmp_path)[:, r]
        private = sensitivities(own, parameters)
        chosen = oracle_coefficients(own, parameters, random=SecureRandom.for_tests(1))
        assert chosen.size == private.size == 6
        assert not {round(float(one), 6) for one in private.ravel()} & told
    assert entry["mechanism"]["parameters"]["coefficients"] == "oracle"
    assert told == {0.5, 40.0, 16.0, 100.0, 2.0, 8.0, PEOPLE}


@pytest.mark.thorough
def test_a_study_with_it_names_what_it_does_not_protect(tmp_path: Path) -> None:
    built = synthrelease.build(
        write_signals_study(tmp_path, published=True), tmp_path / "TEST-SEED.h5", test_seed=1
    )
    assert verify(built.path, allow_test_seed=True).findings == []
    manifest = json.loads(built.sidecar.read_text())
    entries = {entry["name"]: entry for entry in manifest["outputs"]}
    one = entries["published"]
    assert one["guarantee"] == {
        "kind": "none",
        "unit": "person",
        "neighbours": "replace-one",
        "reason": BOZKIR2021_EVENT.reason,
    }
    assert one["event"] == {"type": "unprotected", "reason": BOZKIR2021_EVENT.reason}
    assert (one["noise"], one["sensitivity"], one["narrower_units"]) == (None, None, [])
    _, sentences = output_sentences(one)
    assert any(BOZKIR2021_EVENT.reason in sentence for sentence in sentences)
    warned = [warning["fields"].get("output") for warning in manifest["warnings"]]
    assert [name for name in warned if name] == ["published"]
    stated = [entry["fields"] for entry in manifest["privacy"]["not_protected"] if entry["code"] == "output"]
    assert stated == [{"output": "published"}]
    facts = dict(unprotected_facts(manifest))
    fact = facts[f"output {one['name']}"]
    assert BOZKIR2021_EVENT.reason in fact
    assert "published" not in manifest["privacy"]["composition"]["outputs"]
    assert manifest["privacy"]["guarantee"]["kind"] == "approx_dp"
    units = {
        name: [narrower["unit"] for narrower in entry["narrower_units"]] for name, entry in entries.items()
    }
    assert units == {
        "course": [],
        "levels": [],
        "after": [],
        "chunks": ["chunk", "series", "recording"],
        "changes": ["chunk", "recording"],
        "published": [],
    }
    for entry in entries.values():
        epsilons = [narrower["epsilon"] for narrower in entry["narrower_units"]]
        assert epsilons == sorted(epsilons)
        assert all(epsilon < entry["guarantee"]["epsilon"] for epsilon in epsilons)


@pytest.mark.parametrize("command", ["verify", "show"])
def test_whoever_reads_it_is_told(tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    _, path = build(tmp_path)
    arguments = [command, str(path), *(["--allow-test-seed"] if command == "verify" else [])]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    if command == "show":
        check_text("show/protects-no-one", result.output, version=synthrelease.__version__)
