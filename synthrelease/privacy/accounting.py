"""What a list of events amounts to, per person: composition, exact where it can be.

* Only discrete Laplace noise: ε = Σ Δ₁/b, no δ.
* Only rounded Gaussian noise: μ² = Σ (Δ₂/σ)², then ε from δ by the exact curve (`calibration`).
* Both: privacy-loss distributions of the `dp-accounting` library, with pessimistic rounding. The Gaussian
  part enters as one Gaussian of sensitivity μ, each Laplace part as the *discrete* Laplace that it is.
  `accounting.proof.md` shows why one scalar stands for a vector, and a coarser grid for a fine one.
* A deniability test or an unprotected event is no differential privacy and is named instead.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from synthrelease.privacy.calibration import gaussian_epsilon, round_up
from synthrelease.privacy.event import (
    DeniabilityTest,
    DiscreteLaplace,
    Event,
    RoundedGaussian,
    Unprotected,
    flatten,
)
from synthrelease.privacy.guarantee import (
    ApproxDP,
    Guarantee,
    Neighbours,
    NoGuarantee,
    PlausibleDeniability,
    PureDP,
    Unit,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_LARGEST_LATTICE = 1000  # steps of a Laplace sensitivity that the library is given
_LARGEST_PLD = 60.0  # above this ε the sum is stated: no curator needs its third digit
METHODS = {
    "pure": "sum of epsilons",
    "gaussian": "exact Gaussian composition",
    "mixed": "privacy-loss distributions (dp-accounting)",
}


def is_differentially_private(event: Event) -> bool:
    """Whether every part of the event is noise with a proved (ε, δ)."""
    return all(isinstance(leaf, RoundedGaussian | DiscreteLaplace) for leaf in flatten(event))


def method(events: Sequence[Event]) -> str:
    """Return how `compose` treats these events: a key of `METHODS`."""
    kinds = {type(leaf) for event in events for leaf in flatten(event)}
    if RoundedGaussian not in kinds:
        return "pure"
    return "mixed" if DiscreteLaplace in kinds else "gaussian"


def compose(
    events: Sequence[Event],
    *,
    delta: float,
    neighbours: Neighbours = Neighbours.REPLACE_ONE,
    unit: Unit = Unit.PERSON,
    budget: float | None = None,
) -> Guarantee:
    """Return the guarantee of all events together, for one person who is in all of them.

    Args:
        events: what was done, in any order.
        delta: δ at which ε is stated if there is Gaussian noise; not used otherwise.
        neighbours: the relation under which the events' sensitivities were computed.
        unit: whose contributions those were.
        budget: rounding up stops here, if ε itself does not exceed it.

    Returns:
        `PureDP`, `ApproxDP`; or `NoGuarantee`, `PlausibleDeniability` if an event is no noise at all.

    Raises:
        TypeError: an event of a type that accounting does not know.
    """
    leaves = [leaf for event in events for leaf in flatten(event)]
    tests = {leaf for leaf in leaves if isinstance(leaf, DeniabilityTest)}
    for leaf in leaves:
        if isinstance(leaf, Unprotected):
            return NoGuarantee(reason=leaf.reason, unit=unit, neighbours=neighbours)
        if not isinstance(leaf, RoundedGaussian | DiscreteLaplace | DeniabilityTest):
            raise TypeError(f"no accounting for events of type {type(leaf).__name__}")
    if len(tests) > 1:
        return NoGuarantee(
            reason="different deniability tests do not compose", unit=unit, neighbours=neighbours
        )
    for test in tests:
        return PlausibleDeniability(
            k=test.k,
            gamma=test.gamma,
            counted=test.counted,
            vacuous=test.vacuous,
            unit=unit,
            neighbours=neighbours,
        )
    laplace = [leaf for leaf in leaves if isinstance(leaf, DiscreteLaplace) and leaf.sensitivity > 0]
    pure = sum((Fraction(leaf.sensitivity) / Fraction(leaf.scale) for leaf in laplace), Fraction(0))
    mu = gaussian_mu([leaf for leaf in leaves if isinstance(leaf, RoundedGaussian)])
    if mu == 0:
        return PureDP(epsilon=_claimed(_float_up(pure), 6, budget), unit=unit, neighbours=neighbours)
    epsilon = gaussian_epsilon(delta, sigma=1.0, sensitivity=mu)
    digits = 6
    if laplace:
        added_up = _float_up(pure + Fraction(epsilon))
        epsilon, digits = _mixed_epsilon(mu, laplace, delta, added_up), 4
    return ApproxDP(epsilon=_claimed(epsilon, digits, budget), delta=delta, unit=unit, neighbours=neighbours)


def _claimed(epsilon: float, digits: int, budget: float | None) -> float:
    """Round ε up, but not above a budget that it does not exceed."""
    rounded = round_up(epsilon, digits)
    return budget if budget is not None and epsilon <= budget < rounded else rounded


def compose_private(
    events: Sequence[Event],
    *,
    delta: float,
    neighbours: Neighbours = Neighbours.REPLACE_ONE,
    budget: float | None = None,
) -> tuple[Guarantee, str]:
    """Return the composition of those events that are differentially private, and the method; see `compose`."""
    private = [event for event in events if is_differentially_private(event)]
    if not private:
        return NoGuarantee(reason="no output is differentially private", neighbours=neighbours), "none"
    return compose(private, delta=delta, neighbours=neighbours, budget=budget), METHODS[method(private)]


def gaussian_mu(events: Sequence[RoundedGaussian]) -> float:
    """Return μ = √(Σ (Δ₂/σ)²), rounded up (Dong, Roth & Su 2022, Corollary 3.3)."""
    squared = sum((Fraction(e.sensitivity) ** 2 / Fraction(e.scale) ** 2 for e in events), Fraction(0))
    root = math.sqrt(squared)
    while Fraction(root) ** 2 < squared:
        root = math.nextafter(root, math.inf)
    return root


def _mixed_epsilon(mu: float, laplace: Sequence[DiscreteLaplace], delta: float, added_up: float) -> float:
    if added_up > _LARGEST_PLD:
        return added_up
    # Slow to import, and only needed here.
    from dp_accounting.pld import privacy_loss_distribution as pld  # noqa: PLC0415

    loss = pld.from_gaussian_mechanism(1.0, sensitivity=mu)
    for (sensitivity, scale), times in Counter((e.sensitivity, e.scale) for e in laplace).items():
        steps = max(1, -(-sensitivity // _LARGEST_LATTICE))  # merged into one step: dominates (proof note)
        parameter = math.nextafter(steps / scale, math.inf)
        one = pld.from_discrete_laplace_mechanism(parameter, sensitivity=-(-sensitivity // steps))
        loss = loss.compose(one.self_compose(times))
    return min(float(loss.get_epsilon_for_delta(delta)), added_up)


def _float_up(value: Fraction) -> float:
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)
