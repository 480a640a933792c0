"""Tables as a Data Package: CSV, and datapackage.json that says what every file and every column is (version 2 of the standard).

The guarantee is in properties of its own, in addition to those of the standard; the description, which is one of those, points to them.
"""

from __future__ import annotations

import re
from typing import Any

from synthrelease.exports import guarantee_text
from synthrelease.exports.csv import CONTENTS, write_csv
from synthrelease.exports.licence import address, identifier
from synthrelease.exports.table import Column
from synthrelease.exports.table_files import TableFile, write_companions
from synthrelease.exports.task import MANIFEST, ExportTask

PACKAGE = "datapackage.json"
_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[^@\s<>]+")
_PROFILE = "https://datapackage.org/profiles/2.0/{}.json"


def write(task: ExportTask) -> list[str]:
    """Write every table, a README, the manifest, and datapackage.json."""
    table_files = write_csv(task)
    what = f"{CONTENTS} {PACKAGE} describes them as a Data Package: frictionless validate {PACKAGE}."
    warnings = write_companions(task, table_files, what=what)
    task.write_json(PACKAGE, package(task, table_files))
    return warnings


def package(task: ExportTask, table_files: list[TableFile]) -> dict[str, Any]:
    """Return the descriptor of all tables."""
    release, privacy = task.manifest["release"], task.privacy
    pointer = "See the properties privacy:guarantee and privacy:not_protected, and README.txt for the full description."
    source = f"Bundle of {release['name']} {release['version']}, SHA-256 {task.bundle_digest}"
    optional: dict[str, Any] = {}
    if "license" in release:
        optional["licenses"] = [_licence(release["license"])]
    if "contact" in release:
        email = {"email": release["contact"]} if _EMAIL.fullmatch(release["contact"]) else {}
        optional["contributors"] = [{"title": release["contact"], **email, "roles": ["contact"]}]
    return {
        "$schema": _PROFILE.format("datapackage"),
        "name": _name(release["name"]),
        "title": guarantee_text.title(task.manifest),
        "description": f"{privacy['meaning']} {pointer}",
        "version": release["version"],
        "created": f"{release['date']}T00:00:00Z",
        **optional,
        "sources": [{"title": source, "path": MANIFEST}],
        **{f"privacy:{key}": value for key, value in privacy.items()},
        "resources": [_resource(task, file) for file in table_files],
    }


def _name(text: str) -> str:
    """A name as the standard has them; names of tables stay different in lower case."""
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-") or "release"


def _licence(licence: str) -> dict[str, str]:
    """A licence by its identifier and its page; one without an identifier by its words, under a name that is no identifier."""
    spdx = identifier(licence)
    path = {} if spdx is None else {"path": address(licence)}
    return {"name": spdx or "LicenseRef-release", "title": licence, **path}


def _resource(task: ExportTask, file: TableFile) -> dict[str, Any]:
    return {
        "$schema": _PROFILE.format("dataresource"),
        "name": _name(file.table.name),
        "type": "table",
        "path": file.path.as_posix(),
        "title": file.table.title,
        "description": file.table.description,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": file.size,
        "hash": f"sha256:{file.digest}",
        "dialect": {"$schema": _PROFILE.format("tabledialect"), "lineTerminator": "\r\n"},
        "privacy:output": file.table.output,
        "privacy:guarantee": task.output(file.table.output)["guarantee"],
        "privacy:test_seed": task.test_seed,
        "schema": {
            "$schema": _PROFILE.format("tableschema"),
            "fields": [_field(column) for column in file.table.columns],
            "missingValues": [""],
            **({"primaryKey": list(file.table.key)} if file.table.key else {}),
        },
    }


def _field(column: Column) -> dict[str, Any]:
    constraints = {
        "required": None if column.missing else True,
        "minimum": column.lowest,
        "maximum": column.highest,
        "enum": list(column.labels) or None,
    }
    field = {
        "name": column.name,
        "type": column.kind,
        "description": column.description,
        "unit": column.unit,
        "constraints": {key: value for key, value in constraints.items() if value is not None},
    }
    return {key: value for key, value in field.items() if value or key == "description"}
