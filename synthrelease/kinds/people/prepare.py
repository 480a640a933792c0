"""Synthetic people: from a plan's words to the mechanism."""

from __future__ import annotations

from synthrelease.data.facts import Facts
from synthrelease.data.input_spec import InputSpec
from synthrelease.dp.budget import GAUSSIAN
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PlanError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.people.design import design_for
from synthrelease.kinds.people.form import PeopleForm
from synthrelease.kinds.people.mechanism import SyntheticPeople
from synthrelease.kinds.people.pilot_reading import read_pilot
from synthrelease.kinds.people.public import BINS, COSINES, PeopleParameters
from synthrelease.kinds.people.scores import MOST_POINTS, MOST_STEPS, Scale
from synthrelease.kinds.preparing import chosen_features, names_source

_LARGEST = 200_000_000  # values of all synthetic people


def prepare(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> SyntheticPeople:
    """Fill in the public parameters, but for the design, which follows from the budget.

    Raises:
        PlanError: a feature has no bounds or no values on its lattice, or there are too many values to draw.
    """
    o, features = spec.options, chosen_features(spec, source)
    windows = o["windows"]
    people = o.get("people", facts.people)
    values = people * len(facts.names) * windows * len(features)
    if values > _LARGEST:
        raise PlanError(
            "too-many-people",
            "so many synthetic people take more memory than there is",
            where=spec.where,
            found=f"{values} values",
            expected=f"at most {_LARGEST}",
            remedy="draw fewer people or windows: from the bundle you can draw more later",
        )
    form = PeopleForm(len(features), len(facts.names), COSINES, BINS)
    lattice = _lattice(spec, features)
    max_windows = o.get("max_windows", 2 * windows)
    pilot = None
    if "pilot" in o:
        scales = {feature: Scale.of(feature, step) for feature, step in zip(features, lattice, strict=True)}
        pilot = read_pilot(spec, source, facts, form, scales, max_windows=max_windows)
    parameters = PeopleParameters(
        name="rounds",
        people=facts.people,
        names=names_source(source),
        features=features,
        lattice=lattice,
        recordings=tuple(facts.names),
        windows=windows,
        max_windows=max_windows,
        synthetic_people=people,
        sampling_seed=o["sampling_seed"],
        design=design_for(form, windows=windows, people=facts.people, mu=1.0, pilot=pilot),
        pilot=pilot,
    )
    return SyntheticPeople(parameters=parameters, neighbours=neighbours, noise=GAUSSIAN)


def _lattice(spec: OutputSpec, features: tuple[Feature, ...]) -> tuple[float | None, ...]:
    steps = spec.options.get("lattice", {})
    names = [feature.name for feature in features]
    for name in steps:
        if name not in names:
            raise PlanError(
                "unknown-feature",
                f"the lattice names a feature that the output does not have: '{name}'",
                where=f"{spec.where}.lattice",
                expected="one of " + ", ".join(names),
                remedy="correct the name, or remove it",
            )
    lattice = tuple(None if name not in steps else float(steps[name]) for name in names)
    for feature, step in zip(features, lattice, strict=True):
        scale = Scale.of(feature, step)
        if step is not None and not scale.is_lattice:
            points = scale.points or 0
            raise PlanError(
                "bad-lattice",
                f"'{feature.name}' has {'fewer than two' if points < 2 else 'too many or too large'} values on its lattice",
                where=f"{spec.where}.lattice",
                found=f"{max(points, 0)} multiples of {step:g} within {feature.low:g} to {feature.high:g}",
                expected=f"2 to {MOST_POINTS}, at most {MOST_STEPS} steps from 0",
                remedy="correct the step, or leave it out if the feature is continuous",
            )
    return lattice
