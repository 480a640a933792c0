"""A pilot's table: read as the input is, of which it has the columns (`people.proof.md`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from synthrelease.data.facts import Facts
from synthrelease.data.features import FeatureData, load_features
from synthrelease.data.input_spec import InputSpec
from synthrelease.errors import PlanError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.people.form import PeopleForm
from synthrelease.kinds.people.pilot import Pilot, pilot_of
from synthrelease.kinds.people.scores import Scale
from synthrelease.kinds.people.vectors import MISSING, Windows, first_windows
from synthrelease.kinds.public_data import digest_of, refuse_participants

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
    pilot = replace(source, path=spec.folder / spec.options["pilot"], frame=None)
    data = _features(pilot, facts, list(scales))
    where = f"{spec.where}.pilot"
    refuse_participants(data.identities, pilot, facts, noun="pilot", where=where)
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
    return pilot_of(windows, levels, form, list(scales.values()), sha256=digest_of(pilot.source))


def _features(source: InputSpec, facts: Facts, features: list[Feature]) -> FeatureData:
    options = source.options
    return load_features(
        source.source,
        columns=options["columns"],
        bounds={feature.name: (feature.low, feature.high) for feature in features},
        recordings=facts.names,
        missing=options["missing"],
        chosen=source.chosen,
    )
