"""Reading bundles needs nothing that Windows lacks; building is refused there. Tried on Linux, without what Windows lacks."""

import json
from pathlib import Path

import pytest
import without_posix

import synthrelease

BUNDLES = Path(__file__).parent.parent / "golden" / "bundles"
READING = f"""
import sys
import synthrelease
from synthrelease import errors

path = {str(BUNDLES / "heatmaps.h5")!r}
bundle = synthrelease.open_bundle(path)
assert bundle[bundle.names[0]]
result = synthrelease.verify(path, quick=True)
assert result.ok and result.not_done, result
synthrelease.export(path, "csv", "tables")
synthrelease.export(path, "csv", "tables", force=True)
assert not set({without_posix.MODULES!r}) & set(sys.modules)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("windows")


def command(folder, *words):
    return without_posix.run(folder, "-m", "synthrelease", *words)


def test_python_opens_verifies_and_exports(folder):
    done = without_posix.run(folder, "-c", READING)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


@pytest.mark.quick("quick")
@pytest.mark.parametrize("words", [(), ("--quick",)], ids=["whole", "quick"])
def test_verify_says_what_it_did_not_do(folder, words):
    bundle = BUNDLES / "records.h5"
    done = command(folder, "verify", bundle, "--json", *words)
    assert done.returncode == 0, done.stderr
    here = synthrelease.verify(bundle, quick=bool(words)).to_json()
    there = json.loads(done.stdout)
    assert len(there.pop("not_done")) == 2
    assert here.pop("not_done") == []
    assert there == here
    assert "Not done" in command(folder, "verify", bundle, *words).stdout  # not a sentence: a heading


def test_a_forged_bundle_is_found_out(folder):
    forged = folder / "forged.h5"
    data = bytearray((BUNDLES / "statistics.h5").read_bytes())
    data[-1] ^= 1
    forged.write_bytes(data)
    done = command(folder, "verify", forged, "--json")
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["findings"][0]["code"] == "checksum"


def test_a_check_that_crashes_or_hangs_is_a_finding(folder):
    (folder / "site").mkdir(exist_ok=True)
    (folder / "site" / "crashing.py").write_text("import os; os._exit(7)")
    (folder / "site" / "hanging.py").write_text("import time; time.sleep(60)")
    script = f"""
from synthrelease.bundle import verification as v
for checker, limit in (("crashing", 10.0), ("hanging", 0.01)):
    v._CHECKER_MODULE, v.WALL_PER_CPU_S = checker, limit
    print(v.verify({str(BUNDLES / "areas.h5")!r}).findings[0].message)
"""
    done = without_posix.run(folder, "-c", script)
    assert done.returncode == 0, done.stderr
    crashed, hung = done.stdout.splitlines()
    assert "crashed" in crashed
    assert "longer" in hung


@pytest.mark.thorough  # in the quick tier Python exports above
@pytest.mark.parametrize("form", ["csv", "parquet", "bids"])
def test_show_and_export_write_what_they_write_here(folder, form):
    bundle = BUNDLES / "heatmaps.h5"
    assert command(folder, "show", bundle).returncode == 0
    done = command(folder, "export", bundle, "--to", form, "-o", form)
    assert done.returncode == 0, done.stderr
    synthrelease.export(bundle, form, folder / "here" / form)
    here = folder / "here" / form
    files = [path.relative_to(here) for path in here.rglob("*") if path.is_file()]
    assert files
    assert all((folder / form / file).read_bytes() == (here / file).read_bytes() for file in files)


@pytest.mark.quick("demo", "build", "batch")
@pytest.mark.parametrize(
    "words",
    [
        ("demo",),
        ("build", "plan.toml"),
        ("build", "plan.toml", "--dry-run"),
        ("batch", "plan.toml", "-o", "built"),
        ("keygen", "-o", "lab.key", "--no-password"),
    ],
    ids=["demo", "build", "dry-run", "batch", "keygen"],
)
def test_building_is_refused(folder, study, words):
    imitation = {folder / "site"}  # of the other system, which the first run of a process writes
    here = set(study.folder.iterdir()) | set(folder.iterdir()) | imitation
    done = without_posix.run(
        folder,
        "-m",
        "synthrelease",
        *(study.plan if word == "plan.toml" else word for word in words),
        "--json",
    )
    assert done.returncode == 6, done.stdout + done.stderr
    assert json.loads(done.stdout)["error"]["code"] == "needs-posix"
    assert set(study.folder.iterdir()) | set(folder.iterdir()) | imitation == here
