"""Examining a bundle from anyone, without the data; `verify` does it in a process that may crash.

In this order, each step only if the ones before found nothing that makes it unsafe or meaningless: the seal, the anatomy
(both before HDF5's own library sees the file), what the library makes of it, the manifest (strict JSON, its schema), then
digests, contents, claims. docs/format.md says what each finding means.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from synthrelease.bundle.finding import Finding, Verification
from synthrelease.bundle.items import StoredOutput
from synthrelease.bundle.layout import (
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    OUTPUTS,
    READ_FORMATS,
    SIGNATURE,
    dataset_path,
    is_marked_test_seed,
    sealed_digest,
    stated_version,
)
from synthrelease.bundle.manifest import FORMAT_OF, schema_name
from synthrelease.bundle.output_examination import DatasetReader, OutputExamination
from synthrelease.bundle.release_claims import claim_faults
from synthrelease.bundle.signing.expectations import NOT_ASKED, Asked
from synthrelease.bundle.signing.signature_examination import examine_signatures
from synthrelease.bundle.strict_hdf5.anatomy import Form
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.bundle.strict_hdf5.library import disagreements
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import BundleError
from synthrelease.kinds.registry import kinds
from synthrelease.parallel import Progress
from synthrelease.schemas import validator

_HASHED_UNSEEN = 1 << 30  # bytes; of a larger file, which can be a hole, it is known first what they are for
_KIND = re.compile(r"[a-z][a-z0-9_]{0,39}")
_MISSING_LISTED = 1000  # datasets; if more are missing, their names help nobody


def examine(
    path: str | Path,
    *,
    quick: bool = False,
    allow_test_seed: bool = False,
    asked: Asked = NOT_ASKED,
    touching: Callable[[], AbstractContextManager[None]] = nullcontext,
    progress: Progress | None = None,
) -> Verification:
    """Check a bundle in this process: seal, structure, manifest, digests, contents and every claimed guarantee.

    Args:
        path: the file.
        quick: stop after seal, structure and manifest.
        allow_test_seed: do not count it as a fault that the noise came from a test seed.
        asked: what to check of signatures.
        touching: entered while the HDF5 library has the file.
        progress: called with (what, done, total), in bytes of values.

    Returns:
        A `Verification`; never an exception for a bad file.

    Raises:
        MemoryError: this process may not have as much as it takes.
    """
    result = Verification()
    try:
        # Numbers that overflow are not those of an honest file; a warning of it would be one to nobody.
        with BundleFile(path) as file, np.errstate(all="ignore"):
            found = _examine(file, result, touching)
            if found is not None:
                result.findings.extend(_date_faults(found["release"]["date"]))
                marked = is_marked_test_seed(file.text_block)
                result.findings.extend(_test_seed_faults(found, marked=marked, allowed=allow_test_seed))
                examine_signatures(file, found, asked, result)
                if not quick:
                    _examine_all(file, found, result, progress)
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


def _examine(
    file: BundleFile, result: Verification, touching: Callable[[], AbstractContextManager[None]]
) -> dict[str, Any] | None:
    """Return the manifest of a file that is one of a bundle; what others would do to its reader is found before it is read."""
    steps: list[tuple[str, Callable[[], Iterable[Finding]]]] = [
        ("seal", lambda: _seal_faults(file)),
        ("structure", lambda: _structure_faults(file, touching)),
        ("manifest", lambda: _manifest_faults(file)),
    ]
    for what, faults in steps:
        result.findings.extend(faults())
        if result.findings:
            return None
        result.checked.append(what)
    result.manifest = file.manifest()
    return result.manifest


def _examine_all(
    file: BundleFile, manifest: dict[str, Any], result: Verification, progress: Progress | None
) -> None:
    read = DatasetReader(file, progress)
    result.findings.extend(list(_number_faults(file, manifest)) or _content_faults(read, manifest))
    result.checked.append(f"{len(manifest['digests'])} digests and all derived values")
    if any(finding.code == "missing" for finding in result.findings):
        return  # claims about what is not there can be many, and cost seconds each
    result.findings.extend(claim_faults(manifest))
    number = len(manifest["outputs"])
    result.checked.append(f"the guarantees of {number} output{'s' if number > 1 else ''} and of the release")


def _seal_faults(file: BundleFile) -> Iterator[Finding]:
    stated = sealed_digest(file.text_block)
    if stated is not None and file.size > _HASHED_UNSEEN:
        file.anatomy  # noqa: B018  raises, where a terabyte of nothing is no part of a bundle
    if stated is None:
        version = stated_version(file.text_block) or 0
        plain = "the file does not begin with a bundle's text block"
        later = version > FORMAT_VERSION
        yield Finding("seal", str(file.path), _later("a bundle", version, FORMAT_VERSION) if later else plain)
    elif stated != file.body_digest():
        message = "the bytes are not those that were sealed: damaged or changed"
        yield Finding("seal", str(file.path), message)


def _later(what: str, version: int, known: int) -> str:
    return f"{what} of version {version}, and this synthrelease knows version {known}: use a later one"


def _version_fault(what: str, version: object, *known: int) -> str | None:
    """Return why a stated version is none that this program can read."""
    if type(version) is int and version in known:
        return None
    if type(version) is int and version > max(known):
        return _later(what, version, max(known))
    versions = " or ".join(map(str, known))
    return f"expected {what} of version {versions}, found none that there ever was"


def _structure_faults(
    file: BundleFile, touching: Callable[[], AbstractContextManager[None]]
) -> Iterator[Finding]:
    root = file.anatomy.groups["/"]
    if root.get("format") != FORMAT.encode() or set(root) != {"format", "format_version"}:
        yield Finding(
            "structure", "/", f"the root does not say format = {FORMAT} and format_version, and no more"
        )
    elif fault := _version_fault("a bundle", root["format_version"], *READ_FORMATS):
        yield Finding("structure", "/", fault)
    elif root["format_version"] != stated_version(file.text_block):
        yield Finding("structure", "/", "text block and root state different versions of the format")
    elif faults := list(_encoding_faults(file)):
        yield from faults
    elif OUTPUTS not in file.anatomy.groups or MANIFEST not in file.anatomy.datasets:
        yield Finding("structure", "/", f"{MANIFEST} is no dataset or {OUTPUTS} no group")
    elif described := [path for path in (MANIFEST, SIGNATURE) if _is_described(file, path)]:
        for path in described:
            yield Finding("structure", path, "an attribute that does not belong to the format")
    else:
        with touching():
            seen_otherwise = disagreements(file)
        yield from (Finding("structure", "", fault) for fault in seen_otherwise)


def _is_described(file: BundleFile, path: str) -> bool:
    """Whether manifest or signature has attributes, which have room for private text."""
    form = file.anatomy.datasets[path].form if path in file.anatomy.datasets else None
    return form is not None and form != Form(dtype=form.dtype, shape=form.shape)


def _encoding_faults(file: BundleFile) -> Iterator[Finding]:
    """Where a group states another version of its encoding."""
    for group, attributes in sorted(file.anatomy.groups.items()):
        if "encoding_version" in attributes:
            version = attributes["encoding_version"]
            fault = _version_fault("an output", version, int(file.anatomy.groups["/"]["format_version"]))
            if fault is not None:
                yield Finding("structure", group, fault)


def _manifest_faults(file: BundleFile) -> list[Finding]:
    try:
        manifest = file.manifest()
    except BundleError as error:
        return [Finding("manifest", error.where, error.problem)]
    version = manifest.get("manifest_version")
    fault = _version_fault("a manifest", version, *FORMAT_OF)
    if fault is not None or version is None:
        return [Finding("manifest", "manifest_version", fault or "")]
    if FORMAT_OF[version] != file.anatomy.groups["/"]["format_version"]:
        message = "bundles of this format have manifests of another version"
        return [Finding("manifest", "manifest_version", message)]
    return list(_unknown_kinds(manifest)) or schema_faults(manifest)


def _unknown_kinds(manifest: dict[str, Any]) -> Iterator[Finding]:
    """Outputs of kinds that are not installed: what they claim cannot be computed again. Nothing is loaded because a bundle names it."""
    outputs = manifest.get("outputs")
    stated = (
        [one.get("kind") for one in outputs if isinstance(one, dict)] if isinstance(outputs, list) else []
    )
    for number, kind in enumerate(stated):
        if isinstance(kind, str) and kind not in kinds():
            named = f"'{kind}'" if _KIND.fullmatch(kind) else "of another name"
            message = f"the kind {named} is not installed: install the package that defines it, if you trust that package"
            yield Finding("unknown-kind", f"outputs/{number}", message)


def schema_faults(manifest: dict[str, Any]) -> list[Finding]:
    """Return where a manifest does not fit the schema of its version."""
    found = validator(schema_name(manifest["manifest_version"])).iter_errors(manifest)
    return [
        Finding("manifest", "/".join(map(str, e.absolute_path)), f"does not fit the schema ({e.validator})")
        for e in found
    ]


def _date_faults(day: str) -> Iterator[Finding]:
    try:
        dt.date.fromisoformat(day)
    except ValueError:
        yield Finding("manifest", "release/date", "no day of the calendar")


def _test_seed_faults(manifest: dict[str, Any], *, marked: bool, allowed: bool) -> Iterator[Finding]:
    seeded = manifest["randomness"]["test_seed"]
    warned = any(
        "TEST SEED" in one if isinstance(one, str) else one["code"] == "test-seed"
        for one in manifest["warnings"]
    )
    source = manifest["randomness"]["source"] == "test seed"
    if not marked == seeded == warned == source:
        yield Finding(
            "test-seed",
            "randomness",
            "text block, randomness and warnings disagree on where the noise came from",
        )
    elif seeded and not allowed:
        yield Finding("test-seed", "randomness", "the noise can be repeated from a test seed: do not publish")


def _number_faults(file: BundleFile, manifest: dict[str, Any]) -> Iterator[Finding]:
    """Before datasets are listed: a manifest can call for any number of them in a few words."""
    present = len(file.dataset_paths())
    number = sum(one.number for one in _stored_outputs(manifest))
    if number > present + _MISSING_LISTED:
        message = f"the manifest calls for {number} datasets, the file has {present}"
        yield Finding("missing", "outputs", message)


def _stored_outputs(manifest: dict[str, Any]) -> list[StoredOutput]:
    version = FORMAT_OF[manifest["manifest_version"]]
    return [StoredOutput(output, version) for output in manifest["outputs"]]


def _content_faults(read: DatasetReader, manifest: dict[str, Any]) -> Iterator[Finding]:
    present = read.file.dataset_paths()
    expected = _stored_outputs(manifest)
    called_for = [one.path for output in expected for one in output.stored()]
    neighbours = Neighbours(manifest["privacy"]["neighbours"])
    yield from _listing_faults(read.file, manifest, present, called_for)
    if set(called_for) <= set(present):
        for number, (output, stored) in enumerate(zip(manifest["outputs"], expected, strict=True)):
            where = f"outputs/{number} ({output['name']})"
            yield from OutputExamination(read, output, stored, where, neighbours).faults()
    for path in present:
        if read.digest(path) != manifest["digests"].get(path):
            yield Finding("digest", path, "the values are not those of the manifest's digest")


def _listing_faults(
    file: BundleFile, manifest: dict[str, Any], present: Sequence[str], called_for: Sequence[str]
) -> Iterator[Finding]:
    """Where the file holds another list of things than the manifest."""
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
            kind = outputs[group].encode()
            version = file.anatomy.groups["/"]["format_version"]
            if attributes != {"encoding_type": kind, "encoding_version": version}:
                yield Finding("structure", group, "the group's encoding is not that of the output's kind")
        elif attributes and group != "/":
            yield Finding("structure", group, "an attribute that does not belong to the format")


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path
