"""Writing a bundle: whole or not at all, the old one intact, nothing left behind."""

import errno
import json
import os
import resource
import signal
import subprocess
import sys
import time

import pytest
from forked import ended
from goldens import check_text
from refusals import refused

import synthrelease
from synthrelease.bundle import writer
from synthrelease.bundle.content import Content
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.errors import BundleError, MachineError


def left_behind(folder):
    return sorted(p.name for p in folder.iterdir() if p.name not in ("gaze.csv", "pupil.csv", "plan.toml"))


def test_existing_bundle_is_refused_without_force(study):
    target = study.folder / "r.h5"
    target.write_text("precious")
    with refused(MachineError, "file-exists", where=target) as refusal:
        synthrelease.build(study.plan, target)
    assert refusal.value.exit_code == 6
    assert target.read_text() == "precious"
    assert left_behind(study.folder) == ["r.h5"]
    synthrelease.build(study.plan, target, force=True)
    assert synthrelease.verify(target).ok
    assert left_behind(study.folder) == ["r.h5", "r.manifest.json"]


def test_sidecar_holds_the_same_bytes_as_the_manifest(study):
    built = synthrelease.build(study.plan, study.folder / "r.h5")
    with BundleFile(built.path) as file:
        assert file.array("/manifest").tobytes() == built.sidecar.read_bytes()
    assert json.loads(built.sidecar.read_bytes()) == built.manifest


def test_folder_that_does_not_exist(study):
    with refused(MachineError, "cannot-write", where=study.folder / "no" / "r.h5"):
        synthrelease.build(study.plan, study.folder / "no" / "r.h5")


def test_target_is_a_folder(study):
    with refused(MachineError, "output-is-folder", where=study.folder):
        synthrelease.build(study.plan, study.folder)


def test_a_folder_that_fails_as_it_is_looked_at(study, monkeypatch):
    def fail(*_arguments):
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr("os.pathconf", fail)
    with refused(MachineError, "cannot-write", where=study.folder / "r.h5") as refusal:
        synthrelease.build(study.plan, study.folder / "r.h5")
    assert refusal.value.found == os.strerror(errno.EIO)


@pytest.mark.thorough
def test_full_disk_leaves_nothing(study):
    """The file-size limit of the system stands for a full disk: write() fails in the same way."""
    code = (
        "import resource, signal, synthrelease\n"
        "from synthrelease.errors import MachineError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n"
        "try:\n"
        f"    synthrelease.build({str(study.plan)!r}, {str(study.folder / 'r.h5')!r})\n"
        "except MachineError as error:\n"
        "    print(error); raise SystemExit(error.exit_code)\n"
    )
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 6, done.stderr
    check_text("writing/disk-full", done.stdout, folder=study.folder)
    assert left_behind(study.folder) == []
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 20000


def test_an_error_of_the_disk_is_told_however_late_it_comes(tmp_path):
    """Nothing fails for the HDF5 library, which could die of it: what failed is raised once it has closed the file."""
    (path := tmp_path / "r.h5").touch()

    def write():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))
        with refused(MachineError, "cannot-write", where=path):
            writer.write_bundle(path, Content({}, {}, []), completed=lambda _: {}, test_seed=False)

    assert ended(write) == (0, "")


def test_a_partial_file_that_is_gone_is_not_made_anew(tmp_path):
    """No one would hold its lock, nor remove it."""
    with refused(MachineError, "cannot-write") as refusal:
        writer.write_bundle(
            tmp_path / ".r.h5.a2345678.partial", Content({}, {}, []), completed=lambda _: {}, test_seed=False
        )
    assert refusal.value.where == str(tmp_path / "r.h5")
    assert left_behind(tmp_path) == []


def test_failed_rename_keeps_the_old_bundle(study, monkeypatch):
    target = study.folder / "r.h5"
    target.write_text("precious")

    def refuse(*_arguments):
        raise OSError(5, "input/output error")

    monkeypatch.setattr("os.replace", refuse)
    with refused(MachineError, "cannot-write", where=target):
        synthrelease.build(study.plan, target, force=True)
    assert target.read_text() == "precious"
    assert left_behind(study.folder) == ["r.h5"]


def test_a_bundle_that_does_not_verify_is_not_written(study, monkeypatch):
    honest = synthrelease.building.builder.compose_manifest

    def dishonest(*arguments, **options):
        manifest = honest(*arguments, **options)
        manifest["outputs"][0]["guarantee"]["epsilon"] /= 2
        return manifest

    monkeypatch.setattr("synthrelease.building.builder.compose_manifest", dishonest)
    with refused(BundleError, "built-bundle-invalid"):
        synthrelease.build(study.plan, study.folder / "r.h5")
    assert left_behind(study.folder) == []


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_build_leaves_nothing(study, number):
    """The signal arrives while the bundle is being checked, the last moment at which there is a temporary file."""
    code = (
        "import signal, time, synthrelease.building.builder as b\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # whoever started these tests may ignore it
        "honest = b.examine\n"
        "def slow(*a, **k):\n"
        "    print('checking', flush=True); time.sleep(30); return honest(*a, **k)\n"
        "b.examine = slow\n"
        "from synthrelease.cli import main\n"
        f"main(['build', {str(study.plan)!r}, '-o', {str(study.folder / 'r.h5')!r}])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "checking\n"
    time.sleep(0.1)
    os.kill(process.pid, number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    check_text("writing/interrupted", errors)
    assert left_behind(study.folder) == []
