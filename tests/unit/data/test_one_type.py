"""What is put together from several pieces is of one type, or refused: someone's text must not rewrite other people's numbers."""

from __future__ import annotations

from types import SimpleNamespace

import polars as pl
import pytest

from synthrelease.data import in_memory
from synthrelease.data.in_memory import InMemoryFrame
from synthrelease.data.one_type import refuse_mixed_types
from synthrelease.errors import DataError


@pytest.mark.parametrize("cells", [[1.0, 2.0, "a"], (1, "a"), ["a", 2]])
def test_a_list_of_numbers_and_texts_is_refused(cells: list[object]) -> None:
    """NumPy would make the label 1 of another person "1.0"."""
    with pytest.raises(DataError) as caught:
        InMemoryFrame.of_arrays({"stimulus": cells}, "call")
    assert caught.value.code == "bad-array"


def test_texts_stay_texts() -> None:
    taken = InMemoryFrame.of_arrays({"stimulus": ["1", "b", None], "who": ("x", "y", "z")}, "call").frame
    assert taken.rows() == [("1", "x"), ("b", "y"), (None, "z")]


@pytest.mark.parametrize(
    ("one", "other", "code"),
    [
        ([1.0], ["a"], "mixed-types"),
        ([1], [True], "mixed-types"),
        ([2**53 + 1], [0.5], "integers-too-large"),
        ([-(2**60)], [0.5], "integers-too-large"),
        ([1], [0.5], ""),
        ([1.0], [None], ""),
        (["a"], ["b"], ""),
    ],
)
def test_pieces(one: list[object], other: list[object], code: str) -> None:
    for first, second in ((one, other), (other, one)):
        pieces = [pl.Series(first), pl.Series(second)]
        try:
            refuse_mixed_types("label", pieces, "piece {}".format, remedy="cast it")
            raised = ""
        except DataError as error:
            raised = error.code
        assert raised == code


@pytest.mark.parametrize("place", range(4))
def test_every_piece_is_looked_at(place: int) -> None:
    pieces = [pl.Series(["a"] if number == place else [number]) for number in range(4)]
    with pytest.raises(DataError) as caught:
        refuse_mixed_types("who", pieces, "piece {}".format, remedy="cast it")
    assert caught.value.code == "mixed-types"


def test_gaze_of_a_dataset_is_of_one_type() -> None:
    """polars would make the label 1 of everyone else "1.0"."""
    several = [
        SimpleNamespace(samples=pl.DataFrame({"label": cells, "x": [1.0]}), metadata={})
        for cells in ([1.0], ["a"])
    ]
    with pytest.raises(DataError) as caught:
        in_memory._of_dataset(SimpleNamespace(gaze=several), "frames['gaze']")
    assert caught.value.code == "mixed-types"
