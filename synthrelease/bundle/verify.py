"""Checking a bundle from anyone, without the data: `verify` never raises for a bad file.

In this order, each step only if the ones before found nothing that makes it unsafe or meaningless: the seal (before HDF5
is touched), the structure (before any value is read), the manifest (strict JSON, its schema), digests, contents,
claims. docs/bundle.md says what each finding means.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np
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
from synthrelease.bundle.disclosure import not_protected, private_names
from synthrelease.bundle.layout import (
    ENCODING_VERSION,
    dataset_path,
    digest,
    is_marked_test_seed,
    sealed_digest,
)
from synthrelease.bundle.manifest import validator
from synthrelease.bundle.plausibility import foreign_to_network, too_large, too_many, too_quiet
from synthrelease.bundle.structure import structure_faults
from synthrelease.errors import BundleError
from synthrelease.privacy import accounting
from synthrelease.privacy import event as events
from synthrelease.privacy.guarantee import Neighbours

_LEDGER_CARE = 1e-6  # relative: what two versions of the accounting library may differ in the last digits
_LEDGER_ROUNDING = 1e-3  # relative: a unit of the fourth digit, up to which composed ε are rounded
_MISSING_LISTED = 1000  # datasets; if more are missing, their names help nobody


@dataclass(frozen=True)
class Finding:
    """Something wrong with a bundle: a `code` for programs, a place, and a sentence for people."""

    code: str
    where: str
    message: str

    def __str__(self) -> str:
        return (
            f"[{self.code}] {self.where}: {self.message}" if self.where else f"[{self.code}] {self.message}"
        )


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
        result.findings.extend(_claim_faults(manifest))
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
    for path in present:
        if digest(hdf5.read_array(file, path)) != manifest["digests"].get(path):
            yield Finding("digest", path, "the values are not those of the manifest's digest")
    if set(called_for) <= set(present):
        for number, output in enumerate(manifest["outputs"]):
            yield from _output_faults(file, output, f"outputs/{number} ({output['name']})", manifest)


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _output_faults(
    file: h5py.File, output: dict[str, Any], where: str, manifest: dict[str, Any]
) -> Iterator[Finding]:
    if hdf5.encoding(file, dataset_path(output["name"])) != (output["kind"], ENCODING_VERSION):
        yield Finding("structure", where, "the group's encoding is not that of the output's kind")
    expected = contents(output)
    if output["paths"] != sorted(content.path for content in expected):
        yield Finding("unlisted", where, "the paths are not those that the parameters call for")
    arrays: dict[str, NDArray[Any]] = {}
    # First the integers: only if they can be what is claimed is it worth to derive anything.
    noised = [content for content in expected if isinstance(content, Noised)]
    found = list(_read_faults(file, noised, arrays)) or list(_integer_faults(output, where, arrays, manifest))
    if not found:
        others = [content for content in expected if not isinstance(content, Noised)]
        found = list(_read_faults(file, others, arrays)) or list(
            _record_faults(output, where, expected, arrays)
        )
    yield from found


def _read_faults(
    file: h5py.File, expected: Sequence[Content], arrays: dict[str, NDArray[Any]]
) -> Iterator[Finding]:
    """Read datasets and check each, up to the first fault; what others follow from stays in `arrays`."""
    used_again = {
        source for content in expected if isinstance(content, Derived) for source in content.sources
    }
    for content in expected:
        arrays[content.path] = hdf5.read_array(file, content.path)
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
    flat = [array.ravel() for array in noised.values()]
    integers = np.concatenate(flat) if flat else np.zeros(0, dtype=np.int64)
    for code, fault in claims.event_faults(
        output,
        neighbours=Neighbours(manifest["privacy"]["neighbours"]),
        people=output["mechanism"]["public_inputs"]["people"],
        integers=integers.size,
    ):
        yield Finding(code, where, fault)
    yield from _noise_faults(output, where, integers, _quietest(output, noised))


def _quietest(output: dict[str, Any], noised: dict[str, NDArray[Any]]) -> NDArray[Any] | None:
    """The integers that can be expected to hold little beside noise, chosen by place and never by size; None if no such."""
    if output["kind"] != "signals" or not noised:
        return None
    high = signal_claims.of_high_frequency(output["mechanism"])
    return np.concatenate([array[..., high].ravel() for array in noised.values()])


def _noise_faults(
    output: dict[str, Any], where: str, integers: NDArray[Any], quietest: NDArray[Any] | None
) -> Iterator[Finding]:
    """Where the integers cannot carry the noise, or hold the counts, that are claimed."""
    for leaf in events.flatten(events.from_json(output["event"])):
        if not isinstance(leaf, events.RoundedGaussian | events.DiscreteLaplace):
            continue
        if too_quiet(integers, leaf) or (quietest is not None and too_quiet(quietest, leaf)):
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


def _claim_faults(manifest: dict[str, Any]) -> Iterator[Finding]:
    privacy = manifest["privacy"]
    neighbours = Neighbours(privacy["neighbours"])
    recorded = [events.from_json(output["event"]) for output in manifest["outputs"]]
    for number, (output, event) in enumerate(zip(manifest["outputs"], recorded, strict=True)):
        computed = claims.output_guarantee(event, delta=_delta(output["guarantee"]), neighbours=neighbours)
        if not claims.same_guarantee(output["guarantee"], computed):
            yield Finding(
                "guarantee", f"outputs/{number} ({output['name']})", f"the event amounts to {computed}"
            )
        yield from _narrower_faults(output, event, f"outputs/{number} ({output['name']})", neighbours)
    total, method = accounting.compose_private(
        recorded,
        delta=_delta(privacy["guarantee"]),
        neighbours=neighbours,
        budget=privacy["budget"]["epsilon"],
    )
    if not claims.same_guarantee(privacy["guarantee"], total):
        yield Finding("guarantee", "privacy", f"the outputs together amount to {total}")
    if privacy["composition"]["method"] != method:
        yield Finding("guarantee", "privacy/composition", f"the method is: {method}")
    budget, claim = privacy["budget"], privacy["guarantee"]
    if claim.get("epsilon", 0) > budget["epsilon"] or claim.get("delta", 0) > budget["delta"]:
        yield Finding("guarantee", "privacy", "the outputs together cost more than the stated budget")
    yield from _listing_faults(manifest)
    yield from _ledger_faults(manifest, recorded)


def _ledger_faults(manifest: dict[str, Any], recorded: list[events.Event]) -> Iterator[Finding]:
    """Where spending over all releases contradicts this one; what others have cost, only the curator's ledger knows."""
    spent = manifest["ledger"]
    if spent is None:
        return
    if manifest["randomness"]["test_seed"]:
        yield Finding("test-seed", "ledger", "what a test seed made was paid for at no ledger")
    delta, before, here, after = (
        spent[key] for key in ("delta", "spent_before", "spent_here", "spent_after")
    )
    stated = here * (1 + _LEDGER_CARE)  # or more: what a private choice could have cost is a true claim, too
    due = accounting.epsilon_at(
        recorded, delta=delta, neighbours=Neighbours(manifest["privacy"]["neighbours"]), budget=stated
    )
    if due > stated:
        yield Finding("guarantee", "ledger", f"at δ = {delta:.2g} this release costs ε = {due:g}")
    # All together cost what some of them cost, at least; but a sum of ε without δ can be more than all cost at a δ.
    private = [event for event in recorded if accounting.is_differentially_private(event)]
    pure = accounting.method(private) == "pure"
    least = [before] if pure else [here]
    if delta == 0:
        least = [before + here]
    slack = 2 * _LEDGER_ROUNDING * after - math.log1p(-delta)
    if max(least) > after + slack:
        yield Finding("guarantee", "ledger", "all releases together cost less than some of them")


def _narrower_faults(
    output: dict[str, Any], event: events.Event, where: str, neighbours: Neighbours
) -> Iterator[Finding]:
    due = claims.narrower_guarantees(
        output["kind"], output["mechanism"], event, delta=_delta(output["guarantee"]), neighbours=neighbours
    )
    stated = output["narrower_units"]
    if len(stated) != len(due) or not all(map(claims.same_guarantee, stated, due)):
        yield Finding("guarantee", where, "the promises to less than a person do not follow from the event")


def _delta(stated: dict[str, Any]) -> float:
    """The δ at which a claim states its ε: every true pair is a true claim."""
    return float(stated.get("delta", 0.5))


def _listing_faults(manifest: dict[str, Any]) -> Iterator[Finding]:
    privacy, outputs = manifest["privacy"], manifest["outputs"]
    neighbours = Neighbours(privacy["neighbours"])
    if privacy["composition"]["outputs"] != private_names(outputs):
        yield Finding("guarantee", "privacy/composition", "the composed outputs are not the private ones")
    due = not_protected(outputs, neighbours)
    if privacy["not_protected"] != due:
        names = ", ".join(entry["what"] for entry in due)
        yield Finding("guarantee", "privacy/not_protected", f"expected exactly, with their reasons: {names}")
    stated = [output["mechanism"]["public_inputs"]["people"] for output in outputs]
    if neighbours is Neighbours.REPLACE_ONE:
        people = privacy["people"]
        if people is None or None in stated or not max(stated) <= people <= sum(stated):
            yield Finding(
                "manifest", "privacy/people", "missing, or not possible for the people of the outputs"
            )
    elif privacy["people"] is not None or any(n is not None for n in stated):
        yield Finding("manifest", "privacy/people", "a number of people where it is private")
