"""The command line: exit codes, what goes where, and how fast help answers."""

import json
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner
from goldens import check_text, figures

import synthrelease
from synthrelease.bundle.disclosure import releases_no_better, warning_sentence
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


@pytest.mark.thorough
def test_quiet_and_verbose_may_stand_behind_a_command(study):
    def said(*flags, place=0):
        words = ["build", study.plan, "-o", study.folder / "r.h5", "--force", "--test-seed", "1"]
        return run(*words[:place], *flags, *words[place:]).stderr

    usual = said()
    assert said("-q") == said("-q", place=1)
    check_text("build/quiet", said("-q"))
    assert said("-v") == said("-v", place=1)
    assert said("-v").startswith(usual)
    check_text("build/verbose", said("-v"))


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


def test_build_verify_show_preview(study, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    target = study.folder / "r.h5"
    built = run("build", study.plan, "-o", target)
    assert built.exit_code == 0, built.output
    check_text(
        "build/every-kind", built.stdout, folder=study.folder, size=f"{target.stat().st_size / 1e6:.2f}"
    )
    manifest = synthrelease.open_bundle(target).manifest
    weak = [f"WEAK ACCURACY: {one}\n" for one in releases_no_better(manifest)]
    assert len(weak) == 3
    warnings = [f"warning: {warning_sentence(one)}\n" for one in manifest["warnings"]]
    assert built.stderr == "".join([*weak, *warnings])
    verified = run("verify", target)
    assert verified.exit_code == 0
    check_text("verify/every-kind", verified.stdout, folder=study.folder)
    shown = run("show", target)
    assert shown.exit_code == 0
    check_text("show/every-kind", shown.stdout, version=synthrelease.__version__)
    assert run("preview", study.plan).exit_code == 0


@pytest.mark.thorough
def test_json_is_json_and_nothing_else(study):
    target = study.folder / "r.h5"
    built = run("build", study.plan, "-o", target, "--json")
    assert json.loads(built.stdout)["privacy"]["guarantee"]["kind"] == "approx_dp"
    same = synthrelease.verify(target)
    assert json.loads(run("verify", target, "--json").stdout) == {
        "ok": True,
        "checked": same.checked,
        "on_trust": same.on_trust,
        "signed_by": [],
        "not_done": [],
        "findings": [],
        "unprotected": {},
    }
    assert [figures(one) for one in same.on_trust] == [[], [], [], [3, 4]]
    assert "seeded" in same.on_trust[3]
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
    assert "TEST SEED" in result.stderr
    path = study.folder / "r.TEST-SEED.h5"
    assert path.exists()
    assert not (study.folder / "r.h5").exists()
    assert b"TEST SEED - DO NOT PUBLISH" in path.read_bytes()[:512]
    refused = run("verify", path)
    assert refused.exit_code == 1
    assert "[test-seed]" in refused.stdout
    assert run("verify", path, "--allow-test-seed").exit_code == 0
    assert "TEST SEED" in run("show", path).stdout


def test_a_demonstration_without_a_place_is_told_of(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("demo", "-o", tmp_path / "file" / "demo", "--json")
    assert result.exit_code == 6
    error = json.loads(result.stdout)["error"]
    assert (error["code"], error["where"]) == ("cannot-write", str(tmp_path / "file" / "demo"))


@pytest.mark.thorough
def test_demo(tmp_path):
    result = run("demo", "-o", tmp_path / "demo")
    assert result.exit_code == 0, result.output
    assert run("verify", tmp_path / "demo" / "release.h5").exit_code == 0
    assert {p.name for p in (tmp_path / "demo").iterdir()} == {
        "plan.toml",
        "attention.csv.gz",
        "distance.csv.gz",
        "pupil.csv.gz",
        "LICENSES.md",
        "release.h5",
        "release.manifest.json",
        "heatmaps.png",
        "report.html",
    }
    for name in ("release.h5", "release.manifest.json", "heatmaps.png", "report.html"):
        assert str(tmp_path / "demo" / name) in result.stdout
    assert run("demo", "-o", tmp_path / "demo").exit_code == 6
    assert run("demo", "-o", tmp_path / "demo", "--force").exit_code == 0


def test_what_may_be_a_mistake_in_the_plan_is_told_without_being_asked(study):
    """A typo in a list, or a screen that is too small, makes a release of nothing: verified, and empty."""
    text = study.plan.read_text()
    study.plan.write_text(
        text.replace('assume_public = ["stimuli"]', 'stimuli = ["a", "no such picture"]\noff_screen = "drop"', 1)
        .replace("width_px = 80, height_px = 60", "width_px = 40, height_px = 30", 1)
    )  # fmt: skip
    pictures = (study.folder / "gaze.csv").read_text()
    first = pictures.splitlines()[1].split(",")[1]
    study.plan.write_text(study.plan.read_text().replace('"a", "no such', f'"{first}", "no such'))
    done = run("build", study.plan, "-o", study.folder / "r.h5")
    assert done.exit_code == 0, done.output
    check_text("build/likely-mistakes", done.stderr)


def test_a_wrong_unit_is_told_loudly_and_to_the_curator_alone(study):
    """Bounds in another unit clip most; what clips all is refused (test_charging)."""
    text = study.plan.read_text()
    command = ["build", study.plan, "-o", study.folder / "r.h5", "--test-seed", "1"]
    usual = run(*command, "-v").stderr.splitlines()
    study.plan.write_text(re.sub(r"= \[[0-9.]+, [0-9.]+\]", "= [0.0, 0.3]", text))
    done = run(*command, "--force")
    assert done.exit_code == 0, done.output
    check_text("build/wrong-unit", done.stderr)
    more = [line for line in done.stderr.splitlines() if line not in usual]
    assert [line for line in more if line.startswith("warning: ")]
    assert not [line for line in usual if "warning: " in line and line not in done.stderr.splitlines()]
    manifest = (study.folder / "r.TEST-SEED.manifest.json").read_text()
    assert not [line for line in more if line.strip().removeprefix("warning: ") in manifest]


def test_one_column_for_two_roles_is_refused(study):
    text = study.plan.read_text()
    study.plan.write_text(text.replace('stimulus = "picture"', 'stimulus = "who"', 1))
    done = run("preview", study.plan, "--json")
    assert done.exit_code == 3
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "column-used-twice"
    assert error["where"].endswith("inputs.gaze.columns")
    assert "'who'" in error["found"]
