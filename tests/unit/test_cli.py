"""The command line: exit codes, what goes where, and how fast help answers."""

import itertools
import json
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from synthrelease.cli import main
from synthrelease.cli.group import SECTIONS


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments])


def test_help_of_every_command_says_what_it_does():
    assert run("--help").exit_code == 0
    for name, command in main.commands.items():
        result = run(name, "--help")
        assert result.exit_code == 0
        assert command.help
        for parameter in command.params:
            assert parameter.param_type_name == "argument" or parameter.help, (name, parameter.name)


def test_every_command_stands_once_in_the_help_and_is_not_cut_off():
    told = [name for names in SECTIONS.values() for name in names]
    assert sorted(told) == sorted(main.commands)
    assert len(set(told)) == len(told)
    for command in (*main.commands.values(), *main.commands["ledger"].commands.values()):
        assert not command.get_short_help_str(100).endswith("...")


def test_quiet_and_verbose_may_stand_behind_a_command(study):
    for flag, place in itertools.product(("-v", "-q"), (0, 1)):
        words = ["build", study.plan, "-o", study.folder / f"{flag}{place}.h5"]
        words.insert(place, flag)
        told = run(*words).output
        assert ("For you alone" in told) == (flag == "-v"), told


def test_help_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from synthrelease.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'polars', 'h5py', 'matplotlib', 'jsonschema', 'dp_accounting', 'mpmath', 'PIL'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_build_verify_show_preview(study):
    target = study.folder / "r.h5"
    built = run("build", study.plan, "-o", target)
    assert built.exit_code == 0, built.output
    assert "Promise" in built.stdout
    assert "plausible deniability k = 3" in built.stdout
    assert "not tracked" in built.stderr
    verified = run("verify", target)
    assert verified.exit_code == 0
    assert verified.stdout.startswith("Verified")
    assert "On trust   that a label is one person" in verified.stdout
    assert "           that every record of seeded met k = 3 and γ = 4" in verified.stdout
    shown = run("show", target)
    assert shown.exit_code == 0
    assert "Not protected" in shown.stdout
    assert shown.stdout.endswith("As the manifest states it: only `synthrelease verify` computes it again.\n")
    assert "vacuous" not in shown.stdout
    assert run("preview", study.plan).exit_code == 0


def test_json_is_json_and_nothing_else(study):
    target = study.folder / "r.h5"
    built = run("build", study.plan, "-o", target, "--json")
    assert json.loads(built.stdout)["privacy"]["guarantee"]["kind"] == "approx_dp"
    assert json.loads(run("verify", target, "--json").stdout) == {
        "ok": True,
        "checked": json.loads(run("verify", target, "--json").stdout)["checked"],
        "on_trust": [
            "that a label is one person, and that bounds and public lists were chosen without looking",
            "that rows were limited, and noise was drawn, as stated",
            "that every record of seeded met k = 3 and γ = 4",
        ],
        "signed_by": [],
        "findings": [],
    }
    assert json.loads(run("show", target, "--json").stdout)["manifest_version"] == 1
    assert len(json.loads(run("preview", study.plan, "--json").stdout)["outputs"]) == 5


def test_quiet_prints_results_only(study):
    result = run("--quiet", "build", study.plan, "-o", study.folder / "r.h5")
    assert result.exit_code == 0
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("epsilon = 4.0", "epsilon = 4.0\nepsilom = 1"), 3),
        (('"who"', '"whom"'), 3),
        (("k = 3", "k = 300"), 3),
        (('model = "seeded"\ntask = "recording"\nbins = 4\nresampled = 1', 'model = "marginals"'), 4),
        (("length = 24", "length = 24\nepsilon = 40"), 4),
        (('mechanism = "gaussian"', 'mechanism = "spectral"'), 3),
    ],
)
def test_exit_codes_of_invalid_and_refused_plans(study, change, code):
    text = study.plan.read_text()
    assert change[0] in text
    study.plan.write_text(text.replace(*change))
    result = run("build", study.plan, "-o", study.folder / "r.h5")
    assert result.exit_code == code, result.output
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.output
    assert not (study.folder / "r.h5").exists()


def test_wrong_usage_is_2_and_a_missing_plan_3(tmp_path):
    assert run("build").exit_code == 2
    assert run("nonsense").exit_code == 2
    assert run("build", "--jobz", "x").exit_code == 2
    assert run("build", tmp_path / "no.toml").exit_code == 3
    assert run("verify", tmp_path / "no.h5").exit_code == 3
    assert run("show", tmp_path / "no.h5").exit_code == 3


def test_a_test_seed_taints_the_name_the_manifest_and_what_is_printed(study):
    result = run("build", study.plan, "-o", study.folder / "r.h5", "--test-seed", "3")
    assert result.exit_code == 0
    assert "DO NOT PUBLISH" in result.stderr
    path = study.folder / "r.TEST-SEED.h5"
    assert path.exists()
    assert not (study.folder / "r.h5").exists()
    assert b"TEST SEED - DO NOT PUBLISH" in path.read_bytes()[:512]
    refused = run("verify", path)
    assert refused.exit_code == 1
    assert "do not publish" in refused.stdout
    assert run("verify", path, "--allow-test-seed").exit_code == 0
    assert "TEST SEED" in run("show", path).stdout


def test_a_demonstration_without_a_place_is_told_of(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("demo", "-o", tmp_path / "file" / "demo")
    assert result.exit_code == 6
    assert "cannot be written" in result.stderr


def test_demo(tmp_path):
    result = run("demo", "-o", tmp_path / "demo")
    assert result.exit_code == 0, result.output
    assert "Verified" in result.stdout
    assert {p.name for p in (tmp_path / "demo").iterdir()} == {
        "plan.toml",
        "attention.csv.gz",
        "pupil.csv.gz",
        "LICENSES.md",
        "release.h5",
        "release.manifest.json",
        "heatmaps.png",
        "report.html",
    }
    assert f"Report     {tmp_path / 'demo' / 'report.html'}" in result.stdout
    assert run("demo", "-o", tmp_path / "demo").exit_code == 6
    assert run("demo", "-o", tmp_path / "demo", "--force").exit_code == 0


def test_what_may_be_a_mistake_in_the_plan_is_told_without_being_asked(study):
    """A typo in a list, or a screen that is too small, makes a release of nothing: verified, and empty."""
    text = study.plan.read_text()
    study.plan.write_text(
        text.replace('assume_public = ["stimuli"]', 'stimuli = ["a", "no such picture"]\noff_screen = "drop"', 1)
        .replace("width_px = 80, height_px = 60", "width_px = 20, height_px = 15", 1)
    )  # fmt: skip
    pictures = (study.folder / "gaze.csv").read_text()
    first = pictures.splitlines()[1].split(",")[1]
    study.plan.write_text(study.plan.read_text().replace('"a", "no such', f'"{first}", "no such'))
    done = run("build", study.plan, "-o", study.folder / "r.h5")
    assert done.exit_code == 0, done.output
    assert "For you alone, not in the release:" in done.stderr
    assert "nobody has a row of 'no such picture', which the plan lists" in done.stderr
    assert "lie off the screen" in done.stderr


def test_a_wrong_unit_is_told_loudly_and_to_the_curator_alone(study):
    """Bounds in metres clip all; a test build tells it before the ledger is paid."""
    text = study.plan.read_text()
    assert "most of the data" not in run("build", study.plan, "-o", study.folder / "r.h5", "-v").output
    study.plan.write_text(re.sub(r"= \[[0-9.]+, [0-9.]+\]", "= [0.0001, 0.0002]", text))
    done = run("build", study.plan, "-o", study.folder / "r.h5", "--test-seed", "1")
    assert done.exit_code == 0, done.output
    assert "were clipped to its bounds" in done.stderr
    assert "warning: that is most of the data: are screen and bounds in its unit?" in done.stderr
    assert "most of the data" not in (study.folder / "r.TEST-SEED.manifest.json").read_text()


def test_one_column_for_two_roles_is_refused(study):
    text = study.plan.read_text()
    study.plan.write_text(text.replace('stimulus = "picture"', 'stimulus = "who"', 1))
    done = run("preview", study.plan)
    assert done.exit_code == 3
    assert "one column says both who somebody is and the stimulus" in done.stderr
