"""Exact integer noise at array speed, by certified inversion.

A 64-bit word gives a sign and a 63-bit number t that brackets an upper-tail probability,
u ∈ [t, t+1]·2⁻⁶⁴ for the Gaussian (u ≤ ½) and u ∈ [t, t+1]·2⁻⁶³ for the Laplace. The bracket is inverted once
in floating point and widened by everything that could be wrong with the result. If the widened bracket
holds one integer only, that integer is the sample. If not, more random bits are appended and the decision
is taken in multi-precision (`refinement.py`), so that the sample is the one that infinitely many random
bits and exact arithmetic would have given.

The certificate holds given that scipy's `ndtri` and NumPy's `log` err by less than `_ALLOWANCE`·(1+|x|): both
document errors near 1e-15, and tests compare them with multi-precision at their branch points.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from synthrelease.dp.noise.refinement import gaussian_tail, laplace_tail, reaches, resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from synthrelease.dp.noise.entropy import WordSource
    from synthrelease.dp.noise.refinement import Tail

_ALLOWANCE = 1e-13  # conversion, function evaluation, multiplication, addition: each near 1e-16
_NEAR = 0.25  # of a step: what is as certain as that leaves one boundary in doubt
_FAR = 5.0  # standard deviations, beyond which the bracket is looked at
_WORDS = 1 << 15  # words in flight: stays in the cache
SMALLEST_SCALE, LARGEST_SCALE = 2.0**-20, 2.0**40  # all noise is 0; every draw would have to be refined


def rounded_gaussian(sigma: float, size: int | tuple[int, ...], *, random: WordSource) -> NDArray[np.int64]:
    """Draw from N(0, σ²) rounded to the nearest integer, exactly.

    P(k) = Φ((k+½)/σ) − Φ((k−½)/σ). Added to an integer this *is* the continuous Gaussian mechanism followed
    by rounding, so μ = Δ₂/σ and every bound for Gaussian noise hold (Balle & Wang 2018, Theorem 8).

    Args:
        sigma: standard deviation before rounding, in steps of the grid; 2⁻²⁰ ≤ σ ≤ 2⁴⁰.
        size: shape of the result.
        random: where the words come from.

    Raises:
        ValueError: σ is not a positive number within range.

    Example:
        >>> from synthrelease.dp.noise import SecureRandom
        >>> rounded_gaussian(10.0, (2, 3), random=SecureRandom()).shape
        (2, 3)
    """
    _check_scale("sigma", sigma)
    tail = gaussian_tail(sigma)
    return _sample(size, random, lambda t: _gaussian_magnitude(sigma, t, tail, random))


def discrete_laplace(scale: float, size: int | tuple[int, ...], *, random: WordSource) -> NDArray[np.int64]:
    """Draw from the discrete Laplace distribution, P(k) ∝ exp(−|k|/b), exactly.

    Added to an integer query of L1 sensitivity Δ₁ it is (Δ₁/b)-differentially private, with no δ
    (Ghosh, Roughgarden & Sundararajan 2009).

    Args:
        scale: b, in steps of the grid; 2⁻²⁰ ≤ b ≤ 2⁴⁰.
        size: shape of the result.
        random: where the words come from.

    Raises:
        ValueError: b is not a positive number within range.
    """
    _check_scale("scale", scale)
    tail = laplace_tail(scale)
    return _sample(size, random, lambda t: _laplace_magnitude(scale, t, tail, random))


def _sample(
    size: int | tuple[int, ...],
    random: WordSource,
    magnitude: Callable[[NDArray[np.int64]], NDArray[np.int64]],
) -> NDArray[np.int64]:
    shape = tuple(size) if isinstance(size, tuple) else (operator.index(size),)
    out = np.empty(math.prod(shape), dtype=np.int64)
    for start in range(0, out.size, _WORDS):
        words = random.words(min(_WORDS, out.size - start))
        drawn = magnitude((words >> np.uint64(1)).view(np.int64))
        sign = (words & np.uint64(1)).view(np.int64)
        np.negative(sign, out=sign)  # 0, or −1, whose bits are all 1: that of a negative number
        drawn ^= sign
        np.subtract(drawn, sign, out=out[start : start + drawn.size])
    return out.reshape(shape)


def _gaussian_magnitude(
    sigma: float, t: NDArray[np.int64], tail: Tail, random: WordSource
) -> NDArray[np.int64]:
    z = t + 0.5
    z *= 2.0**-64
    ndtri(z, out=z)  # −x: an upper tail has the quantile of the lower one, but for its sign
    y = z * -sigma
    k = np.rint(y)
    y -= k
    to_middle = np.abs(y, out=y)
    # Below x = 5 the slack is less than of x = 5, and the bracket narrower than that: twice as much, and there is no doubt.
    doubtful = np.flatnonzero((to_middle >= 0.5 - 2.0 * sigma * _ALLOWANCE * (1.0 + _FAR)) | (z < -_FAR))
    if doubtful.size:
        far = -z[doubtful]
        y, to_boundary = sigma * far, 0.5 - to_middle[doubtful]
        slack = sigma * _ALLOWANCE * (1.0 + far)
        with np.errstate(divide="ignore", over="ignore"):
            # The isoperimetric profile φ(Φ⁻¹(u)) is concave and 0 at 0: for t ≥ 1 the density anywhere in
            # the bracket is at least 2/3 of the middle's, and half the width over it less than this.
            bracket = 2.0**-64 * math.sqrt(2 * math.pi) * np.exp(0.5 * far * far) * 1.001
        in_doubt = slack + sigma * bracket
        open_ = (to_boundary <= in_doubt) | (t[doubtful] == 0)
        for index, at, near in zip(doubtful[open_], y[open_], in_doubt[open_], strict=True):
            # |k| ≥ j if and only if y ≥ j − ½; one such boundary at most is within a quarter of y.
            boundary = int(np.rint(at + 0.5)) if near < _NEAR and t[index] else None
            k[index] = _refined((int(t[index]), 64), int(k[index]), boundary, tail, random)
    drawn: NDArray[np.int64] = k.astype(np.int64)
    return drawn


def _laplace_magnitude(
    scale: float, t: NDArray[np.int64], tail: Tail, random: WordSource
) -> NDArray[np.int64]:
    u = (t + 0.5) * 2.0**-63
    # |k| ≥ j if and only if u ≤ 2qʲ/(1+q), q = exp(−1/b); so |k| is the floor of b·(ln(2/(1+q)) − ln u).
    x = math.log(2.0) - math.log1p(math.exp(-1.0 / scale)) - np.log(u)
    y = scale * x
    k = np.floor(y)
    to_boundary = np.minimum(y - k, k + 1.0 - y)
    slack = scale * _ALLOWANCE * (1.0 + x)
    doubtful = np.flatnonzero((to_boundary <= 2.0 * slack) | (u < 1e-4))
    if doubtful.size:
        bracket = scale * 2.0**-63 / u[doubtful]  # for t ≥ 1 half the width over the least u is less
        open_ = (to_boundary[doubtful] <= slack[doubtful] + bracket) | (t[doubtful] == 0)
        for index, near in zip(doubtful[open_], (slack[doubtful] + bracket)[open_], strict=True):
            boundary = int(np.rint(y[index])) if near < _NEAR and t[index] else None
            k[index] = _refined((int(t[index]), 63), max(int(k[index]), 0), boundary, tail, random)
    drawn: NDArray[np.int64] = k.astype(np.int64)
    return drawn


def _refined(word: tuple[int, int], guess: int, boundary: int | None, tail: Tail, random: WordSource) -> int:
    """The magnitude of a number of so many bits: decided at one boundary, or from a guess if another could be meant."""
    if boundary is None:
        return resolve(*word, guess, tail, random)
    return boundary if reaches(boundary, *word, tail, random) else boundary - 1


def _check_scale(name: str, value: float) -> None:
    if not SMALLEST_SCALE <= value <= LARGEST_SCALE:
        raise ValueError(f"Expected 2**-20 <= {name} <= 2**40, found {name}={value}")
