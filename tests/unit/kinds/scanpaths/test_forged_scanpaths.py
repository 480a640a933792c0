"""Forged scanpaths: one changed value behind a renewed seal, and what is said to have been done."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scanpath_study
from forging import Change, codes, found, parameters, put_values, told

import synthrelease


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scanpaths")
    return synthrelease.build(scanpath_study.study(folder), folder / "paths.h5", test_seed=7).path


@pytest.fixture
def copy(honest: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(honest, tmp_path / honest.name))


DERIVED = (
    "normalization",
    "heatmap",
    "uncertainty",
    "density",
    "saccades/density",
    "turns/density",
    "durations/density",
    "trials/density",
    "starts/density",
    "order/density",
    "learnt",
    "first_order/kernel",
    "first_order/attraction",
    "chain/start",
    "chain/kernel",
    "chain/attraction",
    "chain/turns",
    "chain/order",
)


@pytest.mark.quick("saccades/density", "chain/attraction")
@pytest.mark.parametrize("dataset", DERIVED)
def test_one_changed_value_is_found(copy: Path, dataset: str) -> None:
    def change(values: Any) -> Any:
        flat = values.reshape(-1)
        place = int(np.abs(flat).argmax())
        flat[place] += np.float32(2 / 64 if "chain" in dataset or "order/" in dataset else 1e-3 * flat[place])
        return values

    put_values(copy, {f"/outputs/paths/{dataset}": change})
    assert codes(copy, allow_test_seed=True) == {"derived"}


@pytest.mark.parametrize("column", range(4), ids=["x", "y", "onset", "duration"])
def test_one_changed_fixation_is_found(copy: Path, column: int) -> None:
    def change(values: Any) -> Any:
        values[1, 5, 2, column] += 1
        return values

    put_values(copy, {"/outputs/paths/scanpaths": change})
    assert codes(copy, allow_test_seed=True) == {"derived"}


def test_one_fixation_more_is_found(copy: Path) -> None:
    def change(values: Any) -> Any:
        last = int((values[0, 0, :, 3] > 0).sum())
        values[0, 0, last] = (10.0, 10.0, 1990.0, 100.0)
        return values

    put_values(copy, {"/outputs/paths/scanpaths": change})
    assert codes(copy, allow_test_seed=True) == {"derived"}


FORGERIES: dict[str, Change] = {
    "another seed": told("paths", sampling_seed=1),
    "another viewing time": told("paths", viewing_time_s=2.5),
    "another flat part": told("paths", prior_flat=0.5),
    "a flat part that there is not": told("paths", prior_flat=0.3),
    "a larger share of movements": told("paths", dynamics_share=0.7),
    "next to nothing for movements": told("paths", dynamics_share=1e-9),
    "next to nothing for maps": told("paths", dynamics_share=1 - 1e-9),
    "another norm": told("paths", norm=0.1),
    "other public data": told("paths", prior_sha256="0" * 64),
    "more scanpaths": told("paths", scanpaths=13),
    "another blur": told("paths", blur_px=30.0),
    "another prior": told("paths", prior="none"),
    "public maps": told("paths", prior="maps"),
    "a smaller radius": told("paths", radius_grid_units=1 << 15),
    "fewer stimuli": lambda manifest: parameters(manifest, "paths")["stimuli"].pop(),
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_a_false_statement_is_found(copy: Path, change: Change) -> None:
    assert found(copy, change)
