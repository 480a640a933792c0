"""The private page: what it says is what the appraisal says, nothing of it is markup, and nobody can take it for a public one."""

from __future__ import annotations

import dataclasses
import json
import re
import stat

import pytest
from goldens import check_text, figures
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
from refusals import refused

from synthrelease.appraisal.appraised import Appraisal, AppraisedInput, AppraisedOutput, NoiseCheck
from synthrelease.appraisal.curve_plate import curve_plate
from synthrelease.appraisal.private_cards import (
    attack_rows,
    before_and_after,
    card_of,
    glance_line,
    guess_view,
)
from synthrelease.appraisal.private_page import private_page, write_private_page
from synthrelease.appraisal.private_words import (
    STAMP,
    TWO_QUESTIONS,
    VERDICTS,
    known_rest_words,
    noise_words,
    number,
    p_value,
    percent,
    promise_words,
    rate,
)
from synthrelease.errors import MachineError
from synthrelease.evaluate.attacks import Rate, Verdict
from synthrelease.printable import printable_lines

NO_NUMBER = number(NAN)


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return {name: parsed(private_page(appraisal(name))) for name in NAMES}


def page_of(*outputs: AppraisedOutput, inputs: tuple[AppraisedInput, ...] = ()) -> Page:
    return parsed(private_page(Appraisal(manifest(), inputs, outputs, {})))


def section(page: Page, name: str) -> bool:
    """Whether the page has a heading of that name, which a link can lead to."""
    return any(attributes.get("id") == name for _, attributes in page.elements)


def of_class(page: Page, name: str) -> int:
    """How many elements are of the class."""
    return sum(name in (attributes.get("class") or "").split() for _, attributes in page.elements)


def lead(page: Page) -> str:
    """What is said at a glance of all attacks on the release."""
    return page.texts("p", "lead")[0]


@pytest.mark.parametrize("name", ["plain", "faulty", "odd", "bare"])
def test_all_that_is_read(name):
    check_text(f"private-page/{name}", parsed(private_page(appraisal(name), version="{version}")).lines)


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
    banner = source.split("<aside")[1].split("</aside>")[0]
    assert banner.index(STAMP) < banner.index("<strong>") < banner.index("</strong>")


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
    assert [word for word in words_of(told) if re.sub(r"\s", "", printable_lines(word)) not in seen] == []


def test_names_are_text(pages):
    page = pages["hostile"]
    for name in (SCRIPT, ENDING, QUOTES, TEMPLATE, LONG):
        assert name in page.text, name
        assert name not in page.source or name in (TEMPLATE, LONG)
    assert "<img src=x" not in page.source  # not a sentence: markup of the hostile names
    seen = page.source.split('<script type="application/json"')[0]  # not a sentence: markup
    assert "a\\u202eb" in page.text
    assert not [c for c in seen if not (c.isprintable() or c in "\n\N{NARROW NO-BREAK SPACE}")]


def test_faults_come_first(pages):
    page, found = pages["faulty"], appraisal("faulty").faults
    assert [fault.split(":")[0] for fault in found] == ["heatmaps", "table", "dwell", "dwell"]
    assert 31.2 in figures(found[0])
    assert {97.0, 61.3} <= {*figures(found[2])}
    for fault in found:
        assert fault in page.text
        assert page.text.index(fault) < page.text.index(lead(page))
    assert figures(page.texts("h3")[0]) == [4]
    assert (of_class(page, "faults"), of_class(page, "headline")) == (1, 0)
    assert (of_class(pages["plain"], "faults"), of_class(pages["plain"], "headline")) == (0, 1)
    glance = [glance_line(one, "") for one in appraisal("faulty").outputs]
    assert [one.beyond for one in glance] == [False, False, True]
    assert figures(f"{glance[2].worst} {glance[2].allowed}") == [97, 61.3]
    assert of_class(page, "alarm") == 2  # a guess beyond the promise, and an attack that found something
    assert of_class(pages["plain"], "alarm") == 1


def test_a_test_seed_is_said_in_the_banner(pages):
    said = {name: page.source.split("<aside")[1].split("</aside>")[0] for name, page in pages.items()}
    assert {name for name, banner in said.items() if banner.count("<p>") == 2} == {"faulty"}


def test_a_fault_is_told_in_its_card():
    foreign = NoiseCheck(10, 3.0, 0.5, 1.5)
    page = page_of(AppraisedOutput("maps", "heatmap", noise=foreign))
    assert of_class(page, "faults") == 1
    assert sorted(figures(noise_words(foreign)[0])) == [0.5, 1.5, 3, 10]
    assert of_class(page, "red") == len(noise_words(foreign)) == 2
    for sentence in noise_words(foreign):
        assert sentence in page.text
    enough, few = (noise_words(NoiseCheck(10, 1.0, low, 1.5)) for low in (0.5, 0.0))
    assert noise_words(foreign)[1] not in (*enough, *few)
    assert few[1] != enough[1]  # few numbers do not show that there is noise at all
    assert (
        of_class(page_of(AppraisedOutput("maps", "heatmap", noise=NoiseCheck(10, 1.0, 0.5, 1.5))), "red") == 0
    )


def test_words_of_noise_guesses_and_promises():
    """Those that depend on what was found, side by side."""
    said = {
        "noise that agrees": noise_words(NoiseCheck(10, 1.0, 0.5, 1.5)),
        "noise of few numbers": noise_words(NoiseCheck(10, 1.0, 0.0, 1.5)),
        "other noise": noise_words(NoiseCheck(10, 3.0, 0.5, 1.5)),
        "a guess that is allowed": known_rest_words(known_rest()),
        "more than is allowed": known_rest_words(known_rest(worst=0.75, allowed=0.7, exceeds=True)),
        "as much, with luck": known_rest_words(known_rest(worst=0.735, allowed=0.731)),
        "nothing is promised": known_rest_words(known_rest(allowed=None)),
        "against nobody": known_rest_words(known_rest(against_nobody=True)),
        "a promise that is kept": (promise_words(promise(violated=False)),),
        "a promise that is broken": (promise_words(promise(violated=True)),),
    }
    assert len(set(said.values())) == len(said)
    check_text(
        "private-page/words", "\n\n".join("\n".join([f"# {what}", *words]) for what, words in said.items())
    )


def test_every_verdict_is_told_in_words_and_not_by_colour_alone(pages):
    source = pages["plain"].source
    for verdict, told in VERDICTS:
        badge = f'<span class="verdict {verdict.name.lower()}">{verdict}</span>'  # its name beside its colour
        assert badge in source
        assert told in pages["plain"].text
        assert f".verdict.{verdict.name.lower()}::before" in source
    assert {verdict for verdict, _ in VERDICTS} == set(Verdict)
    assert TWO_QUESTIONS in pages["plain"].text
    assert section(pages["plain"], "verdicts")
    assert not section(pages["bare"], "verdicts")


def test_an_attack_is_a_row():
    (row,) = attack_rows(
        [attack("linkage", main=Rate(0.25, 0.125, 1.5), control=Rate(-0.5, 0, 0), chance=NAN)]
    )
    assert (row.main, row.interval, row.control, row.chance) == (
        "0.25",
        "0.12 to 1.5",
        "\N{MINUS SIGN}0.50",
        NO_NUMBER,
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
    first = guess_view(known_rest()).sentences[0]
    assert sorted(figures(first)) == [50, 52.4, 56.2, 61.3]
    assert first in pages["plain"].text
    view = guess_view(known_rest(typical=0.5, worst=0.75, allowed=0.7, exceeds=True))
    assert (view.typical, view.worst, view.grave) == (0.0, 0.5, True)
    assert view.allowed == pytest.approx(0.4)
    assert {50, 75, 70} <= {*figures(view.alt)}
    assert not guess_view(known_rest(worst=0.7, allowed=0.7)).grave
    free = guess_view(known_rest(allowed=None, found={}, promise=None))
    assert (free.allowed, free.grave, free.found, free.promise) == (None, False, None, "")
    assert sorted(figures(free.sentences[0])) == [50, 52.4, 56.2]


def test_what_is_measured_is_no_fault_where_luck_may_have_lifted_it():
    """With Laplace noise the worst is measured, and half of all that are just allowed come out above."""
    lifted = known_rest(worst=0.735, allowed=0.731)
    page = page_of(AppraisedOutput("maps", "heatmap", known_rest=lifted))
    assert (of_class(page, "headline"), of_class(page, "faults"), of_class(page, "grave")) == (1, 0, 0)
    (luck,) = known_rest_words(lifted)[2:]
    assert luck in page.text
    assert luck not in known_rest_words(dataclasses.replace(lifted, exceeds=True))
    assert len(known_rest_words(known_rest())) == 2
    assert not guess_view(lifted).grave


def test_against_nobody_it_is_asked_whether_somebody_is_there():
    asked, other = (guess_view(known_rest(against_nobody=alone)).sentences for alone in (True, False))
    page = page_of(AppraisedOutput("maps", "heatmap", known_rest=known_rest(against_nobody=True)))
    assert asked[0] in page.text
    assert asked[0] != other[0]
    assert figures(asked[0]) == figures(other[0])
    assert asked[1:] == other[1:]


def test_a_promise_that_is_broken_is_said_to_be():
    kept, broken = (promise_words(promise(violated=violated)) for violated in (False, True))
    assert kept != broken
    assert figures(kept) == figures(broken)
    assert guess_view(known_rest(promise=promise(violated=True))).broken


def test_at_a_glance_stands_the_release_beside_the_rest(pages):
    maps, table = (glance_line(one, "") for one in appraisal("plain").outputs[:2])
    assert (maps.name, maps.measure, maps.released, maps.worst) == (
        "heatmaps",
        "CC",
        "0.821",
        percent(0.5612),
    )
    assert [value for _, value in maps.beside] == ["0.987", "0.431", "1"]
    assert [what for what, _ in maps.beside[:2]] == list(appraisal("plain").outputs[0].utility.compared)[1:]
    assert figures(maps.allowed) == [61.3]
    assert not maps.beyond
    assert sorted(figures(table.attacks)) == [1, 1, 3]  # found, of all, not to be trusted
    assert table.alarm
    assert sorted(figures(lead(pages["plain"]))) == [1, 1, 3]
    (attacked,) = (line for line in pages["plain"].texts("li") if line.startswith("table:"))
    assert "membership" in attacked
    assert sorted(figures(attacked)) == [
        0.5,
        0.5,
        0.6,
        0.83,
        0.93,
    ]  # with its interval, its control and chance


def test_what_is_said_of_all_attacks_together():
    nothing = attack("linkage", p_value=0.9)
    few = attack("linkage", people=5, p_value=0.2, least_p=0.05)
    sums = AppraisedOutput("maps", "heatmap", known_rest=known_rest())
    said = {
        "none was tried": page_of(AppraisedOutput("t", "records")),
        "there is nobody to name": page_of(sums),
        "one found nothing": page_of(AppraisedOutput("t", "records", attacks=(nothing,))),
        "two found nothing": page_of(AppraisedOutput("t", "records", attacks=(nothing, nothing))),
        "of two one is not to be trusted": page_of(AppraisedOutput("t", "records", attacks=(nothing, few))),
        "of three one found something": page_of(
            AppraisedOutput("t", "records", attacks=(attack("membership"), nothing, few))
        ),
    }
    assert len({lead(page) for page in said.values()}) == len(said)
    assert [sorted(figures(lead(page))) for page in said.values()] == [[], [], [], [2], [1, 2], [1, 1, 3]]
    check_text("private-page/leads", "\n\n".join(f"# {what}\n{lead(page)}" for what, page in said.items()))


def test_before_stands_beside_after():
    told = appraisal("plain")
    table = before_and_after(told)
    assert table is not None
    assert [words.split(",")[0] for words in table.head[1:]] == ["pupil", "table"]
    rows = {name: [cell.text for cell in cells] for name, cells in table.rows}
    assert [figures(text) for text in rows["linkage"]] == [[1.0, 0.04], [0.05, 0.04]]
    assert [text.split(", ")[1] for text in rows["linkage"]] == [Verdict.FOUND, Verdict.NOTHING]
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
    alt = plate.panels[0].pictures[0].alt
    assert sorted(figures(alt)) == [0.1, 0.43, 0.5, 0.99, 30]
    # What has no data, the best, the plan's ε, and dots for each ε; 0 is of what the measure means.
    assert sorted(figures(plate.caption)) == [0, 0.43, 1, 2, 5]
    assert curve().without_data[0] in plate.caption
    assert plate.table is not None
    assert [name for name, _ in plate.table.rows][:2] == ["ε = 0.1", "ε = 0.3"]
    assert [cell.text for cell in plate.table.rows[0][1]] == ["0.5", "0.48", "0.52"]
    some = curve_plate(dataclasses.replace(curve(), items=(7, 20)))
    assert sorted(figures(some.caption)) == [0, 0.43, 1, 2, 5, 7, 20]
    nothing = curve_plate(dataclasses.replace(curve(), drawn=((NAN,),) * 6))
    assert nothing.panels == ()
    captions = {"all items": plate, "some items": some, "nothing to draw": nothing}
    check_text(
        "private-page/curves", "\n\n".join(f"# {what}\n{one.caption}" for what, one in captions.items())
    )


def test_what_is_no_number_breaks_nothing(pages):
    odd = appraisal("odd")
    text = pages["odd"].text
    for told in (*odd.faults, *(one.reason for part in (*odd.inputs, *odd.outputs) for one in part.attacks)):
        text = text.replace(told, "")  # theirs, not the page's
    assert NO_NUMBER in text
    assert "∞" in text
    assert not re.search(r"\b(nan|inf)\b", text)
    assert not re.search(r">\s*None\b(?! of)", pages["odd"].source)


@pytest.mark.parametrize(
    ("value", "told"), [(float("inf"), "∞"), (-float("inf"), "−∞"), (-0.12345, "−0.123"), (0.0, "0")]
)  # fmt: skip
def test_numbers(value, told):
    assert number(value) == told


@pytest.mark.parametrize(
    ("value", "told"), [(0.5, "0.50"), (0.004, "0.004"), (0.0, "0.00"), (1.0, "1.00"), (-0.5, "−0.50"), (31.0, "31")]
)  # fmt: skip
def test_rates(value, told):
    assert rate(value) == told


@pytest.mark.parametrize(("p", "told"), [(0.00001, "< 0.0001"), (0.00123, "0.0012"), (1.0, "1")])
def test_p_values(p, told):
    assert p_value(p) == told


def test_what_is_no_number_is_a_word():
    assert {number(NAN), rate(NAN), p_value(NAN), percent(NAN)} == {NO_NUMBER}
    assert re.fullmatch("[a-z ]+", NO_NUMBER)
    assert not re.search(r"\b(nan|none|inf)\b", NO_NUMBER)


def test_items_and_measures_are_told(pages):
    maps, text = card_of(appraisal("plain").outputs[0], "a"), pages["plain"].text
    assert figures(maps.items_told) == [40]
    assert maps.items.head == ("stimulus", "CC", "SIM", "KL")
    assert len(maps.items.rows) == 40
    assert [cell.text for cell in maps.items.rows[-1][1]] == ["0.93", "0.93", "0.93"]
    assert [cell.text for cell in maps.utility.rows[-1][1]] == ["1", "1", "0"]  # the best there is
    assert [name for name, _ in maps.measures] == ["CC", "SIM", "KL"]
    for _, meaning in maps.measures:
        assert meaning in text
    assert maps.measures[0][1].startswith(CC.meaning)
    assert figures(maps.measures[0][1])[-1] == CC.best
    bare = card_of(appraisal("bare").outputs[0], "a")
    assert (bare.utility, bare.items, bare.measures) == (None, None, ())


def test_notes_are_told_and_empty_ones_are_not(pages):
    (notes,) = filter(None, appraisal("plain").notes.values())
    assert " ".join(["pupil", *notes]) in pages["plain"].text
    shown = pages["plain"].source.split('<h2 id="notes">')[1].split("</section>")[0]
    assert (shown.count("<dt>"), shown.count("<dd>")) == (1, 2)
    assert not section(pages["bare"], "notes")


def test_words_are_those_of_the_page(pages):
    explained = {
        name: re.findall("<dt>([^<]*)</dt>", page.source.split('class="glossary"')[1])
        for name, page in pages.items()
    }
    assert {*explained["bare"]} < {*explained["plain"]}
    assert len(explained["bare"]) < 4


def test_its_owner_alone_reads_it(tmp_path):
    target = tmp_path / "private.html"
    one = Appraisal(manifest(), (), (AppraisedOutput("a", "heatmap", utility(measures=(CC,))),), {})
    size = write_private_page(one, target)
    assert target.stat().st_size == size
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with refused(MachineError, "file-exists", where=target):
        write_private_page(one, target)
    target.write_text("older")
    target.chmod(0o644)
    write_private_page(one, target, force=True)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert target.read_text("utf-8") == private_page(one)
    assert [path.name for path in tmp_path.iterdir()] == ["private.html"]
