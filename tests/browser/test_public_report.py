"""The public page in a real browser: silent, alone, whole, readable at every width, by keyboard and by screen reader."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hostile_labels import write_hostile_study
from layouts import GOLDEN
from pages import written

import synthrelease

_AXE = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
_WIDTHS = (320, 400, 1400)
PAGES = [*(path.stem for path in GOLDEN), "hostile"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Written pages by the name of their bundle."""
    folder = tmp_path_factory.mktemp("pages")
    hostile = synthrelease.build(write_hostile_study(folder), folder / "hostile.h5", test_seed=3).path
    bundles = {**{path.stem: path for path in GOLDEN}, "hostile": hostile}
    for path in bundles.values():
        written(path, folder)
    return {name: folder / f"{path.stem}.html" for name, path in bundles.items()}


@pytest.mark.parametrize("name", PAGES)
def test_it_is_silent_alone_and_whole(visit, pages, name):
    with visit(pages[name]) as seen:
        sizes = seen.page.eval_on_selector_all("img", "all => all.map(one => one.naturalWidth)")
        assert all(sizes), sizes
        manifest = seen.page.evaluate(
            "JSON.parse(document.getElementById('manifest').textContent).manifest_version"
        )
        assert manifest == 1
        assert seen.messages == []
        assert seen.requests == []


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(visit, pages, axe, name):
    for width, scheme in itertools.product((400, 1400), ("light", "dark")):
        with visit(pages[name], width=width, scheme=scheme) as seen:
            seen.page.evaluate(axe)
            found = seen.page.evaluate(_AXE)
            told = [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found]
            assert told == [], (width, scheme)


def test_axe_finds_what_is_there(visit, pages, axe, tmp_path):
    """The control: contrast, a picture without words, a list broken."""
    path = Path(tmp_path) / "bad.html"
    text = pages["areas"].read_text("utf-8")
    bad = '<p style="color: #999; background: #aaa">pale</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">'
    path.write_text(text.replace("</main>", f"{bad}</main>"))
    with visit(path) as seen:
        seen.page.evaluate(axe)
        assert {"color-contrast", "image-alt"} <= {one["id"] for one in seen.page.evaluate(_AXE)}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", _WIDTHS)
def test_the_page_does_not_scroll_sideways(visit, pages, name, width):
    with visit(pages[name], width=width) as seen:
        root = "document.documentElement"
        assert seen.page.evaluate(f"{root}.scrollWidth") <= seen.page.evaluate(f"{root}.clientWidth")


def test_the_keyboard_comes_to_the_skip_link_first(visit, pages):
    with visit(pages["records"], width=400) as seen:
        focus = "document.activeElement.className + '|' + (document.activeElement.id || '')"
        seen.page.keyboard.press("Tab")
        assert seen.page.evaluate(focus) == "skip|"
        box = seen.page.locator(".skip").bounding_box()
        assert box is not None
        assert box["y"] >= 0  # and it is seen then
        seen.page.keyboard.press("Enter")
        assert seen.page.evaluate(focus).endswith("|main")


@pytest.mark.parametrize("name", PAGES)
def test_it_prints(visit, pages, name):
    with visit(pages[name], scheme="dark") as seen:
        paper = seen.page.pdf(format="A4")
        assert paper.startswith(b"%PDF")
        assert seen.page.evaluate("matchMedia('print').matches") is False
        seen.page.emulate_media(media="print", color_scheme="dark")
        ground = seen.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert ground == "rgb(255, 255, 255)"  # nobody prints a dark page


def test_without_scripts_it_is_the_same_page(visit, pages):
    shots = []
    for scripts in (True, False):
        with visit(pages["areas"], scripts=scripts) as seen:
            shots.append(seen.page.screenshot(full_page=True))
    assert shots[0] == shots[1]


def test_no_name_runs(visit, pages):
    """A study of hostile names, and a page with a script slipped in: its policy stops that."""
    with visit(pages["hostile"]) as seen:
        assert seen.messages == []
        assert "<script>alert('x')</script>" in seen.page.inner_text("body")
    slipped = pages["areas"].with_name("slipped.html")
    text = pages["areas"].read_text("utf-8")
    slipped.write_text(
        text.replace("</main>", '<script>alert(1)</script><img src="http://localhost:1/x.png"></main>')
    )
    with visit(slipped) as seen:
        assert len(seen.messages) >= 2
        assert all("Content Security Policy" in one for one in seen.messages)
        assert seen.requests == ["http://localhost:1/x.png"]  # it is noticed, and stopped
