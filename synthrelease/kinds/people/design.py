"""What is public of the three rounds: how the budget is shared, and which numbers are asked how precisely.

All of it follows from public numbers and made-up people, and is stated in the manifest: a reader needs no more to compute on
(`people.proof.md`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from synthrelease.field_schema import described
from synthrelease.kinds.people.form import (
    BETWEEN_PAIRS,
    CONTRASTS,
    KEPT,
    MEAN,
    SLOPE,
    WITHIN_PAIRS,
    PeopleForm,
)
from synthrelease.kinds.people.made_up import dependence_vectors, feature_coefficients
from synthrelease.kinds.people.pilot import Pilot
from synthrelease.numerics.log_density import Densities, cosines
from synthrelease.numerics.precision_weights import precision_weights
from synthrelease.numerics.public_draws import PublicDraws

Numbers = NDArray[np.float64]
Listed = tuple[float, ...]

RADIUS = 1 << 20  # grid units: of all three vectors of a person together
_SEED = 20260  # of the made-up people
_DECAY = 0.5  # of the importance of a cosine with its order: total variation is about the first
_REACH = (
    1.15,
    0.8,
)  # squared radius of a vector of coefficients over the expected squared norm, coarse and fine
_INSIDE = 0.7  # of made-up people: within the radius of the third vector
# Of a block as a whole: 1, but for these.
_KEPT_SHARE = 0.1  # of a person's expected squared norm in the third round: for what clipping leaves
_IMPORTANCE = {CONTRASTS: 2.0, SLOPE: 0.2}
# In the fine round a person is expected to differ from the mean as a window would, times this, and the mean is uncertain by that.
_PERSON_SHARE, _UNCERTAIN_SHARE = 0.45, 0.35
_LEAST_SQUARE, _LEAST_PRIOR = 0.01, 1e-4
_SIZES = (30.0, 135.0, 540.0)  # n·μ, for which shares of μ² are given; between them in its logarithm
_SHARES = ((0.6, 0.3, 0.1), (0.42, 0.28, 0.3), (0.3, 0.3, 0.4))
_PILOT_SHARES = ((0.3, 0.5, 0.2), (0.3, 0.35, 0.35), (0.3, 0.3, 0.4))
_PILOT_PRIOR = 0.5  # of the variance of a mean coefficient without a pilot: how far participants are from it
_DIGITS = 6  # of a weight, in the manifest
_SHARE_STEPS = 10**6  # shares are rounded down: together they may not be more than everything
_SAME = 2e-5  # relative: another machine may round the last digit otherwise


@dataclass(frozen=True)
class PeopleDesign:
    """Public numbers of the three rounds, rounded as a manifest states them."""

    shares: Annotated[Listed, described("Of the squared radius, for the rounds.")]
    coarse_weights: Annotated[Listed, described("Of a cosine coefficient in the first round, by order.")]
    coarse_squares: Annotated[Listed, described("Expected square of a person's coefficient, by order.")]
    coarse_priors: Annotated[
        Listed, described("Variance of the mean coefficient before anything is known, by order.")
    ]
    block_weights: Annotated[Listed, described("Of a number in the third round, by block.")]
    block_squares: Annotated[Listed, described("Expected square of a person's number, by block.")]
    block_priors: Annotated[
        Listed, described("Variance of the mean number before anything is known, by block.")
    ]
    block_centres: Annotated[
        Listed, described("What is subtracted from a person's number in the third round, by block.")
    ]
    marginal_risk: Annotated[
        float, described("Share of what is unknown of marginals that is expected to stay so.")
    ]
    dependence_risk: Annotated[float, described("The same of dependence.")]

    @property
    def radii(self) -> tuple[int, ...]:
        """Of each vector of a person, in grid units: their squares add up to at most `RADIUS`²."""
        return tuple(math.isqrt(int(share * RADIUS**2)) for share in self.shares)

    def is_same(self, other: PeopleDesign) -> bool:
        """Return whether another design has as many numbers, and the same but for their last digit."""
        pairs = [(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)]
        return all(
            np.shape(one) == np.shape(two) and np.allclose(one, two, rtol=_SAME, atol=0) for one, two in pairs
        )


def design_for(
    form: PeopleForm, *, windows: int, people: int, mu: float, pilot: Pilot | None = None
) -> PeopleDesign:
    """Return the design of the rounds.

    Args:
        form: of the vectors.
        windows: of a person in a condition, nominally.
        people: n.
        mu: of the output as a Gaussian mechanism: sensitivity over the noise's standard deviation.
        pilot: other people, from whom participants are expected to differ less than from nothing.
    """
    shares = np.array(shares_for(people * mu, has_pilot=pilot is not None))
    coarse_noise, _, dependence_noise = (2 / (mu * np.sqrt(shares) * people)) ** 2
    squares, prior, importance = _expected_coefficients(form.cosines)
    if pilot is not None:
        prior = _PILOT_PRIOR * prior
        squares = np.array(pilot.squares) + prior
    weights, marginal_risk = precision_weights(
        squares=squares,
        prior=prior,
        importance=importance,
        count=np.full(form.cosines, float(form.features)),
        noise=coarse_noise * _REACH[0],
    )
    blocks = _expected_blocks(form, windows)
    is_kept = np.array([name == KEPT for name in form.sizes])
    asked = (blocks.counts > 0) & ~is_kept
    block_weights = np.ones(asked.size)
    block_weights[asked], dependence_risk = precision_weights(
        squares=blocks.squares[asked],
        prior=blocks.prior[asked],
        importance=blocks.importance[asked],
        count=blocks.counts[asked],
        noise=dependence_noise,
    )
    block_weights[is_kept] = math.sqrt(_KEPT_SHARE / (1 - _KEPT_SHARE))
    block_weights /= np.quantile(blocks.norms(block_weights), _INSIDE)
    return PeopleDesign(
        shares=tuple(math.floor(share * _SHARE_STEPS) / _SHARE_STEPS for share in shares),
        coarse_weights=_rounded(weights / math.sqrt(_REACH[0])),
        coarse_squares=_rounded(squares),
        coarse_priors=_rounded(prior),
        block_weights=_rounded(block_weights),
        block_squares=_rounded(blocks.squares),
        block_priors=_rounded(blocks.prior),
        block_centres=_rounded(blocks.centres),
        marginal_risk=_rounded([marginal_risk])[0],
        dependence_risk=_rounded([dependence_risk])[0],
    )


def shares_for(size: float, *, has_pilot: bool = False) -> Listed:
    """Return shares of μ² for the three rounds, at n·μ: the smaller it is, the more goes to marginals, as nothing else can be learnt."""
    shares = _PILOT_SHARES if has_pilot else _SHARES
    places = np.log(_SIZES)
    return tuple(float(np.interp(math.log(size), places, column)) for column in zip(*shares, strict=True))


def fine_round(coarse: Densities, form: PeopleForm, *, noise: float) -> tuple[Numbers, Numbers, Numbers]:
    """Return centre, weights and expected squares of coefficients in the second round, shape (F, K) each.

    Coefficients in which people of such marginals differ little are asked more precisely.

    Args:
        coarse: what the first round released.
        form: of the vectors.
        noise: variance of the noise of a mean of weight 1.
    """
    table = cosines(form.cosines, form.bins)
    centre = coarse.density @ table.T
    of_window = coarse.density @ (table**2).T - centre**2
    weights, squares = fine_weights(of_window, coarse.variance, form, noise=noise)
    return centre, weights, squares


def fine_weights(
    of_window: Numbers, uncertainty: Numbers, form: PeopleForm, *, noise: float
) -> tuple[Numbers, Numbers]:
    """Return weights and expected squares of coefficients in the second round, shape (F, K) each.

    Args:
        of_window: variance of a window's coefficient, shape (F, K).
        uncertainty: variance of what is known of the mean coefficient, shape (F, K).
        form: of the vectors.
        noise: variance of the noise of a mean of weight 1.
    """
    squares = _PERSON_SHARE * of_window + _LEAST_SQUARE + _UNCERTAIN_SHARE * uncertainty
    weights, _ = precision_weights(
        squares=squares.ravel(),
        prior=uncertainty.ravel() + _LEAST_PRIOR,
        importance=np.broadcast_to(_order_importance(form.cosines), squares.shape).ravel(),
        count=np.ones(squares.size),
        noise=noise * _REACH[1],
    )
    return weights.reshape(squares.shape) / math.sqrt(_REACH[1]), squares


def by_number(form: PeopleForm, of_blocks: Listed) -> Numbers:
    """Return what is stated of blocks for every number of the third vector, shape (size,)."""
    return np.repeat(np.array(of_blocks), list(form.sizes.values()))


def _order_importance(cosines: int) -> Numbers:
    return np.asarray(np.arange(1, cosines + 1) ** -_DECAY, dtype=np.float64)


@lru_cache(maxsize=16)
def _expected_coefficients(cosines: int) -> tuple[Numbers, Numbers, Numbers]:
    """Of cosine coefficients, by order: expected squares, prior variance of the mean, importance."""
    made_up = feature_coefficients(cosines, PublicDraws(_SEED))
    squares, prior = (made_up**2).mean(axis=(0, 1)), (made_up.mean(axis=0) ** 2).mean(axis=0)
    return squares, prior, _order_importance(cosines)


@dataclass(frozen=True)
class _Blocks:
    """What is expected of the third vector, by block; and the vectors it is expected from."""

    counts: Numbers
    centres: Numbers
    squares: Numbers
    prior: Numbers
    importance: Numbers
    second_moments: (
        Numbers  # of made-up people about the centre: squares of each block added up, shape (people, blocks)
    )

    def norms(self, weights: Numbers) -> Numbers:
        """Return the norms of the made-up people's weighted vectors, shape (people,)."""
        return np.asarray(np.sqrt(self.second_moments @ weights**2))


@lru_cache(maxsize=16)
def _expected_blocks(form: PeopleForm, windows: int) -> _Blocks:
    names = list(form.sizes)
    populations = [form.blocks(vectors) for vectors in dependence_vectors(form, windows, PublicDraws(_SEED))]
    centres, squares, prior, moments = [], [], [], []
    for name in names:
        vectors = np.stack([blocks[name] for blocks in populations])
        mean = vectors.mean(axis=1)
        centre = float(mean.mean()) if name.endswith(MEAN) else 0.0
        size = max(form.sizes[name], 1)
        centres.append(centre)
        squares.append(
            float(((vectors - centre) ** 2).sum() / vectors[..., :1].shape[0] / vectors.shape[1] / size)
            + 1e-9
        )
        prior.append(float(((mean - centre) ** 2).sum() / len(mean) / size) + 1e-9)
        moments.append(((vectors - centre) ** 2).sum(axis=-1).ravel())
    return _Blocks(
        np.array(list(form.sizes.values()), dtype=np.float64),
        np.array(centres),
        np.array(squares),
        np.array(prior),
        np.array([_block_importance(form, name) for name in names]),
        np.stack(moments, axis=1),
    )


def _block_importance(form: PeopleForm, name: str) -> float:
    """Of a number: the block's as a whole, divided among its numbers."""
    block = name.removesuffix(MEAN)
    numbers = {
        BETWEEN_PAIRS: form.features**2 / 2,
        WITHIN_PAIRS: form.features**2 / 2,
        CONTRASTS: max(form.conditions - 1, 1) * form.features,
    }
    return _IMPORTANCE.get(block, 1.0) / numbers.get(block, form.features)


def _rounded(numbers: Numbers | list[float]) -> Listed:
    return tuple(float(f"{number:.{_DIGITS}g}") for number in numbers)
