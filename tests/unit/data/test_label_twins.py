"""One person under two labels is found, whatever the two differ in, and whichever inputs they are in; people with labels of their own are not."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from tiers import few

from synthrelease import arrays, build, preview
from synthrelease.data.label_twins import LabelTwins, label_twins
from synthrelease.data.source import Source
from synthrelease.errors import DataError

CODING, CAPITALS, BLANKS, SEPARATORS, NUMBER = "coding", "capitals", "blanks", "separators", "numbers"


def lines_of(twins: LabelTwins | None) -> list[tuple[str, str]]:
    assert twins is not None
    return [re.findall(r"(\w+\.csv), line (\d+)", place)[0] for place in twins.places]


def source(folder: Path, labels: list[str], name: str = "rows.csv") -> tuple[Source, str, frozenset[str]]:
    path = folder / name
    pl.DataFrame({"who": labels, "x": range(len(labels))}).write_csv(path)
    return Source(path), "who", frozenset(label.strip() for label in labels)


@pytest.mark.parametrize(
    ("one", "other", "ways"),
    [
        ("P1", "p1", [CAPITALS]),
        ("Straße", "STRASSE", [CAPITALS]),
        ("José", unicodedata.normalize("NFD", "José"), [CODING]),
        ("P\N{FULLWIDTH DIGIT ONE}", "P1", [CODING]),
        ("P 1", "P1", [BLANKS]),
        ("P\N{NO-BREAK SPACE}1", "P  1", [BLANKS]),
        ("P\N{ZERO WIDTH SPACE}1", "P1", [BLANKS]),
        ("1", "01", [NUMBER]),
        ("1", "1.0", [NUMBER]),
        ("1", "+1.", [NUMBER]),
        ("0", "-0.00", [NUMBER]),
        (".5", "0.5", [NUMBER]),
        ("\N{ARABIC-INDIC DIGIT ONE}", "1", [NUMBER]),
        ("P_01", "P01", [SEPARATORS]),
        ("P-1", "P1", [SEPARATORS]),
        ("P\N{MINUS SIGN}1", "P-1", [SEPARATORS]),
        ("a\N{EN DASH}b", "a-b", [SEPARATORS]),
        ("S01_P02", "S01P02", [SEPARATORS]),
        ("P_1", "p01", [CAPITALS, SEPARATORS, NUMBER]),
        (
            "\N{GREEK SMALL LETTER IOTA WITH DIALYTIKA AND TONOS}",
            "\N{GREEK SMALL LETTER IOTA WITH DIALYTIKA AND TONOS}".upper(),
            [CAPITALS],
        ),
        ("P7", "P007", [NUMBER]),
        ("S2P7", "S02P07", [NUMBER]),
        ("P 01", "p1", [CAPITALS, BLANKS, NUMBER]),
        ("1" * 40, "1" * 40 + ".0", [NUMBER]),
    ],
)
def test_twins(tmp_path: Path, one: str, other: str, ways: list[str]) -> None:
    for first, second in ((one, other), (other, one)):
        found = label_twins([source(tmp_path, ["x", first, first, "y", second])])
        assert found is not None
        assert found.ways == tuple(ways)
        assert lines_of(found) == [("rows.csv", "3"), ("rows.csv", "6")]
        assert found.more == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("P1", "P2"),
        ("P1", "P10"),
        ("P1", "P11"),
        ("-1", "1"),
        ("1", "10"),
        ("1", "0.1"),
        ("1.5", "15"),
        ("1" * 40, "1" * 39 + "2"),
        ("1e5", "1e6"),
        ("1e5x", "1e05y"),
        ("a", "á"),
        ("1.0.0", "1.0"),
        (".", "0"),
        ("-", "+"),
        ("100000", "1e5"),
        ("1e2", "100"),  # of three hexadecimal digits
        ("1.1", "1.10"),  # of several sites
        ("S1.05", "S1.5"),
        ("1_2", "12"),
        ("A-B", "AB"),
        ("1e9999", "1e9998"),
    ],
)
def test_no_twins(tmp_path: Path, one: str, other: str) -> None:
    assert label_twins([source(tmp_path, [one, other, one])]) is None


def test_blanks_around_a_label_never_count(tmp_path: Path) -> None:
    assert label_twins([source(tmp_path, ["P1", " P1", "P1  "])]) is None


def test_twins_in_two_inputs(tmp_path: Path) -> None:
    one, other = source(tmp_path, ["a", "B", "c"]), source(tmp_path, ["c", "b", "a", "C"], "other.csv")
    found = label_twins([one, other])
    assert found is not None
    assert lines_of(found) == [("rows.csv", "3"), ("other.csv", "3")]
    assert found.more == 1  # C
    assert label_twins([one, source(tmp_path, ["c", "a"], "same.csv")]) is None


def test_rows_are_numbered_through_all_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synthrelease.data.label_twins._SLICE_ROWS", 7)
    labels = [f"P{n}" for n in range(1, 41)]
    labels[30] = "p3"
    found = label_twins([source(tmp_path, labels)])
    assert lines_of(found) == [("rows.csv", "4"), ("rows.csv", "32")]


@few
@given(st.text("aA1 0.e-\N{COMBINING ACUTE ACCENT}á", min_size=1, max_size=6))
def test_every_label_has_one_plain_spelling(label: str) -> None:
    """What is spelled plainly is not spelled more plainly: else twins would depend on which of three is looked at first."""
    from synthrelease.data.label_twins import _plain

    assert _plain(label) == _plain(unicodedata.normalize("NFD", label)) == _plain(label.upper())


PLAN = """
release = { name = "twins", version = "1", title = "Twins" }
privacy = { epsilon = 1.0%s }
[inputs.pupil]
kind = "features"
path = "rows.csv"
columns = { person = "who" }
bounds = { x = [0, 9] }
[[outputs]]
name = "summary"
kind = "statistics"
input = "pupil"
statistics = ["mean"]
"""


def test_a_plan_must_say_that_they_are_different_people(tmp_path: Path) -> None:
    source(tmp_path, ["Zoe", "bob", "zoe"])
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN % "")
    for use in (preview, build):
        with refused(DataError, "label-twins", where=plan, names=["distinct_labels"]) as caught:
            use(plan, **({} if use is preview else {"output": tmp_path / "r.h5"}))
        assert "zoe" not in str(caught.value).lower().replace(str(tmp_path).lower(), "")
    assert {path.name for path in tmp_path.iterdir()} == {"rows.csv", "plan.toml"}
    plan.write_text(PLAN % ", distinct_labels = true")
    assert build(plan, tmp_path / "r.h5").manifest["privacy"]["people"] == 3
    plan.write_text(PLAN % ", distinct_labels = false")
    with refused(DataError, "label-twins"):
        preview(plan)


def test_a_call_says_how_to_label_people_by_themselves() -> None:
    """Ranks would make everyone's label, and with it the stimuli that they count on, depend on everyone."""
    people = ["Zoe", "bob", "zoe"]
    ways = {"values": {"x": [1.0, 2.0, 3.0]}, "bounds": {"x": (0, 9)}, "statistics": ["mean"], "epsilon": 1.0}
    with refused(
        DataError, "label-twins", where="statistics", names=["str(one).strip().encode().hex()"]
    ) as caught:
        arrays.statistics(person=people, **ways)
    assert "zoe" not in str(caught.value).lower()
    assert "privacy" not in caught.value.remedy
    advised = caught.value.remedy.rpartition("person=")[2]
    for others in ([], ["Amy"], ["zora", "BOB"]):
        labels = eval(advised, {"person": [*others, *people]})  # noqa: S307  what the message says
        assert labels[-3:] == ["5a6f65", "626f62", "7a6f65"]
    assert arrays.statistics(person=labels[-3:], **ways).guarantee.epsilon == 1.0
