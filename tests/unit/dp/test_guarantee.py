"""Guarantees: unlike ones never add up, like ones do by their own rule, and JSON brings every one back."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from typing import Any

import pytest
from goldens import check_text
from hypothesis import given
from hypothesis import strategies as st
from refusals import bad_argument

from synthrelease.dp.guarantee import (
    ApproxDP,
    Guarantee,
    Neighbours,
    NoGuarantee,
    PlausibleDeniability,
    PureDP,
    Unit,
    from_json,
)
from synthrelease.number_words import no_less

KINDS: dict[str, Guarantee] = {
    "pure_dp": PureDP(epsilon=0.5),
    "approx_dp": ApproxDP(epsilon=0.5, delta=1e-6),
    "plausible_deniability": PlausibleDeniability(k=8, gamma=4.0, counted="person", vacuous=False),
    "none": NoGuarantee(reason="published as it is"),
}
OWN_FIELDS = {
    "pure_dp": {"epsilon"},
    "approx_dp": {"epsilon", "delta"},
    "plausible_deniability": {"k", "gamma", "counted", "vacuous"},
    "none": {"reason"},
}
amounts = st.floats(0, 1e6)
relations = st.sampled_from(Neighbours)
every_kind = pytest.mark.parametrize("guarantee", KINDS.values(), ids=KINDS.keys())
numbers = pytest.mark.parametrize(
    ("kind", "name"),
    [
        (PureDP, "epsilon"),
        (ApproxDP, "epsilon"),
        (ApproxDP, "delta"),
    ],
)
guarantees = st.one_of(
    st.builds(PureDP, epsilon=amounts, neighbours=relations),
    st.builds(ApproxDP, epsilon=amounts, delta=st.floats(0, 1), neighbours=relations),
    st.builds(
        PlausibleDeniability,
        k=st.integers(1, 2**40),
        gamma=st.floats(1, 1e6, exclude_min=True),
        counted=st.sampled_from(["person", "record"]),
        vacuous=st.booleans(),
        neighbours=relations,
    ),
    st.builds(NoGuarantee, reason=st.text(), neighbours=relations),
)


def made(kind: type[Guarantee], **changed: Any) -> Guarantee:
    """A good guarantee of the kind, with some fields changed."""
    return dataclasses.replace(next(g for g in KINDS.values() if type(g) is kind), **changed)


# --- unlike guarantees


@pytest.mark.parametrize(
    ("one", "other"), list(itertools.permutations(KINDS.values(), 2)), ids=lambda g: g.kind
)
def test_unlike_kinds_never_add_up(one: Guarantee, other: Guarantee) -> None:
    with pytest.raises(TypeError):
        one + other


@every_kind
def test_unlike_neighbours_never_add_up(guarantee: Guarantee) -> None:
    other = dataclasses.replace(guarantee, neighbours=Neighbours.ADD_REMOVE_ONE)
    for one, two in ((guarantee, other), (other, guarantee)):
        with pytest.raises(TypeError):
            one + two


@every_kind
def test_an_unlike_unit_never_adds_up(guarantee: Guarantee) -> None:
    window: Any = "window"  # no such unit today: whoever adds one must not be able to mix it with people
    with pytest.raises(TypeError):
        guarantee + dataclasses.replace(guarantee, unit=window)


@every_kind
@pytest.mark.parametrize("other", [0, 0.5, None, "ε", (1,)])
def test_a_guarantee_is_not_a_number(guarantee: Guarantee, other: object) -> None:
    with pytest.raises(TypeError):
        guarantee + other
    with pytest.raises(TypeError):
        other + guarantee  # type: ignore[operator]
    with pytest.raises(TypeError):
        sum([guarantee, guarantee])  # type: ignore[list-item]


@pytest.mark.parametrize("kind", ["plausible_deniability", "none"])
def test_deniability_and_nothing_do_not_even_add_to_themselves(kind: str) -> None:
    with pytest.raises(TypeError, match=kind):
        KINDS[kind] + KINDS[kind]


# --- like guarantees


@given(amounts, amounts, relations)
def test_pure_and_approximate_guarantees_add_their_parameters(
    one: float, other: float, relation: Neighbours
) -> None:
    pure = PureDP(epsilon=one, neighbours=relation) + PureDP(epsilon=other, neighbours=relation)
    assert pure == PureDP(epsilon=one + other, neighbours=relation)
    both = ApproxDP(epsilon=one, delta=one / 4e6, neighbours=relation) + ApproxDP(
        epsilon=other, delta=other / 2e6, neighbours=relation
    )
    assert both == ApproxDP(epsilon=one + other, delta=one / 4e6 + other / 2e6, neighbours=relation)


@numbers
def test_three_of_a_kind_come_to_the_same_in_any_order(kind: type[Guarantee], name: str) -> None:
    three = [made(kind, **{name: value}) for value in (0.5, 2.0, 0.125)]
    for a, b, c in itertools.permutations(three):
        for total in ((a + b) + c, a + (b + c)):
            assert type(total) is kind
            assert getattr(total, name) == pytest.approx(2.625, rel=1e-15)


@pytest.mark.parametrize("kind", ["pure_dp", "approx_dp"])
def test_what_costs_nothing_adds_nothing(kind: str) -> None:
    nothing = made(type(KINDS[kind]), **dict.fromkeys(OWN_FIELDS[kind], 0.0))
    assert KINDS[kind] + nothing == nothing + KINDS[kind] == KINDS[kind]


# --- JSON


@given(guarantees)
def test_json_brings_every_guarantee_back(guarantee: Guarantee) -> None:
    form = json.loads(json.dumps(guarantee.to_json(), allow_nan=False))
    again = from_json(form)
    assert type(again) is type(guarantee)
    assert again == guarantee
    assert isinstance(again.unit, Unit)
    assert isinstance(again.neighbours, Neighbours)
    assert again.to_json() == guarantee.to_json()


@every_kind
def test_the_form_names_kind_unit_neighbours_and_the_kinds_own_parameters(guarantee: Guarantee) -> None:
    form = guarantee.to_json()
    own = OWN_FIELDS[form["kind"]]
    assert KINDS[form["kind"]] is guarantee
    assert set(form) == {"kind", "unit", "neighbours"} | own
    assert (form["unit"], form["neighbours"]) == ("person", "replace-one")
    assert {name: form[name] for name in own} == {name: getattr(guarantee, name) for name in own}


@every_kind
def test_reading_does_not_change_the_form(guarantee: Guarantee) -> None:
    form = guarantee.to_json()
    from_json(form)
    assert form == guarantee.to_json()


@pytest.mark.parametrize("kind", ["differentially-private", "PureDP", "pure", "", None, 1])
def test_another_kind_is_refused(kind: object) -> None:
    with bad_argument(ValueError, *KINDS):
        from_json({**KINDS["pure_dp"].to_json(), "kind": kind})


@every_kind
def test_a_missing_or_surplus_field_is_refused(guarantee: Guarantee) -> None:
    form = guarantee.to_json()
    for name in form:
        with pytest.raises((KeyError, TypeError, ValueError)):
            from_json({key: value for key, value in form.items() if key != name})
    with pytest.raises(TypeError):
        from_json({**form, "note": "and nothing else"})


@every_kind
@pytest.mark.parametrize("name", ["unit", "neighbours"])
@pytest.mark.parametrize("value", ["window", "", None, 1, "REPLACE_ONE"])
def test_another_unit_or_relation_is_refused(guarantee: Guarantee, name: str, value: object) -> None:
    with bad_argument(ValueError, repr(value), "Unit" if name == "unit" else "Neighbours"):
        from_json({**guarantee.to_json(), name: value})


@numbers
@pytest.mark.parametrize("value", ["1", None, [1.0], -1.0, math.nan, math.inf])
def test_a_form_with_a_bad_number_is_refused(kind: type[Guarantee], name: str, value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        from_json({**made(kind).to_json(), name: value})


# --- values


@numbers
@pytest.mark.parametrize("value", [-1e-300, -1.0, math.nan, math.inf, -math.inf])
def test_a_parameter_that_is_negative_or_not_finite_is_named(
    kind: type[Guarantee], name: str, value: float
) -> None:
    with bad_argument(ValueError, f"{name}={value}"):
        made(kind, **{name: value})


@numbers
@pytest.mark.parametrize("value", [0.0, 5e-324, 1.0, 1e300])
def test_every_other_amount_is_a_guarantee(kind: type[Guarantee], name: str, value: float) -> None:
    assert getattr(made(kind, **{name: value}), name) == value


@pytest.mark.parametrize(("k", "gamma"), [(0, 4.0), (-1, 4.0), (8, 1.0), (8, 0.5), (8, -4.0), (8, math.nan)])
def test_deniability_needs_someone_to_hide_among_and_an_interval(k: int, gamma: float) -> None:
    with bad_argument(ValueError, f"k={k}", f"gamma={gamma}"):
        PlausibleDeniability(k=k, gamma=gamma, counted="person", vacuous=False)


@every_kind
def test_a_guarantee_is_frozen_and_a_value(guarantee: Guarantee) -> None:
    for field in dataclasses.fields(guarantee):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(guarantee, field.name, getattr(guarantee, field.name))
    twin = dataclasses.replace(guarantee)
    assert twin == guarantee
    assert hash(twin) == hash(guarantee)
    assert guarantee != dataclasses.replace(guarantee, neighbours=Neighbours.ADD_REMOVE_ONE)


@every_kind
def test_the_person_and_one_replaced_are_the_defaults(guarantee: Guarantee) -> None:
    assert guarantee.unit is Unit.PERSON
    assert guarantee.neighbours is Neighbours.REPLACE_ONE
    with pytest.raises(TypeError):
        type(guarantee)(*(getattr(guarantee, name) for name in OWN_FIELDS[guarantee.kind]))


def test_equal_numbers_of_unlike_kinds_are_not_equal() -> None:
    assert PureDP(epsilon=1.0) != ApproxDP(epsilon=1.0, delta=0.0)


def test_words_say_what_is_guaranteed_and_to_whom() -> None:
    asked = [*KINDS.values(), made(PlausibleDeniability, vacuous=True)]
    check_text("guarantee/kinds", "\n".join(f"{one.kind}: {one}" for one in asked))


# --- found while these tests were written


@pytest.mark.parametrize("name", ["unit", "neighbours"])
def test_a_missing_unit_or_relation_is_refused(name: str) -> None:
    form = KINDS["pure_dp"].to_json()
    del form[name]
    with pytest.raises((KeyError, TypeError, ValueError)):
        from_json(form)


@pytest.mark.parametrize(
    ("value", "digits", "told"),
    [
        (3.33e-5, 2, "3.4e-05"),
        (1e-6, 2, "1e-06"),
        (1.05e-6, 2, "1.1e-06"),
        (9.99e-6, 2, "1e-05"),
        (1.0, 6, "1"),
        (1.0000000000000002, 6, "1"),
        (1.0000004, 6, "1"),
        (1.000003, 6, "1.00001"),
        (2.999999999, 6, "3"),
        (0.123452511, 6, "0.123453"),
        (123456.2, 6, "123457"),
        (math.inf, 6, "inf"),
    ],
)
def test_a_guarantee_is_never_told_smaller_than_it_is(value: float, digits: int, told: str) -> None:
    assert no_less(value, digits) == told
    assert float(told) >= value * (1 - 1e-6)
