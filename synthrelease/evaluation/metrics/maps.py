"""How alike two attention maps are, as the saliency literature measures it.

Bylinskii, Judd, Oliva, Torralba & Durand 2019, IEEE TPAMI 41(3) (https://arxiv.org/abs/1604.03605). P is the map that is judged
(noisy, released), Q the exact one. Their maps are not negative and not constant; noisy ones may be, so:

* KL and SIM compare distributions: negative cells, which are noise, are cut at 0, and each map is divided by its sum.
  A map without any positive cell says nothing, and counts as the uniform distribution.
* CC and NSS keep negative cells. Of a constant map both are 0, what chance gives.

No measure here is differentially private: they compare with the private truth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

EPSILON = float(np.finfo(np.float64).eps)  # 2.2e-16, what the authors' code adds in KL
_CONSTANT = 1e-12  # a spread this small relative to the values is rounding


def mse(released: ArrayLike, truth: ArrayLike) -> float:
    """Return the mean squared error, MSE = (1/r)·Σ(P − Q)², in squared units of the maps; 0 is best.

    Args:
        released: P, any shape.
        truth: Q, the same shape.

    Raises:
        ValueError: shapes differ, a map is empty, or a cell is not a finite number. (So do all functions here.)

    Source: Liu et al. 2019, section 4.
    """
    p, q = _pair(released, truth)
    return float(np.mean((p - q) ** 2))


def correlation(released: ArrayLike, truth: ArrayLike) -> float:
    """Return Pearson's linear correlation coefficient, CC = cov(P, Q)/(σ(P)·σ(Q)), in [−1, 1]; 1 is best.

    0 if either map is constant. Negative cells count as they are. Arguments and errors as `mse`.

    Source: Bylinskii et al. 2019, distribution-based metrics, CC; Liu et al. 2019, Figure 3.
    """
    p, q = (_standardised(array) for array in _pair(released, truth))
    return float(np.clip(np.mean(p * q), -1.0, 1.0))


def kl_divergence(released: ArrayLike, truth: ArrayLike, *, epsilon: float = EPSILON) -> float:
    """Return the Kullback–Leibler divergence of the release from the truth, in nats; 0 is best.

    KL(P, Q) = Σ Q·ln(ε + Q/(ε + P)), both maps cut at 0 and divided by their sums. ε keeps finite what P says can not
    happen: a cell with Q > 0 = P costs Q·ln(Q/ε), 36 nats per unit of Q at the default. With ε > 0 the value can
    be below 0 by the order of ε·r.

    Args:
        released: P, any shape.
        truth: Q, the same shape.
        epsilon: ε > 0; 2.2e-16 as in the authors' code.

    Source: Bylinskii et al. 2019, distribution-based metrics, KL.
    """
    if not 0 < epsilon < 1:
        raise ValueError(f"Expected 0 < epsilon < 1, found epsilon={epsilon}")
    p, q = (_distribution(array) for array in _pair(released, truth))
    return float(np.sum(q * np.log(epsilon + q / (epsilon + p))))


def similarity(released: ArrayLike, truth: ArrayLike) -> float:
    """Return the histogram intersection, SIM = Σ min(P, Q), in [0, 1]; 1 is best.

    Both maps are cut at 0 and divided by their sums. Arguments and errors as `mse`.

    Source: Bylinskii et al. 2019, distribution-based metrics, SIM.
    """
    p, q = (_distribution(array) for array in _pair(released, truth))
    return float(np.minimum(p, q).sum())


def nss(released: ArrayLike, fixations: ArrayLike) -> float:
    """Return the normalised scanpath saliency: the mean of the standardised map where people looked; 0 is chance.

    NSS = (1/N)·Σ P̄·Q_B, P̄ = (P − μ(P))/σ(P), N = ΣQ_B. Two fixations of one cell count twice.

    Args:
        released: P, any shape.
        fixations: Q_B, how many fixations fell on each cell, the same shape, at least one in all.

    Raises:
        ValueError: as `mse`; or a number of fixations is negative, or there is none.

    Source: Bylinskii et al. 2019, location-based metrics, NSS.
    """
    p, fixated = _pair(released, fixations)
    if fixated.min() < 0 or fixated.sum() == 0:
        raise ValueError("Expected counts of fixations >= 0 and at least one fixation")
    return float((_standardised(p) * fixated).sum() / fixated.sum())


def _pair(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    p, q = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if p.shape != q.shape or p.size == 0:
        raise ValueError(f"Expected two maps of one shape with cells, found {p.shape} and {q.shape}")
    if not (np.isfinite(p).all() and np.isfinite(q).all()):
        raise ValueError("Expected maps of finite numbers")
    return p, q


def _standardised(array: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = array - array.mean()
    spread = float(np.sqrt(np.mean(centred * centred)))
    if spread <= _CONSTANT * float(np.abs(array).max()):
        return np.zeros_like(array)
    out: NDArray[np.float64] = centred / spread
    return out


def _distribution(array: NDArray[np.float64]) -> NDArray[np.float64]:
    cut = np.maximum(array, 0.0)
    largest = float(cut.max())
    if largest == 0:
        return np.full(array.shape, 1.0 / array.size)
    cut /= largest  # sums of huge or tiny cells stay within range
    out: NDArray[np.float64] = cut / cut.sum()
    return out
