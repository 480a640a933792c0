"""Releases of scanpaths: from a plan to a bundle that verifies, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scanpath_study

import synthrelease
from synthrelease.errors import SynthReleaseError
from synthrelease.kinds.scanpaths.blocks import BLOCKS


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> synthrelease.Bundle:
    folder = tmp_path_factory.mktemp("scanpaths")
    path = synthrelease.build(scanpath_study.study(folder), folder / "paths.h5", test_seed=3).path
    return synthrelease.open_bundle(path, allow_test_seed=True)


def scanpaths(bundle: synthrelease.Bundle) -> np.ndarray:
    return np.asarray(bundle["paths"]["scanpaths"])


def test_scanpaths_are_on_the_screen_and_in_the_order_of_time(released: synthrelease.Bundle) -> None:
    values = scanpaths(released)
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


def test_a_release_has_maps_distributions_and_how_much_was_learnt(released: synthrelease.Bundle) -> None:
    output = released["paths"]
    assert np.asarray(output["heatmap"]).shape[0] == 2
    for block in BLOCKS:
        density = np.asarray(output[f"{block.name}/density"]).astype(float)
        assert (density >= 0).all()
        assert density.sum() == pytest.approx(block.classes, abs=1e-4)
    learnt = np.asarray(output["learnt"])
    assert ((learnt >= 0) & (learnt <= 1)).all()


def test_anyone_draws_the_same_scanpaths_and_more(released: synthrelease.Bundle) -> None:
    model = released.model("paths")
    again = model.sample("sky", scanpaths=30)
    values = scanpaths(released)[1]
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


def test_fixations_after_the_viewing_time_do_not_count(tmp_path: Path) -> None:
    """By their time stamps, or where there are none by how long the ones before took."""
    scanpath_study.study(tmp_path)
    late = "p0,sea,10,10,300,2000\np0,sea,20,20,300,2400\n"
    results = []
    for columns in ("", ', time = "t"'):
        for rows in (scanpath_study.table(), scanpath_study.table() + late):
            (tmp_path / "fixations.csv").write_text(rows)
            (tmp_path / "plan.toml").write_text(scanpath_study.plan(columns=columns))
            path = synthrelease.build(
                tmp_path / "plan.toml", tmp_path / "paths.h5", test_seed=3, force=True
            ).path
            results.append(np.asarray(synthrelease.open_bundle(path, allow_test_seed=True)["paths"]["noisy"]))
        np.testing.assert_array_equal(results[-1], results[-2])
