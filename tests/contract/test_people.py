"""The contract of synthetic people: with the rounds before forced, no one moves a round's sum further than its radius allows.

Exact sums may move further without that, as the second round's centre moves with the first: noise stands between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import made_people
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_people import MADE, ROUNDS, adversaries, before, mechanism
from noisy_rounds import Sums
from tiers import few
from variants.people import BUDGET, Person

from synthrelease.dp.event import noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.people.design import RADIUS

# What was released before: of uniform marginals, and what noise alone looks like.
FORCED = ("uniform", "noise")


def exact(people: Sequence[Person], forced: str, order: int | None = None) -> Sums:
    """Exact sums of the three rounds, if the rounds before released what is forced."""
    return made_people.exact(made_people.collected(people, order), before(forced))


def squared(sums: Sums) -> dict[str, int]:
    return {path: int((total.astype(object) ** 2).sum()) for path, total in sums.items()}


def difference(one: Sums, other: Sums) -> dict[str, int]:
    return squared({path: one[path] - other[path] for path in ROUNDS})


@cache
def contributions(forced: str) -> list[tuple[str, Sums]]:
    """Sums of two ordinary people and one adversary each."""
    beside = MADE.ordinary(2)
    return [(person.name, exact([*beside, person], forced)) for person in adversaries()]


@pytest.mark.parametrize("forced", FORCED)
def test_no_adversary_moves_a_round_further_than_its_radius_allows(forced: str) -> None:
    radii = mechanism().parameters.design.radii
    assert sum(radius**2 for radius in radii) <= RADIUS**2
    sums = [total for _, total in contributions(forced)]
    moves = [difference(one, other) for n, one in enumerate(sums) for other in sums[:n]]
    for path, radius in zip(ROUNDS, radii, strict=True):
        assert max(move[path] for move in moves) <= (2 * radius) ** 2
        # Someone comes near: a bound that no one comes near is noise for nothing.
        assert max(move[path] for move in moves) >= 0.5 * (2 * radius) ** 2
    assert (
        max(sum(move.values()) for move in moves)
        <= mechanism().parameters.sensitivity(Neighbours.REPLACE_ONE).l2_squared
    )


@few
@given(data=st.data())
@pytest.mark.parametrize("forced", FORCED)
def test_no_one_moves_a_round_further_than_its_radius_allows(forced: str, data: st.DataObject) -> None:
    beside = MADE.ordinary(2)
    one, other = (data.draw(MADE.anyone()) for _ in range(2))
    move = difference(exact([*beside, one], forced), exact([*beside, other], forced))
    for path, radius in zip(ROUNDS, mechanism().parameters.design.radii, strict=True):
        assert move[path] <= (2 * radius) ** 2


def test_sums_do_not_depend_on_how_many_people_are_reduced_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    people = [*adversaries(), *MADE.ordinary(7)]
    whole = exact(people, "noise")
    monkeypatch.setattr("synthrelease.kinds.people.mechanism._PART_ROWS", 150)  # a person or two
    parts = exact(people, "noise")
    for path in ROUNDS:
        np.testing.assert_array_equal(parts[path], whole[path])


def test_a_contribution_is_the_same_whoever_else_is_there() -> None:
    """Bit for bit, in crowds of every size."""
    people = [*adversaries()[::4], *MADE.ordinary(4, seed=2)]
    others = MADE.ordinary(30, seed=1)
    for person in people:
        alone = []
        for crowd in (others[:1], others[:6], others[6:]):
            with_person, without = (exact(group, "noise") for group in ([*crowd, person], crowd))
            alone.append({path: with_person[path] - without[path] for path in ROUNDS})
        for sums in alone[1:]:
            for path in ROUNDS:
                np.testing.assert_array_equal(sums[path], alone[0][path])


def test_people_and_their_rows_may_stand_in_any_order() -> None:
    people = [*MADE.ordinary(12, seed=4), *adversaries()[::6]]
    sums = exact(people, "noise")
    for order in range(2):
        turned = [people[i] for i in np.random.default_rng(order).permutation(len(people))]
        for other in (exact(people, "noise", order), exact(turned, "noise", order)):
            for path in ROUNDS:
                np.testing.assert_array_equal(other[path], sums[path])


def test_the_event_is_that_of_the_radius_of_all_rounds() -> None:
    noise = noise_of(mechanism().calibrate(BUDGET))
    assert noise is not None
    assert noise.sensitivity == 2 * RADIUS
    form = mechanism().parameters.form
    assert noise.count == 2 * form.marginal_size + form.dependence_size
