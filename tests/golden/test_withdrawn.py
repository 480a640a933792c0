"""Bundles whose claims are known to be false are named: `verify` refuses what earlier versions wrote, and says why.

Two were built by the version of 2026-11-23: people's own series with a private number of frequencies, and public facts beside `only`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import synthrelease

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
def test_a_bundle_with_a_known_defect_is_refused(name: str, where: list[str]) -> None:
    result = synthrelease.verify(WITHDRAWN / f"{name}.h5")
    assert {finding.code for finding in result.findings} == {"known-defect"}
    assert [finding.where for finding in result.findings] == where
    assert not result.ok


def test_what_they_gave_away() -> None:
    """The series of 20 people, each constant, stand in the order of labels; and one person's lack of fixations in the viewers."""
    each = synthrelease.open_bundle(WITHDRAWN / "each-private.h5")
    entry = each.manifest["outputs"][0]
    assert entry["mechanism"]["parameters"]["query"] == "each"
    maps = synthrelease.open_bundle(WITHDRAWN / "only-assumed.h5").manifest["outputs"][0]
    assert maps["mechanism"]["public_inputs"] == {"names": "assumed", "people": 20, "viewers": [19, 10]}
