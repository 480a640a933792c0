"""Every fact that a plan assumes to be public × every way to choose rows: no one's behaviour is in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from random_plans.compared import differences
from random_plans.observed import Observer
from random_plans.plans import FEATURES, GAZE, RandomPlan
from random_plans.study import CODE, HEIGHT, KINDS, RECORDINGS, STIMULI, Person, Public, Study

CHOICES: dict[str, dict[str, Any]] = {
    "only": {"only": {"kind": [KINDS[0]]}},
    "valid": {"valid": {"good": [0.5, 1.0]}},
    "missing": {"missing": [CODE]},
    "off_screen": {"off_screen": "drop"},
    "coordinates": {"coordinates": "normalised", "off_screen": "drop"},
    "all": {"only": {"kind": [KINDS[0]]}, "valid": {"good": [0.5, 1.0]}, "missing": [CODE]},
}
ASSUMED = {
    "stimuli": (GAZE, {"assume_public": ["stimuli"]}),
    "assignment": (GAZE, {"assume_public": ["stimuli", "assignment"]}),
    "recordings": (FEATURES, {"assume_public": ["recordings"]}),
    "lengths": (FEATURES, {"assume_public": ["recordings", "lengths"]}),
}
# What a row is like that a choice leaves out, of either input.
LEFT_OUT: dict[str, dict[str, Any]] = {
    "only": {"kind": KINDS[1]},
    "valid": {"good": 0.1},
    "missing": {"x": CODE, "size_mm": CODE, "open": CODE},
    "off_screen": {"y": HEIGHT + 5.0},
    "coordinates": {"y": 1.5},
    "all": {"kind": KINDS[1], "good": 0.1, "x": CODE, "size_mm": CODE, "open": CODE},
}
OUTPUTS = {
    GAZE: [
        {"name": "maps", "kind": "heatmap", "input": GAZE, "blur_px": 12.0},
        {"name": "shares", "kind": "areas", "input": GAZE, "areas": {"left": {"rectangle": [0, 0, 40, 60]}}},
        {
            "name": "fixations",
            "kind": "statistics",
            "input": GAZE,
            "statistics": ["count", "mean"],
            "bounds": {"fixation_count": [0, 9], "fixation_duration": [0, 400]},
            "by": "stimulus",
        },
    ],
    FEATURES: [
        {"name": "course", "kind": "signals", "input": FEATURES},
        {"name": "means", "kind": "statistics", "input": FEATURES, "statistics": ["mean"], "by": "recording"},
        {
            "name": "of_everyone",
            "kind": "statistics",
            "input": FEATURES,
            "statistics": ["mean", "variance", "histogram"],
            "by": "recording",
            "everyone_in_every_group": True,
        },
    ],
}


@pytest.fixture(scope="module")
def observer() -> Iterator[Observer]:
    with Observer() as closed:
        yield closed


def plan_of(choice: str, assumed: str) -> RandomPlan:
    source, facts = ASSUMED[assumed]
    inputs: dict[str, Any] = {
        GAZE: {
            "kind": "gaze",
            "path": "in memory",
            "columns": {"person": "who", "stimulus": "picture", "x": "x", "y": "y", "duration": "ms"},
            "screen": {"width_px": 80, "height_px": HEIGHT},
        },
        FEATURES: {
            "kind": "features",
            "path": "in memory",
            "columns": {"person": "who", "recording": "task", "time": "t"},
            "bounds": {"size_mm": [2.0, 8.0], "open": [0.0, 1.0]},
        },
    }
    keys = {key: value for key, value in CHOICES[choice].items() if source == GAZE or key not in _OF_GAZE}
    outputs = [dict(output) for output in OUTPUTS[source]]
    if source == FEATURES and assumed != "lengths":
        outputs[0]["length"] = 5
    document = {
        "release": {"name": "facts", "version": "1", "title": "Facts"},
        "privacy": {"epsilon": 50.0, "delta": 1e-3, "neighbours": "replace-one"},
        "inputs": {source: {"missing": [CODE], **inputs[source], **keys, **facts}},
        "outputs": outputs,
    }
    return RandomPlan(document, Public(names=True, assignment=True, lengths=True))


_OF_GAZE = ("off_screen", "coordinates")


def person(label: str, *, everything: bool) -> Person:
    """Someone whose rows every choice keeps: of one stimulus and one recording, or of all, and longer."""
    pictures, tasks, rows = (STIMULI, RECORDINGS, 6) if everything else (STIMULI[:1], RECORDINGS[:1], 4)
    kept = {"kind": KINDS[0], "good": 0.9}
    looks = {"x": 0.5, "y": 0.5, "ms": 200, **kept}
    values = {"size_mm": 3.0, "open": 0.5, "mood": "calm", **kept}
    return Person(
        label,
        tuple({"picture": name, "t": 0.5 * t, **looks} for name in pictures for t in range(rows)),
        tuple({"task": name, "t": 0.5 * t, **values} for name in tasks for t in range(rows)),
    )


@pytest.mark.quick
@pytest.mark.parametrize("assumed", ASSUMED)
@pytest.mark.parametrize("choice", CHOICES)
def test_a_person_of_whom_no_row_is_left_changes_noisy_values_alone(
    observer: Observer, choice: str, assumed: str
) -> None:
    """The only one who saw all, for longest, is replaced by someone who has as many rows, none of which counts."""
    plan, everything = plan_of(choice, assumed), person("m", everything=True)
    others = [person(label, everything=False) for label in ("a", "p", "z")]
    left_out = {
        kind: tuple(
            {key: LEFT_OUT[choice].get(key, value) for key, value in row.items()}
            for row in getattr(everything, kind)
        )
        for kind in ("gaze", "features")
    }
    studies = [Study((*others[:2], one, others[2])) for one in (everything, replace(everything, **left_out))]
    one, other = (observer.of(plan, study) for study in studies)
    assert not one.refused
    assert differences(plan, one, other) == []
