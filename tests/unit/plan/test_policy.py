"""A policy is checked by preview, build and verify alike, and every limit of it refuses."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from click.testing import CliRunner, Result
from goldens import check_text, figures
from invented_study import write_records_study, write_study
from refusals import refused

import synthrelease
from synthrelease.cli import main
from synthrelease.dp.event import (
    Composed,
    DeniabilityTest,
    DiscreteLaplace,
    PrivateChoice,
    RandomizedTest,
    RoundedGaussian,
)
from synthrelease.dp.guarantee import ApproxDP, NoGuarantee, PlausibleDeniability, PureDP
from synthrelease.errors import PlanError, PolicyError
from synthrelease.plan.policy import (
    OutputGuarantee,
    Policy,
    ReleaseGuarantees,
    load_policy,
    policy_findings,
)

MEAN = OutputGuarantee(
    "mean",
    {"name": "discrete_laplace", "parameters": {}, "public_inputs": {"people": 100}},
    PureDP(epsilon=0.5),
    DiscreteLaplace(2, 4.0, 1),
)
MAPS = OutputGuarantee(
    "maps",
    {"name": "gaussian", "parameters": {"calibration": "liu2019"}, "public_inputs": {"people": 120}},
    ApproxDP(epsilon=1.0, delta=1e-6),
    DiscreteLaplace(2, 4.0, 1),
)
ROWS = OutputGuarantee(
    "rows",
    {"name": "seeded", "parameters": {}, "public_inputs": {"people": 100}},
    PlausibleDeniability(k=8, gamma=4.0, counted="person", vacuous=False),
    DeniabilityTest(8, 4.0, "person", vacuous=False),
)
BY_ROWS = replace(ROWS, event=DeniabilityTest(8, 4.0, "record", vacuous=False))
VACUOUS = replace(ROWS, guarantee=PlausibleDeniability(k=8, gamma=4.0, counted="person", vacuous=True))
TRIALS = replace(ROWS, guarantee=ApproxDP(epsilon=9.0, delta=1e-6), event=RandomizedTest(8, 4.0, 0.5, 10, 50))
MODELLED = replace(ROWS, event=Composed((DiscreteLaplace(2, 1.0, 1), ROWS.event)))
BLURRED = replace(ROWS, event=Composed((RoundedGaussian(1, 1.0, 1), ROWS.event)))
TESTS_TOO = {"guarantees": ["pure_dp", "plausible_deniability"]}
NOTHING = replace(MEAN, name="series", guarantee=NoGuarantee(reason="as published"))
QUANTILES = replace(MEAN, event=Composed((MEAN.event, PrivateChoice(0.1, 5))))
HIDDEN = replace(MEAN, mechanism={**MEAN.mechanism, "public_inputs": {"people": None}})


def release(
    *outputs: OutputGuarantee, spent: float | None = None, at: float | None = None, **changes: Any
) -> ReleaseGuarantees:
    given = {"neighbours": "replace-one", "guarantee": ApproxDP(epsilon=1.5, delta=1e-6), **changes}
    return ReleaseGuarantees(outputs=outputs or (MEAN,), dataset_epsilon=spent, dataset_delta=at, **given)


def breaches(guaranteed: ReleaseGuarantees, **limits: Any) -> list[str]:
    return Policy(Path("policy.toml"), {"name": "board", **limits}).breaches(guaranteed)


KEPT = [
    (release(), {}),
    (release(), {"max_epsilon": 1.5, "max_delta": 1e-6, "neighbours": ["replace-one"]}),
    (release(guarantee=PureDP(epsilon=1.0)), {"max_epsilon": 1.0, "max_delta": 0}),
    (release(MEAN, MAPS), {"least_people": 100, "guarantees": ["pure_dp", "approx_dp"]}),
    (release(MEAN), {"forbidden_mechanisms": ["seeded", "liu2019"]}),
    (release(ROWS), {"least_k": 8, "max_gamma": 4.0}),
    (release(VACUOUS), {}),
    (release(ROWS), {"max_epsilon": 3, "guarantees": ["plausible_deniability"]}),
    (
        release(MEAN, MODELLED, guarantee=MEAN.guarantee),
        {"max_epsilon": 2.5, "max_delta": 0, **TESTS_TOO},
    ),
    (
        release(MEAN, BLURRED, guarantee=MEAN.guarantee),
        {"max_epsilon": 5.8, "max_delta": 1e-6, **TESTS_TOO},
    ),
    (release(spent=3.0), {"require_ledger": True, "max_epsilon_of_dataset": 3.0}),
    (release(spent=3.0, at=1e-6), {"max_delta": 1e-6}),
    (release(), {"require_ledger": False, "required_attacks": ["membership"]}),
    (release(HIDDEN), {}),
]
BROKEN = [
    (release(), {"max_epsilon": 1.49}, ("ε", 1.5, 1.49)),
    (
        release(MEAN, MODELLED, guarantee=MEAN.guarantee),
        {"max_epsilon": 2.4, "max_delta": 0, **TESTS_TOO},
        ("ε", 2.5, 2.4, 0),
    ),
    (
        release(BLURRED, guarantee=MEAN.guarantee),
        {"max_epsilon": 4.8, "max_delta": 1e-6, **TESTS_TOO},
        ("ε", ANY, 4.8, 1e-6),
    ),
    (
        release(BLURRED, guarantee=MEAN.guarantee),
        {"max_epsilon": 90.0, "max_delta": 0, **TESTS_TOO},
        ("ε", 90, 0),
    ),
    (release(guarantee=NoGuarantee(reason="lost")), {"max_epsilon": 1}, ("ε",)),
    (release(guarantee=NoGuarantee(reason="lost")), {"max_delta": 0.1}, ("ε",)),
    (release(MAPS, guarantee=PureDP(epsilon=1.0)), {"max_delta": 9e-7}, ("maps", "δ", 1e-6, 9e-7)),
    (release(MAPS), {"forbidden_mechanisms": ["discrete_laplace"]}, ("maps", "discrete_laplace")),
    (release(QUANTILES), {"forbidden_mechanisms": ["exponential"]}, ("mean", "exponential")),
    (release(ROWS), {"forbidden_mechanisms": ["deniability_test"]}, ("rows", "deniability_test")),
    (release(ROWS), {"max_epsilon": 3}, ("rows", "plausible_deniability")),
    (release(NOTHING, spent=1.0), {"max_epsilon_of_dataset": 9}, ("series", "none")),
    (release(), {"max_delta": 9e-7}, ("δ", 1e-6, 9e-7)),
    (
        release(neighbours="add-remove-one"),
        {"neighbours": ["replace-one"]},
        ("add-remove-one", "replace-one"),
    ),
    (release(MEAN, MAPS), {"least_people": 101}, ("mean", 100, 101)),
    (release(HIDDEN), {"least_people": 2}, ("mean", 2)),
    (
        release(ROWS),
        {"guarantees": ["pure_dp", "approx_dp"]},
        ("rows", "plausible_deniability", "pure_dp", "approx_dp"),
    ),
    (release(MAPS), {"forbidden_mechanisms": ["liu2019"]}, ("maps", "liu2019")),
    (release(MEAN, ROWS), {"forbidden_mechanisms": ["seeded"]}, ("rows", "seeded")),
    (release(ROWS), {"least_k": 9}, ("rows", "k", 8, "person", 9)),
    (release(BY_ROWS), {"least_k": 8}, ("rows", "k", 8, "record", 8)),
    (release(TRIALS), {"least_k": 9}, ("rows", "k", 8, 9)),
    (release(TRIALS), {"max_gamma": 3.9}, ("rows", "γ", 4, 3.9)),
    (release(ROWS), {"max_gamma": 3.9}, ("rows", "γ", 4, 3.9)),
    (release(VACUOUS), {"least_k": 2}, ("rows",)),
    (release(VACUOUS), {"max_gamma": 9}, ("rows",)),
    (release(), {"require_ledger": True}, ("ledger",)),
    (release(), {"max_epsilon_of_dataset": 9}, ("ledger",)),
    (release(spent=3.1), {"max_epsilon_of_dataset": 3.0}, ("ε", 3.1, 3)),
    (release(spent=3.0, at=1e-5), {"max_delta": 1e-6}, ("δ", 1e-5, 1e-6)),
]


@pytest.mark.parametrize(("guaranteed", "limits"), KEPT, ids=lambda v: str(v) if isinstance(v, dict) else "")
def test_what_keeps_to_the_limits_is_not_refused(
    guaranteed: ReleaseGuarantees, limits: dict[str, Any]
) -> None:
    assert breaches(guaranteed, **limits) == []


@pytest.mark.parametrize(
    ("guaranteed", "limits", "parts"), BROKEN, ids=lambda v: str(v) if isinstance(v, dict) else ""
)
def test_every_limit_refuses_what_is_beyond_it(
    guaranteed: ReleaseGuarantees, limits: dict[str, Any], parts: tuple[Any, ...]
) -> None:
    (breach,) = breaches(guaranteed, **limits)
    assert figures(breach) == [part for part in parts if not isinstance(part, str)]
    names = [part for part in parts if isinstance(part, str)]
    assert [name for name in names if not re.search(rf"(?<![\w-]){name}(?![\w-])", breach)] == []


def test_every_breach_says_what_is_allowed() -> None:
    check_text(
        "policy/breaches", "\n".join(breaches(guaranteed, **limits)[0] for guaranteed, limits, _ in BROKEN)
    )


def test_all_breaches_are_named_at_once() -> None:
    policy = Policy(Path("board.toml"), {"name": "board", "max_epsilon": 1, "least_people": 200})
    with refused(PolicyError, "policy-violated", where="board.toml") as caught:
        policy.require(release(MEAN, MAPS))
    assert caught.value.exit_code == 4
    assert caught.value.found.split("; ") == policy.breaches(release(MEAN, MAPS))
    assert len(policy.breaches(release(MEAN, MAPS))) == 3


# --- the file


def written(folder: Path, *lines: str) -> Path:
    path = folder / "policy.toml"
    path.write_text("\n".join(["[policy]", 'name = "Board, 2026"', *lines]), encoding="utf-8")
    return path


def test_every_key_of_the_schema_is_a_limit_that_is_looked_at() -> None:
    schema = json.loads((Path(__file__).parents[3] / "schemas" / "policy-v1.schema.json").read_text("utf-8"))
    tried = {key for _, limits, _ in BROKEN for key in limits}
    # `unit` can be nothing else in this version; attacks are reminders.
    assert set(schema["properties"]["policy"]["properties"]) == tried | {"name", "unit", "required_attacks"}


@pytest.mark.parametrize(
    ("line", "code", "key", "names"),
    [
        ("max_epsilom = 3", "unknown-key", "policy", ("'max_epsilom'", "'max_epsilon'")),
        ("max_epsilon = 0\nmax_delta = 0", "bad-value", "policy.max_epsilon", ("0",)),
        ("max_epsilon = 3", "key-missing", "policy", ("'max_delta'", "'max_epsilon'")),
        ("max_epsilon_of_dataset = 3", "key-missing", "policy", ("'max_delta'", "'max_epsilon_of_dataset'")),
        (
            'forbidden_mechanisms = ["gausian"]',
            "unknown-choice",
            "policy.forbidden_mechanisms[0]",
            ("'gausian'", "'gaussian'"),
        ),
        ('guarantees = ["zcdp"]', "unknown-choice", "policy.guarantees[0]", ("'zcdp'", "approx_dp")),
        ("least_people = 1.5", "bad-value", "policy.least_people", ("1.5",)),
        ('unit = "recording"', "unknown-choice", "policy.unit", ("'recording'", "person")),
        ("max_epsilon = nan\nmax_delta = 0", "bad-value", "policy.max_epsilon", ("nan",)),
        ("[[", "bad-syntax", "policy.toml, line 3, column 3", ()),
    ],
)
def test_a_policy_that_is_none_is_refused(
    tmp_path: Path, line: str, code: str, key: str, names: tuple[str, ...]
) -> None:
    with refused(PlanError, code, names=names) as caught:
        load_policy(written(tmp_path, line))
    assert caught.value.exit_code == 3
    assert re.search(rf"(?<![\w.]){re.escape(key)}$", caught.value.where), caught.value.where
    assert "plan" not in str(caught.value)


def test_no_policy_is_told_so(tmp_path: Path) -> None:
    with refused(PlanError, "no-such-file", where="none.toml") as caught:
        load_policy(tmp_path / "none.toml")
    assert "plan" not in str(caught.value)


# --- preview, build, verify


KINDS = 'guarantees = ["pure_dp", "approx_dp", "plausible_deniability"]'


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


def test_preview_build_and_verify_see_the_same_breaches(tmp_path: Path) -> None:
    plan = write_study(tmp_path)
    bundle = synthrelease.build(plan, tmp_path / "r.h5").path
    policy = written(
        tmp_path,
        "max_epsilon = 0.01",
        "max_delta = 0.1",
        "least_people = 10000",
        KINDS,
        'required_attacks = ["copies"]',
    )
    shown = run("preview", plan, "--policy", policy)
    assert shown.exit_code == 4
    check_text("policy/refused", shown.output[shown.output.index("Policy") :])
    as_data = json.loads(run("preview", plan, "--policy", policy, "--json").output)["policy"]
    assert as_data["required_attacks"] == ["copies"]
    stopped = run("build", plan, "-o", tmp_path / "no.h5", "--policy", policy)
    assert stopped.exit_code == 4
    assert not (tmp_path / "no.h5").exists()
    found = run("verify", bundle, "--policy", policy, "--json")
    assert found.exit_code == 1
    findings = json.loads(found.output)["findings"]
    assert {one["code"] for one in findings} == {"policy"}
    assert [one["message"] for one in findings] == as_data["breaches"]
    assert all(breach in stopped.output for breach in as_data["breaches"])
    assert len(as_data["breaches"]) == 1 + len(synthrelease.open_bundle(bundle).manifest["outputs"])


def test_a_policy_that_is_kept_changes_nothing_but_what_is_said(tmp_path: Path) -> None:
    plan = write_records_study(tmp_path)
    limits = ("max_epsilon = 1000", "max_delta = 0.1")
    policy = written(tmp_path, *limits, KINDS, 'required_attacks = ["membership", "copies"]')
    built = run("build", plan, "-o", tmp_path / "r.h5", "--policy", policy)
    assert built.exit_code == 0, built.output
    check_text("policy/attacks-asked-for", "\n".join(built.stdout.splitlines()[-2:]), folder=tmp_path)
    shown = json.loads(run("preview", plan, "--policy", policy, "--json").stdout)["policy"]
    assert (shown["breaches"], shown["required_attacks"]) == ([], ["membership", "copies"])
    checked = run("verify", tmp_path / "r.h5", "--policy", policy)
    assert checked.exit_code == 0
    assert "'Board, 2026'" in checked.output


def test_a_quick_look_vouches_for_no_policy(tmp_path: Path) -> None:
    """It checks no claim, and a policy is about claims."""
    bundle = synthrelease.build(write_study(tmp_path), tmp_path / "r.h5").path
    done = run("verify", bundle, "--quick", "--policy", written(tmp_path, KINDS))
    assert done.exit_code == 2
    assert "--quick" in done.output
    assert run("verify", bundle, "--policy", written(tmp_path, KINDS)).exit_code == 0


def test_a_bundle_at_fault_is_at_fault_before_any_policy(tmp_path: Path) -> None:
    bad = tmp_path / "bad.h5"
    bad.write_bytes(b"synthrelease bundle 1")
    found = run("verify", bad, "--policy", written(tmp_path, "max_epsilon = 0.01", "max_delta = 0"), "--json")
    assert found.exit_code == 1
    assert "policy" not in {one["code"] for one in json.loads(found.output)["findings"]}


def test_what_all_releases_cost_is_held_against_the_policy_before_anything_is_paid(tmp_path: Path) -> None:
    plan = write_study(tmp_path)
    plan.write_text(
        plan.read_text("utf-8").replace("[privacy]", '[privacy]\nledger = "l.sqlite"\ndataset = "study"'),
        "utf-8",
    )
    assert (
        run(
            "ledger", "grant", tmp_path / "l.sqlite", "--dataset", "study", "--epsilon", 1000, "--delta", 1e-4
        ).exit_code
        == 0
    )
    policy = written(tmp_path, "max_epsilon_of_dataset = 0.01", "max_delta = 0.1")
    done = run("build", plan, "--yes", "-o", tmp_path / "r.h5", "--policy", policy, "--json")
    assert done.exit_code == 4
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "policy-violated"
    assert figures(error["found"]) == [ANY, 0.01]
    shown = json.loads(run("ledger", "show", tmp_path / "l.sqlite", "--json").output)
    assert shown["study"]["debits"] == []


def test_what_all_releases_cost_by_a_manifest_is_held_against_the_policy() -> None:
    """This release by itself may cost less than the limit."""
    manifest = {
        "privacy": {"neighbours": "replace-one", "guarantee": ApproxDP(epsilon=1.0, delta=1e-6).to_json()},
        "ledger": {"delta": 1e-5, "spent_before": 2.0, "spent_here": 1.0, "spent_after": 2.5},
        "outputs": [],
    }
    for most, findings in ((2.5, 0), (2.4, 1), (1.5, 1)):
        policy = Policy(Path("policy.toml"), {"name": "board", "max_epsilon_of_dataset": most})
        assert len(policy_findings(policy, manifest)) == findings
