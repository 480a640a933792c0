"""Bundles whose claims are known to be false are named: `verify` refuses what earlier versions wrote, and says why.

Two were built by the version of 2026-11-23: people's own series with a private number of frequencies, and public facts beside `only`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import synthrelease
from synthrelease.errors import FaultyBundleError

WITHDRAWN = Path(__file__).parent / "withdrawn"


@pytest.mark.slow("composes mixed noise")
@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("each-private", ["outputs/0 (each)"]),
        (
            "only-assumed",
            ["outputs/0 (maps)", "outputs/1 (signals)"],
        ),  # of its statistics nothing was assumed
    ],
)
def test_a_bundle_with_a_known_defect_is_refused(name: str, where: list[str], tmp_path: Path) -> None:
    result = synthrelease.verify(WITHDRAWN / f"{name}.h5")
    assert {finding.code for finding in result.findings} == {"known-defect"}
    assert [finding.where for finding in result.findings] == where
    assert not result.ok
    with pytest.raises(FaultyBundleError) as caught:
        synthrelease.export(WITHDRAWN / f"{name}.h5", "csv", tmp_path / "tables")
    assert caught.value.remedy == result.remedy  # and not to get the file again


def test_what_one_of_them_gave_away() -> None:
    """One of 20 people did not fixate, and the numbers of viewers show it."""
    maps = synthrelease.verify(WITHDRAWN / "only-assumed.h5").manifest["outputs"][0]
    assert maps["mechanism"]["public_inputs"] == {"names": "assumed", "people": 20, "viewers": [19, 10]}
