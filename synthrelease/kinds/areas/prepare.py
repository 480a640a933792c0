"""Areas of interest: from a plan's words to the mechanism."""

from __future__ import annotations

from synthrelease.data.area_reading import read_areas
from synthrelease.data.area_shapes import ELSEWHERE
from synthrelease.data.areas import PlacedAreas
from synthrelease.data.facts import Facts
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.screen import Screen
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.areas.mechanism import AreaShares
from synthrelease.kinds.areas.public import AreasParameters
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import (
    assignment_is_public,
    counted_stimuli,
    names_source,
    people_if_public,
    require_duration,
)
from synthrelease.kinds.public_area import PublicArea


def prepare(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> AreaShares:
    """Fill in the public parameters of an areas output.

    Raises:
        PlanError: areas that cannot be used, or weights without a column.
    """
    o = spec.options
    screen = Screen(**source.options["screen"])
    require_duration(spec, source, "rows")
    areas = read_areas(
        o["areas"],
        label_image=o.get("label_image"),
        folder=spec.folder,
        screen=screen,
        stimuli=facts.names,
        where=spec.where,
    )
    most, viewers = counted_stimuli(spec, source, facts, neighbours)
    parameters = AreasParameters(
        name=o["noise"],
        people=people_if_public(facts, neighbours),
        names=names_source(source),
        max_stimuli_per_person=most,
        assignment_public=assignment_is_public(source),
        screen=screen,
        stimuli=tuple(facts.names),
        areas=_public(areas),
        transitions=o["transitions"],
        weight=o["weight"],
        viewers=viewers,
    )
    return AreaShares(parameters=parameters, neighbours=neighbours, noise=o["noise"], areas=areas)


def _public(areas: PlacedAreas) -> tuple[PublicArea, ...]:
    """The areas, and last what lies in none."""
    return (*map(PublicArea.of, areas.areas), PublicArea(ELSEWHERE, None, None, None, None))
