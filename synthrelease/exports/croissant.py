"""A release as MLCommons Croissant 1.1 describes it: JSON-LD over its CSV files, with the vocabulary of responsible AI 1.0.

What the format is: https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html and
https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html. Only terms that one of them has, or schema.org, are used.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from synthrelease.exports import guarantee_text
from synthrelease.exports.csv import write_csv
from synthrelease.exports.licence import address, identifier
from synthrelease.exports.table import Column, ExportTable
from synthrelease.exports.table_files import write_companions
from synthrelease.exports.task import MANIFEST, ExportTask
from synthrelease.number_words import participants

CONFORMS_TO = ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
_TERMS = (
    "annotation arrayShape citeAs column containedIn equivalentProperty excludes extract field fileProperty fileObject "
    "fileSet format includes isArray isLiveDataset jsonPath key md5 parentField path readLines recordSet references regex "
    "repeated replace samplingRate sdVersion separator source subField transform unArchive value"
)
# Appendix 1 of the specification, and the terms besides that its own data sets and validator have.
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    **{term: f"cr:{term}" for term in _TERMS.split()},
}
CONTENTS = "Tables in CSV (RFC 4180, UTF-8), and croissant.json, which describes them and their privacy guarantee for machine-learning tools."
_TYPES = {"number": "sc:Float", "integer": "sc:Integer", "string": "sc:Text"}
_MOST_LABELS = 12  # that a description lists


@dataclass(frozen=True)
class DescribedFile:
    """A file of an export."""

    name: str  # in the folder of the export
    media_type: str
    description: str  # in a sentence
    size: int  # in bytes
    sha256: str  # in hexadecimal digits


def write(task: ExportTask) -> list[str]:
    """Write every table as CSV, a README, the manifest, and `croissant.json`."""
    table_files = write_csv(task)
    warnings = write_companions(task, table_files, what=CONTENTS)
    files = [
        DescribedFile(file.path.as_posix(), "text/csv", f"{file.table.title}.", file.size, file.digest)
        for file in table_files
    ]
    metadata_files = {MANIFEST: ("The privacy manifest of the release.", task.manifest_bytes)}
    for name, envelope in task.signatures.items():
        metadata_files[name] = "A signature of manifest.json: a DSSE envelope.", envelope
    files += [
        DescribedFile(name, "application/json", what, len(raw), hashlib.sha256(raw).hexdigest())
        for name, (what, raw) in metadata_files.items()
    ]
    tables = [
        record_set(_with_exact_guarantee(task, file.table), file.path.as_posix()) for file in table_files
    ]
    task.write_json("croissant.json", croissant(task.manifest, files, tables))
    return [*warnings, *_lacking(task.manifest)]


def _with_exact_guarantee(task: ExportTask, table: ExportTable) -> ExportTable:
    """The table, its guarantee to the last digit: descriptions of tables end in it with fewer."""
    output = task.output(table.output)
    guarantee = " ".join(
        [
            *guarantee_text.test_seed_warning(task.manifest),
            guarantee_text.output_guarantee(task.manifest, output),
        ]
    )
    description = table.description.removesuffix(table.guarantee)
    return replace(table, description=f"{description}{guarantee}")


def _lacking(manifest: dict[str, Any]) -> list[str]:
    """What Croissant requires and the plan did not say."""
    release = manifest["release"]
    lacking = [name for name, key in (("license", "license"), ("creator", "contact")) if key not in release]
    return [f"croissant.json lacks {', '.join(['url', *lacking])}: complete it before it is published"]


def croissant(
    manifest: dict[str, Any], files: list[DescribedFile], record_sets: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the description of a release: what the plan says of it, its files and tables, and what it guarantees.

    What neither plan nor manifest knows is left out: the release's address, how the data were collected, what they are for.

    Args:
        manifest: of a bundle that verifies.
        files: those of the folder.
        record_sets: a `record_set` for each table.
    """
    release = manifest["release"]
    optional: dict[str, Any] = {}
    if "license" in release:
        optional["license"] = _licence(release["license"])
    if "contact" in release:
        optional["creator"] = {"@type": "sc:Organization", "name": release["contact"]}
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": guarantee_text.title(manifest),
        "alternateName": release["name"],
        "description": " ".join(
            [*guarantee_text.abstract(manifest), guarantee_text.release_guarantee(manifest)]
        ),
        **optional,
        "version": release["version"],
        "datePublished": release["date"],
        "isLiveDataset": False,
        "keywords": guarantee_text.keywords(manifest),
        **{term: value for term, value in _responsible(manifest).items() if value},
        "distribution": [_file_object(file) for file in files],
        "recordSet": record_sets,
    }


def record_set(table: ExportTable, file_name: str) -> dict[str, Any]:
    """Return the description of a table and of its columns.

    Args:
        table: its rows are not looked at.
        file_name: of the CSV file that holds it.
    """
    key = [{"@id": _identifier(table, name)} for name in table.key]
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": f"{table.title}. {table.description}",
        **({"key": key[0] if len(key) == 1 else key} if key else {}),
        "field": [_field(table, column, file_name) for column in table.columns],
    }


def _licence(licence: str) -> str | dict[str, str]:
    """The address of a licence, or a work that has none."""
    if identifier(licence) is None:
        return {"@type": "sc:CreativeWork", "name": licence}
    return address(licence)


def _responsible(manifest: dict[str, Any]) -> dict[str, Any]:
    release, people = manifest["release"], manifest["privacy"]["people"]
    contact = f" Contact: {release['contact']}." if "contact" in release else ""
    return {
        "rai:dataCollection": f"Private data of {participants(people)}, which are not part of the release. Its manifest does not state how they were collected.",
        "rai:dataPreprocessingProtocol": guarantee_text.procedures(manifest),
        "rai:dataManipulationProtocol": "; ".join(guarantee_text.post_processing(manifest)) or "none",
        "rai:personalSensitiveInformation": [
            *guarantee_text.guarantees(manifest),
            *(f"Not protected: {fact}." for fact in guarantee_text.not_protected(manifest)),
        ],
        "rai:dataBiases": [*guarantee_text.test_seed_warning(manifest), *guarantee_text.biases(manifest)],
        "rai:dataLimitations": guarantee_text.warnings(manifest),
        "rai:dataReleaseMaintenancePlan": (
            f"Version {release['version']}, built on {release['date']}. A release cannot be taken back. "
            f"{guarantee_text.ledger_sentence(manifest)}{contact}"
        ),
    }


def _file_object(file: DescribedFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name,
        "description": file.description,
        "contentUrl": file.name,
        "contentSize": f"{file.size} B",
        "encodingFormat": file.media_type,
        "sha256": file.sha256,
    }


def _field(table: ExportTable, column: Column, file_name: str) -> dict[str, Any]:
    bounds = {"minValue": column.lowest, "maxValue": column.highest}
    return {
        "@type": "cr:Field",
        "@id": _identifier(table, column.name),
        "name": column.name,
        "description": " ".join(_described(column)),
        "dataType": _TYPES[column.kind],
        **({"unitText": column.unit} if column.unit else {}),
        **{key: bound for key, bound in bounds.items() if bound is not None},
        "source": {"fileObject": {"@id": file_name}, "extract": {"column": column.name}},
    }


def _described(column: Column) -> list[str]:
    sentences = [column.description]
    if column.unit:
        sentences.append(f"Unit: {column.unit}.")
    if 0 < len(column.labels) <= _MOST_LABELS:
        sentences.append(f"One of: {', '.join(column.labels)}.")
    if column.missing:
        sentences.append("Empty where there is no value.")
    return sentences


def _identifier(table: ExportTable, column: str) -> str:
    """Identifiers are addresses on the web, where labels may hold what these cannot."""
    plain = quote(column, safe="")
    return f"{table.name}/{plain.replace('.', '%2E') if set(plain) <= {'.'} else plain}"
