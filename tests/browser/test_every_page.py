"""Public and private pages in a real browser: silent, alone, whole, readable at every width, on paper, and without scripts."""

from __future__ import annotations

import json

import pytest
from browsed import ADDED, PLANNED, PRIVATE, PUBLIC
from tiers import params

_ALL = params((*PUBLIC, *PRIVATE, *PLANNED), quick=("hostile", "private odd"))
_UNFOLD = "document.querySelectorAll('details').forEach(one => one.open = true)"

_CUT = """[...document.querySelectorAll('.scroll')]
    .filter(one => one.querySelectorAll('thead th').length <= 9 && one.scrollWidth > one.clientWidth + 1)
    .map(one => one.getAttribute('aria-label'))"""


@pytest.mark.parametrize("name", _ALL)
def test_it_is_silent_alone_and_whole(visit, pages, name):
    with visit(pages(name)) as seen:
        sizes = seen.page.eval_on_selector_all("img", "all => all.map(one => one.naturalWidth)")
        assert all(sizes), sizes
        embedded = json.loads(seen.page.inner_text("script[type='application/json']"))
        if name in PUBLIC:
            assert embedded["manifest_version"] in (1, 2, 3)
        elif name in PRIVATE:
            assert embedded["do_not_publish"].startswith("private")
        assert seen.messages == []
        assert seen.requests == []


@pytest.mark.parametrize("name", _ALL)
def test_axe_finds_nothing(visit, pages, violations, name):
    with visit(pages(name)) as seen:
        seen.page.evaluate(_UNFOLD)
        for width, scheme in ((400, "dark"), (1400, "light")):
            seen.resized(width, scheme)
            assert violations(seen) == {}, (width, scheme)


@pytest.mark.parametrize("name", _ALL)
def test_the_page_does_not_scroll_sideways(visit, pages, name):
    with visit(pages(name)) as seen:
        seen.page.evaluate(_UNFOLD)
        root = "document.documentElement"
        for width in (320, 400, 1400):
            seen.resized(width)
            assert seen.page.evaluate(f"{root}.scrollWidth") <= seen.page.evaluate(f"{root}.clientWidth"), (
                width
            )


# Where a name is one word without an end, a table scrolls by itself.
@pytest.mark.parametrize(
    "name", params([n for n in (*PUBLIC, *PRIVATE, *PLANNED) if "hostile" not in n], quick=("private odd",))
)
def test_nothing_is_cut_at_the_edge_of_a_card(visit, pages, name):
    """But tables of so many columns that no row can stand one below the other, which scroll by themselves."""
    with visit(pages(name)) as seen:
        seen.page.evaluate(_UNFOLD)
        for width in (400, 1400):
            seen.resized(width)
            assert seen.page.evaluate(_CUT) == [], width


@pytest.mark.parametrize("name", _ALL)
def test_no_one_prints_a_dark_page(visit, pages, name):
    with visit(pages(name), scheme="dark") as seen:
        assert seen.page.pdf(format="A4").startswith(b"%PDF")
        seen.page.emulate_media(media="print", color_scheme="dark")
        ground = seen.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert ground == "rgb(255, 255, 255)"


@pytest.mark.quick("private bare")
@pytest.mark.parametrize("name", ["areas", "private bare", "evaluated maps"])
def test_without_scripts_it_is_the_same_page(visit, pages, name):
    """But for what its script adds, and that is no words and no pictures of the release."""
    shots, texts = [], []
    for scripts in (True, False):
        with visit(pages(name), scripts=scripts) as seen:
            if scripts:
                seen.page.add_style_tag(content=f"{ADDED} {{ display: none !important; }}")
            else:
                assert not [
                    one
                    for one in seen.page.locator(f"{ADDED}, button, [type=range]").all()
                    if one.is_visible()
                ]
            shots.append(seen.page.screenshot(full_page=True))
            texts.append(seen.page.inner_text("body"))
    assert texts[0] == texts[1]
    assert shots[0] == shots[1]


@pytest.mark.quick(but=["preview hostile"])
@pytest.mark.parametrize("name", ["hostile", "private hostile", "preview hostile"])
def test_no_name_runs(visit, pages, name):
    with visit(pages(name)) as seen:
        assert seen.messages == []
        assert "<script>alert('x')</script>" in seen.page.inner_text("body")
