"""Releases of scanpaths: from a plan to a bundle that verifies, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import made_scanpaths
import numpy as np
import pytest
import scanpath_study
from forging import codes

import synthrelease
from synthrelease.errors import SynthReleaseError
from synthrelease.kinds import preparing
from synthrelease.kinds.scanpaths.blocks import BLOCKS


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scanpaths")
    return synthrelease.build(scanpath_study.study(folder), folder / "paths.h5", test_seed=3).path


@pytest.fixture(scope="module")
def released(path: Path) -> Any:
    """The output's datasets."""
    return synthrelease.open_bundle(path, allow_test_seed=True)["paths"]


def test_a_release_verifies(path: Path) -> None:
    assert codes(path, allow_test_seed=True) == set()


def test_scanpaths_are_on_the_screen_and_in_the_order_of_time(released: Any) -> None:
    values = released["scanpaths"]
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


def test_a_release_has_maps_distributions_and_how_much_was_learnt(released: Any) -> None:
    assert released["heatmap"].shape[0] == 2
    for block in BLOCKS:
        density = released[f"{block.name}/density"].astype(float)
        assert (density >= 0).all()
        assert density.sum() == pytest.approx(block.classes, abs=1e-4)
    learnt = released["learnt"]
    assert ((learnt >= 0) & (learnt <= 1)).all()


def test_anyone_draws_the_same_scanpaths_and_more(path: Path, released: Any) -> None:
    model = synthrelease.open_bundle(path, allow_test_seed=True).model("paths")
    again = model.sample("sky", scanpaths=30)
    values = released["scanpaths"][1]
    first = again.filter(again["scanpath"] <= 12)
    scanpath, fixation = np.nonzero(values[..., 3])
    np.testing.assert_array_equal(first["scanpath"].to_numpy(), scanpath + 1)
    np.testing.assert_array_equal(first["x_px"].to_numpy(), values[scanpath, fixation, 0])
    np.testing.assert_array_equal(first["duration_ms"].to_numpy(), values[scanpath, fixation, 3])
    assert again["scanpath"].max() == 30
    assert not model.sample("sky", scanpaths=12, seed=1).equals(first)
    with pytest.raises(SynthReleaseError):
        model.sample("sea of people", scanpaths=1)


def error(folder: Path, options: str = "", **keys: Any) -> SynthReleaseError:
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


@pytest.mark.parametrize("share", [1e-9, 1 - 1e-9])
def test_next_to_nothing_for_a_round_is_refused_before_any_value_is_read(
    tmp_path: Path, share: float
) -> None:
    """Radii of no grid unit, and of more than squares in 64 bits can be of."""
    with pytest.raises(SynthReleaseError) as caught:
        synthrelease.build(
            scanpath_study.study(tmp_path, f"dynamics_share = {share}"), tmp_path / "paths.h5", test_seed=3
        )
    assert caught.value.code == "bad-value"


def test_more_scanpaths_than_memory_holds_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "_MOST_DRAWN", 2 * 12 * 20)
    synthrelease.preview(scanpath_study.study(tmp_path))
    monkeypatch.setattr(preparing, "_MOST_DRAWN", 2 * 12 * 20 - 1)
    with pytest.raises(SynthReleaseError) as caught:
        synthrelease.preview(scanpath_study.study(tmp_path))
    assert caught.value.code == "too-many-scanpaths"


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


@pytest.mark.thorough
@pytest.mark.parametrize("seconds", [0.1, 0.2, 0.3])
def test_trials_of_few_fixations_are_drawn(tmp_path: Path, seconds: float) -> None:
    """Of one fixation there is no saccade, and of two no pair of saccades."""
    scanpath_study.study(tmp_path)
    text = scanpath_study.plan().replace("viewing_time_s = 2.0", f"viewing_time_s = {seconds}")
    (tmp_path / "plan.toml").write_text(text)
    path = synthrelease.build(tmp_path / "plan.toml", tmp_path / "paths.h5", test_seed=3).path
    values = synthrelease.open_bundle(path, allow_test_seed=True)["paths"]["scanpaths"]
    assert values.shape == (2, 12, round(10 * seconds), 4)
    assert np.isfinite(values).all()
    assert (values[..., 0, 3] > 0).all()
    assert codes(path, allow_test_seed=True) == set()
