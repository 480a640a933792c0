"""What one uploads: forms by what they are for, and a list of files of which none is private."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import Page, parsed
from studio_project import Browser, noted, project

from synthrelease.exports.formats import FORMATS
from synthrelease.studio.commands import command
from synthrelease.studio.upload import upload_of

BUNDLE = "small-1.0.0.h5"  # of the plan
PRIVATE = ("signing.key", "gaze.csv", "plan.toml", "ledger.sqlite", "private-evaluation.html")


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    (tmp_path / BUNDLE).touch()
    return Browser(project(tmp_path))


def page_of(browser: Browser) -> Page:
    return parsed(browser.ask(f"/bundle?path={BUNDLE}").text)


def first_word(text: str) -> str:
    return text.split(maxsplit=1)[0]


def test_every_form_is_offered_with_what_it_is_for(browser: Browser) -> None:
    page = page_of(browser)
    offered = [one for one in page.all("input") if one.get("name") == "to"]
    assert [one["value"] for one in offered] == [*FORMATS]
    assert ["checked" in one for one in offered] == [True] + [False] * (len(FORMATS) - 1)
    for label, form in zip(page.texts("label", "option"), FORMATS.values(), strict=True):
        assert form.purpose in label
        assert form.description in label
    assert len({form.purpose for form in FORMATS.values()}) == len(FORMATS)


MADE = '{"report": "", "bytes": 1, "warnings": [], "test_seed": false}'


def test_the_list_names_what_is_there_and_what_is_advised_and_nothing_private(browser: Browser) -> None:
    folder = browser.project.folder
    assert [(part.name, part.is_there) for part in upload_of(browser.project, BUNDLE, has_report=False)] == [
        (BUNDLE, True),
        ("small-1.0.0.html", False),
        ("small-1.0.0-csv", False),
        ("small-1.0.0-datacite", False),
    ]
    (folder / "small-1.0.0-bids").mkdir()
    for name in ("small-1.0.0.html", "small-1.0.0.manifest.json", "signing.key.pub", *PRIVATE):
        (folder / name).touch()
    assert "small-1.0.0.html" not in map(first_word, page_of(browser).texts("li", "done"))  # of anyone
    noted(browser.project, "report", "report", BUNDLE, "-o", "small-1.0.0.html", printed=MADE)
    page = page_of(browser)
    assert [name for name in map(first_word, page.texts("li", "done")) if "." in name] == [
        BUNDLE,
        "small-1.0.0.manifest.json",
        "small-1.0.0.html",
        "small-1.0.0-bids",
        "signing.key.pub",
    ]
    assert not {part.name for part in upload_of(browser.project, BUNDLE, has_report=True)} & {*PRIVATE}


def test_a_bundle_of_others_is_not_for_you_to_upload(browser: Browser) -> None:
    (browser.project.folder / "other.h5").touch()
    assert [one for one in page_of(browser).all("section") if one.get("id") == "upload"]
    page = parsed(browser.ask("/bundle?path=other.h5").text)
    assert not [one for one in page.all("section") if one.get("id") == "upload"]


def test_the_folders_are_those_that_exports_write(browser: Browser) -> None:
    for form in FORMATS:
        *_, folder = command("export", browser.project, {"bundle": [BUNDLE], "to": [form]})
        (browser.project.folder / folder).mkdir()
        assert folder in [
            part.name for part in upload_of(browser.project, BUNDLE, has_report=False) if part.is_there
        ]
