"""Plans of every mechanism, and what the package designs from them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from invented_study import write_heatmaps_study, write_signals_study, write_statistics_study

from synthrelease.building.design import Design, make_design
from synthrelease.plan.plan import load_plan

Keys = dict[str, Any]
REPLACE, ADD_REMOVE = "replace-one", "add-remove-one"
NOISES = ("laplace", "gaussian")
STATISTICS = ("count", "sum", "mean", "variance", "histogram")
_EITHER_RELATION = ("heatmap", "areas", "statistics")  # signals and records need a public number of people
_BUDGETS = ((1.0, 1e-6), (0.1, 1e-4), (3.0, 1e-9), (0.5, 1e-5), (8.0, 1e-3))

_INPUTS = """
[release]
name = "witnessed"
version = "1"
title = "Every mechanism"

[inputs.gaze]
kind = "gaze"
path = "gaze.csv"
columns = { person = "who", stimulus = "picture", x = "x", y = "y", time = "t", duration = "ms" }
screen = { width_px = 80, height_px = 60 }
stimuli = ["garden", "a/b"]

[inputs.garden]
kind = "gaze"
path = "gaze.csv"
columns = { person = "who", stimulus = "picture", x = "x", y = "y", time = "t" }
screen = { width_px = 80, height_px = 60 }
stimuli = ["garden"]

[inputs.pupils]
kind = "features"
path = "pupils.csv"
columns = { person = "who", recording = "task", time = "t" }
recordings = ["read", "a/b"]
bounds = { size_mm = [2.0, 8.0], open = [0.0, 1.0] }

[inputs.reading]
kind = "features"
path = "reading.csv"
columns = { person = "who", recording = "task" }
recordings = ["read", "a/b"]
bounds = { left_mm = [2.0, 8.0], speed = [-1.0, 9.0] }
categories = { mood = ["calm", "tense", "tired"] }
"""


@dataclass(frozen=True)
class Case:
    """A plan of one output.

    Attributes:
        name: the test's id.
        keys: of the output, as a plan has them.
        neighbours: the relation.
        epsilon: ε of the plan.
        delta: δ of the plan.
    """

    name: str
    keys: Keys
    neighbours: str
    epsilon: float
    delta: float


def write_data(folder: Path) -> None:
    """Write the tables that all plans read."""
    for write in (write_heatmaps_study, write_signals_study, write_statistics_study):
        write(folder)


def designed(
    folder: Path,
    outputs: Mapping[str, Keys],
    *,
    epsilon: float,
    delta: float,
    neighbours: str = REPLACE,
) -> Design:
    """Return the design of a plan of some outputs, in a folder with the tables."""
    privacy = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours}
    lines = [_INPUTS, "[privacy]", *_pairs(privacy)]
    for name, keys in outputs.items():
        lines += ["[[outputs]]", *_pairs({"name": name} | keys)]
    plan = folder / "plan.toml"
    plan.write_text("\n".join(lines) + "\n", "utf-8")
    return make_design(load_plan(plan))


def _pairs(keys: Keys) -> list[str]:
    return [f"{key} = {_toml(value)}" for key, value in keys.items()]


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(part)}" for key, part in value.items()) + " }"
    return json.dumps(value)


def cases() -> list[Case]:
    """Return every output but those of a randomized test, under every relation it has, for budgets in turn."""
    wanted = [(name, keys, REPLACE) for name, keys in OUTPUTS.items()]
    wanted += [
        (f"{name} {ADD_REMOVE}", keys, ADD_REMOVE)
        for name, keys in OUTPUTS.items()
        if keys["kind"] in _EITHER_RELATION
    ]
    made = []
    for number, (name, keys, neighbours) in enumerate(wanted):
        # σ of the paper suffices for large maps and small ε.
        paper = "calibration" in keys
        epsilon, delta = (1.0, 1e-4) if paper else _BUDGETS[number % len(_BUDGETS)]
        made.append(Case(name.replace(" ", "-"), keys, neighbours, epsilon, delta))
    return made


def values_of(key: str, keys: Iterable[Keys]) -> set[Any]:
    """Return the values that a key has in some outputs."""
    return {one[key] for one in keys if key in one}


def _heatmaps() -> dict[str, Keys]:
    common: Keys = {"kind": "heatmap", "input": "gaze", "blur_px": 8}
    cells: Keys = common | {"width_px": 8, "height_px": 6, "max_samples_per_stimulus": 8}
    paper: Keys = common | {"input": "garden", "mechanism": "gaussian", "width_px": 80, "height_px": 60}
    made = {
        "heatmap spectral": common | {"mechanism": "spectral"},
        "heatmap spectral per stimulus": common | {"clipping": "per-stimulus"},
        "heatmap spectral joint over time": common
        | {"clipping": "joint", "window": [0, 5], "frames": 4, "blur_px": 12},
        "heatmap liu2019": paper | {"max_samples_per_stimulus": "unlimited", "calibration": "liu2019"},
    }
    for noise in NOISES:
        noised = cells | {"mechanism": noise}
        made |= {
            f"heatmap {noise}": noised | {"cap": 2},
            f"heatmap {noise} unlimited": noised | {"cap": 3, "max_samples_per_stimulus": "unlimited"},
            f"heatmap {noise} one stimulus": noised | {"cap": 2, "max_stimuli_per_person": 1},
            f"heatmap {noise} private cap": noised | {"cap": "private", "caps": [1, 2, 4]},
        }
    return made


def _areas() -> dict[str, Keys]:
    areas = {"left": {"rectangle": [0, 0, 40, 60]}, "top": {"rectangle": [40, 0, 80, 30]}}
    common: Keys = {"kind": "areas", "input": "gaze", "areas": areas}
    return {
        f"areas {noise}{' transitions' * transitions}": common | {"noise": noise, "transitions": transitions}
        for noise in NOISES
        for transitions in (False, True)
    }


def _signals() -> dict[str, Keys]:
    common: Keys = {"kind": "signals", "input": "pupils", "length": 40}
    made = {"signals spectral": common | {"mechanism": "spectral"}}
    for noise in NOISES:
        for mechanism in ("lpa", "fpa", "cfpa", "dcfpa"):
            noised = common | {"mechanism": mechanism, "noise": noise}
            if mechanism in ("cfpa", "dcfpa"):
                noised |= {"chunk": 16}
            for query in ("mean", "each"):
                name = f"signals {mechanism} {noise} {query}"
                made[name] = noised | {"query": query}
                if mechanism != "lpa":
                    private = {"query": query, "coefficients": "private", "candidates": [1, 2, 4]}
                    made[f"{name} private coefficients"] = noised | private
        limited = {"mechanism": "dcfpa", "chunk": 16, "max_change": 0.1, "clip": 0.5}
        made[f"signals dcfpa {noise} max change"] = common | limited | {"noise": noise}
    return made


def _statistics() -> dict[str, Keys]:
    common: Keys = {"kind": "statistics", "input": "reading", "bins": 5}
    made = {"statistics quantiles": common | {"statistics": ["median", "quantile:0.25"]}}
    for noise in NOISES:
        noised = common | {"noise": noise}
        moods = noised | {"by": "mood"}
        made |= {f"statistics {noise} {one}": noised | {"statistics": [one]} for one in STATISTICS}
        made |= {
            f"statistics {noise} all": noised | {"statistics": list(STATISTICS)},
            f"statistics {noise} moods": moods | {"statistics": ["mean", "histogram"]},
            f"statistics {noise} one mood": moods
            | {"statistics": ["count", "sum"], "max_groups_per_person": 1},
            f"statistics {noise} quantiles": noised | {"statistics": ["mean", "median", "quantile:0.875"]},
        }
    return made


def _records() -> dict[str, Keys]:
    made: dict[str, Keys] = {}
    for noise in NOISES:
        common: Keys = {
            "kind": "records",
            "input": "reading",
            "fit": "dp",
            "bins": 3,
            "noise": noise,
            "rows": 50,
        }
        marginals, tree = common | {"model": "marginals"}, common | {"dependence": "tree"}
        made |= {
            f"records marginals {noise}": marginals | {"dependence": "independent"},
            f"records tree {noise}": tree | {"model": "marginals"},
            f"records tree with task {noise}": tree | {"model": "marginals", "task": "recording"},
            f"records seeded {noise}": tree
            | {"model": "seeded", "resampled": 1, "k": 3, "threshold": "fixed"},
        }
    return made


OUTPUTS = _heatmaps() | _areas() | _signals() | _statistics() | _records()
RANDOMIZED: Keys = {
    "kind": "records",
    "input": "reading",
    "model": "seeded",
    "fit": "dp",
    "dependence": "tree",
    "bins": 3,
    "threshold": "randomized",
    "resampled": [1, 2],
    "k": 12,
    "gamma": 1.5,
    "epsilon0": 1.6,
    "trials": 5,
}


@dataclass(frozen=True)
class ReleaseCase:
    """A plan of several outputs, which divide its budget."""

    outputs: tuple[str, ...]
    epsilon: float
    delta: float
    neighbours: str = REPLACE

    @property
    def keys(self) -> dict[str, Keys]:
        """The outputs as a plan has them."""
        return {f"o{number}": OUTPUTS[name] for number, name in enumerate(self.outputs)}


RELEASES = {
    "gaussian": ReleaseCase(
        (
            "heatmap spectral per stimulus",
            "heatmap gaussian",
            "areas gaussian transitions",
            "signals spectral",
            "signals cfpa gaussian each",
            "statistics gaussian all",
            "records tree gaussian",
        ),
        2.0,
        1e-6,
    ),
    "three-times-the-same": ReleaseCase(("areas gaussian",) * 3, 1.0, 1e-5),
    "laplace": ReleaseCase(
        (
            "heatmap laplace",
            "areas laplace",
            "signals dcfpa laplace mean private coefficients",
            "statistics laplace quantiles",
            "records marginals laplace",
        ),
        3.0,
        0.0,
    ),
    "mixed": ReleaseCase(
        (
            "heatmap spectral",
            "areas laplace",  # twice: what is alike is composed with itself
            "areas laplace",
            "signals fpa laplace mean",
            "statistics gaussian quantiles",
        ),
        2.0,
        1e-5,
    ),
    "mixed-private-parameters": ReleaseCase(
        (
            "heatmap gaussian private cap",
            "signals cfpa gaussian mean private coefficients",
            "statistics laplace quantiles",
        ),
        3.0,
        1e-5,
    ),
    "mixed-add-remove-one": ReleaseCase(
        ("heatmap spectral", "heatmap laplace", "statistics quantiles"), 1.0, 1e-4, ADD_REMOVE
    ),
}
