"""Public facts come from the label columns alone, and agree with what the full load finds."""

from __future__ import annotations

import gzip
import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from tiers import few

from synthrelease.data.cells import ONLY_LABEL
from synthrelease.data.facts import Facts, read_facts
from synthrelease.data.features import load_features
from synthrelease.data.gaze import load_gaze
from synthrelease.data.readers import delimited, parquet
from synthrelease.data.screen import Screen
from synthrelease.data.source import Source
from synthrelease.errors import DataError

GAZE = {"person": "who", "stimulus": "image", "x": "x", "y": "y", "time": "t"}
FEATURES = {"person": "who", "recording": "task", "time": "t"}
SCREEN = Screen(100, 100)

Row = tuple[Any, ...]


def stored(folder: Path, header: tuple[str, ...], rows: list[Row], *, name: str = "data.csv") -> Path:
    path = folder / name
    if name.endswith(".parquet"):
        pl.DataFrame(rows, schema=header, orient="row").write_parquet(path)
        return path
    text = "".join(
        ",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in [header, *rows]
    )
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def random_rows(seed: int) -> list[Row]:
    """Rows of (who, group, value, value, time) with missing values, values off every bound, and odd people."""
    chance = random.Random(seed)
    return [
        (
            f"p{chance.randrange(9)}",
            chance.choice("abcx"),
            chance.choice([None, -1, 5, 500]),
            chance.randrange(90),
            t,
        )
        for t in range(chance.randrange(1, 40))
    ]


# Agreement with the full load


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet"])
@pytest.mark.parametrize("listed", [None, ["a", "b"], ["b", "a", "never"]])
@pytest.mark.parametrize("seed", range(4))
def test_facts_of_gaze_agree_with_the_full_load(
    tmp_path: Path, name: str, listed: list[str] | None, seed: int
) -> None:
    path = stored(tmp_path, ("who", "image", "x", "y", "t"), random_rows(seed), name=name)
    facts = read_facts(path, columns=GAZE, listed=listed)
    gaze = load_gaze(path, columns=GAZE, screen=SCREEN, stimuli=listed, missing=[-1], off_screen="drop")
    assert facts.people == gaze.people
    assert facts.names == gaze.stimuli
    assert facts.identities == set(gaze.identities)
    assert facts.longest is None


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet"])
@pytest.mark.parametrize("listed", [None, ["a", "b"], ["b", "a", "never"]])
@pytest.mark.parametrize("seed", range(4))
def test_facts_of_features_agree_with_the_full_load(
    tmp_path: Path, name: str, listed: list[str] | None, seed: int
) -> None:
    path = stored(tmp_path, ("who", "task", "f", "g", "t"), random_rows(seed), name=name)
    facts = read_facts(path, columns=FEATURES, listed=listed)
    features = load_features(
        path, columns=FEATURES, bounds={"f": (0, 9), "g": (0, 1)}, recordings=listed, missing=[-1]
    )
    assert facts.people == features.people
    assert facts.names == features.recordings
    assert facts.identities == set(features.identities)


def test_people_without_a_usable_row_are_people(tmp_path: Path) -> None:
    rows = [
        ("ann", "a", 5, 5, 1),
        ("bob", "unlisted", 5, 5, 1),
        ("cyd", "a", None, 5, 1),
        ("dan", "a", 500, 5, 1),
    ]
    path = stored(tmp_path, ("who", "image", "x", "y", "t"), rows)
    facts = read_facts(path, columns=GAZE, listed=["a"])
    assert (facts.people, facts.identities) == (4, {"ann", "bob", "cyd", "dan"})


def test_without_a_recording_column_there_is_one(tmp_path: Path) -> None:
    path = stored(tmp_path, ("who", "task", "f", "g", "t"), random_rows(1))
    facts = read_facts(path, columns={"person": "who", "time": "t"}, listed=None)
    assert facts.names == (ONLY_LABEL,)
    features = load_features(path, columns={"person": "who", "time": "t"}, bounds={"g": (0, 1)})
    assert facts.names == features.recordings


def test_a_label_is_the_same_person_in_another_format(tmp_path: Path) -> None:
    rows = [(10, "a", 1, 1, 1), (9, "a", 1, 1, 1)]
    header = ("who", "image", "x", "y", "t")
    text = read_facts(stored(tmp_path, header, rows), columns=GAZE, listed=None)
    typed = read_facts(stored(tmp_path, header, rows, name="data.parquet"), columns=GAZE, listed=None)
    assert text == typed
    whole = [(float(row[0]), *row[1:]) for row in rows]
    assert (
        read_facts(stored(tmp_path, header, whole, name="whole.parquet"), columns=GAZE, listed=None) == typed
    )


# Lengths


def lengths(path: Path, listed: list[str] | None) -> int:
    """Rows of the longest recording of anyone, as the full load has them."""
    features = load_features(path, columns=FEATURES, bounds={"g": (0, 1)}, recordings=listed)
    group = features.person * len(features.recordings) + features.recording
    return int(np.bincount(group).max())


@pytest.mark.parametrize("seed", range(4))
def test_the_longest_recording_is_looked_up_where_lengths_are_public(tmp_path: Path, seed: int) -> None:
    path = stored(tmp_path, ("who", "task", "f", "g", "t"), random_rows(seed))
    facts = read_facts(path, columns=FEATURES, listed=None, lengths_public=True)
    assert facts.longest == lengths(path, None)
    assert read_facts(path, columns=FEATURES, listed=None).longest is None


def test_the_longest_recording_is_one_person_in_one_recording(tmp_path: Path) -> None:
    rows = [("ann", "a", 1, 1, t) for t in range(3)] + [("ann", "b", 1, 1, t) for t in range(2)]
    rows += [("bob", "a", 1, 1, t) for t in range(4)]
    path = stored(tmp_path, ("who", "task", "f", "g", "t"), rows)
    assert read_facts(path, columns=FEATURES, listed=None, lengths_public=True).longest == 4
    one = read_facts(path, columns={"person": "who"}, listed=None, lengths_public=True)
    assert one.longest == 5


def test_a_recording_not_listed_is_not_the_longest(tmp_path: Path) -> None:
    rows = [("ann", "a", 1, 1, t) for t in range(3)] + [("ann", "pilot", 1, 1, t) for t in range(50)]
    path = stored(tmp_path, ("who", "task", "f", "g", "t"), rows)
    facts = read_facts(path, columns=FEATURES, listed=["a"], lengths_public=True)
    assert facts.longest == lengths(path, ["a"]) == 3


# Nothing else is read


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet"])
def test_the_other_columns_may_hold_anything(tmp_path: Path, name: str) -> None:
    rows = [("ann", "a", 1.0, 2.0, 3.0), ("bob", "b", 4.0, 5.0, 6.0)]
    garbage = [("ann", "a", "canary", "", "canary"), ("bob", "b", "∞", "-inf", "canary")]
    header = ("who", "image", "x", "y", "t")
    good, bad = (
        stored(tmp_path, header, rows, name=name),
        stored(tmp_path, header, garbage, name=f"bad-{name}"),
    )
    with pytest.raises(DataError):
        load_gaze(bad, columns=GAZE, screen=SCREEN)
    expected = read_facts(good, columns=GAZE, listed=None, lengths_public=True)
    assert read_facts(bad, columns=GAZE, listed=None, lengths_public=True) == expected


def test_the_other_columns_need_not_exist(tmp_path: Path) -> None:
    path = stored(tmp_path, ("who", "image"), [("ann", "a"), ("bob", "b")])
    assert read_facts(path, columns=GAZE, listed=None).people == 2


@pytest.mark.parametrize("name", ["data.csv", "data.parquet"])
def test_only_the_label_columns_are_asked_for(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []
    for reader in (delimited.Delimited, parquet.Parquet):

        def noting(
            self: Any, source: Source, columns: list[str], most: int, slices: Any = reader.slices
        ) -> Any:
            asked.append(columns)
            return slices(self, source, columns, most)

        monkeypatch.setattr(reader, "slices", noting)
    path = stored(tmp_path, ("who", "image", "x", "y", "t"), [("ann", "a", 1, 2, 3)], name=name)
    read_facts(path, columns=GAZE, listed=None, lengths_public=True)
    assert asked == [["who", "image"]]


@given(
    st.lists(st.tuples(st.sampled_from("pqr"), st.sampled_from("ab")), min_size=1, max_size=12), st.randoms()
)
@few
def test_the_order_of_rows_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], chance: random.Random
) -> None:
    folder = tmp_path_factory.mktemp("facts")
    columns = {"person": "who", "recording": "task"}
    first = read_facts(
        stored(folder, ("who", "task"), rows), columns=columns, listed=None, lengths_public=True
    )
    chance.shuffle(rows)
    assert (
        read_facts(stored(folder, ("who", "task"), rows), columns=columns, listed=None, lengths_public=True)
        == first
    )


# Bad input


@pytest.mark.parametrize(("line", "word"), [(",a", "'who'"), ("canary,", "'image'")])
def test_an_empty_label_is_refused_at_its_line(tmp_path: Path, line: str, word: str) -> None:
    path = tmp_path / "data.csv"
    path.write_text(f"who,image\ncanary,canary\n{line}\n", encoding="utf-8")
    with refused(DataError, "missing-label", where=f"{path}, line 3, column {word}") as caught:
        read_facts(path, columns=GAZE, listed=None)
    assert "canary" not in str(caught.value).replace(str(path), "")


def test_a_missing_label_column_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, ("whom", "image"), [("canary", "canary")])
    with refused(DataError, "unknown-column", where=path) as caught:
        read_facts(path, columns=GAZE, listed=None)
    assert "'who'" in caught.value.problem
    assert "'whom'" in caught.value.remedy


@pytest.mark.parametrize("most", [1, 2, 100])
def test_rows_of_no_group_are_of_people_and_of_no_name(
    tmp_path: Path, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synthrelease.data.facts._SLICE_ROWS", most)
    rows = [("p1", "a", 5, 1), ("p1", None, 5, 2), ("p2", None, 5, 3), ("p1", "b", 5, 4), ("p1", "a", 5, 5)]
    for name in ("data.csv", "data.parquet"):
        path = stored(tmp_path, ("who", "task", "v", "t"), rows, name=name)
        facts = read_facts(path, columns=FEATURES, listed=["b", "a", "c"], lengths_public=True)
        assert facts.people == 2
        assert facts.names == ("b", "a", "c")
        assert facts.assigned.tolist() == [[True, True, False], [False, False, False]]
        assert facts.longest == 2
        features = load_features(path, columns=FEATURES, bounds={"v": (0.0, 9.0)}, recordings=["b", "a", "c"])
        assert features.recording.tolist() == [0, 1, 1]
        with refused(DataError, "missing-label", where="column 'task'"):
            read_facts(path, columns=FEATURES, listed=None)


def test_a_list_of_which_nothing_is_in_the_data_is_refused_and_names_without_rows_are_known(
    tmp_path: Path,
) -> None:
    rows = [("p1", "a", 5, 1), ("p2", "b", 5, 2)]
    path = stored(tmp_path, ("who", "task", "v", "t"), rows)
    facts = read_facts(path, columns=FEATURES, listed=["a", "c", "b", "d"])
    assert facts.without_rows == ("c", "d")
    assert read_facts(path, columns=FEATURES, listed=None).without_rows == ()
    with refused(DataError, "no-listed-rows", where=path) as caught:
        read_facts(path, columns=FEATURES, listed=["A", "B"])
    assert "'task'" in caught.value.where
    assert "recordings" in caught.value.remedy


def test_expected_viewers_do_not_depend_on_the_order_of_people() -> None:
    """Of the third stimulus 1.5 are expected: a sum of floats is above or below it, as the people are sorted."""
    assigned = np.array(
        [
            [1, 0, 1, 0, 1, 0],
            [1, 0, 1, 1, 0, 1],
            [1, 1, 1, 1, 0, 0],
            [1, 0, 1, 1, 0, 0],
            [0, 1, 0, 1, 1, 0],
            [0, 1, 1, 0, 0, 1],
        ],
        dtype=np.bool_,
    )
    counts = {
        Facts(6, tuple("abcdef"), None, frozenset(), assigned[list(order)], by_position=False).counting(1)
        for order in itertools.permutations(range(6))
    }
    assert counts == {(1, 1, 2, 1, 1, 1)}
