"""`--json`: one document on stdout, whatever becomes of the command, with the same keys for ever; nothing in it that is not told in words."""

import json
import re

import click
import pytest
from click.testing import CliRunner
from invented_samples import write_study as write_samples

import synthrelease
from synthrelease.bundle.disclosure import warning_forms
from synthrelease.cli import main

WITHOUT = {"completion", "studio"}  # it prints a script
ERROR = {"kind", "code", "exit_code", "problem", "where", "found", "expected", "remedy"}


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def told(*words, code=0):
    """Return what a command says to a program: stdout is that document and nothing else."""
    done = run(*words, "--json")
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def commands(group=main, before=()):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*before, name))
        else:
            yield (*before, name), command


def test_every_command_has_it():
    without = {
        " ".join(name)
        for name, command in commands()
        if not any("--json" in option.opts for option in command.params)
    }
    assert without == WITHOUT


@pytest.mark.thorough
def test_making_a_release(study, tmp_path):
    plan = tmp_path / "other.toml"
    found = told("init", study.folder / "gaze.csv", study.folder / "pupil.csv", "--person", "who", "-o", plan)
    assert set(found) == {"plan", "inputs", "warnings"}
    assert [(one["kind"], one["people"]) for one in found["inputs"]] == [("gaze", 30), ("features", 30)]
    assert set(found["inputs"][0]) == {"path", "kind", "people", "groups", "unused", "candidates"}
    assert found["inputs"][0]["groups"] == [{"column": "picture", "fewest": 2, "most": 2}]
    assert plan.exists()
    view = told("preview", study.plan)
    assert {"release", "outputs", "guarantee", "epsilon", "added_up", "method", "ledger", "policy", "memory", "warnings", "weak_guarantee"} == set(view)  # fmt: skip
    bundle = study.folder / "r.h5"
    made = told("build", study.plan, "-o", bundle)
    assert set(made) == {"bundle", "manifest", "privacy", "warnings", "ledger", "test_seed"}
    assert made["bundle"] == str(bundle)
    assert made["test_seed"] is False
    assert made["warnings"] == warning_forms(synthrelease.open_bundle(bundle).manifest) != []
    (one,) = told("batch", study.plan, "-o", study.folder / "many", "--jobs", 1)
    assert set(one) == {"plan", "state", "bundle", "reason", "code"}
    key = study.folder / "lab.key"
    pair = told("keygen", "-o", key, "--no-password")
    assert set(pair) == {"private", "public", "key", "encrypted"}
    assert pair["encrypted"] is False
    signed = told("sign", bundle, "--key", key, "--detached")
    assert signed == {"bundle": str(bundle), "signature": str(bundle.with_suffix(".signature.json")), "key": pair["key"]}  # fmt: skip
    assert told("verify", bundle, "--public-key", pair["public"])["ok"] is True


@pytest.mark.thorough
def test_reading_a_release(bundle, tmp_path):
    verified = {"ok", "checked", "on_trust", "signed_by", "not_done", "findings", "unprotected"}
    assert set(told("verify", bundle)) == verified
    assert told("show", bundle) == synthrelease.open_bundle(bundle).manifest
    page = told("report", bundle, "-o", tmp_path / "r.html")
    assert page == {
        "report": str(tmp_path / "r.html"),
        "bytes": (tmp_path / "r.html").stat().st_size,
        "warnings": [],
        "test_seed": False,
    }
    written = told("export", bundle, "--to", "csv", "-o", tmp_path / "csv")
    assert set(written) == {"to", "folder", "files", "bytes", "warnings", "test_seed"}
    listed = [path for path in (tmp_path / "csv").iterdir() if not path.name.startswith(".")]
    assert written["files"] == len(listed)
    changed = told("diff", bundle, bundle)
    assert changed["same"] is changed["ok"] is changed["verified"] is True


@pytest.mark.thorough
def test_a_test_seed_is_told(study, tmp_path):
    made = told("build", study.plan, "-o", study.folder / "r.h5", "--test-seed", 1)
    assert made["test_seed"] is True
    assert told("report", made["bundle"], "-o", tmp_path / "r.html")["test_seed"] is True
    assert told("export", made["bundle"], "--to", "csv", "-o", tmp_path / "csv")["test_seed"] is True
    (finding,) = told("verify", made["bundle"], code=1)["findings"]
    assert finding["code"] == "test-seed"


@pytest.mark.thorough
def test_evaluating(study):
    bundle = synthrelease.build(study.plan, study.folder / "r.h5").path
    done = run("evaluate", study.plan, bundle, "--json")
    assert done.exit_code in (0, 1)
    assert {"faults", "outputs", "required_attacks"} <= set(json.loads(done.stdout))


@pytest.mark.thorough
def test_the_demonstration(tmp_path):
    made = told("demo", "-o", tmp_path / "demo")
    assert set(made) == {
        *("bundle", "manifest", "privacy", "warnings", "ledger", "test_seed"),
        *("picture", "report", "correlation", "verified"),
    }
    assert made["verified"] is True


def test_ledgers(tmp_path):
    path = tmp_path / "l.sqlite"
    granted = told("ledger", "grant", path, "--dataset", "study", "--epsilon", 3)
    assert granted == told("ledger", "show", path)
    assert granted["study"]["spent"] == 0
    checked = told("ledger", "check", path)
    assert checked["ok"] is True
    assert set(checked) == {"ok", "faults", "entries", "digest"}
    wrong = told("ledger", "check", path, "--digest", "0" * 64, code=1)
    assert wrong["ok"] is False
    assert wrong["faults"]


def test_preparing(tmp_path):
    plan, table = write_samples(tmp_path), tmp_path / "f.parquet"
    made = told("prepare", plan, "raw", "--to", "fixations", "-o", table)
    assert set(made) == {"table", "to", "made", "recordings", "people", "warnings"}
    assert made["people"] == 12


def damaged(bundle):
    raw = bytearray(bundle.read_bytes())
    raw[-100] ^= 1
    bundle.write_bytes(raw)


@pytest.mark.parametrize(
    ("words", "kind", "code"),
    [
        (("preview", "no.toml"), "PlanError", 3),
        (("build", "no.toml"), "PlanError", 3),
        (("init", "no.csv", "--person", "who"), "DataError", 3),
        (("show", "no.h5"), "InputError", 3),
        (("report", "no.h5", "-o", "r.html"), "InputError", 3),
        (("export", "no.h5", "--to", "csv", "-o", "csv"), "InputError", 3),
        (("evaluate", "no.toml", "no.h5", "-o", "p.html"), "PlanError", 3),
        (("ledger", "show", "no.sqlite"), "PlanError", 3),
        (("ledger", "check", "no.sqlite"), "PlanError", 3),
        (("sign", "no.h5", "--key", "no.key"), "KeyFileError", 3),
        (("prepare", "no.toml", "raw", "--to", "fixations", "-o", "f.parquet"), "PlanError", 3),
    ],
    ids=lambda one: one[0] if isinstance(one, tuple) else None,
)
def test_an_error_is_the_document(words, kind, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*words, "--json")
    assert done.exit_code == code, done.output
    form = json.loads(done.stdout)
    assert set(form) == {"error"}
    assert set(form["error"]) >= ERROR
    assert (form["error"]["kind"], form["error"]["exit_code"]) == (kind, code)
    assert done.stderr.startswith("error: ")
    plain = run(*words)
    assert plain.exit_code == code
    assert "{" not in plain.stdout


def test_a_bundle_at_fault_lists_all_that_is_wrong(bundle, tmp_path):
    damaged(bundle)
    form = told("report", bundle, "-o", tmp_path / "r.html", code=1)
    (finding,) = form["error"]["findings"]
    assert set(finding) == {"file", "code", "where", "message"}
    assert told("verify", bundle, code=1)["findings"][0]["code"] == finding["code"]
    assert told("diff", bundle, bundle, code=1)["findings"] == [finding]
    in_words = run("report", bundle, "-o", tmp_path / "r.html")
    assert str(bundle) in in_words.stdout
    assert f"[{finding['code']}]" in in_words.stdout
    assert in_words.stderr == ""


def test_what_is_for_the_curator_alone_is_not_in_it(study):
    """Rows that were dropped are told on stderr; a program logs stdout."""
    text = study.plan.read_text()
    study.plan.write_text(text.replace("width_px = 80, height_px = 60 }", 'width_px = 40, height_px = 60 }\noff_screen = "drop"'))  # fmt: skip
    words = ("--verbose", "build", study.plan, "-o", study.folder / "r.h5")
    notes = [line for line in run(*words).stderr.splitlines() if line.startswith("  gaze: ")]
    assert notes
    done = run(*words, "--force", "--json")
    assert done.exit_code == 0, done.output
    for note in notes:
        assert max(re.findall("[a-z ]+", note.removeprefix("  gaze: ")), key=len) not in done.output
