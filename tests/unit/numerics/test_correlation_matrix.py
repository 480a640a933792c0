"""The nearest correlation matrix: one already, one that is none, and nothing nearer among many."""

from __future__ import annotations

import numpy as np

from synthrelease.numerics.correlation_matrix import nearest_correlation


def test_a_correlation_matrix_stays() -> None:
    matrix = np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.3], [0.1, 0.3, 1.0]])
    np.testing.assert_allclose(nearest_correlation(matrix), matrix, atol=1e-12)


def test_what_is_none_becomes_one_and_no_other_is_much_nearer() -> None:
    matrix = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    nearest = nearest_correlation(matrix)
    assert np.linalg.eigvalsh(nearest)[0] > 0.005
    np.testing.assert_allclose(np.diag(nearest), 1)
    random = np.random.default_rng(0)
    distance = np.linalg.norm(nearest - matrix)
    for _ in range(500):
        root = np.linalg.cholesky(nearest + 1e-9 * np.eye(3)) + 0.05 * random.normal(size=(3, 3))
        other = root @ root.T
        scale = np.sqrt(np.diag(other))
        other = other / np.outer(scale, scale)
        if np.linalg.eigvalsh(other)[0] > 0.02:
            assert np.linalg.norm(other - matrix) > distance - 0.03
