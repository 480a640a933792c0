"""Who is one person: what the page draws is what `init` finds, and it is marked as private."""

from __future__ import annotations

from pathlib import Path

import bids_dataset
import polars as pl
from pages import Page, parsed
from studio_project import Browser, project

from synthrelease.proposals.nesting import nestings


def asked(folder: Path, data: str) -> Page:
    return parsed(Browser(project(folder, plan=None)).ask(f"/data?path={data}").text)


def offered(page: Page) -> list[str | None]:
    return [one["value"] for one in page.all("input") if one.get("name") == "person"]


def test_the_matrix_is_what_init_finds(tmp_path: Path) -> None:
    page = asked(tmp_path, "gaze.csv")
    (found,) = nestings([tmp_path / "gaze.csv"])
    assert offered(page) == [one.column for one in found.columns] == ["who", "image", "session"]
    (session,) = (row for row in page.texts("tr") if row.startswith("session"))
    assert [int(word) for word in session.split() if word.isdigit()] == [60, 4]
    drawn = [one["aria-label"] for one in page.all("span") if one.get("role") == "img"]
    assert drawn == [f"within {other}" for one in found.columns for other in one.within]
    assert drawn == ["within who"]  # not a sentence: names of columns
    assert len(page.texts("p", "private-mark")) == 1
    assert len(page.texts("form", "private")) == 1


def test_a_column_without_another_has_no_matrix(tmp_path: Path) -> None:
    project(tmp_path, plan=None)
    own = tmp_path / "own"
    own.mkdir()
    pl.read_csv(tmp_path / "gaze.csv").select("who", "x", "y").write_csv(own / "one.csv")
    page = asked(tmp_path, "own/one.csv")
    assert offered(page) == ["who"]
    assert len(page.all("th")) == 2
    assert len(page.texts("p", "private-mark")) == 1


def test_a_format_that_says_it_leaves_nothing_to_choose(tmp_path: Path) -> None:
    bids_dataset.written(tmp_path / "bids")
    page = asked(tmp_path, "bids")
    assert offered(page) == []
    assert page.texts("form", "private") == []
    (found,) = nestings([tmp_path / "bids"])
    assert found.columns == ()
    assert found.defined in page.texts("strong")


def test_where_no_column_could_be_one_none_is_named(tmp_path: Path) -> None:
    project(tmp_path, plan=None)
    (tmp_path / "bare.csv").write_text("x,y\n1.5,2.5\n3.5,4.5\n")
    page = asked(tmp_path, "bare.csv")
    assert offered(page) == []
    assert page.texts("strong") == []
