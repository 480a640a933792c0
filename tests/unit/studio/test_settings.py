"""All that a plan can say is a setting on a page: what is changed there, what stays, and plans that were made by hand."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from studio_project import PLAN, Browser, name_of, project

from synthrelease.plan.plan import load_plan
from synthrelease.plan.settings_file import FILL_IN
from synthrelease.schemas import schema
from synthrelease.studio.fields import settings_of
from synthrelease.studio.questions import questions

SCREEN = ("inputs", "gaze", "screen")


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    return Browser(project(tmp_path))


def document(browser: Browser) -> dict[str, Any]:
    return tomllib.loads(browser.project.plan_text() or "")


def change(browser: Browser, *part: str, **typed: str) -> int:
    """Send the settings of a part of the plan, by their keys."""
    form = {name_of(*part, *key.split("__")): text for key, text in typed.items()}
    return browser.change("/data/settings", place=name_of(*part), **form).status


def test_settings_are_written_and_taken_back_with_all_else_as_it_was(browser: Browser) -> None:
    assert change(browser, "release", license="CC-BY-4.0", contact="") == 204
    assert change(browser, "privacy", ledger="ledger.sqlite", dataset="d", neighbours="add-remove-one") == 204
    assert change(browser, "inputs", "gaze", screen__width_mm="400", screen__distance_mm="600.5") == 204
    plan = load_plan(browser.project.plan)
    assert plan.release["license"] == "CC-BY-4.0"
    assert plan.ledger == browser.project.folder / "ledger.sqlite"
    assert plan.neighbours == "add-remove-one"
    assert plan.inputs["gaze"].options["screen"]["distance_mm"] == 600.5
    change(browser, "release", license="")
    change(browser, "privacy", ledger="", dataset="", neighbours="")
    change(browser, "inputs", "gaze", screen__width_mm="", screen__distance_mm="")
    assert document(browser) == tomllib.loads(PLAN)
    assert "# chosen by hand" in (browser.project.plan_text() or "")  # not a sentence: a comment of the plan


def test_a_table_comes_with_its_first_value_and_goes_with_its_last(browser: Browser) -> None:
    form = {name_of("outputs", 0, "tokens", "fixations"): "3", "number": "0"}
    browser.change(
        "/release/add", kind="records", name="r", input="gaze", **{name_of("outputs", 0, "model"): "seeded"}
    )
    form = {name_of("outputs", 1, "tokens", "fixations"): "3", "number": "1"}
    assert browser.change("/release/change", **form).status == 204
    assert document(browser)["outputs"][1]["tokens"] == {"fixations": 3}
    browser.change("/release/change", **{**form, name_of("outputs", 1, "tokens", "fixations"): ""})
    assert "tokens" not in document(browser)["outputs"][1]


def test_what_is_sent_back_as_it_was_shown_changes_nothing(browser: Browser) -> None:
    here = document(browser)
    for part in (("release",), ("privacy",), ("inputs", "gaze")):
        shown = {field.name: field.shown for field in settings_of(part, here)}
        assert browser.change("/data/settings", place=name_of(*part), **shown).status == 204
    assert browser.project.plan_text() == PLAN


@pytest.mark.parametrize("kind", ["gaze", "features"])
def test_every_key_of_an_input_is_a_setting(kind: str) -> None:
    fields = settings_of(("inputs", "a"), {"inputs": {"a": {"kind": kind}}})
    assert {field.place[2] for field in fields} == set(schema("plan-v1")["$defs"][kind]["properties"])


def test_what_has_another_page_is_no_setting(browser: Browser) -> None:
    change(browser, "privacy", epsilon="99")
    change(browser, "inputs", "gaze", path="other.csv")
    assert change(browser, "outputs") == 422
    assert browser.project.plan_text() == PLAN


def test_other_data_are_added_under_their_name(browser: Browser) -> None:
    (browser.project.folder / "again.csv").write_bytes((browser.project.folder / "gaze.csv").read_bytes())
    assert 'value="again"' in browser.ask("/data?more=yes&path=again.csv").text
    form = {"more": "yes", "path": "again.csv", "person": "who", "called": "again"}
    assert browser.change("/data/propose", **form).status == 204
    text = browser.project.plan_text() or ""
    assert text.startswith(PLAN.rstrip())
    assert set(document(browser)["inputs"]) == {"gaze", "again"}
    assert [output["name"] for output in document(browser)["outputs"]] == ["maps", "attention_again"]
    assert all(question.field.place[:2] == ("inputs", "again") for question in questions(text))
    assert browser.change("/data/propose", **form).status == 422  # its name is taken
    assert browser.project.plan_text() == text


@pytest.mark.parametrize("called", ["", "a b", "1", "a]\n[x", "ä", "x" * 64])
def test_what_is_no_name_is_refused(browser: Browser, called: str) -> None:
    form = {"more": "yes", "path": "gaze.csv", "person": "who", "called": called}
    assert browser.change("/data/propose", **form).status == 422
    assert browser.project.plan_text() == PLAN


def test_what_to_mind_in_the_data_is_shown_and_private(tmp_path: Path) -> None:
    browser = Browser(project(tmp_path, plan=None))
    browser.change("/data/propose", path="gaze.csv", person="image")  # two labels are hardly people
    assert document(browser)["inputs"]["gaze"]["columns"]["person"] == "image"
    page = browser.ask("/data").text
    assert page.count("<li>", page.index("private-mark")) > 0
    assert (browser.project.state / "doubts").stat().st_mode & 0o077 == 0
    assert (browser.project.state / "doubts").read_text() not in (browser.project.plan_text() or "")


def test_a_list_that_the_design_did_not_define_is_left_out(tmp_path: Path) -> None:
    browser = Browser(project(tmp_path, plan=None))
    browser.change("/data/propose", path="gaze.csv", person="who", called="looks")
    assert document(browser)["outputs"][0]["input"] == "looks"
    browser.change("/data/answers", **{name_of("inputs", "looks", "stimuli"): "left out"})
    assert "stimuli" not in document(browser)["inputs"]["looks"]
    assert f'"{FILL_IN}"' in (browser.project.plan_text() or "")


def test_a_plan_is_put_aside_and_nothing_replaced(browser: Browser) -> None:
    aside = browser.project.plan.with_name("plan-put-aside-1.toml")
    aside.write_text("older")
    assert browser.change("/data/put-aside").status == 204
    assert not browser.project.plan.exists()
    assert aside.read_text() == "older"
    assert aside.with_name("plan-put-aside-2.toml").read_text() == PLAN


BY_HAND = {
    "not TOML": PLAN.replace("[privacy]", "[privacy"),
    "no output": PLAN.partition("[[outputs]]")[0],
    "no input": PLAN.replace("[inputs.gaze]", "[other]"),
    "inputs that are none": "inputs = 3\n",
    "an input that is none": PLAN.partition("[inputs.gaze]")[0] + "[inputs]\ngaze = 3\n",
    "an unknown kind": PLAN.replace('"gaze"\npath', '"looks"\npath'),
    "an unknown output": PLAN.replace('"heatmap"', '"photograph"'),
    "a list in the place of a table": PLAN.replace("{ width_px = 800, height_px = 600 }", "[800, 600]"),
    "empty": "",
}


@pytest.mark.parametrize("which", BY_HAND)
@pytest.mark.parametrize("path", ["/data", "/release"])
def test_a_plan_by_hand_that_cannot_be_used_has_a_page_that_says_so(
    tmp_path: Path, which: str, path: str
) -> None:
    browser = Browser(project(tmp_path, plan=BY_HAND[which]))
    answer = browser.ask(path)
    assert answer.status in (200, 422)
    assert '<div class="problem"' in answer.text  # not a sentence: markup
