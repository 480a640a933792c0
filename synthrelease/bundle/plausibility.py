"""Whether released integers can be as noisy as the manifest says they are.

Signal plus symmetric unimodal noise is, in magnitude, stochastically at least as large as the noise alone (Anderson
1955). So integers that are too small for the stated scale refute it, whatever the data: an overstated scale is
noticed even if every number of the manifest was changed to agree with it. One-sided; the error probability
of a true claim is at most 10⁻¹².
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, gamma

from synthrelease.privacy.event import Noise, RoundedGaussian

_SIGNIFICANCE = 1e-12


def too_quiet(integers: NDArray[Any], noise: Noise) -> bool:
    """Return whether `integers` are smaller than noise of the stated scale could be.

    With rounding undone in the claim's favour: Σ(|z|+½)² < σ²·χ²_d quantile for the Gaussian; Σ(|z|+1) < b·Γ_d
    quantile for the Laplace, whose magnitude plus 1 is at least an exponential variable of mean b.
    """
    magnitude = np.abs(integers.astype(np.float64)).ravel()
    if magnitude.size == 0:
        return False
    if isinstance(noise, RoundedGaussian):
        limit = noise.scale**2 * chi2.ppf(_SIGNIFICANCE, magnitude.size)
        return bool(((magnitude + 0.5) ** 2).sum() < limit)
    return bool((magnitude + 1.0).sum() < noise.scale * gamma.ppf(_SIGNIFICANCE, magnitude.size))
