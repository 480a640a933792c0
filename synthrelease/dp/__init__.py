"""Guarantees, events, calibration and accounting: everything about privacy that needs no data (`accounting.proof.md`, `filter.proof.md`)."""

from synthrelease.dp.calibration import gaussian_delta, gaussian_epsilon, gaussian_sigma, laplace_scale
from synthrelease.dp.event import (
    Composed,
    DeniabilityTest,
    DiscreteLaplace,
    Event,
    PrivateChoice,
    RoundedGaussian,
    Unprotected,
)
from synthrelease.dp.guarantee import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    Guarantee,
    Neighbours,
    NoGuarantee,
    PlausibleDeniability,
    PureDP,
    Unit,
)

__all__ = [
    "ZCDP",
    "ApproxDP",
    "Composed",
    "DeniabilityTest",
    "DiscreteLaplace",
    "Event",
    "GaussianDP",
    "Guarantee",
    "Neighbours",
    "NoGuarantee",
    "PlausibleDeniability",
    "PrivateChoice",
    "PureDP",
    "RoundedGaussian",
    "Unit",
    "Unprotected",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_sigma",
    "laplace_scale",
]
