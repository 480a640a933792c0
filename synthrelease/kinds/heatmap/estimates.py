"""What a spectral heatmap and its uncertainty are computed by, by the name that public parameters state.

A better estimate gets a name of its own and leaves the others as they are: `verify` computes those of older bundles again. All are post-processing (`spectral.proof.md`, step 5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from synthrelease.kinds.dataset import Array
from synthrelease.numerics import normal_map
from synthrelease.numerics.log_normal_map import LogPrior
from synthrelease.numerics.spectral import SpectralForm

NORMAL, LOG_NORMAL = "normal", "log-normal"


@dataclass(frozen=True)
class Scale:
    """How many people's maps the integers of a stimulus hold, how well that is known, their noise in steps, and what the map is expected to be, if not what all are."""

    normalization: float
    normalization_error: float
    deviation: float
    prior: LogPrior | None = None


Derivation = Callable[[SpectralForm, Array, Scale], Array]
DerivationOfSeveral = Callable[[SpectralForm, Sequence[Array], Sequence[Scale]], list[Array]]


@dataclass(frozen=True)
class Estimate:
    """The functions of an estimate, and the codes of their sentences (`words.py`)."""

    heatmap: Derivation  # from the noisy integers
    uncertainty: Derivation
    uncertainty_from: str  # the dataset that it follows from
    heatmap_code: dict[str, str]  # by prior
    uncertainty_code: dict[str, str]
    heatmaps: DerivationOfSeveral | None = None  # the same of several stimuli, if that is faster


def _log_normal(form: SpectralForm, noisy: Array, scale: Scale) -> Array:
    return form.heatmap(
        noisy, normalization=scale.normalization, deviation=scale.deviation, prior=scale.prior
    )


def _several_log_normal(form: SpectralForm, noisy: Sequence[Array], scales: Sequence[Scale]) -> list[Array]:
    return form.heatmaps(
        noisy,
        normalization=[scale.normalization for scale in scales],
        deviation=scales[0].deviation,
        priors=[scale.prior for scale in scales],
    )


def _log_normal_uncertainty(form: SpectralForm, shown: Array, scale: Scale) -> Array:
    return form.uncertainty(shown, **vars(scale))


def _normal(form: SpectralForm, noisy: Array, scale: Scale) -> Array:
    return normal_map.heatmap(form, noisy, normalization=scale.normalization, deviation=scale.deviation)


def _normal_uncertainty(form: SpectralForm, noisy: Array, scale: Scale) -> Array:
    return normal_map.uncertainty(
        form,
        noisy,
        normalization=scale.normalization,
        normalization_error=scale.normalization_error,
        deviation=scale.deviation,
    )


ESTIMATES = {
    NORMAL: Estimate(
        _normal,
        _normal_uncertainty,
        "noisy",
        {"centre": "map-shrunk-to-centre-bias", "none": "map-shrunk-to-even"},
        {"centre": "map-uncertainty", "none": "map-uncertainty"},
    ),
    LOG_NORMAL: Estimate(
        _log_normal,
        _log_normal_uncertainty,
        "heatmap",
        {
            "centre": "most-probable-map-of-centre-bias",
            "none": "most-probable-map",
            "maps": "most-probable-map-of-public-maps",
        },
        {
            "centre": "map-uncertainty-at-peaks",
            "none": "map-uncertainty-at-peaks",
            "maps": "map-uncertainty-about-public-maps",
        },
        _several_log_normal,
    ),
}
