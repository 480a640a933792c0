"""The tables that plans read next: fixations, saccades, or windows, with the labels of their recordings.

A recording of which nothing was found has one row, at time 0, without values: how many people there are, and who saw what, must not depend on what eyes did.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from synthrelease.prepare.events import blinks_of, fixations_of, motion_of, saccades_of
from synthrelease.prepare.recordings import Stretches, stretches_of
from synthrelease.prepare.samples import Samples
from synthrelease.prepare.settings import NS_PER_MS, NS_PER_S, Settings
from synthrelease.prepare.windows import windows_of

_TIMES = ("onset_ms", "duration_ms")
_SACCADE = (
    "amplitude_deg",
    "peak_velocity_deg_per_s",
    "x_start_px",
    "y_start_px",
    "x_end_px",
    "y_end_px",
)


def fixations(samples: Samples, settings: Settings | None = None) -> pl.DataFrame:
    """Return the fixations of every recording.

    Args:
        samples: of recordings.
        settings: thresholds.

    Returns:
        person, stimulus and what was kept; onset_ms since the recording's first sample; duration_ms from the first to the last sample; x_px,
        y_px, the mean of its positions; pupil_mean if there is a pupil.

    Raises:
        DataError: a recording has no steady rate, or is too slow.
        MachineError: pymovements is not installed.
    """
    return fixations_in(stretches_of(samples), settings or Settings()).frame


def saccades(samples: Samples, settings: Settings | None = None) -> pl.DataFrame:
    """Return the saccades of every recording.

    Args:
        samples: of recordings.
        settings: thresholds.

    Returns:
        person, stimulus and what was kept; onset_ms since the recording's first sample; duration_ms; amplitude_deg, the diagonal of what the
        saccade spans; peak_velocity_deg_per_s; x_start_px, y_start_px, x_end_px, y_end_px.

    Raises:
        DataError: a recording has no steady rate, or is too slow.
        MachineError: pymovements is not installed.
    """
    return saccades_in(stretches_of(samples), settings or Settings()).frame


def windows(samples: Samples, settings: Settings | None = None) -> pl.DataFrame:
    """Return the features of windows of every recording.

    Args:
        samples: of recordings.
        settings: thresholds and lengths.

    Returns:
        person, stimulus and what was kept; window_end_s since the recording's first sample; the features of `windows.windows_of`.

    Raises:
        DataError: a recording has no steady rate, or is too slow.
        MachineError: pymovements is not installed.
    """
    return windows_in(stretches_of(samples), settings or Settings()).frame


@dataclass(frozen=True)
class PreparedTable:
    """A table of some stretches."""

    frame: pl.DataFrame
    left_out: int = 0  # windows in less than half of which an eye was seen
    resting_ns: int | None = None  # how long all fixations are together; None where they were not looked for


def fixations_in(stretches: Stretches, settings: Settings) -> PreparedTable:
    """Return the fixations of stretches; else as `fixations`."""
    events = fixations_of(motion_of(stretches), settings)
    pupil = ["pupil_mean"] if "pupil_mean" in events.columns else []
    frame = _labelled(_timed(events), stretches.samples, [*_TIMES, "x_px", "y_px", *pupil])
    return PreparedTable(frame, resting_ns=_length(events))


def saccades_in(stretches: Stretches, settings: Settings) -> PreparedTable:
    """Return the saccades of stretches; else as `saccades`."""
    events = saccades_of(motion_of(stretches), settings)
    return PreparedTable(_labelled(_timed(events), stretches.samples, [*_TIMES, *_SACCADE]))


def windows_in(stretches: Stretches, settings: Settings) -> PreparedTable:
    """Return the features of windows; else as `windows`."""
    motion = motion_of(stretches)
    resting = fixations_of(motion, settings)
    features_of_windows, left_out = windows_of(
        stretches, resting, saccades_of(motion, settings), blinks_of(stretches), settings
    )
    timed = features_of_windows.with_columns(
        _divided(features_of_windows["end_ns"], NS_PER_S).alias("window_end_s")
    )
    features = [
        name for name in features_of_windows.columns if name not in ("recording", "begin_ns", "end_ns")
    ]
    frame = _labelled(timed, stretches.samples, ["window_end_s", *features])
    return PreparedTable(frame, left_out, _length(resting))


def _length(events: pl.DataFrame) -> int:
    return int((events["offset_ns"] - events["onset_ns"]).to_numpy().sum())


def _timed(events: pl.DataFrame) -> pl.DataFrame:
    onset, offset = events["onset_ns"], events["offset_ns"]
    return events.with_columns(
        _divided(onset, NS_PER_MS).alias("onset_ms"),
        _divided(offset - onset, NS_PER_MS).alias("duration_ms"),
    )


def _divided(nanoseconds: pl.Series, unit_ns: float) -> pl.Series:
    """In another unit, each as near as a number can be; polars multiplies by the reciprocal: 30.000000000000004 s."""
    return pl.Series(nanoseconds.to_numpy() / unit_ns)


def _labelled(rows: pl.DataFrame, samples: Samples, columns: list[str]) -> pl.DataFrame:
    """Rows with the labels of their recordings; the first of the columns is the time."""
    empty = np.setdiff1d(np.arange(samples.labels.height), rows["recording"].to_numpy())
    alone = pl.DataFrame({"recording": empty, columns[0]: np.zeros(empty.size)})
    every = pl.concat([rows.select("recording", *columns), alone], how="diagonal").sort(
        "recording", maintain_order=True
    )
    labels = samples.labels[every["recording"].to_numpy()]
    return pl.concat([labels, every.select(columns)], how="horizontal")
