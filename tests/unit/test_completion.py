"""Shells complete commands, options, choices and files, and fast."""

import shutil
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from synthrelease.cli import main


def completions(*words):
    """Return what would be offered for the last word, with how the shell is to treat it."""
    *before, begun = words
    found = ShellComplete(main, {}, "synthrelease", "_SYNTHRELEASE_COMPLETE").get_completions(
        list(before), begun
    )
    return {(item.value, item.type) for item in found}


def values(*words):
    return {value for value, _ in completions(*words)}


def test_commands_and_options():
    assert {"build", "batch"} == values("b")
    assert {"grant", "show", "check"} == values("ledger", "")
    assert values("build", "plan.toml", "--pol") == {"--policy"}
    assert "--json" in values("verify", "r.h5", "--")


def test_choices():
    assert "parquet" in values("export", "r.h5", "--to", "")
    assert values("prepare", "p.toml", "raw", "--to", "s") == {"saccades"}
    assert values("completion", "") == {"bash", "zsh", "fish"}


@pytest.mark.parametrize(
    "words", [("verify", "r"), ("build", "plan.toml", "-o", "r"), ("sign", "r.h5", "--key", "k")]
)
def test_files_are_left_to_the_shell(words):
    assert {kind for _, kind in completions(*words)} == {"file"}


def test_folders():
    assert {kind for _, kind in completions("batch", "p.toml", "--output", "")} == {"dir"}


def test_inputs_of_the_plan_on_the_line(study):
    assert values("prepare", str(study.plan), "") == {"gaze", "pupil"}
    assert values("prepare", str(study.plan), "p") == {"pupil"}
    assert values("prepare", str(study.folder / "none.toml"), "") == set()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_one_of_that_shell(shell):
    done = CliRunner().invoke(main, ["completion", shell])
    assert done.exit_code == 0
    assert f"{shell}_complete" in done.stdout
    assert "synthrelease" in done.stdout
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)
    shown = CliRunner().invoke(main, ["completion", "--help"]).stdout
    assert f"synthrelease completion {shell}" in shown  # not a sentence: a command


def test_completing_loads_nothing_heavy():
    code = (
        "import os, sys\n"
        "os.environ |= {'_SYNTHRELEASE_COMPLETE': 'bash_complete', 'COMP_WORDS': 'synthrelease bu', 'COMP_CWORD': '1'}\n"
        "from synthrelease.cli import main\n"
        "try: main(prog_name='synthrelease')\n"
        "except SystemExit: pass\n"
        "print(sorted({'numpy', 'polars', 'h5py', 'cryptography', 'jsonschema'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["plain,build", "[]", ""]
