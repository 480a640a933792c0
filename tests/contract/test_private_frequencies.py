"""The contract of a private number of frequencies: one person moves the utilities as far as stated, and no more is spent than planned."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import made
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiers import few
from variants.people import GAUSSIAN, LAPLACE
from variants.signals import PrivateFrequenciesVariant, signal_variant

from synthrelease.dp import accounting
from synthrelease.dp.budget import Budget
from synthrelease.dp.event import Composed, PrivateChoice
from synthrelease.dp.guarantee import ApproxDP, PureDP
from synthrelease.dp.noise import SecureRandom
from synthrelease.kinds.signals import coefficients
from synthrelease.kinds.signals.public_series import MEAN
from synthrelease.numerics.fourier import basis
from synthrelease.numerics.signal_form import CFPA, DCFPA, FPA

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from variants.people import Person

    Numbers = NDArray[np.float64]

BUDGET = Budget(1.0, 1e-6)
SILENT = Budget(1e6, 0.4)  # next to no noise


def sides(v: PrivateFrequenciesVariant) -> list[int]:
    form = v.parameters.form
    side = form.chunk or form.length
    return [min(side, form.length - start) for start in range(0, form.length, side)]


def every_of(v: PrivateFrequenciesVariant) -> int:
    """As many frequencies as there are."""
    return max(sides(v)) // 2 + 1


def left_out(v: PrivateFrequenciesVariant, series: Numbers, k: int) -> Numbers:
    """Dense and chunk by chunk: what the frequencies from k on add to series in steps, shape (…, n)."""
    out, at = [], 0
    for side in sides(v):
        chunk = series[..., at : at + side]
        rows = basis(side, side // 2 + 1)
        rows = rows[min(2 * k - 1, side) :]
        if v.parameters.form.mechanism == DCFPA:
            chunk = np.diff(chunk, axis=-1, prepend=0.0)
            out.append(np.cumsum(chunk @ rows.T @ rows, axis=-1))
        else:
            out.append(chunk @ rows.T @ rows)
        at += side
    return np.concatenate(out, axis=-1)


def steps(v: PrivateFrequenciesVariant, people: Sequence[Person]) -> Numbers:
    """Everyone's series in steps, shape (people, recordings, features, n)."""
    form = replace(v.parameters.form, mechanism="lpa", chunk=None, frequencies=None, max_change=None)
    plain = replace(v.of(len(people)), form=form)
    return coefficients.contributions(v.data(people), plain.parameters).astype(np.float64)


def weight_of_noise(v: PrivateFrequenciesVariant, k: int) -> float:
    """Σ over steps of the variance that noise of variance 1 in every coefficient has there."""
    total = 0.0
    for side in sides(v):
        rows = basis(side, min(k, side // 2 + 1))
        if v.parameters.form.mechanism == DCFPA:
            rows = np.cumsum(rows, axis=1)
        total += float((rows**2).sum())
    return total


def utilities(v: PrivateFrequenciesVariant, people: Sequence[Person], budget: Budget) -> NDArray[np.int64]:
    private = v.choosing(len(people))
    return np.array(private.utilities(private.collect(v.data(people)), budget))


def test_utilities_are_the_root_of_the_expected_squared_error(chosen: PrivateFrequenciesVariant) -> None:
    v = chosen
    people = [*v.ordinary(5), *v.adversaries()[::4]]
    series = steps(v, people)
    exact = series.sum(axis=0) if v.parameters.query == MEAN else series
    private = v.choosing(len(people))
    for budget in (SILENT, Budget(300.0, 1e-3), BUDGET):
        found = private.utilities(private.collect(v.data(people)), budget)
        assert all(type(utility) is int for utility in found)
        for k, utility in zip(private.candidates, found, strict=True):
            deviation = private.at(k).calibrated_noise(budget).standard_deviation
            noise = math.prod(exact.shape[:-1]) * weight_of_noise(v, k) * deviation**2
            squared = noise + float((left_out(v, exact, k) ** 2).sum())
            cut = (
                2 * math.sqrt(exact.size) * v.parameters.form.length * len(people)
            )  # series were cut to steps
            assert utility == pytest.approx(-math.sqrt(squared), abs=min(cut, 1 + 1e-3 * math.sqrt(squared)))


def test_of_people_who_keep_still_the_utility_is_that_of_the_noise_rounded_down(
    chosen: PrivateFrequenciesVariant,
) -> None:
    v = chosen
    people = [v.person(np.zeros(21))] * 3
    private = v.choosing(3)
    arrays = 4 if v.parameters.query == MEAN else 12
    for k, utility in zip(private.candidates, utilities(v, people, BUDGET), strict=True):
        deviation = private.at(k).calibrated_noise(BUDGET).standard_deviation
        energy = arrays * weight_of_noise(v, k) * deviation**2
        assert utility == -math.isqrt(math.ceil(energy))


def test_what_is_left_out_is_of_series_that_are_not_clipped(chosen: PrivateFrequenciesVariant) -> None:
    """A smaller ball cuts what is released: how much its frequencies leave out of people's series stays the same."""
    v, people = chosen, chosen.adversaries()[:8]
    form = replace(v.parameters.form, clip=0.1)
    clipped = replace(v, parameters=replace(v.parameters, form=form))
    moved = utilities(v, people, Budget(1e9, 0.4)) - utilities(clipped, people, Budget(1e9, 0.4))
    assert np.abs(moved).max() <= 10  # of what little noise there is
    assert np.abs(utilities(v, people, Budget(1e9, 0.4))).min() > 10_000


def pairs_that_move(v: PrivateFrequenciesVariant) -> list[tuple[list[Person], Person, Person]]:
    """Who is beside, and who is replaced by whom: beside others who are alike, the one who leaves and the other add up."""
    people = v.adversaries()
    absent = next(a for a in people if a.name == "absent")
    pairs = list(zip(people, [*people[1:], people[0]], strict=True)) + [(one, absent) for one in people]
    for series in loud(v):
        one, opposite = v.person(series), v.person(-series)
        pairs += [(one, opposite), (one, absent)]
    ordinary = v.ordinary(2)
    return [(beside, *pair) for pair in pairs for beside in ([], [pair[0]] * 3, ordinary)]


def loud(v: PrivateFrequenciesVariant) -> list[Numbers]:
    """Series of ±1 of which the frequencies leave out as much as flipping signs finds, for every candidate."""
    n, out = v.parameters.form.length, []
    generator = np.random.default_rng(3)
    for k in v.choosing(1).candidates or ():
        matrix = left_out(v, np.eye(n), k)
        series = np.sign(generator.normal(size=(60, n)))
        for _ in range(30):
            series = np.where(series @ matrix @ matrix.T >= 0, 1.0, -1.0)
        out.append(series[int(np.argmax(np.linalg.norm(series @ matrix, axis=1)))])
    return out


def test_no_adversary_moves_a_utility_further_than_stated_and_one_comes_near(
    chosen: PrivateFrequenciesVariant, record_property: Callable[[str, object], None]
) -> None:
    """With next to no noise a utility is the size of what is left out: the worst for it."""
    v = chosen
    stated = v.choosing(1).utility_sensitivity
    assert isinstance(stated, int)
    moved, known = 0, {}

    def of(*people: Person) -> NDArray[np.int64]:  # many pairs share a person
        who = tuple(map(id, people))
        if who not in known:
            known[who] = utilities(v, people, SILENT)
        return known[who]

    for beside, one, other in pairs_that_move(v):
        moved = max(moved, int(np.abs(of(*beside, one) - of(*beside, other)).max()))
    record_property("attained", moved / stated)
    assert moved <= stated
    assert moved >= 0.85 * stated


@few
@given(data=st.data())
def test_no_one_moves_a_utility_further_than_stated(
    chosen: PrivateFrequenciesVariant, data: st.DataObject
) -> None:
    v = chosen
    stated = v.choosing(1).utility_sensitivity
    beside = [*v.ordinary(1), data.draw(v.anyone())]
    one = data.draw(v.anyone())
    other = data.draw(v.anyone(like=one))
    budget = data.draw(st.sampled_from([SILENT, BUDGET]))
    change = utilities(v, [*beside, one], budget) - utilities(v, [*beside, other], budget)
    assert np.abs(change).max() <= stated


def test_the_sensitivity_is_what_is_left_out_of_all_series_of_a_person(
    chosen: PrivateFrequenciesVariant,
) -> None:
    """Twice that in a sum, where another person's can be the opposite; once where everyone's own are side by side."""
    private = chosen.choosing(1)
    times = 2 if chosen.parameters.query == MEAN else 1
    full = private.parameters.with_frequencies(every_of(chosen)).form
    for k in private.candidates or ():
        reach = times * full.left_out_reach(k) * math.sqrt(chosen.features * chosen.recordings)
        stated = chosen.choosing(1, candidates=(k,)).utility_sensitivity
        assert reach + 1 <= stated <= reach + 2
    p = private.parameters
    one = replace(private, parameters=replace(p, features=p.features[:1], recordings=p.recordings[:1]))
    ratio = private.utility_sensitivity / one.utility_sensitivity
    assert ratio == pytest.approx(math.sqrt(chosen.features * chosen.recordings), rel=1e-4)
    crowd = replace(private, parameters=replace(p, people=10**12))
    assert crowd.utility_sensitivity == private.utility_sensitivity


def test_utilities_are_the_same_integers_however_people_are_divided(
    chosen: PrivateFrequenciesVariant,
) -> None:
    """No sum of floats depends on who else is there, or in which order they were added up."""
    v = chosen
    people = [*v.ordinary(9), *v.adversaries()[::5]]
    private = v.choosing(len(people))
    whole, back = private.collect(v.data(people)), private.collect(v.data(people[::-1]))
    parts = [private.collect(v.data(people[n : n + 4])) for n in range(0, len(people), 4)]
    joined = functools.reduce(lambda one, other: one.joined(other), parts[::-1])
    expected = private.utilities(whole, BUDGET)
    assert private.utilities(back, BUDGET) == expected
    assert private.utilities(joined, BUDGET) == expected


def test_choice_and_noise_share_the_budget(chosen: PrivateFrequenciesVariant) -> None:
    private = chosen.choosing(1, share=0.25)
    choice, left = private.split(Budget(2.0, 1e-5))
    assert (choice.epsilon, left) == (0.5, Budget(1.5, 1e-5))
    for k in private.candidates or ():
        assert private.at(k).parameters.form == replace(chosen.parameters.form, frequencies=k)


def test_what_was_done_is_what_was_planned_whatever_was_chosen(chosen: PrivateFrequenciesVariant) -> None:
    v = chosen
    people = [*v.ordinary(3), *v.adversaries()[::5]]
    private = v.choosing(len(people), share=2**-10)  # so little that it hardly decides
    planned = private.calibrate(BUDGET)
    assert isinstance(planned, Composed)
    assert planned.events[0] == PrivateChoice(2**-10, 3)
    delta = BUDGET.delta if v.noise == GAUSSIAN else 0.5
    guarantee = accounting.compose([planned], delta=delta)
    assert isinstance(guarantee, ApproxDP if v.noise == GAUSSIAN else PureDP)
    assert guarantee.epsilon <= BUDGET.epsilon * (1 + 1e-6)
    left = private.split(BUDGET)[1]
    told = {k: private.at(k).calibrated_noise(left) for k in private.candidates or ()}
    ratios = {k: Fraction(noise.sensitivity) / Fraction(noise.scale) for k, noise in told.items()}
    most = planned.events[1]
    assert most in told.values()
    assert Fraction(most.sensitivity) / Fraction(most.scale) == max(ratios.values())
    chosen_ones = set()
    for seed in range(16):
        values, drawn = made.release(private, v.data(people), BUDGET, random=SecureRandom.for_tests(seed))
        event, k = drawn.event, drawn.parameters.coefficients
        chosen_ones.add(k)
        assert isinstance(event, Composed)
        assert event.events == (planned.events[0], told[k])
        assert ratios[k] <= max(ratios.values())
        form = drawn.parameters.form
        for (_, _, what), array in values.items():
            assert array.shape[-1] == (form.count if what == "noisy" else form.length)
        assert {key[-1] for key in values} == {"noisy", "values", "uncertainty"}
        again = accounting.compose([event], delta=delta)
        assert isinstance(again, ApproxDP | PureDP)
        assert again.epsilon == pytest.approx(guarantee.epsilon, rel=1e-6)
    assert chosen_ones == set(private.candidates or ())


@pytest.mark.quick
@pytest.mark.parametrize("mechanism", [FPA, CFPA, DCFPA])
@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN])
def test_the_choice_depends_on_the_data_where_there_is_enough_of_it(mechanism: str, noise: str) -> None:
    """Crowds whose series keep still want one frequency, however many they are; crowds that alternate want all there are."""
    chunk = None if mechanism == FPA else 8
    like = signal_variant("crowd", noise, mechanism=mechanism, chunk=chunk, length=24)
    v = PrivateFrequenciesVariant(**like.__dict__)
    every = every_of(v)
    still, alternating = np.zeros(24), np.where(np.arange(24) % 2, 1.0, -1.0)
    for series, share, budget, wanted in (
        (still, 0.95, Budget(20.0, 1e-6), 1),
        (alternating, 0.5, Budget(200.0, 1e-6), every),
    ):
        people = [v.person(series)] * 400
        private = v.choosing(400, (1, 2, every), share)
        for seed in range(5):
            drawn = private.draw(private.collect(v.data(people)), budget, SecureRandom.for_tests(seed))
            assert drawn.parameters.coefficients == wanted


def test_a_larger_budget_buys_more_frequencies_of_the_same_people() -> None:
    like = signal_variant("crowd", LAPLACE, mechanism=FPA, length=24, features=1, recordings=1)
    v = PrivateFrequenciesVariant(**like.__dict__)
    t = np.arange(24)
    people = [v.person(0.5 * np.cos(2 * np.pi * t / 24) + 0.02 * np.cos(2 * np.pi * 3 * t / 24))] * 200
    best = []
    for epsilon in (0.01, 0.5, 100.0):
        found = utilities(v, people, Budget(epsilon))
        best.append((1, 2, 4)[int(np.argmax(found))])
    assert best == [1, 2, 4]
