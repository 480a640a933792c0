"""How many participants each item of an output effectively holds, from the noisy constants of all of them together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from synthrelease.kinds.dataset import Array, Axis, Dataset, DerivedFrom, Index, Role

PATH = "normalization"


class Normalization:
    """The derivation of one item's mean and error, which needs the constants of all: computed once for the same constants.

    Args:
        function: of the constants of all items, one after the other; mean and standard deviation of each, shape (items, 2).
        items: how many items each of the leading axes has.
    """

    def __init__(self, function: Callable[[Array], Array], items: tuple[int, ...]) -> None:
        self._function, self._items = function, items
        self._of: Any = None
        self._values: Array | None = None

    def __call__(self, index: Index, constants: Array) -> Array:
        """Return mean and standard deviation of an item, shape (2,)."""
        if self._values is None or self._of is not constants:
            self._of, self._values = constants, self._function(constants.reshape(-1)).reshape(*self._items, 2)
        result: Array = self._values[index]
        return result


def normalization(places: tuple[Axis, ...], function: Callable[[Array], Array]) -> Dataset:
    """Return the dataset of what the integers of every item, whose first is a constant, are to be divided by."""
    return Dataset(
        PATH,
        (*places, Axis("moment", ["mean", "standard_deviation"], is_columns=True)),
        Role.NORMALIZATION,
        quantity="effective number of participants that the integers are divided by",
        unit="people",
        items=len(places),
        sources=(DerivedFrom("noisy", whole=True, part=first_of_each),),
        derive=Normalization(function, tuple(map(len, places))),
    )


def first_of_each(integers: Array) -> Array:
    """Return the first integer of every item."""
    first: Array = integers[..., 0]
    return first
