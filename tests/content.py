"""What the content of a bundle is, so that two can be compared, and what of it no one can refute.

Content is the values, and what the manifest tells of them. Whatever is accepted by `verify` must have the content of the bundle
that it was made from, but for what is listed here, each with the reason why nothing in a file could speak against it.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from layouts import Layout
from mutants import at, pattern, places
from numpy.typing import NDArray

CARE = 1e-6  # relative: of floating-point numbers that are recomputed

FREE_TEXT = {
    r"release/(name|version|title|license|contact|date)": "names and a day that the author gives the release",
    r"tool/(version|dependencies(/.*)?)": "what the author says to have used; no one can run it again without the data",
    r"plan/sha256": "of a plan that is not in the bundle",
    r"digests(/.*)?": "follow from the values, which are compared themselves",
}

_RECORDS = r"outputs/(tree|kept|exact|randomized)"
_CONSEQUENCES = r"(sensitivity/value|event/.*sensitivity/value|guarantee/epsilon|narrower_units/\*/epsilon)"
FREEDOMS = {
    "ledger/(delta|spent_before|spent_here|spent_after)": "the curator's book: a bundle shows that it is not too little, no more",
    "privacy/budget/(epsilon|delta)": "what the plan allowed, where it is no less than what was spent",
    "privacy/people": "of several inputs, whose people may be the same or not",
    "privacy/guarantee/(epsilon|delta)": "another true pair of ε and δ, or an ε that is rounded to the same",
    r"outputs/\w+/guarantee/delta": "likewise",
    rf"(outputs/chosen|{_RECORDS})/mechanism/public_inputs/people": "values of which n is no part",
    # Records: what was drawn from seeds, and what a few records say of the model that they were drawn from.
    r"/outputs/(tree|kept|exact|randomized)/category/\w+": "categories that people or chance decided",
    r"/outputs/(tree|kept|randomized)/noisy/[\w/]+": "noisy counts that no other value follows from",
    r"outputs/exact/mechanism/parameters/attributes/\*/labels/\*": "words for numbers, where no counts stand along them",
    rf"{_RECORDS}/mechanism/parameters/(task|per_task|dependence|resampled(/\*)?|order/\*|copies)": (
        "how records were drawn, where the test guarantees the same whatever it was"
    ),
    r"outputs/randomized/event/events/\*/(epsilon0|seeds)": "of the event alone, which is accounted for as it stands",
    "/signature": "64 bytes that only a public key can refute, and the hint whose they are; no key is given here",
    # Released integers.
    r"/outputs/(still|moving|pixels|course|after|chunks|changes|steps|all|moods|visits)/[^:]*noisy": (
        "integers so little changed, or below zero before and after, that no value that follows from them shows it"
    ),
    # What was done before noise, and bounds that the values are far from.
    r"outputs/(still|moving)/mechanism/parameters/(weight|screen(/(width_mm|distance_mm))?)": "how looks were weighed and seen",
    r"outputs/visits/mechanism/parameters/(weight|areas/\*/(label|shape|stimuli.*|coordinates.*)|screen/\w+)": (
        "what the areas were that people looked at"
    ),
    r"outputs/(course|after)/mechanism/parameters/(baseline|baseline_steps|clip|completion)": "how series were made before noise",
    r"outputs/(chunks|changes|steps)/mechanism/parameters/completion": "likewise",
    r"outputs/(all|chosen|moods)/mechanism/parameters/by": "the name of a column",
    r"outputs/chosen/mechanism/parameters/bins": "of histograms, which it has none of",
    r"outputs/moods/mechanism/parameters/quantile_steps": "of quantiles, which it has none of",
    r"outputs/\w+/mechanism/public_inputs/(names|length)": "whether a list stood in the plan or is assumed to be public",
    r"outputs/(still|moving|pixels|visits)/mechanism/parameters/(max_samples_per_stimulus|max_stimuli_per_person|assignment_public|cap)": (
        "what a person may add: few people in much noise do not show it"
    ),
    r"outputs/(chosen|moods|all)/mechanism/parameters/max_groups_per_person": "likewise",
    r"outputs/(still|moving)/mechanism/parameters/(clip|clipping)": "likewise",
}
"""Places by pattern, outputs by their names, and why nothing in the file can refute another value there."""

_FOLLOWING = {
    "(max_samples_per_stimulus|max_stimuli_per_person|max_groups_per_person|assignment_public|cap|dependence|per_task|clipping)": (
        rf"outputs/\w+/{_CONSEQUENCES}|privacy/guarantee/epsilon|privacy/not_protected.*"
    ),
    "(epsilon0|seeds)": r"outputs/randomized/guarantee/epsilon",
    "guarantee/delta": r"outputs/\w+/(guarantee/epsilon|narrower_units/\*/(epsilon|delta))|privacy/guarantee/epsilon",
    "public_inputs/(names|length)": r"privacy/not_protected.*",
    "parameters/by": r"privacy/not_protected.*",  # labels of recordings are listed elsewhere
}
"""What is told otherwise wherever something is: the numbers that follow from it."""

_FREE = re.compile("|".join(FREE_TEXT))
_REMARKS = re.compile(r"(outputs/\w+/(sensitivity/derivation|post_processing|warnings)|warnings)(/.*)?")
"""Codes and fields, which follow from the rest of the manifest: they are others only where something else is."""


def differences(one: Layout, other: Layout) -> list[str]:
    """Return where two bundles do not say the same: patterns of places in the manifest, and paths of datasets."""
    told = [_leaves(bundle.manifest) for bundle in (one, other)]
    found = {
        _named(place, one.manifest)
        for place in told[0].keys() | told[1].keys()
        if place not in told[0] or place not in told[1] or not _alike(told[0][place], told[1][place])
    }
    found = {place for place in found if not _FREE.fullmatch(place)}
    for path in one.arrays.keys() | other.arrays.keys():
        if (
            path not in one.arrays
            or path not in other.arrays
            or not _same(one.arrays[path], other.arrays[path])
        ):
            found.add(path)
    for path in one.anatomy.datasets.keys() & other.anatomy.datasets.keys():
        forms = (bundle.anatomy.datasets[path] for bundle in (one, other))
        if len({(form.axis, form.scales, tuple(sorted(form.attributes.items()))) for form in forms}) > 1:
            found.add(f"what {path} says of itself")
    if one.groups != other.groups:
        found.add("groups")
    if one.marked != other.marked:
        found.add("text block")
    return sorted(found)


def unexplained(found: list[str]) -> list[str]:
    """Return the differences that no freedom is the reason of."""
    if not all(_REMARKS.fullmatch(place) for place in found):
        found = [place for place in found if not _REMARKS.fullmatch(place)]
    left = [place for place in found if not any(re.fullmatch(freedom, place) for freedom in FREEDOMS)]
    for cause, consequence in _FOLLOWING.items():
        if any(re.search(rf"{cause}$", place) for place in found):
            left = [place for place in left if not re.fullmatch(consequence, place)]
    return left


def _same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays hold the same values: integers may be of 32 or 64 bits, and are the same numbers."""
    if one.dtype.kind == other.dtype.kind == "i":
        return bool(np.array_equal(one, other))
    return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


def _leaves(manifest: dict[str, Any]) -> dict[tuple[str | int, ...], Any]:
    return {
        place: node if not isinstance(node, dict | list) else (type(node), len(node))
        for place in places(manifest)
        for node in [at(manifest, place)]
    }


def _named(place: tuple[str | int, ...], manifest: dict[str, Any]) -> str:
    if place[0] != "outputs" or len(place) < 2 or not isinstance(place[1], int):
        return pattern(place)
    name = manifest["outputs"][place[1]]["name"] if place[1] < len(manifest["outputs"]) else "?"
    return f"outputs/{name}/{pattern(place[2:])}"


def _alike(one: Any, other: Any) -> bool:
    numbers = [isinstance(value, int | float) and not isinstance(value, bool) for value in (one, other)]
    if all(numbers) and float in (type(one), type(other)):
        return bool(abs(one - other) <= CARE * (abs(one) or 1.0))
    return type(one) is type(other) and bool(one == other)
