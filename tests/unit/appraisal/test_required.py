"""What a policy asks to be tried, and what was."""

import dataclasses

import pytest
from invented_appraisal import attack, known_rest, manifest

from synthrelease.appraisal.appraised import Appraisal, AppraisedOutput
from synthrelease.appraisal.private_cards import glance_line
from synthrelease.appraisal.private_page import private_page
from synthrelease.appraisal.required import required_attacks

SUMS = AppraisedOutput("maps", "heatmap", known_rest=known_rest())
RECORDS = AppraisedOutput(
    "table", "records", attacks=(attack("membership, nearest record"), attack("copies, near in bins"))
)
ALL = ["re-identification", "linkage", "membership", "attributes", "copies"]


def met(*outputs):
    told = required_attacks(Appraisal(manifest(), (), outputs, {}), ALL)
    assert [one.attack for one in told] == ALL
    return {one.attack: one for one in told}


def test_what_was_tried_on_single_people_is_met_and_nothing_else():
    found = met(SUMS, RECORDS)
    assert {name for name, one in found.items() if one.met} == {"membership", "copies"}
    assert found["membership"].told == "tried on maps and table"
    assert found["copies"].told == "tried on table"
    assert found["linkage"].to_json() == {
        "attack": "linkage",
        "met": False,
        "told": "not tried; the page says why",
    }


def test_in_sums_there_is_nobody_to_name():
    found = met(SUMS, dataclasses.replace(SUMS, name="shares"))
    assert all(one.met for one in found.values())
    assert found["membership"].told == "tried on maps and shares"
    assert found["linkage"].told == "nothing that is released is of a single person"


@pytest.mark.parametrize("other", [AppraisedOutput("each", "signals"), RECORDS])
def test_one_output_that_nobody_attacked_is_enough_to_miss_something(other):
    assert not met(SUMS, other)["linkage"].met


def test_everybodys_own_series_are_no_sums():
    each = dataclasses.replace(SUMS, name="own", kind="signals", of_each=True)
    found = met(SUMS, each)
    assert {name for name, one in found.items() if one.met} == {"membership"}
    assert glance_line(each, "").attacks == "none tried"
    for outputs in ((each,), (SUMS, each), (SUMS, AppraisedOutput("published", "signals"))):
        page = private_page(Appraisal(manifest(), (), outputs, {}))
        assert "No attack on what is released was tried." in page
        assert "Nothing that is released belongs to a single person" not in page
    assert "No attack was tried on what is released." in private_page(Appraisal(manifest(), (), (each,), {}))


def test_names_of_attacks_are_those_that_attacks_have():
    names = (
        "identification, k-NN",
        "linkage",
        "membership, nearest record",
        "inference of size",
        "copies, exact",
    )
    every = AppraisedOutput("table", "records", attacks=tuple(map(attack, names)))
    assert all(one.told == "tried on table" for one in met(every).values())


def test_nothing_is_asked():
    assert required_attacks(Appraisal(manifest(), (), (SUMS,), {}), []) == ()
