"""How a series becomes the integers that carry noise, and back: steps, Fourier coefficients of chunks, or of differences.

Bozkir et al. 2021: LPA noises the steps themselves; FPA the lowest k frequencies of the whole series; CFPA those of every
chunk; DCFPA those of every chunk's first differences, the chunk's first value being kept.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthrelease.numerics.ball import clip_to_ball
from synthrelease.numerics.exact_product import exact_images, image_error
from synthrelease.numerics.fourier import basis, coefficient_count, integer_coefficients, inverse
from synthrelease.numerics.steps import HALF_RANGE, half_diagonal

LPA, FPA, CFPA, DCFPA = "lpa", "fpa", "cfpa", "dcfpa"
CHUNKED = (CFPA, DCFPA)
_LARGEST_PRODUCT = 10**9  # operations of finding how far differences reach; beyond, a plainer bound is taken
_CARE = 1e-9  # relative: what an eigenvalue may err


@dataclass(frozen=True)
class ChunkGroup:
    """Chunks of one length: all of them but the last, or the last."""

    chunks: int  # how many
    length: int  # L, steps of each
    frequencies: int | None  # k, that each keeps; None if the steps themselves get the noise
    # L2 radius that the coefficients of each are clipped to, in steps; the largest step, if there are none
    radius: int

    @property
    def count(self) -> int:
        """K, the numbers that carry noise in one chunk."""
        return self.length if self.frequencies is None else coefficient_count(self.length, self.frequencies)


@dataclass(frozen=True)
class SignalForm:
    """The public numbers between a series and its integers."""

    mechanism: str  # "lpa", "fpa", "cfpa" or "dcfpa"
    length: int  # n, steps of every series
    chunk: int | None = None  # L, steps of a chunk for cfpa and dcfpa; what is left over is a shorter chunk
    # k, that a chunk keeps; one shorter than 2k − 1 steps keeps all it has. None for lpa.
    frequencies: int | None = None
    # the most that a series may change from one step to the next, in steps, for dcfpa; None for no limit
    max_change: int | None = None
    # radius that coefficients are clipped to, as a share of the largest that bounded series can have
    clip: float = 1.0

    def __post_init__(self) -> None:
        """Check that the numbers belong to the mechanism.

        Raises:
            ValueError: a chunk, frequencies or a limit where there is none, none where there must be, or one out of range.
        """
        side = self.length if self.chunk is None else self.chunk
        if (self.chunk is not None) != (self.mechanism in CHUNKED) or not 1 <= side <= self.length:
            raise ValueError(
                f"Expected 1 <= chunk <= {self.length} for {CHUNKED}, else none, found {self.chunk}"
            )
        if (self.frequencies is None) != (self.mechanism == LPA):
            raise ValueError(f"Expected frequencies for all but lpa, found {self.frequencies}")
        if self.frequencies is not None and not 1 <= self.frequencies <= side // 2 + 1:
            raise ValueError(f"Expected 1 <= frequencies <= {side // 2 + 1}, found {self.frequencies}")
        if self.max_change is not None and not (
            self.mechanism == DCFPA and 1 <= self.max_change <= 2 * HALF_RANGE
        ):
            raise ValueError(f"Expected a limit of changes only for dcfpa, found {self.max_change}")
        if not 0 < self.clip <= 1 or (self.mechanism == LPA and self.clip != 1):
            raise ValueError(f"Expected 0 < clip <= 1, and 1 for lpa, found {self.clip}")

    @functools.cached_property
    def parts(self) -> tuple[ChunkGroup, ...]:
        """The chunks by length: those of L steps, then the shorter one if there is any."""
        side = self.length if self.chunk is None else self.chunk
        whole, remainder = divmod(self.length, side)
        return tuple(self._part(chunks, steps) for chunks, steps in ((whole, side), (1, remainder)) if steps)

    def _part(self, chunks: int, length: int) -> ChunkGroup:
        if self.frequencies is None:
            return ChunkGroup(chunks, length, None, HALF_RANGE)
        frequencies = min(self.frequencies, length // 2 + 1)
        reach = (
            _reach_of_differences(length, frequencies, self.max_change)
            if self.mechanism == DCFPA
            else half_diagonal(length)
        )
        return ChunkGroup(chunks, length, frequencies, max(1, math.ceil(self.clip * reach)))

    @property
    def count(self) -> int:
        """How many numbers of one series carry noise."""
        return sum(part.chunks * part.count for part in self.parts)

    def integers(self, series: NDArray[np.int64], *, clipped: bool = True) -> NDArray[np.int64]:
        """Return what is to be added up and gets noise, of every series by itself.

        Args:
            series: in steps, within ±`HALF_RANGE`, shape (N, n).
            clipped: whether to keep to the radii, as a release must.

        Returns:
            Shape (N, `count`): the chunks one after the other, the coefficients of each from the lowest frequency on.
        """
        if self.mechanism == LPA:
            return series
        pieces, start = [], 0
        for part in self.parts:
            stop = start + part.chunks * part.length
            chunks = series[:, start:stop].reshape(-1, part.length)
            bound = HALF_RANGE
            if self.mechanism == DCFPA:
                chunks, bound = self._differences(chunks), 2 * HALF_RANGE
            assert part.frequencies is not None
            coefficients = integer_coefficients(chunks, part.frequencies, bound=bound)
            if clipped:
                coefficients = clip_to_ball(coefficients, part.radius)
            pieces.append(coefficients.reshape(len(series), part.chunks * part.count))
            start = stop
        return np.concatenate(pieces, axis=1)

    def _differences(self, chunks: NDArray[np.int64]) -> NDArray[np.int64]:
        """First differences, the first value kept; under a limit, those of a series that follows as fast as it may."""
        if self.max_change is None:
            return np.diff(chunks, axis=1, prepend=0)
        changes = chunks.copy()
        reached = chunks[:, 0].copy()
        for t in range(1, chunks.shape[1]):
            changes[:, t] = np.clip(chunks[:, t] - reached, -self.max_change, self.max_change)
            reached += changes[:, t]
        return changes

    def series(self, integers: NDArray[np.number]) -> NDArray[np.float64]:
        """Return the series, in steps, that integers stand for: shape (…, `count`) → (…, n)."""
        if self.mechanism == LPA:
            return integers.astype(np.float64)
        if integers.shape[-1] != self.count:
            raise ValueError(f"Expected {self.count} coefficients, found {integers.shape[-1]}")
        before, out = integers.shape[:-1], np.empty((*integers.shape[:-1], self.length))
        start = at = 0
        for part in self.parts:
            stop, end = start + part.chunks * part.count, at + part.chunks * part.length
            coefficients = integers[..., start:stop].reshape(*before, part.chunks, part.count)
            assert part.frequencies is not None
            chunks = inverse(coefficients.astype(np.float64, copy=False), part.length, part.frequencies)
            if self.mechanism == DCFPA:
                np.cumsum(chunks, axis=-1, out=chunks)  # the paper's line 3 adds only the step before
            out[..., at:end] = chunks.reshape(*before, -1)
            start, at = stop, end
        return out

    @functools.cached_property
    def spread(self) -> NDArray[np.float64]:
        """Standard deviation of each step of `series` for independent noise of variance 1 in every integer, shape (n,)."""
        pieces = []
        for part in self.parts:
            if self.mechanism == DCFPA:
                assert part.frequencies is not None
                sums = np.cumsum(basis(part.length, part.frequencies), axis=1)
                deviation = np.sqrt((sums**2).sum(axis=0))
            else:  # every step of an orthonormal basis weighs alike
                deviation = np.full(part.length, math.sqrt(part.count / part.length))
            pieces.append(np.tile(deviation, part.chunks))
        whole = np.concatenate(pieces)
        whole.flags.writeable = False
        return whole

    def left_out(self, integers: NDArray[np.int64], frequencies: int) -> NDArray[np.int64]:
        """Return what the lowest `frequencies` leave out of series, as integers of the norm that it has over time; of every series by itself.

        The other frequencies' coefficients, whose basis is orthonormal; of differences, what these add up to in steps of time.

        Args:
            integers: this form's at full band, not clipped, shape (N, `count`).
            frequencies: k.

        Returns:
            Shape (N, any), depending on k.
        """
        pieces, start = [], 0
        for part in self.parts:
            stop, kept = start + part.chunks * part.count, _kept(part, frequencies)
            omitted = integers[:, start:stop].reshape(-1, part.count)[:, kept:]
            if self.mechanism == DCFPA:
                omitted = exact_images(omitted, _added_up(part, kept), norm=self._norm(part))
            pieces.append(omitted.reshape(len(integers), part.chunks * omitted.shape[1]))
            start = stop
        return np.concatenate(pieces, axis=1)

    def left_out_reach(self, frequencies: int) -> float:
        """Return a bound of the norm of `left_out` of one series in [−H, H]^n whose integers at full band are not clipped.

        Of a chunk x it is Mx, M an orthogonal projection, or what becomes of one between differences and their running
        sum: at most H·√L·‖M‖₂ and H·√(Σ_t ‖M_t‖₁²); besides, coefficients were cut to integers, and bases rounded.
        """
        squared = 0.0
        for part in self.parts:
            kept = _kept(part, frequencies)
            back = forth = basis(part.length, part.length // 2 + 1)[kept:]
            rounded = 0.0
            if self.mechanism == DCFPA:
                back = _added_up(part, kept).T
                forth = _of_differences(part.length, part.length // 2 + 1)[kept:]
                rounded = image_error(back.T, self._norm(part))
            missed = back.T @ forth
            spread = math.sqrt(part.length) * float(np.linalg.norm(missed, 2))
            summed = math.sqrt(float((np.abs(missed).sum(axis=1) ** 2).sum()))
            cut = 2 * math.sqrt(len(back)) * float(np.linalg.norm(back, 2)) if len(back) else 0.0
            squared += part.chunks * (HALF_RANGE * min(spread, summed) + cut + rounded) ** 2
        return math.sqrt(squared) * (1 + _CARE)

    def _norm(self, part: ChunkGroup) -> float:
        """A bound of the norm of a chunk's integers at full band: of its differences, and each cut by less than 2."""
        return _reach_of_differences(part.length, part.length // 2 + 1, self.max_change) + 2 * math.sqrt(
            part.length
        )


def _added_up(part: ChunkGroup, kept: int) -> NDArray[np.float64]:
    """What the coefficients from the `kept`-th on add to each step of a chunk whose differences they are, shape (L, K − kept)."""
    return np.cumsum(basis(part.length, part.length // 2 + 1)[kept:], axis=1).T


def _kept(part: ChunkGroup, frequencies: int) -> int:
    return coefficient_count(part.length, min(frequencies, part.length // 2 + 1))


def _of_differences(length: int, frequencies: int) -> NDArray[np.float64]:
    """BD: Fourier coefficients of differences, as a matrix on the series; shape (K, L)."""
    rows = basis(length, frequencies)
    return -np.diff(rows, axis=1, append=0.0)


@functools.lru_cache(maxsize=4096)
def _reach_of_differences(length: int, frequencies: int, limit: int | None) -> int:
    """A bound of the norm of what k frequencies keep of the differences d = Dx of a series x in [−H, H]^L.

    The least of: √(H² + (L − 1)·b²), differences being at most b ≤ 2H, which is all there is at full band; and with
    M = BD, B the basis, H·√L·‖M‖₂ and H·√(Σ_j ‖M_j‖₁²). Low frequencies see little of differences that alternate.
    """
    change = 2 * HALF_RANGE if limit is None else limit
    reach = math.isqrt(HALF_RANGE**2 + (length - 1) * change**2 - 1) + 1
    count = coefficient_count(length, frequencies)
    if count * count * length > _LARGEST_PRODUCT:
        return reach
    rows = _of_differences(length, frequencies)
    spread = math.sqrt(float(np.linalg.eigvalsh(rows @ rows.T)[-1]) * length)
    summed = math.sqrt(float((np.abs(rows).sum(axis=1) ** 2).sum()))
    return min(reach, math.ceil(HALF_RANGE * min(spread, summed) * (1 + _CARE)))
