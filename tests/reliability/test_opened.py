"""What opens a bundle, reads it and draws from it ends in values or our own errors, whatever its manifest says; `scripts/stress opened` tries more."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forging import Change, forge, output, parameters, put_values
from layouts import GOLDEN
from opened import SEED, mutant, opened

import synthrelease
from synthrelease.errors import BundleError

NUMBERS = [pytest.param(22, id="some"), pytest.param(220, id="many", marks=pytest.mark.thorough)]
BUNDLES = {path.name: path for path in GOLDEN}
PEOPLE, SCANPATHS = "people.h5", "scanpaths.h5"
SIGNALS, RECORDS = "signals.h5", "records.h5"


@pytest.mark.parametrize("count", NUMBERS)
def test_readers_of_mutants_get_values_or_our_own_errors(count: int) -> None:
    found = list(opened(range(count)))
    assert [str(one) for one in found if one.became == "broken"] == []
    assert {one.became for one in found} == {"refused", "read"}
    assert {one.bundle for one in found} == set(BUNDLES)


def test_a_mutant_is_the_same_whoever_makes_it() -> None:
    assert mutant(5, seed=SEED)[1:] == mutant(5, seed=SEED)[1:]
    assert mutant(5, seed=SEED)[2] != mutant(5, seed=SEED + 1)[2]


def told(name: str, **values: Any) -> Change:
    return lambda manifest: parameters(manifest, name).update(values)


CONTRADICTIONS: dict[str, tuple[str, Change]] = {
    "no sensitivity": (PEOPLE, lambda manifest: output(manifest, "people").update(sensitivity=None)),
    "no noise": (PEOPLE, lambda manifest: output(manifest, "people").update(noise=None)),
    "a lattice of more values than memory holds": (PEOPLE, told("people", lattice=[2e-8, 2e-8, 2e-8])),
    "a design that gives nothing": (
        PEOPLE,
        lambda manifest: parameters(manifest, "people")["design"].update(coarse_weights=[0.0] * 20),
    ),
    "a design of too few numbers": (
        PEOPLE,
        lambda manifest: parameters(manifest, "people")["design"].update(coarse_squares=[]),
    ),
    "more people than there are": (PEOPLE, told("people", synthetic_people=1_000_000)),
    "more windows than there are": (PEOPLE, told("people", windows=10_000)),
    "longer series than there are": (SIGNALS, told("person", length=40_000)),
    "more drawn attributes than there are": (RECORDS, told("randomized", resampled=[2**31])),
    "an ε below 0": (RECORDS, lambda manifest: manifest["outputs"][0]["guarantee"].update(epsilon=-1.0)),
    "a warning less": (PEOPLE, lambda manifest: output(manifest, "people")["warnings"].pop()),
}


@pytest.mark.parametrize(("bundle", "change"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_what_contradicts_itself_or_the_datasets_is_not_opened(
    tmp_path: Path, bundle: str, change: Change
) -> None:
    path = Path(shutil.copy(BUNDLES[bundle], tmp_path / "r.h5"))
    forge(path, change)
    with pytest.raises(BundleError) as raised:
        synthrelease.open_bundle(path)
    assert raised.value.code == "bundle-invalid"


@pytest.mark.parametrize(
    ("bundle", "dataset", "change"),
    [
        (PEOPLE, "people/within/value", lambda v: np.full_like(v, np.nan)),
        (PEOPLE, "people/within/value", lambda v: -np.abs(v) - 1),
        (SCANPATHS, "paths/trials/density", np.zeros_like),
    ],
    ids=["no numbers", "no correlations", "no probabilities"],
)
def test_values_that_nothing_can_be_drawn_from_are_no_model(
    tmp_path: Path, bundle: str, dataset: str, change: Callable[[Any], Any]
) -> None:
    """Opening looks at no values."""
    path = Path(shutil.copy(BUNDLES[bundle], tmp_path / "r.h5"))
    put_values(path, {f"/outputs/{dataset}": change})
    with synthrelease.open_bundle(path) as opened_one, pytest.raises(BundleError) as raised:
        opened_one.model(dataset.partition("/")[0])
    assert raised.value.code == "impossible-values"
