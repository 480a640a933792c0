"""What DataCite is told, and that its own schema accepts it."""

import json

import pytest
from catalogued import datacite_faults
from layouts import NAMES, layout

from synthrelease.exports.datacite import datacite

DIGEST = "ab" * 32
LICENCE = "Ask us first"


def told(**release):
    manifest = json.loads(json.dumps(layout("maps").manifest))
    manifest["release"] |= release
    return datacite(manifest, size=123, sha256=DIGEST)


@pytest.mark.parametrize("name", NAMES)
def test_its_schema_accepts_releases_of_every_kind(name):
    assert datacite_faults(datacite(layout(name).manifest, size=1, sha256=DIGEST)) == []


def test_its_schema_accepts_what_else_may_be_known():
    assert datacite_faults(told(license="CC0-1.0", contact="data@example.org")) == []
    assert datacite_faults(told(license=LICENCE)) == []


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"publicationYear": 2026}, "$.publicationYear"),
        ({"types": {"resourceTypeGeneral": "Data"}}, "$.types.resourceTypeGeneral"),
        ({"creators": []}, "$.creators"),
        ({"rightsList": [{"rightsURI": "x"}]}, "$.rightsList[0]"),
    ],
)
def test_its_schema_refuses_what_is_wrong(wrong, place):
    assert place in datacite_faults(told() | wrong)


def test_what_no_one_told_is_marked_so():
    document = told()
    assert document["creators"] == [{"name": ":unav"}]
    assert document["publisher"] == {"name": ":tba"}
    assert not {"contributors", "rightsList", "relatedIdentifiers", "doi", "url"} & set(document)


def test_what_the_plan_says_is_passed_on():
    document = told(license="CC-BY-4.0", contact="data@example.org", date="2026-03-04")
    assert document["titles"] == [{"title": layout("maps").manifest["release"]["title"]}]
    assert document["creators"] == [{"name": "data@example.org"}]
    assert document["contributors"] == [{"name": "data@example.org", "contributorType": "ContactPerson"}]
    assert document["publicationYear"] == "2026"
    assert document["dates"] == [{"date": "2026-03-04", "dateType": "Created"}]
    assert document["rightsList"][0]["rightsIdentifier"] == "CC-BY-4.0"
    assert document["rightsList"][0]["rightsUri"] == "https://spdx.org/licenses/CC-BY-4.0"
    assert (document["formats"], document["sizes"]) == (["application/x-hdf5"], ["123 bytes"])
    assert told(license=LICENCE)["rightsList"] == [{"rights": LICENCE}]
