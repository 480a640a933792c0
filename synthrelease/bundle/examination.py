"""Examining a bundle from anyone, without the data; `verify` does it in a process that may crash.

In this order, each step only if the ones before found nothing that makes it unsafe or meaningless: the checksum, the anatomy
(both before HDF5's own library sees the file), what the library makes of it, the manifest (strict JSON, its schema), then
digests, contents, claims. docs/reference/format.md says what each finding means.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from synthrelease.bundle.content import output_attributes
from synthrelease.bundle.finding import Finding, Verification
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import dataset_path, is_marked_test_seed
from synthrelease.bundle.manifest import MANIFEST_VERSION, SCHEMA
from synthrelease.bundle.output_examination import DatasetReader, OutputExamination, stated_faults
from synthrelease.bundle.release_claims import claim_faults, statement_faults
from synthrelease.bundle.signing.expectations import NO_EXPECTATIONS, SignatureExpectations
from synthrelease.bundle.signing.signature_examination import examine_signatures
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.bundle.structure_examination import checksum_faults, structure_faults, version_fault
from synthrelease.dp.event import from_json
from synthrelease.dp.guarantee import Neighbours
from synthrelease.dp.guarantee import from_json as guarantee_from_json
from synthrelease.errors import BundleError
from synthrelease.kinds.registry import kinds, parameters_of
from synthrelease.parallel import Progress
from synthrelease.schemas import validator

_KIND = re.compile(r"[a-z][a-z0-9_]{0,39}")
_MISSING_LISTED = 1000  # datasets; if more are missing, only their number is reported


def examine(
    path: str | Path,
    *,
    quick: bool = False,
    allow_test_seed: bool = False,
    expected: SignatureExpectations = NO_EXPECTATIONS,
    touching: Callable[[], AbstractContextManager[None]] = nullcontext,
    progress: Progress | None = None,
) -> Verification:
    """Check a bundle in this process: checksum, structure, manifest, digests, contents and every claimed guarantee.

    Args:
        path: the file.
        quick: stop after checksum, structure and manifest; of values only the shapes are looked at.
        allow_test_seed: do not count it as a fault that the noise came from a test seed.
        expected: what to check of signatures.
        touching: entered while the HDF5 library has the file.
        progress: called with (what, done, total), in bytes of values.

    Returns:
        A `Verification`; never an exception for a bad file.

    Raises:
        MemoryError: this process may not have as much as it takes.
    """
    result = Verification()
    try:
        # Numbers overflow only in forged files, and no one would see a warning of it.
        with BundleFile(path) as file, np.errstate(all="ignore"):
            manifest = _readable_manifest(file, result, touching)
            if manifest is not None:
                result.findings.extend(_date_faults(manifest["release"]["date"]))
                marked = is_marked_test_seed(file.text_block)
                result.findings.extend(_test_seed_faults(manifest, marked=marked, allowed=allow_test_seed))
                examine_signatures(file, manifest, expected, result)
                sound = _examine_statements(file, manifest, result)
                if not quick:
                    _examine_contents(file, manifest, sound, result, progress)
    except BundleError as error:
        result.findings.append(Finding("structure", error.where, error.problem))
    except OSError as error:
        result.findings.append(Finding("unreadable", str(path), error.strerror or "the file cannot be read"))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  whatever a hostile file provokes is a finding, not a crash
        result.findings.append(
            Finding("manifest", "", f"the content is inconsistent ({type(error).__name__})")
        )
    return result


def _readable_manifest(
    file: BundleFile, result: Verification, touching: Callable[[], AbstractContextManager[None]]
) -> dict[str, Any] | None:
    """Return the manifest of a file that is one of a bundle; whatever could harm its reader is found before it is read."""
    steps: list[tuple[str, Callable[[], Iterable[Finding]]]] = [
        ("checksum", lambda: checksum_faults(file)),
        ("structure", lambda: structure_faults(file, touching)),
        ("manifest", lambda: _manifest_faults(file)),
    ]
    for step, faults in steps:
        result.findings.extend(faults())
        if result.findings:
            return None
        result.checked.append(step)
    result.manifest = file.manifest()
    return result.manifest


def _examine_statements(
    file: BundleFile, manifest: dict[str, Any], result: Verification
) -> dict[str, StoredOutput]:
    """Find what contradicts itself, or what the file holds, as far as that takes no value and no accounting: before anyone derives anything from it.

    Return the outputs in which nothing was found, by their places.
    """
    called_for = [StoredOutput(output) for output in manifest["outputs"]]
    result.findings.extend(
        list(_number_faults(file, called_for)) or _listing_faults(file, manifest, called_for)
    )
    if _is_missing(result):
        return {}
    neighbours, sound = Neighbours(manifest["privacy"]["neighbours"]), {}
    for number, (output, stored) in enumerate(zip(manifest["outputs"], called_for, strict=True)):
        where = f"outputs/{number} ({output['name']})"
        faults = list(stated_faults(file, output, stored, where, neighbours))
        result.findings.extend(faults)
        if not faults:
            sound[where] = stored
    result.findings.extend(statement_faults(manifest))
    return sound


def _examine_contents(
    file: BundleFile,
    manifest: dict[str, Any],
    sound: dict[str, StoredOutput],
    result: Verification,
    progress: Progress | None,
) -> None:
    reader = DatasetReader(file, progress)
    for where, stored in sound.items():
        result.findings.extend(OutputExamination(reader, stored, where).faults())
    for path in file.dataset_paths():
        if reader.digest(path) != manifest["digests"].get(path):
            message = "the values are not those of the manifest's digest"
            result.findings.append(Finding("digest", path, message))
    result.checked.append(f"{len(manifest['digests'])} digests and all derived values")
    if _is_missing(result):
        return  # claims about what is not there can be many, and cost seconds each
    result.findings.extend(claim_faults(manifest))
    number = len(manifest["outputs"])
    result.checked.append(f"the guarantees of {number} output{'s' if number > 1 else ''} and of the release")


def _is_missing(result: Verification) -> bool:
    return any(finding.code == "missing" for finding in result.findings)


def _manifest_faults(file: BundleFile) -> list[Finding]:
    try:
        manifest = file.manifest()
    except BundleError as error:
        return [Finding("manifest", error.where, error.problem)]
    version = manifest.get("manifest_version")
    fault = version_fault("a manifest", version, MANIFEST_VERSION)
    if fault is not None:
        return [Finding("manifest", "manifest_version", fault)]
    return list(_unknown_kinds(manifest)) or manifest_faults(manifest)


def _unknown_kinds(manifest: dict[str, Any]) -> Iterator[Finding]:
    """Outputs of kinds that are not installed: what they claim cannot be computed again. Nothing is loaded because a bundle names it."""
    outputs = manifest.get("outputs")
    for number, output in enumerate(outputs if isinstance(outputs, list) else []):
        kind = output.get("kind") if isinstance(output, dict) else None
        if isinstance(kind, str) and kind not in kinds():
            named = f"'{kind}'" if _KIND.fullmatch(kind) else "of another name"
            message = f"the kind {named} is not installed: install the package that defines it, if you trust that package"
            yield Finding("unknown-kind", f"outputs/{number}", message)


def manifest_faults(manifest: dict[str, Any]) -> list[Finding]:
    """Return where a manifest of known kinds cannot be read: it does not fit its schema, or an output's fields are of no mechanism or noise."""
    return _schema_faults(manifest) or list(_unreadable_outputs(manifest))


def _unreadable_outputs(manifest: dict[str, Any]) -> Iterator[Finding]:
    for number, output in enumerate(manifest["outputs"]):
        try:
            parameters_of(output)
            from_json(output["event"])
            guarantee_from_json(output["guarantee"])
        except (ArithmeticError, LookupError, ValueError) as error:
            message = f"the content is inconsistent ({type(error).__name__})"
            yield Finding("manifest", f"outputs/{number}", message)


def _schema_faults(manifest: dict[str, Any]) -> list[Finding]:
    errors = validator(SCHEMA).iter_errors(manifest)
    return [
        Finding(
            "manifest",
            "/".join(map(str, error.absolute_path)),
            f"does not fit the schema ({error.validator})",
        )
        for error in errors
    ]


def _date_faults(day: str) -> Iterator[Finding]:
    try:
        dt.date.fromisoformat(day)
    except ValueError:
        yield Finding("manifest", "release/date", "no day of the calendar")


def _test_seed_faults(manifest: dict[str, Any], *, marked: bool, allowed: bool) -> Iterator[Finding]:
    seeded = manifest["randomness"]["test_seed"]
    warned = any(warning["code"] == "test-seed" for warning in manifest["warnings"])
    source = manifest["randomness"]["source"] == "test seed"
    if not marked == seeded == warned == source:
        yield Finding(
            "test-seed",
            "randomness",
            "text block, randomness and warnings disagree on where the noise came from",
        )
    elif seeded and not allowed:
        yield Finding("test-seed", "randomness", "the noise can be repeated from a test seed: do not publish")


def _number_faults(file: BundleFile, called_for: Sequence[StoredOutput]) -> Iterator[Finding]:
    """Before datasets are listed: a manifest can call for any number of them in a few words."""
    present = len(file.dataset_paths())
    number = sum(output.hdf5_dataset_count for output in called_for)
    if number > present + _MISSING_LISTED:
        message = f"the manifest calls for {number} datasets, the file has {present}"
        yield Finding("missing", "outputs", message)


def _listing_faults(
    file: BundleFile, manifest: dict[str, Any], stored: Sequence[StoredOutput]
) -> Iterator[Finding]:
    """Where the file holds another list of things than the manifest."""
    present = file.dataset_paths()
    called_for = [dataset.path for output in stored for dataset in output.hdf5_datasets]
    for path in sorted(set(present) - set(called_for)):
        yield Finding("unlisted", path, "no output of the manifest accounts for this dataset")
    for path in sorted(set(called_for) - set(present)):
        yield Finding("missing", path, "the manifest calls for this dataset")
    if set(manifest["digests"]) != set(present):
        yield Finding("digest", "digests", "the digests are not those of the datasets in the file")
    if len(called_for) != len(set(called_for)) or len({o["name"] for o in manifest["outputs"]}) != len(
        manifest["outputs"]
    ):
        yield Finding("manifest", "outputs", "two outputs claim the same name or dataset")
    groups = {parent for path in called_for for parent in _parents(path)}
    for group in sorted(set(file.group_paths()) - groups):
        yield Finding("unlisted", group, "no output of the manifest accounts for this group")
    outputs = {dataset_path(output["name"]): output["kind"] for output in manifest["outputs"]}
    for group, attributes in sorted(file.anatomy.groups.items()):
        if group in outputs:
            if attributes != output_attributes(outputs[group]):
                yield Finding("structure", group, "the group's encoding is not that of the output's kind")
        elif attributes and group != "/":
            yield Finding("structure", group, "an attribute that does not belong to the format")


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path
