"""The private page: what it says is what the appraisal says, nothing of it is markup, and nobody can take it for a public one."""

from __future__ import annotations

import dataclasses
import json
import re
import stat

import pytest
from hostile_labels import ENDING, LONG, QUOTES, SCRIPT, TEMPLATE
from invented_appraisal import (
    CC,
    NAMES,
    NAN,
    appraisal,
    attack,
    curve,
    known_rest,
    manifest,
    promise,
    utility,
    words_of,
)
from pages import Page, check_form, parsed

from synthrelease.appraisal.appraised import Appraisal, AppraisedInput, AppraisedOutput, NoiseCheck
from synthrelease.appraisal.curve_plate import curve_plate
from synthrelease.appraisal.private_cards import attack_rows, before_and_after, guess_view
from synthrelease.appraisal.private_page import private_page, write_private_page
from synthrelease.appraisal.private_words import (
    STAMP,
    VERDICTS,
    noise_words,
    number,
    p_value,
    promise_words,
    rate,
)
from synthrelease.errors import MachineError
from synthrelease.evaluate.attacks import Rate, Verdict
from synthrelease.report.plain_text import plain


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return {name: parsed(private_page(appraisal(name))) for name in NAMES}


def page_of(*outputs: AppraisedOutput, inputs: tuple[AppraisedInput, ...] = ()) -> Page:
    return parsed(private_page(Appraisal(manifest(), inputs, outputs, {})))


@pytest.mark.parametrize("name", NAMES)
def test_its_form_is_that_of_every_page(pages, name):
    check_form(pages[name], "appraisal")


@pytest.mark.parametrize("name", NAMES)
def test_nobody_takes_it_for_a_public_page(pages, name):
    source, text = pages[name].source, pages[name].text
    assert re.search(rf"<title>{STAMP} – ", source)
    assert source.index(f'<p class="shout">{STAMP}') < source.index("<h1")
    assert f'<p class="shout">{STAMP}' in source.split("<footer")[1]
    assert text.count(STAMP) == 2
    style = source.split("</style>")[0]
    for margin in ("@top-center", "@bottom-center"):  # of every printed sheet
        assert f'{margin} {{ content: "{STAMP}"' in style
    assert "that is another release, for the ledger" in text


@pytest.mark.parametrize("name", NAMES)
def test_what_programs_read_is_the_appraisal(pages, name):
    told = appraisal(name).to_json()
    assert json.loads(pages[name].data) == json.loads(json.dumps(told, allow_nan=False))
    inside = pages[name].source.split('id="appraisal">')[1].split("</script>")[0]
    assert "<" not in inside


@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_every_word_is_told(pages, name):
    told = appraisal(name).to_json()
    for key in ("contact", "license"):
        told["release"].pop(key, None)
    kinds = {one.pop("kind") for one in told["outputs"]} - {
        QUOTES
    }  # those that are known have words of their own
    assert kinds <= {"heatmap", "records", "signals", "statistics", "areas"}
    del told["do_not_publish"]
    seen = re.sub(r"\s", "", pages[name].text)
    assert [word for word in words_of(told) if re.sub(r"\s", "", plain(word)) not in seen] == []


def test_names_are_text(pages):
    page = pages["hostile"]
    for name in (SCRIPT, ENDING, QUOTES, TEMPLATE, LONG):
        assert name in page.text, name
        assert name not in page.source or name in (TEMPLATE, LONG)
    assert "<img src=x" not in page.source
    seen = page.source.split('<script type="application/json"')[0]
    assert "a\\u202eb" in page.text
    assert not [c for c in seen if not (c.isprintable() or c in "\n\N{NARROW NO-BREAK SPACE}")]


def test_faults_come_first(pages):
    page, found = pages["faulty"], appraisal("faulty").faults
    assert len(found) == 4
    for fault in found:
        assert fault in page.text
        assert page.text.index(fault) < page.text.index("attack on what is released found")
    assert "4 faults: this release must not be published" in page.text
    assert "No fault was found" not in page.text
    assert "No fault was found" in pages["plain"].text
    assert "This is more than the promise allows." in page.text
    assert "97 % more than the 61.3 % that the promise allows" in page.text
    assert "whoever knows it takes the noise away" in page.text
    assert "whoever knows it takes the noise away" not in pages["plain"].text


def test_a_fault_is_told_in_its_card():
    foreign = AppraisedOutput("maps", "heatmap", noise=NoiseCheck(10, 3.0, 0.5, 1.5))
    text = page_of(foreign).text
    assert "A fault: this release must not be published" in text
    assert "3 times as much as the manifest states. It should be 0.5 to 1.5 times" in text
    assert "do not belong together: another plan" in text
    assert all(
        "Nothing speaks against it" not in told
        for told in noise_words(foreign.noise or NoiseCheck(1, 1, 1, 1))
    )
    enough, few = (" ".join(noise_words(NoiseCheck(10, 1.0, low, 1.5))) for low in (0.5, 0.0))
    assert "Nothing speaks against it that bundle, plan and data belong together" in enough
    assert "cannot show noise that is too small" in few
    assert "cannot show" not in enough


def test_every_verdict_is_told_in_words_and_not_by_colour_alone(pages):
    source = pages["plain"].source
    for verdict, told in VERDICTS:
        assert f'<span class="verdict {verdict.name.lower()}">{verdict}</span>' in source
        assert told in pages["plain"].text
        assert f".verdict.{verdict.name.lower()}::before" in source
    assert {verdict for verdict, _ in VERDICTS} == set(Verdict)
    assert "The p-value is about these people" in pages["plain"].text
    assert "What a verdict means" not in pages["bare"].text


def test_an_attack_is_a_row():
    (row,) = attack_rows(
        [attack("linkage", main=Rate(0.25, 0.125, 1.5), control=Rate(-0.5, 0, 0), chance=NAN)]
    )
    assert (row.main, row.interval, row.control, row.chance) == (
        "0.25",
        "0.12 to 1.5",
        "\N{MINUS SIGN}0.50",
        "not defined",
    )
    assert row.line == {"low": 12.5, "high": 100.0, "main": 25.0, "control": 0.0, "chance": None}
    assert row.reasons[0].startswith("0.25")


def test_a_promise_is_told_once_in_the_reasons():
    kept = promise(violated=False)
    (found,) = attack_rows([attack("membership", promise=kept)])
    assert str(kept) in found.reasons[0]
    assert len(found.reasons) == 1
    (nothing,) = attack_rows([attack("membership", p_value=0.9, promise=kept)])
    assert nothing.reasons[1] == promise_words(kept)


def test_what_somebody_finds_out_who_knows_all_others(pages):
    assert (
        "is right in 52.4 % of all releases (of the person in the middle) and in 56.2 % (of the person told best). "
        "50 % is guessing. The promise allows 61.3 %."
    ) in pages["plain"].text
    view = guess_view(known_rest(typical=0.5, worst=0.75, allowed=0.7, exceeds=True))
    assert (view.typical, view.worst, view.grave) == (0.0, 0.5, True)
    assert view.allowed == pytest.approx(0.4)
    assert "75 %" in view.alt
    assert not guess_view(known_rest(worst=0.7, allowed=0.7)).grave
    free = guess_view(known_rest(allowed=None, found={}, promise=None))
    assert (free.allowed, free.grave, free.found, free.promise) == (None, False, None, "")
    assert "bounds none" in free.sentences[0]


def test_what_is_measured_is_no_fault_where_luck_may_have_lifted_it():
    """With Laplace noise the worst is measured, and half of all that are just allowed come out above."""
    lucky = AppraisedOutput("maps", "heatmap", known_rest=known_rest(worst=0.735, allowed=0.731))
    page = page_of(lucky)
    assert "No fault was found" in page.text
    assert "more than the" not in page.text
    assert "the luck of fresh releases" in page.text
    assert not guess_view(known_rest(worst=0.735, allowed=0.731)).grave


def test_against_nobody_it_is_asked_whether_somebody_is_there():
    text = page_of(AppraisedOutput("maps", "heatmap", known_rest=known_rest(against_nobody=True))).text
    assert "asks whether the person is in the data. Who does, is right in 52.4 %" in text
    assert "Of two people" not in text


def test_a_promise_that_is_broken_is_said_to_be():
    assert promise_words(promise(violated=True)).endswith("the promise is broken.")
    assert "nothing speaks against" in promise_words(promise(violated=False))


def test_at_a_glance_stands_the_release_beside_the_rest(pages):
    text = pages["plain"].text
    assert "heatmaps Heatmaps CC 0.821 without noise 0.987 even attention everywhere 0.431 best 1" in text
    assert "Guess of who knows all others 56.2 % of 61.3 % that the promise allows" in text
    assert "Attacks 1 of 3 found something, 1 cannot be trusted" in text
    assert (
        "1 of 3 attacks on what is released found something; 1 cannot be trusted, and says nothing." in text
    )
    assert (
        "table: membership, nearest record, area under the ROC curve 0.83 (0.60 to 0.93); "
        "0.50 where there is nothing to find, chance 0.50"
    ) in text
    assert "They were tried on fresh releases by the same mechanism" in text


def test_nothing_found_is_no_promise():
    page = page_of(AppraisedOutput("t", "records", attacks=(attack("linkage", p_value=0.9),)))
    assert "The one attack on what is released found nothing. That is no promise" in page.text
    assert "No attack on what is released was tried." in page_of(AppraisedOutput("t", "records")).text


def test_before_stands_beside_after():
    told = appraisal("plain")
    table = before_and_after(told)
    assert table is not None
    assert table.head == ("attack", "pupil, without names", "table, released")
    rows = {name: [cell.text for cell in cells] for name, cells in table.rows}
    assert rows["linkage"] == ["1.00 (chance 0.04), found", "0.05 (chance 0.04), nothing found"]
    assert before_and_after(dataclasses.replace(told, inputs=())) is None


def test_an_attack_that_was_not_tried_on_both_is_left_out():
    before = AppraisedInput("x", 3, (attack("a"), attack("b")), ())
    after = AppraisedOutput("o", "records", attacks=(attack("b"), attack("c")), source="x")
    table = before_and_after(Appraisal(manifest(), (before,), (after,), {}))
    assert table is not None
    assert [name for name, _ in table.rows] == ["b"]
    of_others = dataclasses.replace(after, source="y")
    assert before_and_after(Appraisal(manifest(), (before,), (of_others,), {})) is None


def test_the_curve_has_a_picture_words_and_numbers():
    plate = curve_plate(curve())
    assert len(plate.panels) == 1
    assert "at ε = 0.1, and 0.99 at ε = 30" in plate.panels[0].pictures[0].alt
    assert "5 dots for each ε" in plate.caption
    assert "Looked at" not in plate.caption
    assert "Looked at are 7 of 20" in curve_plate(dataclasses.replace(curve(), items=(7, 20))).caption
    assert "Without any data (even attention everywhere) it is 0.43." in plate.caption
    assert plate.table is not None
    assert [name for name, _ in plate.table.rows][:2] == ["ε = 0.1", "ε = 0.3"]
    assert [cell.text for cell in plate.table.rows[0][1]] == ["0.5", "0.48", "0.52"]


def test_a_curve_of_nothing_is_not_drawn():
    plate = curve_plate(dataclasses.replace(curve(), drawn=((NAN,),) * 6))
    assert plate.panels == ()
    assert plate.caption.startswith("There is nothing to draw.")


def test_what_is_no_number_breaks_nothing(pages):
    odd = appraisal("odd")
    text = pages["odd"].text
    for told in (*odd.faults, *(one.reason for part in (*odd.inputs, *odd.outputs) for one in part.attacks)):
        text = text.replace(told, "")  # theirs, not the page's
    assert "not defined" in text
    assert "∞" in text
    assert not re.search(r"\b(nan|inf)\b", text)
    assert not re.search(r">\s*None\b(?! of)", pages["odd"].source)


@pytest.mark.parametrize(
    ("value", "told"), [(NAN, "not defined"), (float("inf"), "∞"), (-float("inf"), "−∞"), (-0.12345, "−0.123"), (0.0, "0")]
)  # fmt: skip
def test_numbers(value, told):
    assert number(value) == told


@pytest.mark.parametrize(
    ("value", "told"), [(0.5, "0.50"), (0.004, "0.004"), (0.0, "0.00"), (1.0, "1.00"), (-0.5, "−0.50"), (31.0, "31"), (NAN, "not defined")]
)  # fmt: skip
def test_rates(value, told):
    assert rate(value) == told


@pytest.mark.parametrize(
    ("p", "told"), [(0.00001, "< 0.0001"), (0.00123, "0.0012"), (1.0, "1"), (NAN, "not defined")]
)
def test_p_values(p, told):
    assert p_value(p) == told


def test_items_and_measures_are_told(pages):
    text = pages["plain"].text
    assert "Every stimulus by itself: 40 in all" in text
    assert "stimulus 40 0.93 0.93 0.93" in text
    assert "correlation with the true map; 0 is no likeness at all (best: 1)" in text
    assert "the best there is 1 1 0" in text
    assert "There is nothing to hold it against." in pages["bare"].text


def test_notes_are_told_and_empty_ones_are_not(pages):
    assert (
        "pupil 14 rows without a label were dropped 0.3 % of the values were clipped" in pages["plain"].text
    )
    assert "What was dropped or clipped" not in pages["bare"].text


def test_words_are_those_of_the_page(pages):
    assert "0.5 is guessing, 1 is always" in pages["plain"].text
    assert "0.5 is guessing, 1 is always" not in pages["bare"].text


def test_its_owner_alone_reads_it(tmp_path):
    target = tmp_path / "private.html"
    one = Appraisal(manifest(), (), (AppraisedOutput("a", "heatmap", utility(measures=(CC,))),), {})
    size = write_private_page(one, target)
    assert target.stat().st_size == size
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with pytest.raises(MachineError, match="exists"):
        write_private_page(one, target)
    target.write_text("older")
    target.chmod(0o644)
    write_private_page(one, target, force=True)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert target.read_text("utf-8") == private_page(one)
    assert [path.name for path in tmp_path.iterdir()] == ["private.html"]
