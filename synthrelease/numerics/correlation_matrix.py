"""The correlation matrix nearest to a symmetric one (Higham 2002, alternating projections with Dykstra's correction)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_LEAST = 0.02  # eigenvalue
_ROUNDS = 30


def nearest_correlation(matrix: Numbers) -> Numbers:
    """Return a dimensionless correlation matrix with no eigenvalue below 0.02 or nearly so, shape (F, F)."""
    correction: Numbers = np.zeros_like(matrix)
    result = matrix
    for _ in range(_ROUNDS):
        uncorrected = result - correction
        raised = with_eigenvalues(uncorrected, least=_LEAST)
        correction = raised - uncorrected
        result = raised.copy()
        np.fill_diagonal(result, 1.0)
    result = with_eigenvalues(result, least=_LEAST)
    scale = np.sqrt(np.diag(result))
    return np.asarray(result / np.outer(scale, scale))


def with_eigenvalues(matrix: Numbers, *, least: float) -> Numbers:
    """Return a symmetric, dimensionless matrix with its eigenvalues raised to the least, shape (F, F)."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)
