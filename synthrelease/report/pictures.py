"""Pictures of a bundle as files: of its heatmaps one PNG for each stimulus, of its mean signals one for each feature."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle import Bundle
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.errors import DataError, MachineError
from synthrelease.number_words import listed
from synthrelease.privacy.guarantee import from_json
from synthrelease.report.drawn import drawn_course, drawn_labels, drawn_map
from synthrelease.report.figures import map_figure, save, strip_figure
from synthrelease.report.file_names import FileNames
from synthrelease.report.released import Released
from synthrelease.report.signal_figures import signals_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ENDINGS = (".png", ".jpg", ".jpeg")


def pictured(manifest: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Return what `draw` makes pictures of, in its order: outputs, each with the label of a picture."""
    return [(output, label) for output in manifest["outputs"] for label in drawn_labels(output)]


def draw(bundle: Bundle, folder: Path, *, stimuli: Path | None = None) -> Iterator[Path]:
    """Draw every heatmap to `folder`/<output>-<stimulus>.png, every mean signal to <output>-<feature>.png; yield each path.

    What is no letter, digit, - or _ in a label is - in a name.

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
        names = FileNames()
        with Released(bundle.path, bundle.manifest) as released:
            for output, label in pictured(bundle.manifest):
                path = folder / f"{names.of(output['name'], label)}.png"
                save(_figure(released, output, label, stimuli), path)
                yield path
    except OSError as error:
        raise MachineError(
            "cannot-write",
            "the pictures cannot be written",
            where=str(folder),
            found=error.strerror or "",
            remedy="choose another folder, or check its permissions",
        ) from None


def promise_caption(manifest: dict[str, Any], output: dict[str, Any]) -> list[str]:
    """Return what stands below a picture: the output's guarantee, or that it does not hold; and that of more, if it is part of more."""
    promise = str(from_json(output["guarantee"]))
    if manifest["randomness"]["test_seed"]:
        return [f"{TEST_SEED_WORDS}: {promise} does not hold"]
    covered = manifest["privacy"]["composition"]["outputs"]
    if output["name"] not in covered or len(covered) == 1:
        return [promise]
    return [
        promise,
        f"Together with {listed([one for one in covered if one != output['name']])}: {from_json(manifest['privacy']['guarantee'])}",
    ]


def _figure(released: Released, output: dict[str, Any], label: str, stimuli: Path | None) -> Figure:
    common: dict[str, Any] = {
        "title": f"{output['name']}: {label}",
        "caption": "\n".join(promise_caption(released.manifest, output)),
    }
    if output["kind"] == "signals":
        course = drawn_course(released, output, label)
        return signals_figure(course.curves, x=course.steps, x_label="step", y_label=course.y_label, **common)
    drawn = drawn_map(released, output, label)
    common["stimulus"] = _picture(stimuli, label)
    if drawn.window is not None:
        return strip_figure(drawn.cells, drawn.look, window=drawn.window, **common)
    return map_figure(drawn.cells, drawn.look, uncertainty=drawn.uncertainty, **common)


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
    except (OSError, ValueError, Image.DecompressionBombError):
        raise DataError(
            "bad-stimulus-picture",
            "the picture of a stimulus cannot be read",
            where=str(path),
            expected="a PNG or JPEG file",
            remedy="save the picture anew, or take it out of the folder",
        ) from None
