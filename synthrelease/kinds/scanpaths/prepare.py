"""Synthetic scanpaths: from a plan's words to the mechanism."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.screen import BLUR_SHARE, Screen
from synthrelease.dp.budget import GAUSSIAN
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PlanError
from synthrelease.kinds.heatmap.kind import HEATMAP
from synthrelease.kinds.heatmap.request import HeatmapRequest
from synthrelease.kinds.heatmap.spectral import SpectralHeatmap
from synthrelease.kinds.output_spec import OutputSpec
from synthrelease.kinds.preparing import require_few_fixations, require_fixations
from synthrelease.kinds.scanpaths.dynamics import norm_for
from synthrelease.kinds.scanpaths.dynamics_prior import dynamics_prior
from synthrelease.kinds.scanpaths.mechanism import SyntheticScanpaths
from synthrelease.kinds.scanpaths.public import ScanpathParameters

_LONGEST_S = 20.0  # beyond, trials are tasks of many places, which one kernel of movements does not show


def prepare(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> SyntheticScanpaths:
    """Fill in the public parameters of synthetic scanpaths.

    Raises:
        PlanError: no duration, too long trials, or parameters that contradict each other.
    """
    o = spec.options
    _check(spec, source, facts)
    maps = _of_maps(spec, source, facts, neighbours)
    p = maps.parameters
    flat, seconds = float(o["prior_flat"]), float(o["viewing_time_s"])
    parameters = ScanpathParameters(
        name="gravity",
        people=p.people,
        names=p.names,
        max_stimuli_per_person=p.max_stimuli_per_person,
        assignment_public=p.assignment_public,
        screen=p.screen,
        stimuli=p.stimuli,
        rows=p.rows,
        columns=p.columns,
        blur_px=p.blur_px,
        exponent=p.exponent,
        clip=p.clip,
        prior=p.prior,
        maps=p.maps,
        viewers=p.viewers,
        viewing_time_s=seconds,
        prior_flat=flat,
        prior_sha256=dynamics_prior(flat).sha256,
        dynamics_share=float(o["dynamics_share"]),
        norm=norm_for(p.max_stimuli_per_person, seconds),
        scanpaths=o["scanpaths"],
        sampling_seed=o["sampling_seed"],
    )
    return SyntheticScanpaths(
        parameters=parameters,
        neighbours=neighbours,
        noise=GAUSSIAN,
        duration_unit=o["duration_unit"],
        public_maps=maps.public_maps,
    )


def _of_maps(spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours) -> SpectralHeatmap:
    """The heatmap output that the first round is."""
    properties = HEATMAP.options["properties"]
    defaults: dict[str, Any] = {key: form["default"] for key, form in properties.items() if "default" in form}
    shared = {key: value for key, value in spec.options.items() if key in properties}
    screen = Screen(**source.options["screen"])
    request = HeatmapRequest(
        replace(spec, options={**defaults, **shared}),
        source,
        facts,
        neighbours,
        screen,
        float(spec.options.get("blur_px", BLUR_SHARE * screen.width_px)),
    )
    return SpectralHeatmap.of(request, "spectral")


def _check(spec: OutputSpec, source: InputSpec, facts: Facts) -> None:
    o = spec.options
    require_fixations(spec, source)
    seconds = float(o["viewing_time_s"])
    if seconds > _LONGEST_S:
        raise PlanError(
            "long-trials",
            "trials are too long for synthetic scanpaths: reading and web pages have hundreds of fixations that follow a layout, which one distribution of movements does not show",
            where=f"{spec.where}.viewing_time_s",
            found=f"{seconds:g} s",
            expected=f"at most {_LONGEST_S:g} s",
            remedy="release maps, areas or statistics of such trials",
        )
    require_few_fixations(len(facts.names) * o["scanpaths"] * int(10 * seconds), where=spec.where)
