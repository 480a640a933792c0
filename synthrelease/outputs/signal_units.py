"""What signals cost a person, and why, chunk by chunk, they seem to cost next to nothing."""

from __future__ import annotations

import numpy as np

from synthrelease.bundle.claims import narrower_guarantees
from synthrelease.outputs.noised_signals import NoisedSignalsOutput
from synthrelease.outputs.resolved import ResolvedOutput, counted
from synthrelease.privacy.event import Event
from synthrelease.privacy.guarantee import ApproxDP, Guarantee, Neighbours, PureDP, Unit
from synthrelease.privacy.temporal_leakage import temporal_leakage


def units_table(
    output: ResolvedOutput, event: Event, promise: Guarantee, neighbours: Neighbours
) -> list[list[str]]:
    """Return a table, its head first: ε where only a chunk, a series, a recording changes, and where the whole person does.

    Between them what Bozkir et al. 2021 state: a chunk's ε, chunks being taken for different people, times the features.
    Empty for outputs whose parts are not noised by themselves.
    """
    if not isinstance(output, NoisedSignalsOutput) or not isinstance(promise, PureDP | ApproxDP):
        return []
    delta = promise.delta if isinstance(promise, ApproxDP) else 0.5
    narrower = narrower_guarantees(
        output.spec.kind, output.mechanism(), event, delta=delta, neighbours=neighbours
    )
    p = output.parameters
    names = {
        Unit.STEP: "one step of one feature",
        Unit.CHUNK: f"one chunk of {p.form.parts[0].length} steps of one feature",
        Unit.SERIES: "one feature of one recording",
        Unit.RECORDING: f"one recording, all {counted(p.features, 'feature')}",
        Unit.PERSON: f"the person: {counted(p.recordings, 'recording')} of {counted(p.features, 'feature')}",
    }
    head = "ε" if isinstance(promise, PureDP) else f"ε at δ = {delta:.2g}"
    rows = [["if all that changes is", head]]
    for one in (*narrower, promise):
        assert isinstance(one, PureDP | ApproxDP)
        rows.append([names[one.unit], f"{one.epsilon:.3g}"])
        if one.unit is Unit.STEP and "markov_chain" in output.spec.options:
            steps = np.full(p.form.length, one.epsilon)
            told = temporal_leakage(output.spec.options["markov_chain"], steps).total.max()
            rows.append(["  to one who knows the declared Markov chain (Cao et al. 2017)", f"{told:.3g}"])
        if one.unit is Unit.CHUNK and p.features > 1:
            rows.append(
                [
                    f"  added up over {p.features} features, as Bozkir et al. 2021 do",
                    f"{p.features * one.epsilon:.3g}",
                ]
            )
    return rows if len(rows) > 2 else []
