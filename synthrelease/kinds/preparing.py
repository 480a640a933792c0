"""From a plan's words and public facts to the parameters that several kinds have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.data.features import RECORDING
from synthrelease.data.input_spec import InputSpec
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PlanError, PolicyError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.parameters import Feature
from synthrelease.kinds.stimuli import DURATION

_MOST = {"statistics": "max_groups_per_person"}  # the keys of kinds that call M otherwise
_MOST_DRAWN = 100_000_000  # synthetic fixations


def chosen_features(
    spec: OutputSpec, source: InputSpec, names: Sequence[str] | None = None
) -> tuple[Feature, ...]:
    """Return the features an output uses and their bounds, in the output's order, or those named.

    Raises:
        PlanError: a feature without bounds.
    """
    names = spec.options.get("features") if names is None else names
    return bounded(spec, source.options["bounds"], names, f"inputs.{source.name}.bounds", source.options)


def bounded(
    spec: OutputSpec,
    bounds: Mapping[str, Sequence[float]],
    names: Sequence[str] | None,
    where: str,
    shown: Mapping[str, Any] | None = None,
) -> tuple[Feature, ...]:
    """Return features with bounds that a plan states under a key, in its order, or those named; `shown` has their units and labels.

    Raises:
        PlanError: a feature without bounds.
    """
    names = list(bounds) if names is None else names
    units, labels = ((shown or {}).get(key, {}) for key in ("units", "labels"))
    for name in names:
        if name not in bounds:
            raise PlanError(
                "no-bounds",
                f"the feature '{name}' has no public bounds",
                where=spec.where,
                expected="one of " + ", ".join(bounds),
                remedy=f"add {name} = [low, high] to {where}",
            )
    return tuple(
        Feature(
            name,
            float(bounds[name][0]),
            float(bounds[name][1]),
            unit=units.get(name),
            title=labels.get(name),
        )
        for name in names
    )


def names_source(source: InputSpec) -> str:
    """Return whether the stimuli or recordings are "listed" in the plan, or "assumed" public and taken from the data."""
    return "assumed" if {"stimuli", "recordings"} & set(source.options["assume_public"]) else "listed"


def assignment_is_public(source: InputSpec) -> bool:
    """Return whether it is public which participant has rows of which stimulus; of a single one, everyone who counts has."""
    return "assignment" in source.options["assume_public"] or "stimulus" in source.options


def people_if_public(facts: Facts, neighbours: Neighbours) -> int | None:
    """Return n under replace-one, and None where n is private."""
    return facts.people if neighbours is Neighbours.REPLACE_ONE else None


def counted_stimuli(
    spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours
) -> tuple[int, tuple[int, ...] | None]:
    """Return M, on how many stimuli a person counts, and how many people count on each, if both are public.

    If who saw what is public, and with it the most that a person saw, M need not be more than that.

    Raises:
        PolicyError: a label is to decide on which stimuli a person counts, and depends on who else is in the file.
    """
    stimuli = len(facts.names)
    public = assignment_is_public(source) and neighbours is Neighbours.REPLACE_ONE
    seen = facts.most_seen if public else stimuli
    key = _MOST.get(spec.kind, "max_stimuli_per_person")
    most = min(spec.options.get(key, seen), stimuli)
    if most < seen:
        refuse_positions(
            source,
            f"{spec.where}.{key}",
            f"let a person count on all {seen} stimuli",
            by_position=facts.by_position,
        )
    return most, facts.counting(most) if public else None


def refuse_positions(
    source: InputSpec,
    where: str,
    otherwise: str,
    *,
    by_position: bool,
    problem: str = "what a person contributes would depend on who else is in the file",
) -> None:
    """Refuse a use of participants' labels that needs them to be people's own, where they are places in the file.

    Args:
        source: the input.
        where: the place in the plan.
        otherwise: what else there is to do than to write labels.
        by_position: whether they are.
        problem: what is wrong with that.

    Raises:
        PolicyError: they are.
    """
    if by_position:
        person = source.options["columns"]["person"]
        raise PolicyError(
            "label-is-position",
            problem,
            where=where,
            found=f"inputs.{source.name}: '{person}' is a place in the file, which changes when someone before it is taken out",
            expected="a label that is the person's own",
            remedy=f"write who each one is into the file (of arrays a vector called '{person}', of structs a field, which `columns` names), or {otherwise}",
        )


def label_of(spec: OutputSpec, key: str, source: InputSpec) -> str | None:
    """Return the label that a key of the plan names, a column of categories or `RECORDING`; None without the key.

    Raises:
        PlanError: the input has no such label.
    """
    label: str | None = spec.options.get(key)
    columns, lists = source.options["columns"], source.options["categories"]
    labels = [RECORDING] * ("recording" in columns) + [name for name in lists if name != RECORDING]
    if label is None or label in labels:
        return label
    remedy = f"add the column and its labels under inputs.{source.name}.categories, or map it as recording"
    if columns.get("recording") == label:
        remedy = f"write {key} = \"recording\": the column '{label}' is mapped as that"
    raise PlanError(
        "unknown-label",
        "there is no such label",
        where=f"{spec.where}.{key}",
        expected="one of " + ", ".join(labels) if labels else "a column of labels",
        remedy=remedy,
    )


def require_duration(spec: OutputSpec, source: InputSpec, weighted: str) -> None:
    """Refuse an output whose rows, or samples, are `weighted` by a duration that the input does not have.

    Raises:
        PlanError: no column is mapped as the duration.
    """
    if spec.options["weight"] == DURATION and "duration" not in source.options["columns"]:
        raise PlanError(
            "no-duration-column",
            f"{weighted} are to be weighted by their duration, but no column has it",
            where=spec.where,
            expected=f'duration = "COLUMN" under columns of inputs.{source.name}',
            remedy="name the column, or leave out weight",
        )


def require_fixations(spec: OutputSpec, source: InputSpec) -> None:
    """Refuse gaze whose rows are not known to be fixations, where scanpaths are made of them.

    Raises:
        PlanError: no column is mapped as the duration.
    """
    if "duration" not in source.options["columns"]:
        raise PlanError(
            "no-duration-column",
            "scanpaths need how long each fixation takes, but no column has it",
            where=spec.where,
            expected=f'duration = "COLUMN" under columns of inputs.{source.name}, whose rows are fixations',
            remedy="name the column; of samples make fixations first: synthrelease prepare PLAN INPUT --to fixations",
        )


def require_few_fixations(fixations: int, *, where: str) -> None:
    """Refuse more synthetic fixations than memory holds.

    Args:
        fixations: that may be drawn at most.
        where: the place in the plan.

    Raises:
        PlanError: they are too many.
    """
    if fixations > _MOST_DRAWN:
        raise PlanError(
            "too-many-scanpaths",
            "so many scanpaths take more memory than there is",
            where=where,
            found=f"up to {fixations} fixations",
            expected=f"at most {_MOST_DRAWN}",
            remedy="draw fewer",
        )
