"""What a careful forger does to a bundle: change the manifest, make all that follows agree, renew digests and seal."""

from __future__ import annotations

import functools
import io
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import h5py
import numpy as np

from synthrelease.bundle import claims, disclosure, reseal, resealing
from synthrelease.bundle.content import Content
from synthrelease.bundle.examination import examine
from synthrelease.bundle.items import Item, StoredOutput
from synthrelease.kinds.dataset import STORED, Role, Source
from synthrelease.kinds.narrower import narrower_guarantees
from synthrelease.kinds.registry import parameters_of
from synthrelease.maths.stored import stored
from synthrelease.privacy import accounting
from synthrelease.privacy import event as events
from synthrelease.privacy.guarantee import Neighbours

Manifest = dict[str, Any]
Change = Callable[[Manifest], None]


def read_manifest(path: Path) -> Manifest:
    with h5py.File(path, "r") as file:
        found: Manifest = json.loads(file["/manifest"][()].tobytes())
    return found


def forge(path: Path, change: Callable[[Manifest], object]) -> None:
    """Apply `change` to the manifest and renew digests and seal."""
    manifest = read_manifest(path)
    change(manifest)
    with patch.object(resealing, "_content", _remembered):
        reseal(path, manifest)


def _remembered(file: h5py.File) -> tuple[Content, dict[str, Any], bool]:
    """What is in a file, read once: hundreds of forgeries begin with the same one."""
    content, arrays, plain = _content_of(Path(file.filename).read_bytes())
    return content, dict(arrays), plain


_content = resealing._content


@functools.lru_cache(maxsize=16)
def _content_of(raw: bytes) -> tuple[Content, dict[str, Any], bool]:
    with h5py.File(io.BytesIO(raw), "r") as file:
        return _content(file)


def output(manifest: Manifest, name: str) -> Manifest:
    found: Manifest = next(o for o in manifest["outputs"] if o["name"] == name)
    return found


def codes(path: Path, **options: Any) -> set[str]:
    """Return the codes of what is found in a forged bundle: in this process, where accounting remembers what it composed."""
    return {finding.code for finding in examine(path, **options).findings}


def scaled(number: str, factor: float) -> str:
    return repr(float(number) * factor)


def recompute_claims(manifest: Manifest) -> None:
    """Make every derived number of the manifest agree with its events."""
    neighbours = Neighbours(manifest["privacy"]["neighbours"])
    recorded = []
    for entry in manifest["outputs"]:
        event = events.from_json(entry["event"])
        recorded.append(event)
        if entry["noise"] is not None:
            noise = next(e for e in events.flatten(event) if hasattr(e, "standard_deviation"))
            entry["noise"]["standard_deviation"] = repr(noise.standard_deviation)
        delta = entry["guarantee"].get("delta", 0.5)
        entry["guarantee"] = claims.output_guarantee(event, delta=delta, neighbours=neighbours).to_json()
        with suppress(ValueError, TypeError):  # parameters that are none follow from nothing
            narrower = narrower_guarantees(parameters_of(entry), event, delta=delta, neighbours=neighbours)
            entry["narrower_units"] = [one.to_json() for one in narrower]
    delta = manifest["privacy"]["guarantee"].get("delta", 0.5)
    budget = manifest["privacy"]["budget"]["epsilon"]
    total, method = accounting.compose_private(recorded, delta=delta, neighbours=neighbours, budget=budget)
    manifest["privacy"]["guarantee"] = total.to_json()
    manifest["privacy"]["composition"] = {
        "method": method,
        "outputs": disclosure.private_names(manifest["outputs"]),
    }
    due = disclosure.not_protected(manifest["outputs"], neighbours)
    manifest["privacy"]["not_protected"] = [one.to_json() for one in due]
    restate(manifest)


def restate(manifest: Manifest) -> None:
    """Make everything that is stated in codes follow from the rest of the manifest."""
    neighbours = Neighbours(manifest["privacy"]["neighbours"])
    manifest["warnings"] = [one.to_json() for one in disclosure.due_warnings(manifest)]
    for entry in manifest["outputs"]:
        with suppress(ValueError, TypeError, KeyError):  # parameters that are none follow from nothing
            parameters = parameters_of(entry)
            entry["post_processing"] = [one.to_json() for one in parameters.post_processing()]
            entry["warnings"] = [one.to_json() for one in parameters.warnings()]
            if entry["sensitivity"] is not None:
                entry["sensitivity"]["derivation"] = parameters.derivation(neighbours).to_json()


def recompute_sensitivities(manifest: Manifest) -> None:
    """Make sensitivities agree with the parameters, and all claims with them."""
    neighbours = Neighbours(manifest["privacy"]["neighbours"])
    for entry in manifest["outputs"]:
        if entry["sensitivity"] is None:
            continue
        moved = parameters_of(entry).sensitivity(neighbours)
        value = repr(moved.l2 if entry["sensitivity"]["norm"] == "l2" else moved.l1)
        for leaf in entry["event"].get("events", [entry["event"]]):
            if "sensitivity" in leaf:
                leaf["sensitivity"]["value"] = entry["sensitivity"]["value"] = value
    recompute_claims(manifest)


def found(path: Path, *changes: Change) -> set[str]:
    """Apply the changes to the manifest, renew digests and seal, and return what `verify` finds."""

    def all_of_them(manifest: Manifest) -> None:
        for change in changes:
            change(manifest)

    forge(path, all_of_them)
    return codes(path, allow_test_seed=True)


def derive_again(path: Path, *, normalized: float | None = None) -> None:
    """Make all values follow from the integers and the manifest, and renew digests and seal.

    Normalizations are multiplied by a number of the forger's own, if there is one, in place of following from anything.
    """
    with h5py.File(path, "r+") as file:
        for entry in read_manifest(path)["outputs"]:
            stored_output = StoredOutput(entry)
            for one in stored_output.stored():
                if one.axis is not None and one.path in file:
                    file[one.path][...] = one.axis.values
            items = stored_output.items()
            for item in items:
                dataset = item.dataset
                if dataset.derive is None:
                    continue
                if normalized is not None and dataset.role is Role.NORMALIZATION:
                    values = file[item.path][item.index].astype(np.float64) * normalized
                else:
                    sources = [_source(file, items, item, source) for source in dataset.sources]
                    index = (*item.index, slice(0, None)) if dataset.by_rows else item.index
                    values = dataset.derive(index, *sources)
                if dataset.types == STORED:
                    values = stored(values, by_rows=dataset.by_rows)
                file[item.path][item.index] = values
    reseal(path)


def _source(file: h5py.File, items: list[Item], item: Item, source: Source) -> Any:
    chosen = [one for one in items if one.dataset.path == source.path]
    if not source.whole:
        (one,) = (one for one in chosen if one.index == item.index)
        return file[one.path][one.index]
    part = source.part or (lambda values: values)
    return np.array([part(file[one.path][one.index]) for one in chosen])


def parameters(manifest: Manifest, name: str) -> Manifest:
    told: Manifest = output(manifest, name)["mechanism"]["parameters"]
    return told


def told(name: str, **values: Any) -> Change:
    return lambda manifest: parameters(manifest, name).update(values)


def public(name: str, **values: Any) -> Change:
    return lambda manifest: output(manifest, name)["mechanism"]["public_inputs"].update(values)


def done(name: str, event: Callable[[Manifest], Manifest]) -> Change:
    def change(manifest: Manifest) -> None:
        output(manifest, name)["event"] = event(output(manifest, name)["event"])

    return change
