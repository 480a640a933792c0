"""Kinds and their mechanisms by name: the only list."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from synthrelease.errors import MachineError
from synthrelease.kinds.areas.kind import AREAS
from synthrelease.kinds.heatmap.kind import HEATMAP
from synthrelease.kinds.kind import Kind
from synthrelease.kinds.parameters import Parameters
from synthrelease.kinds.people.kind import PEOPLE
from synthrelease.kinds.records.kind import RECORDS
from synthrelease.kinds.scanpaths.kind import SCANPATHS
from synthrelease.kinds.signals.kind import SIGNALS
from synthrelease.kinds.statistics.kind import STATISTICS

GROUP = "synthrelease.kinds"  # of entry points
SHIPPED = (HEATMAP, AREAS, SCANPATHS, SIGNALS, RECORDS, PEOPLE, STATISTICS)


@cache
def kinds() -> Mapping[str, Kind]:
    """Return all kinds by name: those of this package, and those that installed packages register.

    Which are loaded depends on what is installed, never on what a bundle names.

    Raises:
        MachineError: a registered kind cannot be loaded, or has the name of another.
    """
    by_name = {kind.name: kind for kind in SHIPPED}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            kind = entry.load()
        except Exception as error:  # noqa: BLE001  another package's code
            raise _broken(entry.value, f"{type(error).__name__}: {error}") from None
        if not isinstance(kind, Kind):
            raise _broken(entry.value, f"a {type(kind).__name__}, not a Kind")
        if kind.name in by_name:
            raise _broken(entry.value, f"its name, '{kind.name}', is that of another kind")
        by_name[kind.name] = kind
    return by_name


def kind_of(output: Mapping[str, Any]) -> Kind:
    """Return the kind of an output; KeyError if it is not installed.

    Args:
        output: an entry of a manifest's `outputs`.
    """
    return kinds()[output["kind"]]


def parameters_of(output: Mapping[str, Any]) -> Parameters:
    """Return the public parameters of an output.

    Args:
        output: an entry of a manifest's `outputs`.

    Raises:
        ValueError: its parameters have not the form of its mechanism's.
        KeyError: there is no such kind, or no such mechanism.
    """
    return kind_of(output).read(output["mechanism"])


def _broken(value: str, problem: str) -> MachineError:
    return MachineError(
        "kind-broken",
        "a kind of output that is installed cannot be used",
        where=f"{value} (entry point of the group {GROUP})",
        found=problem,
        remedy="correct or uninstall the package that registers it",
    )
