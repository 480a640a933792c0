"""Adaptive mechanisms under audit: the sums of several rounds, as if the rounds before had released the same for both datasets.

What one person adds to a sum is then a function of that person alone, no longer than the round's radius: three detectors look at that, and at the noise.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from noisy_rounds import exact_sums
from scipy.stats import chi2
from variants.variant import norms

from auditing.bound import gaussian_mu
from auditing.detectors import SIGNIFICANCE, Detector, Verdict, audit_of
from auditing.neighbours import Pair
from auditing.probes import Claim, VariantProbe
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import noise_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from noisy_rounds import Sums
    from numpy.typing import NDArray
    from variants.people import Person

    from synthrelease.dp.event import Noise
    from synthrelease.dp.noise import SecureRandom
    from synthrelease.kinds.contributions import Rows

    Numbers = NDArray[np.float64]

LOOSE = Budget(1.0, 0.02)
RELEASES = 6
TOLD = 0.99  # whoever leaves the rest out sees a bound that is no more than 0.5 % lower, and draws a fifth
FAR = 6.2  # of a normal correlation times the root of its pairs: 6e-10


@dataclass(frozen=True)
class AuditedRounds:
    """A mechanism of several rounds, and people it is audited on.

    Attributes:
        name: of what is released.
        rounds: paths of the noisy sums, in the order of rounds.
        mechanism: returns the mechanism.
        radii: returns the radius of each round.
        collected: returns what people contribute.
        before: returns what the rounds before released, by the name of a case.
        cases: such names.
        adversaries: returns people whose sums are far apart.
        ordinary: returns so many ordinary people, by a seed.
        people: how many the mechanism is for.
        budget: of a release.
    """

    name: str
    rounds: tuple[str, ...]
    mechanism: Callable[[], Any]
    radii: Callable[[], Sequence[int]]
    collected: Callable[[Sequence[Person]], Rows]
    before: Callable[[str], Sums]
    cases: tuple[str, ...]
    adversaries: Callable[[], Sequence[Person]]
    ordinary: Callable[[int, int], Sequence[Person]]
    people: int
    budget: Budget

    def exact(self, rows: Rows, released: Sums, budget: Budget | None = None) -> Sums:
        """Return exact sums of all rounds, if the rounds before released what they are said to."""
        return exact_sums(self.mechanism(), rows, released, budget or self.budget)

    def noise(self, budget: Budget | None = None) -> Noise:
        """Return the noise that a budget buys."""
        noise = noise_of(self.mechanism().calibrate(budget or self.budget))
        assert noise is not None
        return noise

    def probe(self) -> VariantProbe:
        """Return the probe on the adversaries whose sums lie furthest apart, which looks at the numbers that make up `TOLD` of their squared distance."""
        beside = self.ordinary(1, 9)
        people = self.adversaries()
        sums = [
            self.exact(self.collected([*beside, person]), self.before("noise"), LOOSE) for person in people
        ]
        vectors = np.stack([np.concatenate([one[path].ravel() for path in self.rounds]) for one in sums])
        pairs = list(itertools.combinations(range(len(people)), 2))
        moves = [norms(vectors[a] - vectors[b]) for a, b in pairs]
        number = int(np.argmax([l2 for _, l2 in moves]))
        (a, b), (l1, l2) = pairs[number], moves[number]
        drawn = _furthest_apart(vectors[a] - vectors[b])
        return VariantProbe(
            self.name,
            Claim(LOOSE.epsilon, LOOSE.delta, gaussian_mu(LOOSE.epsilon, LOOSE.delta)),
            Pair([*beside, people[a]], [*beside, people[b]], int(l1), int(l2)),
            drawn,
            (vectors[a][drawn], vectors[b][drawn]),
            self.noise(LOOSE),
            int(np.abs(vectors).max()),
        )

    def residuals(self, random: SecureRandom) -> dict[str, Numbers]:
        """Return what was added in each round, in stated deviations, shape (RELEASES, numbers): exact sums are those that follow from what rounds before released."""
        rows = self.collected(self.ordinary(self.people, 0))
        deviation = self.noise().standard_deviation
        added: dict[str, list[Numbers]] = {path: [] for path in self.rounds}
        for _ in range(RELEASES):
            drawn = self.mechanism().draw(rows, self.budget, random)
            exact = self.exact(rows, {path: np.asarray(drawn.arrays[path]) for path in self.rounds})
            for path in self.rounds:
                added[path].append(((drawn.arrays[path] - exact[path]) / deviation).ravel())
        return {path: np.stack(parts) for path, parts in added.items()}

    def norms_detector(self) -> Detector:
        """Detect a vector that is longer than its round's radius, or noise for shorter ones."""
        return Detector(f"lengths of vectors of {self.name}", self._lengths, self._too_long)

    def company_detector(self) -> Detector:
        """Detect a person who adds something else in other company."""
        return Detector(f"company in {self.name}", self._in_company, self._differing)

    def noise_detector(self) -> Detector:
        """Detect a round whose noise is not as stated, or that of another round."""
        return Detector(f"noise of rounds of {self.name}", self.residuals, _not_as_stated)

    def audit(self) -> Detector:
        """Detect an ε above the claim."""
        return audit_of(self.probe, self.name)

    def _added(self, person: Person, crowd: Sequence[Person], case: str) -> Sums:
        """What a person adds to the sums of a crowd."""
        together, alone = (
            self.exact(self.collected(people), self.before(case)) for people in ([*crowd, person], crowd)
        )
        return {path: together[path] - alone[path] for path in self.rounds}

    def _lengths(self, _random: SecureRandom) -> Any:
        """The longest vector of any adversary in each round, the rounds' radii, and the sensitivity that noise is made for."""
        crowd = self.ordinary(2, 0)
        squares = dict.fromkeys(self.rounds, 0)
        for case in self.cases:
            for person in self.adversaries():
                for path, vector in self._added(person, crowd, case).items():
                    squares[path] = max(squares[path], int((vector.astype(object) ** 2).sum()))
        return list(squares.values()), self.radii(), self.noise().sensitivity

    @staticmethod
    def _too_long(made: Any) -> Verdict:
        squares, radii, sensitivity = made
        beyond = [square > radius**2 for square, radius in zip(squares, radii, strict=True)]
        allowed = (Fraction(sensitivity) / 2) ** 2
        length = math.sqrt(sum(min(square, radius**2) for square, radius in zip(squares, radii, strict=True)))
        longest = max(math.sqrt(square) - radius for square, radius in zip(squares, radii, strict=True))
        said = f"{longest:.3g} beyond the radius at most; all rounds together {length:.9g} of {float(sensitivity) / 2:.9g}"
        return Verdict(any(beyond) or sum(radius**2 for radius in radii) > allowed, said)

    def _in_company(self, _random: SecureRandom) -> Any:
        others = self.ordinary(30, 1)
        people = [*self.adversaries()[::4], *self.ordinary(3, 2)]
        crowds = others[:1], others[:6], others[6:]
        return [[self._added(person, crowd, "noise") for crowd in crowds] for person in people]

    def _differing(self, made: Any) -> Verdict:
        differing = {
            path: sum(any((part[path] != parts[0][path]).any() for part in parts) for parts in made)
            for path in self.rounds
        }
        said = ", ".join(f"{path} {number}" for path, number in differing.items())
        return Verdict(
            any(differing.values()),
            f"of {len(made)} participants, so many weigh otherwise in other company: {said}",
        )


def _furthest_apart(moved: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The fewest numbers that make up so much of the squared distance, shape of what is moved."""
    squares = moved.astype(np.float64) ** 2
    order = np.argsort(-squares)
    told = np.zeros(squares.shape, dtype=np.bool_)
    told[order[: int(np.searchsorted(np.cumsum(squares[order]), TOLD * squares.sum())) + 1]] = True
    return told


def _not_as_stated(made: dict[str, Numbers]) -> Verdict:
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
