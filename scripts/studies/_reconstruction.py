"""How much of one person is in a heatmap of many: what an attacker who knows the others computes, and how near it comes.

The adversary of differential privacy: everyone's data but one person's are known, and so is how the map was made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import made
import numpy as np
from numpy.typing import NDArray

from studies._osie_mouse import BLUR_PX, SCREEN, Map
from studies.heatmaps import spectral_heatmap
from synthrelease.data.gaze import GazeData
from synthrelease.dp.best_guess import best_guess_of
from synthrelease.dp.budget import Budget
from synthrelease.dp.noise import SecureRandom
from synthrelease.dp.noise.addition import add_noise
from synthrelease.evaluation.attacks.aggregates import success_known_rest
from synthrelease.evaluation.metrics import correlation
from synthrelease.kinds.heatmap.map_sums import contributions
from synthrelease.kinds.mechanism import Drawn
from synthrelease.numerics.blur import blurred

CELLS = (300, 400)  # of two pixels each
DELTA = 1e-6
SHADES = 255  # steps of a picture's brightness
STEPS = 300  # of the iteration that takes the blur away
_CLIPPED = 1.0  # people's worth of map that one person is, at most

Maps = NDArray[np.float64]


@dataclass(frozen=True)
class Found:
    """What the attacker comes to, over all people of an image, each once the unknown one.

    Attributes:
        correlation: mean CC of the map they compute with the person's own.
        named: share of people who are told from all others by it.
    """

    correlation: float
    named: float


@dataclass(frozen=True)
class FoundInNoise:
    """What is left for the attacker of a noised release.

    Attributes:
        correlation: mean CC of the most plausible map of the person with the person's own.
        without: the same for who has not seen the release, and takes the prior.
        named: share of right names over all draws.
        typical: how often a guess between two people is right, for the pair in the middle.
        best: for the pair that is told apart best.
        bound: for any two people whatsoever, from the event.
    """

    correlation: float
    without: float
    named: float
    typical: float
    best: float
    bound: float


def dwell_shares(gaze: GazeData) -> Maps:
    """Return everyone's shares of dwell on one image, shape (people, rows, columns), each of sum 1."""
    rows, columns = CELLS
    cell = SCREEN.cells(gaze.x_px, gaze.y_px, columns=columns, rows=rows)
    counts = np.zeros((gaze.people, rows * columns))
    np.add.at(counts, (gaze.person, cell), 1.0)
    return (counts / counts.sum(axis=1, keepdims=True)).reshape(-1, rows, columns)


def heatmaps_of(shares: Maps) -> Maps:
    """Return everyone's own heatmap."""
    return np.stack([smoothed(one, BLUR_PX) for one in shares])


def smoothed(one: Map, blur_px: float) -> Map:
    """Return one map, blurred."""
    return blurred(one, blur_px=blur_px, screen_px=(SCREEN.width_px, SCREEN.height_px))


def as_numbers(one: Map) -> Map:
    """Return a map as a file of single precision has it."""
    return one.astype(np.float32).astype(np.float64)


def as_picture(one: Map) -> Map:
    """Return a map as a picture of 256 shades has it; its scale is printed beside."""
    return np.rint(one / one.max() * SHADES) * (one.max() / SHADES)


def subtracted(published: Map, people: int, others: Map) -> Map:
    """Return a person's own map: n times the mean, less the sum of the n − 1 others'."""
    return people * published - others


def attack_known_rest(own: Maps, *, publish: Callable[[Map], Map]) -> Found:
    """Attack an exact mean map, knowing n − 1 of n people."""
    total, people = own.sum(axis=0), len(own)
    published = publish(total / people)
    return _found(own, [subtracted(published, people, total - one) for one in own])


def attack_two_maps(own: Maps, *, publish: Callable[[Map], Map]) -> Found:
    """Attack two exact mean maps, one with the person and one after the person withdrew, knowing no one."""
    total, people = own.sum(axis=0), len(own)
    first = publish(total / people)
    return _found(own, [people * first - (people - 1) * publish((total - one) / (people - 1)) for one in own])


def sharpened(one: Map, steps: int = STEPS) -> Map:
    """Return the map that was blurred, as far as it can be told: Richardson and Lucy's iteration, nowhere negative."""
    seen = np.maximum(one, 0.0)
    estimate = np.full(one.shape, 1.0 / one.size)
    for _ in range(steps):
        estimate = estimate * smoothed(seen / np.maximum(smoothed(estimate, BLUR_PX), 1e-12), BLUR_PX)
        estimate = np.maximum(estimate, 0.0)
    return estimate


class Released:
    """Spectral heatmaps of one image at one ε, and the attacker's side of them.

    Args:
        gaze: of one image.
        epsilon: ε for a person, at δ = 10⁻⁶.
    """

    def __init__(self, gaze: GazeData, epsilon: float) -> None:
        self._gaze = gaze
        mechanism = spectral_heatmap(gaze)
        self._parameters = mechanism.parameters
        self._form = self._parameters.form
        self._event = mechanism.calibrated_noise(Budget(epsilon, DELTA))
        self._own = np.stack([self._contribution(person) for person in range(gaze.people)])

    def _contribution(self, person: int) -> NDArray[np.int64]:
        here = self._gaze.person == person
        alone = replace(
            self._gaze,
            person=self._gaze.person[here],
            stimulus=self._gaze.stimulus[here],
            x_px=self._gaze.x_px[here],
            y_px=self._gaze.y_px[here],
        )
        own: NDArray[np.int64] = contributions(alone, self._parameters)[0]
        return own

    def drawn(self, random: SecureRandom) -> NDArray[np.int64]:
        """Return the noised integers of one release."""
        largest = self._gaze.people * 2**17
        return add_noise(self._own.sum(axis=0), self._event, largest=largest, random=random).astype(np.int64)

    def map_of(self, noisy: NDArray[np.integer]) -> Map:
        """Return what is published, from its integers."""
        values = made.arrays(Drawn({"noisy": noisy[None]}, self._event, self._parameters))
        return values[self._gaze.stimuli[0], "heatmap"].astype(np.float64)

    def attacked(self, noisy: NDArray[np.integer], person: int) -> Map:
        """Return the most plausible map of a person for someone who knows the n − 1 others' integers."""
        left = noisy - (self._own.sum(axis=0) - self._own[person])
        return self._form.heatmap(left, normalization=_CLIPPED, deviation=self._event.standard_deviation)

    def blind(self) -> Map:
        """Return the map of someone who has not seen the release: the prior's."""
        nothing = np.zeros(self._own.shape[1], dtype=np.int64)
        return self._form.heatmap(nothing, normalization=_CLIPPED, deviation=1e12)

    def found(self, truth: Maps, *, draws: int, random: SecureRandom) -> FoundInNoise:
        """Attack so many fresh releases, each person once the unknown one in every draw.

        Args:
            truth: everyone's own heatmap, shape (people, rows, columns).
            draws: how many.
            random: where the noise comes from.
        """
        people = len(self._own)
        deviation = self._event.standard_deviation
        own = self._own.astype(np.float64)
        apart = np.linalg.norm(own[:, None] - own[None], axis=2)
        pairs = apart[np.triu_indices(people, 1)]
        total = self._own.sum(axis=0)
        hits, told = 0, []
        for draw in range(draws):
            noise = self.drawn(random) - total
            along = own @ noise
            # ‖z_j − (z_i + noise)‖², but for what is the same for all j
            nearest = (apart**2 - 2 * (along[None] - along[:, None])).argmin(axis=1)
            hits += int((nearest == np.arange(people)).sum())
            if draw == 0:
                told = [
                    correlation(self.attacked(noise + total, person), _as(truth[person], self))
                    for person in range(people)
                ]
        blind = self.blind()
        bound = best_guess_of([self._event])
        assert bound is not None
        return FoundInNoise(
            correlation=float(np.mean(told)),
            without=float(np.mean([correlation(blind, _as(one, self)) for one in truth])),
            named=hits / draws / people,
            typical=success_known_rest(float(np.median(pairs)), sigma=deviation),
            best=success_known_rest(float(pairs.max()), sigma=deviation),
            bound=bound,
        )

    @property
    def cells(self) -> tuple[int, ...]:
        """Rows and columns of a published map."""
        return self._form.cells


def _as(one: Map, released: Released) -> Map:
    """A map at the cells that are published."""
    rows, columns = released.cells
    down = (np.arange(rows) + 0.5) / rows * one.shape[0]
    across = (np.arange(columns) + 0.5) / columns * one.shape[1]
    return one[np.ix_(down.astype(int), across.astype(int))]


def _found(own: Maps, computed: list[Map]) -> Found:
    flat, guessed = (maps.reshape(len(own), -1) for maps in (own, np.stack(computed)))
    # ‖own_j − computed_i‖², but for what is the same for all j
    nearest = ((flat**2).sum(axis=1)[None] - 2 * guessed @ flat.T).argmin(axis=1)
    told = [correlation(one, truth) for one, truth in zip(computed, own, strict=True)]
    return Found(float(np.mean(told)), float((nearest == np.arange(len(own))).mean()))
