"""Measures of utility, computed beside the private data and never released themselves."""

from synthrelease.evaluate.map_metrics import correlation, kl_divergence, mse, nss, similarity
from synthrelease.evaluate.signal_metrics import (
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
