"""Recordings cut into stretches: runs of samples at a steady rate, none missing between them.

A velocity is a distance over the time between samples. Libraries take that time from the sampling rate, so a rate there must be: it is
measured, recording by recording, and what has none is refused. Nothing is put in where samples are missing; a gap ends a stretch.

Limits, all of them ours:

* At least 50 samples a second. A saccade of 1 to 10° lasts about 20 to 40 ms (2.2 ms a degree and 21 ms: Carpenter 1988, Movements of the
  Eyes). Where samples are further apart than that, most saccades lie between two of them, and what is compared with the threshold is a
  mean over saccade and rest.
* At most a tenth of the intervals differ by more than a quarter from the recording's median (or by the resolution of its stamps, if that is
  coarser). An interval that is off by a quarter puts a velocity off by as much: of a threshold of 30 °/s it makes 24 to 40.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.errors import DataError
from synthrelease.prepare.samples import Samples
from synthrelease.prepare.settings import NS_PER_MS

SLOWEST_NS = 21e6  # 50 a second, and room for stamps that are rounded
_FASTEST_NS = 1e5  # ten thousand a second, which no eye tracker takes
_TOLERANCE, _MOST_UNSTEADY = 0.25, 0.1
_GAP_INTERVALS = 1.5
_FEWEST_SAMPLES = 7  # samples of a recording with a rate
_NS_PER_MS, _ROUNDED_NS = int(NS_PER_MS), 1000


@dataclass(frozen=True)
class Stretches:
    """The samples with a position, cut where one is missing."""

    samples: Samples
    # between two samples of each recording, NaN where it has too few, shape (R,)
    interval_ns: NDArray[np.float64]
    seen: NDArray[np.int64]  # samples with a position, of recordings with a rate, increasing, shape (M,)
    stretch: NDArray[np.int64]  # number of the stretch that each of these is in, not decreasing, shape (M,)

    @property
    def recording(self) -> NDArray[np.int64]:
        """Number of the recording of every sample seen, shape (M,)."""
        return self.samples.recording[self.seen]

    @property
    def time_ns(self) -> NDArray[np.int64]:
        """When each was taken, since its recording's first sample, shape (M,)."""
        return self.samples.time_ns[self.seen]

    @property
    def seen_ns(self) -> int:
        """How long all stretches are together."""
        return int(np.diff(self.time_ns)[np.diff(self.stretch) == 0].sum())


def stretches_of(samples: Samples) -> Stretches:
    """Return the stretches of recordings.

    Raises:
        DataError: a recording is too slow, or has no steady rate; the message says where it begins, and not whose it is.
    """
    interval_ns = _intervals(samples)
    seen = np.flatnonzero(~np.isnan(samples.x_px) & ~np.isnan(interval_ns[samples.recording]))
    recording, time_ns = samples.recording[seen], samples.time_ns[seen]
    # Rows that are there without a position, rows that are not there at all, and another recording.
    is_cut = (
        (np.diff(seen) > 1)
        | (np.diff(time_ns) > _GAP_INTERVALS * interval_ns[recording[1:]])
        | (np.diff(recording) != 0)
    )
    stretch = np.concatenate([np.zeros(min(1, seen.size), dtype=np.int64), np.cumsum(is_cut)])
    return Stretches(samples, interval_ns, seen, stretch)


def gaps_of(stretches: Stretches) -> pl.DataFrame:
    """Return where samples are missing between others of a recording.

    Returns:
        a row for each gap: recording; onset_ns, offset_ns of the samples around it; missing_ns, the time of the samples that are missing;
        away, whether an eye was seen off the screen meanwhile.
    """
    recording, time_ns, seen = stretches.recording, stretches.time_ns, stretches.seen
    before = np.flatnonzero((np.diff(stretches.stretch) > 0) & (np.diff(recording) == 0))
    away_before = np.concatenate([[0], np.cumsum(stretches.samples.away)])
    return pl.DataFrame(
        {
            "recording": recording[before],
            "onset_ns": time_ns[before],
            "offset_ns": time_ns[before + 1],
            "missing_ns": time_ns[before + 1]
            - time_ns[before]
            - np.rint(stretches.interval_ns[recording[before]]).astype(np.int64),
            "away": away_before[seen[before + 1]] > away_before[seen[before]],
        }
    )


def _intervals(samples: Samples) -> NDArray[np.float64]:
    """The mean of the steady intervals of every recording, NaN where it has too few samples."""
    count = samples.labels.height
    first_sample = np.searchsorted(samples.recording, np.arange(count))
    same = np.diff(samples.recording) == 0
    recording, step_ns = samples.recording[1:][same], np.diff(samples.time_ns)[same]
    # Stamps in whole milliseconds round what they stamp; those of other units are taken as they are.
    off_grid_ns = np.abs((samples.time_ns + _NS_PER_MS // 2) % _NS_PER_MS - _NS_PER_MS // 2)
    coarse = np.bincount(samples.recording, off_grid_ns > _ROUNDED_NS, count) == 0
    enough = np.bincount(samples.recording, minlength=count) >= _FEWEST_SAMPLES
    median_ns = np.full(count, np.nan)
    medians = pl.DataFrame({"of": recording, "step": step_ns}).group_by("of").agg(pl.col("step").median())
    median_ns[medians["of"].to_numpy()] = medians["step"].to_numpy()
    allowed_ns = np.maximum(_TOLERANCE * median_ns, np.where(coarse, _NS_PER_MS, 0))
    steady = np.abs(step_ns - median_ns[recording]) <= allowed_ns[recording]
    steady_count = np.bincount(recording, steady, count)
    mean_ns = np.bincount(recording, step_ns * steady, count) / np.maximum(steady_count, 1)
    unsteady = 1 - steady_count / np.maximum(np.bincount(recording, minlength=count), 1)
    _refuse(samples, first_sample[enough & (median_ns > SLOWEST_NS)], _SLOW)
    _refuse(samples, first_sample[enough & (median_ns < _FASTEST_NS)], _FAST)
    _refuse(samples, first_sample[enough & (unsteady > _MOST_UNSTEADY)], _UNSTEADY)
    return np.where(enough, mean_ns, np.nan)


# Code, problem, and what was found, was expected and is to be done.
_SLOW = (
    "recording-too-slow",
    "a recording is too slow to detect saccades by their velocity",
    "samples more than 20 ms apart",
    "at least 50 a second: saccades last 20 to 40 ms",
    "say --time-unit if stamps are not in ms; let the tracker's own software find the events; or keep the column that distinguishes recordings",
)
_FAST = (
    "recording-too-fast",
    "a recording is faster than any eye tracker",
    "samples less than 0.1 ms apart",
    "at most 10 000 a second",
    "say what the time stamps are: --time-unit",
)
_UNSTEADY = (
    "no-steady-rate",
    "a recording has no steady rate",
    "more than a tenth of the intervals are off by more than a quarter",
    "samples at a steady rate, except where some are missing",
    "export the samples with the tracker's own stamps; keep the column that distinguishes a person's recordings; or leave this one out",
)


def _refuse(
    samples: Samples, first_samples: NDArray[np.int64], refusal: tuple[str, str, str, str, str]
) -> None:
    if first_samples.size:
        more = f" (and {first_samples.size - 1} more)" if first_samples.size > 1 else ""
        where = f"{samples.where(int(first_samples[0]))}, where the recording begins{more}"
        code, problem, content, expected, remedy = refusal
        raise DataError(code, problem, where=where, found=content, expected=expected, remedy=remedy)
