"""`synthrelease ledger grant`, `show`, `check`: what they print, where, and with which code they end."""

import json
import re
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner
from goldens import check_text, figures
from paid_study import write_paid_study
from spending import forge, kinds

from synthrelease import open_bundle
from synthrelease.cli import main


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


def refusal_of(*arguments):
    """Exit code of a command that is refused, and what it says of the error to a program."""
    done = run(*arguments, "--json")
    assert "Traceback" not in done.output
    return done.exit_code, json.loads(done.stdout)["error"]


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
    assert figures(done.stdout.splitlines()[0]) == [0, 3, 3]  # spent, granted, left
    assert "replace-one" in done.stdout.splitlines()[1]
    check_text("ledger/grant-without-delta", done.stderr)
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
    assert figures(again.stdout.splitlines()[0]) == [0, 4, 4]
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
    assert figures(done.stderr)[:2] == ([0.002, 500] if warned else [])  # δ, and one person in so many


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--dataset", "study", "--epsilon", "0"], "bad-grant"),
        (["--dataset", "study", "--epsilon", "nan"], "bad-grant"),
        (["--dataset", "study", "--epsilon", "inf"], "bad-grant"),
        (["--dataset", "study", "--epsilon", "1", "--delta", "-1"], "bad-grant"),
        (["--dataset", "a b", "--epsilon", "1"], "bad-dataset-name"),
    ],
)
def test_grants_that_cannot_be(tmp_path, arguments, code):
    exit_code, error = refusal_of("ledger", "grant", tmp_path / "l", *arguments)
    assert (exit_code, error["code"]) == (3, code)
    assert not (tmp_path / "l").exists()


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["--dataset", "study", "--epsilon", "much"], "--epsilon"),
        (["--dataset", "study"], "--epsilon"),
        (["--epsilon", "1"], "--dataset"),
    ],
)
def test_grants_whose_options_cannot_be_read(tmp_path, arguments, option):
    done = run("ledger", "grant", tmp_path / "l", *arguments)
    assert (done.exit_code, f"'{option}'" in done.stderr) == (2, True), done.output
    assert not (tmp_path / "l").exists()


def test_grant_into_a_folder_is_wrong_usage(tmp_path):
    assert run("ledger", "grant", tmp_path, "--dataset", "study", "--epsilon", 1).exit_code == 2


def test_a_build_pays_and_show_tells(plan, path):
    built = run("build", plan, "--yes", "-o", plan.parent / "r.h5")
    assert built.exit_code == 0, built.output
    (line,) = (line for line in built.stdout.splitlines() if line.startswith("Ledger"))
    assert figures(line) == [1, 1e-6, 0, 1]  # ε of all at δ, before it, of this one
    assert line in run("show", plan.parent / "r.h5").stdout.splitlines()
    shown = run("ledger", "show", path)
    assert shown.exit_code == 0
    assert figures(shown.stdout.splitlines()[0]) == [1, 3, 2]  # spent, granted, left
    assert "small-study 1.0.0" in shown.stdout
    assert run("ledger", "show", path, "--dataset", "study").stdout == shown.stdout
    told = json.loads(run("ledger", "show", path, "--json").stdout)
    assert told["study"]["spent"] == 1.0
    assert [debit["state"] for debit in told["study"]["debits"]] == ["released"]


def test_beyond_the_grant_build_and_preview_end_with_code_4_and_what_fits(plan, path):
    run("ledger", "grant", path, "--dataset", "study", "--epsilon", 0.25, "--delta", 1e-6)
    for arguments in (("build", plan, "--yes", "-o", plan.parent / "r.h5"), ("preview", plan)):
        done = run(*arguments)
        assert (done.exit_code, done.stdout) == (4, "")
        exit_code, error = refusal_of(*arguments)
        assert (exit_code, error["code"]) == (4, "exceeds-grant")
        assert figures(error["found"])[:2] == [1, 0]  # with it, without it
        assert figures(error["expected"]) == [0.25]
        assert error["found"] in done.stderr
    assert not (plan.parent / "r.h5").exists()
    assert only_up_to(figures(error["remedy"])[0], plan)


def test_what_is_too_much_together_says_so_though_by_itself_it_costs_less_than_was_left(plan, path):
    """Unlike noise: the sum of what was spent and of what it costs alone is within the grant, and what all cost is not."""
    run("ledger", "grant", path, "--dataset", "study", "--epsilon", 2.2, "--delta", 1e-5)
    run("build", plan, "--yes", "-o", plan.parent / "r.h5")
    plan.write_text(plan.read_text().replace('"gaussian"', '"laplace"').replace('"1.0.0"', '"2.0.0"'))
    _, error = refusal_of("preview", plan)
    after, before, here, _ = figures(error["found"])
    assert before + here < 2.2 < after
    assert only_up_to(figures(error["remedy"])[0], plan)


def only_up_to(epsilon, plan):
    """Whether a release with this ε is within the budget, and none with the next larger one of three digits."""
    codes = []
    for tried in (epsilon, epsilon + 0.001):
        plan.write_text(re.sub("(?m)^epsilon = .*", f"epsilon = {tried:g}", plan.read_text(), count=1))
        codes.append(run("preview", plan).exit_code)
    return codes == [0, 4]


@pytest.mark.parametrize("mechanism", ["gaussian", "laplace"])
def test_where_nothing_is_left_no_epsilon_is_said_to_fit(plan, path, mechanism):
    run("ledger", "grant", path, "--dataset", "study", "--epsilon", 1, "--delta", 1e-5)
    run("build", plan, "--yes", "-o", plan.parent / "r.h5")
    run("ledger", "grant", path, "--dataset", "study", "--epsilon", 0.25, "--delta", 1e-5)
    plan.write_text(plan.read_text().replace('"gaussian"', f'"{mechanism}"').replace('"1.0.0"', '"2.0.0"'))
    _, error = refusal_of("preview", plan)
    assert figures(error["remedy"]) == []


def test_preview_has_a_line_for_the_ledger(plan):
    lines = run("preview", plan).stdout.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("Ledger"))
    assert figures(lines[first]) == [1, 3, 1e-6]  # after it, granted, δ
    assert figures(lines[first + 1]) == [0, 1]  # before it, by itself
    assert json.loads(run("preview", plan, "--json").stdout)["ledger"]["after"] == 1.0


def test_a_policy_limits_the_delta_of_all_releases_too(plan, path):
    policy = plan.parent / "policy.toml"
    policy.write_text('[policy]\nname = "Board"\nmax_delta = 1e-6\n')
    assert run("preview", plan, "--policy", policy).exit_code == 0
    run("ledger", "grant", path, "--dataset", "study", "--epsilon", 3, "--delta", 1e-5)
    previewed = run("preview", plan, "--policy", policy, "--json")
    (breach,) = json.loads(previewed.stdout)["policy"]["breaches"]
    assert (previewed.exit_code, figures(breach)) == (4, [1e-5, 1e-6])  # δ of all, and the policy's
    exit_code, error = refusal_of("build", plan, "--yes", "-o", plan.parent / "r.h5", "--policy", policy)
    assert (exit_code, error["code"], figures(error["found"])) == (4, "policy-violated", [1e-5, 1e-6])
    assert run("build", plan, "--yes", "-o", plan.parent / "r.h5").exit_code == 0
    done = run("verify", plan.parent / "r.h5", "--policy", policy, "--json")
    (finding,) = json.loads(done.stdout)["findings"]
    assert (done.exit_code, finding["code"], figures(finding["message"])) == (1, "policy", [1e-5, 1e-6])


def test_show_of_what_is_not_there(plan, path):
    exit_code, error = refusal_of("ledger", "show", path, "--dataset", "other")
    assert (exit_code, error["code"], error["found"]) == (3, "unknown-dataset", "other")
    assert "study" in error["expected"]
    exit_code, error = refusal_of("ledger", "show", plan)
    assert (exit_code, error["code"], error["where"]) == (3, "not-a-ledger", str(plan))
    for command in ("show", "check"):
        exit_code, error = refusal_of("ledger", command, plan.parent / "no")
        assert (exit_code, error["code"], error["where"]) == (3, "no-such-ledger", str(plan.parent / "no"))


def test_check_of_a_clean_ledger_prints_its_end(plan, path):
    run("build", plan, "--yes", "-o", plan.parent / "r.h5")
    done = run("ledger", "check", path, plan.parent / "r.h5")
    assert done.exit_code == 0, done.output
    told = json.loads(run("ledger", "check", path, plan.parent / "r.h5", "--json").stdout)
    assert (told["ok"], told["entries"], told["faults"]) == (True, 5, [])
    digest = done.stdout.split("Digest     ")[1].split()[0]
    assert digest == told["digest"]
    check_text("ledger/check", done.stdout, folder=path.parent, digest=digest)
    assert run("ledger", "check", path, "--digest", digest).exit_code == 0
    done = run("ledger", "check", path, "--digest", digest, "--digest", "0" * 64)
    assert done.exit_code == 1
    assert "0" * 64 in done.stdout
    assert digest not in done.stdout


def test_check_finds_a_ledger_that_was_changed(plan, path):
    run("build", plan, "--yes", "-o", plan.parent / "r.h5")
    whole = path.read_bytes()
    forge(path, lambda bodies: bodies[:2])
    done = run("ledger", "check", path)
    assert done.exit_code == 0  # it hangs together; only what was published from it tells
    done = run("ledger", "check", path, plan.parent / "r.h5")
    assert done.exit_code == 1
    assert str(plan.parent / "r.h5") in done.stdout
    assert open_bundle(plan.parent / "r.h5").manifest["ledger"]["entry"] in done.stdout
    path.write_bytes(whole)
    with closing(sqlite3.connect(path)) as connection, connection:
        (trigger,) = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'never_changed'"
        ).fetchone()
        connection.execute("DROP TRIGGER never_changed")
        connection.execute('UPDATE entries SET body = \'{"kind": "\x1b[31m"}\' WHERE number = 3')
        connection.execute(trigger)
    done = run("ledger", "check", path)
    assert done.exit_code == 1
    assert figures(done.stdout) == [3]  # the entry
    assert '\x1b[31m"' not in done.output
    done = run("ledger", "check", path, "--json")
    told = json.loads(done.stdout)
    assert (done.exit_code, told["ok"], figures(" ".join(told["faults"]))) == (1, False, [3])
    exit_code, error = refusal_of("build", plan, "--yes", "-o", plan.parent / "s.h5")
    assert (exit_code, error["code"]) == (4, "ledger-tampered")


def test_check_with_bundles_that_are_none_or_were_not_paid_for(plan, path):
    exit_code, error = refusal_of("ledger", "check", path, plan)
    assert (exit_code, error["code"], error["where"]) == (3, "not-a-bundle", str(plan))
    run("build", plan, "-o", plan.parent / "s.h5", "--test-seed", 1)
    done = run("ledger", "check", path, plan.parent / "s.TEST-SEED.h5")
    assert done.exit_code == 1
    assert str(plan.parent / "s.TEST-SEED.h5") in done.stdout
    assert len(done.stdout.splitlines()) == 1


def test_the_same_bundle_named_twice_is_one(plan, path):
    run("build", plan, "--yes", "-o", plan.parent / "r.h5")
    assert run("ledger", "check", path, plan.parent / "r.h5", plan.parent / "r.h5").exit_code == 0


def test_a_copy_of_a_bundle_is_no_second_one(plan, path):
    run("build", plan, "--yes", "-o", plan.parent / "r.h5")
    (plan.parent / "copy.h5").write_bytes((plan.parent / "r.h5").read_bytes())
    done = run("ledger", "check", path, plan.parent / "r.h5", plan.parent / "copy.h5")
    assert done.exit_code == 0, done.output


def test_names_that_could_steer_a_terminal_are_not_printed(plan, path):
    run("build", plan, "--yes", "-o", plan.parent / "r.h5")

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
    assert run("build", plan, "--yes").exit_code == 0
    assert kinds(path)[-1] == "released"
