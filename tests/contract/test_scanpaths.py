"""The contract of synthetic scanpaths: with the first round forced, no one moves a round's sum further than its radius allows."""

from __future__ import annotations

import itertools
import math

import made_scanpaths
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from made_scanpaths import (
    BUDGET,
    ROUNDS,
    SCREEN,
    Rows,
    adversaries,
    before,
    exact,
    mechanism,
    ordinary,
    radii,
)
from noisy_rounds import Sums
from tiers import few

from synthrelease.dp.event import noise_of
from synthrelease.dp.guarantee import Neighbours

FORCED = ("nothing", "noise")


def squared(one: Sums, other: Sums) -> tuple[int, ...]:
    return tuple(int(((one[path] - other[path]).astype(object) ** 2).sum()) for path in ROUNDS)


@pytest.mark.parametrize("forced", FORCED)
def test_no_adversary_moves_a_round_further_than_its_radius_allows(forced: str) -> None:
    beside = ordinary(2)
    sums = [exact([*beside, rows], before(forced)) for rows in adversaries().values()]
    moves = [squared(one, other) for one, other in itertools.combinations(sums, 2)]
    for number, radius in enumerate(radii()):
        most = max(move[number] for move in moves)
        assert most <= (2 * radius) ** 2
        assert most >= (0.84 * 2 * radius) ** 2  # a bound that no one comes near is noise for nothing
    allowed = mechanism().parameters.sensitivity(Neighbours.REPLACE_ONE).l2_squared
    assert max(map(sum, moves)) <= allowed


def rows_of_anyone() -> st.SearchStrategy[Rows]:
    size = st.integers(0, 12)
    values = st.floats(0, 1)
    made = size.flatmap(lambda count: arrays(np.float64, (count, 4), elements=values))
    scale = np.array([2.999, SCREEN.width_px, SCREEN.height_px, 900.0])
    return made.map(lambda rows: np.column_stack([np.floor(rows[:, 0] * 2.999), (rows * scale)[:, 1:]]))


@few
@given(data=st.data())
@pytest.mark.parametrize("forced", FORCED)
def test_no_one_moves_a_round_further_than_its_radius_allows(forced: str, data: st.DataObject) -> None:
    beside = ordinary(2)
    one, other = (data.draw(rows_of_anyone()) for _ in range(2))
    move = squared(exact([*beside, one], before(forced)), exact([*beside, other], before(forced)))
    for moved, radius in zip(move, radii(), strict=True):
        assert moved <= (2 * radius) ** 2


def test_a_contribution_is_the_same_whoever_else_is_there() -> None:
    """Bit for bit, in crowds of every size."""
    others = ordinary(12, seed=1)
    for rows in [*list(adversaries().values())[::4], *ordinary(3, seed=2)]:
        alone = []
        for crowd in (others[:1], others[:5], others[5:]):
            with_person, without = (exact(group, before("noise")) for group in ([*crowd, rows], crowd))
            alone.append({path: with_person[path] - without[path] for path in ROUNDS})
        for sums in alone[1:]:
            for path in ROUNDS:
                np.testing.assert_array_equal(sums[path], alone[0][path])


def test_whoever_has_nothing_contributes_nothing() -> None:
    for name in ("nothing", "no time"):
        sums = exact([adversaries()[name]], before("noise"))
        assert not any(total.any() for total in sums.values())


def test_the_second_round_depends_on_the_first_ones_release() -> None:
    """On levels of the released map, which one fixation has whose other numbers are the same."""
    rows = [adversaries()["once left top"]]
    one, other = (exact(rows, before(forced))[ROUNDS[1]] for forced in FORCED)
    assert (one[-18:] != other[-18:]).any()
    shares = [total[1:-18] / np.linalg.norm(total[1:-18].astype(float)) for total in (one, other)]
    np.testing.assert_allclose(*shares, atol=1e-3)  # but for what clipping leaves of them


def test_the_event_is_that_of_the_radius_of_both_rounds() -> None:
    noise = noise_of(mechanism().calibrate(BUDGET))
    assert noise is not None
    assert float(noise.sensitivity) ** 2 == pytest.approx(4 * sum(radius**2 for radius in radii()), rel=1e-4)
    assert float(noise.sensitivity) ** 2 >= 4 * sum(radius**2 for radius in radii())
    assert noise.count == 3 * mechanism().parameters.of_maps.form.band.count + 232


def test_one_who_comes_or_goes_moves_half_as_far() -> None:
    private = mechanism(None)
    sensitivity = private.parameters.sensitivity(Neighbours.ADD_REMOVE_ONE)
    assert math.isclose(
        2 * sensitivity.l2, mechanism().parameters.sensitivity(Neighbours.REPLACE_ONE).l2, rel_tol=1e-12
    )
    assert made_scanpaths.mechanism(None).largest_integer > 2**40
