"""The demonstration: build, verify and show a release of the sample data inside the package."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.building.builder import Built, build
from synthrelease.bundle import Verification, open_bundle, verify
from synthrelease.data.gaze import load_gaze
from synthrelease.data.screen import Screen
from synthrelease.extras import FIGURES, is_installed
from synthrelease.files.locks import refuse_without_locks
from synthrelease.files.unwritable import cannot_write
from synthrelease.numerics.blur import blurred
from synthrelease.parallel import Progress
from synthrelease.reports.figures import comparison_figure, save_png
from synthrelease.reports.map_axes import MapLegend
from synthrelease.reports.public_report import write_report

FILES = ("plan.toml", "attention.csv.gz", "distance.csv.gz", "pupil.csv.gz", "LICENSES.md")


@dataclass(frozen=True)
class Demonstration:
    """What the demonstration made."""

    folder: Path  # plan, sample data, bundle and picture
    built: Built  # the build
    verification: Verification  # what `verify` said
    picture: (
        Path | None
    )  # exact heatmaps on the left, the released ones on the right; None if nothing can be drawn
    report: Path | None  # the public report of the bundle
    correlation: dict[str, float]  # of released and exact heatmap, by image


def demonstrate(
    folder: Path, *, force: bool = False, test_seed: int | None = None, progress: Progress | None = None
) -> Demonstration:
    """Copy the sample data to a folder, build its plan there, verify the bundle, draw the heatmaps, and write the page.

    Args:
        folder: created if needed.
        force: replace the bundle and the page of an earlier demonstration.
        test_seed: repeatable noise, for tests.
        progress: as for `build`.

    Raises:
        MachineError: the folder cannot be written.
    """
    refuse_without_locks(str(folder))
    copy_sample(folder)
    built = build(
        folder / "plan.toml", folder / "release.h5", force=force, test_seed=test_seed, progress=progress
    )
    verification = verify(built.path, allow_test_seed=test_seed is not None)
    drawable = is_installed(*FIGURES)
    picture = folder / "heatmaps.png" if drawable else None
    report = folder / "report.html" if drawable else None
    correlation = _draw_heatmaps(built, folder, picture)
    if report is not None and verification.ok and verification.manifest is not None:
        write_report(
            built.path,
            report,
            manifest=verification.manifest,
            checked=verification.checked,
            force=True,  # as the bundle next to it, which is new
            progress=progress,
        )
    return Demonstration(folder, built, verification, picture, report, correlation)


def copy_sample(folder: str | Path) -> Path:
    """Copy plan and sample data to a folder, which is made if need be, and return it.

    Raises:
        MachineError: the folder cannot be written.
    """
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with as_file(files("synthrelease.demo")) as inside:
            for name in FILES:
                shutil.copyfile(inside / name, folder / name)
    except OSError as error:
        raise cannot_write(folder, error) from None
    return folder


def small_release(folder: str | Path) -> Path:
    """Build a release of one mean of the sample data in a folder, within a second, and return the bundle: to try things out with.

    Raises:
        MachineError: the folder cannot be written, or a bundle is there.
    """
    folder = copy_sample(folder)
    head, *outputs = (folder / "plan.toml").read_text("utf-8").split("[[outputs]]")
    (mean,) = (output for output in outputs if 'kind = "statistics"' in output)
    plan = folder / "small.toml"
    plan.write_text(f"{head}[[outputs]]{mean}", "utf-8")
    return build(plan, folder / "small.h5").path


def _draw_heatmaps(built: Built, folder: Path, picture: Path | None) -> dict[str, float]:
    """Draw the released heatmaps next to the exact ones, if that is wanted, and return how well they correlate."""
    bundle = open_bundle(built.path, allow_test_seed=True)
    output = next(entry for entry in built.manifest["outputs"] if entry["name"] == "heatmaps")
    parameters = output["mechanism"]["parameters"]
    released = dict(zip(parameters["stimuli"], bundle["heatmaps"]["heatmap"], strict=True))
    exact = _exact_heatmaps(folder, parameters)
    if picture is not None:
        _draw(released, exact, output, picture)
    return {
        stimulus: float(np.corrcoef(released[stimulus].ravel(), exact[stimulus].ravel())[0, 1])
        for stimulus in released
    }


def _draw(
    released: dict[str, NDArray[Any]],
    exact: dict[str, NDArray[np.float64]],
    output: dict[str, Any],
    picture: Path,
) -> None:
    parameters = output["mechanism"]["parameters"]
    epsilon = output["guarantee"]["epsilon"]
    figure = comparison_figure(
        {
            f"photograph {stimulus}": {
                "exact (stays private)": exact[stimulus],
                f"released, ε = {epsilon:g}": released[stimulus],
            }
            for stimulus in released
        },
        MapLegend(Screen(**parameters["screen"]), parameters["blur_px"], "attention"),
        title="Where about 100 participants looked, on each of two photographs",
        caption="Only the right-hand maps are in the bundle. The exact ones are shown because the sample data are public.",
    )
    try:
        save_png(figure, picture)
    except OSError as error:
        raise cannot_write(picture, error) from None


def _exact_heatmaps(folder: Path, parameters: dict[str, Any]) -> dict[str, NDArray[np.float64]]:
    """Mean dwell shares without noise, cap or clipping, on a fine grid averaged to the published cells."""
    screen = Screen(**parameters["screen"])
    columns = {"person": "person", "stimulus": "image", "x": "x_px", "y": "y_px"}
    gaze = load_gaze(
        folder / "attention.csv.gz", columns=columns, screen=screen, stimuli=parameters["stimuli"]
    )
    cell = screen.cells(gaze.x_px, gaze.y_px, columns=parameters["columns"], rows=parameters["rows"])
    group = gaze.person * len(parameters["stimuli"]) + gaze.stimulus
    weight = 1.0 / np.bincount(group)[group]
    maps = {}
    for number, stimulus in enumerate(parameters["stimuli"]):
        of_stimulus = gaze.stimulus == number
        total = np.bincount(
            cell[of_stimulus], weight[of_stimulus], parameters["rows"] * parameters["columns"]
        )
        shares = total.reshape(parameters["rows"], parameters["columns"])
        maps[stimulus] = blurred(
            shares, blur_px=parameters["blur_px"], screen_px=(screen.width_px, screen.height_px)
        )
    return maps
