"""The private page in a real browser: silent, alone, readable at every width, and stamped on every printed sheet."""

from __future__ import annotations

import itertools
import re
import zlib

import pytest
from invented_appraisal import NAMES, appraisal

from synthrelease.appraisal.private_page import write_private_page
from synthrelease.appraisal.private_words import STAMP

_AXE = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
_WIDTHS = (320, 400, 1400)
_UNFOLD = "document.querySelectorAll('details').forEach(one => one.open = true)"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Written pages by the name of their appraisal."""
    folder = tmp_path_factory.mktemp("pages")
    for name in NAMES:
        write_private_page(appraisal(name), folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_it_is_silent_alone_and_whole(visit, pages, name):
    with visit(pages[name]) as seen:
        sizes = seen.page.eval_on_selector_all("img", "all => all.map(one => one.naturalWidth)")
        assert all(sizes), sizes
        told = seen.page.evaluate(
            "JSON.parse(document.getElementById('appraisal').textContent).do_not_publish"
        )
        assert told.startswith("private")
        assert STAMP in seen.page.title()
        assert seen.messages == []
        assert seen.requests == []


@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing(visit, pages, axe, name):
    for width, scheme in itertools.product((400, 1400), ("light", "dark")):
        with visit(pages[name], width=width, scheme=scheme) as seen:
            seen.page.evaluate(_UNFOLD)
            seen.page.evaluate(axe)
            found = seen.page.evaluate(_AXE)
            told = [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found]
            assert told == [], (width, scheme)


def test_axe_finds_what_is_there(visit, pages, axe):
    """The control: a verdict that cannot be read."""
    bad = pages["plain"].with_name("bad.html")
    text = (
        pages["plain"]
        .read_text("utf-8")
        .replace(".verdict.found { color: #fff;", ".verdict.found { color: #a33;")
    )
    bad.write_text(text, "utf-8")
    with visit(bad) as seen:
        seen.page.evaluate(axe)
        assert "color-contrast" in {one["id"] for one in seen.page.evaluate(_AXE)}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", _WIDTHS)
def test_the_page_does_not_scroll_sideways(visit, pages, name, width):
    with visit(pages[name], width=width) as seen:
        seen.page.evaluate(_UNFOLD)
        root = "document.documentElement"
        assert seen.page.evaluate(f"{root}.scrollWidth") <= seen.page.evaluate(f"{root}.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_stamp_and_the_faults_are_seen_first(visit, pages, scheme):
    with visit(pages["faulty"], width=400, scheme=scheme) as seen:
        banner = seen.page.locator(".danger").bounding_box()
        assert banner is not None
        assert banner["y"] == 0
        colour = seen.page.evaluate("getComputedStyle(document.querySelector('.danger')).backgroundColor")
        assert colour == "rgb(156, 20, 32)"
        faults, lines = (seen.page.locator(one).bounding_box() for one in (".faults", ".lines"))
        assert faults is not None
        assert lines is not None
        assert faults["y"] < lines["y"]


def test_the_keyboard_comes_to_everything_that_folds_and_scrolls(visit, pages):
    with visit(pages["plain"], width=400) as seen:
        seen.page.keyboard.press("Tab")
        assert seen.page.evaluate("document.activeElement.className") == "skip"
        stops = seen.page.evaluate("document.querySelectorAll('a, summary, [tabindex=\"0\"]').length")
        met = set()
        for _ in range(stops + 5):
            met.add(
                seen.page.evaluate(
                    "[...document.querySelectorAll('a, summary, [tabindex=\"0\"]')].indexOf(document.activeElement)"
                )
            )
            seen.page.keyboard.press("Tab")
        folded = seen.page.evaluate("document.querySelectorAll('details [tabindex=\"0\"]').length")
        assert len(met - {-1}) == stops - folded
        seen.page.locator("summary").first.focus()
        seen.page.keyboard.press("Enter")
        assert seen.page.evaluate("document.querySelector('details').open")


@pytest.mark.parametrize("name", NAMES)
def test_every_printed_sheet_is_stamped_above_and_below(visit, pages, name):
    with visit(pages[name], scheme="dark") as seen:
        sheets = _margins(seen.page.pdf(format="A4"))
        seen.page.emulate_media(media="print", color_scheme="dark")
        ground = seen.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert ground == "rgb(255, 255, 255)"  # nobody prints a dark page
    assert sheets
    for texts in sheets:
        assert [_pattern(glyphs) for _, glyphs in texts] == [_pattern(STAMP)] * 2
        assert texts[0][0] < 60  # A4 is 1123 px high, its margins are 60
        assert texts[1][0] > 1060


def test_a_sheet_without_a_stamp_is_noticed(visit, pages):
    """The control of the test above."""
    bad = pages["plain"].with_name("unstamped.html")
    bad.write_text(
        pages["plain"].read_text("utf-8").replace("@bottom-center {", "@bottom-nowhere {"), "utf-8"
    )
    with visit(bad) as seen:
        assert {len(texts) for texts in _margins(seen.page.pdf(format="A4"))} == {1}


def _margins(paper: bytes) -> list[list[tuple[float, list[str]]]]:
    """Of each sheet of a PDF as Chromium writes it, the texts in its margins: height from above in px, and numbers of letters."""
    sheets = []
    for contents in re.findall(rb"/Type /Page\n.*?/Contents (\d+) 0 R", paper, re.DOTALL):
        begins = re.search(rb"\n%s 0 obj\n<<.*?>>\s*stream\r?\n" % contents, paper, re.DOTALL)
        assert begins is not None
        drawn = zlib.decompressobj().decompress(paper[begins.end() :]).decode("latin-1")
        # The margins are drawn first, and measured from the corner of the sheet; what is in the page is moved and cut out.
        above = drawn.split("W* n", 1)[0]
        texts = []
        for text in re.findall(r"BT\n(.*?)ET", above, re.DOTALL):
            place = re.search(r"^1 0 0 -1 \S+ (\S+) Tm", text, re.MULTILINE)
            assert place is not None
            letters = "".join(re.findall(r"<([0-9A-F]+)> Tj", text))
            texts.append((float(place[1]), [letters[at : at + 4] for at in range(0, len(letters), 4)]))
        sheets.append(texts)
    return sheets


def _pattern(letters: str | list[str]) -> list[int]:
    """Which letters of a text are the same: a font's numbers of letters are its own."""
    return [letters.index(one) for one in letters]


def test_no_name_runs(visit, pages):
    with visit(pages["hostile"]) as seen:
        assert seen.messages == []
        assert "<script>alert('x')</script>" in seen.page.inner_text("body")


def test_without_scripts_it_is_the_same_page(visit, pages):
    shots = []
    for scripts in (True, False):
        with visit(pages["bare"], scripts=scripts) as seen:
            shots.append(seen.page.screenshot(full_page=True))
    assert shots[0] == shots[1]
