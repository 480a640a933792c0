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
from synthrelease.prepare.settings import NS_PER_S, Settings
from synthrelease.prepare.wordbooks import LENGTHS, with_words, wordbook

_LEAST_SEEN_FRACTION = 0.5


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
    all_windows = _windows(stretches, settings)
    kept = all_windows.filter(pl.col("seen") >= _LEAST_SEEN_FRACTION).drop("seen")
    small = pl.col("amplitude_deg") < settings.small_saccade_deg
    positive = pl.col("right_deg") > 0
    seconds = (pl.col("offset_ns") - pl.col("onset_ns")) / NS_PER_S
    of_fixations = [
        pl.len().alias("fixations"),
        *_spread(seconds, "fixation_duration", with_max=True),
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
        *_spread(pl.col("amplitude_deg"), "saccade_amplitude", with_max=True),
        *(feature for length in LENGTHS for feature in wordbook(length)),
    ]
    of_blinks = [
        pl.len().alias("blinks"),
        *_spread(pl.col("missing_ns") / NS_PER_S, "blink_duration"),
    ]
    for events, features_of in (
        (fixations, of_fixations),
        (with_words(saccades, settings.small_saccade_deg), of_saccades),
        (blinks, of_blinks),
    ):
        kept = kept.join(
            _in_windows(events, features_of, settings),
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
    return features.select("recording", "begin_ns", "end_ns", *named), all_windows.height - kept.height


def _spread(value: pl.Expr, name: str, *, with_max: bool = False) -> list[pl.Expr]:
    features = [value.mean().alias(f"{name}_mean"), value.var(ddof=0).alias(f"{name}_var")]
    return [*features, value.max().alias(f"{name}_max")] if with_max else features


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
        _ratio(saccades, fixations).alias("saccade_fixation_ratio"),
        *(_ratio(count, saccades).alias(f"{kind}_saccade_ratio") for kind, count in kinds.items()),
    ]


def _ratio(part: pl.Expr, whole: pl.Expr) -> pl.Expr:
    return pl.when(whole > 0).then(part / whole)


def _window_and_step_ns(settings: Settings) -> tuple[int, int]:
    return round(settings.window_s * NS_PER_S), round(settings.step_s * NS_PER_S)


def _windows(stretches: Stretches, settings: Settings) -> pl.DataFrame:
    """All windows that lie within their recording, with the share of each in which an eye was seen."""
    window_ns, step_ns = _window_and_step_ns(settings)
    samples = stretches.samples
    last_ns = np.zeros(samples.labels.height, dtype=np.int64)
    np.maximum.at(last_ns, samples.recording, samples.time_ns)
    last_ns[np.isnan(stretches.interval_ns)] = -1  # too short to have a rate
    number = np.maximum(0, (last_ns - window_ns) // step_ns + 1)
    recording = np.repeat(np.arange(len(last_ns)), number)
    number_in_recording = np.arange(recording.size) - np.repeat(np.cumsum(number) - number, number)
    begin_ns = number_in_recording * step_ns
    # On a clock that goes on from one recording to the next, two searches count the samples of a window.
    longest_ns = int(last_ns.max(initial=0)) + window_ns + 1
    clock_ns = stretches.time_ns + stretches.recording * longest_ns
    upto = [
        np.searchsorted(clock_ns, edge_ns + recording * longest_ns, side="right")
        for edge_ns in (begin_ns, begin_ns + window_ns)
    ]
    seen = (upto[1] - upto[0]) * stretches.interval_ns[recording] / window_ns
    return pl.DataFrame(
        {"recording": recording, "begin_ns": begin_ns, "end_ns": begin_ns + window_ns, "seen": seen},
        schema_overrides={"recording": pl.Int64, "begin_ns": pl.Int64, "end_ns": pl.Int64},
    )


def _in_windows(events: pl.DataFrame, features: list[pl.Expr], settings: Settings) -> pl.DataFrame:
    """The features of the events of every window in which any ended."""
    window_ns, step_ns = _window_and_step_ns(settings)
    # Windows begin at multiples of the step, the earliest of them long enough before the first event.
    before_ns = math.ceil(window_ns / step_ns) * step_ns
    grouped = events.sort("recording", "offset_ns", maintain_order=True).group_by_dynamic(
        "offset_ns",
        every=f"{step_ns}i",
        period=f"{window_ns}i",
        offset=f"-{before_ns}i",
        closed="right",
        label="left",
        group_by="recording",
    )
    return grouped.agg(features).rename({"offset_ns": "begin_ns"})
