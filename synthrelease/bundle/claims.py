"""Recomputing what a manifest claims: sensitivity from public parameters, guarantee from the event.

Only the accounting and the sensitivity formulas are used here, none of the mechanisms' own code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synthrelease.maths.fourier import coefficient_count
from synthrelease.privacy import accounting
from synthrelease.privacy import event as events
from synthrelease.privacy import guarantee as guarantees
from synthrelease.privacy.event import (
    DeniabilityTest,
    DiscreteLaplace,
    Event,
    Noise,
    RoundedGaussian,
    flatten,
)
from synthrelease.privacy.guarantee import Guarantee, Neighbours, NoGuarantee
from synthrelease.privacy.sensitivity import (
    Sensitivity,
    boxed_series,
    clipped_coefficients,
    fitted_marginals,
    gaze_maps,
    statistics,
)

_CARE = 1e-6  # relative: what two versions of the accounting library may differ in the last digits


def stated_sensitivity(output: dict[str, Any], neighbours: Neighbours) -> Sensitivity:
    """Return the sensitivity that follows from an output's public parameters."""
    p = output["mechanism"]["parameters"]
    match output["kind"]:
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
        case "signals":
            if p["coefficients"] is None:
                one = boxed_series(steps=p["length"], bound=p["bound_steps"], neighbours=neighbours)
            else:
                count = coefficient_count(p["length"], p["coefficients"])
                one = clipped_coefficients(count=count, radius=p["bound_steps"], neighbours=neighbours)
            return one.times(len(p["features"]) * len(p["recordings"]))
        case "statistics":
            return statistics(p["statistics"], features=len(p["features"]), neighbours=neighbours)
        case "records":
            return fitted_marginals(attributes=len(p["attributes"]), neighbours=neighbours)
    raise ValueError("Expected a known kind of output, found another")


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
    leaves = flatten(event)
    noises = [leaf for leaf in leaves if isinstance(leaf, RoundedGaussian | DiscreteLaplace)]
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
    if noise is not None:
        yield from _noise_faults(output, noise, stated_sensitivity(output, neighbours), integers)
    tests = [leaf for leaf in leaves if isinstance(leaf, DeniabilityTest)]
    if tests:
        yield from _test_faults(output, tests, people)
    elif output["kind"] == "records" and not _samples_noised_marginals(output):
        yield "guarantee", "synthetic records without a deniability test"


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


def _test_faults(
    output: dict[str, Any], tests: list[DeniabilityTest], people: int | None
) -> Iterator[tuple[str, str]]:
    p = output["mechanism"]["parameters"]
    vacuous = p["resampled"] == [len(p["attributes"])]
    expected = DeniabilityTest(p["k"], float(p["gamma"]), p["counted"], vacuous)
    if tests != [expected]:
        yield "guarantee", "the deniability test does not follow from the parameters"
    if people is not None and p["counted"] == "person" and p["k"] > people:
        yield "guarantee", f"k = {p['k']} plausible people cannot be found among {people}"


def _samples_noised_marginals(output: dict[str, Any]) -> bool:
    return output["mechanism"]["name"] == "marginals" and output["noise"] is not None


def output_guarantee(event: Event, *, delta: float, neighbours: Neighbours) -> Guarantee:
    """Return what one output promises a person, ε being stated at `delta`."""
    return accounting.compose([event], delta=delta, neighbours=neighbours)


def private_names(outputs: list[dict[str, Any]], recorded: list[Event]) -> list[str]:
    """Return the names of the outputs that are differentially private."""
    pairs = zip(outputs, recorded, strict=True)
    return [output["name"] for output, event in pairs if accounting.is_differentially_private(event)]


def release_guarantee(
    recorded: list[Event], *, delta: float, neighbours: Neighbours
) -> tuple[Guarantee, str]:
    """Return the composition of all differentially private outputs per person, and its method."""
    private = [event for event in recorded if accounting.is_differentially_private(event)]
    if not private:
        return NoGuarantee(reason="no output is differentially private", neighbours=neighbours), "none"
    method = accounting.METHODS[accounting.method(private)]
    return accounting.compose(private, delta=delta, neighbours=neighbours), method


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
