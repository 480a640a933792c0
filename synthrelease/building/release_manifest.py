"""The manifest of a release: what was planned, what was done, what it guarantees."""

from __future__ import annotations

import datetime as dt
import os
import platform
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

import synthrelease
from synthrelease.building.design import Design, PlannedOutput, warnings
from synthrelease.bundle.disclosure import not_protected, private_names
from synthrelease.bundle.layout import dataset_path
from synthrelease.bundle.manifest import MANIFEST_VERSION
from synthrelease.data.cells import Code
from synthrelease.data.input_spec import InputSpec
from synthrelease.dp.event import noise_of
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import MachineError
from synthrelease.kinds.event_level import narrower_guarantees
from synthrelease.kinds.mechanism import Drawn

_DEPENDENCIES = ("numpy", "scipy", "h5py", "dp-accounting", "cryptography")


@cache
def _versions() -> dict[str, str]:
    return {name: version(name) for name in _DEPENDENCIES}


def compose_manifest(
    design: Design,
    releases: list[Drawn],
    *,
    seeded: bool,
    date: str,
    spending: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return the manifest of a release, but for what `with_contents` adds; nothing in it is private."""
    plan = design.plan
    people_public = plan.neighbours is Neighbours.REPLACE_ONE
    remarks = warnings(design, is_seeded=seeded, is_tracked=spending is not None)
    entries = [
        _output_entry(output, drawn, plan.neighbours)
        for output, drawn in zip(design.outputs, releases, strict=True)
    ]
    return {
        "manifest_version": MANIFEST_VERSION,
        "release": {**plan.release, "date": date},
        "tool": {
            "name": "synthrelease",
            "version": synthrelease.__version__,
            "dependencies": {"python": platform.python_version(), **_versions()},
        },
        "privacy": {
            "unit": "person",
            "neighbours": str(plan.neighbours),
            "people": design.people if people_public else None,
            "budget": {"epsilon": plan.epsilon, "delta": plan.delta},
            "guarantee": design.guarantee.to_json(),
            "composition": {
                "method": design.method,
                "outputs": private_names(entries),
            },
            "not_protected": [remark.to_json() for remark in not_protected(entries, plan.neighbours)],
        },
        "plan": {"sha256": plan.digest},
        "inputs": [_input_entry(spec) for spec in plan.used_inputs().values()],
        "outputs": entries,
        "randomness": {
            "source": "test seed" if seeded else "operating system, AES-256-CTR",
            "test_seed": seeded,
        },
        "ledger": spending,
        "digests": {},
        "warnings": [remark.to_json() for remark in remarks],
    }


def release_date() -> str:
    """Return today, or the day of SOURCE_DATE_EPOCH; no finer, since the hour of a build is private.

    Raises:
        MachineError: that variable is no time.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        now = dt.datetime.fromtimestamp(int(epoch), dt.UTC) if epoch else dt.datetime.now(dt.UTC)
    except (ValueError, OverflowError, OSError):
        raise MachineError(
            "bad-source-date-epoch",
            "the environment variable SOURCE_DATE_EPOCH is not a time",
            expected="whole seconds since 1970-01-01",
            remedy="unset it",
        ) from None
    return now.date().isoformat()


def with_contents(manifest: dict[str, Any], digests: dict[str, str]) -> dict[str, Any]:
    """Return a manifest with the digests of all datasets, and the paths of each output's."""
    outputs = [
        {**entry, "paths": sorted(p for p in digests if p.startswith(f"{dataset_path(entry['name'])}/"))}
        for entry in manifest["outputs"]
    ]
    return {**manifest, "outputs": outputs, "digests": dict(sorted(digests.items()))}


def _input_entry(spec: InputSpec) -> dict[str, Any]:
    """Which rows of an input count: public parameters, as the plan has them."""
    options = spec.options
    coded = [code for code in options["missing"] if not isinstance(code, str)]
    texts = [code.strip() for code in options["missing"] if isinstance(code, str)]
    return {
        "name": spec.name,
        "kind": spec.kind,
        "only": [{"column": column, "labels": labels} for column, labels in options["only"].items()],
        "valid": [_accepted_entry(column, values) for column, values in options["valid"].items()],
        "missing": {
            "numbers": [repr(float(code)) for code in coded],
            "texts": [text for text in texts if text],  # an empty cell is missing in any case
        },
        **{key: options[key] for key in ("off_screen", "coordinates", "origin") if key in options},
    }


def _accepted_entry(column: str, values: Sequence[Code]) -> dict[str, Any]:
    """The values of a good measurement: labels, which may be equal once written as text, or a range."""
    if any(isinstance(value, str) for value in values):
        return {"column": column, "labels": list(dict.fromkeys(values))}
    low, high = (repr(float(value)) for value in values)
    return {"column": column, "low": low, "high": high}


def _output_entry(planned: PlannedOutput, drawn: Drawn, neighbours: Neighbours) -> dict[str, Any]:
    noise, parameters = noise_of(drawn.event), drawn.parameters
    return {
        "name": planned.name,
        "kind": planned.spec.kind,
        "input": planned.spec.input,
        "paths": [],
        "mechanism": parameters.to_entry(),
        "sensitivity": None
        if noise is None
        else {
            "norm": noise.norm,
            "value": repr(noise.sensitivity),
            "derivation": parameters.derivation(neighbours).to_json(),
        },
        "noise": None
        if noise is None
        else {
            "distribution": noise.type,
            "scale": repr(noise.scale),
            "standard_deviation": repr(noise.standard_deviation),
            "grid": "1",
            "exact": True,
        },
        "event": drawn.event.to_json(),
        "guarantee": planned.guarantee.to_json(),
        "narrower_units": [
            narrower.to_json()
            for narrower in narrower_guarantees(
                parameters, drawn.event, delta=planned.delta, neighbours=neighbours
            )
        ],
        "post_processing": [remark.to_json() for remark in parameters.post_processing()],
        "warnings": [remark.to_json() for remark in parameters.warnings()],
    }
