"""Private heatmaps by noise on cosine coefficients: only what remains after the blur gets noise.

Claim: `spectral.proof.md`. Not from a paper: a factorisation of blur ∘ mean into coefficients that are released and a
public function of them (in the sense of Li et al. 2015, https://doi.org/10.1007/s00778-015-0398-x).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.data.gaze import GazeData
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.screen import BLUR_SHARE, Screen
from synthrelease.dp.budget import GAUSSIAN, Budget
from synthrelease.errors import PlanError
from synthrelease.kinds.contributions import Sums
from synthrelease.kinds.dataset import Array
from synthrelease.kinds.heatmap.accuracy import HeatmapMechanism
from synthrelease.kinds.heatmap.expected import Viewing, spectral_correlation
from synthrelease.kinds.heatmap.map_reading import read_maps
from synthrelease.kinds.heatmap.map_sums import contributions
from synthrelease.kinds.heatmap.public import SpectralParameters
from synthrelease.kinds.heatmap.public_maps import MAPS, PUBLIC_MAP
from synthrelease.kinds.heatmap.request import HeatmapRequest
from synthrelease.kinds.measured import measured_rows
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import require_duration
from synthrelease.kinds.stimuli import DURATION
from synthrelease.numerics.spectral import MOST_CELLS, SpectralForm

_TIME_BLUR_SHARE = 0.1  # of the window
_CELLS_PER_BLUR = 4  # σ of the blur: finer cells would show nothing more
_MOST_COEFFICIENTS = 50_000_000  # of all stimuli together: their sums must fit into memory
_MOST_FRAMES = 10_000


@dataclass(frozen=True, kw_only=True)
class SpectralHeatmap(HeatmapMechanism[SpectralParameters]):
    """Coefficients of people's maps, clipped to a ball, with Gaussian noise."""

    public_maps: NDArray[np.int32] | None = None  # coefficients in steps, shape (S, K)

    @classmethod
    def of(cls, request: HeatmapRequest, name: str) -> SpectralHeatmap:
        """Return the mechanism that a plan asks for.

        Raises:
            PlanError: parameters contradict each other or the input.
        """
        parameters, public_maps = _parameters(request, name), None
        if parameters.prior == MAPS:
            maps, public_maps = read_maps(request.spec, request.source, request.facts, parameters)
            parameters = replace(parameters, maps=maps)
        return cls(
            parameters=parameters,
            neighbours=request.neighbours,
            noise=GAUSSIAN,
            public_maps=public_maps,
        )

    def collect(self, data: GazeData) -> Sums:
        """Return what some people contribute."""
        return Sums({"noisy": contributions(data, self.parameters)})

    def measured(self, data: GazeData) -> dict[str, int]:
        """Return how many rows are of any use."""
        p = self.parameters
        return measured_rows(data, weighted=p.weight == DURATION, window=p.window)

    @property
    def public_arrays(self) -> Mapping[str, Array]:
        """The public maps, if heatmaps start from any."""
        return {} if self.public_maps is None else {PUBLIC_MAP: self.public_maps}

    def correlation(self, viewing: Viewing, budget: Budget, people: float) -> float:
        """Return the correlation to expect with the exact map, with so many people on every stimulus."""
        deviation = self.calibrated_noise(budget).standard_deviation
        return spectral_correlation(self.parameters, viewing, deviation=deviation, people=people)


def _parameters(request: HeatmapRequest, name: str) -> SpectralParameters:
    spec, source, screen, blur_px = request.spec, request.source, request.screen, request.blur_px
    o = spec.options
    window = _window(spec, source)
    blurs: tuple[float, ...] = (blur_px / screen.height_px, blur_px / screen.width_px)
    if window is not None:
        blurs = (_blur_time(spec, window) / (window[1] - window[0]), *blurs)
    try:
        form = SpectralForm(
            blurs,
            _resolution(spec, screen, blurs),
            float(o["exponent"]),
            float(o["clip"]),
        )
    except (ValueError, ArithmeticError):
        raise PlanError(
            "bad-blur",
            "the blur is too small or too large for this screen",
            where=spec.where,
            found=f"blur_px = {blur_px:g} on {screen.width_px} × {screen.height_px} px"
            + ("" if window is None else f", blur_time of {blurs[0]:.3g} windows"),
            expected=f"a blur that a map can show: more than a few thousandths of the screen, less than half of it; at most {MOST_CELLS} cells",
            remedy=f"check the screen; blur_px is about 1 degree of visual angle (default {BLUR_SHARE * screen.width_px:.2g}); "
            'mechanism = "gaussian" needs no blur',
        ) from None
    _check_size(request, form)
    require_duration(spec, source, "samples")
    *frames, rows, columns = form.cells
    return SpectralParameters(
        name=name,
        **request.common,
        viewers=request.viewers,
        rows=rows,
        columns=columns,
        frames=frames[0] if frames else None,
        window=window,
        blur_time=None if window is None else _blur_time(spec, window),
        exponent=form.exponent,
        clip=form.clip,
        clipping=o["clipping"],
        weight=o["weight"],
        prior=_prior(spec),
    )


def _prior(spec: OutputSpec) -> str:
    prior: str = spec.options["prior"]
    if (prior == MAPS) != ("maps" in spec.options):
        raise PlanError(
            "no-maps" if prior == MAPS else "maps-not-asked-for",
            f'prior = "{prior}", '
            + ("but the plan names no maps" if prior == MAPS else "but the plan names public maps"),
            where=f"{spec.where}.prior",
            expected='prior = "maps" with maps = "FOLDER" of images, or a table of the gaze of other people',
            remedy="name the maps" if prior == MAPS else 'write prior = "maps", or leave the maps out',
        )
    return prior


def _resolution(spec: OutputSpec, screen: Screen, blurs: tuple[float, ...]) -> tuple[int, ...]:
    """Of the published map: as the plan says, else so many for each σ of the blur, but no more than pixels."""
    o = spec.options
    rows, columns = (
        min(side, math.ceil(_CELLS_PER_BLUR / blur))
        for side, blur in zip((screen.height_px, screen.width_px), blurs[-2:], strict=True)
    )
    cells = (o.get("height_px", rows), o.get("width_px", columns))
    if "window" not in o:
        return cells
    return (o.get("frames", min(_MOST_FRAMES, math.ceil(_CELLS_PER_BLUR / blurs[0]))), *cells)


def _check_size(request: HeatmapRequest, form: SpectralForm) -> None:
    """Refuse what could not be computed for some people: whether it can must not depend on who they are."""
    together = request.max_stimuli if request.spec.options["clipping"] == "joint" else 1
    # All cosines √2, rounded.
    largest = math.ceil(1.01 * 2 ** (len(form.blurs) / 2) * float(form.steps().max())) + 1
    if largest**2 * form.band.count * together >= 2**62:
        raise PlanError(
            "clip-too-small",
            "the clip is so small that squares of a person's coefficients would leave 64 bits",
            where=request.spec.where,
            found=f"clip = {form.clip:g}",
            expected="a larger clip; 0.35 suits most data",
            remedy="raise the clip",
        )
    count = form.band.count * len(request.facts.names)
    if count > _MOST_COEFFICIENTS:
        raise PlanError(
            "too-many-coefficients",
            "the coefficients of all stimuli together are too many",
            where=request.spec.where,
            found=str(count),
            expected=f"at most {_MOST_COEFFICIENTS}",
            remedy="blur more, or release the stimuli in several outputs",
        )


def _window(spec: OutputSpec, source: InputSpec) -> tuple[float, float] | None:
    o = spec.options
    if "window" not in o:
        for key in ("blur_time", "frames"):
            if key in o:
                raise PlanError(
                    "key-needs-window",
                    f"'{key}' is for a dynamic map, but the output has no window",
                    where=spec.where,
                    expected="window = [start, end], in the unit of the column `time`",
                    remedy="add the window, or leave the key out",
                )
        return None
    start, end = map(float, o["window"])
    if not (start < end and math.isfinite(end - start) and end - start > 1e-300):
        raise PlanError(
            "bad-window",
            "the window is no span of time",
            where=spec.where,
            found=f"[{start:g}, {end:g}]",
            expected="two finite numbers, the earlier first",
            remedy="correct the window",
        )
    if "time" not in source.options["columns"]:
        raise PlanError(
            "no-time-column",
            "a dynamic map needs a column of time stamps",
            where=spec.where,
            expected=f'time = "COLUMN" under columns of inputs.{source.name}',
            remedy="name the column, or leave out the window",
        )
    return start, end


def _blur_time(spec: OutputSpec, window: tuple[float, float]) -> float:
    return float(spec.options.get("blur_time", _TIME_BLUR_SHARE * (window[1] - window[0])))
