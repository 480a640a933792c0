"""What commands say to somebody who meets an obstacle: of what happened, and of nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from goldens import check_text
from refusals import refused

from synthrelease.cli import main
from synthrelease.errors import PlanError
from synthrelease.ledger import store


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize(("command", "pays"), [("verify", False), ("build", True)])
def test_an_interrupt_speaks_of_the_ledger_where_one_is_paid(
    study: Any, monkeypatch: pytest.MonkeyPatch, command: str, *, pays: bool
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("synthrelease.building.builder.build", interrupted)
    monkeypatch.setattr("synthrelease.api.verify", interrupted)
    monkeypatch.setattr("synthrelease.bundle.verification.verify", interrupted)
    done = run(command, study.plan)
    assert done.exit_code == 130
    check_text("messages/interrupted-paying" if pays else "messages/interrupted", done.stderr)
    assert ("ledger" in done.stderr) == pays


def test_epsilon_is_said_to_be_in_the_plan(study: Any) -> None:
    for command, option, is_in_plan in (
        ("build", "--epsilon", True),
        ("preview", "--epsilon", True),
        ("build", "--jobz", False),
    ):
        done = run(command, study.plan, option, "3")
        assert done.exit_code == 2
        assert option.removeprefix("--") in done.stderr
        assert ("[privacy]" in done.stderr) == is_in_plan


def test_a_grant_without_delta_is_told_what_it_cannot_pay(tmp_path: Path) -> None:
    words = ["ledger", "grant", tmp_path / "l.sqlite", "--dataset", "d", "--epsilon", "1"]
    assert "Gaussian" in run(*words).stderr
    assert "Gaussian" not in run(*words, "--delta", "1e-6").stderr


def test_the_remedy_for_a_ledger_that_is_not_there_names_the_dataset(tmp_path: Path) -> None:
    with refused(PlanError, "no-such-file", where="l.sqlite") as caught:
        store.read(tmp_path / "l.sqlite", "my lab")
    assert "--dataset 'my lab' --epsilon" in caught.value.remedy  # not a sentence: options


def test_what_is_no_private_key_is_not_said_to_be_one(study: Any, tmp_path: Path) -> None:
    assert run("keygen", "-o", tmp_path / "k", "--no-password").exit_code == 0
    (tmp_path / "k.pub").chmod(0o644)
    done = run("sign", study.plan, "--key", tmp_path / "k.pub", "--json")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["error"]["code"] == "not-a-private-key"
    assert "warning" not in done.stderr


def test_init_looks_at_the_data_before_the_plan(tmp_path: Path, study: Any) -> None:
    plan = tmp_path / "mine.toml"
    plan.write_text("mine\n")
    for data, code, exit_code, names in (
        (tmp_path / "no.csv", "no-such-file", 3, ["no.csv"]),
        (study.folder / "gaze.csv", "file-exists", 6, ["mine.toml", "-o other.toml", "--force"]),
    ):
        done = run("init", data, "--person", "who", "-o", plan, "--json")
        assert done.exit_code == exit_code
        assert json.loads(done.stdout)["error"]["code"] == code
        assert [name for name in names if name not in done.stderr] == []
    assert plan.read_text() == "mine\n"
