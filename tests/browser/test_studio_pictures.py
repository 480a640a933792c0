"""Pictures of the studio in a real browser: who is one person, power curves, the ledger over time."""

from __future__ import annotations

import stat
from collections.abc import Callable
from typing import Any

import pytest
from spending import dated
from studio_project import PAID_PLAN, PLAN
from studio_running import Running

import synthrelease

pytestmark = pytest.mark.thorough
SCREENS = [(400, "dark"), (1400, "light")]
screens = pytest.mark.parametrize(("width", "scheme"), SCREENS)
Violations = Callable[..., dict[str, list[str]]]


def check(here: Running, violations: Violations, width: int, scheme: str) -> None:
    """Fail unless the page as it is can be used by all, at its width."""
    here.page.emulate_media(color_scheme=scheme)
    assert violations(here) == {}
    assert here.page.evaluate("document.documentElement.scrollWidth") <= width
    assert here.messages == []


@screens
def test_who_is_one_person(
    studio: Callable[..., Running], violations: Violations, width: int, scheme: str
) -> None:
    here = studio(None, width=width)
    here.go("/data?path=gaze.csv")
    check(here, violations, width, scheme)
    page = here.page
    dot = page.get_by_label("within who", exact=True)
    cell, column = dot.locator("xpath=.."), page.get_by_role("columnheader", name="who")
    assert cell.bounding_box()["x"] == pytest.approx(
        column.bounding_box()["x"], abs=1
    )  # the dot stands below the column's name
    page.focus("input[name=person]")
    page.keyboard.press("ArrowDown")
    assert page.locator("input[name=person]:checked").get_attribute("value") == "image"


@screens
def test_power_curves_come_when_they_are_asked_for(
    studio: Callable[..., Running], violations: Violations, width: int, scheme: str
) -> None:
    here = studio(PLAN, width=width)
    here.go("/release")
    page = here.page
    assert page.locator(".line-chart").count() == 0
    page.focus(".card details >> nth=0 >> summary")
    page.keyboard.press("Enter")
    page.wait_for_selector(".line-chart")
    page.click(".line-chart summary")
    check(here, violations, width, scheme)
    assert _places(page) == sorted({*_places(page)})
    if width == 400:  # rows of a table stand one below the other, each value after its column
        named = "getComputedStyle(document.querySelector('.power td'), '::before').content"
        assert "ε" in page.evaluate(named)


@screens
def test_the_ledger_over_time(
    studio: Callable[..., Running], violations: Violations, width: int, scheme: str
) -> None:
    here = studio(PAID_PLAN, width=width)
    dated(here.folder)
    here.page.get_by_role("link", name="Ledger").click()
    here.page.wait_for_selector(".ledger .line-chart")
    check(here, violations, width, scheme)
    assert _places(here.page) == sorted({*_places(here.page)})
    assert here.page.locator("a[aria-current=page]").get_attribute("href") == "/ledger"


@screens
def test_a_pair_of_keys_is_made_and_signs(
    studio: Callable[..., Running], violations: Violations, width: int, scheme: str
) -> None:
    here = studio(PLAN, width=width)
    bundle = synthrelease.build(here.folder / "plan.toml", here.folder / "small-1.0.0.h5").path
    here.go(f"/bundle?path={bundle.name}")
    check(here, violations, width, scheme)
    here.press("Make a pair of keys")
    here.page.wait_for_selector("#sign")
    check(here, violations, width, scheme)
    here.press("Sign")
    here.page.wait_for_selector("#sign .verdict.good")
    assert synthrelease.verify(bundle, public_key=here.folder / "signing.key.pub").ok
    assert stat.S_IMODE((here.folder / "signing.key").stat().st_mode) == 0o600


def _places(page: Any) -> list[float]:
    return page.eval_on_selector_all(
        ".line-chart .ticks.level span", "all => all.map(one => one.getBoundingClientRect().x)"
    )
