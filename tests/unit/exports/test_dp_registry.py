"""A draft for the registry of deployments has all that a manifest can answer, and lacks what only the curator knows."""

import json
from pathlib import Path

import pytest
from catalogued import folder_of, numbers_in, numbers_of
from jsonschema import Draft202012Validator
from layouts import NAMES, layout

from synthrelease.exports.dp_registry import REQUIRED, blanks, dp_registry
from synthrelease.exports.yaml_text import as_yaml

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas" / "dp-registry-v1.schema.json").read_text())


def faults(record):
    validator = Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return sorted(error.message for error in validator.iter_errors(record))


def record_of(manifest):
    return dp_registry(manifest, sha256="ab" * 32)


def missing(*names):
    return sorted(f"'{name}' is a required property" for name in names)


def manifest_of(kind, /, **release):
    manifest = json.loads(json.dumps(layout(kind).manifest))
    manifest["release"] |= release
    return manifest


def completed(record):
    deployment = record["deployment"]
    deployment["basic"] |= {
        "intended_use": "Research.",
        "data_product_region": "Europe",
        "data_curators": [{"data_curator_name": "A", "data_curator_type": "Nonprofit"}],
    }
    deployment["administrative"]["registry_authors"] = ["A"]
    return record


@pytest.mark.parametrize("name", NAMES)
def test_a_draft_lacks_what_the_curator_knows_and_nothing_else(name):
    record = record_of(manifest_of(name))
    asked = [path.rpartition("/")[2] for path in REQUIRED]
    assert faults(record) == missing("data_curators", *asked)
    assert faults(completed(record)) == []
    assert faults(record_of(manifest_of(name, contact="A"))) == missing("data_curator_type", *asked)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_the_composed_guarantee(name):
    manifest = manifest_of(name)
    deployment = record_of(manifest)["deployment"]
    assert deployment["privacy_loss"]["privacy_parameters"] == numbers_of(manifest["privacy"]["guarantee"])
    pure = manifest["privacy"]["guarantee"]["kind"] == "pure_dp"
    assert deployment["dp_variant"]["variant_name"] == ("Pure DP" if pure else "Approximate DP")
    assert deployment["privacy_loss"].get("number_of_privacy_units") == manifest["privacy"]["people"]


@pytest.mark.parametrize("name", NAMES)
def test_mechanisms_noise_and_sensitivity_are_those_of_the_manifest(name):
    manifest = manifest_of(name)
    told = record_of(manifest)["deployment"]["implementation"]["mechanisms"]
    assert told.count("drawn exactly") == sum(output["noise"] is not None for output in manifest["outputs"])
    for output in manifest["outputs"]:
        line = next(
            one for one in told.split("\n") if one.startswith(f"- {output['name']}: {output['kind']} by ")
        )
        choices = json.dumps(output["event"]).count('"type": "exponential"')
        assert f"{choices} private choice" in line if choices else "private choice" not in line
        if output["noise"] is None:
            assert "no noise of integers" in line
            assert "drawn exactly" not in line
        else:
            assert f"noise of scale {output['noise']['scale']} steps" in line
            assert (
                f"{output['sensitivity']['norm'].upper()} sensitivity is {output['sensitivity']['value']} steps"
                in line
            )


@pytest.mark.parametrize(
    ("name", "product"),
    [("maps", "Summary statistics"), ("records", "Synthetic data"), ("each", "Dataset"), ("areas", "Summary statistics")],
)  # fmt: skip
def test_what_kind_of_product_it_is(name, product):
    assert record_of(manifest_of(name))["deployment"]["basic"]["data_product_type"] == product


@pytest.mark.parametrize(
    "release", [{}, {"contact": "Ü: - # {a}", "title": "yes", "license": "🙂 'x' \ufffe"}]
)
@pytest.mark.parametrize("name", NAMES)
def test_the_file_says_the_same(name, release):
    folder_of("yaml")
    import yaml

    record = record_of(manifest_of(name, **release))
    text = as_yaml(record, blanks=blanks(record))
    assert yaml.safe_load(text) == record
    comments = [line.strip(" -#") for line in text.split("\n") if line.strip().startswith("#")]
    assert sorted(comments) == sorted(
        f"{path.rpartition('/')[2]}: {told}" for path, told in blanks(record).items()
    )
    lacking = {message.split("'")[1] for message in faults(record)}
    assert lacking == {comment.split(":")[0] for comment in comments if ": to be completed" in comment}


@pytest.mark.parametrize("name", ["series", "each"])
def test_what_protects_less_than_a_person_is_called_so(name):
    manifest = manifest_of(name)
    told = record_of(manifest)["deployment"]["privacy_loss"]["privacy_parameters_details"].split("\n")
    for output in manifest["outputs"]:
        lines = [
            one
            for one in told
            if one.startswith(f"- {output['name']}, where nothing of a person changes but one ")
        ]
        assert [numbers_in(one) for one in lines] == [numbers_of(less) for less in output["narrower_units"]]
        assert all(one.endswith("That protects no person.") for one in lines)
    assert any(output["narrower_units"] for output in manifest["outputs"])


def test_the_address_is_made_of_name_version_and_year():
    record = record_of(manifest_of("maps", name="Gaze & Pupils", version="1.0.0+b", date="2026-01-02"))
    assert record["url_slug"] == "gaze-pupils-1-0-0-b-2026"
