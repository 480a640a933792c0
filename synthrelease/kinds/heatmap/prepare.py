"""Heatmaps: from a plan's words to the parameters of every mechanism, and to the one that it names."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.data.screen import BLUR_SHARE, Screen
from synthrelease.errors import PlanError
from synthrelease.kinds.heatmap.accuracy import Heatmap, Viewing
from synthrelease.kinds.heatmap.cells import CellHeatmap
from synthrelease.kinds.heatmap.public import DURATION, LIU2019, CellParameters, SpectralParameters
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.kinds.preparing import counted_stimuli, names_source, people_if_public
from synthrelease.maths.spectral import MOST_CELLS, SpectralForm
from synthrelease.maths.spectrum import LARGEST_BAND, LARGEST_SIDE
from synthrelease.privacy.budget import GAUSSIAN, LAPLACE
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.specs import InputSpec, OutputSpec

SPECTRAL, PRIVATE = "spectral", "private"
_OF_SPECTRAL = ("clipping", "weight", "prior", "exponent", "clip", "window", "blur_time", "frames")
_OF_GAZE_MAPS = ("cap", "caps", "cap_share", "max_samples_per_stimulus", "calibration")
# Of a side, for the expected quality: maps of a smaller or larger blur are predicted as these.
_LEAST_BLUR, _LARGEST_BLUR = 0.003, 0.5
_TIME_BLUR_SHARE = 0.1  # of the window
_CELLS_PER_BLUR = 4  # σ of the blur: finer cells would show nothing more
# Candidates of a private cap below T, if the plan lists none.
_CAPS = (1, 2, 3, 5, 8, 13, 20, 30, 50, 80, 130, 200, 300, 500, 800)
_MOST_COEFFICIENTS = 50_000_000  # of all stimuli together: their sums must fit into memory
_MOST_FRAMES = 10_000


@dataclass(frozen=True)
class _Asked:
    """What every mechanism's parameters are made of."""

    spec: OutputSpec
    source: InputSpec
    facts: Facts
    neighbours: Neighbours
    screen: Screen
    blur_px: float

    @property
    def max_stimuli(self) -> int:
        return counted_stimuli(self.spec, self.source, self.facts, self.neighbours)[0]

    @property
    def viewers(self) -> tuple[int, ...] | None:
        return counted_stimuli(self.spec, self.source, self.facts, self.neighbours)[1]

    @property
    def people(self) -> int | None:
        return people_if_public(self.facts, self.neighbours)

    @property
    def common(self) -> dict[str, Any]:
        """What all mechanisms have."""
        return {
            "people": self.people,
            "names": names_source(self.source),
            "max_stimuli_per_person": self.max_stimuli,
            "assignment_public": "assignment" in self.source.options["assume_public"],
            "screen": self.screen,
            "stimuli": tuple(self.facts.names),
            "blur_px": self.blur_px,
        }


def prepare(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> Heatmap[Any]:
    """Fill in the public parameters of a heatmap output.

    Raises:
        PlanError: a key of another mechanism, or parameters that contradict each other.
    """
    o, name = spec.options, spec.options["mechanism"]
    _check_keys(spec, name)
    screen = Screen(**source.options["screen"])
    blur_px = float(o.get("blur_px", BLUR_SHARE * screen.width_px))
    asked = _Asked(spec, source, facts, neighbours, screen, blur_px)
    mechanisms: dict[str, Heatmap[Any]] = {}
    try:
        mechanisms[SPECTRAL] = SpectralHeatmap(
            parameters=_spectral(asked), neighbours=neighbours, noise=GAUSSIAN
        )
    except PlanError:
        if name == SPECTRAL:
            raise  # otherwise it is a mechanism less to compare with
    for noise in (GAUSSIAN, LAPLACE):
        mechanisms[noise] = CellHeatmap(parameters=_cells(asked, noise), neighbours=neighbours, noise=noise)
    made = replace(mechanisms[name], viewing=_viewing(asked), mechanisms=mechanisms)
    return _with_private_cap(spec, made) if isinstance(made, CellHeatmap) else made


def _viewing(asked: _Asked) -> Viewing:
    viewers, seen = asked.viewers, float(asked.max_stimuli)
    if viewers is not None and asked.people is not None:
        seen = max(1.0, sum(viewers) / asked.people)
    sides = asked.screen.height_px, asked.screen.width_px
    blurs = tuple(min(max(asked.blur_px / side, _LEAST_BLUR), _LARGEST_BLUR) for side in sides)
    return Viewing(blurs, None if viewers is None else sum(viewers) / len(viewers), seen)


def _check_keys(spec: OutputSpec, own: str) -> None:
    for key in _OF_GAZE_MAPS if own == SPECTRAL else _OF_SPECTRAL:
        if key in spec.given:
            raise PlanError(
                "key-not-for-mechanism",
                f"the key '{key}' has no meaning for this mechanism",
                where=spec.where,
                found=f'mechanism = "{own}"',
                expected='mechanism = "gaussian" or "laplace"'
                if own == SPECTRAL
                else 'mechanism = "spectral"',
                remedy="leave the key out, or choose another mechanism",
            )
    if spec.options["calibration"] == LIU2019 and spec.options["max_samples_per_stimulus"] != "unlimited":
        raise PlanError(
            "key-not-for-calibration",
            "Liu et al. 2019 do not bound a person's samples",
            where=spec.where,
            expected='max_samples_per_stimulus = "unlimited" with calibration = "liu2019"',
            remedy="add it, or leave out calibration",
        )


def _spectral(asked: _Asked) -> SpectralParameters:
    spec, source, screen, blur_px = asked.spec, asked.source, asked.screen, asked.blur_px
    o = spec.options
    window = _window(spec, source)
    blurs: tuple[float, ...] = (blur_px / screen.height_px, blur_px / screen.width_px)
    if window is not None:
        blurs = (_blur_time(spec, window) / (window[1] - window[0]), *blurs)
    try:
        form = SpectralForm(
            blurs, _resolution(spec, screen, blurs), float(o["exponent"]), float(o["clip"]), o["prior"]
        )
    except (ValueError, ArithmeticError):
        raise PlanError(
            "bad-blur",
            "no map can be made with this blur and size",
            where=spec.where,
            found=f"blur_px = {blur_px:g}"
            + ("" if window is None else f", blur_time of {blurs[0]:.3g} windows"),
            expected=f"a blur that leaves 2 to {LARGEST_BAND} frequencies, at most {LARGEST_SIDE} of an axis, and a map of at "
            f"most {MOST_CELLS} cells",
            remedy='mechanism = "gaussian" can do without a blur',
        ) from None
    _check_size(asked, form)
    if o["weight"] == DURATION and "duration" not in source.options["columns"]:
        raise PlanError(
            "no-duration-column",
            "samples are to be weighted by their duration, but no column tells it",
            where=spec.where,
            expected=f'duration = "COLUMN" under columns of inputs.{source.name}',
            remedy="name the column, or leave out weight",
        )
    *frames, rows, columns = form.cells
    return SpectralParameters(
        name=SPECTRAL,
        **asked.common,
        viewers=asked.viewers,
        rows=rows,
        columns=columns,
        frames=frames[0] if frames else None,
        window=window,
        blur_time=None if window is None else _blur_time(spec, window),
        exponent=form.exponent,
        clip=form.clip,
        clipping=o["clipping"],
        weight=o["weight"],
        prior=form.prior,
    )


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


def _check_size(asked: _Asked, form: SpectralForm) -> None:
    """Refuse what could not be computed for some people: whether it can must not depend on who they are."""
    together = asked.max_stimuli if asked.spec.options["clipping"] == "joint" else 1
    largest = (
        math.ceil(1.01 * 2 ** (len(form.blurs) / 2) * float(form.steps().max())) + 1
    )  # all cosines √2, rounded
    if largest**2 * form.band.count * together >= 2**62:
        raise PlanError(
            "clip-too-small",
            "the clip is so small that squares of a person's coefficients would leave 64 bits",
            where=asked.spec.where,
            found=f"clip = {form.clip:g}",
            expected="a larger clip; 0.35 suits most data",
            remedy="raise the clip",
        )
    count = form.band.count * len(asked.facts.names)
    if count > _MOST_COEFFICIENTS:
        raise PlanError(
            "too-many-coefficients",
            "the coefficients of all stimuli together are too many",
            where=asked.spec.where,
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


def _with_private_cap(spec: OutputSpec, made: CellHeatmap) -> CellHeatmap:
    o, most = spec.options, made.parameters.max_samples_per_stimulus
    if o["cap"] != PRIVATE:
        for key in ("caps", "cap_share"):
            if key in spec.given:
                raise PlanError(
                    "key-needs-private-choice",
                    f"'{key}' is for a cap that is chosen privately",
                    where=spec.where,
                    expected='cap = "private"',
                    remedy="leave the key out, or choose the cap privately",
                )
        return made
    if most is None:
        raise PlanError(
            "cap-needs-bound",
            "a cap cannot be chosen privately where a person's samples are not bounded",
            where=spec.where,
            found='max_samples_per_stimulus = "unlimited"',
            expected="a number: one person could otherwise decide the choice",
            remedy="give max_samples_per_stimulus a number, or cap one",
        )
    caps = tuple(o.get("caps", [m for m in _CAPS if m < most] + [most]))
    if list(caps) != sorted(set(caps)) or caps[-1] > most:
        raise PlanError(
            "bad-candidates",
            "the candidates of a cap are no list to choose from",
            where=spec.where,
            found=str(list(caps))[:80],
            expected=f"increasing numbers up to max_samples_per_stimulus = {most}",
            remedy="correct the list, or leave it out",
        )
    # What is chosen takes the place of the cap that stands there.
    parameters = replace(made.parameters, caps=caps)
    return replace(made, parameters=parameters, choice_share=float(o["cap_share"]))


def _blur_time(spec: OutputSpec, window: tuple[float, float]) -> float:
    return float(spec.options.get("blur_time", _TIME_BLUR_SHARE * (window[1] - window[0])))


def _cells(asked: _Asked, noise: str) -> CellParameters:
    o, screen = asked.spec.options, asked.screen
    max_samples = o["max_samples_per_stimulus"]
    if o["mechanism"] == SPECTRAL:  # for comparison: cells as coarse as the blur allows
        cell = max(asked.blur_px, 1)
        rows, columns = math.ceil(screen.height_px / cell), math.ceil(screen.width_px / cell)
    else:
        rows, columns = o.get("height_px", screen.height_px), o.get("width_px", screen.width_px)
    return CellParameters(
        name=noise,
        **asked.common,
        rows=rows,
        columns=columns,
        cap=1 if o["cap"] == PRIVATE else o["cap"],
        caps=None,
        max_samples_per_stimulus=None if max_samples == "unlimited" else max_samples,
        calibration=o["calibration"],
    )
