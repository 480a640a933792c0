"""Whether released values can be what the manifest says they are, judged by statistics.

Signal plus symmetric unimodal noise is, in magnitude, stochastically at least as large as the noise alone (Anderson
1955). So integers that are too small for the stated scale refute it, whatever the data: an overstated scale is
noticed even if every number of the manifest was changed to agree with it. One-sided.

Values larger, or counts more, than all people together may contribute refute an understated bound of contributions.

Records that are said to be drawn from noised marginals alone must have those marginals, and independent attributes:
records that were made from people in another way have neither.

The error probability of each check on a true claim is about 10⁻¹².
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, gamma

from synthrelease.privacy.event import Noise, RoundedGaussian

_SIGNIFICANCE = 1e-12
_LEAST_EXPECTED = 10.0
_TAIL_CARE = 2.0  # with ten expected records a cell's χ² has a heavier tail than the limiting one


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


def too_large(integers: NDArray[Any], noise: Noise, *, most_each: int) -> bool:
    """Return whether any integer is larger than a true value of at most `most_each` and noise of the stated scale.

    Noise beyond 9 standard deviations (Gaussian) or 50·b (Laplace) is that rare for each of up to 10⁶ integers.
    """
    reach = 9 * noise.standard_deviation if isinstance(noise, RoundedGaussian) else 50 * noise.scale
    return bool(np.abs(integers.astype(np.float64)).max(initial=0.0) > most_each + reach + 1)


def too_many(counts: NDArray[Any], noise: Noise, *, most: int) -> bool:
    """Return whether noised counts sum to more than `most` true counts and noise of the stated scale can.

    A sum of d independent noises of standard deviation s exceeds 8·s·√d with probability below 10⁻¹² (Gaussian), and
    b·(8√(2d) + 30) likewise (Laplace, by Bernstein's inequality).
    """
    if isinstance(noise, RoundedGaussian):
        reach = 8 * noise.standard_deviation * counts.size**0.5
    else:
        reach = noise.scale * (8 * (2 * counts.size) ** 0.5 + 30)
    return bool(counts.sum(dtype=np.float64) > most + reach)


def foreign_to_marginals(
    categories: Sequence[NDArray[Any]], marginals: Sequence[NDArray[np.float64]]
) -> bool:
    """Return whether records cannot be independent draws from the product of `marginals`.

    Pearson's χ² for every attribute and every pair of attributes, cells with fewer than ten expected records merged.

    Args:
        categories: category numbers of each attribute, each of shape (rows,).
        marginals: probabilities of each attribute's categories.
    """
    for a, p in enumerate(marginals):
        if _improbable(categories[a], p):
            return True
        for b in range(a):
            pair = categories[a].astype(np.int64) * marginals[b].size + categories[b]
            if _improbable(pair, np.outer(p, marginals[b]).ravel()):
                return True
    return False


def _improbable(cells: NDArray[Any], probabilities: NDArray[np.float64]) -> bool:
    expected = probabilities * cells.size
    observed = np.bincount(cells, minlength=probabilities.size).astype(np.float64)
    rare = expected < _LEAST_EXPECTED
    expected = np.append(expected[~rare], expected[rare].sum())
    observed = np.append(observed[~rare], observed[rare].sum())
    used = expected >= _LEAST_EXPECTED
    if used.sum() < 2:
        return False
    distance = float((((observed - expected) ** 2)[used] / expected[used]).sum())
    return bool(distance > chi2.isf(_SIGNIFICANCE, used.sum() - 1) * _TAIL_CARE)
