"""The page of a preview: the preview, whole, in one file that loads and runs nothing; with `preview --html`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import layouts
import pytest
from click.testing import CliRunner, Result
from hostile_labels import ENDING, QUOTES, SCRIPT, write_hostile_study
from pages import Page, check_form, parsed

from synthrelease.cli import main
from synthrelease.number_words import several


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def page_of(plan: Path, target: Path) -> Page:
    done = run("preview", plan, "--html", target)
    assert done.exit_code == 0, done.output
    page = parsed(target.read_text("utf-8"))
    check_form(page, "preview")
    return page


@pytest.mark.quick("areas")
@pytest.mark.parametrize("name", ["maps", "series", "records", "areas", "statistics"])
def test_the_page_says_what_the_preview_says(tmp_path: Path, name: str) -> None:
    plan = layouts.STUDIES[name](tmp_path)
    page = page_of(plan, tmp_path / "page.html")
    view = json.loads(page.data)
    assert view == json.loads(run("preview", plan, "--json").stdout)
    text = re.sub(r"\s", " ", page.text)
    for row in view["outputs"]:
        for said in (row["guarantee"], row["error"].replace("`", ""), row["people_needed"]):
            assert re.sub(r"\s+", " ", said) in text
        if row["expected"] and row["epsilon"]:
            assert several(row["people"], "participant") in " ".join(page.texts("span"))
    for warning in view["warnings"]:
        assert warning in text
    drawn = [row for row in view["outputs"] if row["expected"] and row["epsilon"]]
    assert len(page.texts("figure", "line-chart")) >= len(drawn)


def test_names_are_text(tmp_path: Path) -> None:
    plan = write_hostile_study(tmp_path)
    head, *outputs = plan.read_text("utf-8").split("[[outputs]]")
    plan.write_text("[[outputs]]".join([head, *outputs[:3]]), "utf-8")  # statistics take a while
    page = page_of(plan, tmp_path / "page.html")
    for name in (SCRIPT, ENDING, QUOTES):
        assert name not in page.source
    assert SCRIPT in page.text


def test_a_page_is_replaced_only_if_asked_and_the_plan_never(tmp_path: Path) -> None:
    plan, target = layouts.STUDIES["maps"](tmp_path), tmp_path / "page.html"
    done = run("preview", plan, "--html", target, "--json")
    assert json.loads(done.stdout)["page"] == str(target)
    first = target.read_bytes()
    again = run("preview", plan, "--html", target)
    assert again.exit_code == 6
    assert "--force" in again.stderr
    assert run("preview", plan, "--html", target, "--force").exit_code == 0
    assert target.read_bytes() == first
    before = plan.read_bytes()
    assert run("preview", plan, "--html", plan, "--force").exit_code == 6
    assert plan.read_bytes() == before


def test_a_policy_that_refuses_is_seen_on_the_page_and_ends_with_code_4(tmp_path: Path) -> None:
    plan, policy, target = layouts.STUDIES["maps"](tmp_path), tmp_path / "policy.toml", tmp_path / "page.html"
    text = plan.read_text("utf-8")
    plan.write_text(text.replace("epsilon = 8.0", "epsilon = 12.0"), "utf-8")
    policy.write_text(
        '[policy]\nname = "small"\nmax_epsilon = 0.1\nmax_delta = 1e-6\nrequired_attacks = ["membership"]\n'
    )
    done = run("preview", plan, "--policy", policy, "--html", target)
    assert done.exit_code == 4
    page = parsed(target.read_text("utf-8"))
    checked, weak = (json.loads(page.data)[key] for key in ("policy", "weak_guarantee"))
    assert weak
    assert all(page.source.index(sentence) < page.source.index("<h1") for sentence in weak)
    assert checked["breaches"]
    for said in (*checked["breaches"], "REFUSED", "membership"):
        assert said in page.text


def test_the_page_is_the_same_whatever_the_private_values_are(tmp_path: Path) -> None:
    pages = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        plan = layouts.STUDIES["maps"](folder)
        data = folder / "gaze.csv"
        head, *rows = data.read_text().splitlines()
        x = head.split(",").index("x")
        moved = [
            ",".join("1" if n == x and number else cell for n, cell in enumerate(row.split(",")))
            for row in rows
        ]
        data.write_text("\n".join([head, *moved, ""]))
        pages.append(page_of(plan, folder / "page.html").source)
    assert pages[0] == pages[1]
