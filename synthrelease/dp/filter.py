"""What releases cost together that were chosen one after the other, each by someone who had seen those before: a privacy filter.

Composition as of one release (`accounting`) holds for events that were fixed beforehand. A curator who chooses with outcomes in hand can
make more of them: histories may each cost (ε, δ), and the choice between them up to twice the δ. Four sums are safe all the
same, each by itself, and so are several at once whose δ add up to no more than δ (`filter.proof.md`):

* P: Σ ε of pure releases, which costs no δ.
* G: the exact curve of Gaussian noise at μ² = Σ (Δ₂/σ)².
* R: Rényi divergences of one order α, which was fixed before anything was drawn: ε = c(α, δ) + Σ R_α.
* S: Σ ε of releases, each at a δ of its own, as long as those add up to no more than δ.

What the first release consists of decides which are used: G at 9/10 of δ and R at the rest; or R at all of it; P is free in both
cases; S alone, if the first is known by (ε, δ) only. A release that has no other next to it is composed exactly: that is not here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from synthrelease.dp import accounting, renyi
from synthrelease.dp.accounting import Parts, claimed
from synthrelease.dp.calibration import gaussian_epsilon
from synthrelease.dp.event import Event
from synthrelease.dp.rounding import float_down, float_up, root_up

GAUSSIAN_SHARE = Fraction(9, 10)  # of δ, for G; R has the rest, for the day when other noise joins
_USUAL_DELTA = 1e-6  # for the choice of an order, where a grant has no δ yet
_GAUSSIAN = Parts((), Fraction(1), ())


@dataclass(frozen=True)
class FilterSums:
    """What releases add up to, exactly: their order leaves no trace, and any of them can be taken out again."""

    releases: int = 0  # how many cost anything
    unbounded: int = 0  # how many of them the filter has no ε for
    pure: Fraction = Fraction(0)  # Σ ε of pure events
    mu_squared: Fraction = Fraction(0)  # Σ (Δ₂/σ)²
    divergence: Fraction = Fraction(0)  # Σ R_α
    epsilon: Fraction = Fraction(0)  # Σ of each release's own ε, under S
    delta: Fraction = Fraction(0)  # Σ of each release's own δ, under S

    def __add__(self, other: FilterSums) -> FilterSums:
        return FilterSums(*(a + b for a, b in zip(_values(self), _values(other), strict=True)))  # type: ignore[arg-type]

    def __sub__(self, other: FilterSums) -> FilterSums:
        return FilterSums(*(a - b for a, b in zip(_values(self), _values(other), strict=True)))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Filter:
    """What the releases of a dataset are compared with; decided by the first and its grant, before anything was drawn."""

    order: float | None  # α of R; None where all is added up
    gaussian: bool = False  # whether there is a G: the first release has Gaussian noise alone

    @property
    def adds_up(self) -> bool:
        """Whether it is S: releases are counted at a δ of their own."""
        return self.order is None

    @classmethod
    def of(cls, first: Sequence[Event], *, epsilon: float, delta: float) -> Self | None:
        """Return the filter of a dataset whose first release this is, with (ε, δ) for all; None if it costs nothing, and is no first."""
        parts = private_parts(first)
        if not _costs(parts):
            return None
        if parts.opaque:
            return cls(None)
        gaussian = parts.mu_squared > 0 and not parts.pure
        like = parts if parts.mu_squared > 0 else _GAUSSIAN
        room = _renyi_share(gaussian=gaussian) * Fraction(delta or _USUAL_DELTA)
        return cls(renyi.best_order(like, epsilon, room), gaussian)

    def sums(self, release: Sequence[Event], *, delta: float) -> FilterSums:
        """Return what a release comes to; δ is its own, of its plan."""
        return _sums(self.order, tuple(release), delta)

    def epsilon(self, sums: FilterSums, *, delta: float, budget: float | None = None) -> float:
        """Return ε of releases at δ, rounded up; infinity if they have none. `budget` as in `accounting.compose`."""
        least = min(self._bounds(sums, Fraction(delta)), default=None)
        return math.inf if least is None else claimed(float_up(max(least, Fraction(0))), 6, budget)

    def _bounds(self, sums: FilterSums, delta: Fraction) -> list[Fraction]:
        """ε of every sum that holds for such releases."""
        if sums.unbounded:
            return []
        if self.order is None:
            return [sums.epsilon] if sums.delta <= _as_written(float(delta)) else []
        bounds = [] if sums.mu_squared else [sums.pure]
        if delta == 0:
            return bounds
        if self.gaussian and not sums.pure and sums.mu_squared:
            part = float_down(GAUSSIAN_SHARE * delta)
            mu = root_up(sums.mu_squared)
            bounds.append(Fraction(gaussian_epsilon(part, sigma=1.0, sensitivity=mu)))
        renyi_delta = _renyi_share(gaussian=self.gaussian) * delta
        return [*bounds, renyi.conversion(self.order, renyi_delta) + sums.divergence]


def private_parts(release: Sequence[Event]) -> Parts:
    """Return what is known of those events of a release that are differentially private."""
    return accounting.parts_of([event for event in release if accounting.is_differentially_private(event)])


def _costs(parts: Parts) -> bool:
    return bool(parts.pure or parts.needs_delta)


@functools.lru_cache(maxsize=4096)
def _sums(order: float | None, release: tuple[Event, ...], delta: float) -> FilterSums:
    parts = private_parts(release)
    if not _costs(parts):
        return FilterSums()
    pure = sum(parts.pure, Fraction(0))
    if order is None:
        return _own(release, delta) if parts.needs_delta else FilterSums(1, epsilon=pure)
    return FilterSums(
        1, int(bool(parts.opaque)), pure, parts.mu_squared, divergence=renyi.divergence(parts, order)
    )


def _own(release: tuple[Event, ...], delta: float) -> FilterSums:
    """A release by (ε, δ) of its own."""
    private = [event for event in release if accounting.is_differentially_private(event)]
    epsilon = accounting.unrounded_epsilon(private, delta=delta)[0] if delta > 0 else math.inf
    if math.isinf(epsilon):
        return FilterSums(1, unbounded=1)
    return FilterSums(1, epsilon=Fraction(epsilon), delta=_as_written(delta))


def _renyi_share(*, gaussian: bool) -> Fraction:
    return 1 - GAUSSIAN_SHARE if gaussian else Fraction(1)


def _as_written(delta: float) -> Fraction:
    """The decimal that a person wrote: ten times 1e-7 is 1e-6. The number in its place differs by less than composition rounds up."""
    return Fraction(repr(delta))


def _values(sums: FilterSums) -> tuple[int | Fraction, ...]:
    return tuple(vars(sums).values())
