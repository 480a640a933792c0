"""From questions and fields to the plan: what is typed, what is refused, and that all else in the plan stays as it is."""

from __future__ import annotations

import gzip
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from refusals import refused
from studio_project import PLAN, Browser, name_of, project

from synthrelease.errors import ArgumentError
from synthrelease.plan.settings_file import FILL_IN
from synthrelease.studio.fields import Field, Form, field_at, parsed, settings_of
from synthrelease.studio.questions import questions


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    return Browser(project(tmp_path))


def document(browser: Browser) -> dict[str, Any]:
    return tomllib.loads(browser.project.plan_text() or "")


def test_from_a_table_to_a_complete_plan(tmp_path: Path) -> None:
    browser = Browser(project(tmp_path, plan=None))
    assert browser.ask("/data?path=gaze.csv").text.count('name="person"') == 3  # who, session, image
    assert browser.change("/data/propose", path="gaze.csv", person="who").headers["hx-redirect"] == "/data"
    asked = {question.field.place: question for question in questions(browser.project.plan_text() or "")}
    assert set(asked) == {
        ("release", "title"),
        ("inputs", "gaze", "screen", "width_px"),
        ("inputs", "gaze", "screen", "height_px"),
        ("inputs", "gaze", "stimuli"),
    }
    assert asked["inputs", "gaze", "stimuli"].offered == ("sea", "sky")
    assert all(question.reasons for question in asked.values())
    answers = {
        name_of("release", "title"): 'A title, with "quotes" and ε',
        name_of("inputs", "gaze", "screen", "width_px"): "800",
        name_of("inputs", "gaze", "screen", "height_px"): "600",
        name_of("inputs", "gaze", "stimuli"): "confirmed",
    }
    assert browser.change("/data/answers", **answers).status == 204
    assert not questions(browser.project.plan_text() or "")
    made = document(browser)
    assert made["release"]["title"] == answers[name_of("release", "title")]
    assert made["inputs"]["gaze"]["screen"] == {"width_px": 800, "height_px": 600}
    assert made["inputs"]["gaze"]["stimuli"] == ["sea", "sky"]
    assert browser.ask("/release").status == 200


def test_what_can_be_read_is_offered(tmp_path: Path) -> None:
    browser = Browser(project(tmp_path, plan=None))
    gaze = (tmp_path / "gaze.csv").read_bytes()
    (tmp_path / "sub").mkdir()
    for name in ("README.txt", "photo.png", "a.xlsx", "sub/b.csv.gz", "c.parquet"):
        (tmp_path / name).write_bytes(gzip.compress(gaze) if name.endswith("gz") else b"a")
    offered = re.findall(r'<option value="(.*?)"', browser.ask("/data").text)  # not a sentence: markup
    assert offered == ["", ".", "sub", "c.parquet", "gaze.csv", "sub/b.csv.gz"]
    assert 'value="who"' in browser.ask("/data?path=sub/b.csv.gz").text


def test_a_reason_is_one_text_though_its_comment_has_several_lines(tmp_path: Path) -> None:
    browser = Browser(project(tmp_path, plan=None))
    browser.change("/data/propose", path="gaze.csv", person="who")
    *_, stimuli = questions(browser.project.plan_text() or "")
    assert len(stimuli.reasons) == 1
    assert FILL_IN not in stimuli.reasons[0]


def test_each_step_leads_to_the_next_that_is_open(tmp_path: Path) -> None:
    browser = Browser(project(tmp_path))
    to = re.compile(r'class="next"><a class="button" href="(.*?)"')
    found = {path: to.findall(browser.ask(path).text) for path in ("/data", "/release", "/budget", "/check")}
    assert found == {
        "/data": ["/release"],
        "/release": ["/budget"],
        "/budget": ["/check"],
        "/check": ["/build"],
    }
    browser.project.plan.unlink()
    assert to.findall(browser.ask("/data").text) == []


def test_a_list_that_no_one_confirmed_stays_a_question(tmp_path: Path) -> None:
    browser = Browser(project(tmp_path, plan=None))
    browser.change("/data/propose", path="gaze.csv", person="who")
    browser.change("/data/answers", **{name_of("inputs", "gaze", "stimuli"): "later"})
    assert document(browser)["inputs"]["gaze"]["stimuli"] == [FILL_IN, "sea", "sky"]


def test_a_plan_is_not_written_over(browser: Browser) -> None:
    assert browser.change("/data/propose", path="gaze.csv", person="who").status == 422
    assert browser.project.plan_text() == PLAN


def test_an_output_is_added_changed_and_taken_out(browser: Browser) -> None:
    assert browser.change("/release/add", kind="scanpaths", name="paths", input="gaze").status == 204
    added = document(browser)["outputs"][1]
    assert added["kind"] == "scanpaths"
    changed = {name_of("outputs", 0, "blur_px"): "24", name_of("outputs", 0, "prior"): "none"}
    assert browser.change("/release/change", number="0", **changed).status == 204
    assert document(browser)["outputs"][0] | {} == {
        "name": "maps",
        "kind": "heatmap",
        "input": "gaze",
        "blur_px": 24,
        "prior": "none",
    }
    assert (
        browser.change("/release/change", number="0", **{name_of("outputs", 0, "blur_px"): ""}).status == 204
    )
    assert "blur_px" not in document(browser)["outputs"][0]
    assert browser.change("/release/remove", number="1").status == 204
    assert [output["name"] for output in document(browser)["outputs"]] == ["maps"]


def test_all_else_in_the_plan_stays_comments_too(browser: Browser) -> None:
    browser.change("/budget", epsilon="1.5")
    assert browser.project.plan_text() == PLAN.replace("epsilon = 2.0", "epsilon = 1.5")


def test_a_change_of_a_plan_that_the_page_did_not_show_is_refused(browser: Browser) -> None:
    answer = browser.ask("/budget", method="POST", form={"digest": "0" * 64, "epsilon": "1"})
    assert answer.status == 422
    assert browser.project.plan_text() == PLAN


@pytest.mark.parametrize("body", [b"\xff", b"a" * (2 << 20), b"&&&"])
def test_what_is_no_form_changes_nothing(browser: Browser, body: bytes) -> None:
    assert browser.ask("/budget", method="POST", body=body).status == 422
    assert browser.project.plan_text() == PLAN


TYPED = [
    (Form.TEXT, ["  a text "], "a text"),
    (Form.WHOLE, ["1920"], 1920),
    (Form.NUMBER, ["0.5"], 0.5),
    (Form.NUMBER, ["3"], 3),
    (Form.NUMBER, ["\N{MINUS SIGN}2"], -2),
    (Form.YES_NO, ["no"], False),
    (Form.RANGE, ["1.5", "8"], [1.5, 8]),
    (Form.LINES, ["a\n\n b \n"], ["a", "b"]),
    (Form.TOML, ["{ a = [1, 2] }"], {"a": [1, 2]}),
    (Form.TOML, ["a text"], "a text"),
    (Form.TOML, ["true"], True),
    (Form.SOME, ["", "one"], ["one"]),
    (Form.SOME, [""], None),
    (Form.TABLE, ["a b = [1, 2.5]\n\nc = left = right"], {"a b": [1, 2.5], "c": "left = right"}),
    (Form.WHOLE, [" "], None),
    (Form.RANGE, ["", ""], None),
]
REFUSED = [
    (Form.WHOLE, ["1.5"]),
    (Form.WHOLE, ["many"]),
    (Form.NUMBER, ["nan"]),
    (Form.NUMBER, ["1e999"]),
    (Form.RANGE, ["8", "1.5"]),
    (Form.RANGE, ["1", ""]),
    (Form.CHOICE, ["other"]),
    (Form.TOML, ["1\nb = 2"]),
    (Form.TOML, ["[1,"]),
    (Form.SOME, ["", "other"]),
    (Form.TABLE, ["a = [1, 2]\nb"]),
    (Form.TABLE, ["= 2"]),
]


@pytest.mark.parametrize(("form", "typed", "value"), TYPED)
def test_a_value_is_read(form: Form, typed: list[str], value: Any) -> None:
    read = parsed(Field(("a",), "", form, choices=("one",)), typed)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(("form", "typed"), REFUSED)
def test_what_is_no_value_is_refused(form: Form, typed: list[str]) -> None:
    with refused(ArgumentError, "not-a-value"):
        parsed(Field(("a",), "", form, choices=("one",)), typed)


@pytest.mark.parametrize(
    ("key", "form"),
    [
        ("blur_px", Form.NUMBER),
        ("width_px", Form.WHOLE),
        ("prior", Form.CHOICE),
        ("window", Form.RANGE),
        ("maps", Form.TEXT),
    ],
)
def test_fields_are_what_the_schema_says(key: str, form: Form) -> None:
    field = field_at(("outputs", 0, key), tomllib.loads(PLAN))
    assert field.form is form
    assert field.meaning
    assert key in [field.key for field in settings_of(("outputs", 0), tomllib.loads(PLAN))]
