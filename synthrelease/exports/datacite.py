"""A release as DataCite describes it, in the JSON form of its metadata schema 4: what a DOI is registered with.

What the schema is: https://schema.datacite.org. What nobody told, or nobody knows yet, has a standard value of its appendix; identifiers and
relations to other works are left out.
"""

from __future__ import annotations

from typing import Any

from synthrelease.exports import guarantee_text
from synthrelease.exports.licence import SPDX, address, identifier
from synthrelease.exports.task import ExportTask, json_bytes
from synthrelease.exports.written import write_manifest

UNAVAILABLE = ":unav"  # "value unavailable, possibly unknown"
LATER = ":tba"  # "to be assigned or announced later"


def write(task: ExportTask) -> list[str]:
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
        "titles": [{"title": guarantee_text.title(manifest)}],
        "creators": [{"name": UNAVAILABLE if contact is None else contact}],
        "publisher": {"name": LATER},  # the archive
        "publicationYear": release["date"][:4],
        "dates": [{"date": release["date"], "dateType": "Created"}],
        "version": release["version"],
        "subjects": [{"subject": word, "lang": "en"} for word in guarantee_text.keywords(manifest)],
        "descriptions": _descriptions(manifest, sha256),
        **known,
        "formats": ["application/x-hdf5"],
        "sizes": [f"{size} bytes"],
    }


def _descriptions(manifest: dict[str, Any], sha256: str) -> list[dict[str, str]]:
    told = {
        "Abstract": [*guarantee_text.abstract(manifest), guarantee_text.together(manifest)],
        "Methods": [*guarantee_text.making(manifest), *guarantee_text.post_processing(manifest)],
        "TechnicalInfo": [
            *guarantee_text.guarantees(manifest),
            guarantee_text.spending(manifest),
            guarantee_text.recomputed(sha256),
        ],
        "Other": [
            *guarantee_text.warned(manifest),
            *(f"Not protected: {one}." for one in guarantee_text.not_protected(manifest)),
            *(
                f"Mind: {one}"
                for one in (*guarantee_text.biases(manifest), *guarantee_text.warnings(manifest))
            ),
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
