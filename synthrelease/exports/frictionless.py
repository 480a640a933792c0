"""Tables as a Data Package: CSV, and datapackage.json that says what every file and every column is (version 2 of the standard).

The guarantee stands in properties of its own, beside those of the standard: whoever reads only these is told that there are
more.
"""

from __future__ import annotations

import re
from typing import Any

from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.exports import promised
from synthrelease.exports.csv import WHAT, write_csv
from synthrelease.exports.licence import address, identifier
from synthrelease.exports.table import Column
from synthrelease.exports.task import Task, json_bytes
from synthrelease.exports.written import Written, write_beside
from synthrelease.report.promise_words import promise_of

PACKAGE = "datapackage.json"
_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[^@\s<>]+")
_PROFILE = "https://datapackage.org/profiles/2.0/{}.json"


def write(task: Task) -> list[str]:
    """Write every table, a README, the manifest, and datapackage.json."""
    written = write_csv(task)
    what = f"{WHAT} {PACKAGE} describes them as a Data Package: frictionless validate {PACKAGE}."
    warnings = write_beside(task, written, what=what)
    (task.folder / PACKAGE).write_bytes(json_bytes(package(task, written)))
    return warnings


def package(task: Task, written: list[Written]) -> dict[str, Any]:
    """Return the descriptor of all tables."""
    release, privacy = task.manifest["release"], task.manifest["privacy"]
    promise = promise_of(task.manifest)
    holds = f"{TEST_SEED_WORDS}: what is promised does not hold." if task.test_seed else promise.headline
    found: dict[str, Any] = {
        "$schema": _PROFILE.format("datapackage"),
        "name": _name(release["name"]),
        "title": promised.title(task.manifest),
        "description": f"{holds} The properties privacy:guarantee and privacy:not_protected say more, README.txt all of it.",
        "version": release["version"],
        "created": f"{release['date']}T00:00:00Z",
    }
    if "license" in release:
        found["licenses"] = [_licence(release["license"])]
    if "contact" in release:
        email = {"email": release["contact"]} if _EMAIL.fullmatch(release["contact"]) else {}
        found["contributors"] = [{"title": release["contact"], **email, "roles": ["contact"]}]
    found["sources"] = [
        {
            "title": f"Bundle of {release['name']} {release['version']}, SHA-256 {task.bundle_digest}",
            "path": "manifest.json",
        }
    ]
    found["privacy:promise"] = holds
    found["privacy:guarantee"] = privacy["guarantee"]
    found["privacy:covered"] = privacy["composition"]["outputs"]
    found["privacy:not_protected"] = privacy["not_protected"]
    found["privacy:warnings"] = promised.warnings(task.manifest)
    found["privacy:test_seed"] = task.test_seed
    found["privacy:manifest_sha256"] = task.manifest_digest
    found["resources"] = [_resource(task, one) for one in written]
    return found


def _name(text: str) -> str:
    """A name as the standard has them; names of tables stay different in lower case."""
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-") or "release"


def _licence(licence: str) -> dict[str, str]:
    """A licence by its identifier and its page; one that has none by its words, under a name that nobody takes for another's."""
    known = identifier(licence)
    told = {"name": known or "LicenseRef-release", "title": licence}
    return told if known is None else {**told, "path": address(licence)}


def _resource(task: Task, one: Written) -> dict[str, Any]:
    output = next(entry for entry in task.manifest["outputs"] if entry["name"] == one.table.output)
    return {
        "$schema": _PROFILE.format("dataresource"),
        "name": _name(one.table.name),
        "type": "table",
        "path": one.path.as_posix(),
        "title": one.table.title,
        "description": one.table.description,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": one.size,
        "hash": f"sha256:{one.digest}",
        "dialect": {"$schema": _PROFILE.format("tabledialect"), "lineTerminator": "\r\n"},
        "privacy:output": one.table.output,
        "privacy:guarantee": output["guarantee"],
        "privacy:test_seed": task.test_seed,
        "schema": {
            "$schema": _PROFILE.format("tableschema"),
            "fields": [_field(column) for column in one.table.columns],
            "missingValues": [""],
            **({"primaryKey": list(one.table.key)} if one.table.key else {}),
        },
    }


def _field(column: Column) -> dict[str, Any]:
    constraints: dict[str, Any] = {} if column.missing else {"required": True}
    if column.lowest is not None:
        constraints["minimum"] = column.lowest
    if column.highest is not None:
        constraints["maximum"] = column.highest
    if column.labels:
        constraints["enum"] = list(column.labels)
    field: dict[str, Any] = {"name": column.name, "type": column.kind, "description": column.description}
    if column.unit:
        field["unit"] = column.unit
    if constraints:
        field["constraints"] = constraints
    return field
