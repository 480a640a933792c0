"""What is installed: the wheel in CI, everything it needs inside, names others rely on."""

import importlib.metadata
import inspect
import json
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

import synthrelease

ROOT = Path(__file__).parent.parent.parent


def test_version_is_stated_once():
    assert synthrelease.__version__ == importlib.metadata.version("synthrelease")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert "version" in project["dynamic"]
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"## [{synthrelease.__version__}]" in changelog


def test_what_others_cite_follows_from_the_package():
    command = [sys.executable, str(ROOT / "scripts" / "make_citation.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == synthrelease.__version__
    for name in ("codemeta.json", ".zenodo.json"):
        assert json.loads((ROOT / name).read_text("utf-8"))["version"] == synthrelease.__version__


def test_sample_data_is_small_and_comes_with_its_licences_and_no_photograph():
    inside = [f for f in files("synthrelease.demo").iterdir() if f.is_file()]
    assert sum(len(f.read_bytes()) for f in inside) <= 2_000_000
    names = {f.name for f in inside}
    assert {"plan.toml", "attention.csv.gz", "distance.csv.gz", "pupil.csv.gz", "LICENSES.md"} <= names
    assert not [n for n in names if n.endswith((".jpg", ".jpeg", ".png"))]


def test_names_that_others_rely_on():
    from synthrelease.bundle import reseal
    from synthrelease.dp.calibration import gaussian_delta, gaussian_sigma
    from synthrelease.dp.noise import SecureRandom, discrete_laplace, rounded_gaussian
    from synthrelease.kinds.records.deniability import deniability_test
    from synthrelease.kinds.records.model import SeededModel

    def parameters(function):
        return list(inspect.signature(function).parameters)

    assert parameters(rounded_gaussian) == ["sigma", "size", "random"]
    assert parameters(discrete_laplace) == ["scale", "size", "random"]
    assert parameters(gaussian_delta) == ["epsilon", "sigma", "sensitivity"]
    assert parameters(gaussian_sigma) == ["epsilon", "delta", "sensitivity"]
    assert parameters(SeededModel)[:3] == ["marginals", "order", "resampled"]
    expected = ["model", "candidates", "seed_rows", "records", "people", "k", "gamma"]
    assert parameters(deniability_test)[:7] == expected
    assert parameters(synthrelease.build)[:2] == ["plan", "output"]
    assert parameters(synthrelease.verify)[:2] == ["path", "public_key"]
    assert parameters(synthrelease.open_bundle)[:1] == ["path"]
    assert parameters(reseal)[:1] == ["path"]
    assert SecureRandom.for_tests(1).seeded
    with pytest.raises(AttributeError):
        synthrelease.nothing  # noqa: B018
