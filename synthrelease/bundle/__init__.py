"""The bundle: one HDF5 file, its manifest, and what an auditor can check without the data."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synthrelease.bundle.finding import Finding, Verification
    from synthrelease.bundle.reading import Bundle, open_bundle
    from synthrelease.bundle.resealing import reseal
    from synthrelease.bundle.verification import verify

__all__ = ["Bundle", "Finding", "Verification", "open_bundle", "reseal", "verify"]

_HOME = {
    "Bundle": "reading",
    "Finding": "finding",
    "Verification": "finding",
    "open_bundle": "reading",
    "reseal": "resealing",
    "verify": "verification",
}


def __getattr__(name: str) -> Any:
    # Loaded on first use: a program that only verifies, which another process does, need not wait for numpy.
    if name not in _HOME:
        raise AttributeError(f"module 'synthrelease.bundle' has no attribute {name!r}")
    return getattr(import_module(f"synthrelease.bundle.{_HOME[name]}"), name)
