"""Forged heatmaps that start from public maps: one changed value behind a renewed seal, and what is said of the maps."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import public_maps
import pytest
from forging import Change, codes, found, parameters, put_values, told

import synthrelease


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("maps")
    return synthrelease.build(public_maps.study(folder), folder / "maps.h5", test_seed=7).path


@pytest.fixture
def copy(honest: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(honest, tmp_path / honest.name))


def test_an_honest_release_verifies(honest: Path) -> None:
    assert codes(honest, allow_test_seed=True) == set()


@pytest.mark.parametrize("dataset", ["public_map", "belief", "heatmap", "uncertainty", "normalization"])
def test_one_changed_value_is_found(copy: Path, dataset: str) -> None:
    """Of the public map, because heatmaps do not follow from it any more."""

    def change(values: Any) -> Any:
        flat = values.reshape(-1)
        place = int(np.abs(flat[1:]).argmax()) + 1
        flat[place] = flat[place] * 3 // 2 if flat.dtype.kind == "i" else flat[place] * 1.001
        return values

    put_values(copy, {f"/outputs/attention/{dataset}": change})
    assert codes(copy, allow_test_seed=True) == {"derived"}


FORGERIES: dict[str, Change] = {
    "no maps": told("attention", maps=None),
    "another prior": told("attention", prior="centre"),
    "no people who looked": lambda manifest: parameters(manifest, "attention")["maps"].update(people=0),
    "images of people": lambda manifest: parameters(manifest, "attention")["maps"].update(people=40),
    "gaze of no one": lambda manifest: parameters(manifest, "attention")["maps"].update(source="gaze"),
    "another source": lambda manifest: parameters(manifest, "attention")["maps"].update(source="model"),
    "no digest": lambda manifest: parameters(manifest, "attention")["maps"].update(sha256="0"),
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_a_false_statement_is_found(copy: Path, change: Change) -> None:
    assert found(copy, change)
