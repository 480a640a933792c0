"""The contract of quantiles: what one person can do to all choices together, and that it is what the event says.

A choice whose utilities move by d costs ε·d/Δ of its ε. All choices of a release, of every group and feature, must then
cost no more than those that the event lists; and by the exact law of permute-and-flip, no outcome may be more than e^ε
times as likely.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import few

from synthrelease.dp import accounting
from synthrelease.dp.event import flatten
from synthrelease.dp.guarantee import PureDP
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.statistics import quantiles
from synthrelease.kinds.statistics.grouped_rows import counted_groups
from synthrelease.numerics.statistics import quantile

if TYPE_CHECKING:
    from variants.people import Person
    from variants.variant import Variant


def choices_of(v: Variant, people: Sequence[Person], order: int | None = None) -> list[tuple[int, list[int]]]:
    """Δ and utilities of every choice that a release makes."""
    p = v.of(max(len(people), 1))
    data = v.data(people, order)
    groups, public = max(1, len(p.groups)), p.parameters
    group = counted_groups(data, by=p.by, groups=groups, max_groups=p.max_groups)
    counts = quantiles.people_per_interval(data, group, groups=groups, steps=p.quantile_steps)
    return [
        (
            public.quantile_sensitivity(name, p.neighbours),
            quantiles.utilities(counts[place], quantile(name) or Fraction(0)),
        )
        for name in public.quantiles
        for place in np.ndindex(counts.shape[:2])
    ]


def cost(v: Variant, one: Sequence[Person], other: Sequence[Person]) -> Fraction:
    """What all choices together tell of the difference, in choices of full ε."""
    pairs = zip(choices_of(v, one), choices_of(v, other), strict=True)
    return sum(
        (
            Fraction(max(abs(x - y) for x, y in zip(before, after, strict=True)), delta)
            for (delta, before), (_, after) in pairs
        ),
        Fraction(0),
    )


def narrow(v: Variant) -> Variant:
    return replace(v, parameters=replace(v.parameters, quantile_steps=8))


def neighbours(v: Variant) -> list[tuple[list[Person], list[Person]]]:
    beside = v.ordinary(2)
    people = [a for a in v.adversaries() if len(a.rows) < 100][::3]
    if v.adds_or_removes:
        return [([*beside, a], beside) for a in people]
    # Far from all others there are as many below as above: whoever leaves one end for the other moves most.
    return [([*beside, a], [*beside, b]) for a, b in itertools.combinations(people[:60], 2)]


def test_no_one_tells_more_by_all_choices_than_the_event_and_someone_nearly_as_much(
    quantile: Variant,
) -> None:
    v = narrow(quantile)
    listed = len(flatten(v.calibrate(3)))
    costs = [cost(v, one, other) for one, other in neighbours(v)]
    assert max(costs) <= listed
    assert max(costs) >= 0.7 * listed


@few
@given(data=st.data())
def test_no_one_else_tells_more_either(quantile: Variant, data: st.DataObject) -> None:
    v = narrow(quantile)
    beside = [*v.ordinary(1), data.draw(v.anyone())]
    one = data.draw(v.anyone())
    other = beside if v.adds_or_removes else [*beside, data.draw(v.anyone(like=one))]
    assert cost(v, [*beside, one], other) <= len(flatten(v.calibrate(3)))


def test_a_choice_does_not_depend_on_the_order_of_rows_and_people(quantile: Variant) -> None:
    people = [*quantile.ordinary(6), *quantile.adversaries()[::9]]
    before = choices_of(quantile, people)
    assert choices_of(quantile, people, 1) == before
    assert choices_of(quantile, people[::-1], 2) == before


def log_law(utilities: Sequence[int], delta: int, epsilon: float) -> np.ndarray:
    """Permute-and-flip, order by order."""
    p = [math.exp(-epsilon * (max(utilities) - u) / (2 * delta)) for u in utilities]
    found = np.zeros(len(p))
    for order in itertools.permutations(range(len(p))):
        none_yet = 1.0
        for r in order:
            found[r] += none_yet * p[r]
            none_yet *= 1 - p[r]
    return np.log(found / math.factorial(len(p)))


def log_ratio(v: Variant, one: Sequence[Person], other: Sequence[Person], epsilon: float) -> float:
    """The largest of ln P(all that is chosen | one) − ln P(… | other): choices are independent."""
    return sum(
        float((log_law(before, delta, epsilon) - log_law(after, delta, epsilon)).max())
        for (delta, before), (_, after) in zip(choices_of(v, one), choices_of(v, other), strict=True)
    )


def test_no_outcome_is_more_than_e_to_the_epsilon_times_as_likely(quantile: Variant) -> None:
    """And with three times the ε it can be: the law is not far from what is guaranteed."""
    v = replace(quantile, parameters=replace(quantile.parameters, quantile_steps=4))
    guarantee = accounting.compose([v.calibrate(3)], delta=0.0, neighbours=v.parameters.neighbours)
    assert isinstance(guarantee, PureDP)
    each = v.mechanism(3).split(v.budget)[0]
    pairs = sorted(neighbours(v), key=lambda pair: cost(v, *pair))[-25:]
    both_ways = [pair for one, other in pairs for pair in ((one, other), (other, one))]
    largest = max(log_ratio(v, one, other, each) for one, other in both_ways)
    assert largest <= guarantee.epsilon
    assert max(log_ratio(v, one, other, 3 * each) for one, other in both_ways) > guarantee.epsilon


def test_what_is_released_is_what_was_planned(quantile: Variant) -> None:
    people = quantile.ordinary(4)
    values, event = quantile.release(people, SecureRandom.for_tests(1))
    assert event == quantile.calibrate(4)
    p = quantile.parameters
    assert {key[-1] for key in values} == {"chosen", "value"}
    assert len(values) == 2 * len(p.parameters.quantiles) * p.features * max(1, len(p.groups))
    for key, array in values.items():
        assert array.dtype == (np.int32 if key[-1] == "chosen" else np.float32)
        assert array.shape == (1,)
    spent = sum(Fraction(leaf.epsilon) for leaf in flatten(event))  # type: ignore[attr-defined]
    assert float(spent) == pytest.approx(quantile.budget.epsilon)


def test_nothing_tells_how_many_people_there_are(quantile: Variant) -> None:
    """Types, shapes, labels and event are the same for one and for a thousand, where n is private."""
    if not quantile.adds_or_removes:
        return
    few_people, many = quantile.ordinary(1), quantile.ordinary(300)
    forms: list[Any] = []
    for people in (few_people, many):
        values, event = quantile.release(people, SecureRandom.for_tests(1))
        forms.append((event, {key: (a.dtype, a.shape) for key, a in values.items()}))
    assert forms[0] == forms[1]
    assert quantile.calibrate(1) == forms[0][0]
