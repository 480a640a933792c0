"""A pilot's table: read as the input is, of which it has the columns (`people.proof.md`)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from synthrelease.data.facts import Facts
from synthrelease.data.features import Features, load_features
from synthrelease.data.input_spec import InputSpec
from synthrelease.errors import PlanError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.people.form import PeopleForm
from synthrelease.kinds.people.pilot import Pilot, pilot_of
from synthrelease.kinds.people.scores import Scale
from synthrelease.kinds.people.vectors import MISSING, Windows, first_windows

_LEAST_PEOPLE = 5


def read_pilot(
    spec: OutputSpec,
    source: InputSpec,
    facts: Facts,
    form: PeopleForm,
    scales: Mapping[Feature, Scale],
    *,
    max_windows: int,
) -> Pilot:
    """Return what the manifest states of the table that `pilot` names.

    Args:
        spec: of the output, with the path relative to the plan.
        source: the input, whose columns the table has.
        facts: of the input.
        form: of the vectors.
        scales: the output's features, and their public ranges.
        max_windows: of a person in a recording that count.

    Raises:
        DataError, MachineError: the file cannot be used.
        PlanError: too few people have values of a feature, or it shares a person with the data.
    """
    path = spec.folder / spec.options["pilot"]
    data = _features(replace(source, path=path, frame=None), facts, list(scales))
    where = f"{spec.where}.pilot"
    if set(data.identities) & facts.identities:
        raise PlanError(
            "pilot-shares-people",
            "the pilot has participants of the data: what is published of it would give them away",
            where=where,
            expected="other people, whose data may be public",
            remedy="remove the participants from the pilot; if others have the same labels by chance, rename these",
        )
    kept = first_windows(data.person, data.recording, max_windows)
    levels = np.stack([scale.levels(data.values[kept, f]) for f, scale in enumerate(scales.values())], axis=1)
    for f, feature in enumerate(scales):
        with_values = np.unique(data.person[kept][levels[:, f] != MISSING]).size
        if with_values < _LEAST_PEOPLE:
            raise PlanError(
                "small-pilot",
                f"the pilot has too few people with values of '{feature.name}'",
                where=where,
                found=f"{with_values} with a value in a recording of the input",
                expected=f"at least {_LEAST_PEOPLE}",
                remedy="leave the pilot out, or name a larger one",
            )
    windows = Windows(data.person[kept], data.recording[kept], data.people)
    return pilot_of(windows, levels, form, list(scales.values()), sha256=_digest(path))


def _features(source: InputSpec, facts: Facts, features: list[Feature]) -> Features:
    options = source.options
    return load_features(
        source.source,
        columns=options["columns"],
        bounds={feature.name: (feature.low, feature.high) for feature in features},
        recordings=facts.names,
        missing=options["missing"],
        chosen=source.chosen,
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
