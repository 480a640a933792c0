"""Fixations and saccades by their velocity, through pymovements, and blinks by what is missing.

pymovements' `ivt` (Salvucci & Goldberg 2000) and `microsaccades` (Engbert & Kliegl 2003) share one velocity here, and one fixed threshold
in place of the latter's adaptive one: a sample is in a fixation below it, in a saccade above it. All stretches go through the library at once,
with a sample without a position between each two. So the velocity next to a gap is not known, and no event begins or ends there.

The velocity is `pos2vel`'s "smooth", of five samples, where these lie within 20 ms (200 a second and more), and "neighbors", of three, at slower
rates, where five would smear a saccade over several times its length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from synthrelease.data.readers.eyelink import import_pymovements
from synthrelease.data.screen import Screen
from synthrelease.prepare.recordings import Stretches, gaps_of
from synthrelease.prepare.settings import NS_PER_MS, Settings

BLINK_MS = (50, 500)  # Nyström et al. 2024, as pymovements has it, too
_SMOOTH_NS = 5e6  # between two samples, at most: five lie within 20 ms
_ROUNDED_NS = 1000  # by which a stamp may be off
_PADDING_ROWS = 3  # rows before and after all stretches: more than a velocity takes on one side, and enough for one of no samples


@dataclass(frozen=True)
class Motion:
    """How eyes moved, with rows in which no eye was seen before, between and after the stretches."""

    stretches: Stretches
    rows: NDArray[np.int64]  # of the samples seen, among all rows here, shape (M,)
    # of all rows; increases over all recordings, 0 where no eye was seen, shape (A,)
    clock_ns: NDArray[np.int64]
    # of the samples seen, from the middle to the right and down, shape (M, 2)
    position_deg: NDArray[np.float64]
    velocity_deg_per_s: NDArray[np.float64]  # of all rows, NaN where it is not known, shape (A, 2)


def motion_of(stretches: Stretches) -> Motion:
    """Return positions in degrees of visual angle, and their velocities.

    Raises:
        MachineError: pymovements is not installed.
    """
    library = _library()
    samples, seen = stretches.samples, stretches.seen
    rows = np.arange(seen.size) + stretches.stretch + _PADDING_ROWS
    count = seen.size + int(stretches.stretch[-1:].sum()) + 2 * _PADDING_ROWS
    position_px = np.column_stack([samples.x_px[seen], samples.y_px[seen]])
    position_deg = _degrees(library, position_px, samples.screen)
    padded_deg = np.full((count, 2), np.nan)
    padded_deg[rows] = position_deg
    interval_ns = np.full(count, np.nan)
    interval_ns[rows] = stretches.interval_ns[stretches.recording]
    pos2vel = library.transforms.numpy.pos2vel
    smooth, neighbours = (
        pos2vel(padded_deg, sampling_rate=1, method=method) for method in ("smooth", "neighbors")
    )
    # Rows between stretches have no interval, and so no velocity, whatever is on both sides of them.
    velocity_deg_per_s = (
        np.where(interval_ns[:, None] <= _SMOOTH_NS, smooth, neighbours) * (1e9 / interval_ns)[:, None]
    )
    clock_ns = np.zeros(count, dtype=np.int64)
    clock_ns[rows] = _over_all_recordings(stretches)
    return Motion(stretches, rows, clock_ns, position_deg, velocity_deg_per_s)


def fixations_of(motion: Motion, settings: Settings) -> pl.DataFrame:
    """Return fixations.

    Returns:
        a row for each: recording; onset_ns, offset_ns of its first and last sample since the recording's first; x_px, y_px, the mean of its
        positions; x_var, y_var in squared degrees; pupil_mean, pupil_var if there is a pupil, of samples that have one. Variances divide
        by the number of samples.
    """
    library = _library()
    detected = library.events.ivt(
        motion.velocity_deg_per_s,
        timesteps=motion.clock_ns,
        minimum_duration=_least(settings.minimum_fixation_ms),
        velocity_threshold=settings.velocity_deg_per_s,
    )
    events, members = _located(motion, detected)
    samples = motion.stretches.samples
    sample = members["sample"].to_numpy()
    seen_sample, position_deg = motion.stretches.seen[sample], motion.position_deg[sample]
    frame = members.select(
        "event",
        pl.concat_list(
            pl.Series("x", samples.x_px[seen_sample]), pl.Series("y", samples.y_px[seen_sample])
        ).alias("pixel"),
        pl.Series("x_deg", position_deg[:, 0]),
        pl.Series("y_deg", position_deg[:, 1]),
        *([] if samples.pupil is None else [pl.Series("pupil", samples.pupil[seen_sample]).fill_nan(None)]),
    )
    location = library.measure.SampleMeasureLibrary.get("location")
    pupil = [pl.col("pupil").mean().alias("pupil_mean"), pl.col("pupil").var(ddof=0).alias("pupil_var")]
    measured = frame.group_by("event", maintain_order=True).agg(
        location(position_column="pixel"),
        pl.col("x_deg").var(ddof=0).alias("x_var"),
        pl.col("y_deg").var(ddof=0).alias("y_var"),
        *([] if samples.pupil is None else pupil),
    )
    placed = measured.with_columns(
        pl.col("location").list.get(0).alias("x_px"), pl.col("location").list.get(1).alias("y_px")
    )
    return events.hstack(placed.drop("event", "location"))


def saccades_of(motion: Motion, settings: Settings) -> pl.DataFrame:
    """Return saccades.

    Returns:
        a row for each: recording, onset_ns, offset_ns; amplitude_deg, the diagonal of what it spans, and peak_velocity_deg_per_s, as
        pymovements has them; positions in pixels where it begins and ends; right_deg, up_deg, how far it goes from there to there.
    """
    library = _library()
    detected = library.events.microsaccades(
        motion.velocity_deg_per_s,
        timesteps=motion.clock_ns,
        minimum_duration=_least(settings.minimum_saccade_ms),
        threshold=(settings.velocity_deg_per_s, settings.velocity_deg_per_s),
        threshold_factor=1,  # which the library applies to a threshold that is given, too
    )
    events, members = _located(motion, detected)
    samples, sample = motion.stretches.samples, members["sample"].to_numpy()
    seen_sample, position_deg = motion.stretches.seen[sample], motion.position_deg[sample]
    velocity_deg_per_s = motion.velocity_deg_per_s[motion.rows[sample]]
    frame = members.select(
        "event",
        *(
            pl.concat_list(pl.Series("x", pair[:, 0]), pl.Series("y", pair[:, 1])).alias(name)
            for name, pair in (("position", position_deg), ("velocity", velocity_deg_per_s))
        ),
        pl.Series("x_px", samples.x_px[seen_sample]),
        pl.Series("y_px", samples.y_px[seen_sample]),
        pl.Series("x_deg", position_deg[:, 0]),
        pl.Series("y_deg", position_deg[:, 1]),
    )
    measures = library.measure.SampleMeasureLibrary
    measured = frame.group_by("event", maintain_order=True).agg(
        measures.get("amplitude")().alias("amplitude_deg"),
        measures.get("peak_velocity")().alias("peak_velocity_deg_per_s"),
        pl.col("x_px").first().alias("x_start_px"),
        pl.col("y_px").first().alias("y_start_px"),
        pl.col("x_px").last().alias("x_end_px"),
        pl.col("y_px").last().alias("y_end_px"),
        (pl.col("x_deg").last() - pl.col("x_deg").first()).alias("right_deg"),
        (pl.col("y_deg").first() - pl.col("y_deg").last()).alias("up_deg"),
    )
    return events.hstack(measured.drop("event"))


def blinks_of(stretches: Stretches) -> pl.DataFrame:
    """Return gaps of 50 to 500 ms between samples with a position, none of them off the screen meanwhile.

    pymovements finds blinks by the pupil, with a threshold that it takes from the changes of the recording: of a pupil in coarse steps that is 0, and
    every step a blink. Gaps need no pupil, and a pupil that is asked for changes no blink.

    Returns:
        a row for each: recording, onset_ns, offset_ns of the samples around it, missing_ns.
    """
    low, high = (bound * NS_PER_MS for bound in BLINK_MS)
    long = pl.col("missing_ns").is_between(low - _ROUNDED_NS, high + _ROUNDED_NS)
    return gaps_of(stretches).filter(long & ~pl.col("away")).drop("away")


def _library() -> Any:
    return import_pymovements("finds events in samples")


def _least(minimum_ms: float) -> int:
    return max(0, round(minimum_ms * NS_PER_MS) - _ROUNDED_NS)


def _degrees(library: Any, position_px: NDArray[np.float64], screen: Screen) -> NDArray[np.float64]:
    """Degrees from the middle of the screen along each axis; pixels are as high as they are wide, as `Coordinates` has it."""
    assert screen.width_mm is not None
    assert screen.distance_mm is not None
    width_cm = screen.width_mm / 10
    degrees: NDArray[np.float64] = library.transforms.numpy.pix2deg(
        position_px - [screen.width_px / 2, screen.height_px / 2],
        screen_px=(screen.width_px, screen.height_px),
        screen_cm=(width_cm, width_cm * screen.height_px / screen.width_px),
        distance_cm=screen.distance_mm / 10,
        origin="center",
    )
    return degrees


def _over_all_recordings(stretches: Stretches) -> NDArray[np.int64]:
    """Times that go on from one recording to the next, so that its time identifies the recording of an event."""
    recording, time_ns = stretches.recording, stretches.time_ns
    last_ns = np.zeros(stretches.samples.labels.height + 1, dtype=np.int64)
    np.maximum.at(last_ns, recording + 1, time_ns + 1)
    return time_ns + np.cumsum(last_ns)[recording]


def _located(motion: Motion, detected: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The events with recording and times, and the samples inside of each, with its event's number."""
    stretches = motion.stretches
    first, last = (
        np.searchsorted(motion.clock_ns[motion.rows], detected.frame[side].cast(pl.Int64).to_numpy())
        for side in ("onset", "offset")
    )
    count = last - first + 1
    sample = np.repeat(first - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
    time_ns = stretches.time_ns
    events = pl.DataFrame(
        {
            "recording": stretches.recording[first],
            "onset_ns": time_ns[first],
            "offset_ns": time_ns[last],
        }
    )
    return events, pl.DataFrame({"event": np.repeat(np.arange(len(first)), count), "sample": sample})
