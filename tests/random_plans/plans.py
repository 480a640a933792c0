"""A random plan: every kind of output × mechanism × query × calibration × neighbours × row choices × groups × several inputs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from random_plans.draws import Draws, happens, one_of, some_of
from random_plans.study import CODE, HEIGHT, KINDS, MOODS, RECORDINGS, STIMULI, WIDTH, Public

Keys = dict[str, Any]
GAZE, FEATURES = "looks", "values"  # inputs
MORE_FEATURES = "more_values"  # the same rows, chosen otherwise
KIND_OF_INPUT = {GAZE: "gaze", FEATURES: "features", MORE_FEATURES: "features"}
PILOT = Path(__file__).parents[1] / "data" / "pilot.csv"
MAPS = Path(__file__).parents[1] / "data" / "maps"  # of all stimuli
_AREAS = {"left": {"rectangle": [0, 0, 40, 60]}, "top": {"rectangle": [20, 0, 80, 30]}}


@dataclass(frozen=True)
class RandomPlan:
    """A plan, and what neighbours agree in under it."""

    document: Keys
    public: Public

    @property
    def adds_or_removes(self) -> bool:
        """Whether the number of people is private."""
        return bool(self.document["privacy"]["neighbours"] == "add-remove-one")

    @property
    def divides_people(self) -> bool:
        """Whether an output divides people by lot: which half they fall into follows from an order of people that is not drawn here."""
        return any(output.get("threshold") == "randomized" for output in self.document["outputs"])

    def of_files(self, keys: Mapping[str, Keys]) -> RandomPlan:
        """Return the plan of inputs in files; `keys` say where and how each kind is written, and `person` who a row is of."""
        inputs = {}
        for name, source in self.document["inputs"].items():
            stored = dict(keys[KIND_OF_INPUT[name]])
            columns = source["columns"] | {"person": stored.pop("person", "who")}
            inputs[name] = source | stored | {"columns": columns}
        return replace(self, document={**self.document, "inputs": inputs})

    @cached_property
    def text(self) -> str:
        """The plan as TOML."""
        lines = [f"{key} = {_written(self.document[key])}" for key in ("release", "privacy", "inputs")]
        for output in self.document["outputs"]:
            lines += ["[[outputs]]", *(f"{key} = {_written(value)}" for key, value in output.items())]
        return "\n".join(lines) + "\n"


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_written(key)} = {_written(own)}" for key, own in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def random_plan(draws: Draws) -> RandomPlan:
    """Return a plan; not every one can be built, and which cannot is public."""
    relation = one_of(draws, ("replace-one", "replace-one", "add-remove-one"))
    public = Public(*(happens(draws, 2) for _ in range(3)))
    offered: tuple[str, ...] = ("heatmap", "areas", "signals", "statistics", "records", "people", "scanpaths")
    if relation == "add-remove-one":
        offered = ("heatmap", "areas", "statistics", "scanpaths")  # others need n
    kinds = [one_of(draws, offered) for _ in range(draws.integer(1, 3))]
    outputs = [{"name": f"o{n}", "kind": kind, **_KINDS[kind](draws)} for n, kind in enumerate(kinds)]
    for output in outputs:
        if output["input"] == FEATURES and happens(draws, 4):
            output["input"] = MORE_FEATURES
        if output["kind"] == "signals" and not (public.lengths and happens(draws, 2)):
            output["length"] = draws.integer(4, 8)
    used = {output["input"] for output in outputs}
    inputs = {}
    if GAZE in used:
        inputs[GAZE] = _gaze(draws, public)
    for name in (FEATURES, MORE_FEATURES):
        if name in used:
            inputs[name] = _features(draws, public)
    privacy = {"epsilon": one_of(draws, (4.0, 50.0)), "delta": 1e-3, "neighbours": relation}
    # Four trials of a randomized test take 60; and with less, no synthetic people are learnt of so few.
    if any(output.get("threshold") == "randomized" or output["kind"] == "people" for output in outputs):
        privacy["epsilon"] = 500.0
    release = {"name": "random", "version": "1", "title": "A random plan"}
    return RandomPlan({"release": release, "privacy": privacy, "inputs": inputs, "outputs": outputs}, public)


def _gaze(draws: Draws, public: Public) -> Keys:
    columns = {"person": "who", "stimulus": "picture", "x": "x", "y": "y", "duration": "ms"}
    if happens(draws, 2):
        columns["time"] = "t"
    assumed = ["stimuli"] * public.names + ["assignment"] * public.assignment
    off_screen = one_of(draws, ("error", "drop"))
    origins = (
        ("top-left", "bottom-left")
        if off_screen == "error"
        else ("top-left", "bottom-left", "centre", "centre-y-up")
    )
    return {
        "kind": "gaze",
        "path": "in memory",
        "columns": columns,
        "screen": {"width_px": WIDTH, "height_px": HEIGHT},
        "missing": [CODE],
        "off_screen": off_screen,
        "origin": one_of(draws, origins),
        "assume_public": assumed,
        **({} if public.names else {"stimuli": some_of(draws, STIMULI)}),
        **_row_choices(draws),
    }


def _features(draws: Draws, public: Public) -> Keys:
    columns = {"person": "who", "recording": "task"}
    if happens(draws, 2):
        columns["time"] = "t"
    assumed = ["recordings"] * public.names + ["lengths"] * public.lengths
    return {
        "kind": "features",
        "path": "in memory",
        "columns": columns,
        "missing": [CODE],
        "assume_public": assumed,
        "bounds": {"size_mm": [2.0, 8.0], "open": [0.0, 1.0]},
        "categories": {"mood": list(MOODS)},
        **({} if public.names else {"recordings": some_of(draws, RECORDINGS)}),
        **_row_choices(draws),
    }


def _row_choices(draws: Draws) -> Keys:
    keys: Keys = {}
    if happens(draws, 2):
        keys["only"] = {"kind": [one_of(draws, KINDS)]}
    if happens(draws, 3):
        keys["valid"] = one_of(draws, ({"good": [0.3, 1.0]}, {"kind": [KINDS[0]]}))
    return keys


def _budget(draws: Draws) -> Keys:
    return {"share": one_of(draws, (0.1, 0.2))} if happens(draws, 4) else {}


def _heatmap(draws: Draws) -> Keys:
    keys: Keys = {"input": GAZE, "mechanism": one_of(draws, ("spectral", "gaussian", "laplace"))}
    if happens(draws, 2):
        keys["max_stimuli_per_person"] = draws.integer(1, 2)
    if keys["mechanism"] == "spectral":
        keys |= {
            "clipping": one_of(draws, ("joint", "per-stimulus")),
            "weight": one_of(draws, ("samples", "duration")),
            "prior": one_of(draws, ("centre", "none", "maps")),
            "blur_px": one_of(draws, (12.0, 20.0)),
            "clip": one_of(draws, (0.35, 2.0)),
            "exponent": one_of(draws, (1.25, 0.5)),
        }
        if happens(draws, 4):
            keys |= {"window": [0.0, 2.0], "frames": 3, "blur_time": 0.8}
        if keys["prior"] == "maps":
            keys["maps"] = str(MAPS)
        return keys | _budget(draws)
    keys |= {"width_px": 8, "height_px": 6, "blur_px": one_of(draws, (5.0, 0.0))}
    bound: int | str = one_of(draws, (3, 4, "unlimited"))
    keys["max_samples_per_stimulus"] = bound
    if keys["mechanism"] == "gaussian" and bound == "unlimited" and happens(draws, 2):
        keys["calibration"] = "liu2019"
    elif bound != "unlimited" and happens(draws, 3):
        keys |= {"cap": "private", "caps": [1, 2, 3], "cap_share": 0.5}
    else:
        keys["cap"] = draws.integer(1, 3)
    return keys | _budget(draws)


def _areas(draws: Draws) -> Keys:
    keys: Keys = {
        "input": GAZE,
        "areas": _AREAS,
        "transitions": happens(draws, 2),
        "noise": one_of(draws, ("laplace", "gaussian")),
        "weight": one_of(draws, ("samples", "duration")),
    }
    if happens(draws, 2):
        keys["max_stimuli_per_person"] = draws.integer(1, 2)
    return keys | _budget(draws)


def _signals(draws: Draws) -> Keys:
    keys: Keys = {
        "input": FEATURES,
        "mechanism": one_of(draws, ("spectral", "lpa", "fpa", "cfpa", "dcfpa")),
        "completion": one_of(draws, ("hold", "centre")),
    }
    if happens(draws, 2):
        keys["features"] = ["open"]
    if keys["mechanism"] == "spectral":
        keys["baseline"] = one_of(draws, ("person", "recording", "none", "start"))
        if keys["baseline"] == "start":
            keys["baseline_steps"] = 2
        keys["coefficients"] = draws.integer(1, 3)
        return keys | _budget(draws)
    if keys["mechanism"] in ("cfpa", "dcfpa"):
        keys["chunk"] = one_of(draws, (3, 4))
    keys |= {"query": one_of(draws, ("each", "mean")), "noise": one_of(draws, ("laplace", "gaussian"))}
    if keys["mechanism"] != "lpa":
        if happens(draws, 2):
            keys |= {"coefficients": "private", "candidates": [1, 2], "choice_share": 0.5}
        else:
            keys["coefficients"] = draws.integer(1, 2)
        if happens(draws, 3):
            keys["clip"] = 0.5
    if keys["mechanism"] == "dcfpa" and happens(draws, 2):
        keys["max_change"] = 0.2
    return keys | _budget(draws)


def _statistics(draws: Draws) -> Keys:
    offered = ("mean", "count", "sum", "variance", "histogram", "median", "quantile:0.2")
    keys: Keys = {
        "input": FEATURES,
        "statistics": some_of(draws, offered)[:4],
        "noise": one_of(draws, ("laplace", "gaussian")),
        "bins": draws.integer(2, 4),
        "quantile_steps": 8,
    }
    of_gaze = happens(draws, 3)
    if of_gaze:
        measures = {
            "fixation_count": [0, 4],
            "fixation_duration": [0, 400],
            "total_fixation_duration": [0, 900],
        }
        keys |= {"input": GAZE, "bounds": {name: measures[name] for name in some_of(draws, list(measures))}}
        if happens(draws, 2):
            keys["areas"] = _AREAS
    if happens(draws, 2):
        keys["by"] = "stimulus" if of_gaze else one_of(draws, ("recording", "mood"))
        if happens(draws, 2):
            keys["max_groups_per_person"] = 1
        elif happens(draws, 2):
            keys["everyone_in_every_group"] = True
    if happens(draws, 4):
        keys["quantile_share"] = 0.5
    return keys | _budget(draws)


def _records_of_trials(draws: Draws) -> Keys:
    tokens = {
        "fixations": draws.integer(1, 3),
        "columns": 2,
        "rows": draws.integer(1, 2),
        "durations_ms": [0, 100, 500],
        "kept": one_of(draws, ([0, 1], [0, 1], [1])),
        "scanpaths": 1,
        "sampling_seed": draws.integer(0, 1),
        "duration_unit": one_of(draws, ("ms", "s")),
    }
    keys: Keys = {"input": GAZE, "model": "seeded", "k": 2, "gamma": 4.0, "tokens": tokens}
    return keys | {"fit": one_of(draws, ("dp", "exact")), "copies": one_of(draws, ("keep", "exclude"))}


def _records(draws: Draws) -> Keys:
    if happens(draws, 4):
        return _records_of_trials(draws)
    keys: Keys = {
        "input": FEATURES,
        "bins": draws.integer(2, 3),
        "missing": one_of(draws, ("category", "drop")),
        "rows": 20,
    }
    if happens(draws, 2):
        keys["task"] = one_of(draws, ("recording", "mood"))
    if happens(draws, 2):
        keys["dependence"] = "tree"
    if happens(draws, 2):
        keys["per_task"] = "task" in keys and happens(draws, 2)
    if happens(draws, 3):
        mood = [] if keys.get("task") == "mood" else ["mood"]
        keys["order"] = ["open", *mood, "size_mm"]
    if happens(draws, 3):
        keys |= {"model": "seeded", "k": 2, "gamma": 4.0, "resampled": one_of(draws, (1, [1, 2]))}
        if happens(draws, 3):
            keys.pop("rows")
            return keys | {"fit": "dp", "threshold": "randomized", "epsilon0": 12.0, "trials": 4}
        fit, count = one_of(draws, ("dp", "exact")), one_of(draws, ("person", "record"))
        return keys | {"fit": fit, "count": count, "copies": one_of(draws, ("keep", "exclude"))}
    return {**keys, "model": "marginals", "fit": "dp", "noise": one_of(draws, ("laplace", "gaussian"))}


def _people(draws: Draws) -> Keys:
    keys: Keys = {"input": FEATURES, "windows": draws.integer(2, 4), "people": draws.integer(1, 4)}
    if happens(draws, 2):
        keys["max_windows"] = draws.integer(2, 5)
    if happens(draws, 2):
        keys["features"] = [one_of(draws, ("size_mm", "open"))]
    if happens(draws, 3):
        keys["lattice"] = dict.fromkeys(keys.get("features", ["open"]), 0.25)
    if happens(draws, 3):
        keys["sampling_seed"] = 5
    if happens(draws, 3):
        keys["pilot"] = str(PILOT)
    return keys | _budget(draws)


def _scanpaths(draws: Draws) -> Keys:
    keys: Keys = {
        "input": GAZE,
        "viewing_time_s": one_of(draws, (0.3, 2.0)),
        "scanpaths": draws.integer(1, 3),
        "prior": one_of(draws, ("centre", "none", "maps")),
        "prior_flat": one_of(draws, (0.15, 0.5)),
        "blur_px": one_of(draws, (12.0, 20.0)),
    }
    if happens(draws, 2):
        keys["max_stimuli_per_person"] = draws.integer(1, 2)
    if happens(draws, 3):
        keys |= {"dynamics_share": 0.7, "sampling_seed": 5}
    if happens(draws, 3):
        keys |= {"duration_unit": "s", "exponent": 0.5, "clip": 2.0}
    if keys["prior"] == "maps":
        keys["maps"] = str(MAPS)
    return keys | _budget(draws)


_KINDS = {
    "heatmap": _heatmap,
    "areas": _areas,
    "signals": _signals,
    "statistics": _statistics,
    "records": _records,
    "people": _people,
    "scanpaths": _scanpaths,
}
