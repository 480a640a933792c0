"""Whose labels lie within labels of which: what `init` shows of the columns that could hold participant IDs, and only on the terminal."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result
from goldens import check_text, figures

from synthrelease.cli import main
from synthrelease.data.source import Source
from synthrelease.proposals.excerpt import Excerpt
from synthrelease.proposals.nesting import NestedColumn, Nesting, nesting, nesting_lines, nestings
from synthrelease.proposals.roles import roles_of

PEOPLE, SESSIONS, IMAGES, ROWS = 42, 67, ("a", "b", "c"), 4


def gaze() -> pl.DataFrame:
    """42 people in 5 groups, 25 of them with two sessions; on each of three images four points in a session."""
    chance = random.Random(0)
    owners = [*range(PEOPLE), *range(SESSIONS - PEOPLE)]
    rows = [
        (
            f"P{owner:02}",
            f"s{number:02}",
            "vwxyz"[owner % 5],
            image,
            chance.uniform(0, 90),
            chance.uniform(0, 60),
        )
        for number, owner in enumerate(owners)
        for image in IMAGES
        for _ in range(ROWS)
    ]
    return pl.DataFrame(rows, schema=["participant", "session_id", "group", "image", "x", "y"], orient="row")


def of_frame(
    frame: pl.DataFrame, chosen: str | None = None, *, is_cut: bool = False
) -> dict[str, NestedColumn]:
    excerpt = Excerpt(Source(Path("gaze.csv")), frame, is_cut)
    found = nesting(excerpt, roles_of(excerpt.filled), chosen)
    assert found.looked_at == (frame.height if is_cut else None)
    return {one.column: one for one in found.columns}


def test_sessions_lie_within_participants_and_these_within_groups() -> None:
    found = of_frame(gaze())
    assert [*found] == ["participant", "group", "image", "session_id"]  # the likeliest first
    assert {name: one.labels for name, one in found.items()} == {
        "participant": PEOPLE,
        "group": 5,
        "image": 3,
        "session_id": SESSIONS,
    }
    assert {name: one.within for name, one in found.items()} == {
        "participant": ("group",),
        "group": (),
        "image": (),
        "session_id": ("participant", "group"),
    }
    for one in found.values():
        assert one.rows == pytest.approx(gaze().height / one.labels, abs=0.05)


def test_it_is_what_a_comparison_row_by_row_finds() -> None:
    frame = gaze()
    found = of_frame(frame)
    for one, other in itertools.permutations(found, 2):
        holders: dict[str, set[str]] = {}
        for fine, coarse in frame.select(one, other).iter_rows():
            holders.setdefault(fine, set()).add(coarse)
        assert (other in found[one].within) == all(len(held) == 1 for held in holders.values())


def test_one_label_elsewhere_or_nowhere_is_enough_to_be_no_part() -> None:
    frame = gaze()
    first = pl.int_range(pl.len()) == 0
    elsewhere = frame.with_columns(
        pl.when(first).then(pl.lit("P41")).otherwise("participant").alias("participant")
    )
    assert "participant" not in of_frame(elsewhere)["session_id"].within
    of_first = pl.col("session_id") == "s00"
    nowhere = frame.with_columns(pl.when(of_first).then(None).otherwise("participant").alias("participant"))
    assert "participant" not in of_frame(nowhere)["session_id"].within


def test_a_second_name_of_each_participant_lies_within_the_first_and_the_other_way_round() -> None:
    found = of_frame(gaze().with_columns(pl.col("participant").str.replace("P", "proband").alias("vp")))
    assert "participant" in found["vp"].within
    assert "vp" in found["participant"].within


def test_the_column_that_was_chosen_is_there_whatever_it_looks_like() -> None:
    frame = gaze().with_columns((pl.int_range(pl.len()) // 2 * 0.5).alias("measured"))
    assert "measured" not in of_frame(frame)
    assert "measured" in of_frame(frame, "measured")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_init_shows_them_when_it_asks_and_when_it_was_answered_and_the_plan_has_none(tmp_path: Path) -> None:
    data, plan = tmp_path / "gaze.csv", tmp_path / "plan.toml"
    gaze().write_csv(data)
    asked = run("init", data, "-o", plan)
    assert asked.exit_code == 3
    shown = "\n".join(nesting_lines(nestings([data])[0]))
    check_text("init/nesting", shown)
    assert shown in asked.stderr
    assert not plan.exists()
    done = run("init", data, "--person", "session_id", "-o", plan)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    (line,) = (line for line in lines if line.strip().startswith("session_id"))
    assert figures(line) == [SESSIONS, ROWS * len(IMAGES)]
    text = plan.read_text("utf-8")
    assert not [number for number in (PEOPLE, SESSIONS) if number in figures(text)]
    form = json.loads(run("init", data, "--person", "session_id", "-o", plan, "--force", "--json").stdout)
    (source,) = form["inputs"]
    assert {one["column"]: one["labels"] for one in source["candidates"]}["participant"] == PEOPLE
    asked = run("init", data, "-o", tmp_path / "other.toml", "--json")
    assert json.loads(asked.stdout)["error"]["code"] == "person-column-needed"
    assert shown not in asked.output


def test_a_single_column_leaves_nothing_to_decide(tmp_path: Path) -> None:
    assert nesting_lines(Nesting((NestedColumn("who", 3, 2.0, ()),))) == []
    data = tmp_path / "gaze.csv"
    gaze().select("participant", "x", "y").write_csv(data)
    done = run("init", data, "--person", "participant", "-o", tmp_path / "plan.toml")
    assert done.exit_code == 0
    assert done.stdout.count("participant") == 1  # "42 participants"
