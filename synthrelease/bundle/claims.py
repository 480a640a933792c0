"""Recomputing what a manifest claims: sensitivity from public parameters, guarantee from the event.

Only the accounting and the sensitivity formulas are used here, none of the mechanisms' own code.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from synthrelease.bundle import signal_claims, statistic_claims
from synthrelease.bundle.contents import records_subsets
from synthrelease.bundle.forms import spectral_form
from synthrelease.data.areas import ELSEWHERE
from synthrelease.maths.spectral import RADIUS
from synthrelease.maths.statistics import PERSON_STEPS
from synthrelease.maths.steps import HALF_RANGE
from synthrelease.privacy import accounting
from synthrelease.privacy import event as events
from synthrelease.privacy import guarantee as guarantees
from synthrelease.privacy.deniability import is_vacuous
from synthrelease.privacy.event import (
    BOZKIR2021_EVENT,
    Composed,
    DeniabilityTest,
    DiscreteLaplace,
    Disjoint,
    Event,
    Noise,
    PrivateChoice,
    RandomizedTest,
    RoundedGaussian,
    Unprotected,
    flatten,
)
from synthrelease.privacy.guarantee import Guarantee, Neighbours
from synthrelease.privacy.sensitivity import (
    Sensitivity,
    area_shares,
    gaze_maps,
    joint_counts,
    spectral_maps,
)

UNCALLED_CHOICE = "a private choice that the parameters do not call for, or none where they do"
_CARE = 1e-6  # relative: what two versions of the accounting library may differ in the last digits


def stated_sensitivity(output: dict[str, Any], neighbours: Neighbours) -> Sensitivity:
    """Return the sensitivity that follows from an output's public parameters."""
    p = output["mechanism"]["parameters"]
    match output["kind"]:
        case "heatmap" if output["mechanism"]["name"] == "spectral":
            return spectral_maps(
                coefficients=spectral_form(p).band.count,
                radius=RADIUS,
                stimuli=len(p["stimuli"]),
                max_stimuli=p["max_stimuli_per_person"],
                joint=p["clipping"] == "joint",
                neighbours=neighbours,
            )
        case "heatmap":
            return gaze_maps(
                cells=p["rows"] * p["columns"],
                cap=p["cap"],
                max_samples=p["max_samples_per_stimulus"],
                stimuli=len(p["stimuli"]),
                max_stimuli=p["max_stimuli_per_person"],
                assignment_public=p["assignment_public"],
                neighbours=neighbours,
            )
        case "areas":
            return area_shares(
                stimuli=len(p["stimuli"]),
                max_stimuli=p["max_stimuli_per_person"],
                transitions=p["transitions"],
                neighbours=neighbours,
            )
        case "signals":
            return signal_claims.sensitivity(output["mechanism"], neighbours)
        case "statistics":
            return statistic_claims.sensitivity(p, neighbours)
        case "records":
            return joint_counts(sets=len(records_subsets(p)), neighbours=neighbours)
    raise ValueError("Expected a known kind of output, found another")


def most_counts(output: dict[str, Any]) -> tuple[int | None, int | None]:  # noqa: PLR0911  one for each kind
    """Return bounds of the true integers of an output: of any one's magnitude, and of their sum; None if unknown."""
    p, people = output["mechanism"]["parameters"], output["mechanism"]["public_inputs"]["people"]
    if people is None:
        return None, None
    match output["kind"]:
        case "heatmap" if output["mechanism"]["name"] == "spectral":
            return people * RADIUS, None
        case "heatmap":
            in_cell, in_map = p["cap"], p["cap"] * p["rows"] * p["columns"]
            if p["max_samples_per_stimulus"] is not None:
                in_cell = min(in_cell, p["max_samples_per_stimulus"])
                in_map = min(in_map, p["max_samples_per_stimulus"])
            return people * in_cell, people * p["max_stimuli_per_person"] * in_map
        case "areas":
            return _most_area_shares(p, output["mechanism"]["public_inputs"])
        case "signals":
            return signal_claims.largest(output["mechanism"], people), None
        case "statistics":
            return people * PERSON_STEPS, None
        case "records":
            leaves = flatten(events.from_json(output["event"]))
            seeds = sum(leaf.seeds for leaf in leaves if isinstance(leaf, RandomizedTest))
            return (people - seeds) * HALF_RANGE, None
    raise ValueError("Expected a known kind of output, found another")


def _most_area_shares(p: dict[str, Any], public: dict[str, Any]) -> tuple[int, int]:
    """Bounds of the shares in an area, and of all shares: W on each stimulus of everybody who counts there.

    Viewers are those to expect; labels, which decide, may make it more, but hardly by eight standard deviations.
    """
    people, viewers = public["people"], public["viewers"]
    each, vectors = people, people * p["max_stimuli_per_person"]
    if viewers:
        each = min(each, math.ceil(max(viewers) + 8 * math.sqrt(max(viewers)) + 8))
        vectors = min(vectors, math.ceil(sum(viewers) + 8 * math.sqrt(sum(viewers)) + 8))
    return each * HALF_RANGE, vectors * HALF_RANGE * (2 if p["transitions"] else 1)


def event_faults(
    output: dict[str, Any], *, neighbours: Neighbours, people: int | None, integers: int
) -> Iterator[tuple[str, str]]:
    """Yield (code, fault) where an output's event does not follow from its parameters.

    Args:
        output: an entry of the manifest's `outputs`.
        neighbours: the release's relation.
        people: the number of people the manifest states for this output.
        integers: how many noised integers the file holds for it.
    """
    event = events.from_json(output["event"])
    if event.to_json() != output["event"]:
        yield "manifest", "the event's numbers are not written in the one form that they have"
    leaves = flatten(event)
    noises = [leaf for leaf in leaves if isinstance(leaf, events.Noise)]
    if len(noises) > 1:
        yield "noise", "more than one noise event"
        return
    noise = noises[0] if noises else None
    if (noise is None) != (output["noise"] is None) or (noise is None) != (output["sensitivity"] is None):
        yield "noise", "event, noise and sensitivity do not agree on whether there is noise"
        return
    if (noise is None) != (integers == 0):
        yield "noise", "noised integers without a noise event, or the reverse"
        return
    unprotected = any(isinstance(leaf, Unprotected) for leaf in leaves)
    if unprotected and (output["kind"] != "signals" or event != BOZKIR2021_EVENT):
        yield "guarantee", "an event without protection that no mechanism is known for"
    yield from _parameter_faults(output, noise)
    if noise is not None:
        yield from _noise_faults(output, noise, stated_sensitivity(output, neighbours), integers)
    yield from _choice_faults(output, [leaf for leaf in leaves if isinstance(leaf, PrivateChoice)])
    tests = [leaf for leaf in leaves if isinstance(leaf, DeniabilityTest | RandomizedTest)]
    if output["kind"] == "records":
        yield from _test_faults(output, event, tests, people)
    elif tests or isinstance(event, Disjoint):
        yield "guarantee", "a deniability test, or disjoint people, where there are no records"


def _parameter_faults(output: dict[str, Any], noise: Noise | None) -> Iterator[tuple[str, str]]:
    """Where name, parameters and noise of an output contradict each other."""
    p, name = output["mechanism"]["parameters"], output["mechanism"]["name"]
    if any(feature["low"] >= feature["high"] for feature in p.get("features", [])):
        yield "manifest", "the bounds of a feature are no interval"
    match output["kind"]:
        case "heatmap":
            yield from _heatmap_parameter_faults(p, name, noise)
            if name == "spectral":
                yield from _spectral_parameter_faults(p, output["mechanism"]["public_inputs"])
        case "areas":
            yield from _area_parameter_faults(p, name, noise, output["mechanism"]["public_inputs"])
        case "signals":
            yield from signal_claims.faults(output["mechanism"], events.from_json(output["event"]), noise)
        case "statistics":
            made = [
                leaf for leaf in flatten(events.from_json(output["event"])) if isinstance(leaf, PrivateChoice)
            ]
            yield from statistic_claims.faults(output["mechanism"], noise, made)
        case "records":
            yield from _records_parameter_faults(p, name)
        case _:
            raise ValueError("Expected a known kind of output, found another")


def _heatmap_parameter_faults(p: dict[str, Any], name: str, noise: Noise | None) -> Iterator[tuple[str, str]]:
    if noise is None or isinstance(noise, RoundedGaussian) != (name != "laplace"):
        yield "noise", "the mechanism's name is not that of its noise"
    if p.get("calibration") == "liu2019" and p["max_samples_per_stimulus"] is not None:
        yield "manifest", "Liu et al. 2019 do not bound a person's samples"
    if p["max_stimuli_per_person"] > len(p["stimuli"]):
        yield "manifest", "more stimuli per person than there are"


def _area_parameter_faults(
    p: dict[str, Any], name: str, noise: Noise | None, public: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    if noise is None or isinstance(noise, RoundedGaussian) != (name == "gaussian"):
        yield "noise", "the mechanism's name is not that of its noise"
    if p["max_stimuli_per_person"] > len(p["stimuli"]):
        yield "manifest", "more stimuli per person than there are"
    yield from _viewer_faults(p, public)
    names = [area["name"] for area in p["areas"]]
    if len(set(names)) < len(names) or names[-1] != ELSEWHERE:
        yield "manifest", f"two areas of one name, or '{ELSEWHERE}' does not stand last"
    for area in p["areas"]:
        shape, corners, label = area["shape"], area["coordinates"], area["label"]
        drawn = corners is not None and (len(corners) == 2 if shape == "rectangle" else len(corners) > 2)
        if (area["name"] == ELSEWHERE) != (shape is None) or (shape == "label") != (label is not None):
            yield "manifest", f"the area '{area['name']}' has not the shape it is said to have"
        elif (shape in ("rectangle", "polygon")) != drawn or (corners is not None and not drawn):
            yield "manifest", f"the area '{area['name']}' has not the corners of its shape"
        if not set(area["stimuli"] or ()) <= set(p["stimuli"]):
            yield "manifest", f"the area '{area['name']}' is of a stimulus that is not listed"
    viewers = public["viewers"]
    # Each is rounded to a whole person.
    most = (
        public["people"] * p["max_stimuli_per_person"] + len(p["stimuli"]) / 2 if viewers is not None else 0
    )
    if viewers is not None and sum(viewers) > most:
        yield "manifest", "more viewers than people may count on so many stimuli"


def _viewer_faults(p: dict[str, Any], public: dict[str, Any]) -> Iterator[tuple[str, str]]:
    viewers, people = public["viewers"], public["people"]
    if (viewers is None) != (people is None or not p["assignment_public"]):
        yield "manifest", "numbers of viewers stand where the assignment and n are public, and only there"
    elif viewers is not None and (len(viewers) != len(p["stimuli"]) or max(viewers) > people):
        yield "manifest", "not one number of viewers for each stimulus, or more viewers than people"


def _spectral_parameter_faults(p: dict[str, Any], public: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _viewer_faults(p, public)
    static = [p[key] is None for key in ("window", "blur_time", "frames")]
    if len(set(static)) > 1 or (p["window"] is not None and not p["window"][0] < p["window"][1]):
        yield "manifest", "window, frames and blur over time do not agree"


def _records_parameter_faults(p: dict[str, Any], name: str) -> Iterator[tuple[str, str]]:
    attributes = p["attributes"]
    m = len(attributes)
    if sorted(p["order"]) != list(range(m)) or (p["task"] and p["order"][0] != 0):
        yield "manifest", "the order is no permutation, or the task's label does not stand first"
    if any(
        a["labels"] is not None and len(a["labels"]) + a["missing"] != a["categories"] for a in attributes
    ):
        yield "manifest", "the labels of an attribute are not its categories"
    if p["task"] and (attributes[0]["labels"] is None or attributes[0]["missing"]):
        yield "manifest", "the task has no labels, or may be missing"
    if p["per_task"] and not p["task"]:
        yield "manifest", "a model per task without a task"
    if max(p["resampled"]) > m - (p["task"] and name == "seeded") or (
        name == "marginals" and p["resampled"] != [m]
    ):
        yield "guarantee", "the number of drawn attributes is not possible for this model"


def _noise_faults(
    output: dict[str, Any], noise: Noise, sensitivity: Sensitivity, integers: int
) -> Iterator[tuple[str, str]]:
    derived = sensitivity.l2 if isinstance(noise, RoundedGaussian) else sensitivity.l1
    if noise.sensitivity != derived:
        yield "sensitivity", f"the event states {noise.sensitivity}, the parameters give {derived}"
    if output["sensitivity"]["norm"] != noise.norm or output["sensitivity"]["value"] != repr(derived):
        yield "sensitivity", "the stated sensitivity is not the one the parameters give"
    if noise.count != integers:
        yield "noise", f"the event covers {noise.count} integers, the file holds {integers}"
    stated = output["noise"]
    if stated["distribution"] != noise.type or stated["scale"] != repr(noise.scale):
        yield "noise", "noise and event do not agree"
    elif stated["standard_deviation"] != repr(noise.standard_deviation):
        yield "noise", "the standard deviation does not follow from the scale"


def _choice_faults(output: dict[str, Any], choices: list[PrivateChoice]) -> Iterator[tuple[str, str]]:
    """Where choices are not those that the parameters call for: of a cap, of frequencies for signals, of quantiles."""
    p = output["mechanism"]["parameters"]
    listed, chosen = p.get("caps"), p.get("cap")
    if output["kind"] == "signals":
        listed, chosen = p.get("candidates"), p.get("coefficients")
    due = [] if listed is None else [len(listed)]
    if output["kind"] == "statistics":
        due = statistic_claims.choices(p)
    if [choice.candidates for choice in choices] != due:
        yield "guarantee", UNCALLED_CHOICE
    elif listed is not None and (listed != sorted(set(listed)) or chosen not in listed):
        yield "guarantee", "what was chosen is not from its list"
    elif output["kind"] == "heatmap" and listed is not None and p["max_samples_per_stimulus"] is None:
        yield "guarantee", "the choice of a cap has no bounded sensitivity"


def _test_faults(
    output: dict[str, Any], event: Event, tests: list[DeniabilityTest | RandomizedTest], people: int | None
) -> Iterator[tuple[str, str]]:
    p = output["mechanism"]["parameters"]
    needless = output["mechanism"]["name"] == "marginals" and output["noise"] is not None
    expected: list[DeniabilityTest | RandomizedTest] = []
    if None not in (p["k"], p["gamma"], p["counted"]) and p["threshold"] == "fixed":
        vacuous = is_vacuous(
            categories=[attribute["categories"] for attribute in p["attributes"]],
            order=p["order"],
            resampled=p["resampled"],
            k=p["k"],
        )
        expected = [DeniabilityTest(p["k"], float(p["gamma"]), p["counted"], vacuous)]
    elif None not in (p["k"], p["gamma"]) and p["threshold"] == "randomized":
        # ε₀ and the people who may be seeds stand in the event alone: whatever they are, they are accounted for.
        test = next((test for test in tests if isinstance(test, RandomizedTest)), None)
        if test is None or not p["k"] <= test.seeds < (people or 0):
            yield "guarantee", "a randomized test needs k seeds, and other people for the model"
            return
        expected = [RandomizedTest(p["k"], float(p["gamma"]), test.epsilon0, p["rows"], test.seeds)]
    if tests != expected or bool(tests) == needless:
        yield "guarantee", "the deniability test does not follow from the parameters"
    if isinstance(event, Disjoint) != (p["threshold"] == "randomized") or (
        isinstance(event, Disjoint) and output["noise"] is None
    ):
        yield "guarantee", "seeds and model are not from different people, or the model has no noise"
    if p["threshold"] == "randomized" and (p["counted"] != "person" or p["copies"] != "keep"):
        yield "guarantee", "a randomized test counts people, and leaves out no record"
    if needless and p["copies"] != "keep":
        yield "guarantee", "records drawn from noised counts alone, and yet compared with the real ones"
    if any(needless != (p[key] is None) for key in ("threshold", "k", "gamma", "counted")):
        yield "guarantee", "threshold, k, γ and what is counted stand where there is a test, and only there"
    if people is not None and p["counted"] == "person" and p["k"] is not None and p["k"] > people:
        yield "guarantee", f"k = {p['k']} plausible people cannot be found among {people}"


def output_guarantee(event: Event, *, delta: float, neighbours: Neighbours) -> Guarantee:
    """Return what one output promises a person, ε being stated at `delta`."""
    return accounting.compose([event], delta=delta, neighbours=neighbours)


def narrower_guarantees(
    kind: str, mechanism: dict[str, Any], event: Event, *, delta: float, neighbours: Neighbours
) -> list[Guarantee]:
    """Return what an output promises where less than a person changes, from the narrowest unit on; empty if nothing else.

    Event level, as some papers state it: it protects no person, whose other chunks and recordings tell the same.

    Args:
        kind: of the output.
        mechanism: the manifest's entry.
        event: what was done.
        delta: δ at which ε is stated.
        neighbours: the relation, of the narrower unit's data.
    """
    if kind != "signals":
        return []
    return [
        accounting.compose([_less(event, sensitivity)], delta=delta, neighbours=neighbours, unit=unit)
        for unit, sensitivity in signal_claims.narrower(mechanism, neighbours)
    ]


def _less(event: Event, sensitivity: Sensitivity) -> Event:
    """The event as it touches data of a smaller sensitivity; a choice may tell of it all that it tells of anybody."""
    if isinstance(event, Composed):
        return Composed(tuple(_less(part, sensitivity) for part in event.events))
    if isinstance(event, RoundedGaussian):
        return replace(event, sensitivity=sensitivity.l2)
    return replace(event, sensitivity=sensitivity.l1) if isinstance(event, DiscreteLaplace) else event


def same_guarantee(stated: dict[str, Any], computed: Guarantee) -> bool:
    """Whether a stated guarantee is the computed one, numbers within the care of `_CARE`."""
    try:
        claim = guarantees.from_json(stated)
    except (KeyError, TypeError, ValueError):
        return False
    if type(claim) is not type(computed):
        return False
    one, other = claim.to_json(), computed.to_json()
    return all(
        abs(one[key] - other[key]) <= _CARE * abs(other[key])
        if isinstance(other[key], float) and isinstance(one[key], int | float)
        else one[key] == other[key]
        for key in other
    )
