"""What a policy asks to be tried, and what was."""

import dataclasses
import re

import pytest
from goldens import check_text
from invented_evaluation import attack, known_rest, manifest
from pages import parsed

from synthrelease.evaluation.private_page import private_page
from synthrelease.evaluation.private_words import at_a_glance
from synthrelease.evaluation.required_attacks import required_attacks
from synthrelease.evaluation.result import EvaluatedOutput, Evaluation

SUMS = EvaluatedOutput("maps", "heatmap", known_rest=known_rest())
RECORDS = EvaluatedOutput(
    "table", "records", attacks=(attack("membership, nearest record"), attack("copies, near in bins"))
)
ALL = ["re-identification", "linkage", "membership", "attributes", "copies"]


def on(one):
    """The outputs that it was tried on."""
    return [name for name in ("maps", "table", "shares") if re.search(rf"\b{name}\b", one.explanation)]


def met(*outputs):
    told = required_attacks(Evaluation(manifest(), (), outputs, {}), ALL)
    assert [one.attack for one in told] == ALL
    return {one.attack: one for one in told}


def test_what_was_tried_on_single_people_is_met_and_nothing_else():
    found = met(SUMS, RECORDS)
    assert {name for name, one in found.items() if one.met} == {"membership", "copies"}
    assert on(found["membership"]) == ["maps", "table"]
    assert on(found["copies"]) == ["table"]
    missed = found["linkage"]
    assert missed.to_json() == {"attack": "linkage", "met": False, "explanation": missed.explanation}
    assert on(missed) == []


def test_in_sums_there_is_no_one_to_name():
    found = met(SUMS, dataclasses.replace(SUMS, name="shares"))
    assert all(one.met for one in found.values())
    assert on(found["membership"]) == ["maps", "shares"]
    assert on(found["linkage"]) == []
    assert found["linkage"].explanation != met(SUMS, RECORDS)["linkage"].explanation


def test_what_follows_from_sums_is_linked_and_has_no_one_to_name():
    paths = dataclasses.replace(
        SUMS,
        name="shares",
        attacks=(attack("membership, maps of scanpaths"), attack("linkage, most similar trial")),
        from_sums=True,
    )
    found = met(SUMS, paths)
    assert all(one.met for one in found.values())
    assert on(found["linkage"]) == ["shares"]
    assert on(found["re-identification"]) == []
    missed = met(SUMS, dataclasses.replace(paths, from_sums=False))
    assert {name for name, one in missed.items() if one.met} == {"membership", "linkage"}


def test_all_that_is_told_of_what_was_asked_for():
    said = {
        "sums and records": met(SUMS, RECORDS),
        "sums": met(SUMS, dataclasses.replace(SUMS, name="shares")),
    }
    parts = [
        "\n".join([f"# {what}", *(f"{name}: {one.explanation}" for name, one in attacks.items())])
        for what, attacks in said.items()
    ]
    check_text("evaluation/required", "\n\n".join(parts))


@pytest.mark.parametrize("other", [EvaluatedOutput("each", "signals"), RECORDS])
def test_one_output_that_no_one_attacked_is_enough_to_miss_something(other):
    assert not met(SUMS, other)["linkage"].met


def test_everybodys_own_series_are_no_sums():
    each = dataclasses.replace(SUMS, name="own", kind="signals", of_each=True)
    found = met(SUMS, each)
    assert {name for name, one in found.items() if one.met} == {"membership"}
    published = EvaluatedOutput("published", "signals")
    attacks = {one.name: at_a_glance(one)[-1].value for one in (each, published, SUMS)}
    assert attacks["own"] == attacks["published"] != attacks["maps"]
    leads = [lead(*outputs) for outputs in ((each,), (SUMS, each), (SUMS, published), (published,))]
    assert len(set(leads)) == 1
    assert lead(SUMS) not in leads
    assert card(each) == card(published) != card(SUMS)


def page(*outputs):
    return parsed(private_page(Evaluation(manifest(), (), outputs, {})))


def lead(*outputs):
    """What is said of attacks on the release."""
    return page(*outputs).texts("p", "lead")[0]


def card(one):
    """What is said last in its card: of attacks."""
    article, paragraphs = page(one).texts("article")[0], page(one).texts("p")
    return max((text for text in paragraphs if text in article), key=article.rindex)


def test_names_of_attacks_are_those_that_attacks_have():
    names = (
        "identification, k-NN",
        "linkage",
        "membership, nearest record",
        "inference of size",
        "copies, exact",
    )
    every = EvaluatedOutput("table", "records", attacks=tuple(map(attack, names)))
    assert all(one.met and on(one) == ["table"] for one in met(every).values())


def test_nothing_is_asked():
    assert required_attacks(Evaluation(manifest(), (), (SUMS,), {}), []) == ()
