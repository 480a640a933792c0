"""Statistics of fixations: from a plan's words to what is measured of which trials, and where."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from synthrelease.data.area_reading import read_areas
from synthrelease.data.areas import PlacedAreas
from synthrelease.data.facts import Facts
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.screen import Screen
from synthrelease.errors import PlanError
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import assignment_is_public, bounded
from synthrelease.kinds.public_area import PublicArea
from synthrelease.kinds.statistics.public_fixations import MEASURES, STIMULUS, feature_name

_LONGEST_NAME = 200  # of a feature in a manifest


def fixation_fields(
    spec: OutputSpec, source: InputSpec, facts: Facts
) -> tuple[dict[str, Any], PlacedAreas | None]:
    """Return the fields of the parameters that other statistics do not have, with the features, and the areas.

    Raises:
        PlanError: rows are not known to be fixations, nothing is measured, or areas cannot be used.
    """
    o = spec.options
    _check_fixations(spec, source)
    screen = Screen(**source.options["screen"])
    areas = _areas(spec, screen, facts) if "areas" in o else None
    features = tuple(
        replace(measure, name=feature_name(measure.name, area))
        for measure in bounded(spec, o["bounds"], o.get("features"), f"{spec.where}.bounds")
        for area in ([None] if areas is None else areas.names[:-1])
    )
    fields = {
        "features": features,
        "stimuli": facts.names,
        "assignment_public": assignment_is_public(source),
        "screen": screen,
        "areas": None if areas is None else tuple(map(PublicArea.of, areas.areas)),
    }
    return fields, areas


def _areas(spec: OutputSpec, screen: Screen, facts: Facts) -> PlacedAreas:
    areas = read_areas(
        spec.options["areas"],
        label_image=spec.options.get("label_image"),
        folder=spec.folder,
        screen=screen,
        stimuli=facts.names,
        where=spec.where,
    )
    _check_areas(spec, areas)
    return areas


def _check_fixations(spec: OutputSpec, source: InputSpec) -> None:
    """Refuse gaze whose rows are not known to be fixations, or of which nothing is measured."""
    o = spec.options
    if "duration" not in source.options["columns"]:
        raise PlanError(
            "no-duration-column",
            "statistics of gaze are of fixations, and no column has their duration: rows may be samples",
            where=spec.where,
            expected=f'duration = "COLUMN" under columns of inputs.{source.name}',
            remedy=f"name the column; of samples, make fixations first: synthrelease prepare PLAN {source.name} --to fixations",
        )
    if "bounds" not in o:
        raise PlanError(
            "no-bounds",
            "it is not said what is measured of the fixations, nor between which public bounds",
            where=spec.where,
            expected="bounds of " + ", ".join(MEASURES) + ", or of some of them",
            remedy=f"add them, such as bounds = {{ {MEASURES[0]} = [0, 30] }}",
        )
    if o.get("by") not in {None, STIMULUS}:
        raise PlanError(
            "unknown-label",
            "there is no such label",
            where=f"{spec.where}.by",
            expected=f'by = "{STIMULUS}", or no groups',
            remedy="write one of these, or make a table of features",
        )
    if "label_image" in o and "areas" not in o:
        raise PlanError(
            "no-areas",
            "no areas",
            where=spec.where,
            expected="areas with labels of the image",
            remedy="add areas, or leave out label_image",
        )


def _check_areas(spec: OutputSpec, areas: PlacedAreas) -> None:
    longest = max(map(len, MEASURES))
    for area in areas.areas:
        if len(feature_name(" " * longest, area.name)) > _LONGEST_NAME:
            raise PlanError(
                "area-name-too-long",
                "the name of an area is too long to be part of that of a measure",
                where=f"{spec.where}.areas",
                found=f"{len(area.name)} characters",
                expected=f"at most {_LONGEST_NAME - len(feature_name(' ' * longest, ''))}",
                remedy="shorten it",
            )
        if area.stimuli is not None:
            raise PlanError(
                "area-of-some-stimuli",
                f"the area '{area.name}' is of some stimuli, and there would be noise for nothing on the others",
                where=f"{spec.where}.areas.{area.name}",
                expected="areas that all stimuli have",
                remedy="draw areas of one name on every stimulus as a label_image, or give these stimuli an input of their own",
            )
