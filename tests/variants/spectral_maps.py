"""Spectral heatmaps."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from wanted import Spectral

from synthrelease.data.gaze import GazeData
from synthrelease.dp.budget import Budget
from synthrelease.numerics.spectral import RADIUS, SpectralForm, normalizations
from synthrelease.numerics.spectrum import POSITIONS
from synthrelease.numerics.stored import stored
from variants.gaze_maps import GazeMapVariant
from variants.people import ADD_REMOVE, BUDGET, GAUSSIAN, MANY, REPLACE, Person, in_turn
from variants.variant import Variant

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    from variants.people import Arrays, Numbers


@dataclass(frozen=True, eq=False)
class SpectralVariant(GazeMapVariant):
    """People's rows say (stimulus, x_px, y_px, time, duration)."""

    def data(self, people: Sequence[Person], order: int | None = None) -> GazeData:
        gaze = super().data(people, order)
        _, rows = in_turn(people, order)
        return replace(gaze, time=rows[:, 3], duration=rows[:, 4].astype(np.int64))

    def of(self, people: int) -> Any:
        p = super().of(people)
        return p if p.viewers is None else replace(p, viewers=(min(people, p.people),) * p.stimuli)

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        p, deviation = self.of(people), self.event(people).standard_deviation
        names = [name for name, what in values if what == "noisy"]
        constants = np.array([values[name, "noisy"][0] for name in names])
        viewers = None if p.viewers is None else np.array(p.viewers)
        held = normalizations(constants, deviation=deviation, viewers=viewers, people=p.people, joint=p.joint)
        out: dict[tuple[str, ...], Any] = {}
        for name, mass in zip(names, held, strict=True):
            known, error = (float(x) for x in stored(mass))
            out[name, "normalization"] = mass
            noisy = values[name, "noisy"]
            out[name, "heatmap"] = p.form.heatmap(noisy, normalization=known, deviation=deviation)
            out[name, "uncertainty"] = p.form.uncertainty(
                values[name, "heatmap"], normalization=known, normalization_error=error, deviation=deviation
            )
        return out

    def patterns(self) -> dict[str, Numbers]:
        """Return rows of (x, y, time, duration): corners, where all cosines are largest, and what is opposite to them."""
        width, height = self.screen.width_px, self.screen.height_px
        start, end = self.parameters.window or (0.0, 1.0)
        corners = {
            f"corner {down}{across}{late}": np.array([[across * width, down * height, late, 1.0]])
            for down, across, late in itertools.product((0, 1), (0, 1), (start, end))
        }
        grid = np.indices((16, 16)).reshape(2, -1).T / 15
        everywhere = np.column_stack([grid * [width, height], np.full(256, (start + end) / 2), np.ones(256)])
        return {
            "nothing": np.empty((0, 4)),
            "no time": np.array([[1.0, 1.0, start, 0.0]]),
            "out of the window": np.array([[1.0, 1.0, end + 1, 1.0]]),
            **corners,
            "middle": np.array([[width / 2, height / 2, (start + end) / 2, 1.0]]),
            "everywhere": everywhere,
            "thousands in a corner": np.tile(corners[f"corner 00{start}"], (MANY, 1)),
            "a long look and short ones": np.concatenate(
                [everywhere, np.array([[0.0, 0.0, start, 10.0**12 - 1]])]
            ),
        }

    def looking(self, pattern_on: Mapping[int, str]) -> Person:
        patterns = self.patterns()
        blocks = [
            np.column_stack([np.full(len(patterns[name]), s), patterns[name]])
            for s, name in pattern_on.items()
        ]
        names = ", ".join(f"{name} on {s}" for s, name in pattern_on.items())
        return Person(np.concatenate([np.empty((0, 5)), *blocks]), tuple(pattern_on), names)

    def made_adversaries(self) -> list[Person]:
        p = self.parameters
        every = range(p.stimuli)
        chosen = {(), (0,), (p.stimuli - 1,), tuple(every[: p.max_stimuli]), tuple(every)}
        return [
            self.looking(dict.fromkeys(seen, name)) for seen in sorted(chosen) for name in self.patterns()
        ]

    def anyone(self, like: Person | None = None) -> SearchStrategy[Person]:
        stimuli, width, height = self.parameters.stimuli, self.screen.width_px, self.screen.height_px
        fixed = like is not None and self.parameters.assignment_public

        @st.composite
        def person(draw: DrawFn) -> Person:
            seen = like.seen if fixed else tuple(sorted(draw(st.sets(st.integers(0, stimuli - 1)))))
            if not seen:
                return Person(np.empty((0, 5)), seen)
            row = st.tuples(
                st.sampled_from(seen),
                st.floats(0, width),
                st.floats(0, height),
                st.floats(-1, 3),
                st.integers(0, 10**6),
            )
            return Person(np.array(draw(st.lists(row, max_size=25)), dtype=np.float64).reshape(-1, 5), seen)

        return person()

    def ordinary(self, count: int, seed: int = 0) -> list[Person]:
        generator = np.random.default_rng([seed, 3])
        people = []
        for _ in range(count):
            seen = np.flatnonzero(generator.random(self.parameters.stimuli) < 0.7)
            n = int(generator.integers(0, 30)) if seen.size else 0
            stimulus = generator.choice(seen, n) if n else np.empty(0)
            place = generator.uniform(0, [self.screen.width_px, self.screen.height_px], (n, 2))
            rows = np.column_stack([stimulus, place, generator.uniform(0, 2, n), generator.integers(0, 9, n)])
            people.append(Person(rows, tuple(seen.tolist())))
        return people

    def equivalent(self, person: Person) -> Person:
        """Elsewhere within the public steps of the axes, durations doubled, and the stimuli in another order."""
        rows = person.rows[np.argsort(-person.rows[:, 0], kind="stable")]
        for column, side in ((1, self.screen.width_px), (2, self.screen.height_px)):
            step = np.minimum(np.floor(rows[:, column] / side * POSITIONS), POSITIONS - 1)
            rows[:, column] = (step + 0.5) / POSITIONS * side
        rows[:, 4] *= 2
        return Person(rows, person.seen, person.name)

    def wide(self) -> Variant:
        form = replace(self.parameters.form, blurs=WIDE[-len(self.parameters.form.blurs) :])
        return replace(self, parameters=replace(self.parameters, form=form))

    def crowded(self) -> tuple[Variant, int]:
        return self, 2**31 // RADIUS + 1

    def overflowing(self) -> Variant | None:
        return None if self.parameters.people is None else replace(self, claimed=2**48)


WIDE = (0.4, 0.05, 0.04)  # of a blur that leaves many frequencies over


def spectral_variant(name: str, *, attained: float = 0.6, budget: Budget = BUDGET, **changes: Any) -> Variant:
    form = {"blurs": (0.4, 0.3), "exponent": 1.25, "clip": 0.35, "prior": "centre", "cells": (4, 5)}
    form |= {key: changes.pop(key) for key in tuple(changes) if key in form}
    parameters: dict[str, Any] = {
        "stimuli": 3,
        "joint": True,
        "max_stimuli": 2,
        "viewers": None,
        "assignment_public": False,
        "weight": "samples",
        "window": None,
        "neighbours": REPLACE,
        "people": 1,
    } | changes
    if parameters["neighbours"] is ADD_REMOVE:
        parameters["people"] = None
    elif parameters["assignment_public"]:
        parameters["viewers"] = (1,) * parameters["stimuli"]
    made = Spectral(form=SpectralForm(**form), **parameters)
    return SpectralVariant(name, GAUSSIAN, made, budget, attained=attained, in_l1=False)


def spectral_heatmaps() -> list[Variant]:
    out = []
    for neighbours, public, joint in itertools.product((REPLACE, ADD_REMOVE), (False, True), (False, True)):
        name = f"spectral-{neighbours}-{'joint' if joint else 'per-stimulus'}{'-assigned' if public else ''}"
        common = {"neighbours": neighbours, "assignment_public": public, "joint": joint}
        out.append(spectral_variant(name, **common))
    moving = {"blurs": (0.5, 0.4, 0.3), "cells": (3, 4, 5), "window": (0.0, 1.5)}
    return [
        *out,
        # Three frequencies: opposite corners are opposite vectors, but for the constant.
        spectral_variant("spectral-three", blurs=(0.8, 0.8), exponent=1.0, max_stimuli=3, attained=0.8),
        spectral_variant("spectral-durations", weight="duration", prior="none"),
        spectral_variant("spectral-one-stimulus", stimuli=1, max_stimuli=1, exponent=0.0),
        spectral_variant("spectral-loose-clip", clip=1.5, joint=False, attained=0.5),
        spectral_variant("spectral-dynamic", **moving),
        spectral_variant("spectral-dynamic-durations", weight="duration", joint=False, **moving),
    ]
