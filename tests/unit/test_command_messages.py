"""What commands say to someone who meets an obstacle: of what happened, and of nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from goldens import check_text
from refusals import refused

from synthrelease.bundle.disclosure import WEAK
from synthrelease.cli import main
from synthrelease.errors import PlanError
from synthrelease.ledgers import store


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
    with refused(PlanError, "no-such-ledger", where="l.sqlite") as caught:
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


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["bulid"], ["'bulid'", "'build'"]),
        (["build", "p.toml", "--frce"], ["'--frce'", "'--force'"]),
        (["build"], ["'PLAN'", "synthrelease build [OPTIONS] PLAN", "synthrelease build --help"]),
        (["export", "b.h5", "--to", "excel", "-o", "x"], ["'excel'", "'csv'"]),
    ],
)
def test_wrong_usage_has_the_form_of_every_error(words: list[str], names: list[str]) -> None:
    done = CliRunner().invoke(main, words, prog_name="synthrelease")
    assert done.exit_code == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0].startswith("error: ")
    assert len(lines) <= 3
    assert [name for name in names if name not in done.stderr] == []


@pytest.mark.parametrize(("value", "coloured"), [("", True), ("1", False)])
def test_no_color_is_honoured(tmp_path: Path, *, value: str, coloured: bool) -> None:
    for words in (["verify", str(tmp_path / "no.h5")], ["verify"], ["--nonsense"]):
        done = CliRunner().invoke(main, words, color=True, env={"NO_COLOR": value})
        assert ("\x1b" in done.stderr) == coloured, words


def _replaced(path: Path, *pairs: tuple[str, str]) -> None:
    text = path.read_text("utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, "utf-8")


@pytest.mark.thorough
def test_a_weak_guarantee_stands_first(study: Any) -> None:
    _replaced(study.plan, ("epsilon = 4.0", "epsilon = 40.0"))
    view = run("preview", study.plan)
    assert view.exit_code == 0
    assert view.stdout.startswith(WEAK)
    assert view.stdout.count("ε = 40 hardly") == 1
    for words in (("build", study.plan, "-o", study.folder / "r.h5"), ("build", study.plan, "--dry-run")):
        built = run("--quiet", *words)
        assert built.exit_code == 0, built.output
        assert built.stderr.startswith(WEAK)
        assert WEAK in built.stdout  # in the summary, too
        assert built.stderr.count(WEAK) == 1
    shown = run("preview", study.plan, "--json")
    assert len(json.loads(shown.stdout)["weak_guarantee"]) == 1


def test_a_missing_file_is_named_with_its_folder_and_the_nearest_name(study: Any) -> None:
    _replaced(study.plan, ('"gaze.csv"', '"gase.csv"'))
    done = run("preview", study.plan)
    assert done.exit_code == 3
    assert str(study.folder.absolute() / "gase.csv") in done.stderr
    assert "'gaze.csv'" in done.stderr
    _replaced(study.plan, ('"gase.csv"', '"none/gaze.csv"'))
    done = run("preview", study.plan)
    assert str(study.folder.absolute() / "none") in done.stderr


def test_listed_labels_that_do_not_match_are_shown_and_none_of_the_data(study: Any) -> None:
    """A wrong column may hold labels of persons."""
    label = (study.folder / "gaze.csv").read_text().splitlines()[1].split(",")[1]
    _replaced(study.plan, ('assume_public = ["stimuli"]', f'stimuli = ["{label.upper()}.JPG", "none"]'))
    done = run("preview", study.plan, "--json")
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "no-listed-rows"
    assert f"'{label.upper()}.JPG', 'none'" in error["expected"]
    assert f"'{label}'" not in str(error)
    differences = {error["found"]}
    for spelt in (f"{label.upper()}", f" {label}", f"{label}.png", f"00{label}", "other"):
        error = json.loads(run("preview", _listed(study.plan, [spelt]), "--json").stdout)["error"]
        assert f"'{label}'" not in str(error)
        differences.add(error["found"])
    assert len(differences) == 6  # each says what differs


def _listed(plan: Path, labels: list[str]) -> Path:
    text = re.sub(r"^stimuli = .*$", f"stimuli = {json.dumps(labels)}", plan.read_text(), flags=re.MULTILINE)
    plan.write_text(text)
    return plan


@pytest.mark.parametrize("first_line", ["P07,garden,411.5,302.25", "person,image,x,y"])
def test_a_table_in_the_place_of_a_plan_is_not_shown(tmp_path: Path, first_line: str) -> None:
    table = tmp_path / "gaze.csv"
    table.write_text(f"{first_line}\nP08,street,19.5,44.125\n")
    for command in ("preview", "build", "batch"):
        words = (command, table, *(["-o", tmp_path / "out"] if command == "batch" else []))
        done = run(*words, "--json")
        assert done.exit_code in {3, 5}
        assert "bad-syntax" in done.output
        assert not [cell for cell in ("P0", "garden", "411", "person", "street") if cell in done.output]


def test_where_a_bundle_cannot_be_written_is_said(study: Any) -> None:
    done = run("build", study.plan, "-o", study.folder / "none" / "r.h5")
    assert done.exit_code == 6
    assert str(study.folder.absolute() / "none") in done.stderr.splitlines()[1]
    assert "mkdir" in done.stderr


def test_what_building_again_costs_is_said_where_a_bundle_would_be_replaced(study: Any) -> None:
    words = ("build", study.plan, "-o", study.folder / "r.h5")
    assert run(*words).exit_code == 0
    again = run(*words)
    assert again.exit_code == 6
    assert "--force" in again.stderr
    assert "ε" in again.stderr
    (study.folder / "r.h5").unlink()
    left = run(*words)
    assert left.exit_code == 6
    assert "r.manifest.json" in left.stderr
    assert left.stderr != again.stderr


def test_init_skips_bundles_in_the_folder(study: Any, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "gaze.csv").write_bytes((study.folder / "gaze.csv").read_bytes())
    assert run("build", study.plan, "-o", folder / "r.h5").exit_code == 0
    done = run("init", folder, "--person", "who", "-o", tmp_path / "p.toml", "--json")
    assert done.exit_code == 0, done.output
    inputs = json.loads(done.stdout)["inputs"]
    assert [Path(data["path"]).name for data in inputs] == ["gaze.csv"]
