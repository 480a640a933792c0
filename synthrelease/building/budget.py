"""How a plan's ε and δ are divided among its outputs, so that all of them together cost what the plan allows.

Each output has at least the part that it asks for. What parts add up to is more than they cost together (`accounting`): so
outputs that state a share, or nothing, have all of their ε multiplied by one number, the largest at which the exact
composition keeps to the plan. An output that states its ε has that, and so has one with the noise of a paper.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from synthrelease.dp import accounting
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Event
from synthrelease.dp.mixed_losses import LOSS_STEP
from synthrelease.errors import PlanError, PolicyError
from synthrelease.kinds.mechanism import Mechanism
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.plan.plan import CheckedPlan

_ROUNDING = 1e-12  # relative: what shares that add up to 1 on paper may exceed it in floating point
# How much of the plan's ε may be left over: a mixed composition takes a while.
_TOLERANCES = {"gaussian": 1e-6, "mixed": 2e-4}
_ROUGH_LOSS_STEP, _FINER = 10 * LOSS_STEP, 5  # with which a mixed one takes a tenth of that while
_MOST_FACTOR = 64.0  # no multiple beyond: what does not cost more by then does not take more
_OVERSHOOT = 1.1  # costs grow a little more than in proportion
_MOST_STEPS = 40


@dataclass(frozen=True)
class PreparedOutput:
    """An output with all its public parameters, before it has a budget."""

    spec: OutputSpec
    mechanism: Mechanism[Any]


def divide_budget(plan: CheckedPlan, prepared: Sequence[PreparedOutput]) -> dict[str, Budget]:
    """Return the budget of every output that adds noise, by name.

    Raises:
        PolicyError: what is asked for costs more than the plan allows, or an output cannot be had for its part.
        PlanError: an output without noise asks for a part.
    """
    requested = requested_budgets(plan, prepared)
    paying = [output for output in prepared if output.spec.name in requested]
    events = {output.spec.name: planned_event(output, requested[output.spec.name]) for output in paying}
    elastic = {output.spec.name for output in paying if _is_elastic(output.spec)}
    protected = [part for event in events.values() if (part := accounting.protected_part(event)) is not None]
    tolerance = _TOLERANCES.get(accounting.method(protected))
    if not elastic or tolerance is None:  # pure ε add up: nothing is saved
        return requested
    waiting = any(not {"share", "epsilon"} & set(output.spec.options) for output in paying)
    parts = {name: budget.epsilon for name, budget in requested.items()}
    allowed = plan.epsilon if waiting else min(plan.epsilon, sum(parts.values()))

    step = tolerance / (10 * _FINER)  # of factors: the same on machines that differ in last bits

    def times(factor: float) -> dict[str, Budget]:
        factor = max(1.0, math.floor(factor / step) * step)
        return {
            name: replace(budget, epsilon=factor * budget.epsilon) if name in elastic else budget
            for name, budget in requested.items()
        }

    def cost(factor: float, loss_step: float = LOSS_STEP) -> float:
        budgets = times(factor)
        planned = [planned_event(output, budgets[output.spec.name]) for output in paying]
        return accounting.epsilon_at(
            planned, delta=plan.delta, neighbours=plan.neighbours, budget=allowed, loss_step=loss_step
        )

    rough = functools.partial(cost, loss_step=_ROUGH_LOSS_STEP)
    # The rough cost is no less than the cost; being cheap, it leaves less over.
    first = _largest(rough, allowed, tolerance=tolerance / _FINER)
    return times(_largest(cost, allowed, tolerance=tolerance, least=first))


def _is_elastic(spec: OutputSpec) -> bool:
    """Whether an output takes more ε than it asks for: not one that states its ε, nor one with the noise of a paper."""
    return "epsilon" not in spec.options and spec.options.get("calibration", "exact") == "exact"


def planned_event(prepared: PreparedOutput, budget: Budget | None) -> Event:
    """Return the event that a budget buys; a refusal names the output.

    Raises:
        PolicyError: the output cannot be had for it.
    """
    with refusals_of(prepared.spec):
        return prepared.mechanism.calibrate(budget)


@contextmanager
def refusals_of(spec: OutputSpec) -> Iterator[None]:
    """Name the output in whatever is refused within."""
    try:
        yield
    except PolicyError as error:
        error.where = spec.where
        raise


def _largest(
    cost: Callable[[float], float], allowed: float, *, tolerance: float, least: float = 1.0
) -> float:
    """Return the largest factor ≥ `least` whose cost is at most what is allowed, but for a part of `tolerance` that may be left over.

    `least` if even that costs more: it is refused elsewhere. False position with Illinois' halving: costs grow with the factor,
    almost in proportion.
    """
    margin = tolerance * allowed / 2
    low, best, first = least, least, cost(least)
    if not 0 < first < allowed - 2 * margin:
        return best
    below, high = first - allowed + margin, _OVERSHOOT * least * max(1.0, allowed / first)
    above = cost(high) - allowed + margin
    if above == below:
        return best  # what does not depend on the factor takes no more
    while above < -margin and high < _MOST_FACTOR:
        low, below, best, high = high, above, high, _OVERSHOOT * high
        above = cost(high) - allowed + margin
    side = 0
    for _ in range(_MOST_STEPS):
        if below >= -margin or above <= margin:
            return best if above > margin else high
        if high - low <= tolerance / 2 * low:  # costs are rounded: they may have no value that is near enough
            return best
        share = 0.5 if math.isinf(above) else below / (below - above)
        middle = low + share * (high - low)
        excess = cost(middle) - allowed + margin
        if abs(excess) <= margin:
            return middle
        if excess < 0:
            low, below, best = middle, excess, middle
            above, side = (above / 2 if side < 0 else above), -1
        else:
            high, above = middle, excess
            below, side = (below / 2 if side > 0 else below), 1
    return best


def requested_budgets(plan: CheckedPlan, prepared: Sequence[PreparedOutput]) -> dict[str, Budget]:
    """Return the budget of every output that adds noise, as it is asked for.

    ε as stated by `epsilon` or `share`; what is left is divided equally among the others. δ as stated; what is left
    is divided among the outputs that need it, in proportion to their ε.

    Stated ε may add up to more than the whole: composition decides whether they cost more (`design.make_design`).

    Raises:
        PolicyError: shares exceed the whole, or nothing is left to those that state neither.
        PlanError: an output without noise asks for a part.
    """
    paying = [output.spec for output in prepared if output.mechanism.takes_budget]
    for output in prepared:
        if not output.mechanism.takes_budget and {"share", "epsilon", "delta"} & set(output.spec.options):
            raise PlanError(
                "budget-without-noise",
                "an output without noise takes no fraction of ε or δ",
                where=output.spec.where,
                remedy="leave out share, epsilon and delta",
            )
    stated = {spec.name: _stated_epsilon(spec, plan.epsilon) for spec in paying}
    remaining = plan.epsilon - sum(epsilon for epsilon in stated.values() if epsilon is not None)
    waiting = [name for name, epsilon in stated.items() if epsilon is None]
    shares = sum(float(spec.options.get("share", 0.0)) for spec in paying)
    if shares > 1 + _ROUNDING or (waiting and remaining <= _ROUNDING * plan.epsilon):
        raise PolicyError(
            "outputs-exceed-epsilon",
            "the outputs ask for more than the ε of the release",
            where=str(plan.path),
            found=f"{plan.epsilon - remaining:g} of {plan.epsilon:g}"
            + (f", and nothing is left for {', '.join(waiting)}" if waiting else ""),
            remedy="lower share or epsilon of outputs, or raise epsilon under [privacy]",
        )
    epsilons = {
        name: remaining / len(waiting) if epsilon is None else epsilon for name, epsilon in stated.items()
    }
    taking = {output.spec.name: output.spec for output in prepared if output.mechanism.takes_delta}
    deltas = _split_delta(plan, taking, epsilons)
    # Parts that add up on paper do so after every rounding up of noise and claims, too.
    down = 1 - _ROUNDING
    return {name: Budget(epsilon * down, deltas.get(name, 0.0)) for name, epsilon in epsilons.items()}


def _stated_epsilon(spec: OutputSpec, total: float) -> float | None:
    if "epsilon" in spec.options:
        return float(spec.options["epsilon"])
    return float(spec.options["share"]) * total if "share" in spec.options else None


def _split_delta(
    plan: CheckedPlan, taking: dict[str, OutputSpec], epsilons: dict[str, float]
) -> dict[str, float]:
    stated = {name: float(spec.options["delta"]) for name, spec in taking.items() if "delta" in spec.options}
    remaining = plan.delta - sum(stated.values())
    waiting = [name for name in taking if name not in stated]
    if remaining < -_ROUNDING * plan.delta or (waiting and remaining <= 0 < plan.delta):
        raise PolicyError(
            "outputs-exceed-delta",
            "the outputs ask for more than the δ of the release",
            where=str(plan.path),
            found=f"{plan.delta - remaining:g} of {plan.delta:g}",
            remedy="lower delta of outputs, or raise delta under [privacy]",
        )
    weight = sum(epsilons[name] for name in waiting)
    return {**stated, **{name: remaining * epsilons[name] / weight for name in waiting}}
