"""Schemas whose items' references are looked up once demand the same of every list."""

import json

import pytest
from jsonschema import Draft202012Validator

from synthrelease import schemas

NEAR = {"near": {"pattern": "b$", "$ref": "#/$defs/far"}}
OBJECT = {"properties": {"a": {}}, "additionalProperties": False}


@pytest.mark.parametrize(
    ("defs", "is_inlined"),
    [
        ({"near": {"type": "string", "pattern": "b$"}}, True),
        ({**NEAR, "far": {"minLength": 2, "description": "two"}}, True),
        ({**NEAR, "far": {"pattern": "^a"}}, False),
        ({"near": {"properties": {"b": {}}, "$ref": "#/$defs/far"}, "far": OBJECT}, False),
        (
            {
                "near": {"minLength": 2, "$ref": "#/$defs/far"},
                "far": {"anyOf": [{"$ref": "#/$defs/end"}]},
                "end": {"pattern": "b$"},
            },
            False,
        ),
    ],
)
def test_inlined_items_demand_the_same(defs, is_inlined):
    whole = {"$defs": defs, "items": {"type": "array", "items": {"$ref": "#/$defs/near"}}}
    inlined = schemas._with_items_inlined(whole)
    assert ("$ref" not in inlined["items"]["items"]) == is_inlined
    for value in ("ab", "b", "a", "", "aa", 1, {}, {"a": 1}, {"b": 1}, {"a": 1, "b": 1}):
        expected = Draft202012Validator(whole).is_valid([[value]])
        assert Draft202012Validator(inlined).is_valid([[value]]) == expected, value


def test_names_of_manifests_are_looked_up_once():
    texts = schemas._with_items_inlined(schemas.schema("texts-v1"))
    assert texts["$defs"]["lines"]["items"].keys() == {
        "type",
        "minLength",
        "maxLength",
        "pattern",
        "description",
    }


@pytest.mark.parametrize("name", ["manifest-v1", "plan-v1", "policy-v1"])
def test_shipped_schemas_are_not_changed_by_it(name):
    before = json.dumps(schemas.schema(name))
    schemas.validator(name)
    assert json.dumps(schemas.schema(name)) == before
