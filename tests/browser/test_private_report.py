"""Private pages in a real browser, beside what holds for every page: stamped on every printed sheet, faults first."""

from __future__ import annotations

import re
import zlib

import pytest
from browsed import PRIVATE

from synthrelease.evaluation.private_words import STAMP

# What the keyboard comes to, unless it is folded or hidden.
_STOPS = """stops = [...document.querySelectorAll('a, summary, button, input:not([type="radio"]), [tabindex="0"]')]
    .filter(one => one.checkVisibility())"""


def test_axe_finds_what_is_there(visit, pages, violations):
    """The control: a verdict that cannot be read."""
    plain = pages("private plain")
    text = plain.read_text("utf-8").replace(
        ".verdict.significant { color: #fff;", ".verdict.significant { color: #a33;"
    )
    bad = plain.with_name("bad.html")
    bad.write_text(text, "utf-8")
    with visit(bad) as seen:
        assert "color-contrast" in violations(seen)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_stamp_and_the_faults_are_seen_first(visit, pages, scheme):
    with visit(pages("private faulty"), width=400, scheme=scheme) as seen:
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
    with visit(pages("private plain"), width=400) as seen:
        seen.page.keyboard.press("Tab")
        assert seen.page.evaluate("document.activeElement.className") == "skip"
        seen.page.evaluate(_STOPS)
        stops = seen.page.evaluate("stops.length")
        met = set()
        for _ in range(stops + 5):
            met.add(seen.page.evaluate("stops.indexOf(document.activeElement)"))
            seen.page.keyboard.press("Tab")
        assert met - {-1} == set(range(stops))
        assert seen.page.evaluate("stops.filter(one => one.matches('.probe, .drawn')).length")
        seen.page.locator("summary").first.focus()
        seen.page.keyboard.press("Enter")
        assert seen.page.evaluate("document.querySelector('details').open")


@pytest.mark.quick("private odd", "evaluated statistics")
@pytest.mark.parametrize("name", PRIVATE)
def test_every_printed_sheet_is_stamped_above_and_below(visit, pages, name):
    with visit(pages(name)) as seen:
        assert STAMP in seen.page.title()
        sheets = _margins(seen.page.pdf(format="A4"))
    assert sheets
    for texts in sheets:
        assert [_pattern(glyphs) for _, glyphs in texts] == [_pattern(STAMP)] * 2
        assert texts[0][0] < 60  # A4 is 1123 px high, its margins are 60
        assert texts[1][0] > 1060


def test_a_sheet_without_a_stamp_is_noticed(visit, pages):
    """The control of the test above."""
    plain = pages("private plain")
    bad = plain.with_name("unstamped.html")
    bad.write_text(plain.read_text("utf-8").replace("@bottom-center {", "@bottom-nowhere {"), "utf-8")
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
