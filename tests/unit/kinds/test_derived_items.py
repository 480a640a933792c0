"""Items that are derived several at once: the same values in any order of asking, no more work than is asked for, and nothing kept for ever."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from synthrelease.kinds import values as values_module
from synthrelease.kinds.dataset import ITEMS_TOGETHER, Axis, Dataset, DerivedFrom, Index, Role, in_order
from synthrelease.kinds.derived_items import DerivedItems
from synthrelease.kinds.values import Values

ROWS, COLUMNS = 5, 7  # of items
PLACES = list(itertools.product(range(ROWS), range(COLUMNS)))
DRAWN = np.random.default_rng(2).integers(-1000, 1000, (ROWS, COLUMNS, 3))


def derived(index: Index, source: Any) -> Any:
    return np.append(source * 2.0, index)


def datasets(derive_several: Callable[..., Any] | None) -> list[Dataset]:
    def made(path: str, role: Role, length: int, **more: Any) -> Dataset:
        sides = {"row": ROWS, "column": COLUMNS, "x": length}
        axes = tuple(Axis(name, range(side)) for name, side in sides.items())
        return Dataset(path, axes, role, quantity="numbers", items=2, **more)

    drawn, following = (DerivedFrom("drawn"),), (DerivedFrom("following"),)
    return [
        made("drawn", Role.NOISY, 3),
        made("following", Role.ESTIMATE, 5, sources=drawn, derive=derived, derive_several=derive_several),
        made("last", Role.UNCERTAINTY, 5, sources=following, derive=lambda _index, source: source + 1),
    ]


class Counted:
    """How many items each call derived."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self, indices: Sequence[Index], sources: Sequence[Sequence[Any]]) -> list[Any]:
        self.calls.append(len(indices))
        return [derived(index, *source) for index, source in zip(indices, sources, strict=True)]


def asked_for(order: Sequence[tuple[int, int]], counted: Counted) -> None:
    """Ask for items in an order, and compare each."""
    dataset, items = datasets(counted)[1], DerivedItems()
    for index in order:
        exact = items.of(dataset, index, lambda at: [DRAWN[at]])
        np.testing.assert_array_equal(exact, derived(index, DRAWN[index]))
    assert not items._ready["following"] or order != PLACES


def test_in_order_they_are_derived_together() -> None:
    counted = Counted()
    asked_for(PLACES, counted)
    assert counted.calls == [1, ITEMS_TOGETHER - 1, *[ITEMS_TOGETHER] * 3, len(PLACES) % ITEMS_TOGETHER]


@pytest.mark.parametrize(
    "order", [PLACES[::-1], PLACES[::2], PLACES[3:4] * 5, PLACES[::9] + PLACES[4::9]], ids=str
)
def test_out_of_order_no_more_is_derived_than_is_asked_for(order: list[tuple[int, int]]) -> None:
    counted = Counted()
    asked_for(order, counted)
    assert counted.calls == [1] * len(order)


@pytest.mark.parametrize(("side", "together"), [(1, 8), (360, 8), (363, 4), (600, 2), (1024, 1), (5000, 1)])
def test_so_many_are_derived_together_that_they_need_little_memory(side: int, together: int) -> None:
    axes = [Axis(name, range(count)) for name, count in (("item", 20), ("y", side), ("x", side))]
    one = Dataset(
        "map", tuple(axes), Role.ESTIMATE, quantity="n", items=1, derive=derived, derive_several=Counted()
    )
    assert one.items_together == together
    assert one.together_from((17,)) == [(17,), (18,), (19,)][: together - 17 % together]


def test_in_any_order_they_are_the_same() -> None:
    random = np.random.default_rng(4)
    order = [PLACES[number] for number in random.integers(0, len(PLACES), 300)]
    asked_for([*order, *PLACES, *PLACES, *order], Counted())


def test_sources_come_before_what_follows_and_each_item_once() -> None:
    for several in (None, Counted()):
        places = list(in_order(datasets(several)))
        seen = [(dataset.path, index) for dataset, index in places]
        assert sorted(seen) == sorted(itertools.product(["drawn", "following", "last"], PLACES))
        at = {key: number for number, key in enumerate(seen)}
        together = 1 if several is None else ITEMS_TOGETHER
        for number, index in enumerate(PLACES):
            assert at["drawn", index] < at["following", index] < at["last", index]
            block = PLACES[number // together * together :][:together]
            assert all(at["drawn", one] < at["following", index] for one in block)
        for path in ("drawn", "following", "last"):
            assert [index for one, index in seen if one == path] == PLACES  # as they are stored


@pytest.mark.parametrize("most", [0, 500, 1 << 26])
def test_values_are_the_same_and_no_more_is_kept_than_is_said(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values_module, "MOST_KEPT_BYTES", most)
    counted = Counted()
    parameters = SimpleNamespace(datasets=lambda _event: datasets(counted))
    values = Values(parameters, None, {"drawn": DRAWN})  # type: ignore[arg-type]
    for dataset, index, array in values:
        expected = {"drawn": DRAWN[index], "following": derived(index, DRAWN[index])}
        expected["last"] = expected["following"] + 1
        np.testing.assert_allclose(array, expected[dataset.path], atol=1e-3)
        assert sum(one.nbytes for one in values._kept.values()) == values._kept_bytes
        assert values._kept_bytes <= max(most, 20)
    if most >= 500:  # room for as many as are derived together: each once
        assert sum(counted.calls) == len(PLACES)
    np.testing.assert_allclose(values.array("last")[4, 6], derived((4, 6), DRAWN[4, 6]) + 1, atol=1e-3)
