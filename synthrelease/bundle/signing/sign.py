"""Signing a bundle: the envelope goes into a new file that takes the old one's place, or next to the bundle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from synthrelease.bundle.content import content_of
from synthrelease.bundle.layout import SIGNATURE, is_marked_test_seed
from synthrelease.bundle.signing.envelope import MOST_SIGNATURES, Envelope, envelope_of
from synthrelease.bundle.signing.expectations import signature_beside, signature_file
from synthrelease.bundle.signing.statement import statement
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.bundle.verification import refuse_no_bundle, verify
from synthrelease.bundle.writer import write_bundle
from synthrelease.errors import Argument, BundleError, MachineError, PolicyError, Remedy
from synthrelease.files.atomic import move_into_place, replace_as_it_was, write_durably
from synthrelease.files.partial_files import partials

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from synthrelease.parallel import Progress


class _OtherStatementError(ValueError):
    """An envelope is of another payload."""


def sign(
    path: str | Path, key: Ed25519PrivateKey, *, detached: bool = False, progress: Progress | None = None
) -> Path:
    """Verify a bundle in full, and sign the statement about its manifest that this program makes, never one that is there.

    Signatures that are there stay: an archive may sign what a curator signed.

    Args:
        path: the bundle.
        key: to sign with.
        detached: write the envelope next to the bundle, and leave the bundle as it is.
        progress: called with (what, done, total) if it takes long.

    Returns:
        The file that the signature is in.

    Raises:
        BundleError: the bundle has faults, or as many signatures as it may have, or what is next to it is no signature of it that
            another can be added to.
        InputError: there is no such bundle.
        PolicyError: its noise can be repeated.
        MachineError: the disk, the folder or a permission is in the way.
    """
    path = Path(path)
    result = refuse_no_bundle(path, verify(path, allow_test_seed=True, progress=progress))
    if not result.ok or result.manifest is None:
        raise BundleError(
            "bundle-invalid",
            "a bundle with faults is not signed",
            where=str(path),
            found="; ".join(map(str, result.findings[:3])),
            remedy="run: synthrelease verify",
        )
    manifest = result.manifest
    if manifest["randomness"]["test_seed"]:
        raise PolicyError(
            "signing-test-seed",
            "a bundle whose noise can be repeated is not signed: no one can vouch for it",
            where=str(path),
            remedy="build it without a test seed",
        )
    if detached:
        return _sign_beside(path, manifest, key)
    try:
        opened = BundleFile(path)
    except OSError:
        raise _changed(path) from None
    with opened as file:
        existing = file.array(SIGNATURE).tobytes() if SIGNATURE in file.anatomy.datasets else None
        try:
            signed = _signed(existing, statement(manifest), key, path)
        except ValueError:  # it had no faults a moment ago
            raise _changed(path) from None
        _swap_in(path, file, manifest, signed)
    return path


def _signed(existing: bytes | None, payload: bytes, key: Ed25519PrivateKey, where: Path) -> bytes:
    """Return an envelope with the signatures that are there, and one by a key.

    ValueError if what is there is no envelope, or one of another payload: you never sign a text that someone else put there.
    """
    envelope = Envelope(payload) if existing is None else envelope_of(existing)
    if envelope.payload != payload:
        raise _OtherStatementError(
            "another statement than the one that is signed here, or another form of it"
        )
    signed = envelope.signed(key)
    if len(signed.signatures) > MOST_SIGNATURES:
        raise BundleError(
            "too-many-signatures",
            "there are as many signatures as there may be",
            where=str(where),
            found=str(MOST_SIGNATURES),
            remedy=Remedy("sign in the other place: with ", Argument("detached", True), ", or without"),
        )
    return signed.to_bytes()


def _swap_in(path: Path, file: BundleFile, manifest: dict[str, Any], envelope: bytes) -> None:
    """Put a file of the same content and an envelope in a bundle's place, once it is verified."""

    def same(digests: dict[str, str]) -> dict[str, Any]:
        if digests != manifest["digests"]:
            raise _changed(path)
        return manifest

    target = path.resolve()  # a link stays one
    with partials(target) as (beside,):
        write_bundle(
            beside.path,
            content_of(file),
            completed=same,
            test_seed=is_marked_test_seed(file.text_block),
            signature=envelope,
        )
        if not verify(beside.path, quick=True).ok or not file.is_at(target):
            raise _changed(path)
        replace_as_it_was(beside)


def _changed(path: Path) -> BundleError:
    return BundleError(
        "changed-while-signing",
        "the bundle changed while it was signed",
        where=str(path),
        remedy="sign it again",
    )


def _sign_beside(path: Path, manifest: dict[str, Any], key: Ed25519PrivateKey) -> Path:
    target = signature_file(path)
    try:
        existing = signature_beside(path)
        signed = _signed(existing, statement(manifest), key, target)
    except OSError as error:
        raise MachineError(
            "cannot-read",
            "the file cannot be read",
            where=str(target),
            found=error.strerror or "",
            remedy="check its permissions, or move it elsewhere",
        ) from None
    except ValueError as error:
        raise BundleError(
            "other-statement" if isinstance(error, _OtherStatementError) else "not-a-signature",
            "the signature file is no signature of this bundle to which another can be added",
            where=str(target),
            found=str(error),
            remedy=Remedy(
                "move it elsewhere, and sign again; or sign in the bundle, without ",
                Argument("detached", True),
            ),
        ) from None
    with partials(target) as (beside,):
        write_durably(beside, signed)
        if existing is None:
            move_into_place(beside, force=True)
        else:
            replace_as_it_was(beside)
    return target
