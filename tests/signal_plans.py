"""A plan of one signals output, with any options, over two small recordings of two features."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from synthrelease.building.design import Design, make_design
from synthrelease.plan.plan import load_plan

PEOPLE, LENGTH = 20, 40
RECORDINGS = ("read", "search")


def write_pupils(folder: Path, *, seed: int = 0, people: int = PEOPLE, longest: int = 50) -> None:
    """Write pupils.csv: everyone's recordings, of some length, one of them of the longest."""
    rng = np.random.default_rng(seed)
    rows = ["who,task,t,left,right"]
    for person in range(people):
        for task in RECORDINGS:
            steps = longest if person == 0 else int(rng.integers(20, longest))
            rows += [
                f"p{person},{task},{t},{left:.3f},{right:.3f}"
                for t, (left, right) in enumerate(rng.uniform(2, 8, (steps, 2)))
            ]
    (folder / "pupils.csv").write_text("\n".join(rows) + "\n")


def design_signals(folder: Path, **options: Any) -> Design:
    """Return the design of a plan whose only output has these options; `length` is 40 unless it is None.

    Besides: epsilon, delta, neighbours, recordings, assume_public, which the release or its input has.
    """
    if not (folder / "pupils.csv").exists():
        write_pupils(folder)
    privacy = {"epsilon": options.pop("release_epsilon", 1.0), "delta": options.pop("delta", 1e-6)}
    if "neighbours" in options:
        privacy["neighbours"] = options.pop("neighbours")
    source = {key: options.pop(key) for key in ("recordings", "assume_public") if key in options}
    source = source or {"recordings": list(RECORDINGS)}
    options = {"length": LENGTH} | options
    options = {key: value for key, value in options.items() if value is not None}
    lines = [
        '[release]\nname = "study"\nversion = "1"\ntitle = "A study"\n[privacy]',
        *(f"{key} = {json.dumps(value)}" for key, value in privacy.items()),
        '[inputs.pupils]\nkind = "features"\npath = "pupils.csv"',
        'columns = { person = "who", recording = "task", time = "t" }',
        *(f"{key} = {json.dumps(value)}" for key, value in source.items()),
        "bounds = { left = [2, 8], right = [2, 8] }",
        '[[outputs]]\nname = "course"\nkind = "signals"\ninput = "pupils"',
        *(f"{key} = {json.dumps(value)}" for key, value in options.items()),
    ]
    (folder / "plan.toml").write_text("\n".join(lines) + "\n")
    return make_design(load_plan(folder / "plan.toml"))
