"""What a spectral heatmap and its uncertainty are computed by, by the name that public parameters state.

A better estimate gets a name of its own and leaves the others as they are: `verify` computes those of older bundles again. All are post-processing (`spectral.proof.md`, step 5).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from synthrelease.kinds.dataset import Array
from synthrelease.numerics import normal_map
from synthrelease.numerics.spectral import SpectralForm

NORMAL, LOG_NORMAL = "normal", "log-normal"


@dataclass(frozen=True)
class Scale:
    """How many people's maps the integers of a stimulus hold, how well that is known, and their noise in steps."""

    normalization: float
    normalization_error: float
    deviation: float


Derivation = Callable[[SpectralForm, Array, Scale], Array]


@dataclass(frozen=True)
class Estimate:
    """The functions of an estimate, and the codes of their sentences (`words.py`)."""

    heatmap: Derivation  # from the noisy integers
    uncertainty: Derivation
    uncertainty_from: str  # the dataset that it follows from
    heatmap_code: dict[str, str]  # by prior
    uncertainty_code: str


def _log_normal(form: SpectralForm, noisy: Array, scale: Scale) -> Array:
    return form.heatmap(noisy, normalization=scale.normalization, deviation=scale.deviation)


def _log_normal_uncertainty(form: SpectralForm, shown: Array, scale: Scale) -> Array:
    return form.uncertainty(shown, **vars(scale))


def _normal(form: SpectralForm, noisy: Array, scale: Scale) -> Array:
    return normal_map.heatmap(form, noisy, normalization=scale.normalization, deviation=scale.deviation)


def _normal_uncertainty(form: SpectralForm, noisy: Array, scale: Scale) -> Array:
    return normal_map.uncertainty(form, noisy, **vars(scale))


ESTIMATES = {
    NORMAL: Estimate(
        _normal,
        _normal_uncertainty,
        "noisy",
        {"centre": "map-shrunk-to-centre-bias", "none": "map-shrunk-to-even"},
        "map-uncertainty",
    ),
    LOG_NORMAL: Estimate(
        _log_normal,
        _log_normal_uncertainty,
        "heatmap",
        {"centre": "most-probable-map-of-centre-bias", "none": "most-probable-map"},
        "map-uncertainty-at-peaks",
    ),
}
