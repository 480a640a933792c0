"""Which events an output's parameters call for: a private choice of a cap from a list, and no other."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from synthrelease.bundle.output_claims import event_faults
from synthrelease.dp.event import Composed, DiscreteLaplace, Disjoint, Event, PrivateChoice
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.parameters import UNCALLED_CHOICE
from synthrelease.kinds.registry import parameters_of

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas" / "manifest-v1.schema.json").read_text("utf-8"))
RELATION = Neighbours.REPLACE_ONE
CHOICE = PrivateChoice(0.5, 7)
FAULT = [("guarantee", UNCALLED_CHOICE)]


def mean_of_a_feature() -> tuple[dict[str, Any], DiscreteLaplace]:
    """An output without faults, and its event."""
    feature = {"name": "pupil", "low": 0.0, "high": 1.0}
    parameters = {
        "statistics": ["mean"],
        "bins": 4,
        "quantile_steps": 7,
        "by": None,
        "groups": None,
        "max_groups_per_person": 1,
        "half_range_grid_units": 32768,
        "features": [feature],
    }
    output: dict[str, Any] = {
        "kind": "statistics",
        "mechanism": {
            "name": "discrete_laplace",
            "parameters": parameters,
            "public_inputs": {"people": 20, "names": "listed"},
        },
    }
    noise = DiscreteLaplace(parameters_of(output).sensitivity(RELATION).l1, 1e5, 1)
    output["sensitivity"] = {"norm": "l1", "value": repr(noise.sensitivity)}
    output["noise"] = {
        "distribution": noise.type,
        "scale": repr(noise.scale),
        "standard_deviation": repr(noise.standard_deviation),
    }
    output["event"] = noise.to_json()
    return output, noise


def faults(output: dict[str, Any], *, integers: int = 1) -> list[tuple[str, str]]:
    return list(event_faults(output, neighbours=RELATION, integers=integers))


def test_without_a_choice_there_is_no_fault() -> None:
    assert faults(mean_of_a_feature()[0]) == []


def test_a_choice_that_no_mechanism_made_is_a_fault_before_or_after_the_noise() -> None:
    output, noise = mean_of_a_feature()
    for events in ((CHOICE, noise), (noise, CHOICE), (CHOICE, noise, CHOICE)):
        output["event"] = Composed(events).to_json()
        assert faults(output) == FAULT


def test_a_choice_among_disjoint_people_is_one_too() -> None:
    output, noise = mean_of_a_feature()
    output["event"] = Disjoint((noise, CHOICE)).to_json()
    assert FAULT[0] in faults(output)


def test_a_choice_instead_of_the_noise_is_no_noise() -> None:
    output, _ = mean_of_a_feature()
    output["event"] = CHOICE.to_json()
    assert [code for code, _ in faults(output)] == ["noise"]
    bare = {**output, "noise": None, "sensitivity": None}
    assert FAULT[0] in faults(bare, integers=0)


# --- the schema


def fits(event: dict[str, Any]) -> bool:
    schema = {"$ref": "#/$defs/event", "$defs": SCHEMA["$defs"]}
    return bool(jsonschema.Draft202012Validator(schema).is_valid(event))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 1 / 3, 1e-7, 5e-324, 1e300])
def test_the_schema_takes_a_choice_alone_or_with_others(epsilon: float) -> None:
    _, noise = mean_of_a_feature()
    choice = PrivateChoice(epsilon, 12)
    events: list[Event] = [choice, Composed((choice, noise)), Disjoint((noise, choice))]
    assert all(fits(event.to_json()) for event in events)


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 0.5},
        {"epsilon": "-0.5"},
        {"epsilon": "nan"},
        {"epsilon": "inf"},
        {"epsilon": "0.5\n"},
        {"candidates": 0},
        {"candidates": 2.5},
        {"candidates": "7"},
        {"candidates": True},
        {"chosen": 3},
        {"utilities": [1, 2]},
        {"type": "private_choice"},
    ],
    ids=str,
)
def test_the_schema_takes_no_other_form_of_a_choice(change: dict[str, Any]) -> None:
    assert fits(CHOICE.to_json())
    assert not fits({**CHOICE.to_json(), **change})


@pytest.mark.parametrize("name", ["type", "epsilon", "candidates"])
def test_the_schema_takes_no_choice_without_all_its_fields(name: str) -> None:
    form = copy.deepcopy(CHOICE.to_json())
    del form[name]
    assert not fits(form)
