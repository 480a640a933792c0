"""A small invented study whose plan names a ledger: one output, built in a moment."""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from synthrelease.dp.guarantee import Neighbours
from synthrelease.ledgers import Ledger

PLAN = """
[release]
name = "small-study"
version = "1.0.0"
title = "A small invented study"

[privacy]
epsilon = 1.0
delta = 1e-6
ledger = "ledger.sqlite"
dataset = "study"

[inputs.gaze]
kind = "gaze"
path = "gaze.csv"
columns = { person = "who", stimulus = "picture", x = "x", y = "y" }
screen = { width_px = 80, height_px = 60 }
stimuli = ["garden"]

[[outputs]]
name = "maps"
kind = "heatmap"
input = "gaze"
mechanism = "gaussian"
width_px = 8
height_px = 6
max_samples_per_stimulus = 8
blur_px = 10
"""


def write_paid_study(folder: Path, *, people: int = 40, **changes: Any) -> Path:
    """Write gaze.csv and plan.toml, and return the plan's path; `changes` as in `changed`."""
    write_gaze(folder, people=people)
    (folder / "plan.toml").write_text(changed(PLAN, **changes))
    return folder / "plan.toml"


def write_gaze(folder: Path, *, people: int = 40) -> None:
    """Write gaze.csv."""
    rng = np.random.default_rng(20261125)
    gaze = ["who,picture,x,y"]
    gaze += [
        f"p{n},garden,{rng.uniform(0, 80):.2f},{rng.uniform(0, 60):.2f}"
        for n in range(people)
        for _ in range(6)
    ]
    (folder / "gaze.csv").write_text("\n".join(gaze) + "\n")


def changed(plan: str, **changes: Any) -> str:
    """Return a plan with other values of some keys, as it writes them."""
    for key, value in changes.items():
        plan = re.sub(f"^{key} = .*$", f"{key} = {value}", plan, flags=re.MULTILINE)
    return plan


def grant(folder: Path, epsilon: float = 10.0, delta: float = 1e-5) -> Ledger:
    """Make the ledger that the plan names."""
    ledger = Ledger(folder / "ledger.sqlite")
    ledger.grant("study", epsilon, delta, Neighbours.REPLACE_ONE)
    return ledger


def run_build(plan: str, bundle: str) -> None:
    """Build in a process of its own: here, where such a process can import it."""
    from synthrelease.cli import main

    with contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
        main(["--quiet", "build", plan, "--yes", "-o", bundle])


def run_build_at_once(plan: Path, bundle: Path, policy: Path, ready: Any) -> None:
    """Build in a process of its own: come as far as to pay, wait for the others, and pay; 4 if the policy refuses it then."""
    import synthrelease
    from synthrelease.errors import PolicyError

    real = Ledger.debit

    def together(*arguments: Any) -> Any:
        ready.wait(60)
        return real(*arguments)

    Ledger.debit = together  # type: ignore[method-assign]
    try:
        synthrelease.build(plan, bundle, policy=policy)
    except PolicyError as error:
        sys.exit(4 if error.code == "exceeds-policy" else 1)


def build_one_of_many(plan: Path, bundle: Path, ready: Any) -> None:
    """Build in a process of its own, beginning with others; 6 if the machine refuses it."""
    import synthrelease
    from synthrelease.errors import MachineError

    ready.wait(60)
    try:
        synthrelease.build(plan, bundle)
    except MachineError as error:
        sys.exit(error.exit_code)
