"""A kind of output that some layer does not know is an error there, and never taken for another kind."""

import re
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import made
import numpy as np
import pytest

from synthrelease.bundle import disclosure
from synthrelease.bundle.items import StoredOutput
from synthrelease.dp.event import DeniabilityTest, DiscreteLaplace, PrivateChoice, RoundedGaussian
from synthrelease.dp.guarantee import Neighbours
from synthrelease.evaluation import ground_truth
from synthrelease.evaluation.ground_truth.generic import GENERIC
from synthrelease.exports import guarantee_text
from synthrelease.kinds import registry
from synthrelease.kinds.statistics import noisy
from synthrelease.numerics.statistics import StatisticUnit
from synthrelease.schemas import schema

UNKNOWN = {
    "name": "viewers",
    "kind": "viewers",
    "input": "looks",
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
FUNCTIONS = {
    "kind_of": registry.kind_of,
    "parameters_of": registry.parameters_of,
    "StoredOutput": StoredOutput,
    "not_protected": lambda output: disclosure.not_protected([output], Neighbours.REPLACE_ONE),
    "output_sentences": disclosure.output_sentences,
    "abstract": lambda output: guarantee_text.abstract({**MANIFEST, "outputs": [output]}),
    "making": lambda output: guarantee_text.procedures({**MANIFEST, "outputs": [output]}),
    "biases": lambda output: guarantee_text.biases({**MANIFEST, "outputs": [output]}),
}
MANIFEST = {
    "tool": {"name": "t", "version": "1"},
    "randomness": {"test_seed": False},
    "inputs": [{"name": "looks", "only": [], "valid": [], "missing": {"numbers": [], "texts": []}}],
}


def kinds():
    return set(schema("plan-v1")["properties"]["outputs"]["items"]["properties"]["kind"]["enum"])


def test_plans_manifests_and_the_registry_know_the_same_kinds():
    assert kinds() == set(registry.kinds()) == {kind.name for kind in registry.SHIPPED}
    outputs = schema("manifest-v1")["properties"]["outputs"]["items"]
    assert set(outputs["properties"]["kind"]["enum"]) == kinds()
    assert {one["if"]["properties"]["kind"]["const"] for one in outputs["allOf"]} == kinds()
    assert UNKNOWN["kind"] not in kinds()


def test_the_page_of_plans_and_policies_know_every_kind_and_mechanism():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "plan.md").read_text("utf-8")
    assert set(re.findall(r"^## `\[\[outputs\]\]` .* `(\w+)`$", page, re.MULTILINE)) == kinds()
    limits = schema("policy-v1")["properties"]["policy"]["properties"]
    mechanisms = {name for kind in registry.SHIPPED for name in kind.mechanisms}
    assert mechanisms
    events = {RoundedGaussian.type, DiscreteLaplace.type, PrivateChoice.type, DeniabilityTest.type}
    assert set(limits["forbidden_mechanisms"]["items"]["enum"]) == mechanisms | events | {"liu2019"}


@pytest.mark.parametrize("kind", registry.SHIPPED, ids=lambda kind: kind.name)
def test_a_kind_says_everything_that_is_asked_of_it(kind):
    assert set(kind.input_kinds) <= {"gaze", "features"}
    assert kind.title
    assert kind.subject
    assert kind.mechanisms
    for parameters in kind.parameters:
        assert (parameters.input_kind, parameters.listed) in {("gaze", "stimuli"), ("features", "recordings")}
        assert parameters.kind == kind.name
        assert parameters.sentences
        # … and its releases are judged as what they are, not by what all kinds have in common.
        module, _, name = getattr(parameters, "private_half", "").partition(":")
        if name:
            assert kind_of_mechanism(getattr(import_module(module), name)) is not GENERIC


def kind_of_mechanism(mechanism):
    return ground_truth._KINDS.get(mechanism, GENERIC)


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
