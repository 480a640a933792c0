"""synthrelease turns a private eye-tracking dataset into a release that can be published.

>>> import synthrelease
>>> sorted(synthrelease.__all__)
['build', 'open_bundle', 'verify']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synthrelease.builder import build
    from synthrelease.bundle import verify
    from synthrelease.exports.readable import open_bundle

__all__ = ["build", "open_bundle", "verify"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # Loaded on first use, so that `synthrelease --help` does not wait for numpy.
    if name == "build":
        from synthrelease.builder import build  # noqa: PLC0415

        return build
    if name == "open_bundle":
        from synthrelease.exports.readable import open_bundle  # noqa: PLC0415

        return open_bundle
    if name == "verify":
        from synthrelease.bundle import verify  # noqa: PLC0415

        return verify
    raise AttributeError(f"module 'synthrelease' has no attribute {name!r}")
