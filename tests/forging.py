"""What a careful forger does to a bundle: change the manifest, make all that follows agree, renew digests and seal."""

from __future__ import annotations

import functools
import io
import json
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import h5py
import numpy as np

from synthrelease.bundle import disclosure, reseal, resealing
from synthrelease.bundle.content import Content
from synthrelease.bundle.examination import examine
from synthrelease.bundle.items import Item, OutputDataset, StoredOutput
from synthrelease.bundle.strict_hdf5.anatomy import Form
from synthrelease.dp import accounting
from synthrelease.dp import event as events
from synthrelease.dp.guarantee import Neighbours
from synthrelease.kinds.dataset import DerivedFrom, Role
from synthrelease.kinds.event_level import narrower_guarantees
from synthrelease.kinds.registry import parameters_of

_MOST_COORDINATES = 1 << 20  # that a forger cares to write
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


def forge_carefully(path: Path, *changes: Callable[[Manifest], object]) -> None:
    """Apply changes to the manifest, make codes, axes and coordinates follow from it, and renew digests and seal.

    Values are what they were: whether they bear out what is stated now is left to be seen.
    """
    manifest = read_manifest(path)
    for change in changes:
        change(manifest)
    restate(manifest)

    def content(file: h5py.File) -> tuple[Content, dict[str, Any], bool]:
        return _called_for(manifest, _remembered(file))

    with patch.object(resealing, "_content", content):
        reseal(path, manifest)


def _called_for(
    manifest: Manifest, there: tuple[Content, dict[str, Any], bool]
) -> tuple[Content, dict[str, Any], bool]:
    """What is in a file, with the axes and coordinates that a manifest calls for; those that nothing has are left out."""
    content, arrays, plain = there
    if not plain:
        return content, arrays, plain
    stored = stored_of(manifest)
    forms = {path: form for path, form in content.forms.items() if not form.axis}
    scales: dict[str, OutputDataset] = {}
    for path, form in forms.items():
        if path not in stored or not all(scale in stored for scale in stored[path].scales):
            continue
        scales |= {scale: stored[scale] for scale in stored[path].scales}
        if len(stored[path].scales) == len(form.shape):
            forms[path] = replace(stored[path].form(form.dtype), shape=form.shape)
    others = {
        path: form
        for path, form in content.forms.items()
        if form.axis and any(path in form.scales for form in forms.values()) and path not in scales
    }
    arrays |= {path: scale.axis.values for path, scale in scales.items() if scale.axis is not None}
    dropped = content.forms.keys() - forms.keys() - others.keys() - scales.keys()
    forms = {path: scale.form(arrays[path].dtype) for path, scale in scales.items()} | others | forms
    arrays = {path: array for path, array in arrays.items() if path not in dropped}
    values = [(path, arrays[path]) for path in forms]
    return Content(content.groups, forms, values), arrays, plain


def stored_of(manifest: Manifest) -> dict[str, OutputDataset]:
    """Return the datasets and coordinates that a manifest calls for, by path."""
    stored: dict[str, OutputDataset] = {}
    for entry in manifest["outputs"]:
        with suppress(Exception):  # nonsense calls for nothing
            for one in StoredOutput(entry).hdf5_datasets:
                if min(one.shape) > 0 and max(one.shape) <= _MOST_COORDINATES:
                    stored[one.path] = one
    return stored


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
        entry["guarantee"] = accounting.compose([event], delta=delta, neighbours=neighbours).to_json()
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


def put_values(path: Path, changes: dict[str, Callable[[Any], Any]]) -> None:
    """Put other values into datasets, of any type and shape, along the axes that are there, and renew digests and seal.

    A dataset of another number of axes has none of them any more.
    """

    def put(forms: dict[str, Form], arrays: dict[str, Any]) -> None:
        for place, change in changes.items():
            values = arrays[place] = np.ascontiguousarray(change(np.array(arrays[place])))
            scales = forms[place].scales if values.ndim == len(forms[place].shape) else ()
            forms[place] = replace(forms[place], dtype=values.dtype, shape=values.shape, scales=scales)

    _put(path, put)


def put_forms(path: Path, changes: dict[str, Callable[[Form], Form]]) -> None:
    """Change what datasets say of themselves and along which scales they lie, and renew digests and seal."""

    def put(forms: dict[str, Form], _arrays: dict[str, Any]) -> None:
        for place, change in changes.items():
            forms[place] = change(forms[place])

    _put(path, put)


def _put(path: Path, put: Callable[[dict[str, Form], dict[str, Any]], None]) -> None:
    def content(file: h5py.File) -> tuple[Content, dict[str, Any], bool]:
        content, arrays, plain = _remembered(file)
        forms = dict(content.forms)
        put(forms, arrays)
        ordered = {one: forms[one] for one in sorted(forms, key=lambda one: not forms[one].axis)}
        return Content(content.groups, ordered, [(one, arrays[one]) for one in ordered]), arrays, plain

    with patch.object(resealing, "_content", content):
        reseal(path)


def restate(manifest: Manifest) -> None:
    """Make everything that is stated in codes follow from the rest of the manifest; of nonsense nothing follows."""
    with suppress(Exception):
        manifest["warnings"] = [one.to_json() for one in disclosure.due_warnings(manifest)]
    for entry in manifest["outputs"]:
        with suppress(Exception):
            parameters, neighbours = parameters_of(entry), Neighbours(manifest["privacy"]["neighbours"])
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
    """Apply the changes to the manifest, with codes and coordinates that follow, and return what `verify` finds."""
    forge_carefully(path, *changes)
    return codes(path, allow_test_seed=True)


def derive_again(path: Path, *, normalized: float | None = None) -> None:
    """Make all values and coordinates follow from the integers and the manifest, and renew digests and seal.

    Normalizations are multiplied by a number of the forger's own, if there is one, in place of following from anything.
    """
    manifest = read_manifest(path)

    def content(file: h5py.File) -> tuple[Content, dict[str, Any], bool]:
        content, arrays, plain = _called_for(manifest, _remembered(file))
        for entry in manifest["outputs"]:
            items = StoredOutput(entry).items()
            arrays |= {item.path: arrays[item.path].copy() for item in items}
            for item in items:
                if item.dataset.derive is not None:
                    _derive(arrays, item, items, normalized)
        return (
            Content(content.groups, content.forms, [(one, arrays[one]) for one in content.forms]),
            arrays,
            plain,
        )

    with patch.object(resealing, "_content", content):
        reseal(path)


def _derive(arrays: dict[str, Any], item: Item, items: list[Item], normalized: float | None) -> None:
    dataset = item.dataset
    assert dataset.derive is not None
    if normalized is not None and dataset.role is Role.NORMALIZATION:
        values = arrays[item.path][item.index].astype(np.float64) * normalized
    else:
        sources = [_source(arrays, items, item, source) for source in dataset.sources]
        index = (*item.index, slice(0, None)) if dataset.by_rows else item.index
        values = dataset.derive(index, *sources)
    values = dataset.stored(np.asarray(values))
    if np.size(values) == math.prod(dataset.item_shape):  # else nothing follows from such parameters
        arrays[item.path][item.index] = np.reshape(values, dataset.item_shape)


def _source(arrays: dict[str, Any], items: list[Item], item: Item, source: DerivedFrom) -> Any:
    chosen = [one for one in items if one.dataset.path == source.path]
    if not source.whole:
        (same,) = (one for one in chosen if one.index == item.index)
        return arrays[same.path][same.index]
    if source.part is None:
        return arrays[chosen[0].path].reshape(chosen[0].dataset.shape)
    return np.array([source.part(arrays[one.path][one.index]) for one in chosen])


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
