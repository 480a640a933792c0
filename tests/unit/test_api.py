"""What commands do, as functions: the same results, errors of one hierarchy, and nothing heavy before it is needed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from goldens import check_text
from refusals import refused
from unprivileged import unprivileged_folder

import synthrelease
from synthrelease.bundle.examination import examine
from synthrelease.bundle.signing.keys import PasswordNeededError
from synthrelease.bundle.verification import refuse_no_bundle
from synthrelease.cli import main


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def test_every_name_is_there_and_has_a_docstring():
    for name in synthrelease.__all__:
        assert getattr(synthrelease, name).__doc__, name
    assert set(synthrelease.__all__) <= set(dir(synthrelease))
    assert callable(synthrelease.arrays.heatmaps)


def test_names_stay_functions_whatever_is_imported():
    """A module of the same name would take a function's place as soon as anything imports it."""
    import pkgutil

    modules = {module.name for module in pkgutil.iter_modules(synthrelease.__path__)}
    assert not modules & set(synthrelease.__all__)


def test_verify_needs_no_numpy():
    code = (
        "import sys, synthrelease\nsynthrelease.verify\nsynthrelease.DataError\nprint('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_preview_prints_what_the_command_prints(study):
    view = synthrelease.preview(study.plan)
    check_text("preview/every-kind", str(view))
    assert f"{view}\n" == run("preview", study.plan).stdout
    assert [output["name"] for output in view["outputs"]] == ["maps", "signals", "table", "summary", "seeded"]
    with pytest.raises(synthrelease.PlanError):
        synthrelease.preview(study.folder / "none.toml")


def test_a_proposal_is_what_init_writes(study, tmp_path):
    target = tmp_path / "proposed.toml"
    found = synthrelease.init(study.folder / "gaze.csv", person="who", plan=target)
    assert not target.exists()
    assert run("init", study.folder / "gaze.csv", "--person", "who", "-o", target).exit_code == 0
    assert found.text == target.read_text("utf-8")
    both = synthrelease.init(
        [study.folder / "gaze.csv", str(study.folder / "pupil.csv")], person=["who"], plan=target
    )
    assert len(both.inputs) == 2
    with pytest.raises(synthrelease.DataError):
        synthrelease.init(study.folder / "gaze.csv", plan=target)


def test_a_verification_is_true_only_without_faults(bundle):
    sound = synthrelease.verify(bundle)
    assert sound
    assert sound.checked
    assert all(one in str(sound) for one in sound.checked)
    raw = bytearray(bundle.read_bytes())
    raw[-100] ^= 1
    bundle.write_bytes(raw)
    found = synthrelease.verify(bundle)
    assert not found
    assert str(found) == "\n".join(map(str, found.findings))
    with pytest.raises(synthrelease.FaultyBundleError) as caught:
        synthrelease.export(bundle, "csv", bundle.parent / "csv")
    assert [one["code"] for one in caught.value.findings] == [one.code for one in found.findings]
    assert caught.value.exit_code == 1


def test_a_policy_makes_findings(bundle, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text('[policy]\nname = "strict"\nmax_epsilon = 0.1\nmax_delta = 1e-3\n')
    found = synthrelease.verify(bundle, policy=policy)
    assert [one.code for one in found.findings] == ["policy"] * len(found.findings)
    assert found.findings
    with refused(synthrelease.ArgumentError, "policy-needs-full-verification", where="verify()"):
        synthrelease.verify(bundle, policy=policy, quick=True)


@pytest.mark.thorough
def test_reports_exports_and_differences(bundle, tmp_path):
    page = synthrelease.report(bundle, tmp_path / "r.html")
    assert page.path.stat().st_size == page.size
    assert not page.test_seed
    written = synthrelease.export(bundle, "parquet", tmp_path / "parquet")
    listed = [path for path in (tmp_path / "parquet").iterdir() if not path.name.startswith(".")]
    assert written.files == len(listed)
    with refused(synthrelease.ArgumentError, "unknown-export-form", where="export().form") as caught:
        synthrelease.export(bundle, "cvs", tmp_path / "x")
    assert caught.value.found == "'cvs'"
    assert "'csv'" in caught.value.remedy
    with refused(synthrelease.ArgumentError, "option-not-for-this-form", where="export().stimuli"):
        synthrelease.export(bundle, "csv", tmp_path / "x", stimuli=tmp_path)
    changed = synthrelease.diff(bundle, bundle)
    assert changed.same
    assert f"{changed}\n" == run("diff", bundle, bundle).stdout


def test_keys_and_signatures(bundle, tmp_path):
    made = synthrelease.keygen(tmp_path / "lab.key", b"secret")
    assert made.private.stat().st_mode & 0o777 == 0o600
    with pytest.raises(synthrelease.MachineError):
        synthrelease.keygen(tmp_path / "lab.key")
    with refused(PasswordNeededError, "password-needed", where=made.private):
        synthrelease.sign(bundle, made.private)
    assert synthrelease.sign(bundle, made.private, b"secret") == bundle
    found = synthrelease.verify(bundle, made.public)
    assert found
    assert found.signed_by == [made.key_id]


def test_a_bundle_tells_what_it_is(bundle):
    opened = synthrelease.open_bundle(bundle)
    outputs = ["maps", "signals", "table", "summary", "seeded"]
    assert repr(opened) == f"<ReadableBundle {str(bundle)!r}: {', '.join(outputs)}>"
    assert repr(opened["summary"]) == f"<ReadableOutput 'summary': {', '.join(opened['summary'])}>"
    part, _, first = next(iter(opened["summary"])).partition("/")
    for call, near, names in (
        (lambda: opened["summar"], "summary", outputs),
        (lambda: opened.model("summar"), "summary", outputs),
        (lambda: opened.to_pandas("summar"), "summary", outputs),
        (lambda: opened.to_xarray("summar"), "summary", outputs),
        (lambda: opened["summary"][f"{part}/{first[:-1]}"], first, list(opened["summary"][part])),
    ):
        with pytest.raises(KeyError) as caught:
            call()
        offered = [word for word in re.findall(r"[\w/.-]+", str(caught.value)) if word in names]
        assert offered[0] == near
        assert len(set(offered)) == min(len(names), 8)
    with refused(synthrelease.ArgumentError, "no-released-model", where=bundle):
        opened.model("summary")


def test_a_model_is_in_the_bundle_only_where_it_was_fitted_with_noise():
    bundle = synthrelease.open_bundle(Path(__file__).parents[1] / "golden/bundles/records.h5")
    assert bundle.model("tree").parents
    with refused(synthrelease.ArgumentError, "no-released-model", where=bundle.path):
        bundle.model("exact")


def test_a_ledger_takes_the_relation_by_its_name(tmp_path):
    ledger = synthrelease.Ledger(tmp_path / "l.sqlite")
    ledger.grant("study", 3.0, neighbours="add-remove-one")
    assert ledger.to_json()["study"]["neighbours"] == "add-remove-one"
    with refused(synthrelease.ArgumentError, "unknown-neighbours", where="l.sqlite: study"):
        ledger.grant("study", 3.0, neighbours="both")


def test_errors_survive_the_way_from_a_worker():
    import pickle

    error = synthrelease.FaultyBundleError("c", "p", where="w", findings=[{"file": "f"}])
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  our own
    assert again.to_json() == error.to_json()


@pytest.mark.parametrize(
    ("name", "code"),
    [("none.h5", "no-such-file"), (".", "path-is-folder"), ("a\0b", "bad-path")],
)
def test_a_bundle_that_is_not_there_is_no_bundle_at_fault(study, monkeypatch, name, code):
    monkeypatch.chdir(study.folder)
    for call in (
        synthrelease.verify,
        synthrelease.open_bundle,
        lambda path: synthrelease.verify(path, quick=True),
        lambda path: synthrelease.diff(path, path),
        lambda path: synthrelease.export(path, "csv", "out"),
        lambda path: synthrelease.report(path, "page.html"),
        lambda path: synthrelease.evaluate(study.plan, path),
        lambda path: synthrelease.sign(path, Ed25519PrivateKey.generate()),
    ):
        with refused(synthrelease.InputError, code, where=repr(name)[1:-1]) as caught:
            call(name)
        assert caught.value.exit_code == 3
    if "\0" not in name:
        done = run("verify", name)
        assert (done.exit_code, done.stdout) == (3, "")
        error = json.loads(run("verify", name, "--json").stdout)["error"]
        assert (error["kind"], error["code"]) == ("InputError", code)


def test_a_bundle_that_may_not_be_read_is_no_bundle_at_fault():
    with unprivileged_folder() as folder:
        (folder / "r.h5").write_bytes(b"x")
        (folder / "r.h5").chmod(0)
        found = examine(folder / "r.h5")  # here: the process that checks for others would be root's
        assert [one.code for one in found.findings] == ["unreadable"]
        with refused(synthrelease.MachineError, "cannot-read", where="r.h5"):
            refuse_no_bundle(folder / "r.h5", found)


def test_what_is_no_regular_file_is_no_bundle_at_fault(tmp_path):
    os.mkfifo(tmp_path / "r.h5")
    with refused(synthrelease.InputError, "not-a-regular-file", where="r.h5"):
        synthrelease.verify(tmp_path / "r.h5")


def test_the_remedy_of_a_file_that_is_no_bundle_or_one_for_tests(study, tmp_path):
    text = tmp_path / "r.h5"
    text.write_text("no bundle")
    seeded = synthrelease.build(study.plan, tmp_path / "t.h5", test_seed=1).path
    for call in (synthrelease.open_bundle, lambda path: synthrelease.export(path, "csv", tmp_path / "out")):
        with refused(synthrelease.InputError, "not-a-bundle", where=text) as caught:
            call(text)
        assert "`build`" in caught.value.remedy
        assert "allow_test_seed" not in caught.value.remedy
    with refused(synthrelease.BundleError, "bundle-invalid", where=seeded) as caught:
        synthrelease.open_bundle(seeded)
    assert "allow_test_seed=True" in caught.value.remedy
    assert "`build`" not in caught.value.remedy
    assert synthrelease.open_bundle(seeded, allow_test_seed=True)
    assert synthrelease.verify(seeded, allow_test_seed=True).remedy == ""
