"""`synthrelease ledger grant`, `show`, `check`: what they print, where, and with which code they end."""

import json
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner
from paid_study import write_paid_study
from spending import forge, kinds

from synthrelease.cli import main


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def plan(tmp_path):
    """Return the path of a plan whose ledger grants enough for it."""
    plan = write_paid_study(tmp_path)
    done = run(
        "ledger", "grant", tmp_path / "ledger.sqlite", "--dataset", "study", "--epsilon", 3, "--delta", 1e-6
    )
    assert done.exit_code == 0, done.output
    return plan


@pytest.fixture
def path(plan):
    """Return the path of the ledger."""
    return plan.parent / "ledger.sqlite"


def test_grant_says_what_is_granted(tmp_path):
    done = run("ledger", "grant", tmp_path / "l", "--dataset", "study", "--epsilon", 3)
    assert done.exit_code == 0
    assert done.stdout.startswith("study: ε = 0 of 3 spent, 3 left\n  per person (replace-one)")
    assert done.stderr.startswith("warning: a grant without δ cannot pay for Gaussian noise")
    again = run(
        "ledger",
        "grant",
        tmp_path / "l",
        "--dataset",
        "study",
        "--epsilon",
        4,
        "--neighbours",
        "add-remove-one",
    )
    assert "0 of 4 spent" in again.stdout
    assert "add-remove-one" in again.stdout


@pytest.mark.parametrize(
    ("delta", "quiet", "warned"), [("1e-3", False, False), ("2e-3", False, True), ("2e-3", True, False)]
)
def test_grant_warns_of_a_delta_at_which_people_may_be_published_whole(tmp_path, delta, quiet, warned):
    options = ["--quiet"] if quiet else []
    done = run(
        *options, "ledger", "grant", tmp_path / "l", "--dataset", "study", "--epsilon", 3, "--delta", delta
    )
    assert done.exit_code == 0
    assert done.stderr == (
        "warning: at δ = 0.002, one person in 500 may be published whole: choose δ far below 1/people\n"
        if warned
        else ""
    )


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--dataset", "study", "--epsilon", "0"], 3, "no meaning"),
        (["--dataset", "study", "--epsilon", "nan"], 3, "no meaning"),
        (["--dataset", "study", "--epsilon", "inf"], 3, "no meaning"),
        (["--dataset", "study", "--epsilon", "1", "--delta", "-1"], 3, "no meaning"),
        (["--dataset", "a b", "--epsilon", "1"], 3, "cannot have this name"),
        (["--dataset", "study", "--epsilon", "much"], 2, "much"),
        (["--dataset", "study"], 2, "--epsilon"),
        (["--epsilon", "1"], 2, "--dataset"),
    ],
)
def test_grants_that_cannot_be(tmp_path, arguments, code, words):
    done = run("ledger", "grant", tmp_path / "l", *arguments)
    assert done.exit_code == code
    assert words in done.stderr
    assert "Traceback" not in done.output
    assert not (tmp_path / "l").exists()


def test_grant_into_a_folder_is_wrong_usage(tmp_path):
    assert run("ledger", "grant", tmp_path, "--dataset", "study", "--epsilon", 1).exit_code == 2


def test_a_build_pays_and_show_tells(plan, path):
    built = run("build", plan, "-o", plan.parent / "r.h5")
    assert built.exit_code == 0, built.output
    assert "Ledger     all releases of this dataset: ε = 1 at δ = 1e-06" in built.stdout
    assert "not tracked" not in built.stderr
    assert "Ledger     all releases" in run("show", plan.parent / "r.h5").stdout
    shown = run("ledger", "show", path)
    assert shown.exit_code == 0
    assert "study: ε = 1 of 3 spent, 2 left" in shown.stdout
    assert "small-study 1.0.0" in shown.stdout
    assert "(released)" in shown.stdout
    assert run("ledger", "show", path, "--dataset", "study").stdout == shown.stdout
    told = json.loads(run("ledger", "show", path, "--json").stdout)
    assert told["study"]["spent"] == 1.0
    assert len(told["study"]["debits"]) == 1


def test_beyond_the_grant_build_and_preview_end_with_code_4_and_what_remains(plan, path):
    run("ledger", "grant", path, "--dataset", "study", "--epsilon", 0.25, "--delta", 1e-6)
    for arguments in (("build", plan, "-o", plan.parent / "r.h5"), ("preview", plan)):
        done = run(*arguments)
        assert done.exit_code == 4
        assert "0 are spent and 0.25 remain" in done.stderr
        assert done.stdout == ""
    assert not (plan.parent / "r.h5").exists()


def test_preview_has_a_line_for_the_ledger(plan):
    assert (
        "Ledger: ε = 1 of 3 with this release, at δ = 1e-06\n  before it 0, by itself 1"
        in run("preview", plan).stdout
    )
    assert json.loads(run("preview", plan, "--json").stdout)["ledger"]["after"] == 1.0


def test_a_policy_limits_the_delta_of_all_releases_too(plan, path):
    policy = plan.parent / "policy.toml"
    policy.write_text('[policy]\nname = "Board"\nmax_delta = 1e-6\n')
    assert run("preview", plan, "--policy", policy).exit_code == 0
    run("ledger", "grant", path, "--dataset", "study", "--epsilon", 3, "--delta", 1e-5)
    for arguments in (("preview", plan), ("build", plan, "-o", plan.parent / "r.h5")):
        done = run(*arguments, "--policy", policy)
        assert done.exit_code == 4
        assert "δ = 1e-05 of all releases together, at most 1e-06" in done.output
    assert run("build", plan, "-o", plan.parent / "r.h5").exit_code == 0
    done = run("verify", plan.parent / "r.h5", "--policy", policy)
    assert (done.exit_code, "δ = 1e-05 of all releases together" in done.stdout) == (1, True)


def test_show_of_what_is_not_there(plan, path):
    done = run("ledger", "show", path, "--dataset", "other")
    assert (done.exit_code, "one of study" in done.stderr) == (3, True)
    done = run("ledger", "show", plan)
    assert (done.exit_code, "no ledger" in done.stderr) == (3, True)
    for command in ("show", "check"):
        done = run("ledger", command, plan.parent / "no")
        assert (done.exit_code, "no such ledger" in done.stderr) == (3, True)


def test_check_of_a_clean_ledger_prints_its_end(plan, path):
    run("build", plan, "-o", plan.parent / "r.h5")
    done = run("ledger", "check", path, plan.parent / "r.h5")
    assert done.exit_code == 0, done.output
    assert "5 entries hang together" in done.stdout
    digest = done.stdout.split("Digest     ")[1].split()[0]
    assert run("ledger", "check", path, "--digest", digest).exit_code == 0
    done = run("ledger", "check", path, "--digest", digest, "--digest", "0" * 64)
    assert done.exit_code == 1
    assert "no entry has the digest 000" in done.stdout


def test_check_finds_a_ledger_that_was_changed(plan, path):
    run("build", plan, "-o", plan.parent / "r.h5")
    whole = path.read_bytes()
    forge(path, lambda bodies: bodies[:2])
    done = run("ledger", "check", path)
    assert done.exit_code == 0  # it hangs together; only what was published from it tells
    done = run("ledger", "check", path, plan.parent / "r.h5")
    assert done.exit_code == 1
    assert "r.h5: no debit has the digest" in done.stdout
    path.write_bytes(whole)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TRIGGER never_changed")
        connection.execute('UPDATE entries SET body = \'{"kind": "\x1b[31m"}\' WHERE number = 3')
    done = run("ledger", "check", path)
    assert done.exit_code == 1
    assert "entry 3 was changed" in done.stdout
    assert '\x1b[31m"' not in done.output
    done = run("build", plan, "-o", plan.parent / "s.h5")
    assert (done.exit_code, "changed by other means" in done.stderr) == (4, True)


def test_check_with_bundles_that_are_none_or_were_not_paid_for(plan, path):
    done = run("ledger", "check", path, plan)
    assert done.exit_code == 1
    run("build", plan, "-o", plan.parent / "s.h5", "--test-seed", 1)
    done = run("ledger", "check", path, plan.parent / "s.TEST-SEED.h5")
    assert done.exit_code == 1
    assert "was not paid for at any ledger" in done.stdout


def test_the_same_bundle_named_twice_is_one(plan, path):
    run("build", plan, "-o", plan.parent / "r.h5")
    assert run("ledger", "check", path, plan.parent / "r.h5", plan.parent / "r.h5").exit_code == 0


def test_a_copy_of_a_bundle_is_no_second_one(plan, path):
    run("build", plan, "-o", plan.parent / "r.h5")
    (plan.parent / "copy.h5").write_bytes((plan.parent / "r.h5").read_bytes())
    done = run("ledger", "check", path, plan.parent / "r.h5", plan.parent / "copy.h5")
    assert done.exit_code == 0, done.output


def test_names_that_could_steer_a_terminal_are_not_printed(plan, path):
    run("build", plan, "-o", plan.parent / "r.h5")

    def rename(bodies):
        bodies[2]["charge"]["release"]["name"] = "\x1b[31mred"

    forge(path, rename)
    shown = run("ledger", "show", path)
    assert "\\u001b[31mred" in shown.stdout
    assert "\x1b" not in shown.stdout


def test_help_of_ledger_commands_says_what_they_do():
    for name, command in main.commands["ledger"].commands.items():
        result = run("ledger", name, "--help")
        assert result.exit_code == 0
        assert command.help
        for parameter in command.params:
            assert parameter.param_type_name == "argument" or parameter.help, (name, parameter.name)


def test_a_plan_finds_its_ledger_beside_itself(plan, path, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert run("build", plan).exit_code == 0
    assert kinds(path)[-1] == "released"
