"""What signals cost a person, and why, chunk by chunk, they seem to cost next to nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle.claims import narrower_guarantees
from synthrelease.kinds.registry import parameters_of
from synthrelease.mechanisms.signals import calibrate
from synthrelease.outputs.noised_signals import NoisedSignalsOutput
from synthrelease.outputs.resolved import ResolvedOutput, counted
from synthrelease.privacy import accounting
from synthrelease.privacy.budget import Budget
from synthrelease.privacy.event import Composed, DiscreteLaplace, Event
from synthrelease.privacy.guarantee import ApproxDP, Guarantee, Neighbours, PureDP, Unit
from synthrelease.privacy.temporal_leakage import reversed_transitions, temporal_leakage

# Parts that are no units of a guarantee: a chunk's ε times the features, and a step's to one who knows the Markov chain.
ADDED_UP, KNOWN_CHAIN = "added-up", "known-chain"


def units_table(
    output: ResolvedOutput,
    event: Event,
    promise: Guarantee,
    neighbours: Neighbours,
    budget: Budget | None,
) -> list[list[str]]:
    """Return the table of `unit_costs` in words, its head first; empty if there is nothing but the promise itself."""
    costs = unit_costs(output, event, promise, neighbours, budget)
    if len(costs) < 2 or not isinstance(output, NoisedSignalsOutput):
        return []
    p = output.parameters
    names = {
        Unit.STEP: "one step of one feature",
        KNOWN_CHAIN: "  to one who knows the declared Markov chain (Cao et al. 2017)",
        Unit.CHUNK: f"one chunk of {p.form.parts[0].length} steps of one feature",
        ADDED_UP: f"  added up over {p.features} features, as Bozkir et al. 2021 do",
        Unit.SERIES: "one feature of one recording",
        Unit.RECORDING: f"one recording, all {counted(p.features, 'feature')}",
        Unit.PERSON: f"the person: {counted(p.recordings, 'recording')} of {counted(p.features, 'feature')}",
    }
    head = f"ε at δ = {promise.delta:.2g}" if isinstance(promise, ApproxDP) else "ε"
    rows = [[names[part], f"{epsilon:.3g}"] for part, epsilon in costs.items()]
    return [["if all that changes is", head], *rows]


def unit_costs(
    output: ResolvedOutput,
    event: Event,
    promise: Guarantee,
    neighbours: Neighbours,
    budget: Budget | None,
) -> dict[str, float]:
    """Return ε where only a step, a chunk, a series, a recording changes, and where the whole person does, by the unit.

    Between them what Bozkir et al. 2021 state, of Laplacian noise alone as they have it: a chunk's ε, chunks being taken for
    different people, times the features. Of frequencies that are yet to be chosen, what those cost that cost most. Empty for
    outputs whose parts are not noised by themselves.
    """
    if not isinstance(output, NoisedSignalsOutput) or not isinstance(promise, PureDP | ApproxDP):
        return {}
    delta = promise.delta if isinstance(promise, ApproxDP) else accounting.ANY_DELTA
    of_each = [
        narrower_guarantees(
            parameters_of({"kind": output.spec.kind, "mechanism": mechanism}),
            done,
            delta=delta,
            neighbours=neighbours,
        )
        for mechanism, done in _possible(output, event, budget)
    ]
    narrower = [max(ones, key=_epsilon) for ones in zip(*of_each, strict=True)]
    p, costs = output.parameters, {}
    for one in (*narrower, promise):
        epsilon = _epsilon(one)
        costs[str(one.unit)] = epsilon
        if one.unit is Unit.STEP and "markov_chain" in output.spec.options:
            steps = np.full(p.form.length, epsilon)
            costs[KNOWN_CHAIN] = _leakage(output.spec.options["markov_chain"], steps)
        if one.unit is Unit.CHUNK and p.features > 1 and isinstance(event, DiscreteLaplace):
            costs[ADDED_UP] = p.features * epsilon
    return costs


def _leakage(chain: list[list[float]], epsilons: NDArray[np.float64]) -> float:
    """What is told of a step at most, of a stationary chain; and of one that never is, what all steps tell.

    Backward in time a chain goes by other probabilities than those declared, unless it is reversible.
    """
    try:
        backward = reversed_transitions(chain)
    except ValueError:  # it leaves a state for good
        return float(epsilons.sum())
    return float(temporal_leakage(chain, epsilons, backward=backward).total.max())


def _possible(
    output: NoisedSignalsOutput, event: Event, budget: Budget | None
) -> Iterator[tuple[dict[str, Any], Event]]:
    """The manifest's entry and the event, of every number of frequencies that may be chosen."""
    entry, private = output.mechanism(), output.private_frequencies
    if private is None or budget is None:
        yield entry, event
        return
    choice, left = private.split(budget)
    for k in private.candidates:
        own = private.at(k)
        told = {"coefficients": k, "bound_steps": list(own.radii)}
        yield {**entry, "parameters": entry["parameters"] | told}, Composed((choice, calibrate(own, left)))


def _epsilon(promise: Guarantee) -> float:
    assert isinstance(promise, PureDP | ApproxDP)
    return promise.epsilon
