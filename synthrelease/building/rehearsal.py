"""What is known of a release before its noise is drawn, checked as `verify` will: what auditors would refuse is refused unpaid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from synthrelease.building.design import Design, warnings
from synthrelease.building.release_manifest import compose_manifest, release_date, with_contents
from synthrelease.bundle import output_claims
from synthrelease.bundle.finding import Finding
from synthrelease.bundle.items import OutputDataset, StoredOutput
from synthrelease.bundle.layout import is_compact
from synthrelease.bundle.manifest import SCHEMA, to_bytes
from synthrelease.bundle.release_claims import claim_faults, statement_faults
from synthrelease.bundle.strict_hdf5.bundle_file import MOST_MANIFEST_BYTES
from synthrelease.dp.guarantee import Neighbours
from synthrelease.errors import BundleError, PlanError
from synthrelease.kinds.dataset import Role
from synthrelease.plan.complaints import explained
from synthrelease.schemas import schema, validator

_DIGEST = "0" * 64  # in the place of one
_OBJECT_BYTES = 8192  # of a dataset's header, its index of chunks, what fills up its last one, and its part of a group's list, at most
_DEFLATED = 1.001  # of values that cannot be compressed, and checksums of chunks
_FRAME_BYTES = 1 << 14  # of everything else


@dataclass(frozen=True)
class Rehearsal:
    """A release as it will be, but for its values."""

    # with nothing in the place of digests and of what others have paid; what is chosen privately is the last
    # candidate
    manifest: dict[str, Any]
    most_bytes: int  # of the bundle and its sidecar together, at most


def rehearse(design: Design, *, seeded: bool = False) -> Rehearsal:
    """Return a release as it will be; reads no private value.

    Args:
        design: the plan with everything public filled in.
        seeded: whether the noise is to come from a test seed.

    Raises:
        PlanError: a text of the plan, or a public label of the data, cannot stand in a manifest; or there is too much of them.
        BundleError: what the plan claims does not follow from what it does: a defect of this package.
        MachineError: the date is not known.
    """
    releases = [output.mechanism.rehearsed(output.budget, output.event) for output in design.outputs]
    planned = compose_manifest(design, releases, seeded=seeded, date=release_date(), spending=None)
    _refuse_misfit(planned, design)
    stored = [dataset for entry in planned["outputs"] for dataset in StoredOutput(entry).hdf5_datasets]
    manifest = with_contents(planned, {dataset.path: _DIGEST for dataset in stored})
    size = len(to_bytes(manifest))
    if size > MOST_MANIFEST_BYTES:
        raise PlanError(
            "manifest-too-large",
            "the manifest would be too large",
            where=str(design.plan.path),
            found=f"{size / 1e6:.1f} MB, for {len(stored)} datasets",
            expected=f"at most {MOST_MANIFEST_BYTES / 1e6:.1f} MB",
            remedy="release fewer outputs, stimuli or features, or split them into several releases",
        )
    _refuse_false_claims(manifest, design)
    # Whether spending is tracked is known before anything is spent.
    manifest["warnings"] = [dataset.to_json() for dataset in warnings(design, is_seeded=seeded)]
    return Rehearsal(manifest, _FRAME_BYTES + 3 * size + sum(map(_most_bytes, stored)))


def _refuse_misfit(planned: dict[str, Any], design: Design) -> None:
    """Refuse what does not fit the manifest's schema, in the words of the schema."""
    error = next(iter(validator(SCHEMA).iter_errors(planned)), None)
    if error is None:
        return
    while error.context:  # the alternative that came nearest
        error = max(error.context, key=lambda alternative: len(alternative.absolute_path))
    place = "/".join(map(str, error.absolute_path))
    raise explained(f"{design.plan.path}: in the manifest, {place}", error, schema(SCHEMA))


def _refuse_false_claims(manifest: dict[str, Any], design: Design) -> None:
    faults = [*statement_faults(manifest), *claim_faults(manifest), *_event_faults(manifest)]
    if faults:
        raise BundleError(
            "planned-bundle-invalid",
            "the bundle of this plan would not verify",
            where=str(design.plan.path),
            found="; ".join(map(str, faults)),
        )


def _event_faults(manifest: dict[str, Any]) -> list[Finding]:
    neighbours = Neighbours(manifest["privacy"]["neighbours"])
    return [
        Finding(code, output["name"], fault)
        for output in manifest["outputs"]
        for code, fault in output_claims.event_faults(
            output,
            neighbours=neighbours,
            integers=sum(
                dataset.size for dataset in StoredOutput(output).datasets if dataset.role is Role.NOISY
            ),
        )
    ]


def _most_bytes(stored: OutputDataset) -> int:
    """Bytes of a dataset in a bundle: as if nothing of it could be compressed."""
    itemsize = max(dtype.itemsize for dtype in stored.types)
    raw = math.prod(stored.shape) * itemsize
    return _OBJECT_BYTES + (raw if is_compact(stored.shape, itemsize) else math.ceil(raw * _DEFLATED))
