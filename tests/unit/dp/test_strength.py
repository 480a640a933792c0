"""Which guarantee is the stronger: never called so unless it implies the other."""

import itertools
import math

import pytest
from goldens import check_text
from hypothesis import given
from hypothesis import strategies as st

from synthrelease.dp.guarantee import (
    ApproxDP,
    Neighbours,
    NoGuarantee,
    PlausibleDeniability,
    PureDP,
    Unit,
)
from synthrelease.dp.strength import RelativeStrength, compare

EQUAL, STRONGER, WEAKER, NEITHER = RelativeStrength
NOTHING = NoGuarantee(reason="of reproduction")


def deniable(k=8, gamma=4.0, counted="person", *, vacuous=False):
    return PlausibleDeniability(k=k, gamma=gamma, counted=counted, vacuous=vacuous)


def approx(epsilon, delta, **rest):
    return ApproxDP(epsilon=epsilon, delta=delta, **rest)


PAIRS = [
    (PureDP(epsilon=1), PureDP(epsilon=1.0), EQUAL),
    (PureDP(epsilon=1), PureDP(epsilon=0.9), STRONGER),
    (PureDP(epsilon=1), PureDP(epsilon=1.1), WEAKER),
    (PureDP(epsilon=0.0), PureDP(epsilon=0.1), WEAKER),
    (PureDP(epsilon=1), approx(1, 1e-06), WEAKER),
    (PureDP(epsilon=1), approx(2, 1e-06), WEAKER),
    (PureDP(epsilon=1), approx(0.5, 1e-06), NEITHER),
    (PureDP(epsilon=1), approx(1, 0.0), EQUAL),
    (approx(1, 1e-06), PureDP(epsilon=1), STRONGER),
    (approx(1, 1e-06), PureDP(epsilon=2), NEITHER),
    (approx(1, 1e-06), approx(1, 1e-07), STRONGER),
    (approx(1, 1e-06), approx(0.5, 1e-06), STRONGER),
    (approx(1, 1e-06), approx(0.5, 1e-05), NEITHER),
    (approx(1, 1e-06), approx(2, 1e-05), WEAKER),
    (deniable(), deniable(k=9), STRONGER),
    (deniable(), deniable(k=7), WEAKER),
    (deniable(), deniable(gamma=3.0), STRONGER),
    (deniable(), deniable(k=9, gamma=5.0), NEITHER),
    (deniable(), deniable(k=9, counted="record"), NEITHER),
    (deniable(), deniable(k=9, vacuous=True), NEITHER),
    (deniable(vacuous=True), deniable(k=9), NEITHER),
    (deniable(), PureDP(epsilon=0.1), NEITHER),
    (PureDP(epsilon=0.1), deniable(), NEITHER),
    (NOTHING, PureDP(epsilon=9), STRONGER),
    (deniable(), NOTHING, WEAKER),
    (NOTHING, NoGuarantee(reason="of another"), NEITHER),
    (PureDP(epsilon=9), PureDP(epsilon=1, neighbours=Neighbours.ADD_REMOVE_ONE), NEITHER),
    (PureDP(epsilon=9), PureDP(epsilon=1, unit=Unit.STEP), NEITHER),
    (NOTHING, PureDP(epsilon=1, unit=Unit.STEP), NEITHER),
]


@pytest.mark.parametrize(("old", "new", "verdict"), PAIRS)
def test_every_kind_of_pair(old, new, verdict):
    assert compare(old, new).verdict is verdict


def test_every_reason_reads_so():
    told = [
        f"{old} -> {new}\n  {compare(old, new).verdict}: {compare(old, new).because}" for old, new, _ in PAIRS
    ]
    check_text("guarantee/comparisons", "\n".join(told))


ALL = [
    *(PureDP(epsilon=e, neighbours=n) for e in (0, 0.5, 1) for n in Neighbours),
    *(approx(e, d) for e in (0, 0.5, 1) for d in (1e-7, 1e-6)),
    *(
        deniable(k, g, c, vacuous=v)
        for k in (2, 3)
        for g in (2.0, 3.0)
        for c in ("person", "record")
        for v in (0, 1)
    ),
    NOTHING,
    NoGuarantee(reason="of another"),
]
SWAPPED = {EQUAL: EQUAL, STRONGER: WEAKER, WEAKER: STRONGER, NEITHER: NEITHER}


def test_it_is_a_partial_order():
    for old, new in itertools.product(ALL, ALL):
        assert compare(new, old).verdict is SWAPPED[compare(old, new).verdict]
        assert (compare(old, new).verdict is EQUAL) == (old == new)
    below = {(a, b) for a, b in itertools.product(ALL, ALL) if compare(a, b).verdict in (EQUAL, STRONGER)}
    for (a, b), c in itertools.product(below, ALL):
        assert (b, c) not in below or (a, c) in below


def tells_apart(epsilon, delta, ratio):
    """The most that (ε, δ) leaves of P(S) where a neighbour has it with probability `ratio`."""
    return min(1.0, math.exp(epsilon) * ratio + delta, 1 - math.exp(-epsilon) * (1 - ratio - delta))


numbers = st.tuples(st.floats(0, 10), st.one_of(st.just(0.0), st.floats(0, 0.1)))


@given(numbers, numbers, st.floats(0, 1))
def test_what_is_called_stronger_never_leaves_more_to_an_attacker(old, new, ratio):
    """Brute force over what an attacker may tell apart: the trade-off curve of the stronger one lies nowhere above."""
    made = [PureDP(epsilon=e) if d == 0 else approx(e, d) for e, d in (old, new)]
    if compare(*made).verdict in (STRONGER, EQUAL):
        assert tells_apart(*new, ratio) <= tells_apart(*old, ratio) + 1e-12
