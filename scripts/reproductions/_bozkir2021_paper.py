"""LPA, FPA, CFPA and DCFPA as Bozkir et al. 2021 publish them: only for comparison, protecting no one.

PLoS ONE 16(8), e0255979. Sensitivities are measured on the people present, k is chosen on their data, and chunks
of one person count as if they were different people: `bozkir2021.proof.md`. The mechanisms to release with are in
`coefficients.py`. Series are of one recording type, shape (people, features, n), without gaps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from synthrelease.dp.noise.entropy import WordSource
from synthrelease.dp.noise.rounded import discrete_laplace
from synthrelease.numerics.fourier import coefficient_count
from synthrelease.numerics.signal_form import CFPA, DCFPA, FPA, LPA

ORACLE = "oracle"

_STEPS = 1 << 20  # of the grid that unit noise lies on
_BLOCK = 1 << 21  # numbers of an array in flight

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class PaperParameters:
    """What the paper chooses.

    Raises:
        ValueError: a value without meaning.
    """

    mechanism: str  # "lpa", "fpa", "cfpa" or "dcfpa"
    epsilon: float  # ε of one feature, as the paper counts: of every chunk and every recording again
    # steps of a chunk, the last one shorter; None for LPA and FPA, which take the series whole
    chunk: int | None = None
    coefficients: int | str = ORACLE  # k, the lowest frequencies kept, the constant among them; or "oracle"
    evaluations: int = 100  # noisy draws that the oracle averages over

    def __post_init__(self) -> None:
        if self.mechanism not in (LPA, FPA, CFPA, DCFPA):
            raise ValueError(f"Expected mechanism lpa, fpa, cfpa or dcfpa, found {self.mechanism!r}")
        if not (math.isfinite(self.epsilon) and self.epsilon > 0):
            raise ValueError(f"Expected epsilon > 0 and finite, found epsilon={self.epsilon}")
        if self.chunk is None and self.mechanism in (CFPA, DCFPA):
            raise ValueError(f"Expected chunk >= 1 for {self.mechanism}, found none")
        if self.chunk is not None and (self.mechanism in (LPA, FPA) or self.chunk < 1):
            raise ValueError(f"Expected chunk >= 1, and none for lpa and fpa, found chunk={self.chunk}")
        if self.coefficients != ORACLE and not (isinstance(self.coefficients, int) and self.coefficients > 0):
            raise ValueError(f"Expected coefficients >= 1 or 'oracle', found {self.coefficients!r}")
        if self.evaluations < 1:
            raise ValueError(f"Expected evaluations >= 1, found evaluations={self.evaluations}")

    @property
    def differenced(self) -> bool:
        """Whether noise is added to the differences."""
        return self.mechanism == DCFPA

    def undifferenced(self, differences: Numbers) -> Numbers:
        """Return the series of noisy differences, of the same shape and unit: their running sum.

        Algorithm 1, line 3, as printed, is another, and no inverse.
        """
        return np.cumsum(differences, axis=-1)


class Perturbed(NamedTuple):
    """Noisy series, and what from the private data went into the noise."""

    values: Numbers  # in the features' units, shape (draws, people, features, n)
    coefficients: NDArray[np.int64]  # k, shape (features, chunks); 0 under LPA, which transforms nothing
    sensitivity: Numbers  # Δ₁ under LPA, else Δ₂, shape (features, chunks)


def sensitivities(series: Numbers, parameters: PaperParameters) -> Numbers:
    """Return Δ_w = max over pairs of participants p, q of ‖X^(p) − X^(q)‖_w in every chunk; Eq. 7.

    w = 1 for LPA, else 2; of the differences for DCFPA.

    Args:
        series: of one recording type, shape (people, features, n), two people at least.
        parameters: the paper's.

    Returns:
        In the unit of the feature, shape (features, chunks).

    Raises:
        ValueError: another shape, or a number that is not finite. (So do all functions here.)
    """
    pieces = _pieces(_checked(series), parameters)
    return np.concatenate([_farthest(_queried(x, parameters), parameters) for _, x in pieces], axis=1)


def perturbed(
    series: Numbers,
    parameters: PaperParameters,
    *,
    random: WordSource,
    draws: int = 1,
    coefficients: NDArray[np.int64] | None = None,
) -> Perturbed:
    """Return noisy series of all people, as the paper would publish them.

    LPA: X̃_t = X_t + Lap(Δ₁/ε). FPA, in every chunk: the unnormalised Fourier transform, independent Lap(λ) on the real
    and the imaginary part of its k lowest frequencies, λ = √n·√k·Δ₂/ε, zero elsewhere, and back. A real series has
    every frequency twice, conjugate: each pair gets noise once; the constant and the Nyquist coefficient are real. (The
    paper pads the first k of n coefficients with zeros, and does not say how the result becomes real.)

    Args:
        series: of one recording type, in the features' units, shape (people, features, n).
        parameters: the paper's; a chunk shorter than its k asks for keeps all it has.
        random: where the noise comes from.
        draws: independent releases.
        coefficients: k found before by `oracle_coefficients`, shape (features, chunks).
    """
    x = _checked(series)
    sensitivity = sensitivities(x, parameters)
    if parameters.mechanism == LPA:
        noisy = np.empty((draws, *x.shape))
        for block in _blocks(draws, x.size):
            noisy[block] = x + sensitivity / parameters.epsilon * _unit_laplace(noisy[block].shape, random)
        return Perturbed(noisy, np.zeros(sensitivity.shape, dtype=np.int64), sensitivity)
    most = _frequencies(x, parameters)
    if coefficients is None:
        coefficients = _chosen(x, most, parameters, random)
    if coefficients.shape != sensitivity.shape or (coefficients < 1).any() or (coefficients > most).any():
        raise ValueError(f"Expected 1 <= coefficients <= {most.tolist()}, shape {sensitivity.shape}")
    released = []
    for places, piece in _pieces(x, parameters):
        k, delta = coefficients[:, places], sensitivity[:, places]
        noisy = _noisy_chunks(piece, k, delta, parameters, draws=draws, random=random)
        released.append(noisy.reshape(*noisy.shape[:3], -1))
    return Perturbed(np.concatenate(released, axis=3), coefficients, sensitivity)


def oracle_coefficients(
    series: Numbers, parameters: PaperParameters, *, random: WordSource
) -> NDArray[np.int64]:
    """Return the k of least mean |NMSE| of every chunk and feature, over people and `evaluations` noisy draws.

    NMSE = (1/n)·Σ(X_t − X̃_t)²/(X̄·X̃̄) within the chunk (Eq. 4, 5); section "Choice of the number of transform
    coefficients". All k meet the same unit noise. People whose mean in the chunk is 0 have no NMSE and no say. Of
    equal ones the least. Arguments as `perturbed`; shape (features, chunks).
    """
    x = _checked(series)
    sensitivity = sensitivities(x, parameters)
    if parameters.mechanism == LPA:
        return np.zeros(sensitivity.shape, dtype=np.int64)
    errors = [
        _mean_errors(p, sensitivity[:, places], parameters, random) for places, p in _pieces(x, parameters)
    ]
    return np.concatenate([np.argmin(error, axis=-1) + 1 for error in errors], axis=1).astype(np.int64)


def _chosen(
    x: Numbers, most: NDArray[np.int64], parameters: PaperParameters, random: WordSource
) -> NDArray[np.int64]:
    if not isinstance(parameters.coefficients, int):
        return oracle_coefficients(x, parameters, random=random)
    return np.tile(np.minimum(parameters.coefficients, most), (x.shape[1], 1))


def _frequencies(x: Numbers, parameters: PaperParameters) -> NDArray[np.int64]:
    """How many frequencies each chunk has, shape (chunks,)."""
    return np.concatenate([np.full(p.shape[2], p.shape[3] // 2 + 1) for _, p in _pieces(x, parameters)])


def _pieces(x: Numbers, parameters: PaperParameters) -> list[tuple[slice, Numbers]]:
    """The chunks of full length, and the last, shorter one: their places, and shape (people, features, chunks, L)."""
    n = x.shape[2]
    size = min(parameters.chunk or n, n)
    count = n // size
    pieces = [(slice(0, count), x[:, :, : count * size].reshape(*x.shape[:2], count, size))]
    if count * size < n:
        pieces.append((slice(count, count + 1), x[:, :, None, count * size :]))
    return pieces


def _queried(piece: Numbers, parameters: PaperParameters) -> Numbers:
    """What is transformed: X̂_t = X_t − X_(t−1), X̂_1 = X_1 within the chunk (Eq. 16), or the chunk itself."""
    return np.diff(piece, axis=-1, prepend=0.0) if parameters.differenced else piece


def _restored(noisy: Numbers, parameters: PaperParameters) -> Numbers:
    """The series of what was transformed, as `_queried`."""
    return parameters.undifferenced(noisy) if parameters.differenced else noisy


def _farthest(queried: Numbers, parameters: PaperParameters) -> Numbers:
    """Largest distance of two people, shape (features, chunks)."""
    first, second = np.triu_indices(len(queried), 1)
    farthest = np.zeros(queried.shape[1:3])
    for block in _blocks(first.size, queried[0].size):
        gap = np.abs(queried[first[block]] - queried[second[block]])
        distance = gap.sum(axis=-1) if parameters.mechanism == LPA else np.sqrt((gap * gap).sum(axis=-1))
        farthest = np.maximum(farthest, distance.max(axis=0))
    return farthest


def _coefficients(steps: Numbers) -> Numbers:
    """The unnormalised Fourier transform as real numbers: constant, Re₁, Im₁, Re₂, …; shape (…, L) → (…, L)."""
    parts = np.fft.rfft(steps).view(np.float64)
    return np.concatenate([parts[..., :1], parts[..., 2 : steps.shape[-1] + 1]], axis=-1)


def _series(coefficients: Numbers, length: int) -> Numbers:
    """The series of `length` steps whose first coefficients are these and whose others are zero."""
    parts = np.zeros((*coefficients.shape[:-1], 2 * (length // 2 + 1)))
    parts[..., 0] = coefficients[..., 0]
    parts[..., 2 : coefficients.shape[-1] + 1] = coefficients[..., 1:]
    return np.fft.irfft(parts.view(np.complex128), n=length)


def _noisy_chunks(
    piece: Numbers,
    k: NDArray[np.int64],
    sensitivity: Numbers,
    parameters: PaperParameters,
    *,
    draws: int,
    random: WordSource,
) -> Numbers:
    """Noisy chunks, shape (draws, people, features, chunks, L)."""
    length = piece.shape[-1]
    most = coefficient_count(length, int(k.max()))
    exact = _coefficients(_queried(piece, parameters))[..., :most]
    scale = (math.sqrt(length) * np.sqrt(k) * sensitivity / parameters.epsilon)[..., None]
    kept = (np.arange(most) + 1) // 2 < k[..., None]  # coefficient j belongs to frequency (j + 1) // 2
    noisy = np.empty((draws, *piece.shape))
    for block in _blocks(draws, piece.size):
        noise = _unit_laplace((block.stop - block.start, *exact.shape), random)
        noisy[block] = _restored(_series(np.where(kept, exact + scale * noise, 0.0), length), parameters)
    return noisy


def _mean_errors(
    piece: Numbers, sensitivity: Numbers, parameters: PaperParameters, random: WordSource
) -> Numbers:
    """Mean |NMSE| for k = 1 … L // 2 + 1, shape (features, chunks, K).

    With v_j what coefficient j adds to the released chunk, a its exact and z its noise coefficients, the released chunk
    is S_k + s_k·N_k, S_k = Σ a_j·v_j and N_k = Σ z_j·v_j over the coefficients of k frequencies, s_k = √n·√k·Δ₂/ε. So
    ‖X − X̃‖² = ‖X − S_k‖² − 2s_k·⟨X − S_k, N_k⟩ + s_k²·‖N_k‖², and both products with N_k are running sums over j.
    The v_j of FPA are orthogonal (Parseval): there ⟨X − S_k, N_k⟩ = 0. Cost O(draws·people·features·n·K) at most.
    """
    length = piece.shape[-1]
    frequencies = np.arange(1, length // 2 + 2)
    ends = np.array([coefficient_count(length, k) for k in frequencies]) - 1
    v = _restored(_series(np.eye(length), length), parameters)
    energies, v_mean = (v * v).sum(axis=1), v.mean(axis=1)
    a = _coefficients(_queried(piece, parameters))
    s = math.sqrt(length) * np.sqrt(frequencies) * sensitivity[..., None] / parameters.epsilon
    mean, residual, kept_mean = _without_noise(piece, a, v, ends)
    if parameters.differenced:
        # ⟨X − S_k, N_k⟩ = Σ_j z_j·(⟨X, v_j⟩ − Σ_{i≤j} a_i·⟨v_i, v_j⟩) − Σ_j a_j·Σ_{i<j} z_i·⟨v_i, v_j⟩
        overlaps = np.triu(v @ v.T, 1)
        cross = _times(piece, v.T) - energies * a - _times(a, overlaps)
    total = np.zeros(residual.shape)
    for block in _blocks(parameters.evaluations, piece.size):
        z = _unit_laplace((block.stop - block.start, *piece.shape), random)
        released_mean = kept_mean + s * np.cumsum(z * v_mean, axis=-1)[..., ends]
        if parameters.differenced:
            before = _times(z, overlaps)
            energy = np.cumsum(z * (energies * z + 2 * before), axis=-1)[..., ends]
            squared = residual + s * s * energy
            squared -= 2 * s * np.cumsum(z * cross - a * before, axis=-1)[..., ends]
        else:
            squared = residual + s * s * np.cumsum(energies * z * z, axis=-1)[..., ends]
        with np.errstate(divide="ignore", invalid="ignore"):  # of those whose mean is 0
            total += np.abs(squared / length / (mean * released_mean)).sum(axis=0)
    counted = mean != 0
    summed = np.where(counted, total, 0.0).sum(axis=0)
    errors: Numbers = summed / np.maximum(counted.sum(axis=0), 1) / parameters.evaluations
    return errors


def _without_noise(
    piece: Numbers, a: Numbers, v: Numbers, ends: NDArray[np.int64]
) -> tuple[Numbers, Numbers, Numbers]:
    """X̄ with shape (…, 1); and for every k, ‖X − S_k‖² and the mean of S_k, with shape (…, K)."""
    mean = piece.mean(axis=-1, keepdims=True)
    residual = piece.copy()
    squared, means, start = [], [], 0
    for end in ends + 1:
        residual -= _times(a[..., start:end], v[start:end])
        squared.append((residual * residual).sum(axis=-1))
        means.append(mean[..., 0] - residual.mean(axis=-1))
        start = end
    return mean, np.stack(squared, axis=-1), np.stack(means, axis=-1)


def _times(rows: Numbers, matrix: Numbers) -> Numbers:
    """All rows times a matrix, as one product: (…, i) and (i, j) → (…, j)."""
    product: Numbers = rows.reshape(-1, len(matrix)) @ matrix
    return product.reshape(*rows.shape[:-1], -1)


def _unit_laplace(shape: tuple[int, ...], random: WordSource) -> Numbers:
    """Lap(1), on a grid of 2⁻²⁰: far finer than a reproduction shows, and no float noise."""
    return discrete_laplace(float(_STEPS), shape, random=random) / _STEPS


def _blocks(count: int, size: int) -> list[slice]:
    """Cut `count` things of `size` numbers each into runs that fit in memory."""
    most = max(1, _BLOCK // max(size, 1))
    return [slice(start, min(start + most, count)) for start in range(0, count, most)]


def _checked(series: Numbers) -> Numbers:
    x = np.asarray(series, dtype=np.float64)
    if x.ndim != 3 or x.shape[0] < 2 or x.size == 0:
        raise ValueError(f"Expected series (people >= 2, features >= 1, n >= 1), found shape {x.shape}")
    if not np.isfinite(x).all():
        raise ValueError("Expected series of finite numbers")
    return np.ascontiguousarray(x)
