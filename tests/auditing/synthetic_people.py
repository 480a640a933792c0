"""Synthetic people under audit: the sums of three rounds, as if the rounds before had released the same for both datasets.

What one person adds to a sum is then a function of that person alone, no longer than the round's radius: three detectors look at that, and at the noise.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import made_people
import numpy as np
from made_people import MADE, PEOPLE, ROUNDS, adversaries, before, mechanism
from scipy.stats import chi2
from variants.people import BUDGET
from variants.variant import norms

from auditing.bound import gaussian_mu
from auditing.detectors import SIGNIFICANCE, Detector, Verdict, audit_of
from auditing.neighbours import Pair
from auditing.probes import Claim, VariantProbe
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import noise_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from made_people import Sums
    from variants.people import Person

    from synthrelease.dp.noise import SecureRandom

LOOSE = Budget(1.0, 0.02)
RELEASES = 6
FAR = 6.2  # of a normal correlation times the root of its pairs: 6e-10


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


def _exact(people: Sequence[Person], forced: str = "noise") -> Sums:
    return made_people.exact(made_people.collected(people), before(forced))


def _added(person: Person, crowd: Sequence[Person], forced: str = "noise") -> Sums:
    """What a person adds to the sums of a crowd."""
    together, alone = _exact([*crowd, person], forced), _exact(crowd, forced)
    return {path: together[path] - alone[path] for path in ROUNDS}


def _lengths(_random: SecureRandom) -> Any:
    """The longest vector of any adversary in each round, the rounds' radii, and the sensitivity that noise is made for."""
    crowd = MADE.ordinary(2)
    squares = dict.fromkeys(ROUNDS, 0)
    for forced in ("uniform", "noise"):
        for person in adversaries():
            for path, vector in _added(person, crowd, forced).items():
                squares[path] = max(squares[path], int((vector.astype(object) ** 2).sum()))
    noise = noise_of(made_people.event())
    assert noise is not None
    return list(squares.values()), mechanism().parameters.design.radii, noise.sensitivity


def _too_long(made: Any) -> Verdict:
    squares, radii, sensitivity = made
    beyond = [square > radius**2 for square, radius in zip(squares, radii, strict=True)]
    allowed = (Fraction(sensitivity) / 2) ** 2
    length = math.sqrt(sum(min(square, radius**2) for square, radius in zip(squares, radii, strict=True)))
    longest = max(math.sqrt(square) - radius for square, radius in zip(squares, radii, strict=True))
    said = (
        f"{longest:.3g} beyond the radius at most; all rounds together {length:.9g} of {sensitivity / 2:.9g}"
    )
    return Verdict(any(beyond) or sum(radius**2 for radius in radii) > allowed, said)


def _in_company(_random: SecureRandom) -> Any:
    others = MADE.ordinary(30, seed=1)
    people = [*adversaries()[::4], *MADE.ordinary(3, seed=2)]
    return [[_added(person, crowd) for crowd in (others[:1], others[:6], others[6:])] for person in people]


def _differing(made: Any) -> Verdict:
    differing = {
        path: sum(any((part[path] != parts[0][path]).any() for part in parts) for parts in made)
        for path in ROUNDS
    }
    said = ", ".join(f"{path.rpartition('/')[2]} {number}" for path, number in differing.items())
    return Verdict(
        any(differing.values()),
        f"of {len(made)} participants, so many weigh otherwise in other company: {said}",
    )


def _residuals(random: SecureRandom) -> Any:
    """What was added in each round, in stated deviations: exact sums are those that follow from what rounds before released."""
    rows = made_people.collected(MADE.ordinary(PEOPLE))
    noise = noise_of(made_people.event())
    assert noise is not None
    added: dict[str, list[Any]] = {path: [] for path in ROUNDS}
    for _ in range(RELEASES):
        drawn = mechanism().draw(rows, BUDGET, random)
        exact = made_people.exact(rows, {path: np.asarray(drawn.arrays[path]) for path in ROUNDS})
        for path in ROUNDS:
            added[path].append(((drawn.arrays[path] - exact[path]) / noise.standard_deviation).ravel())
    return {path: np.stack(parts) for path, parts in added.items()}


def _not_as_stated(made: Any) -> Verdict:
    """Squares of a chi-squared law in each round, and no round like another."""
    chances = []
    for parts in made.values():
        total = float((parts**2).sum())
        chances.append(2 * min(chi2.cdf(total, parts.size), chi2.sf(total, parts.size)))
    size = min(parts.shape[1] for parts in made.values())
    streams = [parts[:, :size].ravel() for parts in made.values()]
    alike = max(abs(float(np.corrcoef(a, b)[0, 1])) for a, b in itertools.combinations(streams, 2))
    said = f"deviations as stated with p = {min(chances):.2g}, correlation of two rounds up to {alike:.2g}"
    return Verdict(min(chances) < SIGNIFICANCE or alike > FAR / math.sqrt(streams[0].size), said)


norms_of_people = Detector("lengths of people's vectors", _lengths, _too_long)
company_of_people = Detector("company in people", _in_company, _differing)
noise_of_people = Detector("noise of people's rounds", _residuals, _not_as_stated)
audit_of_people = audit_of(people_probe, "people")
