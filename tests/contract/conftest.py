"""Every mechanism in every variant behind one face, and the people who attack it.

A `Variant` says how a dataset is made of people, which integers a release of it would hold if there were no
noise, and which people could move them furthest. The contract is then one suite: `test_mechanisms.py` for the
integers, `test_release.py` for what is made of them, `test_attack.py` for the promise itself.

Tests ask for variants by the name of an argument: `variant` is all of them, `gaussian` those with that noise,
`bounded` those that differ in more than the noise; `attacked` are small ones whose worst case is likely enough to
be seen, of which `apart` release everybody's own integers and `summed` their sum; `drawn` make records, and `long`
signals need clipping; `capped` choose their cap privately.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import strategies as st

from synthrelease.data.areas import LABEL, POLYGON, RECTANGLE, Area, Areas
from synthrelease.data.attribute import Attribute
from synthrelease.data.features import RECORDING, Features
from synthrelease.data.gaze import Gaze
from synthrelease.data.screen import Screen
from synthrelease.maths import derived
from synthrelease.maths.binning import bin_numbers
from synthrelease.maths.fourier import basis
from synthrelease.maths.spectral import RADIUS, SpectralForm, masses
from synthrelease.maths.spectrum import POSITIONS
from synthrelease.maths.stored import stored
from synthrelease.mechanisms import areas, gaze_maps, signals, spectral, statistics
from synthrelease.mechanisms.areas import AreaParameters
from synthrelease.mechanisms.gaze_maps import GazeMapParameters
from synthrelease.mechanisms.private_cap import PrivateCap
from synthrelease.mechanisms.records import fit
from synthrelease.mechanisms.records import release as records
from synthrelease.mechanisms.records.parameters import RecordsParameters
from synthrelease.mechanisms.signals import SignalParameters
from synthrelease.mechanisms.spectral import SpectralParameters
from synthrelease.mechanisms.statistics import StatisticsParameters
from synthrelease.noise.addition import noised
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import DiscreteLaplace, RoundedGaussian, flatten
from synthrelease.privacy.guarantee import Neighbours

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Numbers = NDArray[np.float64]
    Arrays = Mapping[tuple[str, ...], NDArray[np.generic]]

REPLACE, ADD_REMOVE = Neighbours.REPLACE_ONE, Neighbours.ADD_REMOVE_ONE
LAPLACE, GAUSSIAN = "laplace", "gaussian"
BUDGET = Budget(1.0, 1e-6)
SCREEN = Screen(50, 40)
ATTAINED = 0.85
MANY = 3000  # rows of a person who has far too many


# --- people


@dataclass(frozen=True, eq=False)
class Person:
    """All rows of one person.

    Attributes:
        seen: the stimuli they have any row of, usable or not; of no meaning for features.
        rows: (stimulus, x_px, y_px), or (recording, u₁ … u_F) with u = ±1 at a feature's bounds, NaN missing.
    """

    rows: Numbers
    seen: tuple[int, ...] = ()
    name: str = ""


def in_turn(people: Sequence[Person], order: int | None) -> tuple[Integers, Numbers]:
    """Person numbers and rows: block by block, or shuffled without changing any person's own order."""
    number = np.repeat(np.arange(len(people)), [len(p.rows) for p in people])
    rows = np.concatenate([p.rows for p in people])
    if order is None:
        return number, rows
    shuffled = np.random.default_rng(order).permutation(number)
    place = np.empty_like(shuffled)
    place[np.argsort(shuffled, kind="stable")] = np.arange(shuffled.size)
    return shuffled, rows[place]


class Silence:
    """A source of words that all mean "no noise", and of choices that are always the first."""

    def words(self, count: int) -> NDArray[np.uint64]:
        return np.full(count, 2**64 - 1, dtype=np.uint64)

    def integers(self, _bound: int, size: int) -> Integers:
        return np.zeros(size, dtype=np.int64)

    def uniform(self, size: int) -> Numbers:
        return np.zeros(size)

    def permutation(self, count: int) -> Integers:
        return np.arange(count)


# --- variants


@dataclass(frozen=True, eq=False)
class Variant:
    """One mechanism with its public parameters.

    Attributes:
        name: the test's id.
        noise: "laplace" or "gaussian".
        parameters: of the mechanism; the number of people in them is that of the dataset.
        budget: what a release may cost.
        apart: whether every person's own integers are released, and not their sum.
        attained: which part of the sensitivity, in either norm, a person can really move the integers.
        claimed: the public number of people, if it is not that of the dataset.
    """

    name: str
    noise: str
    parameters: Any
    budget: Budget = BUDGET
    apart: bool = False
    attained: float = ATTAINED
    claimed: int | None = None
    in_l1: bool = True  # whether the sensitivity in L1 is used, and has to be attained

    def of(self, people: int) -> Any:
        """Return the parameters for so many people."""
        if self.parameters.people is None:
            return self.parameters
        return replace(self.parameters, people=self.claimed or people)

    def data(self, people: Sequence[Person], order: int | None = None) -> Any:
        raise NotImplementedError

    def exact(self, people: Sequence[Person], order: int | None = None) -> Integers:
        """Return the integers before noise: shape (K,), or (people, K) if they are released apart."""
        raise NotImplementedError

    def release(self, people: Sequence[Person], random: Any) -> tuple[Arrays, Any]:
        raise NotImplementedError

    def calibrate(self, people: int) -> Any:
        raise NotImplementedError

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        """Return every array that is no noised one, computed again from the noised ones."""
        raise NotImplementedError

    def adversaries(self) -> list[Person]:
        """Return people made to move the integers as far as they can."""
        raise NotImplementedError

    def anybody(self, like: Person | None = None) -> SearchStrategy[Person]:
        """Return a strategy for people; if `like` is given, for those that may take that person's place."""
        raise NotImplementedError

    def ordinary(self, count: int, seed: int = 0) -> list[Person]:
        """Return people with random rows."""
        raise NotImplementedError

    def equivalent(self, person: Person) -> Person:
        """Return another person's rows that the mechanism may not tell from this one's."""
        raise NotImplementedError

    def wide(self) -> Variant:
        """Return the same variant with many more integers to noise."""
        raise NotImplementedError

    def crowded(self) -> tuple[Variant, int]:
        """Return the variant and a number of people whose sums need more than 32 bits."""
        return self, 70_000

    def overflowing(self) -> Variant | None:
        """Return the same variant where sums need more than 62 bits, if their bound is a parameter."""
        return None if self.parameters.people is None else replace(self, claimed=2**48)

    def may_replace(self, _one: Person, _other: Person) -> bool:
        return True

    # --- the same for all

    @property
    def tested(self) -> bool:
        """Whether something besides the integers is looked at: seeds under a deniability test."""
        return self.calibrate(1) != self.event(1)

    @property
    def sensitivity(self) -> Any:
        return self.parameters.sensitivity()

    @property
    def adds_or_removes(self) -> bool:
        return self.parameters.neighbours is ADD_REMOVE

    def event(self, people: int) -> RoundedGaussian | DiscreteLaplace:
        """Return the noise of the release."""
        return self.noise_in(self.calibrate(people))

    def noise_in(self, event: Any) -> RoundedGaussian | DiscreteLaplace:
        kinds = RoundedGaussian | DiscreteLaplace
        (noise,) = [leaf for leaf in flatten(event) if isinstance(leaf, kinds)]
        return noise

    def draw(self, exact: Integers, event: Any, random: Any) -> Integers:
        """Add an event's noise to exact integers."""
        return noised(exact, event, largest=int(np.abs(exact).max(initial=0)), random=random).astype(np.int64)

    def noised_in(self, values: Arrays) -> Integers:
        """Return the noised integers of a release in the order of `exact`."""
        arrays = [a for key, a in values.items() if key[-1] == "noised"]
        if self.apart:
            return np.concatenate([a.reshape(len(a), -1) for a in arrays], axis=1).astype(np.int64)
        return np.concatenate([a.ravel() for a in arrays]).astype(np.int64)

    @cached_property
    def moves(self) -> Moves:
        """Return how far adversaries move the integers, with the pairs that move them furthest."""
        beside = self.ordinary(2)
        people = self.adversaries()
        alone = self.exact(beside).ravel()
        vectors = np.stack([self.exact([*beside, a]).ravel() for a in people])
        if self.adds_or_removes:
            l1, l2 = norms(vectors - alone)
            pairs: list[tuple[int, ...]] = [(a,) for a in range(len(people))]
        else:
            pairs = [
                (a, b)
                for a, b in itertools.combinations(range(len(people)), 2)
                if self.may_replace(people[a], people[b])
            ]
            first, second = np.array(pairs).T
            l1, l2 = norms(vectors[first] - vectors[second])
        best = [tuple(people[i] for i in pairs[int(np.argmax(norm))]) for norm in (l1, l2)]
        return Moves(int(l1.max()), int(l2.max()), best[0], best[1])


@dataclass(frozen=True, eq=False)
class Moves:
    """The furthest moves in L1 and in squared L2, and who made them: two people, or one who came or left."""

    l1: int
    l2_squared: int
    by_l1: tuple[Person, ...]
    by_l2: tuple[Person, ...]


def norms(difference: Integers) -> tuple[Integers, Integers]:
    """L1 and squared L2 norms along the last axis, in integers."""
    return np.abs(difference).sum(axis=-1), (difference * difference).sum(axis=-1)


# --- heatmaps


@dataclass(frozen=True, eq=False)
class GazeMapVariant(Variant):
    screen: Screen = SCREEN

    def data(self, people: Sequence[Person], order: int | None = None) -> Gaze:
        person, rows = in_turn(people, order)
        stimuli = self.parameters.stimuli
        assigned = np.zeros((len(people), stimuli), dtype=np.bool_)
        for number, one in enumerate(people):
            assigned[number, list(one.seen)] = True
        names = tuple(f"image {s}" for s in range(stimuli))
        stimulus = rows[:, 0].astype(np.int64)
        labels = tuple(one.name for one in people)
        return Gaze(
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

    def exact(self, people: Sequence[Person], order: int | None = None) -> Integers:
        return gaze_maps.contributions(self.data(people, order), self.of(len(people))).ravel()

    def release(self, people: Sequence[Person], random: Any) -> tuple[Arrays, Any]:
        return gaze_maps.release(self.data(people), self.of(len(people)), self.budget, random=random)

    def calibrate(self, people: int) -> Any:
        return gaze_maps.calibrate(self.of(people), self.budget)

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        p = self.of(people)
        screen = (self.screen.width_px, self.screen.height_px)
        return {
            (name, "heatmap"): derived.heatmap(array, people=p.people, blur_px=p.blur_px, screen_px=screen)
            for (name, _), array in values.items()
            if _ == "noised"
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

    def adversaries(self) -> list[Person]:
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

    def anybody(self, like: Person | None = None) -> SearchStrategy[Person]:
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
        return replace(self, parameters=replace(self.parameters, cap=10**6)), 3000

    def overflowing(self) -> Variant | None:
        parameters = replace(self.parameters, cap=2**61)
        return None if parameters.people is None else replace(self, parameters=parameters)


@dataclass(frozen=True, eq=False)
class PrivateCapVariant(GazeMapVariant):
    """Gaze maps whose cap is chosen privately; what is asked of them is in test_private_cap.py."""

    @property
    def private(self) -> PrivateCap:
        return PrivateCap(self.parameters, (1, 2, 5, 12), 0.1)


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


def gaze_map_parameters(**changes: Any) -> GazeMapParameters:
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
    } | changes
    if parameters["neighbours"] is ADD_REMOVE:
        parameters["people"] = None
    return GazeMapParameters(**parameters)


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


@dataclass(frozen=True, eq=False)
class SpectralVariant(GazeMapVariant):
    """People's rows say (stimulus, x_px, y_px, time, duration)."""

    def data(self, people: Sequence[Person], order: int | None = None) -> Gaze:
        gaze = super().data(people, order)
        _, rows = in_turn(people, order)
        return replace(gaze, time=rows[:, 3], duration=rows[:, 4].astype(np.int64))

    def exact(self, people: Sequence[Person], order: int | None = None) -> Integers:
        return spectral.contributions(self.data(people, order), self.of(len(people))).ravel()

    def of(self, people: int) -> Any:
        p = super().of(people)
        return p if p.viewers is None else replace(p, viewers=(min(people, p.people),) * p.stimuli)

    def release(self, people: Sequence[Person], random: Any) -> tuple[Arrays, Any]:
        return spectral.release(self.data(people), self.of(len(people)), self.budget, random=random)

    def calibrate(self, people: int) -> Any:
        return spectral.calibrate(self.of(people), self.budget)

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        p, deviation = self.of(people), self.event(people).standard_deviation
        names = [name for name, what in values if what == "noised"]
        constants = np.array([values[name, "noised"][0] for name in names])
        viewers = None if p.viewers is None else np.array(p.viewers)
        held = masses(constants, deviation=deviation, viewers=viewers, people=p.people, joint=p.joint)
        out: dict[tuple[str, ...], Any] = {}
        for name, mass in zip(names, held, strict=True):
            known, error = (float(x) for x in stored(mass))
            out[name, "mass"] = mass
            noisy = values[name, "noised"]
            out[name, "heatmap"] = p.form.heatmap(noisy, mass=known, deviation=deviation)
            out[name, "uncertainty"] = p.form.uncertainty(
                noisy, mass=known, mass_error=error, deviation=deviation
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

    def adversaries(self) -> list[Person]:
        p = self.parameters
        every = range(p.stimuli)
        chosen = {(), (0,), (p.stimuli - 1,), tuple(every[: p.max_stimuli]), tuple(every)}
        return [
            self.looking(dict.fromkeys(seen, name)) for seen in sorted(chosen) for name in self.patterns()
        ]

    def anybody(self, like: Person | None = None) -> SearchStrategy[Person]:
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
    made = SpectralParameters(form=SpectralForm(**form), **parameters)
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


# --- areas


IMAGE = np.array([[0, 0, 0, 7, 0], [0, 0, 0, 7, 0]], dtype=np.uint8)
PARTS = Areas(
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


def strips(number: int) -> Areas:
    """Return so many areas side by side."""
    edges = np.linspace(0, SCREEN.width_px, number + 1).tolist()
    sides = itertools.pairwise(edges)
    return Areas(tuple(Area(f"strip {x}", RECTANGLE, ((x, 0.0), (end, 40.0))) for x, end in sides))


@dataclass(frozen=True, eq=False)
class AreasVariant(GazeMapVariant):
    """People's rows say (stimulus, x_px, y_px, duration)."""

    def data(self, people: Sequence[Person], order: int | None = None) -> Gaze:
        _, rows = in_turn(people, order)
        return replace(super().data(people, order), duration=rows[:, 3].astype(np.int64))

    def exact(self, people: Sequence[Person], order: int | None = None) -> Integers:
        return areas.contributions(self.data(people, order), self.of(len(people))).ravel()

    def of(self, people: int) -> Any:
        p = super().of(people)
        return p if p.viewers is None else replace(p, viewers=(min(people, p.people),) * p.stimuli)

    def release(self, people: Sequence[Person], random: Any) -> tuple[Arrays, Any]:
        return areas.release(self.data(people), self.of(len(people)), self.budget, random=random)

    def calibrate(self, people: int) -> Any:
        return areas.calibrate(self.of(people), self.budget)

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        p = self.of(people)
        viewers = None if p.viewers is None else p.viewers[0]
        make = {"dwell": derived.dwell_shares, "transitions": derived.transition_shares}
        return {
            (name, what, "shares"): make[what](array, viewers=viewers)
            for (name, what, kind), array in values.items()
            if kind == "noised"
        }

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

    def adversaries(self) -> list[Person]:
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

    def anybody(self, like: Person | None = None) -> SearchStrategy[Person]:
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
    return AreasVariant(name, noise, AreaParameters(noise=noise, **parameters), budget, attained=0.99)


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


# --- features: signals, statistics, records


LIMITS = np.array([[-1.0, 3.0], [10.0, 10.5], [0.0, 1e-3], [-1e6, 1e6]])


@dataclass(frozen=True, eq=False)
class FeaturesVariant(Variant):
    features: int = 2
    recordings: int = 2
    steps: int = 32  # of the series that adversaries make
    low_frequencies: int | None = None  # K, if they should fill these

    @property
    def limits(self) -> Numbers:
        return np.resize(LIMITS, (self.features, 2))

    def data(self, people: Sequence[Person], order: int | None = None) -> Features:
        person, rows = in_turn(people, order)
        low, high = self.limits.T
        values = low + (rows[:, 1:] + 1) / 2 * (high - low)
        names = tuple(f"feature {f}" for f in range(self.features))
        places = tuple(f"recording {r}" for r in range(self.recordings))
        recording = rows[:, 0].astype(np.int64)
        return Features(names, self.limits, places, len(people), person, recording, values)

    def person(self, series: Numbers, name: str = "", recordings: Sequence[int] | None = None) -> Person:
        """Return one with the same series, shape (steps,) or (steps, F), in all or the given recordings."""
        columns = np.broadcast_to(
            series[:, None] if series.ndim == 1 else series, (len(series), self.features)
        )
        there = range(self.recordings) if recordings is None else recordings
        blocks = [np.column_stack([np.full(len(series), float(r)), columns]) for r in there]
        return Person(np.concatenate([np.empty((0, 1 + self.features)), *blocks]), name=name)

    def adversaries(self) -> list[Person]:
        n = self.steps
        t = np.arange(n)
        gaps = np.where(t % 3 == 1, 1.0, np.nan)
        series = {
            "low": -np.ones(n),
            "high": np.ones(n),
            "centre": np.zeros(n),
            "low once": -np.ones(1),
            "high once": np.ones(1),
            "far below": np.full(n, -9.0),
            "far beyond": np.full(n, 9.0),
            "alternating": np.where(t % 2, 1.0, -1.0),
            "up": np.where(t < n // 2, -1.0, 1.0),
            "ramp": np.linspace(-1, 1, n),
            "missing": np.full(n, np.nan),
            "gaps": gaps,
            "thousands low": -np.ones(MANY),
            "thousands high": np.ones(MANY),
            "thousands alternating": np.where(np.arange(MANY) % 2, 1.0, -1.0),
        }
        if self.low_frequencies is not None:
            signs = np.random.default_rng(7).choice([-1.0, 1.0], (60, self.low_frequencies))
            spread = np.where(signs @ basis(n, (self.low_frequencies + 2) // 2) >= 0, 1.0, -1.0)
            # Of all series those with the most even spectrum: it is even ones that are long in L1.
            length = np.abs(spread @ basis(n, (self.low_frequencies + 2) // 2).T).sum(axis=1)
            best = spread[int(np.argmax(length))]
            series |= {"even spectrum": best, "opposite spectrum": -best}
        out = [self.person(one, name) for name, one in series.items()]
        out.append(self.person(np.empty(0), "absent"))
        other = np.where(np.arange(self.features) % 2, 1.0, -1.0)
        out.append(self.person(np.tile(other, (n, 1)), "features apart"))
        out.extend(self.person(np.full(n, u), f"{u} in the first", [0]) for u in (-1.0, 1.0))
        out.extend(self.person(np.full(n, u), f"{u} in the last", [self.recordings - 1]) for u in (-1.0, 1.0))
        return out

    def anybody(self, like: Person | None = None) -> SearchStrategy[Person]:  # noqa: ARG002  anybody may replace
        value = st.one_of(st.sampled_from([-1.0, 1.0, 0.0, np.nan, -1.5, 2.0]), st.floats(-1.2, 1.2))
        row = st.tuples(
            st.integers(0, self.recordings - 1), st.tuples(*[value] * self.features), st.integers(1, 40)
        )

        @st.composite
        def person(draw: DrawFn) -> Person:
            rows = [(r, *u) for r, u, times in draw(st.lists(row, max_size=12)) for _ in range(times)]
            return Person(np.array(rows, dtype=np.float64).reshape(-1, 1 + self.features))

        return person()

    def ordinary(self, count: int, seed: int = 0) -> list[Person]:
        generator = np.random.default_rng([seed, 2])
        people = []
        for _ in range(count):
            n = int(generator.integers(0, 2 * self.steps))
            rows = generator.uniform(-1.1, 1.1, (n, self.features))
            rows[generator.random(rows.shape) < 0.1] = np.nan
            people.append(Person(np.column_stack([generator.integers(0, self.recordings, n), rows])))
        return people


@dataclass(frozen=True, eq=False)
class SignalsVariant(FeaturesVariant):
    def own(self, people: Sequence[Person], order: int | None = None) -> Integers:
        return signals.contributions(self.data(people, order), self.of(len(people)))

    def exact(self, people: Sequence[Person], order: int | None = None) -> Integers:
        own = self.own(people, order)
        return own.reshape(len(people), -1) if self.apart else own.sum(axis=0).ravel()

    def release(self, people: Sequence[Person], random: Any) -> tuple[Arrays, Any]:
        return signals.release(self.data(people), self.of(len(people)), self.budget, random=random)

    def calibrate(self, people: int) -> Any:
        return signals.calibrate(self.of(people), self.budget)

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        p = self.of(people)
        out = {}
        for (recording, feature, what), array in values.items():
            if what == "noised":
                low, high = self.limits[int(feature.split()[-1])]
                out[recording, feature, "values"] = derived.signal(
                    array,
                    bounds=(float(low), float(high)),
                    divisor=1 if self.apart else people,
                    length=p.length,
                    frequencies=p.frequencies if p.mechanism == "fpa" else None,
                )
        return out

    def equivalent(self, person: Person) -> Person:
        """Gaps filled as the mechanism says, rows beyond the length, values beyond the bounds."""
        blocks = []
        for r in range(self.recordings):
            rows = person.rows[person.rows[:, 0] == r, 1:][: self.steps]
            if len(rows) == 0:
                continue
            for u in rows.T:
                there = np.flatnonzero(~np.isnan(u))
                if there.size:
                    last = np.searchsorted(there, np.arange(len(u)), side="right") - 1
                    u[:] = u[there[np.maximum(last, 0)]]
            rows = np.concatenate([rows, np.tile(rows[-1], (self.steps - len(rows), 1)), rows[:5] * 0.5])
            rows = np.where(np.abs(rows) > 1, 3 * rows, rows)
            blocks.append(np.column_stack([np.full(len(rows), r), rows]))
        return Person(np.concatenate([np.empty((0, 1 + self.features)), *blocks[::-1]]))

    def wide(self) -> Variant:
        features = max(2, 250 // (self.parameters.coefficients * self.parameters.recordings))
        return replace(self, parameters=replace(self.parameters, features=features), features=features)


def signal_variant(name: str, noise: str, *, budget: Budget = BUDGET, **changes: Any) -> Variant:
    parameters = SignalParameters(
        **{
            "mechanism": "fpa",
            "noise": noise,
            "query": "mean",
            "features": 2,
            "recordings": 2,
            "length": 32,
            "frequencies": 5,
            "neighbours": REPLACE,
            "people": 1,
        }
        | changes
    )
    return SignalsVariant(
        name,
        noise,
        parameters,
        budget,
        apart=parameters.query == "each",
        features=parameters.features,
        recordings=parameters.recordings,
        steps=parameters.length,
        low_frequencies=parameters.coefficients if parameters.mechanism == "fpa" else None,
    )


def all_signals() -> list[Variant]:
    out = []
    for noise, query, length in itertools.product((LAPLACE, GAUSSIAN), ("mean", "each"), (15, 32)):
        about = f"{noise}-{query}-n{length}"
        common = {"query": query, "length": length}
        out.append(signal_variant(f"signals-lpa-{about}", noise, mechanism="lpa", **common))
        out += [
            signal_variant(f"signals-fpa-{about}-k{k}", noise, frequencies=k, **common)
            for k in (1, 5, length // 2 + 1)
        ]
    return out


def long_signals() -> list[Variant]:
    """At this length the basis, rounded to integers, is longer than 1: constant series leave the ball."""
    one = {"length": 33725, "features": 1, "recordings": 1}
    return [signal_variant(f"signals-fpa-long-k{k}", LAPLACE, frequencies=k, **one) for k in (1, 3)]


@dataclass(frozen=True, eq=False)
class StatisticsVariant(FeaturesVariant):
    def exact(self, people: Sequence[Person], order: int | None = None) -> Integers:
        p = self.of(len(people))
        data = self.data(people, order)
        parts = [statistics.contributions(s, data, p).sum(axis=0).ravel() for s in p.statistics]
        return np.concatenate(parts)

    def release(self, people: Sequence[Person], random: Any) -> tuple[Arrays, Any]:
        return statistics.release(self.data(people), self.of(len(people)), self.budget, random=random)

    def calibrate(self, people: int) -> Any:
        return statistics.calibrate(self.of(people), self.budget)

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:
        out = {}
        for (name, feature, what), array in values.items():
            if what == "noised":
                low, high = self.limits[int(feature.split()[-1])]
                out[name, feature, "value"] = derived.statistic(
                    name, array, bounds=(float(low), float(high)), people=self.of(people).people
                )
        return out

    def equivalent(self, person: Person) -> Person:
        """Every row twice, in the opposite order, values beyond the bounds further out."""
        rows = np.repeat(person.rows[::-1], 2, axis=0)
        rows[:, 1:] = np.where(np.abs(rows[:, 1:]) > 1, 3 * rows[:, 1:], rows[:, 1:])
        return Person(rows)

    def wide(self) -> Variant:
        features = 300 // sum(map(self.parameters.size, self.parameters.statistics)) + 1
        return replace(self, parameters=replace(self.parameters, features=features), features=features)


def all_statistics() -> list[Variant]:
    out: list[Variant] = []
    names = ("count", "mean", "histogram")
    for neighbours, which in itertools.product((REPLACE, ADD_REMOVE), (*((n,) for n in names), names)):
        people = 1 if neighbours is REPLACE else None
        parameters = StatisticsParameters(which, 2, 6, neighbours, people)
        # Who is counted now was not there before, and had no mean and no shares to move: together the
        # bounds of the three are not attained, 4 of 6 in L1 and 6 of 10 in squared L2.
        attained = 2 / 3 if which == names and neighbours is REPLACE else ATTAINED
        name = f"statistics-{'+'.join(which)}-{neighbours}"
        out.append(StatisticsVariant(name, LAPLACE, parameters, attained=attained))
    return out


@dataclass(frozen=True, eq=False)
class RecordsVariant(FeaturesVariant):
    """Columns of numbers and of labels; people's rows say u = −1 … 1 for both, NaN missing.

    Attributes:
        labelled: of each column whether it holds labels.
    """

    labelled: tuple[bool, ...] = ()

    def data(self, people: Sequence[Person], order: int | None = None) -> Features:
        whole = super().data(people, order)
        labels = np.flatnonzero(self.labelled)
        u = in_turn(people, order)[1][:, 1 + labels]
        sizes = np.array([len(self.of_name(f"feature {f}").labels or ()) for f in labels], dtype=np.int64)
        position = np.clip(np.floor((np.nan_to_num(u) + 1) / 2 * sizes), 0, sizes - 1)
        return replace(
            whole.only([f"feature {f}" for f in np.flatnonzero(~np.array(self.labelled))]),
            categorical=tuple(f"feature {f}" for f in labels),
            labels=np.where(np.isnan(u), -1, position).astype(np.int64),
        )

    def of_name(self, name: str) -> Attribute:
        return next(a for a in self.parameters.attributes if a.name == name)

    def exact(self, people: Sequence[Person], order: int | None = None) -> Integers:
        p = self.of(len(people))
        coded, person = records.coded_records(self.data(people, order), p)
        counts = fit.weighted_counts(coded, person, p.categories, p.subsets())
        return np.concatenate([table.ravel() for table in counts.values()])

    def release(self, people: Sequence[Person], random: Any) -> tuple[Arrays, Any]:
        return records.release(self.data(people), self.of(len(people)), self.budget, random=random)[:2]

    def calibrate(self, people: int) -> Any:
        return records.calibrate(self.of(people), self.budget)

    def expected(self, values: Arrays, people: int) -> dict[tuple[str, ...], Any]:  # noqa: ARG002
        """Records are drawn, not derived; what can be computed again is the bin that holds each value."""
        out: dict[tuple[str, ...], Any] = {}
        for a in self.parameters.attributes:
            drawn = values[a.name, "category"]
            out[a.name, "category"] = drawn
            assert drawn.dtype == np.int32
            assert 0 <= drawn.min() <= drawn.max() < a.categories
            if a.labels is None:
                value = values[a.name, "value"]
                missing = np.isnan(value)
                np.testing.assert_array_equal(missing, a.missing & (drawn == a.categories - 1))
                held = bin_numbers(np.where(missing, a.high, value), a.edges)
                out[a.name, "category"] = np.where(missing, drawn, held)
                out[a.name, "value"] = value
        return out

    @property
    def joint(self) -> bool:
        """Whether it matters which categories occur together."""
        p = self.parameters
        return p.dependence == "tree" or p.per_task

    def adversaries(self) -> list[Person]:
        """For joint counts: all rows in one cell, wherever it is; in all cells; once, or thousands of times."""
        F = self.features
        lists = itertools.product(range(self.recordings), itertools.product((-1.0, 1.0), repeat=F))
        corners = [self.person(np.tile(u, (2, 1)), f"{u} in {r}", [r]) for r, u in lists]
        cells = np.array(list(itertools.product(np.linspace(-0.99, 0.99, 6), repeat=F)))
        for u in (-1.0, 1.0):
            corners.append(self.person(np.full((1, F), u), f"one row at {u}", [0]))
            corners.append(self.person(np.full((MANY, F), u), f"thousands at {u}", [self.recordings - 1]))
        one_apart = np.full((MANY, F), -1.0)
        one_apart[-1] = 1.0
        blank = np.full((5, F), np.nan)
        partly = np.where(np.eye(F, dtype=bool), np.nan, 1.0)
        return [
            *super().adversaries(),
            *corners,
            self.person(cells, "in every cell"),
            self.person(one_apart, "one row of thousands elsewhere"),
            self.person(blank, "all values missing", [0]),
            self.person(partly, "one value missing in each row"),
        ]

    def equivalent(self, person: Person) -> Person:
        """Every row three times, in the opposite order, elsewhere in its cell; where rows must be whole, others are not.

        Attributes that are counted one by one no longer occur together either.
        """
        names = [f"feature {f}" for f in range(self.features)]
        at = [next(i for i, a in enumerate(self.parameters.attributes) if a.name == name) for name in names]
        sizes = [self.parameters.attributes[i].categories - self.parameters.attributes[i].missing for i in at]
        rows = person.rows[::-1].copy()
        within = np.clip(np.floor((np.clip(rows[:, 1:], -1, 1) + 1) / 2 * sizes), 0, np.array(sizes) - 1)
        rows[:, 1:] = (within + 0.5) / sizes * 2 - 1
        drops = not any(a.missing for a in self.parameters.attributes)
        if drops:
            rows = rows[~np.isnan(rows).any(axis=1)]
            if not self.joint:
                rows = np.stack([np.roll(rows[:, c], c) for c in range(rows.shape[1])], axis=1)
        blank = np.full((4 * drops, rows.shape[1]), np.nan)
        blank[:, 0] = 0
        return Person(np.concatenate([blank, np.repeat(rows, 3, axis=0)]))

    def wide(self) -> Variant:
        p = self.parameters
        bins = 60 if p.dependence == "tree" else 2000
        finer = tuple(replace(a, categories=bins) if a.labels is None else a for a in p.attributes)
        return replace(self, parameters=replace(p, attributes=finer))

    def overflowing(self) -> Variant | None:
        """The number of people is that of the data, and 2⁴⁷ of them are nowhere."""
        return None


def record_variant(
    name: str,
    *,
    features: int = 2,
    lists: Sequence[int] = (),
    task: str | None = None,
    bins: int = 5,
    missing: bool = False,
    noise: str = LAPLACE,
    budget: Budget = BUDGET,
    attained: float = 1.0,
    **changes: Any,
) -> Variant:
    """Make a variant with columns of bins, then columns of `lists` labels; the task is the recording or the last of these."""
    attributes = [
        Attribute(f"feature {f}", bins + missing, None, float(low), float(high), missing)
        for f, (low, high) in enumerate(np.resize(LIMITS, (features, 2)))
    ]
    for f, size in enumerate(lists, start=features):
        labels = tuple(f"label {i}" for i in range(size))
        attributes.append(Attribute(f"feature {f}", size + missing, labels, missing=missing))
    if task == RECORDING:
        attributes.insert(0, Attribute(RECORDING, 2, ("recording 0", "recording 1")))
    elif task is not None:
        own = attributes.pop()
        attributes.insert(0, replace(own, categories=own.categories - missing, missing=False))
    m = len(attributes)
    parameters = RecordsParameters(
        **{
            "model": "marginals",
            "fit": "dp",
            "noise": noise,
            "attributes": tuple(attributes),
            "order": tuple(range(m)),
            "resampled": (m,),
            "k": 1,
            "gamma": 4.0,
            "counted": "person",
            "rows": 20,
            "trials": 4000,
            "task": task is not None,
            "per_task": task is not None,
            "neighbours": REPLACE,
            "people": 1,
        }
        | changes
    )
    labelled = (False,) * features + (True,) * len(lists)
    return RecordsVariant(
        name, noise, parameters, budget, attained=attained, features=len(labelled), labelled=labelled
    )


def all_records() -> list[Variant]:
    tree = {"dependence": "tree"}
    seeded = {"model": "seeded", "resampled": (1, 2)}
    return [
        record_variant("records-marginals"),
        record_variant("records-marginals-one-attribute", features=1),
        record_variant("records-marginals-gaussian", noise=GAUSSIAN),
        record_variant("records-marginals-labels", lists=(3, 2)),
        record_variant("records-marginals-single-label", lists=(1,), attained=2 / 3),
        record_variant("records-marginals-missing", lists=(3,), missing=True),
        record_variant("records-marginals-label-of-the-task", lists=(2,), task="label", per_task=False),
        record_variant("records-per-task", task=RECORDING),
        record_variant(
            "records-per-task-gaussian-missing", lists=(2, 3), task="label", missing=True, noise=GAUSSIAN
        ),
        record_variant("records-tree", features=3, **tree),
        record_variant("records-tree-gaussian", lists=(2, 3), noise=GAUSSIAN, **tree),
        record_variant("records-tree-one-attribute", features=1, **tree),
        record_variant("records-tree-per-task", lists=(3,), task=RECORDING, missing=True, **tree),
        record_variant("records-tree-per-task-gaussian", task=RECORDING, noise=GAUSSIAN, **tree),
        record_variant("records-tree-of-the-task", task=RECORDING, per_task=False, **tree),
        record_variant("records-seeded-task", task=RECORDING, **seeded),
        record_variant("records-seeded-tree", lists=(2,), order=(2, 0, 1), missing=True, **seeded, **tree),
        record_variant("records-seeded-gaussian", noise=GAUSSIAN, order=(1, 0), **seeded),
    ]


# --- small variants whose worst case is likely enough to be seen


def small_ones() -> list[Variant]:
    loose = Budget(1.0, 0.02)
    one_map = {"stimuli": 2, "max_stimuli": 1, "max_samples": 1}
    out: list[Variant] = []
    for noise, neighbours in itertools.product((LAPLACE, GAUSSIAN), (REPLACE, ADD_REMOVE)):
        parameters = gaze_map_parameters(noise=noise, neighbours=neighbours, **one_map)
        out.append(GazeMapVariant(f"heatmap-{noise}-{neighbours}", noise, parameters, loose))
    spectral = {"stimuli": 1, "max_stimuli": 1, "budget": loose}
    out.append(spectral_variant("spectral", **spectral))
    out.append(
        spectral_variant(
            "spectral-dynamic", blurs=(0.5, 0.4, 0.3), cells=(3, 4, 5), window=(0.0, 1.5), **spectral
        )
    )
    for noise, neighbours in itertools.product((LAPLACE, GAUSSIAN), (REPLACE, ADD_REMOVE)):
        one = {"stimuli": 2, "max_stimuli": 1, "neighbours": neighbours, "budget": loose}
        out.append(areas_variant(f"areas-{noise}-{neighbours}", noise, **one))
        also = one | {"transitions": True, "weight": "duration"}
        out.append(areas_variant(f"areas-transitions-{noise}-{neighbours}", noise, **also))
    many = gaze_map_parameters(noise=GAUSSIAN)
    out.append(GazeMapVariant("heatmap-gaussian-many-cells", GAUSSIAN, many, loose))
    for query in ("mean", "each"):
        one = {"features": 1, "recordings": 1, "budget": loose, "query": query}
        out += [
            signal_variant(f"signals-lpa-laplace-{query}", LAPLACE, mechanism="lpa", length=2, **one),
            signal_variant(f"signals-lpa-gaussian-{query}", GAUSSIAN, mechanism="lpa", length=6, **one),
            signal_variant(f"signals-fpa-laplace-{query}", LAPLACE, length=9, frequencies=1, **one),
            signal_variant(f"signals-fpa-gaussian-{query}", GAUSSIAN, length=9, frequencies=3, **one),
        ]
    for name, neighbours in itertools.product(("count", "mean", "histogram"), (REPLACE, ADD_REMOVE)):
        people = 1 if neighbours is REPLACE else None
        parameters = StatisticsParameters((name,), 1, 4, neighbours, people)
        out.append(StatisticsVariant(f"statistics-{name}-{neighbours}", LAPLACE, parameters, features=1))
    out.append(record_variant("records", features=1))
    for noise in (LAPLACE, GAUSSIAN):
        common = {"noise": noise, "bins": 3, "budget": loose}
        out.append(record_variant(f"records-tree-{noise}", dependence="tree", missing=True, **common))
        out.append(record_variant(f"records-per-task-{noise}", features=1, task=RECORDING, **common))
    return out


# --- fixtures


VARIANTS = heatmaps() + spectral_heatmaps() + all_areas() + all_signals() + all_statistics() + all_records()
_NAMES = {v.name for v in VARIANTS}
BOUNDED = [v for v in VARIANTS if v.name.replace(f"-{GAUSSIAN}-", f"-{LAPLACE}-") not in _NAMES - {v.name}]
ATTACKED = small_ones()
FIXTURES = {
    "variant": VARIANTS,
    "bounded": BOUNDED,
    "gaussian": [v for v in VARIANTS if v.noise == GAUSSIAN],
    "attacked": ATTACKED,
    "apart": [v for v in ATTACKED if v.apart],
    "summed": [v for v in ATTACKED if not v.apart],
    "drawn": all_records(),
    "long": long_signals(),
    "capped": private_caps(),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name, variants in FIXTURES.items():
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, variants, ids=[v.name for v in variants])


@pytest.fixture
def silence() -> Silence:
    return Silence()
