"""Events: JSON brings each back to the last bit, hostile forms are refused, and the noise is as wide as stated."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import MPContext
from refusals import bad_argument
from scipy.special import ndtr

from synthrelease.dp.event import (
    Composed,
    DeniabilityTest,
    DiscreteLaplace,
    Disjoint,
    Event,
    PrivateChoice,
    RandomizedTest,
    RoundedGaussian,
    differs_by_rounding,
    flatten,
    from_json,
)

_mp = MPContext()
_mp.dps = 40

scales = st.floats(min_value=5e-324, allow_infinity=False)
counts = st.integers(1, 2**40)
simple = st.one_of(
    st.builds(RoundedGaussian, st.floats(0, allow_infinity=False), scales, counts),
    st.builds(DiscreteLaplace, st.integers(0, 2**70), scales, counts),
    st.builds(
        DeniabilityTest,
        st.integers(1, 10**6),
        st.floats(1, 1e6, exclude_min=True),
        st.sampled_from(["person", "record"]),
        st.booleans(),
    ),
    st.builds(
        RandomizedTest,
        st.integers(2, 10**6),
        st.floats(1, 1e6, exclude_min=True),
        scales,
        counts,
        st.integers(1, 10**9),
    ),
    st.builds(PrivateChoice, scales, counts),
)
events = st.recursive(
    simple,
    lambda part: st.builds(
        lambda several, parts: several(tuple(parts)),
        st.sampled_from([Composed, Disjoint]),
        st.lists(part, max_size=3),
    ),
)

GAUSSIAN = RoundedGaussian(math.sqrt(2.0), 17.25, 480)
LAPLACE = DiscreteLaplace(65536, 1e5 / 3, 12)
TEST = DeniabilityTest(8, 4.0, "person", vacuous=False)
RANDOMIZED = RandomizedTest(100, 4.0, 0.5, 100, 300)
CHOICE = PrivateChoice(0.1, 12)
SIMPLE = {
    "gaussian": GAUSSIAN,
    "laplace": LAPLACE,
    "test": TEST,
    "randomized": RANDOMIZED,
    "choice": CHOICE,
}
EVENTS = {
    **SIMPLE,
    "composed": Composed((LAPLACE, Composed((GAUSSIAN, TEST)))),
    "disjoint": Disjoint((LAPLACE, Composed((GAUSSIAN, RANDOMIZED)))),
}


def every(events: dict[str, Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("event", events.values(), ids=events.keys())


def through_json(event: Event) -> Event:
    return from_json(json.loads(json.dumps(event.to_json(), allow_nan=False)))


def paths(form: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where every key of a nested form is."""
    if isinstance(form, dict):
        return [path for key in form for path in [(*at, key), *paths(form[key], (*at, key))]]
    if isinstance(form, list):
        return [path for number, part in enumerate(form) for path in paths(part, (*at, number))]
    return []


# --- JSON


@given(events)
def test_json_brings_every_event_back_exactly(event: Event) -> None:
    again = through_json(event)
    assert again == event
    for one, other in zip(flatten(again), flatten(event), strict=True):
        assert type(one) is type(other)
        for field in dataclasses.fields(other):
            assert type(getattr(one, field.name)) is type(getattr(other, field.name))


@pytest.mark.parametrize(
    "number", [0.1, 1 / 3, 5e-324, math.nextafter(1, 2), 1.7976931348623157e308, 1e16, 2.0**70]
)
def test_floats_travel_as_strings_and_lose_no_bit(number: float) -> None:
    form = RoundedGaussian(number, number, 1).to_json()
    assert form["sensitivity"]["value"] == form["scale"] == repr(number)
    assert through_json(RoundedGaussian(number, number, 1)) == RoundedGaussian(number, number, 1)
    assert DiscreteLaplace(1, number, 1).to_json()["scale"] == repr(number)
    if number > 1:
        assert DeniabilityTest(1, number, "person", vacuous=False).to_json()["gamma"] == repr(number)
        assert RandomizedTest(2, number, 1.0, 1, 1).to_json()["gamma"] == repr(number)
    randomized = RandomizedTest(2, 2.0, number, 1, 1)
    assert randomized.to_json()["epsilon0"] == repr(number)
    assert through_json(randomized) == randomized
    assert PrivateChoice(number, 1).to_json()["epsilon"] == repr(number)
    assert through_json(PrivateChoice(number, 1)) == PrivateChoice(number, 1)


def test_integer_sensitivities_beyond_a_double_stay_exact() -> None:
    event = DiscreteLaplace(2**53 + 1, 1.0, 1)
    assert event.to_json()["sensitivity"]["value"] == "9007199254740993"
    assert through_json(event) == event


def test_each_event_tells_its_norm_grid_and_type() -> None:
    gaussian, laplace = GAUSSIAN.to_json(), LAPLACE.to_json()
    assert (gaussian["type"], gaussian["sensitivity"]["norm"], gaussian["grid"]) == (
        "rounded_gaussian",
        "l2",
        "1",
    )
    assert (laplace["type"], laplace["sensitivity"]["norm"], laplace["grid"]) == (
        "discrete_laplace",
        "l1",
        "1",
    )
    assert TEST.to_json()["threshold"] == "fixed"
    assert RANDOMIZED.to_json()["threshold"] == "randomized"
    assert TEST.to_json()["type"] == RANDOMIZED.to_json()["type"] == "deniability_test"
    assert CHOICE.to_json() == {"type": "exponential", "epsilon": "0.1", "candidates": 12}
    assert EVENTS["disjoint"].to_json()["type"] == "disjoint"
    assert [part["type"] for part in EVENTS["composed"].to_json()["events"]] == [
        "discrete_laplace",
        "composed",
    ]


@every(EVENTS)
def test_a_missing_field_is_refused_wherever_it_is_missing(event: Event) -> None:
    whole = event.to_json()
    for path in paths(whole):
        form = copy.deepcopy(whole)
        place = form
        for step in path[:-1]:
            place = place[step]
        del place[path[-1]]
        with pytest.raises(KeyError, match=re.escape(str(path[-1]))):
            from_json(form)


@every(EVENTS)
@pytest.mark.parametrize("other", ["gaussian", "", None, 3, ["rounded_gaussian"], "ROUNDED_GAUSSIAN"])
def test_an_unknown_type_is_refused(event: Event, other: object) -> None:
    with bad_argument(ValueError, "event", "types"):
        from_json({**event.to_json(), "type": other})


def test_an_unknown_type_is_refused_deep_inside() -> None:
    form = EVENTS["composed"].to_json()
    form["events"][1]["events"][0]["type"] = "geometric"
    with bad_argument(ValueError, "event", "types"):
        from_json(form)


@pytest.mark.parametrize(("event", "norm"), [(GAUSSIAN, "l1"), (LAPLACE, "l2"), (GAUSSIAN, ""), (LAPLACE, 1)])
def test_the_norm_of_the_other_noise_is_refused(event: Event, norm: object) -> None:
    form = event.to_json()
    form["sensitivity"]["norm"] = norm
    with bad_argument(ValueError, "norm", "l2" if event is GAUSSIAN else "l1", "grid"):
        from_json(form)


@pytest.mark.parametrize("event", [GAUSSIAN, LAPLACE])
@pytest.mark.parametrize("grid", ["2", "0.5", 1, "", None])
def test_another_grid_is_refused(event: Event, grid: object) -> None:
    with bad_argument(ValueError, "norm", "grid"):
        from_json({**event.to_json(), "grid": grid})


@pytest.mark.parametrize("value", ["2.5", "1e3", "three", "", "nan", "inf", None])
def test_an_l1_sensitivity_is_a_whole_number(value: object) -> None:
    form = LAPLACE.to_json()
    form["sensitivity"]["value"] = value
    with pytest.raises((TypeError, ValueError)):
        from_json(form)


@pytest.mark.parametrize("event", [GAUSSIAN, LAPLACE])
@pytest.mark.parametrize("value", ["three", "", None, [], "0x10"])
def test_a_scale_is_a_number(event: Event, value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        from_json({**event.to_json(), "scale": value})


@pytest.mark.parametrize("event", [TEST, RANDOMIZED])
@pytest.mark.parametrize("threshold", ["Fixed", "", None, 1, ["fixed"], "random"])
def test_another_threshold_is_refused(event: Event, threshold: object) -> None:
    with bad_argument(ValueError, "threshold", "fixed", "randomized"):
        from_json({**event.to_json(), "threshold": threshold})


@pytest.mark.parametrize("event", [TEST, RANDOMIZED])
def test_the_fields_of_one_test_are_not_those_of_the_other(event: Event) -> None:
    other = "randomized" if event is TEST else "fixed"
    with pytest.raises(KeyError):
        from_json({**event.to_json(), "threshold": other})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("k", k) for k in (1, 0, -3)],  # with k = 1 there is no t
        *[("gamma", gamma) for gamma in (1.0, 0.5, -2.0, math.inf, math.nan)],
        *[("epsilon0", epsilon) for epsilon in (0.0, -1.0, math.inf, math.nan)],
        *[("trials", trials) for trials in (0, -1)],
        *[("seeds", seeds) for seeds in (0, -5)],
    ],
)
def test_a_randomized_test_without_meaning_is_refused_by_name_and_value(name: str, value: float) -> None:
    with bad_argument(ValueError, f"{name}={value}"):
        dataclasses.replace(RANDOMIZED, **{name: value})
    form = {**RANDOMIZED.to_json(), name: repr(value) if name in ("gamma", "epsilon0") else value}
    with bad_argument(ValueError, f"{name}={value}"):
        from_json(form)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("epsilon", epsilon) for epsilon in (0.0, -1.0, math.inf, math.nan)],
        *[("candidates", candidates) for candidates in (0, -1)],
    ],
)
def test_a_choice_without_meaning_is_refused_by_name_and_value(name: str, value: float) -> None:
    with bad_argument(ValueError, f"{name}={value}"):
        dataclasses.replace(CHOICE, **{name: value})
    with bad_argument(ValueError, f"{name}={value}"):
        from_json({**CHOICE.to_json(), name: repr(value) if name == "epsilon" else value})


@pytest.mark.parametrize("name", ["epsilon", "candidates"])
@pytest.mark.parametrize("value", ["three", "", None, [], "0x10"])
def test_the_numbers_of_a_choice_are_numbers(name: str, value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        from_json({**CHOICE.to_json(), name: value})


@pytest.mark.parametrize("name", ["gamma", "epsilon0"])
@pytest.mark.parametrize("value", ["three", "", None, [], "0x10"])
def test_the_numbers_of_a_randomized_test_are_numbers(name: str, value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        from_json({**RANDOMIZED.to_json(), name: value})


@pytest.mark.parametrize("form", [None, 3, "rounded_gaussian", [GAUSSIAN.to_json()]])
def test_what_is_no_object_is_no_event(form: Any) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        from_json(form)


def test_the_root_has_no_form() -> None:
    with pytest.raises(NotImplementedError):
        Event().to_json()


# --- values and lists


@every(EVENTS)
def test_an_event_is_frozen_and_a_value(event: Any) -> None:
    for field in dataclasses.fields(event):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(event, field.name, getattr(event, field.name))
    assert dataclasses.replace(event) == event
    assert hash(dataclasses.replace(event)) == hash(event)


def test_noises_of_equal_numbers_are_different_events() -> None:
    assert RoundedGaussian(1, 2.0, 3) != DiscreteLaplace(1, 2.0, 3)


@every(SIMPLE)
def test_a_simple_event_is_its_own_only_part(event: Event) -> None:
    assert flatten(event) == [event]


def test_flattening_keeps_the_order_and_every_repetition() -> None:
    inner = Composed((TEST, Composed(()), Composed((LAPLACE, LAPLACE))))
    assert flatten(Composed((GAUSSIAN, inner, CHOICE, inner))) == [
        GAUSSIAN,
        *(TEST, LAPLACE, LAPLACE),
        CHOICE,
        *(TEST, LAPLACE, LAPLACE),
    ]
    assert flatten(Composed(())) == flatten(Disjoint(())) == []
    assert flatten(Composed((Disjoint((GAUSSIAN, inner)), TEST))) == [
        *(GAUSSIAN, TEST, LAPLACE, LAPLACE),
        TEST,
    ]


def test_side_by_side_and_one_after_the_other_are_not_the_same() -> None:
    parts = (GAUSSIAN, LAPLACE)
    assert Disjoint(parts) != Composed(parts)
    assert type(through_json(Disjoint(parts))) is Disjoint
    assert type(through_json(Composed(parts))) is Composed


# --- one trial in M is the model's alone


@given(
    k=st.integers(2, 400),
    gamma=st.fractions(1, 50, max_denominator=10).filter(lambda g: g > 1),
    epsilon0=st.floats(0.001, 12),
    seeds=st.integers(1, 10**6),
)
def test_the_substitution_hides_the_one_person_for_whom_there_is_no_passing(
    k: int, gamma: Fraction, epsilon0: float, seeds: int
) -> None:
    """M ≤ 1 + (A − 1)·n for the least A = e^ε₀·(1 + γ/t), that of t = k − 1; not one less than need be."""
    test = RandomizedTest(k, float(gamma), epsilon0, 10, seeds)
    m = test.substitution
    gained = [_mp.exp(_mp.mpf(epsilon0)) * (1 + _mp.mpf(float(gamma)) / t) - 1 for t in range(1, k)]
    assert min(gained) == gained[-1]
    assert m >= 1
    assert m - 1 <= gained[-1] * seeds * (1 + _mp.mpf(10) ** -12)
    assert m == 1 or m + 1 > min(gained[-1], 2**20) * seeds * (1 - _mp.mpf(10) ** -12)
    # what proof and release use: β = 1/M covers the 1/n of the person's own trial, for every t
    beta = 1 / _mp.mpf(m)
    for more in gained:
        assert (1 - beta) / seeds - more * beta <= _mp.mpf(10) ** -12


def test_the_substitution_by_hand() -> None:
    """A − 1 = e^ε₀·(1 + γ/(k − 1)) − 1: 0.9152 at ε₀ = ½, γ = 16 and k = 100, of 50 seeds 45."""
    assert math.exp(0.5) * (1 + 16 / 99) - 1 == pytest.approx(0.9152, abs=1e-3)
    assert RandomizedTest(100, 16.0, 0.5, 1, 50).substitution == 45
    assert RandomizedTest(100, 16.0, 0.5, 10**6, 50).substitution == 45  # whatever the trials
    assert RandomizedTest(100, 1.01, 1e-4, 1, 50).substitution == 1  # every record is the model's
    assert RandomizedTest(2, 1e6, 100.0, 1, 10).substitution == 10 * 2**20  # no larger than can be drawn


# --- how wide the noise is


def discrete_laplace_deviation(b: float) -> float:
    """√Σ k²·P(k), P(k) ∝ exp(−|k|/b), summed over all that weighs anything."""
    k = np.arange(1, math.ceil(60 * b) + 60)
    weight = np.exp(-k / b)
    return math.sqrt(2 * float((k * k * weight).sum()) / (1 + 2 * float(weight.sum())))


def rounded_gaussian_deviation(sigma: float) -> float:
    """√Σ k²·P(k), P(k) = Φ((k + ½)/σ) − Φ((k − ½)/σ), as Σ (2k − 1)·P(|X| ≥ k)."""
    k = np.arange(1, math.ceil(40 * sigma) + 2)
    return math.sqrt(float(((2 * k - 1) * 2 * ndtr((0.5 - k) / sigma)).sum()))


SCALES = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5, 2.0, 3.0, 7.5, 10.0, 31.6, 100.0, 316.0, 1000.0]


@pytest.mark.parametrize("scale", SCALES)
def test_the_discrete_laplace_is_as_wide_as_its_probabilities_say(scale: float) -> None:
    stated = DiscreteLaplace(1, scale, 1).standard_deviation
    assert stated == pytest.approx(discrete_laplace_deviation(scale), rel=1e-12)
    assert stated < math.sqrt(2) * scale
    if scale >= 10:
        assert stated == pytest.approx(math.sqrt(2) * scale, rel=1e-3)


@pytest.mark.parametrize("scale", SCALES)
def test_the_rounded_gaussian_is_as_wide_as_its_probabilities_say(scale: float) -> None:
    """√(σ² + 1/12) errs upward, by less than max(1, 2σ)·exp(−2π²σ²): a third at 0.3, nothing from 1.5 on."""
    stated, true = RoundedGaussian(1.0, scale, 1).standard_deviation, rounded_gaussian_deviation(scale)
    allowed = max(1.0, 2 * scale) * math.exp(-2 * math.pi**2 * scale**2)
    assert true * (1 - 1e-12) <= stated <= true * (1 + 1e-12) + allowed
    if scale >= 1.5:
        assert stated == pytest.approx(true, rel=1e-12)


def test_the_width_does_not_depend_on_sensitivity_or_count() -> None:
    for kind in (RoundedGaussian, DiscreteLaplace):
        assert kind(1, 5.0, 1).standard_deviation == kind(99, 5.0, 1000).standard_deviation


# --- found while these tests were written


@pytest.mark.parametrize("scale", [0.7, 1.0])
def test_the_documented_error_of_the_rounded_gaussians_width(scale: float) -> None:
    stated, true = RoundedGaussian(1.0, scale, 1).standard_deviation, rounded_gaussian_deviation(scale)
    assert stated - true <= max(1, 2 * scale) * math.exp(-2 * math.pi**2 * scale**2)


@pytest.mark.parametrize(("key", "value"), [("scale", "-3.0"), ("scale", "nan"), ("scale", "inf")])
def test_a_scale_is_positive_and_finite(key: str, value: str) -> None:
    with pytest.raises(ValueError, match=key):
        from_json({**LAPLACE.to_json(), key: value})


@pytest.mark.parametrize("event", [GAUSSIAN, LAPLACE])
def test_a_sensitivity_is_not_negative(event: Event) -> None:
    form = event.to_json()
    form["sensitivity"]["value"] = "-1"
    with pytest.raises(ValueError, match="sensitivity"):
        from_json(form)


@pytest.mark.parametrize(
    "around", [lambda one: one, lambda one: Composed((PrivateChoice(0.5, 3), Disjoint((one, one))))]
)
def test_scales_that_were_calibrated_elsewhere_may_differ_in_their_last_digits(
    around: Callable[[Event], Event],
) -> None:
    planned = RoundedGaussian(131072.0, 248200.2067698818, 318)
    elsewhere = replace(planned, scale=248200.20676988186)
    assert differs_by_rounding(around(planned), around(elsewhere))
    for other in (
        replace(planned, scale=248200.2),
        replace(elsewhere, count=317),
        replace(elsewhere, sensitivity=131073.0),
        DiscreteLaplace(131072, 248200.2067698818, 318),
        Composed((planned, planned)),
    ):
        assert not differs_by_rounding(around(planned), around(other))
    assert not differs_by_rounding(Composed((planned, planned)), Disjoint((planned, planned)))
    assert not differs_by_rounding(Composed((planned, planned)), Composed((planned,)))
