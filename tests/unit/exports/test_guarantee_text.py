"""Catalogues guarantee what the manifest does, to the last digit, and name what is not protected."""

import copy
import json
import re

import pytest
import yaml
from catalogued import numbers_in, numbers_of, texts_of
from goldens import check_text
from layouts import GOLDEN, NAMES, layout
from refusals import refused

from synthrelease.bundle import open_bundle
from synthrelease.bundle.disclosure import output_sentences, unprotected_facts, warning_sentence
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.errors import PolicyError
from synthrelease.exports import guarantee_text
from synthrelease.exports.croissant import croissant
from synthrelease.exports.datacite import datacite
from synthrelease.exports.dp_registry import dp_registry
from synthrelease.reports.guarantee_words import guarantee_words

DOCUMENTS = {
    "croissant": lambda manifest: croissant(manifest, [], []),
    "datacite": lambda manifest: datacite(manifest, size=1, sha256="ab" * 32),
    "dp-registry": lambda manifest: yaml.safe_load(dp_registry(manifest, sha256="ab" * 32)),
}


def sentences(form, manifest):
    document = DOCUMENTS[form](manifest)
    if form == "croissant":
        return document["rai:personalSensitiveInformation"]
    if form == "datacite":
        told = {one["descriptionType"]: one["description"] for one in document["descriptions"]}
        return (told["TechnicalInfo"] + "\n" + told["Other"]).split("\n")
    deployment = document["deployment"]
    told = deployment["privacy_loss"]["privacy_parameters_details"].split("\n")
    told += deployment["dp_variant"]["unprotected_quantities"].split("\n")
    return [one.removeprefix("- ") for one in told]


def called_in(text, names):
    return [name for name in names if re.search(rf"\b{name}\b", text)]


@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize("name", NAMES)
def test_guarantees_are_those_of_the_manifest(name, form):
    manifest = layout(name).manifest
    told = sentences(form, manifest)
    outputs = [output["name"] for output in manifest["outputs"]]
    covered = manifest["privacy"]["composition"]["outputs"]
    whole = guarantee_text.release_guarantee(manifest)
    assert told.count(whole) == 1
    assert numbers_in(whole) == numbers_of(manifest["privacy"]["guarantee"])
    assert guarantee_text.exact_guarantee(manifest["privacy"]["guarantee"]) in whole
    assert called_in(whole, outputs) == (covered if len(covered) < len(outputs) else [])
    for output in manifest["outputs"]:
        alone = guarantee_text.output_guarantee(manifest, output)
        assert told.count(alone) == 1
        assert alone.startswith(output["name"])
        assert numbers_in(alone) == numbers_of(output["guarantee"])
        listed = [one for one in told if f"output {output['name']}: " in one]
        assert len(listed) == (output["name"] not in covered)
        assert all(guarantee_text.exact_guarantee(output["guarantee"]) in one for one in listed)
        assert all(numbers_in(one) == numbers_of(output["guarantee"]) for one in listed)
    facts = unprotected_facts(manifest)
    assert len(facts) == len(manifest["privacy"]["not_protected"])
    for what, _ in facts:
        assert any(f"{what}: " in one for one in told), what


def test_more_is_said_of_an_output_that_is_not_differentially_private():
    manifest = copy.deepcopy(layout("moods").manifest)
    (output,) = manifest["outputs"]
    covered = guarantee_text.output_guarantee(manifest, output)
    manifest["privacy"]["composition"]["outputs"] = []
    assert len(guarantee_text.output_guarantee(manifest, output)) > len(covered)


def sentences_of(manifest):
    """Everything that the manifest states in codes, in sentences."""
    for output in manifest["outputs"]:
        done, warnings = output_sentences(output)
        yield from (*done, *warnings)
    yield from map(warning_sentence, manifest["warnings"])
    yield from (reason for _, reason in unprotected_facts(manifest))
    yield from texts_of(manifest)


@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize("name", NAMES)
def test_no_other_epsilon_is_told(name, form):
    manifest = layout(name).manifest
    known = [manifest["privacy"]["guarantee"], *(output["guarantee"] for output in manifest["outputs"])]
    known += [less for output in manifest["outputs"] for less in output["narrower_units"]]
    values = {one["epsilon"] for one in known if "epsilon" in one}
    values |= {value for key, value in (manifest["ledger"] or {}).items() if key.startswith("spent_")}
    quoted = [one for one in sentences_of(manifest) if "ε = " in one]
    for text in texts_of(DOCUMENTS[form](manifest)):
        own = text
        for one in quoted:
            own = own.removesuffix(one)
        for part in own.split(";"):
            told = [float(one.split()[0].strip(".,;")) for one in part.split("ε = ")[1:]]
            assert set(told) <= values, text


@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize("name", NAMES)
def test_documents_are_strict_and_the_same_each_time(name, form):
    manifest = layout(name).manifest
    before = copy.deepcopy(manifest)
    text = json.dumps(DOCUMENTS[form](manifest), allow_nan=False)
    assert text == json.dumps(DOCUMENTS[form](json.loads(json.dumps(manifest))), allow_nan=False)
    assert manifest == before


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_bundles_of_before_have_documents(path):
    manifest = open_bundle(path, allow_test_seed=True).manifest
    for form, document in DOCUMENTS.items():
        if form != "dp-registry" or manifest["privacy"]["composition"]["outputs"]:
            assert manifest["release"]["title"] in json.dumps(
                document(manifest), allow_nan=False, ensure_ascii=False
            )


@pytest.mark.parametrize("form", DOCUMENTS)
def test_repeatable_noise_is_told_before_every_guarantee(form):
    manifest = layout("areas").manifest
    document = DOCUMENTS[form](manifest)
    named = {
        "croissant": lambda: (document["name"], document["description"], document["rai:personalSensitiveInformation"][0]),
        "datacite": lambda: (document["titles"][0]["title"], *(d["description"] for d in document["descriptions"] if d["descriptionType"] != "Methods")),
        "dp-registry": lambda: (
            document["deployment"]["basic"]["name"],
            document["deployment"]["basic"]["description"],
            document["deployment"]["privacy_loss"]["privacy_parameters_details"],
        ),
    }[form]()  # fmt: skip
    assert all(text.removeprefix("- ").startswith(TEST_SEED_WORDS) for text in named)
    assert not meaning(manifest) & set(sentences(form, manifest))
    real = layout("moods").manifest
    assert TEST_SEED_WORDS not in json.dumps(DOCUMENTS[form](real))
    assert meaning(real) <= set(sentences(form, real))


def meaning(manifest):
    """What a guarantee means, as long as it holds."""
    guarantee = guarantee_words(manifest)
    return {guarantee.statement, *guarantee.sentences}


@pytest.mark.parametrize("form", DOCUMENTS)
def test_a_private_number_of_people_is_not_told(form):
    manifest, other = layout("moods").manifest, layout("maps").manifest
    texts = texts_of(DOCUMENTS[form](manifest))
    assert manifest["privacy"]["people"] is None
    assert guarantee_text.neighbouring_relation(manifest) != guarantee_text.neighbouring_relation(other)
    assert any(guarantee_text.neighbouring_relation(manifest) in text for text in texts)
    assert not any(guarantee_text.neighbouring_relation(other) in text for text in texts)
    assert "number_of_privacy_units" not in json.dumps(DOCUMENTS[form](manifest))
    assert not [text for text in texts if re.search(r"\b(null|None)\b", text)]


def unprotected():
    manifest = copy.deepcopy(layout("records").manifest)
    manifest["outputs"] = [one for one in manifest["outputs"] if one["name"] == "exact"]
    manifest["privacy"]["composition"] = {"method": "nothing", "outputs": []}
    manifest["privacy"]["guarantee"] = {
        "kind": "none", "unit": "person", "neighbours": "replace-one", "reason": "nothing is differentially private",
    }  # fmt: skip
    entries = manifest["privacy"]["not_protected"]
    gone = {"code": "output", "fields": {"output": "kept"}}
    assert gone in entries
    manifest["privacy"]["not_protected"] = [one for one in entries if one != gone]
    return manifest


def test_a_release_without_differential_privacy_says_so_and_has_no_place_in_its_registry():
    manifest = unprotected()
    for form in ("croissant", "datacite"):
        document = DOCUMENTS[form](manifest)
        whole = guarantee_text.release_guarantee(manifest)
        assert sentences(form, manifest).count(whole) == 1
        assert whole != guarantee_text.release_guarantee(layout("records").manifest)
        assert numbers_in(whole) == {}
        assert not meaning(layout("records").manifest) & set(texts_of(document))
        subjects = document.get("keywords") or [one["subject"] for one in document["subjects"]]
        assert "differential privacy" not in subjects  # not a sentence: a keyword
        assert "plausible deniability" in subjects  # not a sentence: a keyword
    with refused(PolicyError, "nothing-private"):
        DOCUMENTS["dp-registry"](manifest)


EXACT = (
    {"kind": "pure_dp", "epsilon": 1.0000000000000002},
    {"kind": "approx_dp", "epsilon": 2.0000004, "delta": 1.5e-9},
    {"kind": "plausible_deniability", "k": 8, "gamma": 4.0, "counted": "record", "vacuous": True},
    {"kind": "plausible_deniability", "k": 8, "gamma": 4.0, "counted": "person", "vacuous": False},
    {"kind": "none", "reason": "of the test seed"},
)


def test_numbers_are_told_to_the_last_digit():
    told = [
        guarantee_text.exact_guarantee({"unit": "person", "neighbours": "replace-one", **one})
        for one in EXACT
    ]
    for text, guarantee in zip(told, EXACT, strict=True):
        assert numbers_in(text) == numbers_of(guarantee)
    check_text("catalogues/guarantees", "\n".join(told))


def test_biases_name_what_draws_values_away():
    names = ("maps", "records", "series", "statistics")
    told = {name: guarantee_text.biases(layout(name).manifest) for name in names}
    check_text("catalogues/biases", "\n".join(line for lines in told.values() for line in lines))
    without = copy.deepcopy(layout("maps").manifest)
    assert without["outputs"][0]["name"] == "still"
    without["outputs"][0]["mechanism"]["parameters"]["prior"] = "none"
    (gone,) = set(told["maps"]) - set(guarantee_text.biases(without))
    assert gone.startswith("still: ")
