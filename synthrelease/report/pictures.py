"""Pictures of a bundle: of its heatmaps one PNG for each stimulus, of its mean signals one for each feature."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle import Bundle
from synthrelease.bundle.layout import TEST_SEED_WORDS, group_name
from synthrelease.data.screen import Screen
from synthrelease.errors import DataError, MachineError
from synthrelease.privacy.guarantee import from_json
from synthrelease.report.figures import Look, map_figure, save, strip_figure
from synthrelease.report.signal_figures import signals_figure

_ENDINGS = (".png", ".jpg", ".jpeg")


def picture_count(manifest: dict[str, Any]) -> int:
    """Return how many pictures `draw` makes."""
    return sum(
        len(output["mechanism"]["parameters"]["stimuli" if output["kind"] == "heatmap" else "features"])
        for output in manifest["outputs"]
        if output["kind"] == "heatmap" or _is_mean(output)
    )


def draw(bundle: Bundle, folder: Path, *, stimuli: Path | None = None) -> Iterator[Path]:
    """Draw every heatmap to `folder`/<output>-<stimulus>.png, every mean signal to <output>-<feature>.png; yield each path.

    Args:
        bundle: an open bundle.
        folder: made if needed.
        stimuli: a folder with pictures called <stimulus>.png or .jpg, to draw the maps over; those it lacks are drawn alone.

    Raises:
        DataError: a picture of a stimulus cannot be read.
        MachineError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for output in bundle.manifest["outputs"]:
            if output["kind"] == "heatmap":
                yield from _draw_heatmaps(bundle, output, folder, stimuli)
            elif _is_mean(output):
                yield from _draw_signals(bundle, output, folder)
    except OSError as error:
        raise MachineError(
            "the pictures cannot be written", where=str(folder), found=error.strerror or ""
        ) from None


def _is_mean(output: dict[str, Any]) -> bool:
    """Whether it has mean signals; those of everybody are noise to look at."""
    return bool(output["kind"] == "signals" and output["mechanism"]["parameters"]["query"] == "mean")


def _draw_signals(bundle: Bundle, output: dict[str, Any], folder: Path) -> Iterator[Path]:
    p, values = output["mechanism"]["parameters"], bundle[output["name"]]
    changes = p.get("baseline", "none") != "none"
    for feature in p["features"]:
        curves = {}
        for recording in p["recordings"]:
            where = f"{group_name(recording)}/{group_name(feature['name'])}"
            curves[recording] = (values[f"{where}/values"], values[f"{where}/uncertainty"])
        figure = signals_figure(
            curves,
            x=np.arange(p["length"]),
            title=f"{output['name']}: {feature['name']}",
            x_label="step",
            y_label=f"change of {feature['name']}" if changes else feature["name"],
            caption=_promise(bundle, output),
        )
        path = folder / f"{output['name']}-{group_name(feature['name'])}.png"
        save(figure, path)
        yield path


def _promise(bundle: Bundle, output: dict[str, Any]) -> str:
    promise = str(from_json(output["guarantee"]))
    if bundle.manifest["randomness"]["test_seed"]:
        promise = f"{TEST_SEED_WORDS}: {promise} does not hold"
    return promise


def _draw_heatmaps(
    bundle: Bundle, output: dict[str, Any], folder: Path, stimuli: Path | None
) -> Iterator[Path]:
    p, values = output["mechanism"]["parameters"], bundle[output["name"]]
    spectral = output["mechanism"]["name"] == "spectral"
    known = output["mechanism"]["public_inputs"]["people"] is not None
    unit = "times even attention" if spectral else "counts per person" if known else "counts"
    look = Look(Screen(**p["screen"]), p["blur_px"], unit)
    for stimulus in p["stimuli"]:
        under = _picture(stimuli, stimulus)
        cells = values[f"{group_name(stimulus)}/heatmap"]
        common: dict[str, Any] = {
            "title": f"{output['name']}: {stimulus}",
            "caption": _promise(bundle, output),
            "stimulus": under,
        }
        if cells.ndim > 2:
            figure = strip_figure(cells, look, window=tuple(p["window"]), **common)
        else:
            spread = values[f"{group_name(stimulus)}/uncertainty"] if spectral else None
            figure = map_figure(cells, look, uncertainty=spread, **common)
        path = folder / f"{output['name']}-{group_name(stimulus)}.png"
        save(figure, path)
        yield path


def _picture(folder: Path | None, stimulus: str) -> NDArray[np.uint8] | None:
    """The stimulus as numbers from 0 to 255, if the folder has it."""
    if (
        folder is None or Path(stimulus).name != stimulus
    ):  # a label of the bundle must not lead out of the folder
        return None
    path = next(
        (folder / f"{stimulus}{ending}" for ending in _ENDINGS if (folder / f"{stimulus}{ending}").is_file()),
        None,
    )
    if path is None:
        return None
    from PIL import Image  # noqa: PLC0415  slow to import

    try:
        with Image.open(path) as image:
            return np.asarray(image.convert("RGB"))
    except (OSError, ValueError):
        raise DataError(
            "the picture of a stimulus cannot be read", where=str(path), expected="a PNG or JPEG file"
        ) from None
