"""A bundle holds the noise that its manifest states, in every kind of output.

Two builds of one plan differ by their noise alone: the `noisy` integers of every output must differ with √2 times
the standard deviation in the manifest. Every output holds at least 6000 of them, by which the standard deviation of
a difference is known to 1.2 % (Laplace, kurtosis 4.5; 0.9 % in the Gaussian), so that 10 % are more than 8 of these.
The test seeds only make a run that passes pass again.
"""

from __future__ import annotations

import itertools
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import synthrelease

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from synthrelease.bundle.reading import Bundle

    Difference = NDArray[np.int64]

PLAN = """
[release]
name = "noise"
version = "1"
title = "Noise of every kind"

[privacy]
neighbours = "{neighbours}"
epsilon = 20
delta = 1e-6

[inputs.gaze]
kind = "gaze"
path = "gaze.csv"
columns = {{ person = "person", stimulus = "image", x = "x", y = "y" }}
screen = {{ width_px = 80, height_px = 60 }}
stimuli = ["a", "b", "c"]

[inputs.pupil]
kind = "features"
path = "pupil.csv"
columns = {{ person = "person", recording = "task", time = "t" }}
recordings = ["rest", "read"]
[inputs.pupil.bounds]
left_mm = [1.0, 9.0]
right_mm = [2.0, 8.0]
"""

MAP = {"kind": "heatmap", "input": "gaze"}
SUMMARY = {"kind": "statistics", "input": "pupil", "statistics": ["count", "mean", "histogram"], "bins": 3200}
RECORDS = {"kind": "records", "input": "pupil", "fit": "dp", "bins": 3200, "rows": 9}

BOTH: dict[str, dict[str, Any]] = {
    "map-gaussian": MAP | {"mechanism": "gaussian", "max_samples_per_stimulus": 20},
    "map-laplace": MAP | {"mechanism": "laplace", "max_stimuli_per_person": 1, "cap": 3},
    "map-unlimited": MAP | {"mechanism": "gaussian", "max_samples_per_stimulus": "unlimited"},
    "summary": SUMMARY,
    "summary-gaussian": SUMMARY | {"noise": "gaussian", "by": "recording", "max_groups_per_person": 1},
    "summary-moments": SUMMARY | {"statistics": ["sum", "variance", "histogram", "quantile:0.5"]},
}
SIGNALS: dict[str, dict[str, Any]] = {
    f"{mechanism}-{noise}-{query}": {
        "kind": "signals",
        "input": "pupil",
        "mechanism": mechanism,
        "noise": noise,
        "query": query,
        "length": length,
    }
    | (
        {}
        if mechanism == "lpa"
        else {"coefficients": {"fpa": length // 2, "cfpa": 32, "dcfpa": 16}[mechanism]}
    )
    for mechanism, noise, (query, length) in itertools.product(
        ("lpa", "fpa", "cfpa", "dcfpa"), ("laplace", "gaussian"), (("mean", 1600), ("each", 180))
    )
}
DRAWN: dict[str, dict[str, Any]] = {
    "records-marginals": RECORDS | {"model": "marginals"},
    "records-seeded": RECORDS | {"model": "seeded", "task": "recording", "resampled": 2, "k": 2},
    "records-gaussian": RECORDS | {"model": "marginals", "task": "recording", "noise": "gaussian"},
    "records-tree": RECORDS | {"model": "marginals", "dependence": "tree", "bins": 80},
}
PLANS = {"replace-one": BOTH | SIGNALS | DRAWN, "add-remove-one": BOTH}
PEOPLE = 10
LEAST = 6000


def write_inputs(folder: Path) -> None:
    generator = np.random.default_rng(0)
    gaze, pupil = ["person,image,x,y"], ["person,task,t,left_mm,right_mm"]
    for person in range(PEOPLE):
        for image in "abc":
            points = generator.uniform((0, 0), (80, 60), (25, 2))
            gaze += [f"p{person},{image},{x:.2f},{y:.2f}" for x, y in points]
        # Everyone the same: those who are released apart change places from build to build.
        for task in ("rest", "read"):
            pupil += [f"p{person},{task},{t},{3 + 0.01 * t:.2f},{4 + 0.01 * t:.2f}" for t in range(60)]
    (folder / "gaze.csv").write_text("\n".join(gaze) + "\n")
    (folder / "pupil.csv").write_text("\n".join(pupil) + "\n")


@pytest.fixture(scope="module", params=list(PLANS))
def bundles(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Bundle]:
    """Two builds of one plan with different seeds."""
    folder = tmp_path_factory.mktemp("noise")
    write_inputs(folder)
    plan = PLAN.format(neighbours=request.param)
    for name, keys in PLANS[request.param].items():
        # JSON's words for texts, numbers and lists are TOML's as well.
        lines = [f"{key} = {json.dumps(value)}" for key, value in ({"name": name} | keys).items()]
        plan += "\n".join(["\n[[outputs]]", *lines, ""])
    (folder / "plan.toml").write_text(plan)
    built = [
        synthrelease.build(folder / "plan.toml", folder / f"{seed}.h5", test_seed=seed) for seed in (1, 2)
    ]
    return [synthrelease.open_bundle(b.path, allow_test_seed=True) for b in built]


def noisy(bundle: Bundle, name: str) -> NDArray[np.int64]:
    output = bundle[name]
    parts = [output[key].ravel() for key in sorted(output) if "noisy" in key.split("/")]
    assert {part.dtype.kind for part in parts} == {"i"}
    return np.concatenate(parts).astype(np.int64)


def outputs(bundle: Bundle) -> dict[str, dict[str, Any]]:
    return {output["name"]: output for output in bundle.manifest["outputs"]}


@pytest.mark.quick("add-remove-one")
def test_the_noise_of_every_output_is_the_manifest_s(bundles: list[Bundle]) -> None:
    stated = outputs(bundles[0])
    assert all(output["noise"] is not None for output in stated.values())
    for name, output in stated.items():
        difference = noisy(bundles[0], name) - noisy(bundles[1], name)
        assert difference.size >= LEAST, name
        assert difference.size == count(output), name
        expected = math.sqrt(2) * float(output["noise"]["standard_deviation"])
        assert difference.std() == pytest.approx(expected, rel=0.1), name
        assert abs(difference.mean()) < 6 * expected / math.sqrt(difference.size), name
        # Of any tenth the same must hold, if more loosely: no stimulus, feature or statistic has noise of its own.
        for part in np.array_split(difference, 10):
            assert part.std() == pytest.approx(expected, rel=0.25), name


@pytest.mark.quick("add-remove-one")
def test_no_output_has_the_noise_of_another(bundles: list[Bundle]) -> None:
    """Outputs draw from streams of their own: standardised, their differences are not correlated."""
    differences = {}
    for name in bundles[0].names:
        difference = (noisy(bundles[0], name) - noisy(bundles[1], name))[:LEAST]
        differences[name] = (difference - difference.mean()) / difference.std()
    correlation = np.corrcoef(list(differences.values()))
    np.fill_diagonal(correlation, 0)
    assert np.abs(correlation).max() < 7 / math.sqrt(LEAST)


@pytest.mark.quick("add-remove-one")
def test_builds_with_a_test_seed_say_so_everywhere(bundles: list[Bundle]) -> None:
    for bundle in bundles:
        assert "TEST-SEED" in bundle.path.name
        assert bundle.manifest["randomness"]["test_seed"] is True
        assert {"code": "test-seed", "fields": {}} in bundle.manifest["warnings"]


def count(output: dict[str, Any]) -> int:
    """The length of the noisy vector that the output's event states."""
    event = output["event"]
    leaves = event["events"] if event["type"] == "composed" else [event]
    return sum(leaf.get("count", 0) for leaf in leaves)
