"""Who was in a release of scanpaths? Attacks on noisy sums and on scanpaths, against releases without noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from studies._scanpath_people import mechanism_for
from synthrelease.data.gaze import GazeData
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import noise_of
from synthrelease.dp.noise import SecureRandom
from synthrelease.dp.noise.addition import add_noise
from synthrelease.evaluation.attacks.roc import area_under_curve
from synthrelease.evaluation.scanpath_attacks import Attacker
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.mechanism import QUIET
from synthrelease.kinds.parameters import deviation_of
from synthrelease.kinds.scanpaths.chain_fits import DENSITY
from synthrelease.kinds.scanpaths.datasets import NOISY_DYNAMICS, NOISY_MAPS
from synthrelease.kinds.scanpaths.geometry import level_steps
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths
from synthrelease.kinds.scanpaths.vectors import Measured, deviations
from synthrelease.kinds.values import Values

DELTA = 1e-5
_ROUNDS, _EXACT_ROUNDS, _SUMS_ROUNDS = 48, 12, 60
_MEMBERSHIP = 0.06  # around ½: so far may the area under the curve be
_CONTROL = 0.95

Numbers = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class _Sums:
    """What each person adds to the sums of both rounds."""

    attacker: Attacker

    @cached_property
    def _maps(self) -> Numbers:
        """Of the first round: it depends on no release, shape (people, numbers)."""
        rows = []
        for number in self.attacker.people:
            mine, made = self.attacker.part_of(np.array([number]))
            rows.append(made.exact(mine)[NOISY_MAPS].ravel())
        return np.stack(rows).astype(np.float64)

    def _dynamics(self, drawn: dict[str, Array], made: SyntheticScanpaths) -> Numbers:
        """Of the second round, given what the first one released, shape (people, numbers)."""
        p, event = made.parameters, self.attacker.event
        density = Values(p, event, {**made.public_arrays, **drawn}).array(DENSITY).astype(np.float64)
        fixations = self.attacker.everyone.fixations
        measured = Measured(p.dynamics_prior.coordinates, p.viewing_time_s, p.dynamics_prior.means)
        vectors = deviations(fixations, measured, level_steps(density))
        return p.second_round(deviation_of(event)).contributions(vectors).astype(np.float64)

    def scores(self, drawn: dict[str, Array], made: SyntheticScanpaths) -> Numbers:
        """Return each person's vector against how the sums differ from those of a random half: of Gaussian noise the ratio of likelihoods, but for who else is in, shape (people,).

        Args:
            drawn: the sums.
            made: the mechanism that they are of.
        """
        table = np.concatenate([self._maps, self._dynamics(drawn, made)], axis=1)
        released = np.concatenate([drawn[path].ravel() for path in (NOISY_MAPS, NOISY_DYNAMICS)])
        inside = len(table) // 2 / len(table)
        return np.asarray((table - table.mean(axis=0)) @ (released - inside * table.sum(axis=0)))


def print_attacks(gaze: GazeData, *, quick: bool = False) -> Iterator[tuple[str, float, bool]]:
    """Print areas under the curve, and yield what has to be.

    Args:
        gaze: of all candidates.
        quick: with few rounds.
    """
    made = mechanism_for(gaze, scanpaths=30)
    collected = made.collect(gaze)
    everyone = np.arange(gaze.people)
    print(
        f"\nMembership: {gaze.people // 2} of {gaze.people} people are in, everyone's raw fixations are known\n\n"
        "| | noisy sums, AUC | maps of scanpaths, AUC | scanpaths linked to someone who is in (by chance) |\n|---|---|---|---|"
    )
    for epsilon in (1.0, 3.0, np.inf):
        finite = np.isfinite(epsilon)
        event = made.calibrate(Budget(epsilon, DELTA)) if finite else QUIET
        attacker = Attacker(made, event, collected, everyone, everyone)
        of_sums = _areas(_sums_rounds(attacker, 2 if quick else _SUMS_ROUNDS))
        rounds = list(_rounds(attacker, 2 if quick else _ROUNDS if finite else _EXACT_ROUNDS))
        members = np.array([inside for inside, _ in rounds])
        by_maps, linked = np.moveaxis(np.array([scores for _, scores in rounds]), -1, 0)
        of_maps = _areas(zip(members, by_maps - by_maps.mean(axis=0), strict=True))
        shares = (linked * members).sum(axis=1)
        name = f"ε = {epsilon:g}" if finite else "no noise"
        cells = [f"{np.mean(values):.2f} ± {_error(values):.2f}" for values in (of_sums, of_maps, shares)]
        print(f"| {name} | {cells[0]} | {cells[1]} | {cells[2]} ({members.mean():.2f}) |", flush=True)
        for what, areas in (("noisy sums", of_sums), ("maps of scanpaths", of_maps)):
            area = float(np.mean(areas))
            if finite:
                yield (
                    f"{name}: AUC from {what} within ½ ± {_MEMBERSHIP}",
                    area,
                    abs(area - 0.5) <= _MEMBERSHIP,
                )
            else:
                yield f"{name}: AUC from {what} ≥ {_CONTROL}", area, area >= _CONTROL


def _error(values: Numbers) -> float:
    """The standard error of the mean."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def _areas(rounds: Iterator[tuple[Integers, Numbers]]) -> Numbers:
    return np.array([area_under_curve(scores[inside], scores[~inside]) for inside, scores in rounds])


def _halves(attacker: Attacker, rounds: int) -> Iterator[tuple[NDArray[np.bool_], SecureRandom]]:
    for number in range(rounds):
        random = SecureRandom.for_tests(number).spawn("half of the people")
        inside = np.zeros(attacker.people.size, dtype=bool)
        inside[random.permutation(inside.size)[: inside.size // 2]] = True
        yield inside, random.spawn("noise")


def _sums(
    attacker: Attacker, inside: NDArray[np.bool_], random: SecureRandom
) -> tuple[dict[str, Array], SyntheticScanpaths]:
    rows, made = attacker.part_of(attacker.people[inside])
    if attacker.event is QUIET:
        return made.exact(rows), made
    noise = noise_of(attacker.event)
    assert noise is not None
    largest = made.largest_integer

    def noisy(_path: str, sums: Integers) -> Array:
        return add_noise(sums, noise, largest=largest, random=random)

    return made.rounds(rows, attacker.event, noisy), made


def _sums_rounds(attacker: Attacker, rounds: int) -> Iterator[tuple[NDArray[np.bool_], Numbers]]:
    known = _Sums(attacker)
    for inside, random in _halves(attacker, rounds):
        yield inside, known.scores(*_sums(attacker, inside, random))


def _rounds(attacker: Attacker, rounds: int) -> Iterator[tuple[NDArray[np.bool_], Numbers]]:
    for inside, random in _halves(attacker, rounds):
        drawn, made = _sums(attacker, inside, random)
        yield inside, attacker.scores(attacker.scanpaths_of(made, drawn))
