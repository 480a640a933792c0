"""`synthrelease evaluate`: refused before minutes of work, private to its owner, and a fault is an exit code."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import invented_study as invented
import pytest
from click.testing import CliRunner, Result
from goldens import check_text
from hostile_labels import write_hostile_study
from invented_evaluation import NAMES, evaluation

from synthrelease.cli import main
from synthrelease.errors import BundleError, InputError
from synthrelease.evaluation import evaluate as orchestrator


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the orchestrator was asked, which finds what its bundle is called."""
    calls: list[dict[str, Any]] = []

    def evaluate(plan: Path, bundle: Path, **options: Any) -> Any:
        calls.append({"plan": plan, "bundle": bundle, **options})
        return evaluation(bundle.stem)

    monkeypatch.setattr(orchestrator, "evaluate", evaluate)
    return calls


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    found = write_hostile_study(tmp_path)
    for name in ("plain.h5", "plain.manifest.json"):
        (tmp_path / name).write_text("bundle")
    return found


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.thorough
def test_a_page_is_written_once_and_replaced_when_asked(plan, asked, tmp_path):
    target = tmp_path / "private.html"
    done = run(
        "evaluate", plan, tmp_path / "plain.h5", "-o", target, "--seed", "7", "--jobs", "2", "--pictures", "3"
    )
    assert done.exit_code == 0, done.output
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert asked[0].pop("plan").path == plan
    assert asked == [{"bundle": tmp_path / "plain.h5", "seed": 7, "jobs": 2, "pictures": 3, "progress": None}]
    refused = run("evaluate", plan, tmp_path / "plain.h5", "-o", target)
    assert refused.exit_code == 6
    assert "--force" in refused.stderr
    assert len(asked) == 1  # before the minutes of work
    target.write_text("older")
    assert run("evaluate", plan, tmp_path / "plain.h5", "-o", target, "--force").exit_code == 0
    assert "<html" in target.read_text("utf-8")


def test_the_summary_is_short_and_private(plan, tmp_path):
    target = tmp_path / "private.html"
    shown = run("evaluate", plan, tmp_path / "plain.h5", "-o", target).stdout
    check_text("evaluate/plain", shown, folder=tmp_path, size=f"{target.stat().st_size / 1e6:.2f}")


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_ends_with_1_and_has_its_page(name, plan, tmp_path):
    target = tmp_path / "private.html"
    done = run("evaluate", plan, tmp_path / f"{name}.h5", "-o", target)
    faults = evaluation(name).faults
    assert done.exit_code == (1 if faults else 0), done.output
    assert done.stdout.count("ERROR  ") == len(faults)
    assert target.exists()
    # Names may turn no line round and steer no terminal.
    assert not [c for c in done.output if not (c.isprintable() or c in "\n\N{NARROW NO-BREAK SPACE}")]


@pytest.mark.parametrize("name", NAMES)
def test_json_is_json_and_nothing_else(name, plan, tmp_path):
    done = run("evaluate", plan, tmp_path / f"{name}.h5", "--json")
    assert done.exit_code == (1 if evaluation(name).faults else 0)
    assert json.loads(done.stdout, parse_constant=pytest.fail) == {
        **evaluation(name).to_json(),
        "required_attacks": [],
    }
    assert json.loads(done.stdout)["do_not_publish"]
    check_text("evaluate/json-warning", done.stderr)
    assert not list(tmp_path.glob("*.html"))


def test_json_and_a_page(plan, tmp_path):
    target = tmp_path / "private.html"
    done = run("evaluate", plan, tmp_path / "plain.h5", "--json", "-o", target)
    assert json.loads(done.stdout) == {**evaluation("plain").to_json(), "required_attacks": []}
    assert str(target) in done.stderr
    assert target.exists()


@pytest.mark.parametrize(
    "name", ["plan.toml", "plain.h5", "plain.manifest.json", "gaze.parquet", "pupil.parquet", "link.html"]
)
def test_what_it_is_made_from_is_never_replaced(name, plan, asked, tmp_path):
    (tmp_path / "link.html").symlink_to(tmp_path / "gaze.parquet")
    before = (tmp_path / name).read_bytes()
    done = run("evaluate", plan, tmp_path / "plain.h5", "-o", tmp_path / name, "--force", "--json")
    assert done.exit_code == 6
    assert json.loads(done.stdout)["error"]["code"] == "output-replaces-input"
    assert (tmp_path / name).read_bytes() == before
    assert asked == []


def test_the_ledger_is_never_replaced(plan, asked, tmp_path):
    ledger = tmp_path / "ledger.sqlite"
    ledger.write_text("spent")
    named = plan.read_text("utf-8").replace("[privacy]", '[privacy]\nledger = "ledger.sqlite"\ndataset = "d"')
    plan.write_text(named, "utf-8")
    done = run("evaluate", plan, tmp_path / "plain.h5", "-o", ledger, "--force", "--json")
    assert done.exit_code == 6
    assert json.loads(done.stdout)["error"]["code"] == "output-replaces-input"
    assert ledger.read_text() == "spent"
    assert asked == []


@pytest.mark.parametrize(
    "target", ["nowhere/private.html", "folder", "file/private.html", "long" * 60 + ".html"]
)
@pytest.mark.parametrize("words", [(), ("--force",)])
def test_a_target_that_cannot_be(target, words, plan, asked, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    there = sorted(tmp_path.iterdir())
    done = run("evaluate", plan, tmp_path / "plain.h5", "-o", tmp_path / target, *words)
    assert done.exit_code == 6, done.output
    assert asked == []
    assert sorted(tmp_path.iterdir()) == there


def test_wrong_usage(plan, asked, tmp_path):
    assert run("evaluate").exit_code == 2
    nowhere = run("evaluate", plan, tmp_path / "plain.h5")
    assert nowhere.exit_code == 2
    assert "-o private.html" in nowhere.stderr
    assert run("evaluate", plan, tmp_path / "plain.h5", "--json", "--jobs", "0").exit_code == 2
    assert asked == []


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BundleError("bundle-of-other-data", "not the bundle of this plan"), 1),
        (InputError("data-changed", "changed"), 3),
    ],
)
def test_errors_are_messages(error, code, plan, tmp_path, monkeypatch):
    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(orchestrator, "evaluate", fails)
    target = tmp_path / "private.html"
    done = run("evaluate", plan, tmp_path / "plain.h5", "-o", target)
    assert done.exit_code == code
    assert done.stderr.startswith(f"error: {error}")
    assert not target.exists()


def test_a_plan_at_fault_is_told_at_once(plan, asked, tmp_path):
    plan.write_text("[release]\n")
    assert run("evaluate", plan, tmp_path / "plain.h5", "-o", tmp_path / "p.html").exit_code == 3
    assert asked == []


def test_progress_is_handed_on(plan, asked, tmp_path, monkeypatch):
    def tell(what: str, done: int, total: int) -> None:
        del what, done, total

    @contextmanager
    def progress(_obj: object):
        yield tell

    monkeypatch.setattr("synthrelease.cli.evaluating.progress", progress)
    assert run("evaluate", plan, tmp_path / "plain.h5", "--json").exit_code == 0
    assert asked[0]["progress"] is tell


def test_its_help_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from synthrelease.cli import main\n"
        "try: main(['evaluate', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'polars', 'h5py', 'matplotlib', 'sklearn', 'jinja2'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


POLICY = """
[policy]
name = "Archive"
required_attacks = ["membership", "copies"]
"""


@pytest.mark.thorough
def test_a_policy_s_attacks_that_were_not_tried_end_with_1(plan, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY)
    done = run("evaluate", plan, tmp_path / "plain.h5", "--json", "--policy", policy)
    required = json.loads(done.stdout)["required_attacks"]
    assert [one["attack"] for one in required] == ["membership", "copies"]
    assert done.exit_code == (0 if all(one["met"] for one in required) else 1)
    assert not required[1]["met"]
    page = tmp_path / "p.html"
    shown = run("evaluate", plan, tmp_path / "plain.h5", "-o", page, "--policy", policy)
    assert shown.exit_code == 1
    size = f"{page.stat().st_size / 1e6:.2f}"
    policy_lines = shown.stdout[shown.stdout.index("Policy") :]
    check_text("evaluate/policy", policy_lines, folder=tmp_path, size=size)
    policy.write_text(POLICY.replace(', "copies"', ""))
    met = run("evaluate", plan, tmp_path / "plain.h5", "-o", tmp_path / "q.html", "--policy", policy)
    assert met.exit_code == 0, met.output
    (line,) = [line for line in shown.stdout.splitlines() if "membership" in line]
    assert line in met.stdout.splitlines()
    assert "copies" not in met.stdout


def test_neither_policy_nor_areas_are_written_over(plan, asked, tmp_path):
    policy, areas = tmp_path / "policy.toml", tmp_path / "areas.toml"
    policy.write_text(POLICY)
    words = ("--force", "--policy", policy, "--json")
    done = run("evaluate", plan, tmp_path / "plain.h5", "-o", policy, *words)
    assert (done.exit_code, policy.read_text()) == (6, POLICY), done.output
    assert json.loads(done.stdout)["error"]["code"] == "output-replaces-input"
    of_areas = invented.write_areas_study(tmp_path)
    before = areas.read_bytes()
    done = run("evaluate", of_areas, tmp_path / "plain.h5", "-o", areas, *words)
    assert (done.exit_code, areas.read_bytes()) == (6, before), done.output
    assert json.loads(done.stdout)["error"]["code"] == "output-replaces-input"
    assert asked == []


def test_a_policy_that_is_none_is_refused_before_the_minutes_of_work(plan, asked, tmp_path):
    done = run("evaluate", plan, tmp_path / "plain.h5", "--json", "--policy", tmp_path / "none.toml")
    assert done.exit_code == 3
    assert asked == []
