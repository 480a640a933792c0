"""Signing a bundle: the envelope goes into a new file that takes the old one's place, or beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from synthrelease.bundle.bundle_file import BundleFile
from synthrelease.bundle.hdf5 import write_bundle
from synthrelease.bundle.layout import SIGNATURE, is_marked_test_seed
from synthrelease.bundle.signing.asked import MOST_SIGNATURE_BYTES, signature_file
from synthrelease.bundle.signing.envelope import Envelope, embedded_fault, envelope_of
from synthrelease.bundle.signing.statement import statement, statement_fault
from synthrelease.bundle.verification import verify
from synthrelease.durable import move_into_place, partials, sweep, write_atomically
from synthrelease.errors import BundleError, MachineError, PolicyError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from synthrelease.parallel import Progress


def sign(
    path: str | Path, key: Ed25519PrivateKey, *, detached: bool = False, progress: Progress | None = None
) -> Path:
    """Verify a bundle in full, and sign it.

    Signatures that are there stay: an archive may sign what a curator signed.

    Args:
        path: the bundle.
        key: to sign with.
        detached: write the envelope beside the bundle, and leave the bundle as it is.
        progress: called with (what, done, total) if it takes long.

    Returns:
        The file that the signature is in.

    Raises:
        BundleError: the bundle has faults, or another signature beside it is no signature of it.
        PolicyError: its noise can be repeated.
        MachineError: the disk, the folder or a permission is in the way.
    """
    path = Path(path)
    result = verify(path, allow_test_seed=True, progress=progress)
    if not result.ok or result.manifest is None:
        raise BundleError(
            "a bundle with faults is not signed",
            where=str(path),
            found="; ".join(map(str, result.findings[:3])),
            remedy="run: synthrelease verify",
        )
    manifest = result.manifest
    if manifest["randomness"]["test_seed"]:
        raise PolicyError(
            "a bundle whose noise can be repeated is not signed: nobody can stand by it",
            where=str(path),
            remedy="build it without --test-seed",
        )
    if detached:
        return _sign_beside(path, manifest, key)
    with BundleFile(path) as file:
        signed = _embedded(file, statement(manifest)).signed(key)
        assert not embedded_fault(signed.to_bytes(), signed.payload)
        _swap_in(path, file, manifest, signed.to_bytes())
    return path


def _embedded(file: BundleFile, payload: bytes) -> Envelope:
    """The envelope that is in a bundle, which has no faults; an empty one if there is none."""
    if SIGNATURE not in file.anatomy.datasets:
        return Envelope(payload)
    return envelope_of(file.array(SIGNATURE).tobytes())


def _swap_in(path: Path, file: BundleFile, manifest: dict[str, Any], envelope: bytes) -> None:
    """Put a file of the same content and an envelope in a bundle's place, once it is verified."""
    kinds = {
        group: bytes(attributes["encoding_type"]).decode()
        for group, attributes in file.anatomy.groups.items()
        if "encoding_type" in attributes
    }

    def same(digests: dict[str, str]) -> dict[str, Any]:
        if digests != manifest["digests"]:
            raise _changed(path)
        return manifest

    target = path.resolve()  # a link stays one
    sweep(target)
    with partials(target) as (beside,):
        write_bundle(
            beside.path,
            _arrays(file),
            kinds,
            completed=same,
            test_seed=is_marked_test_seed(file.text_block),
            signature=envelope,
        )
        if not verify(beside.path, quick=True).ok:
            raise _changed(path)
        mode = target.stat().st_mode & 0o777
        move_into_place(beside, force=True, mode=mode)


def _arrays(file: BundleFile) -> Iterator[tuple[str, NDArray[np.generic]]]:
    for path in file.dataset_paths():
        yield path, file.array(path)


def _changed(path: Path) -> BundleError:
    return BundleError("the bundle changed while it was signed", where=str(path), remedy="sign it again")


def _sign_beside(path: Path, manifest: dict[str, Any], key: Ed25519PrivateKey) -> Path:
    target = signature_file(path)
    envelope = Envelope(statement(manifest))
    try:
        with target.open("rb") as file:
            envelope = envelope_of(file.read(MOST_SIGNATURE_BYTES + 1))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise MachineError("the file cannot be read", where=str(target), found=error.strerror or "") from None
    except ValueError as error:
        raise _no_signature(target, str(error)) from None
    if fault := statement_fault(envelope.payload, manifest):
        raise _no_signature(target, fault)
    write_atomically(target, envelope.signed(key).to_bytes(), force=True)
    return target


def _no_signature(path: Path, fault: str) -> BundleError:
    return BundleError(
        "what is in the place of the signature is no signature of this bundle",
        where=str(path),
        found=fault,
        remedy="move it elsewhere, and sign again",
    )
