"""Features of windows: the 52 of MPIIDPEye (Steil et al. 2019), of fixations, saccades, blinks and wordbooks.

Window k of a recording is the time from k · step (not included) to k · step + length (included) after its first sample. An event belongs to the windows in
which it *ends*: then all of it is known, and of what comes after its window a row takes no more than the one or two samples that a velocity looks ahead, and
the recording's rate. A window that reaches beyond the recording's last sample is not made, nor is one in less than half of which an eye was seen (as in the
code of Hoppe et al. 2018).

Rates are per second of the window. A mean, a variance, a largest value or a share of no events is missing. Variances divide by the number.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from synthrelease.data.readers.mpii import FEATURES
from synthrelease.prepare.recordings import Stretches
from synthrelease.prepare.settings import Settings
from synthrelease.prepare.wordbooks import LENGTHS, with_words, wordbook

OF_PUPIL = "pupil_"
_LEAST_SEEN = 0.5
_NS_PER_S = 1e9


def windows_of(
    stretches: Stretches,
    fixations: pl.DataFrame,
    saccades: pl.DataFrame,
    blinks: pl.DataFrame,
    settings: Settings,
) -> tuple[pl.DataFrame, int]:
    """Return the features of windows, and how many windows were left out because too little was seen.

    Returns:
        a row for each window: recording, begin_ns, end_ns, and `FEATURES` in their order, without those of the pupil if fixations have none.
    """
    made = _windows(stretches, settings)
    kept = made.filter(pl.col("seen") >= _LEAST_SEEN).drop("seen")
    small = pl.col("amplitude_deg") < settings.small_saccade_deg
    positive = pl.col("right_deg") > 0
    seconds = (pl.col("offset_ns") - pl.col("onset_ns")) / _NS_PER_S
    of_fixations = [
        pl.len().alias("fixations"),
        *_spread(seconds, "fixation_duration", most=True),
        *_spread(pl.col("x_var"), "fixation_x_var"),
        *_spread(pl.col("y_var"), "fixation_y_var"),
    ]
    if "pupil_mean" in fixations.columns:
        of_fixations += _spread(pl.col("pupil_mean"), "pupil_diameter_mean")
        of_fixations += _spread(pl.col("pupil_var"), "pupil_diameter_var")
    of_saccades = [
        pl.len().alias("saccades"),
        small.sum().alias("small"),
        positive.sum().alias("positive"),
        *_spread(pl.col("amplitude_deg"), "saccade_amplitude", most=True),
        *(feature for length in LENGTHS for feature in wordbook(length)),
    ]
    of_blinks = [
        pl.len().alias("blinks"),
        *_spread(pl.col("missing_ns") / _NS_PER_S, "blink_duration"),
    ]
    for events, told in (
        (fixations, of_fixations),
        (with_words(saccades, settings.small_saccade_deg), of_saccades),
        (blinks, of_blinks),
    ):
        kept = kept.join(
            _in_windows(events, told, settings),
            on=["recording", "begin_ns"],
            how="left",
        )
    books = [name for name in FEATURES if name.startswith("wordbook")]
    # Where nothing ended in a window there is nothing to count.
    counted = kept.sort("recording", "begin_ns").with_columns(
        pl.col("fixations", "saccades", "small", "positive", "blinks", *books).fill_null(0)
    )
    features = counted.with_columns(_rates_and_ratios(settings.window_s))
    named = [name for name in FEATURES if name in features.columns]
    return features.select("recording", "begin_ns", "end_ns", *named), made.height - kept.height


def _spread(value: pl.Expr, name: str, *, most: bool = False) -> list[pl.Expr]:
    told = [value.mean().alias(f"{name}_mean"), value.var(ddof=0).alias(f"{name}_var")]
    return [*told, value.max().alias(f"{name}_max")] if most else told


def _rates_and_ratios(window_s: float) -> list[pl.Expr]:
    fixations, saccades, small, positive, blinks = (
        pl.col(name) for name in ("fixations", "saccades", "small", "positive", "blinks")
    )
    kinds = {
        "small": small,
        "large": saccades - small,
        "positive": positive,
        "negative": saccades - positive,
    }
    rates = {"fixation": fixations, "saccade": saccades, "blink": blinks} | {
        f"{kind}_saccade": count for kind, count in kinds.items()
    }
    return [
        *((count / window_s).alias(f"{name}_rate") for name, count in rates.items()),
        _share(saccades, fixations).alias("saccade_fixation_ratio"),
        *(_share(count, saccades).alias(f"{kind}_saccade_ratio") for kind, count in kinds.items()),
    ]


def _share(part: pl.Expr, whole: pl.Expr) -> pl.Expr:
    return pl.when(whole > 0).then(part / whole)


def _steps(settings: Settings) -> tuple[int, int]:
    return round(settings.window_s * _NS_PER_S), round(settings.step_s * _NS_PER_S)


def _windows(stretches: Stretches, settings: Settings) -> pl.DataFrame:
    """All windows that lie within their recording, with the share of each in which an eye was seen."""
    window, step = _steps(settings)
    samples = stretches.samples
    lasts = np.zeros(samples.labels.height, dtype=np.int64)
    np.maximum.at(lasts, samples.recording, samples.time_ns)
    lasts[np.isnan(stretches.interval_ns)] = -1  # too short to have a rate
    number = np.maximum(0, (lasts - window) // step + 1)
    recording = np.repeat(np.arange(len(lasts)), number)
    within = np.arange(recording.size) - np.repeat(np.cumsum(number) - number, number)
    begin = within * step
    # On a clock that goes on from one recording to the next, two searches count the samples of a window.
    longest = int(lasts.max(initial=0)) + window + 1
    clock = stretches.time_ns + stretches.recording * longest
    upto = [np.searchsorted(clock, at + recording * longest, side="right") for at in (begin, begin + window)]
    seen = (upto[1] - upto[0]) * stretches.interval_ns[recording] / window
    return pl.DataFrame(
        {"recording": recording, "begin_ns": begin, "end_ns": begin + window, "seen": seen},
        schema_overrides={"recording": pl.Int64, "begin_ns": pl.Int64, "end_ns": pl.Int64},
    )


def _in_windows(events: pl.DataFrame, told: list[pl.Expr], settings: Settings) -> pl.DataFrame:
    """What is told of the events of every window in which any ended."""
    window, step = _steps(settings)
    # Windows begin at multiples of the step, the earliest of them long enough before the first event.
    before = math.ceil(window / step) * step
    grouped = events.sort("recording", "offset_ns", maintain_order=True).group_by_dynamic(
        "offset_ns",
        every=f"{step}i",
        period=f"{window}i",
        offset=f"-{before}i",
        closed="right",
        label="left",
        group_by="recording",
    )
    return grouped.agg(told).rename({"offset_ns": "begin_ns"})
