"""Ground truth of heatmaps: where all participants looked, blurred as the release is, without noise, cap, clip or bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import GazeData
from synthrelease.dp.error_bounds import interval_deviations
from synthrelease.dp.event import Event, noise_of
from synthrelease.evaluation.arrays import Arrays
from synthrelease.evaluation.ground_truth.ground_truth import ComparedKind
from synthrelease.evaluation.metrics.maps import correlation, kl_divergence, mse, nss, similarity
from synthrelease.evaluation.result import Measure, Scores
from synthrelease.kinds.contributions import Sums
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.kinds.heatmap.expected import MARGIN
from synthrelease.kinds.heatmap.public_maps import Believed
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.kinds.mechanism import Collector
from synthrelease.kinds.stimuli import DURATION
from synthrelease.numerics.blur import blurred
from synthrelease.numerics.centre_bias import CENTRE, prior
from synthrelease.numerics.spectrum import band, middles, rendered
from synthrelease.reports.compared_maps import ComparedMap
from synthrelease.reports.map_axes import MapLegend
from synthrelease.reports.rasters import Map

UNCERTAINTY = "uncertainty"
MapMechanism = SpectralHeatmap | CellHeatmap

MEASURES = (
    Measure("CC", 1.0, "Pearson's correlation with the exact map; 0 is chance", margin=MARGIN),
    Measure("SIM", 1.0, "similarity: the proportion of attention that both maps have in the same places"),
    Measure("KL", 0.0, "Kullback–Leibler divergence from the exact map, in nats"),
    Measure(
        "NSS",
        math.inf,
        "how many standard deviations above its mean the map is where people looked; 0 is chance",
    ),
    Measure("MSE", 0.0, "mean squared error, in squared units of the map"),
)


@dataclass(frozen=True)
class MapTruth:
    """Attention maps of people, and what they are measured by."""

    output: MapMechanism  # with all its public parameters
    shares: Map  # of every stimulus, what is blurred to the true map, shape (S, …, rows, columns)
    points: NDArray[np.int64]  # how many samples fell on every cell, of the same shape
    noun: str = "stimulus"
    measures: tuple[Measure, ...] = MEASURES

    def of(self, released: Arrays) -> dict[str, Scores]:
        """Return the measures of every stimulus that has a heatmap and was looked at."""
        measured: dict[str, Scores] = {}
        for stimulus, shown in _heatmaps(released).items():
            number = self.output.parameters.stimuli.index(stimulus)
            if self.points[number].any():
                truth, fixations = self.truth(stimulus), self.points[number]
                measured[stimulus] = (
                    correlation(shown, truth),
                    similarity(shown, truth),
                    kl_divergence(shown, truth),
                    nss(shown, fixations),
                    mse(shown, truth),
                )
        return measured

    def without_data(self, released: Arrays) -> Mapping[str, Arrays]:
        """Return what people look at in photographs on the whole, an even map, and public maps if the release starts from them."""
        bias, maps = self._centre_bias(), _heatmaps(released)
        level = {stimulus: float(self.truth(stimulus).mean()) for stimulus in maps}
        baselines: dict[str, Arrays] = {
            "baseline: centre bias": {(s, "heatmap"): level[s] * bias for s in maps},
            "baseline: uniform map": {(s, "heatmap"): np.full(bias.shape, level[s]) for s in maps},
        }
        if isinstance(self.output, SpectralHeatmap) and self.output.public_maps is not None:
            public = dict(zip(self.output.parameters.stimuli, self.output.public_maps, strict=True))
            baselines["baseline: public maps"] = {
                (s, "heatmap"): level[s] * Believed.shown(self.output.parameters.form, public[s])
                for s in maps
            }
        return baselines

    def part_of(self, item: str) -> str:  # noqa: ARG002
        """Return that all items are judged together."""
        return ""

    def exhibits(self, released: Arrays, event: Event) -> Sequence[ComparedMap]:
        """Return for every stimulus the true map and the released one."""
        unit, noise = "relative fixation density (1 = uniform)", noise_of(event)
        if isinstance(self.output, CellHeatmap):
            unit = "counts" if self.output.parameters.people is None else "counts per participant"
        legend = MapLegend(self.output.parameters.screen, self.output.parameters.blur_px, unit)
        measured = self.of(released)
        half_widths = {
            labels[0]: interval_deviations(noise) * np.asarray(array, dtype=np.float64)
            for labels, array in released.items()
            if labels[-1] == UNCERTAINTY and noise is not None
        }
        return [
            ComparedMap(
                stimulus,
                self.truth(stimulus),
                shown,
                half_widths.get(stimulus),
                legend,
                window=_window(self.output),
                caption=", ".join(
                    f"{m.name} {value:.2f}"
                    for m, value in zip(MEASURES[:4], measured[stimulus], strict=False)
                ),
            )
            for stimulus, shown in _heatmaps(released).items()
            if stimulus in measured
        ]

    def truth(self, stimulus: str) -> Map:
        """Return the true map of a stimulus, in the unit of the release."""
        cells, output = self.shares[self.output.parameters.stimuli.index(stimulus)], self.output
        if isinstance(output, CellHeatmap):
            people = output.parameters.people or 1
            return self._blurred(cells / people)
        level = float(cells.mean())
        return self._blurred(cells / level if level > 0 else np.ones_like(cells))

    def _blurred(self, cells: Map) -> Map:
        screen, output = self.output.parameters.screen, self.output
        size = screen.width_px, screen.height_px
        if cells.ndim == 2:
            return blurred(cells, blur_px=output.parameters.blur_px, screen_px=size)
        assert isinstance(output, SpectralHeatmap)
        from scipy.fft import dct, idct  # noqa: PLC0415  where a map has time

        time = np.arange(cells.shape[0]) * math.pi * output.parameters.form.blurs[0]
        smooth = np.exp(-0.5 * time**2)[:, None, None] * dct(cells, axis=0, norm="ortho")
        frames = idct(smooth, axis=0, norm="ortho")
        return np.stack(
            [blurred(frame, blur_px=output.parameters.blur_px, screen_px=size) for frame in frames]
        )

    def _centre_bias(self) -> Map:
        cells = self.shares.shape[1:]
        screen, blur_px = self.output.parameters.screen, self.output.parameters.blur_px
        blurs = blur_px / screen.height_px, blur_px / screen.width_px
        kept = band(tuple(max(blur, 0.01) for blur in blurs), 1e-3)
        shown = rendered(
            prior(CENTRE, kept).mean * kept.attenuation, kept, [middles(side) for side in cells[-2:]]
        )
        return np.broadcast_to(np.maximum(shown, 0.0), cells).copy()


def truth_collector(output: MapMechanism) -> Collector:
    """Return what takes from people where they looked."""
    return partial(_dwell_sums, output=output)


def ground_truth(output: MapMechanism, collected: Sums, people: int) -> MapTruth:  # noqa: ARG001  as all kinds
    """Return what the output is compared with."""
    return MapTruth(output, collected["shares"].astype(np.float64), collected["points"])


def labels(output: MapMechanism) -> list[list[tuple[str, ...]]]:
    """Return the arrays that are judged, stimulus by stimulus."""
    datasets = ("heatmap", UNCERTAINTY) if isinstance(output, SpectralHeatmap) else ("heatmap",)
    return [[(stimulus, dataset) for dataset in datasets] for stimulus in output.parameters.stimuli]


MAPS = ComparedKind(truth_collector, ground_truth, labels, by_item=True)


def _dwell_sums(gaze: GazeData, *, output: MapMechanism) -> Sums:
    """Shares of dwell (or counts, as gaze maps have them) and samples on every cell of every stimulus."""
    place, used = _places(gaze, output)
    shape = (len(output.parameters.stimuli), *_cells(output))
    weight = np.ones(place.size)
    if isinstance(output, SpectralHeatmap):
        weight = _weights(gaze, output, used)
    shares: NDArray[Any] = np.bincount(place, weight, math.prod(shape))
    points: NDArray[Any] = np.bincount(place, minlength=math.prod(shape))
    return Sums({"shares": shares.reshape(shape), "points": points.reshape(shape)})


def _places(gaze: GazeData, output: MapMechanism) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cell among those of all stimuli of every row that counts, and which rows these are."""
    *frames, rows, columns = _cells(output)
    counts, window = np.ones(gaze.person.size, dtype=np.bool_), _window(output)
    if isinstance(output, SpectralHeatmap) and output.parameters.weight == DURATION:
        assert gaze.duration is not None
        counts &= gaze.duration > 0
    if window is not None:
        assert gaze.time is not None
        counts &= (gaze.time >= window[0]) & (gaze.time <= window[1])
    used = np.flatnonzero(counts)
    place = gaze.screen.cells(gaze.x_px[used], gaze.y_px[used], columns=columns, rows=rows)
    if window is not None:
        assert gaze.time is not None
        share = (gaze.time[used] - window[0]) / (window[1] - window[0])
        place += np.minimum((share * frames[0]).astype(np.int64), frames[0] - 1) * rows * columns
    return gaze.stimulus[used] * math.prod(_cells(output)) + place, used


def _weights(gaze: GazeData, output: SpectralHeatmap, used: NDArray[np.int64]) -> Map:
    """What each row counts: those of a person on a stimulus add up to 1."""
    weights = np.ones(used.size)
    if output.parameters.weight == DURATION:
        assert gaze.duration is not None
        weights = gaze.duration[used].astype(np.float64)
    group = gaze.person[used] * len(gaze.stimuli) + gaze.stimulus[used]
    _, place = np.unique(group, return_inverse=True)
    shares: Map = weights / np.bincount(place, weights)[place]
    return shares


def _cells(output: MapMechanism) -> tuple[int, ...]:
    if isinstance(output, SpectralHeatmap):
        return output.parameters.form.cells
    return output.parameters.rows, output.parameters.columns


def _window(output: MapMechanism) -> tuple[float, float] | None:
    return output.parameters.window if isinstance(output, SpectralHeatmap) else None


def _heatmaps(released: Arrays) -> dict[str, Map]:
    return {
        labels[0]: np.asarray(array, dtype=np.float64)
        for labels, array in released.items()
        if labels[-1] == "heatmap"
    }
