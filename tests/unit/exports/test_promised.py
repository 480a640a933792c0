"""Catalogues promise what the manifest does, to the last digit, and name what is not protected."""

import copy
import json

import pytest
from catalogued import numbers_in, numbers_of, texts_of
from layouts import GOLDEN, NAMES, layout

from synthrelease.bundle import open_bundle
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.errors import PolicyError
from synthrelease.exports import promised
from synthrelease.exports.croissant import croissant
from synthrelease.exports.datacite import datacite
from synthrelease.exports.dp_registry import dp_registry

DOCUMENTS = {
    "croissant": lambda manifest: croissant(manifest, [], []),
    "datacite": lambda manifest: datacite(manifest, size=1, sha256="ab" * 32),
    "dp-registry": lambda manifest: dp_registry(manifest, sha256="ab" * 32),
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


def only(found):
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize("name", NAMES)
def test_guarantees_are_those_of_the_manifest(name, form):
    manifest = layout(name).manifest
    told = sentences(form, manifest)
    covered = manifest["privacy"]["composition"]["outputs"]
    whole = only([one for one in told if one.startswith(("The whole release", "Of this release only "))])
    assert numbers_in(whole) == numbers_of(manifest["privacy"]["guarantee"])
    assert (
        f"for each person ({'pure' if 'delta' not in numbers_in(whole) else 'approximate'} differential"
        in whole
    )
    assert whole.startswith("The whole") == (len(covered) == len(manifest["outputs"]))
    for output in manifest["outputs"]:
        alone = only([one for one in told if one.startswith(f"{output['name']} by itself: ")])
        assert numbers_in(alone) == numbers_of(output["guarantee"])
        assert ("not differentially private" in alone) == (output["name"] not in covered)
        listed = [one for one in told if f"output {output['name']}: not differentially private" in one]
        assert len(listed) == (output["name"] not in covered)
        assert all(numbers_in(one) == numbers_of(output["guarantee"]) for one in listed)
    for entry in manifest["privacy"]["not_protected"]:
        assert any(f"{entry['what']}: " in one for one in told), entry["what"]


@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize("name", NAMES)
def test_no_other_epsilon_is_told(name, form):
    manifest = layout(name).manifest
    known = [manifest["privacy"]["guarantee"], *(output["guarantee"] for output in manifest["outputs"])]
    known += [less for output in manifest["outputs"] for less in output["narrower_units"]]
    values = {one["epsilon"] for one in known if "epsilon" in one}
    values |= {value for key, value in (manifest["ledger"] or {}).items() if key.startswith("spent_")}
    of_manifest = set(texts_of(manifest))
    for text in texts_of(DOCUMENTS[form](manifest)):
        if not any(text.removeprefix("- ").removeprefix("Mind: ") == one for one in of_manifest):
            for part in text.split(";"):
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
def test_repeatable_noise_is_told_before_every_promise(form):
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
    assert not any("Somebody guesses which." in text for text in texts_of(document))
    real = DOCUMENTS[form](layout("moods").manifest)
    assert TEST_SEED_WORDS not in json.dumps(real)
    assert any("Somebody guesses which." in text for text in texts_of(real))


@pytest.mark.parametrize("form", DOCUMENTS)
def test_a_private_number_of_people_is_not_told(form):
    manifest = layout("moods").manifest
    text = json.dumps(DOCUMENTS[form](manifest), ensure_ascii=False)
    assert manifest["privacy"]["people"] is None
    assert "How many people there are is private." in text
    assert "number_of_privacy_units" not in text
    assert "null people" not in text
    assert "None people" not in text


def unprotected():
    manifest = copy.deepcopy(layout("records").manifest)
    manifest["outputs"] = [one for one in manifest["outputs"] if one["name"] == "exact"]
    manifest["privacy"]["composition"] = {"method": "nothing", "outputs": []}
    manifest["privacy"]["guarantee"] = {
        "kind": "none", "unit": "person", "neighbours": "replace-one", "reason": "nothing is differentially private",
    }  # fmt: skip
    entries = manifest["privacy"]["not_protected"]
    manifest["privacy"]["not_protected"] = [one for one in entries if one["what"] != "output kept"]
    return manifest


def test_a_release_without_differential_privacy_says_so_and_has_no_place_in_its_registry():
    manifest = unprotected()
    for form in ("croissant", "datacite"):
        document = DOCUMENTS[form](manifest)
        assert "Nothing in this release is differentially private." in json.dumps(document)
        subjects = document.get("keywords") or [one["subject"] for one in document["subjects"]]
        assert "differential privacy" not in subjects
        assert "plausible deniability" in subjects
    with pytest.raises(PolicyError, match="nothing in this release is differentially private"):
        DOCUMENTS["dp-registry"](manifest)


@pytest.mark.parametrize(
    ("guarantee", "told"),
    [
        ({"kind": "zcdp", "rho": 0.1234567890123}, "ρ = 0.1234567890123 for each person (zero-concentrated"),
        ({"kind": "gaussian_dp", "mu": 1e-7}, "μ = 1e-07 for each person (Gaussian differential privacy, "),
        ({"kind": "approx_dp", "epsilon": 2.0000004, "delta": 1.5e-9}, "ε = 2.0000004, δ = 1.5e-09 for each"),
        (
            {"kind": "plausible_deniability", "k": 8, "gamma": 4.0, "counted": "record", "vacuous": True},
            "plausible deniability with k = 8, γ = 4.0, each a record: a criterion, not differential privacy; it cannot fail",
        ),
    ],
)
def test_numbers_are_told_to_the_last_digit(guarantee, told):
    text = promised.exactly({"unit": "person", "neighbours": "replace-one", **guarantee})
    assert text.startswith(told)


def test_biases_name_what_draws_values_away():
    told = {
        name: promised.biases(layout(name).manifest) for name in ("maps", "records", "series", "statistics")
    }
    assert any(one.startswith("still: ") and "centre bias of photographs" in one for one in told["maps"])
    assert not any(one.startswith("pixels: ") and "centre bias" in one for one in told["maps"])
    without = copy.deepcopy(layout("maps").manifest)
    without["outputs"][0]["mechanism"]["parameters"]["prior"] = "none"
    assert not any(one.startswith("still: ") and "centre bias" in one for one in promised.biases(without))
    assert "pixels: at most 1 look of one person count in a cell." in told["maps"]
    assert any(one.startswith("kept: synthetic records are not people") for one in told["records"])
    assert any("drawn one by one" in one for one in told["records"] if one.startswith("exact: "))
    assert "course: series are cut or completed to 24 steps." in told["series"]
    assert any("public bounds" in one for one in told["statistics"])
