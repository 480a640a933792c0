"""The same plan, data, seed and date give the same bytes; integers and categories are those of golden.json for ever.

After an intended change: `PYTHONPATH=tests python tests/golden/test_reproducible.py` writes golden.json anew.
"""

import json
import tempfile
from pathlib import Path

import pytest
from invented_study import (
    write_areas_study,
    write_heatmaps_study,
    write_records_study,
    write_signals_study,
    write_statistics_study,
    write_study,
)

import synthrelease
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import digest
from synthrelease.kinds.dataset import Role
from synthrelease.reports.released import labels_of, shape_of

GOLDEN = Path(__file__).parent / "golden.json"
STUDIES = [
    write_study,
    write_records_study,
    write_heatmaps_study,
    write_areas_study,
    write_signals_study,
    write_statistics_study,
]


def drawn_digests(path):
    """Integers, categories and choices alone: floating-point values may differ in the last bit between machines.

    Of each item by itself, by its labels: how datasets are stored changes no draw.
    """
    bundle, digests = synthrelease.open_bundle(path, allow_test_seed=True), {}
    for output in bundle.manifest["outputs"]:
        stored = StoredOutput(output)
        for dataset in stored.datasets:
            if dataset.derive is None and dataset.role is not Role.COORDINATE:
                array = bundle[stored.name][dataset.path]
                for index in dataset.indices():
                    labels = labels_of(stored.parameters, dataset, index)
                    digests["/".join([stored.name, *labels])] = digest(
                        array[index].reshape(shape_of(stored.parameters, dataset))
                    )
    return digests


def digests_of(write, folder):
    """Of a study under one seed."""
    return drawn_digests(synthrelease.build(write(folder), folder / "r.h5", test_seed=5, force=True).path)


@pytest.mark.quick("write_study")
@pytest.mark.parametrize("write", STUDIES)
def test_same_bytes_from_the_same_seed_and_date(write, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    plan = write(tmp_path)
    one = synthrelease.build(plan, tmp_path / "one.h5", test_seed=5).path.read_bytes()
    two = synthrelease.build(plan, tmp_path / "two.h5", test_seed=5).path.read_bytes()
    other = synthrelease.build(plan, tmp_path / "three.h5", test_seed=6).path.read_bytes()
    assert one == two
    assert one != other


@pytest.mark.quick("write_study")
@pytest.mark.parametrize("write", STUDIES)
def test_two_real_builds_differ(write, tmp_path):
    plan = write(tmp_path)
    one, two = (synthrelease.build(plan, tmp_path / f"{name}.h5") for name in ("one", "two"))
    assert one.manifest["digests"].keys() == two.manifest["digests"].keys()
    draws, others = drawn_digests(one.path), drawn_digests(two.path)
    same = [path for path, digest in draws.items() if others[path] == digest]
    small = [path for path in same if path.startswith("randomized/") or path.endswith("chosen")]
    assert set(same) == set(small)  # 5 rows can be alike, and so can choices


@pytest.mark.parametrize("write", STUDIES)
def test_drawn_numbers_are_the_golden_ones(write, tmp_path):
    assert digests_of(write, tmp_path) == json.loads(GOLDEN.read_text())[write.__name__]


@pytest.mark.parametrize("variable", ["1", "0"])
def test_date_is_a_day(study, monkeypatch, variable):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", variable)
    manifest = synthrelease.build(study.plan, study.folder / "r.h5", test_seed=1).manifest
    assert manifest["release"]["date"] == "1970-01-01"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        found = {write.__name__: digests_of(write, Path(name)) for write in STUDIES}
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
