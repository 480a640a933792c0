"""Most probable maps of several stimuli at once: bit for bit those of each, with its own scale and its own public map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import synthrelease
from synthrelease.bundle.items import StoredOutput

GOLDEN = Path(__file__).parents[3] / "golden" / "bundles"
STIMULI = 5


def sources_of(stored: StoredOutput, dataset: Any) -> list[list[Any]]:
    """Of some stimuli: integers, scales, public maps, and how far those are believed, which is one for all."""
    random = np.random.default_rng(1)
    count = stored.parameters.form.band.count  # type: ignore[attr-defined]
    belief = np.array([0.7, 0.4])
    made = {
        "noisy": lambda: random.normal(0, 30_000, count).astype(np.int64),
        "normalization": lambda: random.uniform([2.0, 0.1], [20.0, 0.5]),
        "public_map": lambda: random.normal(0, 100_000, count).astype(np.int64),
        "belief": lambda: belief,
    }
    return [[made[source.path]() for source in dataset.sources] for _ in range(STIMULI)]


@pytest.mark.parametrize("name", ["estimates.h5", "public-maps.h5"])
def test_each_is_that_of_its_stimulus(name: str) -> None:
    compared = 0
    with synthrelease.open_bundle(GOLDEN / name, allow_test_seed=True) as bundle:
        outputs = [StoredOutput(entry) for entry in bundle.manifest["outputs"]]
    for stored in outputs:
        for dataset in stored.datasets:
            if dataset.derive_several is None or dataset.derive is None:
                continue
            sources = sources_of(stored, dataset)
            several = dataset.derive_several([(number,) for number in range(STIMULI)], sources)
            for number, (together, own) in enumerate(zip(several, sources, strict=True)):
                np.testing.assert_array_equal(together, dataset.derive((number,), *own))
            compared += 1
    assert compared
