"""synthrelease turns a private eye-tracking dataset into a release that can be published.

`build`, `preview`, `verify` and the others do what the command of the same name does. `synthrelease.arrays` has single mechanisms for arrays,
`synthrelease.inference` intervals and tests on released values.

>>> import synthrelease
>>> [name for name in synthrelease.__all__ if name[0].islower()]  # doctest: +NORMALIZE_WHITESPACE
['build', 'diff', 'dry_run', 'evaluate', 'export', 'init', 'keygen', 'open_bundle', 'preview', 'report', 'sign', 'verify']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from synthrelease.api import (
        diff,
        export,
        init,
        preview,
        report,
        sign,
        verify,
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
    from synthrelease.ledgers import Ledger
    from synthrelease.plan.entries import OtherOutput
    from synthrelease.plan.inputs import Features, Gaze, Privacy, ReleaseInfo
    from synthrelease.plan.outputs import Areas, Heatmap, People, Records, Scanpaths, Signals, Statistics
    from synthrelease.plan_object import Plan

__all__ = [
    "Areas",
    "ArgumentError",
    "BundleError",
    "DataError",
    "FaultyBundleError",
    "Features",
    "Gaze",
    "Heatmap",
    "InputError",
    "Ledger",
    "MachineError",
    "NotConfirmedError",
    "OtherOutput",
    "People",
    "Plan",
    "PlanError",
    "PolicyError",
    "Privacy",
    "Records",
    "ReleaseInfo",
    "Scanpaths",
    "Screen",
    "Signals",
    "Statistics",
    "SynthReleaseError",
    "build",
    "diff",
    "dry_run",
    "evaluate",
    "export",
    "init",
    "keygen",
    "open_bundle",
    "preview",
    "report",
    "sign",
    "verify",
]
__version__ = "0.1.0"

# Where names are whose module is not `synthrelease.api`. What is light does not wait for numpy.
_HOME = {
    **dict.fromkeys((name for name in __all__ if name.endswith("Error")), "synthrelease.errors"),
    **dict.fromkeys(("Features", "Gaze", "Privacy", "ReleaseInfo"), "synthrelease.plan.inputs"),
    **dict.fromkeys(
        ("Areas", "Heatmap", "People", "Records", "Scanpaths", "Signals", "Statistics"),
        "synthrelease.plan.outputs",
    ),
    "OtherOutput": "synthrelease.plan.entries",
    "Plan": "synthrelease.plan_object",
    "Ledger": "synthrelease.ledgers",
    "Screen": "synthrelease.data.screen",
    "evaluate": "synthrelease.evaluation.evaluate",
    "build": "synthrelease.building.builder",
    "dry_run": "synthrelease.building.builder",
    "keygen": "synthrelease.bundle.signing.key_pair",
    "open_bundle": "synthrelease.exports.readable",
}
_PACKAGES = ("arrays", "inference")


def __getattr__(name: str) -> Any:
    # Loaded on first use, so that `synthrelease --help` does not wait for numpy.
    if name in __all__:
        return getattr(import_module(_HOME.get(name, "synthrelease.api")), name)
    if name in _PACKAGES:
        return import_module(f"synthrelease.{name}")
    raise AttributeError(f"module 'synthrelease' has no attribute {name!r}")


def __dir__() -> list[str]:
    # Not the packages that it is made of, nor what it imports.
    return sorted([*__all__, *_PACKAGES, "__all__", "__doc__", "__version__"])
