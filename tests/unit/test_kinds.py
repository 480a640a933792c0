"""A kind of output that some floor does not know is an error there, and never taken for another kind."""

import json
from collections import defaultdict

import made
import numpy as np
import pytest

from synthrelease.bundle import disclosure, items
from synthrelease.exports import promised, tables
from synthrelease.kinds import registry
from synthrelease.kinds.statistics import noisy
from synthrelease.maths.statistics import StatisticUnit
from synthrelease.privacy.event import DiscreteLaplace
from synthrelease.privacy.guarantee import Neighbours
from synthrelease.report import cards, mechanism_words
from synthrelease.settings_file import schema

UNKNOWN = {
    "name": "viewers",
    "kind": "viewers",
    "mechanism": {
        "name": "laplace",
        "parameters": defaultdict(list),
        "public_inputs": {"people": 9, "names": "listed"},
    },
    "narrower_units": [],
    "event": DiscreteLaplace(1, 1.0, 1).to_json(),
    "noise": None,
    "sensitivity": None,
}
TABLES = {
    "prepared by": registry._PREPARED_BY,
    "input_kinds": registry.input_kinds(),
    "listed_nouns": registry.listed_nouns(),
    "cards": cards._EXHIBITS,
    "mechanism_words.KINDS": mechanism_words.KINDS,
    "mechanism_words": mechanism_words._MAKERS,
    "tables": tables._BY_KIND,
    "promised": promised._SUBJECTS,
}
FUNCTIONS = {
    "parameters_of": registry.parameters_of,
    "items_of": items.items_of,
    "item_count": items.item_count,
    "not_protected": lambda output: disclosure.not_protected([output], Neighbours.REPLACE_ONE),
    "what_it_is": mechanism_words.what_it_is,
    "how_it_was_made": mechanism_words.how_it_was_made,
    "biases": promised._biases,
}


def kinds():
    return set(schema("plan-v1")["properties"]["outputs"]["items"]["properties"]["kind"]["enum"])


@pytest.mark.parametrize("name", TABLES)
def test_every_table_knows_every_kind(name):
    assert set(TABLES[name]) == kinds()


def test_a_manifest_may_have_every_kind():
    outputs = schema("manifest-v3")["properties"]["outputs"]["items"]
    assert set(outputs["properties"]["kind"]["enum"]) == kinds()
    assert {one["if"]["properties"]["kind"]["const"] for one in outputs["allOf"]} == kinds()
    assert "viewers" not in json.dumps(sorted(kinds()))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_another_kind_is_an_error(name):
    with pytest.raises((KeyError, ValueError), match=r"\b(viewers|kind)\b"):
        FUNCTIONS[name](UNKNOWN)


def test_another_statistic_is_an_error():
    unit, integers = StatisticUnit((0.0, 1.0), 9), np.zeros(1, dtype=np.int64)
    mechanism = made.statistics(["mode"], [(0.0, 1.0)], 4, people=9)
    for asked in (
        lambda: noisy.value("mode", integers, unit),
        lambda: noisy.interval("mode", integers, unit, reach=0),
        lambda: noisy.together("mode", unit),
        lambda: mechanism.parameters.size("mode"),
        lambda: mechanism.parameters.sensitivity(Neighbours.REPLACE_ONE),
        lambda: mechanism.errors(DiscreteLaplace(1, 1.0, 1)),
    ):
        with pytest.raises(KeyError, match="mode"):
            asked()
