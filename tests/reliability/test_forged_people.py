"""Forged bundles of synthetic people: one changed value behind a renewed seal, and what is said to have been done."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forging import (
    Change,
    Manifest,
    codes,
    derive_again,
    forge_carefully,
    found,
    output,
    parameters,
    put_values,
    read_manifest,
    scaled,
    told,
)
from reading_people import PILOT, reading_plan, reading_table

import synthrelease
from synthrelease.bundle import verify
from synthrelease.kinds.people.design import PeopleDesign

PLAN = reading_plan(epsilon=20.0, people=15)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of 60 people."""
    folder = tmp_path_factory.mktemp("people")
    (folder / "reading.csv").write_text(reading_table(60))
    (folder / "plan.toml").write_text(PLAN)
    return synthrelease.build(folder / "plan.toml", folder / "people.h5", test_seed=7).path


@pytest.fixture(scope="module")
def piloted(honest: Path) -> Path:
    """The same release, which starts from a pilot: the same people under other labels, as if they were others."""
    folder = honest.parent
    (folder / "pilot.csv").write_text(reading_table(60, prefix="q"))
    (folder / "with-pilot.toml").write_text(PLAN + PILOT)
    return synthrelease.build(folder / "with-pilot.toml", folder / "with-pilot.h5", test_seed=7).path


def pilot(change: Callable[[dict[str, Any]], None]) -> Change:
    return lambda manifest: change(parameters(manifest, "people")["pilot"])


PILOT_FORGERIES: dict[str, Change] = {
    "no pilot": lambda manifest: parameters(manifest, "people").update(pilot=None),
    "a probability": pilot(lambda p: p["density"][0].__setitem__(20, 0.5)),
    "a probability below 0": pilot(lambda p: p["density"][0].__setitem__(20, -0.5)),
    "no probability": pilot(lambda p: p["density"].__setitem__(0, [0.0] * 40)),
    "fewer features": pilot(lambda p: p["density"].pop()),
    "fewer bins": pilot(lambda p: p["density"][1].pop()),
    "a negative square": pilot(lambda p: p["squares"].__setitem__(3, -0.1)),
    "fewer orders": pilot(lambda p: p["squares"].pop()),
    "a mean product": pilot(lambda p: p["dependence"].__setitem__(0, 3.0)),
    "fewer products": pilot(lambda p: p["dependence"].pop()),
    "more people": pilot(lambda p: p.update(people=5000)),
}


@pytest.mark.parametrize("change", PILOT_FORGERIES.values(), ids=PILOT_FORGERIES)
def test_a_false_statement_of_the_pilot_is_found(piloted: Path, tmp_path: Path, change: Change) -> None:
    assert codes(piloted, allow_test_seed=True) == set()
    assert found(Path(shutil.copy(piloted, tmp_path / piloted.name)), change)


def test_the_numbers_of_a_pilot_are_taken_on_trust(piloted: Path, honest: Path, tmp_path: Path) -> None:
    """Its people are in no bundle: what anyone may state is named."""
    forged = Path(shutil.copy(piloted, tmp_path / piloted.name))
    forge_carefully(forged, pilot(lambda p: p.update(sha256="0" * 64)))
    others, trusted = (set(verify(path, allow_test_seed=True).on_trust) for path in (honest, forged))
    assert others < trusted
    assert len(trusted - others) == 2  # that no participant is among them, and what is stated of them


@pytest.fixture
def copy(honest: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(honest, tmp_path / honest.name))


def test_an_honest_release_verifies(honest: Path) -> None:
    assert codes(honest, allow_test_seed=True) == set()


def test_its_population_draws_the_same_people_and_more(honest: Path) -> None:
    bundle = synthrelease.open_bundle(honest, allow_test_seed=True)
    population = bundle.model("people")
    released = bundle["people"]["people"]
    more = population.sample(people=40)
    assert more.shape == (40, *released.shape[1:])
    np.testing.assert_allclose(more[: len(released)], released, rtol=1e-5, atol=1e-5)
    assert np.abs(population.sample(people=15, seed=1) - released).max() > 0.1


DERIVED = (
    "contrasts/value",
    "contrasts/interval",
    "contrasts/uncertainty",
    "marginals/density",
    "marginals/edge",
    "intraclass/value",
    "autocorrelation/value",
    "slopes/value",
    "effects/value",
    "between/value",
    "within/value",
    "people",
)


@pytest.mark.parametrize("dataset", DERIVED)
def test_one_changed_value_is_found(copy: Path, dataset: str) -> None:
    def change(values: Any) -> Any:
        flat = values.reshape(-1)
        place = int(np.abs(flat).argmax())
        flat[place] = np.nextafter(flat[place], np.inf, dtype=flat.dtype) + flat.dtype.type(2e-6)
        return values

    put_values(copy, {f"/outputs/people/{dataset}": change})
    assert codes(copy, allow_test_seed=True) == {"derived"}


@pytest.mark.parametrize(("feature", "step"), list(enumerate((2.0**-18, 2.0**-18, 1.0))))
def test_one_value_a_step_further_is_found(copy: Path, feature: int, step: float) -> None:
    """The least change that leaves a value on the grid that values are shown on."""

    def change(values: Any) -> Any:
        assert (values[..., feature] % np.float32(step) == 0).all()
        values[3, 1, 2, feature] += np.float32(step)
        return values

    put_values(copy, {"/outputs/people/people": change})
    assert codes(copy, allow_test_seed=True) == {"derived"}


@pytest.mark.parametrize("round_", ["coarse", "fine", "dependence"])
def test_a_changed_sum_is_found_by_what_follows(copy: Path, round_: str) -> None:
    def change(values: Any) -> Any:
        values.reshape(-1)[0] += 200_000
        return values

    put_values(copy, {f"/outputs/people/noisy/{round_}": change})
    assert "derived" in codes(copy, allow_test_seed=True)


def designed(change: Callable[[dict[str, Any]], None]) -> Change:
    return lambda manifest: change(parameters(manifest, "people")["design"])


def quieter(manifest: Manifest) -> None:
    entry = output(manifest, "people")
    for part in (entry["event"], entry["noise"]):
        part["scale"] = scaled(part["scale"], 0.5)


FORGERIES: dict[str, Change] = {
    "another seed": told("people", sampling_seed=1),
    "half the noise": quieter,
    "a weight of the first round": designed(lambda d: d["coarse_weights"].__setitem__(0, 3.0)),
    "a weight of the third round": designed(lambda d: d["block_weights"].__setitem__(0, 3.0)),
    "a centre of the third round": designed(lambda d: d["block_centres"].__setitem__(2, 0.5)),
    "shares of more than everything": designed(lambda d: d.update(shares=[0.9, 0.9, 0.9])),
    "shares of two rounds": designed(lambda d: d.update(shares=[0.5, 0.5])),
    "weights of fewer blocks": designed(lambda d: d["block_weights"].pop()),
    "a lattice of fewer features": told("people", lattice=[None, None]),
    "a lattice without a step": told("people", lattice=[None, None, 0]),
    "a lattice downwards": told("people", lattice=[None, None, -1.0]),
    "a lattice of more values than memory holds": told("people", lattice=[None, None, 1e-12]),
    "other bounds": lambda manifest: parameters(manifest, "people")["features"][0].update(high=9.0),
    "more windows": told("people", windows=6),
}


DESIGN = tuple(field.name for field in fields(PeopleDesign))
OTHERWISE: dict[str, Callable[[float], float]] = {
    "less": lambda number: 0.9 * number - 1e-3 * (number == 0),
    "a little less": lambda number: (1 - 1e-4) * number - 1e-6 * (number == 0),
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_a_false_statement_is_found(copy: Path, change: Change) -> None:
    assert found(copy, change)


@pytest.mark.parametrize("key", DESIGN)
@pytest.mark.parametrize("change", OTHERWISE.values(), ids=OTHERWISE)
def test_a_design_that_does_not_follow_is_found_though_all_values_follow(
    copy: Path, key: str, change: Callable[[float], float]
) -> None:
    """Weights, shares, centres and risks are those of the form, the participants, the noise and the pilot: the curator chooses none."""

    def designed_otherwise(design: dict[str, Any]) -> None:
        stated = design[key]
        design[key] = change(stated) if isinstance(stated, float) else [*map(change, stated)]

    found(copy, designed(designed_otherwise))
    derive_again(copy)
    assert codes(copy, allow_test_seed=True) == {"manifest"}


@pytest.mark.parametrize(
    "shares", [[0.9, 0.9, 0.9], [0.5, 0.5, 0.1]], ids=["far too much", "a little too much"]
)
def test_radii_beyond_the_stated_one_are_found_though_all_values_follow(
    copy: Path, shares: list[float]
) -> None:
    assert "sensitivity" in found(copy, designed(lambda design: design.update(shares=shares)))
    assert parameters(read_manifest(copy), "people")["design"]["shares"] == shares
    derive_again(copy)
    assert "sensitivity" in codes(copy, allow_test_seed=True)
