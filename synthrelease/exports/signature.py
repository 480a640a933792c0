"""The signatures of a bundle, which an export carries: they are of the manifest, which it carries too, byte for byte."""

from __future__ import annotations

from synthrelease.bundle import Bundle
from synthrelease.bundle.layout import SIGNATURE
from synthrelease.bundle.signing.envelope import embedded_fault, envelope_of
from synthrelease.bundle.signing.expectations import MOST_SIGNATURE_BYTES, signature_file
from synthrelease.bundle.signing.statement import statement, statement_fault
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.errors import BundleError


def embedded_signature(bundle: Bundle) -> bytes | None:
    """Return the envelope that is in a bundle; None if there is none.

    Raises:
        BundleError: it is not about the manifest: the file was changed after it was verified.
    """
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


def detached_signature(bundle: Bundle) -> tuple[bytes | None, str]:
    """Return the envelope beside a bundle, and why what is in its place is none of this bundle; None and "" if nothing is.

    Fields that nobody signed are left out of it.
    """
    path = signature_file(bundle.path)
    if not path.is_file():  # a pipe would make us wait
        return None, ""
    try:
        with path.open("rb") as file:
            found = envelope_of(file.read(MOST_SIGNATURE_BYTES + 1))
    except OSError as error:
        return None, error.strerror or "it cannot be read"
    except ValueError as error:
        return None, str(error)
    if fault := statement_fault(found.payload, bundle.manifest):
        return None, fault
    return found.to_bytes(), ""
