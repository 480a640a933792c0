"""Results of commands as pages: what their JSON says, drawn; what is private marked; what comes from files escaped."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from documented import ROOT
from studio_project import PLAN, Browser, finished, noted, project

from synthrelease.errors import Argument, Remedy
from synthrelease.reports.guarantee_words import guarantee_words
from synthrelease.studio.commands import OF_BUNDLES
from synthrelease.studio.jobs import Jobs
from synthrelease.studio.remedies import _LINKS, _PAGES, _SENTENCES, to_do
from synthrelease.studio.rendering import shown_command

BUNDLES = ROOT / "tests" / "golden" / "bundles"
PRIVATE = "result card private"
MOST_OFF_SCREEN = PLAN.replace("width_px = 800, height_px = 600 }", 'width_px = 350, height_px = 600 }\noff_screen = "drop"')  # fmt: skip
ERROR = {
    "kind": "DataError",
    "exit_code": 3,
    "code": "some",
    "problem": "a problem",
    "where": "gaze.csv (and 122 more)",
    "found": "text",
    "expected": "a `number`",
    "remedy": "look at it: `x`",
}


@pytest.fixture
def browser(tmp_path: Path) -> Browser:
    return Browser(project(tmp_path))


def with_bundles(browser: Browser, *names: str) -> Sequence[str]:
    for name in names:
        shutil.copyfile(BUNDLES / f"{name}.h5", browser.project.folder / f"{name}.h5")
    return [f"{name}.h5" for name in names]


def page_of(browser: Browser, bundle: str) -> str:
    answer = browser.ask(f"/bundle?path={bundle}")
    assert answer.status == 200
    assert "--json" not in answer.text  # of what a person types
    return answer.text


def cells(text: str) -> int:
    return text.count('scope="row"')


def verdicts(text: str) -> list[str]:
    return re.findall(r'class="verdict (\w+)"', text)


def test_a_check_counts_what_is_left_out_and_is_private(tmp_path: Path) -> None:
    browser = Browser(project(tmp_path, MOST_OFF_SCREEN))
    form = finished(browser.project, "check", "build", "plan.toml", "--dry-run")
    text = browser.ask("/check").text
    before, private = text.split(f'class="{PRIVATE}"')
    (lost,) = [loss for loss in form["private"]["losses"] if loss["count"]]
    assert lost["count"] > lost["total"] / 2
    figure = f"{lost['count']} of {lost['total']}"
    assert figure not in before
    assert f"<td>{figure}</td>" in private
    assert private.index("private-mark") < private.index(figure)
    assert private.count('class="warning"') == 2  # most is lost, and no ledger counts what is spent
    assert cells(private) == 1


def test_what_a_build_prints_counts_nothing_of_the_data(tmp_path: Path) -> None:
    """Its result is public: what was left out is in the check's alone."""
    browser = Browser(project(tmp_path, MOST_OFF_SCREEN))
    form = finished(browser.project, "check", "build", "plan.toml", "--dry-run")
    finished(browser.project, "build", "build", "plan.toml")
    (lost,) = [loss for loss in form["private"]["losses"] if loss["count"]]
    text = browser.ask("/build").text
    assert "small-1.0.0.h5" in text
    assert str(lost["count"]) not in text


def test_a_check_without_losses_has_no_table(browser: Browser) -> None:
    finished(browser.project, "check", "build", "plan.toml", "--dry-run")
    text = browser.ask("/check").text
    assert PRIVATE in text
    assert cells(text) == 0


def test_what_a_check_counts_of_features_is_drawn(browser: Browser) -> None:
    loss = {"input": "pupil", "feature": "size", "what": "were clipped", "reason": "clipped"}
    of_rows = {"input": "pupil", "feature": None, "what": "were dropped", "reason": "dropped"}
    form = finished(browser.project, "check", "build", "plan.toml", "--dry-run")
    form["private"] = {
        "notes": {"pupil": ["a remark", "7 of 8 values of 'size' were clipped"]},
        "losses": [{**loss, "count": 7, "total": 8}, {**of_rows, "count": 0, "total": 10}],
    }
    noted(browser.project, "check", "build", "plan.toml", "--dry-run", printed=json.dumps(form))
    text = browser.ask("/check").text
    assert "<td>7 of 8</td><td>87.5\N{NO-BREAK SPACE}%</td>" in text
    assert "10 rows read" in text  # not a sentence: a figure
    assert text.count("a remark") == 2  # as a warning, and in what was printed
    assert text.count('class="warning"') == 3


def test_a_build_shows_what_was_made_and_nothing_private(browser: Browser) -> None:
    form = finished(browser.project, "build", "build", "plan.toml")
    text = browser.ask("/build").text
    assert PRIVATE not in text
    assert verdicts(text) == ["good"]
    assert f'href="/bundle?path={form["bundle"]}"' in text
    spent = {"spent_before": 1.25, "spent_here": 2.5, "spent_after": 3.75, "delta": 1e-6}
    noted(browser.project, "build", "build", "plan.toml", printed=json.dumps({**form, "ledger": spent}))
    assert "<dd>3.75</dd>" in browser.ask("/build").text


def test_errors_of_what_reads_data_are_private(browser: Browser) -> None:
    noted(browser.project, "build", "build", "plan.toml", printed=json.dumps({"error": ERROR}), code=3)
    before, private = browser.ask("/build").text.split(f'class="{PRIVATE}"')
    assert ERROR["where"] not in before
    assert private.index("private-mark") < private.index(str(ERROR["where"]))
    assert private.count("<dt>") == 4
    assert "<code>number</code>" in private


@pytest.mark.parametrize("verdict", ["good", "bad"])
def test_a_verification_has_a_verdict_and_every_check(browser: Browser, verdict: str) -> None:
    (bundle,) = with_bundles(browser, "heatmaps")
    if verdict == "bad":
        path = browser.project.folder / bundle
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    form = finished(browser.project, "verify", "verify", bundle)
    text = page_of(browser, bundle)
    assert form["ok"] is (verdict == "good")
    assert verdicts(text) == [verdict]
    checks = text.split('class="checks"')[1]
    for kind, keys in {"good": ["checked"], "bad": ["findings"], "open": ["on_trust", "signed_by"]}.items():
        assert checks.count(f'class="{kind}"') == sum(len(form[key]) for key in keys)
    assert all(one["code"] in text.split('class="checks"')[0] for one in form["findings"])


def test_a_verification_names_what_protects_no_one(browser: Browser) -> None:
    (bundle,) = with_bundles(browser, "records")
    form = finished(browser.project, "verify", "verify", bundle)
    assert form["unprotected"] == {}
    assert page_of(browser, bundle).count('class="warning"') == 0
    form["unprotected"] = {"exact": "a test that cannot fail", "kept": "no guarantee"}
    noted(browser.project, "verify", "verify", bundle, printed=json.dumps(form))
    assert page_of(browser, bundle).count('class="warning"') == 2


@pytest.mark.parametrize("name", ["heatmaps", "records", "statistics", "seeded.TEST-SEED"])
def test_a_manifest_is_shown_in_the_words_of_the_report(browser: Browser, name: str) -> None:
    (bundle,) = with_bundles(browser, name)
    manifest = finished(browser.project, "show", "show", bundle)
    text = page_of(browser, bundle)
    assert f'"headline">{guarantee_words(manifest).headline}<' in text
    assert text.count("<article") == len(manifest["outputs"])
    assert 'style="' not in text  # which the policy forbids
    without_scripts = 1
    assert text.count('class="problem"') == without_scripts + manifest["randomness"]["test_seed"]


def test_a_comparison_is_a_table_of_changes(browser: Browser) -> None:
    old, new = with_bundles(browser, "heatmaps", "areas")
    form = finished(browser.project, "diff", "diff", old, new)
    text = page_of(browser, new)
    values = len(form["values"]) + len(form["outputs"])
    assert cells(text) == len(form["changes"]) + values > 10
    assert verdicts(text) == ["bad" if form["guarantee"]["verdict"] == "weaker" else "plain"]
    assert "<article" not in text
    finished(browser.project, "diff", "diff", old, old)
    assert verdicts(page_of(browser, old)) == ["good"]


def test_a_faulty_bundle_is_not_compared(browser: Browser) -> None:
    old, new = with_bundles(browser, "heatmaps", "areas")
    (browser.project.folder / new).write_bytes((browser.project.folder / old).read_bytes()[:-1] + b"x")
    finished(browser.project, "diff", "diff", old, new)
    text = page_of(browser, new)
    assert verdicts(text) == ["bad"]
    assert "checksum" in text.split('class="faults"')[1]
    finished(browser.project, "export", "export", new, "--to", "csv", "-o", "out")
    assert page_of(browser, new).count('class="faults"') == 2


def test_what_was_written_is_named_as_in_the_project(browser: Browser) -> None:
    (bundle,) = with_bundles(browser, "heatmaps")
    finished(browser.project, "report", "report", bundle, "-o", "page.html")
    finished(browser.project, "export", "export", bundle, "--to", "csv", "-o", "tables")
    text = page_of(browser, bundle)
    assert "<dd>page.html</dd>" in text
    assert "<dd>tables</dd>" in text
    assert str(browser.project.folder) not in text.split("<footer")[0]


def test_names_of_files_are_no_markup_and_turn_no_line_round(browser: Browser) -> None:
    (bundle,) = with_bundles(browser, "heatmaps")
    hostile = "<img src=x onerror=alert(1)>`<b>`\N{RIGHT-TO-LEFT OVERRIDE}"
    finding = dict.fromkeys(("file", "code", "where", "message"), hostile)
    error = {**dict.fromkeys(ERROR, hostile), "findings": [finding]}
    lists = {key: [hostile] for key in ("checked", "on_trust", "signed_by", "not_done")}
    form = {"ok": True, **lists, "findings": [finding], "unprotected": {hostile: hostile}}
    noted(browser.project, "verify", "verify", bundle, printed=json.dumps(form), errors=hostile)
    noted(browser.project, "export", "export", bundle, printed=json.dumps({"error": error}), code=3)
    text = page_of(browser, bundle)
    assert text.count("onerror") > 10
    assert "<img" not in text
    assert "<b>" not in text
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in text


@pytest.mark.parametrize("name", OF_BUNDLES)
@pytest.mark.parametrize("printed", ["no JSON", "[1]", "{}", '{"changes": [1]}', "[" * 100_000])
def test_what_is_not_understood_is_shown_as_it_was_printed(browser: Browser, name: str, printed: str) -> None:
    old, new = with_bundles(browser, "heatmaps", "areas")
    (browser.project.folder / "own.pem").touch()  # without a key there is nothing to sign with
    for code in (0, 1):
        noted(browser.project, name, name, old, new, printed=printed, errors="also-this", code=code)
        assert "also-this" in page_of(browser, new)


def test_a_bundle_that_was_changed_since_is_called_so(browser: Browser) -> None:
    (bundle,) = with_bundles(browser, "heatmaps")
    finished(browser.project, "verify", "verify", bundle)
    os.utime(browser.project.folder / bundle, (2e9, 2e9))  # which is no change
    assert 'class="warning"' not in page_of(browser, bundle)
    with (browser.project.folder / bundle).open("ab") as file:
        file.write(b"x")
    assert 'class="warning"' in page_of(browser, bundle)


def test_the_private_evaluation_opens_only_after_it_was_confirmed(browser: Browser) -> None:
    folder = browser.project.folder
    (folder / "private-evaluation.html").write_text("<p>")
    (folder / "small-1.0.0.h5").touch()
    sent = ("small-1.0.0.h5", "-o", "private-evaluation.html")
    noted(browser.project, "evaluate", "evaluate", *sent, printed='{"faults": ["secret"]}')
    door = browser.ask("/evaluation").text
    assert "secret" not in door
    assert 'value="evaluate"' not in door
    assert 'type="checkbox" name="confirmed" value="yes" required' in door
    assert browser.ask("/pages/evaluation").headers["location"] == "/evaluation"
    opened = browser.ask("/evaluation?confirmed=yes").text
    assert opened.index("private-mark") < opened.index('value="evaluate"') < opened.index("<li>secret</li>")
    assert browser.ask("/pages/evaluation?confirmed=yes&framed").text == "<p>"
    assert "secret" not in page_of(browser, "small-1.0.0.h5")


def test_commands_are_run_for_a_program_and_shown_for_a_person(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Sequence[str]] = []
    monkeypatch.setattr(Jobs, "start", lambda _jobs, _name, command, **_plan: started.append(command))
    assert browser.change("/jobs/start", name="check").headers["hx-refresh"] == "true"
    confirmed = f"--plan-digest={browser.project.digest()}"
    assert started == [["build", "plan.toml", "--dry-run", "--json", confirmed]]
    assert "--json" not in browser.ask("/check").text
    assert confirmed not in shown_command(*started[0])


# What commands say of options, by the codes of their errors: pages have boxes and fields for it.
OF_OPTIONS = {
    "file-exists": Remedy("choose another name, or replace it: ", Argument("force", True)),
    "most-dropped": Remedy("look with build --dry-run; if that is correct, ", Argument("allow_losses", True)),
    "nothing-granted": "set one: synthrelease ledger grant l.sqlite --dataset scenes-2026 --epsilon E --delta D",
    "unknown-dataset": "correct the name, or set a budget with synthrelease ledger grant",
    "password-needed": "give the password: by --password-file, or `password` in Python",
}


@pytest.mark.parametrize("code", OF_OPTIONS)
def test_remedies_are_sentences_of_pages(browser: Browser, code: str) -> None:
    shown = to_do(code, OF_OPTIONS[code])
    assert "--" not in shown
    assert "terminal" not in shown
    for path in re.findall('href="([^"]+)"', shown):
        assert browser.ask(path).status == 200


def test_each_link_of_a_remedy_leads_to_a_page(browser: Browser) -> None:
    linked = [to_do(code, "do it") for code in (*_SENTENCES, *_PAGES)] + [to_do("", "synthrelease verify")]
    paths = {path for shown in linked for path in re.findall('href="([^"]+)"', shown)}
    assert paths == {f"/{title.lower()}" for title in _LINKS}
    assert all(browser.ask(path).status == 200 for path in paths)
    assert not [shown for shown in linked if "{" in shown or "[" in shown]
