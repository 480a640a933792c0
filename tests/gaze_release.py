"""A small release of synthetic scanpaths, of photographs on a screen of a declared size."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import deniable_study
import scanpath_study

import synthrelease
from synthrelease.bundle import Bundle, open_bundle

STIMULI, SCANPATHS = ("sea", "sky"), 12
OUTPUT = "paths"
# Another one, with two outputs, of noise that no one can repeat, on a screen without a size.
TWO_OUTPUTS = Path(__file__).parent / "golden" / "bundles" / "scanpaths.h5"
SCREEN = "width_mm = 400.0, distance_mm = 700.0"  # 24.4 px per degree


def gaze_bundle(folder: Path) -> Bundle:
    """Write the release into a folder, and open it."""
    path = folder / "paths.h5"
    path.write_bytes(raw())
    return open_bundle(path, allow_test_seed=True)


def deniable_bundle(folder: Path) -> Bundle:
    """Build a release of scanpaths with plausible deniability in a folder, and open it."""
    plan = deniable_study.study(folder)
    return open_bundle(synthrelease.build(plan, folder / "paths.h5", test_seed=5).path, allow_test_seed=True)


@functools.cache
def raw() -> bytes:
    """Return the release's bytes."""
    with tempfile.TemporaryDirectory() as folder:
        plan = scanpath_study.study(Path(folder))
        side = f"height_px = {scanpath_study.HEIGHT}"
        plan.write_text(plan.read_text().replace(side, f"{side}, {SCREEN}"))
        return synthrelease.build(plan, Path(folder) / "paths.h5", test_seed=5).path.read_bytes()
