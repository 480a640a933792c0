"""What a release is worth: measures of utility, computed beside the private data and never released themselves."""

from synthrelease.evaluate.map_metrics import correlation, kl_divergence, mse, nss, similarity

__all__ = ["correlation", "kl_divergence", "mse", "nss", "similarity"]
