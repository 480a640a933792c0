"""Forged bundles of signals, resealed and redigested as a forger would: each must be refused for what is forged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from forging import (
    Change,
    Manifest,
    codes,
    derive_again,
    found,
    output,
    parameters,
    public,
    read_manifest,
    recompute_claims,
    recompute_sensitivities,
    told,
)

from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.numerics.stored import grid

SPECTRAL = ("course", "levels", "after")
NOISED = ("chunks", "changes", "steps", "whole")


def nothing(_manifest: Manifest) -> None:
    pass


def of(name: str) -> str:
    return "spectral" if name in SPECTRAL else "noised"


def place(path: Path, name: str, recording: str, feature: str) -> tuple[int, int]:
    """The index of a series of an output."""
    stated = parameters(read_manifest(path), name)
    return stated["recordings"].index(recording), [one["name"] for one in stated["features"]].index(feature)


def change_values(
    path: Path, name: str, what: str, recording: str, change: Callable[[np.ndarray], None]
) -> set[str]:
    """Change the values of one series of openness, and return what is found."""
    index = place(path, name, recording, "open")
    with h5py.File(path, "r+") as file:
        dataset = file[f"/outputs/{name}/{what}"]
        values = dataset[index]
        change(values)
        dataset[index] = values
    return found(path, nothing)


def test_the_releases_and_their_reseals_verify(
    noised: Path, noised_bytes: bytes, spectral_bytes: bytes
) -> None:
    for content in (noised_bytes, spectral_bytes):
        noised.write_bytes(content)
        assert codes(noised, allow_test_seed=True) == set()
        assert found(noised, recompute_sensitivities) == set()
    assert codes(noised) == {"test-seed"}


# --- values


@pytest.mark.quick
@pytest.mark.parametrize(
    ("name", "what"),
    [(name, what) for name in SPECTRAL for what in ("normalization", "values", "uncertainty")]
    + [(name, what) for name in NOISED for what in ("values", "uncertainty")],
)
@pytest.mark.parametrize("room", ["more", "last-bit", "one-step", "sign"])
def test_a_derived_value_changed(request: pytest.FixtureRequest, name: str, what: str, room: str) -> None:
    def change(values: np.ndarray) -> None:
        at = np.unravel_index(np.abs(values).argmax(), values.shape)
        if room == "more":
            values[at] *= 1.001
        elif room == "last-bit":
            values[at] = np.nextafter(values[at], np.float32(0))
        elif room == "one-step":
            values[at] -= np.float32(grid(values.astype(np.float64)).item())
        else:
            values[at] = -values[at]

    assert change_values(request.getfixturevalue(of(name)), name, what, "a/b", change) == {"derived"}


@pytest.mark.parametrize("name", [*SPECTRAL, *NOISED])
def test_noised_integers_changed_under_their_signal(request: pytest.FixtureRequest, name: str) -> None:
    def change(values: np.ndarray) -> None:
        values.flat[-1] += 5000

    assert change_values(request.getfixturevalue(of(name)), name, "noisy", "read", change) == {"derived"}


@pytest.mark.parametrize("name", ["course", "whole"])
def test_an_integer_larger_than_all_people_can_make_it(request: pytest.FixtureRequest, name: str) -> None:
    path = request.getfixturevalue(of(name))
    derive_again(path)
    assert codes(path, allow_test_seed=True) == set()
    index = place(path, name, "read", "open")
    with h5py.File(path, "r+") as file:
        values = file[f"/outputs/{name}/noisy"][index]
        values[-1] = 2_000_000_000
        file[f"/outputs/{name}/noisy"][index] = values
    derive_again(path)
    assert codes(path, allow_test_seed=True) == {"sensitivity"}


def test_a_mass_of_ones_own_and_all_that_follows_from_it(spectral: Path) -> None:
    """The mass follows from the constants of all series; it is not a number to choose."""
    derive_again(spectral, normalized=0.9)
    assert codes(spectral, allow_test_seed=True) == {"derived"}


def test_the_number_of_datasets_is_known_before_they_are_listed(
    noised_bytes: bytes, spectral_bytes: bytes, tmp_path: Path
) -> None:
    for content in (noised_bytes, spectral_bytes):
        (tmp_path / "r.h5").write_bytes(content)
        for entry in read_manifest(tmp_path / "r.h5")["outputs"]:
            with BundleFile(tmp_path / "r.h5") as file:
                present = [
                    one for one in file.dataset_paths() if one.startswith(f"/outputs/{entry['name']}/")
                ]
            stored = StoredOutput(entry)
            called_for = [one.path for one in stored.hdf5_datasets]
            assert sorted(called_for) == entry["paths"] == present
            assert stored.hdf5_dataset_count == len(called_for) > len(stored.datasets)


# --- guarantees to less than a person


def narrower(name: str, change: Callable[[list[Manifest]], object]) -> Change:
    return lambda manifest: change(output(manifest, name)["narrower_units"])  # type: ignore[func-returns-value]


@pytest.mark.quick
@pytest.mark.parametrize("name", ["chunks", "steps"])
@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("factor", [0.5, 0.9999, 1.01])
def test_a_guarantee_to_less_than_a_person_that_is_another(
    noised: Path, name: str, number: int, factor: float
) -> None:
    def change(units: list[Manifest]) -> None:
        units[number]["epsilon"] *= factor

    assert found(noised, narrower(name, change)) == {"guarantee"}


@pytest.mark.parametrize(
    "change",
    [
        lambda units: units.pop(),
        lambda units: units.pop(0),
        lambda units: units.clear(),
        lambda units: units.reverse(),
        lambda units: units[0].update(unit="person"),
        lambda units: units[1].update(unit="chunk"),
        lambda units: units[0].update(unit="step"),
        lambda units: units[0].update(neighbours="add-remove-one"),
        lambda units: units[0].update(kind="approx_dp", delta=0.5),
        lambda units: units[0].update(epsilon=units[2]["epsilon"]),
    ],
)
def test_guarantees_to_less_than_a_person_left_out_turned_or_renamed(
    noised: Path, change: Callable[[list[Manifest]], object]
) -> None:
    assert found(noised, narrower("chunks", change)) == {"guarantee"}


@pytest.mark.parametrize("name", ["course", "whole", "changes"])
def test_a_guarantee_to_less_than_a_person_too_many(request: pytest.FixtureRequest, name: str) -> None:
    kind = {"kind": "pure_dp", "unit": "chunk", "neighbours": "replace-one", "epsilon": 0.01}
    path = request.getfixturevalue(of(name))
    assert found(path, narrower(name, lambda units: units.append(kind))) == {"guarantee"}
    assert found(path, narrower(name, lambda units: units.extend([kind] * 3))) == {"manifest"}


def test_a_guarantee_to_a_chunk_told_as_that_to_a_person(noised: Path) -> None:
    def change(manifest: Manifest) -> None:
        one = output(manifest, "chunks")
        one["guarantee"] = {**one["narrower_units"][0], "unit": "person"}

    assert found(noised, change) == {"guarantee"}
    assert "manifest" in found(
        noised, lambda manifest: output(manifest, "chunks")["guarantee"].update(unit="chunk")
    )


# --- what the bounds of a series follow from


@pytest.mark.quick
@pytest.mark.parametrize("name", NOISED)
@pytest.mark.parametrize(
    "bounds",
    [
        lambda b: [b[0] - 1, *b[1:]],
        lambda b: [b[0] + 1, *b[1:]],
        lambda b: [one - 1 for one in b],
        lambda b: [one // 2 for one in b],
        lambda b: [1 for _ in b],
    ],
)
def test_bounds_of_a_series_that_do_not_follow_from_its_form(
    noised: Path, name: str, bounds: Callable[[list[int]], list[int]]
) -> None:
    """By a step, and with everything that follows from them."""

    def change(manifest: Manifest) -> None:
        parameters(manifest, name)["bound_grid_units"] = bounds(
            parameters(manifest, name)["bound_grid_units"]
        )

    assert "sensitivity" in found(noised, change)
    assert found(noised, recompute_sensitivities) == {"sensitivity"}


@pytest.mark.parametrize("bounds", [lambda b: b[:1], lambda b: [*b, b[-1]], lambda b: [*b, *b], lambda _: []])
def test_another_number_of_bounds(noised: Path, bounds: Callable[[list[int]], list[int]]) -> None:
    for name in NOISED:
        before = noised.read_bytes()
        stated = bounds(parameters(read_manifest(noised), name)["bound_grid_units"])
        if len(stated) != len(parameters(read_manifest(noised), name)["bound_grid_units"]):
            assert found(noised, told(name, bound_grid_units=stated)) & {"manifest", "sensitivity"}
        noised.write_bytes(before)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("chunks", {"clip": 0.99}),
        ("changes", {"clip": 0.49}),
        ("changes", {"clip": 1.0}),
        ("whole", {"clip": 0.5}),
        ("changes", {"max_change_grid_units": None}),
        ("changes", {"max_change_grid_units": 6554}),
        ("changes", {"max_change_grid_units": 6552}),
        ("changes", {"max_change_grid_units": 3000}),
        ("chunks", {"length": 41}),
        ("whole", {"length": 41}),
    ],
    ids=str,
)
def test_clip_limit_and_length_are_those_that_the_bounds_follow_from(
    noised: Path, name: str, values: dict[str, Any]
) -> None:
    expected = "derived" if "length" in values else "sensitivity"  # shapes are looked at first
    assert found(noised, told(name, **values), recompute_sensitivities) == {expected}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("steps", {"clip": 0.5}),
        ("steps", {"coefficients": 2}),
        ("steps", {"chunk": 4}),
        ("steps", {"max_change_grid_units": 9}),
        ("whole", {"chunk": 8}),
        ("whole", {"coefficients": None}),
        ("whole", {"coefficients": 22}),
        ("chunks", {"chunk": None}),
        ("chunks", {"chunk": 41}),
        ("chunks", {"max_change_grid_units": 9}),
        ("chunks", {"half_range_grid_units": 4}),
        ("chunks", {"coefficients": 10}),
        ("chunks", {"candidates": [1, 2, 10]}),
        ("course", {"query": "each"}),
        ("course", {"radius_grid_units": 32768}),
        ("course", {"cosines": 41}),
        ("course", {"baseline_steps": 3}),
        ("after", {"baseline_steps": None}),
        ("after", {"baseline_steps": 0}),
        ("after", {"baseline_steps": 41}),
        ("course", {"calibration": "exact"}),
    ],
    ids=str,
)
def test_parameters_that_contradict_each_other(
    request: pytest.FixtureRequest, name: str, values: dict[str, Any]
) -> None:
    assert "manifest" in found(request.getfixturevalue(of(name)), told(name, **values))


def described(name: str, low: float, high: float) -> Manifest:
    return {"name": name, "low": low, "high": high, "unit": None, "title": None}


@pytest.mark.parametrize("constant", [16383, 16385, 8192, 1])
def test_the_constant_beside_each_series_is_the_one_that_was_clipped_with_it(
    spectral: Path, constant: int
) -> None:
    assert found(spectral, told("course", constant_grid_units=constant), recompute_claims) == {"sensitivity"}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("chunks", {"chunk": 20}),
        ("chunks", {"query": "each"}),
        ("changes", {"query": "mean"}),
        ("changes", {"coefficients": 3}),
        ("whole", {"coefficients": 2}),
        ("steps", {"length": 13}),
        ("course", {"clip": 0.031}),
        ("course", {"cosines": 5}),
        ("course", {"baseline": "none"}),
        ("levels", {"baseline": "person"}),
        ("course", {"baseline": "recording"}),
        ("course", {"length": 39}),
        ("course", {"features": [described("size_mm", 2, 9), described("open", 0, 1)]}),
        ("chunks", {"features": [described("size_mm", 2, 9), described("open", 0, 1)]}),
    ],
    ids=str,
)
def test_parameters_other_than_those_that_the_values_follow_from(
    request: pytest.FixtureRequest, name: str, values: dict[str, Any]
) -> None:
    assert "derived" in found(request.getfixturevalue(of(name)), told(name, **values))


@pytest.mark.parametrize(
    ("name", "to"),
    [
        *(("chunks", to) for to in ("lpa", "fpa", "dcfpa", "spectral")),
        *(("changes", to) for to in ("lpa", "fpa", "cfpa")),
        *(("steps", to) for to in ("fpa", "spectral", "gaussian")),
        *(("course", to) for to in ("lpa", "dcfpa")),
    ],
)
def test_a_mechanism_told_as_another(request: pytest.FixtureRequest, name: str, to: str) -> None:
    def change(manifest: Manifest) -> None:
        output(manifest, name)["mechanism"]["name"] = to

    assert found(request.getfixturevalue(of(name)), change) & {"manifest", "sensitivity"}


@pytest.mark.quick
@pytest.mark.parametrize("name", ["course", "chunks", "changes"])
@pytest.mark.parametrize("people", [29, 31, 1, None])
def test_another_number_of_people(request: pytest.FixtureRequest, name: str, people: int | None) -> None:
    wrong = found(request.getfixturevalue(of(name)), public(name, people=people), recompute_claims)
    assert wrong & {"derived", "sensitivity"}
    assert "manifest" in wrong  # outputs of one input state one number


@pytest.mark.parametrize("name", ["course", "chunks"])
def test_public_inputs_are_those_of_signals(request: pytest.FixtureRequest, name: str) -> None:
    path = request.getfixturevalue(of(name))
    honest = path.read_bytes()
    for values in ({"viewers": [17]}, {"viewers": None}, {"length": None}, {"length": "measured"}):
        path.write_bytes(honest)
        assert found(path, public(name, **values), recompute_claims) == {"manifest"}
    path.write_bytes(honest)
    forgotten = lambda manifest: output(manifest, name)["mechanism"]["public_inputs"].pop("length")  # noqa: E731
    assert found(path, forgotten, recompute_claims) == {"manifest"}
    for what in ("names", "length"):
        path.write_bytes(honest)
        # It is not listed as unprotected; and outputs of one input have one list.
        due = {"guarantee", "manifest"} if what == "names" else {"guarantee"}
        assert found(path, public(name, **{what: "assumed"})) == due


@pytest.mark.parametrize("name", ["levels", "steps"])
@pytest.mark.parametrize("bounds", [(8.0, 2.0), (2.0, 2.0)])
def test_bounds_of_a_feature_that_are_no_interval(
    request: pytest.FixtureRequest, name: str, bounds: tuple[float, float]
) -> None:
    """The wrong way round uncertainties are negative; of no width nothing is left of a signal, and a file packs to nothing."""

    def change(manifest: Manifest) -> None:
        for feature in parameters(manifest, name)["features"]:
            feature["low"], feature["high"] = bounds

    assert "manifest" in found(request.getfixturevalue(of(name)), change)
