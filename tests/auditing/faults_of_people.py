"""Faults of synthetic people: in each of three rounds, in what one round takes from another, and in a pilot."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import made_people
import numpy as np

from auditing import bundles
from auditing.of_rounds import OF_PEOPLE
from auditing.planting import Fault, everywhere, forgetting, inside
from synthrelease.dp import sensitivity
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds import adaptive
from synthrelease.kinds.people import contributions, design, pilot_reading
from synthrelease.kinds.people.mechanism import SyntheticPeople
from synthrelease.kinds.people.public import FINE, PeopleParameters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers, Numbers = NDArray[np.int64], NDArray[np.float64]

_fine_sum, _rounds, _add_noise = contributions.fine_sum, SyntheticPeople.rounds, adaptive.add_noise
_read_pilot = pilot_reading.read_pilot


def _unclipped(vectors: Integers, _radius: int) -> Integers:
    return vectors


def _clipped_then_rounded_up(vectors: Numbers, centre: Numbers, weights: Numbers, radius: int) -> Integers:
    scaled = np.nan_to_num((vectors - centre) * (weights * radius))
    norm = np.sqrt((scaled**2).reshape(len(scaled), -1).sum(axis=1)).reshape(-1, *[1] * (scaled.ndim - 1))
    inside_ball = scaled * np.minimum(1.0, radius / np.maximum(norm, 1.0))
    return (np.sign(inside_ball) * np.ceil(np.abs(inside_ball))).astype(np.int64)


def _half_the_sensitivity(self: PeopleParameters, _neighbours: Neighbours) -> Any:
    form = self.form
    return sensitivity.clipped_coefficients(
        count=2 * form.marginal_size + form.dependence_size,
        radius=self.radius_grid_units // 2,
        neighbours=Neighbours.REPLACE_ONE,
    )


def _exactly(coefficients: Numbers, rounds: Any) -> tuple[Numbers, Numbers]:
    """Centre and weights of the second round, as the exact sum of the first one has them."""
    centre, weights, _ = rounds.fine_round(rounds.coarse(contributions.coarse_sum(coefficients, rounds)))
    return centre, weights


def _centred_exactly(coefficients: Numbers, _centre: Numbers, weights: Numbers, rounds: Any) -> Integers:
    return _fine_sum(coefficients, _exactly(coefficients, rounds)[0], weights, rounds)


def _weighted_exactly(coefficients: Numbers, centre: Numbers, _weights: Numbers, rounds: Any) -> Integers:
    return _fine_sum(coefficients, centre, _exactly(coefficients, rounds)[1], rounds)


def _scored_exactly(self: SyntheticPeople, collected: Any, event: Any, released: Any) -> dict[str, Any]:
    noisy = {}

    def release(path: str, sums: Integers) -> Any:
        noisy[path] = released(path, sums)
        return sums if path == FINE else noisy[path]

    return _rounds(self, collected, event, release) | noisy


def _from_one_key(sums: Integers, noise: Any, *, largest: int, random: Any) -> Integers:
    return _add_noise(sums, noise, largest=largest, random=random.spawn("people"))


def _half_the_noise(sums: Integers, noise: Any, *, largest: int, random: Any) -> Integers:
    return _add_noise(sums, replace(noise, scale=noise.scale / 2), largest=largest, random=random)


def _everything(_size: float, *, has_pilot: bool = False) -> tuple[float, ...]:
    del has_pilot
    return (1.0, 1.0, 1.0)


def _any_pilot(*arguments: Any, **options: Any) -> Any:
    """A pilot is read as if the input had other participants."""
    spec, source, facts, *others = arguments
    return _read_pilot(spec, source, replace(facts, everyone=frozenset()), *others, **options)


_released = bundles.bundle_of("people", epsilon=500.0)
_norms, _company, _noise, _audit = (
    OF_PEOPLE.norms_detector(),
    OF_PEOPLE.company_detector(),
    OF_PEOPLE.noise_detector(),
    OF_PEOPLE.audit(),
)

FAULTS = (
    Fault(
        "people's vectors not clipped",
        "kinds.people.contributions.clipped",
        inside(contributions, "clip_to_ball", _unclipped),
        (_norms, _audit),
    ),
    Fault(
        "people's vectors clipped before they are rounded up",
        "kinds.people.contributions.clipped",
        everywhere(contributions.clipped, _clipped_then_rounded_up),
        (_norms,),
    ),
    Fault(
        "noise of people for someone who is added, where someone is replaced",
        "kinds.people.public.PeopleParameters.sensitivity",
        inside(PeopleParameters, "sensitivity", _half_the_sensitivity),
        (_norms, _audit, _released),
    ),
    Fault(
        "half of the stated noise in each round of people",
        "kinds.adaptive.AdaptiveMechanism.draw",
        inside(adaptive, "add_noise", _half_the_noise),
        (_noise,),
    ),
    Fault(
        "the whole budget in each round of people",
        "kinds.people.design.shares_for",
        forgetting(made_people.mechanism, everywhere(design.shares_for, _everything)),
        (_norms, _audit, _released),
    ),
    Fault(
        "centre of people's second round from the exact first sum",
        "kinds.people.mechanism.SyntheticPeople.rounds",
        everywhere(_fine_sum, _centred_exactly),
        (_company,),
    ),
    Fault(
        "weights of people's second round from the exact first sum",
        "kinds.people.mechanism.SyntheticPeople.rounds",
        everywhere(_fine_sum, _weighted_exactly),
        (_company,),
    ),
    Fault(
        "people's scores through marginals of the exact second sum",
        "kinds.people.mechanism.SyntheticPeople.rounds",
        inside(SyntheticPeople, "rounds", _scored_exactly),
        (_company,),
    ),
    Fault(
        "one key for the noise of all rounds of people",
        "kinds.adaptive.AdaptiveMechanism.draw",
        inside(adaptive, "add_noise", _from_one_key),
        (_noise,),
    ),
    Fault(
        "a pilot that has a participant of the data",
        "kinds.people.pilot_reading.read_pilot",
        everywhere(_read_pilot, _any_pilot),
        (bundles.shared_pilot(),),
    ),
)
