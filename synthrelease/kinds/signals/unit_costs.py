"""What signals cost a person, and why, chunk by chunk, they seem to cost next to nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp import accounting
from synthrelease.dp.event import DiscreteLaplace, Event
from synthrelease.dp.guarantee import ApproxDP, Guarantee, Neighbours, PureDP, Unit
from synthrelease.dp.temporal_leakage import reversed_transitions, temporal_leakage
from synthrelease.kinds.event_level import narrower_guarantees
from synthrelease.kinds.parameters import counted
from synthrelease.kinds.signals.public import CoefficientParameters

# Parts that are no units of a guarantee: a chunk's ε times the features, and a step's to one who knows the Markov chain.
ADDED_UP, KNOWN_CHAIN = "added-up", "known-chain"
Chain = Sequence[Sequence[float]]


def units_table(
    p: CoefficientParameters, costs: Mapping[str, float], guarantee: Guarantee
) -> list[list[str]]:
    """Return a table of `unit_costs` in words, its head first; empty if there is nothing but the guarantee itself."""
    if len(costs) < 2:
        return []
    features, recordings = counted(len(p.features), "feature"), counted(len(p.recordings), "recording")
    names = {
        Unit.STEP: "one step of one feature",
        KNOWN_CHAIN: "  to one who knows the declared Markov chain (Cao et al. 2017)",
        Unit.CHUNK: f"one chunk of {p.form.parts[0].length} steps of one feature",
        ADDED_UP: f"  added up over {len(p.features)} features, as Bozkir et al. 2021 do",
        Unit.SERIES: "one feature of one recording",
        Unit.RECORDING: f"one recording, all {features}",
        Unit.PERSON: f"the person: {recordings} of {features}",
    }
    head = f"ε at δ = {guarantee.delta:.2g}" if isinstance(guarantee, ApproxDP) else "ε"
    rows = [[names[part], f"{epsilon:.3g}"] for part, epsilon in costs.items()]
    return [["if all that changes is", head], *rows]


def unit_costs(
    possible: Sequence[tuple[CoefficientParameters, Event]],
    event: Event,
    guarantee: Guarantee,
    neighbours: Neighbours,
    chain: Chain | None,
) -> dict[str, float]:
    """Return ε where only a step, a chunk, a series, a recording changes, and where the whole person does, by the unit.

    Between them what Bozkir et al. 2021 state, of Laplacian noise only as they have it: a chunk's ε, chunks being taken for
    different people, times the features. Of frequencies that are yet to be chosen, what those cost that cost most.

    Args:
        possible: parameters and events that may come to be.
        event: what is planned.
        guarantee: of the output for a person.
        neighbours: the relation.
        chain: transition probabilities that steps are said to follow, if any.
    """
    if not isinstance(guarantee, PureDP | ApproxDP):
        return {}
    delta = guarantee.delta if isinstance(guarantee, ApproxDP) else accounting.ANY_DELTA
    of_each = [
        narrower_guarantees(parameters, done, delta=delta, neighbours=neighbours)
        for parameters, done in possible
    ]
    narrower = [max(alternatives, key=_epsilon) for alternatives in zip(*of_each, strict=True)]
    p, costs = possible[0][0], {}
    for unit_guarantee in (*narrower, guarantee):
        epsilon = _epsilon(unit_guarantee)
        costs[str(unit_guarantee.unit)] = epsilon
        if unit_guarantee.unit is Unit.STEP and chain is not None:
            costs[KNOWN_CHAIN] = _leakage(chain, np.full(p.length, epsilon))
        if unit_guarantee.unit is Unit.CHUNK and len(p.features) > 1 and isinstance(event, DiscreteLaplace):
            costs[ADDED_UP] = len(p.features) * epsilon
    return costs


def _leakage(chain: Chain, epsilons: NDArray[np.float64]) -> float:
    """The most that leaks of a step, of a stationary chain; of one that never is, what all steps leak.

    Backward in time a chain goes by other probabilities than those declared, unless it is reversible.
    """
    try:
        backward = reversed_transitions(chain)
    except ValueError:  # it leaves a state for good
        return float(epsilons.sum())
    return float(temporal_leakage(chain, epsilons, backward=backward).total.max())


def _epsilon(guarantee: Guarantee) -> float:
    assert isinstance(guarantee, PureDP | ApproxDP)
    return guarantee.epsilon
