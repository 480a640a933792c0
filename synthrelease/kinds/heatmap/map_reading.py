"""Public maps that a plan names: images of a folder, one for each stimulus, or a table of other people's gaze (`spectral.proof.md`)."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.coordinates import Coordinates
from synthrelease.data.facts import Facts
from synthrelease.data.gaze import GazeData, load_gaze
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.picture import EXPECTED, PictureError, opened_picture
from synthrelease.data.readers.npz import array_head
from synthrelease.data.readers.opening import library_faults_as
from synthrelease.data.screen import Screen
from synthrelease.errors import DataError, PlanError
from synthrelease.files.digest import sha256_of
from synthrelease.files.labels import file_of_label
from synthrelease.files.reading import opened
from synthrelease.kinds.heatmap.map_sums import looks, people_maps
from synthrelease.kinds.heatmap.public import SpectralParameters
from synthrelease.kinds.heatmap.public_maps import GAZE, IMAGES, PublicMaps
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.public_data import digest_of, refuse_participants
from synthrelease.numerics.map_belief import on_grid
from synthrelease.numerics.spectrum import Band, of_cells

Coefficients = NDArray[np.int32]

_ENDINGS = (".npy", ".png", ".jpg", ".jpeg", ".tif", ".tiff")
_DISTORTED = 0.03  # of an image's proportions: rounding to whole pixels, not another screen
_MOST_PX = 4000  # of a map, each way: far finer than its blur
_COLOURLESS = 8.0  # of 255: how far red, green and blue may differ, as JPEG rounds them
_MOST_VALUES = 1 << 25  # of a map
_MOST_SHOWN = 5


def read_maps(
    spec: OutputSpec, source: InputSpec, facts: Facts, parameters: SpectralParameters
) -> tuple[PublicMaps, Coefficients]:
    """Return what the manifest states of the maps that a plan names, and their coefficients in steps, shape (S, K).

    Args:
        spec: of the output, with the path relative to the plan.
        source: the input, whose columns a table has.
        facts: of the input.
        parameters: of the output, but for the maps.

    Raises:
        DataError, MachineError: a file cannot be used.
        PlanError: there is none, a stimulus has no map, or a table shares a person with the data.
    """
    path, where = spec.folder / spec.options["maps"], f"{spec.where}.maps"
    images = [file_of_label(path, stimulus, _ENDINGS) for stimulus in parameters.stimuli]
    # Where the input is a folder of tables, so may be other people's gaze.
    if any(images) or (path.is_dir() and not source.path.is_dir()):
        return _of_images(images, parameters, f"{where} ({path})")
    return _of_gaze(replace(source, path=path, frame=None), facts, parameters, where)


def _of_images(
    paths: Sequence[Path | None], parameters: SpectralParameters, where: str
) -> tuple[PublicMaps, Coefficients]:
    lacking = [s for s, path in zip(parameters.stimuli, paths, strict=True) if path is None]
    if lacking:
        raise _lacking(lacking, where, "a file <stimulus>.npy, .png, .jpg or .tif for each stimulus")
    present = [path for path in paths if path is not None]
    band, screen = parameters.form.band, parameters.screen
    coefficients = np.zeros((len(present), band.count))
    for number, path in enumerate(present):
        coefficients[number] = _still(_image(path, screen), band)
    digests = "".join(map(sha256_of, present))
    return PublicMaps(hashlib.sha256(digests.encode()).hexdigest(), IMAGES, None), on_grid(coefficients)


def _still(image: NDArray[np.float64], band: Band) -> NDArray[np.float64]:
    """The coefficients of a map that does not change over time, shape (K,)."""
    coefficients = np.zeros(band.count)
    is_still = band.frequencies[:-2].sum(axis=0) == 0
    vertical, horizontal = band.frequencies[-2:, is_still]
    coefficients[is_still] = of_cells(image, band.box[-2:])[vertical, horizontal]
    return coefficients


def _image(path: Path, screen: Screen) -> NDArray[np.float64]:
    """A map's values, none of them negative, of sum 1."""
    values = _array(path) if path.suffix.lower() == ".npy" else _picture(path)
    if not (np.isfinite(values).all() and values.min() >= 0 and values.sum() > 0):
        raise _bad(path, "values that are negative, not finite, or all 0", "a map of values of 0 and more")
    rows, columns = values.shape
    proportions = columns / rows / (screen.width_px / screen.height_px)
    if not abs(proportions - 1) <= _DISTORTED:
        raise _bad(
            path,
            f"{columns} × {rows} values",
            f"the proportions of the screen, {screen.width_px} × {screen.height_px}: a map covers all of it",
        )
    return np.asarray(values / values.sum())


def _array(path: Path) -> NDArray[np.float64]:
    with (
        opened(path, DataError, "map") as file,
        library_faults_as(_bad(path, "no array", "an array of NumPy, all of it")),
    ):
        shape, dtype, complete = array_head(file, os.fstat(file.fileno()).st_size)
        if not (
            len(shape) == 2 and 0 < math.prod(shape) <= _MOST_VALUES and dtype.kind in "biuf" and complete
        ):
            raise _bad(
                path,
                "another form of array, or another number of values than it declares",
                f"two axes, rows and columns, of {_MOST_VALUES} numbers at most, all of them in the file",
            )
        file.seek(0)
        return np.asarray(np.lib.format.read_array(file, allow_pickle=False), dtype=np.float64)


def _picture(path: Path) -> NDArray[np.float64]:
    try:
        with opened_picture(path, most_px=_MOST_PX) as image:
            if image.mode in {"L", "I", "F"} or image.mode.startswith("I;16"):
                return np.asarray(image, dtype=np.float64)
            colours = np.asarray(image.convert("RGB"))
    except PictureError as error:
        raise _bad(path, error.found, EXPECTED, error.remedy) from None
    if np.ptp(colours, axis=-1).max() > _COLOURLESS:
        raise _bad(path, "an image in colours", "a map in shades of grey, brighter where people look more")
    return np.asarray(colours.mean(axis=-1))


def _of_gaze(
    source: InputSpec, facts: Facts, parameters: SpectralParameters, where: str
) -> tuple[PublicMaps, Coefficients]:
    options = source.options
    gaze = load_gaze(
        source.source,
        columns=options["columns"],
        screen=Screen(**options["screen"]),
        stimuli=facts.names,
        missing=options["missing"],
        coordinates=Coordinates(options["coordinates"], options["origin"]),
        off_screen=options["off_screen"],
        chosen=source.chosen,
    )
    refuse_participants(gaze.identities, source, facts, noun="public gaze", where=where)
    totals, people = _mean_maps(gaze, replace(parameters, max_stimuli_per_person=len(parameters.stimuli)))
    lacking = [s for s, number in zip(parameters.stimuli, people, strict=True) if not number]
    if lacking:
        raise _lacking(lacking, f"{where} ({source.path.name})", "gaze of other people on each stimulus")
    return PublicMaps(digest_of(source.source), GAZE, gaze.people), on_grid(totals / people[:, None])


def _mean_maps(
    gaze: GazeData, parameters: SpectralParameters
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Sums of people's maps on every stimulus, shape (S, K), and how many there are, shape (S,)."""
    totals = np.zeros((len(parameters.stimuli), parameters.form.band.count))
    people = np.zeros(len(parameters.stimuli), dtype=np.int64)
    for block in people_maps(looks(gaze, parameters), parameters.form.band):
        np.add.at(totals, block.stimulus, block.coefficients)
        np.add.at(people, block.stimulus, 1)
    return totals, people


def _lacking(stimuli: Sequence[str], where: str, expected: str) -> PlanError:
    shown = ", ".join(f"'{stimulus}'" for stimulus in stimuli[:_MOST_SHOWN])
    more = f" and {len(stimuli) - _MOST_SHOWN} more" if len(stimuli) > _MOST_SHOWN else ""
    return PlanError(
        "no-public-map",
        "a stimulus has no public map",
        where=where,
        found=f"none of {shown}{more}",
        expected=expected,
        remedy='add the map, leave the stimulus out, or write prior = "centre"',
    )


def _bad(path: Path, found: str, expected: str, remedy: str = "correct or export the map again") -> DataError:
    return DataError(
        "bad-public-map",
        "a public map cannot be used",
        where=str(path),
        found=found,
        expected=expected,
        remedy=remedy,
    )
