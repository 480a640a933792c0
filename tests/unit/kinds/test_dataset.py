"""What a dataset declares: coordinates of its axes."""

from __future__ import annotations

import numpy as np
import pytest

from synthrelease.kinds.dataset import Axis


@pytest.mark.parametrize("numbers", [range(7), range(3, 40, 5)])
def test_numbers_one_after_the_other_are_the_coordinates_in_32_bits(numbers: range) -> None:
    values = Axis("record", numbers).values
    assert values.dtype == np.int32
    assert values.tolist() == list(numbers)


def test_a_number_that_32_bits_do_not_hold_is_no_coordinate() -> None:
    axis = Axis("record", range(2**31 + 1))
    assert axis.part(2**31 - 2, 2**31).tolist() == [2**31 - 2, 2**31 - 1]
    with pytest.raises(OverflowError):
        axis.part(2**31 - 1, 2**31 + 1)


def test_labels_are_coordinates_in_utf_8_as_long_as_the_longest() -> None:
    axis = Axis("stimulus", ["garden", "straße"])
    assert axis.dtype == np.dtype("S7")
    assert axis.part(1, 2).tolist() == ["straße".encode()]
