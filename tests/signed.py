"""Signed bundles, and envelopes that a forger puts into them: everything is sealed again."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from numpy.typing import NDArray

from synthrelease.bundle.content import content_of
from synthrelease.bundle.layout import SIGNATURE, USER_BLOCK, user_block
from synthrelease.bundle.signing.key_pair import public_pem
from synthrelease.bundle.strict_hdf5.anatomy import Form
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.bundle.strict_json import to_bytes
from synthrelease.bundle.writer import clear_gaps, write_body

Document = dict[str, Any]
CURATOR, ARCHIVE, STRANGER = (Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32) for n in (1, 2, 3))


def public(folder: Path, key: Ed25519PrivateKey, name: str = "key.pub") -> Path:
    path = folder / name
    path.write_bytes(public_pem(key.public_key()))
    return path


def envelope(path: Path) -> bytes:
    with h5py.File(path, "r") as file:
        return file[SIGNATURE][()].tobytes()


def put(path: Path, raw: bytes | NDArray[Any]) -> None:
    """Put other bytes where a bundle's signature stands."""
    stored = np.frombuffer(raw, dtype=np.uint8) if isinstance(raw, bytes) else raw
    with BundleFile(path) as file:
        content = content_of(file)
        content = replace(
            content,
            forms={**content.forms, SIGNATURE: Form(dtype=stored.dtype, shape=stored.shape)},
            values=[*content.values, (SIGNATURE, stored)],
        )
        manifest = file.manifest()
    with path.open("w+b") as new:
        write_body(new, content, lambda _: manifest)
        clear_gaps(new)
    body = path.read_bytes()[USER_BLOCK:]
    path.write_bytes(user_block(body, test_seed=False) + body)


def edited(raw: bytes, change: Callable[[Document], object]) -> bytes:
    """An envelope with something changed, in the one form that it has in a bundle."""
    document = json.loads(raw)
    change(document)
    return to_bytes(document)


def restated(raw: bytes, change: Callable[[Document], object], key: Ed25519PrivateKey = CURATOR) -> bytes:
    """An envelope whose statement is another one, truly signed by a key."""
    document = json.loads(raw)
    statement = json.loads(base64.b64decode(document["payload"]))
    change(statement)
    return resigned(to_bytes(statement), key, document["payloadType"])


def resigned(payload: bytes, key: Ed25519PrivateKey, kind: str = "application/vnd.in-toto+json") -> bytes:
    """A payload in an envelope, truly signed by a key."""
    from synthrelease.bundle.signing.keys import key_id

    told = kind.encode()
    sig = key.sign(b"DSSEv1 %d %b %d %b" % (len(told), told, len(payload), payload))
    return to_bytes(
        {
            "payload": base64.b64encode(payload).decode(),
            "payloadType": kind,
            "signatures": [{"keyid": key_id(key.public_key()), "sig": base64.b64encode(sig).decode()}],
        }
    )
