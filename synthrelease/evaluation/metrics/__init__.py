"""Measures of utility, computed from the private data and never released themselves."""

from synthrelease.evaluation.metrics.maps import correlation, kl_divergence, mse, nss, similarity
from synthrelease.evaluation.metrics.signals import (
    lag_correlation,
    nmse,
    relative_mse,
    series_correlation,
    utility,
)

__all__ = [
    "correlation",
    "kl_divergence",
    "lag_correlation",
    "mse",
    "nmse",
    "nss",
    "relative_mse",
    "series_correlation",
    "similarity",
    "utility",
]
