"""Detectors that look at finished bundles as an auditor does: `verify`, which has no data."""

from __future__ import annotations

import re
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from invented_study import write_study

import synthrelease
from auditing.detectors import Detector, Verdict
from synthrelease.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from synthrelease.dp.noise import SecureRandom

PRIVACY = """
[privacy]
epsilon = {epsilon}
delta = 1e-4
neighbours = "{neighbours}"
"""
OUTPUTS = {
    "maps": """
kind = "heatmap"
input = "gaze"
mechanism = "gaussian"
width_px = 16
height_px = 12
max_samples_per_stimulus = 20
max_stimuli_per_person = 2
blur_px = 5
""",
    "blurred": """
kind = "heatmap"
input = "gaze"
blur_px = 10
""",
    "chunks": """
kind = "signals"
input = "pupil"
mechanism = "cfpa"
chunk = 8
length = 24
coefficients = 3
""",
    "changes": """
kind = "signals"
input = "pupil"
mechanism = "dcfpa"
noise = "gaussian"
chunk = 8
length = 24
coefficients = 3
""",
    "people": """
kind = "people"
input = "pupil"
people = 6
windows = 4
""",
    "summary": """
kind = "statistics"
input = "pupil"
statistics = ["count", "mean", "histogram"]
bins = 40
""",
}


def write_plan(folder: Path, *names: str, epsilon: float, neighbours: str = "replace-one") -> Path:
    """Write the data of the invented study, with a plan of some of the outputs, and return its path."""
    plan = write_study(folder)
    head, inputs = plan.read_text().split("[[outputs]]")[0].split("[privacy]")
    inputs = inputs[inputs.index("[inputs") :].replace(
        'assume_public = ["stimuli"]', 'stimuli = ["garden", "street.jpg"]'
    )
    inputs = inputs.replace('assume_public = ["recordings"]', 'recordings = ["read", "search"]')
    outputs = [f'[[outputs]]\nname = "{name}"{OUTPUTS[name]}' for name in names]
    # Public data are refused beside an input that nothing is made of.
    first, *tables = re.split(r"(?m)^(?=\[inputs\.)", inputs)
    used = {tomllib.loads(output)["outputs"][0]["input"] for output in outputs}
    inputs = first + "".join(table for table in tables if next(iter(tomllib.loads(table)["inputs"])) in used)
    privacy = PRIVACY.format(epsilon=epsilon, neighbours=neighbours)
    plan.write_text("\n".join([head, privacy, inputs, *outputs]))
    return plan


def bundle_of(*names: str, epsilon: float = 0.5, neighbours: str = "replace-one") -> Detector:
    """Detect what `verify` finds in a release; that of the build itself, under the fault, or an auditor's."""
    about = "" if neighbours == "replace-one" else f" under {neighbours}"
    return bundle_from(
        f"{' and '.join(names)}{about}",
        lambda folder: write_plan(folder, *names, epsilon=epsilon, neighbours=neighbours),
    )


def bundle_from(what: str, write: Callable[[Path], Path]) -> Detector:
    """Detect the same in a release whose data and plan a function writes into a folder."""

    def make(random: SecureRandom) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            seed = int(random.integers(2**31, 1)[0])
            built = synthrelease.build(write(Path(folder)), Path(folder) / "r.h5", test_seed=seed)
            return built.path.read_bytes()

    def judge(content: bytes) -> Verdict:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "r.TEST-SEED.h5"
            path.write_bytes(content)
            found = synthrelease.verify(path)
        others = sorted({finding.code for finding in found.findings} - {"test-seed"})
        if others:
            return Verdict(True, f"verify finds: {', '.join(others)}")
        return Verdict(
            found.ok, "a test seed that is not reported" if found.ok else "verify finds a test seed only"
        )

    return Detector(f"bundle of {what}", make, judge)


def two_builds() -> Detector:
    """Detect two builds without a seed that have the same noise."""

    def make(_random: SecureRandom) -> list[Any]:
        found = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                plan = write_plan(Path(folder), "summary", epsilon=0.5)
                built = synthrelease.build(plan, Path(folder) / "r.h5")
                bundle = synthrelease.open_bundle(built.path)
                output = bundle["summary"]
                found.append(
                    np.concatenate([output[k].ravel() for k in sorted(output) if k.endswith("/noisy")])
                )
        return found

    def judge(found: list[Any]) -> Verdict:
        same = int((found[0] == found[1]).sum())
        return Verdict(same > len(found[0]) // 2, f"{same} of {len(found[0])} noisy integers are the same")

    return Detector("two builds of one plan", make, judge)


def shared_pilot() -> Detector:
    """Detect a release that starts from a pilot with its own participants: one label is enough for a refusal."""
    return _sharing("pilot", "people", "pupil.csv", 'pilot = "public.csv"\n')


def shared_gaze() -> Detector:
    """Detect a release that starts from public maps of its own participants' gaze."""
    return _sharing("public gaze", "blurred", "gaze.csv", 'prior = "maps"\nmaps = "public.csv"\n')


def maps_of_neighbours() -> Detector:
    """Detect public maps in a release that are others if a participant is another."""

    def make(random: SecureRandom) -> tuple[bytes, ...]:
        with tempfile.TemporaryDirectory() as folder:
            plan = write_plan(Path(folder), "blurred", epsilon=5.0)
            plan.write_text(plan.read_text() + 'prior = "maps"\nmaps = "public.csv"\n')
            head, *rows = (Path(folder) / "gaze.csv").read_text().splitlines(keepends=True)
            (Path(folder) / "public.csv").write_text("".join([head, *("other " + row for row in rows)]))
            own = [row for row in rows if row.partition(",")[0] == rows[0].partition(",")[0]]
            other = [own[-1]] * len(
                own
            )  # someone who looks at one point, in the place of the first participant
            others = [row for row in rows if row not in own]
            seed = int(random.integers(2**31, 1)[0])
            return tuple(_public_map(plan, [head, *first, *others], seed) for first in (own, other))

    def judge(maps: tuple[bytes, ...]) -> Verdict:
        differ = len(set(maps)) > 1
        return Verdict(differ, f"public maps of neighbours are {'others' if differ else 'the same'}")

    return Detector("public maps of neighbours", make, judge)


def _public_map(plan: Path, table: list[str], seed: int) -> bytes:
    (plan.parent / "gaze.csv").write_text("".join(table))
    path = synthrelease.build(plan, plan.parent / "r.h5", test_seed=seed, force=True).path
    return np.asarray(synthrelease.open_bundle(path, allow_test_seed=True)["blurred"]["public_map"]).tobytes()


def _sharing(noun: str, output: str, table: str, keys: str) -> Detector:
    """Detect a release that starts from public data with one of its participants."""

    def make(_random: SecureRandom) -> tuple[bool, ...]:
        with tempfile.TemporaryDirectory() as folder:
            plan = write_plan(Path(folder), output, epsilon=500.0)
            plan.write_text(plan.read_text() + keys)
            rows = (Path(folder) / table).read_text().splitlines(keepends=True)
            others = [rows[0], *("other " + row for row in rows[1:])]
            own = [rows[0], *rows[1:2], *others[2:]]
            code = f"{noun.replace(' ', '-')}-shares-people"
            return tuple(_is_built(plan, public, code) for public in (others, own))

    def judge(built: tuple[bool, ...]) -> Verdict:
        with_others, with_participant = built
        said = f"a {noun} of others is {'used' if with_others else 'refused'}, one with a participant {'used' if with_participant else 'refused'}"
        return Verdict(with_participant or not with_others, said)

    return Detector(f"{noun} that shares a participant", make, judge)


def _is_built(plan: Path, public: list[str], code: str) -> bool:
    (plan.parent / "public.csv").write_text("".join(public))
    try:
        synthrelease.preview(plan)
    except PlanError as error:
        if error.code != code:
            raise
        return False
    return True
