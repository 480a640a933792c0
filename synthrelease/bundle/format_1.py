"""Bundles of format 1: each item of a dataset is an HDF5 dataset, and manifests state sentences, which `verify` compares.

Frozen: no other kinds will have it.
"""

from __future__ import annotations

import math
from typing import Any
from urllib.parse import unquote

from synthrelease.bundle.layout import dataset_path
from synthrelease.dp.event import Event
from synthrelease.dp.guarantee import Neighbours, Unit
from synthrelease.dp.guarantee import from_json as guarantee_from_json
from synthrelease.files.labels import quoted
from synthrelease.kinds.dataset import Dataset, Role
from synthrelease.kinds.parameters import Parameters
from synthrelease.kinds.records.public import DP, RecordsParameters
from synthrelease.kinds.registry import kind_of

MANIFEST_VERSIONS = (1, 2)
ONLY_WARNING = (
    "the plan leaves rows out by what stands in them (`only`): people without any row left are counted, too"
)
_SOURCES = {
    "listed": "listed in the plan, public",
    "assumed": "taken from the data, assumed public by study design",
}
_HELD = (
    "a value that is held over a gap, or to the end, stands in every step there: a promise to a step or a chunk is to one "
    "of the completed series, not to one value of the data"
)
_NAMES = {"noisy": "noised", "normalization": "mass"}


def path_of(output: str, parameters: Parameters, dataset: Dataset, index: tuple[int, ...]) -> str:
    """Return the path of an item's dataset, such as /outputs/attention/1001/noised."""
    return dataset_path(output, "/".join(map(quoted, labels_of(parameters, dataset, index))))


def labels_of(parameters: Parameters, dataset: Dataset, index: tuple[int, ...]) -> tuple[str, ...]:
    """Return the labels below the output of an item's dataset."""
    first, *below = map(unquote, dataset.path.split("/"))
    places = [str(axis.coordinates[number]) for axis, number in zip(dataset.axes, index, strict=False)]
    match parameters.kind:
        case "records":  # by attributes, and last what of them
            return (*below, _NAMES.get(first, first))
        case "statistics":  # by statistics, and last what of them
            return (first, *places, *(_NAMES.get(part, part) for part in below))
    return (*places, *(_NAMES.get(part, part) for part in (first, *below)))


def has(parameters: Parameters, dataset: Dataset) -> bool:
    """Return whether bundles of format 1 have a dataset: not what was added since."""
    added = dataset.role is Role.COORDINATE or (
        parameters.kind == "areas" and dataset.role is Role.UNCERTAINTY
    )
    return not added


def dataset_count(parameters: Parameters, event: Event) -> int:
    """Return how many HDF5 datasets an output has, in little time even if a few words call for any number of them."""
    if isinstance(parameters, RecordsParameters):  # whose axes' coordinates were not stored
        return parameters.dataset_count(event) - 1 - len(parameters.attributes) * (parameters.fit == DP)
    return sum(
        math.prod(dataset.shape[: dataset.items])
        for dataset in parameters.datasets(event)
        if has(parameters, dataset)
    )


def shape_of(parameters: Parameters, dataset: Dataset) -> tuple[int, ...]:
    """Return the shape of an item's dataset: a single number is a list of one."""
    if parameters.kind == "statistics" and not {axis.name for axis in dataset.axes} & {"integer", "bin"}:
        return (1, *dataset.item_shape)
    return dataset.item_shape


def not_protected(
    outputs: list[dict[str, Any]], neighbours: Neighbours, private: list[str]
) -> list[dict[str, str]]:
    """Return what `privacy.not_protected` of versions 1 and 2 states, letter by letter.

    Args:
        outputs: the manifest's `outputs`.
        neighbours: the release's relation.
        private: names of the outputs that are differentially private.
    """
    entries = [
        (f"output {output['name']}", str(guarantee_from_json(output["guarantee"])))
        for output in outputs
        if output["name"] not in private
    ]
    for output in outputs:
        entries.extend(_public_facts(output))
    if neighbours is Neighbours.REPLACE_ONE:
        entries.append(
            (
                "people",
                "how many there are in each input, and who takes part in which: public under replace-one",
            )
        )
    entries.append(
        ("format", "that the data passed its reader's checks: otherwise there would be no release")
    )
    entries.append(
        ("population", "what is true of people in general: a release is useful because it tells that")
    )
    return [{"what": subject, "reason": reason} for subject, reason in entries]


def _public_facts(output: dict[str, Any]) -> list[tuple[str, str]]:
    name, stated = output["name"], output["mechanism"]["public_inputs"]
    noun = kind_of(output).form_of(output["mechanism"]).listed
    facts = [(f"{noun} of {name}", f"the list of {noun}: {_SOURCES[stated['names']]}")]
    if output["mechanism"]["parameters"].get("by") not in {None, "recording"}:
        facts.append((f"groups of {name}", f"the list of groups: {_SOURCES['listed']}"))
    if output["mechanism"]["parameters"].get("assignment_public"):
        facts.append(
            (
                f"assignment of {name}",
                "which person has any row on which stimulus: assumed public by study design",
            )
        )
    if stated.get("length") == "assumed":
        facts.append((f"length of {name}", f"steps of the longest recording: {_SOURCES['assumed']}"))
    if {unit["unit"] for unit in output["narrower_units"]} & {Unit.STEP, Unit.CHUNK}:
        facts.append((f"values of {name}", _HELD))
    return facts
