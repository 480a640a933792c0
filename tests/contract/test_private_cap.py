"""The contract of a private cap: one person moves the utilities as far as stated, and no more is spent than planned."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import made
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import bad_argument
from tiers import few

from synthrelease.dp import accounting
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Composed, PrivateChoice
from synthrelease.dp.guarantee import ApproxDP, PureDP
from synthrelease.dp.noise import SecureRandom

if TYPE_CHECKING:
    from collections.abc import Sequence

    from variants.gaze_maps import PrivateCapVariant
    from variants.people import Person

BUDGET = Budget(1.0, 1e-6)


def excess(v: PrivateCapVariant, people: Sequence[Person], cap: int) -> np.ndarray:
    """D of the definition, dense: everyone's counts above the cap, added up."""
    uncapped = replace(v, parameters=replace(v.parameters, cap=10**6))
    return uncapped.exact(people) - replace(v, parameters=replace(v.parameters, cap=cap)).exact(people)


def test_utilities_are_those_of_theorem_4_1(capped: PrivateCapVariant) -> None:
    v, private = capped, capped.choosing(1)
    people = [*v.ordinary(5), *v.adversaries()[::6]]
    found = private.utilities(private.collect(v.data(people)), BUDGET)
    cells = v.parameters.stimuli * v.parameters.rows * v.parameters.columns
    for cap, utility in zip(private.candidates or (), found, strict=True):
        deviation = private.at(cap).calibrated_noise(BUDGET).standard_deviation
        squared = cells * deviation**2 + float((excess(v, people, cap) ** 2).sum())
        assert -math.sqrt(squared) - 1 <= utility <= -math.floor(math.sqrt(squared)) + 1


def test_no_adversary_moves_a_utility_further_than_stated_and_one_comes_near(
    capped: PrivateCapVariant,
) -> None:
    """With next to no noise a utility is −‖D_m‖: the worst for it."""
    v, private = capped, capped.choosing(1)
    silent = Budget(1e6, 0.4)
    beside: list[Person] = []
    people = v.adversaries()
    of = [np.array(private.utilities(private.collect(v.data([*beside, a])), silent)) for a in people]
    alone = of[0]  # no one who was anywhere
    assert people[0].rows.size == 0
    if v.adds_or_removes:
        moved = [np.abs(u - alone).max() for u in of]
    else:
        moved = [
            np.abs(of[a] - of[b]).max()
            for a, b in itertools.combinations(range(len(people)), 2)
            if v.may_replace(people[a], people[b])
        ]
    stated = private.utility_sensitivity
    assert max(moved) <= stated
    assert (
        max(moved) >= 0.5 * stated
    )  # opposite corners beside an empty sum: √2 of it is beyond one person alone


@few
@given(data=st.data())
def test_no_one_moves_a_utility_further_than_stated(capped: PrivateCapVariant, data: st.DataObject) -> None:
    v, private = capped, capped.choosing(1)
    beside = [*v.ordinary(1), data.draw(v.anyone())]
    one = data.draw(v.anyone())
    before = private.utilities(private.collect(v.data([*beside, one])), BUDGET)
    others = beside if v.adds_or_removes else [*beside, data.draw(v.anyone(like=one))]
    after = private.utilities(private.collect(v.data(others)), BUDGET)
    stated = private.utility_sensitivity
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) <= stated


def test_the_sensitivity_is_that_of_the_note(capped: PrivateCapVariant) -> None:
    private = capped.choosing(1)  # M = 2, T = 12, m ≥ 1
    assert private.utility_sensitivity == math.ceil(math.sqrt(2 if capped.adds_or_removes else 4) * 11)
    p = private.parameters
    assert replace(private, parameters=replace(p, caps=(12,))).utility_sensitivity == 1
    with bad_argument(ValueError, "bound"):
        _ = replace(private, parameters=replace(p, max_samples_per_stimulus=None)).utility_sensitivity


def test_what_was_done_is_what_was_planned_whatever_cap_was_chosen(capped: PrivateCapVariant) -> None:
    v, private = capped, capped.choosing(1)
    planned = private.calibrate(BUDGET)
    assert isinstance(planned, Composed)
    assert planned.events[0] == PrivateChoice(0.1, 4)
    guarantee = accounting.compose([planned], delta=BUDGET.delta, neighbours=private.neighbours)
    assert isinstance(guarantee, ApproxDP | PureDP)
    assert guarantee.epsilon <= BUDGET.epsilon * (1 + 1e-6)
    people = [*v.ordinary(3), *v.adversaries()[:40:5]]
    chosen = set()
    for seed in range(12):
        values, drawn = made.release(private, v.data(people), BUDGET, random=SecureRandom.for_tests(seed))
        event, cap = drawn.event, drawn.parameters.cap
        chosen.add(cap)
        assert isinstance(event, Composed)
        choice, noise = event.events
        assert choice == planned.events[0]
        assert noise == private.at(cap).calibrated_noise(private.split(BUDGET)[1])
        told, most = noise, planned.events[1]
        assert Fraction(told.sensitivity) / Fraction(told.scale) <= Fraction(most.sensitivity) / Fraction(
            most.scale
        )
        assert {key[-1] for key in values} == {"noisy", "heatmap"}
        again = accounting.compose([event], delta=BUDGET.delta, neighbours=private.neighbours)
        assert again.epsilon == pytest.approx(guarantee.epsilon, rel=1e-6)  # type: ignore[union-attr]
    assert chosen <= set(private.candidates or ())


def test_the_choice_depends_on_the_data_where_there_is_enough_of_it(capped: PrivateCapVariant) -> None:
    """Crowds who look at one cell again and again want a high cap, crowds who look once a low one.

    But for the Laplacian, whose sensitivity is T whatever the cap is here: nothing speaks for a low one.
    """
    nothing = ", ".join(f"nothing on {stimulus}" for stimulus in range(3))
    (adversary,) = (a for a in capped.adversaries() if a.name == nothing)
    for times, cap in ((12, 12), (1, 1)) if capped.noise == "gaussian" else ((12, 12),):
        looks = replace(adversary, rows=np.tile([0.0, 1.0, 1.0], (times, 1)))
        data = capped.data([looks] * 3000)
        private = capped.choosing(3000)
        drawn = private.draw(private.collect(data), BUDGET, SecureRandom.for_tests(1))
        assert drawn.parameters.cap == cap
