"""The contract of every mechanism, I: how far one person can move the integers that are noised.

Everything here is about integers before noise, so every comparison is exact. The bounds are attacked by people
made for it and by people that Hypothesis makes up; and they must be attained, or nearly, because a bound that
no one comes near is noise for nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tiers import fewer

from synthrelease.numerics.fourier import integer_coefficients
from synthrelease.numerics.steps import HALF_RANGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from variants.variant import Variant

    Integers = NDArray[np.int64]


def test_no_adversary_moves_the_integers_further_than_the_sensitivity(bounded: Variant) -> None:
    moves, sensitivity = bounded.moves, bounded.sensitivity
    assert moves.l1 <= sensitivity.l1, [p.name for p in moves.by_l1]
    assert moves.l2_squared <= sensitivity.l2_squared, [p.name for p in moves.by_l2]


def test_an_adversary_comes_near_the_sensitivity(
    bounded: Variant, record_property: Callable[[str, object], None]
) -> None:
    moves, sensitivity = bounded.moves, bounded.sensitivity
    l1 = moves.l1 / sensitivity.l1
    l2 = (moves.l2_squared / sensitivity.l2_squared) ** 0.5
    record_property("attained", {"l1": l1, "l2": l2})
    assert l1 >= bounded.attained or not bounded.in_l1
    assert l2 >= bounded.attained


@fewer
@given(data=st.data())
def test_no_one_moves_the_integers_further_than_the_sensitivity(
    bounded: Variant, data: st.DataObject
) -> None:
    beside = bounded.ordinary(2)
    one = data.draw(bounded.anyone())
    before = bounded.exact([*beside, one])
    if bounded.adds_or_removes:
        after = bounded.exact(beside)
    else:
        after = bounded.exact([*beside, data.draw(bounded.anyone(like=one))])
    difference = before - after
    assert int(np.abs(difference).sum()) <= bounded.sensitivity.l1
    assert int((difference * difference).sum()) <= bounded.sensitivity.l2_squared


def test_series_that_the_rounded_basis_makes_too_long_are_clipped(long: Variant) -> None:
    (radius,) = long.parameters.radii
    ends = [long.exact([long.person(np.full(long.steps, u))]) for u in (-1.0, 1.0)]
    assert all(int((end * end).sum()) <= radius**2 for end in ends)
    difference = ends[1] - ends[0]
    assert int(np.abs(difference).sum()) <= long.sensitivity.l1
    assert int((difference * difference).sum()) <= long.sensitivity.l2_squared
    # The control: without clipping they would lie outside.
    series = np.full((1, long.steps), HALF_RANGE)
    unclipped = integer_coefficients(series, long.parameters.form.frequencies, bound=HALF_RANGE)
    assert int((unclipped * unclipped).sum()) > radius**2


def test_a_contribution_is_the_same_whoever_else_is_there(bounded: Variant) -> None:
    """Bit for bit: in batches of every size, and with the rows of all people shuffled together."""
    others = bounded.ordinary(40, seed=1)
    people = [*bounded.adversaries()[::5], *bounded.ordinary(5, seed=2)]
    contributions = []
    for crowd, order in ((others[:1], None), (others[:7], None), (others[7:], None), (others, 3)):
        alone = bounded.exact(crowd, order)
        together = [bounded.exact([*crowd, person], order) for person in people]
        contributions.append([exact[-1] if bounded.apart else exact - alone for exact in together])
    for contribution in contributions[1:]:
        np.testing.assert_array_equal(contribution, contributions[0])


def test_people_and_their_rows_may_stand_in_any_order(bounded: Variant) -> None:
    people = [*bounded.ordinary(25, seed=4), *bounded.adversaries()[::6]]
    exact = bounded.exact(people)
    for order in range(2):
        np.testing.assert_array_equal(bounded.exact(people, order), exact)
        turn = np.random.default_rng(order).permutation(len(people))
        turned = bounded.exact([people[i] for i in turn], order)
        np.testing.assert_array_equal(turned, exact[turn] if bounded.apart else exact)


def test_the_integers_are_integers(bounded: Variant) -> None:
    exact = bounded.exact(bounded.ordinary(3))
    assert exact.dtype == np.int64
