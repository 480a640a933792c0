"""Releases of scanpaths: from a plan to a bundle that verifies, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import h5py
import made_scanpaths
import numpy as np
import pytest
import scanpath_study
from forging import codes, output, read_manifest

import synthrelease
from synthrelease.dp.event import from_json
from synthrelease.errors import SynthReleaseError
from synthrelease.kinds.scanpaths.blocks import BLOCKS
from synthrelease.kinds.scanpaths.chain_fits import DRAWN_BY
from synthrelease.kinds.scanpaths.drawing import ScanpathModel
from synthrelease.kinds.scanpaths.kind import SCANPATHS


@dataclass(frozen=True)
class Released:
    """A release, as this process reads it: others do not know the kind."""

    path: Path
    output: dict[str, Any]

    def array(self, path: str) -> np.ndarray:
        with h5py.File(self.path) as file:
            return np.asarray(file[f"/outputs/paths/{path}"][()])

    @property
    def model(self) -> ScanpathModel:
        arrays = {path: self.array(path) for path in DRAWN_BY}
        made: ScanpathModel = SCANPATHS.model(
            self.output["mechanism"], from_json(self.output["event"]), arrays
        )
        return made


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Released:
    folder = tmp_path_factory.mktemp("scanpaths")
    path = synthrelease.build(scanpath_study.study(folder), folder / "paths.h5", test_seed=3).path
    return Released(path, output(read_manifest(path), "paths"))


def test_a_release_verifies(released: Released) -> None:
    assert codes(released.path, allow_test_seed=True) == set()


def test_scanpaths_are_on_the_screen_and_in_the_order_of_time(released: Released) -> None:
    values = released.array("scanpaths")
    assert values.shape == (2, 12, 20, 4)
    there = values[..., 3] > 0
    assert (there[..., 0]).all()
    assert (np.diff(there.astype(int), axis=-1) <= 0).all()  # no fixation after the last one
    assert not values[~there].any()
    x, y, onset, duration = values[there].T
    assert ((x >= 0) & (x <= scanpath_study.WIDTH)).all()
    assert ((y >= 0) & (y <= scanpath_study.HEIGHT)).all()
    ends = (values[..., 2] + values[..., 3])[..., :-1][there[..., 1:]]
    assert (values[..., 2][..., 1:][there[..., 1:]] > ends).all()
    assert onset.min() == 0
    assert duration.min() >= 15


def test_a_release_has_maps_distributions_and_how_much_was_learnt(released: Released) -> None:
    assert released.array("heatmap").shape[0] == 2
    for block in BLOCKS:
        density = released.array(f"{block.name}/density").astype(float)
        assert (density >= 0).all()
        assert density.sum() == pytest.approx(block.classes, abs=1e-4)
    learnt = released.array("learnt")
    assert ((learnt >= 0) & (learnt <= 1)).all()


def test_anyone_draws_the_same_scanpaths_and_more(released: Released) -> None:
    model = released.model
    again = model.sample("sky", scanpaths=30)
    values = released.array("scanpaths")[1]
    first = again.filter(again["scanpath"] <= 12)
    scanpath, fixation = np.nonzero(values[..., 3])
    np.testing.assert_array_equal(first["scanpath"].to_numpy(), scanpath + 1)
    np.testing.assert_array_equal(first["x_px"].to_numpy(), values[scanpath, fixation, 0])
    np.testing.assert_array_equal(first["duration_ms"].to_numpy(), values[scanpath, fixation, 3])
    assert again["scanpath"].max() == 30
    assert not model.sample("sky", scanpaths=12, seed=1).equals(first)
    with pytest.raises(SynthReleaseError):
        model.sample("sea of people", scanpaths=1)


def error(folder: Path, options: str = "", **keys: str) -> SynthReleaseError:
    scanpath_study.study(folder)
    (folder / "plan.toml").write_text(scanpath_study.plan(options, **keys))
    with pytest.raises(SynthReleaseError) as caught:
        synthrelease.build(folder / "plan.toml", folder / "paths.h5", test_seed=3)
    return caught.value


def test_long_trials_are_refused_with_the_reason(tmp_path: Path) -> None:
    scanpath_study.study(tmp_path)
    text = scanpath_study.plan().replace("viewing_time_s = 2.0", "viewing_time_s = 45.0")
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(SynthReleaseError) as caught:
        synthrelease.build(tmp_path / "plan.toml", tmp_path / "paths.h5", test_seed=3)
    assert caught.value.code == "long-trials"


def test_fixations_without_durations_are_refused(tmp_path: Path) -> None:
    scanpath_study.study(tmp_path)
    text = scanpath_study.plan().replace(', duration = "ms"', "")
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(SynthReleaseError) as caught:
        synthrelease.build(tmp_path / "plan.toml", tmp_path / "paths.h5", test_seed=3)
    assert caught.value.code == "no-duration-column"


def test_fixations_after_the_viewing_time_do_not_count() -> None:
    """By their time stamps, or where there are none by how long the ones before took."""
    rows = np.array(
        [[0, 10.0, 10.0, 900.0], [0, 20.0, 20.0, 900.0], [0, 30.0, 30.0, 900.0], [0, 40.0, 40.0, 90.0]]
    )
    person = made_scanpaths.gaze([rows])
    for late, time in ((3, None), (2, np.array([100.0, 1500.0, 2100.5, 2200.0])), (4, np.arange(4.0))):
        kept = made_scanpaths.mechanism().collect(replace(person, time=time))
        assert len(kept.whole()[0]) == late


@pytest.mark.parametrize("seconds", [0.1, 0.2, 0.3])
def test_trials_of_few_fixations_are_drawn(tmp_path: Path, seconds: float) -> None:
    """Of one fixation there is no saccade, and of two no pair of saccades."""
    scanpath_study.study(tmp_path)
    text = scanpath_study.plan().replace("viewing_time_s = 2.0", f"viewing_time_s = {seconds}")
    (tmp_path / "plan.toml").write_text(text)
    path = synthrelease.build(tmp_path / "plan.toml", tmp_path / "paths.h5", test_seed=3).path
    values = Released(path, output(read_manifest(path), "paths")).array("scanpaths")
    assert values.shape == (2, 12, round(10 * seconds), 4)
    assert np.isfinite(values).all()
    assert (values[..., 0, 3] > 0).all()
    assert codes(path, allow_test_seed=True) == set()
