"""Public pages in a real browser, beside what holds for every page."""

from __future__ import annotations

from invented_study import write_study
from pages import written

import synthrelease


def test_axe_finds_what_is_there(visit, pages, violations):
    """The control: contrast, a picture without words."""
    areas = pages("areas")
    bad = '<p style="color: #999; background: #aaa">pale</p><img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">'
    path = areas.with_name("bad.html")
    path.write_text(areas.read_text("utf-8").replace("</main>", f"{bad}</main>"), "utf-8")
    with visit(path) as seen:
        assert {"color-contrast", "image-alt"} <= violations(seen).keys()


def test_the_keyboard_comes_to_the_skip_link_first(visit, pages):
    with visit(pages("records"), width=400) as seen:
        focus = "document.activeElement.className + '|' + (document.activeElement.id || '')"
        seen.page.keyboard.press("Tab")
        assert seen.page.evaluate(focus) == "skip|"
        box = seen.page.locator(".skip").bounding_box()
        assert box is not None
        assert box["y"] >= 0  # and it is seen then
        seen.page.keyboard.press("Enter")
        assert seen.page.evaluate(focus).endswith("|main")


def test_a_script_that_slips_in_is_stopped(visit, pages):
    """Its policy stops it, and a picture from elsewhere."""
    areas = pages("areas")
    slipped = areas.with_name("slipped.html")
    text = areas.read_text("utf-8")
    slipped.write_text(
        text.replace("</main>", '<script>alert(1)</script><img src="http://localhost:1/x.png"></main>')
    )
    with visit(slipped) as seen:
        assert len(seen.messages) >= 2
        assert all("Content Security Policy" in one for one in seen.messages)
        assert seen.requests == ["http://localhost:1/x.png"]  # it is noticed, and stopped


def test_bound_figure_and_what_is_not_covered_are_seen_without_scrolling(visit, tmp_path):
    bundle = synthrelease.build(write_study(tmp_path), tmp_path / "r.h5").path
    written(bundle, tmp_path)
    with visit(tmp_path / "r.html", width=1300) as seen:
        for part in (".headline", ".outside", ".lead-figure img"):
            box = seen.page.locator(part).first.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= 900, part
