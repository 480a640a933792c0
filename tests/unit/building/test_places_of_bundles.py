"""What `build -o` makes of a name: two bundles never share a manifest beside them."""

import json
import os
import stat

import pytest
from click.testing import CliRunner
from paid_study import write_paid_study

import synthrelease
from synthrelease.cli import main


def build(study, output, *more):
    return CliRunner().invoke(main, ["-q", "build", str(study.plan), "-o", str(output), *more])


def code(done):
    return json.loads(done.stdout)["error"]["code"]


def test_a_test_build_leaves_the_manifest_of_a_release_alone(study):
    assert build(study, study.folder / "real.h5").exit_code == 0
    before = (study.folder / "real.manifest.json").read_bytes()
    assert build(study, study.folder / "real", "--test-seed", "1", "--force").exit_code == 0
    assert (study.folder / "real.manifest.json").read_bytes() == before
    assert (study.folder / "real.TEST-SEED.h5").exists()


def test_a_test_build_is_for_its_owner_alone(study):
    before = os.umask(0o022)
    try:
        assert build(study, study.folder / "real").exit_code == 0
        assert build(study, study.folder / "real", "--test-seed", "1").exit_code == 0
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in study.folder.glob("real*")}
    assert modes == {
        "real.h5": 0o644,
        "real.manifest.json": 0o644,
        "real.TEST-SEED.h5": 0o600,
        "real.TEST-SEED.manifest.json": 0o600,
    }


def test_a_test_seed_of_zero_is_one(tmp_path):
    built = synthrelease.build(write_paid_study(tmp_path), tmp_path / "real.h5", test_seed=0)
    assert built.path.name == "real.TEST-SEED.h5"
    assert [one.code for one in synthrelease.verify(built.path).findings] == ["test-seed"]


def test_versions_in_names_are_no_endings(study):
    for name in ("x-1.0.0", "x-1.0.1"):
        assert build(study, study.folder / name).exit_code == 0
        assert (study.folder / f"{name}.h5").exists()
        assert (study.folder / f"{name}.manifest.json").exists()


@pytest.mark.parametrize("more", [[], ["--test-seed", "1"], ["--force"]])
@pytest.mark.parametrize("name", ["", ".", "..", "/", "/dev/null"])
def test_what_is_no_file_is_refused(study, monkeypatch, name, more):
    monkeypatch.chdir(study.folder)
    before = set(study.folder.iterdir())
    done = build(study, name, *more, "--json")
    assert done.exit_code == 6
    assert code(done) == ("output-is-no-file" if name == "/dev/null" else "output-is-folder")
    assert set(study.folder.iterdir()) == before
