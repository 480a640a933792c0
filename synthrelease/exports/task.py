"""What is exported: a verified bundle, its manifest and signatures as bytes, and what descriptions say of its privacy."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synthrelease.bundle import Bundle
from synthrelease.bundle.layout import SIGNATURE, TEST_SEED_WORDS
from synthrelease.bundle.manifest import to_bytes
from synthrelease.bundle.signing.envelope import embedded_fault, envelope_of
from synthrelease.bundle.signing.expectations import signature_beside
from synthrelease.bundle.signing.statement import statement, statement_fault
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.errors import BundleError
from synthrelease.exports import guarantee_text
from synthrelease.exports.options import NO_OPTIONS, ExportOptions
from synthrelease.files.digest import sha256_of
from synthrelease.reports.guarantee_words import guarantee_words

if TYPE_CHECKING:
    from synthrelease.parallel import Progress


MANIFEST, SIGNATURES = "manifest.json", ("signature.json", "signature-2.json")


@dataclass(frozen=True)
class ExportTask:
    """An export that is being written."""

    bundle: Bundle  # that was verified in full
    folder: Path  # empty, to be written into
    options: ExportOptions = NO_OPTIONS
    progress: Progress | None = None  # called with (what, done, total)

    @property
    def manifest(self) -> dict[str, Any]:
        """The bundle's manifest."""
        return self.bundle.manifest

    @cached_property
    def manifest_bytes(self) -> bytes:
        """The manifest as it stands in the bundle: it has one form only."""
        return to_bytes(self.manifest)

    @cached_property
    def manifest_digest(self) -> str:
        """SHA-256 of the manifest's bytes."""
        return hashlib.sha256(self.manifest_bytes).hexdigest()

    @cached_property
    def detached(self) -> tuple[bytes | None, str]:
        """The signature next to the bundle, and why what is there is none."""
        return _detached_signature(self.bundle)

    @cached_property
    def signatures(self) -> dict[str, bytes]:
        """The envelopes in the bundle and next to it, by the names of their files."""
        envelopes = _embedded_signature(self.bundle), self.detached[0]
        return dict(zip(SIGNATURES, (envelope for envelope in envelopes if envelope), strict=False))

    @cached_property
    def bundle_digest(self) -> str:
        """SHA-256 of the bundle's file."""
        return sha256_of(self.bundle.path)

    @property
    def test_seed(self) -> bool:
        """Whether the noise can be repeated."""
        return bool(self.manifest["randomness"]["test_seed"])

    def output(self, name: str) -> dict[str, Any]:
        """Return the manifest's entry of an output."""
        return next(output for output in self.manifest["outputs"] if output["name"] == name)

    @property
    def privacy(self) -> dict[str, Any]:
        """What a description of a release states about its privacy, next to its tables."""
        privacy, meaning = self.manifest["privacy"], guarantee_words(self.manifest).statement
        return {
            "meaning": f"{TEST_SEED_WORDS}: the stated guarantee does not hold."
            if self.test_seed
            else meaning,
            "guarantee": privacy["guarantee"],
            "covered": privacy["composition"]["outputs"],
            "not_protected": privacy["not_protected"],
            "warnings": guarantee_text.warnings(self.manifest),
            "test_seed": self.test_seed,
            "manifest_sha256": self.manifest_digest,
        }

    def write_json(self, path: Path | str, value: Any) -> None:
        """Write JSON for people and programs to a file of the folder: indented, in UTF-8, the same for the same value."""
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
        (self.folder / path).write_bytes(f"{text}\n".encode())

    def report_progress(self, what: str, done: int, total: int) -> None:
        """Say how far it is."""
        if self.progress is not None:
            self.progress(what, done, total)


def _embedded_signature(bundle: Bundle) -> bytes | None:
    """The envelope that is in a bundle; None if there is none."""
    with BundleFile(bundle.path) as file:
        if SIGNATURE not in file.anatomy.datasets:
            return None
        raw = file.array(SIGNATURE).tobytes()
    if fault := embedded_fault(raw, statement(bundle.manifest)):
        raise BundleError(
            "changed-after-verification",
            "the file was changed after it was verified",
            where=f"{bundle.path}: {SIGNATURE}",
            found=fault,
        )
    return raw


def _detached_signature(bundle: Bundle) -> tuple[bytes | None, str]:
    """The envelope next to a bundle, without unsigned fields, and why what is in its place is none of this bundle; None and "" if nothing is."""
    try:
        beside = signature_beside(bundle.path)
        if beside is None:
            return None, ""
        envelope = envelope_of(beside)
    except OSError as error:
        return None, error.strerror or "it cannot be read"
    except ValueError as error:
        return None, str(error)
    if fault := statement_fault(envelope.payload, bundle.manifest):
        return None, fault
    return envelope.to_bytes(), ""
