"""Drawings of other pages in the studio: the same drawings, without a style in any element."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pages import parsed
from studio_project import Browser, project

from synthrelease.building.design import make_design
from synthrelease.building.power import power_curves
from synthrelease.building.power_charts import power_chart
from synthrelease.plan.plan import load_plan
from synthrelease.reports.page import drawn

HOSTILE = '" style="x: y"><b>'


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    return Browser(project(tmp_path))


def test_each_card_asks_for_the_power_curves_of_its_output(browser: Browser) -> None:
    asked = [
        one["hx-get"]
        for one in parsed(browser.ask("/release", more=[("hx-request", "true")]).text).all("details")
        if "hx-get" in one
    ]
    assert asked == ["/release/power?output=maps"]


def test_they_are_the_same_as_in_the_preview(browser: Browser) -> None:
    answer = browser.ask("/release/power?output=maps").text
    page = parsed(answer)
    design = make_design(load_plan(browser.project.plan))
    curves = power_curves(design, design.outputs[0])
    assert [drawn("charts.html", "chart", power_chart(curve)) in answer for curve in curves] == [True]
    assert len(page.texts("figure", "line-chart")) == 1
    assert not [attributes for _, attributes in page.elements if "style" in attributes]
    assert [attributes for _, attributes in page.elements if "data-style" in attributes]


def test_they_follow_the_plan(browser: Browser) -> None:
    before = browser.ask("/release/power?output=maps").text
    browser.change("/budget", epsilon="0.5")
    assert browser.ask("/release/power?output=maps").text != before


@pytest.mark.parametrize("query", ["", "?output=", "?output=other"])
def test_an_output_that_was_taken_out_has_none(browser: Browser, query: str) -> None:
    assert browser.ask(f"/release/power{query}").status == 422


def test_texts_in_a_drawing_stay_texts(browser: Browser) -> None:
    design = make_design(load_plan(browser.project.plan))
    (curve,) = power_curves(design, design.outputs[0])
    page = parsed(drawn("charts.html", "chart", replace(power_chart(curve), title=HOSTILE)))
    assert page.texts("figcaption") == [HOSTILE]
    assert not page.all("b")
    assert not [attributes for _, attributes in page.elements if "style" in attributes]
