"""What a project can name: files below its folder, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusals import refused
from studio_project import Browser, project

from synthrelease.errors import ArgumentError

OUTSIDE = (
    "..",
    "../secret.csv",
    "/etc/passwd",
    "a/../../secret.csv",
    "link",
    "folder-link/secret.csv",
    "\0",
    "x" * 5000,
    "missing.csv",
)


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    (tmp_path / "secret.csv").write_text("who,x\nP1,1\n")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret.csv")
    (folder / "folder-link").symlink_to(tmp_path)
    return folder


@pytest.mark.parametrize("name", OUTSIDE)
def test_nothing_outside_is_named(inside: Path, name: str) -> None:
    here = project(inside)
    with refused(ArgumentError, "not-in-the-project"):
        here.inside(name)


@pytest.mark.parametrize("name", OUTSIDE)
def test_nor_looked_at(inside: Path, name: str) -> None:
    browser = Browser(project(inside, plan=None))
    answer = browser.change("/data/propose", path=name, person="who")
    assert answer.status == 422
    assert not browser.project.plan.exists()


def test_links_that_stay_inside_are_followed(inside: Path) -> None:
    here = project(inside)
    (inside / "own-link.csv").symlink_to(inside / "gaze.csv")
    assert here.inside("own-link.csv") == here.folder / "gaze.csv"


def test_files_are_listed_without_hidden_ones_and_those_that_lead_outside(inside: Path) -> None:
    here = project(inside)
    (inside / ".hidden").mkdir()
    (inside / ".hidden" / "a.csv").write_text("a\n")
    (inside / "other.csv").symlink_to(inside.parent / "secret.csv")
    (inside / "sub").mkdir()
    (inside / "sub" / "b.csv").write_text("a\n")
    assert [here.name(path) for path in here.files(".csv")] == ["gaze.csv", "sub/b.csv"]
