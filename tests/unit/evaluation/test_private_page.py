"""The private page: what it says is what the evaluation says, nothing of it is markup, and no one can take it for a public one."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import stat

import pytest
from goldens import check_text, figures
from hostile_labels import ENDING, LONG, QUOTES, SCRIPT, TEMPLATE
from invented_evaluation import (
    CC,
    NAMES,
    NAN,
    attack,
    curve,
    evaluation,
    guarantee,
    known_rest,
    manifest,
    utility,
    words_of,
)
from pages import Page, check_form, parsed
from refusals import refused

from synthrelease.errors import MachineError
from synthrelease.evaluation.attacks import AttackResult, AttackVerdict, Rate
from synthrelease.evaluation.private_page import (
    CurvePicture,
    before_and_after,
    on_line,
    private_page,
    write_private_page,
)
from synthrelease.evaluation.private_words import (
    NOT_USEFUL,
    STAMP,
    Line,
    at_a_glance,
    number,
    p_value,
    percent,
    rate,
)
from synthrelease.evaluation.result import (
    Curve,
    EvaluatedInput,
    EvaluatedOutput,
    Evaluation,
    NoiseCheck,
    PredictionTask,
    Usefulness,
    WorstCaseAttack,
)
from synthrelease.printable import printable_lines

NO_NUMBER = number(NAN)


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return {name: parsed(private_page(evaluation(name))) for name in NAMES}


def page_of(*outputs: EvaluatedOutput, inputs: tuple[EvaluatedInput, ...] = ()) -> Page:
    return parsed(private_page(Evaluation(manifest(), inputs, outputs, {})))


def section(page: Page, name: str) -> bool:
    """Whether the page has a heading of that name, which a link can lead to."""
    return any(attributes.get("id") == name for _, attributes in page.elements)


def of_class(page: Page, name: str) -> int:
    """How many elements are of the class."""
    return sum(name in (attributes.get("class") or "").split() for _, attributes in page.elements)


def element(page: Page, tag: str, kind: str) -> str:
    """The source of the first element of a tag and class."""
    found = re.search(rf'<{tag} class="{kind}\b.*?</{tag}>', page.source, re.DOTALL)
    assert found is not None
    return found[0]


def noise_part(check: NoiseCheck) -> str:
    """What the page says of noise."""
    return page_of(EvaluatedOutput("maps", "heatmap", noise=check)).texts("div", "noise")[0]


def worst_case(rest: WorstCaseAttack) -> Page:
    """A page with a worst-case attack alone."""
    return page_of(EvaluatedOutput("maps", "heatmap", known_rest=rest))


def guess_part(rest: WorstCaseAttack) -> str:
    """What the page says of it that depends on what was found."""
    page = worst_case(rest)
    return "\n".join(
        words for kind in ("answer", "red", "luck", "guarantee") for words in page.texts("p", kind)
    )


def attacked(*attacks: AttackResult) -> Page:
    """A page with attacks alone."""
    return page_of(EvaluatedOutput("table", "records", attacks=attacks))


def line_of(output: EvaluatedOutput, subject: str) -> Line:
    """One of the lines of an output."""
    return next(line for line in at_a_glance(output) if line.subject == subject)


def lead(page: Page) -> str:
    """What is said at a glance of all attacks on the release."""
    return page.texts("p", "lead")[0]


def test_all_that_is_read():
    check_text("private-page/plain", parsed(private_page(evaluation("plain"), version="{version}")).lines)


@pytest.mark.parametrize("name", NAMES)
def test_its_form_is_that_of_every_page(pages, name):
    check_form(pages[name], "evaluation")


@pytest.mark.parametrize("name", NAMES)
def test_no_one_takes_it_for_a_public_page(pages, name):
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
def test_what_programs_read_is_the_evaluation(pages, name):
    told = evaluation(name).to_json()
    assert json.loads(pages[name].data) == json.loads(json.dumps(told, allow_nan=False))
    inside = pages[name].source.split('id="evaluation">')[1].split("</script>")[0]
    assert "<" not in inside


@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_every_word_is_told(pages, name):
    told = evaluation(name).to_json()
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
    page, found = pages["faulty"], evaluation("faulty").faults
    assert [fault.split(":")[0] for fault in found] == ["heatmaps", "table", "dwell", "dwell"]
    assert 31.2 in figures(found[0])
    assert {97.0, 61.3} <= {*figures(found[2])}
    for fault in found:
        assert fault in page.text
        assert page.text.index(fault) < page.text.index(lead(page))
    assert figures(page.texts("h3")[0]) == [4]
    assert (of_class(page, "faults"), of_class(page, "headline")) == (1, 0)
    assert (of_class(pages["plain"], "faults"), of_class(pages["plain"], "headline")) == (0, 1)
    maps, table, dwell = evaluation("faulty").outputs
    allowed, beyond = (line_of(one, "worst-case") for one in (maps, dwell))
    assert [line.alarm for line in (allowed, line_of(table, "attacks"), beyond)] == [False, True, True]
    assert figures(" ".join([beyond.value, *beyond.beside])) == [97, 61.3, 50]
    assert allowed.beside != beyond.beside
    assert of_class(page, "alarm") == 2  # a guess beyond the guarantee, and an attack that found something
    assert of_class(pages["plain"], "alarm") == 1
    # In the forest plot: that guess, and two attacks compared with the guarantee.
    assert [of_class(pages[name], "beyond") for name in ("faulty", "plain")] == [3, 0]


def test_a_test_seed_is_said_in_the_banner(pages):
    said = {name: page.source.split("<aside")[1].split("</aside>")[0] for name, page in pages.items()}
    assert {name for name, banner in said.items() if banner.count("<p>") == 2} == {"faulty"}


def test_a_fault_is_told_in_its_card():
    foreign, enough, few = (
        NoiseCheck(10, *rest) for rest in ((3.0, 0.5, 1.5), (1.0, 0.5, 1.5), (1.0, 0.0, 1.5))
    )
    page = page_of(EvaluatedOutput("maps", "heatmap", noise=foreign))
    assert of_class(page, "faults") == 1
    assert of_class(page, "red") == 2
    assert sorted(figures(page.texts("p", "red")[0])) == [0.5, 1, 1.5, 3, 10, 10]  # with 1 − 10⁻⁹
    assert page.texts("p", "red")[1] not in noise_part(enough) + noise_part(few)
    assert (
        len(noise_part(few)) > len(noise_part(enough)) + 20
    )  # few numbers do not show that there is noise at all
    assert of_class(page_of(EvaluatedOutput("maps", "heatmap", noise=enough)), "red") == 0


def test_words_of_noise_guesses_and_guarantees():
    """Those that depend on what was found, side by side."""
    guesses = {
        "a guess that is allowed": known_rest(),
        "more than is allowed": known_rest(worst=0.75, allowed=0.7, exceeds=True),
        "as much, with luck": known_rest(worst=0.735, allowed=0.731),
        "nothing is guaranteed": known_rest(allowed=None),
        "against no one": known_rest(of_presence=True),
        "a guarantee that is violated": known_rest(guarantee_check=guarantee(violated=True)),
    }
    said = {
        "noise that agrees": noise_part(NoiseCheck(10, 1.0, 0.5, 1.5)),
        "noise of few numbers": noise_part(NoiseCheck(10, 1.0, 0.0, 1.5)),
        "other noise": noise_part(NoiseCheck(10, 3.0, 0.5, 1.5)),
        **{what: guess_part(rest) for what, rest in guesses.items()},
    }
    assert len(set(said.values())) == len(said)
    check_text("private-page/words", "\n\n".join(f"# {what}\n{words}" for what, words in said.items()))


def test_every_verdict_is_told_in_words_and_not_by_colour_alone(pages):
    source = pages["plain"].source
    explained = element(pages["plain"], "dl", "verdicts")
    for verdict in AttackVerdict:
        badge = f'<span class="verdict {verdict.name.lower()}">{verdict.value}</span>'  # words, next to its colour
        assert explained.count(badge) == 1
        assert source.count(badge) > 1
        assert f".verdict.{verdict.name.lower()}::before" in source
    assert len(set(pages["plain"].texts("dd")[-len(AttackVerdict) :])) == len(AttackVerdict)
    assert section(pages["plain"], "verdicts")
    assert not section(pages["bare"], "verdicts")


def test_an_attack_is_a_row():
    page = attacked(attack("linkage", main=Rate(0.25, 0.125, 1.5), control=Rate(-0.5, 0, 0), chance=NAN))
    cells = page.texts("td")
    assert cells[1:4] == ["0.25 (0.12 to 1.5)", "\N{MINUS SIGN}0.50", NO_NUMBER]
    drawn = element(page, "svg", "places")
    assert 'd="M12.5 8H100.0"' in drawn  # not a sentence: a path
    assert re.findall('cx="([^"]*)"', drawn) == ["0.0", "25.0"]
    assert 'class="chance"' not in drawn
    assert figures(page.texts("dl", "reasons")[0])[0] == 0.25


def test_a_guarantee_is_told_once_in_the_reasons():
    kept = guarantee(violated=False)
    reasons = [
        page.texts("dl", "reasons")[0]
        for page in (
            attacked(attack("membership", guarantee_check=kept)),
            attacked(attack("membership", p_value=0.9, guarantee_check=kept)),
            attacked(attack("membership", p_value=0.9)),
        )
    ]
    assert [words.count("0.90 (0.80") for words in reasons] == [1, 1, 0]
    assert str(kept) in reasons[0]
    assert worst_case(known_rest(guarantee_check=kept)).texts("p", "guarantee")[0] in reasons[1]


def test_a_risk_and_other_numbers_stand_below_the_reasons():
    page = attacked(
        attack("inference", risk=Rate(0.2, -0.1, 0.5), further={"windows": Rate(0.4, 0.3, 0.5), "a": 7.0})
    )
    assert [figures(words) for words in page.texts("dd", "further")] == [
        [0.2, 0.1, 0.5],
        [0.4, 0.3, 0.5],
        [7],
    ]
    assert "\N{MINUS SIGN}0.10" in page.texts("dd", "further")[0]


def test_the_worst_case_is_told_and_drawn(pages):
    (first,) = worst_case(known_rest()).texts("p", "answer")
    assert sorted(figures(first)) == [50, 52.4, 56.2, 61.3]
    assert first in pages["plain"].texts("p", "answer")
    page = worst_case(known_rest(typical=0.5, worst=0.75, allowed=0.7, exceeds=True))
    meter = element(page, "div", "meter")
    assert re.findall("--share: ([0-9.]+)", meter) == ["0.5000", "0.0000", "0.4000"]
    assert {50, 75, 70} <= {*figures(meter)}
    assert of_class(page, "grave") == 2
    assert of_class(worst_case(known_rest(worst=0.7, allowed=0.7)), "grave") == 0
    free = worst_case(known_rest(allowed=None, tpr_at_fpr={}, guarantee_check=None))
    assert [of_class(free, name) for name in ("allowed", "grave", "guarantee", "scroll")] == [0, 0, 0, 0]
    assert sorted(figures(free.texts("p", "answer")[0])) == [50, 52.4, 56.2]


def test_shares_have_their_place_on_a_line():
    assert [on_line(share) for share in (-0.5, 0.0, 0.125, 1.0, 1.5)] == [0, 0, 12.5, 100, 100]
    assert [on_line(share, 0.5) for share in (0.3, 0.5, 0.75, 1.0)] == [0, 0, 50, 100]
    assert on_line(NAN) is on_line(math.inf) is None


def test_what_is_measured_is_no_fault_where_luck_may_have_lifted_it():
    """With Laplace noise the worst is measured, and half of all that are just allowed come out above."""
    lifted = known_rest(worst=0.735, allowed=0.731)
    page = worst_case(lifted)
    assert (of_class(page, "headline"), of_class(page, "faults"), of_class(page, "grave")) == (1, 0, 0)
    assert of_class(page, "luck") == 1
    assert of_class(worst_case(dataclasses.replace(lifted, exceeds=True)), "luck") == 0
    assert of_class(worst_case(known_rest()), "luck") == 0


def test_of_presence_it_is_asked_whether_someone_is_there():
    pages = [worst_case(known_rest(of_presence=alone)) for alone in (True, False)]
    (asked,), (other,) = (page.texts("p", "answer") for page in pages)
    assert asked != other
    assert figures(asked) == figures(other)
    # With no one to compare with there are no pairs.
    assert [len(re.findall(r"\bpair\b", page.text)) > 0 for page in pages] == [False, True]


def test_a_guarantee_that_is_violated_is_said_to_be():
    kept, broken = (
        worst_case(known_rest(guarantee_check=guarantee(violated=violated))) for violated in (False, True)
    )
    one, other = (page.texts("p", "guarantee")[0] for page in (kept, broken))
    assert one != other
    assert figures(one) == figures(other)
    assert [(of_class(page, "red"), of_class(page, "grave")) for page in (kept, broken)] == [(0, 0), (1, 1)]


def test_what_is_learnt_from_records_is_a_table_with_bars():
    rates = {"k-NN": Rate(0.5, 0.4, 0.6), "SVM": Rate(0.75, 0.7, 0.8)}
    task = PredictionTask(
        "mood", 20, Rate(0.25, 0.2, 0.3), {"real rows": rates, "released records": rates}, ("so", "and so")
    )
    page = page_of(EvaluatedOutput("table", "records", tasks=(task,)))
    assert [words for words in page.texts("caption") if "mood" in words]
    assert page.texts("th") == [page.texts("th")[0], "k-NN", "SVM", *task.trained, page.texts("th")[-1]]
    assert page.texts("td", "barred") == [*map(str, rates.values())] * 2 + [str(task.chance)] * 2
    assert re.findall("--share: ([0-9.]+)", page.source.split("barred", 1)[1])[:2] == ["0.5000", "0.7500"]
    assert " ".join(task.remarks) in page.texts("p", "note")


def test_at_a_glance_stands_the_release_beside_the_rest(pages):
    maps, table = evaluation("plain").outputs[:2]
    utility_line, guess = line_of(maps, "utility"), line_of(maps, "worst-case")
    assert utility_line[1:3] == ("CC", "0.821")
    assert (guess.value, guess.alarm) == (percent(0.5612), False)
    assert [words.rpartition(" ")[2] for words in utility_line.beside] == ["0.987", "0.431", "1"]
    assert [words.rpartition(" ")[0] for words in utility_line.beside[:2]] == [*maps.utility.compared][1:]
    assert figures(guess.beside[0]) == [61.3]
    attacks_line = line_of(table, "attacks")
    assert sorted(figures(attacks_line.value)) == [1, 1, 3]  # found, of all, not to be trusted
    assert attacks_line.alarm
    for output in evaluation("plain").outputs:
        for line in at_a_glance(output):
            assert " ".join([line.value, *line.beside]) in pages["plain"].texts("dd")
    assert sorted(figures(lead(pages["plain"]))) == [1, 1, 3]


def test_that_parts_are_not_useful_is_said_once():
    """Of 20 parts, 5 useful, the 12 that matter most are listed."""
    parts = tuple(Usefulness(f"mean of f{n}", "CC", 0.5, 0.4, n % 4 == 0) for n in range(20))
    output = EvaluatedOutput("stats", "statistics", utility=dataclasses.replace(utility(), parts=parts))
    lines = at_a_glance(output)
    said = [" ".join([line.term, line.value, *line.beside]) for line in lines]
    assert sum(NOT_USEFUL in words for words in said) == 1
    assert figures(lines[0].value) == [15, 20]
    listed = [line for line in lines if line.subject == "part"]
    assert [line.alarm for line in listed[:-1]] == [True] * 12
    assert figures(f"{listed[-1].term} {listed[-1].value}") == [8, 5]
    assert page_of(output).text.count(NOT_USEFUL) == 1


def test_what_is_said_of_all_attacks_together():
    nothing = attack("linkage", p_value=0.9)
    few = attack("linkage", people=5, p_value=0.2, least_p=0.05)
    sums = EvaluatedOutput("maps", "heatmap", known_rest=known_rest())
    said = {
        "none was tried": page_of(EvaluatedOutput("t", "records")),
        "there is no one to name": page_of(sums),
        "one found nothing": page_of(EvaluatedOutput("t", "records", attacks=(nothing,))),
        "two found nothing": page_of(EvaluatedOutput("t", "records", attacks=(nothing, nothing))),
        "of two one is not to be trusted": page_of(EvaluatedOutput("t", "records", attacks=(nothing, few))),
        "of three one found something": page_of(
            EvaluatedOutput("t", "records", attacks=(attack("membership"), nothing, few))
        ),
    }
    assert len({lead(page) for page in said.values()}) == len(said)
    assert [sorted(figures(lead(page))) for page in said.values()] == [[], [], [], [2], [1, 2], [1, 1, 3]]
    check_text("private-page/leads", "\n\n".join(f"# {what}\n{lead(page)}" for what, page in said.items()))


def test_before_stands_beside_after(pages):
    told = evaluation("plain")
    columns, rows = before_and_after(told)
    assert [words.split(",")[0] for words in columns] == ["pupil", "table"]
    cells = dict(rows)["linkage"]
    assert [(cell.main.value, cell.chance, cell.verdict) for cell in cells] == [
        (1.0, 0.04, AttackVerdict.SIGNIFICANT),
        (0.05, 0.04, AttackVerdict.NOT_SIGNIFICANT),
    ]
    seen = [words for words in pages["plain"].texts("td") if figures(words) == [0.05, 0.04]]
    assert [words.split(", ")[1] for words in seen] == [AttackVerdict.NOT_SIGNIFICANT]
    assert before_and_after(dataclasses.replace(told, inputs=())) == ([], [])


def test_an_attack_that_was_not_tried_on_both_is_left_out():
    before = EvaluatedInput("x", 3, (attack("a"), attack("b")), ())
    after = EvaluatedOutput("o", "records", attacks=(attack("b"), attack("c")), input="x")
    assert [name for name, _ in before_and_after(Evaluation(manifest(), (before,), (after,), {}))[1]] == ["b"]
    of_others = dataclasses.replace(after, input="y")
    assert before_and_after(Evaluation(manifest(), (before,), (of_others,), {})) == ([], [])
    assert "Before" not in page_of(of_others, inputs=(before,)).text


def curve_page(one: Curve) -> Page:
    return page_of(EvaluatedOutput("maps", "heatmap", curve=one))


def test_the_curve_has_a_picture_words_and_numbers():
    page = curve_page(curve())
    (picture,) = page.all("img")
    assert sorted(figures(picture["alt"])) == [0.1, 0.43, 0.5, 0.99, 30]
    # What has no data, the best, the plan's ε, and dots for each ε; 0 is of what the measure means.
    (caption,) = page.texts("p", "caption")
    assert sorted(figures(caption)) == [0, 0.43, 1, 2, 5]
    assert curve().without_data[0] in caption
    assert page.texts("th")[4:6] == ["ε = 0.1", "ε = 0.3"]
    assert page.texts("td")[:3] == ["0.5", "0.48", "0.52"]
    some = curve_page(dataclasses.replace(curve(), items=(7, 20))).texts("p", "caption")[0]
    assert sorted(figures(some)) == [0, 0.43, 1, 2, 5, 7, 20]
    nothing = dataclasses.replace(curve(), drawn=((NAN,),) * 6)
    assert CurvePicture.of(nothing).source == ""
    assert curve_page(nothing).all("img") == []
    captions = {
        "all items": caption,
        "some items": some,
        "nothing to draw": curve_page(nothing).texts("p", "caption")[0],
    }
    check_text("private-page/curves", "\n\n".join(f"# {what}\n{words}" for what, words in captions.items()))


def test_what_is_no_number_breaks_nothing(pages):
    odd = evaluation("odd")
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


def test_items_and_measures_are_told():
    told = evaluation("plain").outputs[0]
    page = page_of(dataclasses.replace(told, curve=None, known_rest=None))
    names = [measure.name for measure in told.utility.measures]
    assert figures(page.texts("summary")[0]) == [40]
    rows = page.texts("th")
    assert rows[:4] == [rows[0], *names]
    assert rows[8:12] == ["stimulus", *names]
    assert rows[12:] == [f"stimulus {k}" for k in range(1, 41)]
    cells = page.texts("td")
    assert cells[9:12] == ["1", "1", "0"]  # the best there is
    assert cells[-3:] == ["0.93", "0.93", "0.93"]
    explained = element(page, "dl", "measures")
    assert re.findall("<dt>(.*?)</dt>", explained) == names
    for measure in told.utility.measures:
        assert measure.meaning in explained
    assert figures(re.findall("<dd>(.*?)</dd>", explained)[0])[-1] == CC.best
    bare = page_of(*evaluation("bare").outputs)
    assert (of_class(bare, "measures"), bare.texts("table")) == (0, [])


def test_of_many_measures_each_has_a_row_with_its_meaning():
    measures = tuple(
        dataclasses.replace(CC, name=f"measure {n}", meaning=f"meaning {n}", squared=n > 4) for n in range(6)
    )
    many = dataclasses.replace(
        utility(measures=measures),
        compared={"released": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), "guess": (0.7,) * 5 + (NAN,)},
    )
    page = page_of(EvaluatedOutput("people", "people", many))
    head = page.texts("th")
    assert head[:4] == ["measure", "released", "guess", "ideal"]
    assert head[4:10] == [f"measure {n}meaning {n}" for n in range(6)]
    assert page.texts("td")[:6] == ["0.1", "0.7", "1", "0.2", "0.7", "1"]
    assert page.texts("td")[15:18] == ["0.6", number(NAN), "1"]
    assert of_class(page, "measures") == 0
    assert "measure 5" in page.texts("p", "note")[0]
    assert "measure 4" not in page.texts("p", "note")[0]


def test_parts_of_several_measures_are_called_by_them():
    parts = tuple(
        Usefulness(name, name, 0.5, 0.4, is_useful) for name, is_useful in (("a", True), ("b", False))
    )
    output = EvaluatedOutput("people", "people", dataclasses.replace(utility(), parts=parts))
    first, *listed = (line for line in at_a_glance(output) if line.subject in {"utility", "part"})
    assert first.term not in {"a", "b", CC.name}
    assert figures(first.value) == [1, 2]
    assert [line.term for line in listed] == ["b", "a"]


def test_medians_are_said_to_be():
    worth = utility(measures=(CC, dataclasses.replace(CC, name="MSE", middle=True)))
    means, mixed = (
        page_of(EvaluatedOutput("maps", "heatmap", one)).texts("p", "note")[0]
        for one in (utility(measures=(CC,)), worth)
    )
    assert mixed != means
    assert "MSE" in mixed


def test_notes_are_told_and_empty_ones_are_not(pages):
    (notes,) = filter(None, evaluation("plain").notes.values())
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
    one = Evaluation(manifest(), (), (EvaluatedOutput("a", "heatmap", utility(measures=(CC,))),), {})
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
