"""Synthetic people under audit: the sums of three rounds, as if the rounds before had released the same for both datasets."""

from __future__ import annotations

import itertools

import made_people
import numpy as np
from made_people import MADE, ROUNDS, adversaries, before
from variants.variant import norms

from auditing.bound import gaussian_mu
from auditing.neighbours import Pair
from auditing.probes import Claim, VariantProbe
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import noise_of

LOOSE = Budget(1.0, 0.02)


def people_probe() -> VariantProbe:
    """Return the probe on the adversaries whose sums lie furthest apart."""
    beside = MADE.ordinary(1, seed=9)
    people = adversaries()
    sums = [
        made_people.exact(made_people.collected([*beside, person]), before("noise"), LOOSE)
        for person in people
    ]
    vectors = np.stack([np.concatenate([one[path].ravel() for path in ROUNDS]) for one in sums])
    pairs = list(itertools.combinations(range(len(people)), 2))
    moves = [norms(vectors[a] - vectors[b]) for a, b in pairs]
    number = int(np.argmax([l2 for _, l2 in moves]))
    (a, b), (l1, l2) = pairs[number], moves[number]
    event = noise_of(made_people.event(LOOSE))
    assert event is not None
    drawn = vectors[a] != vectors[b]
    return VariantProbe(
        "people",
        Claim(LOOSE.epsilon, LOOSE.delta, gaussian_mu(LOOSE.epsilon, LOOSE.delta)),
        Pair([*beside, people[a]], [*beside, people[b]], int(l1), int(l2)),
        drawn,
        (vectors[a][drawn], vectors[b][drawn]),
        event,
        int(np.abs(vectors).max()),
    )
