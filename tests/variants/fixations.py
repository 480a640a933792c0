"""Statistics of fixations, straight from gaze."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from wanted import Fixations

from synthrelease.data.area_shapes import RECTANGLE
from synthrelease.data.areas import Area, PlacedAreas
from synthrelease.dp.budget import Budget
from synthrelease.dp.error_bounds import reach
from synthrelease.kinds.statistics import noisy
from synthrelease.kinds.statistics.public_fixations import FIXATION_COUNT, FIXATION_DURATION, TOTAL_DURATION
from variants.areas import IN_LEFT, IN_POND, LONGEST, AreasVariant, at_spots
from variants.people import ADD_REMOVE, ATTAINED, BUDGET, GAUSSIAN, LAPLACE, MANY, REPLACE, Person
from variants.statistics import EVERY
from variants.variant import Variant

if TYPE_CHECKING:
    from variants.people import Arrays, Numbers

# A fixation of one grid unit of duration is the shortest there is; two are as many as count.
BOUNDS = {FIXATION_COUNT: (1.0, 2.0), FIXATION_DURATION: (1e-6, 9e-6), TOTAL_DURATION: (1e-6, 9e-6)}
HALVES = PlacedAreas(
    (
        Area("left", RECTANGLE, ((0.0, 0.0), (20.0, 40.0))),
        Area("right", RECTANGLE, ((20.0, 0.0), (40.0, 40.0))),
    )
)
TRIALS = {
    "nothing": np.empty((0, 3)),
    "no time": at_spots((IN_LEFT, 0), (IN_POND, 0)),
    "left": at_spots((IN_LEFT, 1)),
    "one short, elsewhere": at_spots((IN_POND, 1)),
    "one short each": at_spots((IN_LEFT, 1), (IN_POND, 1)),
    "one long": at_spots((IN_LEFT, LONGEST)),
    "one long each": at_spots((IN_LEFT, LONGEST), (IN_POND, LONGEST)),
    "thousands of short ones": at_spots(*[(IN_LEFT, 1)] * MANY),
    "thousands of long ones": at_spots(*[(s % 2, LONGEST) for s in range(MANY)]),
    "thousands without time, and a short one": at_spots(*[(IN_LEFT, 0)] * MANY, (IN_POND, 1)),
    "a middle one": at_spots((IN_LEFT, 5), (IN_POND, 5)),
    "a quarter of the bounds": at_spots((IN_LEFT, 4), (IN_POND, 4)),
}


@dataclass(frozen=True, eq=False)
class FixationsVariant(AreasVariant):
    """People's rows say (stimulus, x_px, y_px, duration); every row with a duration is a fixation."""

    def of(self, people: int) -> Any:
        return Variant.of(self, people)

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        out = {}
        p = self.of(people).parameters
        for (name, *labels, what), array in values.items():
            if what == "noisy":
                (feature,) = (feature for feature in p.features if feature.name == labels[-1])
                unit = p.unit(feature)
                far = reach(self.event(people), together=noisy.together(name, unit))
                out[name, *labels, "value"] = noisy.value(name, array, unit)
                out[name, *labels, "interval"] = noisy.interval(name, array, unit, reach=far)
                if name == "histogram":
                    edges = np.linspace(*feature.bounds, p.bins + 1)
                    out[name, *labels, "edge"] = np.column_stack([edges[:-1], edges[1:]])
        return out

    def patterns(self) -> dict[str, Numbers]:
        return TRIALS

    def made_adversaries(self) -> list[Person]:
        """On other stimuli than those that count, everything differs too."""
        p = self.parameters
        first = tuple(range(p.max_stimuli))
        mixed = [
            self.looking({s: a if s in first else b for s in range(p.stimuli)})
            for a, b in itertools.product(("thousands of long ones", "left"), TRIALS)
        ]
        turned = [replace(one, name=f"{one.name}, {turn}") for one in mixed[::5] for turn in range(3)]
        return [*super().made_adversaries(), *mixed, *turned]

    def equivalent(self, person: Person) -> Person:
        """Elsewhere in the same areas, in the opposite order, the stimuli in another one."""
        rows = person.rows[::-1].copy()
        areas = self.parameters.areas or HALVES
        area = areas.locate(self.data([replace(person, rows=rows)]))
        rows[:, 1:3] = np.array([[3.0, 7.0], [29.0, 30.0], [49.0, 3.0]])[area]
        return Person(rows[np.argsort(-rows[:, 0], kind="stable")], person.seen, person.name)

    def wide(self) -> Variant:
        p = self.parameters
        return replace(self, parameters=replace(p, stimuli=150) if p.by else replace(p, bins=300))


def fixations_variant(
    name: str,
    which: tuple[str, ...],
    *,
    budget: Budget = BUDGET,
    attained: float = ATTAINED,
    **changes: Any,
) -> Variant:
    wanted: dict[str, Any] = {
        "statistics": which,
        "measures": BOUNDS,
        "stimuli": 3,
        "by": True,
        "max_stimuli": 3,
        "areas": None,
        "bins": 4,
        "everyone": False,
        "neighbours": REPLACE,
        "people": 1,
        "noise": LAPLACE,
    } | changes
    if wanted["neighbours"] is ADD_REMOVE:
        wanted["people"] = None
    return FixationsVariant(name, wanted["noise"], Fixations(**wanted), budget, attained=attained)


def all_fixations() -> list[Variant]:
    out = []
    for noise, neighbours, most in itertools.product((LAPLACE, GAUSSIAN), (REPLACE, ADD_REMOVE), (1, 3)):
        common = {"noise": noise, "neighbours": neighbours, "max_stimuli": most}
        out.append(fixations_variant(f"fixations-{noise}-every-{neighbours}-M{most}of3", EVERY, **common))
    for neighbours in (REPLACE, ADD_REMOVE):
        in_all = {"by": False, "max_stimuli": 1, "neighbours": neighbours}
        out.append(fixations_variant(f"fixations-laplace-of-all-trials-{neighbours}", EVERY, **in_all))
        in_areas = {"areas": HALVES, "max_stimuli": 2, "neighbours": neighbours}
        out.append(fixations_variant(f"fixations-laplace-in-areas-{neighbours}", ("mean",), **in_areas))
    public = {"max_stimuli": 2, "assignment_public": True}
    out.append(fixations_variant("fixations-laplace-assigned", ("mean",), **public))
    out.append(fixations_variant("fixations-laplace-everyone", ("mean",), everyone=True))
    return out
