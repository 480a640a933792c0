"""Heatmaps: from a plan's words to the mechanism that it names, next to all that could make it."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

from synthrelease.data.facts import Facts
from synthrelease.data.input_spec import InputSpec
from synthrelease.data.screen import BLUR_SHARE, Screen
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import PlanError
from synthrelease.kinds.heatmap.accuracy import HeatmapMechanism
from synthrelease.kinds.heatmap.expected import viewing
from synthrelease.kinds.heatmap.kind import HEATMAP
from synthrelease.kinds.heatmap.public import HeatmapParameters
from synthrelease.kinds.heatmap.request import HeatmapRequest
from synthrelease.kinds.output_spec import OutputSpec


def prepare(
    spec: OutputSpec, source: InputSpec, facts: Facts, neighbours: Neighbours
) -> HeatmapMechanism[Any]:
    """Fill in the public parameters of a heatmap output.

    Raises:
        PlanError: a key of another mechanism, or parameters that contradict each other.
    """
    o, chosen = spec.options, spec.options["mechanism"]
    screen = Screen(**source.options["screen"])
    request = HeatmapRequest(
        spec, source, facts, neighbours, screen, float(o.get("blur_px", BLUR_SHARE * screen.width_px))
    )
    _check_keys(spec, chosen)
    mechanisms: dict[str, HeatmapMechanism[Any]] = {}
    for name, parameters in _by_name().items():
        try:
            mechanisms[name] = _private_half(parameters).of(request, name)
        except PlanError:
            if name == chosen:
                raise  # otherwise it is a mechanism less to compare with
    mechanism = mechanisms[chosen]
    seen = viewing(mechanism.parameters, request.viewers)
    return replace(mechanism, viewing=seen, mechanisms=mechanisms)


def _by_name() -> dict[str, type[HeatmapParameters]]:
    return {
        name: parameters
        for parameters in HEATMAP.parameters
        for name in parameters.mechanisms
        if issubclass(parameters, HeatmapParameters)
    }


def _private_half(parameters: type[HeatmapParameters]) -> Any:
    module, _, name = parameters.private_half.partition(":")
    return getattr(import_module(module), name)


def _check_keys(spec: OutputSpec, chosen: str) -> None:
    by_name = _by_name()
    for parameters in by_name.values():
        for key in parameters.plan_keys:
            if key in spec.written and key not in by_name[chosen].plan_keys:
                raise PlanError(
                    "key-not-for-mechanism",
                    f"the key '{key}' has no meaning for this mechanism",
                    where=spec.where,
                    found=f'mechanism = "{chosen}"',
                    expected="mechanism = " + " or ".join(f'"{name}"' for name in parameters.mechanisms),
                    remedy="leave the key out, or choose another mechanism",
                )
