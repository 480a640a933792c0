"""In whatever type a file holds a label, it is the same label: one person's file decides nothing about other people's."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from synthrelease.building.design import make_design
from synthrelease.data.cells import label_texts
from synthrelease.errors import DataError
from synthrelease.plan import partitions
from synthrelease.plan.partitions import contributions, partitions_of, stamp_of
from synthrelease.plan.plan import load_plan

PLAN = """
release = {{ name = "types", version = "1", title = "Types" }}
privacy = {{ epsilon = 5.0 }}
[inputs.gaze]
kind = "gaze"
path = "rows"
pattern = "{pattern}"
columns = {{ person = "who", stimulus = "pic", x = "x", y = "y" }}
screen = {{ width_px = 80, height_px = 60 }}
{stimuli}
[[outputs]]
name = "shares"
kind = "areas"
input = "gaze"
areas = {{ left = {{ rectangle = [0, 0, 40, 60] }} }}
"""
TYPES = [pl.Float64, pl.Float32, pl.Int64, pl.Int8, pl.UInt16, pl.String]


@pytest.mark.parametrize("dtype", TYPES)
def test_a_whole_number_is_one_label_in_every_type(dtype: type[pl.DataType]) -> None:
    assert label_texts(pl.Series("a", [0, 1, 100]).cast(dtype)).to_list() == ["0", "1", "100"]


def test_a_number_is_one_label_in_either_precision() -> None:
    numbers = np.array([0.1, 1e16, -0.0, 2.0**60, 1e30, np.nan, 0.5], dtype=np.float64)
    wide = label_texts(pl.Series(numbers))
    narrow = label_texts(pl.Series(numbers.astype(np.float32).astype(np.float64)))
    assert label_texts(pl.Series(numbers.astype(np.float32))).to_list() == narrow.to_list()
    assert wide.to_list()[:4] == ["0.1", "10000000000000000", "0", str(2**60)]
    assert wide.to_list()[5] is None


def write(folder: Path, types: list[type[pl.DataType]], *, people: str = "file") -> Path:
    (folder / "rows").mkdir(exist_ok=True)
    for number, dtype in enumerate(types):
        rows = pl.DataFrame(
            {
                "pic": pl.Series([1, 2] * 2).cast(dtype),
                "x": [10.0, 20.0, 30.0, 70.0],
                "y": [20.0] * 4,
                **({} if people == "file" else {"who": pl.Series([number] * 4).cast(dtype)}),
            }
        )
        rows.write_parquet(folder / "rows" / f"{number}.parquet")
    pattern = "{who}.parquet" if people == "file" else "*.parquet"
    path = folder / "plan.toml"
    path.write_text(PLAN.format(pattern=pattern, stimuli='assume_public = ["stimuli", "assignment"]'))
    return path


def shares(plan_path: Path) -> tuple[tuple[str, ...], int, NDArray[np.int64]]:
    design = make_design(load_plan(plan_path))
    spec, facts, output = design.plan.inputs["gaze"], design.facts["gaze"], design.outputs[0]
    found = [
        contributions(part, {"shares": output.mechanism}).collected["shares"]
        for part in partitions_of(spec, facts, stamp_of(spec.source))
    ]
    return facts.names, facts.people, sum(one["dwell/noisy"] for one in found)


@pytest.mark.parametrize("people", ["file", "column"])
@pytest.mark.parametrize("cells", [None, 20])
def test_the_type_of_one_file_changes_nothing(tmp_path: Path, people: str, cells: int | None) -> None:
    with (
        patch.object(partitions, "PART_CELLS", cells or partitions.PART_CELLS),
    ):
        names, number, alike = shares(write(tmp_path, [pl.Int64] * 5, people=people))
        assert (names, number) == (("1", "2"), 5)
        for other in (pl.Float64, pl.Float32, pl.Int8):
            again = shares(write(tmp_path, [pl.Int64] * 4 + [other], people=people))
            assert again[:2] == (names, number)
            assert (again[2] == alike).all()


def test_fractions_are_the_same_label_beside_a_wider_type(tmp_path: Path) -> None:
    """Single-precision 0.1 is another number than 0.1, whoever else is there."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for number, dtype in enumerate([pl.Float32] * 3 + [pl.Float64]):
        cells = pl.Series([0.1, 0.5]).cast(pl.Float32).cast(dtype)
        rows = pl.DataFrame({"pic": cells, "x": [10.0, 70.0], "y": [20.0] * 2})
        rows.write_parquet(folder / f"{number}.parquet")
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.format(pattern="{who}.parquet", stimuli='assume_public = ["stimuli"]'))
    assert shares(path)[0] == ("0.10000000149011612", "0.5")


def test_whole_numbers_that_fractions_would_round_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    folder.mkdir()
    for number, dtype in enumerate([pl.Int64, pl.Int64, pl.Float64]):
        cells = pl.Series([2**53 + 1 + 2 * number, 5]).cast(dtype)
        pl.DataFrame({"pic": cells, "x": [10.0, 70.0], "y": [20.0] * 2}).write_parquet(
            folder / f"{number}.parquet"
        )
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.format(pattern="{who}.parquet", stimuli='assume_public = ["stimuli"]'))
    with pytest.raises(DataError) as caught:
        shares(path)
    assert caught.value.code == "integers-too-large"
