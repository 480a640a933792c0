"""Synthetic trials of gaze in a release, some at a time, with what every file of them says: that they are synthetic, and what they are not."""

from __future__ import annotations

import gzip
import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import polars as pl

from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.dp.event import from_json
from synthrelease.errors import ArgumentError
from synthrelease.exports.options import number_of
from synthrelease.exports.readme import item
from synthrelease.exports.table_files import FORMULAS, begin_formulas
from synthrelease.exports.task import ExportTask
from synthrelease.kinds.registry import parameters_of
from synthrelease.kinds.synthetic_gaze import Rendering, SyntheticGaze, Trial
from synthrelease.numerics.gaze_samples import Samples
from synthrelease.reports.released import Released

FIXATION, SACCADE, BLINK = "fixation", "saccade", "blink"
_EVENTS = (SACCADE, FIXATION, BLINK)
_DISTANCE_M = 0.6  # of a screen whose distance is not declared
_DECIMALS = 2  # of positions in px
_TRIALS = 64  # that are text in memory at a time


@dataclass(frozen=True)
class GazeOutput:
    """An output with synthetic trials, of an open bundle."""

    task: ExportTask
    released: Released
    name: str
    gaze: SyntheticGaze

    @property
    def notice(self) -> str:
        """What every file of it says, on a line."""
        seeded = f"{TEST_SEED_WORDS}. " if self.task.test_seed else ""
        return seeded + self.gaze.notice

    @property
    def most_trials(self) -> int:
        """Trials of a stimulus, at most."""
        output = self.task.output(self.name)
        datasets = parameters_of(output).datasets(from_json(output["event"]))
        return next(dataset.item_shape[0] for dataset in datasets if dataset.path == self.gaze.path)

    def trials(self, stimulus: int) -> Iterator[Trial]:
        """Yield the trials on a stimulus, by its number; some of them are in memory at a time."""
        first = 0
        for block in self.released.blocks(self.name, self.gaze.path, (stimulus,)):
            yield from self.gaze.trials(stimulus, first, block)
            first += len(block)

    def batches(self, stimulus: int) -> Iterator[list[Trial]]:
        """Yield the trials on a stimulus, so many at a time."""
        trials = self.trials(stimulus)
        while batch := list(itertools.islice(trials, _TRIALS)):
            yield batch

    @property
    def rendering(self) -> Rendering:
        """How samples are rendered: as asked for, or by default."""
        options = self.task.options
        return Rendering(
            number_of(options, "hz"),
            number_of(options, "px_per_degree", self.gaze.px_per_degree),
            number_of(options, "blinks_per_minute"),
        )


@contextmanager
def opened_gaze(task: ExportTask) -> Iterator[list[GazeOutput]]:
    """Open a bundle, and yield its outputs with synthetic trials, in the order of the manifest; [] if there are none."""
    with Released(task.bundle.path, task.manifest) as released:
        known = {
            output["name"]: parameters_of(output).synthetic_gaze() for output in task.manifest["outputs"]
        }
        yield [GazeOutput(task, released, name, gaze) for name, gaze in known.items() if gaze is not None]


def refuse_no_gaze(task: ExportTask, outputs: Sequence[GazeOutput]) -> None:
    """Refuse a bundle without synthetic trials where something is asked of them.

    Raises:
        ArgumentError: there are none.
    """
    if not outputs:
        raise ArgumentError(
            "no-synthetic-gaze",
            "the release has no synthetic scanpaths, of which alone this can be made",
            where=str(task.bundle.path),
            found=f"outputs {', '.join(task.bundle.names)}",
            expected="an output of synthetic scanpaths (kind = 'scanpaths')",
            remedy="export to another form, such as csv, without options of samples",
        )


def label_warnings(outputs: Sequence[GazeOutput]) -> list[str]:
    """Return what readers of tables with the stimuli's names must know of these."""
    names = [name for output in outputs for name in output.gaze.stimuli]
    return [FORMULAS] if begin_formulas(pl.Series(names)) else []


def stimuli_of(outputs: Sequence[GazeOutput], what: str) -> Iterator[tuple[GazeOutput, int, str]]:
    """Yield every stimulus: its output, number and name; and say how far that is."""
    stimuli = [(output, number) for output in outputs for number in range(len(output.gaze.stimuli))]
    for done, (output, number) in enumerate(stimuli):
        label = output.gaze.stimuli[number]
        output.task.report_progress(f"{what} {label}", done, len(stimuli))
        yield output, number, label


@contextmanager
def packed(path: Path) -> Iterator[BinaryIO]:
    """Open a new file to write compressed: the same bytes for the same content."""
    with path.open("xb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        yield cast("BinaryIO", file)


def sample_frame(made: Samples, hz: float) -> pl.DataFrame:
    """Return samples as rows: time_ms, x_px, y_px (empty in a blink), event."""
    place = np.where(made.is_blink, _EVENTS.index(BLINK), made.is_fixation)
    x, y = (pl.Series(np.round(values, _DECIMALS), nan_to_null=True) for values in (made.x_px, made.y_px))
    events = pl.Series(_EVENTS, dtype=pl.String).gather(place.astype(np.int64))
    return pl.DataFrame({"time_ms": times(made.time_ms, hz), "x_px": x, "y_px": y, "event": events})


def times(time_ms: np.ndarray[Any, np.dtype[np.float64]], hz: float) -> pl.Series:
    """Return times in ms: whole where the interval of samples is, shape (N,)."""
    if (1000 / hz).is_integer():
        return pl.Series(np.rint(time_ms).astype(np.int64))
    return pl.Series(np.round(time_ms, 3))


@dataclass(frozen=True)
class ShownOn:
    """A screen as it is seen, by which a degree has the pixels of a rendering."""

    width_m: float
    height_m: float
    distance_m: float
    is_declared: bool  # and not a distance that is made up, and a size that follows


def shown_on(gaze: SyntheticGaze, px_per_degree: float) -> ShownOn:
    """Return the screen's size and distance, in metres.

    Args:
        gaze: its screen.
        px_per_degree: of the rendering.
    """
    screen = gaze.screen
    distance = _DISTANCE_M if screen.distance_mm is None else screen.distance_mm / 1000
    px_m = 2 * distance * math.tan(math.radians(0.5)) / px_per_degree
    is_declared = screen.pixels_per_degree is not None and math.isclose(
        screen.pixels_per_degree, px_per_degree
    )
    width, height = (round(side * px_m, 6) for side in (screen.width_px, screen.height_px))
    return ShownOn(width, height, distance, is_declared)


def contents_of(outputs: Sequence[GazeOutput], files: Sequence[str]) -> list[str]:
    """Return lines of a README: the files of outputs, and what each output guarantees."""
    lines: list[str] = []
    for output in outputs:
        parameters = parameters_of(output.task.output(output.name))
        lines += item(f"{output.name}: {parameters.summary()}")
    return lines + [line for file in files for line in item(file)]


def how_rendered(rendering: Rendering) -> str:
    """Return by what samples were rendered, in a sentence."""
    blinks = (
        f"{rendering.blinks_per_minute:g} blinks per minute" if rendering.blinks_per_minute else "no blinks"
    )
    return f"{rendering.hz:g} samples per second, {rendering.px_per_degree:.4g} px per degree, {blinks}"
