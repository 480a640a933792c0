"""The demonstration shows what a release is good for: its time series has the shape of the exact one."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from synthrelease.building.design import make_design
from synthrelease.demo import copy_sample
from synthrelease.dp.noise import SecureRandom
from synthrelease.evaluation.ground_truth.signals import ground_truth, truth_collector
from synthrelease.kinds.signals.spectral import SpectralSignals
from synthrelease.kinds.values import Values
from synthrelease.plan.partitions import partitions_of, stamp_of
from synthrelease.plan.plan import load_plan

RELEASES = 24


def test_the_time_series_has_the_shape_of_the_exact_one(tmp_path: Path) -> None:
    plan = load_plan(copy_sample(tmp_path) / "plan.toml")
    design = make_design(plan)
    (output,) = (each for each in design.outputs if each.name == "signals")
    mechanism, spec = output.mechanism, plan.inputs[output.spec.input]
    assert isinstance(mechanism, SpectralSignals)
    (part,) = partitions_of(spec, design.facts[spec.name], stamp_of(spec.source))
    data = part.read()
    truth = ground_truth(mechanism, truth_collector(mechanism)(data), data.people).series[0, 0]
    contributions, correlations, errors = mechanism.collect(data), [], []
    for seed in range(RELEASES):
        drawn = mechanism.draw(contributions, output.budget, SecureRandom.for_tests(seed))
        values = Values(drawn.parameters, drawn.event, drawn.arrays).item("values", (0, 0))
        correlations.append(float(np.corrcoef(values, truth)[0, 1]))
        errors.append(float(np.sqrt(np.mean((values - truth) ** 2)) / np.ptp(truth)))
    assert np.median(correlations) > 0.96
    assert min(correlations) > 0.9
    assert max(errors) < 0.15
    # A flat line, which too much noise leaves, misses more.
    assert np.std(truth) / np.ptp(truth) > 0.2
