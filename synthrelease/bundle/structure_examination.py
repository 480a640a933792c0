"""Examining a file before its manifest is read: the checksum, and whether its HDF5 is that of a bundle of the version that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from synthrelease.bundle.finding import Finding
from synthrelease.bundle.layout import (
    FORMAT,
    FORMAT_VERSION,
    MANIFEST,
    OUTPUTS,
    SIGNATURE,
    sealed_digest,
    stated_version,
)
from synthrelease.bundle.strict_hdf5.anatomy import Form
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.bundle.strict_hdf5.library import disagreements

_HASHED_UNSEEN_BYTES = 1 << 30  # a larger file, which can be a hole, is dissected before it is hashed


def checksum_faults(file: BundleFile) -> Iterator[Finding]:
    """Yield what is wrong with the text block, or with the digest that it states."""
    stated = sealed_digest(file.text_block)
    if stated is not None and file.size > _HASHED_UNSEEN_BYTES:
        file.anatomy  # noqa: B018  raises, where a terabyte of nothing is no part of a bundle
    if stated is None:
        version = stated_version(file.text_block) or 0
        plain = "the file does not begin with a bundle's text block"
        later = version > FORMAT_VERSION
        yield Finding(
            "checksum", str(file.path), _later("a bundle", version, FORMAT_VERSION) if later else plain
        )
    elif stated != file.body_digest():
        message = "the bytes do not match the checksum: damaged or changed"
        yield Finding("checksum", str(file.path), message)


def structure_faults(
    file: BundleFile, touching: Callable[[], AbstractContextManager[None]]
) -> Iterator[Finding]:
    """Yield what is wrong with the HDF5, as it is read by hand and then as the library sees it; see `examination.examine`."""
    root = file.anatomy.groups["/"]
    if root.get("format") != FORMAT.encode() or set(root) != {"format", "format_version"}:
        yield Finding(
            "structure", "/", f"the root does not say format = {FORMAT} and format_version, and no more"
        )
    elif fault := version_fault("a bundle", root["format_version"], FORMAT_VERSION):
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
            fault = version_fault("an output", attributes["encoding_version"], FORMAT_VERSION)
            if fault is not None:
                yield Finding("structure", group, fault)


def version_fault(subject: str, version: object, known: int) -> str | None:
    """Return why a stated version is not the one that this program can read."""
    if type(version) is int and version == known:
        return None
    if type(version) is int and version > known:
        return _later(subject, version, known)
    return f"expected {subject} of version {known}, found none that there ever was"


def _later(subject: str, version: int, newest: int) -> str:
    return f"{subject} of version {version}, and this synthrelease knows version {newest}: use a later one"
