"""A release as DataCite describes it, in the JSON form of its metadata schema 4: what a DOI is registered with.

What the schema is: https://schema.datacite.org. What is unavailable, or not known yet, has a standard value of its
appendix; identifiers and relations to other works are left out.
"""

from __future__ import annotations

from typing import Any

from synthrelease.exports import guarantee_text
from synthrelease.exports.licence import SPDX, address, identifier
from synthrelease.exports.table_files import write_manifest
from synthrelease.exports.task import ExportTask

UNAVAILABLE = ":unav"  # "value unavailable, possibly unknown"
LATER = ":tba"  # "to be assigned or announced later"


def write(task: ExportTask) -> list[str]:
    """Write `datacite.json`, and the manifest that it follows from."""
    document = datacite(task.manifest, size=task.bundle.path.stat().st_size, sha256=task.bundle_digest)
    task.write_json("datacite.json", document)
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
    optional: dict[str, Any] = {}
    if contact is not None:
        optional["contributors"] = [{"name": contact, "contributorType": "ContactPerson"}]
    if "license" in release:
        optional["rightsList"] = [_rights(release["license"])]
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
        **optional,
        "formats": ["application/x-hdf5"],
        "sizes": [f"{size} bytes"],
    }


def _descriptions(manifest: dict[str, Any], sha256: str) -> list[dict[str, str]]:
    sentences_by_kind = {
        "Abstract": [*guarantee_text.abstract(manifest), guarantee_text.release_guarantee(manifest)],
        "Methods": [*guarantee_text.procedures(manifest), *guarantee_text.post_processing(manifest)],
        "TechnicalInfo": [
            *guarantee_text.guarantees(manifest),
            guarantee_text.ledger_sentence(manifest),
            guarantee_text.how_to_verify(sha256),
        ],
        "Other": [
            *guarantee_text.test_seed_warning(manifest),
            *(f"Not protected: {fact}." for fact in guarantee_text.not_protected(manifest)),
            *(
                f"Mind: {sentence}"
                for sentence in (*guarantee_text.biases(manifest), *guarantee_text.warnings(manifest))
            ),
        ],
    }
    return [
        {"description": "\n".join(sentences), "descriptionType": kind, "lang": "en"}
        for kind, sentences in sentences_by_kind.items()
    ]


def _rights(licence: str) -> dict[str, str]:
    spdx = identifier(licence)
    if spdx is None:
        return {"rights": licence}
    return {
        "rights": licence,
        "rightsUri": address(licence),
        "rightsIdentifier": spdx,
        "rightsIdentifierScheme": "SPDX",
        "schemeUri": SPDX,
    }
