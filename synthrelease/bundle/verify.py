"""Checking a bundle from anyone, without the data: `verify` never raises for a bad file.

In this order, each step only if the ones before found nothing that makes it unsafe or meaningless: the seal (before HDF5
is touched), the structure (before any value is read), the manifest (strict JSON, its schema), digests, contents,
claims. docs/bundle.md says what each finding means.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
from numpy.typing import NDArray

from synthrelease.bundle import claims, hdf5, signal_claims
from synthrelease.bundle.contents import (
    Binned,
    Categories,
    Content,
    Derived,
    Noised,
    contents,
    dataset_count,
    noised_network,
)
from synthrelease.bundle.finding import Finding
from synthrelease.bundle.layout import (
    ENCODING_VERSION,
    dataset_path,
    digest,
    is_marked_test_seed,
    sealed_digest,
)
from synthrelease.bundle.manifest import validator
from synthrelease.bundle.plausibility import foreign_to_network, too_large, too_many, too_quiet
from synthrelease.bundle.release_claims import claim_faults
from synthrelease.bundle.structure import structure_faults
from synthrelease.errors import BundleError
from synthrelease.privacy import event as events
from synthrelease.privacy.guarantee import Neighbours

_MISSING_LISTED = 1000  # datasets; if more are missing, their names help nobody


@dataclass
class Verification:
    """What `verify` found.

    Attributes:
        findings: faults; empty if there are none.
        checked: what was checked, in words.
        manifest: the manifest, if it could be read.
    """

    findings: list[Finding] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    manifest: dict[str, Any] | None = None

    @property
    def ok(self) -> bool:
        """Whether no fault was found."""
        return not self.findings


def verify(
    path: str | Path,
    public_key: str | Path | None = None,
    *,
    quick: bool = False,
    allow_test_seed: bool = False,
) -> Verification:
    """Check a bundle: seal, structure, manifest, digests, contents and every claimed guarantee.

    Args:
        path: the file, from anyone.
        public_key: not offered yet; a finding if given, because nothing would be checked with it.
        quick: stop after seal, structure and manifest.
        allow_test_seed: do not count it as a fault that the noise came from a test seed.

    Returns:
        A `Verification`; never an exception for a bad file.
    """
    result = Verification()
    if public_key is not None:
        result.findings.append(Finding("signature", "", "this version cannot check signatures yet"))
    try:
        _verify(Path(path), result, quick=quick, allow_test_seed=allow_test_seed)
    except BundleError as error:
        result.findings.append(Finding("structure", error.where, error.problem))
    except OSError as error:
        result.findings.append(Finding("unreadable", str(path), error.strerror or "the file cannot be read"))
    except Exception as error:  # noqa: BLE001  whatever a hostile file provokes is a finding, not a crash
        result.findings.append(
            Finding("manifest", "", f"the content is inconsistent ({type(error).__name__})")
        )
    return result


def _verify(path: Path, result: Verification, *, quick: bool, allow_test_seed: bool) -> None:
    if path.exists() and not path.is_file():
        raise OSError(0, "not a regular file")
    block, body = hdf5.body_digest(path)
    stated = sealed_digest(block)
    if stated is None:
        result.findings.append(
            Finding("seal", str(path), "the file does not begin with a bundle's text block")
        )
        return
    if stated != body:
        result.findings.append(
            Finding("seal", str(path), "the bytes are not those that were sealed: damaged or changed")
        )
        return
    result.checked.append("seal")
    with hdf5.opened(path) as file:
        faults = structure_faults(file)
        if faults:
            result.findings.extend(Finding("structure", "", fault) for fault in faults)
            return
        result.checked.append("structure")
        manifest = hdf5.read_manifest(file)
        problems = schema_faults(manifest)
        if problems:
            result.findings.extend(problems)
            return
        result.manifest = manifest
        result.checked.append("manifest")
        result.findings.extend(_date_faults(manifest["release"]["date"]))
        marked = is_marked_test_seed(block)
        result.findings.extend(_test_seed_faults(manifest, marked=marked, allowed=allow_test_seed))
        if quick:
            return
        result.findings.extend(list(_number_faults(file, manifest)) or _content_faults(file, manifest))
        result.checked.append(f"{len(manifest['digests'])} digests and all derived values")
        result.findings.extend(claim_faults(manifest))
        result.checked.append(f"the guarantees of {len(manifest['outputs'])} outputs and of the release")


def schema_faults(manifest: dict[str, Any]) -> list[Finding]:
    """Return where a manifest does not fit `schemas/manifest-v1.schema.json`."""
    found = validator("manifest-v1").iter_errors(manifest)
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
    warned = any("TEST SEED" in warning for warning in manifest["warnings"])
    source = manifest["randomness"]["source"] == "test seed"
    if not marked == seeded == warned == source:
        yield Finding(
            "test-seed",
            "randomness",
            "text block, randomness and warnings disagree on where the noise came from",
        )
    elif seeded and not allowed:
        yield Finding("test-seed", "randomness", "the noise can be repeated from a test seed: do not publish")


def _number_faults(file: h5py.File, manifest: dict[str, Any]) -> Iterator[Finding]:
    """Before datasets are listed: a manifest can call for any number of them in a few words."""
    present = len(hdf5.dataset_paths(file))
    number = sum(dataset_count(output) for output in manifest["outputs"])
    if number > present + _MISSING_LISTED:
        message = f"the manifest calls for {number} datasets, the file has {present}"
        yield Finding("missing", "outputs", message)


def _content_faults(file: h5py.File, manifest: dict[str, Any]) -> Iterator[Finding]:
    present = hdf5.dataset_paths(file)
    called_for = [content.path for output in manifest["outputs"] for content in contents(output)]
    yield from _listing_faults(file, manifest, present, called_for)
    read = _Reader(file, manifest["digests"])
    if set(called_for) <= set(present):
        for number, output in enumerate(manifest["outputs"]):
            yield from _output_faults(read, output, f"outputs/{number} ({output['name']})", manifest)
    for path in present:
        if path not in read.alike:  # beyond the first fault of its output
            read(path)
        if not read.alike[path]:
            yield Finding("digest", path, "the values are not those of the manifest's digest")


def _listing_faults(
    file: h5py.File, manifest: dict[str, Any], present: Sequence[str], called_for: Sequence[str]
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
    for group in sorted(set(hdf5.group_paths(file)) - groups):
        yield Finding("unlisted", group, "no output of the manifest accounts for this group")


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


class _Reader:
    """Reads datasets, and compares their digests with those of a manifest: large ones are unpacked once.

    Attributes:
        file: of the datasets.
        alike: of each that was read, whether its digest is the manifest's.
    """

    def __init__(self, file: h5py.File, digests: Mapping[str, str]) -> None:
        self.file, self._digests = file, digests
        self.alike: dict[str, bool] = {}

    def __call__(self, path: str) -> NDArray[Any]:
        array = hdf5.read_array(self.file, path)
        self.alike[path] = digest(array) == self._digests.get(path)
        return array


def _output_faults(
    read: _Reader, output: dict[str, Any], where: str, manifest: dict[str, Any]
) -> Iterator[Finding]:
    if hdf5.encoding(read.file, dataset_path(output["name"])) != (output["kind"], ENCODING_VERSION):
        yield Finding("structure", where, "the group's encoding is not that of the output's kind")
    expected = contents(output)
    if output["paths"] != sorted(content.path for content in expected):
        yield Finding("unlisted", where, "the paths are not those that the parameters call for")
    arrays: dict[str, NDArray[Any]] = {}
    # First the integers: only if they can be what is claimed is it worth to derive anything.
    noised = [content for content in expected if isinstance(content, Noised)]
    found = list(_read_faults(read, noised, arrays)) or list(_integer_faults(output, where, arrays, manifest))
    if not found:
        others = [content for content in expected if not isinstance(content, Noised)]
        found = list(_read_faults(read, others, arrays)) or list(
            _record_faults(output, where, expected, arrays)
        )
    yield from found


def _read_faults(
    read: _Reader, expected: Sequence[Content], arrays: dict[str, NDArray[Any]]
) -> Iterator[Finding]:
    """Read datasets and check each, up to the first fault; what others follow from stays in `arrays`."""
    used_again = {
        source for content in expected if isinstance(content, Derived) for source in content.sources
    }
    for content in expected:
        arrays[content.path] = read(content.path)
        fault = content.fault(arrays[content.path], arrays)
        if fault is not None:
            yield Finding("derived", content.path, fault)
            return
        if isinstance(content, Derived | Binned) and content.path not in used_again:
            del arrays[content.path]  # maps are large


def _integer_faults(
    output: dict[str, Any], where: str, noised: dict[str, NDArray[Any]], manifest: dict[str, Any]
) -> Iterator[Finding]:
    """Where event, parameters and integers of an output do not agree."""
    integers = list(noised.values())
    for code, fault in claims.event_faults(
        output,
        neighbours=Neighbours(manifest["privacy"]["neighbours"]),
        people=output["mechanism"]["public_inputs"]["people"],
        integers=sum(array.size for array in integers),
    ):
        yield Finding(code, where, fault)
    yield from _noise_faults(output, where, integers)


def _quietest(output: dict[str, Any], integers: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """The integers that can be expected to hold little beside noise, chosen by place and never by size; none if no such."""
    if output["kind"] != "signals" or not integers:
        return []
    high = signal_claims.of_high_frequency(output["mechanism"])
    return [array[..., high] for array in integers]


def _noise_faults(output: dict[str, Any], where: str, integers: Sequence[NDArray[Any]]) -> Iterator[Finding]:
    """Where the integers cannot carry the noise, or hold the counts, that are claimed."""
    for leaf in events.flatten(events.from_json(output["event"])):
        if not isinstance(leaf, events.Noise):
            continue
        if too_quiet(integers, leaf) or too_quiet(_quietest(output, integers), leaf):
            yield Finding("noise", where, "the integers are too small to carry noise of the stated scale")
        each, total = claims.most_counts(output)
        if (each is not None and too_large(integers, leaf, most_each=each)) or (
            total is not None and too_many(integers, leaf, most=total)
        ):
            yield Finding("sensitivity", where, "the values are more than the stated bounds allow all people")


def _record_faults(
    output: dict[str, Any], where: str, expected: list[Content], arrays: dict[str, NDArray[Any]]
) -> Iterator[Finding]:
    """Where records are not those of their noised counts."""
    if output["kind"] == "records" and output["mechanism"]["parameters"]["threshold"] is None:
        categories = [arrays[c.path] for c in expected if isinstance(c, Categories)]
        if foreign_to_network(categories, noised_network(output, arrays)):
            yield Finding("derived", where, "the records are not draws from the noised counts")
