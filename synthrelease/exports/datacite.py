"""A release as DataCite describes it, in the JSON form of its metadata schema 4: what a DOI is registered with.

What the schema is: https://schema.datacite.org. What nobody told, or nobody knows yet, has a standard value of its appendix; identifiers and
relations to other works are left out.
"""

from __future__ import annotations

from typing import Any

from synthrelease.exports import promised
from synthrelease.exports.licence import SPDX, address, identifier
from synthrelease.exports.task import Task, json_bytes
from synthrelease.exports.written import write_manifest

UNAVAILABLE = ":unav"  # "value unavailable, possibly unknown"
LATER = ":tba"  # "to be assigned or announced later"


def write(task: Task) -> list[str]:
    """Write `datacite.json`, and the manifest that it follows from."""
    document = datacite(task.manifest, size=task.bundle.path.stat().st_size, sha256=task.bundle_digest)
    (task.folder / "datacite.json").write_bytes(json_bytes(document))
    unknown = "publisher" if "contact" in task.manifest["release"] else "creators and publisher"
    return [
        *write_manifest(task),
        f"datacite.json does not know the {unknown}: complete it before a DOI is registered",
    ]


def datacite(manifest: dict[str, Any], *, size: int, sha256: str) -> dict[str, Any]:
    """Return the metadata of a bundle.

    Args:
        manifest: of a bundle that verifies.
        size: of the bundle, in bytes.
        sha256: of the bundle, in hexadecimal digits.
    """
    release = manifest["release"]
    contact = release.get("contact")
    known: dict[str, Any] = {}
    if contact is not None:
        known["contributors"] = [{"name": contact, "contributorType": "ContactPerson"}]
    if "license" in release:
        known["rightsList"] = [_rights(release["license"])]
    return {
        "schemaVersion": "http://datacite.org/schema/kernel-4",
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Release made from private data"},
        "titles": [{"title": promised.title(manifest)}],
        "creators": [{"name": UNAVAILABLE if contact is None else contact}],
        "publisher": {"name": LATER},  # the archive
        "publicationYear": release["date"][:4],
        "dates": [{"date": release["date"], "dateType": "Created"}],
        "version": release["version"],
        "subjects": [{"subject": word, "lang": "en"} for word in promised.keywords(manifest)],
        "descriptions": _descriptions(manifest, sha256),
        **known,
        "formats": ["application/x-hdf5"],
        "sizes": [f"{size} bytes"],
    }


def _descriptions(manifest: dict[str, Any], sha256: str) -> list[dict[str, str]]:
    told = {
        "Abstract": [*promised.abstract(manifest), promised.together(manifest)],
        "Methods": [*promised.making(manifest), *promised.post_processing(manifest)],
        "TechnicalInfo": [
            *promised.guarantees(manifest),
            promised.spending(manifest),
            promised.recomputed(sha256),
        ],
        "Other": [
            *promised.warned(manifest),
            *(f"Not protected: {one}." for one in promised.not_protected(manifest)),
            *(f"Mind: {one}" for one in (*promised.biases(manifest), *promised.warnings(manifest))),
        ],
    }
    return [
        {"description": "\n".join(sentences), "descriptionType": kind, "lang": "en"}
        for kind, sentences in told.items()
    ]


def _rights(licence: str) -> dict[str, str]:
    known = identifier(licence)
    if known is None:
        return {"rights": licence}
    return {
        "rights": licence,
        "rightsUri": address(licence),
        "rightsIdentifier": known,
        "rightsIdentifierScheme": "SPDX",
        "schemeUri": SPDX,
    }
