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

SLOWEST_NS = 21e6  # 50 a second, and room for stamps that are rounded
_FASTEST_NS = 1e5  # ten thousand a second, which no eye tracker takes
_OFF, _MOST_OFF = 0.25, 0.1
_GAP = 1.5  # intervals
_FEWEST = 7  # samples of a recording that a rate can be told of
_MS, _ROUNDED_NS = 1_000_000, 1000


@dataclass(frozen=True)
class Stretches:
    """The samples with a position, cut where one is missing."""

    samples: Samples
    interval_ns: NDArray[
        np.float64
    ]  # between two samples of each recording, NaN where it has too few, shape (R,)
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
    interval = _intervals(samples)
    seen = np.flatnonzero(~np.isnan(samples.x_px) & ~np.isnan(interval[samples.recording]))
    recording, time = samples.recording[seen], samples.time_ns[seen]
    # Rows that are there without a position, rows that are not there at all, and another recording.
    apart = (np.diff(seen) > 1) | (np.diff(time) > _GAP * interval[recording[1:]]) | (np.diff(recording) != 0)
    stretch = np.concatenate([np.zeros(min(1, seen.size), dtype=np.int64), np.cumsum(apart)])
    return Stretches(samples, interval, seen, stretch)


def gaps_of(stretches: Stretches) -> pl.DataFrame:
    """Return where samples are missing between others of a recording.

    Returns:
        a row for each gap: recording; onset_ns, offset_ns of the samples around it; missing_ns, the time of the samples that are missing;
        away, whether an eye was seen off the screen meanwhile.
    """
    recording, time, seen = stretches.recording, stretches.time_ns, stretches.seen
    last = np.flatnonzero((np.diff(stretches.stretch) > 0) & (np.diff(recording) == 0))
    off = np.concatenate([[0], np.cumsum(stretches.samples.away)])
    return pl.DataFrame(
        {
            "recording": recording[last],
            "onset_ns": time[last],
            "offset_ns": time[last + 1],
            "missing_ns": time[last + 1]
            - time[last]
            - np.rint(stretches.interval_ns[recording[last]]).astype(np.int64),
            "away": off[seen[last + 1]] > off[seen[last]],
        }
    )


def _intervals(samples: Samples) -> NDArray[np.float64]:
    """The mean of the steady intervals of every recording, NaN where it has too few samples."""
    count = samples.labels.height
    begins = np.searchsorted(samples.recording, np.arange(count))
    same = np.diff(samples.recording) == 0
    of, step = samples.recording[1:][same], np.diff(samples.time_ns)[same]
    # Stamps in whole milliseconds round what they stamp; those of other units are taken as they are.
    rest = np.abs((samples.time_ns + _MS // 2) % _MS - _MS // 2)
    coarse = np.bincount(samples.recording, rest > _ROUNDED_NS, count) == 0
    enough = np.bincount(samples.recording, minlength=count) >= _FEWEST
    median = np.full(count, np.nan)
    middle = pl.DataFrame({"of": of, "step": step}).group_by("of").agg(pl.col("step").median())
    median[middle["of"].to_numpy()] = middle["step"].to_numpy()
    allowed = np.maximum(_OFF * median, np.where(coarse, _MS, 0))
    steady = np.abs(step - median[of]) <= allowed[of]
    good = np.bincount(of, steady, count)
    mean = np.bincount(of, step * steady, count) / np.maximum(good, 1)
    off = 1 - good / np.maximum(np.bincount(of, minlength=count), 1)
    _refuse(samples, begins[enough & (median > SLOWEST_NS)], _SLOW)
    _refuse(samples, begins[enough & (median < _FASTEST_NS)], _FAST)
    _refuse(samples, begins[enough & (off > _MOST_OFF)], _UNSTEADY)
    return np.where(enough, mean, np.nan)


# Code, problem, and what was found, was expected and is to be done.
_SLOW = (
    "recording-too-slow",
    "a recording is too slow to tell saccades by their velocity",
    "samples more than 20 ms apart",
    "at least 50 a second: saccades last 20 to 40 ms",
    "say --time-unit if stamps are not in ms; let the tracker's own software find the events; or keep the column that tells recordings apart",
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
    "export the samples with the tracker's own stamps; keep the column that tells a person's recordings apart; or leave this one out",
)


def _refuse(samples: Samples, begins: NDArray[np.int64], refusal: tuple[str, str, str, str, str]) -> None:
    if begins.size:
        more = f" (and {begins.size - 1} more)" if begins.size > 1 else ""
        where = f"{samples.where(int(begins[0]))}, where the recording begins{more}"
        code, problem, found, expected, remedy = refusal
        raise DataError(code, problem, where=where, found=found, expected=expected, remedy=remedy)
