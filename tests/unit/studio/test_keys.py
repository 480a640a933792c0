"""Keys in the studio: a pair is made where there is none, and the page says which of the two is never published."""

from __future__ import annotations

import shlex
import stat
from pathlib import Path
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from pages import Page, parsed
from studio_project import Browser, project

from synthrelease.cli import main
from synthrelease.studio.commands import KEY, KEYGEN, SIGN, command


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    (tmp_path / "b.h5").touch()
    return Browser(project(tmp_path))


def page_of(browser: Browser) -> Page:
    return parsed(browser.ask("/bundle?path=b.h5").text)


def offered(page: Page) -> set[str | None]:
    names = {one["value"] for one in page.all("input") if one.get("name") == "name"}
    return names & {SIGN, KEYGEN}


def warnings(page: Page) -> list[str]:
    return [text for text in page.texts("p", "warning") if KEY in text or "own.pem" in text]


def test_a_pair_is_made_where_there_is_none(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(page_of(browser)) == {KEYGEN}
    folder = browser.project.folder
    monkeypatch.chdir(folder)
    made = CliRunner().invoke(main, command(KEYGEN, browser.project, {}), input="")
    assert made.exit_code == 0, made.output
    assert stat.S_IMODE((folder / KEY).stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR
    page = page_of(browser)
    assert offered(page) == {SIGN}
    assert [text for text in page.texts("option") if text.endswith(".key")] == [KEY]
    (warning,) = warnings(page)
    assert KEY in warning
    assert f"{KEY}.pub" not in warning
    assert f"{KEY}.pub" in page.texts("code")


def test_commands_can_be_copied_whatever_files_are_called(browser: Browser) -> None:
    folder = browser.project.folder
    for name in ("my bundle; ls.h5", "$(ls) 'own'.key", "$(ls) 'own'.key.pub"):
        (folder / name).touch()
    page = parsed(browser.ask(f"/bundle?path={quote('my bundle; ls.h5')}").text)
    (typed,) = (text for text in page.texts("code") if "--public-key" in text)
    words = ["synthrelease", "verify", "my bundle; ls.h5", "--public-key", "$(ls) 'own'.key.pub"]
    assert shlex.split(typed) == words


def test_of_a_key_without_its_public_one_only_the_warning_is_there(browser: Browser) -> None:
    (browser.project.folder / "own.pem").touch()
    page = page_of(browser)
    assert offered(page) == {SIGN}
    assert len(warnings(page)) == 1
    assert "own.pem.pub" not in page.text


def test_nothing_that_is_sent_names_the_file_of_a_key(browser: Browser) -> None:
    sent = {"output": ["../other.key"], "key": ["../other.key"], "bundle": ["b.h5"]}
    assert command(KEYGEN, browser.project, sent) == ("keygen", "-o", KEY, "--no-password")
