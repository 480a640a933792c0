"""A draft for the registry of deployments has all that a manifest can answer, and lacks what only the curator knows."""

import json
from pathlib import Path

import pytest
import yaml
from catalogued import numbers_in, numbers_of
from goldens import figures
from jsonschema import Draft202012Validator
from layouts import NAMES, layout

from synthrelease.exports import guarantee_text
from synthrelease.exports.dp_registry import dp_registry
from synthrelease.kinds.registry import parameters_of

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas" / "dp-registry-v1.schema.json").read_text())


def faults(record):
    """The properties that the registry's schema requires and a record lacks, and the places of its other faults."""
    validator = Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)
    found = set()
    for error in validator.iter_errors(record):
        lacking = error.validator == "required"
        found |= set(error.validator_value) - set(error.instance) if lacking else {error.json_path}
    return found


REQUIRED = {"intended_use", "data_product_region", "registry_authors"}
WELCOME = {"data_product_sector", "actors", "justification", "utility", "evidence_sources"}


def record_of(manifest):
    return yaml.safe_load(dp_registry(manifest, sha256="ab" * 32))


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
    assert faults(record) == {"data_curators", *REQUIRED}
    assert faults(completed(record)) == set()
    assert faults(record_of(manifest_of(name, contact="A"))) == {"data_curator_type", *REQUIRED}


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
    told = record_of(manifest)["deployment"]["implementation"]["mechanisms"].split("\n")
    for output in manifest["outputs"]:
        (line,) = [one for one in told if one.startswith(f"- {output['name']}: {output['kind']} ")]
        noise, reach = output["noise"], output["sensitivity"]
        choices = json.dumps(output["event"]).count('"type": "exponential"')
        expected = [choices] if choices else []
        if noise is not None:
            expected += [float(noise["scale"]), float(reach["value"])]
            assert noise["distribution"].replace("_", " ") in line
            assert reach["norm"].upper() in line
            # The sentence, as a manifest states a code with fields: derivation["code"] in its place would be no sentence.
            derivation = parameters_of(output).sentence(reach["derivation"])
            assert line.endswith(derivation)
            line = line.removesuffix(derivation)
        assert figures(line) == expected


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
def test_texts_of_a_plan_do_not_break_the_file_and_comments_name_what_it_lacks(name, release):
    manifest = manifest_of(name, **release)
    record = record_of(manifest)
    basic = record["deployment"]["basic"]
    assert basic["name"] == guarantee_text.title(manifest)
    additional = record["deployment"]["implementation"]["additional_information"]
    assert manifest["release"].get("license", "") in additional
    curator = "data_curators"
    if "contact" in release:
        assert basic["data_curators"] == [{"data_curator_name": release["contact"]}]
        curator = "data_curator_type"
    lines = [line.strip() for line in dp_registry(manifest, sha256="ab" * 32).split("\n")]
    comments = {line.removeprefix("# ").partition(":")[0] for line in lines if line.startswith("#")}
    assert comments == {curator, *REQUIRED, *WELCOME}
    assert faults(record) == comments - WELCOME


@pytest.mark.parametrize("name", ["series", "each"])
def test_what_protects_less_than_a_person_is_called_so(name):
    manifest = manifest_of(name)
    told = record_of(manifest)["deployment"]["privacy_loss"]["privacy_parameters_details"].split("\n")
    for output in manifest["outputs"]:
        lines = [one for one in told if one.startswith(f"- {output['name']}, ")]
        assert [numbers_in(one) for one in lines] == [numbers_of(less) for less in output["narrower_units"]]
        assert all(less["unit"] in one for one, less in zip(lines, output["narrower_units"], strict=True))
    assert {f"- {one}" for one in guarantee_text.event_level_guarantees(manifest)} <= set(told)
    assert any(output["narrower_units"] for output in manifest["outputs"])


def test_the_address_is_made_of_name_version_and_year():
    record = record_of(manifest_of("maps", name="Gaze & Pupils", version="1.0.0+b", date="2026-01-02"))
    assert record["url_slug"] == "gaze-pupils-1-0-0-b-2026"
