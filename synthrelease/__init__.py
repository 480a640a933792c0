"""synthrelease turns a private eye-tracking dataset into a release that can be published.

`build`, `preview`, `verify` and the others do what the command of the same name does. `synthrelease.arrays` has single mechanisms for arrays.

>>> import synthrelease
>>> [name for name in synthrelease.__all__ if name[0].islower()]  # doctest: +NORMALIZE_WHITESPACE
['build', 'diff', 'dry_run', 'evaluate', 'export', 'keygen', 'open_bundle', 'preview', 'propose', 'sign', 'verify', 'write_report']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synthrelease.api import (
        diff,
        export,
        preview,
        propose,
        sign,
        verify,
        write_report,
    )
    from synthrelease.building.builder import build, dry_run
    from synthrelease.bundle.signing.key_pair import keygen
    from synthrelease.data.screen import Screen
    from synthrelease.errors import (
        ArgumentError,
        BundleError,
        DataError,
        FaultyBundleError,
        InputError,
        MachineError,
        NotConfirmedError,
        PlanError,
        PolicyError,
        SynthReleaseError,
    )
    from synthrelease.evaluation.evaluate import evaluate
    from synthrelease.exports.readable import open_bundle
    from synthrelease.ledger import Ledger

__all__ = [
    "ArgumentError",
    "BundleError",
    "DataError",
    "FaultyBundleError",
    "InputError",
    "Ledger",
    "MachineError",
    "NotConfirmedError",
    "PlanError",
    "PolicyError",
    "Screen",
    "SynthReleaseError",
    "build",
    "diff",
    "dry_run",
    "evaluate",
    "export",
    "keygen",
    "open_bundle",
    "preview",
    "propose",
    "sign",
    "verify",
    "write_report",
]
__version__ = "0.1.0"

# Where names are whose module is not `synthrelease.api`. What is light does not wait for numpy.
_HOME = {
    **dict.fromkeys((name for name in __all__ if name.endswith("Error")), "synthrelease.errors"),
    "Ledger": "synthrelease.ledger",
    "Screen": "synthrelease.data.screen",
    "evaluate": "synthrelease.evaluation.evaluate",
    "build": "synthrelease.building.builder",
    "dry_run": "synthrelease.building.builder",
    "keygen": "synthrelease.bundle.signing.key_pair",
    "open_bundle": "synthrelease.exports.readable",
}


def __getattr__(name: str) -> Any:
    # Loaded on first use, so that `synthrelease --help` does not wait for numpy.
    if name in __all__:
        return getattr(import_module(_HOME.get(name, "synthrelease.api")), name)
    if name == "arrays":
        return import_module("synthrelease.arrays")
    raise AttributeError(f"module 'synthrelease' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__, "arrays"])
