"""Areas of interest."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from wanted import Areas as Wanted

from synthrelease.data.area_shapes import LABEL, POLYGON, RECTANGLE
from synthrelease.data.areas import Area, PlacedAreas
from synthrelease.data.gaze import GazeData
from synthrelease.dp.budget import Budget
from synthrelease.numerics import derived
from synthrelease.numerics.simplex import onto_simplex
from variants.gaze_maps import GazeMapVariant
from variants.people import ADD_REMOVE, BUDGET, GAUSSIAN, LAPLACE, MANY, REPLACE, SCREEN, Person, in_turn
from variants.variant import Variant

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    from variants.people import Arrays, Numbers

IMAGE = np.array([[0, 0, 0, 7, 0], [0, 0, 0, 7, 0]], dtype=np.uint8)
PARTS = PlacedAreas(
    (
        Area("left", RECTANGLE, ((0.0, 0.0), (20.0, 40.0))),
        Area("pond", POLYGON, ((20.0, 0.0), (30.0, 20.0), (20.0, 40.0))),
        Area("tree", LABEL, label=7, stimuli=("image 0",)),
    ),
    {"image 0": IMAGE},
)
SPOTS = np.array(
    [[5.0, 30.0], [21.0, 20.0], [35.0, 1.0], [50.0, 40.0]]
)  # one in each area, and the screen's last corner
LONGEST = 10**12 - 1  # steps of a duration


def at_spots(*at: tuple[int, float]) -> Numbers:
    """Return rows of (x, y, duration) at so many spots, one after the other."""
    return np.array([(*SPOTS[spot], duration) for spot, duration in at]).reshape(-1, 3)


IN_LEFT, IN_POND, IN_TREE, IN_CORNER = range(4)
THOUSANDS_LEFT = [(IN_LEFT, 1.0)] * MANY
LOOKS = {  # in one area alone, and with a blink of another, so that there is a transition
    "nothing": np.empty((0, 3)),
    "left": at_spots((IN_LEFT, 1)),
    "corner": at_spots((IN_CORNER, 1)),
    "left, a blink of the pond": at_spots((IN_LEFT, LONGEST), (IN_POND, 1)),
    "a blink of the left, corner": at_spots((IN_LEFT, 1), (IN_CORNER, LONGEST)),
    "no time": at_spots((IN_LEFT, 0), (IN_CORNER, 0)),
    "no time but in the tree": at_spots((IN_LEFT, 0), (IN_TREE, 1), (IN_CORNER, 0)),
    "thousands left": at_spots(*THOUSANDS_LEFT),
    "thousands left, then the pond": at_spots(*THOUSANDS_LEFT, (IN_POND, 1)),
    "corner, then thousands in the tree": at_spots((IN_CORNER, 1), *[(IN_TREE, 1)] * MANY),
    "corner, then thousands in the pond": at_spots((IN_CORNER, 1), *[(IN_POND, 1)] * MANY),
    "thousands, as long as can be": at_spots(*[(s % 4, LONGEST) for s in range(MANY)]),
    "back and forth": at_spots(*[(s % 2, 1) for s in range(MANY)]),
    "all in turn": at_spots(*[(s % 4, s + 1) for s in range(17)]),
}


def strips(number: int) -> PlacedAreas:
    """Return so many areas side by side."""
    edges = np.linspace(0, SCREEN.width_px, number + 1).tolist()
    sides = itertools.pairwise(edges)
    return PlacedAreas(tuple(Area(f"strip {x}", RECTANGLE, ((x, 0.0), (end, 40.0))) for x, end in sides))


@dataclass(frozen=True, eq=False)
class AreasVariant(GazeMapVariant):
    """People's rows say (stimulus, x_px, y_px, duration)."""

    def data(self, people: Sequence[Person], order: int | None = None) -> GazeData:
        _, rows = in_turn(people, order)
        return replace(super().data(people, order), duration=rows[:, 3].astype(np.int64))

    def of(self, people: int) -> Any:
        p = super().of(people)
        return p if p.viewers is None else replace(p, viewers=(min(people, p.people),) * p.stimuli)

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        """Noisy proportions of d cells, drawn towards equal ones by v/(v + σ²) with v = 1/(d(d + 1)): then the nearest possible ones."""
        p, deviation = self.of(people), self.event(people).standard_deviation
        viewers = None if p.viewers is None else p.viewers[0]
        tree = np.array([area.stimuli is None for area in (*p.areas.areas, Area("elsewhere", RECTANGLE))])
        divisors = {"dwell": derived.dwell_normalization, "transitions": derived.transition_normalization}
        expected: dict[tuple[str, ...], Any] = {}
        for (*labels, kind), array in values.items():
            if kind != "noisy":
                continue
            stimulus, what = labels
            there = tree | (stimulus == "image 0")
            if what == "transitions":
                there = there[:, None] & there & ~np.eye(len(there), dtype=np.bool_)
            d, divisor = int(there.sum()), divisors[what](array, viewers=viewers)
            variance, noise = 1 / (d * (d + 1)), (deviation / divisor) ** 2
            shrunk = 1 / d + variance / (variance + noise) * (array[there] / divisor - 1 / d)
            shares = np.zeros(array.shape)
            shares[there] = onto_simplex(shrunk, 1.0)
            expected[stimulus, what, "shares"] = shares
            if viewers is not None and what == "dwell":
                error = variance * noise / (variance + noise) * (d - 1) / d
                expected.setdefault(("dwell", "uncertainty"), []).append(math.sqrt(error))
        return {key: np.asarray(array) for key, array in expected.items()}

    def patterns(self) -> dict[str, Numbers]:
        return LOOKS

    def looking(self, pattern_on: Mapping[int, str]) -> Person:
        patterns = self.patterns()
        blocks = [
            np.column_stack([np.full(len(patterns[name]), s), patterns[name]])
            for s, name in pattern_on.items()
        ]
        names = ", ".join(f"{name} on {s}" for s, name in pattern_on.items())
        return Person(np.concatenate([np.empty((0, 4)), *blocks]), tuple(pattern_on), names)

    def made_adversaries(self) -> list[Person]:
        p = self.parameters
        every = range(p.stimuli)
        chosen = {
            (),
            (0,),
            tuple(every[: p.max_stimuli]),
            tuple(every[p.stimuli - p.max_stimuli :]),
            tuple(every),
        }
        out = [self.looking(dict.fromkeys(seen, name)) for seen in sorted(chosen) for name in self.patterns()]
        # Who was shown everything but has usable rows on some stimuli only: what counts must not depend on it.
        first, last = (
            {s: "left" if s in some else "nothing" for s in every}
            for some in (every[: p.max_stimuli], every[p.stimuli - p.max_stimuli :])
        )
        return [*out, self.looking(first), self.looking(last)]

    def anyone(self, like: Person | None = None) -> SearchStrategy[Person]:
        stimuli, width, height = self.parameters.stimuli, self.screen.width_px, self.screen.height_px
        fixed = like is not None and self.parameters.assignment_public
        spots = st.one_of(
            st.sampled_from(SPOTS.tolist()).map(tuple), st.tuples(st.floats(0, width), st.floats(0, height))
        )

        @st.composite
        def person(draw: DrawFn) -> Person:
            seen = like.seen if fixed else tuple(sorted(draw(st.sets(st.integers(0, stimuli - 1)))))
            if not seen:
                return Person(np.empty((0, 4)), seen)
            row = st.tuples(st.sampled_from(seen), spots, st.integers(0, LONGEST))
            rows = [(s, *at, duration) for s, at, duration in draw(st.lists(row, max_size=40))]
            return Person(np.array(rows, dtype=np.float64).reshape(-1, 4), seen)

        return person()

    def ordinary(self, count: int, seed: int = 0) -> list[Person]:
        generator = np.random.default_rng([seed, 5])
        people = []
        for _ in range(count):
            seen = np.flatnonzero(generator.random(self.parameters.stimuli) < 0.7)
            n = int(generator.integers(0, 30)) if seen.size else 0
            stimulus = generator.choice(seen, n) if n else np.empty(0)
            place = generator.uniform(0, [self.screen.width_px, self.screen.height_px], (n, 2))
            rows = np.column_stack([stimulus, place, generator.integers(0, 9, n)])
            people.append(Person(rows, tuple(seen.tolist())))
        return people

    def equivalent(self, person: Person) -> Person:
        """Elsewhere in the same areas, durations doubled, the stimuli in another order; without transitions, the rows too."""
        rows = person.rows.copy()
        area = self.parameters.areas.locate(self.data([person]))
        rows[:, 1:3] = np.where((area == 3)[:, None], [49.0, 39.0], SPOTS[area] + [0.5, 0.0])
        rows[:, 3] *= 2
        if not self.parameters.transitions:
            rows = rows[::-1]
        return Person(rows[np.argsort(-rows[:, 0], kind="stable")], person.seen, person.name)

    def wide(self) -> Variant:
        areas = strips(30 if self.parameters.transitions else 400)
        return replace(self, parameters=replace(self.parameters, areas=areas))

    def crowded(self) -> tuple[Variant, int]:
        return self, 70_000

    def overflowing(self) -> Variant | None:
        return None if self.parameters.people is None else replace(self, claimed=2**48)


def areas_variant(name: str, noise: str, *, budget: Budget = BUDGET, **changes: Any) -> Variant:
    parameters: dict[str, Any] = {
        "areas": PARTS,
        "stimuli": 3,
        "transitions": False,
        "weight": "samples",
        "max_stimuli": 2,
        "viewers": None,
        "assignment_public": False,
        "neighbours": REPLACE,
        "people": 1,
    } | changes
    if parameters["neighbours"] is ADD_REMOVE:
        parameters["people"] = None
    elif parameters["assignment_public"]:
        parameters["viewers"] = (1,) * parameters["stimuli"]
    # Whoever weighs all in one area and yet goes from it to another leaves one share of thousands there.
    return AreasVariant(name, noise, Wanted(noise=noise, **parameters), budget, attained=0.99)


def all_areas() -> list[Variant]:
    out = []
    kinds = itertools.product(
        (LAPLACE, GAUSSIAN), (REPLACE, ADD_REMOVE), (False, True), (False, True), ("samples", "duration")
    )
    for noise, neighbours, public, transitions, weight in kinds:
        name = f"areas-{noise}-{neighbours}-{weight}{'-transitions' if transitions else ''}{'-assigned' if public else ''}"
        common = {"neighbours": neighbours, "assignment_public": public}
        out.append(areas_variant(name, noise, transitions=transitions, weight=weight, **common))
    for noise in (LAPLACE, GAUSSIAN):
        one = {"stimuli": 1, "max_stimuli": 1}
        out.append(areas_variant(f"areas-{noise}-one-stimulus", noise, **one))
        out += [
            areas_variant(f"areas-{noise}-M{m}of3", noise, max_stimuli=m, transitions=True) for m in (1, 3)
        ]
    return out
