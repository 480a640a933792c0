"""What an export is asked for."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synthrelease.bundle import Bundle
from synthrelease.bundle.layout import TEST_SEED_WORDS
from synthrelease.bundle.manifest import to_bytes
from synthrelease.exports import guarantee_text
from synthrelease.exports.signature import detached_signature, embedded_signature
from synthrelease.report.guarantee_words import promise_of

if TYPE_CHECKING:
    from synthrelease.parallel import Progress


MANIFEST, SIGNATURES = "manifest.json", ("signature.json", "signature-2.json")


@dataclass(frozen=True)
class ExportTask:
    """An export that is being written."""

    bundle: Bundle  # that was verified in full
    folder: Path  # empty, to be written into
    stimuli: Path | None = None  # a folder with pictures of stimuli, for exports that draw
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
        """The signature beside the bundle, and why what is there is none."""
        return detached_signature(self.bundle)

    @cached_property
    def signatures(self) -> dict[str, bytes]:
        """The envelopes in the bundle and beside it, by the names of their files."""
        envelopes = embedded_signature(self.bundle), self.detached[0]
        return dict(zip(SIGNATURES, (envelope for envelope in envelopes if envelope), strict=False))

    @cached_property
    def bundle_digest(self) -> str:
        """SHA-256 of the bundle's file."""
        with self.bundle.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @property
    def test_seed(self) -> bool:
        """Whether the noise can be repeated."""
        return bool(self.manifest["randomness"]["test_seed"])

    def output(self, name: str) -> dict[str, Any]:
        """Return the manifest's entry of an output."""
        return next(output for output in self.manifest["outputs"] if output["name"] == name)

    @property
    def privacy(self) -> dict[str, Any]:
        """What a description of a release says of its privacy, beside its tables."""
        privacy, headline = self.manifest["privacy"], promise_of(self.manifest).headline
        return {
            "promise": f"{TEST_SEED_WORDS}: what is promised does not hold." if self.test_seed else headline,
            "guarantee": privacy["guarantee"],
            "covered": privacy["composition"]["outputs"],
            "not_protected": privacy["not_protected"],
            "warnings": guarantee_text.warnings(self.manifest),
            "test_seed": self.test_seed,
            "manifest_sha256": self.manifest_digest,
        }

    def tell(self, what: str, done: int, total: int) -> None:
        """Say how far it is."""
        if self.progress is not None:
            self.progress(what, done, total)


def json_bytes(value: Any) -> bytes:
    """Return JSON for people and programs: indented, in UTF-8, the same for the same value."""
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")
