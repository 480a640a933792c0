"""The difference of two estimates, with what their noise and their participants have in common."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from synthrelease.errors import ArgumentError
from synthrelease.inference.contrast import Contrast
from synthrelease.inference.estimate import Estimate
from synthrelease.inference.quotient import Quotient
from synthrelease.inference.spread import KNOWN, PARTICIPANTS, PersonVariance, Spread, joined

Numbers = NDArray[np.float64]

_UNKNOWN = "How the values of one participant go together is not known: the interval is conservative, as if the errors were opposite."


def difference(
    first: Estimate,
    second: Estimate,
    *,
    correlation: float | None = None,
    spread: Spread | None = None,
    same_people: bool | None = None,
) -> Estimate:
    """Return first − second: between groups, features, stimuli, areas, time steps, cells, or releases. Differences of differences too.

    Noise is independent between integers; of the same integers (two steps of a curve, two cells of a map) it is counted as what it is.

    Args:
        first: an estimate.
        second: another of the same shape, or a number next to a curve or map.
        correlation: between the two values of one participant, where both are of the same people; None if unknown.
        spread: the standard deviation between participants of their own difference, where both are of the same people; instead of `correlation`.
        same_people: whether both are of the same people; None to take two releases for releases of different people,
            and two groups of one release in which each person counts in one group only.

    Returns:
        An `Estimate`; `p_value()` tests that there is no difference.

    Raises:
        ArgumentError: different levels, targets or shapes, or what is said of the people cannot be used.

    Example:
        >>> import numpy as np
        >>> from synthrelease import arrays, inference
        >>> people = np.arange(400)
        >>> pupil = arrays.statistics(
        ...     person=people,
        ...     values={"pupil_mm": 3 + 0.5 * (people % 2) + 0.3 * np.sin(people)},
        ...     bounds={"pupil_mm": (1.5, 8.0)},
        ...     labels={"task": np.where(people % 2, "hard", "easy")},
        ...     categories={"task": ["easy", "hard"]},
        ...     by="task",
        ...     statistics=["mean", "variance"],
        ...     epsilon=4.0,
        ... )
        >>> easy, hard = (inference.mean(pupil, group=task) for task in ("easy", "hard"))
        >>> effect = inference.difference(hard, easy)
        >>> bool(effect.low < 0.5 < effect.high)
        True
    """
    _check(first, second)
    same = _have_same_people(first, second) if same_people is None else same_people
    if not same and (correlation is not None or spread is not None):
        raise ArgumentError(
            "different-people",
            "values of different people have no correlation",
            where="difference()",
            expected="correlation or spread only where both estimates are of the same people",
            remedy="leave it out; or say by `same_people` that they are the same people",
        )
    if correlation is not None and not -1 <= correlation <= 1:
        raise ArgumentError(
            "bad-correlation",
            "there is no such correlation",
            where="difference().correlation",
            found=f"{correlation:g}",
            expected="from −1 to 1",
            remedy="give the correlation between the two values of one participant",
        )
    one, other = first.evidence, second.evidence
    words = [first.assumptions, second.assumptions, _of_people(same=same)]
    if isinstance(one, Quotient) and isinstance(other, Quotient) and one.shares_divisor(other):
        quotient = _one_quotient(one, other, correlation, spread, first.target)
        words.append(quotient.variance.assumptions)
        if quotient.variance.is_bound:
            correlation = None  # of bounds none is used
        evidence: Quotient | Contrast = quotient
    else:
        evidence = _contrast(one, other, correlation if same else 0.0, spread, first.target)
    if same and first.target != PARTICIPANTS:
        words.append(_of_correlation(correlation, spread))
    larger = first if evidence.count == first.evidence.count else second
    return Estimate(
        f"{first.name} − {second.name}",
        larger.coordinates,
        first.level,
        first.target,
        joined(words),
        evidence,
        tuple(dict.fromkeys((*first.people, *second.people))),
    )


def _one_quotient(
    one: Quotient, other: Quotient, correlation: float | None, spread: Spread | None, target: str
) -> Quotient:
    """The difference of two functions of the same integers: their noises cancel as far as they are the same."""
    count = max(one.count, other.count)
    one, other = one.wide(count), other.wide(count)
    low, high = (one.limits[0] - other.limits[1], one.limits[1] - other.limits[0])
    if target == PARTICIPANTS:
        variance = PersonVariance.none(one.count)
    elif spread is not None:
        variance = PersonVariance.given(spread, one.count)
    elif one.is_share and other.is_share and (correlation is None or one.variance.is_bound):
        # Shares x, y of one whole: (x − y)² ≤ x + y, so the variance is at most p + q − (p − q)².
        most = np.minimum(1.0, one.ends(1 - 1e-3)[1] + other.ends(1 - 1e-3)[1])
        variance = replace(
            PersonVariance.between(low, high), constant=np.maximum(most, 0.0), linear=np.zeros(one.count)
        )
    elif one.variance.is_bound or other.variance.is_bound:
        variance = PersonVariance.between(low, high)
    else:
        variances = (one.variance.constant, other.variance.constant)
        freedom = np.minimum(one.variance.freedom, other.variance.freedom)
        variance = PersonVariance.of(_difference_variance(*variances, correlation), freedom)
    return replace(
        one,
        above=one.above - other.above,
        offset=one.offset - other.offset,
        limits=(low, high),
        variance=variance,
        is_share=False,
    )


def _difference_variance(one: Numbers, other: Numbers, correlation: float | None) -> Numbers:
    return one + other - 2 * (-1.0 if correlation is None else correlation) * np.sqrt(one * other)


def _contrast(
    one: Quotient | Contrast,
    other: Quotient | Contrast,
    correlation: float | None,
    spread: Spread | None,
    target: str,
) -> Contrast:
    count = max(one.count, other.count)
    if spread is None:
        (v, of_v), (w, of_w) = _sampling(one), _sampling(other)
        total = np.broadcast_to(_difference_variance(v, w, correlation), (count,))
        parts = v**2 / of_v + w**2 / of_w
        freedom = np.broadcast_to(
            np.where(parts > 0, (v + w) ** 2 / np.where(parts > 0, parts, 1.0), KNOWN), (count,)
        )
    else:
        given = PersonVariance.given(spread, count)
        total, freedom = given.constant / _sampled(one, other), given.freedom
    return Contrast(_merged((*_signed(one, 1.0), *_signed(other, -1.0)), target), total, freedom)


Terms = tuple[tuple[float, Quotient], ...]


def _merged(terms: Terms, target: str) -> Terms:
    """Make one term of those that share integers and divisor, as their noise is the same: of (c − b) − (b − a) b counts twice."""
    merged: list[tuple[float, Quotient]] = []
    for sign, quotient in terms:
        for place, (own, term) in enumerate(merged):
            if term.shares_divisor(quotient):
                less = quotient if sign != own else quotient.negative()
                merged[place] = (own, _one_quotient(term, less, None, None, target))
                break
            if term.integers.key == quotient.integers.key:
                raise ArgumentError(
                    "same-noise",
                    "the same noisy integers are divided by different numbers of participants",
                    where="difference()",
                    expected="estimates that are divided alike",
                    remedy="give both the same people, or neither",
                )
        else:
            merged.append((sign, quotient))
    # Nothing is left of what is in both.
    return tuple(one for one in merged if one[1].above.any() or one[1].offset.any()) or tuple(merged[:1])


def _signed(evidence: Quotient | Contrast, sign: float) -> tuple[tuple[float, Quotient], ...]:
    if isinstance(evidence, Quotient):
        return ((sign, evidence),)
    return tuple((sign * own, quotient) for own, quotient in evidence.terms)


def _sampling(evidence: Quotient | Contrast) -> tuple[Numbers, Numbers]:
    """Variance of the sampling error and its degrees of freedom; of a bound the largest that the interval allows."""
    if isinstance(evidence, Contrast):
        return evidence.sampling, evidence.freedom
    if evidence.variance.is_bound:
        low, high = evidence.ends(1 - 1e-3)
        within = (np.clip(end, *evidence.limits) for end in (low, high))
        return evidence.sampling_of(evidence.variance.most(*within)), evidence.variance.freedom
    return evidence.sampling, evidence.variance.freedom


def _sampled(one: Quotient | Contrast, other: Quotient | Contrast) -> float:
    """How many participants both estimates are of, at least."""
    quotients = [quotient for evidence in (one, other) for _, quotient in _signed(evidence, 1.0)]
    return min(quotient.participants for quotient in quotients)


def _check(first: Estimate, second: Estimate) -> None:
    for one in (first, second):
        if not isinstance(one, Estimate):
            raise ArgumentError(
                "not-an-estimate",
                "this is no estimate",
                where="difference()",
                found=type(one).__name__,
                expected="what mean, proportions, curve, heatmap or difference returned",
                remedy="test an estimate against a number by p_value(number)",
            )
    for name in ("level", "target"):
        if getattr(first, name) != getattr(second, name):
            raise ArgumentError(
                "mixed-estimates",
                f"the estimates have not the same {name}",
                where="difference()",
                found=f"{getattr(first, name)} and {getattr(second, name)}",
                expected="one and the same",
                remedy=f"make both with the same {name}",
            )
    if first.shape != second.shape and first.shape and second.shape:
        raise ArgumentError(
            "different-shapes",
            "the estimates have different shapes",
            where="difference()",
            found=f"{first.shape} and {second.shape}",
            expected="the same, or a number",
            remedy="choose places with at(…)",
        )


def _have_same_people(first: Estimate, second: Estimate) -> bool:
    """Whether anyone may be in both, by what is public."""
    return any(not one.are_others(other) for one in first.people for other in second.people)


def _of_people(*, same: bool) -> tuple[str, ...]:
    if same:
        return ()
    return ("No one is among the participants of both.",)


def _of_correlation(correlation: float | None, spread: Spread | None) -> tuple[str, ...]:
    if spread is not None:
        return (
            f"The standard deviation between participants of the difference is that of {spread.source.strip()}.",
        )
    if correlation is None:
        return (_UNKNOWN,)
    return (f"The two values of a participant have a correlation of {correlation:g}, as the analyst says.",)
