"""Gaze samples of a scanpath: fixational drift, skewed saccades, noise and blinks by public constants. Post-processing: no data is in it.

A saccade of A degrees takes 21 + 2.2·A ms (Carpenter 1988), and its velocity is that of a beta distribution whose time is warped so that it peaks early, at 0.45 of the duration; the peak
is about 1.875·A over the duration. Drift has an amplitude spectrum of 1/f (Duchowski et al. 2016, https://doi.org/10.1145/2857491.2857528). Noise is stated as a velocity:
of a position it falls with the rate, as otherwise it would drown slow movements at high ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from synthrelease.numerics.public_draws import PublicDraws

Numbers = NDArray[np.float64]

_SHAPE = 3.0  # of both parameters of the beta distribution
_PEAK = 0.45  # where in time a saccade is fastest
DRIFT_DEG, _NOISE_DEG, _NOISE_DEG_PER_S = 0.05, 0.02, 4.0  # standard deviations
_DRIFT_HZ = 100.0  # drift is no faster: with a spectrum up to any rate its velocity would grow with the rate
BLINK_MS = 150.0


@dataclass(frozen=True)
class Samples:
    """Samples of one scanpath, in pixels and milliseconds."""

    time_ms: Numbers  # shape (N,)
    x_px: Numbers  # NaN in a blink, shape (N,)
    y_px: Numbers  # shape (N,)
    is_fixation: NDArray[np.bool_]  # and not a saccade, shape (N,)
    number: NDArray[np.int64]  # of the fixation that began last, from 0, shape (N,)

    @property
    def is_blink(self) -> NDArray[np.bool_]:
        """Where there is no position, shape (N,)."""
        return np.isnan(self.x_px)


def samples(
    fixations: Numbers, *, hz: float, px_per_degree: float, blinks_per_minute: float, random: PublicDraws
) -> Samples:
    """Return samples of one scanpath, from the onset of its first fixation to the end of its last one.

    Args:
        fixations: x and y in pixels, onset and duration in milliseconds, shape (fixations, 4).
        hz: samples in a second.
        px_per_degree: pixels of a degree of visual angle.
        blinks_per_minute: on average, of 150 ms each, in which there is no position.
        random: public.
    """
    x, y, onset, duration = fixations.T
    time = onset[0] + np.arange(math.floor((onset[-1] + duration[-1] - onset[0]) * hz / 1000)) * (1000 / hz)
    number = np.searchsorted(onset, time, side="right") - 1
    is_fixation = time < (onset + duration)[number]
    at = np.stack([x[number], y[number]])
    at += px_per_degree * DRIFT_DEG * _drift(is_fixation, hz, random)
    for first, last in _runs_of(
        ~is_fixation
    ):  # a saccade leads from the last sample before it to the first one after it
        if last < time.size:
            ends = at[:, [first - 1, last]]
            share = _share((np.arange(first, last) - first + 1) / (last - first + 1))
            at[:, first:last] = ends[:, :1] + share * (ends[:, 1:] - ends[:, :1])
    at += px_per_degree * noise_deg(hz) * random.normal(at.shape)
    at[:, _blinks(time, blinks_per_minute, random)] = np.nan
    return Samples(time, at[0], at[1], is_fixation, number)


def noise_deg(hz: float) -> float:
    """Return the standard deviation of a position's noise, in degrees: that of a velocity at high rates, shape ()."""
    return min(_NOISE_DEG, _NOISE_DEG_PER_S * math.sqrt(2) / hz)


def _share(time: Numbers) -> Numbers:
    """The share of a saccade's amplitude that is done at shares of its duration."""
    warp = math.log(0.5) / math.log(_PEAK)
    return np.asarray(betainc(_SHAPE, _SHAPE, time**warp))


def _drift(is_fixation: NDArray[np.bool_], hz: float, random: PublicDraws) -> Numbers:
    """Noise with an amplitude spectrum of 1/f in every fixation, of unit standard deviation, on both axes, shape (2, N); 0 in saccades."""
    out = np.zeros((2, is_fixation.size))
    for first, last in _runs_of(is_fixation):
        count = last - first
        frequency = np.arange(1, max(count, 4) // 2 + 1)
        spectrum = np.zeros((2, frequency.size + 1), dtype=np.complex128)
        parts = random.normal((2, 2, frequency.size)) / frequency
        parts[..., frequency * hz > _DRIFT_HZ * max(count, 4)] = 0
        spectrum[:, 1:] = parts[0] + 1j * parts[1]
        drift = np.fft.irfft(spectrum, max(count, 4))[:, :count]
        drift -= drift.mean(axis=1, keepdims=True)
        out[:, first:last] = drift / np.maximum(drift.std(axis=1, keepdims=True), 1e-12)
    return out


def _runs_of(there: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return where something is there, shape (N,): numbers of the first place, and of the one after the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _blinks(time: Numbers, per_minute: float, random: PublicDraws) -> NDArray[np.bool_]:
    """Samples in a blink, which begin independently of one another, shape (N,)."""
    gone = np.zeros(time.size, dtype=np.bool_)
    if per_minute <= 0 or not time.size:
        return gone
    step = float(time[1] - time[0]) if time.size > 1 else 1.0
    begins = random.uniform(time.size) < per_minute * step / 60_000
    for start in time[begins]:
        gone |= (time >= start) & (time < start + BLINK_MS)
    return gone
