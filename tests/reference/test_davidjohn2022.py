"""David-John et al. 2022, "For Your Eyes Only", supplementary material: the definition and its consequences.

The paper gives no numbers; it gives a definition, a test and a theorem. Whether one record is a plausible seed
is asked with two records at a time, the seed's and that one: k′ = 2 if it is.

Where the code departs from the text: γ = 1, which Definition 1 admits, leaves (γ^(−i−1), γ^(−i)] empty and is
refused; i = 0, which the test admits and the theorem leaves out, is an interval like the others.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import few

from synthrelease.kinds.records.deniability import deniability_test
from synthrelease.kinds.records.model import SeededModel

Row = tuple[int, ...]
HALF = Fraction(1, 2)


def probability(marginals: list[list[Fraction]], resampled: tuple[int, ...], y: Row, d: Row) -> Fraction:
    """Pr{y = M(d)}, attributes in their own order."""
    m, total = len(y), Fraction(0)
    for omega in resampled:
        if y[: m - omega] == d[: m - omega]:
            total += math.prod((marginals[a][y[a]] for a in range(m - omega, m)), start=Fraction(1))
    return total / len(resampled)


def counted(
    marginals: list[list[Fraction]],
    resampled: tuple[int, ...],
    y: Row,
    records: list[Row],
    *,
    gamma: float,
    seed: int = 0,
) -> int:
    """k′ of the candidate y made from the record number `seed`."""
    model = SeededModel([[float(p) for p in row] for row in marginals], range(len(y)), resampled)
    result = deniability_test(model, np.array([y]), np.array([seed]), np.array(records), k=1, gamma=gamma)
    return int(result.plausible[0])


def plausible_together(
    marginals: list[list[Fraction]], resampled: tuple[int, ...], y: Row, one: Row, other: Row, *, gamma: float
) -> bool:
    return counted(marginals, resampled, y, [one, other], gamma=gamma) == 2


# --- the test: step 1 and step 2


@pytest.mark.parametrize(
    ("p", "near", "far", "together"),
    [
        # γ = 4. A near record shares the first attribute of y: p·¾; a far one nothing: p·¼.
        (Fraction(1, 3), Fraction(1, 4), Fraction(1, 12), True),  # ¼ = γ⁻¹ belongs to (1/16, 1/4]
        (Fraction(33, 100), Fraction(99, 400), Fraction(33, 400), True),
        (Fraction(34, 100), Fraction(51, 200), Fraction(17, 200), False),  # just above ¼ lies (1/4, 1]
        (
            Fraction(1, 4),
            Fraction(3, 16),
            Fraction(1, 16),
            False,
        ),  # 1/16 = γ⁻² does not belong to (1/16, 1/4]
        (Fraction(26, 100), Fraction(39, 200), Fraction(13, 200), True),
        (Fraction(1), Fraction(3, 4), Fraction(1, 4), False),  # nor does ¼ to (1/4, 1]
        (Fraction(1, 12), Fraction(1, 16), Fraction(1, 48), True),
        (Fraction(1, 16), Fraction(3, 64), Fraction(1, 64), False),
    ],
)
def test_supplement_section_1_step_1_intervals_are_open_below_and_closed_above(
    p: Fraction, near: Fraction, far: Fraction, *, together: bool
) -> None:
    marginals = [[HALF, HALF], [p, 1 - p]]
    y, of_near, of_far = (0, 0), (0, 1), (1, 1)
    assert probability(marginals, (1, 2), y, of_near) == near
    assert probability(marginals, (1, 2), y, of_far) == far
    assert plausible_together(marginals, (1, 2), y, of_near, of_far, gamma=4.0) == together
    assert plausible_together(marginals, (1, 2), y, of_far, of_near, gamma=4.0) == together
    assert near / far < 4  # so that Definition 1 alone would admit each pair: the test is stricter


def test_supplement_section_1_step_1_certainty_lies_in_interval_zero() -> None:
    """p = 1 = γ⁰ for every record: (γ⁻¹, 1] holds them all, whatever γ."""
    certain = [[Fraction(1)], [Fraction(1)]]
    for gamma in (1.0001, 2.0, 1000.0):
        assert counted(certain, (1, 2), (0, 0), [(0, 0)] * 5, gamma=gamma) == 5


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_supplement_section_1_step_3_the_seed_is_one_of_k(k: int) -> None:
    """k − 1 *other* records are needed: a group of three passes k = 3 and not k = 4."""
    model = SeededModel([[0.25] * 4, [0.5, 0.5]], (0, 1), (1,))
    records = np.array([(0, 0), (0, 1), (0, 1), (1, 0)])
    result = deniability_test(model, np.array([(0, 0), (1, 1)]), np.array([0, 3]), records, k=k, gamma=4.0)
    assert result.plausible.tolist() == [3, 1]
    assert result.passed.tolist() == [k <= 3, k <= 1]


def test_supplement_definition_1_gamma_of_one_leaves_every_interval_empty() -> None:
    with pytest.raises(ValueError, match=r"\bgamma\b"):
        counted([[HALF, HALF]], (1,), (0,), [(0,), (1,)], gamma=1.0)


# --- the theorem


@st.composite
def models(draw: st.DrawFn) -> tuple[list[list[Fraction]], tuple[int, ...], Row]:
    m = draw(st.integers(1, 4))
    marginals = []
    for _ in range(m):
        weights = draw(st.lists(st.sampled_from([0, 1, 1, 2, 4, 8, 9]), min_size=2, max_size=2).filter(any))
        marginals.append([Fraction(w, sum(weights)) for w in weights])
    resampled = tuple(sorted(draw(st.sets(st.integers(1, m), min_size=1))))
    return marginals, resampled, tuple(draw(st.integers(0, 1)) for _ in range(m))


@few
@given(drawn=models(), gamma=st.sampled_from([Fraction(6, 5), Fraction(2), Fraction(4), Fraction(10)]))
def test_supplement_section_2_probabilities_of_plausible_seeds_are_within_gamma(
    drawn: tuple[list[list[Fraction]], tuple[int, ...], Row], gamma: Fraction
) -> None:
    """γ⁻¹ ≤ Pr{y = M(d_i)}/Pr{y = M(d_j)} < γ for all plausible pairs, and by symmetry γ⁻¹ < too.

    The pairs are all those of the whole space of records, so the count of any dataset follows from them.
    """
    marginals, resampled, y = drawn
    space = list(itertools.product(range(2), repeat=len(y)))
    for seed, one in enumerate(space):
        own = probability(marginals, resampled, y, one)
        plausible = 0
        for other in space:
            if plausible_together(marginals, resampled, y, one, other, gamma=float(gamma)):
                assert own > 0
                assert 1 / gamma < probability(marginals, resampled, y, other) / own < gamma
                plausible += 1
        assert counted(marginals, resampled, y, space, gamma=float(gamma), seed=seed) == plausible
        assert (plausible > 0) == (own > 0)


@given(drawn=models(), gamma=st.sampled_from([Fraction(6, 5), Fraction(2), Fraction(4), Fraction(10)]))
def test_supplement_section_1_plausible_seeds_of_each_other(
    drawn: tuple[list[list[Fraction]], tuple[int, ...], Row], gamma: Fraction
) -> None:
    """Intervals are disjoint: who is plausible beside whom is an equivalence among the possible seeds."""
    marginals, resampled, y = drawn
    # a record matters by the length of its prefix shared with y alone: one of each length
    space = [(*y[:shared], *(1 - value for value in y[shared:])) for shared in range(len(y) + 1)]
    possible = [d for d in space if probability(marginals, resampled, y, d) > 0]
    together = {
        (one, other): plausible_together(marginals, resampled, y, one, other, gamma=float(gamma))
        for one, other in itertools.product(possible, repeat=2)
    }
    for one, two, three in itertools.product(possible, repeat=3):
        assert together[one, one]
        assert together[one, two] == together[two, one]
        assert not (together[one, two] and together[two, three]) or together[one, three]


# --- the marginals model


@given(
    drawn=models(),
    gamma=st.one_of(st.floats(1.0, 1.1, exclude_min=True), st.floats(1.1, 1e9)),
    data=st.data(),
)
def test_supplement_section_1_gamma_never_matters_to_the_marginals_model(
    drawn: tuple[list[list[Fraction]], tuple[int, ...], Row], gamma: float, data: st.DataObject
) -> None:
    """All attributes are drawn, Pr{y = M(d)} is the same for every d, and all records are plausible or none."""
    marginals, _, y = drawn
    m = len(y)
    row = st.tuples(*[st.integers(0, 1)] * m)
    records = data.draw(st.lists(row, min_size=1, max_size=6))
    producible = probability(marginals, (m,), y, records[0]) > 0
    assert counted(marginals, (m,), y, records, gamma=gamma) == len(records) * producible
