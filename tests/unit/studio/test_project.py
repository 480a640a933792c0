"""What a project can name: files below its folder, and nothing else."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from refusals import refused
from studio_project import PLAN, Browser, name_of, project

from synthrelease.data.input_spec import InputSpec
from synthrelease.errors import ArgumentError, PlanError
from synthrelease.studio.commands import command, report_of
from synthrelease.studio.plan_edits import add_output
from synthrelease.studio.project import digest

OUTSIDE = (
    "..",
    "../secret.csv",
    "/etc/passwd",
    "a/../../secret.csv",
    "link",
    "folder-link/secret.csv",
    "\0",
    "x" * 5000,
    "missing.csv",
)


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    (tmp_path / "secret.csv").write_text("who,x\nP1,1\n")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret.csv")
    (folder / "folder-link").symlink_to(tmp_path)
    return folder


@pytest.mark.parametrize("name", OUTSIDE)
def test_nothing_outside_is_named(inside: Path, name: str) -> None:
    here = project(inside)
    with refused(ArgumentError, "not-in-the-project"):
        here.inside(name)


@pytest.mark.parametrize("name", OUTSIDE)
def test_nor_looked_at(inside: Path, name: str) -> None:
    browser = Browser(project(inside, plan=None))
    answer = browser.change("/data/propose", path=name, person="who")
    assert answer.status == 422
    assert not browser.project.plan.exists()


def test_links_that_stay_inside_are_followed(inside: Path) -> None:
    here = project(inside)
    (inside / "own-link.csv").symlink_to(inside / "gaze.csv")
    assert here.inside("own-link.csv") == here.folder / "gaze.csv"


def test_files_are_listed_without_hidden_ones_and_those_that_lead_outside(inside: Path) -> None:
    here = project(inside)
    (inside / ".hidden").mkdir()
    (inside / ".hidden" / "a.csv").write_text("a\n")
    (inside / ".hidden.csv").write_text("a\n")
    (inside / "other.csv").symlink_to(inside.parent / "secret.csv")
    (inside / "sub").mkdir()
    (inside / "sub" / "b.csv").write_text("a\n")
    assert [here.name(path) for path in here.files(".csv")] == ["gaze.csv", "sub/b.csv"]


def test_nor_folders_with_something_that_leads_outside(inside: Path) -> None:
    here = project(inside)
    (inside / "recordings" / ".deep").mkdir(parents=True)
    (inside / "recordings" / "a.csv").write_text("who\nP1\n")
    assert here.inside("recordings").is_dir()
    for link, target in (("b.csv", "secret.csv"), (".deep/b.csv", "secret.csv"), (".deep/all", ".")):
        (inside / "recordings" / link).symlink_to(inside.parent / target)
        with refused(ArgumentError, "not-in-the-project"):
            here.inside("recordings")
        (inside / "recordings" / link).unlink()


AREAS = PLAN + "[outputs.areas]\nface = { label = 1 }\n"
LABELS = AREAS.replace('kind = "heatmap"', 'kind = "areas"\nlabel_image = "labels/{stimulus}.png"')
OTHERS = {
    "above": PLAN.replace('"gaze.csv"', '"../secret.csv"'),
    "absolute": PLAN.replace('"gaze.csv"', '"/proc/self/environ"'),
    "link": PLAN.replace('"gaze.csv"', '"link"'),
    "linked folder": PLAN.replace('"gaze.csv"', '"folder-link/secret.csv"'),
    "unused": PLAN
    + '[inputs.other]\nkind = "gaze"\npath = "../secret.csv"\ncolumns = { person = "who", stimulus = "image", x = "x", y = "y" }\n'
    "screen = { width_px = 8, height_px = 6 }\nstimuli = ['sea']\n",
    "linked recording": PLAN.replace('"gaze.csv"', '"recordings"\npattern = "{session}.csv"'),
    "areas": PLAN.replace('kind = "heatmap"', 'kind = "areas"\nareas = "../areas.toml"'),
    "labels": LABELS.replace("labels/", "../"),
    "a link in a folder of maps": PLAN + 'prior = "maps"\nmaps = "recordings"\n',
    "a link deep in it": PLAN + 'prior = "maps"\nmaps = "."\n',
    "labels of a name": LABELS.replace('"sea"]', '"../../sea"]'),
}


@pytest.mark.parametrize("plan", OTHERS.values(), ids=OTHERS)
def test_a_plan_that_names_files_outside_is_not_followed(inside: Path, plan: str) -> None:
    (inside / "recordings").mkdir()
    (inside / "recordings" / "s1.csv").symlink_to(inside.parent / "secret.csv")
    browser = Browser(project(inside, plan))
    with refused(ArgumentError, "outside-the-project"):
        browser.project.load_plan()
    for path in ("/budget", "/budget/view?position=3", "/build"):
        assert browser.ask(path).status == 422, path
    release = browser.ask("/release").text  # where other settings can be changed
    assert 'class="problem"' in release
    assert 'class="expected"' not in release
    for name in ("check", "build"):
        assert browser.change("/jobs/start", name=name).status == 422
    assert browser.change("/budget", epsilon="1").status == 422
    assert not browser.project.state.exists()


def test_folders_outside_are_not_even_listed(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = project(inside, PLAN.replace('"gaze.csv"', '".."\npattern = "{session}.csv"'))
    monkeypatch.setattr(InputSpec, "files", lambda _self: [inside])
    with refused(ArgumentError, "outside-the-project"):
        here.load_plan()


def test_a_plan_with_files_below_the_folder_is(inside: Path) -> None:
    assert project(inside, LABELS).load_plan().outputs
    ledger = PLAN.replace("delta", 'dataset = "d"\nledger = "../ledger.jsonl"\ndelta')
    assert project(inside, ledger).load_plan().ledger
    assert Browser(project(inside)).ask("/release").status == 200


PAGES = ("/", "/data", "/release", "/budget", "/check", "/build", "/bundles", "/state?digest=x")
UNREADABLE = {
    "link": lambda plan: plan.symlink_to("../secret.csv"),
    "link to nothing": lambda plan: plan.symlink_to("nothing"),
    "folder": Path.mkdir,
    "pipe": os.mkfifo,
    "bytes": lambda plan: plan.write_bytes(b"\xff\xfe"),
}
BROKEN = {"syntax": "a = = 1", "deep": f"a = {'[' * 5000}{']' * 5000}", "of another kind": "outputs = 3"}


@pytest.mark.parametrize("make", UNREADABLE.values(), ids=UNREADABLE)
def test_a_plan_that_is_no_text_or_outside_is_neither_shown_nor_written(inside: Path, make: object) -> None:
    (inside.parent / "secret.csv").write_text("SECRET,x\nP1,1\n")  # which a message about a plan would quote
    browser = Browser(project(inside, plan=None))
    make(browser.project.plan)  # type: ignore[operator]
    with pytest.raises((ArgumentError, PlanError)):
        browser.project.plan_text()
    for path in PAGES:
        answer = browser.ask(path)
        assert answer.status == 422, path
        assert "SECRET" not in answer.text
    for path in ("/budget", "/data/answers", "/data/propose", "/release/remove"):
        answer = browser.ask(path, method="POST", form={"digest": "", "path": "gaze.csv", "person": "who"})
        assert answer.status == 422, path
    assert (inside.parent / "secret.csv").read_text().startswith("SECRET")


@pytest.mark.parametrize("plan", BROKEN.values(), ids=BROKEN)
def test_of_a_plan_that_is_no_plan_pages_say_what_is_wrong(inside: Path, plan: str) -> None:
    browser = Browser(project(inside, plan))
    assert browser.ask("/data").status in (200, 422)
    for path in ("/release", "/budget", "/build"):
        assert browser.ask(path).status == 422, path
    for path in ("/budget", "/release/remove", "/release/change"):
        assert browser.change(path, epsilon="1", number="9", position="1").status in (422, 500), path


ODD = (
    "--force.h5",
    "-ob.h5",
    "two\nlines.h5",
    "cr\r\nx-evil: 1.h5",
    "<script>alert(1)<_script>.h5",
    "q\"uo'te.h5",
    "  blanks.h5",
    "\N{RIGHT-TO-LEFT OVERRIDE}5h.h5",
    "x;touch y;.h5",
    "{{7*7}}.h5",
)


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_names_and_nothing_else(inside: Path, name: str) -> None:
    here = project(inside)
    (inside / name).touch()
    browser = Browser(here)
    (bundle,) = command("verify", here, {"bundle": [name]})[1:]
    assert not bundle.startswith("-")
    assert (inside / bundle).samefile(inside / name)
    assert command("verify", here, {"bundle": [bundle]}) == ("verify", bundle)
    answer = browser.ask("/bundle?path=" + quote(name))
    assert answer.status == 200
    shown = answer.text.partition('class="same"')[2]
    for steering in (
        "<script>alert",
        "\N{RIGHT-TO-LEFT OVERRIDE}",
        "verify --",
        "verify -o",
        "verify x;",
        "49",
    ):
        assert steering not in shown, steering
    assert shown.partition("verify")[2].partition("\n")[0].rstrip().endswith((".h5", "&#39;"))
    assert "x-evil" not in answer.headers
    assert "<script>alert" not in browser.ask("/bundles").text


def test_a_name_that_is_no_text_hides_no_other(inside: Path) -> None:
    """Latin-1, as old programs write it: neither a page nor a plan can have it."""
    here = project(inside, plan=None)
    (inside / os.fsdecode(b"caf\xe9")).mkdir()
    for name in (b"caf\xe9.csv", b"caf\xe9.h5", b"caf\xe9/in.csv"):
        (inside / os.fsdecode(name)).touch()
    browser = Browser(here)
    assert "gaze.csv" in browser.ask("/data").text
    assert browser.ask("/bundles").status == 200
    assert [here.name(path) for path in here.files(".csv")] == ["gaze.csv"]


def test_what_may_not_be_looked_at_hides_nothing_else(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (inside / "closed").mkdir()
    (inside / "turning.csv").symlink_to("turning.csv")
    scan = os.scandir

    def refusing(path: object) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(path)
        return scan(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", refusing)
    here = project(inside)
    assert [here.name(path) for path in here.files(".csv")] == ["gaze.csv"]


def test_pages_that_commands_wrote_are_of_the_folder_too(inside: Path) -> None:
    browser = Browser(project(inside))
    (inside / "b.h5").touch()
    (inside.parent / "other.html").write_text("<p>SECRET")
    for name in (report_of("b.h5"), "private-evaluation.html"):
        (inside / name).symlink_to(inside.parent / "other.html")
    for path in ("/pages/report?path=b.h5", "/pages/evaluation?confirmed=yes"):
        answer = browser.ask(path)
        assert answer.status == 422
        assert "SECRET" not in answer.text


def test_what_a_form_sends_back_is_what_the_plan_has(inside: Path) -> None:
    """Characters that are not seen are shown as numbers, but not written so."""
    joined = "wo\N{ZERO WIDTH JOINER}man"
    browser = Browser(
        project(inside, PLAN.replace('input = "gaze"\n', f'input = "gaze"\nmaps = "{joined}"\n'))
    )
    text = browser.ask("/release").text
    assert f'value="{joined}"' in text
    assert joined not in text.replace(f'value="{joined}"', "")
    assert joined not in browser.ask("/data").text
    assert name_of("outputs", 0, "maps").replace('"', "&#34;") in text


def test_of_changes_at_once_one_is_made_and_the_others_are_refused(inside: Path) -> None:
    here = project(inside)

    def change(number: int) -> bool:
        try:
            add_output(
                here, digest(PLAN.encode()), {"name": f"n{number}", "kind": "heatmap", "input": "gaze"}
            )
        except ArgumentError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(change, range(16)))
    assert sum(made) == 1
    assert (here.plan_text() or "").count("[[outputs]]") == 2


def test_what_is_counted_in_the_data_is_marked_private(inside: Path) -> None:
    text = Browser(project(inside, plan=None)).ask("/data?path=gaze.csv").text
    before, _, counted = text.partition('name="person"')
    assert "30 labels" in counted
    assert "private-mark" in before.rpartition("<form")[2]
