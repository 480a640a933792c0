"""What commands say to somebody who meets an obstacle: of what happened, and of nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

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

    monkeypatch.setattr("synthrelease.builder.build", interrupted)
    monkeypatch.setattr("synthrelease.api.verify", interrupted)
    monkeypatch.setattr("synthrelease.bundle.verification.verify", interrupted)
    told = run(command, study.plan)
    assert told.exit_code == 130
    assert "no half file was left behind" in told.stderr
    assert ("ledger" in told.stderr) == pays


def test_epsilon_is_said_to_be_in_the_plan(study: Any) -> None:
    for command in ("build", "preview"):
        told = run(command, study.plan, "--epsilon", "3")
        assert told.exit_code == 2
        assert "epsilon is set in the plan, under [privacy]." in told.stderr
    assert "No such option" in run("build", study.plan, "--jobz", "3").stderr


def test_a_grant_without_delta_is_told_what_it_cannot_pay(tmp_path: Path) -> None:
    words = ["ledger", "grant", tmp_path / "l.sqlite", "--dataset", "d", "--epsilon", "1"]
    assert "cannot pay for Gaussian noise" in run(*words).stderr
    assert "Gaussian" not in run(*words, "--delta", "1e-6").stderr


def test_the_remedy_for_a_ledger_that_is_not_there_names_the_dataset(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as refusal:
        store.read(tmp_path / "l.sqlite", "my lab")
    assert "--dataset 'my lab' --epsilon" in refusal.value.remedy


def test_what_is_no_private_key_is_not_said_to_be_one(study: Any, tmp_path: Path) -> None:
    assert run("keygen", "-o", tmp_path / "k", "--no-password").exit_code == 0
    (tmp_path / "k.pub").chmod(0o644)
    told = run("sign", study.plan, "--key", tmp_path / "k.pub")
    assert told.exit_code == 3
    assert "others may read" not in told.output


def test_init_looks_at_the_data_before_the_plan(tmp_path: Path, study: Any) -> None:
    plan = tmp_path / "mine.toml"
    plan.write_text("mine\n")
    missing = run("init", tmp_path / "no.csv", "--person", "who", "-o", plan)
    assert "no.csv" in missing.stderr
    assert "exists already" not in missing.stderr
    taken = run("init", study.folder / "gaze.csv", "--person", "who", "-o", plan)
    assert taken.exit_code == 6
    assert "choose another with -o other.toml, or pass --force" in taken.stderr
    assert plan.read_text() == "mine\n"
