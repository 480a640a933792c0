"""A manifest that contradicts itself, which `verify` refuses: it is refused as unreadable, or shown as it stands, and never an error."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from layouts import GOLDEN

from synthrelease.bundle.examination import manifest_faults
from synthrelease.bundle.strict_hdf5.bundle_file import BundleFile
from synthrelease.reports.summary import as_text

NUMBERS = (0, 3, -1, 1e-300, 0.01, 700.0, 1e308)  # every other one of each place, in turns
STATISTICS = ("quantile:0.00000", "quantile:0.5", "sum", "histogram")


def leaves(of: Any, *path: Any) -> Iterator[tuple[Any, ...]]:
    """Paths to every number, text and list."""
    if isinstance(of, dict | list):
        if isinstance(of, list):
            yield path
        for key, value in of.items() if isinstance(of, dict) else enumerate(of[:2]):
            yield from leaves(value, *path, key)
    elif isinstance(of, int | float | str) and not isinstance(of, bool):
        yield path


def forgeries(output: dict[str, Any], seen: set[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    """The output with one value changed that has not been changed in another output of its kind, mechanism and noise."""
    of = output["kind"], output["mechanism"].get("name"), output["event"]["type"]
    for root in ("mechanism", "event"):
        for path in leaves(output[root], root):
            if (*of, path) in seen:
                continue
            seen.add((*of, path))
            for value in [*forged_values(at(output, path), path)][len(seen) % 2 :: 2]:
                forged = copy.deepcopy(output)
                at(forged, path[:-1])[path[-1]] = value
                yield forged


def forged_values(value: Any, path: tuple[Any, ...]) -> Iterator[Any]:
    if isinstance(value, list):
        yield from (value[:-1], value * 2)
    elif isinstance(value, str):
        yield from STATISTICS if "statistics" in path else map(str, NUMBERS)
    else:
        yield from NUMBERS


def at(output: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        output = output[key]
    return output


@pytest.mark.quick("areas")
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_manifest_that_contradicts_itself_does_not_stop_its_reader(path: Path) -> None:
    with BundleFile(path) as file:
        manifest = file.manifest()
    # Nothing of these is changed, and the schema is held against all of it each time.
    manifest |= {"digests": dict(list(manifest["digests"].items())[:1]), "warnings": manifest["warnings"][:1]}
    shown, seen = 0, set[tuple[Any, ...]]()
    for output in manifest["outputs"]:
        for forged in forgeries(output, seen):
            forgery = {**manifest, "outputs": [forged]}
            if not manifest_faults(forgery):
                assert as_text(forgery)
                shown += 1
    assert shown > 10
