"""Releases of scanpaths with plausible deniability: from a plan to a bundle that verifies; and forged ones, each behind a renewed seal."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import deniable_study
import numpy as np
import pytest
from forging import Change, codes, found, parameters, put_values, told

import synthrelease
from synthrelease.bundle import verify
from synthrelease.files.labels import quoted
from synthrelease.reports.released import Released

CELLS, MOST = 12, 9
TOKENS = f"fixations = {MOST}, scanpaths = 6"


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deniable")
    return synthrelease.build(
        deniable_study.study(folder, tokens=TOKENS), folder / "paths.h5", test_seed=7
    ).path


@pytest.fixture(scope="module")
def released(honest: Path) -> Iterator[dict[str, Any]]:
    manifest = verify(honest, allow_test_seed=True).manifest
    assert manifest is not None
    with Released(honest, manifest) as bundle:
        names = [a["name"] for a in manifest["outputs"][0]["mechanism"]["parameters"]["attributes"]]
        arrays = {name: bundle.array("paths", f"category/{quoted(name)}") for name in names}
        yield {**arrays, "scanpaths": bundle.array("paths", "scanpaths")}


@pytest.fixture
def copy(honest: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(honest, tmp_path / honest.name))


def path_of(name: str) -> str:
    return f"/outputs/paths/category/{quoted(name)}"


def test_a_bundle_verifies_and_states_the_criterion(honest: Path) -> None:
    result = verify(honest, allow_test_seed=True)
    assert result.ok
    assert result.manifest is not None
    (output,) = result.manifest["outputs"]
    assert output["event"]["type"] == "deniability_test"
    assert (output["event"]["k"], output["event"]["counted"]) == (8, "person")


def test_scanpaths_are_those_of_the_records(released: dict[str, Any]) -> None:
    scanpaths = released["scanpaths"]
    assert scanpaths.shape == (2, 6, MOST, 4)
    cells = np.stack([released[f"cell_{t}"] for t in range(1, MOST + 1)], axis=1).reshape(2, 6, MOST)
    there = scanpaths[..., 3] > 0
    np.testing.assert_array_equal(there, cells < CELLS)
    column, row = (
        (scanpaths[..., axis] * number / side).astype(np.int64)
        for axis, number, side in ((0, 4, 800), (1, 3, 600))
    )
    np.testing.assert_array_equal((row * 4 + column)[there], cells[there])
    onset = scanpaths[..., 2]
    assert (np.diff(onset, axis=-1)[there[..., 1:]] > 0).all()


def test_a_release_is_the_same_whatever_the_workers(tmp_path: Path, honest: Path) -> None:
    """Rows of people are read in parts by several workers; records are drawn once."""
    plan = deniable_study.study(tmp_path, tokens=TOKENS)
    again = synthrelease.build(plan, tmp_path / "again.h5", test_seed=7, jobs=2).path
    assert again.read_bytes() == honest.read_bytes()


@pytest.mark.parametrize("column", range(4), ids=["x", "y", "onset", "duration"])
def test_one_changed_fixation_is_found(copy: Path, column: int) -> None:
    def change(values: Any) -> Any:
        values[1, 5, 0, column] += 1
        return values

    put_values(copy, {"/outputs/paths/scanpaths": change})
    assert codes(copy, allow_test_seed=True) == {"derived"}


def test_one_fixation_more_is_found(copy: Path) -> None:
    def change(values: Any) -> Any:
        place = np.argwhere(values[..., 3] == 0)[0]
        values[tuple(place)] = (10.0, 10.0, 1990.0, 100.0)
        return values

    put_values(copy, {"/outputs/paths/scanpaths": change})
    assert codes(copy, allow_test_seed=True) == {"derived"}


@pytest.mark.parametrize("name", ["cell_1", "cell_2", "duration_1"])
def test_another_category_is_not_that_of_the_scanpath(copy: Path, name: str) -> None:
    def change(values: Any) -> Any:
        values[0] = (values[0] + 1) % 3
        return values

    put_values(copy, {path_of(name): change})
    assert codes(copy, allow_test_seed=True) == {"derived"}


def test_records_of_other_stimuli_than_stated_are_found(copy: Path) -> None:
    put_values(copy, {path_of("stimulus"): lambda values: values[::-1].copy()})
    assert codes(copy, allow_test_seed=True)


@pytest.mark.parametrize("name", [f"cell_{MOST}", f"duration_{MOST}"])
def test_a_fixation_after_an_end_and_one_without_a_duration_are_found(
    copy: Path, released: dict[str, Any], name: str
) -> None:
    """Also where no scanpath shows it."""
    ended = np.flatnonzero(released[f"cell_{MOST - 1}"] == CELLS)
    assert ended.size

    def change(values: Any) -> Any:
        values[ended[0]] = 0
        return values

    put_values(copy, {path_of(name): change})
    assert codes(copy, allow_test_seed=True)


FORGERIES: dict[str, Change] = {
    "another seed": told("paths", sampling_seed=1),
    "a larger k": told("paths", k=9),
    "another gamma": told("paths", gamma=2.0),
    "nothing kept": told("paths", resampled=[2 * MOST]),
    "more kept than there are": told("paths", resampled=[1]),
    "the stimulus drawn": told("paths", resampled=[2 * MOST + 1]),
    "more scanpaths": told("paths", scanpaths=7),
    "records counted": told("paths", counted="record"),
    "another model": told("paths", dependence="tree"),
    "no test": told("paths", threshold=None, k=None, gamma=None, counted=None),
    "a finer grid": lambda manifest: parameters(manifest, "paths")["tokens"].update(columns=6, rows=2),
    "other durations": lambda manifest: parameters(manifest, "paths")["tokens"].update(
        durations_ms=[50.0, 160.0, 250.0, 400.0, 800.0]
    ),
    "fewer fixations": lambda manifest: parameters(manifest, "paths")["tokens"].update(fixations=MOST - 1),
    "fewer stimuli": lambda manifest: parameters(manifest, "paths")["stimuli"].pop(),
    "an attribute by another name": lambda manifest: parameters(manifest, "paths")["attributes"][1].update(
        name="cell"
    ),
    "trials of one stimulus of a participant": told("paths", max_stimuli_per_person=1),
    "a private assignment": told("paths", assignment_public=False),
    "another screen": lambda manifest: parameters(manifest, "paths")["screen"].update(width_px=801),
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_a_false_statement_is_found(copy: Path, change: Change) -> None:
    assert found(copy, change)


def test_a_model_with_noise_can_be_drawn_from(tmp_path: Path) -> None:
    plan = deniable_study.study(tmp_path, 'fit = "dp"\nk = 2')
    bundle = synthrelease.build(plan, tmp_path / "noisy.h5", test_seed=7).path
    assert verify(bundle, allow_test_seed=True).ok
    model = synthrelease.open_bundle(bundle, allow_test_seed=True).model("paths")
    assert model.order == tuple(range(11))
    assert model.resampled == (9,)
