"""What a list of events amounts to, per person: composition, exact where it can be.

* Only discrete Laplace noise and private choices: ε = Σ Δ₁/b plus the choices' ε, no δ.
* Only rounded Gaussian noise: μ² = Σ (Δ₂/σ)², then ε from δ by the exact curve (`calibration`).
* Both: privacy-loss distributions of the `dp-accounting` library, with pessimistic rounding. The Gaussian
  part enters as one Gaussian of sensitivity μ, each Laplace part as the *discrete* Laplace that it is, each choice
  as the pair (ε, 0).
  `accounting.proof.md` shows why one scalar stands for a vector, and a coarser grid for a fine one.
* A randomized deniability test, or events on disjoint people, enter as one pair (ε, δ); as the library has it, and
  never above the sum of ε.
* Another deniability test is no differential privacy and is named instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from synthrelease.dp.calibration import gaussian_epsilon
from synthrelease.dp.deniability import best_t, trial_cost, trials_cost
from synthrelease.dp.event import (
    Composed,
    DeniabilityTest,
    DiscreteLaplace,
    Disjoint,
    Event,
    PrivateChoice,
    RandomizedTest,
    RoundedGaussian,
    flatten,
)
from synthrelease.dp.guarantee import (
    ApproxDP,
    Guarantee,
    Neighbours,
    NoGuarantee,
    PlausibleDeniability,
    PureDP,
    Unit,
)
from synthrelease.dp.mixed_losses import LOSS_STEP, mixed_epsilon
from synthrelease.dp.rounding import float_up, root_up, round_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ANY_DELTA = 0.5  # where events need none, and composition asks for one
# Below this δ, and this share of it, the library's convolution of trials may err.
_LEAST_PLD_DELTA, _LIBRARY_CARE = 1e-9, 1e-4
_LARGEST_GRID = 1_000_000  # points of a randomized test's privacy loss, all trials together
_LARGEST_PLD = 60.0  # above this ε the sum is stated: no curator needs its third digit
TRIALS_EXCEED_DELTA = "the trials of a randomized test exceed this δ already"
_PRIVATE = RoundedGaussian | DiscreteLaplace | PrivateChoice | RandomizedTest
METHODS = {
    "pure": "sum of epsilons",
    "gaussian": "exact Gaussian composition",
    "mixed": "privacy-loss distributions (dp-accounting)",
}


def is_differentially_private(event: Event) -> bool:
    """Whether every part of the event has a proved (ε, δ)."""
    return all(isinstance(leaf, _PRIVATE) for leaf in flatten(event))


def protected_part(event: Event) -> Event | None:
    """Return what of an event has a proved (ε, δ), such as the noise next to a deniability test; None if nothing has."""
    if is_differentially_private(event):
        return event
    kept = tuple(leaf for leaf in flatten(event) if isinstance(leaf, _PRIVATE))
    return Composed(kept) if kept else None


@dataclass(frozen=True)
class Parts:
    """What composition needs to know of events."""

    pure: tuple[Fraction, ...]  # ε of each that needs no δ
    mu_squared: Fraction  # Σ (Δ₂/σ)² of those with Gaussian noise
    opaque: tuple[Event, ...]  # those that are known by pairs (ε, δ) alone

    @property
    def needs_delta(self) -> bool:
        """Whether they have no ε without a δ."""
        return bool(self.mu_squared or self.opaque)


def parts_of(events: Sequence[Event]) -> Parts:
    """Return what is known of events that are differentially private; what costs nothing leaves no part."""
    steps = _steps(events)
    laplace = [e for e in steps if isinstance(e, DiscreteLaplace) and e.sensitivity > 0]
    pure = [Fraction(e.sensitivity) / Fraction(e.scale) for e in laplace]
    pure += [Fraction(e.epsilon) for e in steps if isinstance(e, PrivateChoice)]
    gaussian = (e for e in steps if isinstance(e, RoundedGaussian))
    squares = (Fraction(e.sensitivity) ** 2 / Fraction(e.scale) ** 2 for e in gaussian)
    opaque = tuple(e for e in steps if isinstance(e, RandomizedTest | Disjoint))
    return Parts(tuple(pure), sum(squares, Fraction(0)), opaque)


def method(events: Sequence[Event]) -> str:
    """Return how `compose` treats these events: a key of `METHODS`."""
    kinds = {type(step) for step in _steps(events)}
    if kinds <= {DiscreteLaplace, PrivateChoice}:
        return "pure"
    if kinds == {RoundedGaussian}:
        return "gaussian"
    return "mixed"


def compose(
    events: Sequence[Event],
    *,
    delta: float,
    neighbours: Neighbours = Neighbours.REPLACE_ONE,
    unit: Unit = Unit.PERSON,
    budget: float | None = None,
    loss_step: float = LOSS_STEP,
) -> Guarantee:
    """Return the guarantee of all events together, for one person who is in all of them.

    Args:
        events: what was done, in any order.
        delta: δ at which ε is stated if there is Gaussian noise or a randomized test; not used otherwise.
        neighbours: the relation under which the events' sensitivities were computed.
        unit: whose contributions those were.
        budget: rounding up stops here, if ε itself does not exceed it.
        loss_step: between the privacy losses that are distinguished where noise of several kinds is composed, relative to ε above 1.
            A multiple of `LOSS_STEP` is faster, and states no less.

    Returns:
        `PureDP`, `ApproxDP`; or `NoGuarantee`, `PlausibleDeniability` if an event is no noise at all.

    Raises:
        TypeError: an event of a type that accounting does not know.

    Example:
        >>> from synthrelease.dp.event import RoundedGaussian
        >>> one = RoundedGaussian(sensitivity=10.0, scale=50.0, count=100)
        >>> print(compose([one], delta=1e-6))
        ε = 0.834118, δ = 1e-06 per person (replace-one)
        >>> print(compose([one, one], delta=1e-6))
        ε = 1.21197, δ = 1e-06 per person (replace-one)
    """
    events = list(events)  # of what can be gone through once only, nothing would be left the second time
    leaves = [leaf for event in events for leaf in flatten(event)]
    without = _without_privacy(leaves, neighbours, unit)
    if without is not None:
        return without
    parts = parts_of(events)
    if not parts.needs_delta:
        pure = float_up(sum(parts.pure, Fraction(0)))
        return PureDP(epsilon=claimed(pure, 6, budget), unit=unit, neighbours=neighbours)
    epsilon, digits = unrounded_epsilon(events, delta=delta, loss_step=loss_step)
    if math.isinf(epsilon):
        return NoGuarantee(reason=TRIALS_EXCEED_DELTA, unit=unit, neighbours=neighbours)
    return ApproxDP(epsilon=claimed(epsilon, digits, budget), delta=delta, unit=unit, neighbours=neighbours)


def unrounded_epsilon(
    events: Sequence[Event], *, delta: float, loss_step: float = LOSS_STEP
) -> tuple[float, int]:
    """Return ε at δ > 0 of differentially private events, and to how many digits it is stated; infinity if it has no bound. `loss_step` as in `compose`."""
    events = list(events)  # as in `compose`
    parts = parts_of(events)
    pure, mu, opaque = sum(parts.pure, Fraction(0)), root_up(parts.mu_squared), parts.opaque
    is_single = len(opaque) == 1 and mu == 0 and pure == 0
    # For each event that is known by its (ε, δ) only.
    reserved = delta if is_single else delta / (2 * max(len(opaque), 1))
    pairs = [pair for step in opaque if (pair := _pair(step, reserved)) is not None]
    if len(pairs) < len(opaque):
        return math.inf, 4
    if is_single:
        return pairs[0][0], 4
    remaining = delta - sum(part for _, part in pairs)
    gaussian = gaussian_epsilon(remaining, sigma=1.0, sensitivity=mu) if mu > 0 else 0.0
    if pure == 0 and not pairs:
        return gaussian, 6
    added_up = float_up(pure + Fraction(gaussian) + sum(Fraction(epsilon) for epsilon, _ in pairs))
    if mu == 0 and not pairs:
        return added_up, 6
    if added_up > _LARGEST_PLD:
        return added_up, 4
    choices = [(step.epsilon, 0.0) for step in _steps(events) if isinstance(step, PrivateChoice)]
    dearest = _steps(map(_of_any_outcome, events))
    laplace = [step for step in dearest if isinstance(step, DiscreteLaplace) and step.sensitivity > 0]
    largest = max(gaussian, float(max(parts.pure, default=0)), *(epsilon for epsilon, _ in pairs))
    # Of the order of 10⁻⁴ of ε. Doubled at √2·2ⁱ, where no plan has an ε: the same on machines that differ in last bits.
    doublings = round(math.log2(max(1.0, largest)))
    losses = (mu, tuple(laplace), (*pairs, *choices))
    return min(mixed_epsilon(*losses, delta, loss_step * 2**doublings), added_up), 4


def _without_privacy(leaves: Sequence[Event], neighbours: Neighbours, unit: Unit) -> Guarantee | None:
    """The guarantee that is left where an event is not differentially private; None if all are."""
    tests = {leaf for leaf in leaves if isinstance(leaf, DeniabilityTest)}
    for leaf in leaves:
        if not isinstance(leaf, _PRIVATE | DeniabilityTest):
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
    return None


def _of_any_outcome(event: Event) -> Event:
    """The event with Laplace noise that is the dearest of all that a private choice next to it could have led to.

    Of the same Δ/b, next to other noise, the fewer steps Δ has the more it costs; so it is one step of the whole Δ
    (`accounting.proof.md`: the fine mechanism is post-processing of the coarse one). Gaussian noise enters by Δ/σ alone.
    """
    leaves = flatten(event)
    if not isinstance(event, Composed) or not any(isinstance(leaf, PrivateChoice) for leaf in leaves):
        return event
    return Composed(tuple(map(_in_one_step, leaves)))


def _in_one_step(event: Event) -> Event:
    if not isinstance(event, DiscreteLaplace) or event.sensitivity <= 1:
        return event
    return DiscreteLaplace(1, math.nextafter(event.scale / event.sensitivity, 0.0), event.count)


def _steps(events: Iterable[Event]) -> list[Event]:
    """The events one after the other; those on disjoint people stay together."""
    return [
        step
        for event in events
        for step in (_steps(event.events) if isinstance(event, Composed) else [event])
    ]


def _pair(event: Event, delta: float) -> tuple[float, float] | None:
    """(ε, δ) of an event by itself; None if it cannot keep to δ."""
    if isinstance(event, RandomizedTest):
        epsilon = _randomized_epsilon(event, delta)
        return None if epsilon is None else (epsilon, delta)
    assert isinstance(event, Disjoint)
    parts = [compose([part], delta=delta) for part in event.events]
    if not all(isinstance(part, PureDP | ApproxDP) for part in parts):
        return None
    return max((part.epsilon for part in parts if isinstance(part, PureDP | ApproxDP)), default=0.0), delta


def _randomized_epsilon(test: RandomizedTest, delta: float) -> float | None:
    """ε of all trials together at δ, for the best t: by closed form, or as the library composes them, if that is less."""
    t = best_t(test, delta)
    if t is None:
        return None
    bound = trials_cost(test, t, delta)
    if test.trials == 1 or test.trials > _LARGEST_GRID or delta < _LEAST_PLD_DELTA:
        return bound
    # Slow to import, and only needed here.
    from dp_accounting.pld import common  # noqa: PLC0415
    from dp_accounting.pld import privacy_loss_distribution as pld  # noqa: PLC0415

    epsilon, trial_delta = trial_cost(test, t)
    # ε is a point of the grid: nothing is rounded.
    grid = epsilon / max(1, min(2000, _LARGEST_GRID // test.trials))
    trial = pld.from_privacy_parameters(
        common.DifferentialPrivacyParameters(epsilon, trial_delta), value_discretization_interval=grid
    )
    composed = trial.self_compose(test.trials)
    return min(bound, float(composed.get_epsilon_for_delta(delta * (1 - _LIBRARY_CARE))))


def claimed(epsilon: float, digits: int, budget: float | None) -> float:
    """Return ε rounded up, but not above a budget that it does not exceed."""
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


def epsilon_at(
    events: Sequence[Event],
    *,
    delta: float,
    neighbours: Neighbours,
    budget: float | None = None,
    loss_step: float = LOSS_STEP,
) -> float:
    """Return ε at δ of all that is differentially private in events, rounded up; infinity if that has none there.

    Noise counts whatever else there is: who reads the noisy counts of a model need not look at the records that were
    drawn from it. No δ is spent at δ = 0: events that need one have no ε then. `budget` and `loss_step` as in `compose`.
    """
    private = [part for event in events if (part := protected_part(event)) is not None]
    if not private:
        return 0.0
    guarantee = compose(
        private, delta=delta or ANY_DELTA, neighbours=neighbours, budget=budget, loss_step=loss_step
    )
    if isinstance(guarantee, PureDP) or (isinstance(guarantee, ApproxDP) and delta > 0):
        return guarantee.epsilon
    return math.inf
