"""The same plan, data, seed and date give the same bytes; the noised integers are those of golden.json for ever.

After an intended change: `PYTHONPATH=tests python tests/golden/test_reproducible.py` writes golden.json anew.
"""

import json
import tempfile
from pathlib import Path

import pytest
from invented_study import write_study

import synthrelease

GOLDEN = Path(__file__).parent / "golden.json"


def noised_digests(manifest):
    """Integers and categories alone: floating-point values may differ in the last bit between machines."""
    return {path: d for path, d in manifest["digests"].items() if path.endswith(("noised", "category"))}


def test_same_bytes_from_the_same_seed_and_date(study, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    one = synthrelease.build(study.plan, study.folder / "one.h5", test_seed=5).path.read_bytes()
    two = synthrelease.build(study.plan, study.folder / "two.h5", test_seed=5).path.read_bytes()
    other = synthrelease.build(study.plan, study.folder / "three.h5", test_seed=6).path.read_bytes()
    assert one == two
    assert one != other


def test_two_real_builds_differ(study):
    one = synthrelease.build(study.plan, study.folder / "one.h5").manifest
    two = synthrelease.build(study.plan, study.folder / "two.h5").manifest
    assert one["digests"].keys() == two["digests"].keys()
    same = [path for path in noised_digests(one) if one["digests"][path] == two["digests"][path]]
    assert same == []


def test_noised_integers_are_the_golden_ones(study):
    built = synthrelease.build(study.plan, study.folder / "r.h5", test_seed=5)
    assert noised_digests(built.manifest) == json.loads(GOLDEN.read_text())


@pytest.mark.parametrize("variable", ["1", "0"])
def test_date_is_a_day(study, monkeypatch, variable):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", variable)
    manifest = synthrelease.build(study.plan, study.folder / "r.h5", test_seed=1).manifest
    assert manifest["release"]["date"] == "1970-01-01"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        fresh = synthrelease.build(write_study(Path(name)), Path(name) / "r.h5", test_seed=5)
        GOLDEN.write_text(json.dumps(noised_digests(fresh.manifest), indent=1) + "\n")
