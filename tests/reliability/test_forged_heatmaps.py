"""Forged bundles of heatmaps, resealed and redigested as a forger would: each must be refused for what is forged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from forging import forge_carefully, restate
from invented_study import write_heatmaps_study

import synthrelease
from synthrelease.bundle import disclosure, verify
from synthrelease.dp import accounting
from synthrelease.dp import event as events
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.registry import parameters_of
from synthrelease.numerics.stored import grid

Manifest = dict[str, Any]


@pytest.fixture(scope="session")
def heatmaps_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the release of a study of heatmaps, built once."""
    folder = tmp_path_factory.mktemp("heatmaps")
    return synthrelease.build(write_heatmaps_study(folder), folder / "r.h5").path


@pytest.fixture(scope="session")
def capped_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the release of gaze maps under a private cap, built once."""
    folder = tmp_path_factory.mktemp("capped")
    return synthrelease.build(write_heatmaps_study(folder, capped=True), folder / "r.h5").path


@pytest.fixture
def capped(capped_study: Path, tmp_path: Path) -> Path:
    """Return the path of a copy of it."""
    path = tmp_path / "capped.h5"
    path.write_bytes(capped_study.read_bytes())
    return path


@pytest.fixture
def forged(heatmaps_study: Path, tmp_path: Path) -> Path:
    """Return the path of a copy that the test may change."""
    path = tmp_path / "r.h5"
    path.write_bytes(heatmaps_study.read_bytes())
    return path


def manifest_of(path: Path) -> Manifest:
    with h5py.File(path, "r") as file:
        found: Manifest = json.loads(file["/manifest"][()].tobytes())
    return found


def forge(path: Path, change: Callable[[Manifest], None]) -> set[str]:
    """Change the manifest, with codes and coordinates that follow, renew digests and seal, and return what `verify` finds."""
    forge_carefully(path, change)
    return {finding.code for finding in verify(path).findings}


def entry(manifest: Manifest, name: str) -> Manifest:
    return next(o for o in manifest["outputs"] if o["name"] == name)


def parameters(manifest: Manifest, name: str) -> Manifest:
    found: Manifest = entry(manifest, name)["mechanism"]["parameters"]
    return found


def place(path: Path, name: str, stimulus: str) -> int:
    """The number of a stimulus of an output."""
    number: int = parameters(manifest_of(path), name)["stimuli"].index(stimulus)
    return number


def agreeing(manifest: Manifest) -> None:
    """Make sensitivities, noise and claims agree with the parameters and the scales, as a careful forger would."""
    neighbours = Neighbours(manifest["privacy"]["neighbours"])
    recorded = []
    for one in manifest["outputs"]:
        sensitivity = parameters_of(one).sensitivity(neighbours).l2
        form = one["event"]
        noise = form["events"][-1] if form["type"] == "composed" else form
        noise["sensitivity"]["value"] = one["sensitivity"]["value"] = repr(sensitivity)
        noise["scale"] = one["noise"]["scale"]
        event = events.from_json(form)
        leaf = events.flatten(event)[-1]
        assert isinstance(leaf, events.RoundedGaussian)
        one["noise"]["standard_deviation"] = repr(leaf.standard_deviation)
        one["guarantee"] = accounting.compose(
            [event], delta=one["guarantee"]["delta"], neighbours=neighbours
        ).to_json()
        recorded.append(event)
    privacy = manifest["privacy"]
    total, method = accounting.compose_private(
        recorded,
        delta=privacy["guarantee"]["delta"],
        neighbours=neighbours,
        budget=privacy["budget"]["epsilon"],
    )
    privacy["guarantee"] = total.to_json()
    privacy["composition"]["method"] = method
    due = disclosure.not_protected(manifest["outputs"], neighbours)
    privacy["not_protected"] = [one.to_json() for one in due]
    restate(manifest)


def test_the_releases_and_their_reseals_verify(forged: Path, capped: Path) -> None:
    for path in (forged, capped):
        assert verify(path).findings == []
        assert forge(path, agreeing) == set()


@pytest.mark.parametrize("name", ["still", "moving", "composed"])
@pytest.mark.parametrize("what", ["normalization", "heatmap", "uncertainty"])
@pytest.mark.parametrize("stimulus", ["garden", "a/b"])
def test_a_derived_value_changed(forged: Path, name: str, what: str, stimulus: str) -> None:
    with h5py.File(forged, "r+") as file:
        path, index = f"/outputs/{name}/{what}", place(forged, name, stimulus)
        values = file[path][index]
        values.flat[values.size // 2] += 1e-5 * max(1.0, float(np.abs(values).max()))
        file[path][index] = values
    assert forge(forged, lambda _: None) == {"derived"}


@pytest.mark.parametrize("name", ["still", "moving", "composed"])
@pytest.mark.parametrize("room", ["last-bit", "near-zero", "sign-of-zero", "one-step"])
def test_a_person_hidden_in_the_low_bits_of_a_map(forged: Path, name: str, room: str) -> None:
    """A bit for each cell would otherwise be free to use, and dozens for each cell that is zero."""
    with h5py.File(forged, "r+") as file:
        path, index = f"/outputs/{name}/heatmap", place(forged, name, "garden")
        values = file[path][index]
        at = np.unravel_index(values.argmin() if room == "near-zero" else values.argmax(), values.shape)
        if room == "last-bit":
            values[at] = np.nextafter(values[at], np.float32(0))
        elif room == "sign-of-zero":
            at = np.unravel_index(values.argmin(), values.shape)
            values[at] = np.float32(-0.0) if values[at] == 0 else -values[at]
        elif room == "near-zero":
            values[at] += np.float32(1e-30) if values[at] == 0 else np.spacing(values[at])
        else:
            # In ten cells: one in some hundreds lies so near the middle of two steps that machines may differ.
            at = np.unravel_index(np.argsort(values, axis=None)[-10:], values.shape)
            values[at] -= np.float32(grid(values.astype(np.float64)).item())
        file[path][index] = values
    assert forge(forged, lambda _: None) == {"derived"}


def test_noised_coefficients_changed_under_their_map(forged: Path) -> None:
    with h5py.File(forged, "r+") as file:
        file["/outputs/still/noisy"][place(forged, "still", "garden"), 5] += 40_000
    assert forge(forged, lambda _: None) == {"derived"}


@pytest.mark.parametrize(
    ("name", "key", "value"),
    [
        ("still", "exponent", 1.5),
        ("still", "clip", 0.4),
        ("still", "prior", "none"),
        ("composed", "prior", "centre"),
        ("moving", "window", [0, 6]),
        ("moving", "blur_time", 0.6),
        ("moving", "frames", 5),
        ("still", "rows", 41),
        ("still", "blur_px", 6.5),
    ],
)
def test_a_public_parameter_other_than_the_one_that_was_used(
    forged: Path, name: str, key: str, value: Any
) -> None:
    def change(manifest: Manifest) -> None:
        parameters(manifest, name)[key] = value
        agreeing(manifest)

    assert forge(forged, change) & {"derived", "noise"}


def test_composition_told_as_joint_clipping(forged: Path) -> None:
    """M = 1: the sensitivity is the same, and so is the guarantee; but the masses then follow in another way."""

    def change(manifest: Manifest) -> None:
        parameters(manifest, "still")["clipping"] = "per-stimulus"
        agreeing(manifest)

    assert forge(forged, change) & {"guarantee", "derived", "sensitivity"}


def test_more_stimuli_per_person_cost_more(forged: Path) -> None:
    def change(manifest: Manifest) -> None:
        parameters(manifest, "composed")["max_stimuli_per_person"] = 2

    assert "sensitivity" in forge(forged, change)


def test_fewer_stimuli_than_counted_do_not_cost_less_where_the_event_disagrees(forged: Path) -> None:
    def change(manifest: Manifest) -> None:
        one = entry(manifest, "composed")
        one["sensitivity"]["value"] = one["event"]["sensitivity"]["value"] = repr(65536.0)

    assert {"sensitivity", "guarantee"} <= forge(forged, change)


@pytest.mark.parametrize("key", ["radius_grid_units", "constant_grid_units", "cutoff"])
def test_a_constant_of_the_mechanism_changed(forged: Path, key: str) -> None:
    def change(manifest: Manifest) -> None:
        parameters(manifest, "still")[key] *= 2

    assert forge(forged, change) == {"manifest"}


@pytest.mark.parametrize(
    "viewers", [None, [60], [60, 30, 10], [61, 30], [10_000, 30], [-1, 30], [60.5, 30], [50, 40]], ids=str
)
def test_viewers_that_are_not_possible_or_not_those_of_the_maps(forged: Path, viewers: Any) -> None:
    def change(manifest: Manifest) -> None:
        entry(manifest, "still")["mechanism"]["public_inputs"]["viewers"] = viewers

    assert forge(forged, change) & {"manifest", "derived"}


def test_viewers_where_the_assignment_is_private(forged: Path) -> None:
    def change(manifest: Manifest) -> None:
        entry(manifest, "composed")["mechanism"]["public_inputs"]["viewers"] = [60, 30]

    assert forge(forged, change) & {"manifest", "derived"}


def test_an_assignment_that_is_not_told_to_be_public(forged: Path) -> None:
    def change(manifest: Manifest) -> None:
        manifest["privacy"]["not_protected"].remove({"code": "assignment", "fields": {"output": "still"}})

    assert forge(forged, change) == {"guarantee"}


@pytest.mark.parametrize(
    "changes",
    [{"window": None}, {"frames": None}, {"blur_time": None}, {"window": [5, 0]}, {"window": [0, 0]}],
    ids=str,
)
def test_a_dynamic_map_that_contradicts_itself(forged: Path, changes: Manifest) -> None:
    assert forge(forged, lambda manifest: parameters(manifest, "moving").update(changes))


@pytest.mark.parametrize("blur", [1e-9, 1e-3, 0.02])
def test_a_blur_that_would_take_all_memory_is_refused_before_any_is_taken(forged: Path, blur: float) -> None:
    assert forge(forged, lambda manifest: parameters(manifest, "still").update(blur_px=blur))


def test_a_map_larger_than_the_file_holds_is_not_computed(forged: Path) -> None:
    huge = {"rows": 20_000, "columns": 20_000}
    assert forge(forged, lambda manifest: parameters(manifest, "still").update(huge)) == {"manifest"}


# --- the private cap


def test_a_private_choice_left_out(capped: Path) -> None:
    def change(manifest: Manifest) -> None:
        one = entry(manifest, "capped")
        one["event"] = one["event"]["events"][-1]
        agreeing(manifest)

    assert forge(capped, change) == {"guarantee"}


def test_a_private_choice_told_as_a_public_cap(capped: Path) -> None:
    """Without its list and its event it is a cap like any other: what cannot be seen is that it came from the data."""

    def change(manifest: Manifest) -> None:
        parameters(manifest, "capped")["caps"] = None

    assert forge(capped, change) == {"guarantee"}


@pytest.mark.parametrize("caps", [[1, 2], [1, 2, 3, 4], [4, 2, 1], [7, 8, 9]], ids=str)
def test_another_list_than_the_one_chosen_from(capped: Path, caps: list[int]) -> None:
    assert "guarantee" in forge(capped, lambda manifest: parameters(manifest, "capped").update(caps=caps))


def test_a_choice_by_unbounded_samples(capped: Path) -> None:
    def change(manifest: Manifest) -> None:
        parameters(manifest, "capped")["max_samples_per_stimulus"] = None
        agreeing(manifest)

    assert "guarantee" in forge(capped, change)


def test_a_choice_that_cost_less(capped: Path) -> None:
    def change(manifest: Manifest) -> None:
        entry(manifest, "capped")["event"]["events"][0]["epsilon"] = "0.001"

    assert forge(capped, change) == {"guarantee"}
