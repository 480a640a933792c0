"""Gaze maps with noise on every cell."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from wanted import Cells

from synthrelease.data.gaze import GazeData
from synthrelease.data.screen import Screen
from synthrelease.dp.budget import Budget
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.numerics import derived
from variants.people import ADD_REMOVE, GAUSSIAN, LAPLACE, MANY, REPLACE, SCREEN, Person, in_turn
from variants.variant import Variant

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    from variants.people import Arrays, Integers, Numbers


@dataclass(frozen=True, eq=False)
class GazeMapVariant(Variant):
    screen: Screen = SCREEN

    def data(self, people: Sequence[Person], order: int | None = None) -> GazeData:
        person, rows = in_turn(people, order)
        stimuli = self.parameters.stimuli
        assigned = np.zeros((len(people), stimuli), dtype=np.bool_)
        for number, one in enumerate(people):
            assigned[number, list(one.seen)] = True
        names = tuple(f"image {s}" for s in range(stimuli))
        stimulus = rows[:, 0].astype(np.int64)
        labels = tuple(one.name for one in people)
        return GazeData(
            self.screen,
            names,
            len(people),
            assigned,
            person,
            stimulus,
            rows[:, 1],
            rows[:, 2],
            identities=labels,
        )

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        p = self.of(people)
        screen = (self.screen.width_px, self.screen.height_px)
        return {
            (name, "heatmap"): derived.heatmap(array, people=p.people, blur_px=p.blur_px, screen_px=screen)
            for (name, _), array in values.items()
            if _ == "noisy"
        }

    def may_replace(self, one: Person, other: Person) -> bool:
        return not self.parameters.assignment_public or one.seen == other.seen

    def at(self, cells: Integers) -> Numbers:
        """Return the middle of cells in pixels, shape (N, 2)."""
        p = self.parameters
        x = (cells % p.columns + 0.5) * self.screen.width_px / p.columns
        y = (cells // p.columns + 0.5) * self.screen.height_px / p.rows
        return np.stack([x, y], axis=1)

    def patterns(self) -> dict[str, Numbers]:
        """Return points on one stimulus."""
        p = self.parameters
        r = p.rows * p.columns
        most = r * p.cap if p.max_samples is None else min(p.max_samples, r * p.cap)
        filled = np.repeat(np.arange(r), p.cap)
        used = -(-most // p.cap)
        corner = np.full(MANY, r - 1)
        return {
            "nothing": np.empty((0, 2)),
            "one sample": self.at(np.array([0])),
            "cells from the first": self.at(filled[:most]),
            "cells from the last": self.at(filled[::-1][:most]),
            "the other cells": self.at(filled[used * p.cap :][:most]),
            "all cells to the cap": self.at(filled),
            "thousands in one cell": self.at(np.zeros(MANY, dtype=np.int64)),
            "thousands in the opposite corner": np.tile([50.0, 40.0], (MANY, 1)),
            "thousands in all cells in turn": self.at(np.arange(MANY) % r),
            "alternating corners": self.at(np.where(np.arange(MANY) % 2, corner, 0)),
        }

    def made_adversaries(self) -> list[Person]:
        p = self.parameters
        every = range(p.stimuli)
        chosen = {
            (),
            (0,),
            (p.stimuli - 1,),
            tuple(every[: p.max_stimuli]),
            tuple(every[p.stimuli - p.max_stimuli :]),
            tuple(every[::2]),
            tuple(every),
        }
        patterns = self.patterns()
        out = [self.looking(dict.fromkeys(seen, name)) for seen in sorted(chosen) for name in patterns]
        # Who leaves the first maps and comes to the last ones differs most on those they share.
        shared = dict.fromkeys(every[p.stimuli - p.max_stimuli : p.max_stimuli], "the other cells")
        alone = dict.fromkeys(every[p.max_stimuli :], "cells from the first")
        # Who was shown everything but has usable rows on some stimuli only: which maps count must not depend on it.
        first, last = (
            {s: "cells from the first" if s in some else "nothing" for s in every}
            for some in (every[: p.max_stimuli], every[p.stimuli - p.max_stimuli :])
        )
        out += [self.looking(shared | alone), self.looking(first), self.looking(last)]
        # On which stimuli people count depends on their labels too.
        whole = [one for one in out if len(one.seen) == p.stimuli > p.max_stimuli]
        return [*out, *(replace(one, name=f"{one.name}, {turn}") for one in whole for turn in range(4))]

    def looking(self, pattern_on: Mapping[int, str]) -> Person:
        """Return one with a pattern of points on each of some stimuli."""
        patterns = self.patterns()
        blocks = [
            np.column_stack([np.full(len(patterns[name]), s), patterns[name]])
            for s, name in pattern_on.items()
        ]
        names = ", ".join(f"{name} on {s}" for s, name in pattern_on.items())
        return Person(np.concatenate([np.empty((0, 3)), *blocks]), tuple(pattern_on), names)

    def anyone(self, like: Person | None = None) -> SearchStrategy[Person]:
        stimuli, width, height = self.parameters.stimuli, self.screen.width_px, self.screen.height_px
        fixed = like is not None and self.parameters.assignment_public

        @st.composite
        def person(draw: DrawFn) -> Person:
            seen = like.seen if fixed else tuple(sorted(draw(st.sets(st.integers(0, stimuli - 1)))))
            if not seen:
                return Person(np.empty((0, 3)), seen)
            point = st.tuples(
                st.sampled_from(seen), st.floats(0, width), st.floats(0, height), st.integers(1, 40)
            )
            drawn = draw(st.lists(point, max_size=25))
            rows = [row[:3] for row in drawn for _ in range(row[3])]
            return Person(np.array(rows, dtype=np.float64).reshape(-1, 3), seen)

        return person()

    def ordinary(self, count: int, seed: int = 0) -> list[Person]:
        generator = np.random.default_rng([seed, 1])
        people = []
        for _ in range(count):
            seen = np.flatnonzero(generator.random(self.parameters.stimuli) < 0.7)
            n = int(generator.integers(0, 30)) if seen.size else 0
            stimulus = generator.choice(seen, n) if n else np.empty(0)
            x = generator.uniform(0, self.screen.width_px, n)
            y = generator.uniform(0, self.screen.height_px, n)
            people.append(Person(np.column_stack([stimulus, x, y]), tuple(seen.tolist())))
        return people

    def equivalent(self, person: Person) -> Person:
        """Elsewhere within the cells, and the stimuli in another order."""
        rows = person.rows[np.argsort(-person.rows[:, 0], kind="stable")]
        cell = [self.screen.width_px / self.parameters.columns, self.screen.height_px / self.parameters.rows]
        inside = np.minimum(
            np.floor(rows[:, 1:] / cell), [self.parameters.columns - 1, self.parameters.rows - 1]
        )
        rows[:, 1:] = (inside + 0.25) * cell
        return Person(rows, person.seen, person.name)

    def wide(self) -> Variant:
        return replace(self, parameters=replace(self.parameters, rows=50, columns=60))

    def crowded(self) -> tuple[Variant, int]:
        return replace(self, parameters=replace(self.parameters, cap=10**6, max_samples=None)), 3000

    def overflowing(self) -> Variant | None:
        parameters = replace(self.parameters, cap=2**61, max_samples=None)
        return None if parameters.people is None else replace(self, parameters=parameters)


@dataclass(frozen=True, eq=False)
class PrivateCapVariant(GazeMapVariant):
    """Gaze maps whose cap is chosen privately; what is asked of them is in test_private_cap.py."""

    def choosing(self, people: int) -> CellHeatmap:
        """Return the mechanism with a choice, for so many people."""
        return replace(self.of(people), caps=(1, 2, 5, 12), cap_share=0.1).mechanism


def private_caps() -> list[Variant]:
    out: list[Variant] = []
    for noise, neighbours, public in itertools.product(
        (GAUSSIAN, LAPLACE), (REPLACE, ADD_REMOVE), (False, True)
    ):
        parameters = gaze_map_parameters(
            noise=noise,
            neighbours=neighbours,
            assignment_public=public,
            max_samples=12,
            stimuli=3,
            max_stimuli=2,
        )
        name = f"private-cap-{noise}-{neighbours}{'-assigned' if public else ''}"
        out.append(PrivateCapVariant(name, noise, parameters))
    return out


def gaze_map_parameters(**changes: Any) -> Cells:
    parameters: dict[str, Any] = {
        "stimuli": 4,
        "rows": 4,
        "columns": 5,
        "cap": 1,
        "max_samples": 7,
        "max_stimuli": 3,
        "assignment_public": False,
        "neighbours": REPLACE,
        "noise": LAPLACE,
        "calibration": "exact",
        "blur_px": 3.0,
        "people": 1,
        "screen": SCREEN,
    } | changes
    if parameters["neighbours"] is ADD_REMOVE:
        parameters["people"] = None
    return Cells(**parameters)


def heatmaps() -> list[Variant]:
    out: list[Variant] = []
    kinds = itertools.product(
        (LAPLACE, GAUSSIAN),
        (REPLACE, ADD_REMOVE),
        (False, True),
        (1, 3, 4),
        ((7, 1), (None, 1), (7, 3), (50, 3), (None, 3)),
    )
    for noise, neighbours, public, most, (samples, cap) in kinds:
        name = f"heatmap-{noise}-{neighbours}-M{most}of4-T{samples or 'unlimited'}-cap{cap}{'-assigned' if public else ''}"
        parameters = gaze_map_parameters(
            noise=noise,
            neighbours=neighbours,
            assignment_public=public,
            max_stimuli=most,
            max_samples=samples,
            cap=cap,
        )
        out.append(GazeMapVariant(name, noise, parameters))
    liu = gaze_map_parameters(
        noise=GAUSSIAN, calibration="liu2019", stimuli=1, max_stimuli=1, max_samples=None, rows=30, columns=40
    )
    out.append(GazeMapVariant("heatmap-liu2019", GAUSSIAN, liu, Budget(1.0, 1e-4)))
    return out
